/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of a configuration and of the table of options.
 *
 * Always true: gpuconf_stream() reads the output of gpuconf_dump() back to the same values, and the same GPU
 * results. Numbers are written in decimal.
 */
#include <string.h>
#include "gpuconf.h"

/* Reports whether the reader would split a text or read it as an option. */
static bool needs_quotes(const char *text)
{
	return !text[0] || text[0] == '"' || text[0] == '-' || strchr(text, ' ');
}

static void dump_row(const struct gpuconf *c, int id, FILE *out)
{
	const struct conf_row *row = &conf_rows[id];
	const char *text = c->v[id].text;

	if (row->type != CONF_STRING)
		fprintf(out, "%s %lld\n", row->name, (long long)c->v[id].number);
	else if (needs_quotes(text))
		fprintf(out, "%s \"%s\"\n", row->name, text);
	else
		fprintf(out, "%s %s\n", row->name, text);
}

void gpuconf_dump(const struct gpuconf *c, FILE *out)
{
	const int bus = OPT_dram_dual_bus_interface, queue = OPT_dram_seperate_write_queue_enable;
	/* The later of these two decides the write queue (quirk Q4-1): keep their order. */
	bool bus_last = c->v[bus].order > c->v[queue].order;

	_Static_assert(
		OPT_dram_dual_bus_interface < OPT_dram_seperate_write_queue_enable, "order of the rows");
	for (int i = 0; i < N_OPTIONS; i++) {
		if (i != bus || !bus_last)
			dump_row(c, i, out);
		if (i == queue && bus_last)
			dump_row(c, bus, out);
	}
}

static const char *const type_name[] = {
	[CONF_BOOL] = "bool",
	[CONF_INT] = "int",
	[CONF_UNSIGNED] = "unsigned",
	[CONF_INT64] = "int64",
	[CONF_STRING] = "string",
};

static const char *const use_name[] = {
	[USE_MODEL] = "model",
	[USE_NONE] = "unused",
	[USE_FUNCTIONAL] = "unused(ptx)",
	[USE_POWER] = "power",
	[USE_DEBUG] = "unused(log)",
};

void gpuconf_list(FILE *out)
{
	char range[48];

	fprintf(out, "%-52s %-8s %-34s %-24s %-12s %-13s %s\n", "option", "type", "default", "range", "unit",
		"use", "meaning");
	for (int i = 0; i < N_OPTIONS; i++) {
		const struct conf_row *row = &conf_rows[i];
		if (row->type == CONF_STRING)
			snprintf(range, sizeof(range), "-");
		else if (row->max == INT64_MAX && row->min == INT64_MIN)
			snprintf(range, sizeof(range), "any");
		else if (row->max == INT64_MAX)
			snprintf(range, sizeof(range), "%lld..", (long long)row->min);
		else
			snprintf(
				range, sizeof(range), "%lld..%lld", (long long)row->min, (long long)row->max);
		fprintf(out, "%-52s %-8s %-34s %-24s %-12s %-13s %s\n", row->name, type_name[row->type],
			row->def[0] ? row->def : "\"\"", range, row->unit, use_name[row->use], row->help);
	}
}
