/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers from text, the one place where digits become values.
 *
 * Always true: nothing is skipped, blanks and signs included; a value that does not fit is told from text
 * that is no number; the locale has no part in it. Leaves out: text at a speed that counts (trace/fast.c,
 * pack/parse.c), which reads eight digits at a time.
 */
#ifndef NUM_H
#define NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum num { NUM_GOOD, NUM_NONE, NUM_LARGE };

/*
 * The digits of base 8, 10 or 16 at *at, of text that ends at end, or with a NUL where end is NULL. *at is
 * moved behind them; *out is their value, max where it is larger (NUM_LARGE), 0 without digits (NUM_NONE).
 */
enum num num_digits(const char **at, const char *end, unsigned base, uint64_t max, uint64_t *out);

/* The n bytes of text are a decimal number up to max, from its first byte to the last. */
bool num_whole(const char *text, size_t n, uint64_t max, uint64_t *out);

/* The decimal number that text begins with; 0 without digits, UINT64_MAX where it is larger. */
uint64_t num_leading(const char *text);

/*
 * A decimal number without sign, with point and exponent where there are any: "2", ".5", "1e-3"; no infinity,
 * no hexadecimal. *at is moved behind it where it is NUM_GOOD; text ends with a NUL.
 */
enum num num_real(const char **at, double *out);

#endif
