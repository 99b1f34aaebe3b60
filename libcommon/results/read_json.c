/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of JSON records, one object per line. read_quick.c reads lines in the form that trace-sim writes, jansson
 * all other lines. Always true: a malformed line is a fault; a malformed last line without newline cuts the run.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "record_format.h"
#include "read_int.h"

/* Returns the text of a scalar; NULL for other values. */
static const char *scalar_text(const json_t *v, char buf[64])
{
	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_integer(v))
		snprintf(buf, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		record_real_text(buf, json_real_value(v));
	else if (json_is_boolean(v))
		snprintf(buf, 64, "%s", json_is_true(v) ? "true" : "false");
	else
		return NULL;
	return buf;
}

static void read_json_members(struct results *r, const char *prefix, json_t *o)
{
	char name[READ_WORD_MAX], buf[64];
	const char *key, *text;
	json_t *v;

	json_object_foreach(o, key, v)
	{
		if (json_is_object(v) && !*prefix && strcmp(key, "stats")) {
			read_json_members(r, key, v);
			continue;
		}
		text = scalar_text(v, buf);
		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (text)
			read_member(r, name, text);
	}
}

static int read_json_stats(struct results *r, json_t *o, struct fault *f)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
	{
		struct result_value n;
		char q[60];

		if (json_is_null(v)) {
			list_mark_undefined(r, key);
			continue;
		}
		if (json_is_integer(v) && json_integer_value(v) >= 0)
			n = value_of_integer((uint64_t)json_integer_value(v));
		else if (json_is_number(v))
			n = value_of_real(json_number_value(v));
		else
			return fault_set(f, read_place(r), "record-value",
				"figure '%s' is not a number (expected a number or null)",
				diag_quote(q, sizeof(q), key, strlen(key)));
		if (list_set_figure(r, key, n, f) < 0)
			return -1;
	}
	return 0;
}

static json_t *parse_json(const char *line, size_t len, json_error_t *e)
{
	json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, e);

	if (!o && json_error_code(e) == json_error_numeric_overflow)
		o = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, e);
	return o;
}

static int report_bad_json(struct results *r, const json_error_t *e, struct fault *f)
{
	struct place at = read_place(r);
	char q[160];

	if (!input_line_had_newline(r->in)) {
		read_cut_run(
			r, "the input ends inside a record before an end record: this run is not complete");
		return 0;
	}
	at.col = e->column > 0 ? (uint32_t)e->column : 0;
	return fault_set(f, at, "json", "malformed JSON: %s (expected a record)",
		diag_quote(q, sizeof(q), e->text, strlen(e->text)));
}

int read_json_line(struct results *r, char *line, size_t len, struct fault *f)
{
	int status = 0;
	json_error_t e = {.column = 0};
	const char *word;
	json_t *o, *s;

	if (read_json_quickly(r, line, len))
		return 0;
	o = parse_json(line, len, &e);
	word = json_string_value(json_object_get(o, "record"));
	if (!o)
		return report_bad_json(r, &e, f);
	if (!word) {
		json_decref(o);
		return fault_set(f, read_place(r), "record-member",
			"object without a member 'record' (expected run, kernel or end)");
	}
	if (!read_begin(r, read_record_of(r, word))) {
		r->read_again = true;
	} else {
		if (r->record != READ_OTHER) {
			read_json_members(r, "", o);
			s = json_object_get(o, "stats");
			status = json_is_object(s) ? read_json_stats(r, s, f) : 0;
		}
		r->record_end = input_offset(r->in);
		if (!status)
			read_complete(r);
	}
	json_decref(o);
	return status;
}
