/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the kernel list of a directory by the names that tracers and Accel-Sim give to lists. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "tool.h"

static int compare_entries_by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_list_file(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return !strcmp(e->d_name, "kernelslist.g") ||
	       (!strncmp(e->d_name, "kernelslist_ctx_", 16) && dot && !strcmp(dot, ".g"));
}

static int is_raw_list_file(const struct dirent *e)
{
	return !strcmp(e->d_name, "kernelslist") ||
	       (!strncmp(e->d_name, "kernelslist_ctx_", 16) && !strchr(e->d_name, '.'));
}

/* Returns the name `whole` if the directory has this list, else that of the only list that is() accepts; NULL: none. */
static char *only_list_in_directory(const char *path, int (*is)(const struct dirent *), const char *whole)
{
	struct dirent **e = NULL;
	const char *name = NULL;
	int n = scandir(path, &e, is, compare_entries_by_name);

	if (n < 0)
		die_errno_at((struct place){.file = path}, "cannot read the directory");
	for (int i = 0; i < n; i++)
		if (n == 1 || !strcmp(e[i]->d_name, whole))
			name = e[i]->d_name;
	if (n && !name)
		die_at((struct place){.file = path},
			"%d lists kernelslist_ctx_*%s, but no %s (name one of the lists)", n,
			strchr(whole, '.') ? ".g" : "", whole);
	char *list = name ? xstrdup(name) : NULL;
	for (int i = 0; i < n; i++)
		free(e[i]);
	free(e);
	return list;
}

char *directory_find_list(const char *path, bool raw_first)
{
	char *list = raw_first ? only_list_in_directory(path, is_raw_list_file, "kernelslist") : NULL;

	if (!list)
		list = only_list_in_directory(path, is_list_file, "kernelslist.g");
	if (!list && !raw_first)
		list = only_list_in_directory(path, is_raw_list_file, "kernelslist");
	return list;
}
