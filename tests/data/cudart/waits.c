/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches a kernel that waits for a write to pinned memory ("host") or to device memory, which no thread
 * writes.
 */
#include "cuda.h"

int main(int argc, char **argv)
{
	void *flag;

	if (argc > 1 && !strcmp(argv[1], "host")) {
		if (cudaMallocHost(&flag, 64))
			return 3;
	} else if (cudaMalloc(&flag, 64) || cudaMemset(flag, 0, 64)) {
		return 3;
	}
	launch_1d(&add, 1, 32, 0, (void *[]){&flag});
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
