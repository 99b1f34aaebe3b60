/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: micro-traces that reproduce the measurement of a row of a measured file on a simulated GPU.
 *
 * probes.def has one line per kind of probe; the parser, the manual page and the groups of the summary are
 * generated from it. A row without a probe has a reason. The figure of a probe depends only on the GPU and
 * the row.
 */
#ifndef SELFTEST_PROBE_H
#define SELFTEST_PROBE_H

#include <stdio.h>
#include "params.h"
#include "selftest/measured.h"

/* The GPU that is simulated. */
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
	double param[PROBE_NUMBERS]; /* values of the kind's parameters, in its order */
	const char *rest;            /* text after the kind's name in the workload; "": none */
	const char *params;          /* params of the row */
	char group[24];              /* group in the summary */
};

/*
 * names: parameters, separated by blanks; NAME is required, NAME=VALUE optional with this default. ready:
 * interprets the other words of the row and checks it; returns false and sets *why (static text) if the row
 * cannot be reproduced. ready may be NULL.
 */
struct probe_kind {
	const char *workload, *names, *unit, *help; /* unit: "": that of the row */
	probe_run *run;
	bool (*ready)(
		struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
};

extern const struct probe_kind probe_kinds[];
extern const unsigned n_probe_kinds;

/*
 * Sets *p to the probe of a row for GPU s. with: #params lines. Returns false and sets *why if there is
 * none.
 */
bool probe_of(struct probe *p, const struct measured_row *r, const struct measured *with,
	const struct subject *s, const char **why);
/* Prints the workloads of trace-sim-gpus(7). */
void probe_man(FILE *out);
/* True if define is "NAME=NUMBER" with a parameter of any kind. */
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

struct micro;
/* Cycles of `more` rounds of the body, which reads their number from *count. */
double probe_rounds(const struct subject *s, struct micro *m, uint32_t *count, uint32_t few, uint32_t more);

/* probe_matrix.c */
probe_run probe_wgmma, probe_mma;
bool probe_wgmma_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_mma_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_sync.c */
probe_run probe_mbarrier;
bool probe_mbarrier_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_codes.c */
/* Parses "CYCLE issue SM WARP PC ...", separated by tabs; false: another event. */
bool probe_issue_event(const char *at, uint64_t *cycle, uint64_t *warp, uint64_t *pc);
probe_run probe_codes;
bool probe_codes_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_chase.c */
probe_run probe_chase, probe_tma_chase;
bool probe_chase_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

bool probe_tma_chase_ready(
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

/* probe_tma.c */
probe_run probe_tma_flow;
bool probe_tma_flow_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_ring.c */
probe_run probe_ring;
bool probe_ring_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_dsm.c */
probe_run probe_dsm;
bool probe_dsm_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_stride.c */
probe_run probe_stride;
bool probe_stride_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/*
 * Size of the L1 next to CTAs of `threads` threads without shared memory of their own; size of the whole L2.
 */
uint64_t subject_l1_bytes(const struct subject *s, uint32_t threads);
uint64_t subject_l2_bytes(const struct subject *s);
/* `bytes` in `cycles` core cycles, in GB/s. */
double subject_rate(const struct subject *s, double bytes, double cycles);
/* v rounded to an integer from 1 to 1e9. */
uint32_t probe_count(double v);

#endif
