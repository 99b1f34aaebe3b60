// SPDX-License-Identifier: BSD-2-Clause
// Histogram in distributed shared memory: each block of a cluster of 4 counts in its own shared memory; then each adds up
// a quarter of the bins of all four, and adds them to global memory.
#include "hopper.cuh"

#define BINS   256
#define BLOCKS 4

__device__ static unsigned load_from(const unsigned *at, unsigned rank)
{
	unsigned v;

	asm volatile("{ .reg .b32 a;\n mapa.shared::cluster.u32 a, %1, %2;\n ld.shared::cluster.u32 %0, [a]; }"
		     : "=r"(v)
		     : "r"(shared_at(at)), "r"(rank)
		     : "memory");
	return v;
}

extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) histogram(const unsigned char *in, unsigned *bin, int n)
{
	__shared__ unsigned mine[BINS];
	unsigned sum = 0, at = cluster_rank() * (BINS / BLOCKS) + threadIdx.x;

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[in[i]], 1);
	cluster_sync();
	if (threadIdx.x < BINS / BLOCKS) {
		for (unsigned r = 0; r < BLOCKS; r++)
			sum += load_from(&mine[at], r);
		atomicAdd(&bin[at], sum);
	}
	cluster_sync();
}

extern "C" __global__ void check_histogram(const unsigned char *in, const unsigned *bin, int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += in[i] == threadIdx.x;
	if (bin[threadIdx.x] != sum)
		asm volatile("trap;");
}
