/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --top: prints the places of two profiles with the largest changes in cycles. Kernels of equal
 * names are merged.
 *
 * Always true: rows are sorted by change, the largest first. A place without a change is shown only with
 * --all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "hotspots.h"

static int read_profile_of_side(
	struct hotspots *t, const struct diff_options *o, int side, const char *path, char status[24])
{
	struct fault f;
	struct result_item item;
	struct results *r = results_open(path, 0, &f);
	bool kernels = false, profile = false;
	int event = r ? 0 : -1;

	while (r && (event = results_next(r, &item, &f)) > 0) {
		if (event == RESULT_KERNEL &&
			kselect_selects(o->kernels, item.kernel.position, item.kernel.name)) {
			kernels = true;
			required_note_kernel(o);
			profile |= hotspots_add(t, side, &item);
		} else if (event == RESULT_DONE) {
			snprintf(status, 24, "%s", item.status);
			if (!strcmp(item.status, "cut"))
				event = -1, f = item.cut;
		}
		if (event < 0)
			break;
	}
	results_close(r);
	if (event < 0)
		return diag_fault(&f);
	if (kernels && !profile)
		return diag_error(
			(struct place){.file = path}, "no profile (expected a file of trace-sim --profile)");
	return 0;
}

static void format_hot_spot_change(char *out, size_t cap, const struct hotspot *r)
{
	if (!r->cycles[0] || !r->cycles[1])
		snprintf(out, cap, "%s", r->cycles[0] ? "gone" : "new");
	else
		snprintf(out, cap, "%+.2f%%",
			100 * ((double)r->cycles[1] - (double)r->cycles[0]) / (double)r->cycles[0]);
}

/* Writes the name of a place: "0x0090 LDG.E:12" or, for a source line without a PC, "line 12". */
static void format_place(char *out, size_t cap, const struct hotspot *r)
{
	if (*r->pc)
		snprintf(out, cap, "%s %.80s%s%s", r->pc, r->opcode, *r->line ? ":" : "", r->line);
	else if (*r->line)
		snprintf(out, cap, "line %s", r->line);
	else
		snprintf(out, cap, "-");
}

/* Returns the main stall reason of a row on the side with more cycles. */
static const char *main_stall_of(const struct hotspot *r)
{
	return hotspots_reason_name((int)hotspots_main_reason(r, r->cycles[1] > r->cycles[0]));
}

static void print_hot_spot(const struct diff_options *o, FILE *out, const struct hotspot *r)
{
	char change[32], place[160];

	format_hot_spot_change(change, sizeof(change), r);
	format_place(place, sizeof(place), r);
	if (o->form == DIFF_MARKDOWN) {
		fprintf(out, "| %" PRIu64 " | %" PRIu64 " | %s | %s | ", r->cycles[0], r->cycles[1], change,
			main_stall_of(r));
		print_name(out, place, o->form);
		fputs(" | ", out);
		print_name(out, *r->kernel ? r->kernel : "-", o->form);
		fputs(" |\n", out);
		return;
	}
	fprintf(out, "  %12" PRIu64 "  %12" PRIu64 "  %9s  %-21s  ", r->cycles[0], r->cycles[1], change,
		main_stall_of(r));
	print_name_padded(out, place, 28);
	fputs("  ", out);
	print_name(out, *r->kernel ? r->kernel : "-", o->form);
	putc('\n', out);
}

static void print_json_row(FILE *out, const char *heading, const struct hotspot *r)
{
	json_t *o = json_object();

	if (heading)
		json_object_set_new(o, "file", printed_json_string(heading));
	json_object_set_new(o, "kernel", printed_json_string(r->kernel));
	json_object_set_new(o, "pc", printed_json_string(r->pc));
	json_object_set_new(o, "opcode", printed_json_string(r->opcode));
	json_object_set_new(o, "line", printed_json_string(r->line));
	json_object_set_new(o, "stall", json_string(main_stall_of(r)));
	json_object_set_new(o, "a", json_integer((json_int_t)r->cycles[0]));
	json_object_set_new(o, "b", json_integer((json_int_t)r->cycles[1]));
	print_json_line(o, out);
}

static void print_top_head(const struct diff_options *o, FILE *out, const struct hotspots *t)
{
	double a = (double)t->total_cycles[0], b = (double)t->total_cycles[1];
	bool markdown = o->form == DIFF_MARKDOWN;

	fprintf(out, "%sscheduler cycles of SMs with thread blocks: A %" PRIu64 ", B %" PRIu64,
		markdown ? "" : "  ", t->total_cycles[0], t->total_cycles[1]);
	fprintf(out, a > 0 ? " (%+.2f%%)\n" : "\n", 100 * (b - a) / a);
	if (markdown)
		fputs("\n| A | B | change | stall | place | kernel |\n|---:|---:|---:|---|---|---|\n", out);
	else
		fprintf(out, "  %12s  %12s  %9s  %-21s  %-28s  %s\n", "A", "B", "change", "stall", "place",
			"kernel");
}

static bool print_hot_spots(const struct diff_options *o, FILE *out, struct hotspots *t,
	const char *const path[2], const char *heading)
{
	struct diff d = {.options = o, .side = {{.path = path[0]}, {.path = path[1]}}};
	bool differs = false;

	hotspots_sort(t, true);
	for (uint32_t i = 0; i < t->n; i++)
		differs |= t->row[i].cycles[0] != t->row[i].cycles[1];
	if (hotspots_lack_lines(t, path[0]))
		return differs;
	if ((differs || o->all) && o->form != DIFF_JSON) {
		print_heading(&d, out, heading);
		print_top_head(o, out, t);
	}
	for (uint32_t i = 0; i < t->n && i < o->top; i++) {
		const struct hotspot *r = &t->row[i];

		if (r->cycles[0] == r->cycles[1] && !o->all)
			continue;
		if (o->form == DIFF_JSON)
			print_json_row(out, heading, r);
		else
			print_hot_spot(o, out, r);
	}
	return differs;
}

int diff_top(const struct diff_options *o, FILE *out, const char *a, const char *b, const char *heading)
{
	const char *const path[2] = {a, b};
	struct hotspots *t = hotspots_new((enum hotspots_by)o->top_by);
	char status[2][24] = {"", ""};
	int result = EXIT_TROUBLE;

	if (read_profile_of_side(t, o, 0, a, status[0]) == 0 &&
		read_profile_of_side(t, o, 1, b, status[1]) == 0)
		result = print_hot_spots(o, out, t, path, heading) || strcmp(status[0], status[1])
				 ? EXIT_NO
				 : EXIT_GOOD;
	hotspots_free(t);
	return result;
}
