/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread blocks whose records are at hand, for packing without their text: what parse.c makes of lines, made
 * of what the lines would say.
 *
 * Always true: a part filled here is the one that parse.c would make of the block's text, so that its bytes
 * are the same; the text itself is only made of a block that no part can hold.
 */
#include "addr.h"
#include "records.h"

/* ---- lengths ------------------------------------------------------------------------------ */

static unsigned hex_digits(uint64_t v) { return v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1; }

static unsigned decimal_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static unsigned signed_length(int64_t v)
{
	return (unsigned)(v < 0) + decimal_digits(v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void records_begin(struct records *r, const struct pack_inst *inst, uint32_t n_inst)
{
	r->inst = inst;
	r->n_inst = n_inst;
	records_free(r);
	r->id = xcalloc(2 * (size_t)n_inst + 1, sizeof(r->id[0]));
	r->fixed = xcalloc((size_t)n_inst + 1, sizeof(r->fixed[0]));
	for (uint32_t i = 0; i < n_inst; i++)
		r->fixed[i] = (uint8_t)(11 + (inst[i].pc > 0xffff ? hex_digits(inst[i].pc) : 4) +
					decimal_digits(inst[i].width));
	r->last = xcalloc((size_t)n_inst + 1, sizeof(r->last[0]));
	r->now = 0;
}

void records_free(struct records *r)
{
	free(r->id);
	free(r->fixed);
	free(r->last);
}

void records_part(struct records *r) { memset(r->id, 0, 2 * (size_t)r->n_inst * sizeof(r->id[0])); }

/* " d" for each difference between neighbours of a list. */
static uint64_t differences_length(const uint64_t *a, unsigned n)
{
	uint32_t size[32], most = 0;
	uint64_t length = 0, wide = 0;

	for (unsigned i = 1; i < n; i++) {
		uint64_t d = a[i] - a[i - 1], u = (int64_t)d < 0 ? 0 - d : d;

		wide |= u >> 30;
		size[i] = (uint32_t)u;
		most |= (uint32_t)u;
		length += 2 + (d >> 63);
	}
	if (wide) {
		length = 0;
		for (unsigned i = 1; i < n; i++)
			length += 1 + signed_length((int64_t)(a[i] - a[i - 1]));
		return length;
	}
	for (uint32_t least = 10; least <= most; least *= 10) {
		uint32_t more = 0;

		for (unsigned i = 1; i < n; i++)
			more += size[i] >= least;
		length += more;
	}
	return length;
}

/* The same; most lists of an instruction are the one before it, moved. */
static uint64_t list_length(struct list_length *x, uint64_t now, const uint64_t *a, unsigned n)
{
	uint64_t off = 1;

	if (x->now == now && x->n == n && x->a == a)
		return x->length;
	if (x->now == now && x->n == n) {
		uint64_t d = a[0] - x->a[0];

		off = 0;
		for (unsigned i = 1; i < n; i++)
			off |= (a[i] - x->a[i]) ^ d;
	}
	if (off)
		*x = (struct list_length){a, now, differences_length(a, n), n};
	x->a = a;
	return x->length;
}

/* " mode addresses", as text.c writes them. */
static uint64_t addresses_length(struct records *to, const struct pack_record *r, const uint64_t *word)
{
	const uint64_t *a = word + (r->addr >> 2);
	unsigned n = r->mask == UINT32_MAX ? 32 : bit_count32(r->mask);
	uint64_t by = 0;

	if (!n)
		return strlen(" 1 0x0 0");
	if ((r->addr & 3) == ADDR_MOVED) {
		by = a[0];
		a -= a[1];
	}
	uint64_t base = strlen(" 1 0x") + hex_digits(a[0] + by);
	if (n == 1)
		return base;
	return base + ((r->addr & 3) == ADDR_STRIDE ? 1 + signed_length((int64_t)a[1])
						    : list_length(&to->last[r->inst], to->now, a, n));
}

uint64_t records_length(
	struct records *r, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps)
{
	uint64_t n = strlen("#BEGIN_TB\n\nthread block = ,,\n\n#END_TB\n");

	r->now++;
	for (unsigned i = 0; i < 3; i++)
		n += decimal_digits(id[i]);
	for (uint32_t w = 0; w < n_warps; w++) {
		const struct pack_warp *x = &warp[w];

		n += strlen("warp = \ninsts = \n\n") + decimal_digits(w) + decimal_digits(x->n);
		for (uint32_t i = 0; i < x->n; i++) {
			const struct pack_record *rec = &x->record[i];
			uint32_t width = r->inst[rec->inst].width;

			n += r->fixed[rec->inst];
			if (rec->text_len)
				n += rec->text_len - decimal_digits(width);
			else if (width)
				n += addresses_length(r, rec, x->word);
		}
	}
	return n;
}

/* ---- records ------------------------------------------------------------------------------ */

bool records_fit(const struct records *r, const struct pack_warp *warp, uint32_t n_warps)
{
	uint64_t insts = 0;

	for (uint32_t w = 0; w < n_warps; w++)
		insts += warp[w].n;
	return insts <= pack_limits.insts - SPAN_INSTS && n_warps <= pack_limits.warps &&
	       2 * (uint64_t)r->n_inst <= pack_limits.statics && 8 * (uint64_t)r->n_inst <= pack_limits.text;
}

/*
 * The static instruction, in the order in which they are met; text: of lines that are kept behind their mask.
 */
static uint32_t static_of(struct records *r, struct parsed *p, uint32_t inst, bool text)
{
	struct pcode *c = &p->part.code;
	uint32_t *id = &r->id[2 * (size_t)inst + text];
	uint32_t width = r->inst[inst].width;
	uint8_t digits[10], *d = digits + sizeof(digits);

	if (*id)
		return *id - 1;
	for (uint32_t v = width; d == digits + sizeof(digits) || v; v /= 10)
		*--d = (uint8_t)('0' + v % 10);
	size_t n = text ? 0 : (size_t)(digits + sizeof(digits) - d);
	grow(&c->s, &c->cap, c->n + 1, sizeof(c->s[0]));
	c->s[c->n] = (struct pstatic){.pc = r->inst[inst].pc,
		.flags = text    ? ST_LINE
			 : width ? ST_MEM
				 : 0,
		.mid = (uint32_t)c->text.n,
		.mid_len = (uint16_t)n,
		.tail = (uint32_t)(c->text.n + n),
		.next = NONE};
	buf_add(&c->text, d, n);
	*id = ++c->n;
	return c->n - 1;
}

static void take_warp(struct records *r, struct parsed *p, const struct pack_warp *x)
{
	uint32_t text = (uint32_t)p->text.n, words = p->n_addr << 2;

	if (!x->n)
		return;
	grow(&p->rec, &p->cap_rec, p->n_rec + x->n, sizeof(p->rec[0]));
	grow(&p->addr, &p->cap_addr, p->n_addr + x->n_words, sizeof(p->addr[0]));
	if (x->n_words)
		memcpy(p->addr + p->n_addr, x->word, x->n_words * sizeof(p->addr[0]));
	p->n_addr += x->n_words;
	struct prec *to = p->rec + p->n_rec;
	const uint32_t *id = r->id;
	for (const struct pack_record *rec = x->record, *end = rec + x->n; rec < end; rec++) {
		uint32_t known = id[2 * (size_t)rec->inst + (rec->text_len != 0)];

		*to++ = (struct prec){
			.id = known ? known - 1 : static_of(r, p, rec->inst, rec->text_len != 0),
			.mask = rec->mask,
			.addr = rec->addr + words,
			.text = text,
			.text_len = rec->text_len};
		text += rec->text_len;
	}
	p->n_rec += x->n;
	buf_add(&p->text, x->text, text - p->text.n);
}

void records_block(struct records *r, struct parsed *p, const uint32_t id[3], const struct pack_warp *warp,
	uint32_t n_warps)
{
	struct ptb tb = {.id = {id[0], id[1], id[2]}, .first_warp = p->n_warp, .n_warps = n_warps};

	grow(&p->warp, &p->cap_warp, p->n_warp + n_warps, sizeof(p->warp[0]));
	for (uint32_t w = 0; w < n_warps; w++) {
		p->warp[p->n_warp++] = (struct pwarp){.id = w, .first = p->n_rec, .count = warp[w].n};
		take_warp(r, p, &warp[w]);
	}
	grow(&p->tb, &p->cap_tb, p->part.n_blocks + 1, sizeof(p->tb[0]));
	p->tb[p->part.n_blocks++] = tb;
}

/* ---- text --------------------------------------------------------------------------------- */

/* The record as the writer of text takes it; what is moved becomes a list in t, which is then the words. */
static struct rec readable(const struct parsed *p, const struct prec *q, struct tblock *tb, uint64_t t[32])
{
	tb->word = p->addr;
	if ((q->addr & 3) != ADDR_MOVED)
		return (struct rec){q->id, q->mask, q->addr};
	struct recorded g = recorded_of(p, q);
	memmove(t, recorded_list(&g, t), 32 * sizeof(t[0]));
	tb->word = t;
	return (struct rec){q->id, q->mask, ADDR_LIST};
}

void records_text(struct buf *out, const struct parsed *p, bool first)
{
	const struct ptb *b = &p->tb[0];
	struct tblock tb = {.x = b->id[0], .y = b->id[1], .z = b->id[2]};
	uint64_t t[32];
	struct text_in in = {.part = &p->part, .tb = &tb, .first = first};

	text_begin(out, &in);
	for (uint32_t w = 0; w < b->n_warps; w++) {
		const struct pwarp *x = &p->warp[b->first_warp + w];

		text_warp(out, x->id, x->count);
		for (uint32_t i = 0; i < x->count; i++) {
			const struct prec *q = &p->rec[x->first + i];
			struct rec r = readable(p, q, &tb, t);

			text_put(out, &in, &r, x->id, p->text.p + q->text, q->text_len);
		}
		buf_byte(out, '\n');
	}
	buf_add(out, "#END_TB\n", 8);
}
