/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic expressions over figures: + - * / parentheses, numbers, names, and min max sqrt log abs.
 *
 * A name is letters, digits, '_', '.' and bracketed indices (L2_cache_bank[0].Miss); between double quotes
 * it may contain any character. Always true: evaluation allocates no memory and terminates; an absent value,
 * a division by zero and any other result that is not finite give NaN, and NaN propagates.
 */
#ifndef EXPR_H
#define EXPR_H

#include <stddef.h>
#include "diag.h"

#define EXPR_MAX   4096 /* largest length of an expression in bytes */
#define EXPR_DEPTH 64   /* largest depth of nested parentheses and functions */

struct expr;

/*
 * Parses text. Returns NULL and sets *f if it is not an expression. The fault has the file name `what`, and its
 * columns count from `col`.
 */
struct expr *expr_parse(const char *text, const char *what, uint32_t col, struct fault *f);
/* Returns the value of e. lookup() returns the value of a name, or NaN if the name has none. */
double expr_value(const struct expr *e, double (*lookup)(void *ctx, const char *name), void *ctx);
size_t expr_names(const struct expr *e); /* returns the number of distinct names in e */
const char *expr_name(const struct expr *e, size_t i);
void expr_free(struct expr *e);

#endif
