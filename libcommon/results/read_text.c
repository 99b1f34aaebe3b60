/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of records in text form: "# record", then lines "name value unit" (record_text.c). Always true: a record
 * ends at the next line that starts with '#' or at the end of the input.
 */
#include <stdio.h>
#include <string.h>
#include "read_int.h"

static int escape_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX in place. %00 ends the word. */
static void unescape_word(char *s)
{
	char *out = s;

	if (!strcmp(s, "\"\"")) {
		*s = '\0';
		return;
	}
	for (; *s; s++) {
		if (*s == '%' && escape_digit(s[1]) >= 0 && escape_digit(s[2]) >= 0) {
			*out++ = (char)(escape_digit(s[1]) << 4 | escape_digit(s[2]));
			s += 2;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

static int begin_text_record(struct results *r, char *line)
{
	if (r->record != READ_NONE) {
		r->record_end = r->line_start;
		read_complete(r);
		r->read_again = true;
		return 0;
	}
	if (!read_begin(r, read_record_of(r, line + 2)))
		r->read_again = true;
	return 0;
}

static bool is_member(const struct results *r, const char *name)
{
	static const char *const kernel[] = {"position", "name", "id", "stream", "grid.x", "grid.y", "grid.z",
		"block.x", "block.y", "block.z", "hash", "checksum", "slice", "status", "reused_from",
		"first_cycle", "sampled", "blocks_simulated", "blocks", "cycles", "cycles_simulated",
		"cycles_low", "cycles_high"};
	static const char *const end[] = {"status", "limit", "kernels", "hash"};
	bool own = r->record == READ_KERNEL || r->record == READ_INTERVAL;
	const char *const *list = own ? kernel : end;
	size_t n = own ? sizeof(kernel) / sizeof(*kernel) : sizeof(end) / sizeof(*end);

	if (!own && r->record != READ_END)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

int read_text_line(struct results *r, char *line, struct fault *f)
{
	char *value = strchr(line, ' '), *unit = value ? strchr(value + 1, ' ') : NULL, q[60];
	struct result_value v;

	if (*line == '#')
		return begin_text_record(r, line);
	if (r->record == READ_OTHER)
		return 0;
	if (!unit || unit == value + 1 || strchr(unit + 1, ' ') || !unit[1]) {
		if (!input_line_had_newline(r->in))
			return 0;
		return fault_set(f, read_place(r), "record-line",
			"malformed line '%s' (expected 'name value unit')",
			diag_quote(q, sizeof(q), line, strlen(line)));
	}
	*value++ = '\0';
	*unit = '\0';
	unescape_word(line);
	unescape_word(value);
	if (is_member(r, line))
		return read_member(r, line, value);
	if (!strcmp(value, "nan")) {
		list_mark_undefined(r, line);
		return 0;
	}
	if (!value_parse(value, &v))
		return fault_set(f, read_place(r), "record-value",
			"invalid value '%s' (expected a number or nan)",
			diag_quote(q, sizeof(q), value, strlen(value)));
	return list_set_figure(r, line, v, f);
}
