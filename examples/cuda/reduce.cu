// SPDX-License-Identifier: BSD-2-Clause
// Sum of numbers: a tree in shared memory, shuffles in the last warp, one atomic per block.   usage: reduce [N]
#include <vector>
#include "common.h"

extern "C" __global__ void reduce(const unsigned *in, unsigned *sum, int n)
{
	__shared__ unsigned part[256];
	unsigned t = threadIdx.x, v = 0;

	for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	part[t] = v;
	__syncthreads();
	for (unsigned half = 128; half >= 32; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t < 32) {
		v = part[t];
		for (int step = 16; step; step /= 2)
			v += __shfl_down_sync(0xffffffff, v, step);
		if (!t)
			atomicAdd(sum, v);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 32768;
	std::vector<unsigned> in(n);
	unsigned sum = 0, wanted = 0;
	Random r(1);

	for (int i = 0; i < n; i++)
		wanted += in[i] = r.integer() % 1000;
	unsigned *din = on_device(in.data(), n), *dsum = on_device<unsigned>(nullptr, 1);
	reduce<<<32, 256>>>(din, dsum, n);
	CHECK(cudaDeviceSynchronize());
	to_host(&sum, dsum, 1);
	CHECK(cudaFree(din));
	CHECK(cudaFree(dsum));
	return verdict("reduce", sum == wanted);
}
