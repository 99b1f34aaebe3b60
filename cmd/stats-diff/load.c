/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the kernels and figures of a side into the store.
 *
 * Always true: each result is read once, forwards. The name of a figure is looked up once per result, not
 * once per kernel.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"

static const char *const host_figures[] = {
	"gpgpu_simulation_*", "gpgpu_silicon_slowdown", "gpu_total_sim_rate", "host_*"};

static bool is_host_figure(const char *name)
{
	for (size_t i = 0; i < sizeof(host_figures) / sizeof(host_figures[0]); i++)
		if (namelist_matches(host_figures[i], name))
			return true;
	return false;
}

/* A host time is compared only if -s has its full name. */
bool diff_compares_figure(const struct diff_options *o, const char *name)
{
	if (namelist_find(&o->ignore, name) >= 0)
		return false;
	if (is_host_figure(name)) {
		for (size_t i = 0; i < o->select.n; i++)
			if (!strcmp(o->select.pattern[i], name))
				return true;
		return false;
	}
	return !o->select.n || namelist_find(&o->select, name) >= 0;
}

struct loading {
	struct diff *diff;
	struct side *side;
	/* for each id of the reader, column + 1; UINT32_MAX if the figure is not compared */
	uint32_t *column;
	uint32_t n_columns, cap_columns;
	struct store_value *value;
	uint32_t cap_value;
};

static uint32_t store_column_of_figure(struct loading *l, const struct result_figure *f)
{
	if (f->id >= l->n_columns) {
		grow(&l->column, &l->cap_columns, f->id + 1, sizeof(*l->column));
		while (l->n_columns <= f->id)
			l->column[l->n_columns++] = 0;
	}
	if (!l->column[f->id]) {
		required_note_figure(l->diff->options, f->name);
		l->column[f->id] = l->diff->options->weights ||
						   diff_compares_figure(l->diff->options, f->name) ||
						   !strcmp(f->name, "gpu_sim_cycle")
					   ? store_column(l->diff->store, f->name) + 1
					   : UINT32_MAX;
	}
	return l->column[f->id];
}

static void store_side_item(struct loading *l, const struct result_item *item)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < item->n_figures; i++) {
		uint32_t column = store_column_of_figure(l, &item->figure[i]);

		if (column == UINT32_MAX)
			continue;
		grow(&l->value, &l->cap_value, n + 1, sizeof(*l->value));
		memset(&l->value[n], 0, sizeof(l->value[n]));
		l->value[n].column = column - 1;
		l->value[n++].value = item->figure[i].value;
	}
	store_add_row(l->diff->store, item, l->value, n);
}

/* Sets the fields of *s that say which figures the records of a run have. */
static void set_written_figures(struct side *s, const struct result_item *item)
{
	s->lists_figures = item->lists_figures;
	namelist_free(&s->written);
	for (uint32_t i = 0; i < item->n_options; i++)
		if (!strcmp(item->option[i].name, "given.stats"))
			namelist_add(&s->written, item->option[i].value);
}

bool diff_has_figure(const struct side *s, const char *name, const struct figure *about)
{
	if (s->written.n)
		return namelist_find(&s->written, name) >= 0;
	return !s->lists_figures || !about || !about->unit_of_gpu;
}

/* Returns true if the record is from a profile, whose figures differ from those of a result. */
static bool is_profile_item(const struct result_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++)
		if (!strncmp(item->figure[i].name, "sched_cycles", 12))
			return true;
	return false;
}

static int read_side_events(struct loading *l, struct results *r, struct fault *f)
{
	struct diff *d = l->diff;
	struct result_item item;
	int event;

	while ((event = results_next(r, &item, f)) > 0) {
		if (event == RESULT_START) {
			store_add_run(d->store, l->side->path, &item);
			set_written_figures(l->side, &item);
			l->side->n_runs++;
			l->side->is_log |= item.form == RESULT_ACCELSIM;
		} else if (event == RESULT_KERNEL) {
			l->side->is_profile |= is_profile_item(&item);
			if (!kselect_selects(d->options->kernels, item.kernel.position, item.kernel.name))
				continue;
			required_note_kernel(d->options);
			store_side_item(l, &item);
			l->side->n_kernels++;
		} else {
			if (d->options->weights)
				store_side_item(l, &item);
			store_end_run(d->store, &item);
			if (strcmp(item.status, "cut"))
				continue;
			diag_fault(&item.cut);
			d->has_incomplete_run = true;
		}
	}
	return event;
}

int diff_load(struct diff *d, int side, const char *path)
{
	struct loading l = {.diff = d, .side = &d->side[side]};
	struct results *r;
	struct fault f;
	int status = -1;

	*l.side = (struct side){
		.first_kernel = d->store->n_kernels, .first_run = d->store->n_runs, .path = path};
	r = results_open(path, 0, &f);
	if (r)
		status = read_side_events(&l, r, &f);
	if (status < 0)
		diag_fault(&f);
	results_close(r);
	free(l.column);
	free(l.value);
	return status;
}
