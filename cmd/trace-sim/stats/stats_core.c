/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the SMs: issue histogram, instruction and stall counters, warp occupancy, traffic (SM-stat,
 * LSU-stat).
 *
 * Always true: counters have 64 bits. If a counter of the original wraps, the block shows the wrapped value
 * and records have the exact one. If the original has one counter per SM, the values are wrapped before their
 * sum over the SMs.
 */
#include <stddef.h>
#include <string.h>
#include "stats_int.h"

static const char *traffic_class_name(unsigned class)
{
	return class < N_ACC_TYPES ? acc_type_names[class] : "GLOBAL_ATOMIC";
}

/* Returns v as the original prints it, as a signed 32-bit number (quirk Q1-34). */
static int32_t as_signed_32(uint64_t v) { return (int32_t)(uint32_t)v; }

enum counter_place { PLACE_INSTS, PLACE_STALLS, PLACE_RECORD, PLACE_OWN };
enum counter_width { BITS_32, SM_BITS_32 };

/* One row for each row of counters.def, in the same order. */
static const struct {
	size_t offset; /* offset of the counter in struct sm_counts */
	enum counter_place place;
	enum counter_width width;
	const char *name, *before;
} counters[] = {
#define COUNTER(field, place, width, name, before) \
	{offsetof(struct sm_counts, field), PLACE_##place, width, name, before},
#include "sm/counters.def"
#undef COUNTER
};

#define N_COUNTERS (sizeof(counters) / sizeof(*counters))

/* Sums of the counters over all SMs. truncated_sum: sums of values that are truncated to 32 bits per SM. */
struct core_sum {
	struct sm_counts n;
	uint64_t truncated_sum[N_COUNTERS];
};

static uint64_t *counter_address(struct sm_counts *n, size_t i)
{
	return (void *)((char *)n + counters[i].offset);
}

static uint64_t counter_value(const struct sm_counts *n, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)n + counters[i].offset);
}

static void add_sm_counts(struct core_sum *sum, const struct sm_counts *n)
{
	struct sm_counts *to = &sum->n;

	for (size_t i = 0; i < N_COUNTERS; i++) {
		*counter_address(to, i) += counter_value(n, i);
		sum->truncated_sum[i] += (uint32_t)counter_value(n, i);
	}
	for (int t = 0; t < N_STALL_TYPES; t++)
		for (int r = 0; r < N_STALL_REASONS; r++)
			to->stall[t][r] += n->stall[t][r];
	for (size_t i = 0; i < N_OCC; i++)
		to->occupancy[i] += n->occupancy[i];
	for (int i = 0; i < MAX_SCHEDULERS; i++) {
		to->single_issue[i] += n->single_issue[i];
		to->dual_issue[i] += n->dual_issue[i];
	}
}

/* ---- parts of the block ---------------------------------------------------------------------- */

/* Highest warp slot that has issued an instruction; -1: none. */
static int highest_issuing_slot(const struct sm_counts *n)
{
	int top = MAX_WARPS - 1;

	while (top >= 0 && !n->issue_hist[top])
		top--;
	return top;
}

/* Emits the issue histogram. The misspellings are the original's. quirk Q2-5: a dual issue counts as 3. */
static void emit_issue_histogram(struct stats_sink *s, const struct gpu *g, const struct core_sum *sum)
{
	uint32_t id = g->params.core.issue_histogram_sm;
	const struct sm_counts *n = id < g->params.sms ? &g->sm[id].n : NULL;
	int top = n ? highest_issuing_slot(n) : -1;

	emit_field_count(
		s, "ctas_completed", " ", sum->n.ctas_completed, sum->n.ctas_completed, SHOW_32, ", ");
	stats_printf(s, "Shader %" PRIu32 " warp_id issue ditsribution:\nwarp_id:\n", id);
	for (int k = 0; k <= top; k++)
		stats_value(s, "", (unsigned)k, ", ");
	stats_text(s, "\ndistro:\n");
	s->sparse = true;
	for (int k = 0; k <= top; k++) {
		stats_int(s, as_signed_32(n->issue_hist[k]), 0);
		stats_text(s, ", ");
		stats_record_count(s, n->issue_hist[k], "warp_issue[%d]", k);
	}
	s->sparse = false;
	stats_text(s, "\n");
}

static void emit_sm_counters(struct stats_sink *s, const struct core_sum *sum, enum counter_place place)
{
	for (size_t i = 0; i < N_COUNTERS; i++) {
		uint64_t n = counter_value(&sum->n, i);

		if (counters[i].place != place)
			continue;
		if (place == PLACE_RECORD)
			stats_record_count(s, n, "%s", counters[i].name);
		else if (counters[i].width == SM_BITS_32)
			emit_field_count(s, counters[i].name, counters[i].before, sum->truncated_sum[i], n,
				SHOW_64, "\n");
		else
			emit_field_count(s, counters[i].name, counters[i].before, n, n, SHOW_32, "\n");
	}
}

/* Sum of the stalls of all global and local accesses for reason `why`. */
static uint64_t global_and_local_stalls(const struct sm_counts *n, enum stall_reason why)
{
	return n->stall[STALL_G_MEM_LD][why] + n->stall[STALL_G_MEM_ST][why] + n->stall[STALL_L_MEM_LD][why] +
	       n->stall[STALL_L_MEM_ST][why];
}

static void emit_stall_figures(struct stats_sink *s, const struct sm_counts *n)
{
	stats_line32(s, "gpgpu_stall_shd_mem[c_mem][resource_stall]", n->stall[STALL_C_MEM][STALL_BK_CONF]);
	stats_line32(s, "gpgpu_stall_shd_mem[s_mem][bk_conf]", n->stall[STALL_S_MEM][STALL_BK_CONF]);
	stats_line32(
		s, "gpgpu_stall_shd_mem[gl_mem][resource_stall]", global_and_local_stalls(n, STALL_BK_CONF));
	stats_line32(s, "gpgpu_stall_shd_mem[gl_mem][coal_stall]", global_and_local_stalls(n, STALL_COAL));
	stats_line32(s, "gpgpu_stall_shd_mem[gl_mem][data_port_stall]",
		global_and_local_stalls(n, STALL_DATA_PORT));
	stats_line32(s, "gpu_reg_bank_conflict_stalls", 0);
}

static void emit_warp_occupancy(struct stats_sink *s, const struct gpu *g, const struct sm_counts *n)
{
	stats_printf(s, "Warp Occupancy Distribution:\nStall:%d\tW0_Idle:%d\tW0_Scoreboard:%d",
		as_signed_32(n->occupancy[OCC_STALL]), as_signed_32(n->occupancy[OCC_IDLE]),
		as_signed_32(n->occupancy[OCC_SCOREBOARD]));
	s->sparse = true;
	stats_record_count(s, n->occupancy[OCC_STALL], "warp_occupancy[Stall]");
	stats_record_count(s, n->occupancy[OCC_IDLE], "warp_occupancy[W0_Idle]");
	stats_record_count(s, n->occupancy[OCC_SCOREBOARD], "warp_occupancy[W0_Scoreboard]");
	for (int lanes = 1; lanes <= 32; lanes++) {
		stats_value(s, "\tW", (unsigned)lanes, ":");
		stats_int(s, as_signed_32(n->occupancy[OCC_LANES + lanes]), 0);
		stats_record_count(s, n->occupancy[OCC_LANES + lanes], "warp_occupancy[W%d]", lanes);
	}
	s->sparse = false;
	stats_text(s, "\nsingle_issue_nums: ");
	for (uint32_t i = 0; i < g->params.core.schedulers; i++) {
		stats_printf(s, "WS%" PRIu32 ":%d\t", i, as_signed_32(n->single_issue[i]));
		stats_record_count(s, n->single_issue[i], "single_issue_nums[WS%" PRIu32 "]", i);
	}
	stats_text(s, "\ndual_issue_nums: ");
	for (uint32_t i = 0; i < g->params.core.schedulers; i++) {
		stats_printf(s, "WS%" PRIu32 ":%d\t", i, as_signed_32(n->dual_issue[i]));
		stats_record_count(s, n->dual_issue[i], "dual_issue_nums[WS%" PRIu32 "]", i);
	}
	stats_text(s, "\n");
}

/* ---- traffic --------------------------------------------------------------------------------- */

/* Sets order[] to the traffic classes in alphabetical order. */
static void sort_traffic_classes(unsigned order[TRAFFIC_CLASSES])
{
	for (unsigned i = 0; i < TRAFFIC_CLASSES; i++) {
		unsigned k = i;

		for (; k && strcmp(traffic_class_name(order[k - 1]), traffic_class_name(i)) > 0; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

static void emit_traffic_class(
	struct stats_sink *s, const char *direction, const char *class, const uint64_t count[TRAFFIC_BYTES])
{
	uint64_t bytes = 0, packets = 0;

	for (unsigned size = 0; size < TRAFFIC_BYTES; size++)
		packets += count[size];
	if (!packets) /* true for most classes of traffic */
		return;
	for (unsigned size = 0; size < TRAFFIC_BYTES; size++)
		bytes += size * count[size];
	stats_printf(s, "traffic_breakdown_%s[%s] = %" PRIu32 " {", direction, class, (uint32_t)bytes);
	stats_prefix(s, "traffic_breakdown_%s[%s]", direction, class);
	stats_record_count(s, bytes, "%s", "");
	for (unsigned size = 0; size < TRAFFIC_BYTES; size++) {
		if (!count[size])
			continue;
		stats_printf(s, "%u:%" PRIu32 ",", size, (uint32_t)count[size]);
		stats_record_count(s, count[size], "[%u]", size);
	}
	stats_text(s, "}\n");
	stats_prefix(s, "%s", "");
}

static void emit_traffic_figures(struct stats_sink *s, const char *direction, const struct traffic *t)
{
	unsigned order[TRAFFIC_CLASSES];

	sort_traffic_classes(order);
	s->sparse = true;
	for (unsigned i = 0; i < TRAFFIC_CLASSES; i++)
		emit_traffic_class(s, direction, traffic_class_name(order[i]), t->count[order[i]]);
	s->sparse = false;
}

void stats_emit_cores(struct stats_sink *s, struct gpu *g)
{
	struct core_sum sum = {0};

	for (uint32_t i = 0; i < g->params.sms; i++)
		add_sm_counts(&sum, &g->sm[i].n);
	emit_issue_histogram(s, g, &sum);
	emit_sm_counters(s, &sum, PLACE_INSTS);
	emit_sm_counters(s, &sum, PLACE_STALLS);
	emit_stall_figures(s, &sum.n);
	emit_warp_occupancy(s, g, &sum.n);
	emit_traffic_figures(s, "coretomem", g->traffic_to_memory);
	emit_traffic_figures(s, "memtocore", g->traffic_to_cores);
	emit_sm_counters(s, &sum, PLACE_RECORD);
}
