/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile records: rows of all SMs become one "kernel" record, as in trace-stats(5). Its figures:
 *
 *	sched_cycles			cycles of all schedulers of the GPU
 *	sched_cycles[REASON]		parts of it; "empty": the SM had no thread block
 *	operations[KIND]		arithmetic operations (flops.h)
 *	pc[PC:OPCODE].COUNT		counts of sm/profile.h; with line information pc[PC:OPCODE:LINE] or
 *					pc[PC:OPCODE:FILE:LINE]
 *	pc[PC:OPCODE].cycles[REASON]	cycles that issued it ("issue") or waited for it
 *
 * Always true: the parts add up, for each kernel and, checked here, for each SM. An entry that is 0 has no
 * figure under pc. Instructions with the same PC, opcode, file and line count as one, whatever their operands.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/window.h"
#include "arena.h"
#include "flops.h"
#include "gpu/launch.h"
#include "hotspots.h"
#include "sm/profile.h"
#include "stats/peaks.h"
#include "stats/profile_interval.h"
#include "stats/profile_record.h"

struct profile {
	struct record_writer *writer;
	struct code_sum {
		uint32_t code;
		uint64_t n[N_PROFILE_COUNTS], cycles[N_PROFILE_REASONS];
	} * sum; /* sums of the current kernel by instruction */
	uint32_t n_sums, cap_sums;
	uint32_t *sum_index; /* 1 + index into `sum`, by code + 1; 0: none */
	uint32_t cap_index;
	/* cycles of the run by reason; cycles of SMs without a thread block */
	uint64_t total[N_PROFILE_REASONS], empty_sm_cycles;
	uint64_t operations[N_FLOP_KINDS]; /* operations of the run, by kind */
	struct profile_interval *intervals;
};

struct profile *profile_start(struct gpu *g, struct record_writer *w, uint64_t interval)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->writer = w;
	p->intervals = profile_interval_start(g, interval);
	for (uint32_t i = 0; i < g->params.sms; i++)
		g->sm[i].profile = sm_profile_new(&g->params.core);
	return p;
}

void profile_free(struct profile *p, struct gpu *g)
{
	for (uint32_t i = 0; i < g->params.sms; i++) {
		sm_profile_free(g->sm[i].profile);
		g->sm[i].profile = NULL;
	}
	profile_interval_free(p->intervals);
	free(p->sum);
	free(p->sum_index);
	free(p);
}

/* ---- adding up ------------------------------------------------------------------------------ */

/* Adds a row of an SM's profile to the sum of its instruction. */
static void add_profile_row(struct profile *p, const struct profile_row *r)
{
	uint32_t old = p->cap_index, i = r->code + 1;
	struct code_sum *sum;

	grow(&p->sum_index, &p->cap_index, i + 1, sizeof(*p->sum_index));
	memset(p->sum_index + old, 0, (p->cap_index - old) * sizeof(*p->sum_index));
	if (!p->sum_index[i]) {
		grow(&p->sum, &p->cap_sums, p->n_sums + 1, sizeof(*p->sum));
		p->sum[p->n_sums] = (struct code_sum){.code = r->code};
		p->sum_index[i] = ++p->n_sums;
	}
	sum = &p->sum[p->sum_index[i] - 1];
	for (unsigned c = 0; c < N_PROFILE_COUNTS; c++)
		sum->n[c] += r->n[c];
	for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
		sum->cycles[c] += r->cycles[c];
}

static uint64_t row_cycles(const struct profile_row *r)
{
	uint64_t n = 0;

	for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
		n += r->cycles[c];
	return n;
}

/*
 * Adds the rows of kernel uid (0: of all kernels) of an SM to the sums and removes them. The remaining rows
 * are renumbered.
 */
static void move_sm_rows(struct profile *p, const struct sm *s, uint32_t uid)
{
	struct sm_profile *sp = s->profile;
	uint32_t n = sp->n_rows;
	uint64_t left = 0;

	for (uint32_t i = 1; i < n; i++)
		sp->first_row[sp->row[i].code + 1] = 0;
	sp->n_rows = 1;
	for (uint32_t i = 1; i < n; i++) {
		struct profile_row *r = &sp->row[i], *to = &sp->row[sp->n_rows];

		if (!uid || r->kernel == uid) {
			add_profile_row(p, r);
			sp->removed_cycles += row_cycles(r);
			continue;
		}
		left += row_cycles(r);
		*to = *r;
		to->next = sp->first_row[to->code + 1];
		sp->first_row[to->code + 1] = sp->n_rows++;
	}
	for (unsigned k = 0; k < MAX_SCHEDULERS; k++)
		profile_drop_attribution(sp, k);
	assert(sp->removed_cycles + left == s->clock * s->core->schedulers);
}

/* Number of scheduler cycles, since the last kernel, in which SMs had no thread block. */
static uint64_t cycles_of_empty_sms(struct gpu *g)
{
	uint64_t all = g->cycle * g->params.sms, ran = 0;

	for (uint32_t i = 0; i < g->params.sms; i++) {
		struct sm *s = &g->sm[i];

		ran += s->clock - s->profile->clock;
		s->profile->clock = s->clock;
	}
	assert(ran <= all);
	return (all - ran) * g->params.core.schedulers;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Argument of compare_by_pc(), because qsort() cannot pass it. */
static const struct code *code_being_sorted;

static int compare_files(const struct inst *x, const struct inst *y)
{
	return x->file && y->file ? strcmp(x->file, y->file) : (x->file != NULL) - (y->file != NULL);
}

/* Orders sums by PC, opcode, file and line. Sums without an instruction come first. */
static int compare_by_pc(const void *a, const void *b)
{
	uint32_t ca = ((const struct code_sum *)a)->code, cb = ((const struct code_sum *)b)->code;
	const struct inst *x, *y;
	int order;

	if (ca == PROFILE_NO_CODE || cb == PROFILE_NO_CODE)
		return (cb == PROFILE_NO_CODE) - (ca == PROFILE_NO_CODE);
	x = code_at(code_being_sorted, ca);
	y = code_at(code_being_sorted, cb);
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	order = strcmp(x->opcode, y->opcode);
	order = order ? order : compare_files(x, y);
	return order ? order : (x->lineno > y->lineno) - (x->lineno < y->lineno);
}

/* Names and units of the counts of an instruction. */
static const struct {
	const char *name, *unit;
} counts[N_PROFILE_COUNTS] = {
#define PROFILE_COUNT(name, unit) {#name, unit},
	PROFILE_COUNTS(PROFILE_COUNT)
#undef PROFILE_COUNT
};

/* Adds the operations of the current kernel to n, by kind. */
static void add_operations(const struct profile *p, const struct code *code, uint64_t n[N_FLOP_KINDS])
{
	for (uint32_t i = 0; i < p->n_sums; i++) {
		const struct code_sum *sum = &p->sum[i];
		struct flops f = {.kind = N_FLOP_KINDS};

		if (sum->code != PROFILE_NO_CODE && sum->n[PROFILE_issues])
			f = flops_of(code_at(code, sum->code)->opcode);
		if (f.kind < N_FLOP_KINDS)
			n[f.kind] += sum->n[PROFILE_lanes] * f.per_lane + sum->n[PROFILE_issues] * f.per_warp;
	}
}

static void write_operations(struct record_writer *w, const uint64_t n[N_FLOP_KINDS])
{
	for (unsigned k = 0; k < N_FLOP_KINDS; k++) {
		char name[48];

		snprintf(name, sizeof(name), "operations[%s]", flop_kind_names[k]);
		if (n[k])
			record_uint(w, name, n[k], "operations");
	}
}

static void write_pc_figures(struct record_writer *w, const struct inst *in, const struct code_sum *sum)
{
	size_t cap = strlen(in->opcode) + HOTSPOTS_FILE_CAP + 96;
	char *name = xmalloc(cap), line[HOTSPOTS_FILE_CAP + 16] = "", file[HOTSPOTS_FILE_CAP], *end;
	size_t size;

	if (in->lineno && in->file)
		snprintf(line, sizeof(line), ":%s:%u", hotspots_quote_file(file, in->file), in->lineno);
	else if (in->lineno)
		snprintf(line, sizeof(line), ":%u", in->lineno);
	end = name + snprintf(name, cap, "pc[0x%04x:%s%s].", in->pc, in->opcode, line);
	size = cap - (size_t)(end - name);
	for (unsigned c = 0; c < N_PROFILE_COUNTS; c++) {
		strcpy(end, counts[c].name);
		if (sum->n[c])
			record_uint(w, name, sum->n[c], counts[c].unit);
	}
	for (unsigned c = 0; c < N_PROFILE_REASONS; c++) {
		if (!sum->cycles[c])
			continue;
		snprintf(end, size, "cycles[%s]", profile_reason_names[c]);
		record_uint(w, name, sum->cycles[c], "cycles");
	}
	free(name);
}

static void write_all_pc_figures(struct profile *p, const struct code *code)
{
	code_being_sorted = code;
	if (p->n_sums)
		qsort(p->sum, p->n_sums, sizeof(*p->sum), compare_by_pc);
	for (uint32_t i = 0, next; i < p->n_sums; i = next) {
		for (next = i + 1; next < p->n_sums && !compare_by_pc(&p->sum[i], &p->sum[next]); next++) {
			for (unsigned c = 0; c < N_PROFILE_COUNTS; c++)
				p->sum[i].n[c] += p->sum[next].n[c];
			for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
				p->sum[i].cycles[c] += p->sum[next].cycles[c];
		}
		if (p->sum[i].code != PROFILE_NO_CODE)
			write_pc_figures(p->writer, code_at(code, p->sum[i].code), &p->sum[i]);
	}
}

static void write_totals(struct record_writer *w, const uint64_t cycles[N_PROFILE_REASONS], uint64_t empty)
{
	uint64_t all = empty;

	for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
		all += cycles[c];
	record_uint(w, "sched_cycles", all, "cycles");
	for (unsigned c = 0; c < N_PROFILE_REASONS; c++) {
		char name[48];

		snprintf(name, sizeof(name), "sched_cycles[%s]", profile_reason_names[c]);
		record_uint(w, name, cycles[c], "cycles");
	}
	record_uint(w, "sched_cycles[empty]", empty, "cycles");
}

static void write_identity(struct record_writer *w, const struct kernel *k)
{
	record_begin(w, "kernel");
	record_uint(w, "position", k->position, NULL);
	record_string(w, "name", k->head->name);
	record_uint(w, "id", k->uid, NULL);
	record_uint(w, "stream", k->head->stream, NULL);
	record_dim(w, "grid", k->head->grid);
	record_dim(w, "block", k->head->block);
}

/*
 * Sums the rows of kernel uid (0: of all kernels) in p->sum, and by reason in cycles[] and in the totals of
 * the run.
 */
static void sum_kernel_rows(
	struct profile *p, const struct gpu *g, uint32_t uid, uint64_t cycles[N_PROFILE_REASONS])
{
	p->n_sums = 0;
	if (p->cap_index)
		memset(p->sum_index, 0, p->cap_index * sizeof(*p->sum_index));
	for (uint32_t i = 0; i < g->params.sms; i++)
		move_sm_rows(p, &g->sm[i], uid);
	for (uint32_t i = 0; i < p->n_sums; i++)
		for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
			cycles[c] += p->sum[i].cycles[c];
	for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
		p->total[c] += cycles[c];
}

void profile_write_kernel(struct profile *p, struct gpu *g, const struct kernel *k)
{
	uint64_t cycles[N_PROFILE_REASONS] = {0}, empty = cycles_of_empty_sms(g),
		 operations[N_FLOP_KINDS] = {0};

	p->empty_sm_cycles += empty;
	if (!k)
		return;
	sum_kernel_rows(p, g, k->uid, cycles);
	write_identity(p->writer, k);
	record_group(p->writer, "stats");
	write_totals(p->writer, cycles, empty);
	add_operations(p, g->code, operations);
	for (unsigned i = 0; i < N_FLOP_KINDS; i++)
		p->operations[i] += operations[i];
	write_operations(p->writer, operations);
	write_all_pc_figures(p, g->code);
	record_group_end(p->writer);
	record_end(p->writer);
}

/*
 * Writes statistics of the windows of the run. They help to speed up the simulator; the results do not depend
 * on windows.
 */
static void write_window_figures(struct record_writer *w, const struct window_counts *n)
{
	static const char *const names[] = {
#define BOUND(name, text) #name,
#include "gpu/window.def"
#undef BOUND
	};
	uint64_t all = 0;

	for (unsigned i = 0; i < N_WINDOW_BOUNDS; i++)
		all += n->windows_by_bound[i];
	record_uint(w, "windows", n->windows, "windows");
	record_uint(w, "window_cycles", n->cycles, "cycles");
	record_uint(w, "window_steps", all - n->windows, "steps");
	record_uint(w, "window_phases", n->phases, "phases");
	for (unsigned i = 0; i < N_WINDOW_BOUNDS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "window[%s]", names[i]);
		if (n->windows_by_bound[i])
			record_uint(w, name, n->windows_by_bound[i], "windows");
	}
}

void profile_end(struct profile *p, struct gpu *g, const char *status, uint32_t kernels)
{
	uint64_t cycles[N_PROFILE_REASONS] = {0};

	sum_kernel_rows(p, g, 0, cycles);
	add_operations(p, g->code, p->operations);
	profile_interval_end(p->intervals, g, p->writer);
	record_begin(p->writer, "end");
	record_string(p->writer, "status", status);
	record_uint(p->writer, "kernels", kernels, "kernels");
	record_group(p->writer, "stats");
	write_totals(p->writer, p->total, p->empty_sm_cycles);
	write_operations(p->writer, p->operations);
	peaks_write(p->writer, &g->params);
	write_window_figures(p->writer, window_counts(g));
	record_group_end(p->writer);
	record_end(p->writer);
}

uint64_t profile_due(const struct profile *p) { return profile_interval_due(p->intervals); }

void profile_sample(struct profile *p, struct gpu *g) { profile_interval_sample(p->intervals, g); }
