/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of a configuration and of the table of options.
 *
 * Always true: gpuconf_stream() reads the output of gpuconf_dump() back to the same values and the same GPU. Numbers
 * are written in decimal.
 */
#include <string.h>
#include "gpuconf.h"
#include "roff.h"

/* Returns true if the reader would split the text or read it as an option. */
static bool option_needs_quotes(const char *text)
{
	return !text[0] || text[0] == '"' || text[0] == '-' || strchr(text, ' ');
}

static void dump_row(const struct gpuconf *c, int id, FILE *out)
{
	const struct conf_row *row = &conf_rows[id];
	const char *text = c->value[id].text;

	if (row->type != CONF_STRING)
		fprintf(out, "%s %lld\n", row->name, (long long)c->value[id].number);
	else if (option_needs_quotes(text))
		fprintf(out, "%s \"%s\"\n", row->name, text);
	else
		fprintf(out, "%s %s\n", row->name, text);
}

void gpuconf_dump(const struct gpuconf *c, FILE *out)
{
	const int bus = OPT_dram_dual_bus_interface, queue = OPT_dram_seperate_write_queue_enable;
	/*
	 * The option of these two that is set later decides about the write queue (quirk Q4-1), so their order is
	 * kept.
	 */
	bool bus_last = c->value[bus].order > c->value[queue].order;

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
	[USE_QUERY] = "unused(query)",
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

/* ---- trace-config(5) ---------------------------------------------------------------------- */

/* A row of options.def: an option, or a section if heading is not NULL. */
static const struct man_row {
	const char *heading;
	enum conf_id id;
} man_rows[] = {
#define HEADING(title)                                         {title, N_OPTIONS},
#define OPTION(id, name, type, def, min, max, unit, use, help) {NULL, OPT_##id},
#include "options.def"
#undef OPTION
};

/* Writes "; 1 to 64" to out, or nothing if any number of the type is valid. */
static void format_man_range(char *out, size_t cap, const struct conf_row *row)
{
	bool least = row->min != INT32_MIN && row->min != INT64_MIN;
	bool most = row->max != INT32_MAX && row->max != UINT32_MAX && row->max != INT64_MAX;

	out[0] = '\0';
	if (row->min == row->max)
		snprintf(out, cap, "; only %lld", (long long)row->min);
	else if (least && most)
		snprintf(out, cap, "; %lld to %lld", (long long)row->min, (long long)row->max);
	else if (least)
		snprintf(out, cap, "; %lld or more", (long long)row->min);
	else if (most)
		snprintf(out, cap, "; at most %lld", (long long)row->max);
}

static void print_man_option(FILE *out, const struct conf_row *row)
{
	bool number = row->type != CONF_STRING && row->type != CONF_BOOL;
	char range[64] = "";

	fprintf(out, ".It Fl %s Ar %s\n", row->name + 1, type_name[row->type]);
	roff_sentence(out, row->help);
	if (number)
		format_man_range(range, sizeof(range), row);
	fprintf(out, "Default %s%s%s%s.\n", *row->def ? row->def : "empty", range,
		number && strcmp(row->unit, "-") != 0 ? " " : "",
		number && strcmp(row->unit, "-") != 0 ? row->unit : "");
}

/*
 * Prints the options without effect. A display is used because a list of columns would be wider than a line of groff.
 */
static void print_man_unused(FILE *out)
{
	const int width = 40; /* number of characters of the longest option name */

	fprintf(out, ".Ss Options without effect\n.Bd -literal -compact\n%-*s type     default\n", width + 1,
		"option");
	for (const struct conf_row *row = conf_rows; row < conf_rows + N_OPTIONS; row++)
		if (row->use != USE_MODEL)
			fprintf(out, ".Fl %s Ns \"%*s %-8s %s\"\n", row->name + 1,
				width - (int)strlen(row->name + 1), "", type_name[row->type],
				*row->def ? row->def : "empty");
	fputs(".Ed\n", out);
}

void gpuconf_man_options(FILE *out)
{
	const char *heading = NULL; /* section title to print before the next option */
	bool open = false;

	for (size_t i = 0; i < sizeof(man_rows) / sizeof(man_rows[0]); i++) {
		const struct man_row *m = &man_rows[i];

		if (m->heading)
			heading = m->heading;
		if (m->heading || conf_rows[m->id].use != USE_MODEL)
			continue;
		if (heading)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", open ? ".El\n" : "", heading);
		open = true;
		heading = NULL;
		print_man_option(out, &conf_rows[m->id]);
	}
	fputs(".El\n", out);
	print_man_unused(out);
}

void gpuconf_man_gpus(FILE *out)
{
#define GPU(name, about, error) fputs(".It Cm " #name "\n" about ".\n", out);
#include "gpus.def"
#undef GPU
}
