/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Peak rates; see peaks.h. A rate is the number of warp instructions of one kind per cycle and SM, times the
 * operations per instruction. For a kind of tensor instruction it is the rate of the largest instruction of
 * the architecture.
 */
#include <stdio.h>
#include "flops.h"
#include "stats/peaks.h"

/* The largest tensor instruction of each kind, with the compute capabilities that have it. */
static const struct tensor_peak {
	const char *opcode;
	unsigned from, until; /* compute capabilities */
	uint32_t work; /* work of the instruction in the modern core's tensor unit, as in core/decode.c */
} tensor_peaks[] = {
	{"HMMA.884.F32.F32.STEP0", 70, 74, 256},
	{"HMMA.1688.F32", 75, 79, 1024},
	{"HMMA.16816.F32", 80, 0, 2048},
	{"HMMA.16816.F32.BF16", 80, 0, 2048},
	{"HMMA.1688.F32.TF32", 80, 0, 1024},
	{"DMMA.884", 80, 0, 1024},
	{"IMMA.8816.S8.S8", 72, 79, 512},
	{"IMMA.16832.S8.S8", 80, 0, 2048},
};

/* Rate of a kind of unit in the legacy core, in warp instructions per cycle and SM. */
static double legacy_unit_rate(const struct core_params *c, enum unit_kind unit, uint32_t interval)
{
	double rate = interval ? (double)c->unit[unit].units / interval : 0;

	return rate < c->schedulers ? rate : c->schedulers;
}

static double modern_unit_rate(const struct modern_params *m, double subs, enum core_unit unit)
{
	return m->interval[unit] ? subs / m->interval[unit] : 0;
}

/* Sets the rates of the kinds that do not use tensor units. */
static void find_scalar_rates(const struct params *p, double rate[N_FLOP_KINDS])
{
	const struct core_params *c = &p->core;
	const struct modern_params *m = &p->modern;
	double subs = c->schedulers;

	if (!m->enabled) {
		uint32_t sp = c->latency[CLASS_SP].interval;

		rate[FLOP_fp32] = 64 * legacy_unit_rate(c, UNIT_SP, sp);
		rate[FLOP_fp64] = 64 * legacy_unit_rate(c, UNIT_DP, c->latency[CLASS_DP].interval);
		rate[FLOP_fp16] = 128 * legacy_unit_rate(c, UNIT_SP, sp > 1 ? sp / 2 : 1);
		return;
	}
	rate[FLOP_fp32] = modern_unit_rate(m, subs, CORE_FP32) +
			  (m->fp32_on_int ? modern_unit_rate(m, subs, CORE_INT) : 0);
	rate[FLOP_fp32] = 64 * (rate[FLOP_fp32] < subs ? rate[FLOP_fp32] : subs);
	rate[FLOP_fp16] = 128 * modern_unit_rate(m, subs, CORE_HALF);
	rate[FLOP_fp64] = 64 * (m->fp64_shared ? modern_unit_rate(m, 1, CORE_FP64_SHARED)
					       : modern_unit_rate(m, subs, CORE_FP64));
}

/* Rate of a tensor instruction, in warp instructions per cycle and SM. */
static double tensor_rate(const struct params *p, const struct tensor_peak *t)
{
	const struct core_params *c = &p->core;
	const struct modern_params *m = &p->modern;
	uint32_t interval;

	if (!m->enabled) {
		enum isa_class class = c->unit[UNIT_SPEC + 2].units ? CLASS_SPEC3 : CLASS_TENSOR;

		return legacy_unit_rate(
			c, class == CLASS_SPEC3 ? UNIT_SPEC + 2 : UNIT_TENSOR, c->latency[class].interval);
	}
	interval = m->tensor_rate ? (t->work + m->tensor_rate - 1) / m->tensor_rate : 0;
	interval = interval > m->interval[CORE_TENSOR] ? interval : m->interval[CORE_TENSOR];
	return interval ? (double)c->schedulers / interval : 0;
}

static void find_tensor_rates(const struct params *p, double rate[N_FLOP_KINDS])
{
	for (size_t i = 0; i < sizeof(tensor_peaks) / sizeof(*tensor_peaks); i++) {
		const struct tensor_peak *t = &tensor_peaks[i];
		unsigned cc = p->modern.sm;
		struct flops f = flops_of(t->opcode);

		if (cc >= t->from && (!t->until || cc <= t->until))
			rate[f.kind] = f.per_warp * tensor_rate(p, t);
	}
}

static void write_peak(
	struct record_writer *w, const char *figure, const char *of, double v, const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s[%s]", figure, of);
	if (v > 0)
		record_real(w, name, v, unit);
}

void peaks_write(struct record_writer *w, const struct params *p)
{
	double rate[N_FLOP_KINDS] = {0};
	const struct memory_params *m = &p->mem;

	find_scalar_rates(p, rate);
	find_tensor_rates(p, rate);
	for (unsigned k = 0; k < N_FLOP_KINDS; k++)
		write_peak(w, "peak_operations", flop_kind_names[k], rate[k] * p->sms * p->hz[0] / 1e9,
			"Goperations/s");
	write_peak(w, "peak_bytes", "l2", 32.0 * m->channels * m->subs * p->hz[2] / 1e9, "GB/s");
	write_peak(w, "peak_bytes", "dram",
		(double)m->channels * m->dram.bus_bytes * m->dram.chips * m->dram.freq_ratio * p->hz[3] / 1e9,
		"GB/s");
}
