/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics: what is printed after each kernel, and the records of trace-stats(5).
 *
 * One walk over the machine (stats_walk.c) names every figure once, in the original's order, with its
 * printed format; it feeds either the printer of the original's block (stats_accelsim.c) or a table of
 * numbers (stats_record.c), from which a kernel's own figures are differences. Names, units and
 * descriptions come from results/stats.def, as does man/trace-stats.5.
 * The machine must be synchronised (gpu_sync) before any of these is called.
 */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>
#include <stdio.h>
#include "gpu/gpu.h"
#include "record.h"
#include "results.h"

/* What a block is about (trace-stats(5)). */
struct stats_block {
	char **name; /* kernels first selected since the last block */
	uint32_t *uid;
	uint32_t n;
	uint64_t stream;     /* print id; UINT64_MAX: none removed, all streams */
	double host_seconds; /* since the start; printed only when >= 0 (--host-time) */
};

/* The original's block, from "kernel_name = " to the end of the interconnect details, running totals. */
void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out);
/* The lines after a block's interval was folded (LAUNCH-loop-5); only under --host-time. */
void stats_print_speed(const struct gpu *g, double host_seconds, FILE *out);

/* A table of all figures at one moment; differences of two give a kernel's own. */
struct figures;
struct figures *figures_new(void);
void figures_free(struct figures *f);
void figures_take(struct figures *f, struct gpu *g); /* all streams */

struct kernel_record {
	uint32_t position, uid;
	const char *name, *path;
	uint64_t stream;
	uint32_t grid[3], block[3];
	unsigned char hash[16];
	uint64_t checksum;
	uint64_t first_cycle; /* tot_cycle when its interval began */
	bool slice;
	bool unfinished;               /* the run ended in it */
	uint64_t cycles;               /* that it was simulated for */
	const struct sampled *sampled; /* NULL: all of its thread blocks ran */
};

struct interval_record {
	uint32_t position, uid; /* of the kernel; 0: none */
	const char *name;       /* NULL: none */
	uint64_t first_cycle, cycles;
};

/* "interval" record: what happened between two moments. */
void stats_interval_record(struct record_writer *w, const struct interval_record *i,
	const struct figures *before, const struct figures *now);
/*
 * "kernel" record: identity, then "stats": now - before
 * (gauges, maxima and averages as they are defined there).
 */
void stats_kernel_record(struct record_writer *w, const struct kernel_record *k, struct gpu *g,
	const struct figures *before, const struct figures *now);
/*
 * "end" record: status "complete", "limit", "deadlock" or
 * "interrupted", totals, hash over all kernels' hashes.
 */
void stats_end_record(struct record_writer *w, struct gpu *g, const char *status, const char *limit,
	uint32_t kernels, const unsigned char hash[16], const struct figures *now);
/* The same of n figures that were read back from records and added up. */
void stats_sums_record(struct record_writer *w, const char *status, const char *limit, uint32_t kernels,
	const unsigned char hash[16], const struct result_figure *figure, uint32_t n);

#endif
