/* SPDX-License-Identifier: BSD-2-Clause */
/* Undefined results of matrix products. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "exec/trial.h"

/*
 * Sets each[] to the lanes in which the results of a product with 16 rows and 8 columns are undefined: those whose row
 * of the first matrix, column of the second one, or element of the third one is. Lane l has the elements of row l / 4
 * (even registers of A, first half of D) and of row l / 4 + 8, and of columns 2 * (l % 4) and the next. Returns false
 * if the number of registers is that of another form.
 */
bool product_find_undefined(const struct warp *w, const struct operand_list *l, uint32_t each[TRIAL_RESULTS]);

#endif
