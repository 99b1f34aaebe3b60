/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of text for manual pages. Words are printed literally, in lines of at most 78 bytes. No line begins with a
 * request, and no backslash begins an escape.
 */
#ifndef ROFF_H
#define ROFF_H

#include <stddef.h>
#include <stdio.h>
#include "diag.h"

/* Appends the words of text to a line of `column` bytes (0: a new line). Returns the line's new length. */
size_t roff_words(FILE *out, size_t column, const char *text);
/* Print text on lines of its own. */
void roff_text(FILE *out, const char *text);
void roff_printf(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints text with a capital first letter and a full stop. */
void roff_sentence(FILE *out, const char *text);

#endif
