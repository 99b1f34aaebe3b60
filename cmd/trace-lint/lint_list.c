/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks operands: a kernel list, a directory, a kernel file. libcommon's reader checks single lines of a
 * list. This file checks the list as a whole, and the files in its directory.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "lint.h"

static bool on_list_fault(void *ctx, const struct fault *f)
{
	report_fault(ctx, f);
	return true;
}

/* ---- names -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool ends_in_text(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/*
 * Returns the number of leading bytes of s that have no special meaning in a shell. Bytes of 0x80 and above
 * have none.
 */
static size_t count_plain_bytes(const char *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=,:@%/";
	size_t n = 0;

	while (s[n] && ((unsigned char)s[n] >= 0x80 || strchr(plain, s[n])))
		n++;
	return n;
}

static void check_file_name(struct report *rep, const struct command *c, struct place at)
{
	size_t plain = count_plain_bytes(c->text);

	if (c->text[plain])
		report_at(rep, RULE_LIST_NAME, (struct place){at.file, at.line, (uint32_t)plain + 1},
			"'%c' in the name of a kernel file, which the original passes to a shell",
			c->text[plain] >= ' ' && c->text[plain] < 127 ? c->text[plain] : '?');
	if (!ends_in_text(c->text, ".traceg") && !ends_in_text(c->text, ".tracez") &&
		!ends_in_text(c->text, ".xz"))
		report_at(
			rep, RULE_LIST_SUFFIX, at, "name of a kernel file without the suffix .traceg or .xz");
}

struct listed_name {
	const char *name;
	uint64_t line;
};

static int compare_list_names(const void *a, const void *b)
{
	const struct listed_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_names_and_lines(const void *a, const void *b)
{
	const struct listed_name *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* Returns the sorted names of the list's kernels. Reports repeated names. */
static struct listed_name *sorted_names(struct report *rep, const struct klist *k, const char *file)
{
	struct listed_name *v = xcalloc(k->n_kernels + 1, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n_cmds; i++)
		if (k->cmd[i].kind == CMD_KERNEL)
			v[n++] = (struct listed_name){base_name(k->cmd[i].path), k->cmd[i].line};
	qsort(v, n, sizeof(*v), compare_names_and_lines);
	for (uint32_t i = 1; i < n; i++)
		if (!strcmp(v[i].name, v[i - 1].name))
			report_at(rep, RULE_LIST_REPEATED, (struct place){file, v[i].line, 1},
				"kernel file is already named on line %llu",
				(unsigned long long)v[i - 1].line);
	return v;
}

/* ---- the directory --------------------------------------------------------------------------- */

static int is_kernel_name(const struct dirent *e)
{
	return !strncmp(e->d_name, "kernel", 6) && strncmp(e->d_name, "kernelslist", 11) &&
	       !ends_in_text(e->d_name, ".g");
}

static char *path_in_directory(const char *directory, const char *name)
{
	size_t n = strlen(directory) + strlen(name) + 2;
	char *path = xmalloc(n);

	snprintf(path, n, "%s%s%s", directory, ends_in_text(directory, "/") ? "" : "/", name);
	return path;
}

static int compare_directory_entries(const struct dirent **a, const struct dirent **b)
{
	return versionsort(a, b);
}

static void check_unnamed_files(struct report *rep, const struct listed_name *v, uint32_t n, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *directory = slash ? xstrndup(file, (size_t)(slash - file) + 1) : xstrdup(".");
	struct dirent **e = NULL;
	int files = scandir(directory, &e, is_kernel_name, compare_directory_entries);

	for (int i = 0; i < files; i++) {
		struct listed_name this = {e[i]->d_name, 0};
		char q[80];

		if (!bsearch(&this, v, n, sizeof(*v), compare_list_names))
			report_at(rep, RULE_LIST_UNNAMED, (struct place){.file = file},
				"file '%s' is next to the list but not named in it",
				diag_quote(q, sizeof(q), e[i]->d_name, strlen(e[i]->d_name)));
		free(e[i]);
	}
	free(e);
	free(directory);
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Returns the name of an input for messages. */
static const char *shown_name(const char *path) { return strcmp(path, "-") ? diag_keep(path) : "<stdin>"; }

static void add_copied_range(struct lint *l, const struct command *c)
{
	grow(&l->copy, &l->cap_copies, l->n_copies + 1, sizeof(*l->copy));
	l->copy[l->n_copies++] = (struct copied_range){c->address, c->address + c->bytes};
}

/*
 * Checks one kernel. `named` is the place where a list names it. Returns false if the kernel cannot be opened
 * and no list names it.
 */
static bool check_one_kernel(
	struct lint *l, struct klist *k, uint32_t cmd, const char *path, struct place named)
{
	struct fault f;
	bool opened = lint_kernel(l, k, cmd, path, &f);
	char q[200];

	if (!opened && named.line && !strcmp(f.id, "open"))
		report_at(l->rep, RULE_KERNEL_MISSING, named, "kernel file '%s' %.80s",
			diag_quote(q, sizeof(q), path, strlen(path)), f.text);
	else if (!opened)
		report_fault(l->rep, &f);
	report_file_end(l->rep, shown_name(path));
	return opened || named.line;
}

static void check_list_as_whole(struct lint *l, const struct klist *k, const char *file)
{
	const struct command *last_copy = NULL;

	for (uint32_t i = 0; i < k->n_cmds; i++) {
		if (k->cmd[i].kind == CMD_KERNEL) {
			check_file_name(l->rep, &k->cmd[i], (struct place){file, k->cmd[i].line, 1});
			last_copy = NULL;
		} else if (k->cmd[i].kind == CMD_MEMCPY && !last_copy) {
			last_copy = &k->cmd[i];
		}
	}
	if (!k->n_kernels)
		report_at(
			l->rep, RULE_LIST_NO_KERNELS, (struct place){.file = file}, "no kernel in the list");
	else if (last_copy)
		report_at(l->rep, RULE_MEMCPY_LAST, (struct place){file, last_copy->line, 1},
			"copy to the device after the last kernel");
	struct listed_name *v = sorted_names(l->rep, k, file);

	if (strcmp(k->path, "-") && !k->pack)
		check_unnamed_files(l->rep, v, k->n_kernels, file);
	free(v);
}

static bool check_directory_without_list(struct lint *l, const char *directory)
{
	struct dirent **e = NULL;
	int n = scandir(directory, &e, is_kernel_name, compare_directory_entries);
	bool good = n > 0;

	for (int i = 0; i < n; i++) {
		char *path = path_in_directory(directory, e[i]->d_name);

		good &= check_one_kernel(l, NULL, 0, path, NOWHERE);
		free(path);
		free(e[i]);
	}
	free(e);
	return good;
}

/* Reports all missing kernels in one finding: as missing if no kernel is left, otherwise as skipped. */
static void report_skipped(struct lint *l, struct klist *k, const char *file)
{
	struct klist_skipped s = {0};
	char q[200];

	for (uint32_t i = 0; i < k->n_cmds; i++)
		if (k->cmd[i].kind == CMD_KERNEL && klist_missing(k, i))
			klist_skip(&s, i);
	if (!s.n)
		return;
	const struct command *c = &k->cmd[s.first_command];
	report_at(l->rep, s.n == k->n_kernels ? RULE_KERNEL_MISSING : RULE_KERNEL_SKIPPED,
		(struct place){file, c->line, 1},
		"%u of %u kernels %s missing and skipped, the first is kernel %u, '%s'", s.n, k->n_kernels,
		s.n == 1 ? "is" : "are", c->position, diag_quote(q, sizeof(q), c->text, strlen(c->text)));
}

/* Checks the list, then the kernels of its commands in order. Returns false if a kernel cannot be opened. */
static bool check_list_and_kernels(struct lint *l, struct klist *k)
{
	const char *file = shown_name(k->path);
	bool list = k->n_cmds != 1 || k->cmd[0].line, good = true;

	if (list) {
		check_list_as_whole(l, k, file);
		if (l->skip_missing)
			report_skipped(l, k, file);
		report_file_end(l->rep, file);
	}
	for (uint32_t i = 0; i < k->n_cmds; i++) {
		const struct command *c = &k->cmd[i];

		if (c->kind == CMD_MEMCPY)
			add_copied_range(l, c);
		else if (c->kind == CMD_KERNEL && !(l->skip_missing && c->missing))
			good &= check_one_kernel(l, k, i, c->path, (struct place){file, c->line, 1});
	}
	return good;
}

bool lint_operand(struct lint *l, const char *path)
{
	struct klist k;
	struct fault f;
	bool good;

	l->n_copies = l->last_copy = 0;
	l->rep->files++;
	if (klist_read_on(&k, path, on_list_fault, l->rep, &f) == 0) {
		good = check_list_and_kernels(l, &k);
	} else {
		report_fault(l->rep, &f);
		good = strcmp(f.id, "open") && strcmp(f.id, "is-folder") && strcmp(f.id, "read");
		if (!strcmp(f.id, "list-missing") || !strcmp(f.id, "list-raw"))
			good = check_directory_without_list(l, path);
		report_file_end(l->rep, shown_name(path));
	}
	klist_free(&k);
	return good;
}
