/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the .icnt file of network mode 1: entries "name = value;" over any number of lines, comments from
 * // to the end of the line, later entries win. icnt_validate.c checks the meaning of the values.
 *
 * Always true after reading: every entry has a number in its bounds (NUMBER, REAL) or text, from the file or
 * BookSim's default. Names that BookSim lacks are rejected with their place. Differences from BookSim: a real number
 * may be written without a point, and numbers that do not fit are rejected.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli.h"
#include "arch/icnt_int.h"

#define WORD_MAX 64

const struct icnt_entry icnt_entries[N_ICNT] = {
#define ICNT(name, kind, def, least, most, unit, help) {#name, KIND_##kind, def, least, most},
#include "arch/icnt.def"
#undef ICNT
};

/* A word, a number, a list in braces, "=" or ";". An empty text marks the end of the file. */
struct icnt_token {
	struct place place;
	const char *text;
	size_t n;                  /* number of bytes of text */
	char quoted[WORD_MAX + 2]; /* quoted word for messages */
};

struct icnt_reader {
	struct input *in;
	const char *line;
	size_t col;        /* column of the reader */
	size_t n;          /* length of the line */
	struct icnt *icnt; /* network that is being read */
};

/* ---- tokens ------------------------------------------------------------------------------------------ */

static bool is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-/.+(){},", c));
}

/* Skips to the next token. Returns false at the end of the line. */
static bool skip_to_token(struct icnt_reader *r)
{
	while (r->col < r->n &&
		(r->line[r->col] == ' ' || r->line[r->col] == '\t' || r->line[r->col] == '\r'))
		r->col++;
	if (r->col + 1 < r->n && r->line[r->col] == '/' && r->line[r->col + 1] == '/')
		return false;
	return r->col < r->n;
}

static int next_token(struct icnt_reader *r, struct icnt_token *t, struct fault *f)
{
	char shown[WORD_MAX];
	size_t start;

	while (!skip_to_token(r)) {
		int got = input_line(r->in, &r->line, &r->n, f);

		r->col = 0;
		if (got < 0)
			return -1;
		if (!got) {
			r->n = 0;
			*t = (struct icnt_token){
				.place = {r->icnt->file, input_lineno(r->in), 0}, .quoted = "end of file"};
			return 0;
		}
	}
	start = r->col++;
	if (is_word_character(r->line[start]))
		while (r->col < r->n && is_word_character(r->line[r->col]))
			r->col++;
	*t = (struct icnt_token){.place = {r->icnt->file, input_lineno(r->in), (uint32_t)start + 1},
		.text = r->line + start,
		.n = r->col - start};
	snprintf(t->quoted, sizeof(t->quoted), "'%s'", diag_quote(shown, sizeof(shown), t->text, t->n));
	return 0;
}

static bool is_punctuation(const struct icnt_token *t, char c) { return t->n == 1 && *t->text == c; }

static bool is_value(const struct icnt_token *t) { return t->n && is_word_character(*t->text); }

static int expect_symbol(struct icnt_reader *r, char c, const char *after, struct fault *f)
{
	struct icnt_token t;

	if (next_token(r, &t, f) < 0)
		return -1;
	if (is_punctuation(&t, c))
		return 0;
	return fault_set(
		f, t.place, "icnt-syntax", "unexpected %s after %s (expected '%c')", t.quoted, after, c);
}

/* ---- entries ----------------------------------------------------------------------------------------- */

/* Reads the whole text as a number. */
static bool parse_icnt_number(const char *text, bool real, double *out)
{
	char *end;

	errno = 0;
	*out = real ? strtod(text, &end) : (double)strtoll(text, &end, 10);
	return *text && !*end && !errno &&
	       strspn(text, real ? "+-.0123456789eE" : "-0123456789") == strlen(text);
}

static bool kind_allows_reals(enum icnt_kind kind) { return kind == KIND_REAL || kind == KIND_REALS; }

static bool kind_allows_list(enum icnt_kind kind) { return kind == KIND_NUMBERS || kind == KIND_REALS; }

/* Sets v->number from the text of v and checks that it is within its bounds. Returns 0, or -1 and sets *f. */
static int set_icnt_value(struct icnt_value *v, const struct icnt_entry *e, struct fault *f)
{
	char shown[WORD_MAX];

	if (e->kind == KIND_IDLE || (kind_allows_list(e->kind) && (*v->text == '{' || !*v->text)))
		return 0;
	if (e->kind == KIND_WORD) {
		if (*v->text != '{' && !parse_icnt_number(v->text, true, &v->number))
			return 0;
		return fault_set(f, v->place, "icnt-value", "invalid '%s = %s' (expected a name)", e->name,
			diag_quote(shown, sizeof(shown), v->text, strlen(v->text)));
	}
	if (!parse_icnt_number(v->text, kind_allows_reals(e->kind), &v->number) ||
		!(v->number >= (double)e->least && v->number <= (double)e->most))
		return fault_set(f, v->place, "icnt-value",
			"invalid '%s = %s' (expected a %s from %lld to %lld)", e->name,
			diag_quote(shown, sizeof(shown), v->text, strlen(v->text)),
			kind_allows_reals(e->kind) ? "number" : "whole number", (long long)e->least,
			(long long)e->most);
	return 0;
}

static int report_unknown_entry(const struct icnt_token *t, const char *name, struct fault *f)
{
	const char *near = cli_nearest(name, icnt_entries, N_ICNT, sizeof(icnt_entries[0]));

	if (near)
		return fault_set(
			f, t->place, "icnt-name", "unknown name %s, did you mean '%s'?", t->quoted, near);
	return fault_set(f, t->place, "icnt-name", "unknown name %s (trace-network(5) lists all)", t->quoted);
}

static const struct icnt_entry *find_icnt_entry(const char *name)
{
	for (size_t i = 0; i < N_ICNT; i++)
		if (!strcmp(icnt_entries[i].name, name))
			return &icnt_entries[i];
	return NULL;
}

/* Reads the entry that begins with the name t. */
static int read_entry(struct icnt_reader *r, const struct icnt_token *t, struct fault *f)
{
	const struct icnt_entry *e;
	struct icnt_value *v;
	struct icnt_token value;
	char *text;
	int status;

	if (!is_value(t))
		return fault_set(f, t->place, "icnt-syntax",
			"unexpected %s (expected an entry 'name = value;')", t->quoted);
	text = xstrndup(t->text, t->n);
	e = find_icnt_entry(text);
	status = e ? 0 : report_unknown_entry(t, text, f);
	free(text);
	if (!e || status || expect_symbol(r, '=', t->quoted, f) < 0 || next_token(r, &value, f) < 0)
		return -1;
	if (!is_value(&value))
		return fault_set(f, value.place, "icnt-syntax", "unexpected %s (expected a value of %s)",
			value.quoted, e->name);
	v = &r->icnt->value[e - icnt_entries];
	text = xstrndup(value.text, value.n);
	*v = (struct icnt_value){.text = diag_keep(text), .place = value.place};
	free(text);
	if (set_icnt_value(v, e, f) < 0)
		return -1;
	return expect_symbol(r, ';', value.quoted, f);
}

/* ---- values ------------------------------------------------------------------------------------------- */

const char *icnt_text(const struct icnt *c, enum icnt_id id)
{
	return c->value[id].text ? c->value[id].text : icnt_entries[id].def;
}

int icnt_list(const struct icnt *c, enum icnt_id id, int64_t *out, int cap, struct fault *f)
{
	const struct icnt_entry *e = &icnt_entries[id];
	const char *p = icnt_text(c, id);
	int n = 0;

	if (*p != '{') {
		*out = (int64_t)c->value[id].number;
		return *p != '\0';
	}
	while (*p && *p != '}') {
		char *end;

		out[n] = strtoll(++p, &end, 10);
		if (end == p || (*end != ',' && *end != '}') || out[n] < e->least || out[n] > e->most ||
			n + 1 > cap - 1)
			return icnt_reject(c, id, f, "at most %d whole numbers from %lld to %lld", cap - 1,
				(long long)e->least, (long long)e->most);
		n++;
		p = end;
	}
	if (*p != '}' || p[1])
		return icnt_reject(c, id, f, "a list in braces");
	return n;
}

int icnt_reject(const struct icnt *c, enum icnt_id id, struct fault *f, const char *wanted, ...)
{
	const struct icnt_value *v = &c->value[id];
	const struct icnt_entry *e = &icnt_entries[id];
	char what[200], shown[WORD_MAX];
	va_list args;

	va_start(args, wanted);
	vsnprintf(what, sizeof(what), wanted, args);
	va_end(args);
	if (!v->text)
		return fault_set(f, v->place, "icnt-lacks",
			"no entry '%s', whose default is %s (expected %s)", e->name,
			*e->def ? e->def : "empty", what);
	return fault_set(f, v->place, "icnt-value", "invalid '%s = %s' (expected %s)", e->name,
		diag_quote(shown, sizeof(shown), v->text, strlen(v->text)), what);
}

int icnt_conflict(const struct icnt *c, enum icnt_id id, struct fault *f, const char *reason, ...)
{
	const char *text = icnt_text(c, id);
	char why[200], shown[WORD_MAX];
	va_list args;

	va_start(args, reason);
	vsnprintf(why, sizeof(why), reason, args);
	va_end(args);
	return fault_set(f, c->value[id].place, "icnt-value", "'%s = %s' %s", icnt_entries[id].name,
		diag_quote(shown, sizeof(shown), text, strlen(text)), why);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static void set_icnt_defaults(struct icnt *c)
{
	for (size_t i = 0; i < N_ICNT; i++) {
		const struct icnt_entry *e = &icnt_entries[i];

		c->value[i] = (struct icnt_value){.place = {.file = c->file}};
		if (e->kind != KIND_WORD && e->kind != KIND_IDLE && *e->def != '{')
			parse_icnt_number(e->def, kind_allows_reals(e->kind), &c->value[i].number);
	}
}

int icnt_read(struct icnt *c, struct input *in, struct fault *f)
{
	struct icnt_reader r = {.in = in, .icnt = c};
	struct icnt_token t;

	*c = (struct icnt){.file = diag_keep(input_name(in))};
	set_icnt_defaults(c);
	for (;;) {
		if (next_token(&r, &t, f) < 0)
			return -1;
		if (!t.n)
			break;
		if (read_entry(&r, &t, f) < 0)
			return -1;
	}
	return icnt_validate(c, f);
}

int icnt_load(struct icnt *c, const char *path, struct place at, struct fault *f)
{
	struct fault open;
	struct input *in = input_open(path, &open);
	int status;

	*c = (struct icnt){.file = path};
	if (!in)
		return fault_set(f, at.file ? at : open.place, "icnt-file",
			"the network description of -network_mode 1: %s: %s", path, open.text);
	status = icnt_read(c, in, f);
	input_close(in);
	return status;
}

void icnt_free(struct icnt *c)
{
	anynet_free(c->anynet);
	free(c->private_size);
	free(c->private_of);
	free(c->memory_node);
	c->anynet = NULL;
	c->private_size = c->private_of = c->memory_node = NULL;
}
