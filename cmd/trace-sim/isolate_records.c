/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the records of --isolate in the order of the list. Always true: only this order determines the numbers of
 * kernel names, so the bytes are the same for any -j.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "isolate.h"

/* The two destinations of records: the result, and the copy of all records. */
struct record_sinks {
	struct run *run;
	struct spool *all_records;
};

static void write_bytes_to_sinks(void *ctx, const char *p, size_t n)
{
	struct record_sinks *to = ctx;

	fwrite(p, 1, n, to->run->out);
	spool_append(to->all_records, p, n);
}

/*
 * Writes a kernel's name as its process wrote it. If an earlier record has the same name, writes the name's
 * number instead.
 */
static void write_name_or_number(struct record_sinks *to, const char *name, size_t n)
{
	unsigned char number[RECORD_NUMBER_CAP];
	size_t size = record_number_name(to->run->writer, name, n, number);

	if (size)
		write_bytes_to_sinks(to, (const char *)number, size);
	else
		write_bytes_to_sinks(to, name, n);
}

void isolate_write_record(
	struct run *r, struct spool *all, const struct bytes *record, size_t name, size_t size)
{
	struct record_sinks to = {r, all};
	const char *at = record->p + record->n - name;

	write_bytes_to_sinks(&to, record->p, record->n - name);
	write_name_or_number(&to, at, size);
	write_bytes_to_sinks(&to, at + size, name - size);
}

void isolate_write_records(struct run *r, struct spool *all, const struct spool *spool, uint64_t at,
	uint64_t n, const struct kernel_outcome *kernel)
{
	struct record_sinks to = {r, all};
	uint64_t name_at = at + n - kernel->bytes_from_name;
	char *name = xmalloc(kernel->name_size + 1);

	spool_read(spool, name_at, name, kernel->name_size);
	spool_pass_bytes(spool->fd, at, name_at - at, write_bytes_to_sinks, &to);
	write_name_or_number(&to, name, kernel->name_size);
	spool_pass_bytes(spool->fd, name_at + kernel->name_size, kernel->bytes_from_name - kernel->name_size,
		write_bytes_to_sinks, &to);
	free(name);
}

const char *isolate_worse_status(const char *a, const char *b)
{
	static const char *const order[] = {"complete", "limit", "deadlock", "interrupted"};
	unsigned i = 0, k = 0;

	while (i < 3 && strcmp(a, order[i]))
		i++;
	while (k < 3 && strcmp(b, order[k]))
		k++;
	return order[i > k ? i : k];
}
