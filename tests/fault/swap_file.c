/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD that replaces the contents of a file after it was written and before it is read, like a
 * bad disk.
 *
 * With SWAP_NAME=TEXT and SWAP_FILE=FILE, the contents of a file whose path ends with TEXT are replaced by the
 * contents of FILE before the file is opened for reading.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "open_mode.h"

static int real_open(const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...);

	*(void **)&next = dlsym(RTLD_NEXT, "open");
	return next(path, flags, mode);
}

static void replace_contents(const char *path, const char *with)
{
	char bytes[4096];
	ssize_t n = 0;
	int from = real_open(with, O_RDONLY, 0), to = real_open(path, O_WRONLY | O_TRUNC, 0);

	while (from >= 0 && to >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			abort();
	if (from < 0 || to < 0 || n < 0)
		abort();
	close(from);
	close(to);
}

static int is_swapped_path(const char *path)
{
	const char *name = getenv("SWAP_NAME");
	size_t n = strlen(path), m = name ? strlen(name) : 0;

	return m && n >= m && !strcmp(path + n - m, name);
}

int open(const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	if ((flags & O_ACCMODE) == O_RDONLY && is_swapped_path(path))
		replace_contents(path, getenv("SWAP_FILE"));
	return real_open(path, flags, mode);
}
