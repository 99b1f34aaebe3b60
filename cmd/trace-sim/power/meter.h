/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power of a run: samples, the sums over kernels and over the run, energies, and the output files of the
 * original. Files: meter.c (building, samples, spans), duty.c (POWER-duty), sums.c, report.c (POWER-report),
 * files.c (traces, steady states), measured.c (modes 1 and 2), classes.c and ptx_classes.c (POWER-class),
 * model.c.
 *
 * Always true: the power model does not change the simulation. gpu/power_read.c provides counters as totals
 * since the start of the run, and a sample is the difference between two such totals. Samples reproduce the
 * original, including its errors. Spans do not exist in the original: a span ends with a sample, a kernel or
 * an interval, and the energies are sums over spans.
 */
#ifndef POWER_METER_H
#define POWER_METER_H

#include "bytes.h"
#include "inst.h"
#include "output.h"
#include "params.h"
#include "power/counts.h"
#include "power/model.h"

enum power_mode { POWER_SIMULATED, POWER_MEASURED, POWER_HYBRID, POWER_NO_SAMPLES };

/* Options and inputs of the model. Strings must remain valid for the whole run. */
struct power_setup {
	struct power_config config;
	enum power_mode mode;
	uint32_t interval;         /* number of core cycles between samples */
	bool from_sim[N_POWER_HW]; /* mode 2: true for each input that comes from the simulation */
	struct power_hw_table table;
	const char *benchmark; /* benchmark whose rows of the table are used */
	bool aggregate, voltage_scaling, clock_gated_lanes;
	uint32_t gating_group; /* number of lanes per gating group; 0: register accesses are not gated */
	bool traces, steady;
	double steady_deviation, steady_samples;
	int level;        /* compression level of the traces' headers */
	bool unvalidated; /* true with the modern core, or with energies that the user provides */
	FILE *report;     /* file of the power report; NULL: not written */
	FILE *power_trace, *metric_trace, *steady_file;
};

/* Totals since the start of the run. struct power_sm has the counters of units. */
struct power_totals {
	double count[N_POWER_COUNTERS];
	uint64_t active_cycles; /* number of cycles with a thread block, summed over the SMs */
	uint64_t insts;         /* thread instructions */
	uint64_t unit_lanes, unit_warps;
};

/* Sums over samples (POWER-total-2). */
struct power_extreme {
	double total, watt[N_POWER_COMPONENTS], count[N_POWER_COUNTERS];
};
struct power_sums {
	uint64_t n;
	double total, threads, watt[N_POWER_COMPONENTS], count[N_POWER_COUNTERS];
	struct power_extreme highest, lowest;
};
void power_sums_add(struct power_sums *s, const struct power_sample *p);

/* Energies summed over spans: joules by component, and seconds. */
struct power_energies {
	double joule[N_POWER_COMPONENTS];
	double seconds;
};
static inline double power_energies_total(const struct power_energies *e)
{
	double sum = 0;

	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		sum += e->joule[i];
	return sum;
}

/* The current steady state (POWER-file-3). */
struct power_steady {
	uint32_t n;         /* number of samples of the state */
	uint32_t start;     /* index of the state's first sample */
	uint32_t n_samples; /* number of samples of the run */
	double sum, count[N_POWER_COUNTERS];
	uint64_t insts; /* thread instructions of the run when the state began */
	bool written;   /* true if a row has been written */
};

struct power_meter {
	const struct power_setup *setup;
	struct power_gpu gpu;
	struct power_tables tables;
	struct power_sm *sm;     /* counters of each SM */
	uint64_t next_sample_at; /* cycle of the next sample */
	bool modern;
	/* sum of the duty since the last sample, in the original's precision; buffer for one row of it */
	float duty, duty_per_tick[POWER_DUTY_ROW];
	double duty_at_last_span;
	struct power_totals totals_at_sample,
		totals_at_span_end;      /* totals at the last sample, and at the end of the last span */
	bool only_dram_changed;          /* true if only DRAM counters have changed since the last span */
	uint64_t placed;                 /* placed thread blocks for which only_dram_changed is valid */
	uint64_t last_span_end;          /* cycle at which the last span ended */
	struct power_sample last_sample; /* newest sample */
	struct power_sums kernel, run;
	uint64_t block_at; /* cycle of the last statistics block */
	/* sums of the kernel at the last statistics block or power_meter_update_open_span() */
	struct power_sums shown;
	struct power_energies energy;                /* energies of all closed spans */
	struct power_energies energy_with_open_span; /* energies, including those of the open span */
	struct power_steady steady;
	struct power_saved *saved; /* state of power modes 1 and 2; NULL in mode 0 */
};

struct power_meter *power_meter_new(const struct power_setup *s, const struct params *p);
void power_meter_free(struct power_meter *m);

/* duty.c: adds up the duty of the cycles before `now`. */
void power_duty_add_rows(struct power_meter *m, uint64_t now);
/* Calls power_duty_add_rows() if the rows are at least half full. */
static inline void power_duty_add_rows_if_full(struct power_meter *m, uint64_t now)
{
	if (now - m->tables.row_start >= POWER_DUTY_ROW / 2)
		power_duty_add_rows(m, now);
}
/* Mean duty of the interval that ends now (POWER-duty-2). */
float power_duty_mean(const struct power_meter *m);
/* Mean number of idle SMs in the interval. active_cycles: sum over the SMs of cycles that were not idle. */
float power_idle_sms(const struct power_meter *m, uint64_t active_cycles);

/* meter.c: takes a sample in mode 0. power_duty_add_rows() must have been called. */
void power_meter_take_sample(struct power_meter *m, uint64_t now, const struct power_totals *t);
/* Ends the open span, at a sample or at the end of a kernel. */
void power_meter_close_span(struct power_meter *m, uint64_t now, const struct power_totals *t);
/* Updates m->energy_with_open_span. */
void power_meter_update_open_span(struct power_meter *m, uint64_t now, const struct power_totals *t);
/* Kernels, times and totals of a statistics block. */
struct power_block {
	char *const *name;
	const uint32_t *uid;
	uint32_t n;
	uint64_t now;    /* cycle of the run */
	uint64_t cycles; /* number of cycles since the last block */
	const struct power_totals *totals;
};
/* Writes the sums of the kernel to the report at a statistics block. Clears the sums. */
void power_meter_report_block(struct power_meter *m, const struct power_block *b);
/*
 * Adds to s the counts of units since the last sample or, with `marked`, since the last span. keep: the next
 * difference starts here.
 */
void power_add_unit_counts(struct power_meter *m, struct power_sample *s, bool marked, bool keep);

/* classes.c, ptx_classes.c */
void power_op_make(struct power_op *op, const struct inst *in, unsigned reads);
/* Returns true if the opcode of n bytes has the operand class FP. */
bool power_ptx_is_floating(const char *opcode, size_t n);
void power_op_make_ptx(struct power_op *op, const struct inst *in, unsigned reads);

/* report.c */
void power_report_block(const struct power_meter *m, const struct power_block *b);

/* files.c */
void power_files_write_headers(const struct power_meter *m);
void power_files_write_row(const struct power_meter *m, const struct power_sample *p);
void power_steady_sample(struct power_meter *m, const struct power_sample *p, uint64_t insts);
void power_steady_end(struct power_meter *m, uint64_t insts, bool at_block);

/* measured.c */
void power_measured_start(struct power_meter *m);
void power_measured_free(struct power_meter *m);
/* Takes the only sample of a statistics block (POWER-hw). */
void power_measured_sample(struct power_meter *m, const struct power_block *b);

#endif
