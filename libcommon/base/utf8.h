/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 for messages and records: length of a well-formed character, and whether it is safe to print. Always true:
 * overlong forms, surrogates and values above U+10FFFF are malformed.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the character at p, 1 to 4 bytes; 0 if it is malformed or longer than the n (> 0) bytes. */
static inline unsigned utf8_length(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned char low = 0x80, high = 0xbf; /* smallest and largest second byte */
	unsigned len;

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	if (n < len || u[1] < low || u[1] > high)
		return 0;
	for (unsigned i = 2; i < len; i++) {
		if (u[i] < 0x80 || u[i] > 0xbf)
			return 0;
	}
	return len;
}

/*
 * Returns true if a character has no width, or changes the direction of text: U+061C, U+200B-200F, U+202A-202E,
 * U+2060, U+2066-2069, U+FEFF (the byte order mark).
 */
static inline bool utf8_is_invisible(const unsigned char *u, unsigned len)
{
	if (len == 2)
		return u[0] == 0xd8 && u[1] == 0x9c;
	if (len == 3 && u[0] == 0xef)
		return u[1] == 0xbb && u[2] == 0xbf;
	if (len != 3 || u[0] != 0xe2)
		return false;
	if (u[1] == 0x80)
		return (u[2] >= 0x8b && u[2] <= 0x8f) || (u[2] >= 0xaa && u[2] <= 0xae);
	return u[1] == 0x81 && (u[2] == 0xa0 || (u[2] >= 0xa6 && u[2] <= 0xa9));
}

/* Does the same as utf8_length(), but also returns 0 for control characters (C0, DEL, C1) and invisible characters. */
static inline unsigned utf8_printable(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned len = utf8_length(p, n);

	if (u[0] < 0x20 || u[0] == 0x7f || (len == 2 && u[0] == 0xc2 && u[1] < 0xa0))
		return 0;
	return utf8_is_invisible(u, len) ? 0 : len;
}

#endif
