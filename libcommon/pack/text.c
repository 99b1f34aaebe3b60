/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of thread blocks as text, byte for byte as the tracer wrote it.
 *
 * Always true: thread blocks that parse.c accepted are reproduced exactly. The address mode is not stored: a run of
 * active lanes with one stride has mode 1, other lists have mode 2 (or mode 0 if the tracer wrote lists).
 */
#include "bits.h"
#include "inlining.h"
#include "tail.h"

#define LINE_ROOM 1024u /* largest number of bytes of a line without its constant text and its end */

static const char digits[] = "0123456789abcdef";

static inline uint8_t *write_hex(uint8_t *o, uint64_t v, unsigned min)
{
	unsigned n = v ? (unsigned)(67 - __builtin_clzll(v)) / 4 : 1;

	n = n < min ? min : n;
	for (unsigned i = n; i-- > 0; v >>= 4)
		o[i] = (uint8_t)digits[v & 15];
	return o + n;
}

/*
 * Writes eight digits: spreads the nibbles over the bytes of a word and converts all of them to characters at once.
 */
static inline uint8_t *write_mask(uint8_t *o, uint32_t v)
{
	uint64_t x = __builtin_bswap32(v);

	x = ((x & 0xffff0000) << 16) | (x & 0xffff);
	x = ((x & 0x0000ff000000ff00) << 8) | (x & 0x000000ff000000ff);
	x = ((x & 0x00f000f000f000f0) >> 4) | ((x & 0x000f000f000f000f) << 8);
	uint64_t letters = ((x + 0x0606060606060606) >> 4) & 0x0101010101010101;
	x += 0x3030303030303030 + letters * 39;
	memcpy(o, &x, 8);
	return o + 8;
}

static inline uint8_t *write_decimal(uint8_t *o, uint64_t v)
{
	uint8_t t[20];
	unsigned n = 0;

	if (v < 10) {
		*o = (uint8_t)('0' + v);
		return o + 1;
	}
	for (; v; v /= 10)
		t[n++] = (uint8_t)('0' + v % 10);
	while (n)
		*o++ = t[--n];
	return o;
}

static inline uint8_t *write_signed_decimal(uint8_t *o, int64_t v)
{
	if (v < 0)
		*o++ = '-';
	return write_decimal(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static inline uint8_t *text_append_bytes(uint8_t *o, const void *s, size_t n)
{
	memcpy(o, s, n);
	return o + n;
}

void text_append_number(struct buf *out, uint64_t v)
{
	buf_room(out, 20);
	out->n = (size_t)(write_decimal(out->p + out->n, v) - out->p);
}

void text_append_register(struct buf *out, unsigned kind, unsigned number)
{
	static const char *const names[] = {" R", " UR", " P", " UP"};

	buf_add(out, names[kind], 2 + kind % 2);
	text_append_number(out, number);
}

static bool write_strided(const uint64_t *a, uint32_t mask, unsigned n)
{
	uint32_t run = mask >> bit_lowest32(mask);

	if (n < 2 || run & (run + 1))
		return false;
	uint64_t d = a[1] - a[0], off = 0;
	for (unsigned i = 2; i < n; i++)
		off |= (a[i] - a[i - 1]) ^ d;
	return !off && (int64_t)d == (int32_t)d;
}

static uint8_t *write_addresses(
	uint8_t *o, const struct tblock *tb, const struct rec *r, uint32_t style, bool list)
{
	unsigned n = bit_count32(r->mask), pad = style & STYLE_PADDED ? 16 : 1;
	uint64_t t[32] = {0};
	const uint64_t *a = n && tb->word ? tb->word + (r->addr >> 2) : t;
	bool line = n && (r->addr & 3) == ADDR_STRIDE, stride = true;

	if (line && n > 1 && !list && (int64_t)a[1] == (int32_t)a[1]) {
		o = write_hex(text_append_bytes(o, " 1 0x", 5), a[0], pad);
		*o++ = ' ';
		return write_signed_decimal(o, (int64_t)a[1]);
	}
	for (unsigned i = 0; line && i < n; i++)
		t[i] = a[0] + i * a[1];
	if (line)
		a = t;
	if (n)
		stride = write_strided(a, r->mask, n);
	if (list) {
		o = text_append_bytes(o, " 0", 2);
		for (unsigned i = 0; i < n; i++)
			o = write_hex(text_append_bytes(o, " 0x", 3), a[i], 16);
		return o;
	}
	o = text_append_bytes(o, stride ? " 1 0x" : " 2 0x", 5);
	o = write_hex(o, a[0], pad);
	if (stride) {
		*o++ = ' ';
		return write_signed_decimal(o, n ? (int64_t)(a[1] - a[0]) : 0);
	}
	for (unsigned i = 1; i < n; i++) {
		*o++ = ' ';
		o = write_signed_decimal(o, (int64_t)(a[i] - a[i - 1]));
	}
	return o;
}

/* Appends the columns before the PC. */
static uint8_t *append_prefix_columns(uint8_t *o, const struct text_in *in, uint32_t warp, uint32_t lineno)
{
	const uint32_t v[5] = {in->tb->x, in->tb->y, in->tb->z, warp, lineno};
	bool ids = in->part->style & STYLE_BLOCK_IDS, line = in->part->style & STYLE_LINENO;

	for (unsigned i = ids ? 0 : 4; i < 4u + line; i++) {
		o = write_decimal(o, v[i]);
		*o++ = ' ';
	}
	return o;
}

void text_put(struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp,
	const uint8_t *text, size_t len)
{
	const struct pcode *c = &in->part->code;
	const struct pstatic *s = &c->statics[r->inst];

	buf_room(out, LINE_ROOM + s->mid_len + s->tail_len + len);
	uint8_t *o = out->p + out->n;
	if (in->part->style & (STYLE_BLOCK_IDS | STYLE_LINENO))
		o = append_prefix_columns(o, in, warp, s->lineno);
	o = write_hex(o, s->pc, 4);
	*o++ = ' ';
	o = write_mask(o, r->mask);
	*o++ = ' ';
	o = text_append_bytes(o, c->text.p + s->mid, s->mid_len);
	if (s->flags & ST_MEM)
		o = write_addresses(o, in->tb, r, in->part->style, s->flags & ST_LIST);
	o = text_append_bytes(o, c->text.p + s->tail, s->tail_len);
	if (len)
		o = text_append_bytes(o, text, len);
	*o++ = '\n';
	out->n = (size_t)(o - out->p);
}

/*
 * Reads the text of a record, which may contain its first address. Returns false if it is damaged. Inlined, it makes
 * the lines without text slower: unpacking torch-step-v100 takes 231.0 M instead of 225.1 M instructions.
 */
static NOINLINE bool read_record_text(
	const struct text_in *in, const struct rec *r, struct tails *tails, const uint8_t **text, size_t *len)
{
	const bool lanes = in->part->code.statics[r->inst].flags & ST_MEM && r->mask && in->tb->word;

	return tail_next(tails, r->inst, r->mask, lanes ? in->tb->word[r->addr >> 2] : 0, text, len);
}

bool text_append_record(
	struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp, struct tails *tails)
{
	const uint8_t *text = NULL;
	size_t len = 0;

	if (in->part->code.statics[r->inst].flags & (ST_TAIL | ST_LINE) &&
		!read_record_text(in, r, tails, &text, &len))
		return false;
	text_put(out, in, r, warp, text, len);
	return true;
}

static void put_name_and_number(struct buf *out, const char *name, uint64_t v)
{
	uint8_t t[20];

	buf_add(out, name, strlen(name));
	buf_add(out, t, (size_t)(write_decimal(t, v) - t));
	buf_byte(out, '\n');
}

void text_append_block_head(struct buf *out, const struct text_in *in)
{
	uint8_t t[80], *o = t;

	if (!in->begins_kernel)
		*o++ = '\n';
	o = text_append_bytes(o, "#BEGIN_TB\n\nthread block = ", 26);
	o = write_decimal(o, in->tb->x);
	*o++ = ',';
	o = write_decimal(o, in->tb->y);
	*o++ = ',';
	o = write_decimal(o, in->tb->z);
	*o++ = '\n';
	buf_add(out, t, (size_t)(o - t));
	buf_add(out, in->extra, in->extra_len);
	buf_byte(out, '\n');
}

void text_append_warp_head(struct buf *out, uint32_t id, uint32_t insts)
{
	put_name_and_number(out, "warp = ", id);
	put_name_and_number(out, "insts = ", insts);
}

bool text_append_block(struct buf *out, const struct text_in *in, struct tails *tails)
{
	const struct tblock *tb = in->tb;

	text_append_block_head(out, in);
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		const struct warp_recs *wr = &tb->warp[w];
		uint32_t id = in->warp_id ? in->warp_id[w] : w;

		text_append_warp_head(out, id, wr->n_recs);
		for (uint32_t i = 0; i < wr->n_recs; i++)
			if (!text_append_record(out, in, &tb->rec[wr->first_rec + i], id, tails))
				return false;
		buf_byte(out, '\n');
	}
	buf_add(out, "#END_TB\n", 8);
	return true;
}

/* Appends a line with all constant columns and no active lane. trace/line.c parses the static instruction from it. */
void text_append_static(struct buf *out, const struct part *p, const struct pstatic *s)
{
	struct tblock tb = {0};
	struct text_in in = {.part = p, .tb = &tb};
	struct rec none = {0};

	buf_room(out, LINE_ROOM + s->mid_len + s->tail_len);
	uint8_t *o = append_prefix_columns(out->p + out->n, &in, 0, s->lineno);
	o = write_hex(o, s->pc, 4);
	o = text_append_bytes(o, " 00000000 ", 10);
	o = text_append_bytes(o, p->code.text.p + s->mid, s->mid_len);
	if (s->flags & ST_MEM)
		o = write_addresses(o, &tb, &none, p->style, s->flags & ST_LIST);
	o = text_append_bytes(o, p->code.text.p + s->tail, s->tail_len);
	out->n = (size_t)(o - out->p);
}

/*
 * memchr() passes most of the text in vectors: packing text at the fast level takes 8 percent fewer host instructions
 * than with memmem() (bfs of Rodinia, 159,509 lines).
 */
uint64_t text_count_blocks(const char *text, size_t n)
{
	static const char mark[] = "#END_TB\n";
	const size_t length = strlen(mark);
	uint64_t blocks = 0;

	for (const char *s = text, *end = text + n; n && (s = memchr(s, '#', (size_t)(end - s))); s++)
		blocks += (size_t)(end - s) >= length && !memcmp(s, mark, length);
	return blocks;
}
