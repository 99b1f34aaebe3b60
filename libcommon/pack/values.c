/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of register values in texts (values.h): parsing, choice of a prediction, writing and reading.
 *
 * A byte in the column of widths describes a group: SAME, COPY plus the number of an earlier group of the text, or
 * NEW plus COUNTED if the number of values follows, plus the prediction times GUESS, plus the number of planes times
 * PLANES, plus FIRST if only the first value differs from its prediction. Noise has planes of its own, so that
 * mantissas, which do not compress, are not mixed with differences.
 */
#include "bits.h"
#include "values.h"

enum { SAME = 0, COPY = 1, NEW = 16 };

/* Predictions of a value. */
enum value_guess {
	GUESS_NONE,   /* no prediction */
	GUESS_NOISE,  /* no prediction, for values that need most bits of all planes */
	GUESS_LAST,   /* same lane of the previous text */
	GUESS_LANE,   /* previous lane */
	GUESS_CHANGE, /* same lane of the previous text plus the change of the previous lane since that text */
	GUESS_ADDRESS, /* address of the access, which is the first value of operations on barriers */
	VALUE_GUESSES
};

#define NOISY_BITS 16u /* mean number of bits of a value from which planes hardly compress */

/* Units of the byte of widths, after NEW. */
enum {
	COUNTED = 1,
	GUESS = 2,
	PLANES = GUESS * VALUE_GUESSES,
	FIRST = PLANES * (VALUE_PLANES + 1),
	WIDTH_END = NEW + 2 * FIRST
};

/* Returns the value of a hexadecimal digit, or 16 for another byte. */
static uint32_t value_digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - (uint32_t)'0' : c >= 'a' && c <= 'f' ? c - (uint32_t)'a' + 10 : 16;
}

size_t values_parse(const uint8_t *p, const uint8_t *end, struct value_group *g)
{
	size_t at = 0;
	uint32_t n = 0;

	while (at < 2 && p + at < end && p[at] >= '0' && p[at] <= '9')
		n = n * 10 + p[at++] - '0';
	if (!n || n > 32 || *p == '0' || (size_t)(end - p) < at + 1 + 9 * (size_t)n || p[at] != ' ')
		return 0;
	at++;
	g->n = n;
	for (uint32_t l = 0; l < n; l++, at += 9) {
		uint32_t v = 0, all = 0;

		for (int i = 0; i < 8; i++) {
			uint32_t d = value_digit(p[at + (size_t)i]);

			all |= d;
			v = v << 4 | (d & 15);
		}
		if (all > 15 || p[at + 8] != ' ')
			return 0;
		g->value[l] = v;
	}
	return at;
}

size_t values_text(uint8_t *o, const struct value_group *g)
{
	uint8_t *at = o;

	if (g->n > 9)
		*at++ = (uint8_t)('0' + g->n / 10);
	*at++ = (uint8_t)('0' + g->n % 10);
	*at++ = ' ';
	for (uint32_t l = 0; l < g->n; l++) {
		for (int shift = 28; shift >= 0; shift -= 4)
			*at++ = (uint8_t) "0123456789abcdef"[g->value[l] >> shift & 15];
		*at++ = ' ';
	}
	return (size_t)(at - o);
}

static bool are_values_equal(const struct value_group *a, const struct value_group *b)
{
	return a->n == b->n && !memcmp(a->value, b->value, a->n * sizeof(a->value[0]));
}

/* Returns lane l of the previous group. If that group has fewer lanes, its last one counts. */
static uint32_t last_value(const struct value_group *last, uint32_t l)
{
	return last->n ? last->value[min_u32(l, last->n - 1)] : 0;
}

static uint32_t predict_value(
	enum value_guess guess, const struct value_before *b, const struct value_group *g, uint32_t l)
{
	const struct value_group *last = b->last;

	switch (guess) {
	case GUESS_LAST: return last_value(last, l);
	case GUESS_LANE: return l ? g->value[l - 1] : last_value(last, 0);
	case GUESS_CHANGE: return last_value(last, l) + (l ? g->value[l - 1] - last_value(last, l - 1) : 0);
	case GUESS_ADDRESS: return b->address;
	default: return 0;
	}
}

/* Returns the difference of a value from its prediction. Without prediction, the exponent becomes the highest byte. */
static uint32_t value_difference(enum value_guess guess, uint32_t v, uint32_t guessed)
{
	return guess <= GUESS_NOISE ? v << 1 | v >> 31 : (uint32_t)fold((int32_t)(v - guessed));
}

static uint32_t undo_value_difference(enum value_guess guess, uint32_t d, uint32_t guessed)
{
	return guess <= GUESS_NOISE ? d >> 1 | d << 31 : guessed + (uint32_t)unfold(d);
}

/* The differences of a group from a prediction. */
struct value_differences {
	enum value_guess guess;
	uint32_t d[32];
	uint32_t n;      /* number of differences that are stored: all, or only the first one */
	unsigned planes; /* number of their planes */
	unsigned bits;   /* number of their bits without leading zeros */
};

static void find_value_differences(struct value_differences *x, enum value_guess guess,
	const struct value_before *b, const struct value_group *g)
{
	uint32_t later = 0, all;

	*x = (struct value_differences){.guess = guess};
	for (uint32_t l = 0; l < g->n; l++) {
		x->d[l] = value_difference(guess, g->value[l], predict_value(guess, b, g, l));
		later |= l ? x->d[l] : 0;
		x->bits += x->d[l] ? log2_floor(x->d[l]) + 1 : 0;
	}
	for (all = later | x->d[0]; all; all >>= 8)
		x->planes++;
	x->n = later ? g->n : 1;
}

/* Returns true if the differences need most bits of all planes. Then they have more noise than the values. */
static bool values_are_noise(const struct value_differences *x)
{
	return x->planes == VALUE_PLANES && x->bits >= x->n * NOISY_BITS;
}

/* Returns the number of the first plane of differences. */
static unsigned first_value_plane(enum value_guess guess) { return guess == GUESS_NOISE ? VALUE_PLANES : 0; }

void values_put(
	const struct value_group *group, unsigned k, const struct value_before *b, struct buf col[N_COLUMNS])
{
	const struct value_group *g = &group[k], *last = b->last;
	struct value_differences best, x;

	if (are_values_equal(g, last)) {
		buf_byte(&col[COL_WIDTH], SAME);
		return;
	}
	for (unsigned i = 0; i < k; i++)
		if (are_values_equal(g, &group[i])) {
			buf_byte(&col[COL_WIDTH], (uint8_t)(COPY + i));
			return;
		}
	find_value_differences(&best, GUESS_NONE, b, g);
	for (unsigned guess = GUESS_LAST; guess < VALUE_GUESSES; guess++) {
		find_value_differences(&x, guess, b, g);
		if (x.bits < best.bits && !values_are_noise(&x))
			best = x;
	}
	if (values_are_noise(&best))
		best.guess = GUESS_NOISE;
	const bool counted = g->n != last->n;
	buf_byte(&col[COL_WIDTH], (uint8_t)(NEW + (counted ? 0u + COUNTED : 0u) + GUESS * best.guess +
					    PLANES * best.planes + (best.n < g->n ? 0u + FIRST : 0u)));
	if (counted)
		buf_byte(&col[COL_WIDTH], (uint8_t)g->n);
	struct buf *to = &col[COL_VALUE + first_value_plane(best.guess)];
	for (unsigned i = 0; i < best.planes; i++)
		for (uint32_t l = 0; l < best.n; l++)
			buf_byte(&to[i], (uint8_t)(best.d[l] >> 8 * i));
}

/* Reads n differences from planes. Returns false if they are damaged. */
static bool read_value_differences(uint32_t d[32], uint32_t n, struct cur *plane, unsigned planes)
{
	for (unsigned i = 0; i < planes; i++) {
		const uint8_t *byte = cur_bytes(&plane[i], n);

		if (!byte)
			return false;
		for (uint32_t l = 0; l < n; l++)
			d[l] |= (uint32_t)byte[l] << 8 * i;
	}
	return true;
}

bool values_next(struct value_group *group, unsigned k, const struct value_before *b, struct cur *width,
	struct cur plane[2 * VALUE_PLANES])
{
	struct value_group *g = &group[k];
	const struct value_group *last = b->last;
	const unsigned w = cur_byte(width);
	uint32_t d[32] = {0};

	if (w < NEW) {
		if (w > k || (w == SAME && !last->n))
			return false;
		*g = w == SAME ? *last : group[w - COPY];
		return !width->bad;
	}
	const unsigned planes = (w - NEW) % FIRST / PLANES, guess = (w - NEW) / GUESS % VALUE_GUESSES;
	g->n = (w - NEW) & COUNTED ? cur_byte(width) : last->n;
	if (w >= WIDTH_END || width->bad || !g->n || g->n > 32 ||
		!read_value_differences(
			d, w >= NEW + FIRST ? 1 : g->n, &plane[first_value_plane(guess)], planes))
		return false;
	for (uint32_t l = 0; l < g->n; l++)
		g->value[l] = undo_value_difference(guess, d[l], predict_value(guess, b, g, l));
	return true;
}
