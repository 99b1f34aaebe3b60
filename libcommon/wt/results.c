/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of libwarptools, on top of results.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "handle.h"
#include "results.h"

struct wt_results {
	struct wt_handle handle;
	struct results *results;
	struct result_item item;
	bool read; /* true after the first record was read */
	struct wt_record record;
	struct wt_figure *figure;
	struct wt_setting *setting;
	uint32_t cap_figures, cap_settings;
};

/* ---- opening ------------------------------------------------------------------------------ */

struct result_opening {
	struct wt_results *results;
	const char *path;
	int fd;         /* file descriptor; -1: the path is opened instead */
	unsigned flags; /* set of enum wt_results_flags */
};

static int open_results(void *ctx, struct fault *f)
{
	struct result_opening *o = ctx;
	struct input *in = o->fd < 0 ? input_open(o->path, f) : input_descriptor(o->fd, o->path, f);

	if (!in)
		return -1;
	o->results->results = results_new(in, (o->flags & WT_RUNNING ? RESULT_RUNNING : 0u) |
						      (o->flags & WT_INTERVALS ? RESULT_INTERVALS : 0u));
	return 0;
}

static struct wt_results *new_results(const char *path, int fd, unsigned flags, struct wt_error *e)
{
	struct wt_results *w = wt_handle_new(sizeof(*w), e);
	struct result_opening o = {w, path, fd, flags};

	if (!w)
		return NULL;
	if (wt_handle_call(&w->handle, open_results, &o, e) == 0)
		return w;
	wt_results_close(w);
	return NULL;
}

struct wt_results *wt_results_open(const char *path, unsigned flags, struct wt_error *e)
{
	return new_results(path, -1, flags, e);
}

struct wt_results *wt_results_open_fd(int fd, const char *name, unsigned flags, struct wt_error *e)
{
	struct fault f;

	if (fd >= 0)
		return new_results(name, fd, flags, e);
	fault_set(&f, (struct place){name, 0, 0}, "open", "descriptor %d (expected one of an open file)", fd);
	wt_error_set(e, &f);
	return NULL;
}

void wt_results_close(struct wt_results *w)
{
	if (!w)
		return;
	results_close(w->results);
	free(w->figure);
	free(w->setting);
	wt_handle_free(&w->handle);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void fill_record_figures(struct wt_results *w)
{
	const struct result_item *item = &w->item;

	grow(&w->figure, &w->cap_figures, item->n_figures + 1, sizeof(w->figure[0]));
	for (uint32_t i = 0; i < item->n_figures; i++) {
		const struct result_figure *x = &item->figure[i];

		w->figure[i] = (struct wt_figure){x->name, x->description ? x->description->unit : "-",
			x->value.real, x->value.is_whole ? x->value.count : 0, x->value.is_whole, x->id};
	}
	grow(&w->setting, &w->cap_settings, item->n_options + 1, sizeof(w->setting[0]));
	for (uint32_t i = 0; i < item->n_options; i++)
		w->setting[i] = (struct wt_setting){
			item->option[i].name, item->option[i].value, item->option[i].about, 0};
}

static const char *text_or_empty(const char *s) { return s ? s : ""; }

static int next_record(void *ctx, struct fault *f)
{
	static const uint32_t kind[] = {[RESULT_START] = WT_RECORD_RUN,
		[RESULT_KERNEL] = WT_RECORD_KERNEL,
		[RESULT_DONE] = WT_RECORD_END,
		[RESULT_INTERVAL] = WT_RECORD_INTERVAL};
	struct wt_results *w = ctx;
	const struct result_item *item = &w->item;
	int event;

	w->read = false;
	event = results_next(w->results, &w->item, f);
	if (event <= 0)
		return event;
	fill_record_figures(w);
	const bool done = event == RESULT_DONE;
	w->record = (struct wt_record){
		.kind = kind[event],
		.run = item->run,
		.position = item->kernel.position,
		.n_figures = item->n_figures,
		.n_settings = item->n_options,
		.id = item->kernel.id,
		.stream = item->kernel.stream,
		.first_cycle = item->first_cycle,
		.cycles = item->cycles,
		.name = text_or_empty(item->kernel.name),
		.grid = item->kernel.grid,
		.block = item->kernel.block,
		.status = text_or_empty(done ? item->status : item->kernel.status),
		.hash = text_or_empty(done ? item->hash : item->kernel.hash),
		.figure = w->figure,
		.setting = w->setting,
	};
	w->read = true;
	return 1;
}

int wt_results_next(struct wt_results *w, const struct wt_record **x, struct wt_error *e)
{
	int r = wt_handle_call(&w->handle, next_record, w, e);

	*x = r > 0 ? &w->record : NULL;
	return r;
}

int wt_results_value(const struct wt_results *w, const char *name, double *value)
{
	for (uint32_t i = 0; w->read && i < w->record.n_figures; i++) {
		if (strcmp(w->figure[i].name, name))
			continue;
		*value = w->figure[i].value;
		return 1;
	}
	return 0;
}
