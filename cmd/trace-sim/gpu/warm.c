/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Updates the caches for kernels that are not simulated (--warm). Their accesses pass through the tags of the
 * L2. They also pass through the tags of the L1D, unless kernels begin with an invalid L1D. Their code passes
 * through the tags of the L2 and, without the modern core, of the L1I. This takes no simulated time.
 *
 * Always true: thread blocks are processed in file order, one after another. They are assigned to clusters as
 * in a launch (LAUNCH-place-6), so the next kernel begins at the same cluster. Reads that hit in the L1D do
 * not reach the L2. If the L1D is invalid at the start of a kernel (-gpgpu_flush_l1_cache), a table of the
 * lines that a thread block accessed recently replaces it. Local memory, constant and texture caches, the
 * state of DRAM and all counters are not updated.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "launch.h"
#include "trace.h"

#define LEGACY_CODE  0xF0000000ull
#define LINE         128u
#define ALL_SECTORS  15u
#define CODE_LINES   4096u /* maximum number of code lines that are warmed */
#define RECENT_LINES 256u  /* number of lines in an L1D of 32 KiB */

/* A line and the sectors of it that a thread block has accessed. */
struct touched {
	uint64_t line;
	uint32_t block;
	uint8_t read_sectors;    /* mask of the sectors that were read */
	uint8_t written_sectors; /* mask of the sectors that were written */
};

struct warm {
	struct gpu *gpu;
	const struct kernel_header *head;
	struct code *code;
	struct tblock block;
	uint32_t number; /* number of the current thread block, counted from 1 */
	uint32_t cluster;
	struct sm *sm;
	struct cache *l1d; /* L1D of the SM; NULL if accesses bypass it */
	bool warms_code;   /* true if fetches of code reach the L2 */
	bool flushes_l1d;  /* true if kernels begin with an invalid L1D */
	uint64_t code_base;
	uint64_t block_lines[CODE_LINES / 64];  /* set of code lines that the thread block has fetched */
	uint64_t kernel_lines[CODE_LINES / 64]; /* set of code lines that the kernel has fetched */
	/* for each static instruction, the last thread block that executed it */
	uint32_t *last_block_of_inst, cap_last_block_run;
	struct touched touched[RECENT_LINES];
};

/* ---- data ------------------------------------------------------------------------------------ */

struct access_kind {
	bool write;
	bool bypass; /* true if the access bypasses the L1D */
};

/*
 * Returns true if the instruction accesses global memory, and sets *a. `first_lane` is the address of its
 * first lane.
 */
static bool accesses_global(
	const struct warm *w, const struct inst *in, uint64_t first_lane, struct access_kind *a)
{
	*a = (struct access_kind){in->class == CLASS_STORE, false};
	if (in->ptx)
		return in->ptx->form.space == SPACE_GLOBAL || in->ptx->form.space == SPACE_GENERIC;
	switch (in->kind) {
	case KIND_LDG:
	case KIND_LDGSTS: *a = (struct access_kind){false, in->strong_gpu}; return true;
	case KIND_STG: *a = (struct access_kind){true, false}; return true;
	case KIND_ATOM: *a = (struct access_kind){true, true}; return true;
	case KIND_LD:
	case KIND_ST:
		a->write = in->kind == KIND_ST;
		return kernel_generic_space(w->head, first_lane) == SPACE_GLOBAL;
	default: return false;
	}
}

/*
 * Removes from `sectors` the sectors that the thread block has recently accessed in the same way, and returns
 * the rest. Repeating such an access has no effect.
 */
static uint32_t drop_recent_sectors(struct warm *w, uint64_t line, uint32_t sectors, bool write)
{
	struct touched *t = &w->touched[line / LINE % RECENT_LINES];

	if (t->line != line || t->block != w->number)
		*t = (struct touched){line, w->number, 0, 0};
	sectors &= ~(uint32_t)(write ? t->written_sectors : t->written_sectors | t->read_sectors);
	*(write ? &t->written_sectors : &t->read_sectors) |= (uint8_t)sectors;
	return sectors;
}

/* Passes an access to `sectors` of a line through the tags. */
static void touch_line_tags(struct warm *w, uint64_t line, uint32_t sectors, struct access_kind a)
{
	struct gpu *g = w->gpu;

	if (a.bypass || !w->l1d)
		;
	else if (w->flushes_l1d)
		sectors = drop_recent_sectors(w, line, sectors, a.write);
	else if (a.write)
		cache_warm_write(w->l1d, line, sectors, gpu_now(g));
	else
		sectors = cache_warm_sectors(w->l1d, line, sectors, false, gpu_now(g));
	if (sectors)
		memory_warm(g->mem, line, sectors, w->cluster, a.write, gpu_now(g));
}

/*
 * Passes an access of a warp through the tags, line by line. Neighbouring lanes usually access the same line.
 */
static void warm_record_accesses(struct warm *w, const struct rec *r, const struct inst *in)
{
	uint64_t lane[32], line = UINT64_MAX;
	uint32_t sectors = 0;
	struct access_kind a;

	rec_addresses(&w->block, r, lane);
	if (!accesses_global(w, in, lane[bit_lowest32(r->mask)], &a))
		return;
	FOR_BITS32 (i, r->mask) {
		uint64_t from = lane[i] / 32, to = (lane[i] + (in->size ? in->size - 1u : 0)) / 32;

		for (uint64_t s = from; s <= to; s++) {
			if (s / 4 * LINE != line) {
				if (sectors)
					touch_line_tags(w, line, sectors, a);
				line = s / 4 * LINE;
				sectors = 0;
			}
			sectors |= 1u << s % 4;
		}
	}
	touch_line_tags(w, line, sectors, a);
}

/* ---- code ------------------------------------------------------------------------------------ */

static void touch_code_in_l2(struct warm *w, uint32_t line)
{
	if (line >= CODE_LINES || bitset_test(w->kernel_lines, line))
		return;
	bitset_set(w->kernel_lines, line);
	memory_warm(w->gpu->mem, w->code_base + (uint64_t)line * LINE, ALL_SECTORS, w->cluster, false,
		gpu_now(w->gpu));
}

/*
 * Fetches a code line into the L2, with the lines that the stream buffers of the modern core prefetch. The
 * L1I needs no update: it is invalid when a kernel begins.
 */
static void warm_code_modern(struct warm *w, uint32_t line)
{
	const struct modern_params *p = &w->gpu->params.modern;
	uint32_t brought = p->launch_lines * p->l0i_line / LINE,
		 ahead = p->prefetch_lines * p->l0i_line / LINE;

	for (uint32_t i = line; i <= line + ahead; i++)
		if (i >= brought)
			touch_code_in_l2(w, i);
}

static void warm_code_legacy(struct warm *w, uint32_t line)
{
	touch_code_in_l2(w, line);
	if (w->sm->l1i)
		cache_warm_sectors(w->sm->l1i, w->code_base + (uint64_t)line * LINE, ALL_SECTORS, false,
			gpu_now(w->gpu));
}

/* Fetches the code line of an instruction that the thread block executes for the first time. */
static void warm_code(struct warm *w, const struct inst *in)
{
	uint32_t line = in->pc / LINE;

	if (!w->warms_code || line >= CODE_LINES || bitset_test(w->block_lines, line))
		return;
	bitset_set(w->block_lines, line);
	if (w->gpu->params.modern.enabled)
		warm_code_modern(w, line);
	else
		warm_code_legacy(w, line);
}

/* ---- thread blocks --------------------------------------------------------------------------- */

/*
 * Selects the cluster and the SM of the next thread block: clusters in round robin, and in each cluster the
 * SMs in round robin.
 */
static void move_to_next_cta(struct warm *w)
{
	struct gpu *g = w->gpu;
	struct launch *l = g->launch;
	uint32_t per = g->params.sms_per_cluster, c = (l->last_cluster + 1) % g->params.clusters;

	l->last_cluster = c;
	l->last_sm[c] = (l->last_sm[c] + 1) % per;
	w->cluster = c;
	w->sm = &g->sm[c * per + l->last_sm[c]];
	w->l1d = g->params.core.gmem_skip_l1d ? NULL : ldst_l1d(w->sm);
	w->number++;
}

static void grow_last_block_run(struct warm *w)
{
	uint32_t had = w->cap_last_block_run;

	grow(&w->last_block_of_inst, &w->cap_last_block_run, code_count(w->code),
		sizeof(*w->last_block_of_inst));
	memset(w->last_block_of_inst + had, 0,
		(w->cap_last_block_run - had) * sizeof(*w->last_block_of_inst));
}

/* Passes the accesses of a thread block through the tags. */
static void warm_thread_block(struct warm *w)
{
	move_to_next_cta(w);
	grow_last_block_run(w);
	memset(w->block_lines, 0, sizeof(w->block_lines));
	for (uint32_t i = 0; i < w->block.n_recs; i++) {
		const struct rec *r = &w->block.rec[i];

		if (w->last_block_of_inst[r->inst] != w->number) {
			w->last_block_of_inst[r->inst] = w->number;
			warm_code(w, code_at(w->code, r->inst));
		}
		if (r->addr && r->mask)
			warm_record_accesses(w, r, code_at(w->code, r->inst));
	}
}

/*
 * Sets the L1D to the size that it would have if the kernel were simulated. Called only if the L1Ds are not
 * flushed.
 */
static void resize_warm_l1d(struct gpu *g, const struct trace *t)
{
	const struct kernel_header *h = trace_header(t);
	struct kernel k = {.head = h,
		.path = xstrdup(trace_path(t)),
		.n_ctas = kernel_blocks(h),
		.padded_threads = kernel_warps(h) * 32};

	resources_ctas_per_sm(g, &k);
	free(k.path);
}

int warm_kernel(struct gpu *g, struct trace *t, struct code *code, struct fault *f)
{
	struct warm *w = xcalloc(1, sizeof(*w));
	const uint64_t misses = memory_warmed(g->mem).misses;
	int r;

	w->gpu = g;
	w->head = trace_header(t);
	w->code = code;
	w->code_base = g->params.modern.enabled ? launch_code_base(w->head->name) : LEGACY_CODE;
	w->flushes_l1d = g->params.core.flush_l1;
	if (!w->flushes_l1d && g->params.core.adaptive_l1)
		resize_warm_l1d(g, t);
	w->warms_code = !g->params.core.perfect_icache &&
			!(g->params.modern.enabled && g->params.modern.l1i_miss_latency);
	if (w->warms_code && g->params.modern.enabled &&
		g->params.modern.const_cold) /* constants are at the start of the segment, before the code */
		memory_warm(g->mem, w->code_base - 4096, ALL_SECTORS, 0, false, gpu_now(g));
	while ((r = trace_next(t, &w->block, f)) > 0)
		warm_thread_block(w);
	r = r < 0 ? -1 : trace_finish(t, f);
	g->warmed++;
	g->n_warmed_with_misses += memory_warmed(g->mem).misses > misses;
	if (g->params.mem.flush_l2)
		memory_flush_l2(g->mem, NULL);
	tblock_free(&w->block);
	free(w->last_block_of_inst);
	free(w);
	return r;
}
