/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs the text of each kernel into one stream. Raw text is grouped first; --tb selects thread blocks.
 *
 * Always true: an input is never replaced. The output gets its final name only after every kernel has been
 * unpacked from it unchanged (unless --no-verify is given).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include "arena.h"
#include "bytes.h"
#include "output.h"
#include "picks.h"
#include "tool.h"

struct feed {
	struct pack_writer *writer;
	uint64_t bytes;
	unsigned char (*hash)[16]; /* hash of the text of each kernel */
};

static bool pass_text_to_writer(void *ctx, const void *bytes, size_t n)
{
	struct feed *d = ctx;

	pack_add_text(d->writer, bytes, n);
	d->bytes += n;
	return true;
}

static bool write_bytes_to_file(void *ctx, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, ctx) == n;
}

struct input *tool_open(struct item *i)
{
	struct fault f;
	struct input *in = i->in ? i->in : input_open(i->path, &f);

	i->in = NULL;
	if (!in)
		die_fault(&f);
	return in;
}

int tool_copy_text(struct input *in, const struct sink *to, struct fault *f)
{
	const char *p;
	long n;

	while ((n = input_window(in, 1, &p, f)) > 0) {
		if (!to->write(to->ctx, p, (size_t)n))
			return fault_set(f, (struct place){input_name(in), 0, 0}, "write", "cannot write");
		input_consume(in, (size_t)n, 0);
	}
	return (int)n;
}

/*
 * Converts the raw text of input `in` to grouped text in a temporary file. Returns an input over this file,
 * and closes `in`.
 */
static struct input *open_grouped(struct input *in, const struct pack_args *a)
{
	struct fault f;
	FILE *t = output_open_unnamed();
	char name[64];

	if (group_text(in, a->max_memory_bytes, &(struct sink){write_bytes_to_file, t}, &f) < 0)
		die_fault(&f);
	input_close(in);
	if (fflush(t))
		die_errno("cannot create a temporary file");
	snprintf(name, sizeof(name), "/dev/fd/%d", fileno(t));
	in = input_open(name, &f);
	if (!in)
		die_fault(&f);
	fclose(t);
	return in;
}

static void pack_item_text(struct feed *d, struct item *i, const struct pack_args *a)
{
	struct input *in = tool_open(i);
	struct sink to = {pass_text_to_writer, d};
	struct fault f;
	int r;

	if (a->blocks) {
		in = i->raw ? open_grouped(in, a) : in;
		r = slice_text(in, &(struct slice){a->first_block, a->last_block, to}, &f);
	} else {
		r = i->raw ? group_text(in, a->max_memory_bytes, &to, &f) : tool_copy_text(in, &to, &f);
	}
	if (r < 0)
		die_fault(&f);
	input_close(in);
}

static void report_kernel(const struct pack_args *a, const struct source *s, uint32_t done, uint64_t bytes)
{
	if (a->quiet || !(a->verbose || isatty(STDERR_FILENO)))
		return;
	fprintf(stderr, "%s%u of %u kernels, %.1f MB of text%s", a->verbose ? "" : "\r", done, s->n_items,
		(double)bytes / 1e6, a->verbose || done == s->n_items ? "\n" : "");
}

static void warn_kept_as_text(void *ctx, uint32_t kernel)
{
	const struct source *s = ctx;
	const struct item *k = &s->item[kernel];

	diag_warn((struct place){diag_keep(k->path ? k->path : k->name), 0, 0},
		"not a regular trace: the text is kept byte for byte");
}

/* ---- the output --------------------------------------------------------------------------- */

_Noreturn void die_writing(struct output *o, const struct fault *f)
{
	if (!strcmp(f->id, "write"))
		output_commit(o); /* reports the failed write, and ends the program */
	die_fault(f);
}

static void check_output(const struct source *s, const struct pack_args *a)
{
	output_check_input(a->output, s->operand);
	output_check_input(a->output, s->list_path);
	kselect_check_output(a->select, a->output);
	for (uint32_t i = 0; a->output && i < s->n_items; i++)
		output_check_input(a->output, s->item[i].path);
	for (uint32_t i = 0; i < a->n_cubins; i++)
		output_check_input(a->output, a->cubin[i]);
	if (!a->output && isatty(STDOUT_FILENO))
		die("standard output is a terminal (use -o FILE or a redirection)");
}

static bool add_to_kernel_hash(void *ctx, const void *bytes, size_t n)
{
	XXH3_128bits_update(ctx, bytes, n);
	return true;
}

/* Ends the program if a kernel that is unpacked from the stream differs from the kernel that was packed. */
static void verify_output(const struct pack_args *a, struct output *out, const struct feed *d,
	const struct codes *c, uint32_t n, uint32_t n_missing)
{
	const char *path = a->no_verify ? NULL : output_flushed_path(out);
	XXH3_state_t *h = XXH3_createState();
	struct fault f;

	if (!h)
		die("out of memory");
	struct pack *p = path ? pack_open(path, &f) : NULL;
	if (path && !p)
		die_at((struct place){.file = a->output}, "cannot open the stream just written: %s", f.text);
	for (uint32_t i = 0; p && i < n; i++) {
		XXH128_canonical_t is;

		XXH3_128bits_reset(h);
		if (pack_pass_text(p, i, 0, UINT64_MAX, add_to_kernel_hash, h, &f) < 0)
			die_at((struct place){.file = a->output}, "kernel %u cannot be read back: %s", i + 1,
				f.text);
		XXH128_canonicalFromHash(&is, XXH3_128bits_digest(h));
		if (memcmp(is.digest, d->hash[i], sizeof(d->hash[i])))
			die_at((struct place){.file = a->output}, "kernel %u differs after unpacking", i + 1);
	}
	if (p && (pack_kernels(p) != n || pack_missing_count(p) != n_missing))
		die_at((struct place){.file = a->output}, "the kernel list differs after unpacking");
	if (p)
		codes_verify(c, p, n, a);
	pack_close(p);
	XXH3_freeState(h);
}

/*
 * Writes the picks to the stream. Their positions refer to the stream's list, in which kernel i is the i-th
 * picked kernel.
 */
static void write_picks_to_stream(const struct source *s, const struct pack_args *a, struct pack_writer *w)
{
	const struct picks *p = kselect_picks(a->select);
	struct bytes text = {0};

	if (!p && !a->select && s->pack && pack_picks(s->pack))
		pack_write_picks(w, pack_picks(s->pack), strlen(pack_picks(s->pack)));
	if (!p)
		return;
	if (s->n_items != p->n)
		die_at(source_place(s),
			"%u kernels for %u picks: a kernel that the list names twice cannot be packed with its weight",
			s->n_items, p->n);
	FILE *out = bytes_stream(&text);
	struct picks own = *p;

	own.n_kernels = p->n;
	source_list_hash(s, own.hash);
	picks_write_head(out, &own);
	for (uint32_t i = 0; i < p->n_strata; i++) {
		picks_write_stratum(out, &p->stratum[i]);
		putc('\n', out);
	}
	for (uint32_t i = 0; i < p->n; i++) {
		struct pick k = p->pick[i];

		k.position = i + 1;
		picks_write_pick(out, &k, p->stratum[k.stratum].label, s->item[i].name);
	}
	fclose(out);
	pack_write_picks(w, text.p, text.n);
	bytes_free(&text);
}

int pack_operand(const char *operand, const struct pack_args *a)
{
	struct source s;
	struct codes c;
	struct fault f;

	source_open(&s, operand, a);
	check_output(&s, a);
	source_reject_missing_picks(&s, a);
	codes_open(&c, &s, a);
	struct output *out = output_open(a->output, a->force);
	struct feed d = {pack_writer_new(output_stream(out), a->level, a->threads), 0,
		xcalloc(s.n_items, sizeof(*d.hash))};
	pack_on_text(d.writer, warn_kept_as_text, &s);
	write_picks_to_stream(&s, a, d.writer);
	pack_set_codes(d.writer, c.cubins);
	source_mark_missing(&s, d.writer);
	pack_write_list(d.writer, s.list_name, s.list ? s.list : "", s.n_list);
	for (uint32_t i = 0; i < s.n_items; i++) {
		struct item *k = &s.item[i];

		codes_add_kernel(&c, &s, i);
		pack_begin_kernel(d.writer);
		if (!s.pack)
			pack_item_text(&d, k, a);
		else if (pack_pass_text(s.pack, k->number, a->first_block, a->last_block, pass_text_to_writer,
				 &d, &f) < 0)
			die_fault(&f);
		pack_end_kernel(d.writer, d.hash[i]);
		codes_count_kernel(&c, &s, a, i, pack_coded_insts(d.writer));
		report_kernel(a, &s, i + 1, d.bytes);
	}
	pack_writer_close(d.writer);
	verify_output(a, out, &d, &c, s.n_items, s.n_missing);
	output_commit(out);
	codes_close(&c, &s, a);
	free(d.hash);
	source_close(&s);
	return EXIT_GOOD;
}
