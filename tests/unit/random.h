/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers for tests, by xorshift: the same in each run. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t seed = 1; /* state of the generator; tests set it to repeat a sequence */

/* Returns a number from 0 to n - 1. */
static uint32_t random_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

#endif
