/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-html: declarations shared by its files.
 *
 *   main.c      the command line
 *   load.c      reads results and profiles into runs
 *   page.c      fills the markers of the template (page.html); the head of the page
 *   tables.c    tables of kernels and of several runs, as HTML
 *   measured.c  reads tables of measured figures
 *   metric.c    metrics that can be measured and simulated
 *   points.c    kernels that are measured and simulated, and their table
 *   source.c    source files and instructions, as HTML
 *   data.c      the data of the charts, as JSON
 *
 * Always true: every text from an input is written by html_write_text() or html_write_json(), which escape markup.
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

#define HTML_KINDS     16u  /* maximum number of kinds of operations */
#define HTML_GROUP     200u /* number of kernels in a run beyond which they are grouped by name */
#define HTML_PCS       400u /* maximum number of instructions in the report */
#define HTML_RUNS      40u  /* maximum number of runs in the matrix of runs */
#define HTML_INTERVALS 512u /* maximum number of intervals; a larger number is reduced by merging */

struct html_named {
	char *name;
	double value;
};

/* A kernel, or several kernels of one name. An absent figure is 0, because records omit zeros. */
struct html_kernel {
	char *name;  /* name as recorded */
	char *shown; /* short name */
	char *full;  /* demangled name */
	char grid[40], block[40], status[16];
	uint64_t id;
	uint32_t position, launches;
	double figure[N_HTML_FIGURES];
	double start_cycle;               /* cycle of the run at which the kernel begins */
	double stall[HOTSPOTS_N_REASONS]; /* scheduler cycles in the profile, by reason */
	double operations[HTML_KINDS];    /* number of operations, by kind of operation (html_run.kind) */
	double metric[N_METRICS];         /* NAN: unknown */
};

/* An instruction of a kernel, from the profile. */
struct html_inst {
	char *kernel; /* name of the kernel */
	char *name;   /* prefix of the names of the instruction's figures, up to the closing bracket */
	char *pc, *opcode;
	char *file;    /* source file; "" if unknown */
	uint32_t line; /* source line; 0 if unknown */
	double issues, lanes, requests, sectors, l1_accesses, l1_hits, l2_accesses, l2_hits, bank_conflicts;
	double cycles[HOTSPOTS_N_REASONS], total_cycles;
};

/* Values of units (SMs, slices or channels) over time: a heat map with one row per unit. */
struct html_map {
	float *value;     /* values by interval and unit */
	uint32_t n_units; /* number of units */
	uint32_t cap;     /* allocated number of values */
};

struct html_interval {
	double first, cycles, insts, l1, l1_miss, l2, l2_miss, l2_bytes, dram_bytes, warp_cycles;
	/* scheduler cycles by reason; the last element is for SMs without a thread block */
	double stall[HOTSPOTS_N_REASONS + 1];
};

enum html_unit { HTML_UNIT_SM, HTML_UNIT_SLICE, HTML_UNIT_CHANNEL, N_HTML_UNITS };

struct html_run {
	char *name, *gpu, *status;
	char *hash; /* hash of the texts of all kernels; NULL or "" if unknown */
	/* options of the configuration and the command line; `name` is "NAME\0VALUE" */
	struct html_named *option;
	uint32_t n_options, cap_options;
	double n_units[N_HTML_UNITS]; /* number of units of each kind in the configuration */
	double hz;                    /* clock rate in Hz; 0 if unknown */
	double sms;                   /* number of SMs in the configuration; 0 if unknown */
	struct html_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct html_named *total; /* figures of the whole run */
	struct html_named *peak;  /* peak rates from the profile */
	uint32_t n_totals, cap_totals, n_peaks, cap_peaks;
	char *kind[HTML_KINDS];
	uint32_t n_kinds;
	struct html_inst *inst;
	uint32_t n_insts, cap_insts;
	struct table insts; /* indices of `inst` by name and kernel, while instructions are read */
	struct html_interval *interval;
	uint32_t n_intervals, cap_intervals;
	struct html_map map[N_HTML_UNITS];
	bool profiled, has_lines;
};

/* A kernel that is both measured and simulated. */
struct html_point {
	char *name;
	uint32_t run;
	uint32_t launch; /* number among the launches of its name, from 1; 0 for a mean */
	/* values by metric; NAN if unknown or not comparable */
	double measured[N_METRICS], simulated[N_METRICS];
};

struct html_report {
	struct html_run *run;
	uint32_t n_runs, cap_runs;
	struct html_named *warning; /* texts of warnings */
	uint32_t n_warnings, cap_warnings;
	const char *source, *title;
	struct html_point *point; /* points, sorted by run */
	uint32_t n_points, cap_points;
	int status;
};

/* load.c */
void html_load_run(struct html_report *r, const char *path);
/* Adds a profile to run number `run`. */
void html_load_profile(struct html_report *r, const char *path, uint32_t run);
/* Sorts instructions, and merges kernels of one name in runs with many kernels. */
void html_sort_and_merge(struct html_report *r);
void html_free(struct html_report *r);
/* Value of a configuration option of a run, or of a field about the run's origin. NULL if it is unknown. */
const char *html_option(const struct html_run *run, const char *name);
/* Core clock in Hz from the record that starts a run, or 0 if it is unknown. */
double html_clock(const struct result_item *start);
void html_warn(struct html_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* page.c */
void html_write(const struct html_report *r, FILE *out);
/* Writes `text` with escapes for &, <, > and quotes. Replaces control characters. */
void html_write_text(FILE *out, const char *text);
/* Writes a JSON string that is also safe inside a script element. */
void html_write_json(FILE *out, const char *text);
/*
 * Writes a number. Whole numbers have all digits, other numbers have the same digits as in records, and
 * "null" replaces numbers that are not finite.
 */
void html_write_number(FILE *out, double v);

/* tables.c */
void html_write_kernels(const struct html_report *r, FILE *out);
void html_write_comparison(const struct html_report *r, FILE *out);
void html_write_roofline(const struct html_report *r, FILE *out);
/* Hit rate in percent, or NAN without accesses. */
double html_hit_rate(double accesses, double misses);

/* Writes a table cell with a number, or an empty cell for NAN. */
void html_write_cell(FILE *out, const char *format, double v);
/* Writes a table cell with a bar that shows the share of each reason. */
void html_write_bar(FILE *out, const double part[HOTSPOTS_N_REASONS]);

/* points.c */
struct html_measured;
/*
 * Adds the points of the kernels that are in both a run and a measurement. Must be called before
 * html_sort_and_merge(), for one run after another.
 */
void html_add_points(struct html_report *r, struct html_run *run, const struct html_measured *m);
void html_write_measured(const struct html_report *r, FILE *out);
/* Sets used[i] if metric i of any point can be compared. */
void html_metrics_used(const struct html_report *r, bool used[N_METRICS]);

/* source.c */
void html_write_source(const struct html_report *r, FILE *out);

/* data.c */
void html_write_data(const struct html_report *r, FILE *out);

#endif
