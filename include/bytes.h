/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text and other bytes that grow at their end.
 *
 * Always true: a NUL stands behind the n bytes once anything was added, so p is a string, too; zeroed is
 * empty. The caller owns p: bytes_free, or free(p) wherever it went. Leaves out: bytes appended one by one
 * where that is most of the work (pack/buf.h).
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
	char *p;
	size_t n, cap;
};

/* Room for n more and the NUL; the bytes there are no text yet. */
void bytes_reserve(struct bytes *b, size_t n);

/* Behind what is there: n bytes, a string, formatted text. */
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
/* As printf("%*s") does: on the right of so many columns, on the left of as many less than none. */
void bytes_column(struct bytes *b, const char *s, int width);
/*
 * Numbers as printf() writes them, to the byte: %PRIu64, %*PRId64, %*.*f and %.*g. Where there are thousands of
 * them, printf() itself is most of the work.
 */
void bytes_unsigned(struct bytes *b, uint64_t v);
void bytes_signed(struct bytes *b, int64_t v, unsigned width);
void bytes_fixed(struct bytes *b, double v, unsigned width, unsigned decimals);
void bytes_general(struct bytes *b, double v, unsigned digits);
/*
 * A stream whose text is added to *b, from then on a string; read it after fclose(). Out of memory the
 * program ends, and no text is cut short, as open_memstream() does.
 */
FILE *bytes_stream(struct bytes *b);
void bytes_free(struct bytes *b); /* empty again */

#endif
