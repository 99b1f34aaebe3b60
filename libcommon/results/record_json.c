/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of JSON records: one compact object per line, members in the order of the calls.
 *
 * Always true: jansson writes strings that need escapes and reals that need an exponent; this file writes all other
 * values in the same format. Reals have the fewest digits that read back equal; integers have all 64 bits, unlike in
 * jansson's signed type. Undefined reals are null. Units are omitted, because trace-stats(5) has them.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "record_format.h"

static int append_dumped_json(const char *p, size_t n, void *text)
{
	bytes_add(text, p, n);
	return 0;
}

/* Appends v and releases it. */
static void add_json(struct record_writer *w, json_t *v, size_t flags)
{
	if (!v || json_dump_callback(v, append_dumped_json, &w->text, flags | JSON_COMPACT | JSON_ENCODE_ANY))
		die("out of memory: writing a record");
	json_decref(v);
}

/* Returns true if a string between quotes needs no escapes. */
static bool is_without_escapes(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~' || *s == '"' || *s == '\\')
			return false;
	return true;
}

static void add_string(struct record_writer *w, const char *value)
{
	char *copy;

	if (is_without_escapes(value)) {
		bytes_puts(&w->text, "\"");
		bytes_puts(&w->text, value);
		bytes_puts(&w->text, "\"");
		return;
	}
	copy = record_utf8(value);
	add_json(w, json_string_nocheck(copy), 0);
	free(copy);
}

static void add_member_name(struct record_writer *w, const char *name)
{
	if (w->text.p[w->text.n - 1] != '{')
		bytes_puts(&w->text, ",");
	add_string(w, name);
	bytes_puts(&w->text, ":");
}

static void write_json_string(struct record_writer *w, const char *name, const char *value)
{
	add_member_name(w, name);
	add_string(w, value);
}

static void js_begin(struct record_writer *w, const char *record)
{
	bytes_puts(&w->text, "{");
	write_json_string(w, "record", record);
}

static void write_json_uint(struct record_writer *w, const char *name, uint64_t value, const char *unit)
{
	(void)unit;
	add_member_name(w, name);
	bytes_unsigned(&w->text, value);
}

static void write_json_int(struct record_writer *w, const char *name, int64_t value, const char *unit)
{
	(void)unit;
	add_member_name(w, name);
	bytes_signed(&w->text, value, 0);
}

static void write_json_real(struct record_writer *w, const char *name, double value, const char *unit)
{
	char text[RECORD_REAL_CAP];

	(void)unit;
	add_member_name(w, name);
	if (!isfinite(value)) {
		bytes_puts(&w->text, "null");
		return;
	}
	record_real_text(text, value);
	if (strchr(text, 'e')) {
		add_json(w, json_real(value), JSON_REAL_PRECISION((size_t)record_real_digits(value)));
		return;
	}
	bytes_puts(&w->text, text);
	if (!strchr(text, '.')) /* a number without a point would be an integer */
		bytes_puts(&w->text, ".0");
}

static void write_json_bool(struct record_writer *w, const char *name, bool value)
{
	add_member_name(w, name);
	bytes_puts(&w->text, value ? "true" : "false");
}

static void js_group(struct record_writer *w, const char *name)
{
	add_member_name(w, name);
	bytes_puts(&w->text, "{");
}

static void js_group_end(struct record_writer *w) { bytes_puts(&w->text, "}"); }

static void js_end(struct record_writer *w) { bytes_puts(&w->text, "}\n"); }

static struct bytes *json_members(struct record_writer *w) { return &w->text; }

static void js_repeat(struct record_writer *w, const void *member, size_t n)
{
	bytes_add(&w->text, member, n);
}

const struct record_ops record_json = {NULL, js_begin, write_json_string, write_json_uint, write_json_int,
	write_json_real, write_json_bool, js_group, js_group_end, json_members, js_repeat, js_end, NULL};
