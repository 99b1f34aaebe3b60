/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races on global memory between warps of a thread block; race.c has the rules, and the races between blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/lanes.h"
#include "inlining.h"

struct race_step {     /* an access to a word */
	uint16_t warp; /* number of the warp + 1; MANY: several warps */
	uint32_t inst; /* number of the instruction */
};
enum { MANY = 0xffff };

/*
 * Words of a region that are cleared together, when the first of them is accessed in an epoch: a line of the cache has
 * their warps[]. With an epoch for each word, a stencil of 7 points in blocks of 8 by 8 by 4 threads takes 1.93 s
 * instead of 1.86 s.
 */
#define PART 16u

/*
 * Marks of a region of memory in one epoch. Each epoch uses the same places for its regions, so that the marks stay in
 * the caches and take few pages: `stencil1d` and `resize` of HeCBench take 2.4 and 1.4 GB instead of 3.7 and 2.0 GB.
 */
struct region_marks {
	/* for each part of the region, the epoch in which its warps[] are valid; in other epochs they count as 0 */
	uint32_t valid_epoch[WARP_REGION / PART];
	/* for each word, 1 + the warp that wrote it (bits 0-15), and 1 + the warp that read it (bits 16-31) */
	uint32_t warps[WARP_REGION];
	/* for each word, the instructions of these accesses */
	uint32_t write_inst[WARP_REGION], read_inst[WARP_REGION];
};

struct warp_marks {
	uint32_t epoch; /* number of barriers, fences and atomics so far, of all blocks that used this struct */
	bool race_found;
	uint64_t word;           /* word on which warps race */
	uint64_t buffer_words;   /* number of words of buffers */
	uint64_t words;          /* number of words of all memory */
	struct race_step first;  /* access of the race that was executed first */
	struct race_step second; /* access that was executed second */
	struct region_place {
		uint32_t epoch; /* epoch in which the region was accessed last */
		uint32_t place; /* index in marks[] of the region's marks of that epoch */
	} * region;
	struct region_marks *marks;
	uint32_t n_marks;   /* number of marks in use in this epoch */
	uint32_t cap_marks; /* number of allocated marks */
};

void race_start_cta(struct cta *c)
{
	if (!c->grid->race || c->n_warps < 2)
		return;
	if (!c->warp_marks) {
		struct warp_marks *x = c->warp_marks = xcalloc(1, sizeof(*c->warp_marks));
		uint64_t last = UINT32_MAX / 2;

		race_count_words(c->grid, &x->buffer_words, &x->words);
		x->region = marks_take(c->grid->mem, MARKS_OF_WARPS, x->words, &last);
		x->epoch = (uint32_t)last;
	}
	race_start_epoch(c);
	c->warp_marks->race_found = false;
}

void race_free_cta(struct cta *c)
{
	if (c->warp_marks) {
		marks_return(c->grid->mem, MARKS_OF_WARPS, c->warp_marks->words, c->warp_marks->epoch,
			c->warp_marks->region, 0);
		free(c->warp_marks->marks);
	}
	free(c->warp_marks);
	c->warp_marks = NULL;
}

void race_start_epoch(struct cta *c)
{
	if (c->warp_marks) {
		c->warp_marks->epoch++;
		c->warp_marks->n_marks = 0;
	}
}

/* Returns a nonzero value if an access of the warp to a word with these marks races. */
static inline uint32_t do_warps_race(uint32_t warps, uint32_t self, bool write)
{
	uint32_t writer = warps & 0xffff, reader = write ? warps >> 16 : 0;

	return (writer ? writer ^ self : 0) | (reader ? reader ^ self : 0);
}

/* Returns the marks of a word after an access of the warp. */
static inline uint32_t add_warp_to_mark(uint32_t old, uint32_t self, bool write)
{
	uint32_t reader = old >> 16;

	return write ? (old & 0xffff0000) | self
		     : (old & 0xffff) | (!reader || reader == self ? self : (uint32_t)MANY) << 16;
}

/*
 * Sets the marks of n words for an access of the warp. look: look for races. Returns true, without setting marks, if it
 * finds one.
 */
static ALWAYS_INLINE bool set_warp_marks(
	uint32_t *warps, uint32_t *insts, uint64_t n, uint32_t inst, uint32_t self, bool write, bool look)
{
	uint32_t race = 0;

	if (look)
		for (uint64_t i = 0; i < n; i++)
			race |= do_warps_race(warps[i], self, write);
	if (race)
		return true;
	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		warps[i] = add_warp_to_mark(warps[i], self, write);
		insts[i] = inst;
	}
	return false;
}
LANE_FN static bool set_warp_write_marks(
	uint32_t *warps, uint32_t *insts, uint64_t n, uint32_t inst, uint32_t self, bool look)
{
	return set_warp_marks(warps, insts, n, inst, self, true, look);
}
LANE_FN static bool set_warp_read_marks(
	uint32_t *warps, uint32_t *insts, uint64_t n, uint32_t inst, uint32_t self, bool look)
{
	return set_warp_marks(warps, insts, n, inst, self, false, look);
}

/* Notes the first race of an access of the warp to the words of the region from `first` on. */
static NOINLINE void note_warp_race(struct warp_marks *x, const struct region_marks *r, uint64_t region,
	uint32_t inst, uint32_t self, uint32_t first, bool write)
{
	while (!do_warps_race(r->warps[first], self, write))
		first++;
	uint32_t writer = r->warps[first] & 0xffff, reader = r->warps[first] >> 16;
	bool after_write = writer && writer != self;

	x->race_found = true;
	x->word = region * WARP_REGION + first;
	x->first = after_write ? (struct race_step){(uint16_t)writer, r->write_inst[first]}
			       : (struct race_step){(uint16_t)reader, r->read_inst[first]};
	x->second = (struct race_step){(uint16_t)self, inst};
}

/* Gives the region marks for this epoch. */
static NOINLINE void place_region(struct warp_marks *x, uint64_t region)
{
	uint32_t old = x->cap_marks;

	if (x->n_marks == old) {
		grow(&x->marks, &x->cap_marks, old + 1, sizeof(*x->marks));
		memset(x->marks + old, 0, (x->cap_marks - old) * sizeof(*x->marks));
	}
	x->region[region] = (struct region_place){x->epoch, x->n_marks++};
}

/* Makes the marks of n words valid in this epoch. */
static inline void begin_parts(struct region_marks *r, uint32_t epoch, uint32_t first, uint32_t n)
{
	for (uint32_t part = first / PART; part <= (first + n - 1) / PART; part++)
		if (r->valid_epoch[part] != epoch) {
			memset(r->warps + part * PART, 0, PART * sizeof(*r->warps));
			r->valid_epoch[part] = epoch;
		}
}

/* Returns the marks of a region in this epoch. */
static inline struct region_marks *marks_of_region(struct warp_marks *x, uint64_t region)
{
	if (x->region[region].epoch != x->epoch)
		place_region(x, region);
	return &x->marks[x->region[region].place];
}

/* Notes an access to n words of a region by the warp whose number is self - 1. */
static NOINLINE void note_region_access(struct warp_marks *x, uint64_t region, uint32_t inst, uint32_t self,
	uint32_t first, uint32_t n, bool write)
{
	struct region_marks *r = marks_of_region(x, region);
	uint32_t *warps = r->warps + first, *insts = (write ? r->write_inst : r->read_inst) + first;
	bool (*set)(uint32_t *, uint32_t *, uint64_t, uint32_t, uint32_t, bool) =
		write ? set_warp_write_marks : set_warp_read_marks;

	begin_parts(r, x->epoch, first, n);
	if (set(warps, insts, n, inst, self, !x->race_found)) {
		note_warp_race(x, r, region, inst, self, first, write);
		set(warps, insts, n, inst, self, false);
	}
}

/* Notes an access to a word of a region. */
static ALWAYS_INLINE void note_word_access(struct warp_marks *x, struct region_marks *r, uint64_t region,
	uint32_t inst, uint32_t self, uint32_t word, bool write)
{
	if (r->valid_epoch[word / PART] != x->epoch)
		begin_parts(r, x->epoch, word, 1);
	if (do_warps_race(r->warps[word], self, write) && !x->race_found)
		note_warp_race(x, r, region, inst, self, word, write);
	r->warps[word] = add_warp_to_mark(r->warps[word], self, write);
	(write ? r->write_inst : r->read_inst)[word] = inst;
}

/*
 * Words of a range that is noted without a call: `rainflow` of HeCBench with 200 histories takes 172 million
 * instructions for marks of warps instead of 244 million.
 */
#define SHORT_RANGE 4u

static ALWAYS_INLINE void note_ranges(struct warp_marks *x, uint32_t inst, uint32_t self,
	const struct race_range *s, unsigned n, bool write)
{
	struct region_marks *r = NULL;
	uint64_t region = 0;

	for (const struct race_range *last = s + n; s < last; s++) {
		uint64_t first = s->from / 4, end = (s->end + 3) / 4, words = end - first, part;

		if (words <= SHORT_RANGE && first / WARP_REGION == (end - 1) / WARP_REGION) {
			if (!r || region != first / WARP_REGION) {
				region = first / WARP_REGION;
				r = marks_of_region(x, region);
			}
			for (uint64_t i = 0; i < words; i++)
				note_word_access(
					x, r, region, inst, self, (uint32_t)(first % WARP_REGION + i), write);
			continue;
		}
		for (; words; first += part, words -= part) {
			part = min_u64(words, WARP_REGION - first % WARP_REGION);
			note_region_access(x, first / WARP_REGION, inst, self,
				(uint32_t)(first % WARP_REGION), (uint32_t)part, write);
		}
		r = NULL; /* the marks may have moved */
	}
}

static ALWAYS_INLINE void note_words(struct warp_marks *x, uint32_t inst, uint32_t self, const uint64_t *off,
	unsigned n, unsigned words, bool write)
{
	uint64_t region = off[0] / 4 / WARP_REGION;
	struct region_marks *r = marks_of_region(x, region);

	for (unsigned i = 0; i < n; i++) {
		uint64_t first = off[i] / 4;

		if (first / WARP_REGION != region) {
			region = first / WARP_REGION;
			r = marks_of_region(x, region);
		}
		for (unsigned k = 0; k < words; k++)
			note_word_access(
				x, r, region, inst, self, (uint32_t)(first % WARP_REGION) + k, write);
	}
}

void race_note_words(struct warp_marks *x, uint32_t inst, uint32_t self, const uint64_t *off, unsigned n,
	unsigned words, bool write)
{
	if (write)
		note_words(x, inst, self, off, n, words, true);
	else if (words == 1)
		note_words(x, inst, self, off, n, 1, false);
	else
		note_words(x, inst, self, off, n, words, false);
}

void race_note_warp(struct warp_marks *x, uint32_t inst, uint32_t self, const struct race_range *s,
	unsigned n, bool write)
{
	if (write)
		note_ranges(x, inst, self, s, n, true);
	else
		note_ranges(x, inst, self, s, n, false);
}

static const char *access_verb(const struct op *o)
{
	bool bulk = o->stmt->opcode == I_cp && strstr(o->stmt->text, ".global.shared");

	return o->stmt->opcode == I_st || o->stmt->opcode == I_sust || bulk ? "writes" : "reads";
}

static void describe_race_step(const struct grid *g, const struct race_step *s, char *out, size_t cap)
{
	const struct op *o = &g->code->op[s->inst];
	char at[POSITION_MAX];

	position_text(o, at, sizeof(at));
	if (s->warp == MANY)
		snprintf(out, cap, "several warps read at %s", at);
	else
		snprintf(out, cap, "warp %u %s at %s", s->warp - 1, access_verb(o), at);
}

void race_report_warps(struct cta *c)
{
	struct warp_marks *x = c->warp_marks;
	const struct grid *g = c->grid;
	struct func *k = g->code->prog->func[g->kernel];
	char first[40 + POSITION_MAX], kernel[KERNEL_MAX], line[LINES_MAX];

	if (!x || !x->race_found || k->warp_race_reported)
		return;
	k->warp_race_reported = true;
	const struct op *o = &g->code->op[x->second.inst];
	uint64_t addr = x->word < x->buffer_words ? HEAP_BASE + 4 * x->word : 4 * (x->word - x->buffer_words);
	const struct buffer *b = memory_nearest_buffer(g->mem, addr);
	describe_race_step(g, &x->first, first, sizeof(first));
	position_kernel_text(g->launch->kernel, kernel);
	position_instruction_text(o, line, sizeof(line));
	diag_warn(stmt_place(o->func, o->stmt),
		"race: warp %u %s byte %llu of '%s', which %s of CTA (%u,%u,%u) (expected a barrier between them or an atomic) (%s%s)",
		x->second.warp - 1, access_verb(o), (unsigned long long)(addr - (b ? b->addr : 0)),
		b ? b->name : "memory", first, c->id[0], c->id[1], c->id[2], kernel, line);
}
