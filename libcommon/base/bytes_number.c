/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as text, behind what is there, as printf() of the C locale writes them but without its way there.
 *
 * Always true: what is written is printf's text to the byte. A real number is a whole number of up to 53 bits
 * times a power of two; times a power of ten and cut at a bit, in 128 bits nothing of it is lost, so the last
 * digit is rounded as printf does: to the nearest, of two as near to the even one. Leaves out, to printf()
 * itself: reals of many digits, and with %g those that need an exponent.
 */
#include <math.h>
#include <string.h>
#include "bytes.h"

#define WIDEST 48u /* characters of a number that is written here, blanks included */

static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
#define N_POWERS (sizeof(power) / sizeof(*power))

/* A number is put together from its last character to its first, in a field of blanks. */
struct field {
	char text[WIDEST];
	char *at; /* its first character so far */
};

static void field_begin(struct field *f)
{
	memset(f->text, ' ', sizeof(f->text));
	f->at = f->text + sizeof(f->text);
}

static void field_add(struct bytes *b, const struct field *f, unsigned width)
{
	const char *end = f->text + sizeof(f->text);
	size_t n = (size_t)(end - f->at);

	n = n < width ? width : n;
	bytes_add(b, end - n, n);
}

static void put_digits(struct field *f, uint64_t v)
{
	do
		*--f->at = (char)('0' + v % 10);
	while (v /= 10);
}

static void put_word(struct field *f, const char *word, size_t n) { memcpy(f->at -= n, word, n); }

void bytes_unsigned(struct bytes *b, uint64_t v)
{
	struct field f;

	f.at = f.text + sizeof(f.text);
	put_digits(&f, v);
	field_add(b, &f, 0);
}

void bytes_signed(struct bytes *b, int64_t v, unsigned width)
{
	struct field f;

	if (width > WIDEST) {
		bytes_printf(b, "%*lld", (int)width, (long long)v);
		return;
	}
	field_begin(&f);
	put_digits(&f, v < 0 ? -(uint64_t)v : (uint64_t)v);
	if (v < 0)
		*--f.at = '-';
	field_add(b, &f, width);
}

/* ---- reals -------------------------------------------------------------------------------------- */

#define BELOW 0x1p33 /* times the largest of power[] it is less than 2^63 */

struct cut {
	uint64_t whole;
	bool up; /* the nearest whole number is the next one */
};

/* v times a power of ten as a whole number and what becomes of the rest; v is neither negative nor BELOW. */
static struct cut scale_exactly(double v, uint64_t factor)
{
	unsigned __int128 product, rest, half;
	uint64_t bits;
	unsigned exponent, shift;
	struct cut c;

	memcpy(&bits, &v, sizeof(bits));
	exponent = (unsigned)(bits >> 52);
	if (exponent < 1075 - 120) /* less than 2^-68: too little to be seen */
		return (struct cut){0, false};
	shift = 1075 - exponent; /* 20 to 120 */
	product = (unsigned __int128)((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52) * factor;
	half = (unsigned __int128)1 << (shift - 1);
	rest = product & (2 * half - 1);
	c.whole = (uint64_t)(product >> shift);
	c.up = rest > half || (rest == half && c.whole & 1);
	return c;
}

/* v without its last `decimals` digits, those, and the sign. */
static void put_fixed(struct field *f, uint64_t v, unsigned decimals, bool negative)
{
	for (unsigned i = 0; i < decimals; i++, v /= 10)
		*--f->at = (char)('0' + v % 10);
	if (decimals)
		*--f->at = '.';
	put_digits(f, v);
	if (negative)
		*--f->at = '-';
}

static void put_nonfinite(struct field *f, double v)
{
	put_word(f, isnan(v) ? "nan" : "inf", 3);
	if (signbit(v))
		*--f->at = '-';
}

void bytes_fixed(struct bytes *b, double v, unsigned width, unsigned decimals)
{
	double size = fabs(v);
	struct field f;
	struct cut c;

	if (width > WIDEST || decimals >= N_POWERS || (isfinite(v) && size >= BELOW)) {
		bytes_printf(b, "%*.*f", (int)width, (int)decimals, v);
		return;
	}
	field_begin(&f);
	if (isfinite(v)) {
		c = scale_exactly(size, power[decimals]);
		put_fixed(&f, c.whole + c.up, decimals, signbit(v));
	} else {
		put_nonfinite(&f, v);
	}
	field_add(b, &f, width);
}

/*
 * The number of decimals with which size has so many digits, and those; false: it needs an exponent. What is
 * cut tells, not what is rounded: a number that is rounded up to one digit more has a 0 as its last.
 */
static bool find_decimals(double size, unsigned digits, unsigned *decimals, uint64_t *rounded)
{
	/* The first digit that is no 0 is at most the fourth decimal: with the next one begin exponents. */
	for (unsigned d = 0; d < digits + 4; d++) {
		struct cut c = scale_exactly(size, power[d]);

		if (c.whole < power[digits - 1])
			continue;
		*decimals = d;
		*rounded = c.whole + c.up;
		return d || *rounded < power[digits];
	}
	return false;
}

void bytes_general(struct bytes *b, double v, unsigned digits)
{
	unsigned decimals = 0;
	uint64_t rounded = 0;
	struct field f;

	f.at = f.text + sizeof(f.text);
	if (!isfinite(v)) {
		put_nonfinite(&f, v);
	} else if (v == 0) {
		put_fixed(&f, 0, 0, signbit(v));
	} else if (digits && digits + 4 <= N_POWERS && fabs(v) < BELOW &&
		   find_decimals(fabs(v), digits, &decimals, &rounded)) {
		for (; decimals && rounded % 10 == 0; decimals--)
			rounded /= 10;
		put_fixed(&f, rounded, decimals, signbit(v));
	} else {
		bytes_printf(b, "%.*g", (int)digits, v);
		return;
	}
	field_add(b, &f, 0);
}
