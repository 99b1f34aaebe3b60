/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 for messages and records: length of the well-formed character at p.
 * Always true: overlong forms, surrogates and values above U+10FFFF are not well formed.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Length of the character at p in n > 0 bytes: 1 to 4, or 0 when it is malformed or cut. */
static inline unsigned utf8_length(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
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

/* The same for text on a terminal: control characters including C1 count as malformed. */
static inline unsigned utf8_printable(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && n > 1 && u[1] < 0xa0))
		return 0;
	return utf8_length(p, n);
}

#endif
