/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded calls: they keep faults and lack of memory in functions of warptools.h from ending the process. */
#ifndef WT_HANDLE_H
#define WT_HANDLE_H

#include <stdbool.h>
#include "diag.h"
#include "warptools.h"

/* First member of each handle. */
struct wt_handle {
	struct diag_names *names; /* names of inputs, for faults */
	bool broken;              /* true if a call ran out of memory, so that the state is unknown */
};

/* Returns a zeroed handle of n bytes. Returns NULL and sets *e on failure. */
void *wt_handle_new(size_t n, struct wt_error *e);
/* frees the handle itself */
void wt_handle_free(struct wt_handle *h);
/*
 * Calls body(ctx, f) under a trap and returns its result. If that is -1, sets *e from the fault. After a failed
 * allocation the handle is broken, and every call returns -1 without calling body().
 */
int wt_handle_call(
	struct wt_handle *h, int (*body)(void *ctx, struct fault *f), void *ctx, struct wt_error *e);

/* Sets *e from a fault. Accepts NULL as e. */
void wt_error_set(struct wt_error *e, const struct fault *f);

#endif
