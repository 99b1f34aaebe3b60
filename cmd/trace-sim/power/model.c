/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power model: a linear function of the counters of a sample, plus static power from a table, plus a
 * constant. Always true: all terms are evaluated in double, in the order of the formulas of
 * trace-sim-power(7).
 */
#include "model.h"
#include <math.h>

#define ACTIVITY(id) (s->count[POWER_##id] * c->factor[POWER_##id])
#define ENERGY(id)   c->energy[POWER_ENERGY_##id]

double power_model_seconds(const struct power_gpu *g, double cycles) { return cycles / (g->mhz * 1e6); }

/*
 * Computes the power of instruction processing in the SMs (POWER-component-1). t: duration of the sample in
 * seconds.
 */
static void compute_core_watts(const struct power_config *c, double t, struct power_sample *s)
{
	double *w = s->watt;

	w[POWER_IBP] = ACTIVITY(TOT_INST) * ENERGY(inst_buffer) / t;
	w[POWER_ICP] = (ACTIVITY(IC_H) * ENERGY(icache_hit) + ACTIVITY(IC_M) * ENERGY(icache_miss)) / t;
	w[POWER_DCP] =
		(ACTIVITY(DC_RH) * ENERGY(dcache_read_hit) + ACTIVITY(DC_RM) * ENERGY(dcache_read_miss) +
			ACTIVITY(DC_WH) * ENERGY(dcache_write_hit) +
			ACTIVITY(DC_WM) * ENERGY(dcache_write_miss)) /
		t;
	w[POWER_TCP] = (ACTIVITY(TC_H) * ENERGY(tcache_hit) + ACTIVITY(TC_M) * ENERGY(tcache_miss)) / t;
	w[POWER_CCP] = (ACTIVITY(CC_H) * ENERGY(ccache_hit) + ACTIVITY(CC_M) * ENERGY(ccache_miss)) / t;
	w[POWER_SHRDP] = ACTIVITY(SHRD_ACC) * ENERGY(shared) / t;
	w[POWER_RFP] = (ACTIVITY(REG_RD) * ENERGY(reg_read) + ACTIVITY(REG_WR) * ENERGY(reg_write) +
			       ACTIVITY(NON_REG_OPs) * ENERGY(non_reg_operand)) /
		       t;
	w[POWER_SCHEDP] = ACTIVITY(FP_INT) * ENERGY(scheduler) / t;
}

/*
 * Computes the power of the execution units (POWER-component-2). Their counters already contain the factors.
 */
static void compute_unit_watts(const struct power_config *c, double t, struct power_sample *s)
{
	s->watt[POWER_INTP] = s->count[POWER_INT_ACC] * ENERGY(int) / t;
	s->watt[POWER_FPUP] = s->count[POWER_FPU_ACC] * ENERGY(fpu) / t;
	s->watt[POWER_DPUP] = s->count[POWER_DPU_ACC] * ENERGY(fpu) / t;
	for (unsigned i = 0; i <= POWER_TEX_ACC - POWER_INT_MUL24_ACC; i++)
		s->watt[POWER_INT_MUL24P + i] = s->count[POWER_INT_MUL24_ACC + i] * ENERGY(sfu) / t;
}

/* Computes the power outside the SMs (POWER-component-3). */
static void compute_memory_watts(const struct power_config *c, double t, struct power_sample *s)
{
	double reads = ACTIVITY(DC_RH) + ACTIVITY(DC_RM) + ACTIVITY(CC_H) + ACTIVITY(CC_M) + ACTIVITY(TC_H) +
		       ACTIVITY(TC_M);
	double writes = ACTIVITY(DC_WH) + ACTIVITY(DC_WM);

	s->watt[POWER_L2CP] =
		(ACTIVITY(L2_RH) * ENERGY(l2_read_hit) + ACTIVITY(L2_RM) * ENERGY(l2_read_miss) +
			ACTIVITY(L2_WH) * ENERGY(l2_write_hit) + ACTIVITY(L2_WM) * ENERGY(l2_write_miss)) /
		t;
	s->watt[POWER_MCP] = (ACTIVITY(MEM_RD) * ENERGY(mc_read) + ACTIVITY(MEM_WR) * ENERGY(mc_write) +
				     reads * ENERGY(coalesce_read) + writes * ENERGY(coalesce_write)) /
				     t +
			     ENERGY(mc_background_watt);
	s->watt[POWER_NOCP] = ACTIVITY(NOC_A) * ENERGY(noc) / t;
	s->watt[POWER_DRAMP] = (ACTIVITY(MEM_RD) * ENERGY(dram_read) + ACTIVITY(MEM_WR) * ENERGY(dram_write) +
				       ACTIVITY(MEM_PRE) * ENERGY(dram_precharge)) /
			       t;
}

/* ---- static power (POWER-static) ------------------------------------------------------------------- */

static bool has_any_count(const struct power_sample *s, unsigned a, unsigned b, unsigned c)
{
	return s->count[a] != 0 || s->count[b] != 0 || s->count[c] != 0;
}

/* Returns the row of the static power table for a sample in which a unit was active (POWER-static-2). */
static enum power_static static_row_of_sample(const struct power_sample *s)
{
	bool fp = has_any_count(s, POWER_FPU_ACC, POWER_FP_MUL_ACC, POWER_FP_DIV_ACC);
	bool dp = has_any_count(s, POWER_DPU_ACC, POWER_DP_MUL_ACC, POWER_DP_DIV_ACC);
	bool sfu = has_any_count(s, POWER_FP_SQRT_ACC, POWER_FP_LG_ACC, POWER_FP_SIN_ACC) ||
		   s->count[POWER_FP_EXP_ACC] != 0;
	bool tensor = s->count[POWER_TENSOR_ACC] != 0, tex = s->count[POWER_TEX_ACC] != 0;
	bool mul = has_any_count(s, POWER_INT_MUL24_ACC, POWER_INT_MUL32_ACC, POWER_INT_MUL_ACC) ||
		   s->count[POWER_INT_DIV_ACC] != 0;
	unsigned others = (unsigned)dp + sfu + tensor + tex;

	if (!fp && !others)
		return mul ? POWER_STATIC_cat1 : POWER_STATIC_intadd;
	if (!fp || others > 1)
		return POWER_STATIC_geomean;
	if (dp)
		return POWER_STATIC_cat3;
	if (tensor)
		return POWER_STATIC_cat6;
	if (sfu)
		return POWER_STATIC_cat4;
	return tex ? POWER_STATIC_cat5 : POWER_STATIC_cat2;
}

/*
 * Returns the static power of a sample. quirk Q7-11: a sample without active units always uses the row of the L1
 * (POWER-static-1).
 */
static double static_power_watts(
	const struct power_config *c, const struct power_gpu *g, const struct power_sample *s)
{
	double active = (g->sms - s->count[POWER_IDLE_CORE_N]) / g->sms, lanes = ceil(s->threads);
	const struct power_lanes *l;

	if (lanes == 0)
		return c->lanes[POWER_STATIC_l1].first_watt * active;
	l = &c->lanes[static_row_of_sample(s)];
	return (l->first_watt + (lanes - 1) * l->more_watt) * active;
}

/* ---- totals (POWER-total) --------------------------------------------------------------------------- */

void power_model(const struct power_config *c, const struct power_gpu *g, struct power_sample *s)
{
	double t = power_model_seconds(g, s->cycles);

	compute_core_watts(c, t, s);
	compute_unit_watts(c, t, s);
	compute_memory_watts(c, t, s);
	s->watt[POWER_PIPEP] = ACTIVITY(PIPE_A) * s->cycles * g->sms * ENERGY(pipeline) / t;
	s->watt[POWER_IDLE_COREP] = s->count[POWER_IDLE_CORE_N] * c->idle_sm_watt;
	s->watt[POWER_CONSTP] = c->constant_watt;
	s->watt[POWER_STATICP] = static_power_watts(c, g, s);
	s->dynamic = 0;
	for (unsigned i = 0; i < POWER_CONSTP; i++)
		s->dynamic += s->watt[i];
	s->total = s->dynamic + s->watt[POWER_CONSTP] + s->watt[POWER_STATICP];
}

/* Scales the components by a voltage. quirk Q7-12: the total contains the unscaled dynamic power. */
void power_model_scale_voltage(const struct power_config *c, double volt, struct power_sample *s)
{
	double ratio = volt / c->reference_volt;

	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		s->watt[i] *= i == POWER_IDLE_COREP || i == POWER_STATICP ? ratio : ratio * ratio;
	s->total = s->dynamic + s->watt[POWER_CONSTP] + s->watt[POWER_STATICP];
}
