/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races on global memory: a word of a buffer or a static variable that one thread block writes and another
 * reads or writes in the same launch, or one warp of a block and another without a barrier, fence or atomic
 * of the block between; neither by an atomic. Kernels by whose fences, volatile or ordered accesses blocks
 * may talk are left out.
 *
 * Such races are often meant (many threads store the same flag), so they are warnings, one of each kind for
 * each kernel. Always true: what is told of blocks is that of the lowest word, whatever thread executed which
 * block: marks are maxima over blocks, and of two blocks that race the second always sees the first. What is
 * told of warps is the first in the lowest block that has one. Lanes of one warp, which run together, are not
 * compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"

/*
 * A key is the block's number + 1 (31 bits), the instruction (32), and whether other blocks made the access,
 * too.
 */
struct mark {
	atomic_uint_fast64_t writer, reader;
};

struct race {
	struct mark *word;           /* NULL: one block, which races with none */
	uint64_t heap, words;        /* of buffers; of static variables, too, which follow them */
	atomic_uint_fast64_t lowest; /* word that was raced for; UINT64_MAX: none */
};

#define BLOCK_BITS 31
enum { OTHERS = 1 };

static uint64_t block_of(uint64_t key) { return key >> 33; }
static uint32_t inst_of(uint64_t key) { return (uint32_t)(key >> 1); }

void race_start(struct grid *g)
{
	const struct launch *l = g->l;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	g->race = NULL;
	if (!g->opt->check || g->order & ORDER_FENCE || (blocks < 2 && g->warps < 2) || blocks >> BLOCK_BITS)
		return;
	g->race = xcalloc(1, sizeof(*g->race));
	g->race->heap = g->mem->heap_bytes / 4;
	g->race->words = g->race->heap + g->mem->static_bytes / 4 + 1;
	if (blocks > 1)
		g->race->word = reserve(g->race->words, sizeof(struct mark));
	atomic_store(&g->race->lowest, UINT64_MAX);
}

static void set_mark(atomic_uint_fast64_t *at, uint64_t key)
{
	uint64_t old = atomic_load(at), v;

	do {
		if (block_of(old) == block_of(key))
			return;
		v = (old > key ? old : key) | (old ? OTHERS : 0);
		if (v == old)
			return;
	} while (!atomic_compare_exchange_weak(at, &old, v));
}

static bool races(uint64_t writer, uint64_t reader)
{
	return writer &&
	       (writer & OTHERS || (reader && (reader & OTHERS || block_of(reader) != block_of(writer))));
}

/* Words of global memory; UINT64_MAX: it is elsewhere. */
static uint64_t word_of(const struct warp *w, const uint8_t *at)
{
	const struct race *r = w->g->race;
	uint64_t heap = (uintptr_t)at - (uintptr_t)w->mem->heap,
		 fixed = (uintptr_t)at - (uintptr_t)w->mem->statics;

	if (heap / 4 < r->heap)
		return heap / 4;
	return fixed < w->mem->static_bytes ? r->heap + fixed / 4 : UINT64_MAX;
}

static uint64_t address_of(const struct race *r, uint64_t word)
{
	return word < r->heap ? HEAP_BASE + 4 * word : 4 * (word - r->heap);
}

static void between_blocks(struct race *r, const struct cta *c, uint64_t key, uint64_t n, bool write)
{
	struct mark *k = &r->word[n];

	if (block_of(atomic_load_explicit(write ? &k->writer : &k->reader, memory_order_relaxed)) ==
		c->number + 1)
		return; /* told before, and looked at then or by the other block */
	set_mark(write ? &k->writer : &k->reader, key);
	if (!races(atomic_load(&k->writer), atomic_load(&k->reader)))
		return;
	uint64_t low = atomic_load(&r->lowest);
	while (n < low && !atomic_compare_exchange_weak(&r->lowest, &low, n))
		;
}

/* ---- warps of one block ---- */

struct race_step { /* an access: warp + 1, or MANY warps; by which instruction */
	uint16_t warp;
	uint32_t inst;
};
enum { MANY = 0xffff };

struct within {
	uint32_t epoch; /* barriers, fences and atomics so far, of all blocks that this room was used for */
	bool found;
	uint64_t word, words;           /* raced for; of memory */
	struct race_step first, second; /* in the order in which they were executed */
	struct race_seen {
		uint32_t epoch; /* of the marks; another: none */
		uint32_t write_inst, read_inst;
		uint16_t writer, reader;
	} * seen;
};

void race_cta(struct cta *c)
{
	const struct race *r = c->g->race;

	if (!r || c->n_warps < 2)
		return;
	if (!c->within) {
		c->within = xcalloc(1, sizeof(*c->within));
		c->within->words = r->words;
		c->within->seen = reserve(r->words, sizeof(*c->within->seen));
	}
	c->within->epoch++;
	c->within->found = false;
}

void race_cta_free(struct cta *c)
{
	if (c->within)
		reserve_free(c->within->seen, c->within->words, sizeof(*c->within->seen));
	free(c->within);
	c->within = NULL;
}

void race_order(struct cta *c)
{
	if (c->within)
		c->within->epoch++;
}

static void between_warps(struct within *x, uint32_t inst, uint16_t self, uint64_t n, bool write)
{
	struct race_seen *s = &x->seen[n];

	if (s->epoch != x->epoch)
		*s = (struct race_seen){.epoch = x->epoch};
	bool after_write = s->writer && s->writer != self,
	     after_read = write && s->reader && s->reader != self;
	if ((after_write || after_read) && !x->found) {
		x->found = true;
		x->word = n;
		x->first = after_write ? (struct race_step){s->writer, s->write_inst}
				       : (struct race_step){s->reader, s->read_inst};
		x->second = (struct race_step){self, inst};
	}
	if (write) {
		s->writer = self;
		s->write_inst = inst;
	} else {
		s->reader = !s->reader || s->reader == self ? self : MANY;
		s->read_inst = inst;
	}
}

static const char *does(const struct op *o)
{
	bool bulk = o->in->op == I_cp && strstr(o->in->text, ".global.shared");

	return o->in->op == I_st || bulk ? "writes" : "reads";
}

static void step_text(const struct grid *g, const struct race_step *s, char *out, size_t cap)
{
	const struct op *o = &g->code->op[s->inst];

	if (s->warp == MANY)
		snprintf(out, cap, "several warps read at line %u", o->in->line);
	else
		snprintf(out, cap, "warp %u %s at line %u", s->warp - 1, does(o), o->in->line);
}

void race_delivered(struct cta *c)
{
	struct within *x = c->within;
	const struct grid *g = c->g;
	struct func *k = g->code->prog->func[g->kernel];
	char first[80];

	if (!x || !x->found || k->raced_within)
		return;
	k->raced_within = true;
	const struct op *o = &g->code->op[x->second.inst];
	uint64_t addr = address_of(g->race, x->word);
	const struct buffer *b = memory_near(g->mem, addr);
	step_text(g, &x->first, first, sizeof(first));
	diag_warn(stmt_place(o->func, o->in),
		"found a race: warp %u %s byte %llu of '%s', which %s of CTA (%u,%u,%u), wanted a barrier between or an atomic (kernel %s)",
		x->second.warp - 1, does(o), (unsigned long long)(addr - (b ? b->addr : 0)),
		b ? b->name : "memory", first, c->id[0], c->id[1], c->id[2], g->l->kernel->name);
}

/* ---- accesses and what is told ---- */

void race_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	struct race *r = w->g->race;
	uint32_t inst = (uint32_t)(o - w->g->code->op);
	uint64_t key = (w->cta->number + 1) << 33 | (uint64_t)inst << 1;
	struct within *x = bytes >= 4 ? w->cta->within : NULL;

	if (check_atomic(o)) {
		race_order(w->cta); /* threads may wait for each other by it */
		return;
	}
	if (has(o->in, M_VOLATILE) || has(o->in, M_RELAXED) || has(o->in, M_ACQUIRE) ||
		has(o->in, M_RELEASE)) {
		race_order(w->cta);
		x = NULL;
	}
	FOR_BITS32 (i, m) {
		uint64_t from = word_of(w, at[i]), to = from + (((uintptr_t)at[i] & 3) + bytes + 3) / 4;

		for (uint64_t n = from; from != UINT64_MAX && n < to && n < r->words; n++) {
			if (r->word)
				between_blocks(r, w->cta, key, n, write);
			if (x)
				between_warps(x, inst, (uint16_t)(w->index + 1), n, write);
		}
	}
}

static void block_text(const struct grid *g, uint64_t key, char *out, size_t cap)
{
	uint32_t id[3];

	grid_block(g, block_of(key) - 1, id);
	snprintf(out, cap, "CTA (%u,%u,%u)", id[0], id[1], id[2]);
}

static void tell(const struct grid *g, uint64_t word)
{
	uint64_t writer = atomic_load(&g->race->word[word].writer),
		 reader = atomic_load(&g->race->word[word].reader), addr = address_of(g->race, word);
	const struct buffer *b = memory_near(g->mem, addr);
	const struct op *o = &g->code->op[inst_of(writer)], *other = &g->code->op[inst_of(reader)];
	char by[60], too[120] = "others write";

	block_text(g, writer, by, sizeof(by));
	if (!(writer & OTHERS)) {
		char text[60];

		block_text(g, reader, text, sizeof(text));
		snprintf(too, sizeof(too), "%s%s at line %u", text,
			block_of(reader) == block_of(writer) ? " and others read" : " reads",
			other->in->line);
	}
	diag_warn(stmt_place(o->func, o->in),
		"found a race: %s writes byte %llu of '%s', which %s in the same launch, wanted an atomic or two launches (kernel %s)",
		by, (unsigned long long)(addr - (b ? b->addr : 0)), b ? b->name : "memory", too,
		g->l->kernel->name);
}

void race_end(struct grid *g, bool good)
{
	struct race *r = g->race;
	struct func *k = g->code->prog->func[g->kernel];

	if (!r)
		return;
	if (good && !k->raced && atomic_load(&r->lowest) != UINT64_MAX) {
		k->raced = true;
		tell(g, atomic_load(&r->lowest));
	}
	if (r->word)
		reserve_free(r->word, r->words, sizeof(struct mark));
	free(r);
	g->race = NULL;
}
