/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of hexadecimal numbers in words of eight characters, all digits of a word at once.
 *
 * Always true: at least 24 bytes after the first character are readable.
 */
#ifndef DIGITS_H
#define DIGITS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "bits.h"

static inline uint64_t load64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v); /* puts the first character into the lowest byte */
}

#define EACH UINT64_C(0x0101010101010101) /* EACH times a character is a word of eight such characters */

/* Returns the number of characters, from the lowest byte, before the first blank or line end; 8 if there is none. */
static inline unsigned word_length(uint64_t x)
{
	uint64_t below = (x - '!' * EACH) & ~x & 0x80 * EACH;
	return below ? bit_lowest64(below) / 8 : 8;
}

/*
 * Converts the n (1 to 8) lowest characters of the word as hexadecimal digits. Returns false if another character
 * occurs.
 */
static inline bool hex_word(uint64_t x, unsigned n, uint64_t *v)
{
	unsigned unused = 64 - 8 * n;
	x = __builtin_bswap64(x << unused | ('0' * EACH & ((UINT64_C(1) << unused) - 1)));
	uint64_t letter = x >> 6 & EACH;
	uint64_t d = (x & 0x0f * EACH) + 9 * letter;
	/* Characters that are not digits are detected by converting back, which gives different characters. */
	uint64_t ten = (d + 6 * EACH) >> 4 & EACH;
	bool good = !(d & 0xf0 * EACH) && (x | letter << 5) == d + '0' * EACH + ten * ('a' - '0' - 10);
	d = (d | d >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	d = (d | d >> 8) & UINT64_C(0x0000ffff0000ffff);
	*v = (d | d >> 16) & UINT32_MAX;
	return good;
}

/* Parses up to 16 hexadecimal digits and moves *p past them. */
static inline bool read_hex(const char **p, uint64_t *v)
{
	uint64_t x = load64(*p), low;
	unsigned n = word_length(x);
	if (!n || !hex_word(x, n, v))
		return false;
	*p += n;
	if (n < 8 || !(n = word_length(x = load64(*p))))
		return true;
	*p += n;
	bool good = hex_word(x, n, &low);
	*v = *v << 4 * n | low;
	return good;
}

/* Parses a blank and an address, with or without 0x, and moves *p past them. */
static inline bool read_address(const char **p, uint64_t *v)
{
	const char *s = *p;
	if (s[0] == ' ' && s[1] == '0' && s[2] == 'x')
		s += 3;
	else if (*s++ != ' ')
		return false;
	*p = s;
	return read_hex(p, v);
}

#endif
