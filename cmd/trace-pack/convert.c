/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --to and --group, which write the kernels of a list, a directory, a file or a stream as files
 * of another form, with a list of their names. --group reads the tracer's list and writes grouped text.
 *
 * Always true: the list is written last, so that a directory with a list is complete. No file is replaced
 * without -f. An input is never replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "bytes.h"
#include "output.h"
#include "tool.h"
#include "tracez.h"

/* Returns the name of a kernel's archive, which the caller frees. */
static char *archive_name(const char *name)
{
	size_t n = strlen(name), cap = n + sizeof(".tracez");
	bool text = n > 7 && !strcmp(name + n - 7, ".traceg");
	char *s = xmalloc(cap);

	snprintf(s, cap, "%.*s.tracez", (int)(text ? n - 7 : n), name);
	return s;
}

/* Renames the kernels of the source to the names of archives, and changes its list accordingly. */
static void rename_items(struct source *s)
{
	struct bytes t = {0};
	struct table names = {0};
	char **name = xcalloc(s->n_items, sizeof(*name));

	for (uint32_t i = 0; i < s->n_items; i++) {
		name[i] = s->item[i].name;
		table_add(&names, table_hash(name[i], strlen(name[i])), i);
		s->item[i].name = archive_name(name[i]);
	}
	for (const char *p = s->list, *end = p + s->n_list; p < end;) {
		size_t blank = 0, n, all;

		while (p + blank < end && strchr(" \t\r", p[blank]))
			blank++;
		for (all = blank; p + all < end && p[all] != '\n';)
			all++;
		for (n = all; n > blank && strchr(" \t\r", p[n - 1]);)
			n--;
		uint32_t found = TABLE_NONE;
		FOR_TABLE (w, &names, table_hash(p + blank, n - blank))
			if (strlen(name[w.number]) == n - blank &&
				!memcmp(name[w.number], p + blank, n - blank))
				found = w.number;
		if (found == TABLE_NONE)
			bytes_add(&t, p, n);
		else
			bytes_puts(&t, s->item[found].name);
		bytes_add(&t, "\n", 1);
		p += all + (p + all < end);
	}
	for (uint32_t i = 0; i < s->n_items; i++)
		free(name[i]);
	free(name);
	table_free(&names);
	free(s->list);
	s->list = t.p;
	s->n_list = t.n;
}

/* Passes the grouped text of a kernel to the sink. Returns 0, or -1 and sets *f. */
static int pass_kernel_text(
	struct source *s, struct item *i, const struct pack_args *a, const struct sink *to, struct fault *f)
{
	if (s->pack)
		return pack_pass_text(s->pack, i->number, 0, UINT64_MAX, to->write, to->ctx, f);
	struct input *in = tool_open(i);
	int r = i->raw ? group_text(in, a->max_memory_bytes, to, f) : tool_copy_text(in, to, f);

	input_close(in);
	return r;
}

static bool write_converted(void *ctx, const void *text, size_t n) { return fwrite(text, 1, n, ctx) == n; }

/* Writes a kernel to path. */
static void convert_kernel(struct source *s, struct item *i, const char *path, const struct pack_args *a)
{
	struct output *out = output_open(path, a->force);
	struct tracez_writer *w = NULL;
	struct sink to = {write_converted, output_stream(out)};
	struct fault f, own;

	if (a->target_form == FORM_TRACEZ) {
		w = tracez_writer_new(output_stream(out), i->path ? i->path : diag_keep(i->name));
		to = (struct sink){tracez_writer_text, w};
	}
	int r = pass_kernel_text(s, i, a, &to, &f);
	bool refused = r < 0 && !strcmp(f.id, "write");
	if (w && tracez_writer_end(w, &own) < 0 && (r == 0 || refused)) {
		f = own;
		r = -1;
	}
	if (r < 0)
		die_writing(out, &f);
	output_commit(out);
	if (a->verbose && !a->quiet)
		fprintf(stderr, "%s\n", path);
	else if (!a->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%u of %u kernels%s", (unsigned)(i - s->item) + 1, s->n_items,
			i - s->item + 1 == s->n_items ? "\n" : "");
}

/*
 * Ends the program if path exists and -f is not given, or if path is an input. `own` is the input of the
 * kernel that is written to path, or NULL.
 */
static void check_converted(
	const struct source *s, const char *path, const char *own, const struct pack_args *a)
{
	tool_check_absent(path, a->force);
	output_check_input(path, own);
	output_check_input(path, s->list_path);
	output_check_input(path, s->pack ? s->operand : NULL);
	for (uint32_t k = 0; a->force && k < s->n_items && access(path, F_OK) == 0; k++)
		output_check_input(path, s->item[k].path);
}

int convert_operand(const char *operand, const struct pack_args *a)
{
	const char *directory = a->directory ? a->directory : ".";
	struct source s;

	source_open(&s, operand, a);
	if (a->mode == MODE_GROUP && s.pack)
		die_at((struct place){.file = operand},
			"kernels of a packed stream are grouped already (expected raw traces; -d unpacks them)");
	if (a->target_form == FORM_TRACEZ)
		rename_items(&s);
	if (a->output) {
		if (s.n_items != 1)
			die_at((struct place){.file = operand},
				"%u kernels for --to with -o (expected one kernel, or -C DIR)", s.n_items);
		output_check_input(a->output, s.operand);
		convert_kernel(&s, &s.item[0], a->output, a);
		source_close(&s);
		return EXIT_GOOD;
	}
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		die_errno_at((struct place){.file = directory}, "cannot create the directory");
	char *list = s.list_name ? tool_prepare_target(directory, s.list_name) : NULL;
	if (list)
		check_converted(&s, list, NULL, a);
	for (uint32_t i = 0; i < s.n_items; i++) {
		char *path = tool_prepare_target(directory, s.item[i].name);

		check_converted(&s, path, s.item[i].path, a);
		free(path);
	}
	for (uint32_t i = 0; i < s.n_items; i++) {
		char *path = tool_prepare_target(directory, s.item[i].name);

		convert_kernel(&s, &s.item[i], path, a);
		free(path);
	}
	if (list)
		tool_write_list(&s, list, a->force);
	free(list);
	source_close(&s);
	return EXIT_GOOD;
}
