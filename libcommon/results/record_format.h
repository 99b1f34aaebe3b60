/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record format behind one struct of functions, and what the formats share; used by record*.c only.
 *
 * record.c keeps the order of calls honest (one record open, groups balanced); a format only writes. A
 * record is collected in w->text and reaches the stream whole, at record_end.
 */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

#include <stddef.h>
#include "bytes.h"
#include "record.h"

#define RECORD_DEPTH 8 /* nested groups, the record itself included */

struct record_ops {
	void (*open)(struct record_writer *w); /* may be NULL */
	void (*begin)(struct record_writer *w, const char *record);
	void (*string)(struct record_writer *w, const char *name, const char *value);
	void (*uint)(struct record_writer *w, const char *name, uint64_t value, const char *unit);
	void (*sint)(struct record_writer *w, const char *name, int64_t value, const char *unit);
	void (*real)(struct record_writer *w, const char *name, double value, const char *unit);
	void (*boolean)(struct record_writer *w, const char *name, bool value);
	void (*group)(struct record_writer *w, const char *name); /* w->depth counts it already */
	void (*group_end)(struct record_writer *w);               /* w->depth still counts it */
	void (*end)(struct record_writer *w);                     /* complete w->text */
	void (*close)(struct record_writer *w);                   /* may be NULL */
};

struct record_writer {
	FILE *out;
	const struct record_ops *ops;
	void *state; /* the format's own */
	struct bytes text;
	unsigned depth; /* 0: no record open; 1: in the record; 2 ...: in groups */
};

extern const struct record_ops record_text, record_json, record_msgpack;

/* Digits with which printf's %g reads back as value: 15, 16 or 17. */
int record_real_digits(double value);

#endif
