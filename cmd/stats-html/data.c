/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the data of the charts: one JSON object with arrays. A heat map is a string with one character per
 * unit and interval. A character encodes one of 64 levels from 0 to the largest value.
 */
#include <math.h>
#include <string.h>
#include "report.h"

#define LEVELS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"

static void write_kernels(const struct html_run *run, FILE *out)
{
	fputs("\"kernels\":[", out);
	for (uint32_t i = 0; i < run->n_kernels; i++) {
		const struct html_kernel *k = &run->kernel[i];

		fprintf(out, "%s[", i ? ",\n" : "");
		html_write_json(out, k->shown);
		fprintf(out, ",%llu,", (unsigned long long)k->id);
		html_write_number(out, k->start_cycle);
		for (unsigned f = 0; f < N_HTML_FIGURES; f++) {
			fputc(',', out);
			html_write_number(out, k->figure[f]);
		}
		fputs(",[", out);
		for (uint32_t f = 0; f < run->n_kinds; f++) {
			fputs(f ? "," : "", out);
			html_write_number(out, k->operations[f]);
		}
		fputs("]]", out);
	}
	fputs("]", out);
}

static void write_peaks(const struct html_run *run, FILE *out)
{
	fputs(",\"kinds\":[", out);
	for (uint32_t i = 0; i < run->n_kinds; i++) {
		fputs(i ? "," : "", out);
		html_write_json(out, run->kind[i]);
	}
	fputs("],\"peaks\":{", out);
	for (uint32_t i = 0; i < run->n_peaks; i++) {
		fputs(i ? "," : "", out);
		html_write_json(out, run->peak[i].name);
		fputc(':', out);
		html_write_number(out, run->peak[i].value);
	}
	fputs("}", out);
}

#define COLUMN(name) \
	do { \
		fputs(",\"" #name "\":[", out); \
		for (uint32_t i = 0; i < run->n_intervals; i++) { \
			fputs(i ? "," : "", out); \
			html_write_number(out, run->interval[i].name); \
		} \
		fputs("]", out); \
	} while (0)

/* Writes a heat map. Its values are divided by the cycles of their interval. */
static void write_map(const struct html_run *run, enum html_unit unit, const char *name, FILE *out)
{
	const struct html_map *m = &run->map[unit];
	uint32_t n_units = m->n_units;
	double most = 0;

	if (!n_units)
		return;
	if (run->n_units[unit] > n_units && run->n_units[unit] <= 1024)
		n_units = (uint32_t)run->n_units[unit];
	for (uint32_t i = 0; i < run->n_intervals && (i + 1) * 1024 <= m->cap; i++)
		for (uint32_t u = 0; u < n_units; u++)
			most = fmax(most, m->value[i * 1024 + u] / fmax(run->interval[i].cycles, 1));
	fprintf(out, ",\"%s\":{\"places\":%u,\"most\":%.6g,\"levels\":\"", name, n_units, most);
	for (uint32_t u = 0; u < n_units; u++)
		for (uint32_t i = 0; i < run->n_intervals; i++) {
			double v = (i + 1) * 1024 <= m->cap ? m->value[i * 1024 + u] : 0;

			v /= fmax(run->interval[i].cycles, 1);
			fputc(LEVELS[most > 0 ? (int)ceil(v / most * 63) : 0], out);
		}
	fputs("\"}", out);
}

static void write_intervals(const struct html_run *run, FILE *out)
{
	fputs(",\"over\":{\"stalls\":[", out);
	for (unsigned c = 0; c < HOTSPOTS_N_REASONS; c++) {
		fputs(c ? ",[" : "[", out);
		for (uint32_t i = 0; i < run->n_intervals; i++) {
			fputs(i ? "," : "", out);
			html_write_number(out, run->interval[i].stall[c]);
		}
		fputs("]", out);
	}
	fputs("]", out);
	COLUMN(first);
	COLUMN(cycles);
	COLUMN(insts);
	COLUMN(l1);
	COLUMN(l1_miss);
	COLUMN(l2);
	COLUMN(l2_miss);
	COLUMN(l2_bytes);
	COLUMN(dram_bytes);
	COLUMN(warp_cycles);
	write_map(run, HTML_UNIT_SM, "sm", out);
	write_map(run, HTML_UNIT_SLICE, "slice", out);
	write_map(run, HTML_UNIT_CHANNEL, "channel", out);
	fputs("}", out);
}

/* Writes the compared metrics, and the measured and simulated values of each point. */
static void write_points(const struct html_report *r, FILE *out)
{
	bool used[N_METRICS];

	fputs(",\"metrics\":[", out);
	html_metrics_used(r, used);
	for (int k = 0, n = 0; k < N_METRICS; k++)
		if (used[k])
			fprintf(out, "%s[\"%s\",%d]", n++ ? "," : "", metric_info[k].title,
				metric_info[k].is_percent);
	fputs("],\"measured\":[", out);
	for (uint32_t i = 0; i < r->n_points; i++) {
		const struct html_point *p = &r->point[i];

		fprintf(out, "%s[%u,", i ? ",\n" : "", p->run);
		html_write_json(out, p->name);
		fprintf(out, ",%u", p->launch);
		for (int k = 0; k < N_METRICS; k++) {
			if (!used[k])
				continue;
			fputc(',', out);
			html_write_number(out, p->measured[k]);
			fputc(',', out);
			html_write_number(out, p->simulated[k]);
		}
		fputc(']', out);
	}
	fputs("],\"names\":[", out);
	for (uint32_t i = 0; i < r->n_runs; i++) {
		fputs(i ? "," : "", out);
		html_write_json(out, r->run[i].name);
	}
	fputs("]", out);
}

void html_write_data(const struct html_report *r, FILE *out)
{
	fputs("{\"figures\":[", out);
	for (unsigned f = 0; f < N_HTML_FIGURES; f++)
		fprintf(out, "%s\"%s\"", f ? "," : "", html_figure_names[f]);
	fputs("],\"reasons\":[", out);
	for (int i = 0; i < HOTSPOTS_N_REASONS; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", hotspots_reason_name(i));
	fputs("],\"runs\":[", out);
	for (uint32_t i = 0; i < r->n_runs && i < HTML_RUNS; i++) {
		const struct html_run *run = &r->run[i];

		fputs(i ? ",\n{\"name\":" : "{\"name\":", out);
		html_write_json(out, run->name);
		fprintf(out, ",\"hz\":%.0f,\"sms\":%.0f,", run->hz, run->sms);
		write_kernels(run, out);
		write_peaks(run, out);
		if (run->n_intervals)
			write_intervals(run, out);
		fputs("}", out);
	}
	fputs("]", out);
	write_points(r, out);
	fputs("}", out);
}
