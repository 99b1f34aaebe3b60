/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of lines that are kept as text: where one differs from the one before of the same static instruction
 * in its decimal numbers alone, the differences of these.
 *
 * A text is a varint: 1 plus its length, then the bytes; or 0, then a folded difference for each number of
 * the text before. A number is a run of up to 18 digits without zeros in front. Each span begins without a
 * text before.
 */
#include "format.h"

#define DIGITS_MAX 18u
#define NUMBER_MAX 1000000000000000000u
#define TAIL_MAX   (1u << 20)

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* Length of the run of digits at p; *number: it is one, of value *v. */
static size_t run(const uint8_t *p, const uint8_t *end, bool *number, uint64_t *v)
{
	size_t n = 0;

	*v = 0;
	for (; p + n < end && is_digit(p[n]); n++)
		if (n < DIGITS_MAX)
			*v = *v * 10 + (uint64_t)(p[n] - '0');
	*number = n == 1 || (n > 1 && n <= DIGITS_MAX && *p != '0');
	return n;
}

bool tail_fold(struct buf *out, const uint8_t *was, size_t n_was, const uint8_t *is, size_t n)
{
	const uint8_t *a = was, *a_end = was + n_was, *b = is, *b_end = is + n;
	size_t had = out->n;

	buf_byte(out, 0);
	while (a < a_end && b < b_end) {
		bool x, y;
		uint64_t u, v;
		size_t i = run(a, a_end, &x, &u), k = run(b, b_end, &y, &v);

		if (x && y)
			buf_var(out, fold((int64_t)v - (int64_t)u));
		else if (i != k || (i && memcmp(a, b, i)) || (!i && *a != *b))
			break;
		a += i ? i : 1;
		b += k ? k : 1;
	}
	if (a == a_end && b == b_end)
		return true;
	out->n = had;
	return false;
}

static void put_number(struct buf *out, uint64_t v)
{
	uint8_t t[20], *at = t + 20;

	do
		*--at = (uint8_t)('0' + v % 10);
	while (v /= 10);
	buf_add(out, at, (size_t)(t + 20 - at));
}

static bool unfold_tail(struct buf *out, const struct buf *was, struct cur *in)
{
	const uint8_t *a = was->p, *end = a + was->n;

	while (a < end) {
		bool x;
		uint64_t v;
		size_t n = run(a, end, &x, &v);

		if (x) {
			v += (uint64_t)unfold(cur_var(in));
			if (v >= NUMBER_MAX || in->bad)
				return false;
			put_number(out, v);
		} else {
			buf_add(out, a, n ? n : 1);
		}
		a += n ? n : 1;
	}
	return out->n < TAIL_MAX;
}

void tails_new(struct tails *t, uint32_t n)
{
	t->n = n;
	t->last = NULL;
}

void tails_free(struct tails *t)
{
	for (uint32_t i = 0; t->last && i < t->n; i++)
		buf_free(&t->last[i]);
	free(t->last);
	buf_free(&t->now);
}

void tails_span(struct tails *t, struct cur in)
{
	t->in = in;
	for (uint32_t i = 0; t->last && i < t->n; i++)
		t->last[i].n = 0;
}

bool tail_next(struct tails *t, uint32_t id, const uint8_t **text, size_t *n)
{
	if (!t->last)
		t->last = xcalloc(t->n + 1, sizeof(t->last[0]));
	struct buf *last = &t->last[id];
	uint64_t len = cur_var(&t->in);
	if (len) {
		const uint8_t *p = cur_bytes(&t->in, len - 1);

		if (!p)
			return false;
		last->n = 0;
		buf_add(last, p, len - 1);
	} else {
		t->now.n = 0;
		if (!last->n || !unfold_tail(&t->now, last, &t->in))
			return false;
		struct buf b = *last;
		*last = t->now;
		t->now = b;
	}
	*text = last->p;
	*n = last->n;
	return !t->in.bad;
}
