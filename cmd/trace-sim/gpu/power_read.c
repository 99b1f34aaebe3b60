/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counters of the power model from all units of the GPU (POWER-count); see power_read.h. */
#include "power_read.h"
#include "arena.h"
#include "bits.h"
#include "uop.h"

/* ---- counters of the SM (POWER-count-1 to 5) -------------------------------------------------------- */

/* Returns the number of operands that a collector unit has not read yet. */
static uint32_t operands_left_to_read(const struct opcoll *c, unsigned unit)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_waiting; i++)
		if (c->waiting[i].unit == unit)
			n += bit_count64(c->waiting[i].banks);
	return n;
}

/* Adds the lanes of operands that are already read for instructions whose unit has not accepted them yet. */
static void add_operands_before_units(struct power_totals *to, const struct sm *s)
{
	const struct power_tables *t = s->power->tables;
	const struct opcoll *c = &s->collector;
	uint64_t units = (c->n_units >= 64 ? UINT64_MAX : (1ull << c->n_units) - 1) & ~c->free;

	FOR_BITS64 (u, units) {
		const struct winst *w = &s->winst[c->unit[u].inst];
		uint32_t left = operands_left_to_read(c, (unsigned)u);

		to->count[POWER_REG_RD] += (t->op[w->code].reads - left) * power_register_lanes(t, w->mask);
	}
	FOR_BITS32 (kind, s->unit_in_used) {
		const struct unit_in *r = &s->unit_in[kind];

		FOR_BITS64 (k, r->all_slots ^ r->free_slots) {
			const struct winst *w = &s->winst[r->slot[k]];
			uint32_t lanes = power_register_lanes(t, w->mask);

			to->count[POWER_REG_RD] += t->op[w->code].reads * lanes;
			to->count[POWER_NON_REG_OPs] += t->op[w->code].others * lanes;
		}
	}
}

static void add_sm_counters(struct power_totals *t, struct sm *s, uint64_t now)
{
	const struct power_sm *p = s->power;

	if (s->live_ctas)
		sm_flush_counters(s, now);
	t->count[POWER_TOT_INST] += (double)p->decoded;
	t->count[POWER_FP_INT] += (double)p->scheduled;
	t->count[POWER_CC_H] += (double)p->constant_loads;
	t->count[POWER_SHRD_ACC] +=
		(double)(s->n.shmem_bkconflict + p->shared_insts_begun - ldst_has_passes_left(s));
	t->count[POWER_REG_RD] += (double)p->reg_reads;
	if (!s->modern)
		add_operands_before_units(t, s);
	t->count[POWER_REG_WR] += (double)p->reg_writes;
	t->count[POWER_NON_REG_OPs] += (double)p->other_operands;
	t->count[POWER_NOC_A] += (double)s->n.flits_out;
	t->active_cycles += s->n.occupied_cycles;
	t->insts += s->n.insts;
	t->unit_lanes += p->unit_lanes;
	t->unit_warps += p->unit_warps;
}

/* ---- counters of caches and memory (POWER-count-6 to 9) ------------------------------------------ */

/* Adds the hits and misses of an access type in a read-only cache. A hit on a reserved line is a hit. */
static void add_readonly_cache_type(
	const struct cache *c, unsigned streams, enum acc_type type, double *hits, double *misses)
{
	for (unsigned i = 0; c && i < streams; i++) {
		const struct cache_counts *n = cache_counts_of(c, i);

		if (!n)
			continue;
		*hits += (double)(n->status[type][STATUS_HIT] + n->status[type][STATUS_HIT_RESERVED]);
		*misses += (double)n->status[type][STATUS_MISS];
	}
}

/*
 * Adds the hits and misses of an access type in an L1. quirk Q7-4: an MSHR hit counts as a hit, and is
 * subtracted from the misses although these do not include it (POWER-count-6).
 */
static void add_l1_access_type(const struct cache_counts *n, enum acc_type type, double *hits, double *misses)
{
	const uint64_t *s = n->status[type];
	double hit = (double)(s[STATUS_HIT] + s[STATUS_MSHR_HIT]);

	*hits += hit;
	*misses += (double)(s[STATUS_HIT] + s[STATUS_MISS] + s[STATUS_SECTOR_MISS]) - hit;
}

static void add_l1_counters(struct power_totals *t, const struct cache *c, unsigned streams)
{
	double *n = t->count;

	for (unsigned i = 0; c && i < streams; i++) {
		const struct cache_counts *k = cache_counts_of(c, i);

		if (!k)
			continue;
		add_l1_access_type(k, GLOBAL_ACC_R, &n[POWER_DC_RH], &n[POWER_DC_RM]);
		add_l1_access_type(k, LOCAL_ACC_R, &n[POWER_DC_RH], &n[POWER_DC_RM]);
		add_l1_access_type(k, GLOBAL_ACC_W, &n[POWER_DC_WH], &n[POWER_DC_WM]);
		add_l1_access_type(k, LOCAL_ACC_W, &n[POWER_DC_WH], &n[POWER_DC_WM]);
	}
}

static void add_l2_access_types(
	const struct cache_counts *n, const uint8_t *type, unsigned types, double *hits, double *misses)
{
	for (unsigned i = 0; i < types; i++) {
		const uint64_t *s = n->status[type[i]];

		*hits += (double)(s[STATUS_HIT] + s[STATUS_HIT_RESERVED]);
		*misses += (double)(s[STATUS_MISS] + s[STATUS_SECTOR_MISS]);
	}
}

static void add_l2_counters(struct power_totals *t, const struct cache *c, unsigned streams)
{
	static const uint8_t reads[] = {GLOBAL_ACC_R, LOCAL_ACC_R, CONST_ACC_R, TEXTURE_ACC_R, INST_ACC_R};
	static const uint8_t writes[] = {GLOBAL_ACC_W, LOCAL_ACC_W, L1_WRBK_ACC};
	double *n = t->count;

	for (unsigned i = 0; c && i < streams; i++) {
		const struct cache_counts *k = cache_counts_of(c, i);

		if (!k)
			continue;
		add_l2_access_types(k, reads, sizeof(reads), &n[POWER_L2_RH], &n[POWER_L2_RM]);
		add_l2_access_types(k, writes, sizeof(writes), &n[POWER_L2_WH], &n[POWER_L2_WM]);
	}
}

static void read_dram_bursts(struct gpu *g, struct power_totals *t)
{
	uint64_t bursts[3] = {0};

	memory_add_bursts(g->mem, bursts);
	t->count[POWER_MEM_RD] = (double)bursts[0];
	t->count[POWER_MEM_WR] = (double)bursts[1];
	t->count[POWER_MEM_PRE] = (double)bursts[2];
}

/* Returns true if, until the next thread block is placed, only the counters of DRAM can change. */
static bool only_dram_can_change(const struct gpu *g)
{
	return !gpu_has_live_cta(g) && net_is_empty(g->net) && !memory_is_busy(g->mem);
}

/* Reads all counters, or reuses the last ones if the GPU has been quiet since. */
static void read_totals(struct gpu *g, struct power_totals *t)
{
	unsigned streams = g->n_streams;
	struct power_meter *m = g->power;
	uint64_t placed = g->tot_issued_ctas + g->issued_ctas;
	double *n = t->count;

	if (m->only_dram_changed && placed == m->placed) {
		*t = m->totals_at_span_end;
		read_dram_bursts(g, t);
		return;
	}
	m->only_dram_changed = only_dram_can_change(g);
	m->placed = placed;
	*t = (struct power_totals){.insts = 0};
	for (uint32_t i = 0; i < g->params.sms; i++) {
		struct sm *s = &g->sm[i];

		add_sm_counters(t, s, gpu_now(g));
		add_readonly_cache_type(s->l1i, streams, INST_ACC_R, &n[POWER_IC_H], &n[POWER_IC_M]);
		add_readonly_cache_type(ldst_l1t(s), streams, TEXTURE_ACC_R, &n[POWER_TC_H], &n[POWER_TC_M]);
		add_l1_counters(t, ldst_l1d(s), streams);
	}
	for (uint32_t i = 0; i < g->params.clusters; i++)
		n[POWER_NOC_A] += (double)g->cluster[i].flits_in;
	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++)
		add_l2_counters(t, memory_l2(g->mem, i), streams);
	read_dram_bursts(g, t);
}

/* ---- the run ----------------------------------------------------------------------------------------- */

void power_start(struct gpu *g, const struct power_setup *setup)
{
	g->power = power_meter_new(setup, &g->params);
	for (uint32_t i = 0; i < g->params.sms; i++) {
		g->sm[i].power = &g->power->sm[i];
		g->sm[i].observed = true;
	}
}

void power_end(struct gpu *g)
{
	power_meter_free(g->power);
	g->power = NULL;
}

void power_classify_code(struct gpu *g, uint32_t code)
{
	const struct inst *in = code_at(g->code, code);
	const struct uop *u = &g->uops[code];
	unsigned reads = 0;

	for (unsigned i = 0; i < u->n_bank_src; i++)
		reads += uop_reads_bank(u, i);
	if (in->ptx)
		power_op_make_ptx(&g->power->tables.op[code], in, reads);
	else
		power_op_make(&g->power->tables.op[code], in, reads);
}

void power_mark_ptx_floats(struct kernel *k)
{
	uint32_t n = k->head->code_end / 8 + 2;

	k->floating = xcalloc(n, sizeof(*k->floating));
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *opcode = trace_ptx_opcode(k->trace, 8 * i, &len);

		k->floating[i] = opcode && power_ptx_is_floating(opcode, len);
	}
}

void power_update_duty(struct gpu *g) { power_duty_add_rows(g->power, gpu_now(g)); }

void power_sample_if_due(struct gpu *g)
{
	struct power_meter *m = g->power;
	struct power_totals t;

	power_duty_add_rows_if_full(m, gpu_now(g));
	if (gpu_now(g) < m->next_sample_at)
		return;
	power_update_duty(g);
	read_totals(g, &t);
	power_meter_take_sample(m, gpu_now(g), &t);
}

void power_update_energies(struct gpu *g, bool closes)
{
	struct power_totals t;

	power_update_duty(g);
	read_totals(g, &t);
	if (closes)
		power_meter_close_span(g->power, gpu_now(g), &t);
	else
		power_meter_update_open_span(g->power, gpu_now(g), &t);
	g->power->only_dram_changed &=
		closes; /* at the end of an interval, m->totals_at_span_end does not have the values of t */
}

void power_end_block(struct gpu *g, char *const *name, const uint32_t *uid, uint32_t n)
{
	const struct power_block b = {name, uid, n, gpu_now(g), g->cycle, &g->power->totals_at_span_end};

	power_meter_report_block(g->power, &b);
}
