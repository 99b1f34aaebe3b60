/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: what a row of a measured file asks for, as micro-traces that a machine can run.
 *
 * probes.def has one row for every kind of probe; the parser, the manual page and the groups of the summary
 * follow from it. A row that no probe can make says why. A probe's figure depends on the machine and the row
 * alone.
 */
#ifndef SELFTEST_PROBE_H
#define SELFTEST_PROBE_H

#include <stdio.h>
#include "params.h"
#include "selftest/measured.h"

/* The machine that figures are simulated on. */
struct subject {
	struct params params;
	const struct isa *isa;
	uint32_t arch; /* binary version of the traces, from the compute capability */
};

#define PROBE_NUMBERS 4u

struct probe;
typedef double probe_run(const struct probe *p, const struct subject *s);

struct probe {
	const struct probe_kind *kind;
	double n[PROBE_NUMBERS]; /* values of the kind's parameters, in its order */
	const char *rest;        /* of the workload's name behind the kind's, "" for none */
	const char *params;      /* as the row has them */
	char group[24];          /* of the summary */
};

/*
 * names: the parameters that must be there, separated by blanks; behind '=' the value of one that may be left
 * out. ready: fills in what the row's words mean, and judges; NULL and *why (static text) where it cannot be
 * made.
 */
struct probe_kind {
	const char *workload, *names, *unit, *help;
	probe_run *run;
	bool (*ready)(
		struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
};

extern const struct probe_kind probe_kinds[];
extern const unsigned n_probe_kinds;

/* The probe of a row on this machine; with: what is said of its tool. false and *why: it cannot be made. */
bool probe_of(struct probe *p, const struct measured_row *r, const struct measured *with,
	const struct subject *s, const char **why);
/* Prints the workloads of trace-sim-gpus(7). */
void probe_man(FILE *out);
/* Is it "name=number", of a parameter that any kind has? */
bool probe_takes(const char *define);

/* probe_core.c */
probe_run probe_ffma_loop, probe_ffma_fixed, probe_empty, probe_chain, probe_rate, probe_conflict,
	probe_atomic;
bool probe_chain_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_grid_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_rate_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_codes.c */
probe_run probe_codes;
bool probe_codes_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_chase.c */
probe_run probe_chase;
bool probe_chase_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_flow.c */
probe_run probe_l1_flow, probe_l2_flow;
bool probe_flow_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_stream.c */
probe_run probe_stream, probe_small;
bool probe_stream_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_small_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_stride.c */
probe_run probe_stride;
bool probe_stride_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/*
 * Bytes that the L1 holds beside CTAs of so many threads without shared memory of their own, and the whole
 * L2.
 */
uint64_t subject_l1_bytes(const struct subject *s, uint32_t threads);
uint64_t subject_l2_bytes(const struct subject *s);
/* Bytes in so many core cycles, as GB/s. */
double subject_rate(const struct subject *s, double bytes, double cycles);
/* The whole number that a parameter stands for: 1 to 1e9. */
uint32_t probe_count(double v);

#endif
