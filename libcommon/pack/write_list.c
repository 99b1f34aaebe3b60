/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of a stream's kernel list. */
#include <string.h>
#include "job.h"
#include "output.h"
#include "writer.h"

bool pack_list_fits(size_t n) { return n <= pack_limits.list; }

/* Returns true if the list has several kernels. One of them may then repeat another with moved buffers. */
static bool has_several_kernels(const char *text, size_t n)
{
	const char *first = n ? memmem(text, n, "kernel", 6) : NULL;

	return first && memmem(first + 6, (size_t)(text + n - first) - 6, "\nkernel", 7);
}

void pack_write_list(struct pack_writer *w, const char *name, const char *text, size_t n)
{
	struct buf lines = {0};

	stream_fold_list(&lines, text, n);
	w->has_relative_bodies |= has_several_kernels(text, n) || w->missing.n;
	mp_str(&w->list, name ? name : "", name ? strlen(name) : 0);
	mp_bin(&w->list, lines.p, lines.n);
	if (w->has_relative_bodies)
		mp_bin(&w->list, w->missing.p, w->missing.n);
	buf_free(&lines);
}

void pack_write_missing(struct pack_writer *w, const uint32_t *kernel, uint32_t n)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < n; i++) {
		buf_var(&w->missing, kernel[i] - next);
		next = kernel[i] + 1;
	}
}

void pack_list_last(struct pack_writer *w)
{
	w->spool = output_open_unnamed();
	w->has_relative_bodies = true;
}
