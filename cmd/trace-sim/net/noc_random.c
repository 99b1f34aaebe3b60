/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates the sequence X[j] = X[j-100] - X[j-37] modulo 2^30. A seed selects a point of this sequence: a
 * power of z modulo the polynomial z^100 + z^63 + 1 over words, computed by squaring and multiplying. The
 * streams of different seeds are therefore far from each other.
 */
#include <string.h>
#include "net/noc_random.h"

#define LONG_LAG  RANDOM_LAG
#define SHORT_LAG 37
#define MASK      ((1u << 30) - 1)
#define STREAMS   70 /* number of squarings that select the stream of a seed */
/* number of consecutive values that can be computed independently; a multiple of the vector length */
#define BLOCK 36

/* Draws n >= 100 numbers from the state and advances it. */
static void draw_random_numbers(uint32_t *state, uint32_t *out, int n)
{
	int j = LONG_LAG;

	memcpy(out, state, LONG_LAG * sizeof(*out));
	for (; j + BLOCK <= n; j += BLOCK)
		for (int i = 0; i < BLOCK; i++)
			out[j + i] = (out[j + i - LONG_LAG] - out[j + i - SHORT_LAG]) & MASK;
	for (; j < n; j++)
		out[j] = (out[j - LONG_LAG] - out[j - SHORT_LAG]) & MASK;
	for (int i = 0; i < SHORT_LAG; i++)
		state[i] = (out[n + i - LONG_LAG] - out[n + i - SHORT_LAG]) & MASK;
	for (int i = SHORT_LAG; i < LONG_LAG; i++)
		state[i] = (out[n + i - LONG_LAG] - state[i - SHORT_LAG]) & MASK;
}

/* Squares the polynomial in the first 100 words of x and reduces it. */
static void square_polynomial(uint32_t *x)
{
	for (int j = LONG_LAG - 1; j > 0; j--) {
		x[2 * j] = x[j];
		x[2 * j - 1] = 0;
	}
	for (int j = 2 * LONG_LAG - 2; j >= LONG_LAG; j--) {
		x[j - (LONG_LAG - SHORT_LAG)] = (x[j - (LONG_LAG - SHORT_LAG)] - x[j]) & MASK;
		x[j - LONG_LAG] = (x[j - LONG_LAG] - x[j]) & MASK;
	}
}

static void multiply_by_z(uint32_t *x)
{
	memmove(x + 1, x, LONG_LAG * sizeof(*x));
	x[0] = x[LONG_LAG];
	x[SHORT_LAG] = (x[SHORT_LAG] - x[LONG_LAG]) & MASK;
}

void noc_random_start(struct noc_random *r, int64_t seed)
{
	uint32_t x[2 * LONG_LAG] = {0}, left = (uint32_t)seed & MASK;
	uint32_t word = (uint32_t)(seed + 2) & (MASK - 1);

	for (int j = 0; j < LONG_LAG; j++) {
		x[j] = word;
		word <<= 1;
		if (word > MASK)
			word -= MASK - 1;
	}
	x[1]++; /* the only odd word of the state */
	for (int t = STREAMS - 1; t;) {
		square_polynomial(x);
		if (left & 1)
			multiply_by_z(x);
		if (left)
			left >>= 1;
		else
			t--;
	}
	memcpy(r->state + LONG_LAG - SHORT_LAG, x, SHORT_LAG * sizeof(*x));
	memcpy(r->state, x + SHORT_LAG, (LONG_LAG - SHORT_LAG) * sizeof(*x));
	for (int i = 0; i < 10; i++)
		draw_random_numbers(r->state, x, 2 * LONG_LAG - 1);
	r->used = RANDOM_LAG;
}

void noc_random_refill(struct noc_random *r)
{
	draw_random_numbers(r->state, r->ready, RANDOM_PART);
	r->used = 0;
}
