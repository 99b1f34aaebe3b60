/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds two vectors of N elements and checks the sum.
 *
 * usage: vecadd [N [die|leak|stale|exit [STATUS]]]
 *   die    ends with a signal
 *   leak   does not free a vector
 *   stale  frees a vector too early
 *   exit   exits with STATUS
 */
#include <signal.h>
#include "cuda.h"

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, wrong = 0;
	size_t bytes = n * sizeof(float);
	float *h = malloc(bytes);
	void *a, *b, *c;

	for (unsigned i = 0; i < n; i++)
		h[i] = (float)i;
	if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&c, bytes))
		return 3;
	cudaMemcpy(a, h, bytes, HOST_TO_DEVICE);
	cudaMemcpy(b, h, bytes, BY_ADDRESS);
	if (argc > 2 && !strcmp(argv[2], "stale"))
		cudaFree(c);
	int status = launch_1d(&add, (n + 255) / 256, 256, 0, (void *[]){&a, &b, &c, &n});
	if (argc > 2 && !strcmp(argv[2], "stale"))
		launch_1d(&add, (n + 255) / 256, 256, 0, (void *[]){&a, &b, &c, &n});
	if (status)
		puts(cudaGetErrorString(status));
	if (argc > 2 && !strcmp(argv[2], "die"))
		raise(SIGKILL);
	cudaMemcpy(h, c, bytes, DEVICE_TO_HOST);
	for (unsigned i = 0; i < n; i++)
		wrong += h[i] != 2 * (float)i;
	printf("%u of %u elements are wrong\n", wrong, n);
	cudaFree(a);
	cudaFree(b);
	if (argc <= 2 || strcmp(argv[2], "leak") != 0)
		cudaFree(c);
	free(h);
	return argc > 3 ? atoi(argv[3]) : wrong != 0;
}
