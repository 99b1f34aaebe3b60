/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacks a stream into files or into one text, and tests a stream.
 *
 * Always true: a name in a stream cannot refer to a file outside the directory. A file gets its name only when
 * it is complete. No file is replaced without -f.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "output.h"
#include "tool.h"

static bool write_unpacked(void *ctx, const void *bytes, size_t n) { return fwrite(bytes, 1, n, ctx) == n; }

static struct pack *open_packed(const char *operand)
{
	struct fault f;
	struct pack *p = pack_open(operand, &f);

	if (!p)
		die_fault(&f);
	return p;
}

/*
 * Opens the stream and selects kernels. Without -k the stream can be a pipe, whose kernels are read in order.
 */
static void open_selected(struct source *s, const char *operand, const struct pack_args *a)
{
	struct fault f;
	struct input *in;

	*s = (struct source){.operand = operand};
	if (a->select || pack_has_signature(operand)) {
		s->pack = open_packed(operand);
	} else {
		in = input_open(operand, &f);
		s->pack = in ? pack_open_forward(in, &f) : NULL;
		if (!s->pack) {
			input_close(in);
			die_fault(&f);
		}
	}
	source_select_packed(s, a);
	source_check_selection(s, a);
	source_separate_missing(s, a);
}

char *tool_prepare_target(const char *directory, const char *name)
{
	size_t n = strlen(directory);

	if (!output_is_inside(name))
		die("file name '%s' in the stream leads out of the directory", name);
	char *path = xmalloc(n + strlen(name) + 2);
	sprintf(path, "%s/%s", directory, name);
	for (char *s = path + n + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			die_errno_at((struct place){.file = path}, "cannot create the directory");
		*s = '/';
	}
	return path;
}

void tool_check_absent(const char *path, bool force)
{
	struct stat st;

	if (!force && lstat(path, &st) == 0)
		die_at((struct place){.file = path}, "exists already (-f replaces it)");
}

void tool_write_list(const struct source *s, const char *path, bool force)
{
	struct output *out = output_open(path, force);

	if (s->n_list)
		write_unpacked(output_stream(out), s->list, s->n_list);
	output_commit(out);
}

static void unpack_files(const struct source *s, const struct pack_args *a)
{
	const char *directory = a->directory ? a->directory : ".";
	struct fault f;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		die_errno_at((struct place){.file = directory}, "cannot create the directory");
	char *list = s->list_name ? tool_prepare_target(directory, s->list_name) : NULL;
	if (list)
		tool_check_absent(list, a->force);
	for (uint32_t i = 0; i < s->n_items; i++) {
		char *path = tool_prepare_target(directory, s->item[i].name);

		tool_check_absent(path, a->force);
		output_check_input(path, s->operand);
		free(path);
	}
	if (!a->force)
		source_check_missing_absent(s, directory);
	for (uint32_t i = 0; i < s->n_items; i++) {
		char *path = tool_prepare_target(directory, s->item[i].name);
		struct output *out = output_open(path, a->force);

		if (pack_pass_text(s->pack, s->item[i].number, 0, UINT64_MAX, write_unpacked,
			    output_stream(out), &f) < 0)
			die_writing(out, &f);
		output_commit(out);
		if (a->verbose && !a->quiet)
			fprintf(stderr, "%s\n", path);
		free(path);
	}
	if (list)
		tool_write_list(s, list, a->force);
	free(list);
}

int unpack_stream(const char *operand, const struct pack_args *a)
{
	struct source s;
	struct fault f;

	open_selected(&s, operand, a);
	if (!a->output) {
		unpack_files(&s, a);
		source_close(&s);
		return EXIT_GOOD;
	}
	output_check_input(a->output, operand);
	struct output *out = output_open(a->output, a->force);
	for (uint32_t i = 0; i < s.n_items; i++)
		if (pack_pass_text(s.pack, s.item[i].number, a->first_block, a->last_block, write_unpacked,
			    output_stream(out), &f) < 0)
			die_writing(out, &f);
	output_commit(out);
	source_close(&s);
	return EXIT_GOOD;
}

/* Tests a stream. Damage is a result of the test. An unreadable file or a newer version is a failure. */
int unpack_test_stream(const char *operand, const struct pack_args *a)
{
	struct fault f;
	struct pack *p = pack_open(operand, &f);
	int r = p ? pack_verify(p, &f) : -1;

	if (r < 0) {
		diag_fault(&f);
		pack_close(p);
		return !strcmp(f.id, "pack-damaged") || !strcmp(f.id, "pack-truncated") ? EXIT_NO
											: EXIT_TROUBLE;
	}
	if (a->verbose && !a->quiet && pack_missing_count(p))
		fprintf(stderr, "%s: %u of the list's kernels are missing\n", pack_path(p),
			pack_missing_count(p));
	if (a->verbose && !a->quiet)
		fprintf(stderr, "%s: %u kernels, %llu bytes: good\n", pack_path(p), pack_kernels(p),
			(unsigned long long)pack_bytes(p));
	pack_close(p);
	return EXIT_GOOD;
}
