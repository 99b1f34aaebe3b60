/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the summary on a terminal: a line per kernel and a total, instead of records. Always true: its
 * figures are rounded figures of the records (trace-stats(5)).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "demangle.h"
#include "power/meter.h"
#include "run.h"

#define NAME_WIDTH 28

/* Prints the most frequent reason for cycles without an issue on the `equal` core. */
static void print_legacy_stall(const struct run *r, const struct figures *before)
{
	double full = figures_difference(before, r->figures_now, "warp_occupancy[Stall]");
	double wait = figures_difference(before, r->figures_now, "warp_occupancy[W0_Scoreboard]");
	double idle = figures_difference(before, r->figures_now, "warp_occupancy[W0_Idle]");
	const char *most = full > wait ? "unit or queue full" : wait > 0 ? "registers" : NULL;

	/* A scheduler is also idle while its warps wait for atomics or barriers. */
	if (idle > full && idle > wait)
		fprintf(r->out, "  idle%s%s\n", most ? ", then " : "", most ? most : "");
	else
		fprintf(r->out, "  %s\n", most ? most : "-");
}

/* Prints the most frequent reason for cycles without an issue on the modern core, in SMs that have a thread block. */
static void print_modern_stall(const struct run *r, const struct figures *before)
{
	const char *most = "-";
	double largest = 0;

	for (unsigned i = 0; i < STALL_EMPTY; i++) {
		char name[64];
		double v;

		snprintf(name, sizeof(name), "core_stall[%s]", core_stall_names[i]);
		v = figures_difference(before, r->figures_now, name);
		if (v > largest) {
			largest = v;
			most = core_stall_names[i];
		}
	}
	fprintf(r->out, "  %s\n", most);
}

static void print_percent(FILE *out, int width, double part, double of)
{
	if (of > 0)
		fprintf(out, "  %*.1f", width, 100 * part / of);
	else
		fprintf(out, "  %*s", width, "-");
}

/*
 * Returns the mean power in watts since `before`, or in the whole run if `before` is NULL. Requires the power
 * model.
 */
static double mean_watts(const struct run *r, const struct figures *before)
{
	const struct power_energies *e = &r->gpu.power->energy;
	double joules = power_energies_total(e), seconds = e->seconds;

	if (before) {
		joules = figures_difference(before, r->figures_now, "energy_kernel_joules");
		seconds = figures_difference(before, r->figures_now, "energy_seconds");
	}
	return seconds > 0 ? joules / seconds : 0;
}

/*
 * Prints the columns after the name: the figures since `before`, or those of the whole run if `before` is
 * NULL.
 */
static void print_summary_figures(struct run *r, const struct figures *before)
{
#define GET(name) figures_difference(before, r->figures_now, name)
	double cycles = before ? GET("gpu_sim_cycle") : GET("gpu_tot_sim_cycle");
	double insts = before ? GET("gpu_sim_insn") : GET("gpu_tot_sim_insn");
	double bytes = GET("dram_read_bytes") + GET("dram_write_bytes"), hz = r->gpu.params.hz[0];

	fprintf(r->out, "  %10.0f  %7.1f", cycles, cycles > 0 ? insts / cycles : 0);
	print_percent(r->out, 6, GET("achieved_occupancy"), 1);
	print_percent(r->out, 7, GET("L1D_total_cache_misses"), GET("L1D_total_cache_accesses"));
	print_percent(r->out, 7, GET("L2_total_cache_misses"), GET("L2_total_cache_accesses"));
	fprintf(r->out, "  %9.1f", cycles > 0 ? bytes / cycles * hz / 1e9 : 0);
	if (r->gpu.power)
		fprintf(r->out, "  %6.1f", mean_watts(r, before));
	if (r->gpu.params.modern.enabled)
		print_modern_stall(r, before);
	else
		print_legacy_stall(r, before);
#undef GET
}

static void print_column_heads(const struct run *r)
{
	fprintf(r->out, "%4s %-*s  %10s  %7s  %6s  %7s  %7s  %9s  %s%s\n", "id", NAME_WIDTH, "kernel",
		"cycles", "IPC", "occ. %", "L1 miss", "L2 miss", "DRAM GB/s", r->gpu.power ? " watts  " : "",
		"main stall");
}

void summary_print_kernel(struct run *r, const struct kernel *k)
{
	char *shown = demangle(k->head->name, DEMANGLE_SHORT), quoted[NAME_WIDTH + 1];

	if (!r->n_summary_lines++)
		print_column_heads(r);
	diag_quote(quoted, sizeof(quoted), shown, strlen(shown));
	fprintf(r->out, "%4u %-*s", k->uid, NAME_WIDTH, quoted);
	print_summary_figures(r, r->figures_before);
	fflush(r->out);
	free(shown);
}

void summary_print_end(struct run *r)
{
	if (r->n_summary_lines > 1) {
		fprintf(r->out, "%4s %-*s", "", NAME_WIDTH, "total");
		print_summary_figures(r, NULL);
	}
	fprintf(r->out, "%s: %u kernel%s, %.4g us of the GPU", r->status, r->kernels_done,
		r->kernels_done == 1 ? "" : "s", (double)r->gpu.tot_cycle / r->gpu.params.hz[0] * 1e6);
	if (r->skipped.n)
		fprintf(r->out, ", %u missing and skipped", r->skipped.n);
	if (r->limit)
		fprintf(r->out, ", limit %s", r->limit);
	fputs("; all figures: -o FILE, -F FORMAT, or a pipe\n", r->out);
}
