/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of numbers to text. The result equals that of printf() in the C locale, but the conversion is faster.
 *
 * Always true: the text equals that of printf() byte for byte. A double is a whole number of up to 53 bits times a
 * power of two. Its product with a power of ten fits 128 bits exactly, so the last digit is rounded as in printf():
 * to nearest, ties to even. Reals with many digits, and reals that need an exponent with %g, are passed to printf().
 *
 * Gain, in host instructions of trace-sim: vecadd on rtx3070 with -F accelsim takes 13.6 million instead of 17.2
 * million with printf(), gather on qv100 48.7 instead of 55.6 million. With JSON the gain is 1 % to 5 %.
 */
#include <math.h>
#include <string.h>
#include "bytes.h"

static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
#define N_POWERS (sizeof(power) / sizeof(*power))

static unsigned count_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= power[N_POWERS - 1]; v /= power[N_POWERS - 1])
		n += N_POWERS - 1;
	for (unsigned i = 1; i < N_POWERS && v >= power[i]; i++)
		n++;
	return n;
}

/* Writes the digits of v before end; the last digit is end[-1]. */
static void write_digits_before(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
}

/*
 * Appends a column of `width` characters that ends with n characters, which the caller sets. Returns a pointer to the
 * first of these.
 */
static char *append_padded(struct bytes *b, size_t n, unsigned width)
{
	size_t blanks = n < width ? width - n : 0;
	char *p;

	if (n + blanks >= b->cap - b->n)
		bytes_reserve(b, n + blanks);
	p = b->p + b->n;
	if (blanks)
		memset(p, ' ', blanks);
	b->n += n + blanks;
	p[n + blanks] = '\0';
	return p + blanks;
}

void bytes_unsigned(struct bytes *b, uint64_t v)
{
	unsigned n = count_digits(v);

	write_digits_before(append_padded(b, n, 0) + n, v);
}

void bytes_signed(struct bytes *b, int64_t v, unsigned width)
{
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	unsigned n = count_digits(size) + (v < 0);
	char *p = append_padded(b, n, width);

	*p = '-';
	write_digits_before(p + n, size);
}

/* ---- reals -------------------------------------------------------------------------------------- */

#define BELOW 0x1p33 /* limit of v: the product of a smaller v and the largest power[] is below 2^63 */

struct cut {
	uint64_t whole; /* truncated value */
	bool round_up;  /* true if the value must be rounded up */
};

/*
 * Returns the product of v and a power of ten as a whole number, and whether it must be rounded up. Requires 0 <= v <
 * BELOW.
 */
static struct cut scale_exactly(double v, uint64_t factor)
{
	unsigned __int128 product, rest, half;
	uint64_t bits;
	unsigned exponent, shift;
	struct cut c;

	memcpy(&bits, &v, sizeof(bits));
	exponent = (unsigned)(bits >> 52);
	if (exponent < 1075 - 120) /* v below 2^-68 rounds to 0 */
		return (struct cut){0, false};
	shift = 1075 - exponent; /* shift is from 20 to 120 */
	product = (unsigned __int128)((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52) * factor;
	half = (unsigned __int128)1 << (shift - 1);
	rest = product & (2 * half - 1);
	c.whole = (uint64_t)(product >> shift);
	c.round_up = rest > half || (rest == half && c.whole & 1);
	return c;
}

/* Appends v / 10^decimals with sign and point. */
static void append_decimal(struct bytes *b, bool negative, uint64_t v, unsigned decimals, unsigned width)
{
	uint64_t whole = v / power[decimals], rest = v % power[decimals];
	unsigned n = negative + count_digits(whole);
	char *p = append_padded(b, decimals ? n + 1 + decimals : n, width);

	*p = '-';
	write_digits_before(p + n, whole);
	if (!decimals)
		return;
	p[n] = '.';
	for (unsigned i = decimals; i; i--, rest /= 10)
		p[n + i] = (char)('0' + rest % 10);
}

static void append_inf_or_nan(struct bytes *b, double v, unsigned width)
{
	bool negative = signbit(v);
	char *p = append_padded(b, 3u + negative, width);

	*p = '-';
	memcpy(p + negative, isnan(v) ? "nan" : "inf", 3);
}

void bytes_fixed(struct bytes *b, double v, unsigned width, unsigned decimals)
{
	double size = fabs(v);
	struct cut c;

	if (!isfinite(v)) {
		append_inf_or_nan(b, v, width);
	} else if (size < BELOW && decimals < N_POWERS) {
		c = scale_exactly(size, power[decimals]);
		append_decimal(b, signbit(v), c.whole + c.round_up, decimals, width);
	} else {
		bytes_printf(b, "%*.*f", (int)width, (int)decimals, v);
	}
}

/*
 * Sets *decimals to the number of decimals with which `size` has `digits` significant digits, and *rounded to these
 * digits without the point. Returns false if the number needs an exponent. Compares the truncated value, because
 * rounding up to one more digit only adds a trailing 0.
 */
static bool find_decimals(double size, unsigned digits, unsigned *decimals, uint64_t *rounded)
{
	/* The first non-zero digit is at most the fourth decimal. Smaller numbers need an exponent. */
	for (unsigned d = 0; d < digits + 4; d++) {
		struct cut c = scale_exactly(size, power[d]);

		if (c.whole < power[digits - 1])
			continue;
		*decimals = d;
		*rounded = c.whole + c.round_up;
		return d || *rounded < power[digits];
	}
	return false;
}

void bytes_general(struct bytes *b, double v, unsigned digits)
{
	unsigned decimals = 0;
	uint64_t rounded = 0;

	if (!isfinite(v)) {
		append_inf_or_nan(b, v, 0);
	} else if (v == 0) {
		append_decimal(b, signbit(v), 0, 0, 0);
	} else if (digits && digits + 4 <= N_POWERS && fabs(v) < BELOW &&
		   find_decimals(fabs(v), digits, &decimals, &rounded)) {
		for (; decimals && rounded % 10 == 0; decimals--)
			rounded /= 10;
		append_decimal(b, signbit(v), rounded, decimals, 0);
	} else {
		bytes_printf(b, "%.*g", (int)digits, v);
	}
}
