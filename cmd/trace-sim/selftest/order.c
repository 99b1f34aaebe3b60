/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random order of lines (order.h). A Feistel network, applied repeatedly until the result is in range,
 * permutes the lines.
 */
#include "selftest/order.h"

static uint32_t feistel_round(uint32_t half, uint32_t round)
{
	uint64_t z = ((uint64_t)round << 32 | half) * 0x9E3779B97F4A7C15ull;

	z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9ull;
	return (uint32_t)(z >> 32);
}

void order_init(struct line_order *o, uint64_t lines)
{
	o->lines = lines;
	o->half_bits = 1;
	while (1ull << 2 * o->half_bits < lines)
		o->half_bits++;
}

uint64_t order_line(const struct line_order *o, uint64_t i)
{
	uint64_t mask = (1ull << o->half_bits) - 1;

	do {
		uint64_t left = i >> o->half_bits, right = i & mask;

		for (uint32_t round = 0; round < 4; round++) {
			uint64_t next = left ^ (feistel_round((uint32_t)right, round) & mask);

			left = right;
			right = next;
		}
		i = left << o->half_bits | right;
	} while (i >= o->lines);
	return i;
}
