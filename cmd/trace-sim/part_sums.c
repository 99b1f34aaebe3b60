/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksums of the records in NAME.part, with which --resume finds damage. NAME.part.sums has a line for each kernel:
 * the size of NAME.part after the kernel's record, and the XXH3-64 of the bytes since the size of the line before.
 * The file is removed after the result has received its name.
 *
 * Always true: the line of a record is in the file before the whole record is in NAME.part, so records without a line
 * are simulated again. A line for bytes that NAME.part does not have yet is ignored.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "isolate.h"

char *part_sums_path(const char *part)
{
	char *path = xmalloc(strlen(part) + sizeof(".sums"));

	strcpy(stpcpy(path, part), ".sums");
	return path;
}

static void hash_record_bytes(void *ctx, const char *p, size_t n) { XXH3_64bits_update(ctx, p, n); }

static uint64_t hash_of_range(int fd, uint64_t from, uint64_t to)
{
	XXH3_state_t *hash = XXH3_createState();
	uint64_t value;

	if (!hash)
		die("out of memory");
	XXH3_64bits_reset(hash);
	spool_pass_bytes(fd, from, to - from, hash_record_bytes, hash);
	value = XXH3_64bits_digest(hash);
	XXH3_freeState(hash);
	return value;
}

/* ---- lines -------------------------------------------------------------------------------------------- */

/* Reads a line "SIZE HASH". Returns false if it is not a whole line of this form. */
static bool read_sums_line(FILE *in, uint64_t *end, uint64_t *hash)
{
	char line[64], *at;

	if (!fgets(line, sizeof(line), in))
		return false;
	*end = strtoull(line, &at, 10);
	if (at == line || *at++ != ' ')
		return false;
	*hash = strtoull(at, &at, 16);
	return *at == '\n';
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static _Noreturn void die_of_sums(const struct part_sums *s)
{
	die_errno_at((struct place){.file = s->path}, "cannot be written");
}

/* Removes the file. No file has a name that is too long. */
static void remove_sums(const struct part_sums *s)
{
	if (unlink(s->path) && errno != ENOENT && errno != ENAMETOOLONG)
		die_of_sums(s);
}

void part_sums_keep(struct part_sums *s, uint64_t keep)
{
	uint64_t end, hash;
	off_t kept = 0;

	if (!s->path)
		return;
	if (s->file)
		fclose(s->file);
	s->file = NULL;
	s->end = 0;
	int fd = keep ? open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (keep && fd < 0 && errno != ENOENT)
		die_of_sums(s);
	if (fd >= 0 && !(s->file = fdopen(fd, "r+")))
		die_of_sums(s);
	while (s->file && read_sums_line(s->file, &end, &hash) && end > s->end && end <= keep) {
		s->end = end;
		kept = ftello(s->file);
	}
	if (kept) {
		if (fseeko(s->file, kept, SEEK_SET) || ftruncate(fd, kept))
			die_of_sums(s);
		return;
	}
	if (s->file)
		fclose(s->file);
	s->file = NULL;
	remove_sums(s);
}

void part_sums_open(struct part_sums *s, const char *part, uint64_t keep)
{
	*s = (struct part_sums){.path = part ? part_sums_path(part) : NULL};
	part_sums_keep(s, keep);
}

void part_sums_add(struct part_sums *s, const struct spool *all)
{
	if (!s->path || s->end == all->n)
		return;
	if (!s->file)
		s->file = fopen(s->path, "wxe");
	if (!s->file)
		die_of_sums(s);
	fprintf(s->file, "%llu %016llx\n", (unsigned long long)all->n,
		(unsigned long long)hash_of_range(all->fd, s->end, all->n));
	if (fflush(s->file)) {
		int error = errno;

		if (!s->end)
			unlink(s->path);
		errno = error;
		die_of_sums(s);
	}
	s->end = all->n;
}

void part_sums_remove(struct part_sums *s)
{
	if (s->file)
		fclose(s->file);
	if (s->path)
		remove_sums(s);
	free(s->path);
	*s = (struct part_sums){.path = NULL};
}

void part_sums_discard(const char *part)
{
	struct part_sums s;

	part_sums_open(&s, part, 0);
	part_sums_remove(&s);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static void count_newlines(void *ctx, const char *p, size_t n)
{
	uint64_t *lines = ctx;

	for (size_t i = 0; i < n; i++)
		*lines += p[i] == '\n';
}

/* Exits because the bytes from..to of NAME.part are not those that were written. */
static _Noreturn void report_damaged_records(
	const char *part, const char *path, int fd, uint64_t from, uint64_t to, bool has_lines)
{
	struct place at = {.file = diag_keep(part)};
	uint64_t first = 1, last = 1;

	if (has_lines) {
		spool_pass_bytes(fd, 0, from, count_newlines, &first);
		spool_pass_bytes(fd, 0, to - 1, count_newlines, &last);
		at.line = first;
	} else {
		first = from;
		last = to;
	}
	die_at(at,
		"%s %llu to %llu are damaged: their checksum differs from that in '%s' (without --resume all kernels are simulated)",
		has_lines ? "lines" : "bytes", (unsigned long long)first, (unsigned long long)last, path);
}

uint64_t part_sums_verify(const char *part, uint64_t size, bool has_lines)
{
	char *path = part_sums_path(part);
	FILE *in = fopen(path, "re");
	int fd = open(part, O_RDONLY | O_CLOEXEC);
	uint64_t from = 0, to, hash;

	if (fd < 0)
		die_errno_at((struct place){.file = part}, "cannot be read");
	if (!in && errno != ENOENT)
		die_errno_at((struct place){.file = path}, "cannot be read");
	while (in && read_sums_line(in, &to, &hash) && to > from && to <= size) {
		if (hash_of_range(fd, from, to) != hash)
			report_damaged_records(part, path, fd, from, to, has_lines);
		from = to;
	}
	close(fd);
	if (in)
		fclose(in);
	free(path);
	return in ? from : PART_SUMS_NONE;
}
