/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics: the original's block after each kernel, and the records of trace-stats(5).
 *
 * One walk over the GPU (stats_walk.c) names every figure once, in the original's order and with its printed
 * format. It feeds either the printer of the original's block (stats_accelsim.c) or a table of numbers
 * (stats_record.c); the figures of a kernel are differences of two tables. Names, units and descriptions
 * come from results/stats.def, as does man/trace-stats.5. gpu_sync() must be called before any of these
 * functions.
 */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>
#include <stdio.h>
#include "choice.h"
#include "gpu/gpu.h"
#include "record.h"
#include "results.h"

/* Identity of a block (trace-stats(5)). */
struct stats_block {
	char **name; /* kernels first selected since the last block */
	uint32_t *uid;
	uint32_t n;
	uint64_t stream;     /* stream id; UINT64_MAX: no kernel has ended, all streams */
	double host_seconds; /* since the start; printed only if not negative (--host-time) */
};

/*
 * Prints the original's block, from "kernel_name = " to the end of the interconnect details, with running
 * totals.
 */
void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out);
/* Prints the lines after a block whose interval has been folded (LAUNCH-loop-5); only with --host-time. */
void stats_print_speed(const struct gpu *g, double host_seconds, FILE *out);

/* A table of all figures at one moment. Differences of two give the figures of a kernel. */
struct figures;
struct figures *figures_new(void);
void figures_free(struct figures *f);
/* Fills the table, over all streams. */
void figures_take(struct figures *f, struct gpu *g);
/* A figure of a kernel, from the tables before and after it (NULL: of the run); 0 where it is absent or undefined. */
double figures_difference(const struct figures *before, const struct figures *now, const char *name);
/* Completes the list of c with the figures of a table. */
void figures_list(const struct figures *f, struct figure_choice *c);

struct kernel_record {
	uint32_t position, uid;
	const char *name, *path;
	uint64_t stream;
	uint32_t grid[3], block[3];
	unsigned char hash[16];
	uint64_t checksum;
	uint64_t first_cycle; /* tot_cycle when its interval began */
	bool slice;
	bool unfinished;      /* the run ended in it */
	uint32_t reused_from; /* position of the kernel whose figures it has, with --reuse; 0: its own */
	uint64_t cycles;      /* simulated cycles of the kernel */
	const struct sampled *sampled; /* extrapolated figures; NULL: all thread blocks ran */
};

struct interval_record {
	uint32_t position, uid; /* position and id of the kernel; 0: none */
	const char *name;       /* NULL: none */
	uint64_t first_cycle, cycles;
};

/* Writes an "interval" record: the difference of two tables. */
void stats_interval_record(struct record_writer *w, struct figure_choice *c, const struct interval_record *i,
	const struct figures *before, const struct figures *now);
/*
 * Writes a "kernel" record: identity, then "stats": now minus before, or as defined for gauges, maxima and
 * averages.
 */
void stats_kernel_record(struct record_writer *w, struct figure_choice *c, const struct kernel_record *k,
	const struct figures *before, const struct figures *now);
/* Writes a "kernel" record whose figures are those of another record: n bytes, see record_end_as(). */
void stats_reused_record(
	struct record_writer *w, const struct kernel_record *k, const void *figures, size_t n);
/*
 * Writes an "end" record: status "complete", "limit", "deadlock" or "interrupted", totals, hash over the
 * hashes of all kernels.
 */
void stats_end_record(struct record_writer *w, struct figure_choice *c, const char *status, const char *limit,
	uint32_t kernels, const unsigned char hash[16], const struct figures *now);
/*
 * The same with n figures that were read from records and added up. A listed figure without a sum is undefined.
 */
void stats_sums_record(struct record_writer *w, const struct figure_choice *c, const char *status,
	const char *limit, uint32_t kernels, const unsigned char hash[16], const struct result_figure *figure,
	uint32_t n);

#endif
