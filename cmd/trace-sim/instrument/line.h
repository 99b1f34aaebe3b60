/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes parts of log lines into a buffer of the caller. A log has millions of lines, for which printf()
 * would take more time than the simulation.
 */
#ifndef LINE_H
#define LINE_H

#include <stdint.h>

/* Writes a decimal number. Returns the end of the text. */
static inline char *line_append_decimal(char *p, uint64_t v)
{
	char digit[20];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*p++ = digit[--n];
	return p;
}

/* Writes a hexadecimal number. Returns the end of the text. */
static inline char *line_append_hex(char *p, uint64_t v)
{
	unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4u : 1u;

	while (n--)
		*p++ = "0123456789abcdef"[v >> (n * 4) & 15];
	return p;
}

/* Copies a word. Returns the end of the text. */
static inline char *line_append_string(char *p, const char *word)
{
	while (*word)
		*p++ = *word++;
	return p;
}

#endif
