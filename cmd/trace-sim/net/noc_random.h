/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The random numbers of network mode 1: Knuth's subtractive generator with lags 100 and 37 modulo 2^30 (The
 * Art of Computer Programming, volume 2). Of every 1009 numbers the first 100 are used.
 */
#ifndef NOC_RANDOM_H
#define NOC_RANDOM_H

#include <stdint.h>

#define RANDOM_LAG  100
#define RANDOM_PART 1009

struct noc_random {
	uint32_t state[RANDOM_LAG];
	uint32_t ready[RANDOM_PART]; /* numbers computed at once; only the first RANDOM_LAG are used */
	uint32_t used;
};

/* Starts the sequence of a seed. */
void noc_random_start(struct noc_random *r, int64_t seed);
/* Computes the next RANDOM_PART numbers. Called when all numbers have been used. */
void noc_random_refill(struct noc_random *r);

/* Returns a random number from 0 to 2^30 - 1. */
static inline uint32_t noc_random_next(struct noc_random *r)
{
	if (r->used == RANDOM_LAG)
		noc_random_refill(r);
	return r->ready[r->used++];
}

/* Returns a random number from 0 to most, inclusive. */
static inline uint32_t noc_random_int(struct noc_random *r, uint32_t most)
{
	return noc_random_next(r) % (most + 1);
}

/* Skips n random numbers. */
static inline void noc_random_skip(struct noc_random *r, uint32_t n)
{
	while (n > RANDOM_LAG - r->used) {
		n -= RANDOM_LAG - r->used;
		noc_random_refill(r);
	}
	r->used += n;
}

#endif
