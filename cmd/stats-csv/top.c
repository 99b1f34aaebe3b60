/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --top: prints the places with most cycles in the profile of each run, the hottest first. The
 * figures of a kernel are added to the rows while they are read, without a store.
 *
 * Always true: a run has at most --top rows. "share" and "sum" are percentages of the scheduler cycles of SMs
 * with thread blocks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job.h"
#include "hotspots.h"

static void write_top_head(struct writer *w)
{
	struct head h = {0};

	head_add_text(&h, "run");
	head_add_text(&h, "kernel_name");
	head_add_text(&h, "pc");
	head_add_text(&h, "opcode");
	head_add_number(&h, "line");
	head_add_text(&h, "stall");
	head_add_number(&h, "cycles");
	head_add_number(&h, "share");
	head_add_number(&h, "sum");
	head_add_number(&h, "issues");
	writer_write_head(w, &h);
}

/* Returns a percentage rounded to two decimals. */
static double percent_of_cycles(uint64_t part, uint64_t all)
{
	return all ? round(10000 * (double)part / (double)all) / 100 : (double)NAN;
}

static void write_hot_spots(struct csv_job *j, struct writer *w, struct hotspots *t, const char *run)
{
	uint64_t sum = 0;

	if (!t || hotspots_lack_lines(t, run))
		return;
	hotspots_sort(t, false);
	for (uint32_t i = 0; i < t->n && i < j->top; i++) {
		const struct hotspot *r = &t->row[i];

		sum += r->cycles[0];
		writer_write_text(w, run);
		writer_write_text(w, r->kernel);
		writer_write_text(w, r->pc);
		writer_write_text(w, r->opcode);
		writer_write_text(w, r->line);
		writer_write_text(w, hotspots_reason_name((int)hotspots_main_reason(r, 0)));
		writer_write_value(w, &(struct result_value){.count = r->cycles[0], .is_whole = true});
		writer_write_real(w, percent_of_cycles(r->cycles[0], t->total_cycles[0]));
		writer_write_real(w, percent_of_cycles(sum, t->total_cycles[0]));
		writer_write_value(
			w, r->issues[0] ? &(struct result_value){.count = r->issues[0], .is_whole = true}
					: NULL);
		writer_end(w);
	}
}

/* Returns the name of a run: "a.json" or, for the second run in that file, "a.json#2". */
static const char *name_of_run(const char *path, uint32_t run)
{
	char *name = xmalloc(strlen(path) + 16);
	const char *kept;

	sprintf(name, run > 1 ? "%s#%u" : "%s", path, run);
	kept = diag_keep(name);
	free(name);
	return kept;
}

static void write_runs_of_file(struct csv_job *j, struct writer *w, struct results *r, const char *path)
{
	struct result_item item;
	struct fault f;
	struct hotspots *t = NULL;
	bool profile = false, kernels = false;
	int event;

	while ((event = results_next(r, &item, &f)) > 0) {
		j->any_kernel |= event == RESULT_KERNEL;
		if (event == RESULT_START)
			t = hotspots_new((enum hotspots_by)j->top_by);
		else if (event == RESULT_KERNEL &&
			 kselect_selects(j->kernels, item.kernel.position, item.kernel.name))
			kernels = true, profile |= hotspots_add(t, 0, &item);
		if (event != RESULT_DONE)
			continue;
		write_hot_spots(j, w, t, name_of_run(path, item.run));
		hotspots_free(t);
		t = NULL;
		if (!strcmp(item.status, "cut"))
			diag_fault(&item.cut);
		if (strcmp(item.status, "complete") && strcmp(item.status, "limit"))
			j->status = EXIT_NO;
	}
	if (event < 0)
		die_fault(&f);
	j->any_row |= kernels;
	if (kernels && !profile)
		die_at((struct place){.file = path}, "no profile (expected a file of trace-sim --profile)");
}

void csv_print_top(struct csv_job *j, FILE *out, int n, char **path)
{
	struct writer w = {out, j->form, 0};
	struct fault f;

	write_top_head(&w);
	for (int i = 0; i < (n ? n : 1); i++) {
		const char *name = n ? path[i] : "-";
		struct results *r = results_open(name, 0, &f);

		if (!r)
			die_fault(&f);
		write_runs_of_file(j, &w, r, name);
		results_close(r);
	}
	collect_check_selection(j);
}
