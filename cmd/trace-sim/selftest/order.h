/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random order of lines: a pass visits each of the lines 0 to lines - 1 once. Equal numbers of lines always
 * have the same order.
 */
#ifndef SELFTEST_ORDER_H
#define SELFTEST_ORDER_H

#include <stdint.h>

struct line_order {
	uint64_t lines;     /* number of lines of a pass */
	uint32_t half_bits; /* number of bits in each half of a value in the Feistel network */
};

void order_init(struct line_order *o, uint64_t lines);
/* Returns the line that step i of a pass visits. `i` is less than the number of lines. */
uint64_t order_line(const struct line_order *o, uint64_t i);

#endif
