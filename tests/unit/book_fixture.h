/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks that write the figures of network mode 1 in the form that trace-sim prints, for the tests of
 * networks.
 */
#ifndef BOOK_FIXTURE_H
#define BOOK_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include "net/book.h"

static inline void book_text(void *out, const char *text) { fputs(text, out); }

static inline void book_real(void *out, const struct book_name *n, double value, const char *after)
{
	fprintf(out, "%s%s%g%s", n->text, n->equals, value, after);
}

static inline void book_count(void *out, const struct book_name *n, int64_t value, const char *after)
{
	fprintf(out, "%s%s%" PRId64 "%s", n->text, n->equals, value, after);
}

#endif
