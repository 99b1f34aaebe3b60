/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels that are left out but leave their traces in the caches (--warm): their accesses go through the tags of the L2,
 * and their code through those of the L1I and the L2, in no time.
 *
 * Always true: thread blocks come in the order of the file, each as a whole; they are counted onto clusters as the launch
 * would have (LAUNCH-place-6), so that the next kernel begins where it would have begun. Every global access reads or writes
 * its sectors in the L2, as though none had hit in an L1. Left out: L1D, which is invalid when a kernel begins; local memory,
 * constant and texture caches; the state of DRAM; all counters.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "launch.h"
#include "trace.h"

#define LEGACY_CODE 0xF0000000ull
#define CODE_LINE   128u
#define CODE_LINES  4096u /* code beyond so many lines is not warmed */

struct warm {
	struct gpu *g;
	const struct kernel_header *head;
	struct code *code;
	struct tblock block;
	uint64_t code_base;
	uint64_t seen[CODE_LINES / 64], known[CODE_LINES / 64]; /* lines of the thread block, of the kernel */
};

/* Does the instruction touch global memory? *write: it changes it. */
static bool is_global(
	const struct warm *w, const struct inst *in, const uint64_t lane[32], uint32_t mask, bool *write)
{
	*write = in->class == CLASS_STORE;
	if (in->ptx)
		return in->ptx->form.space == SPACE_GLOBAL || in->ptx->form.space == SPACE_GENERIC;
	switch (in->kind) {
	case KIND_LDG:
	case KIND_LDGSTS: *write = false; return true;
	case KIND_STG:
	case KIND_ATOM: *write = true; return true;
	case KIND_LD:
	case KIND_ST:
		*write = in->kind == KIND_ST;
		return uop_generic_space(w->head, lane[bit_lowest32(mask)]) == SPACE_GLOBAL;
	default: return false;
	}
}

static void touch(struct warm *w, uint64_t sector, uint32_t cluster, bool write)
{
	struct gpu *g = w->g;

	memory_warm(g->mem, sector * 32, cluster, write, gpu_now(g));
}

/* Lanes mostly go on where the one before left off. */
static void warm_access(struct warm *w, const struct rec *r, const struct inst *in, uint32_t cluster)
{
	uint64_t lane[32], last = UINT64_MAX;
	bool write;

	rec_addresses(&w->block, r, lane);
	if (!is_global(w, in, lane, r->mask, &write))
		return;
	FOR_BITS32 (i, r->mask) {
		uint64_t from = lane[i] / 32, to = (lane[i] + (in->size ? in->size - 1u : 0)) / 32;

		for (uint64_t s = from; s <= to; s++)
			if (s != last)
				touch(w, last = s, cluster, write);
	}
}

static void warm_code(struct warm *w, uint32_t line, uint32_t sm, uint32_t cluster)
{
	struct gpu *g = w->g;
	uint64_t addr = w->code_base + (uint64_t)line * CODE_LINE;
	struct sm *s = &g->sm[sm];

	if (!bitset_test(w->known, line)) {
		bitset_set(w->known, line);
		for (uint32_t i = 0; i < CODE_LINE; i += 32)
			memory_warm(g->mem, addr + i, cluster, false, gpu_now(g));
	}
	if (!s->l1i || g->params.modern.on) /* its L1I is invalid when a kernel begins */
		return;
	for (uint32_t i = 0; i < CODE_LINE; i += 32)
		cache_touch(s->l1i, addr + i, i / 32, false, (uint32_t)gpu_now(g));
}

/* Where the next thread block would go: clusters by turns, and the SMs of each by turns. */
static uint32_t next_sm(struct gpu *g, uint32_t *cluster)
{
	struct launch *l = g->launch;
	uint32_t per = g->params.sms_per_cluster, c = (l->last_cluster + 1) % g->params.clusters;

	l->last_cluster = c;
	l->last_sm[c] = (l->last_sm[c] + 1) % per;
	*cluster = c;
	return c * per + l->last_sm[c];
}

static void warm_block(struct warm *w)
{
	uint32_t cluster, sm = next_sm(w->g, &cluster);

	memset(w->seen, 0, sizeof(w->seen));
	for (uint32_t i = 0; i < w->block.n_recs; i++) {
		const struct rec *r = &w->block.rec[i];
		const struct inst *in = code_at(w->code, r->inst);
		uint32_t line = in->pc / CODE_LINE;

		if (line < CODE_LINES && !bitset_test(w->seen, line)) {
			bitset_set(w->seen, line);
			warm_code(w, line, sm, cluster);
		}
		if (r->addr && r->mask)
			warm_access(w, r, in, cluster);
	}
}

int warm_kernel(struct gpu *g, struct trace *t, struct code *code, struct fault *f)
{
	struct warm *w = xcalloc(1, sizeof *w);
	int r;

	w->g = g;
	w->head = trace_header(t);
	w->code = code;
	w->code_base = g->params.modern.on ? launch_code_base(w->head->name) : LEGACY_CODE;
	while ((r = trace_next(t, &w->block, f)) > 0)
		warm_block(w);
	r = r < 0 ? -1 : trace_finish(t, f);
	tblock_free(&w->block);
	free(w);
	return r;
}
