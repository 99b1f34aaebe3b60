/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel with functions and variables of another file: see linked-makers.cu. */
#include "check.cuh"
extern __device__ int shared_counter;
__device__ int helper(int);
extern __constant__ int k[4];
struct V {
	__device__ virtual int go(int) = 0;
};
__device__ V *make(int);
__global__ void run(int *o)
{
	V *v = make(threadIdx.x);
	o[threadIdx.x] = helper(threadIdx.x) + k[threadIdx.x & 3] + v->go(1);
	atomicAdd(&shared_counter, 1);
	delete v;
}
void tune(int);
int read_counter();
int main()
{
	int *o;
	cudaMallocManaged(&o, 256);
	tune(100);
	run<<<1, 32>>>(o);
	CALL(cudaDeviceSynchronize());
	CHECK(o[0] == 2101 && o[5] == 1112 && read_counter() == 42);
	cudaFree(o);
	return verdict();
}
