/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: micro-traces that reproduce the measurement of a row of a measured file on a simulated GPU.
 *
 * probes.def has one row per kind of probe; the parser, the manual page and the groups of the summary are
 * generated from it. For a row of a measured file without a probe, probe_for_row() gives the reason. The
 * figure of a probe depends only on the GPU and the row.
 */
#ifndef SELFTEST_PROBE_H
#define SELFTEST_PROBE_H

#include <stdio.h>
#include "params.h"
#include "selftest/measured.h"
#include "selftest/micro.h"

/* A GPU to simulate. */
struct subject {
	struct params params;
	const struct isa *isa;
	uint32_t arch; /* binary version of the traces, derived from the compute capability */
};

#define PROBE_NUMBERS 4u

struct probe;
typedef double probe_run(const struct probe *p, const struct subject *s);

struct probe {
	const struct probe_kind *kind;
	double param[PROBE_NUMBERS]; /* values of the kind's parameters, in the order of kind->names */
	const char *rest;            /* text after the kind's name in the workload, or "" */
	const char *params;          /* params column of the row */
	double clock_mhz;            /* core clock of the measurement in MHz; 0: not known */
	char group[24];              /* name of the row's group in the summary */
};

/*
 * A kind of probe. `names` has the parameters, separated by blanks. NAME is a required parameter. NAME=VALUE
 * is an optional parameter and its default. prepare() interprets and checks the other words of the row. It
 * returns false and sets *why (static text) if the row cannot be reproduced. It may be NULL.
 */
struct probe_kind {
	const char *workload;
	const char *names;
	const char *unit; /* "" if the row states the unit */
	const char *help;
	probe_run *run;
	bool (*prepare)(
		struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
};

/*
 * Sets *p to the probe of a row for GPU s. `with` has the #params lines. Returns false and sets *why if the
 * row has no probe.
 */
bool probe_for_row(struct probe *p, const struct measured_row *r, const struct measured *with,
	const struct subject *s, const char **why);
/* Prints the list of workloads in trace-sim-gpus(7). */
void probe_print_man(FILE *out);
/* Returns true if `define` is "NAME=NUMBER", where NAME is a parameter of any kind of probe. */
bool probe_has_parameter(const char *define);

/* probe_core.c */
probe_run probe_ffma_loop, probe_ffma_fixed, probe_empty, probe_chain, probe_rate, probe_conflict,
	probe_atomic;
bool probe_chain_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_grid_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_rate_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/*
 * Returns the cycles of `more` rounds: the cycles of a run with few + more rounds, minus the cycles of a run
 * with `few` rounds. The body of m reads the number of rounds from *count.
 */
double probe_time_rounds(
	const struct subject *s, struct micro *m, uint32_t *count, uint32_t few, uint32_t more);

/* probe_matrix.c */
probe_run probe_wgmma, probe_mma;
bool probe_wgmma_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_mma_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_sync.c */
probe_run probe_mbarrier;
bool probe_mbarrier_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_tensor_load_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_codes.c */
/* Parses the event "CYCLE issue SM WARP PC ...", separated by tabs. Returns false for any other event. */
bool probe_issue_event(const char *at, uint64_t *cycle, uint64_t *warp, uint64_t *pc);
probe_run probe_codes;
bool probe_codes_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_chase.c */
probe_run probe_chase, probe_tma_chase;
bool probe_chase_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

bool probe_tma_chase_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_walk.c */
probe_run probe_named_walk, probe_index_walk;
bool probe_named_walk_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_index_walk_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_flow.c */
probe_run probe_l1_flow, probe_l2_flow;
bool probe_flow_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_bandwidth.c */
probe_run probe_bandwidth;
bool probe_bandwidth_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_stream.c */
probe_run probe_stream;
bool probe_stream_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
/* Returns the address of element i of an array of the streams. */
uint64_t probe_element_address(unsigned array, uint64_t i);
/* Returns a kernel that scales elements of array 1 to array 0, of `bytes` bytes together. */
struct micro probe_scale_kernel(const struct subject *s, double bytes, uint32_t block);
/* Returns the rate in GB/s at which a long stream of that kernel reads and writes DRAM. */
double probe_scale_rate(const struct subject *s);

/* probe_pieces.c */
probe_run probe_pieces;
bool probe_pieces_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_small.c */
probe_run probe_small;
bool probe_small_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_tma.c */
probe_run probe_tma_flow;
bool probe_tma_flow_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_ring.c */
probe_run probe_ring;
bool probe_ring_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_xfer.c */
probe_run probe_xfer;
bool probe_xfer_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_gemm.c */
probe_run probe_gemm;
bool probe_gemm_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_dsm.c */
probe_run probe_dsm;
bool probe_dsm_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

probe_run probe_dsm_ring;
bool probe_dsm_ring_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_dsm_copy.c */
probe_run probe_dsm_copy;
/* Returns true if the parameters of a row describe bulk copies between blocks of a cluster. */
bool probe_is_dsm_copy(const char *params);

/* probe_dpx.c */
probe_run probe_dpx;
bool probe_dpx_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_ffma.c */
probe_run probe_ffma_chains;
bool probe_ffma_chains_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_chases.c */
probe_run probe_chases, probe_read;
bool probe_chases_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);
bool probe_read_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* probe_stride.c */
probe_run probe_stride;
bool probe_stride_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why);

/* Size of the L1 for CTAs of `threads` threads without shared memory, and size of the whole L2. */
uint64_t subject_l1_bytes(const struct subject *s, uint32_t threads);
uint64_t subject_l2_bytes(const struct subject *s);
/* Rate in GB/s of `bytes` bytes in `cycles` core cycles. */
double subject_gb_per_s(const struct subject *s, double bytes, double cycles);
/* Returns v rounded to an integer from 1 to 1e9. */
uint32_t probe_round_count(double v);

#endif
