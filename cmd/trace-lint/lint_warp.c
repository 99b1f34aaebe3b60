/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks records in the order of their warp: exited lanes, barriers, groups of asynchronous copies.
 *
 * Always true: a warp with lost lines is checked only for faults that do not depend on the lost lines.
 */
#include <string.h>
#include "bits.h"
#include "lint.h"

/* ---- records ------------------------------------------------------------------------------ */

static void check_after_exit(
	struct lint *l, const struct lint_warp *w, const struct rec *r, const struct trace_line *line)
{
	if (r->mask & w->exited) {
		if (lint_is_first_finding(l, r->inst, RULE_LANE_AFTER_EXIT))
			report_at(l->rep, RULE_LANE_AFTER_EXIT, lint_place(l, line, COLUMN_MASK),
				"lanes %08x of warp %u are active after their EXIT", r->mask & w->exited,
				line->warp);
	} else if (w->exited == w->lanes && lint_is_first_finding(l, r->inst, RULE_AFTER_END)) {
		report_at(l->rep, RULE_AFTER_END, lint_place(l, line, COLUMN_PC),
			"line after the last EXIT of warp %u", line->warp);
	}
}

static void count_barrier(struct lint *l, const struct rec *r, const struct trace_line *line)
{
	const struct inst *in = code_at(l->code, r->inst);

	if (in->imm || in->imm2 || (in->two_imms && in->n_dst + in->n_src) || line->warp >= l->n_warps ||
		!r->mask)
		return;
	FOR_BITS32 (i, r->mask)
		l->bars[line->warp][i]++;
	l->has_barriers = true;
}

/*
 * Reports a wait for more groups than the warp has closed. CUDA allows such waits, but the original simulator crashes.
 * It does not know Hopper, so traces of Hopper and newer GPUs are not checked.
 */
static void check_depbar(
	struct lint *l, const struct lint_warp *w, const struct rec *r, const struct trace_line *line)
{
	uint32_t n = (uint32_t)code_at(l->code, r->inst)->imm;

	if (l->has_imm && l->head->binary_version < 90 && n > w->groups &&
		lint_is_first_finding(l, r->inst, RULE_DEPBAR))
		report_at(l->rep, RULE_DEPBAR, lint_place(l, line, COLUMN_OPCODE),
			"DEPBAR for %u group%s (expected at most %u, the groups that warp %u has closed)", n,
			n == 1 ? "" : "s", w->groups, line->warp);
}

static void update_barriers_and_groups(
	struct lint *l, struct lint_warp *w, const struct rec *r, const struct trace_line *line)
{
	unsigned flags = l->fact[r->inst].flags;

	if (flags & FACT_EXIT)
		w->exited |= r->mask;
	if (flags & FACT_BARRIER)
		count_barrier(l, r, line);
	if (flags & FACT_GROUP)
		w->groups++;
	if (flags & FACT_DEPBAR && !w->damaged)
		check_depbar(l, w, r, line);
}

static void report_line_tail(struct lint *l, const struct trace_line *line)
{
	if (l->line_tail_reported)
		report_count_only(l->rep, RULE_LINE_TAIL);
	else
		report_at(l->rep, RULE_LINE_TAIL, (struct place){trace_path(l->trace), line->line, 1},
			"words after the instruction, which the model does not read");
	l->line_tail_reported = true;
}

void lint_record(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *line)
{
	struct lint *l = ctx;
	struct lint_warp *w = l->current;

	l->records_seen = true;
	l->rep->insts += code_at(l->code, r->inst)->kind != KIND_MARK;
	if (line->warp != l->current_number || l->raw)
		w = lint_warp_of(l, tb, line->warp);
	if (r->inst >= l->cap_facts || !l->fact[r->inst].flags)
		lint_inst(l, r->inst, line);
	w->has_records = true;
	w->line = line->line;
	if (w->exited && !w->damaged)
		check_after_exit(l, w, r, line);
	unsigned flags = l->fact[r->inst].flags;

	if (flags & (FACT_EXIT | FACT_BARRIER | FACT_GROUP | FACT_DEPBAR))
		update_barriers_and_groups(l, w, r, line);
	if (flags & FACT_ADDRESS && r->mask && r->addr)
		lint_addresses(l, tb, r, line);
	if (flags & FACT_SYNC)
		lint_sync(l, tb, r, line);
	if (line->has_tail)
		report_line_tail(l, line);
}

/* ---- end of a warp ---------------------------------------------------------------------------- */

void lint_end_warp(struct lint *l, uint32_t number, const struct lint_warp *w)
{
	if (w->damaged || !w->has_records || !(w->lanes & ~w->exited))
		return;
	report_at(l->rep, RULE_LANES_LEFT, (struct place){trace_path(l->trace), w->line, 1},
		"warp %u ends without an EXIT of lanes %08x", number, w->lanes & ~w->exited);
}

static unsigned most_lane_barriers(const uint32_t n[32])
{
	unsigned m = 0;

	for (int i = 0; i < 32; i++)
		m = n[i] > m ? n[i] : m;
	return m;
}

static void compare_barriers(struct lint *l)
{
	uint32_t low = 0, high = 0;

	for (uint32_t i = 0; i < l->n_warps; i++) {
		if (!l->warp[i].has_records || l->warp[i].damaged)
			return;
		if (most_lane_barriers(l->bars[i]) > most_lane_barriers(l->bars[high]))
			high = i;
		if (most_lane_barriers(l->bars[i]) < most_lane_barriers(l->bars[low]))
			low = i;
	}
	if (low != high && most_lane_barriers(l->bars[low]) != most_lane_barriers(l->bars[high]))
		report_at(l->rep, RULE_BARRIER, (struct place){trace_path(l->trace), l->warp[low].line, 1},
			"barriers differ: %u in warp %u, %u in warp %u of thread block %u,%u,%u",
			most_lane_barriers(l->bars[low]), low, most_lane_barriers(l->bars[high]), high,
			l->block.x, l->block.y, l->block.z);
}

void lint_end_all_warps(struct lint *l)
{
	for (uint32_t i = 0; i < l->n_warps; i++)
		lint_end_warp(l, i, &l->warp[i]);
	if (l->has_barriers)
		compare_barriers(l);
}
