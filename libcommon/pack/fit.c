/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choice of address recipes: the rules that yield the addresses of each memory instruction.
 *
 * A first walk tries recipes on a sample of the executions and counts how often each is right. A second walk applies
 * the chosen recipes to all executions and measures the range of the remaining addresses. The first execution in a
 * warp and later executions (loops) have separate defaults.
 */
#include "addr.h"
#include "affine.h"
#include "areas.h"

#define RECENT     16u
#define SLOTS      64u /* largest number of distinct recipes counted for an instruction and phase */
#define SAMPLES    384u
#define BEST       3u  /* largest number of tallies of a phase that become recipes */
#define SURE       3u  /* samples after which a recipe that was always right is tried alone */
#define SHIFT_MOST 4   /* largest shift of another instruction's lanes, in bits */
#define BASE_BITS  22u /* bits for the first address of a list of differences */

struct fit_tally {
	uint64_t c;
	union {
		struct {
			uint32_t ref;
			uint8_t op;
			int8_t shift;
			uint16_t none; /* always 0 */
		};
		uint64_t what; /* all of these as one word, for comparison */
	};
	uint32_t hits;
};

struct fit_sample {
	/* SLOTS tallies each for first and for later executions; NULL: no recipe was right yet */
	struct fit_tally *t[2];
	uint32_t n[2];    /* number of samples */
	uint32_t held[2]; /* further samples, compared with the best recipe alone */
	const struct fit_tally *best[2];
	uint32_t runs;
	struct shape *shape;
	uint32_t n_shapes, cap_shapes;
};

struct rest { /* executions that no recipe explains */
	uint32_t runs[2], missed[2];
	uint64_t lanes, least, most, low, delta_low;
	uint64_t delta_most, bits;
	uint32_t used[RECIPES_MAX];
	bool any;
	/* pattern: from the execution with the most lanes; patterned: number of executions that have it */
	int64_t *pattern;
	uint64_t patterned, n;
};

struct fitter {
	struct parsed *p;
	struct pcode *c;
	struct addresses x;
	struct fit_sample *s;
	struct rest *rest;
	struct mem_reach *reach; /* reach of each memory instruction; NULL: the part has no areas */
	bool *ran;               /* whether each memory instruction has run in this warp */
	uint32_t recent[RECENT], n_recent;
};

static void count_hit(struct fit_tally **slots, const struct fit_tally *key)
{
	if (!*slots)
		*slots = xcalloc(SLOTS, sizeof(**slots));
	struct fit_tally *t = *slots;
	uint64_t h =
		(key->c ^ key->ref * 0x9e3779b97f4a7c15u ^ (uint64_t)(uint8_t)key->shift << 40 ^ key->op) *
		0xd6e8feb86659fd93u;
	for (uint32_t i = 0, at = (uint32_t)(h >> 58); i < 8; i++, at = (at + 1) % SLOTS) {
		struct fit_tally *e = &t[at];

		if (e->hits && (e->c != key->c || e->what != key->what))
			continue;
		if (!e->hits)
			*e = *key;
		e->hits++;
		return;
	}
}

static uint64_t shift_value(uint64_t v, int s) { return s >= 0 ? v << s : v >> -s; }

/*
 * Reports whether a recipe can map lanes f and g to addresses a and b. This check of the first two lanes excludes
 * most recipes.
 */
static bool may_recipe_hold(uint64_t a, uint64_t b, uint64_t f, uint64_t g)
{
	uint64_t rise = b - a, from = g - f;
	bool may = (a ^ b) == (f ^ g);

	for (int s = 0; s <= SHIFT_MOST; s++)
		may |= from << s == rise;
	for (int s = 1; s <= SHIFT_MOST; s++)
		may |= (g >> s) - (f >> s) == rise;
	return may;
}

/* Reports whether the addresses are the shifted lanes plus a constant, and sets *c to it. */
static bool shift_holds(
	const struct lanes *from, int s, const struct recorded *g, const uint64_t *a, uint64_t *c)
{
	uint64_t off = 0;
	unsigned i = 0;

	*c = a[0] - shift_value(lane_at(from, bit_lowest32(g->mask)), s);
	if (from->line && g->line && (s >= 0 || !from->step))
		return g->n == 1 || shift_value(from->step, s) == g->w[1];
	if (!s && from->list && from->list == g->w)
		return true;
	if (a[g->n - 1] - shift_value(lane_at(from, log2_floor(g->mask)), s) !=
		*c) /* this test excludes most candidates */
		return false;
	FOR_BITS32 (l, g->mask) {
		off |= (a[i++] - shift_value(lane_at(from, l), s)) ^ *c;
		if (off)
			break;
	}
	return !off;
}

static bool xor_holds(const struct lanes *from, const struct recorded *g, const uint64_t *a, uint64_t *c)
{
	uint64_t off = 0;
	unsigned i = 0;

	*c = a[0] ^ lane_at(from, bit_lowest32(g->mask));
	if (from->line && g->line && !from->step)
		return g->n == 1 || !g->w[1];
	if ((a[g->n - 1] ^ lane_at(from, log2_floor(g->mask))) != *c)
		return false;
	FOR_BITS32 (l, g->mask) {
		off |= (a[i++] ^ lane_at(from, l)) ^ *c;
		if (off)
			break;
	}
	return !off;
}

/* Counts the recipes based on instruction ref that yield these addresses. */
static void count_recipes_of_ref(
	struct fitter *f, struct fit_tally **t, uint32_t ref, const struct recorded *g, const uint64_t *a)
{
	const struct lanes *from = lanes_of(&f->x, ref);
	uint32_t rest = g->mask & (g->mask - 1);
	int most = rest ? SHIFT_MOST : 0;
	uint64_t c;

	if (rest && !may_recipe_hold(a[0], a[1], lane_at(from, bit_lowest32(g->mask)),
			    lane_at(from, bit_lowest32(rest))))
		return;
	for (int s = -most; s <= most; s++) {
		if (!shift_holds(from, s, g, a, &c))
			continue;
		count_hit(t, &(struct fit_tally){.op = OP_ADD, .shift = (int8_t)s, .ref = ref, .c = c});
		if (s == 0 && rest)
			count_hit(t, &(struct fit_tally){.op = OP_MOVED, .ref = ref});
	}
	if (rest && xor_holds(from, g, a, &c))
		count_hit(t, &(struct fit_tally){.op = OP_XOR, .ref = ref, .c = c});
}

static struct recipe recipe_of_tally(const struct fit_tally *t)
{
	return (struct recipe){.op = t->op, .shift = t->shift, .ref = t->ref, .c = t->c};
}

static void keep_shape(struct fitter *f, struct fit_sample *s, const struct recorded *g)
{
	uint64_t t[32];
	bool take = s->runs < SHAPES / 2 || !(s->runs & (s->runs - 1)) || s->runs % 1009 == 0;

	if (!take || s->n_shapes == SHAPES)
		return;
	if (s->n_shapes == s->cap_shapes) { /* most instructions are executed only a few times */
		s->cap_shapes = s->cap_shapes ? s->cap_shapes * 2 : 2;
		s->shape = xrealloc(s->shape, s->cap_shapes, sizeof(s->shape[0]));
	}
	struct shape *x = &s->shape[s->n_shapes++];
	x->warp = f->x.warp;
	x->mask = g->mask;
	memcpy(x->block, f->x.block, sizeof(x->block));
	const uint64_t *a = recorded_list(g, t);
	unsigned i = 0;
	FOR_BITS32 (l, g->mask)
		x->a[l] = a[i++];
}

/* Reports whether x is the better candidate: more hits, else the simpler recipe, else by a fixed order. */
static bool prefer_candidate(const struct fit_tally *x, const struct fit_tally *y)
{
	int sx = x->shift < 0 ? -x->shift : x->shift, sy = y->shift < 0 ? -y->shift : y->shift;

	if (x->hits != y->hits)
		return x->hits > y->hits;
	if (x->op != y->op)
		return x->op < y->op;
	if (sx != sy)
		return sx < sy;
	if (x->ref != y->ref)
		return x->ref > y->ref;
	return x->shift != y->shift ? x->shift < y->shift : x->c < y->c;
}

/* Adds the samples that were compared only with the best recipe to all recipes that were right until then. */
static void settle_samples(struct fit_sample *s, unsigned phase)
{
	/* held[phase] is above 0 only if the phase has slots */
	for (uint32_t i = 0; i < SLOTS && s->held[phase]; i++)
		if (s->t[phase][i].hits == s->n[phase])
			s->t[phase][i].hits += s->held[phase];
	s->n[phase] += s->held[phase];
	s->held[phase] = 0;
	s->best[phase] = NULL;
}

/* Reports whether the recipe that was right for all samples is right again. */
static bool default_recipe_holds(
	struct fitter *f, struct fit_sample *s, unsigned phase, const struct recorded *g)
{
	struct fit_tally *t = s->t[phase];
	struct lanes l;

	if (s->n[phase] < SURE || !t)
		return false;
	for (uint32_t i = 0; i < SLOTS && !s->held[phase]; i++)
		if (t[i].hits == s->n[phase] && t[i].op != OP_MOVED &&
			(!s->best[phase] || prefer_candidate(&t[i], s->best[phase])))
			s->best[phase] = &t[i];
	if (!s->best[phase])
		return false;
	struct recipe r = recipe_of_tally(s->best[phase]);
	recipe_apply(&f->x, &r, &l);
	if (lanes_equal_recorded(&l, g)) {
		s->held[phase]++;
		return true;
	}
	settle_samples(s, phase);
	return false;
}

static void add_fit_sample(struct fitter *f, uint32_t m, const struct recorded *g)
{
	struct fit_sample *s = &f->s[m];
	unsigned phase = f->ran[m];

	if (!phase) {
		keep_shape(f, s, g);
		s->runs++;
	}
	if (s->n[phase] + s->held[phase] < SAMPLES && !default_recipe_holds(f, s, phase, g)) {
		uint64_t t[32];
		const uint64_t *a = recorded_list(g, t);

		s->n[phase]++;
		for (uint32_t i = 0; i < f->n_recent; i++)
			if (phase || f->recent[i] != m)
				count_recipes_of_ref(f, &s->t[phase], f->recent[i], g, a);
	}
	uint32_t k = 0;
	while (k < f->n_recent && f->recent[k] != m)
		k++;
	if (k == f->n_recent && f->n_recent < RECENT)
		f->n_recent++;
	k = k < RECENT ? k : RECENT - 1;
	memmove(f->recent + 1, f->recent, k * sizeof(f->recent[0]));
	f->recent[0] = m;
	lanes_set(lanes_of(&f->x, m), g);
}

/* ---- choosing ----------------------------------------------------------------------------- */

static int add_recipe(struct pmem *m, const struct recipe *r, unsigned most)
{
	for (int i = 0; i < m->n; i++) {
		const struct recipe *o = &m->r[i];

		if (o->op == r->op && o->shift == r->shift && o->ref == r->ref && o->c == r->c &&
			r->op < OP_AFFINE)
			return i;
	}
	if (m->n >= most)
		return -1;
	m->r[m->n] = *r;
	return m->n++;
}

static const struct shape *fullest_slots(const struct fit_sample *s)
{
	uint32_t full = 0;

	for (uint32_t k = 1; k < s->n_shapes; k++)
		if (bit_count32(s->shape[k].mask) > bit_count32(s->shape[full].mask))
			full = k;
	return &s->shape[full];
}

/* Returns the best tally from slot `from` on, or NULL. moved: includes OP_MOVED. */
static struct fit_tally *best_tally(struct fit_tally *t, uint32_t from, bool moved)
{
	struct fit_tally *best = NULL;

	for (uint32_t i = from; i < SLOTS; i++)
		if (t[i].hits && (moved || t[i].op != OP_MOVED) && (!best || prefer_candidate(&t[i], best)))
			best = &t[i];
	return best;
}

/* Moves the best tallies to the front, in their order. */
static void sort_best_tallies(struct fit_tally *t)
{
	struct fit_tally *best;

	for (uint32_t i = 0; i < BEST && (best = best_tally(t, i, true)); i++) {
		struct fit_tally was = t[i];

		t[i] = *best;
		*best = was;
	}
}

/* Returns the best recipe without numbers of a phase, or -1. The best tallies are at the front. */
static int choose_default_recipe(struct fitter *f, uint32_t m, unsigned phase)
{
	struct fit_sample *s = &f->s[m];
	struct pmem *x = &f->c->mem[m];
	const struct fit_tally *t = NULL;

	settle_samples(s, phase);
	if (s->t[phase]) {
		sort_best_tallies(s->t[phase]);
		t = best_tally(s->t[phase], 0, false);
	}
	uint32_t hits = t ? t->hits : 0, n = s->n[phase];
	if (!phase && s->n_shapes && (uint64_t)hits * 100 < (uint64_t)n * 97) {
		struct recipe r = {.op = OP_AFFINE};
		int64_t pattern[32];

		affine_pattern(fullest_slots(s), pattern);
		uint32_t fits = affine_fit(s->shape, s->n_shapes, pattern, &r);
		if ((uint64_t)fits * n > (uint64_t)hits * s->n_shapes && (fits > 1 || s->n_shapes == 1)) {
			r.pattern = affine_intern_pattern(f->c, pattern);
			return add_recipe(x, &r, RECIPES_MAX - 2);
		}
	}
	struct recipe r;
	if (hits < 2 && hits < n)
		return -1;
	if (!hits)
		return -1;
	r = recipe_of_tally(t);
	return add_recipe(x, &r, RECIPES_MAX - 2);
}

static void choose_recipes(struct fitter *f, uint32_t m)
{
	struct pmem *x = &f->c->mem[m];
	const struct fit_sample *s = &f->s[m];
	int first = choose_default_recipe(f, m, 0), later = choose_default_recipe(f, m, 1);

	for (unsigned k = 0; k < 2 * BEST; k++) { /* other recipes that were often right */
		if (!s->t[!(k & 1)])
			continue;
		const struct fit_tally *t = &s->t[!(k & 1)][k / 2];
		struct recipe r = recipe_of_tally(t);
		if (t->hits >= 8 && t->hits * 16 >= s->n[!(k & 1)] && t->hits < s->n[!(k & 1)])
			add_recipe(x, &r, RECIPES_MAX - 2);
	}
	if (s->n_shapes && bit_count32(fullest_slots(s)->mask) > 1) {
		f->rest[m].pattern = xcalloc(32, sizeof(int64_t));
		affine_pattern(fullest_slots(s), f->rest[m].pattern);
	}
	x->first = first < 0 ? UINT8_MAX : (uint8_t)first;
	x->later = later < 0 ? UINT8_MAX : (uint8_t)later;
}

/* ---- remaining addresses ------------------------------------------------------------------ */

static void count_unexplained(struct rest *r, uint32_t mask, const uint64_t *a, unsigned n)
{
	uint64_t base;

	r->n++;
	r->patterned += r->pattern && pattern_base(r->pattern, mask, a, &base);
	if (!r->any) {
		r->least = r->most = a[0];
		r->any = true;
	}
	for (unsigned i = 0; i < n; i++) {
		r->least = a[i] < r->least ? a[i] : r->least;
		r->most = a[i] > r->most ? a[i] : r->most;
		r->low |= a[i] ^ r->least;
		if (!i)
			continue;
		uint64_t d = fold((int64_t)(a[i] - a[i - 1]));
		r->delta_low |= a[i] - a[i - 1];
		r->delta_most = d > r->delta_most ? d : r->delta_most;
		r->bits += log2_floor(d | 1) + 1;
	}
	r->lanes += n;
}

static void fit_second_walk(struct fitter *f, uint32_t m, const struct recorded *g)
{
	const struct pmem *x = &f->c->mem[m];
	struct rest *r = &f->rest[m];
	unsigned phase = f->ran[m];
	uint8_t d = phase ? x->later : x->first;
	struct lanes t;

	if (f->reach)
		reach_add(&f->reach[m], g);
	r->runs[phase]++;
	for (int i = -1; i < x->n; i++) {
		unsigned k = i < 0 ? d : (unsigned)i;

		if (k >= x->n || has_numbers(&x->r[k]))
			continue;
		recipe_apply(&f->x, &x->r[k], &t);
		if (lanes_equal_recorded(&t, g)) {
			r->missed[phase] += i >= 0;
			r->used[k]++;
			lanes_copy(lanes_of(&f->x, m), &t);
			return;
		}
	}
	for (unsigned k = 0; k < x->n; k++) {
		if (x->r[k].op == OP_MOVED && g->n > 2 && recipe_can_represent(&f->x, &x->r[k], g)) {
			r->missed[phase]++;
			r->used[k]++;
			lanes_set(lanes_of(&f->x, m), g);
			return;
		}
	}
	r->missed[phase]++;
	lanes_set(lanes_of(&f->x, m), g);
	uint64_t list[32] = {0};
	count_unexplained(r, g->mask, recorded_list(g, list), g->n);
}

/* Removes recipes that save fewer bytes than they need. */
static void prune_recipes(struct pmem *x, const struct rest *r)
{
	uint8_t to[RECIPES_MAX], n = 0;

	for (uint8_t k = 0; k < x->n; k++) {
		bool drop = k == x->first || k == x->later ? !r->used[k] : r->used[k] < 3;

		to[k] = drop ? UINT8_MAX : n;
		if (!drop)
			x->r[n++] = x->r[k];
	}
	x->n = n;
	x->first = x->first == UINT8_MAX ? UINT8_MAX : to[x->first];
	x->later = x->later == UINT8_MAX ? UINT8_MAX : to[x->later];
}

static uint8_t bytes_of_value(uint64_t v) { return v < 256 ? 1 : v < 65536 ? 2 : v < 1u << 24 ? 3 : 0; }
static uint8_t trailing_zeros_of(uint64_t v)
{
	unsigned z = v ? bit_lowest64(v) : 0;

	return (uint8_t)(z > 15 ? 15 : z);
}

static void choose_recipe_of_rest(struct fitter *f, uint32_t m)
{
	struct pmem *x = &f->c->mem[m];
	const struct rest *r = &f->rest[m];
	struct recipe planes = {.op = OP_PLANES, .c = r->least}, deltas = {.op = OP_DELTAS};
	int with = -1;

	prune_recipes(x, r);
	planes.align = trailing_zeros_of(r->low);
	planes.planes = bytes_of_value((r->most - r->least) >> planes.align);
	deltas.align = trailing_zeros_of(r->delta_low);
	deltas.planes = bytes_of_value(r->delta_most >> deltas.align);
	if (deltas.planes > 2)
		deltas.planes = 0;
	uint64_t steps = r->lanes - (r->runs[0] + r->runs[1] < r->lanes ? r->missed[0] + r->missed[1] : 0);
	uint64_t flat = r->lanes * (log2_floor(((r->most - r->least) >> planes.align) | 1) + 1);
	uint64_t rel = r->bits > steps * deltas.align ? r->bits - steps * deltas.align : 0;
	rel += (r->lanes - steps) * BASE_BITS;
	if (r->n > 3 && r->patterned * 10 > r->n * 9) {
		planes.op = OP_BASED;
		planes.pattern = affine_intern_pattern(f->c, r->pattern);
		with = add_recipe(x, &planes, RECIPES_MAX - 1);
	} else if (r->any && r->lanes > 8) {
		if (planes.planes && (flat <= rel || !deltas.planes))
			with = add_recipe(x, &planes, RECIPES_MAX - 1);
		else if (deltas.planes)
			with = add_recipe(x, &deltas, RECIPES_MAX - 1);
	}
	x->r[x->n++] = (struct recipe){.op = OP_ANY};
	uint8_t other = with >= 0 ? (uint8_t)with : (uint8_t)(x->n - 1);
	if (x->first == UINT8_MAX || r->missed[0] * 10 > r->runs[0] * 4)
		x->first = other;
	if (x->later == UINT8_MAX || r->missed[1] * 10 > r->runs[1] * 4)
		x->later = other;
}

/* ---- walking ------------------------------------------------------------------------------ */

typedef void visit_fn(struct fitter *f, uint32_t m, const struct recorded *g);

static void walk_warp(struct fitter *f, const struct pwarp *w, visit_fn *visit)
{
	const struct parsed *p = f->p;
	const struct pack_more *more = p->more + w->more;

	for (const struct pack_run *r = p->run + w->first, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t i = p->next_more[r->id]; i < r->id + r->n; i = p->next_more[i + 1], more++) {
			uint32_t m = f->c->s[p->to[i]].mem;

			if (m == NONE || !r->mask)
				continue;
			struct recorded g = recorded_of(p->addr + w->word, more->addr, r->mask);
			visit(f, m, &g);
			f->ran[m] = true;
		}
	}
}

static void walk_all_warps(struct fitter *f, visit_fn *visit)
{
	const struct parsed *p = f->p;

	for (uint32_t b = 0; b < p->part.n_blocks; b++) {
		const struct ptb *tb = &p->tb[b];

		for (uint32_t w = 0; w < tb->n_warps; w++) {
			const struct pwarp *pw = &p->warp[tb->first_warp + w];

			if (!parsed_counts(p, tb->first_warp + w))
				continue;
			addresses_begin_warp(&f->x, pw->id, tb->id);
			memset(f->ran, 0, f->c->n_mem * sizeof(f->ran[0]));
			f->n_recent = 0;
			walk_warp(f, pw, visit);
		}
	}
}

void fit_addresses(struct parsed *p)
{
	struct fitter f = {.p = p, .c = &p->part.code};

	if (!f.c->n_mem)
		return;
	f.s = xcalloc(f.c->n_mem, sizeof(f.s[0]));
	f.rest = xcalloc(f.c->n_mem, sizeof(f.rest[0]));
	f.ran = xcalloc(f.c->n_mem, sizeof(f.ran[0]));
	addresses_new(&f.x, f.c);
	walk_all_warps(&f, add_fit_sample);
	for (uint32_t m = 0; m < f.c->n_mem; m++)
		choose_recipes(&f, m);
	addresses_free(&f.x);
	addresses_new(&f.x, f.c);
	f.reach = p->areas ? xcalloc(f.c->n_mem, sizeof(f.reach[0])) : NULL;
	walk_all_warps(&f, fit_second_walk);
	for (uint32_t m = 0; m < f.c->n_mem; m++) {
		choose_recipe_of_rest(&f, m);
		free(f.s[m].shape);
		free(f.s[m].t[0]);
		free(f.s[m].t[1]);
		free(f.rest[m].pattern);
	}
	addresses_free(&f.x);
	if (f.reach)
		areas_find(f.c, f.reach);
	free(f.reach);
	free(f.s);
	free(f.rest);
	free(f.ran);
}
