/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the text of thread blocks to records, for packing. Text that cannot be reproduced exactly is not
 * converted.
 *
 * Always true of an accepted block: text.c writes the same bytes. If columns are not in the tracer's spelling, the
 * line after its PC and mask is stored as text (ST_LINE). Text after the last word of a line is stored as text, too
 * (ST_TAIL). A block with any other framing is rejected.
 */
#include "parse.h"

/* Fields of a line. */
struct record {
	uint32_t id;   /* static instruction */
	uint32_t mask; /* active lanes */
	struct pack_payload payload;
};

/* ---- instruction lines -------------------------------------------------------------------- */

static bool skip_word(struct line *l)
{
	const char *s = l->p;

	while (l->p<l->end && * l->p> ' ' && *l->p <= '~')
		l->p++;
	return l->p > s;
}

static bool skip_registers(struct line *l)
{
	uint32_t n, v;

	if (!scan_decimal32(l, &n) || n > pack_limits.registers)
		return false;
	for (; n; n--) {
		if (!scan_literal(l, " "))
			return false;
		if (l->p < l->end && *l->p == 'U')
			l->p++;
		if (l->p == l->end || (*l->p != 'R' && *l->p != 'P'))
			return false;
		l->p++;
		if (!scan_decimal32(l, &v) || v > 255)
			return false;
	}
	return true;
}

/* Scans a column in the tracer's spelling. Sets *v to its value if it is a number. */
static bool skip_column(struct line *l, enum line_column c, uint32_t *v)
{
	const char *from = l->p;

	switch ((enum column_kind)line_columns[c].kind) {
	case WORDS_REGISTERS: return skip_registers(l);
	case WORDS_WORD:
		return l->p < l->end && *l->p >= 'A' && *l->p <= 'Z' && skip_word(l) &&
		       l->p - from <= pack_limits.opcode;
	case WORDS_NUMBER: return scan_decimal32(l, v) && *v <= pack_limits.width;
	default: return false;
	}
}

/* Scans the columns between the mask and the addresses. Sets op to the opcode. */
static bool skip_middle_columns(struct line *l, enum line_dialect d, bool *has_addr, struct line *op)
{
	const uint8_t *c = line_dialects[d];
	uint32_t width = 0;

	while (*c++ != COLUMN_MASK)
		;
	for (const uint8_t *first = c; *c != COLUMN_ADDRESSES; c++) {
		if (c > first && !scan_literal(l, " "))
			return false;
		const char *from = l->p;
		if (!skip_column(l, (enum line_column) * c, &width))
			return false;
		if (*c == COLUMN_OPCODE)
			*op = (struct line){from, l->p};
	}
	*has_addr = width != 0;
	return true;
}

/* Returns true if the tracer writes the list as base and stride. */
static bool is_strided(uint32_t mask, const uint64_t *a, int64_t *stride)
{
	if (!mask) {
		*stride = 0;
		return true;
	}
	uint32_t run = mask >> bit_lowest32(mask);
	unsigned n = bit_count32(mask);
	if (n < 2 || run & (run + 1))
		return false;
	*stride = (int64_t)(a[1] - a[0]);
	for (unsigned i = 2; i < n; i++)
		if (a[i] - a[i - 1] != (uint64_t)*stride)
			return false;
	return *stride == (int32_t)*stride;
}

/* Scans the base of modes 1 and 2. All bases of a part must have 16 digits, or all must have no leading zeros. */
static bool scan_base_address(struct parsed *p, struct line *l, uint64_t *v)
{
	if (!scan_literal(l, " 0x") || l->end - l->p < 2)
		return false;
	uint32_t now = *l->p == '0' && l->p[1] != ' ' ? STYLE_PADDED : 0, had = p->part.style & STYLE_PADDED;
	now = p->style_known && *l->p != '0' ? had : now;
	if (!scan_hex(l, now ? 16 : 1, 16, v) || (p->style_known && now != had))
		return false;
	p->style_known = true;
	p->part.style |= now;
	return true;
}

/* Scans " stride" after "1 base". The mask must have no holes and must not have exactly one lane. */
static bool scan_stride(struct line *l, uint32_t mask, uint64_t a[33])
{
	uint32_t n = bit_count32(mask), run = mask ? mask >> bit_lowest32(mask) : 0;
	int64_t d;

	if (!scan_literal(l, " ") || !scan_signed_decimal(l, &d) || d != (int32_t)d)
		return false;
	a[1] = (uint64_t)d;
	return n ? n > 1 && !(run & (run + 1)) : !a[0] && !d;
}

static bool scan_mode_list(struct parsed *p, struct line *l, uint32_t mask, uint32_t mode, uint64_t a[33])
{
	uint32_t n = bit_count32(mask);
	int64_t d = 0, stride;

	for (uint32_t i = 0; mode == 0 && i < n; i++)
		if (!scan_literal(l, " 0x") || !scan_hex(l, 16, 16, &a[i]))
			return false;
	if (mode == 0)
		return true;
	if (!scan_base_address(p, l, &a[0]))
		return false;
	if (mode == 1)
		return scan_stride(l, mask, a);
	for (uint32_t i = 1; i < n; i++) {
		if (!scan_literal(l, " ") || !scan_signed_decimal(l, &d))
			return false;
		a[i] = a[i - 1] + (uint64_t)d;
	}
	return !is_strided(mask, a, &stride);
}

/*
 * Returns true if the addresses of the lanes of mask, which has holes, have one step of 32 bits from each lane to the
 * next, active or not. If so, sets a[1] to it.
 */
static bool find_step_over_holes(uint32_t mask, uint64_t a[33])
{
	const unsigned first = bit_lowest32(mask), last = log2_floor(mask), n = bit_count32(mask);
	const int64_t rise = (int64_t)(a[1] - a[0]), lanes = bit_lowest32(mask & (mask - 1)) - first;
	const int64_t step = rise / lanes;
	uint64_t off = 0;
	unsigned i = 0;

	if (step * lanes != rise || step != (int32_t)step ||
		a[n - 1] - a[0] != (last - first) * (uint64_t)step)
		return false;
	FOR_BITS32 (l, mask)
		off |= a[i++] ^ (a[0] + (l - first) * (uint64_t)step);
	if (!off)
		a[1] = (uint64_t)step;
	return !off;
}

/* Scans " mode addresses" and appends the addresses. Returns false if the tracer would write them differently. */
static bool scan_addresses(struct parsed *p, struct line *l, struct record *r, uint8_t *flags)
{
	uint64_t a[33];

	if (l->end - l->p < 3 || l->p[0] != ' ' || l->p[1] < '0' || l->p[1] > '2')
		return false;
	uint32_t mode = (uint32_t)(l->p[1] - '0'), n = bit_count32(r->mask);
	a[0] = a[1] = 0;
	l->p += 2;
	if (p->n_addr >= UINT32_MAX / 4 - 64 || !scan_mode_list(p, l, r->mask, mode, a))
		return false;
	bool line = mode == 1 || n == 1 || (mask_has_holes(r->mask) && find_step_over_holes(r->mask, a));
	n = line ? 2 : n;
	*flags |= mode ? 0 : ST_LIST;
	grow(&p->addr, &p->cap_addr, p->n_addr + 32, sizeof(p->addr[0]));
	memcpy(p->addr + p->n_addr, a, n * sizeof(a[0]));
	r->payload.addr = p->n_addr << 2 | (line ? ADDR_STRIDE : ADDR_LIST);
	p->n_addr += n;
	return true;
}

/* Splits the end of the line into its constant part, in f, and the rest, *text. */
static bool split_tail(const struct line *l, struct found *f, const char **text)
{
	unsigned words = 0;

	f->tail = l->p;
	for (const char *s = l->p; s < l->end; s++) {
		bool begins = s > l->p && s[-1] == ' ' && *s != ' ';

		words += begins;
		if (words > 3)
			return false;
		if (!begins || !line_letter(*s))
			continue;
		if (l->end - s == 6 && !memcmp(s, "NoVal ", 6))
			break;
		f->flags |= ST_TAIL;
		f->tail_end = *text = s;
		return true;
	}
	f->tail_end = *text = l->end;
	return l->end == l->p || *l->p == ' ';
}

static bool parse_blocks_body(
	struct parsed *p, struct line *l, struct record *r, struct found *f, const char **text)
{
	bool has_addr;
	struct line op;

	f->mid = l->p;
	if (!skip_middle_columns(l, part_dialect(&p->part), &has_addr, &op))
		return false;
	f->mid_end = l->p;
	if (has_addr) {
		f->flags = ST_MEM;
		if (!scan_addresses(p, l, r, &f->flags))
			return false;
	}
	/* in a dialect without text after the columns, the rest of the line belongs to this record alone */
	if (!line_dialect_has(part_dialect(&p->part), COLUMN_TAIL)) {
		f->tail = f->tail_end = *text = l->p;
		return l->p == l->end;
	}
	return split_tail(l, f, text);
}

static bool scan_prefix(
	struct parsed *p, struct line *l, const struct ptb *tb, uint32_t warp, uint32_t *lineno)
{
	uint32_t style = p->part.style, v;

	if (style & STYLE_BLOCK_IDS)
		for (int i = 0; i < 4; i++)
			if (!scan_decimal32(l, &v) || !scan_literal(l, " ") ||
				v != (i < 3 ? tb->id[i] : warp))
				return false;
	return !(style & STYLE_LINENO) || (scan_decimal32(l, lineno) && scan_literal(l, " "));
}

/*
 * Determines the columns before the PC from the first line of the part: thread block and warp, source line, both or
 * none.
 */
static bool find_line_prefix(struct parsed *p, struct line l)
{
	int n = line_prefix(part_dialect(&p->part), l.p, (size_t)(l.end - l.p));

	p->part.style |= (n == 4 || n == 5 ? STYLE_BLOCK_IDS : 0) | (n == 1 || n == 5 ? STYLE_LINENO : 0);
	return n <= 1 || n == 4 || n == 5;
}

/* Reads eight lower-case hexadecimal digits. */
static bool scan_mask_digits(const char *s, uint32_t *mask)
{
	uint64_t x;

	memcpy(&x, s, 8);
	x = __builtin_bswap64(x); /* puts the first digit into the highest byte */
	uint64_t letter = x >> 6 & 0x0101010101010101;
	uint64_t v = (x & 0x0f0f0f0f0f0f0f0f) + letter * 9;
	/* A digit is 0x30 to 0x39, a letter 0x61 to 0x66. Converting back detects other characters. */
	uint64_t ten = ((v + 0x0606060606060606) >> 4) & 0x0101010101010101;
	if (((v & 0xf0f0f0f0f0f0f0f0) | (x ^ (v + 0x3030303030303030 + ten * 39))) != 0)
		return false;
	v = (v | v >> 4) & 0x00ff00ff00ff00ff;
	v = (v | v >> 8) & 0x0000ffff0000ffff;
	*mask = (uint32_t)(v | v >> 16);
	return true;
}

/* Appends a record to the warp that is being parsed. */
static void put_record(struct parsed *p, const struct record *r, uint8_t flags)
{
	struct pack_run *last = p->n_run > p->warp_run ? &p->run[p->n_run - 1] : NULL;

	p->n_rec++;
	if (last && last->id + last->n == r->id && last->mask == r->mask) {
		last->n++;
	} else {
		if (p->n_run == p->cap_run)
			grow(&p->run, &p->cap_run, p->n_run + 1, sizeof(p->run[0]));
		p->run[p->n_run++] = (struct pack_run){r->id, 1, r->mask}; /* NOLINT: grow() has set run */
	}
	if (!(flags & (ST_MEM | ST_TAIL | ST_LINE)))
		return;
	if (p->n_payloads == p->cap_payloads)
		grow(&p->payload, &p->cap_payloads, p->n_payloads + 1, sizeof(p->payload[0]));
	p->payload[p->n_payloads++] = r->payload;
}

/* Reads the line if it belongs to static instruction id. Returns false if it does not. */
static bool read_line_as_static(struct parsed *p, struct line l, uint32_t id)
{
	const struct pstatic *s = &p->part.code.statics[id];
	const uint8_t *t = p->part.code.text.p;
	struct record r = {.id = id};
	uint8_t flags = ST_MEM;

	if (s->flags & (ST_TAIL | ST_LINE) ||
		(size_t)(l.end - l.p) < s->head_len + 9u + s->mid_len + s->tail_len ||
		memcmp(l.p, t + s->head, s->head_len))
		return false;
	l.p += s->head_len;
	if (!scan_mask_digits(l.p, &r.mask) || l.p[8] != ' ' || memcmp(l.p + 9, t + s->mid, s->mid_len))
		return false;
	l.p += 9 + s->mid_len;
	uint32_t n_addr = p->n_addr;
	if (s->flags & ST_MEM && (!scan_addresses(p, &l, &r, &flags) || flags != s->flags)) {
		p->n_addr = n_addr;
		return false;
	}
	if (l.end - l.p != s->tail_len || memcmp(l.p, t + s->tail, s->tail_len)) {
		p->n_addr = n_addr;
		return false;
	}
	put_record(p, &r, s->flags);
	return true;
}

/*
 * Reads the next line of a warp. First tries the last successor of the instruction `before`, then instruction `at`.
 */
static bool read_predicted_line(struct parsed *p, struct line l, uint32_t before, uint32_t at)
{
	uint32_t id = before != NONE ? p->part.code.statics[before].next : NONE;

	if (id != NONE && read_line_as_static(p, l, id))
		return true;
	return at != NONE && at != id && read_line_as_static(p, l, at);
}

static bool scan_instruction(struct parsed *p, struct line l, const struct ptb *tb, uint32_t warp)
{
	struct found f = {0};
	struct record r = {0};
	uint64_t pc, mask;
	const char *text = l.end;

	if (l.end - l.p >= pack_limits.line)
		return false;
	if (!p->part.code.n_statics && !find_line_prefix(p, l))
		return false;
	if (!scan_prefix(p, &l, tb, warp, &f.lineno))
		return false;
	f.head = l.p;
	if (!scan_hex(&l, 4, 8, &pc) || !scan_literal(&l, " "))
		return false;
	f.head_end = l.p;
	if (!scan_hex(&l, 8, 8, &mask) || !scan_literal(&l, " "))
		return false;
	f.pc = (uint32_t)pc;
	r.mask = (uint32_t)mask;
	struct line rest = l;
	uint32_t n_addr = p->n_addr, style = p->part.style;
	bool known = p->style_known;
	if (!parse_blocks_body(p, &l, &r, &f, &text)) {
		p->n_addr = n_addr;
		p->part.style = style;
		p->style_known = known;
		f.mid = f.mid_end = f.tail = f.tail_end = text = rest.p;
		f.flags = ST_LINE;
	}
	r.id = static_intern(p, &f);
	r.payload.text_len = (uint32_t)(l.end - text);
	buf_add(&p->text, text, r.payload.text_len);
	put_record(p, &r, f.flags);
	return r.id != NONE && p->text.n < UINT32_MAX / 2;
}

/* ---- blocks ------------------------------------------------------------------------------- */

static bool next_text_line(const char **text, const char *end, struct line *l)
{
	const char *nl = memchr(*text, '\n', (size_t)(end - *text));

	if (!nl)
		return false;
	*l = (struct line){*text, nl};
	*text = nl + 1;
	return true;
}

static bool scan_block_id(struct line l, uint32_t id[3])
{
	return scan_literal(&l, "thread block = ") && scan_decimal32(&l, &id[0]) && scan_literal(&l, ",") &&
	       scan_decimal32(&l, &id[1]) && scan_literal(&l, ",") && scan_decimal32(&l, &id[2]) &&
	       l.p == l.end;
}

static bool scan_numbered_word(struct line l, const char *name, uint32_t *v)
{
	return scan_literal(&l, name) && scan_decimal32(&l, v) && l.p == l.end;
}

/*
 * Returns true if the line after the id has a form of newer tracers. The text reader interprets other lines there in
 * another way.
 */
static bool is_extra_line(struct line l)
{
	return scan_literal(&l, "cluster ") || scan_literal(&l, "core ") || scan_literal(&l, "sm ");
}

/*
 * Reads the lines of a warp. A warp usually executes the same instructions as the previous warp, so these are tried
 * first.
 */
static inline bool scan_warp_lines(
	struct parsed *p, struct ptb *tb, const struct pwarp *w, const char **s, const char *end)
{
	const struct pwarp *last = p->n_warp ? &p->warp[p->n_warp - 1] : NULL;
	const bool plain = !(p->part.style & (STYLE_BLOCK_IDS | STYLE_LINENO));
	uint32_t before = NONE, alike = last && plain ? last->count : 0, run = last ? last->first_run : 0,
		 k = 0;
	struct line l;

	p->warp_run = p->n_run;
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t at = i < alike ? p->run[run].id + k++ : NONE;

		if (i < alike && k == p->run[run].n) {
			run++;
			k = 0;
		}
		if (!next_text_line(s, end, &l))
			return false;
		if (!(plain && read_predicted_line(p, l, before, at)) && !scan_instruction(p, l, tb, w->id))
			return false;
		uint32_t id = p->run[p->n_run - 1].id + p->run[p->n_run - 1].n - 1;
		if (before != NONE)
			p->part.code.statics[before].next = id;
		before = id;
	}
	return true;
}

/* Reads the warps of a thread block and "#END_TB". */
static bool scan_warps(struct parsed *p, struct ptb *tb, const char **s, const char *end)
{
	uint32_t first = p->n_rec;
	struct line l;

	for (;;) {
		struct pwarp w = {
			.first_run = p->n_run, .first_payload = p->n_payloads, .text = (uint32_t)p->text.n};

		if (!next_text_line(s, end, &l))
			return false;
		if (l.end - l.p == 7 && !memcmp(l.p, "#END_TB", 7))
			return true;
		if (!scan_numbered_word(l, "warp = ", &w.id) || !next_text_line(s, end, &l) ||
			!scan_numbered_word(l, "insts = ", &w.count) || tb->n_warps == pack_limits.warps)
			return false;
		if (!scan_warp_lines(p, tb, &w, s, end))
			return false;
		if (!next_text_line(s, end, &l) || l.p != l.end ||
			p->n_rec - first > pack_limits.insts - SPAN_INSTS)
			return false;
		w.n_runs = p->n_run - w.first_run;
		grow(&p->warp, &p->cap_warp, p->n_warp + 1, sizeof(p->warp[0]));
		p->warp[p->n_warp++] = w;
		tb->n_warps++;
	}
}

static size_t parse_line_tail(struct parsed *p, const char *text, size_t n)
{
	const char *s = text, *end = text + n, *extra;
	struct ptb tb = {.first_warp = p->n_warp};
	struct line l;

	if (!next_text_line(&s, end, &l) || l.end - l.p != 9 || memcmp(l.p, "#BEGIN_TB", 9) ||
		!next_text_line(&s, end, &l) || l.p != l.end || !next_text_line(&s, end, &l) ||
		!scan_block_id(l, tb.id))
		return 0;
	extra = s;
	for (;;) {
		if (!next_text_line(&s, end, &l) || s - extra > pack_limits.extra)
			return 0;
		if (l.p == l.end)
			break;
		if (!is_extra_line(l))
			return 0;
	}
	tb.extra = keep_text_bytes(&p->text, extra, l.p);
	tb.extra_len = (uint32_t)(l.p - extra);
	if (!scan_warps(p, &tb, &s, end))
		return 0;
	grow(&p->tb, &p->cap_tb, p->part.n_blocks + 1, sizeof(p->tb[0]));
	p->tb[p->part.n_blocks++] = tb;
	return (size_t)(s - text);
}

size_t parse_block(struct parsed *p, const char *text, size_t n)
{
	uint32_t warp = p->n_warp, rec = p->n_rec, run = p->n_run, payloads = p->n_payloads, addr = p->n_addr;
	size_t at = p->text.n, took = parse_line_tail(p, text, n);

	if (took)
		return took;
	p->n_warp = warp;
	p->n_rec = rec;
	p->n_run = run;
	p->n_payloads = payloads;
	p->n_addr = addr;
	p->text.n = at;
	return 0;
}

const char *pstatic_opcode(const struct part *p, const struct pstatic *s, size_t *n)
{
	*n = s->opcode_len;
	return *n ? (const char *)p->code.text.p + s->mid + s->opcode : NULL;
}

bool pstatic_derive(const struct part *p, struct pstatic *s)
{
	const char *t = (const char *)p->code.text.p;
	struct line l = {t + s->mid, t + s->mid + s->mid_len}, op = {t, t};
	bool has_addr;
	int64_t imm;

	s->next = s->target = NONE;
	s->mem = NONE;
	if (s->flags & ST_LINE)
		return true;
	if (!skip_middle_columns(&l, part_dialect(p), &has_addr, &op) || l.p != l.end ||
		has_addr != !!(s->flags & ST_MEM))
		return false;
	s->opcode = (uint16_t)(op.p - (t + s->mid));
	s->opcode_len = (uint16_t)(op.end - op.p);
	s->ctl = (uint8_t)static_control_of(op.p, s->opcode_len);
	l = (struct line){t + s->tail, t + s->tail + s->tail_len};
	s->imm = scan_literal(&l, " ") && scan_signed_decimal(&l, &imm) ? (uint64_t)imm : UINT64_MAX;
	return true;
}
