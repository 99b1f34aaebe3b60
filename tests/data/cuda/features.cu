/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Features of CUDA C++ in kernels: memory of every kind, groups, pipelines, barriers, small floats, mathematics, objects
 * with virtual functions, recursion, tables of functions, streams, printf and assert.
 */
#include "check.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cassert>
#include <cmath>
#include <vector>
namespace cg = cooperative_groups;
__managed__ int managed[64];
__constant__ float coef[16];
__device__ double table[4] = {1.5, 2.5, 3.5, 4.5};
template <typename T, int N> __global__ void scale(T *x, T by)
{
	int i = blockIdx.x * N + threadIdx.x;
	x[i] = x[i] * by + (T)coef[threadIdx.x & 15];
}
__global__ void dyn(int *o, int n)
{
	extern __shared__ int s[];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s[i] = i;
	__syncthreads();
	if (!threadIdx.x) {
		int t = 0;
		for (int i = 0; i < n; i++)
			t += s[i];
		*o = t;
	}
}
__global__ void groups(int *o)
{
	auto b = cg::this_thread_block();
	auto t = cg::tiled_partition<16>(b);
	int v = cg::reduce(t, (int)threadIdx.x, cg::plus<int>());
	o[threadIdx.x] = v;
	int s = cg::inclusive_scan(t, 1);
	o[64 + threadIdx.x] = s;
	if (threadIdx.x % 3 == 0) {
		auto c = cg::coalesced_threads();
		o[128 + threadIdx.x] = c.size() * 100 + c.thread_rank();
	}
	auto lab = cg::labeled_partition(t, threadIdx.x & 1);
	o[192 + threadIdx.x] = lab.size();
}
__global__ void halves(float *o)
{
	__half2 h = __floats2half2_rn(threadIdx.x, .5f);
	h = __hfma2(h, h, h);
	o[threadIdx.x] = __low2float(h) + __high2float(h);
	__nv_bfloat16 b = __float2bfloat16(threadIdx.x * 1.1f);
	o[32 + threadIdx.x] = __bfloat162float(b * b);
}
__global__ void pr(int a)
{
	printf("thread %d says %s %5.2f %lld\n", threadIdx.x, "hi", a * 1.5, 1ll << 40);
	assert(a < 10);
}
__global__ void touch(int *p)
{
	atomicAdd(&managed[threadIdx.x], p[threadIdx.x]);
	cuda::atomic_ref<int, cuda::thread_scope_device> r(managed[0]);
	r.fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void pipe(const int *in, int *out)
{
	__shared__ int s[2][64];
	auto b = cg::this_thread_block();
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
	auto p = cuda::make_pipeline(b, &st);
	int sum = 0;
	p.producer_acquire();
	cuda::memcpy_async(b, s[0], in, sizeof(int) * 64, p);
	p.producer_commit();
	for (int i = 0; i < 4; i++) {
		if (i < 3) {
			p.producer_acquire();
			cuda::memcpy_async(b, s[(i + 1) & 1], in + 64 * (i + 1), sizeof(int) * 64, p);
			p.producer_commit();
		}
		p.consumer_wait();
		sum += s[i & 1][63 - threadIdx.x];
		p.consumer_release();
	}
	out[threadIdx.x] = sum;
}
__global__ void bar(int *o)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> br;
	__shared__ int v[64];
	if (!threadIdx.x)
		init(&br, 64);
	__syncthreads();
	v[threadIdx.x] = threadIdx.x;
	br.arrive_and_wait();
	o[threadIdx.x] = v[63 - threadIdx.x];
}
__global__ void math(double *o, double x)
{
	o[0] = sin(x);
	o[1] = exp(x);
	o[2] = pow(x, 1.7);
	o[3] = erf(x);
	o[4] = lgamma(x);
	o[5] = cbrt(x);
	o[6] = log1p(x);
	o[7] = atan2(x, 2.0);
	o[8] = (double)sinf((float)x * 1000);
	o[9] = fmod(x * 17, 3.1);
	o[10] = j0(x);
	o[11] = tgamma(x);
}
struct Node {
	Node *next;
	int v;
};
struct Base {
	__device__ virtual int f() const { return 1; }
	__device__ virtual ~Base() {}
};
struct Derived : Base {
	int k;
	__device__ Derived(int k) : k(k) {}
	__device__ int f() const override { return k; }
};
__global__ void objects(int *o)
{
	Node *l = nullptr;
	for (int i = 0; i < 10; i++)
		l = new Node{l, i};
	int s = 0;
	while (l) {
		Node *n = l->next;
		s += l->v;
		delete l;
		l = n;
	}
	Base *b = threadIdx.x & 1 ? (Base *)new Derived(7) : new Base;
	o[threadIdx.x] = s + b->f();
	delete b;
}
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void rec(int *o) { o[threadIdx.x] = fib(threadIdx.x); }
typedef int (*op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ op ops[2] = {add, mul};
__global__ void ind(int *o) { o[threadIdx.x] = ops[threadIdx.x & 1](threadIdx.x, 5); }
int main()
{
	int *d;
	CALL(cudaMallocManaged(&d, 4096));
	float *f;
	CALL(cudaMallocManaged(&f, 4096));
	double *g;
	CALL(cudaMallocManaged(&g, 4096));
	float hc[16];
	for (int i = 0; i < 16; i++)
		hc[i] = i;
	CALL(cudaMemcpyToSymbol(coef, hc, sizeof hc));
	for (int i = 0; i < 64; i++)
		f[i] = i, g[i] = i;
	scale<float, 32><<<2, 32>>>(f, 2.f);
	scale<double, 16><<<4, 16>>>(g, 3.0);
	CALL(cudaDeviceSynchronize());
	CHECK(f[33] == 67 && g[33] == 100);
	dyn<<<1, 64, 20000>>>(d, 5000);
	CALL(cudaDeviceSynchronize());
	CHECK(*d == 4999 * 5000 / 2);
	CALL(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
	dyn<<<1, 64, 65536>>>(d, 16384);
	CALL(cudaDeviceSynchronize());
	CHECK(*d == 16383 * 8192);
	groups<<<1, 64>>>(d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[0] == 120 && d[17] == 376 && d[64 + 15] == 16 && d[128 + 3] == 1101 && d[192] == 8);
	halves<<<1, 32>>>(f);
	CALL(cudaDeviceSynchronize());
	CHECK(f[3] == 12.75f && f[42] == 121.f);
	for (int i = 0; i < 64; i++)
		managed[i] = i;
	touch<<<2, 64>>>(d + 64);
	CALL(cudaDeviceSynchronize());
	CHECK(managed[5] == 5 + 2 * 6 && managed[0] == 2 + 128);
	int *in;
	CALL(cudaMallocManaged(&in, 1024));
	for (int i = 0; i < 256; i++)
		in[i] = i;
	pipe<<<1, 64>>>(in, d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[0] == 63 + 127 + 191 + 255);
	bar<<<1, 64>>>(d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[3] == 60);
	math<<<1, 1>>>(g, 1.3);
	CALL(cudaDeviceSynchronize());
	double w[] = {sin(1.3), exp(1.3), pow(1.3, 1.7), erf(1.3), lgamma(1.3), cbrt(1.3), log1p(1.3),
		atan2(1.3, 2.0), sinf(1.3f * 1000), fmod(1.3 * 17, 3.1), j0(1.3), tgamma(1.3)};
	for (int i = 0; i < 12; i++)
		if (fabs(g[i] - w[i]) > (i == 8 ? 1e-6 : 1e-14) * fabs(w[i])) {
			printf("WRONG math %d %.17g %.17g\n", i, g[i], w[i]);
			bad++;
		}
	objects<<<1, 4>>>(d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[0] == 46 && d[1] == 52);
	rec<<<1, 12>>>(d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[11] == 89);
	ind<<<1, 4>>>(d);
	CALL(cudaDeviceSynchronize());
	CHECK(d[2] == 7 && d[3] == 15);
	double t[4];
	CALL(cudaMemcpyFromSymbol(t, table, sizeof t));
	CHECK(t[3] == 4.5);
	void *sym;
	CALL(cudaGetSymbolAddress(&sym, table));
	size_t sz;
	CALL(cudaGetSymbolSize(&sz, table));
	CHECK(sz == 32);
	cudaStream_t s[3];
	cudaEvent_t e[3];
	for (int i = 0; i < 3; i++) {
		CALL(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
		CALL(cudaEventCreate(&e[i]));
	}
	for (int i = 0; i < 3; i++) {
		scale<float, 32><<<1, 32, 0, s[i]>>>(f + 32 * i, 1.f);
		CALL(cudaEventRecord(e[i], s[i]));
		CALL(cudaStreamWaitEvent(s[(i + 1) % 3], e[i], 0));
	}
	float ms;
	CALL(cudaEventSynchronize(e[2]));
	CALL(cudaEventElapsedTime(&ms, e[0], e[2]));
	int blocks;
	CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dyn, 64, 0));
	CHECK(blocks > 0);
	int gs, bs;
	CALL(cudaOccupancyMaxPotentialBlockSize(&gs, &bs, groups));
	CHECK(bs > 0);
	void *pool;
	CALL(cudaMallocAsync(&pool, 100, s[0]));
	CALL(cudaFreeAsync(pool, s[0]));
	CALL(cudaStreamSynchronize(s[0]));
	cudaFuncAttributes fa;
	CALL(cudaFuncGetAttributes(&fa, groups));
	CHECK(fa.maxThreadsPerBlock >= 64);
	pr<<<1, 2>>>(3);
	CALL(cudaDeviceSynchronize());
	fflush(stdout);
	pr<<<1, 1>>>(11);
	CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
	return verdict();
}
