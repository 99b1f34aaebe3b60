/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a kernel file from its header to its end. The reader reports faults and records; this file begins and ends
 * thread blocks, and separates the warps of a raw trace.
 *
 * Always true: a file is read once and in order. A fault inside a warp marks the warp as damaged.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "lint.h"
#include "table.h"

/* ---- warps of a raw trace --------------------------------------------------------------------- */

/* State of a warp of a raw trace. */
struct raw_warp {
	uint32_t x, y, z, number;
	struct lint_warp state;
};
struct raw_warps {
	struct raw_warp *warp;
	uint32_t n, cap;
	struct table table;
};

static uint32_t lanes_of_warp(const struct lint *l, uint32_t warp)
{
	uint64_t threads = kernel_threads(l->head), first = (uint64_t)warp * 32;

	return first >= threads || threads - first >= 32 ? UINT32_MAX : (1u << (threads - first)) - 1;
}

/*
 * Returns the state of a warp of a raw trace. Adds the warp if it is new. The pointer is valid until the next
 * call.
 */
static struct lint_warp *raw_warp(struct lint *l, const struct tblock *tb, uint32_t number)
{
	struct raw_warps *t = l->raw;
	uint64_t hash = table_hash((const uint32_t[]){tb->x, tb->y, tb->z, number}, 4 * sizeof(uint32_t));

	FOR_TABLE (at, &t->table, hash) {
		struct raw_warp *w = &t->warp[at.number];

		if (w->x == tb->x && w->y == tb->y && w->z == tb->z && w->number == number)
			return &w->state;
	}
	grow(&t->warp, &t->cap, t->n + 1, sizeof(*t->warp));
	table_add(&t->table, hash, t->n);
	t->warp[t->n] = (struct raw_warp){tb->x, tb->y, tb->z, number, {.lanes = lanes_of_warp(l, number)}};
	return &t->warp[t->n++].state;
}

static void raw_check_blocks(struct lint *l)
{
	const struct raw_warps *t = l->raw;
	uint64_t want = kernel_blocks(l->head) * kernel_warps(l->head);

	for (uint32_t i = 0; i < t->n; i++) {
		const struct raw_warp *w = &t->warp[i];
		const uint32_t *g = l->head->grid;

		lint_end_warp(l, w->number, &w->state);
		if (w->x >= g[0] || w->y >= g[1] || w->z >= g[2])
			report_at(l->rep, RULE_BLOCK_ID_GRID,
				(struct place){trace_path(l->trace), w->state.line, 1},
				"thread block %u,%u,%u is outside the grid of %u,%u,%u", w->x, w->y, w->z,
				g[0], g[1], g[2]);
	}
	if (t->n < want)
		report_at(l->rep, RULE_BLOCKS_MISSING, (struct place){.file = trace_path(l->trace)},
			"lines of %u warps (expected the %" PRIu64 " of the grid)", t->n, want);
}

/* ---- thread block ----------------------------------------------------------------------------- */

struct lint_warp *lint_warp_of(struct lint *l, const struct tblock *tb, uint32_t warp)
{
	if (!l->raw && trace_shape(l->trace).is_raw) {
		l->raw = xcalloc(1, sizeof(*l->raw));
		report_at(l->rep, RULE_RAW, (struct place){.file = trace_path(l->trace)},
			"raw trace (trace-pack --group groups it)");
	}
	l->current_number = warp;
	if (l->raw)
		l->current = raw_warp(l, tb, warp);
	else
		l->current = warp < l->n_warps ? &l->warp[warp] : &l->stray;
	return l->current;
}

static void begin_lint_block(struct lint *l)
{
	for (uint32_t i = 0; i < l->n_warps; i++)
		l->warp[i] = (struct lint_warp){.lanes = lanes_of_warp(l, i)};
	if (l->has_barriers)
		memset(l->bars, 0, l->n_warps * sizeof(*l->bars));
	l->stray = (struct lint_warp){.lanes = UINT32_MAX, .damaged = true};
	l->has_barriers = l->records_seen = false;
	l->current_number = UINT32_MAX;
}

/*
 * Checks the records of a thread block that was read from a packed form, which has no lines to report as they
 * are read.
 */
static void check_packed_records(struct lint *l)
{
	for (uint32_t i = 0; i < l->block.n_warps; i++) {
		const struct warp_recs *w = &l->block.warp[i];

		for (uint32_t r = 0; r < w->n_recs; r++) {
			struct trace_line line = {.line = w->line ? w->line + r : 0, .warp = i};

			lint_record(l, &l->block, &l->block.rec[w->first_rec + r], &line);
		}
	}
}

static void check_block_order(struct lint *l)
{
	const uint32_t *g = l->head->grid;
	uint64_t id = l->block.x + g[0] * (l->block.y + (uint64_t)g[1] * l->block.z) + 1;
	bool back = id < l->last_block_number;

	if (l->block.x >= g[0] || l->block.y >= g[1] || l->block.z >= g[2])
		return;
	l->last_block_number = id;
	if (!back)
		return;
	if (l->order_reported)
		report_count_only(l->rep, RULE_BLOCK_ORDER);
	else
		report_at(l->rep, RULE_BLOCK_ORDER,
			(struct place){trace_path(l->trace), l->block.n_warps ? l->block.warp[0].line : 0, 1},
			"thread block %u,%u,%u is after one with a higher id: file order is schedule order",
			l->block.x, l->block.y, l->block.z);
	l->order_reported = true;
}

static void check_empty_warps(struct lint *l)
{
	for (uint32_t i = 0; i < l->block.n_warps; i++) {
		const struct warp_recs *w = &l->block.warp[i];

		if (w->line && !w->n_recs && !l->warp[i].damaged)
			report_at(l->rep, RULE_WARP_EMPTY, (struct place){trace_path(l->trace), w->line, 1},
				"warp %u has no instructions", i);
	}
}

static void end_lint_block(struct lint *l)
{
	if (!l->records_seen)
		check_packed_records(l);
	check_block_order(l);
	check_empty_warps(l);
	lint_end_all_warps(l);
	l->first_block_done = true;
}

/* ---- the kernel --------------------------------------------------------------------------- */

/* Returns true for a fault of the whole thread block, which does not affect the warp that was read last. */
static bool is_fault_of_block(const char *id)
{
	return !strcmp(id, "warp-missing") || !strcmp(id, "block-nested");
}

static bool on_trace_fault(void *ctx, const struct fault *f)
{
	struct lint *l = ctx;
	uint32_t warp = l->trace ? trace_warp(l->trace) : UINT32_MAX;

	report_fault(l->rep, f);
	lint_sync_note_lost_lines(l);
	if (warp != UINT32_MAX && !is_fault_of_block(f->id))
		lint_warp_of(l, &l->block, warp)->damaged = true;
	return true;
}

static void on_trace_warning(void *ctx, const struct fault *f)
{
	struct lint *l = ctx;

	report_fault(l->rep, f);
}

static void lint_blocks(struct lint *l)
{
	struct fault f;
	int r;

	begin_lint_block(l);
	while ((r = trace_next(l->trace, &l->block, &f)) > 0) {
		end_lint_block(l);
		begin_lint_block(l);
	}
	if (l->raw)
		raw_check_blocks(l);
	if (r == 0)
		r = trace_finish(l->trace, &f);
	if (r < 0 && f.id)
		report_fault(l->rep, &f);
}

static void begin_lint_kernel(struct lint *l)
{
	uint32_t had = l->cap_warps;

	l->head = trace_header(l->trace);
	l->n_warps = kernel_warps(l->head);
	grow(&l->warp, &l->cap_warps, l->n_warps, sizeof(*l->warp));
	if (l->cap_warps > had)
		l->bars = xrealloc(l->bars, l->cap_warps, sizeof(*l->bars));
	memset(l->bars, 0, l->cap_warps * sizeof(*l->bars));
	if (l->cap_facts)
		memset(l->fact, 0, l->cap_facts * sizeof(*l->fact));
	l->are_columns_known = l->order_reported = l->order_dependent_reported = l->window_reported =
		l->line_tail_reported = l->has_imm = l->has_barriers = false;
	l->last_block_number = 0;
	l->first_block_done = false;
	l->max_regs = l->head->nregs;
	lint_sync_kernel(l);
}

bool lint_kernel(struct lint *l, struct klist *k, uint32_t cmd, const char *path, struct fault *f)
{
	struct trace_watch watch = {on_trace_fault, lint_record, l};
	struct trace_options o = {.warn = on_trace_warning, .ctx = l, .watch = &watch};
	uint64_t insts;

	o.code = l->code = code_new(l->isa);
	l->path = path;
	l->trace = NULL;
	l->trace = k ? klist_open(k, cmd, &o, f) : trace_open(path, &o, f);
	bool unopened = !l->trace && f->id && (!strcmp(f->id, "open") || !strcmp(f->id, "is-folder"));

	l->rep->kernels += !unopened;
	if (l->trace) {
		begin_lint_kernel(l);
		lint_header(l);
		if (l->params)
			lint_config_kernel(l);
		lint_cubin_kernel(l);
		insts = l->rep->insts;
		lint_blocks(l);
		lint_power_kernel(l, l->rep->insts - insts);
		lint_cubin_finish_kernel(l);
		lint_sync_end(l);
	} else if (f->id && !unopened) {
		report_fault(l->rep, f);
	}
	trace_close(l->trace);
	l->trace = NULL;
	code_free(l->code);
	if (l->raw) {
		table_free(&l->raw->table);
		free(l->raw->warp);
	}
	free(l->raw);
	l->raw = NULL;
	return !unopened;
}

void lint_free(struct lint *l)
{
	tblock_free(&l->block);
	free(l->warp);
	free(l->bars);
	free(l->fact);
	free(l->copy);
	lint_sync_free(l);
	cubins_free(l->cubins);
}
