/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction lines that repeat an earlier line of the kernel: everything except mask and addresses is compared
 * instead of parsed.
 *
 * Always true: a line is read here only if each of its bytes was compared or converted, so its record equals the one
 * that line.c would make. In any doubt (another spelling, a fault, too little text in the window) line.c reads the
 * line. The table is bounded by the distinct lines of the kernel, at most VARIANTS for each PC.
 */
#include <stdlib.h>
#include <string.h>
#include "digits.h"
#include "reader.h"

#define VARIANTS       8    /* largest number of lines in a slot of the PC table */
#define TEXT_MAX       512u /* largest number of characters of mid and tail together */
#define TABLE_TEXT_MAX (16u << 20)
#define PAD            32 /* number of readable bytes after each stored text */
/*
 * Largest number of bytes from a line's start that these functions may read: columns, text, mask, 32 addresses,
 * padding.
 */
#define LINE_SPACE (LINE_PREFIX_MAX * 12u + TEXT_MAX + 32u + 34u * 24u + PAD)

/* ---- comparing ------------------------------------------------------------------------------ */

#define ONES8 -1, -1, -1, -1, -1, -1, -1, -1
/* Masks: the 32 bytes starting at byte 32 - n are n bytes of ones and then zeros. */
static const signed char ones[64] = {ONES8, ONES8, ONES8, ONES8};

/* Compares n bytes in whole words. The PAD bytes after them must be readable in both texts and are masked out. */
static inline bool text_equal(const char *a, const char *b, size_t n)
{
	uint64_t off = 0;
	for (; __builtin_expect(n > 32, 0); n -= 32, a += 32, b += 32) {
		for (int i = 0; i < 32; i += 8)
			off |= load64(a + i) ^ load64(b + i);
		if (off)
			return false;
	}
	const char *bits = (const char *)ones + 32 - n;
	off = (load64(a) ^ load64(b)) & load64(bits);
	off |= (load64(a + 8) ^ load64(b + 8)) & load64(bits + 8);
	off |= (load64(a + 16) ^ load64(b + 16)) & load64(bits + 16);
	off |= (load64(a + 24) ^ load64(b + 24)) & load64(bits + 24);
	return !off;
}

/* Does the same as text_equal(), faster for at most 8 bytes. */
static inline bool tail_equal(const char *a, const char *b, size_t n)
{
	return n <= 8 ? !((load64(a) ^ load64(b)) & load64((const char *)ones + 32 - n))
		      : text_equal(a, b, n);
}

/* ---- the table ---------------------------------------------------------------------------- */

static uint32_t slot_of_pc(const struct seen_table *s, uint32_t pc) { return (pc >> 3) & (s->n_slots - 1); }

static void grow_seen_slots(struct seen_table *s)
{
	uint32_t n = s->n_slots ? s->n_slots * 4 : 256, *table = xcalloc(n, sizeof(table[0]));

	free(s->slot);
	s->slot = table;
	s->n_slots = n;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t *slot = &s->slot[slot_of_pc(s, s->entry[i].pc)];
		s->entry[i].next = *slot;
		*slot = i + 1;
	}
}

static uint32_t keep_text(struct seen_table *s, const char *from, size_t n)
{
	uint32_t at = s->n_text;
	grow(&s->text, &s->cap_text, at + (uint32_t)n + PAD, 1);
	memcpy(s->text + at, from, n);
	memset(s->text + at + n, 0, PAD);
	s->n_text += (uint32_t)n + PAD;
	return at;
}

/* Records that entry n - 1 follows the last used entry, so that it is tried first after that entry. */
static inline void note_entry_order(struct seen_table *s, uint32_t n)
{
	if (s->last)
		s->entry[s->last - 1].follow = n;
	s->last = n;
}

static inline bool replace_mask_text(struct seen *e, uint64_t text)
{
	uint64_t v;
	if (!hex_word(text, 8, &v))
		return false;
	e->mask_text = text;
	e->mask = (uint32_t)v;
	return true;
}

/* Keeps the text of the PC if it is short and a mask of eight digits follows. */
static void keep_head(struct seen *e, const struct seen_line *l)
{
	size_t n = (size_t)(l->mid - l->head);
	if (n <= 8 || n > 16 || e->unknown || e->needs_addr || e->open_end || e->issue)
		return;
	e->head_len = (uint8_t)(n - 8);
	memcpy(&e->head, l->head, e->head_len);
	memset(&e->head_bits, 0xff, e->head_len);
	e->head = le64toh(e->head);
	e->head_bits = le64toh(e->head_bits);
	e->quick = replace_mask_text(e, load64(l->mid - 8));
}

void seen_add(struct trace *t, const struct seen_line *l)
{
	struct seen_table *s = &t->seen;
	bool newline = !l->open_end; /* true if the newline is part of the text */
	size_t mid = (size_t)(l->mid_end - l->mid) + (newline && !l->tail);
	size_t tail = l->tail ? (size_t)(l->tail_end - l->tail) + newline : 0;
	if (mid + tail > TEXT_MAX || s->n_text > TABLE_TEXT_MAX)
		return;
	if (s->n >= s->n_slots)
		grow_seen_slots(s);
	uint32_t *slot = &s->slot[slot_of_pc(s, l->pc)];
	unsigned variants = 0;
	for (uint32_t i = *slot; i; i = s->entry[i - 1].next)
		variants++;
	if (variants >= VARIANTS)
		return;
	grow(&s->entry, &s->cap, s->n + 1, sizeof(s->entry[0]));
	struct seen *e = &s->entry[s->n++];
	*e = (struct seen){.pc = l->pc,
		.next = *slot,
		.handle = l->handle,
		.lineno = l->lineno,
		.mid_len = (uint16_t)mid,
		.tail_len = (uint16_t)tail,
		.has_addr = l->has_addr,
		.open_end = l->open_end,
		.needs_addr = l->needs_addr,
		.ends_with_word = l->word,
		.issue = l->issue,
		.unknown = code_at(t->options.code, l->handle)->row == 0xffff};
	e->mid = keep_text(s, l->mid, mid);
	e->tail = l->tail ? keep_text(s, l->tail, tail) : 0;
	keep_head(e, l);
	*slot = s->n;
	note_entry_order(s, s->n);
}

void seen_free(struct seen_table *s)
{
	free(s->entry);
	free(s->text);
	free(s->slot);
	*s = (struct seen_table){0};
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Converts the n (1 to 8) lowest characters of the word as decimal digits, all at once. */
static inline bool decimal_word(uint64_t x, unsigned n, uint64_t *v)
{
	unsigned unused = 64 - 8 * n;
	x = x << unused | ('0' * EACH & ((UINT64_C(1) << unused) - 1));
	bool good = ((x & 0xf0 * EACH) | ((x + 6 * EACH) & 0xf0 * EACH) >> 4) == 0x33 * EACH;
	x = (x & 0x0f * EACH) * 2561 >> 8; /* joins pairs of digits, then groups of four, then all */
	x = (x & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
	*v = (x & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
	return good;
}

/* Parses a blank and a decimal number of at most 18 digits. Returns false if they are absent. */
static inline bool read_decimal(const char **p, int64_t *v)
{
	const char *s = *p + 1;
	uint64_t x = load64(s), a = 0;
	/* The sign is a number, so that the position of the next character depends on n alone. */
	unsigned n = word_length(x), negative = (x & 0xff) == '-';
	if (**p != ' ')
		return false;
	if (n > negative && n < 8 && decimal_word(x >> 8 * negative, n - negative, &a)) {
		s += n;
	} else {
		const char *from = s += negative;
		a = 0;
		for (unsigned d; (d = (unsigned)(unsigned char)*s - '0') < 10 && s < from + 18; s++)
			a = a * 10 + d;
		if (s == from)
			return false;
	}
	*v = negative ? -(int64_t)a : (int64_t)a;
	*p = s;
	return true;
}

/* Skips the columns before the PC. A blank follows each column. */
static bool read_prefix(const struct trace *t, const char **p, uint32_t *lineno)
{
	for (int i = 0; i < t->dialect.prefix_columns; i++) {
		const char *s = *p;
		uint64_t v = 0;
		for (unsigned d; (d = (unsigned)(unsigned char)*s - '0') < 10 && s < *p + 10; s++)
			v = v * 10 + d;
		if (s == *p || *s != ' ' || v > UINT32_MAX)
			return false;
		if (t->dialect.block_ids && i < 4 && v != (i < 3 ? t->id[i] : t->warp))
			return false;
		*p = s + 1;
		if (t->dialect.has_lineno && i == t->dialect.prefix_columns - 1)
			*lineno = (uint32_t)v;
	}
	return true;
}

/* Parses " 1 base stride", an address list in mode 1. */
static inline bool read_stride(struct tblock *tb, const char **p, uint32_t mask, uint32_t *addr)
{
	uint64_t base;
	int64_t stride;
	*p += 2;
	if (!read_address(p, &base) || !read_decimal(p, &stride) || stride != (int32_t)stride)
		return false;
	*addr = mask ? addr_stride(tb, base, stride) : 0;
	return true;
}

/* Parses " mode addresses" into the words of tb, and sets *addr. */
static bool read_fast_addresses(struct tblock *tb, const char **p, uint32_t mask, uint32_t *addr)
{
	uint64_t a[32];
	int64_t delta[32];
	unsigned n = bit_count32(mask);
	const char mode = (*p)[1];
	if ((*p)[0] != ' ' || (*p)[2] != ' ')
		return false;
	if (mode == '1')
		return read_stride(tb, p, mask, addr);
	*p += 2;
	if (mode == '2') {
		if (!read_address(p, &a[0]))
			return false;
		for (unsigned i = 1; i < n; i++)
			if (!read_decimal(p, &delta[i - 1]))
				return false;
		*addr = n ? addr_delta(tb, a[0], delta, n - 1) : 0;
		return true;
	}
	if (mode != '0')
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!read_address(p, &a[i]))
			return false;
	*addr = n ? addr_list(tb, a, n) : 0;
	return true;
}

/* Parses " i:" and a mask into word number `at`. */
static inline bool read_issue_mask(
	struct tblock *tb, const char **p, uint32_t mask, uint32_t lanes, uint32_t at, uint32_t *addr)
{
	uint64_t issue;
	if (memcmp(*p, " i:", 3) || !hex_word(load64(*p + 3), 8, &issue) || mask & ~issue || issue & ~lanes ||
		!issue)
		return false;
	*p += 11;
	tb->word[at] = issue;
	*addr = *addr ? *addr : (at + 1) << 2 | ADDR_NONE;
	return true;
}

/*
 * Reads the rest of a line as entry e and moves *rest past the line. *rest is after the mask. Returns false if the
 * line does not match the entry.
 */
static inline bool read_line_as_entry(const struct trace *t, struct tblock *tb, const struct seen *e,
	const char **rest, uint32_t mask, uint32_t lanes, uint32_t *addr)
{
	const char *text = t->seen.text, *p = *rest;
	const uint32_t at = tb->n_words;
	if (!text_equal(p, text + e->mid, e->mid_len) || (e->needs_addr && mask))
		return false;
	p += e->mid_len;
	*addr = 0;
	tb->n_words += e->issue;
	if (e->has_addr && !read_fast_addresses(tb, &p, mask, addr))
		return false;
	if (e->issue && !read_issue_mask(tb, &p, mask, lanes, at, addr))
		return false;
	if (e->has_addr || e->issue) {
		if (!tail_equal(p, text + e->tail, e->tail_len))
			return false;
		p += e->tail_len;
	}
	if (e->open_end) {
		if (!is_space(*p) && *p != '\n')
			return false;
		p = memchr(p, '\n', (size_t)(t->end - p));
		if (!p)
			return false;
		p++;
	}
	*rest = p;
	return true;
}

static inline bool read_addresses_and_tail(
	struct tblock *tb, const char **p, const struct seen *e, const char *text, uint32_t *addr)
{
	uint32_t words = tb->n_words;
	addr_reserve(tb);
	bool good = !memcmp(*p, " 1 ", 3) ? read_stride(tb, p, e->mask, addr)
					  : read_fast_addresses(tb, p, e->mask, addr);
	if (good && tail_equal(*p, text + e->tail, e->tail_len)) {
		*p += e->tail_len;
		return true;
	}
	tb->n_words = words;
	return false;
}

/*
 * Reads lines that occur in the same order as before. Uses only entries whose record follows from the text, the mask
 * and the addresses (quick), and stops before the first line that does not match.
 */
static void read_expected_lines(struct trace *t, struct tblock *tb, uint32_t lanes, uint32_t most)
{
	struct seen *all = t->seen.entry;
	const char *text = t->seen.text, *p = t->position, *stop = t->end - LINE_SPACE;
	const struct trace_watch *watch = t->options.watch;
	uint32_t last = t->seen.last, n, i = 0;
	struct rec *r = tb->rec + tb->n_recs;
	if (most > tb->cap_recs - tb->n_recs)
		most = tb->cap_recs - tb->n_recs;
	for (; i < most && p <= stop && (n = all[last - 1].follow); i++) {
		struct seen *e = &all[n - 1];
		const char *s = p + e->head_len;
		uint64_t mask = load64(s);
		uint32_t addr = 0;
		if (!e->quick || (load64(p) ^ e->head) & e->head_bits ||
			(mask != e->mask_text && !replace_mask_text(e, mask)) || e->mask & ~lanes ||
			!text_equal(s += 8, text + e->mid, e->mid_len))
			break;
		s += e->mid_len;
		if (e->has_addr && !read_addresses_and_tail(tb, &s, e, text, &addr))
			break;
		*r++ = (struct rec){e->handle, e->mask, addr};
		last = n;
		if (t->echoes.keeping)
			echo_keep(t, tb, p, s, n);
		if (watch) {
			t->tail = e->ends_with_word;
			tb->n_recs++;
			trace_report_record(t, tb, p, (size_t)(s - p) - 1, t->line + i);
		}
		p = s;
	}
	t->line += i;
	t->n_insts_read += i;
	tb->n_recs = (uint32_t)(r - tb->rec);
	t->seen.last = last;
	t->position = p;
}

/* Reads the line at *p with an entry of its PC. Returns the number of the entry, from 1; 0 if no entry matches. */
static inline uint32_t read_line_of_known_pc(const struct trace *t, struct tblock *tb, const char **p,
	uint32_t lineno, uint32_t lanes, struct rec *r)
{
	const struct seen_table *s = &t->seen;
	const char *at = *p;
	uint32_t words = tb->n_words;
	uint64_t pc, mask;
	if (!read_hex(&at, &pc) || pc > UINT32_MAX || *at++ != ' ' || !hex_word(load64(at), 8, &mask) ||
		mask & ~lanes)
		return 0;
	at += 8;
	for (uint32_t i = s->slot[slot_of_pc(s, (uint32_t)pc)]; i; i = s->entry[i - 1].next) {
		const struct seen *e = &s->entry[i - 1];
		if (e->pc != pc || e->lineno != lineno)
			continue;
		*r = (struct rec){e->handle, (uint32_t)mask, 0};
		if (read_line_as_entry(t, tb, e, &at, r->mask, lanes, &r->addr)) {
			*p = at;
			return i;
		}
		tb->n_words = words;
	}
	return 0;
}

static bool read_fast_line(struct trace *t, struct tblock *tb, uint32_t lanes)
{
	struct seen_table *s = &t->seen;
	const char *p = t->position;
	uint32_t lineno = 0, n;
	if (t->dialect.prefix_columns && !read_prefix(t, &p, &lineno))
		return false;
	n = read_line_of_known_pc(t, tb, &p, lineno, lanes, &tb->rec[tb->n_recs]);
	if (!n)
		return false;
	note_entry_order(s, n);
	tb->n_recs++;
	t->unknown_recs += s->entry[n - 1].unknown;
	t->tail = s->entry[n - 1].ends_with_word;
	t->position = p;
	t->line++;
	t->n_insts_read++;
	return true;
}

/*
 * Buffers enough text for a line, or the rest of the input. Returns 1 if a line fits in the text, 0 if too little is
 * left, -1 on failure.
 */
static int buffer_line(struct trace *t, struct fault *f)
{
	if ((size_t)(t->end - t->position) < LINE_SPACE && text_fill(t, LINE_SPACE, f) < 0)
		return -1;
	return (size_t)(t->end - t->position) >= LINE_SPACE;
}

/* Reads at least one line that repeats an earlier line. Returns false if the next line is new. */
static bool read_known_lines(struct trace *t, struct tblock *tb, uint32_t lanes)
{
	const char *from = t->position;
	const bool keeping = t->echoes.keeping;
	uint32_t most = t->want_insts - t->n_insts_read;
	addr_reserve(tb);
	rec_reserve(tb);
	if (t->echoes.now && !keeping) {
		echo_note_difference(t);
		most = 1;
	}
	if (!t->dialect.prefix_columns)
		read_expected_lines(t, tb, lanes, most);
	if (t->position != from)
		return true;
	if (!read_fast_line(t, tb, lanes))
		return false;
	if (t->echoes.keeping)
		echo_keep(t, tb, from, t->position, t->seen.last);
	if (t->options.watch)
		trace_report_record(t, tb, from, (size_t)(t->position - from) - 1, t->line - 1);
	return true;
}

int fast_read_lines(struct trace *t, struct tblock *tb, uint32_t lanes, struct fault *f)
{
	int r = 1;
	if (t->dialect.prefix_columns < 0 || !t->seen.n || t->only_slow)
		return 0;
	while (t->n_insts_read < t->want_insts) {
		if ((r = buffer_line(t, f)) <= 0)
			break;
		if (t->echoes.now && !t->echoes.keeping)
			echo_read_lines(t, tb);
		if (t->n_insts_read == t->want_insts || (size_t)(t->end - t->position) < LINE_SPACE)
			continue;
		if (!read_known_lines(t, tb, lanes))
			break;
	}
	if (t->n_insts_read == t->want_insts)
		echo_end(t, tb);
	return r < 0 ? -1 : 0;
}
