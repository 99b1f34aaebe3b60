/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches a kernel ten times with the same arguments, and prints an element of the result after each launch.
 *
 * usage: repeats same|sum|print|clock|copy|pinned|constant|other|again
 *   same     b = a + 0
 *   sum      a += 1
 *   print    prints
 *   clock    reads a clock
 *   copy     b = a + 0; a copy changes a before the sixth launch
 *   pinned   b = a + 0; the host changes pinned memory a before the sixth launch
 *   constant b = a + a constant, which changes before the sixth launch
 *   other    b = a + 0; another kernel changes a before the sixth launch
 *   again    b = a + 0; b is freed and allocated again before the sixth launch
 */
#include "cuda.h"

#define N 1024u

static void change(const char *how, unsigned *a, void **b)
{
	unsigned five = 5;

	if (!strcmp(how, "copy"))
		cudaMemcpy(a, &five, sizeof(five), HOST_TO_DEVICE);
	if (!strcmp(how, "pinned"))
		*a = five;
	if (!strcmp(how, "constant"))
		cudaMemcpyToSymbol(factor, &five, sizeof(five), 0, HOST_TO_DEVICE);
	if (!strcmp(how, "other"))
		launch_1d(&scale, 1, N, 0, (void *[]){&a, b});
	if (!strcmp(how, "again")) {
		cudaFree(*b);
		cudaMalloc(b, N * sizeof(unsigned));
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "same";
	void *kernel = !strcmp(how, "sum")     ? &scale
		       : !strcmp(how, "print") ? &wild
		       : !strcmp(how, "clock") ? &odd
					       : &add;
	void *a, *b;
	int status = 0;

	if (strcmp(how, "pinned") ? cudaMalloc(&a, N * sizeof(unsigned))
				  : cudaMallocHost(&a, N * sizeof(unsigned)))
		return 3;
	if (cudaMalloc(&b, N * sizeof(unsigned)) || cudaMemset(a, 0, N * sizeof(unsigned)))
		return 3;
	for (unsigned i = 0; i < 10 && !status; i++) {
		unsigned out = 0;

		if (i == 5)
			change(how, a, &b);
		status = launch_1d(kernel, 1, N, 0, (void *[]){&a, &b});
		cudaMemcpy(&out, kernel == &add ? b : a, sizeof(out), DEVICE_TO_HOST);
		printf("%u ", out);
		fflush(stdout);
	}
	puts(cudaGetErrorString(status ? status : cudaDeviceSynchronize()));
	cudaFree(b);
	strcmp(how, "pinned") ? cudaFree(a) : cudaFreeHost(a);
	return status != 0;
}
