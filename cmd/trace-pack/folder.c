/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder as the tracer left it into one that runs: each raw kernel file grouped, what is grouped already
 * copied as text, and the list of the new names with its copies.
 *
 * Always true: the list comes last, so that a folder with a list is complete; no file is replaced without -f,
 * none that is read ever.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output.h"
#include "tool.h"

static bool write_to_folder(void *ctx, const void *bytes, size_t n) { return fwrite(bytes, 1, n, ctx) == n; }

static void check_targets(const struct source *s, const char *folder, const char *list, bool force)
{
	if (list) {
		output_spare(list, s->list_path);
		tool_absent(list, force);
	}
	for (uint32_t i = 0; i < s->n_items; i++) {
		char *path = tool_target(folder, s->item[i].name);

		tool_absent(path, force);
		for (uint32_t k = 0; force && k < s->n_items && access(path, F_OK) == 0; k++)
			output_spare(path, s->item[k].path);
		free(path);
	}
}

static void write_kernel(
	const struct source *s, struct item *i, const char *folder, const struct pack_args *a)
{
	char *path = tool_target(folder, i->name);
	struct output *out = output_open(path, a->force);
	struct sink to = {write_to_folder, output_stream(out)};
	struct fault f;
	struct input *in = tool_open(i);
	int r = i->raw ? group_text(in, a->memory, &to, &f) : tool_copy(in, &to, &f);

	if (r < 0)
		die_writing(out, &f);
	input_close(in);
	output_commit(out);
	if (a->verbose && !a->quiet)
		fprintf(stderr, "%s\n", path);
	else if (!a->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%u of %u kernels%s", (unsigned)(i - s->item) + 1, s->n_items,
			i - s->item + 1 == s->n_items ? "\n" : "");
	free(path);
}

int do_group(const char *operand, const struct pack_args *a)
{
	const char *folder = a->folder ? a->folder : ".";
	struct source s;

	source_open(&s, operand, a);
	if (s.pack)
		die("%s: a packed stream, whose kernels are grouped already (expected raw traces): -d unpacks it",
			operand);
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		die_errno("%s", folder);
	char *list = s.list_name ? tool_target(folder, s.list_name) : NULL;
	check_targets(&s, folder, list, a->force);
	for (uint32_t i = 0; i < s.n_items; i++)
		write_kernel(&s, &s.item[i], folder, a);
	if (list)
		tool_list(&s, list, a->force);
	free(list);
	source_close(&s);
	return EXIT_GOOD;
}
