/* SPDX-License-Identifier: BSD-2-Clause */
/* Byte buffers; see bytes.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bytes.h"

#define LEAST 4096u

void bytes_reserve(struct bytes *b, size_t n)
{
	size_t need = b->n + n + 1;

	if (need <= b->cap)
		return;
	b->cap = 2 * b->cap > LEAST ? 2 * b->cap : LEAST;
	if (b->cap < need)
		b->cap = need;
	b->p = xrealloc(b->p, b->cap, 1);
}

void bytes_column(struct bytes *b, const char *s, int width)
{
	size_t n = strlen(s), columns = (size_t)(width < 0 ? -(int64_t)width : width);
	size_t blanks = columns > n ? columns - n : 0;

	bytes_reserve(b, n + blanks);
	memset(b->p + b->n, ' ', n + blanks);
	memcpy(b->p + b->n + (width < 0 ? 0 : blanks), s, n);
	b->n += n + blanks;
	b->p[b->n] = '\0';
}

/* Formats into the free part of the buffer. If the text does not fit, grows the buffer and formats again. */
void bytes_vprintf(struct bytes *b, const char *fmt, va_list args)
{
	va_list again;
	size_t n;

	va_copy(again, args);
	n = (size_t)vsnprintf(b->p ? b->p + b->n : NULL, b->cap - b->n, fmt, args);
	if (n >= b->cap - b->n) {
		bytes_reserve(b, n);
		vsnprintf(b->p + b->n, n + 1, fmt, again);
	}
	b->n += n;
	va_end(again);
}

void bytes_printf(struct bytes *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	bytes_vprintf(b, fmt, args);
	va_end(args);
}

static ssize_t bytes_write(void *b, const char *p, size_t n)
{
	bytes_add(b, p, n);
	return (ssize_t)n;
}

FILE *bytes_stream(struct bytes *b)
{
	FILE *f = fopencookie(b, "w", (cookie_io_functions_t){.write = bytes_write});

	if (!f)
		die("out of memory");
	bytes_add(b, "", 0);
	return f;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){0};
}
