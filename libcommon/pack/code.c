/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of static instructions and what the models know of each, as bytes and back.
 *
 * An instruction is a form (opcode, counts of registers, width, shape of the line's end), its PC, registers
 * and immediates, each in a column of its own; text that has no such form is kept as it is (a form without
 * opcode). Targets that an immediate names are not stored. Always true after code_unpack: every number that
 * names an instruction, a recipe or a pattern is in its table.
 */
#include <stdio.h>
#include "flow.h"

#define SHAPE_ENDS 3u
static const char *const ends[SHAPE_ENDS] = {"", " ", " NoVal "};

struct form {
	const char *op;
	size_t op_len;
	uint8_t n_dst, n_src, width, shape, flags;
};

struct split {
	struct form form;
	uint8_t reg[2 * REGISTERS_MAX], kind[2 * REGISTERS_MAX]; /* kind: R, UR, P, UP */
	uint64_t imm[IMMS_MAX];                                  /* folded */
};

enum { T_FORM, T_PC, T_LINE, T_DST, T_SRC, T_KIND, T_IMM, T_RAW, N_TABLES };

static const char *const kinds[4] = {"R", "UR", "P", "UP"};

/* ---- text to numbers ---------------------------------------------------------------------- */

struct code_scan {
	const char *p, *end;
};

static uint64_t small(struct code_scan *s)
{
	uint64_t v = 0;

	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
		v = v * 10 + (unsigned)(*s->p - '0');
	return v;
}

static void scan_registers(struct code_scan *s, uint8_t *n, uint8_t *reg, uint8_t *kind)
{
	*n = (uint8_t)small(s);
	for (unsigned i = 0; i < *n; i++) {
		s->p++;
		kind[i] = *s->p == 'U' ? 1 : 0;
		s->p += kind[i];
		kind[i] = (uint8_t)(kind[i] + (*s->p++ == 'P' ? 2 : 0));
		reg[i] = (uint8_t)small(s);
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
	uint64_t a = small(s);
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

/* static_derive has checked the text between mask and addresses. */
static bool split_static(
	const struct pcode *c, enum line_dialect d, const struct pstatic *st, struct split *t)
{
	const char *text = (const char *)c->text.p;
	struct code_scan s = {text + st->mid, text + st->mid + st->mid_len};

	memset(t, 0, sizeof(*t));
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
	t->form.width = (uint8_t)small(&s);
	return scan_tail((struct code_scan){text + st->tail, text + st->tail + st->tail_len}, t);
}

static bool same_form(const struct form *a, const struct form *b)
{
	return a->op_len == b->op_len && a->n_dst == b->n_dst && a->n_src == b->n_src &&
	       a->width == b->width && a->shape == b->shape && a->flags == b->flags &&
	       (!a->op_len || !memcmp(a->op, b->op, a->op_len));
}

struct forms {
	struct form *f;
	uint32_t n, cap;
};

static uint32_t form_of(struct forms *all, const struct form *f)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (same_form(&all->f[i], f))
			return i;
	grow(&all->f, &all->cap, all->n + 1, sizeof(all->f[0]));
	all->f[all->n] = *f;
	return all->n++;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put_table(struct buf *out, struct buf *t)
{
	buf_var(out, t->n);
	buf_add(out, t->p, t->n);
	buf_free(t);
}

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
		struct form raw = {.flags = s->flags};

		buf_var(&t[T_FORM], form_of(all, &raw));
		buf_var(&t[T_RAW], s->mid_len);
		buf_add(&t[T_RAW], c->text.p + s->mid, s->mid_len);
		buf_var(&t[T_RAW], s->tail_len);
		buf_add(&t[T_RAW], c->text.p + s->tail, s->tail_len);
		return;
	}
	buf_var(&t[T_FORM], form_of(all, &x.form));
	unsigned n = x.form.n_dst + x.form.n_src + 0u;
	buf_add(&t[T_DST], x.reg, x.form.n_dst);
	buf_add(&t[T_SRC], x.reg + x.form.n_dst, x.form.n_src);
	if (p->style & STYLE_UNIFORM)
		buf_add(&t[T_KIND], x.kind, n);
	for (unsigned k = 0; k < x.form.shape / SHAPE_ENDS; k++)
		buf_var(&t[T_IMM],
			!k && flow_has_target(s) ? fold(unfold(x.imm[0]) - (int64_t)s->pc) : x.imm[k]);
}

static bool any_uniform(const struct pcode *c, enum line_dialect d)
{
	struct split x;

	for (uint32_t i = 0; i < c->n; i++) {
		split_static(c, d, &c->s[i], &x);
		for (unsigned k = 0; k < x.form.n_dst + x.form.n_src + 0u; k++)
			if (x.kind[k])
				return true;
	}
	return false;
}

static void put_flow(struct buf *out, const struct pcode *c)
{
	struct buf t[4] = {0}; /* targets, guards, orders, nexts */
	uint32_t last[4] = {0};

	for (uint32_t i = 0; i < c->n; i++) {
		const struct pstatic *s = &c->s[i];

		if (flow_has_target(s)) {
			bool given = s->target == flow_target(c, s) || s->target == NONE;

			buf_var(&t[0], given ? 0 : 1 + fold((int64_t)s->target - i));
		}
		if (s->guard) {
			buf_var(&t[1], i - last[1]);
			buf_byte(&t[1], s->guard);
			if (s->guard >= GUARD_LIKE)
				buf_var(&t[1], fold((int64_t)i - s->guard_ref));
			last[1] = i;
		}
		if (s->order != 1 && s->ctl == CTL_BRANCH) {
			buf_var(&t[2], i - last[2]);
			buf_byte(&t[2], s->order);
			last[2] = i;
		}
		if (s->next != i + 1) {
			buf_var(&t[3], i - last[3]);
			buf_var(&t[3], s->next == NONE ? 0 : 1 + fold((int64_t)s->next - i));
			last[3] = i;
		}
	}
	for (int k = 0; k < 4; k++)
		put_table(out, &t[k]);
}

static bool has_pattern(const struct recipe *r) { return r->op == OP_AFFINE || r->op == OP_BASED; }

static void put_recipe(struct buf t[4], const struct recipe *r, uint32_t self, uint64_t *base)
{
	buf_byte(&t[1], (uint8_t)(r->op | (r->shift + 4) << 3));
	if (r->op == OP_ADD || r->op == OP_XOR || r->op == OP_MOVED)
		buf_var(&t[2], fold((int64_t)self - r->ref));
	if (r->op == OP_ADD)
		buf_var(&t[3], fold((int64_t)r->c));
	if (r->op == OP_XOR)
		buf_var(&t[3], r->c);
	if (r->op == OP_PLANES || r->op == OP_AFFINE) {
		buf_var(&t[3], fold((int64_t)(r->c - *base)));
		*base = r->c;
	}
	if (r->op == OP_PLANES || r->op == OP_DELTAS)
		buf_byte(&t[3], (uint8_t)(r->align | r->planes << 4));
	if (has_pattern(r)) {
		buf_var(&t[2], r->pattern);
		for (int k = 0; r->op == OP_AFFINE && k < 4; k++)
			buf_var(&t[3], fold(r->per[k]));
	}
}

static int64_t rise(const int64_t *p, int l) { return (int64_t)((uint64_t)p[l] - (uint64_t)p[l - 1]); }

static void put_memory(struct buf *out, const struct pcode *c)
{
	struct buf t[4] = {0}; /* counts and defaults, ops, references, constants */
	uint64_t base = 0;

	for (uint32_t m = 0; m < c->n_mem; m++) {
		const struct pmem *x = &c->mem[m];

		buf_byte(&t[0], (uint8_t)((x->n - 1) | x->first << 3));
		buf_byte(&t[0], x->later);
		for (unsigned i = 0; i + 1 < x->n; i++)
			put_recipe(t, &x->r[i], m, &base);
	}
	for (int k = 0; k < 4; k++)
		put_table(out, &t[k]);
	buf_var(out, c->n_pattern);
	for (uint32_t i = 0; i < c->n_pattern; i++) {
		const int64_t *p = c->pattern[i];
		bool line = true;

		for (int l = 2; l < 32; l++)
			line &= rise(p, l) == rise(p, 1);
		buf_byte(out, line);
		for (int l = 1; l < (line ? 2 : 32); l++)
			buf_var(out, fold(rise(p, l)));
	}
}

void code_pack(struct buf *out, const struct part *p)
{
	struct buf b = {0}, t[N_TABLES] = {0};
	struct forms all = {0};
	struct part q = *p;

	q.style |= any_uniform(&p->code, part_dialect(p)) ? STYLE_UNIFORM : 0;
	for (uint32_t i = 0; i < p->code.n; i++)
		put_static(t, &q, i, &all);
	mp_uint(out, q.style);
	mp_uint(out, p->code.n);
	put_forms(&b, &all);
	for (int i = 0; i < N_TABLES; i++)
		put_table(&b, &t[i]);
	put_flow(&b, &p->code);
	put_memory(&b, &p->code);
	mp_bin(out, b.p, b.n);
	buf_free(&b);
	free(all.f);
}

/* ---- reading ------------------------------------------------------------------------------ */

static struct cur table(struct cur *in)
{
	uint64_t n = cur_var(in);
	const uint8_t *p = cur_bytes(in, n);
	struct cur c = cur_of(p, p ? n : 0);

	c.bad = !p;
	return c;
}

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

static bool get_raw(struct pcode *c, struct pstatic *s, struct cur *raw)
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
		return get_raw(c, s, &t[T_RAW]) && static_derive(p, s);
	get_registers(&c->text, &t[T_DST], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_dst);
	buf_byte(&c->text, ' ');
	buf_add(&c->text, f->op, f->op_len);
	buf_byte(&c->text, ' ');
	get_registers(&c->text, &t[T_SRC], &t[T_KIND], p->style & STYLE_UNIFORM, f->n_src);
	buf_add(&c->text, text, (size_t)snprintf(text, sizeof(text), " %u", f->width));
	s->mid_len = (uint16_t)(c->text.n - s->mid);
	s->tail = (uint32_t)c->text.n;
	s->ctl = (uint8_t)ctl_of(f->op, f->op_len);
	for (unsigned k = 0; k < f->shape / SHAPE_ENDS; k++) {
		int64_t v = unfold(cur_var(&t[T_IMM]));

		if (!k && flow_has_target(s))
			v = (int64_t)((uint64_t)v + s->pc);
		buf_add(&c->text, text, (size_t)snprintf(text, sizeof(text), " %lld", (long long)v));
	}
	buf_add(&c->text, ends[f->shape % SHAPE_ENDS], strlen(ends[f->shape % SHAPE_ENDS]));
	s->tail_len = (uint16_t)(c->text.n - s->tail);
	return static_derive(p, s);
}

static bool get_flow(struct cur *in, struct pcode *c)
{
	struct cur t[4];

	for (int k = 0; k < 4; k++)
		t[k] = table(in);
	for (uint32_t i = 0; i < c->n; i++) {
		struct pstatic *s = &c->s[i];

		s->next = i + 1 < c->n ? i + 1 : NONE;
		s->order = 1;
		if (!flow_has_target(s))
			continue;
		uint64_t v = cur_var(&t[0]), to = v ? i + (uint64_t)unfold(v - 1) : flow_target(c, s);
		if (v && to >= c->n)
			return false;
		s->target = (uint32_t)to;
	}
	for (uint64_t i = 0; cur_left(&t[1]) && !t[1].bad;) {
		i += cur_var(&t[1]);
		uint8_t g = cur_byte(&t[1]);
		uint64_t ref = g >= GUARD_LIKE ? i - (uint64_t)unfold(cur_var(&t[1])) : 0;
		if (i >= c->n || g > GUARD_UNLIKE || ref >= c->n)
			return false;
		c->s[i].guard = g;
		c->s[i].guard_ref = (uint32_t)ref;
	}
	for (uint64_t i = 0; cur_left(&t[2]) && !t[2].bad;) {
		if ((i += cur_var(&t[2])) >= c->n)
			return false;
		c->s[i].order = cur_byte(&t[2]) & 7;
	}
	for (uint64_t i = 0; cur_left(&t[3]) && !t[3].bad;) {
		if ((i += cur_var(&t[3])) >= c->n)
			return false;
		uint64_t v = cur_var(&t[3]), to = v ? i + (uint64_t)unfold(v - 1) : NONE;
		if (v && to >= c->n)
			return false;
		c->s[i].next = (uint32_t)to;
	}
	return !(t[0].bad || t[1].bad || t[2].bad || t[3].bad);
}

static bool get_recipe(struct cur t[4], struct recipe *r, uint32_t self, uint32_t n_mem, uint64_t *base)
{
	uint8_t op = cur_byte(&t[1]);

	r->op = op & 7;
	r->shift = (int8_t)((op >> 3) - 4);
	if (r->op == OP_ANY || r->shift > 4)
		return false;
	if (r->op == OP_ADD || r->op == OP_XOR || r->op == OP_MOVED) {
		uint64_t ref = self - (uint64_t)unfold(cur_var(&t[2]));

		if (ref >= n_mem)
			return false;
		r->ref = (uint32_t)ref;
	}
	if (r->op == OP_ADD)
		r->c = (uint64_t)unfold(cur_var(&t[3]));
	if (r->op == OP_XOR)
		r->c = cur_var(&t[3]);
	if (r->op == OP_PLANES || r->op == OP_AFFINE)
		r->c = *base += (uint64_t)unfold(cur_var(&t[3]));
	if (r->op == OP_PLANES || r->op == OP_DELTAS) {
		uint8_t v = cur_byte(&t[3]);

		r->align = v & 15;
		r->planes = v >> 4;
		if (r->planes < 1 || r->planes > 3)
			return false;
	}
	if (has_pattern(r)) {
		uint64_t pattern = cur_var(&t[2]);

		if (pattern > UINT32_MAX)
			return false;
		r->pattern = (uint32_t)pattern;
		for (int k = 0; r->op == OP_AFFINE && k < 4; k++)
			r->per[k] = unfold(cur_var(&t[3]));
	}
	return true;
}

static bool get_patterns(struct cur *in, struct pcode *c)
{
	uint64_t n = cur_var(in);

	if (in->bad || n > cur_left(in) || n > (uint64_t)RECIPES_MAX * c->n_mem)
		return false;
	c->pattern = xcalloc(n + 1, sizeof(c->pattern[0]));
	c->n_pattern = (uint32_t)n;
	for (uint32_t i = 0; i < n; i++) {
		bool line = cur_byte(in);
		uint64_t d = 0;

		for (int l = 1; l < 32; l++) {
			if (!line || l == 1)
				d = (uint64_t)unfold(cur_var(in));
			c->pattern[i][l] = (int64_t)((uint64_t)c->pattern[i][l - 1] + d);
		}
	}
	for (uint32_t m = 0; m < c->n_mem; m++)
		for (unsigned k = 0; k < c->mem[m].n; k++)
			if (has_pattern(&c->mem[m].r[k]) && c->mem[m].r[k].pattern >= n)
				return false;
	return !in->bad;
}

static bool get_memory(struct cur *in, struct pcode *c)
{
	struct cur t[4];
	uint64_t base = 0;

	for (int k = 0; k < 4; k++)
		t[k] = table(in);
	c->mem = xcalloc(c->n_mem + 1, sizeof(c->mem[0]));
	for (uint32_t m = 0; m < c->n_mem; m++) {
		struct pmem *x = &c->mem[m];
		uint8_t v = cur_byte(&t[0]);

		x->n = (uint8_t)((v & 7) + 1);
		x->first = v >> 3;
		x->later = cur_byte(&t[0]);
		if (x->n > RECIPES_MAX || x->first >= x->n || x->later >= x->n)
			return false;
		for (unsigned i = 0; i + 1 < x->n; i++)
			if (!get_recipe(t, &x->r[i], m, c->n_mem, &base))
				return false;
		x->r[x->n - 1].op = OP_ANY;
	}
	return !t[0].bad && !t[1].bad && !t[2].bad && !t[3].bad && get_patterns(in, c);
}

static bool get_statics(struct cur *in, struct part *p, struct block_room *room)
{
	struct forms all = {0};
	struct cur t[N_TABLES];
	bool good = get_forms(in, &all);

	for (int i = 0; good && i < N_TABLES; i++) {
		t[i] = table(in);
		good = !t[i].bad;
	}
	for (uint32_t i = 0; good && i < p->code.n; i++)
		good = get_static(p, i, &all, t) && p->code.text.n <= pack_limits.text &&
		       p->code.text.n <= room->text;
	if (good)
		number_memory(&p->code);
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
	if (in->bad || p->code.n > n || p->code.n > room->statics) {
		p->code.n = 0;
		return false;
	}
	room->statics -= p->code.n;
	p->code.s = xcalloc(p->code.n + 1, sizeof(p->code.s[0]));
	return get_statics(&c, p, room) && get_flow(&c, &p->code) && get_memory(&c, &p->code) && !c.bad &&
	       !cur_left(&c);
}
