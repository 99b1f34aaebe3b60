/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of text to numbers.
 *
 * Always true: blanks and signs are not skipped; the result distinguishes a value that does not fit from text that
 * is not a number; the locale is ignored. trace/fast.c and pack/parse.c have faster conversions, which read eight
 * digits at a time.
 */
#ifndef NUM_H
#define NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum num { NUM_GOOD, NUM_NONE, NUM_LARGE };

/*
 * Reads digits of base 8, 10 or 16 at *at and moves *at past them. The text ends at end, or with a NUL if end is
 * NULL. Sets *out to their value, to max if the value is larger (NUM_LARGE), or to 0 if there are none (NUM_NONE).
 */
enum num num_digits(const char **at, const char *end, unsigned base, uint64_t max, uint64_t *out);

/* Reads the n bytes of text as a decimal number up to max. Returns false if they are something else. */
bool num_whole(const char *text, size_t n, uint64_t max, uint64_t *out);

/*
 * Returns the value of the decimal digits at the start of text: 0 without digits, UINT64_MAX if the value is larger.
 */
uint64_t num_leading(const char *text);

/*
 * Reads a decimal number without sign, with optional point and exponent: "2", ".5", "1e-3". Infinity and hexadecimal
 * numbers are not numbers here. Moves *at past the number if the result is NUM_GOOD. The text ends with a NUL.
 */
enum num num_real(const char **at, double *out);

#endif
