/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches a kernel of the sample transpose once. -kernelID is its number in the sample: 0 and 1 copy. */
#include "host.h"
#define main sample_main
#include "transpose.cu"
#undef main

int main(int argc, char **argv)
{
	int x = option(argc, argv, "-dimX"), y = option(argc, argv, "-dimY");
	size_t n = (size_t)x * y;
	float *in = device_input<float>(n), *out = device_buffer<float>(n);
	dim3 grid(x / TILE_DIM, y / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);

	if (option(argc, argv, "-kernelID") == 1)
		copySharedMem<<<grid, block>>>(out, in, x, y);
	else
		copy<<<grid, block>>>(out, in, x, y);
	return finish(out, n);
}
