/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a launch file's line: splitting, numbers, "name=value" and the faults of a word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launch/read.h"

struct place launch_word_place(const struct reader *r, uint32_t w)
{
	const struct launch_word *last = w < r->n ? &r->word[w] : r->n ? &r->word[r->n - 1] : NULL;
	uint32_t past = last && w >= r->n ? (uint32_t)strlen(last->text) : 0;

	return (struct place){r->file, r->line, last ? last->col + past : 0};
}

int launch_unexpected(const struct reader *r, uint32_t w, const char *what)
{
	char found[100] = "the end of the line";

	if (w < r->n) {
		char quoted[90];

		diag_quote(quoted, sizeof(quoted), r->word[w].text, strlen(r->word[w].text));
		snprintf(found, sizeof(found), "'%s'", quoted);
	}
	return fault_set(
		r->fault, launch_word_place(r, w), "launch-file", "unexpected %s (expected %s)", found, what);
}

int launch_split_line(struct reader *r, const char *text, size_t len)
{
	const char *nul = memchr(text, 0, len);
	size_t blanks = 0;

	r->n = 0;
	if (r->line == 1 && len >= 4 && !memcmp(text, "\177ELF", 4))
		return fault_set(r->fault, (struct place){.file = r->file}, "launch-file",
			"program or object file (expected a launch file; --run executes a program)");
	if (nul)
		return fault_set(r->fault, (struct place){r->file, r->line, place_column(text, nul)},
			"launch-file", "NUL byte (expected text)");
	while (blanks < len && strchr(" \t\r", text[blanks]))
		blanks++;
	if (blanks == len || text[blanks] == '#')
		return 0;
	r->n_lines++;
	r->n_text += len;
	if (r->n_lines > LAUNCH_LINES_MAX || r->n_text > LAUNCH_TEXT_MAX)
		return fault_set(r->fault, (struct place){r->file, r->line, (uint32_t)blanks + 1},
			"launch-file",
			"launch file too large (expected at most %u commands and %u MiB of text)",
			LAUNCH_LINES_MAX, LAUNCH_TEXT_MAX >> 20);
	char *s = arena_strndup(&r->script->arena, text, len);
	for (char *p = s; *p;) {
		p += strspn(p, " \t\r");
		if (!*p || *p == '#')
			break;
		grow(&r->word, &r->cap, r->n + 1, sizeof(*r->word));
		r->word[r->n++] = (struct launch_word){p, place_column(s, p)};
		p += strcspn(p, " \t\r");
		if (*p)
			*p++ = '\0';
	}
	return 0;
}

bool launch_parse_number(const char *s, uint64_t most, uint64_t *v)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	*v = strtoull(s, &end, 0);
	return !*end && *v <= most;
}

int launch_read_option(const struct reader *r, uint32_t w, const char *name, uint64_t most, uint64_t *v)
{
	size_t n = strlen(name);

	if (strncmp(r->word[w].text, name, n) || r->word[w].text[n] != '=')
		return 0;
	if (launch_parse_number(r->word[w].text + n + 1, most, v))
		return 1;
	char text[100];
	snprintf(text, sizeof(text), "%s=NUMBER up to %llu", name, (unsigned long long)most);
	return launch_unexpected(r, w, text);
}

int launch_read_byte_count(const struct reader *r, uint32_t w, uint64_t *v)
{
	int got = launch_read_option(r, w, "bytes", LAUNCH_HEAP_MAX, v);

	return got < 0 || (got && *v) ? got
				      : launch_unexpected(r, w, got ? "bytes=NUMBER above 0" : "bytes=N");
}

int launch_check_repeated(const struct reader *r, uint32_t first, uint32_t w)
{
	size_t n = strcspn(r->word[w].text, "=");

	for (uint32_t i = first; i < w; i++)
		if (strcspn(r->word[i].text, "=") == n && !memcmp(r->word[i].text, r->word[w].text, n))
			return launch_unexpected(r, w, "it once");
	return 0;
}
