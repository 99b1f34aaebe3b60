/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option files: '#' comments, "-name value" pairs split at white space, quotes, "-config FILE".
 *
 * The syntax is Accel-Sim's (trace-config(5)): line ends are white space; a token that begins with a quote extends
 * over the following tokens, joined by single blanks, until one ends with a quote. Differences: every token has its
 * line and column, a boolean without value is rejected instead of meaning 0, and the file of "-config" is looked up
 * next to the including file before the current directory. MAX_BYTES and MAX_FILES bound memory and work for any
 * nesting.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "gpuconf.h"
#include "gpuconf_int.h"
#include "output.h"

#define MAX_DEPTH 16
#define MAX_FILES 256
#define MAX_BYTES (16u << 20)

struct conf_reader {
	struct gpuconf *conf;
	struct fault *fault;
	unsigned files; /* number of files read so far */
	size_t bytes;   /* number of bytes read so far */
};

/* State of the reader in one file. */
struct conf_lexer {
	struct conf_reader *reader; /* state of the reader over all files */
	FILE *in;
	struct place place; /* place of next; column 0: no character has been read */
	int next;           /* next character, or EOF */
};

struct conf_token {
	struct place place;
	bool quoted;
	size_t len;
	char text[CONF_TOKEN_MAX + 1];
};

static bool is_blank(int ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

/* Reads the next character. */
static void read_char(struct conf_lexer *l)
{
	if (l->next == '\n') {
		l->place.line++;
		l->place.col = 1;
	} else {
		l->place.col++;
	}
	l->reader->bytes++;
	l->next = l->reader->bytes <= MAX_BYTES ? getc_unlocked(l->in) : EOF;
}

static void skip_comments(struct conf_lexer *l)
{
	while (is_blank(l->next) || l->next == '#') {
		if (l->next == '#')
			while (l->next != '\n' && l->next != EOF)
				read_char(l);
		else
			read_char(l);
	}
}

/* Appends the characters up to the next blank or '#' to a token. */
static int append_token_word(struct conf_lexer *l, struct conf_token *t)
{
	for (; l->next != EOF && !is_blank(l->next) && l->next != '#'; read_char(l)) {
		if (l->next < 0x20 || l->next == 0x7f)
			return fault_set(l->reader->fault, l->place, "conf-syntax",
				"control character 0x%02x (expected text)", (unsigned)l->next);
		if (t->len == CONF_TOKEN_MAX)
			return fault_set(l->reader->fault, t->place, "conf-syntax",
				"word longer than %d bytes", CONF_TOKEN_MAX);
		t->text[t->len++] = (char)l->next;
	}
	return 0;
}

static int check_size_and_errors(struct conf_lexer *l)
{
	if (l->reader->bytes > MAX_BYTES)
		return fault_set(l->reader->fault, l->place, "conf-syntax",
			"configuration larger than %u MiB", MAX_BYTES >> 20);
	if (ferror(l->in))
		return fault_set(
			l->reader->fault, l->place, "conf-open", "cannot read the file: %s", strerror(errno));
	return 0;
}

/* Reads the rest of a quoted token whose first word is in *t. */
static int read_quoted_rest(struct conf_lexer *l, struct conf_token *t)
{
	while (t->len < 2 || t->text[t->len - 1] != '"') {
		skip_comments(l);
		if (l->next == EOF)
			return check_size_and_errors(l) < 0 ? -1
							    : fault_set(l->reader->fault, t->place,
								      "conf-syntax", "quote without an end");
		if (t->len < CONF_TOKEN_MAX)
			t->text[t->len++] = ' ';
		if (append_token_word(l, t) < 0)
			return -1;
	}
	t->len -= 2;
	memmove(t->text, t->text + 1, t->len);
	if (t->len && t->text[0] == ' ') { /* the opening quote was a separate token */
		t->len--;
		memmove(t->text, t->text + 1, t->len);
	}
	if (t->len && t->text[t->len - 1] == ' ') /* the closing quote was a separate token */
		t->len--;
	t->text[t->len] = '\0';
	return 0;
}

/* Reads the next token into *t. Returns 1, 0 at the end of the file, or -1 and sets a fault. */
static int read_conf_token(struct conf_lexer *l, struct conf_token *t)
{
	skip_comments(l);
	if (l->next == EOF)
		return check_size_and_errors(l);
	t->place = l->place;
	t->len = 0;
	if (append_token_word(l, t) < 0)
		return -1;
	t->text[t->len] = '\0';
	t->quoted = t->text[0] == '"';
	if (t->quoted && read_quoted_rest(l, t) < 0)
		return -1;
	return 1;
}

struct conf_source {
	struct conf_source *older; /* file that was read before this one */
	const char *path;
};

static void note_config_file(struct gpuconf *c, const char *path)
{
	struct conf_source *s = arena_alloc(c->arena, 1, sizeof(*s));

	*s = (struct conf_source){c->sources, arena_strndup(c->arena, path, strlen(path))};
	c->sources = s;
}

void gpuconf_check_output(const struct gpuconf *c, const char *output)
{
	for (const struct conf_source *s = c->sources; s; s = s->older)
		output_check_input(output, s->path);
}

/*
 * Reports that path cannot be read. from: place of the line that includes it; NOWHERE: the command line names it.
 * Returns -1.
 */
static int fail_config_file(struct conf_reader *r, const char *path, struct place from, const char *reason)
{
	char shown[160];

	if (!from.file)
		return fault_set(r->fault, (struct place){.file = path}, "conf-open", "%s", reason);
	return fault_set(r->fault, from, "conf-open", "included file '%s': %s",
		diag_quote(shown, sizeof(shown), path, strlen(path)), reason);
}

static int read_file(
	struct conf_reader *r, const char *path, const char *base, struct place from, unsigned depth);

static bool looks_like_option(const struct conf_token *t)
{
	return !t->quoted && t->text[0] == '-' &&
	       (strcmp(t->text, "-config") == 0 || conf_find(t->text) >= 0);
}

/* Reads the value of option `name` into *t. Returns 0, or -1 and sets a fault. */
static int read_option_value(
	struct conf_lexer *l, const char *name, bool flag, struct place at, struct conf_token *t)
{
	int got = read_conf_token(l, t);
	char shown[80];

	if (got < 0)
		return -1;
	if (got == 1 && !looks_like_option(t))
		return 0;
	diag_quote(shown, sizeof(shown), got ? t->text : "", got ? t->len : 0);
	return fault_set(l->reader->fault, at, "conf-value", "%s: missing value before %s%s%s%s", name,
		got ? "'" : "the end of the file", shown, got ? "'" : "",
		flag ? " (expected 0 or 1; Accel-Sim reads a bare flag as 0)" : "");
}

/*
 * Skips an unknown option and its value if on_unknown() allows it. Returns 1 and sets *next if the token after the
 * option looks like an option, 0 if the option and its value are skipped, or -1 and sets a fault.
 */
static int skip_unknown_option(struct conf_lexer *l, const struct conf_token *name, struct conf_token *next)
{
	struct gpuconf *c = l->reader->conf;
	struct conf_token value = {0};
	int got;

	conf_unknown(name->text, name->place, l->reader->fault);
	if (!c->on_unknown || !c->on_unknown(c->ctx, l->reader->fault))
		return -1;
	got = read_conf_token(l, &value);
	if (got < 1)
		return got;
	if (value.quoted || value.text[0] != '-' || !isalpha((unsigned char)value.text[1]))
		return 0;
	*next = value;
	return 1;
}

static int read_options(struct conf_lexer *l, unsigned depth)
{
	struct conf_token name = {0}, value = {0};
	char shown[80];
	int got = 1, again = 0;

	while (again || (got = read_conf_token(l, &name)) == 1) {
		again = 0;
		if (name.quoted || name.text[0] != '-' || !name.text[1]) {
			diag_quote(shown, sizeof(shown), name.text, name.len);
			return fault_set(l->reader->fault, name.place, "conf-syntax",
				"unexpected '%s' (expected an option, -name)", shown);
		}
		if (strcmp(name.text, "-config") == 0) {
			if (read_option_value(l, name.text, false, name.place, &value) < 0 ||
				read_file(l->reader, value.text, l->place.file, value.place, depth + 1) < 0)
				return -1;
			continue;
		}
		int id = conf_find(name.text);
		if (id < 0) {
			again = skip_unknown_option(l, &name, &name);
			if (again < 0)
				return -1;
			continue;
		}
		if (read_option_value(l, name.text, conf_rows[id].type == CONF_BOOL, name.place, &value) <
				0 ||
			conf_set(l->reader->conf, (enum conf_id)id, value.text, value.place,
				l->reader->fault) < 0)
			return -1;
	}
	return got;
}

static int read_stream(struct conf_reader *r, FILE *in, const char *name, unsigned depth)
{
	struct conf_lexer l = {
		.reader = r,
		.in = in,
		.place = {.file = arena_strndup(r->conf->arena, name, strlen(name)), .line = 1},
	};

	read_char(&l);
	unsigned mark = 0; /* number of bytes of a byte order mark */
	while (mark < 3 && l.next == (unsigned char)"\xef\xbb\xbf"[mark]) {
		read_char(&l);
		mark++;
	}
	l.place.col = 1;
	if (mark % 3)
		return fault_set(r->fault, l.place, "conf-syntax", "byte 0xef (expected text)");
	return read_options(&l, depth);
}

/* Opens path, in the directory of base if it exists there. Sets *name to the path that was opened. */
static FILE *open_near_config(struct conf_reader *r, const char *path, const char *base, const char **name)
{
	*name = conf_relative_path(r->conf->arena, base, path);
	FILE *in = fopen(*name, "re");

	if (!in && errno == ENOENT && *name != path) {
		*name = path;
		in = fopen(path, "re");
	}
	return in;
}

static int read_file(
	struct conf_reader *r, const char *path, const char *base, struct place from, unsigned depth)
{
	const char *name;
	char reason[100];
	struct stat st;

	if (depth > MAX_DEPTH)
		return fault_set(
			r->fault, from, "conf-nest", "files include each other more than %d deep", MAX_DEPTH);
	if (++r->files > MAX_FILES)
		return fault_set(r->fault, from, "conf-nest", "more than %d included files", MAX_FILES);
	FILE *in = open_near_config(r, path, base, &name);
	if (!in) {
		snprintf(reason, sizeof(reason), "cannot be opened: %s", strerror(errno));
		return fail_config_file(r, path, from, reason);
	}
	if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(in);
		return fail_config_file(r, path, from, "is a directory (expected a configuration file)");
	}
	note_config_file(r->conf, name);
	int result = read_stream(r, in, name, depth);
	fclose(in);
	return result;
}

int gpuconf_file(struct gpuconf *c, const char *path, struct fault *f)
{
	struct conf_reader r = {.conf = c, .fault = f};
	return read_file(&r, path, NULL, NOWHERE, 1);
}

int gpuconf_stream(struct gpuconf *c, FILE *in, const char *name, struct fault *f)
{
	struct conf_reader r = {.conf = c, .fault = f};
	return read_stream(&r, in, name, 1);
}
