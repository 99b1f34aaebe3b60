/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics: the block that the original prints after each kernel, and the records of trace-stats(5).
 *
 * One walk over the GPU (stats_walk.c) names every figure once, in the original's order and with its printed
 * format. It feeds either the printer of the original's block (stats_accelsim.c) or a table of numbers
 * (stats_record.c); the figures of a kernel are differences of two tables. Names, units and descriptions come
 * from results/stats.def, as does man/trace-stats.5. gpu_sync() must be called before any of these functions.
 */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>
#include <stdio.h>
#include "choice.h"
#include "gpu/gpu.h"
#include "record.h"
#include "results.h"

/* Identity of a statistics block (trace-stats(5)). */
struct stats_block {
	char **name; /* names of the kernels that were first selected since the last block */
	uint32_t *uid;
	uint32_t n;
	uint64_t stream;     /* stream id; UINT64_MAX: all streams, because no kernel has ended */
	double host_seconds; /* seconds since the start; printed unless negative (--host-time) */
};

/*
 * Prints the original's block, from "kernel_name = " to the end of the interconnect details, with running
 * totals.
 */
void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out);
/*
 * Prints the lines that follow a block after the interval has been folded (LAUNCH-loop-5); only with
 * --host-time.
 */
void stats_print_speed(const struct gpu *g, double host_seconds, FILE *out);

/* A table of all figures at one moment. The figures of a kernel are the differences between two tables. */
struct figures;
struct figures *figures_new(void);
void figures_free(struct figures *f);
/* Fills the table with the current figures, over all streams. */
void figures_fill(struct figures *f, struct gpu *g);
/*
 * Returns a figure of a kernel from the tables before and after it, or of the run if `before` is NULL.
 * Returns 0 if the figure is absent or undefined.
 */
double figures_difference(const struct figures *before, const struct figures *now, const char *name);
/* Adds the figures of a table to the list of c and completes the list. */
void figures_list(const struct figures *f, struct figure_choice *c);

struct kernel_record {
	uint32_t position, uid;
	const char *name, *path;
	uint64_t stream;
	uint32_t grid[3], block[3];
	unsigned char hash[16];
	uint64_t checksum;
	uint64_t first_cycle; /* tot_cycle at the start of the kernel's interval */
	bool is_slice;
	bool unfinished;               /* true if the run ended before the kernel did */
	uint32_t reused_from;          /* --reuse: position of the kernel that has the figures; 0: none */
	uint64_t cycles;               /* simulated cycles of the kernel */
	const struct sampled *sampled; /* extrapolated figures; NULL: the kernel ran all thread blocks */
};

struct interval_record {
	uint32_t position; /* position of the kernel; 0: none */
	uint32_t uid;      /* id of the kernel; 0: none */
	const char *name;  /* NULL: none */
	uint64_t first_cycle, cycles;
};

/* Writes an "interval" record with the differences between two tables. */
void stats_interval_record(struct record_writer *w, struct figure_choice *c, const struct interval_record *i,
	const struct figures *before, const struct figures *now);
/*
 * Writes a "kernel" record: identity, then "stats" with the differences between `now` and `before`, or the
 * values that stats.def defines for gauges, maxima and averages.
 */
void stats_kernel_record(struct record_writer *w, struct figure_choice *c, const struct kernel_record *k,
	const struct figures *before, const struct figures *now);
/* Writes a "kernel" record with the figures of another record: n bytes at `figures`, see record_end_with(). */
void stats_reused_record(
	struct record_writer *w, const struct kernel_record *k, const void *figures, size_t n);
/*
 * Writes an "end" record with totals. status: "complete", "limit", "deadlock" or "interrupted". hash: hash
 * over the hashes of all kernels.
 */
void stats_end_record(struct record_writer *w, struct figure_choice *c, const char *status, const char *limit,
	uint32_t kernels, const unsigned char hash[16], const struct figures *now);
/*
 * Writes an "end" record with n figures, which are sums of figures from other records. A listed figure without a sum
 * is recorded as undefined.
 */
void stats_sums_record(struct record_writer *w, const struct figure_choice *c, const char *status,
	const char *limit, uint32_t kernels, const unsigned char hash[16], const struct result_figure *figure,
	uint32_t n);

#endif
