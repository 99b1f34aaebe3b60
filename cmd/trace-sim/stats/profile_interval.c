/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of a profile; see profile_interval.h. A sample is a row of running values: fixed columns, then
 * columns per SM, per L2 slice and per DRAM channel. A record has the differences between two rows.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "gpu/launch.h"
#include "sm/profile.h"
#include "stats/profile_interval.h"

#define FIRST_CYCLES 256u /* length in cycles of the first automatic samples */

enum fixed_column {
	COL_CYCLE,
	COL_INSTS,
	COL_L1,
	COL_L1_MISS,
	COL_L2,
	COL_L2_MISS,
	COL_DRAM,
	COL_EMPTY,
	COL_REASON,
	N_FIXED = COL_REASON + N_PROFILE_REASONS
};

struct profile_interval {
	uint64_t length, next_row_at;
	bool interval_given; /* true if the user has given the length */
	uint64_t *row;
	uint32_t n_rows, columns, cap_rows;
	uint32_t sms, slices, channels;
};

/* First column of an SM. The functions after it return those of a slice and of a channel. */
static uint32_t sm_column(uint32_t sm) { return N_FIXED + 2 * sm; }
static uint32_t slice_column(const struct profile_interval *n, uint32_t slice)
{
	return N_FIXED + 2 * n->sms + 3 * slice;
}
static uint32_t channel_column(const struct profile_interval *n, uint32_t channel)
{
	return N_FIXED + 2 * n->sms + 3 * n->slices + channel;
}

struct profile_interval *profile_interval_start(struct gpu *g, uint64_t cycles)
{
	struct profile_interval *n = xcalloc(1, sizeof(*n));

	n->interval_given = cycles != 0;
	n->length = n->next_row_at = cycles ? cycles : FIRST_CYCLES;
	n->sms = g->params.sms;
	n->slices = memory_sub_partitions(g->mem);
	n->channels = g->params.mem.channels;
	n->columns = channel_column(n, n->channels);
	grow(&n->row, &n->cap_rows, 2 * n->columns, sizeof(*n->row));
	memset(n->row, 0, n->columns * sizeof(*n->row));
	n->n_rows = 1;
	return n;
}

void profile_interval_free(struct profile_interval *n)
{
	if (n)
		free(n->row);
	free(n);
}

uint64_t profile_interval_due(const struct profile_interval *n) { return n->next_row_at; }

/* ---- samples ----------------------------------------------------------------------------------- */

static void sample_sms(const struct profile_interval *n, const struct gpu *g, uint64_t *v)
{
	uint64_t ran = 0;

	for (uint32_t i = 0; i < n->sms; i++) {
		const struct sm *s = &g->sm[i];

		v[COL_INSTS] += s->n.insts;
		v[sm_column(i)] = s->profile->cycles[PROFILE_ISSUE];
		v[sm_column(i) + 1] = s->n.live_warp_cycles;
		for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
			v[COL_REASON + c] += s->profile->cycles[c];
		ran += s->clock;
		if (ldst_l1d(s) && s->clock)
			cache_add_lookups(ldst_l1d(s), &v[COL_L1], &v[COL_L1_MISS]);
	}
	v[COL_EMPTY] = (gpu_now(g) * n->sms - ran) * g->params.core.schedulers;
}

static void sample_memory(const struct profile_interval *n, const struct gpu *g, uint64_t *v)
{
	for (uint32_t i = 0; i < n->slices; i++) {
		uint64_t *slice = &v[slice_column(n, i)];

		if (!memory_l2(g->mem, i))
			continue;
		cache_add_lookups(memory_l2(g->mem, i), &slice[0], &slice[1]);
		slice[2] = slice[0] * g->params.mem.l2.atom_bytes;
		v[COL_L2] += slice[0];
		v[COL_L2_MISS] += slice[1];
	}
	for (uint32_t i = 0; i < n->channels; i++) {
		v[channel_column(n, i)] = memory_channel_bursts(g->mem, i) * g->params.mem.dram.atom_bytes;
		v[COL_DRAM] += v[channel_column(n, i)];
	}
}

static void take_interval_row(struct profile_interval *n, struct gpu *g)
{
	uint64_t *v;

	gpu_sync(g);
	grow(&n->row, &n->cap_rows, (n->n_rows + 1) * n->columns, sizeof(*n->row));
	v = n->row + (size_t)n->n_rows++ * n->columns;
	memset(v, 0, n->columns * sizeof(*v));
	v[COL_CYCLE] = gpu_now(g);
	sample_sms(n, g, v);
	sample_memory(n, g, v);
}

void profile_interval_sample(struct profile_interval *n, struct gpu *g)
{
	take_interval_row(n, g);
	if (!n->interval_given && n->n_rows > PROFILE_SAMPLES) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < n->n_rows; i += 2)
			memmove(n->row + (size_t)kept++ * n->columns, n->row + (size_t)i * n->columns,
				n->columns * sizeof(*n->row));
		n->n_rows = kept;
		n->length *= 2;
	}
	n->next_row_at = (gpu_now(g) / n->length + 1) * n->length;
}

/* ---- records ----------------------------------------------------------------------------------- */

/*
 * Writes the figure "OF[INDEX].FIELD" unless it is 0. Avoids snprintf(), which is slower: a run has up to
 * 100,000 such figures.
 */
static void write_unit_figure(struct record_writer *w, const char *of, uint32_t index, const char *field,
	uint64_t v, const char *unit)
{
	char name[64];
	size_t n = strlen(of);

	if (!v)
		return;
	assert(n + strlen(field) + RECORD_UINT_CAP + 4 <= sizeof(name));
	memcpy(name, of, n);
	name[n++] = '[';
	n += record_uint_text(name + n, index);
	memcpy(name + n, "].", 2);
	strcpy(name + n + 2, field);
	record_uint(w, name, v, unit);
}

static void write_unit_figures(
	const struct profile_interval *n, struct record_writer *w, const uint64_t *a, const uint64_t *b)
{
	for (uint32_t i = 0; i < n->sms; i++) {
		uint32_t c = sm_column(i);

		write_unit_figure(w, "sm", i, "issued", b[c] - a[c], "scheduler-cycles");
		write_unit_figure(w, "sm", i, "warp_cycles", b[c + 1] - a[c + 1], "warp-cycles");
	}
	for (uint32_t i = 0; i < n->slices; i++) {
		uint32_t c = slice_column(n, i);

		write_unit_figure(w, "l2_slice", i, "accesses", b[c] - a[c], "accesses");
		write_unit_figure(w, "l2_slice", i, "misses", b[c + 1] - a[c + 1], "accesses");
		write_unit_figure(w, "l2_slice", i, "bytes", b[c + 2] - a[c + 2], "bytes");
	}
	for (uint32_t i = 0; i < n->channels; i++) {
		uint32_t c = channel_column(n, i);

		write_unit_figure(w, "dram_channel", i, "bytes", b[c] - a[c], "bytes");
	}
}

static void write_interval_row(
	const struct profile_interval *n, struct record_writer *w, const uint64_t *a, const uint64_t *b)
{
	uint64_t sched = b[COL_EMPTY] - a[COL_EMPTY];

	record_begin(w, "interval");
	record_uint(w, "position", 0, NULL);
	record_string(w, "name", "");
	record_uint(w, "id", 0, NULL);
	record_uint(w, "first_cycle", a[COL_CYCLE], "cycles");
	record_uint(w, "cycles", b[COL_CYCLE] - a[COL_CYCLE], "cycles");
	record_group(w, "stats");
	record_uint(w, "gpu_sim_insn", b[COL_INSTS] - a[COL_INSTS], "thread-insts");
	record_uint(w, "L1D_total_cache_accesses", b[COL_L1] - a[COL_L1], "accesses");
	record_uint(w, "L1D_total_cache_misses", b[COL_L1_MISS] - a[COL_L1_MISS], "accesses");
	record_uint(w, "L2_total_cache_accesses", b[COL_L2] - a[COL_L2], "accesses");
	record_uint(w, "L2_total_cache_misses", b[COL_L2_MISS] - a[COL_L2_MISS], "accesses");
	for (unsigned c = 0; c < N_PROFILE_REASONS; c++)
		sched += b[COL_REASON + c] - a[COL_REASON + c];
	record_uint(w, "sched_cycles", sched, "cycles");
	for (unsigned c = 0; c <= N_PROFILE_REASONS; c++) {
		unsigned at = c < N_PROFILE_REASONS ? COL_REASON + c : COL_EMPTY;
		char name[48];

		snprintf(name, sizeof(name), "sched_cycles[%s]",
			c < N_PROFILE_REASONS ? profile_reason_names[c] : "empty");
		record_uint(w, name, b[at] - a[at], "cycles");
	}
	write_unit_figures(n, w, a, b);
	record_group_end(w);
	record_end(w);
}

void profile_interval_end(struct profile_interval *n, struct gpu *g, struct record_writer *w)
{
	if (gpu_now(g) > n->row[(size_t)(n->n_rows - 1) * n->columns + COL_CYCLE])
		take_interval_row(n, g);
	for (uint32_t i = 1; i < n->n_rows; i++)
		write_interval_row(
			n, w, n->row + (size_t)(i - 1) * n->columns, n->row + (size_t)i * n->columns);
}
