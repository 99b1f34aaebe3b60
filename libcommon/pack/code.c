/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the table of static instructions to bytes and back, without the data of the models (models.c).
 *
 * An instruction has a form (opcode, numbers of registers, width, form of the line's end), a PC, registers and
 * immediates, each in its own column. A line that has no form is stored as text, by a form without opcode. Always
 * true after code_unpack(): every number of an instruction, a recipe or a pattern is within its table.
 */
#include <stdio.h>
#include "flow.h"
#include "pack.h"
#include "parse.h"
#include "registers.h"

#define SHAPE_ENDS 3u
static const struct {
	const char *text;
	size_t n;
} ends[SHAPE_ENDS] = {{"", 0}, {" ", 1}, {" NoVal ", 7}};

struct form {
	const char *opcode; /* opcode in the text of the part */
	size_t opcode_len;
	uint8_t n_dst, n_src, width, shape, flags;
	uint8_t ctl;   /* writer: effect on the flow of a warp, enum ctl */
	uint32_t next; /* writer: number, plus 1, of the next form in the slot of struct code_tables; 0: none */
};

struct split {
	struct form form; /* form of the instruction's line */
	uint8_t reg[2 * REGISTERS_MAX];
	uint8_t kind[2 * REGISTERS_MAX]; /* R, UR, P or UP */
	uint64_t imm[IMMS_MAX];          /* folded value of each immediate */
};

enum { T_FORM, T_PC, T_LINE, T_DST, T_SRC, T_KIND, T_IMM, T_RAW, N_TABLES };

/* ---- conversion of text to numbers -------------------------------------------------------- */

/* Scans a decimal number of at most 255 in the form that printf() writes. */
static bool scan_byte(struct line *l, uint8_t *to)
{
	const char *p = l->p;
	unsigned v = p < l->end ? (unsigned)(unsigned char)*p - '0' : 10;

	if (v > 9)
		return false;
	p++;
	for (unsigned d; p < l->end && (d = (unsigned)(unsigned char)*p - '0') < 10; p++) {
		if (!v || v > 25)
			return false;
		v = v * 10 + d;
	}
	l->p = p;
	*to = (uint8_t)v;
	return v < 256;
}

static bool scan_registers(struct line *from, uint8_t *to, uint8_t *reg, uint8_t *kind)
{
	struct line l = *from;
	uint8_t n;

	if (!scan_byte(&l, &n) || n > pack_limits.registers)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (l.end - l.p < 3 || *l.p++ != ' ')
			return false;
		const uint8_t uniform = *l.p == 'U';

		l.p += uniform;
		kind[i] = (uint8_t)(uniform + (*l.p == 'P' ? 2 : 0));
		if ((*l.p != 'R' && *l.p != 'P') || ++l.p == l.end || !scan_byte(&l, &reg[i]))
			return false;
	}
	*from = l;
	*to = n;
	return true;
}

static bool scan_blank(struct line *l) { return l->p < l->end && *l->p++ == ' '; }

static bool scan_opcode(struct line *l, struct form *f)
{
	const char *end = memchr(l->p, ' ', (size_t)(l->end - l->p));

	if (!end || *l->p < 'A' || *l->p > 'Z' || end - l->p > pack_limits.opcode)
		return false;
	f->opcode = l->p;
	f->opcode_len = (size_t)(end - l->p);
	l->p = end;
	return true;
}

/* Scans an immediate of at most 17 characters. */
static bool scan_imm(struct line *l, uint64_t *v)
{
	const char *from = l->p;
	int64_t n;

	if (!scan_signed_decimal(l, &n) || l->p - from > 17)
		return false;
	*v = fold(n);
	return true;
}

static bool scan_tail(struct line l, struct split *t)
{
	unsigned n = 0;

	while (l.p + 1 < l.end && l.p[0] == ' ' && ((l.p[1] >= '0' && l.p[1] <= '9') || l.p[1] == '-')) {
		l.p++;
		if (n == IMMS_MAX || !scan_imm(&l, &t->imm[n++]))
			return false;
	}
	for (unsigned e = 0; e < SHAPE_ENDS; e++) {
		if (ends[e].n == (size_t)(l.end - l.p) && !memcmp(ends[e].text, l.p, ends[e].n)) {
			t->form.shape = (uint8_t)(n * SHAPE_ENDS + e);
			return true;
		}
	}
	return false;
}

/* Splits the constant text of an instruction. Returns false if its line has no form. */
static bool split_static(
	const struct pcode *c, enum line_dialect d, const struct pstatic *st, struct split *t)
{
	const char *text = (const char *)c->text.p;
	struct line l = {text + st->mid, text + st->mid + st->mid_len};
	struct form *f = &t->form;

	if (st->flags & ST_LINE || d != DIALECT_SASS)
		return false;
	f->flags = st->flags;
	return scan_registers(&l, &f->n_dst, t->reg, t->kind) && scan_blank(&l) && scan_opcode(&l, f) &&
	       scan_blank(&l) && scan_registers(&l, &f->n_src, t->reg + f->n_dst, t->kind + f->n_dst) &&
	       scan_blank(&l) && scan_byte(&l, &f->width) && l.p == l.end &&
	       !f->width == !(st->flags & ST_MEM) &&
	       scan_tail((struct line){text + st->tail, text + st->tail + st->tail_len}, t);
}

/* Sets t to the columns of an instruction whose opcode is its text. */
static void split_columns(
	const struct pcode *c, const struct pstatic *s, const struct pack_inst *x, struct split *t)
{
	t->form = (struct form){.opcode = (const char *)c->text.p + s->mid,
		.opcode_len = s->mid_len,
		.n_dst = x->n_results,
		.n_src = x->n_sources,
		.width = (uint8_t)x->width,
		.shape = (uint8_t)(x->n_imms * SHAPE_ENDS + x->end),
		.flags = s->flags};
	memcpy(t->reg, x->reg, sizeof(x->reg));
	memcpy(t->kind, x->kind, sizeof(x->kind));
	for (unsigned i = 0; i < PACK_IMMS; i++)
		t->imm[i] = fold(x->imm[i]);
}

static bool is_same_form(const struct form *a, const struct form *b)
{
	return a->opcode_len == b->opcode_len && a->n_dst == b->n_dst && a->n_src == b->n_src &&
	       a->width == b->width && a->shape == b->shape && a->flags == b->flags &&
	       !memcmp(a->opcode, b->opcode, a->opcode_len);
}

struct forms {
	struct form *form;
	uint32_t n, cap;
};

/* ---- writing ------------------------------------------------------------------------------ */

static void put_forms(struct buf *out, const struct forms *all)
{
	buf_var(out, all->n);
	for (uint32_t i = 0; i < all->n; i++) {
		buf_add(out, all->form[i].opcode, all->form[i].opcode_len);
		buf_byte(out, '\n');
	}
	for (uint32_t i = 0; i < all->n; i++) {
		const struct form *f = &all->form[i];
		const uint8_t v[4] = {(uint8_t)(f->n_dst | f->n_src << 5),
			(uint8_t)(f->n_src >> 3 | f->flags << 2), f->width, f->shape};

		buf_add(out, v, 4);
	}
}

#define FORM_SLOTS 256u

/* Tables of the static instructions in the making. */
struct code_tables {
	struct buf table[N_TABLES];
	struct forms forms;
	uint32_t slot[FORM_SLOTS]; /* number, plus 1, of the last form of each hash; 0: none */
};

static uint32_t form_hash(const struct form *f)
{
	uint64_t first = 0, last = 0,
		 rest = (uint64_t)f->n_dst | (uint64_t)f->n_src << 8 | (uint64_t)f->shape << 16 |
			(uint64_t)f->width << 24 | f->opcode_len << 32;

	memcpy(&first, f->opcode, f->opcode_len < 8 ? f->opcode_len : 8);
	if (f->opcode_len > 8)
		memcpy(&last, f->opcode + f->opcode_len - 8, 8);
	return (uint32_t)(((first ^ rest * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u ^ last) *
				  0xc2b2ae3d27d4eb4fu >>
			  32) %
	       FORM_SLOTS;
}

/* Returns the number of the form, which is added if it is new. */
static uint32_t line_form_of(struct code_tables *x, const struct form *f)
{
	uint32_t *slot = &x->slot[form_hash(f)];

	for (uint32_t i = *slot; i; i = x->forms.form[i - 1].next)
		if (is_same_form(&x->forms.form[i - 1], f))
			return i - 1;
	grow(&x->forms.form, &x->forms.cap, x->forms.n + 1, sizeof(x->forms.form[0]));
	struct form *new = &x->forms.form[x->forms.n++];
	*new = *f;
	new->ctl = (uint8_t)static_control_of(f->opcode, f->opcode_len);
	new->next = *slot;
	return (*slot = x->forms.n) - 1;
}

static void put_raw_line(struct code_tables *x, struct part *p, struct pstatic *s)
{
	const struct form raw = {.opcode = "", .flags = s->flags};

	pstatic_derive(p, s);
	buf_var(&x->table[T_FORM], line_form_of(x, &raw));
	buf_var(&x->table[T_RAW], s->mid_len);
	buf_add(&x->table[T_RAW], p->code.text.p + s->mid, s->mid_len);
	buf_var(&x->table[T_RAW], s->tail_len);
	buf_add(&x->table[T_RAW], p->code.text.p + s->tail, s->tail_len);
}

/* Appends n registers or kinds. Few instructions have more than three, so a loop is faster than a call of memcpy(). */
static void put_registers(struct buf *b, const uint8_t *reg, unsigned n)
{
	buf_room(b, n);
	for (unsigned i = 0; i < n; i++)
		b->p[b->n + i] = reg[i];
	b->n += n;
}

void code_add_static(
	struct part *p, struct pstatic *s, const struct pstatic *before, const struct pack_inst *x)
{
	struct pcode *c = &p->code;
	struct split y;

	if (!c->tables)
		c->tables = xcalloc(1, sizeof(*c->tables));
	struct code_tables *k = c->tables;
	buf_var(&k->table[T_PC], s->pc - (before ? before->pc : 0));
	if (p->style & STYLE_LINENO)
		buf_var(&k->table[T_LINE], fold((int64_t)s->lineno - (before ? before->lineno : 0)));
	s->form = 0;
	if (x) {
		split_columns(c, s, x, &y);
	} else if (!split_static(c, part_dialect(p), s, &y)) {
		put_raw_line(k, p, s);
		return;
	}
	const uint32_t form = line_form_of(k, &y.form);
	const unsigned n = y.form.n_dst + y.form.n_src + 0u, imms = y.form.shape / SHAPE_ENDS;
	s->form = form + 1;
	s->next = s->target = s->mem = NONE;
	s->opcode = (uint16_t)(y.form.opcode - ((const char *)c->text.p + s->mid));
	s->opcode_len = (uint16_t)y.form.opcode_len;
	s->ctl = k->forms.form[form].ctl;
	s->imm = imms ? (uint64_t)unfold(y.imm[0]) : UINT64_MAX;
	buf_var(&k->table[T_FORM], form);
	put_registers(&k->table[T_DST], y.reg, y.form.n_dst);
	put_registers(&k->table[T_SRC], y.reg + y.form.n_dst, y.form.n_src);
	put_registers(&k->table[T_KIND], y.kind, n);
	for (unsigned i = 0; i < imms; i++)
		buf_var(&k->table[T_IMM],
			!i && flow_has_target(s) ? fold((int64_t)(s->imm - s->pc)) : y.imm[i]);
}

uint32_t code_form_count(const struct pcode *c) { return c->tables ? c->tables->forms.n : 0; }

void code_tables_free(struct code_tables *x)
{
	for (int i = 0; x && i < N_TABLES; i++)
		buf_free(&x->table[i]);
	if (x)
		free(x->forms.form);
	free(x);
}

/* Returns true if a byte of the column is not 0. */
static bool has_nonzero_byte(const struct buf *b)
{
	uint8_t all = 0;

	for (size_t i = 0; i < b->n; i++)
		all |= b->p[i];
	return all;
}

/* Operands of instructions, for the conversion of registers. */
struct operand_tables {
	struct operands o;
	uint8_t (*count)[2];
	uint32_t *form;
};

static void operand_tables_free(struct operand_tables *x)
{
	free(x->count);
	free(x->form);
}

/* Sets *x from the tables of forms and kinds of n instructions. Returns false if a form does not exist. */
static bool find_operands(
	struct operand_tables *x, const struct forms *all, uint32_t n, struct cur forms, struct cur kind)
{
	x->count = xcalloc(all->n + 1u, sizeof(x->count[0]));
	x->form = xcalloc(n + 1u, sizeof(x->form[0]));
	x->o = (struct operands){x->count, all->n, x->form, n, kind};
	for (uint32_t i = 0; i < all->n; i++) {
		x->count[i][0] = all->form[i].opcode_len ? all->form[i].n_dst : 0;
		x->count[i][1] = all->form[i].opcode_len ? all->form[i].n_src : 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t f = cur_var(&forms);

		if (f >= all->n)
			return false;
		x->form[i] = (uint32_t)f;
	}
	return true;
}

/* Converts the registers to streams, and sets *coding to the codings of the streams. */
static void convert_registers(struct code_tables *x, uint32_t n, struct buf *coding)
{
	struct operand_tables y;
	struct buf *t = x->table;

	find_operands(&y, &x->forms, n, cur_of(t[T_FORM].p, t[T_FORM].n), cur_of(t[T_KIND].p, t[T_KIND].n));
	registers_pack(&y.o, &t[T_DST], &t[T_SRC], coding);
	operand_tables_free(&y);
}

void code_pack(struct buf *out, const struct part *p)
{
	struct code_tables none = {.forms.n = 0};
	struct code_tables *x = p->code.tables ? p->code.tables : &none;
	struct buf b = {0}, coding = {0};

	const bool uniform = has_nonzero_byte(&x->table[T_KIND]);
	if (!uniform)
		x->table[T_KIND].n = 0;
	mp_uint(out, p->style | (uniform ? STYLE_UNIFORM : 0u) | (p->code.n_areas ? STYLE_AREAS : 0u));
	mp_uint(out, p->code.n_statics);
	put_forms(&b, &x->forms);
	if (p->style & STYLE_STREAMS)
		convert_registers(x, p->code.n_statics, &coding);
	for (int i = 0; i < N_TABLES; i++)
		buf_column(&b, &x->table[i]);
	if (p->style & STYLE_STREAMS)
		buf_column(&b, &coding);
	models_pack(&b, &p->code);
	mp_bin(out, b.p, b.n);
	buf_free(&b);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool get_forms(struct cur *in, struct forms *all)
{
	uint64_t n = cur_var(in);

	if (in->bad || n > cur_left(in))
		return false;
	all->n = (uint32_t)n;
	all->form = xcalloc(n + 1, sizeof(all->form[0]));
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *nl = memchr(in->p, '\n', cur_left(in));

		if (!nl)
			return false;
		all->form[i].opcode = (const char *)in->p;
		all->form[i].opcode_len = (size_t)(nl - in->p);
		in->p = nl + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *v = cur_bytes(in, 4);
		struct form *f = &all->form[i];

		if (!v)
			return false;
		f->n_dst = v[0] & 31;
		f->n_src = (uint8_t)((v[0] >> 5 | v[1] << 3) & 31);
		f->flags = v[1] >> 2 & ST_ALL;
		f->width = v[2];
		f->shape = v[3];
		if (f->shape >= SHAPE_ENDS * (IMMS_MAX + 1) || f->opcode_len > pack_limits.opcode)
			return false;
	}
	return true;
}

static void get_registers(struct buf *text, struct cur *reg, struct cur *kind, bool uniform, unsigned n)
{
	text_append_number(text, n);
	for (; n; n--) {
		unsigned k = uniform ? cur_byte(kind) & 3 : 0;

		text_append_register(text, k, cur_byte(reg));
	}
}

static bool get_raw_line(struct pcode *c, struct pstatic *s, struct cur *raw)
{
	uint64_t n = cur_var(raw);
	const uint8_t *p = cur_bytes(raw, n);

	if (!p || n >= pack_limits.line)
		return false;
	s->mid_len = (uint16_t)n;
	buf_add(&c->text, p, n);
	s->tail = (uint32_t)c->text.n;
	n = cur_var(raw);
	p = cur_bytes(raw, n);
	if (!p || n >= pack_limits.line)
		return false;
	s->tail_len = (uint16_t)n;
	buf_add(&c->text, p, n);
	return true;
}

static bool get_static(struct part *p, uint32_t i, const struct forms *all, struct cur t[N_TABLES])
{
	struct pcode *c = &p->code;
	struct pstatic *s = &c->statics[i];
	char text[32];
	uint64_t form = cur_var(&t[T_FORM]);

	if (form >= all->n)
		return false;
	const struct form *f = &all->form[form];
	s->flags = f->flags;
	s->pc = (uint32_t)((i ? s[-1].pc : 0) + cur_var(&t[T_PC]));
	if (p->style & STYLE_LINENO)
		s->lineno = (uint32_t)((i ? s[-1].lineno : 0) + (uint64_t)unfold(cur_var(&t[T_LINE])));
	s->mid = (uint32_t)c->text.n;
	if (!f->opcode_len)
		return get_raw_line(c, s, &t[T_RAW]) && pstatic_derive(p, s);
	get_registers(&c->text, &t[T_DST], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_dst);
	buf_byte(&c->text, ' ');
	buf_add(&c->text, f->opcode, f->opcode_len);
	buf_byte(&c->text, ' ');
	get_registers(&c->text, &t[T_SRC], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_src);
	buf_byte(&c->text, ' ');
	text_append_number(&c->text, f->width);
	s->mid_len = (uint16_t)(c->text.n - s->mid);
	s->tail = (uint32_t)c->text.n;
	s->ctl = (uint8_t)static_control_of(f->opcode, f->opcode_len);
	for (unsigned k = 0; k < f->shape / SHAPE_ENDS; k++) {
		int64_t v = unfold(cur_var(&t[T_IMM]));

		if (!k && flow_has_target(s))
			v = (int64_t)((uint64_t)v + s->pc);
		buf_add(&c->text, text, (size_t)snprintf(text, sizeof(text), " %lld", (long long)v));
	}
	buf_add(&c->text, ends[f->shape % SHAPE_ENDS].text, ends[f->shape % SHAPE_ENDS].n);
	s->tail_len = (uint16_t)(c->text.n - s->tail);
	return pstatic_derive(p, s);
}

/* Reads the codings of streams, and sets the tables of registers to registers in the order of instructions. */
static bool restore_registers(struct cur *in, const struct part *p, const struct forms *all,
	struct cur t[N_TABLES], struct buf reg[2])
{
	struct operand_tables y;
	struct cur coding = cur_column(in);
	const struct cur kind = p->style & STYLE_UNIFORM ? t[T_KIND] : cur_of(NULL, 0);
	bool good = find_operands(&y, all, p->code.n_statics, t[T_FORM], kind) && !coding.bad &&
		    registers_unpack(&y.o, &t[T_DST], &t[T_SRC], &coding, &reg[0], &reg[1]);

	operand_tables_free(&y);
	t[T_DST] = cur_of(reg[0].p, reg[0].n);
	t[T_SRC] = cur_of(reg[1].p, reg[1].n);
	return good;
}

static bool get_statics(struct cur *in, struct part *p, struct block_remaining *remaining)
{
	struct forms all = {0};
	struct cur t[N_TABLES];
	struct buf reg[2] = {{0}};
	bool good = get_forms(in, &all);

	for (int i = 0; good && i < N_TABLES; i++) {
		t[i] = cur_column(in);
		good = !t[i].bad;
	}
	if (good && p->style & STYLE_STREAMS)
		good = restore_registers(in, p, &all, t, reg);
	for (uint32_t i = 0; good && i < p->code.n_statics; i++)
		good = get_static(p, i, &all, t) && p->code.text.n <= pack_limits.text &&
		       p->code.text.n <= remaining->text;
	if (good)
		static_number_memory(&p->code);
	for (int i = 0; good && i < N_TABLES; i++)
		good = !t[i].bad;
	remaining->text -= good ? p->code.text.n : 0;
	free(all.form);
	buf_free(&reg[0]);
	buf_free(&reg[1]);
	return good;
}

bool code_unpack(struct cur *in, struct part *p, struct block_remaining *remaining)
{
	size_t n;

	p->style = (uint32_t)mp_get_uint(in, LINE_DIALECTS * STYLE_DIALECT - 1);
	p->code.n_statics = (uint32_t)mp_get_uint(in, pack_limits.statics);
	const uint8_t *bin = mp_get_str(in, &n);
	struct cur c = cur_of(bin, n);
	if (in->bad || p->code.n_statics > n || p->code.n_statics > remaining->statics ||
		(p->style & STYLE_AREAS && !remaining->allows_areas) ||
		(p->style & (STYLE_STREAMS | STYLE_VALUES) && !remaining->allows_values)) {
		p->code.n_statics = 0;
		return false;
	}
	remaining->statics -= p->code.n_statics;
	p->code.statics = xcalloc(p->code.n_statics + 1, sizeof(p->code.statics[0]));
	return get_statics(&c, p, remaining) && models_unpack(&c, &p->code, p->style & STYLE_AREAS) &&
	       !c.bad && !cur_left(&c);
}
