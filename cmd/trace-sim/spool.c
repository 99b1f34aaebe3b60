/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores records in temporary files without a name; see isolate.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "isolate.h"

void spool_open(struct spool *k)
{
	k->file = output_open_unnamed();
	k->fd = fileno(k->file);
	k->n = 0;
}

void spool_append(struct spool *k, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = pwrite(k->fd, bytes, n, (off_t)k->n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			die_errno("cannot write a temporary file");
		bytes += put;
		n -= (size_t)put;
		k->n += (uint64_t)put;
	}
}

void spool_close(struct spool *k)
{
	if (k->file)
		fclose(k->file);
	k->file = NULL;
}

void spool_read(const struct spool *k, uint64_t at, void *to, size_t n)
{
	while (n) {
		ssize_t got = pread(k->fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			die_errno("cannot read a temporary file");
		to = (char *)to + got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
}

void spool_pass_bytes(
	int fd, uint64_t at, uint64_t n, void (*use)(void *ctx, const char *p, size_t n), void *ctx)
{
	char buffer[1u << 13];

	while (n) {
		ssize_t got = pread(fd, buffer, n < sizeof(buffer) ? (size_t)n : sizeof(buffer), (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			die_errno("cannot read a temporary file");
		use(ctx, buffer, (size_t)got);
		at += (uint64_t)got;
		n -= (uint64_t)got;
	}
}
