/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of result records as text, JSON or msgpack: "run", a "kernel" for each kernel, "end" (trace-stats(5)).
 *
 * A record is a tree of named values, written in call order. Numbers do not depend on the locale; an undefined ratio
 * is null, nil or nan. Text lines are "name value unit".
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum record_format { RECORD_TEXT, RECORD_JSON, RECORD_MSGPACK };

struct record_writer;

/* Returns a writer to out, which the caller closes; record_close() frees the writer. */
struct record_writer *record_open(FILE *out, enum record_format format);
/* Begins a record: "run", "kernel" or "end". */
void record_begin(struct record_writer *w, const char *record);
void record_string(struct record_writer *w, const char *name, const char *value);
void record_uint(struct record_writer *w, const char *name, uint64_t value, const char *unit);
void record_int(struct record_writer *w, const char *name, int64_t value, const char *unit);
void record_real(struct record_writer *w, const char *name, double value, const char *unit);
void record_bool(struct record_writer *w, const char *name, bool value);
void record_group(struct record_writer *w, const char *name); /* opens a nested object, such as "stats" */
void record_group_end(struct record_writer *w);
/* Adds a group of x, y, z. */
void record_dim(struct record_writer *w, const char *name, const uint32_t dim[3]);
void record_end(struct record_writer *w);   /* writes the record */
void record_close(struct record_writer *w); /* frees w but does not close its file */
/*
 * Returns the number of bytes from the last group of the last written record to the record's end. No member may
 * follow that group.
 */
size_t record_last_group(const struct record_writer *w);
/*
 * Finds the kernel's name in the last written record if record_number_name() can replace it. Sets *size to the name's
 * number of bytes and returns the number of bytes from its start to the end of the record; 0 if there is none.
 */
size_t record_last_name(const struct record_writer *w, size_t *size);
/* Ends the record with n bytes of another record of the same format, from that record's last group to its end. */
void record_end_with(struct record_writer *w, const void *group, size_t n);

/*
 * Makes later MessagePack records compact: figures of "stats" are named by their number in the list figure[n]. If
 * kernels is set, a kernel's name is a number from its second record on. Other formats do not change.
 */
void record_compact(struct record_writer *w, const char *const *figure, uint32_t n, bool kernels);

/* Length in bytes of the longest kernel name that can have a number. */
#define RECORD_NAME_MAX   4000
#define RECORD_NUMBER_CAP 5 /* largest number of bytes that record_number_name() writes */
/*
 * Gives a number to a name that an earlier record of the result has, unless it already has one or the writer does not
 * number names.
 */
void record_number_known_name(struct record_writer *w, const char *name);
/*
 * Writes the number of a name to out and returns the number of bytes. name is n bytes of a record of another writer
 * (record_last_name()). Returns 0 if the name stays, because no earlier record has it or w does not number names.
 */
size_t record_number_name(
	struct record_writer *w, const void *name, size_t n, unsigned char out[RECORD_NUMBER_CAP]);
/* Directs later records to another stream. */
void record_redirect(struct record_writer *w, FILE *out);

/* Formatting of values as in records, for other output. */
#define RECORD_UINT_CAP 21 /* largest number of bytes that record_uint_text() writes, with the NUL */
#define RECORD_REAL_CAP 40 /* largest number of bytes that record_real_text() writes, with the NUL */
/* Writes value in decimal. Returns the length. */
size_t record_uint_text(char out[RECORD_UINT_CAP], uint64_t value);
/*
 * Writes the shortest text that reads back as value, with a point in any locale. value must be finite. Returns out.
 */
const char *record_real_text(char out[RECORD_REAL_CAP], double value);
/* Returns a copy of value with malformed UTF-8 as \xNN; the caller frees it. */
char *record_utf8(const char *value);

#endif
