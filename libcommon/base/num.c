/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of text to numbers; see num.h. No program sets a locale, so strtod() uses "C". */
#include <math.h>
#include <stdlib.h>
#include "num.h"

static unsigned hex_digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

enum num num_digits(const char **at, const char *end, unsigned base, uint64_t max, uint64_t *out)
{
	const char *p = *at;
	bool large = false;
	uint64_t v = 0;

	for (unsigned d; p != end && (d = hex_digit_value(*p)) < base; p++)
		large |= __builtin_mul_overflow(v, (uint64_t)base, &v) ||
			 __builtin_add_overflow(v, (uint64_t)d, &v);
	large |= v > max;
	*out = large ? max : v;
	if (p == *at)
		return NUM_NONE;
	*at = p;
	return large ? NUM_LARGE : NUM_GOOD;
}

bool num_whole(const char *text, size_t n, uint64_t max, uint64_t *out)
{
	const char *p = text;

	return num_digits(&p, text + n, 10, max, out) == NUM_GOOD && p == text + n;
}

uint64_t num_leading(const char *text)
{
	uint64_t v;

	num_digits(&text, NULL, 10, UINT64_MAX, &v);
	return v;
}

enum num num_real(const char **at, double *out)
{
	const char *p = *at + (**at == '.');
	char *end;

	if (*p < '0' || *p > '9')
		return NUM_NONE;
	if (*p == '0' && (p[1] | 0x20) == 'x') { /* *p is the 0 of "0x" */
		*out = 0;
		*at = p + 1;
		return NUM_GOOD;
	}
	*out = strtod(*at, &end);
	if (!isfinite(*out))
		return NUM_LARGE;
	*at = end;
	return NUM_GOOD;
}
