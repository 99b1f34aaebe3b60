/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches the kernel of the sample scalarProd once, with its 128 blocks of 256 threads. */
#include "host.h"
#include "scalarProd_kernel.cuh"

int main(int argc, char **argv)
{
	int vectors = option(argc, argv, "-vectorN"), elements = option(argc, argv, "-elementN");
	size_t n = (size_t)vectors * elements;
	float *a = device_input<float>(n), *b = device_input<float>(n), *c = device_buffer<float>(vectors);

	scalarProdGPU<<<128, 256>>>(c, a, b, vectors, elements);
	return finish(c, vectors);
}
