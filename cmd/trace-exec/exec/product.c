/* SPDX-License-Identifier: BSD-2-Clause */
/* Undefined results of matrix products: see product.h. */
#include "exec/product.h"
#include "exec/undefined.h"

/* Returns a bit for each group of 4 lanes, which hold a row or a column of a matrix: 1 if one of them is undefined. */
static unsigned undefined_rows(const struct warp *w, uint32_t word)
{
	uint32_t lanes = undefined_lanes(w, operand_slot_of(word));
	unsigned rows = 0;

	for (unsigned i = 0; i < 8; i++)
		rows |= (unsigned)(lanes >> 4 * i & 15 ? 1 : 0) << i;
	return rows;
}

bool product_find_undefined(const struct warp *w, const struct operand_list *l, uint32_t each[TRIAL_RESULTS])
{
	uint32_t d[TRIAL_RESULTS], from[TRIAL_RESULTS];
	unsigned n_d = operands_take(l, OPERAND_RESULT, d, TRIAL_RESULTS),
		 n = operands_take(l, OPERAND_SOURCE, from, TRIAL_RESULTS),
		 n_b = n > n_d && (n - n_d) % 3 == 0 ? (n - n_d) / 3 : 0, rows[2] = {0, 0}, columns = 0;

	if ((n_d != 2 && n_d != 4) || (n_b != 1 && n_b != 2 && n_b != 4))
		return false;
	for (unsigned i = 0; i < 2 * n_b; i++)
		rows[i % 2] |= undefined_rows(w, from[i]);
	for (unsigned i = 0; i < n_b; i++)
		columns |= undefined_rows(w, from[2 * n_b + i]);
	for (unsigned i = 0; i < n_d; i++) {
		unsigned in_columns = n_d == 2 ? 3 : 1u << i % 2; /* columns of the register's elements */

		each[i] = undefined_lanes(w, operand_slot_of(from[3 * n_b + i]));
		for (unsigned k = 0; k < LANES; k++)
			if (rows[i / (n_d / 2)] >> k / 4 & 1 || columns >> 2 * (k % 4) & in_columns)
				each[i] |= 1u << k;
	}
	return true;
}
