/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of a warp's lines with the lines of the same warp in an earlier thread block. Long pieces of text are
 * compared at once; the bases of addresses may differ.
 *
 * Always true: a line is read here only if all its bytes equal the bytes of a line that fast.c read for a warp with
 * the same lanes, except for the digits of a base, which are converted. So the record equals the one that fast.c
 * would make. fast.c reads all other lines one by one. TEXT_MAX bounds the kept texts, TRIES the consecutive attempts
 * to keep the text of a warp, WARPS the number of warps. With a watcher, no lines are compared.
 */
#include <stdlib.h>
#include <string.h>
#include "digits.h"
#include "reader.h"

#define TEXT_MAX (1u << 20)
#define TRIES    4
/* Largest number of warps of a thread block that are compared. No GPU allows more. */
#define WARPS 64u
/* Number of characters that are compared at once; this many are readable after each kept text. */
#define STEP 64u
/* Number of characters that memcmp() compares at once, since it is optimised for each processor. */
#define BLOCK 512u

struct echo_line {
	struct rec rec; /* record of the line; addr is an index into echo.word[] */
	uint32_t end;   /* offset of the end of the line in text[], after the newline */
	uint32_t words; /* index of the end of the line's words in word[] */
	uint32_t entry; /* number of the line's struct seen, from 1 */
	/* Offset in the line of the blank before the base address; 0: the line has no base that may differ. */
	uint16_t base;
	uint16_t rest; /* offset in the line of the text after the base address */
};

/* The text of a warp and its records. */
struct echo {
	char *text;
	struct echo_line *line;
	uint64_t *word; /* address data of the records */
	uint32_t n_text, cap_text, n_lines, cap_lines, n_words, cap_words;
	uint32_t insts; /* number of instructions of the last warp with this number */
	uint8_t tries;  /* failed attempts to keep the text in a row */
};

static void forget_echo(struct echoes *s, struct echo *e)
{
	s->n_text -= e->n_text;
	e->n_text = e->n_lines = e->n_words = 0;
}

static void drop_current_echo(struct echoes *s)
{
	forget_echo(s, s->now);
	s->now = NULL;
	s->keeping = false;
}

/*
 * Only warps of equal length are compared. So a warp is kept only if the last warp with its number had the same
 * length.
 */
void echo_begin(struct trace *t, const struct tblock *tb)
{
	struct echoes *s = &t->echoes;

	s->now = NULL;
	s->keeping = false;
	if (t->dialect.prefix_columns || t->only_slow || t->options.watch || t->stray || !t->want_insts ||
		t->warp >= WARPS)
		return;
	if (!s->warp)
		s->warp = xcalloc(WARPS, sizeof(s->warp[0]));
	s->n_warps = WARPS;
	struct echo *e = &s->warp[t->warp];
	bool again = e->insts == t->want_insts;
	e->insts = t->want_insts;
	if (e->n_lines != t->want_insts) {
		if (!again || e->tries == TRIES || s->n_text > TEXT_MAX)
			return;
		forget_echo(s, e);
	}
	s->now = e;
	s->n_different_lines = 0;
	s->first_word = tb->n_words;
	s->keeping = !e->n_lines;
	e->tries += s->keeping;
}

void echo_free(struct echoes *s)
{
	for (uint32_t i = 0; i < s->n_warps; i++) {
		free(s->warp[i].text);
		free(s->warp[i].line);
		free(s->warp[i].word);
	}
	free(s->warp);
	*s = (struct echoes){0};
}

/* ---- keeping ------------------------------------------------------------------------------ */

void echo_keep(struct trace *t, const struct tblock *tb, const char *line, const char *end, uint32_t entry)
{
	struct echoes *s = &t->echoes;
	struct echo *e = s->now;
	const struct seen *seen = &t->seen.entry[entry - 1];
	uint32_t n = (uint32_t)(end - line);
	bool patched = seen->quick && seen->has_addr;

	if (seen->unknown || s->n_text > TEXT_MAX) {
		drop_current_echo(s);
		return;
	}
	grow(&e->text, &e->cap_text, e->n_text + n + STEP, 1);
	grow(&e->line, &e->cap_lines, e->n_lines + 1, sizeof(e->line[0]));
	memcpy(e->text + e->n_text, line, n);
	e->n_text += n;
	s->n_text += n;
	e->line[e->n_lines++] = (struct echo_line){.end = e->n_text,
		.words = tb->n_words - s->first_word,
		.entry = entry,
		.base = patched ? (uint16_t)(seen->head_len + 8 + seen->mid_len + 2) : 0};
}

/* Finds the end of the line's base address. Sets l->base to 0 if the line has no base that may differ. */
static void find_varying_base(const char *line, struct echo_line *l)
{
	const char *p = line + l->base;
	enum addr_kind kind = l->rec.addr & 3;
	uint64_t v;

	if (l->base && (kind == ADDR_STRIDE || kind == ADDR_DELTA) && read_address(&p, &v))
		l->rest = (uint16_t)(p - line);
	else
		l->base = 0;
}

/* Keeps the records of the warp that was read, which are the last records of tb. */
static void keep_records(struct echoes *s, const struct tblock *tb)
{
	struct echo *e = s->now;
	uint32_t begin = 0;

	e->n_words = tb->n_words - s->first_word;
	grow(&e->word, &e->cap_words, e->n_words + 1, sizeof(e->word[0]));
	memcpy(e->word, tb->word + s->first_word, e->n_words * sizeof(e->word[0]));
	memset(e->text + e->n_text, 0, STEP);
	for (uint32_t i = e->n_lines; i-- > 0;) {
		e->line[i].rec = tb->rec[tb->n_recs - e->n_lines + i];
		if (e->line[i].rec.addr)
			e->line[i].rec.addr -= s->first_word << 2;
	}
	for (uint32_t i = 0; i < e->n_lines; begin = e->line[i++].end)
		find_varying_base(e->text + begin, &e->line[i]);
}

void echo_end(struct trace *t, const struct tblock *tb)
{
	struct echoes *s = &t->echoes;

	if (s->keeping && s->now->n_lines == t->want_insts)
		keep_records(s, tb);
	else if (s->keeping)
		drop_current_echo(s);
	else if (s->now)
		s->now->tries = 0;
	s->now = NULL;
	s->keeping = false;
}

void echo_note_difference(struct trace *t)
{
	struct echoes *s = &t->echoes;

	if (++s->n_different_lines > 8 + t->n_insts_read / 4)
		drop_current_echo(s);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Returns the number of equal characters, at most n. STEP characters after these must be readable in both texts. */
static size_t length_of_equal_text(const char *a, const char *b, size_t n)
{
	size_t at = 0;

	while (n - at >= BLOCK && !memcmp(a + at, b + at, BLOCK))
		at += BLOCK;
	for (; at < n; at += STEP) {
		uint64_t off = 0;

		for (unsigned i = 0; i < STEP; i += 8)
			off |= load64(a + at + i) ^ load64(b + at + i);
		if (off)
			break;
	}
	for (uint64_t off; at < n; at += 8) {
		if ((off = load64(a + at) ^ load64(b + at))) {
			at += bit_lowest64(off) / 8;
			break;
		}
	}
	return at < n ? at : n;
}

/* Comparison of the input at p with the kept text at q. */
struct along {
	const char *p;
	const char *q;
	const char *differ; /* first byte of the kept text that differs */
};

static struct along compare_from(const struct trace *t, const struct echo *e, const char *p, const char *q)
{
	size_t there = (size_t)(t->end - p), kept = (size_t)(e->text + e->n_text - q);

	there = there > STEP ? there - STEP : 0;
	return (struct along){p, q, q + length_of_equal_text(p, q, there < kept ? there : kept)};
}

static inline uint32_t kept_line_begin(const struct echo *e, uint32_t i)
{
	return i ? e->line[i - 1].end : 0;
}

/* Appends the kept lines from i to end - 1 to tb. */
static void append_kept_lines(struct tblock *tb, const struct echo *e, uint32_t i, uint32_t end)
{
	uint32_t words = i ? e->line[i - 1].words : 0, n_words = e->line[end - 1].words - words;
	uint32_t shift = (tb->n_words - words) << 2;
	struct rec *r = tb->rec + tb->n_recs;

	memcpy(tb->word + tb->n_words, e->word + words, n_words * sizeof(tb->word[0]));
	tb->n_words += n_words;
	tb->n_recs += end - i;
	for (; i < end; i++, r++) {
		*r = e->line[i].rec;
		r->addr += r->addr ? shift : 0;
	}
}

/* Reads line i if only the base of its addresses differs, and continues the comparison after the base. */
static bool read_line_with_new_base(
	const struct trace *t, struct tblock *tb, const struct echo *e, uint32_t i, struct along *s)
{
	const struct echo_line *l = &e->line[i];
	const char *begin = e->text + kept_line_begin(e, i), *p = s->p + (begin + l->base - s->q);
	uint64_t base;

	if (!l->base || s->differ < begin + l->base || s->differ > begin + l->rest ||
		!read_address(&p, &base))
		return false;
	struct along on = compare_from(t, e, p, begin + l->rest);
	if (on.differ < e->text + l->end)
		return false;
	append_kept_lines(tb, e, i, i + 1);
	tb->word[tb->rec[tb->n_recs - 1].addr >> 2] = base;
	*s = on;
	return true;
}

void echo_read_lines(struct trace *t, struct tblock *tb)
{
	const struct echo *e = t->echoes.now;
	uint32_t i = t->n_insts_read, first = i, n = e->n_lines < t->want_insts ? e->n_lines : t->want_insts;

	if (i >= n)
		return;
	grow(&tb->rec, &tb->cap_recs, tb->n_recs + n - i, sizeof(tb->rec[0]));
	grow(&tb->word, &tb->cap_words, tb->n_words + e->n_words + ADDR_WORDS, sizeof(tb->word[0]));
	struct along s = compare_from(t, e, t->position, e->text + kept_line_begin(e, i));
	do {
		uint32_t from = i;
		while (i < n && e->text + e->line[i].end <= s.differ)
			i++;
		if (i > from)
			append_kept_lines(tb, e, from, i);
	} while (i < n && read_line_with_new_base(t, tb, e, i, &s) && ++i < n);
	if (i == first)
		return;
	t->position = s.p + (e->text + kept_line_begin(e, i) - s.q);
	t->seen.last = e->line[i - 1].entry;
	t->line += i - first;
	t->n_insts_read = i;
}
