/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text window of the trace reader: line numbers, text hash, words and numbers.
 *
 * Always true: text between base and p is consumed but still in the input's window. It is hashed when it is released,
 * so the hash covers the kernel's bytes once and in order, with line ends unchanged.
 */
#include <string.h>
#include "num.h"
#include "reader.h"

#if defined(__x86_64__) && defined(__ELF__)
#define CHOICE 1
extern XXH_errorcode XXH3_128bits_update_dispatch(XXH3_state_t *s, const void *bytes, size_t n)
	__attribute__((weak));
#else
#define CHOICE 0
#endif

/*
 * Adds n bytes to the hash, which is the same on every processor. The library chooses a variant of its code at run
 * time if it can; otherwise its build has chosen one.
 */
static void hash_text_bytes(XXH3_state_t *s, const char *bytes, size_t n)
{
#if CHOICE
	if (XXH3_128bits_update_dispatch) {
		XXH3_128bits_update_dispatch(s, bytes, n);
		return;
	}
#endif
	XXH3_128bits_update(s, bytes, n);
}

void text_release(struct trace *t)
{
	size_t n = (size_t)(t->position - t->base);
	if (!n)
		return;
	if (t->hash)
		hash_text_bytes(t->hash, t->base, n);
	input_consume(t->in, n, t->line - t->base_line);
	t->base = t->position;
	t->base_line = t->line;
}

int text_fill(struct trace *t, size_t n, struct fault *f)
{
	if ((size_t)(t->end - t->position) >= n || t->is_last)
		return 0;
	text_release(t);
	const char *bytes;
	long got = input_window(t->in, n, &bytes, f);
	if (got < 0)
		return -1;
	t->base = t->position = bytes;
	t->end = bytes + got;
	t->is_last = (size_t)got < n;
	return 0;
}

int text_line(struct trace *t, const char **line, size_t *len, struct fault *f)
{
	size_t known = 0;
	for (;;) {
		size_t have = (size_t)(t->end - t->position);
		const char *nl = have > known ? memchr(t->position + known, '\n', have - known) : NULL;
		if (nl || (t->is_last && have)) {
			*line = t->position;
			*len = nl ? (size_t)(nl - t->position) : have;
			t->no_newline = !nl;
			return 1;
		}
		if (t->is_last)
			return 0;
		if (have > INPUT_LINE_MAX)
			return fault_set(f, (struct place){t->name, t->line, 0}, "line-too-long",
				"line is longer than %u bytes", INPUT_LINE_MAX);
		known = have;
		if (text_fill(t, have + 1, f) < 0)
			return -1;
	}
}

void text_next(struct trace *t, const char *line_end)
{
	t->position = line_end < t->end ? line_end + 1 : line_end;
	t->line++;
}

struct place text_place(const struct trace *t, const char *line, const char *at)
{
	return (struct place){t->name, t->line, place_column(line, at)};
}

/* ---- words -------------------------------------------------------------------------------- */

struct tok tok_next(const char **s, const char *end)
{
	struct tok w;
	w.s = line_word(s, end, &w.n);
	return w;
}

bool tok_is(struct tok w, const char *word) { return w.n == strlen(word) && !memcmp(w.s, word, w.n); }

bool tok_parse_u64(struct tok w, uint64_t *v) { return num_whole(w.s, w.n, UINT64_MAX, v); }

bool tok_parse_i64(struct tok w, int64_t *v)
{
	bool negative = w.n && w.s[0] == '-';
	uint64_t u;
	w.s += negative, w.n -= negative;
	if (!tok_parse_u64(w, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

bool tok_parse_hex(struct tok w, uint64_t *v)
{
	if (w.n > 2 && w.s[0] == '0' && (w.s[1] | 32) == 'x')
		w.s += 2, w.n -= 2;
	const char *p = w.s;
	return num_digits(&p, w.s + w.n, 16, UINT64_MAX, v) == NUM_GOOD && p == w.s + w.n;
}
