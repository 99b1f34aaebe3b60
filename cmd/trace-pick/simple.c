/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods without a thought: a stratum of all kernels (random), and one of each kernel (all).
 */
#include "pick.h"

uint32_t method_random(const struct app *a, const struct wish *w, uint32_t *of)
{
	if (!w->per_stream) {
		for (uint32_t i = 0; i < a->n; i++)
			of[i] = 0;
		return 1;
	}
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t j = 0;

		while (j < i && a->kernel[j].stream != a->kernel[i].stream)
			j++;
		of[i] = j < i ? of[j] : n++;
	}
	return n;
}

uint32_t method_all(const struct app *a, const struct wish *w, uint32_t *of)
{
	(void)w;
	for (uint32_t i = 0; i < a->n; i++)
		of[i] = i;
	return a->n;
}
