/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing: each kernel's text, grouped first when it is raw, cut to the thread blocks wanted, into one
 * stream.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "output.h"
#include "tool.h"

struct feed {
	struct pack_writer *w;
	uint64_t bytes;
};

static bool feed(void *ctx, const void *bytes, size_t n)
{
	struct feed *d = ctx;

	pack_feed(d->w, bytes, n);
	d->bytes += n;
	return true;
}

static bool to_file(void *ctx, const void *bytes, size_t n) { return fwrite(bytes, 1, n, ctx) == n; }

static void feed_input(struct feed *d, struct input *in, const char *path, const struct args *a, bool raw)
{
	struct fault f;
	const char *p;
	long n = 0;

	if (!in && !(in = input_open(path, &f)))
		die_fault(&f);
	if (raw) {
		if (group_text(in, a->memory, feed, d, &f) < 0)
			die_fault(&f);
	} else {
		while ((n = input_window(in, 1, &p, &f)) > 0) {
			feed(d, p, (size_t)n);
			input_take(in, (size_t)n, 0);
		}
	}
	if (n < 0)
		die_fault(&f);
	input_close(in);
}

/* Thread blocks first to last of a kernel's text; raw text is grouped into a temporary file first. */
static void feed_slice(struct feed *d, struct source *s, const struct item *i, const struct args *a)
{
	struct fault f;
	struct slice slice = {a->first, a->last, feed, d};
	struct input *in = s->in ? s->in : input_open(i->path, &f);

	if (!in)
		die_fault(&f);
	if (i->raw) {
		FILE *t = tmpfile();
		char name[64];

		if (!t)
			die_errno("temporary file");
		if (group_text(in, a->memory, to_file, t, &f) < 0)
			die_fault(&f);
		input_close(in);
		if (fflush(t))
			die_errno("temporary file");
		snprintf(name, sizeof(name), "/dev/fd/%d", fileno(t));
		if (!(in = input_open(name, &f)) || slice_text(in, &slice, &f) < 0)
			die_fault(&f);
		fclose(t);
	} else if (slice_text(in, &slice, &f) < 0) {
		die_fault(&f);
	}
	input_close(in);
	s->in = NULL;
}

static void progress(const struct args *a, const struct source *s, uint32_t done, uint64_t bytes)
{
	if (a->quiet || !(a->verbose || isatty(STDERR_FILENO)))
		return;
	fprintf(stderr, "%s%u of %u kernels, %.1f MB of text%s", a->verbose ? "" : "\r", done, s->n_items,
		(double)bytes / 1e6, a->verbose || done == s->n_items ? "\n" : "");
}

static void is_text(void *ctx, uint32_t kernel)
{
	const struct source *s = ctx;
	const struct item *k = &s->item[kernel];

	diag_warn((struct place){diag_keep(k->path ? k->path : k->name), 0, 0},
		"found text that is no regular "
		"trace, wanted one; it is kept byte for byte");
}

int do_pack(const char *operand, const struct args *a)
{
	struct source s;
	struct fault f;

	source_open(&s, operand, a);
	if (!a->output && isatty(STDOUT_FILENO))
		die("found a terminal as output, wanted -o FILE or a redirection");
	struct output *out = output_open(a->output, a->force);
	struct feed d = {pack_writer_new(output_stream(out), a->level, a->threads), 0};
	pack_on_text(d.w, is_text, &s);
	pack_put_list(d.w, s.list_name, s.list ? s.list : "", s.n_list);
	for (uint32_t i = 0; i < s.n_items; i++) {
		const struct item *k = &s.item[i];

		pack_begin(d.w);
		if (s.pack) {
			if (pack_text(s.pack, k->number, a->first, a->last, feed, &d, &f) < 0)
				die_fault(&f);
		} else if (a->blocks) {
			feed_slice(&d, &s, k, a);
		} else {
			feed_input(&d, s.in, k->path, a, k->raw);
			s.in = NULL;
		}
		pack_end(d.w);
		progress(a, &s, i + 1, d.bytes);
	}
	pack_writer_close(d.w);
	output_commit(out);
	source_close(&s);
	return EXIT_GOOD;
}
