/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of text to numbers.
 *
 * Always true: no blanks and signs are skipped; a value that does not fit has another result than text that
 * is no number; the locale is ignored. trace/fast.c and pack/parse.c have faster conversions of their own,
 * which read eight digits at a time.
 */
#ifndef NUM_H
#define NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum num { NUM_GOOD, NUM_NONE, NUM_LARGE };

/*
 * Reads the digits of base 8, 10 or 16 at *at, in text that ends at end, or with a NUL where end is NULL.
 * Moves *at past them. *out is their value, max where it is larger (NUM_LARGE), 0 without digits (NUM_NONE).
 */
enum num num_digits(const char **at, const char *end, unsigned base, uint64_t max, uint64_t *out);

/* Reads n bytes of text as a decimal number up to max; false: they are not exactly that. */
bool num_whole(const char *text, size_t n, uint64_t max, uint64_t *out);

/* Value of the decimal digits that text begins with; 0 without digits, UINT64_MAX where it is larger. */
uint64_t num_leading(const char *text);

/*
 * Reads a decimal number without sign, with optional point and exponent: "2", ".5", "1e-3"; neither infinity
 * nor hexadecimal. Moves *at past it for NUM_GOOD. The text ends with a NUL.
 */
enum num num_real(const char **at, double *out);

#endif
