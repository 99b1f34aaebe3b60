/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address recipes: rules that derive the 32 lane addresses of a memory instruction from addresses of earlier
 * instructions of the warp.
 *
 * Always true: a recipe without numbers sets all 32 lanes, active or not. A recipe with numbers sets the active
 * lanes. A recipe refers to the latest addresses of a memory instruction, which are 0 if the instruction has not run
 * in this warp. Lanes with a constant step are stored as a line (base and step). The encoder may store lanes as one
 * of the part's lists plus a base. All forms are equivalent.
 */
#ifndef PACK_ADDR_H
#define PACK_ADDR_H

#include "bits.h"
#include "format.h"
#include "pack.h"
#include "trace/lanes.h"

struct lanes {
	uint64_t base;        /* base of a line: lane l has base + l * step */
	uint64_t step;        /* step of that line */
	bool line;            /* whether base and step give the lanes */
	uint32_t stamp;       /* number of the warp that set these lanes (addresses.warp_stamp) */
	const uint64_t *list; /* offsets: lane l has base + list[l]; NULL: the lanes are in addr[] */
	uint64_t addr[32];    /* addresses by lane, if they have no stride and no list */
};

/*
 * The addresses of a record's active lanes: base and step, or a list plus `addend`. If `addend` is not 0, the list has
 * all lanes. The step is the distance of the addresses of two neighbouring lanes, even if the mask has holes.
 */
struct recorded {
	uint32_t mask;         /* active lanes */
	const uint64_t *words; /* base and step, or the list */
	uint64_t addend;       /* addend of the list */
	bool line;             /* whether w is base and step */
};

struct addresses {
	const struct pcode *code; /* static instructions and recipes of the part */
	struct lanes *latest;     /* latest lanes of each memory instruction */
	/* First address of the last list with numbers of each memory instruction, over all warps of a span. */
	uint64_t *base;
	bool *straight;      /* whether each pattern is a straight line */
	uint32_t warp_stamp; /* number of the current warp, for stamps */
	uint32_t warp;       /* number of the warp */
	uint32_t block[3];   /* coordinates of the warp's thread block */
};

void addresses_new(struct addresses *x, const struct pcode *c);
void addresses_free(struct addresses *x);

static inline void addresses_begin_span(struct addresses *x)
{
	for (uint32_t m = 0; m < x->code->n_mem; m++)
		x->base[m] = x->code->n_areas ? x->code->area[x->code->mem[m].area] : 0;
}

static inline void addresses_begin_warp(struct addresses *x, uint32_t warp, const uint32_t block[3])
{
	if (!++x->warp_stamp) {
		for (uint32_t m = 0; m < x->code->n_mem; m++)
			x->latest[m].stamp = 0;
		x->warp_stamp = 1;
	}
	x->warp = warp;
	memcpy(x->block, block, sizeof(x->block));
}

static inline void set_line(struct lanes *to, uint64_t base, uint64_t step)
{
	to->line = true;
	to->list = NULL;
	to->base = base;
	to->step = step;
}

/* Returns the lanes l of a memory instruction in this warp. Sets them to 0 if it has not run. */
static inline struct lanes *compute_lanes(const struct addresses *x, struct lanes *l)
{
	if (l->stamp != x->warp_stamp) {
		set_line(l, 0, 0);
		l->stamp = x->warp_stamp;
	}
	return l;
}

static inline struct lanes *lanes_of(struct addresses *x, uint32_t m)
{
	return compute_lanes(x, &x->latest[m]);
}

/* Returns the addresses of the lanes as a list. */
static inline uint64_t *lanes_list(struct lanes *l)
{
	if (l->line)
		lanes_loops->line(l->addr, l->base, l->step);
	else if (l->list)
		lanes_loops->shift(l->addr, l->list, 0, l->base);
	l->line = false;
	l->list = NULL;
	return l->addr;
}

static inline uint64_t lane_at(const struct lanes *x, unsigned l)
{
	return x->line ? x->base + l * x->step : x->list ? x->base + x->list[l] : x->addr[l];
}

static inline uint64_t affine_base(const struct addresses *x, const struct recipe *r)
{
	return r->constant + (uint64_t)r->steps[0] * x->warp + (uint64_t)r->steps[1] * x->block[0] +
	       (uint64_t)r->steps[2] * x->block[1] + (uint64_t)r->steps[3] * x->block[2];
}

/* Sets the lanes to base plus a list of the part. */
static inline void set_list(struct lanes *to, const uint64_t *list, uint64_t base)
{
	to->line = false;
	to->base = base;
	to->list = list;
}

/* Sets all lanes to base plus a pattern. */
static inline void set_pattern(struct addresses *x, struct lanes *to, uint32_t pattern, uint64_t base)
{
	const int64_t *p = x->code->pattern[pattern];

	to->line = x->straight[pattern];
	to->list = NULL;
	if (to->line)
		set_line(to, base + (uint64_t)p[0], (uint64_t)p[1] - (uint64_t)p[0]);
	else
		lanes_loops->pattern(to->addr, p, base);
}

/* Applies a recipe without numbers to `to`, which may be the lanes to which the recipe refers. */
static inline void recipe_apply(struct addresses *x, const struct recipe *r, struct lanes *to)
{
	if (r->op == OP_ADD) {
		struct lanes *from = lanes_of(x, r->ref);

		if (from->line && r->shift >= 0) {
			set_line(to, (from->base << r->shift) + r->constant, from->step << r->shift);
			return;
		}
		if (from->list && !r->shift) {
			set_list(to, from->list, from->base + r->constant);
			return;
		}
		lanes_loops->shift(to->addr, lanes_list(from), r->shift, r->constant);
	} else if (r->op == OP_XOR) {
		lanes_loops->xor (to->addr, lanes_list(lanes_of(x, r->ref)), r->constant);
	} else {
		set_pattern(x, to, r->pattern, affine_base(x, r));
		return;
	}
	to->line = false;
	to->list = NULL;
}

static inline bool has_numbers(const struct recipe *r) { return r->op >= OP_PLANES; }

static inline void lanes_copy(struct lanes *to, const struct lanes *from)
{
	if (from->line) {
		set_line(to, from->base, from->step);
	} else if (from->list) {
		set_list(to, from->list, from->base);
	} else {
		to->line = false;
		to->list = NULL;
		memcpy(to->addr, from->addr, sizeof(to->addr));
	}
}

/* ---- functions of the encoder ------------------------------------------------------------ */

/* Returns the addresses of a record from its field addr. word[] is the words of the record's warp. */
static inline struct recorded recorded_of(const uint64_t *word, uint32_t addr, uint32_t mask)
{
	const uint64_t *w = word + (addr >> 2);

	if ((addr & 3) == ADDR_MOVED)
		return (struct recorded){mask, w - w[1], w[0], false};
	return (struct recorded){mask, w, 0, (addr & 3) == ADDR_STRIDE};
}

/* Returns the address of the first active lane. */
static inline uint64_t recorded_first(const uint64_t *word, uint32_t addr)
{
	const uint64_t *w = word + (addr >> 2);

	return (addr & 3) == ADDR_MOVED ? *(w - w[1]) + w[0] : w[0];
}

/* Returns the number of active lanes. */
static inline unsigned recorded_lanes(const struct recorded *g)
{
	return g->mask == UINT32_MAX ? 32 : bit_count32(g->mask);
}

/* Returns true if at most one lane is active. */
static inline bool recorded_is_single(const struct recorded *g) { return !(g->mask & (g->mask - 1)); }

/* Returns true if the addresses are a line with lanes that are not active between its first and its last one. */
static inline bool recorded_is_line_with_holes(const struct recorded *g)
{
	return g->line && mask_has_holes(g->mask);
}

/* Returns the addresses as a list, which may be in t. */
static inline const uint64_t *recorded_list(const struct recorded *g, uint64_t t[32])
{
	if (!g->line && !g->addend)
		return g->words;
	if (!g->line)
		lanes_loops->shift(t, g->words, 0, g->addend);
	else
		lanes_loops->line(t, g->words[0], g->words[1]);
	/* pack() moves no lane to a later place, so it can read from t, to which it writes */
	if (recorded_is_line_with_holes(g))
		lanes_loops->pack(t, t, g->mask >> bit_lowest32(g->mask));
	return t;
}

static inline bool lanes_equal_recorded(const struct lanes *x, const struct recorded *g)
{
	unsigned first = bit_lowest32(g->mask), n = 0;
	uint64_t off = 0, t[32];

	if (x->line && g->line)
		return x->base + first * x->step == g->words[0] &&
		       (x->step == g->words[1] || recorded_is_single(g));
	if (x->list && x->list == g->words)
		return x->base == g->addend;
	const uint64_t *a = recorded_list(g, t);
	if (g->mask == UINT32_MAX && !x->line && !x->list) {
		for (unsigned l = 0; l < 32; l++)
			off |= x->addr[l] ^ a[l];
		return !off;
	}
	if (lane_at(x, first) != a[0])
		return false;
	FOR_BITS32 (l, g->mask)
		off |= lane_at(x, l) ^ a[n++];
	return !off;
}

static inline void lanes_set(struct lanes *x, const struct recorded *g)
{
	unsigned n = 0;

	if (g->mask == UINT32_MAX) {
		if (g->line)
			set_line(x, g->words[0], g->words[1]);
		else
			set_list(x, g->words, g->addend);
		return;
	}
	uint64_t t[32], *to = lanes_list(x);
	const uint64_t *a = recorded_list(g, t);
	FOR_BITS32 (l, g->mask)
		to[l] = a[n++];
}

/* Returns true if the addresses of the active lanes are the pattern plus a base, and sets *base. */
static inline bool pattern_base(const int64_t *pattern, uint32_t mask, const uint64_t *a, uint64_t *base)
{
	unsigned i = 0;
	uint64_t off = 0;

	*base = a[0] - (uint64_t)pattern[bit_lowest32(mask)];
	if (mask == UINT32_MAX) {
		for (unsigned l = 0; l < 32; l++)
			off |= (a[l] - (uint64_t)pattern[l]) ^ *base;
		return !off;
	}
	FOR_BITS32 (l, mask)
		off |= (a[i++] - (uint64_t)pattern[l]) ^ *base;
	return !off;
}

/* Returns true if a recipe with numbers can represent these addresses. */
bool recipe_can_represent(struct addresses *x, const struct recipe *r, const struct recorded *g);

#endif
