/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races between thread blocks: a word of a buffer that one block writes and another reads or writes in the same launch,
 * neither by an atomic. Kernels by whose fences, volatile or ordered accesses blocks may talk are left out.
 *
 * Such races are often meant (many blocks store the same flag), so they are a warning, one for each kernel, at the end
 * of the launch. Always true: what is told is that of the lowest word, whatever thread executed which block: marks are
 * maxima over blocks, and of two blocks that race the second always sees the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include "exec/check.h"

/* A key is the block's number + 1 (31 bits), the instruction (32), and whether other blocks made the access, too. */
struct mark {
	atomic_uint_fast64_t writer, reader;
};

struct race {
	struct mark *word;
	uint64_t words;
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
	if (!g->opt->check || g->order & ORDER_FENCE || blocks < 2 || blocks >> BLOCK_BITS ||
		!g->mem->heap_bytes)
		return;
	g->race = xcalloc(1, sizeof(*g->race));
	g->race->words = g->mem->heap_bytes / 4;
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

void race_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	struct race *r = w->g->race;
	uint64_t key = (w->cta->number + 1) << 33 | (uint64_t)(uint32_t)(o - w->g->code->op) << 1;

	if (o->in->op == I_atom || o->in->op == I_red)
		return;
	FOR_BITS32 (i, m) {
		uint64_t from = ((uintptr_t)at[i] - (uintptr_t)w->mem->heap) / 4,
			 to = ((uintptr_t)at[i] - (uintptr_t)w->mem->heap + bytes + 3) / 4;

		for (uint64_t n = from; n < to && n < r->words; n++) {
			struct mark *k = &r->word[n];

			if (block_of(atomic_load_explicit(write ? &k->writer : &k->reader,
				    memory_order_relaxed)) == w->cta->number + 1)
				continue; /* told before, and looked at then or by the other block */
			set_mark(write ? &k->writer : &k->reader, key);
			if (!races(atomic_load(&k->writer), atomic_load(&k->reader)))
				continue;
			uint64_t low = atomic_load(&r->lowest);
			while (n < low && !atomic_compare_exchange_weak(&r->lowest, &low, n))
				;
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
		 reader = atomic_load(&g->race->word[word].reader), addr = HEAP_BASE + 4 * word;
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
		by, (unsigned long long)(addr - (b ? b->addr : HEAP_BASE)), b ? b->name : "memory", too,
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
	reserve_free(r->word, r->words, sizeof(struct mark));
	free(r);
	g->race = NULL;
}
