/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction lines that this kernel has shown before: all but mask and addresses is compared, not parsed.
 *
 * Always true: a line is taken here only when every byte of it is accounted for, and then gives the record
 * that trace_line.c would give; any doubt (another spelling, a fault, too little text in the window)
 * leaves the line to it. The table is bounded by the distinct lines of the kernel, VARIANTS for a PC.
 */
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "trace_in.h"

#define VARIANTS 8		/* remembered lines in a slot of the PC table */
#define TEXT_MAX 512u		/* of mid and tail together */
#define TABLE_TEXT_MAX (16u << 20)
#define PAD 8			/* readable bytes behind each stored text */
/* The most that a line read here can reach from its start: columns, text, mask, 32 addresses, spare. */
#define ROOM (MAX_PREFIX * 12u + TEXT_MAX + 32u + 34u * 24u + PAD)

/* Values of hexadecimal digits; 0x80 marks other characters. */
static const uint8_t hex_value[256] = {
#define X8 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80
#define X16 X8, X8
	X16, X16, X16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	0x80, 10, 11, 12, 13, 14, 15, 0x80, X8, X16,
	0x80, 10, 11, 12, 13, 14, 15, 0x80, X8, X16,
	X16, X16, X16, X16, X16, X16, X16, X16,
#undef X16
#undef X8
};

/* ---- the table ---------------------------------------------------------------------------- */

static uint32_t pc_slot(const struct seen_table *s, uint32_t pc) { return (pc >> 3) & (s->n_slots - 1); }

static void grow_slots(struct seen_table *s)
{
	free(s->slot);
	s->n_slots = s->n_slots ? s->n_slots * 4 : 256;
	s->slot = xcalloc(s->n_slots, sizeof(s->slot[0]));
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t *slot = &s->slot[pc_slot(s, s->e[i].pc)];
		s->e[i].next = *slot;
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

void seen_add(struct trace *t, const struct seen_line *l)
{
	struct seen_table *s = &t->seen;
	bool newline = !l->open_end;	/* then it is part of the text */
	size_t mid = (size_t)(l->mid_end - l->mid) + (newline && !l->tail);
	size_t tail = l->tail ? (size_t)(l->tail_end - l->tail) + newline : 0;
	if (mid + tail > TEXT_MAX || s->n_text > TABLE_TEXT_MAX)
		return;
	if (s->n >= s->n_slots)
		grow_slots(s);
	uint32_t *slot = &s->slot[pc_slot(s, l->pc)];
	unsigned variants = 0;
	for (uint32_t i = *slot; i; i = s->e[i - 1].next)
		variants++;
	if (variants >= VARIANTS)
		return;
	grow(&s->e, &s->cap, s->n + 1, sizeof(s->e[0]));
	struct seen *e = &s->e[s->n++];
	*e = (struct seen){ .pc = l->pc, .next = *slot, .handle = l->handle, .lineno = l->lineno,
		.mid_len = (uint16_t)mid, .tail_len = (uint16_t)tail, .has_addr = l->tail != NULL,
		.open_end = l->open_end, .needs_addr = l->needs_addr, .word = l->word,
		.unknown = code_at(t->o.code, l->handle)->row == 0xffff };
	e->mid = keep_text(s, l->mid, mid);
	e->tail = l->tail ? keep_text(s, l->tail, tail) : 0;
	*slot = s->n;
}

void seen_free(struct seen_table *s)
{
	free(s->e);
	free(s->text);
	free(s->slot);
	*s = (struct seen_table){ 0 };
}

/* ---- reading ------------------------------------------------------------------------------ */

static inline uint64_t load64(const char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Both sides are readable for PAD bytes behind n. */
static inline bool text_equal(const char *a, const char *b, size_t n)
{
	for (; n > 8; n -= 8, a += 8, b += 8)
		if (load64(a) != load64(b))
			return false;
	return !memcmp(a, b, n);
}

static inline bool read_hex(const char **p, uint64_t *v, unsigned max_digits)
{
	const char *s = *p;
	uint64_t a = 0;
	unsigned n = 0;
	for (uint8_t d; (d = hex_value[(unsigned char)s[n]]) < 16 && n < max_digits; n++)
		a = a << 4 | d;
	*p = s + n;
	*v = a;
	return n > 0;
}

static inline bool read_address(const char **p, uint64_t *v)
{
	const char *s = *p;
	if (s[0] == ' ' && s[1] == '0' && s[2] == 'x')
		s += 3;
	else if (*s++ != ' ')
		return false;
	*p = s;
	return read_hex(p, v, 16);
}

/* A blank and a decimal of at most 18 digits, or none at all. */
static inline bool read_decimal(const char **p, int64_t *v)
{
	const char *s = *p;
	if (*s++ != ' ')
		return false;
	bool negative = *s == '-';
	s += negative;
	const char *from = s;
	uint64_t a = 0;
	for (unsigned d; (d = (unsigned)(unsigned char)*s - '0') < 10 && s < from + 18; s++)
		a = a * 10 + d;
	*v = negative ? -(int64_t)a : (int64_t)a;
	*p = s;
	return s > from;
}

static inline bool read_mask(const char **p, uint32_t *mask)
{
	const unsigned char *s = (const unsigned char *)*p;
	uint32_t v = 0;
	uint8_t bad = 0;
	*p += 8;
	if (load64(*p - 8) == UINT64_C(0x6666666666666666)) {	/* "ffffffff" */
		*mask = UINT32_MAX;
		return true;
	}
	for (int i = 0; i < 8; i++) {
		bad |= hex_value[s[i]];
		v = v << 4 | (hex_value[s[i]] & 15);
	}
	*mask = v;
	return bad < 16;
}

/* The columns before the PC, each with a blank behind it. */
static bool read_prefix(const struct trace *t, const char **p, uint32_t *lineno)
{
	for (int i = 0; i < t->d.prefix; i++) {
		const char *s = *p;
		uint64_t v = 0;
		for (unsigned d; (d = (unsigned)(unsigned char)*s - '0') < 10 && s < *p + 10; s++)
			v = v * 10 + d;
		if (s == *p || *s != ' ' || v > UINT32_MAX)
			return false;
		if (t->d.block_ids && i < 4 && v != (i < 3 ? t->id[i] : t->warp))
			return false;
		*p = s + 1;
		if (t->d.lineno && i == t->d.prefix - 1)
			*lineno = (uint32_t)v;
	}
	return true;
}

/* " mode addresses": words of tb and *addr. */
static bool read_addresses(struct tblock *tb, const char **p, uint32_t mask, uint32_t *addr)
{
	uint64_t a[32];
	int64_t delta[32];
	unsigned n = bit_count32(mask);
	const char mode = (*p)[1];
	if ((*p)[0] != ' ' || (*p)[2] != ' ')
		return false;
	*p += 2;
	if (mode == '1') {
		if (!read_address(p, &a[0]) || !read_decimal(p, &delta[0]) || delta[0] != (int32_t)delta[0])
			return false;
		*addr = n ? addr_stride(tb, a[0], delta[0]) : 0;
		return true;
	}
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

/* The rest of the line from behind the mask as entry e; *rest behind the line. false: it is another. */
static inline bool read_as(const struct trace *t, struct tblock *tb, const struct seen *e, const char **rest,
	uint32_t mask, uint32_t *addr)
{
	const char *text = t->seen.text, *p = *rest;
	if (!text_equal(p, text + e->mid, e->mid_len) || (e->needs_addr && mask))
		return false;
	p += e->mid_len;
	*addr = 0;
	if (e->has_addr) {
		if (!read_addresses(tb, &p, mask, addr) || !text_equal(p, text + e->tail, e->tail_len))
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

static bool fast_line(struct trace *t, struct tblock *tb, uint32_t lanes)
{
	const struct seen_table *s = &t->seen;
	const char *p = t->p;
	uint32_t lineno = 0, mask, addr, words = tb->n_words;
	uint64_t pc;
	if (t->d.prefix && !read_prefix(t, &p, &lineno))
		return false;
	if (!read_hex(&p, &pc, 8) || *p++ != ' ' || !read_mask(&p, &mask) || mask & ~lanes)
		return false;
	for (uint32_t i = s->slot[pc_slot(s, (uint32_t)pc)]; i; i = s->e[i - 1].next) {
		const struct seen *e = &s->e[i - 1];
		if (e->pc != pc || e->lineno != lineno)
			continue;
		if (read_as(t, tb, e, &p, mask, &addr)) {
			tb->rec[tb->n_recs++] = (struct rec){ e->handle, mask, addr };
			t->unknown_recs += e->unknown;
			t->tail = e->word;
			t->p = p;
			t->line++;
			return true;
		}
		tb->n_words = words;
	}
	return false;
}

int fast_lines(struct trace *t, struct tblock *tb, uint32_t lanes, struct fault *f)
{
	if (t->d.prefix < 0 || !t->seen.n || t->only_slow)
		return 0;
	for (; t->got_insts < t->want_insts; t->got_insts++) {
		if ((size_t)(t->end - t->p) < ROOM) {
			if (text_fill(t, ROOM, f) < 0)
				return -1;
			if ((size_t)(t->end - t->p) < ROOM)
				return 0;
		}
		addr_room(tb);
		rec_room(tb);
		const char *from = t->p;
		if (!fast_line(t, tb, lanes))
			return 0;
		if (t->o.watch)
			trace_give(t, tb, from, (size_t)(t->p - from) - 1, t->line - 1);
	}
	return 0;
}
