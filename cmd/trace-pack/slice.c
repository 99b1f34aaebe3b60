/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects thread blocks of a kernel's text. The result has the whole header and a mark. It equals the text
 * that pack_pass_text() writes for the same blocks of a packed kernel.
 *
 * Always true: at most one line is held in memory. Only blank lines may be between thread blocks. Otherwise
 * the trace is not regular, and no block can be selected.
 */
#include <string.h>
#include "tool.h"

enum slice_place { IN_HEADER, BETWEEN, IN_BLOCK };

struct cutter {
	const struct slice *slice;
	enum slice_place position;
	uint64_t number;   /* number of the next thread block */
	bool any_written;  /* true if a thread block was written */
	bool mark_written; /* true if the mark was written */
	bool all_written;  /* true if all output was written */
	uint32_t header_lines;
};

static void pass_slice_text(struct cutter *c, const char *text, size_t n)
{
	c->all_written = c->all_written && c->slice->sink.write(c->slice->sink.ctx, text, n);
}

static bool is_line_with_text(const char *line, size_t n, const char *what)
{
	return n == strlen(what) && !memcmp(line, what, n);
}

static bool is_blank_line(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", line[i]))
			return false;
	return true;
}

/* Writes a line of the header. Inserts the mark after the last field. */
static void slice_header_line(struct cutter *c, const char *line, size_t n)
{
	c->mark_written |= is_line_with_text(line, n, "-slice = 1\n");
	if (!c->mark_written && c->header_lines && line[0] != '-') {
		pass_slice_text(c, "-slice = 1\n", 11);
		c->mark_written = true;
	}
	c->header_lines++;
	pass_slice_text(c, line, n);
}

/* Writes a line, with its line end, if it is part of the header or of a selected thread block. */
static int slice_line(struct cutter *c, const char *line, size_t n, struct input *in, struct fault *f)
{
	bool wanted = c->number >= c->slice->first_block && c->number <= c->slice->last_block;

	if (c->position != IN_BLOCK && is_line_with_text(line, n, "#BEGIN_TB\n")) {
		c->position = IN_BLOCK;
		if (wanted && c->any_written)
			pass_slice_text(c, "\n", 1);
	} else if (c->position == IN_HEADER) {
		slice_header_line(c, line, n);
		return 0;
	} else if (c->position == BETWEEN) {
		return is_blank_line(line, n)
			       ? 0
			       : fault_set(f, (struct place){input_name(in), 0, 0}, "pack-stored",
					 "text between thread blocks: not a regular trace, no thread blocks can be selected");
	}
	if (wanted)
		pass_slice_text(c, line, n);
	if (!is_line_with_text(line, n, "#END_TB\n"))
		return 0;
	c->any_written |= wanted;
	c->number++;
	c->position = BETWEEN;
	return 0;
}

int slice_text(struct input *in, const struct slice *s, struct fault *f)
{
	struct cutter c = {.slice = s, .all_written = true};
	struct place at_end = {input_name(in), 0, 0};
	const char *p;
	long n;
	size_t want = 1;

	while (c.number <= s->last_block && (n = input_window(in, want, &p, f)) != 0) {
		size_t at = 0;

		if (n < 0)
			return -1;
		for (const char *nl; c.number <= s->last_block && (nl = memchr(p + at, '\n', (size_t)n - at));
			at = (size_t)(nl + 1 - p))
			if (slice_line(&c, p + at, (size_t)(nl + 1 - (p + at)), in, f) < 0)
				return -1;
		if (!at && ((size_t)n < want || want > INPUT_LINE_MAX))
			break;
		want = at ? 1 : (size_t)n + 1;
		input_consume(in, at, 0);
	}
	if (!c.all_written)
		return fault_set(f, at_end, "write", "cannot write");
	if (c.position == IN_BLOCK)
		return fault_set(
			f, at_end, "truncated", "file ends inside a thread block (expected #END_TB)");
	if (c.any_written)
		return 0;
	return fault_set(f, at_end, "no-block",
		"--tb selects none of the %llu thread blocks (counted from 0)", (unsigned long long)c.number);
}
