/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the results and errors of queries and settings of the device, kernels and streams.
 */
#include <stdint.h>
#include "wants.h"

struct extent {
	size_t width, height, depth;
};
struct attribute {
	int id, unused;
	unsigned value[16];
};
struct config {
	struct dim3 grid, block;
	size_t shared;
	struct stream *stream;
	struct attribute *attribute;
	unsigned n_attributes;
};
int cudaGetDevice(int *), cudaGetDeviceProperties(void *, int);
int cudaGetDeviceFlags(unsigned *), cudaSetDeviceFlags(unsigned);
int cudaDeviceGetLimit(size_t *, int), cudaDeviceSetLimit(int, size_t);
int cudaThreadGetLimit(size_t *, int), cudaThreadSetLimit(int, size_t);
int cudaThreadGetCacheConfig(int *), cudaThreadSetCacheConfig(int);
int cudaDeviceGetCacheConfig(int *), cudaDeviceSetCacheConfig(int), cudaDeviceSetSharedMemConfig(int);
int cudaDeviceGetPCIBusId(char *, int, int), cudaDeviceGetByPCIBusId(int *, const char *);
int cudaMalloc3D(void *, struct extent), cudaHostAlloc(void **, size_t, unsigned);
struct handle {
	int32_t mark, process;
	char rest[56];
};
int cudaIpcGetMemHandle(struct handle *, void *), cudaIpcOpenMemHandle(void **, struct handle, unsigned),
	cudaIpcCloseMemHandle(void *), cudaIpcGetEventHandle(struct handle *, struct event *),
	cudaIpcOpenEventHandle(struct event **, struct handle);
int cudaEventCreateWithFlags(struct event **, unsigned), cudaStreamGetDevice(struct stream *, int *);
int cudaStreamCreateWithPriority(struct stream **, unsigned, int),
	cudaStreamGetPriority(struct stream *, int *);
int cudaStreamSetAttribute(struct stream *, int, const void *),
	cudaStreamGetAttribute(struct stream *, int, void *);
int cudaStreamCopyAttributes(struct stream *, struct stream *), cudaDeviceEnablePeerAccess(int, unsigned);
int cudaFuncGetAttributes(void *, const void *), cudaFuncSetCacheConfig(const void *, int);
int cudaLaunchKernelExC(const struct config *, const void *, void **);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t),
	cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
int cudaOccupancyMaxActiveClusters(int *, const void *, const struct config *);
int cudaOccupancyMaxPotentialClusterSize(int *, const void *, const struct config *);

static char count, blocks;

__attribute__((constructor)) static void register_more(void)
{
	void **h = __cudaRegisterFatBinary(&wrapper);

	__cudaRegisterFunction(h, &count, &count, "count", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &blocks, &blocks, "blocks", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(h);
}

static int attribute(int number)
{
	int v = -1;

	IS(0, cudaDeviceGetAttribute(&v, number, 0));
	return v;
}

/* Returns the number at an offset in cudaDeviceProp. */
static int property_at(const char *properties, size_t offset)
{
	int v;

	memcpy(&v, properties + offset, sizeof(v));
	return v;
}

static void test_device(void)
{
	char name[20], properties[2048];
	unsigned flags = 9;
	size_t n = 0;
	int v = 9;

	IS(1, cudaGetDevice(NULL));
	IS(1, cudaGetDeviceCount(NULL));
	IS(1, cudaGetDeviceProperties(NULL, 0));
	IS(101, cudaGetDeviceProperties(properties, 1));
	IS(1, cudaDeviceGetAttribute(&v, 1000, 0));
	IS(1, attribute(89));      /* concurrent access to managed memory */
	IS(1, attribute(115));     /* memory pools */
	IS(1, attribute(144));     /* memory pools of the host */
	IS(1, attribute(120));     /* clusters */
	IS(131072, attribute(21)); /* maximum width of a texture */
	IS(1024, attribute(111));
	IS(0, cudaGetDeviceProperties(properties, 0));
	IS(131072, property_at(properties, 396));
	IS(32768, property_at(properties, 544));
	IS(2046, property_at(properties, 548));
	IS(1024, property_at(properties, 696));
	IS(1, property_at(properties, 656));
	IS(1, property_at(properties, 720));
	IS(1, property_at(properties, 748));
	IS(0, cudaSetDeviceFlags(4));
	IS(1, cudaSetDeviceFlags(3));
	IS(0, cudaGetDeviceFlags(&flags));
	IS(12, (int)flags);
	IS(0, cudaDeviceSetLimit(5, 128));
	IS(0, cudaDeviceGetLimit(&n, 5));
	IS(128, (int)n);
	IS(215, cudaDeviceGetLimit(&n, 7));
	IS(1, cudaDeviceGetLimit(NULL, 0));
	IS(0, cudaThreadSetLimit(5, 64));
	IS(0, cudaThreadGetLimit(&n, 5));
	IS(64, (int)n);
	IS(0, cudaThreadSetCacheConfig(1));
	IS(0, cudaThreadGetCacheConfig(&v));
	IS(1, v);
	IS(0, cudaDeviceSetCacheConfig(2));
	IS(1, cudaDeviceSetCacheConfig(4));
	IS(0, cudaDeviceGetCacheConfig(&v));
	IS(2, v);
	IS(1, cudaDeviceSetSharedMemConfig(3));
	IS(0, cudaDeviceGetPCIBusId(name, sizeof(name), 0));
	IS(1, cudaDeviceGetPCIBusId(name, 12, 0));
	IS(0, cudaDeviceGetByPCIBusId(&v, name));
	IS(0, v);
	IS(0, cudaDeviceGetByPCIBusId(&v, "01:00.0"));
	IS(101, cudaDeviceGetByPCIBusId(&v, "0000:02:00.0"));
	IS(1, cudaDeviceGetByPCIBusId(&v, "one"));
}

/* Gets handles of memory and of an event. This process cannot open its own handle of memory. */
static void test_handles(void)
{
	struct handle h, same, none = {0};
	struct event *e;
	char *p;
	void *q;

	IS(0, cudaMalloc((void **)&p, 16));
	IS(0, cudaIpcGetMemHandle(&h, p));
	IS(0, cudaIpcGetMemHandle(&same, p + 8));
	IS(0, memcmp(&h, &same, sizeof(h)));
	IS(201, cudaIpcOpenMemHandle(&q, h, 1));
	IS(1, cudaIpcOpenMemHandle(&q, h, 0));
	IS(1, cudaIpcOpenMemHandle(&q, none, 1));
	IS(1, cudaIpcCloseMemHandle(p));
	IS(1, cudaIpcGetMemHandle(NULL, p));
	IS(0, cudaFree(p));
	IS(1, cudaIpcGetMemHandle(&h, p));
	IS(0, cudaHostAlloc(&q, 16, 0));
	IS(1, cudaIpcGetMemHandle(&h, q));
	IS(0, cudaFreeHost(q));
	IS(0, cudaEventCreateWithFlags(&e, 2));
	IS(400, cudaIpcGetEventHandle(&h, e));
	IS(0, cudaEventDestroy(e));
	IS(0, cudaEventCreateWithFlags(&e, 6));
	IS(0, cudaIpcGetEventHandle(&h, e));
	IS(1, cudaIpcGetEventHandle(NULL, e));
	IS(0, cudaEventDestroy(e));
	IS(1, cudaIpcOpenEventHandle(&e, none));
}

static void test_arguments(void)
{
	void *p, *box[4];
	char hint[64] = "a window", back[64];
	struct stream *s;
	struct event *e;
	float ms;
	int v = 9;

	IS(1, cudaMalloc(NULL, 4));
	IS(1, cudaMalloc3D(NULL, (struct extent){1, 1, 1}));
	IS(2, cudaMalloc3D(box, (struct extent){(size_t)1 << 40, 1 << 20, 1 << 20}));
	IS(1, cudaHostAlloc(&p, 4, 8));
	IS(1, cudaEventCreateWithFlags(&e, 4));
	IS(0, cudaEventCreateWithFlags(&e, 6));
	IS(0, cudaEventRecord(e, NULL));
	IS(1, cudaEventElapsedTime(NULL, e, e));
	IS(400, cudaEventElapsedTime(&ms, e, e));
	IS(1, cudaStreamWaitEvent(NULL, e, 2));
	IS(0, cudaEventDestroy(e));
	IS(0, cudaStreamCreateWithPriority(&s, 0, -9));
	IS(0, cudaStreamGetPriority(s, &v));
	IS(-5, v);
	IS(0, cudaStreamGetDevice(s, &v));
	IS(0, v);
	IS(1, cudaStreamGetDevice(s, NULL));
	IS(0, cudaStreamSetAttribute(s, 1, hint));
	IS(1, cudaStreamSetAttribute(s, 2, hint));
	IS(0, cudaStreamCopyAttributes(NULL, s));
	IS(0, cudaStreamGetAttribute(NULL, 1, back));
	IS(0, memcmp(hint, back, sizeof(hint)));
	IS(0, cudaStreamGetAttribute(s, 8, back));
	IS(0, memcmp(back, &(int){-5}, 4));
	IS(101, cudaDeviceEnablePeerAccess(0, 0));
	IS(0, cudaStreamDestroy(s));
	IS(400, cudaFreeAsync(NULL, (struct stream *)&s));
	IS(400, cudaMemsetAsync(NULL, 0, 4, (struct stream *)&s));
}

static void test_kernels(void)
{
	struct {
		size_t shared, constant, local;
		int threads, regs, ptx, binary, cache, dynamic_most, carveout, needed, cluster[3], policy,
			large, reserved[16];
	} a;

	memset(&a, 0x55, sizeof(a));
	IS(0, cudaFuncGetAttributes(&a, &blocks));
	IS(48, (int)a.constant);
	IS(90, a.ptx);
	IS(-1, a.carveout);
	IS(0, a.needed | a.cluster[0] | a.policy | a.large | a.reserved[15]);
	IS(1, cudaFuncGetAttributes(NULL, &blocks));
	IS(98, cudaFuncGetAttributes(&a, &attribute));
	IS(1, cudaFuncSetCacheConfig(&blocks, 4));
	IS(0, cudaFuncSetAttribute(&blocks, 9, 50));
	IS(1, cudaFuncSetAttribute(&blocks, 9, 101));
	IS(1, cudaFuncSetAttribute(&blocks, 16, 1));
	IS(0, cudaFuncSetAttribute(&blocks, 14, 1));
	IS(0, cudaFuncGetAttributes(&a, &blocks));
	IS(50, a.carveout);
	IS(1, a.large);
	IS(0, cudaFuncSetAttribute(&blocks, 14, 0));
}

/* Tests the shared memory of the blocks of an SM of 228 KiB, of which the system reserves 1 KiB in each block. */
static void test_shared_memory(void)
{
	size_t most = 0;
	int n = 0;

	IS(0, cudaFuncSetAttribute(&blocks, 8, 227 << 10));
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &blocks, 32, 113 << 10));
	IS(2, n);
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &blocks, 32, 114 << 10));
	IS(1, n);
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &blocks, 32, 11 << 10));
	IS(19, n);
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &blocks, 32, 1));
	IS(32, n);
	IS(0, cudaOccupancyAvailableDynamicSMemPerBlock(&most, &blocks, 1, 32));
	IS(227 << 10, (int)most);
	IS(0, cudaOccupancyAvailableDynamicSMemPerBlock(&most, &blocks, 2, 32));
	IS(113 << 10, (int)most);
	IS(0, cudaOccupancyAvailableDynamicSMemPerBlock(&most, &blocks, 9, 32));
	IS((25 << 10) + 256 - 1024, (int)most);
}

/* Tests clusters that launches and kernel attributes set. The program must permit more than 8 blocks. */
static void test_clusters(void)
{
	struct attribute a = {4, 0, {16, 1, 1}};
	struct config c = {{16, 1, 1}, {32, 1, 1}, 0, NULL, &a, 1};
	struct event *e, *from;
	unsigned *seen;
	float ms = 0;
	int n = 0;

	IS(0, cudaMallocManaged((void **)&seen, 4, 1));
	IS(912, cudaLaunchKernelExC(&c, &blocks, (void *[]){&seen}));
	IS(0, cudaOccupancyMaxPotentialClusterSize(&n, &blocks, &c));
	IS(8, n);
	IS(0, cudaOccupancyMaxActiveClusters(&n, &blocks, &c));
	IS(0, n);
	IS(0, cudaFuncSetAttribute(&blocks, 14, 1));
	IS(0, cudaLaunchKernelExC(&c, &blocks, (void *[]){&seen}));
	IS(0, cudaDeviceSynchronize());
	IS(16, (int)*seen);
	IS(0, cudaOccupancyMaxPotentialClusterSize(&n, &blocks, &c));
	IS(16, n);
	IS(0, cudaOccupancyMaxActiveClusters(&n, &blocks, &c));
	IS(32 * 132 / 16, n);
	IS(0, cudaFuncSetAttribute(&blocks, 11, 4));
	IS(0, launch_1d(&blocks, 16, 32, 0, (void *[]){&seen}));
	IS(0, cudaDeviceSynchronize());
	IS(4, (int)*seen);
	IS(912, launch_1d(&blocks, 6, 32, 0, (void *[]){&seen}));
	c.n_attributes = 0;
	c.grid.x = 4;
	IS(0, cudaEventCreate(&e));
	IS(0, cudaEventCreate(&from));
	a.id = 12;
	memcpy(a.value, &e, sizeof(e));
	c.n_attributes = 1;
	IS(0, cudaEventRecord(from, NULL));
	IS(0, cudaLaunchKernelExC(&c, &blocks, (void *[]){&seen}));
	IS(0, cudaEventElapsedTime(&ms, from, e));
	IS(0, !(ms > 0));
	IS(0, cudaEventDestroy(e));
	IS(400, cudaLaunchKernelExC(&c, &blocks, (void *[]){&seen}));
	IS(0, cudaEventDestroy(from));
	IS(1, cudaLaunchKernelExC(NULL, &blocks, (void *[]){&seen}));
	c.attribute = NULL;
	IS(1, cudaLaunchKernelExC(&c, &blocks, (void *[]){&seen}));
	IS(0, cudaFree(seen));
}

/* Runs the tests, or prints the value of the attribute given as an argument. */
int main(int argc, char **argv)
{
	if (argc > 1)
		return printf("%d\n", attribute(atoi(argv[1]))) < 0;
	test_device();
	test_handles();
	test_arguments();
	test_kernels();
	test_shared_memory();
	test_clusters();
	return bad;
}
