/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-html: declarations shared by its files.
 *
 *   main.c      the command line
 *   load.c      results and profiles into runs
 *   page.c      the template (page.html) with its markers filled; the head
 *   tables.c    tables of kernels and of several runs, as HTML
 *   measured.c  tables of measured figures
 *   metric.c    metrics that are measured and simulated
 *   points.c    kernels that were measured and simulated, and their table
 *   source.c    source files and instructions, as HTML
 *   data.c      the data of the charts, as JSON
 *
 * Always true: each text from an input passes html_text() or html_json(), which leave no markup.
 */
#ifndef STATS_HTML_H
#define STATS_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "hotspots.h"
#include "metric.h"
#include "results.h"

/* Figures of a kernel: HTML_FIGURE(field, name in results). */
#define HTML_FIGURES(X) \
	X(cycles, "gpu_sim_cycle") \
	X(insts, "gpu_sim_insn") \
	X(ipc, "gpu_ipc") \
	X(occupancy, "achieved_occupancy") \
	X(l1_accesses, "L1D_total_cache_accesses") \
	X(l1_misses, "L1D_total_cache_misses") \
	X(l2_accesses, "L2_total_cache_accesses") \
	X(l2_misses, "L2_total_cache_misses") \
	X(dram_read, "dram_read_bytes") \
	X(dram_written, "dram_write_bytes")

enum html_figure {
#define HTML_FIGURE(field, name) HTML_##field,
	HTML_FIGURES(HTML_FIGURE)
#undef HTML_FIGURE
		N_HTML_FIGURES
};

extern const char *const html_figure_names[N_HTML_FIGURES];

#define HTML_KINDS     16u  /* most kinds of operations */
#define HTML_GROUP     200u /* more kernels than these are grouped by name */
#define HTML_PCS       400u /* most instructions in the report */
#define HTML_RUNS      40u  /* most runs in the matrix */
#define HTML_INTERVALS 512u /* most intervals; more are joined */

struct html_named {
	char *name;
	double value;
};

/* A kernel, or several of equal names. A figure that is absent is 0, since records leave out zeros. */
struct html_kernel {
	char *name, *shown, *full; /* name as recorded, short, and demangled */
	char grid[40], block[40], status[16];
	uint64_t id;
	uint32_t position, launches;
	double figure[N_HTML_FIGURES];
	double first;                     /* cycle of the run at which it begins */
	double stall[HOTSPOTS_N_REASONS]; /* scheduler cycles of the profile; all 0 without one */
	double operations[HTML_KINDS];    /* operations by kind of the run */
	double metric[N_METRICS];         /* NAN: unknown */
};

/* One instruction of a kernel, from the profile. */
struct html_inst {
	char *kernel, *name; /* name: that of its figures, without the bracket at its end */
	char *pc, *opcode;
	char *file;    /* "": unknown */
	uint32_t line; /* 0: unknown */
	double issues, lanes, requests, sectors, l1_accesses, l1_hits, l2_accesses, l2_hits, bank_conflicts;
	double cycles[HOTSPOTS_N_REASONS], all;
};

/* Values of one place (SM, slice, channel) over time: rows of a heat map. */
struct html_map {
	float *at; /* values by interval and place */
	uint32_t places, cap;
};

struct html_interval {
	double first, cycles, insts, l1, l1_miss, l2, l2_miss, l2_bytes, dram_bytes, warp_cycles;
	double stall[HOTSPOTS_N_REASONS + 1]; /* the last: SMs without a thread block */
};

enum html_place { PLACE_SM, PLACE_SLICE, PLACE_CHANNEL, N_PLACES };

struct html_run {
	char *name, *gpu, *status;
	char *hash;                /* of the texts of all kernels; NULL or "": unknown */
	struct html_named *option; /* name: "NAME\0VALUE" of options, then of what is given */
	uint32_t n_options, cap_options;
	double places[N_PLACES]; /* places of each kind in the configuration */
	double hz, sms;          /* clock and number of SMs in the configuration; 0: unknown */
	struct html_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct html_named *total, *peak; /* figures of the whole run; peaks of the profile */
	uint32_t n_totals, cap_totals, n_peaks, cap_peaks;
	char *kind[HTML_KINDS];
	uint32_t n_kinds;
	struct html_inst *inst;
	uint32_t n_insts, cap_insts;
	struct table insts; /* instructions by name and kernel, while they are read */
	struct html_interval *interval;
	uint32_t n_intervals, cap_intervals;
	struct html_map map[N_PLACES];
	bool profiled, has_lines;
};

/* A kernel that was measured and simulated. */
struct html_point {
	char *name;
	uint32_t run;
	uint32_t launch; /* number among those of its name, from 1; 0: mean of several */
	double measured[N_METRICS], simulated[N_METRICS]; /* NAN: unknown, or not to be compared */
};

struct html_report {
	struct html_run *run;
	uint32_t n_runs, cap_runs;
	struct html_named *warning; /* texts */
	uint32_t n_warnings, cap_warnings;
	const char *source, *title;
	struct html_point *point; /* by run */
	uint32_t n_points, cap_points;
	int status;
};

/* load.c */
void html_load_run(struct html_report *r, const char *path);
/* Adds a profile to run number `run`. */
void html_load_profile(struct html_report *r, const char *path, uint32_t run);
/* Merges kernels of equal names if a run has many kernels, and sorts instructions. */
void html_finish(struct html_report *r);
void html_free(struct html_report *r);
/* Value of an option of a run, or of its origin; NULL: unknown. */
const char *html_option(const struct html_run *run, const char *name);
/* Clock in Hz of the configuration of a run that starts; 0: unknown. */
double html_clock(const struct result_item *start);
void html_warn(struct html_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* page.c */
void html_write(const struct html_report *r, FILE *out);
/* Writes text with &, <, >, quotes and control characters escaped. */
void html_text(FILE *out, const char *text);
/* Writes a JSON string that is also safe inside of a script element. */
void html_json(FILE *out, const char *text);
/* Writes a number: whole ones in full, others with up to 6 digits. */
void html_number(FILE *out, double v);

/* tables.c */
void html_kernels(const struct html_report *r, FILE *out);
void html_compare(const struct html_report *r, FILE *out);
void html_roofline(const struct html_report *r, FILE *out);
/* Share of hits of accesses in percent; NAN without accesses. */
double html_hit_rate(double accesses, double misses);
/* Bytes in cycles of a run as GB/s; NAN: the clock is unknown. */
double html_rate(const struct html_run *run, double bytes, double cycles);

/* Writes a cell with a number; NAN: an empty one. */
void html_cell(FILE *out, const char *format, double v);
/* Writes a cell with a bar: the share of each reason. */
void html_bar(FILE *out, const double part[HOTSPOTS_N_REASONS]);

/* points.c */
struct html_measured;
/* Adds the kernels that a run and a measurement have. Called before html_finish(), run by run. */
void html_pair(struct html_report *r, struct html_run *run, const struct html_measured *m);
void html_measured_table(const struct html_report *r, FILE *out);
/* Sets which metrics a point compares. */
void html_metrics_used(const struct html_report *r, bool used[N_METRICS]);

/* source.c */
void html_source(const struct html_report *r, FILE *out);

/* data.c */
void html_data(const struct html_report *r, FILE *out);

#endif
