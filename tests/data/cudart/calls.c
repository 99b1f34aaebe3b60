/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes valid and invalid calls of the runtime. Prints a line for each result that differs from a GPU.
 */
#include "wants.h"

int cudaGraphCreate(void **, unsigned), cudaGraphDestroy(void *), cudaGraphLaunch(void *, void *);
int cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphExecDestroy(void *);
int cudaGraphAddMemcpyNodeToSymbol(
	void **, void *, void *const *, size_t, const void *, const void *, size_t, size_t, int);
int cudaGraphAddMemcpyNodeFromSymbol(
	void **, void *, void *const *, size_t, void *, const void *, size_t, size_t, int);
int cudaGraphMemcpyNodeSetParamsToSymbol(void *, const void *, const void *, size_t, size_t, int);
int cudaGraphMemcpyNodeSetParamsFromSymbol(void *, void *, const void *, size_t, size_t, int);
int cudaGraphMemcpyNodeSetParams1D(void *, void *, const void *, size_t, int);
int cudaGraphExecMemcpyNodeSetParamsToSymbol(void *, void *, const void *, const void *, size_t, size_t, int);
int cudaGraphExecMemcpyNodeSetParamsFromSymbol(void *, void *, void *, const void *, size_t, size_t, int);

static void test_copies(void)
{
	char host[512], back[512] = {0};
	void *d, *e, *p;
	size_t pitch;

	for (unsigned i = 0; i < 512; i++)
		host[i] = (char)i;
	IS(0, cudaMalloc(&d, 512));
	IS(0, cudaMalloc(&e, 512));
	IS(2, cudaMalloc(&p, (size_t)1 << 50));
	IS(2, cudaGetLastError());
	IS(0, cudaGetLastError());
	IS(0, cudaMemcpy(d, host, 512, HOST_TO_DEVICE));
	IS(0, cudaMemcpy(e, d, 512, DEVICE_TO_DEVICE));
	IS(0, cudaMemset(e, 7, 100));
	IS(0, cudaMemcpyAsync(back, e, 512, DEVICE_TO_HOST, NULL));
	IS(0, back[99] != 7 || back[100] != 100 || memcmp(back + 100, host + 100, 412) != 0);
	IS(21, cudaMemcpy(d, host, 512, 9));
	IS(1, cudaMemcpy((char *)d + 1, host, 512, HOST_TO_DEVICE));
	IS(1, cudaMemcpy(host, back, 512, HOST_TO_DEVICE));
	IS(1, cudaMemset(host, 0, 512));
	IS(0, cudaFree(e));
	IS(1, cudaFree(e));
	IS(1, cudaFree((char *)d + 4));
	IS(1, cudaMemset(e, 0, 512));
	IS(0, cudaFree(d));
	IS(0, cudaFree(NULL));
	IS(0, cudaMallocPitch(&d, &pitch, 100, 3));
	IS(512, (int)pitch);
	IS(0, cudaMemcpy2D(d, pitch, host, 100, 100, 3, HOST_TO_DEVICE));
	memset(back, 0, sizeof(back));
	IS(0, cudaMemcpy2D(back, 120, d, pitch, 100, 3, DEVICE_TO_HOST));
	IS(0, back[240] != host[200] || back[100] != 0);
	IS(12, cudaMemcpy2D(back, 90, d, pitch, 100, 3, DEVICE_TO_HOST));
	IS(0, cudaFree(d));
}

/* Tests that host and device can access the 64 floats of m and of h. */
static void add_on_device(float *m, float *h)
{
	unsigned n = 64;

	for (unsigned i = 0; i < n; i++)
		m[i] = h[i] = (float)i;
	IS(0, launch_1d(&add, 1, 64, 0, (void *[]){&m, &h, &m, &n}));
	IS(0, cudaDeviceSynchronize());
	IS(0, m[63] != 126);
}

/* Tests that the host can access managed and pinned memory. */
static void test_shared_memory(void)
{
	float *m, *h;

	IS(0, cudaMallocManaged((void **)&m, 64 * 4, 1));
	IS(0, cudaMallocHost((void **)&h, 64 * 4));
	add_on_device(m, h);
	IS(1, cudaFree(h));
	IS(0, cudaFreeHost(h));
	IS(0, cudaFree(m));
}

static void test_symbols(void)
{
	float four[4] = {1, 3, 5, 7}, *d, h[64];
	unsigned seen = 0;
	size_t size = 0;
	void *at;

	IS(0, cudaMemcpyFromSymbol(&seen, &counter, 4, 0, DEVICE_TO_HOST));
	IS(7, (int)seen);
	IS(0, cudaMemcpyToSymbol(factor, four, 16, 0, HOST_TO_DEVICE));
	IS(1, cudaMemcpyToSymbol(factor, four, 16, 4, HOST_TO_DEVICE));
	IS(13, cudaMemcpyToSymbol(four, four, 16, 0, HOST_TO_DEVICE));
	IS(21, cudaMemcpyToSymbol(factor, four, 16, 0, DEVICE_TO_HOST));
	IS(0, cudaGetSymbolSize(&size, factor));
	IS(16, (int)size);
	for (unsigned i = 0; i < 64; i++)
		h[i] = (float)i;
	IS(0, cudaMalloc((void **)&d, sizeof(h)));
	IS(0, cudaMemcpy(d, h, sizeof(h), HOST_TO_DEVICE));
	IS(0, launch_1d(&scale, 2, 32, 128, (void *[]){&d}));
	IS(0, cudaMemcpy(h, d, sizeof(h), DEVICE_TO_HOST));
	IS(0, h[50] != 150);
	IS(0, cudaGetSymbolAddress(&at, &counter));
	IS(0, cudaMemcpy(&seen, at, 4, DEVICE_TO_HOST));
	IS(9, (int)seen);
	IS(0, cudaFree(d));
}

/* Tests nodes that copy to and from the variable `factor`, whose values are 1, 3, 5 and 7. */
static void test_symbols_of_graphs(void)
{
	float in[2] = {10, 20}, more[2] = {30, 40}, out[4] = {0}, last = 0;
	void *g, *x, *to, *from;

	IS(0, cudaGraphCreate(&g, 0));
	IS(1, cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, factor, in, 8, 12, HOST_TO_DEVICE));
	IS(13, cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, in, in, 8, 0, HOST_TO_DEVICE));
	IS(0, cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, factor, in, 8, 4, HOST_TO_DEVICE));
	IS(0, cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, out, factor, 16, 0, DEVICE_TO_HOST));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaDeviceSynchronize());
	IS(1, out[0] == 1 && out[1] == 10 && out[2] == 20 && out[3] == 7);
	IS(0, cudaGraphExecMemcpyNodeSetParamsToSymbol(x, to, factor, more, 8, 0, HOST_TO_DEVICE));
	IS(0, cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, from, &last, factor, 4, 4, DEVICE_TO_HOST));
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaDeviceSynchronize());
	IS(1, last == 40);
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphMemcpyNodeSetParamsToSymbol(to, factor, in, 4, 0, HOST_TO_DEVICE));
	IS(0, cudaGraphMemcpyNodeSetParamsFromSymbol(from, out, factor, 8, 0, DEVICE_TO_HOST));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaDeviceSynchronize());
	IS(1, out[0] == 10 && out[1] == 40);
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphMemcpyNodeSetParams1D(from, &last, in + 1, 4, 0));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaDeviceSynchronize());
	IS(1, last == 20);
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(g));
}

/*
 * Allocates and frees more memory than the address space has. Freed memory uses no pages, live memory keeps
 * its contents, and reused addresses contain zeros.
 */
static void test_addresses(void)
{
	char *kept, *d, back[512];

	IS(0, cudaMalloc((void **)&kept, 512));
	IS(0, cudaMemset(kept, 7, 512));
	for (unsigned i = 0; i < 140; i++) {
		IS(0, cudaMalloc((void **)&d, (1u << 30) + 4096 * i));
		IS(0, cudaMemset(d, 9, 5000));
		IS(0, cudaFree(d));
		IS(1, cudaFree(d));
	}
	IS(0, cudaMallocManaged((void **)&d, 5000, 1));
	for (unsigned i = 0; i < 5000; i++)
		if (d[i])
			IS(0, d[i]);
	memset(d, 1, 5000);
	IS(0, cudaMemcpy(back, kept, 512, DEVICE_TO_HOST));
	IS(0, back[0] != 7 || memcmp(back, back + 1, 511) != 0);
	IS(0, cudaFree(d));
	IS(0, cudaFree(kept));
}

/* Tests stream-ordered allocations, and the attributes of their memory pools. */
static void test_pools(void)
{
	struct {
		int type, handles, place, device;
		void *security;
		size_t most;
		unsigned char rest[56];
	} properties = {.type = 1, .place = 1, .most = 4096};
	unsigned long long bytes = 1 << 20;
	void *pool, *other, *p, *q;
	int flag = 0;

	IS(0, cudaDeviceGetDefaultMemPool(&pool, 0));
	IS(101, cudaDeviceGetDefaultMemPool(&pool, 1));
	IS(0, cudaMemPoolSetAttribute(pool, 4, &bytes));
	IS(0, cudaMallocAsync(&p, 1000, NULL));
	IS(0, cudaMemPoolGetAttribute(pool, 7, &bytes));
	IS(1000, (int)bytes);
	IS(0, cudaFreeAsync(p, NULL));
	IS(0, cudaMemPoolGetAttribute(pool, 7, &bytes));
	IS(0, (int)bytes);
	IS(0, cudaMemPoolGetAttribute(pool, 8, &bytes));
	IS(1000, (int)bytes);
	IS(0, cudaMemPoolGetAttribute(pool, 4, &bytes));
	IS(1 << 20, (int)bytes);
	IS(1, cudaMemPoolSetAttribute(pool, 7, &bytes));
	IS(1, cudaMemPoolGetAttribute(pool, 9, &bytes));
	IS(0, cudaMemPoolGetAttribute(pool, 2, &flag));
	IS(1, flag);
	IS(0, cudaMemPoolCreate(&other, &properties));
	IS(0, cudaMallocFromPoolAsync(&p, 3000, other, NULL));
	IS(2, cudaMallocFromPoolAsync(&q, 3000, other, NULL));
	IS(0, cudaDeviceSetMemPool(0, other));
	IS(0, cudaMallocAsync(&q, 1000, NULL));
	IS(0, cudaMemPoolGetAttribute(other, 7, &bytes));
	IS(4000, (int)bytes);
	IS(0, cudaFreeAsync(p, NULL));
	IS(0, cudaMemPoolTrimTo(other, 0));
	IS(0, cudaMemPoolDestroy(other));
	IS(1, cudaMemPoolDestroy(other));
	IS(1, cudaMemPoolDestroy(pool));
	IS(0, cudaFree(q));
	IS(0, cudaDeviceGetMemPool(&other, 0));
	IS(0, other != pool);
}

/* Tests pools of pinned memory of the host and of managed memory, which host and device may access. */
static void test_host_pools(void)
{
	struct place {
		int type, id;
	} device = {1, 0}, host = {2, 0}, node = {3, 1}, none = {0, 0};
	struct {
		int type, handles;
		struct place place;
		void *security;
		size_t most;
		unsigned char rest[56];
	} properties = {.type = 1, .place = {2, 0}};
	struct {
		struct place place;
		int flags;
	} access = {{1, 0}, 3};
	void *pinned, *managed, *pool, *own;
	float *m, *h;
	int flags = 9;

	IS(0, cudaMemGetDefaultMemPool(&pinned, &host, 1));
	IS(0, cudaMemGetDefaultMemPool(&managed, &none, 2));
	IS(0, cudaMemGetDefaultMemPool(&pool, &device, 1));
	IS(0, cudaDeviceGetDefaultMemPool(&own, 0));
	IS(0, pool != own || pool == pinned || pool == managed || pinned == managed);
	IS(1, cudaMemGetDefaultMemPool(&pool, &none, 1));
	IS(1, cudaMemGetDefaultMemPool(&pool, &node, 1));
	IS(1, cudaMemGetDefaultMemPool(&pool, NULL, 1));
	IS(1, cudaMemGetDefaultMemPool(&pool, &device, 3));
	IS(0, cudaMemPoolGetAccess(&flags, pinned, &device));
	IS(0, flags);
	IS(0, cudaMemPoolSetAccess(pinned, &access, 1));
	IS(0, cudaMemPoolGetAccess(&flags, pinned, &device));
	IS(3, flags);
	IS(0, cudaMallocFromPoolAsync((void **)&h, 64 * 4, pinned, NULL));
	IS(0, cudaMallocFromPoolAsync((void **)&m, 64 * 4, managed, NULL));
	add_on_device(m, h);
	IS(1, cudaFreeHost(h));
	IS(0, cudaFreeAsync(h, NULL));
	IS(0, cudaFreeAsync(m, NULL));
	IS(0, cudaMemPoolCreate(&own, &properties));
	IS(1, cudaDeviceSetMemPool(0, own));
	IS(1, cudaMemSetMemPool(&device, 1, own));
	IS(0, cudaMemSetMemPool(&host, 1, own));
	IS(0, cudaMemGetMemPool(&pool, &host, 1));
	IS(0, pool != own);
	IS(0, cudaMemPoolDestroy(own));
	IS(0, cudaMemGetMemPool(&pool, &host, 1));
	IS(0, pool != pinned);
	IS(1, cudaMemPoolDestroy(managed));
}

static void test_launches(void)
{
	unsigned n = 0;
	void *d = NULL, **args = (void *[]){&d, &d, &d, &n};
	struct dim3 one = {1, 1, 1}, many = {100000, 1, 1};
	int fit = 0;

	IS(9, launch_1d(&add, 0, 32, 0, args));
	IS(9, launch_1d(&add, 1, 1025, 0, args));
	IS(1, launch_1d(&add, 1, 32, 50000, args));
	IS(0, cudaFuncSetAttribute(&add, 8, 65536));
	IS(0, launch_1d(&add, 1, 32, 50000, args));
	IS(1, cudaFuncSetAttribute(&add, 8, 1 << 20));
	IS(1, launch_1d(&wild, 1, 65, 0, (void *[]){&d, &d}));
	IS(98, launch_1d(&unknown, 1, 1, 0, args));
	IS(98, launch_1d(&odd, 1, 1, 0, args));
	IS(400, cudaLaunchKernel(&add, one, one, args, 0, (struct stream *)args));
	IS(0, cudaLaunchCooperativeKernel(&add, one, one, args, 0, NULL));
	IS(720, cudaLaunchCooperativeKernel(&add, many, one, args, 0, NULL));
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, &add, 256, 0));
	IS(8, fit);
	IS(801, cudaDeviceFlushGPUDirectRDMAWrites(0, 0));
	IS(801, cudaPeekAtLastError());
	IS(801, cudaGetLastError());
}

static void test_device_and_events(void)
{
	struct event *a, *b;
	struct stream *s;
	unsigned n = 0;
	void *d = NULL;
	static const char buffer[4096];
	float ms = -1, longer = -1;
	int v = 0;

	IS(0, cudaGetDeviceCount(&v));
	IS(1, v);
	IS(101, cudaSetDevice(1));
	IS(0, cudaDeviceGetAttribute(&v, 16, 0));
	IS(80, v);
	IS(0, cudaStreamCreate(&s));
	IS(0, cudaEventCreate(&a));
	IS(0, cudaEventCreate(&b));
	IS(400, cudaEventElapsedTime(&ms, a, b));
	IS(0, cudaEventRecord(a, s));
	IS(0, launch_1d(&add, 64, 256, 0, (void *[]){&d, &d, &d, &n}));
	IS(0, cudaEventRecord(b, s));
	IS(0, cudaEventElapsedTime(&ms, a, b));
	IS(0, !(ms > 0));
	/* copies and fills take time, in proportion to their size */
	IS(0, cudaMalloc(&d, 4096));
	IS(0, cudaEventRecord(a, s));
	IS(0, cudaMemset(d, 0, 129));
	IS(0, cudaEventRecord(b, s));
	IS(0, cudaEventElapsedTime(&ms, a, b));
	IS(0, cudaMemcpy(d, buffer, sizeof(buffer), 1));
	IS(0, cudaEventRecord(a, s));
	IS(0, cudaEventElapsedTime(&longer, b, a));
	IS(1, ms > 0 && longer / ms > 15.9F && longer / ms < 16.1F);
	IS(0, cudaFree(d));
	IS(0, cudaStreamQuery(s));
	IS(0, cudaStreamSynchronize(s));
	IS(0, cudaStreamDestroy(s));
	IS(400, cudaStreamDestroy(s));
	IS(0, cudaEventDestroy(a));
	IS(0, cudaEventDestroy(b));
	IS(0, strcmp(cudaGetErrorName(2), "cudaErrorMemoryAllocation"));
	IS(0, strcmp(cudaGetErrorString(77777), "unrecognized error code"));
}

/* Tests that all calls after a failed kernel return its error. */
static void test_failure(void)
{
	size_t outside = 1024;
	void *d;

	IS(0, cudaMalloc(&d, 1024));
	IS(0, launch_1d(&wild, 1, 1, 0, (void *[]){&d, &outside}));
	IS(700, cudaDeviceSynchronize());
	IS(700, cudaGetLastError());
	IS(700, cudaGetLastError());
	IS(700, cudaFree(d));
	IS(700, launch_1d(&wild, 1, 1, 0, (void *[]){&d, &outside}));
}

int main(int argc, char **argv)
{
	test_copies();
	test_shared_memory();
	test_addresses();
	test_symbols();
	test_symbols_of_graphs();
	test_pools();
	test_host_pools();
	test_launches();
	test_device_and_events();
	if (argc > 1 && !strcmp(argv[1], "fail"))
		test_failure();
	return bad;
}
