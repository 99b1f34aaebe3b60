/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles of libwarptools.
 *
 * Always true: libcommon is called only through wt_handle_call(), so die() jumps back here. The handle owns the names
 * of inputs. The table of figures, which is built once, is the only state of the process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "handle.h"

const char *wt_version(void) { return VERSION; }

void wt_error_set(struct wt_error *e, const struct fault *f)
{
	const char *file = f->place.file ? f->place.file : "";

	if (!e)
		return;
	memset(e, 0, sizeof(*e));
	e->line = f->place.line;
	e->column = f->place.col;
	snprintf(e->id, sizeof(e->id), "%s", f->id ? f->id : "");
	diag_quote(e->file, sizeof(e->file), file, strlen(file));
	diag_quote(e->text, sizeof(e->text), f->text, strlen(f->text));
}

const char *wt_error_message(const struct wt_error *e, char *out, size_t cap)
{
	char where[64] = "";

	if (e->line && e->column)
		snprintf(where, sizeof(where), ":%" PRIu64 ":%" PRIu32, e->line, e->column);
	else if (e->line)
		snprintf(where, sizeof(where), ":%" PRIu64, e->line);
	snprintf(out, cap, "%s%s%s%s", e->file, *e->file ? where : "", *e->file ? ": " : "", e->text);
	return out;
}

static void set_memory_error(struct wt_error *e)
{
	struct fault f = {.id = "memory", .text = "out of memory"};

	wt_error_set(e, &f);
}

void *wt_handle_new(size_t n, struct wt_error *e)
{
	struct wt_handle *h = calloc(1, n);

	if (h && (h->names = diag_names_new()))
		return h;
	free(h);
	set_memory_error(e);
	return NULL;
}

void wt_handle_free(struct wt_handle *h)
{
	diag_names_free(h->names);
	free(h);
}

int wt_handle_call(
	struct wt_handle *h, int (*body)(void *ctx, struct fault *f), void *ctx, struct wt_error *e)
{
	struct diag_trap trap = {.names = h->names};
	struct fault f = {.text = ""};
	int r;

	if (h->broken) {
		set_memory_error(e);
		return -1;
	}
	if (setjmp(trap.jump)) {
		diag_trap(NULL);
		h->broken = true;
		wt_error_set(e, &trap.fault);
		return -1;
	}
	diag_trap(&trap);
	r = body(ctx, &f);
	diag_trap(NULL);
	if (r < 0)
		wt_error_set(e, &f);
	return r;
}
