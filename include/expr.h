/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small expressions over figures: + - * / parentheses, numbers, names, and min max sqrt log abs.
 *
 * A name is letters, digits, '_', '.' and bracketed indices (L2_cache_bank[0].Miss); between double quotes
 * it may be anything. Always true: evaluation needs no memory and ends; a value that is absent, a division
 * by zero and any other result that is not finite give NaN, and NaN spreads to what is made of it.
 */
#ifndef EXPR_H
#define EXPR_H

#include <stddef.h>
#include "diag.h"

#define EXPR_MAX   4096 /* bytes of an expression */
#define EXPR_DEPTH 64   /* nested parentheses and functions */

struct expr;

/* NULL and *f (the place is column `col` of what, and on) when text is no expression. */
struct expr *expr_parse(const char *text, const char *what, uint32_t col, struct fault *f);
double expr_value(const struct expr *e, double (*lookup)(void *ctx, const char *name), void *ctx);
size_t expr_names(const struct expr *e);
const char *expr_name(const struct expr *e, size_t i);
void expr_free(struct expr *e);

#endif
