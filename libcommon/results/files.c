/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the files of directories. Always true: the files of a directory are in the order of their names. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "diag.h"
#include "result_files.h"

static int compare_file_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool result_files_is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *result_files_join(const char *directory, const char *name)
{
	size_t n = strlen(directory);
	char *path = xmalloc(n + strlen(name) + 2);

	sprintf(path, "%s%s%s", directory, n && directory[n - 1] == '/' ? "" : "/", name);
	return path;
}

static void add_file_name(struct result_files *f, char *name)
{
	f->name = xrealloc(f->name, (size_t)f->n + 1, sizeof(*f->name));
	f->name[f->n++] = name;
}

/* Returns true if path is a regular file, or cannot be examined, so that opening it fails with a message. */
static bool is_listed_file(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

void result_files_list(struct result_files *f, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *e;

	*f = (struct result_files){.n = 0};
	if (!dir)
		die_errno_at((struct place){.file = directory}, "cannot read the directory");
	while ((e = readdir(dir))) {
		char *path = result_files_join(directory, e->d_name);

		if (*e->d_name != '.' && is_listed_file(path))
			add_file_name(f, xstrdup(e->d_name));
		free(path);
	}
	closedir(dir);
	if (f->n)
		qsort(f->name, (size_t)f->n, sizeof(*f->name), compare_file_names);
}

void result_files_of_operands(struct result_files *f, int n, char *const *operand)
{
	struct result_files inside;

	*f = (struct result_files){.n = 0};
	for (int i = 0; i < n; i++) {
		if (!result_files_is_directory(operand[i])) {
			add_file_name(f, xstrdup(operand[i]));
			continue;
		}
		result_files_list(&inside, operand[i]);
		if (!inside.n)
			die_at((struct place){.file = operand[i]},
				"no files in the directory (expected results)");
		for (int j = 0; j < inside.n; j++)
			add_file_name(f, result_files_join(operand[i], inside.name[j]));
		result_files_free(&inside);
	}
}

void result_files_free(struct result_files *f)
{
	for (int i = 0; i < f->n; i++)
		free(f->name[i]);
	free(f->name);
	*f = (struct result_files){.n = 0};
}
