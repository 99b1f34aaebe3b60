/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of version 6 that few instructions have: columns of bulk copies, and the values of registers.
 *
 * Always true of a record with such columns: the words before its addresses end with their number, which is below
 * 2^30, so the index of its addresses is not 0. inst.extra gives the meaning of the words:
 *
 *   EXTRA_COPY    mbarrier | mask << 32 | multicast flag << 48; width; bytes; bytes out of bounds; then for each run
 *                 its base, its pitch, and its bytes | rows << 32
 *   EXTRA_VALUES  for each register 1 << 32 | value; or 32 << 32, and 16 words of two lanes each, the lower half first
 */
#include <string.h>
#include "bits.h"
#include "line.h"

#define COPY_WORDS 4u /* number of words of a bulk copy before the words of its runs */
#define RUN_WORDS  3u
#define WIDE_WORDS 17u /* number of words of a register with a value for each lane */
#define GROUPS     8u  /* largest number of registers whose values a line has */

static void append_extra_word(struct tblock *tb, uint64_t v)
{
	grow(&tb->word, &tb->cap_words, tb->n_words + 1, sizeof(tb->word[0]));
	tb->word[tb->n_words++] = v;
}

/* Ends the words that were added from `first` on by storing their number. */
static int end_extra_words(struct parse *s, uint32_t first)
{
	uint32_t n = s->tb->n_words - first;

	if (s->tb->n_words > (UINT32_MAX >> 2) - 2 * ADDR_WORDS)
		return fault_set(s->fault, text_place(s->trace, s->line, s->line), "block-size",
			"addresses of a thread block exceed 2^30 words");
	append_extra_word(s->tb, n);
	return 0;
}

const uint64_t *extra_words(const struct tblock *tb, const struct rec *r, uint32_t *n)
{
	const uint64_t *end = tb->word + (r->addr >> 2) - 1;

	*n = (uint32_t)*end;
	return end - *n;
}

/* ---- bulk copies -------------------------------------------------------------------------- */

/* State while the addresses of a bulk copy are read. */
struct runs {
	struct tblock *tb;
	struct copy_run row; /* row that is being read; bytes 0: none */
	struct copy_run run; /* run of the rows before `row`; rows 0: none */
	uint64_t width;      /* size of an element in bytes */
};

static void end_copy_run(struct runs *x)
{
	if (!x->run.rows)
		return;
	append_extra_word(x->tb, x->run.base);
	append_extra_word(x->tb, (uint64_t)x->run.pitch);
	append_extra_word(x->tb, x->run.bytes | (uint64_t)x->run.rows << 32);
	x->run.rows = 0;
}

/* Adds the row to the run if it has the run's length and distance, else begins a new run. */
static void end_copy_row(struct runs *x)
{
	struct copy_run *run = &x->run;
	int64_t step = (int64_t)(x->row.base - run->base - (uint64_t)run->pitch * (run->rows - 1u));

	if (!x->row.bytes)
		return;
	if (run->rows == 1 && run->bytes == x->row.bytes)
		run->pitch = step;
	if (run->rows && (run->bytes != x->row.bytes || run->pitch != step || run->rows == UINT32_MAX))
		end_copy_run(x);
	if (!run->rows)
		*run = (struct copy_run){.base = x->row.base, .bytes = x->row.bytes};
	run->rows++;
	x->row.bytes = 0;
}

static void add_copied_element(struct runs *x, uint64_t address)
{
	struct copy_run *row = &x->row;

	if (row->bytes && (address != row->base + row->bytes || row->bytes > UINT32_MAX - x->width))
		end_copy_row(x);
	if (!row->bytes)
		row->base = address;
	row->bytes += (uint32_t)x->width;
}

/* Reads a count and as many addresses, as a list or as deltas. Sets `first` to the first 32 addresses. */
static int read_copy_elements(struct parse *s, bool deltas, struct runs *x, uint64_t first[32])
{
	uint64_t a = 0, n;

	if (deltas && line_next_hex(s, UINT64_MAX, &a, "address", "a hexadecimal base address") < 0)
		return -1;
	if (line_next_number(s, INPUT_LINE_MAX, &n, "address-count", "a number of addresses") < 0)
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		int64_t d = 0;

		if (!deltas || i)
			line_next(s);
		if (deltas ? i && !tok_parse_i64(s->word, &d) : !tok_parse_hex(s->word, &a))
			return line_report_unexpected(s, "address", deltas ? "a delta" : "an address");
		a += (uint64_t)d;
		add_copied_element(x, a);
		if (i < 32)
			first[i] = a;
	}
	return 0;
}

/* Reads the addresses of lanes. Sets `first` to the addresses of the active lanes. */
static int read_lane_addresses(struct parse *s, unsigned mode, struct runs *x, uint64_t first[32])
{
	uint64_t lane[32];
	uint32_t words = s->tb->n_words;
	unsigned n = 0;

	if (line_read_mode(s, mode) < 0)
		return -1;
	rec_addresses(s->tb, &(struct rec){.mask = s->mask, .addr = s->addr}, lane);
	s->tb->n_words = words;
	FOR_BITS32 (l, s->mask)
		add_copied_element(x, first[n++] = lane[l]);
	return 0;
}

bool extra_is_copy(const char *opcode, size_t n)
{
	static const char *const stem[] = {
		"UTMALDG",
		"UTMASTG",
		"UTMAPF",
		"UTMAREDG",
		"UBLKCP",
		"UBLKPF",
		"UBLKRED",
	};

	for (size_t i = 0; i < sizeof(stem) / sizeof(stem[0]); i++)
		if (code_has_stem(opcode, n, stem[i]))
			return true;
	return false;
}

int extra_read_copy(struct parse *s)
{
	struct tblock *tb = s->tb;
	struct runs x = {.tb = tb, .width = s->width ? s->width : 1};
	uint64_t barrier, flag, mask = 0, bytes, outside, mode, lane[32] = {0};
	uint32_t first = tb->n_words;
	unsigned active = bit_count32(s->mask);

	s->once = true;
	s->draft.has_addr = true;
	s->draft.extra = EXTRA_COPY;
	if (line_next_hex(s, UINT32_MAX, &barrier, "columns", "a hexadecimal mbarrier address") < 0 ||
		line_next_number(s, 1, &flag, "columns", "a multicast flag 0 or 1") < 0)
		return -1;
	if (flag && line_next_hex(s, UINT16_MAX, &mask, "columns", "a hexadecimal multicast mask") < 0)
		return -1;
	if (line_next_number(s, UINT64_MAX, &bytes, "columns", "a byte count") < 0 ||
		line_next_number(s, UINT64_MAX, &outside, "columns", "a count of bytes out of bounds") < 0 ||
		line_next_number(s, MODE_COPY_DELTA, &mode, "mode", "an address mode from 0 to 4") < 0)
		return -1;
	append_extra_word(tb, barrier | mask << 32 | flag << 48);
	append_extra_word(tb, s->width);
	append_extra_word(tb, bytes);
	append_extra_word(tb, outside);
	if ((mode < MODE_COPY_LIST ? read_lane_addresses(s, (unsigned)mode, &x, lane)
				   : read_copy_elements(s, mode == MODE_COPY_DELTA, &x, lane)) < 0)
		return -1;
	end_copy_row(&x);
	end_copy_run(&x);
	if (end_extra_words(s, first) < 0)
		return -1;
	addr_reserve(tb);
	s->addr = active ? addr_list(tb, lane, active) : tb->n_words << 2 | ADDR_NONE;
	return 0;
}

bool rec_copy(const struct tblock *tb, const struct rec *r, const struct inst *i, struct bulk_copy *c)
{
	uint32_t n;

	if (i->extra != EXTRA_COPY)
		return false;
	const uint64_t *w = extra_words(tb, r, &n);
	*c = (struct bulk_copy){.mbarrier = (uint32_t)w[0],
		.mask = (uint16_t)(w[0] >> 32),
		.multicast = w[0] >> 48,
		.width = (uint16_t)w[1],
		.bytes = w[2],
		.out_of_bounds = w[3],
		.n_runs = (n - COPY_WORDS) / RUN_WORDS,
		.run = w + COPY_WORDS};
	return true;
}

struct copy_run copy_run_at(const struct bulk_copy *c, uint32_t run)
{
	const uint64_t *w = c->run + (size_t)RUN_WORDS * run;

	return (struct copy_run){w[0], (int64_t)w[1], (uint32_t)w[2], (uint32_t)(w[2] >> 32)};
}

/* ---- values ------------------------------------------------------------------------------- */

bool extra_has_values(const char *opcode, size_t n)
{
	return code_has_stem(opcode, n, "SYNCS") || code_has_stem(opcode, n, "BAR");
}

/*
 * Reads the values of a register: a count, which is 1 or 32, and the values. Appends their words to w and moves *n.
 */
static int read_value(struct parse *s, uint64_t *w, uint32_t *n)
{
	static const char wanted[] = "a hexadecimal value of 32 bits";
	uint64_t count, v[32];

	if (!tok_parse_u64(s->word, &count) || (count != 1 && count != 32))
		return line_report_unexpected(s, "values", "1 or 32, the number of values of a register");
	for (uint64_t i = 0; i < count; i++)
		if (line_next_hex(s, UINT32_MAX, &v[i], "values", wanted) < 0)
			return -1;
	w[(*n)++] = count << 32 | (count == 1 ? v[0] : 0);
	for (uint64_t i = 0; count == 32 && i < 32; i += 2)
		w[(*n)++] = v[i] | v[i + 1] << 32;
	return 0;
}

/* Inserts the words before the addresses of the record, which are the last words of the thread block. */
static int insert_values(struct parse *s, const uint64_t *w, uint32_t n)
{
	struct tblock *tb = s->tb;
	uint32_t at = s->addr ? s->addr >> 2 : tb->n_words, moved = tb->n_words - at;
	uint64_t addresses[ADDR_WORDS];

	if (moved)
		memcpy(addresses, tb->word + at, moved * sizeof(addresses[0]));
	tb->n_words = at;
	for (uint32_t i = 0; i < n; i++)
		append_extra_word(tb, w[i]);
	if (end_extra_words(s, at) < 0)
		return -1;
	s->addr = tb->n_words << 2 | (s->addr & 3);
	for (uint32_t i = 0; i < moved; i++)
		append_extra_word(tb, addresses[i]);
	return 0;
}

int extra_read_values(struct parse *s)
{
	uint64_t w[GROUPS * WIDE_WORDS];
	uint32_t n = 0, groups = 0;

	s->once = true;
	for (line_next(s); s->word.n; line_next(s)) {
		if (groups++ == GROUPS)
			return line_report_unexpected(
				s, "values", "the end of the line after the values of 8 registers");
		if (read_value(s, w, &n) < 0)
			return -1;
	}
	if (!n)
		return 0;
	s->draft.extra = EXTRA_VALUES;
	return insert_values(s, w, n);
}

bool rec_value(const struct tblock *tb, const struct rec *r, const struct inst *i, unsigned reg,
	unsigned lane, uint32_t *v)
{
	uint32_t n;

	if (i->extra != EXTRA_VALUES)
		return false;
	const uint64_t *w = extra_words(tb, r, &n), *end = w + n;
	for (; w < end && reg; reg--)
		w += w[0] >> 32 == 1 ? 1 : WIDE_WORDS;
	if (w >= end)
		return false;
	if (w[0] >> 32 == 1)
		*v = (uint32_t)w[0];
	else
		*v = (uint32_t)(w[1 + lane % 32 / 2] >> lane % 2 * 32);
	return true;
}

unsigned rec_values(const struct tblock *tb, const struct rec *r, const struct inst *i)
{
	uint32_t n;
	unsigned registers = 0;

	if (i->extra != EXTRA_VALUES)
		return 0;
	const uint64_t *w = extra_words(tb, r, &n), *end = w + n;
	for (; w < end; registers++)
		w += w[0] >> 32 == 1 ? 1 : WIDE_WORDS;
	return registers;
}
