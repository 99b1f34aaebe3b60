/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the method photon: kernels are alike if their warps execute the same basic blocks in the same
 * proportions. The vector of a kernel has the share of its warp instructions at each code address, which
 * weights each basic block by its length. The addresses of a kernel name are folded into CODE_BINS bins. In
 * the order of the list, a kernel joins the first stratum with a first kernel less than 0.05 away (sum of
 * absolute differences).
 *
 * The vectors do not contain the number of warps. A stratum with a large variation of instructions is
 * therefore cut like the strata of Sieve. Otherwise small kernels would represent a few large ones. (Photon
 * itself uses the most similar kernel with the nearest number of warps.)
 *
 * This is the part that compares kernels in: Liu, Sun and Carlson, "Photon: A Fine-grained Sampled Simulation
 * Methodology for GPU Workloads", MICRO 2023.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define ALIKE 0.05

static double block_vector_distance(const struct pick_kernel *a, const struct pick_kernel *b)
{
	double sum = 0;

	for (uint32_t i = 0; i < CODE_BINS; i++)
		sum += fabs((double)a->code[i] - (double)b->code[i]);
	return sum;
}

uint32_t method_photon(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	uint32_t *leader = xmalloc(a->n_kernels * sizeof(*leader)), n = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		const struct pick_kernel *k = &a->kernel[i];
		uint32_t s = 0;

		while (s < n && (block_vector_distance(k, &a->kernel[leader[s]]) >= ALIKE ||
					(w->per_stream && k->stream != a->kernel[leader[s]].stream)))
			s++;
		if (s == n)
			leader[n++] = i;
		of[i] = s;
	}
	free(leader);
	return sieve_split_strata(a, of, n);
}
