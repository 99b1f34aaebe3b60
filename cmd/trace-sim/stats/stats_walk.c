/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk: general lines of the block, and the order of all parts (trace-stats(5)).
 *
 * Always true: printed values are computed with the original's widths and order of operations. Recorded
 * values are the exact running values. A figure of an interval is also recorded as a running value, so the
 * difference between two moments is the value of the interval.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "stats_int.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

double stats_divide_single(uint64_t a, uint64_t b)
{
	if (!b)
		return a ? (double)INFINITY : copysign((double)NAN, -1.0);
	return (double)((float)a / (float)b);
}

/* Like stats_divide_single(), in double precision. */
static double divide_double(double a, double b)
{
	if (b == 0)
		return a > 0 ? (double)INFINITY : copysign((double)NAN, -1.0);
	return a / b;
}

struct quotient quotient(uint64_t num, uint64_t den)
{
	return (struct quotient){(double)num, (double)den, 1, stats_divide_single(num, den)};
}

struct quotient quotient_double(double num, double den)
{
	return (struct quotient){num, den, 1, divide_double(num, den)};
}

/* ---- passing figures to a sink --------------------------------------------------------------- */

void stats_printf(struct stats_sink *s, const char *fmt, ...)
{
	va_list args;

	if (is_sink_collecting(s))
		return;
	va_start(args, fmt);
	bytes_vprintf(s->out, fmt, args);
	va_end(args);
}

void stats_prefix(struct stats_sink *s, const char *fmt, ...)
{
	va_list args;

	if (!is_sink_collecting(s))
		return;
	va_start(args, fmt);
	vsnprintf(s->prefix, sizeof(s->prefix), fmt, args);
	va_end(args);
}

void stats_record_count(struct stats_sink *s, uint64_t value, const char *fmt, ...)
{
	char name[64];
	va_list args;

	if (!is_sink_collecting(s) || (s->sparse && !value))
		return;
	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	stats_collect_count(s, name, value);
}

void stats_record_ratio(struct stats_sink *s, const char *name, double num, double den, double scale)
{
	if (is_sink_collecting(s))
		stats_collect_ratio(s, name, (struct quotient){num, den, scale, 0});
}

/* ---- the whole GPU --------------------------------------------------------------------------- */

static void emit_block_identity(struct stats_sink *s)
{
	const struct stats_block *b = s->block;

	if (!b)
		return;
	stats_text(s, "kernel_name = ");
	for (uint32_t i = 0; i < b->n; i++) {
		char *name = diag_quoted(b->name[i]);

		stats_printf(s, "%s ", name);
		free(name);
	}
	stats_text(s, "\nkernel_launch_uid = ");
	for (uint32_t i = 0; i < b->n; i++)
		stats_printf(s, "%" PRIu32 " ", b->uid[i]);
	stats_printf(s, "\nkernel_stream_id = %" PRIu64 "\n", b->stream);
}

/* Prints the line "NAME = value of the interval", and records the running value. */
static void emit_interval_line(struct stats_sink *s, const char *name, uint64_t interval, uint64_t running)
{
	emit_field_count(s, name, " = ", interval, running, SHOW_64, "\n");
}

/*
 * Returns a quotient that shows the value of `interval` and records the running numerator and denominator of
 * `total`.
 */
static struct quotient show_interval_record_total(struct quotient interval, struct quotient total)
{
	total.shown = interval.shown;
	return total;
}

static void emit_cycle_figures(struct stats_sink *s, const struct gpu *g)
{
	uint64_t insn = gpu_interval_insn(g), cycles = gpu_now(g), insns = g->tot_insn + insn;
	struct quotient ipc = quotient(insns, cycles);

	emit_interval_line(s, "gpu_sim_cycle", g->cycle, cycles);
	emit_interval_line(s, "gpu_sim_insn", insn, insns);
	stats_line_real(s, "gpu_ipc", F12_4, show_interval_record_total(quotient(insn, g->cycle), ipc));
	stats_line64(s, "gpu_tot_sim_cycle", cycles);
	stats_line64(s, "gpu_tot_sim_insn", insns);
	stats_line_real(s, "gpu_tot_ipc", F12_4, ipc);
	stats_line64(s, "gpu_tot_issued_cta", g->tot_issued_ctas + g->issued_ctas);
}

static struct quotient percent_quotient(uint64_t num, uint64_t den)
{
	struct quotient q = quotient(num, den);

	q.scale = 100;
	q.shown = (double)((float)q.shown * 100);
	return q;
}

/* Emits the occupancy figures. The original does not count them without the power model, and prints -nan. */
static void emit_gpu_occupancy(struct stats_sink *s, const struct gpu *g)
{
	struct quotient now = percent_quotient(g->occupancy_filled, g->occupancy_slots);
	struct quotient all = percent_quotient(
		g->tot_occupancy_filled + g->occupancy_filled, g->tot_occupancy_slots + g->occupancy_slots);

	emit_field_real(s, "gpu_occupancy", " = ", F4, show_interval_record_total(now, all), "% \n");
	emit_field_real(s, "gpu_tot_occupancy", " = ", F4, all, "% \n");
}

/* Returns the bandwidth of the L2. quirk Q1-32: every reply counts as 32 bytes (LAUNCH-stat-3). */
static struct quotient l2_bandwidth(uint64_t replies, uint64_t cycles, double period)
{
	double seconds = (double)cycles * period;
	struct quotient q = {(double)replies, (double)cycles, 32 / period / 1e9, 0};

	q.shown = divide_double((double)(float)(replies * 32), seconds) / 1000000000;
	return q;
}

static void emit_partition_figures(struct stats_sink *s, const struct gpu *g)
{
	const struct memory_counts *m = memory_counts(g->mem);
	uint64_t accepted = m->accepted_total + m->accepted, replies = m->replies_total + m->replies;
	double period = 1 / g->params.hz[0];
	struct quotient all = quotient(accepted, gpu_now(g));
	struct quotient util =
		quotient(m->accepted_util_total + m->accepted_util, m->util_ticks_total + m->util_ticks);
	struct quotient bw = l2_bandwidth(replies, gpu_now(g), period);

	stats_line_real(s, "partiton_level_parallism", F12_4,
		show_interval_record_total(quotient(m->accepted, g->cycle), all));
	emit_field_real(s, "partiton_level_parallism_total", "  = ", F12_4, all, "\n");
	stats_line_real(s, "partiton_level_parallism_util", F12_4,
		show_interval_record_total(quotient(m->accepted_util, m->util_ticks), util));
	emit_field_real(s, "partiton_level_parallism_util_total", "  = ", F12_4, util, "\n");
	emit_field_real(s, "L2_BW", "  = ", F12_4,
		show_interval_record_total(l2_bandwidth(m->replies, g->cycle, period), bw), " GB/Sec\n");
	emit_field_real(s, "L2_BW_total", "  = ", F12_4, bw, " GB/Sec\n");
}

static void emit_general_figures(struct stats_sink *s, const struct gpu *g)
{
	const struct memory_counts *m = memory_counts(g->mem);

	emit_block_identity(s);
	emit_cycle_figures(s, g);
	emit_gpu_occupancy(s, g);
	stats_line64(s, "max_total_param_size", 0);
	stats_line32(s, "gpu_stall_dramfull", m->stall_dramfull);
	emit_field_count(s, "gpu_stall_icnt2sh", "    = ", m->stall_icnt2sh, m->stall_icnt2sh, SHOW_32, "\n");
	emit_partition_figures(s, g);
	if (s->block && s->block->host_seconds >= 0) {
		uint64_t seconds = (uint64_t)s->block->host_seconds;

		stats_printf(s, "gpu_total_sim_rate=%u\n",
			(unsigned)((g->tot_insn + gpu_interval_insn(g)) / (seconds ? seconds : 1)));
	}
}

void stats_walk(struct stats_sink *s, struct gpu *g)
{
	emit_general_figures(s, g);
	stats_emit_core_caches(s, g);
	stats_emit_cores(s, g);
	stats_emit_latency(s, g);
	stats_emit_channels(s, g);
	stats_emit_l2(s, g);
	stats_emit_flits(s, g);
	stats_emit_network(s, g);
	stats_record_more(s, g);
	if (g->power && is_sink_collecting(s))
		stats_emit_power(s, g);
}
