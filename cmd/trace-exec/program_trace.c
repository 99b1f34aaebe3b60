/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of a program. Kernels are written to a directory as they arrive, or packed into a stream. The stream
 * ends with the kernel list, because the list is complete only when the program has ended.
 *
 * Always true: a stream takes the memory of one thread block and of the packer. The program is not trusted to
 * send whole messages: their sizes, and the instructions that records name, are checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program_trace.h"
#include "trace_out.h"
#include "wire.h"

static bool is_stdout(const char *path) { return !path || !strcmp(path, "-"); }

/*
 * Opens a file for writing. Exits with a message if it is the traced program or a file of the GPU's
 * configuration.
 */
static struct output *open_protected_output(const struct program_trace *t, const char *path)
{
	output_check_input(path, t->program);
	gpu_protect_files(t->gpu, path);
	return output_open(path, t->options->force);
}

static struct output *open_in_directory(const struct program_trace *t, const char *name)
{
	char *path = run_join_path(t->options->output, name);
	struct output *out = open_protected_output(t, path);

	free(path);
	return out;
}

void program_trace_open(
	struct program_trace *t, const struct run_options *o, const struct gpu_choice *g, const char *program)
{
	*t = (struct program_trace){.options = o, .gpu = g, .program = program};
	bytes_puts(&t->list, "");
	if (o->trace_to == TRACE_DIRECTORY && (!*o->output || (mkdir(o->output, 0777) && errno != EEXIST)))
		die_errno_at((struct place){.file = o->output}, "cannot create the directory");
	if (o->trace_to != TRACE_STREAM)
		return;
	if (is_stdout(o->output) && isatty(STDOUT_FILENO))
		die("standard output is a terminal (use -n, -o DIR or a redirection)");
	t->stream = is_stdout(o->output) ? output_open(NULL, false) : open_protected_output(t, o->output);
	t->pack = pack_writer_new(
		output_stream(t->stream), o->records ? PACK_FAST : PACK_DEFAULT, o->exec.threads);
	pack_list_last(t->pack);
}

void program_trace_add_copy(struct program_trace *t) { bytes_printf(&t->list, "%s\n", t->body.p); }

static void end_received_kernel(struct program_trace *t)
{
	if (t->kernel)
		output_commit(t->kernel);
	if (t->kernel_begun)
		pack_end_kernel(t->pack, NULL);
	t->kernel = NULL;
	t->kernel_begun = false;
	pack_code_free(&t->code);
}

void program_trace_begin_kernel(struct program_trace *t)
{
	end_received_kernel(t);
	bytes_printf(&t->list, "%s\n", t->body.p);
	if (t->options->trace_to == TRACE_DIRECTORY)
		t->kernel = open_in_directory(t, t->body.p);
	if (!t->pack)
		return;
	pack_begin_kernel(t->pack);
	t->kernel_begun = true;
}

void program_trace_add_text(struct program_trace *t)
{
	if (t->kernel)
		fwrite(t->body.p, 1, t->body.n, output_stream(t->kernel));
	else if (t->kernel_begun && !t->code.inst)
		pack_add_text(t->pack, t->body.p, t->body.n);
}

/* ---- records ---- */

bool program_trace_add_code(struct program_trace *t)
{
	const struct bytes *b = &t->body;
	struct pack_code *c = &t->code;
	uint64_t n[2];

	if (!t->kernel_begun || c->inst || b->n < sizeof(n))
		return false;
	memcpy(n, b->p, sizeof(n));
	size_t left = b->n - sizeof(n), bytes = (size_t)n[0] * sizeof(*c->inst);
	const char *p = b->p + sizeof(n);

	if (n[0] > left / sizeof(*c->inst) || n[0] > UINT32_MAX / 2 || n[1] > left - bytes)
		return false;
	c->n = (uint32_t)n[0];
	c->n_text = (size_t)n[1];
	c->inst = xmalloc(bytes + 1);
	c->text = xmalloc(c->n_text + 1);
	memcpy(c->inst, p, bytes);
	memcpy(c->text, p + bytes, c->n_text);
	if (!pack_code_good(c))
		return false;
	pack_begin_records(t->pack, p + bytes + c->n_text, left - bytes - c->n_text, c);
	return true;
}

/* Rest of the body, which has not been read yet. */
struct message_rest {
	const char *p;
	uint64_t n;
};

/*
 * Takes n elements of `size` bytes, and the padding up to a multiple of 8. Returns NULL if the rest is too
 * short.
 */
static const void *take_elements(struct message_rest *r, uint64_t n, size_t size)
{
	const char *p = r->p;

	if (n > r->n / size || (n * size + 7) / 8 * 8 > r->n)
		return NULL;
	n = (n * size + 7) / 8 * 8;
	r->p += n;
	r->n -= n;
	return p;
}

/* Checks that the runs name instructions of the kernel. */
static bool are_runs_valid(const struct program_trace *t, const struct pack_warp *w)
{
	for (uint32_t i = 0; i < w->n_runs; i++) {
		const struct pack_run *r = &w->run[i];
		uint64_t end = (uint64_t)r->id + r->n;

		if (end > 2 * (uint64_t)t->code.n || (r->id < t->code.n && end > t->code.n))
			return false;
	}
	return true;
}

bool program_trace_add_block(struct program_trace *t)
{
	struct message_rest r = {t->body.p, t->body.n};
	const struct wire_block *b = take_elements(&r, 1, sizeof(*b));
	const struct wire_warp *n = b ? take_elements(&r, b->n_warps, sizeof(*n)) : NULL;
	const char *lines = n ? take_elements(&r, b->n_lines, 1) : NULL;
	struct pack_warp warp[BLOCK_WARPS];

	if (!t->code.inst || !lines || !b->n_lines || lines[b->n_lines - 1] || b->n_warps > BLOCK_WARPS)
		return false;
	for (uint32_t i = 0; i < b->n_warps; i++) {
		struct pack_warp *w = &warp[i];

		*w = (struct pack_warp){.n_runs = n[i].n_runs,
			.n_payloads = n[i].n_payloads,
			.n_words = n[i].n_words,
			.n_text = (size_t)n[i].n_text};
		w->word = take_elements(&r, n[i].n_words, sizeof(*w->word));
		w->payload = take_elements(&r, n[i].n_payloads, sizeof(*w->payload));
		w->run = take_elements(&r, n[i].n_runs, sizeof(*w->run));
		w->text = take_elements(&r, n[i].n_text, 1);
		if (!w->word || !w->payload || !w->run || !w->text || !are_runs_valid(t, w) ||
			!pack_warp_good(t->pack, w))
			return false;
	}
	pack_block(t->pack, b->id, lines, warp, b->n_warps);
	return true;
}

/* ---- end of the trace ---- */

static void put_program_list(struct program_trace *t)
{
	struct output *out = t->stream;

	if (t->pack) {
		if (!pack_list_fits(t->list.n))
			die("the kernel list is too long for a packed stream (use -F text and a directory)");
		pack_write_list(t->pack, "kernelslist.g", t->list.p, t->list.n);
		pack_writer_close(t->pack);
	} else {
		out = open_in_directory(t, "kernelslist.g");
		fwrite(t->list.p, 1, t->list.n, output_stream(out));
	}
	output_commit(out);
}

void program_trace_close(struct program_trace *t, bool good)
{
	if (good && t->options->trace_to != TRACE_NONE) {
		end_received_kernel(t);
		put_program_list(t);
	} else {
		if (t->kernel)
			output_discard(t->kernel);
		if (t->pack)
			pack_writer_discard(t->pack);
		if (t->stream)
			output_discard(t->stream);
		pack_code_free(&t->code);
	}
	bytes_free(&t->list);
	bytes_free(&t->body);
}
