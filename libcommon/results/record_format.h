/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a record format. Only record*.c use it.
 *
 * record.c checks the order of calls (one open record, balanced groups). A format appends to w->text; record_end()
 * writes this to the stream.
 */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

#include <stddef.h>
#include "bytes.h"
#include "record.h"

#define RECORD_DEPTH 8 /* largest number of nested groups, including the record */

struct record_ops {
	void (*open)(struct record_writer *w); /* called at the start of the output; may be NULL */
	void (*begin)(struct record_writer *w, const char *record);
	void (*string)(struct record_writer *w, const char *name, const char *value);
	void (*uint)(struct record_writer *w, const char *name, uint64_t value, const char *unit);
	void (*sint)(struct record_writer *w, const char *name, int64_t value, const char *unit);
	void (*real)(struct record_writer *w, const char *name, double value, const char *unit);
	void (*boolean)(struct record_writer *w, const char *name, bool value);
	void (*group)(struct record_writer *w, const char *name); /* begins a group; w->depth includes it */
	void (*group_end)(struct record_writer *w); /* ends a group; w->depth still includes it */
	/* Returns the buffer with the members of the open record, without members of open groups. */
	struct bytes *(*members)(struct record_writer *w);
	void (*repeat)(struct record_writer *w, const void *member,
		size_t n);                      /* appends the bytes of a member that was written before */
	void (*end)(struct record_writer *w);   /* writes the end of the record to w->text */
	void (*close)(struct record_writer *w); /* called at the end of the output; may be NULL */
};

struct record_writer {
	FILE *out;
	const struct record_ops *ops;
	void *state; /* private to the format */
	struct bytes text;
	unsigned depth;    /* 0: no record is open; 1: in the record; 2 ...: in groups */
	size_t last_at;    /* offset of the record's last group in its members */
	size_t last_n;     /* number of bytes from there to the end of the record */
	size_t name_at;    /* offset of the kernel's name in the record's members */
	size_t name_bytes; /* number of bytes of that name; 0: there is none */
	size_t name_left;  /* number of bytes from the name to the end of the last written record */
};

extern const struct record_ops record_text, record_json, record_msgpack;

/* Returns the number of digits with which the output of %g reads back as value: 15, 16 or 17. */
int record_real_digits(double value);

#endif
