/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs the kernels of A and B by a longest common subsequence of names, as diff(1) does for lines.
 *
 * Always true: pairs are in the order of both sides. Equal starts and ends are paired first. If the rest is
 * too long for the quadratic table, kernels are paired with the nearest kernel of the same name.
 */
#include <stdlib.h>
#include "compare.h"

#define CELLS_MAX (4u << 20)
#define AHEAD     2000u

static void add_pair(struct diff *d, uint32_t a, uint32_t b)
{
	grow(&d->pair, &d->cap_pairs, d->n_pairs + 1, sizeof(*d->pair));
	d->pair[d->n_pairs++] = (struct pair){a, b};
}

/* Returns the index of kernel i of a side in the store, plus 1. */
static uint32_t store_kernel_number(const struct diff *d, int side, uint32_t i)
{
	return d->side[side].first_kernel + i + 1;
}

static bool have_same_kernel_name(const struct diff *d, uint32_t a, uint32_t b)
{
	return d->store->kernel[store_kernel_number(d, 0, a) - 1].name ==
	       d->store->kernel[store_kernel_number(d, 1, b) - 1].name;
}

/* Adds the kernels before the positions to_a and to_b as kernels without partners, the kernels of A first. */
static void add_lone_kernels(struct diff *d, uint32_t *a, uint32_t to_a, uint32_t *b, uint32_t to_b)
{
	while (*a < to_a)
		add_pair(d, store_kernel_number(d, 0, (*a)++), 0);
	while (*b < to_b)
		add_pair(d, 0, store_kernel_number(d, 1, (*b)++));
}

static void pair_by_table(struct diff *d, uint32_t a, uint32_t end_a, uint32_t b, uint32_t end_b)
{
	size_t w = end_b - b + 1, h = end_a - a + 1;
	uint32_t *best = xcalloc(w * h, sizeof(*best)), i = a, j = b;
	const uint32_t from_a = a, from_b = b;

	for (uint32_t y = end_a; y-- > a;)
		for (uint32_t x = end_b; x-- > b;) {
			uint32_t *c = &best[(y - a) * w + (x - b)];

			*c = have_same_kernel_name(d, y, x) ? c[w + 1] + 1 : c[w] > c[1] ? c[w] : c[1];
		}
	while (i < end_a && j < end_b) {
		const uint32_t *c = &best[(i - from_a) * w + (j - from_b)];

		if (have_same_kernel_name(d, i, j)) {
			add_lone_kernels(d, &a, i, &b, j);
			add_pair(d, store_kernel_number(d, 0, i++), store_kernel_number(d, 1, j++));
			a = i;
			b = j;
		} else if (c[w] >= c[1]) {
			i++;
		} else {
			j++;
		}
	}
	add_lone_kernels(d, &a, end_a, &b, end_b);
	free(best);
}

static void pair_by_nearest_name(struct diff *d, uint32_t a, uint32_t end_a, uint32_t b, uint32_t end_b)
{
	while (a < end_a && b < end_b) {
		uint32_t k = 0;

		while (k < AHEAD && !(a + k < end_a && have_same_kernel_name(d, a + k, b)) &&
			!(b + k < end_b && have_same_kernel_name(d, a, b + k)))
			k++;
		if (k == AHEAD)
			add_lone_kernels(d, &a, a + 1, &b, b + 1);
		else if (a + k < end_a && have_same_kernel_name(d, a + k, b))
			add_lone_kernels(d, &a, a + k, &b, b);
		else
			add_lone_kernels(d, &a, a, &b, b + k);
		while (k < AHEAD && a < end_a && b < end_b && have_same_kernel_name(d, a, b))
			add_pair(d, store_kernel_number(d, 0, a++), store_kernel_number(d, 1, b++));
	}
	add_lone_kernels(d, &a, end_a, &b, end_b);
}

void pair_kernels(struct diff *d)
{
	uint32_t a = 0, b = 0, end_a = d->side[0].n_kernels, end_b = d->side[1].n_kernels, tail = 0;

	for (; a < end_a && b < end_b && have_same_kernel_name(d, a, b); a++, b++)
		add_pair(d, store_kernel_number(d, 0, a), store_kernel_number(d, 1, b));
	for (; a < end_a && b < end_b && have_same_kernel_name(d, end_a - 1, end_b - 1); tail++) {
		end_a--;
		end_b--;
	}
	if ((uint64_t)(end_a - a + 1) * (end_b - b + 1) <= CELLS_MAX)
		pair_by_table(d, a, end_a, b, end_b);
	else
		pair_by_nearest_name(d, a, end_a, b, end_b);
	for (uint32_t i = 0; i < tail; i++)
		add_pair(d, store_kernel_number(d, 0, end_a + i), store_kernel_number(d, 1, end_b + i));
}
