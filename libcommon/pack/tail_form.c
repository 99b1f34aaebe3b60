/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of lines as forms and numbers (tail.h): splitting and joining. */
#include "bits.h"
#include "tail.h"

#define DIGITS_MAX 18u

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static unsigned tail_hex_digit(uint8_t c)
{
	return is_digit(c) ? c - '0' + 0u : c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16u;
}

/* Returns the length of the number at p; 0 if there is none. */
static size_t parse_tail_number(const uint8_t *p, const uint8_t *end, unsigned *kind, uint64_t *v)
{
	size_t n = 0;

	*v = 0;
	if (end - p >= 10 && p[0] == '0' && p[1] == 'x') {
		for (n = 2; p + n < end && n < 19 && tail_hex_digit(p[n]) < 16; n++)
			*v = *v << 4 | tail_hex_digit(p[n]);
		*kind = n == 18 ? HEX16 : HEX8;
		return n == 10 || n == 18 ? n : 0;
	}
	for (; p + n < end && is_digit(p[n]); n++)
		if (n < DIGITS_MAX)
			*v = *v * 10 + (uint64_t)(p[n] - '0');
	*kind = DECIMAL;
	return n == 1 || (n > 1 && n <= DIGITS_MAX && *p != '0') ? n : 0;
}

static size_t put_tail_decimal(uint8_t *o, uint64_t v)
{
	uint8_t t[20], *at = t + 20;

	do
		*--at = (uint8_t)('0' + v % 10);
	while (v /= 10);
	memcpy(o, at, (size_t)(t + 20 - at));
	return (size_t)(t + 20 - at);
}

/* Writes "T<lane>:". */
static size_t put_tail_lane(uint8_t *o, unsigned lane)
{
	size_t n = 1 + put_tail_decimal(o + 1, lane);

	o[0] = 'T';
	o[n] = ':';
	return n + 1;
}

/* Returns the length of the group at p; 0 if there is none. */
static size_t parse_tail_group(
	const uint8_t *p, const uint8_t *end, uint32_t mask, unsigned *kind, uint64_t lane[32])
{
	const uint8_t *from = p;
	bool first = true;

	if (*p != 'T')
		return 0;
	FOR_BITS32 (l, mask) {
		uint8_t word[8];
		size_t n = put_tail_lane(word, l);
		unsigned k;

		if ((size_t)(end - p) <= n || memcmp(p, word, n))
			return 0;
		p += n;
		n = parse_tail_number(p, end, &k, &lane[l]);
		p += n;
		if (!n || p == end || *p++ != ' ' || (!first && k != *kind))
			return 0;
		*kind = k;
		first = false;
	}
	return (size_t)(p - from);
}

/* Returns true if groups of register values may follow the form: after "Val ", and after another group. */
static bool values_may_follow(const struct shape_of_text *s)
{
	const struct buf *f = &s->form;

	return f->n >= 4 && s->n_values < VALUE_GROUPS &&
	       (f->p[f->n - 1] == VALUES || !memcmp(f->p + f->n - 4, "Val ", 4));
}

bool tail_split_text(struct shape_of_text *s, bool values, uint32_t mask, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	unsigned kind = 0;
	uint64_t v;

	s->form.n = 0;
	s->n_slots = s->n_groups = s->n_values = 0;
	while (p < end) {
		size_t len = s->n_groups < TAIL_GROUPS
				     ? parse_tail_group(p, end, mask, &kind, s->lane[s->n_groups])
				     : 0;

		if (len) {
			s->n_groups++;
			buf_byte(&s->form, GROUP);
			buf_byte(&s->form, (uint8_t)kind);
		} else if (values && values_may_follow(s) &&
			   (len = values_parse(p, end, &s->values[s->n_values]))) {
			s->n_values++;
			buf_byte(&s->form, VALUES);
		} else if ((len = parse_tail_number(p, end, &kind, &v)) && s->n_slots < TAIL_SLOTS) {
			s->slot[s->n_slots++] = v;
			buf_byte(&s->form, (uint8_t)kind);
		} else {
			if (*p < ' ')
				return false;
			/* A number never begins within a run of digits. */
			for (len = 1; is_digit(*p) && p + len < end && is_digit(p[len]);)
				len++;
			buf_add(&s->form, p, len);
		}
		p += len;
	}
	return true;
}

static size_t put_tail_number(uint8_t *o, unsigned kind, uint64_t v)
{
	unsigned n = kind == HEX16 ? 16 : 8;

	if (kind == DECIMAL)
		return put_tail_decimal(o, v);
	o[0] = '0';
	o[1] = 'x';
	for (unsigned i = n; i-- > 0; v >>= 4)
		o[2 + i] = (uint8_t) "0123456789abcdef"[v & 15];
	return n + 2;
}

void tail_join_text(struct buf *out, const struct buf *form, const struct shape_of_text *s, uint32_t mask)
{
	unsigned slot = 0, g = 0, w = 0;

	out->n = 0;
	for (size_t i = 0; i < form->n; i++) {
		uint8_t c = form->p[i];

		buf_room(out, 32 * 32);
		if (c == GROUP) {
			i++;
			FOR_BITS32 (l, mask) {
				out->n += put_tail_lane(out->p + out->n, l);
				out->n += put_tail_number(out->p + out->n, form->p[i], s->lane[g][l]);
				out->p[out->n++] = ' ';
			}
			g++;
		} else if (c == VALUES) {
			out->n += values_text(out->p + out->n, &s->values[w++]);
		} else if (c < ' ') {
			out->n += put_tail_number(out->p + out->n, c, s->slot[slot++]);
		} else {
			out->p[out->n++] = c;
		}
	}
}

bool tail_form_is_valid(const uint8_t *form, size_t n)
{
	unsigned slots = 0, groups = 0, values = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = form[i];

		if (c >= ' ')
			continue;
		if (c == GROUP && (++i == n || form[i] >= GROUP || !form[i] || ++groups > TAIL_GROUPS))
			return false;
		if (!c || c > VALUES || (c == VALUES && ++values > VALUE_GROUPS) ||
			(c < GROUP && ++slots > TAIL_SLOTS))
			return false;
	}
	return n && n < TAIL_MOST;
}
