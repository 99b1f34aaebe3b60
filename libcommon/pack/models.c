/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the data of the models, for each static instruction, to bytes and back. Data of the flow (flow.h):
 * target, guard, order of the sides of a branch, successor. Data of memory instructions (addr.h): the recipes of
 * their addresses, and the patterns that recipes use.
 *
 * Only exceptions are stored: a target that is not an immediate, a successor that is not the next instruction. Always
 * true after models_unpack(): every number of an instruction, a recipe or a pattern is within its table.
 */
#include "areas.h"
#include "flow.h"

/* ---- the flow ------------------------------------------------------------------------------ */

static void put_flow(struct buf *out, const struct pcode *c)
{
	struct buf t[4] = {0}; /* targets, guards, orders of sides, successors */
	uint32_t last[4] = {0};

	for (uint32_t i = 0; i < c->n_statics; i++) {
		const struct pstatic *s = &c->statics[i];

		if (flow_has_target(s)) {
			bool named = s->target == flow_target(c, s) || s->target == NONE;

			buf_var(&t[0], named ? 0 : 1 + fold((int64_t)s->target - i));
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
		buf_column(out, &t[k]);
}

static bool get_guards(struct cur *in, struct pcode *c)
{
	for (uint64_t i = 0; cur_left(in) && !in->bad;) {
		i += cur_var(in);
		uint8_t g = cur_byte(in);
		uint64_t ref = g >= GUARD_LIKE ? i - (uint64_t)unfold(cur_var(in)) : 0;
		if (i >= c->n_statics || g > GUARD_UNLIKE || ref >= c->n_statics)
			return false;
		c->statics[i].guard = g;
		c->statics[i].guard_ref = (uint32_t)ref;
	}
	return true;
}

static bool get_orders(struct cur *in, struct pcode *c)
{
	for (uint64_t i = 0; cur_left(in) && !in->bad;) {
		if ((i += cur_var(in)) >= c->n_statics)
			return false;
		c->statics[i].order = cur_byte(in) & 7;
	}
	return true;
}

static bool get_successors(struct cur *in, struct pcode *c)
{
	for (uint64_t i = 0; cur_left(in) && !in->bad;) {
		if ((i += cur_var(in)) >= c->n_statics)
			return false;
		uint64_t v = cur_var(in), to = v ? i + (uint64_t)unfold(v - 1) : NONE;
		if (v && to >= c->n_statics)
			return false;
		c->statics[i].next = (uint32_t)to;
	}
	return true;
}

static bool get_flow(struct cur *in, struct pcode *c)
{
	struct cur t[4];

	for (int k = 0; k < 4; k++)
		t[k] = cur_column(in);
	for (uint32_t i = 0; i < c->n_statics; i++) {
		struct pstatic *s = &c->statics[i];

		s->next = i + 1 < c->n_statics ? i + 1 : NONE;
		s->order = 1;
		if (!flow_has_target(s))
			continue;
		uint64_t v = cur_var(&t[0]), to = v ? i + (uint64_t)unfold(v - 1) : flow_target(c, s);
		if (v && to >= c->n_statics)
			return false;
		s->target = (uint32_t)to;
	}
	return get_guards(&t[1], c) && get_orders(&t[2], c) && get_successors(&t[3], c) &&
	       !(t[0].bad || t[1].bad || t[2].bad || t[3].bad);
}

/* ---- data of the memory instructions ------------------------------------------------------- */

static bool has_pattern(const struct recipe *r) { return r->op == OP_AFFINE || r->op == OP_BASED; }

/*
 * Writes a recipe. Constants of AFFINE and PLANES are relative to areas; without areas, to the previous constant,
 * *base.
 */
static void put_recipe(
	struct buf t[4], const struct pcode *c, const struct recipe *r, uint32_t self, uint64_t *base)
{
	const uint64_t origin = c->n_areas ? area_origin(c, self, r) : 0;

	buf_byte(&t[1], (uint8_t)(r->op | (r->shift + 4) << 3));
	if (r->op == OP_ADD || r->op == OP_XOR || r->op == OP_MOVED)
		buf_var(&t[2], fold((int64_t)self - r->ref));
	if (r->op == OP_ADD)
		buf_var(&t[3], fold((int64_t)(r->constant - origin)));
	if (r->op == OP_XOR)
		buf_var(&t[3], r->constant);
	if (r->op == OP_PLANES || r->op == OP_AFFINE) {
		buf_var(&t[3], fold((int64_t)(r->constant - *base - origin)));
		*base = c->n_areas ? 0 : r->constant;
	}
	if (r->op == OP_PLANES || r->op == OP_DELTAS)
		buf_byte(&t[3], (uint8_t)(r->align | r->planes << 4));
	if (has_pattern(r)) {
		buf_var(&t[2], r->pattern);
		for (int k = 0; r->op == OP_AFFINE && k < 4; k++)
			buf_var(&t[3], fold(r->steps[k]));
	}
}

static int64_t lane_step_at(const int64_t *p, int l)
{
	return (int64_t)((uint64_t)p[l] - (uint64_t)p[l - 1]);
}

static void put_memory(struct buf *out, const struct pcode *c)
{
	struct buf t[4] = {0}; /* counts and defaults, ops, references, constants */
	uint64_t base = 0;

	for (uint32_t m = 0; m < c->n_mem; m++) {
		const struct pmem *x = &c->mem[m];

		buf_byte(&t[0], (uint8_t)((x->n_recipes - 1) | x->first_default << 3));
		buf_byte(&t[0], x->later_default);
		for (unsigned i = 0; i + 1 < x->n_recipes; i++)
			put_recipe(t, c, &x->recipe[i], m, &base);
	}
	for (int k = 0; k < 4; k++)
		buf_column(out, &t[k]);
	buf_var(out, c->n_pattern);
	for (uint32_t i = 0; i < c->n_pattern; i++) {
		const int64_t *p = c->pattern[i];
		bool line = true;

		for (int l = 2; l < 32; l++)
			line &= lane_step_at(p, l) == lane_step_at(p, 1);
		buf_byte(out, line);
		for (int l = 1; l < (line ? 2 : 32); l++)
			buf_var(out, fold(lane_step_at(p, l)));
	}
}

static bool get_recipe(
	struct cur t[4], const struct pcode *c, struct recipe *r, uint32_t self, uint64_t *base)
{
	uint8_t op = cur_byte(&t[1]);

	r->op = op & 7;
	r->shift = (int8_t)((op >> 3) - 4);
	if (r->op == OP_ANY || r->shift > 4)
		return false;
	if (r->op == OP_ADD || r->op == OP_XOR || r->op == OP_MOVED) {
		uint64_t ref = self - (uint64_t)unfold(cur_var(&t[2]));

		if (ref >= c->n_mem)
			return false;
		r->ref = (uint32_t)ref;
	}
	if (r->op == OP_ADD)
		r->constant = (uint64_t)unfold(cur_var(&t[3])) + (c->n_areas ? area_origin(c, self, r) : 0);
	if (r->op == OP_XOR)
		r->constant = cur_var(&t[3]);
	if (r->op == OP_PLANES || r->op == OP_AFFINE)
		*base = r->constant =
			(uint64_t)unfold(cur_var(&t[3])) + (c->n_areas ? area_origin(c, self, r) : *base);
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
			r->steps[k] = unfold(cur_var(&t[3]));
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
		for (unsigned k = 0; k < c->mem[m].n_recipes; k++)
			if (has_pattern(&c->mem[m].recipe[k]) && c->mem[m].recipe[k].pattern >= n)
				return false;
	return !in->bad;
}

static bool get_memory(struct cur *in, struct pcode *c, bool areas)
{
	struct cur t[4];
	uint64_t base = 0;

	c->mem = xcalloc(c->n_mem + 1, sizeof(c->mem[0]));
	if (areas && !areas_unpack(in, c))
		return false;
	for (int k = 0; k < 4; k++)
		t[k] = cur_column(in);
	for (uint32_t m = 0; m < c->n_mem; m++) {
		struct pmem *x = &c->mem[m];
		uint8_t v = cur_byte(&t[0]);

		x->n_recipes = (uint8_t)((v & 7) + 1);
		x->first_default = v >> 3;
		x->later_default = cur_byte(&t[0]);
		if (x->n_recipes > RECIPES_MAX || x->first_default >= x->n_recipes ||
			x->later_default >= x->n_recipes)
			return false;
		for (unsigned i = 0; i + 1 < x->n_recipes; i++)
			if (!get_recipe(t, c, &x->recipe[i], m, &base))
				return false;
		x->recipe[x->n_recipes - 1].op = OP_ANY;
	}
	return !t[0].bad && !t[1].bad && !t[2].bad && !t[3].bad && get_patterns(in, c);
}

void models_pack(struct buf *out, const struct pcode *c)
{
	put_flow(out, c);
	if (c->n_areas)
		areas_pack(out, c);
	put_memory(out, c);
}

bool models_unpack(struct cur *in, struct pcode *c, bool areas)
{
	return get_flow(in, c) && get_memory(in, c, areas);
}
