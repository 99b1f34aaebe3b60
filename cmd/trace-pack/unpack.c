/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files or text out of a packed stream, and the check of one.
 *
 * Always true: a name in a stream never leads out of the folder; a file appears when it is complete, and none is
 * replaced without -f.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "output.h"
#include "tool.h"

static bool put(void *ctx, const void *bytes, size_t n) { return fwrite(bytes, 1, n, ctx) == n; }

static struct pack *open_stream(const char *operand)
{
	struct fault f;
	struct pack *p = pack_open(operand, &f);
	if (!p)
		die_fault(&f);
	return p;
}

static bool selected(struct pack *p, uint32_t kernel, const struct args *a)
{
	struct pack_kernel k;
	struct fault f;
	if (!a->select)
		return true;
	if (pack_kernel(p, kernel, &k, &f) < 0)
		die_fault(&f);
	bool has = kselect_has(a->select, kernel + 1, k.name);
	free(k.name);
	return has;
}

/* folder/name, with the folders that name has in it made. */
static char *target(const char *folder, const char *name)
{
	size_t n = strlen(folder);
	bool bad = name[0] == '/' || !name[0];
	for (const char *s = name; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
		bad |= !strncmp(s, "..", 2) && (s[2] == '/' || !s[2]);
	if (bad)
		die("found the file name \"%s\" in the stream, wanted one inside the folder", name);
	char *path = xmalloc(n + strlen(name) + 2);
	sprintf(path, "%s/%s", folder, name);
	for (char *s = path + n + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			die_errno("%s", path);
		*s = '/';
	}
	return path;
}

static void check_absent(const char *path, bool force)
{
	struct stat st;
	if (!force && lstat(path, &st) == 0)
		die("%s: found an existing file, wanted none, or -f", path);
}

static void unpack_files(struct pack *p, const struct args *a)
{
	const char *folder = a->folder ? a->folder : ".";
	struct fault f;
	size_t n;
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		die_errno("%s", folder);
	const char *list = pack_list_text(p, &n), *list_name = pack_list_name(p);
	char *list_path = list_name && !a->select ? target(folder, list_name) : NULL;
	if (list_path)
		check_absent(list_path, a->force);
	for (uint32_t i = 0; i < pack_kernels(p); i++) {
		if (!selected(p, i, a))
			continue;
		char *path = target(folder, pack_name(p, i));
		check_absent(path, a->force);
		struct output *out = output_open(path, a->force);
		if (pack_text(p, i, 0, UINT64_MAX, put, output_stream(out), &f) < 0)
			die_fault(&f);
		output_commit(out);
		if (a->verbose && !a->quiet)
			fprintf(stderr, "%s\n", path);
		free(path);
	}
	if (!list_path)
		return;
	struct output *out = output_open(list_path, a->force);
	put(output_stream(out), list, n);
	output_commit(out);
	free(list_path);
}

int do_unpack(const char *operand, const struct args *a)
{
	struct pack *p = open_stream(operand);
	struct fault f;
	if (!a->output) {
		unpack_files(p, a);
		pack_close(p);
		return EXIT_GOOD;
	}
	struct output *out = output_open(a->output, a->force);
	for (uint32_t i = 0; i < pack_kernels(p); i++)
		if (selected(p, i, a) && pack_text(p, i, a->first, a->last, put, output_stream(out), &f) < 0)
			die_fault(&f);
	output_commit(out);
	pack_close(p);
	return EXIT_GOOD;
}

/* Damage is an answer, not trouble; a file that cannot be read, or of a newer version, is trouble. */
int do_test(const char *operand, const struct args *a)
{
	struct fault f;
	struct pack *p = pack_open(operand, &f);
	int r = p ? pack_verify(p, &f) : -1;
	if (r < 0) {
		diag_fault(&f);
		pack_close(p);
		return !strcmp(f.id, "pack-damaged") || !strcmp(f.id, "pack-truncated") ? EXIT_NO : EXIT_TROUBLE;
	}
	if (a->verbose && !a->quiet)
		fprintf(stderr, "%s: %u kernels, %llu bytes: good\n", pack_path(p), pack_kernels(p),
			(unsigned long long)pack_bytes(p));
	pack_close(p);
	return EXIT_GOOD;
}
