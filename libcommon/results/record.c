/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of records: the functions of record.h, and functions that all formats share.
 *
 * Always true: a record is written as a whole when it ends, so an interrupted run never leaves half a record in the
 * stream's buffer; output_commit() reports write errors.
 */
#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "record_format.h"
#include "base/utf8.h"

size_t record_uint_text(char out[RECORD_UINT_CAP], uint64_t value)
{
	char digit[RECORD_UINT_CAP];
	size_t n = 0;

	do
		digit[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < n; i++)
		out[i] = digit[n - 1 - i];
	out[n] = '\0';
	return n;
}

/*
 * Writes the shortest text that reads back as value, with the locale's decimal point. Returns its number of digits.
 */
static int shortest_text(char out[RECORD_REAL_CAP], double value)
{
	for (int digits = DBL_DIG; digits < DBL_DECIMAL_DIG; digits++) {
		snprintf(out, RECORD_REAL_CAP, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			return digits;
	}
	snprintf(out, RECORD_REAL_CAP, "%.*g", DBL_DECIMAL_DIG, value);
	return DBL_DECIMAL_DIG;
}

int record_real_digits(double value)
{
	char text[RECORD_REAL_CAP];

	return shortest_text(text, value);
}

/* Smallest size of a number that %g may write with an exponent. */
#define WHOLE_MAX 1e15

const char *record_real_text(char out[RECORD_REAL_CAP], double value)
{
	const char *point;
	size_t len;
	char *at;

	if (value >= 0 && !signbit(value) && value < WHOLE_MAX && value == (double)(uint64_t)value) {
		record_uint_text(out, (uint64_t)value);
		return out;
	}
	shortest_text(out, value);
	point = localeconv()->decimal_point;
	len = strlen(point);
	at = strcmp(point, ".") ? strstr(out, point) : NULL;
	if (at) {
		*at = '.';
		memmove(at + 1, at + len, strlen(at + len) + 1);
	}
	return out;
}

char *record_utf8(const char *value)
{
	static const char digit[] = "0123456789abcdef";
	size_t n = strlen(value);
	char *copy = xmalloc(4 * n + 1), *out = copy;

	for (size_t i = 0; i < n;) {
		unsigned len = utf8_length(value + i, n - i);
		unsigned char c = (unsigned char)value[i];

		if (len) {
			memcpy(out, value + i, len);
			out += len;
			i += len;
		} else {
			memcpy(out, (char[4]){'\\', 'x', digit[c >> 4], digit[c & 15]}, 4);
			out += 4;
			i++;
		}
	}
	*out = '\0';
	return copy;
}

/* ---- the calls ---------------------------------------------------------------------------- */

struct record_writer *record_open(FILE *out, enum record_format format)
{
	struct record_writer *w = xcalloc(1, sizeof(*w));

	w->out = out;
	w->ops = format == RECORD_JSON      ? &record_json
		 : format == RECORD_MSGPACK ? &record_msgpack
					    : &record_text;
	if (w->ops->open)
		w->ops->open(w);
	return w;
}

void record_begin(struct record_writer *w, const char *record)
{
	assert(!w->depth);
	w->depth = 1;
	w->name_bytes = 0;
	w->text.n = 0;
	w->ops->begin(w, record);
}

void record_string(struct record_writer *w, const char *name, const char *value)
{
	assert(w->depth);
	w->ops->string(w, name, value);
}

void record_uint(struct record_writer *w, const char *name, uint64_t value, const char *unit)
{
	assert(w->depth);
	w->ops->uint(w, name, value, unit);
}

void record_int(struct record_writer *w, const char *name, int64_t value, const char *unit)
{
	assert(w->depth);
	w->ops->sint(w, name, value, unit);
}

void record_real(struct record_writer *w, const char *name, double value, const char *unit)
{
	assert(w->depth);
	w->ops->real(w, name, value, unit);
}

void record_bool(struct record_writer *w, const char *name, bool value)
{
	assert(w->depth);
	w->ops->boolean(w, name, value);
}

void record_group(struct record_writer *w, const char *name)
{
	assert(w->depth && w->depth < RECORD_DEPTH);
	if (w->depth == 1)
		w->last_at = w->ops->members(w)->n;
	w->depth++;
	w->ops->group(w, name);
}

void record_group_end(struct record_writer *w)
{
	assert(w->depth > 1);
	w->ops->group_end(w);
	w->depth--;
}

void record_dim(struct record_writer *w, const char *name, const uint32_t dim[3])
{
	record_group(w, name);
	record_uint(w, "x", dim[0], NULL);
	record_uint(w, "y", dim[1], NULL);
	record_uint(w, "z", dim[2], NULL);
	record_group_end(w);
}

static void write_ended_record(struct record_writer *w)
{
	w->name_left = w->ops->members(w)->n - w->name_at;
	fwrite(w->text.p, 1, w->text.n, w->out);
	w->depth = 0;
}

void record_end(struct record_writer *w)
{
	assert(w->depth == 1);
	w->ops->end(w);
	w->last_n = w->ops->members(w)->n - w->last_at;
	write_ended_record(w);
}

size_t record_last_group(const struct record_writer *w)
{
	assert(!w->depth);
	return w->last_n;
}

size_t record_last_name(const struct record_writer *w, size_t *size)
{
	assert(!w->depth);
	*size = w->name_bytes;
	return w->name_bytes ? w->name_left : 0;
}

void record_redirect(struct record_writer *w, FILE *out)
{
	assert(!w->depth);
	w->out = out;
}

void record_end_with(struct record_writer *w, const void *group, size_t n)
{
	assert(w->depth == 1);
	w->ops->repeat(w, group, n);
	write_ended_record(w);
}

void record_close(struct record_writer *w)
{
	if (!w)
		return;
	if (w->ops->close)
		w->ops->close(w);
	bytes_free(&w->text);
	free(w);
}
