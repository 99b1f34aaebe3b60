/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choice of address recipes: the rules that yield the addresses of each memory instruction.
 *
 * A first walk tries recipes on a sample of the executions and counts how often each is right. The first execution in a
 * warp and later executions (loops) have separate defaults. The walk visits some of the warps, and at least one that
 * executes each memory instruction. If all defaults were right there, no other walk follows, and encode.c checks that
 * the defaults are right in all warps. If not, a second walk applies the chosen recipes to all executions and measures
 * the range of the remaining addresses.
 */
#include "affine.h"
#include "areas.h"
#include "fit_tally.h"

#define RECENT  16u  /* number of instructions whose last addresses are tried as the origin of others */
#define SAMPLES 384u /* largest number of samples of an instruction and phase */
/*
 * The same limits if the models are trained on some of the warps: packing adds 8.31 host instructions to a thread
 * instruction, not 8.79, and streams take 0.2 percent fewer bytes (12 programs).
 */
#define QUICK_RECENT  4u
#define QUICK_SAMPLES 48u
/*
 * Approximate number of accesses in the warps that the first walk visits if it visits only some. It also visits the
 * warps of is_walked(), so it examines enough of them: with 64 instead of 1,024, packing takes 5 percent fewer host
 * instructions, and streams are 0.2 percent larger (geometric mean of 12 programs; sum of their sizes).
 */
#define SAMPLED_LEAST 64u
/*
 * Number of later executions of an instruction that are sampled in a warp with the path of an earlier warp: with all of
 * them, packing takes 4 percent more host instructions for matrix products. With none, recipes that are right in the
 * first warp alone are chosen.
 */
#define LATER_KNOWN 1u
#define SURE        1u /* number of samples after which only the recipe that was always right is tried */
#define POOR        4u /* samples after which an instruction that follows from no other is not sampled further */
#define BITS_ALL    16u /* number of lists of an instruction whose differences are all measured bit by bit */
#define BITS_STEP   8u  /* after these lists, the differences of every BITS_STEP-th list are measured */
#define BASE_BITS   22u /* bits for the first address of a list of differences */

struct fit_sample {
	/* tallies for first and for later executions; NULL: no recipe was right so far */
	struct fit_tallies *tally[2];
	uint32_t n[2];      /* number of samples */
	uint32_t n_held[2]; /* number of further samples, which were compared with the best recipe alone */
	const struct fit_tally *best[2];
	bool default_is_right[2]; /* the default recipe was right for all samples; set when it is chosen */
	bool none_is_right[2];    /* no recipe was right for all samples */
	bool is_poor[2];          /* no recipe was right for a quarter of the first samples */
	bool wrong_later[2];      /* the best recipe was wrong in an execution after the last sample */
	uint32_t runs;
	struct shape *shape;
	uint32_t n_shapes, cap_shapes;
	uint32_t fullest; /* first shape with the most lanes */
};

struct rest {               /* executions for which no recipe is right */
	uint32_t runs[2];   /* executions */
	uint32_t missed[2]; /* misses of the defaults */
	uint64_t lanes, lowest, highest, low,
		delta_low;                 /* number of lanes; range and set bits of their values */
	uint64_t deltas;                   /* OR of all folded differences */
	uint64_t bits;                     /* estimated sum of the bits of all differences */
	uint32_t recipe_uses[RECIPES_MAX]; /* number of executions for each recipe */
	bool has_executions;               /* true if there is an execution for which no recipe is right */
	/* Pattern of the execution with the most lanes; patterned is the number of executions with this pattern. */
	int64_t *pattern;
	uint64_t patterned; /* executions with the pattern */
	uint64_t n;         /* all executions */
};

struct fitter {
	struct parsed *parsed;
	struct pcode *code;
	struct addresses addresses;
	struct fit_sample *sample; /* samples of each memory instruction */
	struct rest *rest;         /* unexplained executions of each memory instruction */
	struct mem_reach *reach;   /* address range of each memory instruction; NULL: no areas */
	uint8_t *ran; /* executions of each memory instruction in this warp, at most LATER_KNOWN + 1 */
	uint32_t recent[RECENT]; /* memory instructions that ran last in this warp */
	uint32_t n_recent;       /* number of these instructions */
	uint32_t most_recent;    /* largest n_recent */
	bool *path_walked;       /* indexed by first_alike: true if a warp with this path was walked */
	bool repeats_path;       /* a warp with the path of the current one was walked before */
	uint32_t most_samples;   /* largest number of samples of an instruction and phase */
	uint32_t step;           /* every step-th warp is walked, and some others; 1: all warps */
	uint32_t next_step;      /* next warp whose number is a multiple of step */
	uint32_t n_unseen;       /* number of memory instructions without a sample */
	bool unsure;             /* a default recipe was wrong */
};

static void keep_execution_shape(struct fitter *f, struct fit_sample *s, const struct recorded *g)
{
	bool take = s->runs < SHAPES / 2 || !(s->runs & (s->runs - 1)) || s->runs % 1009 == 0;

	if (!take || s->n_shapes == SHAPES)
		return;
	if (s->n_shapes == s->cap_shapes) {
		s->cap_shapes = s->cap_shapes ? SHAPES : SHAPES / 4;
		s->shape = xrealloc(s->shape, s->cap_shapes, sizeof(s->shape[0]));
	}
	struct shape *x = &s->shape[s->n_shapes++];
	x->warp = f->addresses.warp;
	memcpy(x->block, f->addresses.block, sizeof(x->block));
	x->recorded = *g;
	if (recorded_lanes(g) > recorded_lanes(&s->shape[s->fullest].recorded))
		s->fullest = s->n_shapes - 1;
}

/* Returns true if the recipe that was right for all samples is right again. */
static bool default_recipe_holds(
	struct fitter *f, struct fit_sample *s, unsigned phase, const struct recorded *g)
{
	const struct fit_tallies *t = s->tally[phase];
	struct lanes l;

	if (s->n[phase] < SURE || s->none_is_right[phase] || !t)
		return false;
	FOR_BITS32 (i, s->n_held[phase] ? 0 : t->used) {
		const struct fit_tally *x = &t->slot[i];

		if (x->hits == s->n[phase] && x->op != OP_MOVED &&
			(!s->best[phase] || fit_prefer(x, s->best[phase])))
			s->best[phase] = x;
	}
	if (!s->best[phase]) {
		s->none_is_right[phase] = true;
		return false;
	}
	struct recipe r = fit_recipe(s->best[phase]);
	recipe_apply(&f->addresses, &r, &l);
	if (lanes_equal_recorded(&l, g)) {
		s->n_held[phase]++;
		return true;
	}
	s->n_held[phase] = 0;
	s->best[phase] = NULL;
	return false;
}

/* Counts the recipes that refer to one of the latest instructions, or in a loop to the instruction itself. */
static void count_recipes(struct fitter *f, struct fit_sample *s, uint32_t m, const struct recorded *g)
{
	unsigned phase = f->ran[m] != 0;
	struct fit_access x;
	uint64_t storage[32];
	bool far = true;

	fit_access_set(&x, g, storage);
	s->n[phase]++;
	for (uint32_t i = 0; i < f->n_recent; i++) {
		far &= f->recent[i] != m;
		if (phase || f->recent[i] != m)
			fit_count_recipes(&s->tally[phase], f->recent[i], false,
				lanes_of(&f->addresses, f->recent[i]), &x);
	}
	if (phase && far)
		fit_count_recipes(&s->tally[phase], m, true, lanes_of(&f->addresses, m), &x);
	if (s->n[phase] != POOR)
		return;
	const struct fit_tally *t = s->tally[phase] ? fit_best_tally(s->tally[phase], 0, true) : NULL;
	s->is_poor[phase] = !t || t->hits * 4 < POOR;
}

/* Sets the lanes. Inactive lanes continue the step of the active ones, as they do after most recipes. */
static void set_fit_lanes(struct lanes *x, const struct recorded *g)
{
	if (!g->line || (recorded_is_single(g) && !x->line)) {
		lanes_set(x, g);
		return;
	}
	const uint64_t step = recorded_is_single(g) ? x->step : g->words[1];
	set_line(x, g->words[0] - bit_lowest32(g->mask) * step, step);
}

static void add_fit_sample(struct fitter *f, uint32_t m, const struct recorded *g)
{
	struct fit_sample *s = &f->sample[m];
	unsigned phase = f->ran[m] != 0;

	if (f->ran[m] > LATER_KNOWN && f->repeats_path) {
		set_fit_lanes(lanes_of(&f->addresses, m), g);
		return;
	}
	if (!phase) {
		keep_execution_shape(f, s, g);
		f->n_unseen -= !s->runs++;
	}
	if (!default_recipe_holds(f, s, phase, g)) {
		if (s->n[phase] < f->most_samples && !s->is_poor[phase])
			count_recipes(f, s, m, g);
		else
			s->wrong_later[phase] = true;
	}
	if (f->reach)
		reach_add(&f->reach[m], g);
	uint32_t k = 0;
	while (k < f->n_recent && f->recent[k] != m)
		k++;
	if (k == f->n_recent && f->n_recent < f->most_recent)
		f->n_recent++;
	k = k < f->most_recent ? k : f->most_recent - 1;
	memmove(f->recent + 1, f->recent, k * sizeof(f->recent[0]));
	f->recent[0] = m;
	set_fit_lanes(lanes_of(&f->addresses, m), g);
}

/* ---- choosing ----------------------------------------------------------------------------- */

static int add_recipe(struct pmem *m, const struct recipe *r, unsigned most)
{
	for (int i = 0; i < m->n_recipes; i++) {
		const struct recipe *o = &m->recipe[i];

		if (o->op == r->op && o->shift == r->shift && o->ref == r->ref &&
			o->constant == r->constant && r->op < OP_AFFINE)
			return i;
	}
	if (m->n_recipes >= most)
		return -1;
	m->recipe[m->n_recipes] = *r;
	return m->n_recipes++;
}

static const struct shape *fullest_shape(const struct fit_sample *s) { return &s->shape[s->fullest]; }

/* Returns the best recipe without numbers of a phase, or -1. The best tallies are at the front. */
static int choose_default_recipe(struct fitter *f, uint32_t m, unsigned phase)
{
	struct fit_sample *s = &f->sample[m];
	struct pmem *x = &f->code->mem[m];
	const struct fit_tally *t = NULL;

	if (s->tally[phase])
		t = fit_best_tally(s->tally[phase], 0, false);
	s->default_is_right[phase] = t && t->hits == s->n[phase];
	if (s->tally[phase] && !s->default_is_right[phase]) {
		fit_sort_best(s->tally[phase]);
		t = fit_best_tally(s->tally[phase], 0, false);
	}
	uint32_t hits = t ? t->hits : 0, n = s->n[phase];
	if (!phase && s->n_shapes && (uint64_t)hits * 100 < (uint64_t)n * 97) {
		struct recipe r = {.op = OP_AFFINE};
		int64_t pattern[32];

		affine_pattern(fullest_shape(s), pattern);
		uint32_t fits = affine_fit(s->shape, s->n_shapes, pattern, &r);
		if ((uint64_t)fits * n > (uint64_t)hits * s->n_shapes && (fits > 1 || s->n_shapes == 1)) {
			f->unsure |= fits < s->n_shapes;
			r.pattern = affine_intern_pattern(f->code, pattern);
			return add_recipe(x, &r, RECIPES_MAX - 2);
		}
	}
	struct recipe r;
	f->unsure |= hits < n || s->wrong_later[phase];
	if (!hits || (hits < 2 && hits < n))
		return -1;
	r = fit_recipe(t);
	return add_recipe(x, &r, RECIPES_MAX - 2);
}

static void choose_recipes(struct fitter *f, uint32_t m)
{
	struct pmem *x = &f->code->mem[m];
	const struct fit_sample *s = &f->sample[m];
	int first = choose_default_recipe(f, m, 0), later = choose_default_recipe(f, m, 1);

	for (unsigned k = 0; k < 2 * TALLIES_BEST; k++) { /* further recipes that were often right */
		if (!s->tally[!(k & 1)] || s->default_is_right[!(k & 1)])
			continue;
		const struct fit_tally *t = &s->tally[!(k & 1)]->slot[k / 2];
		struct recipe r = fit_recipe(t);
		if (t->hits >= 8 && t->hits * 16 >= s->n[!(k & 1)] && t->hits < s->n[!(k & 1)])
			add_recipe(x, &r, RECIPES_MAX - 2);
	}
	x->first_default = first < 0 ? UINT8_MAX : (uint8_t)first;
	x->later_default = later < 0 ? UINT8_MAX : (uint8_t)later;
}

/* ---- remaining addresses ------------------------------------------------------------------ */

/* Measures the range of the addresses a[]. */
static void measure_range(struct rest *r, const uint64_t *a, unsigned n)
{
	uint64_t least = r->has_executions ? r->lowest : a[0], most = r->has_executions ? r->highest : a[0],
		 low = 0;

	for (unsigned i = 0; i < n; i++) {
		least = a[i] < least ? a[i] : least;
		most = a[i] > most ? a[i] : most;
		low |= a[i] ^ a[0];
	}
	r->low |= low | (a[0] ^ least) | (r->has_executions ? r->lowest ^ least : 0);
	r->lowest = least;
	r->highest = most;
	r->has_executions = true;
}

/* Measures the differences of neighbours in a[]. */
static void measure_differences(struct rest *r, const uint64_t *a, unsigned n)
{
	uint64_t low = 0, folded = 0;

	for (unsigned i = 1; i < n; i++) {
		const uint64_t d = a[i] - a[i - 1];

		low |= d;
		folded |= fold((int64_t)d);
	}
	r->delta_low |= low;
	r->deltas |= folded;
	const unsigned weight = r->n <= BITS_ALL ? 1 : BITS_STEP;
	if (r->n % weight)
		return;
	for (unsigned i = 1; i < n; i++)
		r->bits += weight * (log2_floor(fold((int64_t)(a[i] - a[i - 1])) | 1) + 1);
}

static void count_unexplained(struct rest *r, uint32_t mask, const uint64_t *a, unsigned n)
{
	uint64_t base;

	r->n++;
	r->patterned += r->pattern && pattern_base(r->pattern, mask, a, &base);
	measure_range(r, a, n);
	measure_differences(r, a, n);
	r->lanes += n;
}

static void apply_chosen_recipes(struct fitter *f, uint32_t m, const struct recorded *g)
{
	const struct pmem *x = &f->code->mem[m];
	struct rest *r = &f->rest[m];
	unsigned phase = f->ran[m] != 0;
	uint8_t d = phase ? x->later_default : x->first_default;
	struct lanes t;

	r->runs[phase]++;
	for (int i = -1; i < x->n_recipes; i++) {
		unsigned k = i < 0 ? d : (unsigned)i;

		if (k >= x->n_recipes || has_numbers(&x->recipe[k]))
			continue;
		recipe_apply(&f->addresses, &x->recipe[k], &t);
		if (lanes_equal_recorded(&t, g)) {
			r->missed[phase] += i >= 0;
			r->recipe_uses[k]++;
			lanes_copy(lanes_of(&f->addresses, m), &t);
			return;
		}
	}
	for (unsigned k = 0; k < x->n_recipes; k++) {
		if (x->recipe[k].op == OP_MOVED && recorded_lanes(g) > 2 &&
			recipe_can_represent(&f->addresses, &x->recipe[k], g)) {
			r->missed[phase]++;
			r->recipe_uses[k]++;
			lanes_set(lanes_of(&f->addresses, m), g);
			return;
		}
	}
	r->missed[phase]++;
	lanes_set(lanes_of(&f->addresses, m), g);
	uint64_t list[32] = {0};
	count_unexplained(r, g->mask, recorded_list(g, list), recorded_lanes(g));
}

/* Removes recipes that save fewer bytes than they take. */
static void prune_recipes(struct pmem *x, const struct rest *r)
{
	uint8_t to[RECIPES_MAX], n = 0;

	for (uint8_t k = 0; k < x->n_recipes; k++) {
		bool drop = k == x->first_default || k == x->later_default ? !r->recipe_uses[k]
									   : r->recipe_uses[k] < 3;

		to[k] = drop ? UINT8_MAX : n;
		if (!drop)
			x->recipe[n++] = x->recipe[k];
	}
	x->n_recipes = n;
	x->first_default = x->first_default == UINT8_MAX ? UINT8_MAX : to[x->first_default];
	x->later_default = x->later_default == UINT8_MAX ? UINT8_MAX : to[x->later_default];
}

static uint8_t bytes_of_value(uint64_t v) { return v < 256 ? 1 : v < 65536 ? 2 : v < 1u << 24 ? 3 : 0; }
static uint8_t trailing_zeros_of(uint64_t v)
{
	unsigned z = v ? bit_lowest64(v) : 0;

	return (uint8_t)(z > 15 ? 15 : z);
}

static void choose_recipe_of_rest(struct fitter *f, uint32_t m)
{
	struct pmem *x = &f->code->mem[m];
	const struct rest *r = &f->rest[m];
	struct recipe planes = {.op = OP_PLANES, .constant = r->lowest}, deltas = {.op = OP_DELTAS};
	int with = -1;

	prune_recipes(x, r);
	planes.align = trailing_zeros_of(r->low);
	planes.planes = bytes_of_value((r->highest - r->lowest) >> planes.align);
	deltas.align = trailing_zeros_of(r->delta_low);
	deltas.planes = bytes_of_value(r->deltas >> deltas.align);
	if (deltas.planes > 2)
		deltas.planes = 0;
	uint64_t steps = r->lanes - (r->runs[0] + r->runs[1] < r->lanes ? r->missed[0] + r->missed[1] : 0);
	uint64_t flat = r->lanes * (log2_floor(((r->highest - r->lowest) >> planes.align) | 1) + 1);
	uint64_t rel = r->bits > steps * deltas.align ? r->bits - steps * deltas.align : 0;
	rel += (r->lanes - steps) * BASE_BITS;
	rel += rel / 2; /* differences compress worse than addresses */
	if (r->n > 3 && r->patterned * 10 > r->n * 9) {
		planes.op = OP_BASED;
		planes.pattern = affine_intern_pattern(f->code, r->pattern);
		with = add_recipe(x, &planes, RECIPES_MAX - 1);
	} else if (r->has_executions && r->lanes > 8) {
		if (planes.planes && (flat <= rel || !deltas.planes))
			with = add_recipe(x, &planes, RECIPES_MAX - 1);
		else if (deltas.planes)
			with = add_recipe(x, &deltas, RECIPES_MAX - 1);
	}
	x->recipe[x->n_recipes++] = (struct recipe){.op = OP_ANY};
	uint8_t other = with >= 0 ? (uint8_t)with : (uint8_t)(x->n_recipes - 1);
	if (x->first_default == UINT8_MAX || r->missed[0] * 10 > r->runs[0] * 4)
		x->first_default = other;
	if (x->later_default == UINT8_MAX || r->missed[1] * 10 > r->runs[1] * 4)
		x->later_default = other;
}

/* ---- walking ------------------------------------------------------------------------------ */

typedef void visit_fn(struct fitter *f, uint32_t m, const struct recorded *g);

static void visit_addresses_of_warp(struct fitter *f, const struct pwarp *w, visit_fn *visit)
{
	const struct parsed *p = f->parsed;
	const struct pack_payload *payload = p->payload + w->first_payload;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		FOR_PAYLOADS (i, payload, p, r) {
			uint32_t m = f->code->statics[p->static_of[i]].mem;

			if (m == NONE || !r->mask)
				continue;
			struct recorded g = recorded_of(p->addr + w->word, payload->addr, r->mask);
			visit(f, m, &g);
			if (f->ran[m] <= LATER_KNOWN)
				f->ran[m]++;
		}
	}
}

/* Returns true if the warp executes a memory instruction that has no sample. */
static bool has_new_inst(const struct fitter *f, const struct pwarp *w)
{
	const struct parsed *p = f->parsed;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t i = p->next_payload[r->id]; r->mask && i < r->id + r->n;
			i = p->next_payload[i + 1]) {
			const uint32_t m = f->code->statics[p->static_of[i]].mem;

			if (m != NONE && !f->sample[m].runs)
				return true;
		}
	}
	return false;
}

/*
 * Returns true if the fitter walks the warp. As affine recipes need neighbours in each dimension of the grid, it walks
 * the warps whose numbers are powers of 2.
 */
static inline bool is_walked(struct fitter *f, uint32_t warp)
{
	const struct parsed *p = f->parsed;

	if (f->step == 1)
		return parsed_counts(p, warp);
	if (warp == f->next_step) {
		f->next_step += f->step;
		return true;
	}
	return !(warp & (warp - 1)) || warp + 1 == p->n_warp ||
	       (f->n_unseen && p->warp[warp].first_alike == warp && has_new_inst(f, &p->warp[warp]));
}

static void walk_warps(struct fitter *f, visit_fn *visit)
{
	const struct parsed *p = f->parsed;

	f->next_step = 0;
	for (uint32_t b = 0; b < p->part.n_blocks; b++) {
		const struct ptb *tb = &p->tb[b];

		for (uint32_t w = 0; w < tb->n_warps; w++) {
			const struct pwarp *pw = &p->warp[tb->first_warp + w];

			if (!is_walked(f, tb->first_warp + w))
				continue;
			f->repeats_path = f->step != 1 && f->path_walked[pw->first_alike];
			f->path_walked[pw->first_alike] = true;
			addresses_begin_warp(&f->addresses, pw->id, tb->id);
			memset(f->ran, 0, f->code->n_mem * sizeof(f->ran[0]));
			f->n_recent = 0;
			visit_addresses_of_warp(f, pw, visit);
		}
	}
}

/* Walks some warps, or with step 1 all warps, and chooses recipes without numbers. */
static void fit_from_warps(struct fitter *f, uint32_t step)
{
	struct pcode *c = f->code;

	f->step = step;
	f->unsure = false;
	f->n_unseen = c->n_mem;
	f->sample = xcalloc(c->n_mem, sizeof(f->sample[0]));
	f->rest = xcalloc(c->n_mem, sizeof(f->rest[0]));
	f->reach = f->parsed->areas ? xcalloc(c->n_mem, sizeof(f->reach[0])) : NULL;
	addresses_new(&f->addresses, c);
	walk_warps(f, add_fit_sample);
	for (uint32_t m = 0; m < c->n_mem; m++)
		choose_recipes(f, m);
	addresses_free(&f->addresses);
}

static void free_samples(struct fitter *f)
{
	for (uint32_t m = 0; m < f->code->n_mem; m++) {
		free(f->sample[m].shape);
		free(f->sample[m].tally[0]);
		free(f->sample[m].tally[1]);
		free(f->rest[m].pattern);
	}
	free(f->reach);
	free(f->sample);
	free(f->rest);
}

/* Measures the addresses that the recipes do not yield. */
static void measure_unpredicted_addresses(struct fitter *f)
{
	for (uint32_t m = 0; m < f->code->n_mem; m++) {
		const struct fit_sample *s = &f->sample[m];

		if (!s->n_shapes || recorded_is_single(&fullest_shape(s)->recorded))
			continue;
		f->rest[m].pattern = xcalloc(32, sizeof(int64_t));
		affine_pattern(fullest_shape(s), f->rest[m].pattern);
	}
	f->step = 1;
	addresses_new(&f->addresses, f->code);
	walk_warps(f, apply_chosen_recipes);
	addresses_free(&f->addresses);
}

/* Marks only the default recipes as used, so that the others are removed. */
static void keep_defaults_only(struct fitter *f)
{
	for (uint32_t m = 0; m < f->code->n_mem; m++) {
		const struct pmem *x = &f->code->mem[m];

		if (x->first_default < x->n_recipes)
			f->rest[m].recipe_uses[x->first_default] = 1;
		if (x->later_default < x->n_recipes)
			f->rest[m].recipe_uses[x->later_default] = 1;
	}
}

bool fit_addresses(struct parsed *p, bool sample)
{
	const bool quick = sample && p->step > 1;
	struct fitter f = {.parsed = p,
		.code = &p->part.code,
		.most_recent = quick ? QUICK_RECENT : RECENT,
		.most_samples = quick ? QUICK_SAMPLES : SAMPLES};
	const uint32_t step =
		sample ? (p->n_payloads + p->n_shared_payloads + SAMPLED_LEAST - 1) / SAMPLED_LEAST | 1 : 1;

	if (!f.code->n_mem)
		return false;
	f.ran = xcalloc(f.code->n_mem, sizeof(f.ran[0]));
	f.path_walked = xcalloc(p->n_warp + 1u, sizeof(f.path_walked[0]));
	fit_from_warps(&f, step);
	if (f.unsure || !sample)
		measure_unpredicted_addresses(&f);
	else
		keep_defaults_only(&f);
	for (uint32_t m = 0; m < f.code->n_mem; m++)
		choose_recipe_of_rest(&f, m);
	if (f.reach)
		areas_find(f.code, f.reach);
	free_samples(&f);
	free(f.ran);
	free(f.path_walked);
	return sample && !f.unsure;
}
