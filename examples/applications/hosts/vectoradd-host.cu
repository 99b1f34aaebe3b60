/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches the kernel of the sample vectorAdd once, on vectors of -size elements, with its 256 threads a block. */
#include "host.h"
#define main sample_main
#include "vectorAdd.cu"
#undef main

int main(int argc, char **argv)
{
	int n = option(argc, argv, "-size");
	float *a = device_input<float>(n), *b = device_input<float>(n), *c = device_buffer<float>(n);

	vectorAdd<<<(n + 255) / 256, 256>>>(a, b, c, n);
	return finish(c, n);
}
