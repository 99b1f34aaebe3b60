/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions, classes and variables for linked.cu. */
__device__ int shared_counter = 10;
__constant__ int k[4];
__device__ int helper(int a) { return a * 2; }
struct V {
	__device__ virtual int go(int) = 0;
};
struct A : V {
	__device__ int go(int x) override { return x + 1000; }
};
struct B : V {
	__device__ int go(int x) override { return x + 2000; }
};
__device__ V *make(int i)
{
	if (i & 1)
		return new A;
	return new B;
}
void tune(int n)
{
	int h[4] = {n, n + 1, n + 2, n + 3};
	cudaMemcpyToSymbol(k, h, sizeof h);
}
int read_counter()
{
	int v;
	cudaMemcpyFromSymbol(&v, shared_counter, 4);
	return v;
}
