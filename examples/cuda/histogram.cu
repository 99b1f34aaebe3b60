// SPDX-License-Identifier: BSD-2-Clause
// Histogram of bytes: atomics on shared memory count in each block, atomics on global memory add the blocks' bins.
// usage: histogram [N]
#include <vector>
#include "common.h"

extern "C" __global__ void histogram(const unsigned char *in, unsigned *bin, int n)
{
	__shared__ unsigned mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[in[i]], 1);
	__syncthreads();
	atomicAdd(&bin[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 32768;
	std::vector<unsigned char> in(n);
	unsigned bin[256], wanted[256] = {};
	bool good = true;
	Random r(1);

	for (int i = 0; i < n; i++)
		wanted[in[i] = (unsigned char)r.integer()]++;
	unsigned char *din = on_device(in.data(), n);
	unsigned *dbin = on_device<unsigned>(nullptr, 256);
	histogram<<<16, 256>>>(din, dbin, n);
	CHECK(cudaDeviceSynchronize());
	to_host(bin, dbin, 256);
	for (int i = 0; i < 256; i++)
		good = good && bin[i] == wanted[i];
	CHECK(cudaFree(din));
	CHECK(cudaFree(dbin));
	return verdict("histogram", good);
}
