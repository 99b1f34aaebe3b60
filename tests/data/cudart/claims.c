/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches blocks that claim 64 items from a counter, and prints the number of items of each of the first four blocks.
 *
 * usage: claims BLOCKS
 */
#include "cuda.h"

int main(int argc, char **argv)
{
	unsigned blocks = argc > 1 ? (unsigned)atoi(argv[1]) : 4, n = 64,
		 *words = calloc(1 + blocks, sizeof(*words));
	void *device;
	int status = cudaMalloc(&device, (1 + blocks) * sizeof(*words));

	status |= cudaMemset(device, 0, (1 + blocks) * sizeof(*words));
	status |= launch_1d(&add, blocks, 64, 0, (void *[]){&device, &n});
	status |= cudaMemcpy(words, device, (1 + blocks) * sizeof(*words), DEVICE_TO_HOST);
	printf("status %d: %u %u %u %u\n", status, words[1], words[2], words[3], words[4]);
	free(words);
	return cudaFree(device);
}
