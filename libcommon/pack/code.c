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

#define SHAPE_ENDS 3u
static const char *const ends[SHAPE_ENDS] = {"", " ", " NoVal "};

struct form {
	const char *op; /* opcode in the text of the part */
	size_t op_len;
	uint8_t n_dst, n_src, width, shape, flags;
};

struct split {
	struct form form;                                        /* form of the instruction's line */
	uint8_t reg[2 * REGISTERS_MAX], kind[2 * REGISTERS_MAX]; /* kind is R, UR, P or UP */
	uint64_t imm[IMMS_MAX];                                  /* folded value of each immediate */
};

enum { T_FORM, T_PC, T_LINE, T_DST, T_SRC, T_KIND, T_IMM, T_RAW, N_TABLES };

static const char *const kinds[4] = {"R", "UR", "P", "UP"};

/* ---- conversion of text to numbers -------------------------------------------------------- */

struct code_scan {
	const char *p, *end;
};

static uint64_t scan_small_number(struct code_scan *s)
{
	uint64_t v = 0;

	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
		v = v * 10 + (unsigned)(*s->p - '0');
	return v;
}

static void scan_registers(struct code_scan *s, uint8_t *n, uint8_t *reg, uint8_t *kind)
{
	*n = (uint8_t)scan_small_number(s);
	for (unsigned i = 0; i < *n; i++) {
		s->p++;
		kind[i] = *s->p == 'U' ? 1 : 0;
		s->p += kind[i];
		kind[i] = (uint8_t)(kind[i] + (*s->p++ == 'P' ? 2 : 0));
		reg[i] = (uint8_t)scan_small_number(s);
	}
}

static bool scan_imm(struct code_scan *s, uint64_t *v)
{
	const char *from = s->p;
	bool neg = s->p < s->end && *s->p == '-';

	s->p += neg;
	const char *first = s->p;
	if (s->p == s->end || *s->p < '0' || *s->p > '9' || s->end - s->p > 17)
		return false;
	uint64_t a = scan_small_number(s);
	bool canonical = (*first != '0' || s->p == first + 1) && !(neg && !a);
	if (!canonical)
		s->p = from;
	*v = fold(neg ? -(int64_t)a : (int64_t)a);
	return canonical;
}

static bool scan_tail(struct code_scan s, struct split *t)
{
	unsigned n = 0;

	while (s.p + 1 < s.end && s.p[0] == ' ' && ((s.p[1] >= '0' && s.p[1] <= '9') || s.p[1] == '-')) {
		s.p++;
		if (n == IMMS_MAX || !scan_imm(&s, &t->imm[n++]))
			return false;
	}
	for (unsigned e = 0; e < SHAPE_ENDS; e++) {
		if (strlen(ends[e]) == (size_t)(s.end - s.p) && !memcmp(ends[e], s.p, strlen(ends[e]))) {
			t->form.shape = (uint8_t)(n * SHAPE_ENDS + e);
			return true;
		}
	}
	return false;
}

/* Splits the constant text of an instruction. pstatic_derive() has checked the text between mask and addresses. */
static bool split_static(
	const struct pcode *c, enum line_dialect d, const struct pstatic *st, struct split *t)
{
	const char *text = (const char *)c->text.p;
	struct code_scan s = {text + st->mid, text + st->mid + st->mid_len};

	memset(t, 0, sizeof(*t));
	t->form.op = "";
	t->form.flags = st->flags;
	if (st->flags & ST_LINE || d != DIALECT_SASS)
		return false;
	scan_registers(&s, &t->form.n_dst, t->reg, t->kind);
	t->form.op = ++s.p;
	while (*s.p != ' ')
		s.p++;
	t->form.op_len = (size_t)(s.p - t->form.op);
	s.p++;
	scan_registers(&s, &t->form.n_src, t->reg + t->form.n_dst, t->kind + t->form.n_dst);
	s.p++;
	t->form.width = (uint8_t)scan_small_number(&s);
	return scan_tail((struct code_scan){text + st->tail, text + st->tail + st->tail_len}, t);
}

static bool is_same_form(const struct form *a, const struct form *b)
{
	return a->op_len == b->op_len && a->n_dst == b->n_dst && a->n_src == b->n_src &&
	       a->width == b->width && a->shape == b->shape && a->flags == b->flags &&
	       !memcmp(a->op, b->op, a->op_len);
}

struct forms {
	struct form *f;
	uint32_t n, cap;
};

static uint32_t line_form_of(struct forms *all, const struct form *f)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (is_same_form(&all->f[i], f))
			return i;
	grow(&all->f, &all->cap, all->n + 1, sizeof(all->f[0]));
	all->f[all->n] = *f;
	return all->n++;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put_forms(struct buf *out, const struct forms *all)
{
	buf_var(out, all->n);
	for (uint32_t i = 0; i < all->n; i++) {
		buf_add(out, all->f[i].op, all->f[i].op_len);
		buf_byte(out, '\n');
	}
	for (uint32_t i = 0; i < all->n; i++) {
		const struct form *f = &all->f[i];
		const uint8_t v[4] = {(uint8_t)(f->n_dst | f->n_src << 5),
			(uint8_t)(f->n_src >> 3 | f->flags << 2), f->width, f->shape};

		buf_add(out, v, 4);
	}
}

static void put_static(struct buf t[N_TABLES], const struct part *p, uint32_t i, struct forms *all)
{
	const struct pcode *c = &p->code;
	const struct pstatic *s = &c->s[i];
	struct split x;

	buf_var(&t[T_PC], s->pc - (i ? s[-1].pc : 0));
	if (p->style & STYLE_LINENO)
		buf_var(&t[T_LINE], fold((int64_t)s->lineno - (i ? s[-1].lineno : 0)));
	if (!split_static(c, part_dialect(p), s, &x)) {
		struct form raw = {.op = "", .flags = s->flags};

		buf_var(&t[T_FORM], line_form_of(all, &raw));
		buf_var(&t[T_RAW], s->mid_len);
		buf_add(&t[T_RAW], c->text.p + s->mid, s->mid_len);
		buf_var(&t[T_RAW], s->tail_len);
		buf_add(&t[T_RAW], c->text.p + s->tail, s->tail_len);
		return;
	}
	buf_var(&t[T_FORM], line_form_of(all, &x.form));
	unsigned n = x.form.n_dst + x.form.n_src + 0u;
	buf_add(&t[T_DST], x.reg, x.form.n_dst);
	buf_add(&t[T_SRC], x.reg + x.form.n_dst, x.form.n_src);
	buf_add(&t[T_KIND], x.kind, n);
	for (unsigned k = 0; k < x.form.shape / SHAPE_ENDS; k++)
		buf_var(&t[T_IMM],
			!k && flow_has_target(s) ? fold(unfold(x.imm[0]) - (int64_t)s->pc) : x.imm[k]);
}

/* Reports whether a byte of the column is not 0. */
static bool has_nonzero_byte(const struct buf *b)
{
	uint8_t all = 0;

	for (size_t i = 0; i < b->n; i++)
		all |= b->p[i];
	return all;
}

void code_pack(struct buf *out, const struct part *p)
{
	struct buf b = {0}, t[N_TABLES] = {0};
	struct forms all = {0};

	for (uint32_t i = 0; i < p->code.n; i++)
		put_static(t, p, i, &all);
	const bool uniform = has_nonzero_byte(&t[T_KIND]);
	if (!uniform)
		t[T_KIND].n = 0;
	mp_uint(out, p->style | (uniform ? STYLE_UNIFORM : 0u) | (p->code.n_areas ? STYLE_AREAS : 0u));
	mp_uint(out, p->code.n);
	put_forms(&b, &all);
	for (int i = 0; i < N_TABLES; i++)
		buf_column(&b, &t[i]);
	models_pack(&b, &p->code);
	mp_bin(out, b.p, b.n);
	buf_free(&b);
	free(all.f);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool get_forms(struct cur *in, struct forms *all)
{
	uint64_t n = cur_var(in);

	if (in->bad || n > cur_left(in))
		return false;
	all->n = (uint32_t)n;
	all->f = xcalloc(n + 1, sizeof(all->f[0]));
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *nl = memchr(in->p, '\n', cur_left(in));

		if (!nl)
			return false;
		all->f[i].op = (const char *)in->p;
		all->f[i].op_len = (size_t)(nl - in->p);
		in->p = nl + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *v = cur_bytes(in, 4);
		struct form *f = &all->f[i];

		if (!v)
			return false;
		f->n_dst = v[0] & 31;
		f->n_src = (uint8_t)((v[0] >> 5 | v[1] << 3) & 31);
		f->flags = v[1] >> 2 & ST_ALL;
		f->width = v[2];
		f->shape = v[3];
		if (f->shape >= SHAPE_ENDS * (IMMS_MAX + 1) || f->op_len > pack_limits.opcode)
			return false;
	}
	return true;
}

static void get_registers(struct buf *text, struct cur *reg, struct cur *kind, bool uniform, unsigned n)
{
	char s[16];

	buf_add(text, s, (size_t)snprintf(s, sizeof(s), "%u", n));
	for (; n; n--) {
		unsigned k = uniform ? cur_byte(kind) & 3 : 0;

		buf_add(text, s, (size_t)snprintf(s, sizeof(s), " %s%u", kinds[k], cur_byte(reg)));
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
	struct pstatic *s = &c->s[i];
	char text[32];
	uint64_t form = cur_var(&t[T_FORM]);

	if (form >= all->n)
		return false;
	const struct form *f = &all->f[form];
	s->flags = f->flags;
	s->pc = (uint32_t)((i ? s[-1].pc : 0) + cur_var(&t[T_PC]));
	if (p->style & STYLE_LINENO)
		s->lineno = (uint32_t)((i ? s[-1].lineno : 0) + (uint64_t)unfold(cur_var(&t[T_LINE])));
	s->mid = (uint32_t)c->text.n;
	if (!f->op_len)
		return get_raw_line(c, s, &t[T_RAW]) && pstatic_derive(p, s);
	get_registers(&c->text, &t[T_DST], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_dst);
	buf_byte(&c->text, ' ');
	buf_add(&c->text, f->op, f->op_len);
	buf_byte(&c->text, ' ');
	get_registers(&c->text, &t[T_SRC], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_src);
	buf_add(&c->text, text, (size_t)snprintf(text, sizeof(text), " %u", f->width));
	s->mid_len = (uint16_t)(c->text.n - s->mid);
	s->tail = (uint32_t)c->text.n;
	s->ctl = (uint8_t)static_control_of(f->op, f->op_len);
	for (unsigned k = 0; k < f->shape / SHAPE_ENDS; k++) {
		int64_t v = unfold(cur_var(&t[T_IMM]));

		if (!k && flow_has_target(s))
			v = (int64_t)((uint64_t)v + s->pc);
		buf_add(&c->text, text, (size_t)snprintf(text, sizeof(text), " %lld", (long long)v));
	}
	buf_add(&c->text, ends[f->shape % SHAPE_ENDS], strlen(ends[f->shape % SHAPE_ENDS]));
	s->tail_len = (uint16_t)(c->text.n - s->tail);
	return pstatic_derive(p, s);
}

static bool get_statics(struct cur *in, struct part *p, struct block_room *room)
{
	struct forms all = {0};
	struct cur t[N_TABLES];
	bool good = get_forms(in, &all);

	for (int i = 0; good && i < N_TABLES; i++) {
		t[i] = cur_column(in);
		good = !t[i].bad;
	}
	for (uint32_t i = 0; good && i < p->code.n; i++)
		good = get_static(p, i, &all, t) && p->code.text.n <= pack_limits.text &&
		       p->code.text.n <= room->text;
	if (good)
		static_number_memory(&p->code);
	for (int i = 0; good && i < N_TABLES; i++)
		good = !t[i].bad;
	room->text -= good ? p->code.text.n : 0;
	free(all.f);
	return good;
}

bool code_unpack(struct cur *in, struct part *p, struct block_room *room)
{
	size_t n;

	p->style = (uint32_t)mp_get_uint(in, LINE_DIALECTS * STYLE_DIALECT - 1);
	p->code.n = (uint32_t)mp_get_uint(in, pack_limits.statics);
	const uint8_t *bin = mp_get_str(in, &n);
	struct cur c = cur_of(bin, n);
	if (in->bad || p->code.n > n || p->code.n > room->statics ||
		(p->style & STYLE_AREAS && !room->areas)) {
		p->code.n = 0;
		return false;
	}
	room->statics -= p->code.n;
	p->code.s = xcalloc(p->code.n + 1, sizeof(p->code.s[0]));
	return get_statics(&c, p, room) && models_unpack(&c, &p->code, p->style & STYLE_AREAS) && !c.bad &&
	       !cur_left(&c);
}
