/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the methods that need no counts: one stratum of all kernels or per stream (random), and one
 * stratum per kernel (all).
 */
#include "pick.h"
#include "table.h"

uint32_t method_random(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	if (!w->per_stream) {
		for (uint32_t i = 0; i < a->n_kernels; i++)
			of[i] = 0;
		return 1;
	}
	uint32_t n = 0;
	struct table streams = {0}; /* number of the first kernel of each stream */

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		uint64_t hash = table_hash(&a->kernel[i].stream, sizeof(a->kernel[i].stream));
		struct table_walk k = table_first(&streams, hash);

		while (k.number != TABLE_NONE && a->kernel[k.number].stream != a->kernel[i].stream)
			table_step(&k);
		if (k.number == TABLE_NONE)
			table_add(&streams, hash, i);
		of[i] = k.number == TABLE_NONE ? n++ : of[k.number];
	}
	table_free(&streams);
	return n;
}

uint32_t method_all(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	(void)w;
	for (uint32_t i = 0; i < a->n_kernels; i++)
		of[i] = i;
	return a->n_kernels;
}
