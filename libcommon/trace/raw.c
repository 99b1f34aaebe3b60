/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw traces, as the tracer writes them: instruction lines in the order of execution, each with its thread block and
 * warp.
 *
 * Always true: raw traces are read only for a watcher. A record is passed to it and freed before the next line is
 * read, so memory does not grow with the file. The lines are not grouped.
 */
#include "reader.h"

bool raw_is_line(const struct trace *t, const char *line, size_t len)
{
	return line_prefix(t->dialect.form, line, len) >= 4;
}

/* Sets the current thread block and warp from the line, so that line_parse() accepts it. */
static void set_ids_from_line(struct trace *t, struct tblock *tb, const char *line, size_t len)
{
	uint32_t v[4] = {0};
	unsigned bad;
	columns_read_numbers(line, line + len, 4, v, &bad);
	t->id[0] = tb->x = v[0];
	t->id[1] = tb->y = v[1];
	t->id[2] = tb->z = v[2];
	t->warp = v[3];
}

static uint32_t raw_lanes_of_warp(const struct trace *t)
{
	uint64_t threads = kernel_threads(&t->header), first = (uint64_t)t->warp * 32;
	if (first >= threads)
		return 0;
	return threads - first >= 32 ? UINT32_MAX : (1u << (threads - first)) - 1;
}

int raw_read(struct trace *t, struct tblock *tb, struct fault *f)
{
	const char *line;
	size_t len;
	int r;
	t->raw = true;
	tb->n_warps = 0;
	while ((r = text_line(t, &line, &len, f)) > 0) {
		const char *p = line;
		struct tok w = tok_next(&p, line + len);
		tb->n_recs = tb->n_words = 0;
		if (w.n && w.s[0] != '#') {
			set_ids_from_line(t, tb, line, len);
			if (line_parse(t, tb, raw_lanes_of_warp(t), line, len, f) == 0) {
				trace_report_record(t, tb, line, len, t->line);
			} else {
				if (t->is_last && line + len == t->end)
					fault_set(f, text_place(t, line, line + len), "truncated",
						"file ends inside a line");
				if (!trace_report_fault(t, f))
					return -1;
			}
		}
		text_next(t, line + len);
	}
	tb->n_recs = tb->n_words = 0;
	t->end_reported = true;
	return r;
}
