/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the caches of the SMs and of the L2 (CACHE-stat). quirk Q3-23: L1D_cache_core is per cluster.
 *
 * Always true: totals, and the lines per cluster and per slice, are over all streams. The breakdowns in a
 * block are for its stream, or for each stream one by one if the block has no stream. In records they are
 * over all streams. Only kernels from PTX access the L1C and the L1T.
 */
#include <assert.h>
#include <string.h>
#include "stats_int.h"

struct cache_sum {
	uint64_t accesses, misses, pending_hits, fails;
};

static struct cache_sum sum_statuses(const struct cache_counts *c)
{
	struct cache_sum t = {0};

	for (int type = 0; type < N_ACC_TYPES; type++) {
		const uint64_t *n = c->status[type];

		t.accesses += n[STATUS_HIT] + n[STATUS_MISS] + n[STATUS_SECTOR_MISS] + n[STATUS_HIT_RESERVED];
		t.misses += n[STATUS_MISS] + n[STATUS_SECTOR_MISS];
		t.pending_hits += n[STATUS_HIT_RESERVED];
		t.fails += n[STATUS_RESERVATION_FAIL];
	}
	return t;
}

static void add_cache_sum(struct cache_sum *to, struct cache_sum t)
{
	to->accesses += t.accesses;
	to->misses += t.misses;
	to->pending_hits += t.pending_hits;
	to->fails += t.fails;
}

/* Returns the sum of a cache's counts over all streams. cache may be NULL. */
static struct cache_sum sum_cache(const struct gpu *g, const struct cache *cache)
{
	struct cache_sum all = {0};

	for (unsigned i = 0; cache && i < g->n_streams; i++)
		if (cache_counts_of(cache, i))
			add_cache_sum(&all, sum_statuses(cache_counts_of(cache, i)));
	return all;
}

static void add_ports(struct cache_ports *to, const struct cache *cache)
{
	struct cache_ports p;

	if (!cache)
		return;
	p = cache_port_counts(cache);
	to->cycles += p.cycles;
	to->data_busy += p.data_busy;
	to->fill_busy += p.fill_busy;
}

/*
 * Emits the lines "LEVEL_total_cache_accesses = n" and so on. The block has a rate only if there are
 * accesses.
 */
static void emit_cache_totals(struct stats_sink *s, const char *level, struct cache_sum t)
{
	char name[64];

#define NAMED(suffix) (snprintf(name, sizeof(name), "%s_total_cache_" suffix, level), name)
	stats_line64(s, NAMED("accesses"), t.accesses);
	stats_line64(s, NAMED("misses"), t.misses);
	if (t.accesses || is_sink_collecting(s))
		stats_line_real(
			s, NAMED("miss_rate"), F4, quotient_double((double)t.misses, (double)t.accesses));
	stats_line64(s, NAMED("pending_hits"), t.pending_hits);
	stats_line64(s, NAMED("reservation_fails"), t.fails);
#undef NAMED
}

static void emit_cache_ports(
	struct stats_sink *s, const char *data_name, const char *fill_name, struct cache_ports p)
{
	struct quotient data = quotient(p.data_busy, p.cycles), fill = quotient(p.fill_busy, p.cycles);

	if (!p.cycles)
		data.shown = fill.shown = 0;
	stats_line_real(s, data_name, F3, data);
	stats_line_real(s, fill_name, F3, fill);
}

/* Emits "NAME[i]: Access = ..." for the L1Ds of a cluster or for an L2 slice. */
static void emit_one_cache(struct stats_sink *s, const char *name, unsigned i, struct cache_sum t)
{
	struct quotient rate = quotient_double((double)t.misses, (double)t.accesses);

	stats_text(s, name);
	stats_value(s, "[", i, "]: ");
	stats_prefix(s, "%s[%u].", name + (*name == '\t'), i);
	s->sparse = true;
	emit_field64(s, "Access", " = ", t.accesses, ", ");
	emit_field64(s, "Miss", " = ", t.misses, ", ");
	emit_field_real(s, "Miss_rate", " = ", F3, rate, ", ");
	emit_field64(s, "Pending_hits", " = ", t.pending_hits, ", ");
	emit_field64(s, "Reservation_fails", " = ", t.fails, "\n");
	s->sparse = false;
	stats_prefix(s, "%s", "");
}

/* ---- breakdowns ------------------------------------------------------------------------------ */

/* Returns "NAME[TYPE][WHAT]". Avoids printf(), because a block has hundreds of such names. */
static const char *breakdown_name(char full[96], const char *name, int type, const char *what)
{
	assert(strlen(name) + strlen(acc_type_names[type]) + strlen(what) + sizeof("[][]") <= 96);
	stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(full, name), "["), acc_type_names[type]), "]["), what),
		"]");
	return full;
}

static void emit_cache_statuses(struct stats_sink *s, const char *name, const struct cache_counts *c)
{
	uint64_t total[N_ACC_TYPES] = {0};
	char full[96];

	for (int type = 0; type < N_ACC_TYPES; type++) {
		for (int st = 0; st < N_STATUS; st++) {
			uint64_t n = c->status[type][st];

			if (st != STATUS_RESERVATION_FAIL && st != STATUS_MSHR_HIT)
				total[type] += n;
			if (!n && s->sparse && is_sink_collecting(s))
				continue;
			stats_line64(s, breakdown_name(full, name, type, cache_status_names[st]), n);
		}
	}
	for (int type = 0; type < N_ACC_TYPES; type++) {
		uint32_t wrapped = (uint32_t)total[type];

		breakdown_name(full, name, type, "TOTAL_ACCESS");
		if (wrapped || (is_sink_collecting(s) && total[type]))
			emit_field_count(s, full, " = ", wrapped, total[type], SHOW_64, "\n");
	}
}

static void emit_cache_fails(struct stats_sink *s, const char *name, const struct cache_counts *c)
{
	char full[96];

	for (int type = 0; type < N_ACC_TYPES; type++) {
		for (int why = 0; why < N_FAILS; why++) {
			if (!c->fail[type][why])
				continue;
			breakdown_name(full, name, type, cache_fail_names[why]);
			stats_line64(s, full, c->fail[type][why]);
		}
	}
}

/* The caches that a breakdown covers: the L2, or all caches of the SMs. */
struct cache_level {
	struct gpu *gpu;
	bool is_l2;
};

static void add_access_counts(struct cache_counts *to, const struct cache_counts *n)
{
	for (int type = 0; type < N_ACC_TYPES; type++) {
		for (int st = 0; st < N_STATUS; st++)
			to->status[type][st] += n->status[type][st];
		for (int why = 0; why < N_FAILS; why++)
			to->fail[type][why] += n->fail[type][why];
	}
}

static bool add_stream_counts(const struct cache *cache, unsigned stream, struct cache_counts *sum)
{
	const struct cache_counts *n = cache ? cache_counts_of(cache, stream) : NULL;

	if (n)
		add_access_counts(sum, n);
	return n;
}

/*
 * Sums the counts of a stream over the caches of a level. Returns false if no cache has counts of the stream;
 * nothing is then printed.
 */
static bool sum_stream_counts(const struct cache_level *l, unsigned stream, struct cache_counts *sum)
{
	struct gpu *g = l->gpu;
	bool any = false;

	memset(sum, 0, sizeof(*sum));
	if (l->is_l2) {
		for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++)
			any |= add_stream_counts(memory_l2(g->mem, i), stream, sum);
		return any;
	}
	for (uint32_t i = 0; i < g->params.sms; i++) {
		any |= add_stream_counts(g->sm[i].l1i, stream, sum);
		any |= add_stream_counts(ldst_l1d(&g->sm[i]), stream, sum);
		any |= add_stream_counts(ldst_l1c(&g->sm[i]), stream, sum);
		any |= add_stream_counts(ldst_l1t(&g->sm[i]), stream, sum);
	}
	return any;
}

/* Sets order[] to the streams in ascending order of id. Returns the number of streams. */
static unsigned sorted_streams(const struct gpu *g, uint16_t order[MAX_STREAMS])
{
	unsigned n = 0;

	for (uint32_t i = 0; i < g->n_streams; i++) {
		unsigned k = n++;

		for (; k && g->streams[order[k - 1]] > g->streams[i]; k--)
			order[k] = order[k - 1];
		order[k] = (uint16_t)i;
	}
	return n;
}

static void emit_cache_streams(struct stats_sink *s, const struct cache_level *l, const char *name,
	void (*walk)(struct stats_sink *s, const char *name, const struct cache_counts *c))
{
	struct cache_counts sum, all = {0};
	uint16_t order[MAX_STREAMS];
	unsigned n = sorted_streams(l->gpu, order);

	for (unsigned i = 0; i < n; i++) {
		if (s->block && s->block->stream != UINT64_MAX &&
			s->block->stream != l->gpu->streams[order[i]])
			continue;
		if (!sum_stream_counts(l, order[i], &sum))
			continue;
		if (is_sink_collecting(s))
			add_access_counts(&all, &sum);
		else
			walk(s, name, &sum);
	}
	if (is_sink_collecting(s)) {
		s->sparse = true;
		walk(s, name, &all);
		s->sparse = false;
	}
}

/* ---- the two levels of caches ---------------------------------------------------------------- */

static void emit_l1d_figures(struct stats_sink *s, struct gpu *g)
{
	struct cache_sum total = {0};
	struct cache_ports ports = {0};

	stats_text(s, "L1D_cache:\n");
	for (uint32_t c = 0; c < g->params.clusters; c++) {
		struct cache_sum one = {0};

		for (uint32_t i = 0; i < g->params.sms; i++)
			if (g->sm[i].cluster == c)
				add_cache_sum(&one, sum_cache(g, ldst_l1d(&g->sm[i])));
		emit_one_cache(s, "\tL1D_cache_core", c, one);
		add_cache_sum(&total, one);
	}
	for (uint32_t i = 0; i < g->params.sms; i++)
		add_ports(&ports, ldst_l1d(&g->sm[i]));
	emit_cache_totals(s, "\tL1D", total);
	emit_cache_ports(s, "\tL1D_cache_data_port_util", "\tL1D_cache_fill_port_util", ports);
}

static struct cache_sum sum_sms(struct gpu *g, struct cache *(*of)(const struct sm *s))
{
	struct cache_sum t = {0};

	for (uint32_t i = 0; i < g->params.sms; i++)
		add_cache_sum(&t, sum_cache(g, of(&g->sm[i])));
	return t;
}

void stats_emit_core_caches(struct stats_sink *s, struct gpu *g)
{
	const struct core_params *core = &g->params.core;
	struct cache_level level = {g, false};

	if (core->l1i.present) {
		struct cache_sum l1i = {0};

		for (uint32_t i = 0; i < g->params.sms; i++)
			add_cache_sum(&l1i, sum_cache(g, g->sm[i].l1i));
		stats_text(s, "\n========= Core cache stats =========\nL1I_cache:\n");
		emit_cache_totals(s, "\tL1I", l1i);
	}
	if (core->l1d.present)
		emit_l1d_figures(s, g);
	if (core->l1c.present) {
		stats_text(s, "L1C_cache:\n");
		emit_cache_totals(s, "\tL1C", sum_sms(g, ldst_l1c));
	}
	if (core->l1t.present) {
		stats_text(s, "L1T_cache:\n");
		emit_cache_totals(s, "\tL1T", sum_sms(g, ldst_l1t));
	}
	stats_text(s, "\nTotal_core_cache_stats:\n");
	emit_cache_streams(s, &level, "\tTotal_core_cache_stats_breakdown", emit_cache_statuses);
	stats_text(s, "\nTotal_core_cache_fail_stats:\n");
	emit_cache_streams(s, &level, "\tTotal_core_cache_fail_stats_breakdown", emit_cache_fails);
}

void stats_emit_l2(struct stats_sink *s, struct gpu *g)
{
	struct cache_level level = {g, true};
	struct cache_sum total = {0};
	struct cache_ports ports = {0};

	if (!g->params.mem.l2.present)
		return;
	stats_text(s, "\n========= L2 cache stats =========\n");
	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++) {
		struct cache_sum one = sum_cache(g, memory_l2(g->mem, i));

		emit_one_cache(s, "L2_cache_bank", i, one);
		add_cache_sum(&total, one);
		add_ports(&ports, memory_l2(g->mem, i));
	}
	emit_cache_totals(s, "L2", total);
	stats_text(s, "L2_total_cache_breakdown:\n");
	emit_cache_streams(s, &level, "\tL2_cache_stats_breakdown", emit_cache_statuses);
	stats_text(s, "L2_total_cache_reservation_fail_breakdown:\n");
	emit_cache_streams(s, &level, "\tL2_cache_stats_fail_breakdown", emit_cache_fails);
	emit_cache_ports(s, "L2_cache_data_port_util", "L2_cache_fill_port_util", ports);
}
