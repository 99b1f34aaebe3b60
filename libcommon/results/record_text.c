/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of records in text form: "# record", then a line "name value unit" for each value.
 *
 * Always true: a line has three words separated by one blank; a missing unit is "-". In names and strings, blanks,
 * control characters, '%', '"' and malformed UTF-8 are written as %XX; an empty string is "". Names in groups other
 * than "stats" have the prefix "group.". An undefined real is nan.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "record_format.h"
#include "base/utf8.h"

/* Prefix for names in the open groups, "a.b."; mark[d] is its length without the group at depth d. */
struct text_state {
	struct bytes prefix;
	size_t mark[RECORD_DEPTH + 1]; /* length of prefix without the group, by depth */
};

static void text_open(struct record_writer *w) { w->state = xcalloc(1, sizeof(struct text_state)); }

static void text_close(struct record_writer *w)
{
	struct text_state *s = w->state;

	bytes_free(&s->prefix);
	free(s);
}

/* Returns the number of bytes at the start of s that need no escape. */
static size_t length_without_escapes(const char *s)
{
	size_t n = 0;

	while (s[n] > ' ' && s[n] < 0x7f && s[n] != '%' && s[n] != '"')
		n++;
	return n;
}

static void add_escaped(struct bytes *b, const char *value)
{
	static const char digit[] = "0123456789ABCDEF";
	size_t n = strlen(value);

	for (size_t i = 0; i < n;) {
		size_t plain = length_without_escapes(value + i);
		unsigned char c = (unsigned char)value[i + plain];
		unsigned len;

		bytes_add(b, value + i, plain);
		i += plain;
		if (!c)
			break;
		len = c == ' ' || c == '%' || c == '"' ? 0 : utf8_printable(value + i, n - i);
		if (len)
			bytes_add(b, value + i, len);
		else
			bytes_add(b, (char[3]){'%', digit[c >> 4], digit[c & 15]}, 3);
		i += len ? len : 1;
	}
}

static void add_text_line(struct record_writer *w, const char *name, const char *value, const char *unit)
{
	const struct text_state *s = w->state;

	bytes_add(&w->text, s->prefix.p, s->prefix.n);
	add_escaped(&w->text, name);
	bytes_puts(&w->text, " ");
	bytes_puts(&w->text, value);
	bytes_puts(&w->text, " ");
	if (unit && *unit)
		add_escaped(&w->text, unit);
	else
		bytes_puts(&w->text, "-");
	bytes_puts(&w->text, "\n");
}

static void text_begin_record(struct record_writer *w, const char *record)
{
	bytes_puts(&w->text, "# ");
	add_escaped(&w->text, record);
	bytes_puts(&w->text, "\n");
}

static void write_text_string(struct record_writer *w, const char *name, const char *value)
{
	struct bytes b = {0};

	if (*value)
		add_escaped(&b, value);
	else
		bytes_puts(&b, "\"\"");
	bytes_add(&b, "", 1);
	add_text_line(w, name, b.p, NULL);
	free(b.p);
}

static void write_text_uint(struct record_writer *w, const char *name, uint64_t value, const char *unit)
{
	char text[RECORD_UINT_CAP];

	record_uint_text(text, value);
	add_text_line(w, name, text, unit);
}

static void write_text_int(struct record_writer *w, const char *name, int64_t value, const char *unit)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_text_line(w, name, text, unit);
}

static void write_text_real(struct record_writer *w, const char *name, double value, const char *unit)
{
	char text[RECORD_REAL_CAP];

	add_text_line(w, name, isfinite(value) ? record_real_text(text, value) : "nan", unit);
}

static void write_text_bool(struct record_writer *w, const char *name, bool value)
{
	add_text_line(w, name, value ? "true" : "false", NULL);
}

static void text_group(struct record_writer *w, const char *name)
{
	struct text_state *s = w->state;

	s->mark[w->depth] = s->prefix.n;
	if (!strcmp(name, "stats"))
		return;
	add_escaped(&s->prefix, name);
	bytes_puts(&s->prefix, ".");
}

static void text_group_end(struct record_writer *w)
{
	struct text_state *s = w->state;

	s->prefix.n = s->mark[w->depth];
}

static void text_end(struct record_writer *w) { (void)w; }

static struct bytes *text_members(struct record_writer *w) { return &w->text; }

static void text_repeat(struct record_writer *w, const void *member, size_t n)
{
	bytes_add(&w->text, member, n);
}

const struct record_ops record_text = {text_open, text_begin_record, write_text_string, write_text_uint,
	write_text_int, write_text_real, write_text_bool, text_group, text_group_end, text_members,
	text_repeat, text_end, text_close};
