/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte buffers, text or binary, that grow at their end.
 *
 * Always true: after the first addition a NUL follows the n bytes, so p is also a string; a zeroed struct is
 * empty. The caller owns p and releases it with bytes_free() or free(p). pack/buf.h is the alternative for
 * loops that mostly append single bytes.
 */
#ifndef BYTES_H
#define BYTES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"

struct bytes {
	char *p;    /* contents, followed by a NUL */
	size_t n;   /* number of bytes */
	size_t cap; /* allocated size in bytes */
};

/* Reserves capacity for n more bytes and the NUL; the new bytes are not initialised. */
void bytes_reserve(struct bytes *b, size_t n);

/* Append n bytes, a string or formatted text. */
static inline void bytes_add(struct bytes *b, const void *p, size_t n)
{
	if (n >= b->cap - b->n)
		bytes_reserve(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}
static inline void bytes_puts(struct bytes *b, const char *s) { bytes_add(b, s, strlen(s)); }
void bytes_printf(struct bytes *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void bytes_vprintf(struct bytes *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
/* Appends s as printf("%*s") does: padded to width columns on the left, to -width on the right. */
void bytes_column(struct bytes *b, const char *s, int width);
/*
 * Append a number exactly as printf() does with %PRIu64, %*PRId64, %*.*f and %.*g. They are faster than printf(),
 * which matters for output of thousands of numbers.
 */
void bytes_unsigned(struct bytes *b, uint64_t v);
void bytes_signed(struct bytes *b, int64_t v, unsigned width);
void bytes_fixed(struct bytes *b, double v, unsigned width, unsigned decimals);
void bytes_general(struct bytes *b, double v, unsigned digits);
/*
 * Opens a stream that appends to *b. *b is complete, and a string, after fclose(). Unlike open_memstream(), the
 * stream ends the program when out of memory instead of cutting the text short.
 */
FILE *bytes_stream(struct bytes *b);
void bytes_free(struct bytes *b); /* frees the memory and leaves *b empty */

#endif
