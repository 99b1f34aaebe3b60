/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the numbers of results. Always true: whole numbers keep all 64 bits; numbers that are not finite are
 * rejected. Texts end with a NUL and are read in the C locale.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "num.h"
#include "read_int.h"

struct result_value value_of_integer(uint64_t n)
{
	return (struct result_value){(double)n, n, true, RESULT_EXACT};
}

struct result_value value_of_real(double x) { return (struct result_value){x, 0, false, RESULT_EXACT}; }

/* Returns true if a text starts with a decimal number; hexadecimal, nan and inf are rejected. */
static bool starts_number(const char *s)
{
	if (*s == '-' || *s == '+')
		s++;
	if (*s == '0' && (s[1] == 'x' || s[1] == 'X'))
		return false;
	return isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]));
}

/* Returns the number of digits after the point, minus the exponent. */
static int decimal_places(const char *s, const char *end)
{
	int n = 0;
	bool point = false;

	for (; s < end && *s != 'e' && *s != 'E'; s++) {
		if (*s == '.')
			point = true;
		else
			n += point && n < 64;
	}
	if (s < end) {
		long e = strtol(s + 1, NULL, 10);

		n -= (int)(e > 400 ? 400 : e < -400 ? -400 : e);
	}
	return n > 100 ? 100 : n < -100 ? -100 : n;
}

static bool parse_number_prefix(const char *text, const char **end, struct result_value *v)
{
	char *stop;
	uint64_t whole;

	if (!starts_number(text))
		return false;
	*end = text;
	if (num_digits(end, NULL, 10, UINT64_MAX, &whole) == NUM_GOOD && (!**end || !strchr(".eE", **end))) {
		*v = value_of_integer(whole);
		return true;
	}
	*v = value_of_real(strtod(text, &stop));
	*end = stop;
	return isfinite(v->real);
}

bool value_parse(const char *text, struct result_value *v)
{
	const char *end;

	return parse_number_prefix(text, &end, v) && !*end;
}

bool value_parse_printed(const char *text, const char **end, struct result_value *v)
{
	while (*text == ' ' || *text == '\t')
		text++;
	if (!parse_number_prefix(text, end, v))
		return false;
	if (!v->is_whole) {
		v->decimals = (int8_t)decimal_places(text, *end);
		/* Accel-Sim prints counters as signed 32-bit numbers. */
		if (!memchr(text, '.', (size_t)(*end - text)) && v->real < 0 && v->real >= -0x1p31)
			*v = value_of_integer((uint64_t)(v->real + 0x1p32));
	}
	return true;
}
