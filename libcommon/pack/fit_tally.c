/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the recipes that refer to another memory instruction and yield the addresses of an execution.
 *
 * Always true: the first two active lanes and the last one exclude most recipes, so only the rest are compared in all
 * lanes.
 */
#include "fit_tally.h"

#define SHIFT_MOST 4 /* largest shift of another instruction's lanes, in bits */
#define XOR_BIT    (2 * SHIFT_MOST + 1)
#define ADD_BIT    SHIFT_MOST

void fit_access_set(struct fit_access *x, const struct recorded *g, uint64_t storage[32])
{
	uint32_t rest = g->mask & (g->mask - 1);

	x->recorded = g;
	x->n = recorded_lanes(g);
	x->addr = recorded_list(g, storage);
	x->first_lane = bit_lowest32(g->mask);
	x->second_lane = rest ? bit_lowest32(rest) : x->first_lane;
	x->last_lane = log2_floor(g->mask);
}

static void count_hit(struct fit_tallies **tallies, const struct fit_tally *key)
{
	if (!*tallies)
		*tallies = xcalloc(1, sizeof(**tallies));
	struct fit_tallies *t = *tallies;
	uint64_t h = (key->constant ^ key->ref * 0x9e3779b97f4a7c15u ^ (uint64_t)(uint8_t)key->shift << 40 ^
			     key->op) *
		     0xd6e8feb86659fd93u;
	_Static_assert(
		TALLIES_MAX == 1u << (64 - 59), "the position of a tally is the upper 5 bits of its hash");
	for (uint32_t i = 0, at = (uint32_t)(h >> 59); i < 8; i++, at = (at + 1) % TALLIES_MAX) {
		struct fit_tally *e = &t->slot[at];

		if (e->hits && (e->constant != key->constant || e->key != key->key))
			continue;
		if (!e->hits)
			*e = *key;
		t->used |= 1u << at;
		e->hits++;
		return;
	}
}

/*
 * Returns the recipes that can map lanes f and g to addresses a and b: bit SHIFT_MOST + s for a shift by s, XOR_BIT for
 * an exclusive or.
 */
static unsigned possible_recipes(uint64_t a, uint64_t b, uint64_t f, uint64_t g)
{
	uint64_t rise = b - a, from = g - f;
	unsigned may = (unsigned)((a ^ b) == (f ^ g)) << XOR_BIT;

	for (int s = 0; s <= SHIFT_MOST; s++)
		may |= (unsigned)(from << s == rise) << (SHIFT_MOST + s);
	for (int s = 1; s <= SHIFT_MOST; s++)
		may |= (unsigned)((g >> s) - (f >> s) == rise) << (SHIFT_MOST - s);
	return may;
}

static uint64_t shift_value(uint64_t v, int s) { return s >= 0 ? v << s : v >> -s; }

/* Returns true if all 32 addresses a[] are the shifted lanes, which are no line, plus the constant c. */
static bool full_shift_holds(const struct lanes *from, int s, const uint64_t *a, uint64_t c)
{
	const uint64_t *b = from->list ? from->list : from->addr, base = from->list ? from->base : 0;
	uint64_t off = 0;

	if (s >= 0)
		for (unsigned l = 0; l < 32; l++)
			off |= (a[l] - c) ^ (b[l] + base) << s;
	else
		for (unsigned l = 0; l < 32; l++)
			off |= (a[l] - c) ^ (b[l] + base) >> -s;
	return !off;
}

/* Returns true if the addresses are the shifted lanes plus a constant, and sets *c to it. */
static bool shift_holds(const struct lanes *from, int s, const struct fit_access *x, uint64_t *c)
{
	const struct recorded *g = x->recorded;
	uint64_t off = 0;
	unsigned i = 0;

	*c = x->addr[0] - shift_value(lane_at(from, x->first_lane), s);
	if (from->line && g->line && (s >= 0 || !from->step))
		return recorded_is_single(g) || shift_value(from->step, s) == g->words[1];
	if (!s && from->list && from->list == g->words)
		return true;
	if (x->addr[x->n - 1] - shift_value(lane_at(from, x->last_lane), s) != *c)
		return false;
	if (g->mask == UINT32_MAX && !from->line)
		return full_shift_holds(from, s, x->addr, *c);
	FOR_BITS32 (l, g->mask) {
		off |= (x->addr[i++] - shift_value(lane_at(from, l), s)) ^ *c;
		if (off)
			break;
	}
	return !off;
}

/* Returns true if the 32 addresses a[] are those of `from` with the bits c inverted. from->line must be false. */
static bool full_xor_holds(const struct lanes *from, const uint64_t *a, uint64_t c)
{
	const uint64_t *b = from->list ? from->list : from->addr, base = from->list ? from->base : 0;
	uint64_t off = 0;

	for (unsigned l = 0; l < 32; l++)
		off |= (a[l] ^ c) ^ (b[l] + base);
	return !off;
}

static bool xor_holds(const struct lanes *from, const struct fit_access *x, uint64_t *c)
{
	const struct recorded *g = x->recorded;
	uint64_t off = 0;
	unsigned i = 0;

	*c = x->addr[0] ^ lane_at(from, x->first_lane);
	if (from->line && g->line && !from->step)
		return recorded_is_single(g) || !g->words[1];
	if ((x->addr[x->n - 1] ^ lane_at(from, x->last_lane)) != *c)
		return false;
	if (g->mask == UINT32_MAX && !from->line)
		return full_xor_holds(from, x->addr, *c);
	FOR_BITS32 (l, g->mask) {
		off |= (x->addr[i++] ^ lane_at(from, l)) ^ *c;
		if (off)
			break;
	}
	return !off;
}

void fit_count_recipes(
	struct fit_tallies **t, uint32_t ref, bool far, const struct lanes *from, const struct fit_access *x)
{
	bool several = x->second_lane != x->first_lane;
	unsigned may = 1u << SHIFT_MOST;
	uint64_t c;

	if (several)
		may = possible_recipes(
			x->addr[0], x->addr[1], lane_at(from, x->first_lane), lane_at(from, x->second_lane));
	/* If the lanes of both accesses have one address, every recipe fits; only an addition is tried. */
	if (from->line && !from->step && x->recorded->line && !x->recorded->words[1])
		may &= 1u << ADD_BIT;
	FOR_BITS32 (bit, may) {
		int s = (int)bit - SHIFT_MOST;

		if (bit == XOR_BIT) {
			if (xor_holds(from, x, &c))
				count_hit(t, &(struct fit_tally){
						     .op = OP_XOR, .ref = ref, .far = far, .constant = c});
			continue;
		}
		if (!shift_holds(from, s, x, &c))
			continue;
		count_hit(
			t, &(struct fit_tally){
				   .op = OP_ADD, .shift = (int8_t)s, .ref = ref, .far = far, .constant = c});
		if (s == 0 && several)
			count_hit(t, &(struct fit_tally){.op = OP_MOVED, .ref = ref, .far = far});
	}
}

/* Returns true if x is the better candidate: more hits, else the simpler recipe, else by a fixed order. */
bool fit_prefer(const struct fit_tally *x, const struct fit_tally *y)
{
	int sx = x->shift < 0 ? -x->shift : x->shift, sy = y->shift < 0 ? -y->shift : y->shift;

	if (x->hits != y->hits)
		return x->hits > y->hits;
	if (x->op != y->op)
		return x->op < y->op;
	if (sx != sy)
		return sx < sy;
	if (x->far != y->far)
		return !x->far;
	if (x->ref != y->ref)
		return x->ref > y->ref;
	return x->shift != y->shift ? x->shift < y->shift : x->constant < y->constant;
}

struct fit_tally *fit_best_tally(struct fit_tallies *t, uint32_t from, bool moved)
{
	struct fit_tally *best = NULL;

	FOR_BITS32 (i, t->used >> from << from) {
		struct fit_tally *x = &t->slot[i];

		if (x->hits && (moved || x->op != OP_MOVED) && (!best || fit_prefer(x, best)))
			best = x;
	}
	return best;
}

void fit_sort_best(struct fit_tallies *t)
{
	struct fit_tally *best;

	for (uint32_t i = 0; i < TALLIES_BEST && (best = fit_best_tally(t, i, true)); i++) {
		struct fit_tally was = t->slot[i];

		t->slot[i] = *best;
		*best = was;
		t->used |= 1u << i;
	}
}
