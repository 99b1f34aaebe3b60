/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of manual pages. Words are printed literally, in lines of at most 78 bytes: no line begins a request, no
 * backslash an escape.
 */
#ifndef ROFF_H
#define ROFF_H

#include <stddef.h>
#include <stdio.h>
#include "diag.h"

/* Continues a line of `column` bytes, 0 for a new one, with the words of text; returns its length. */
size_t roff_words(FILE *out, size_t column, const char *text);
/* Print lines of their own. */
void roff_text(FILE *out, const char *text);
void roff_printf(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints text with a capital letter and a full stop. */
void roff_sentence(FILE *out, const char *text);

#endif
