/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the CUDA driver: contexts, modules, memory, reserved addresses, launches, graphs, functions by name.
 * argv[1] is the file kernels.ptx. Prints a line for each call whose result is not as expected.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "values.h"

int cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGet(int *, int), cuDeviceGetName(char *, int, int);
int cuDeviceGetCount(int *), cuDeviceTotalMem_v2(size_t *, int), cuDeviceGetAttribute(int *, int, int);
int cuDeviceComputeCapability(int *, int *, int);
int cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int);
int cuDevicePrimaryCtxGetState(int, unsigned *, int *);
int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuCtxGetCurrent(void **),
	cuCtxSynchronize(void);
int cuCtxPushCurrent_v2(void *), cuCtxPopCurrent_v2(void **), cuCtxSetCurrent(void *);
int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *), cuModuleUnload(void *);
int cuModuleLoadDataEx(void **, const void *, unsigned, const int *, void **);
int cuModuleGetFunction(void **, void *, const char *),
	cuModuleGetGlobal_v2(uint64_t *, size_t *, void *, const char *);
int cuModuleGetFunctionCount(unsigned *, void *), cuFuncGetModule(void **, void *),
	cuFuncGetName(const char **, void *);
int cuLinkCreate_v2(unsigned, const int *, void **, void **), cuLinkComplete(void *, void **, size_t *);
int cuLinkAddData_v2(void *, int, const void *, size_t, const char *, unsigned, const int *, void **);
int cuLinkDestroy(void *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t),
	cuMemAllocPitch_v2(uint64_t *, size_t *, size_t, size_t, unsigned);
int cuMemGetDefaultMemPool(void **, const void *, int), cuMemGetMemPool(void **, const void *, int),
	cuMemSetMemPool(const void *, int, void *),
	cuMemAllocFromPoolAsync(uint64_t *, size_t, void *, void *);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpy2D_v2(const void *), cuMemsetD32_v2(uint64_t, unsigned, size_t),
	cuMemsetD16_v2(uint64_t, unsigned short, size_t);
int cuMemGetAddressRange_v2(uint64_t *, size_t *, uint64_t), cuPointerGetAttribute(void *, int, uint64_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	void **, void **);
int cuFuncGetAttribute(int *, int, void *), cuFuncSetAttribute(void *, int, int);
int cuOccupancyMaxPotentialBlockSize(int *, int *, void *, size_t (*)(int), size_t, int);
int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *);
int cuStreamGetCtx(void *, void **), cuMemFreeAsync(uint64_t, void *);
int cuStreamWriteValue32_v2(void *, uint64_t, uint32_t, unsigned),
	cuStreamWaitValue32_v2(void *, uint64_t, uint32_t, unsigned);
int cuEventCreate(void **, unsigned), cuEventRecord(void *, void *),
	cuEventElapsedTime(float *, void *, void *);
int cuEventDestroy_v2(void *);
int cuFuncSetBlockShape(void *, int, int, int), cuFuncSetSharedSize(void *, unsigned);
int cuParamSetSize(void *, unsigned), cuParamSeti(void *, int, unsigned),
	cuParamSetv(void *, int, const void *, unsigned);
int cuLaunch(void *), cuLaunchGrid(void *, int, int), cuLaunchGridAsync(void *, int, int, void *);
int cuGraphCreate(void **, unsigned),
	cuGraphAddKernelNode_v2(void **, void *, void *const *, size_t, const void *);
int cuGraphAddMemsetNode(void **, void *, void *const *, size_t, const void *, void *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long), cuGraphLaunch(void *, void *);
int cuGraphExecDestroy(void *), cuGraphDestroy(void *);
int cuGraphConditionalHandleCreate(uint64_t *, void *, void *, unsigned, unsigned);
int cuGraphAddNode_v2(void **, void *, void *const *, const void *, size_t, void *);
int cuGraphNodeSetParams(void *, const void *), cuGraphExecNodeSetParams(void *, void *, const void *);
int cuGraphMemsetNodeGetParams(void *, void *), cuGraphMemsetNodeSetParams(void *, const void *);
int cuGraphExecMemsetNodeSetParams(void *, void *, const void *, void *);
int cuDeviceGetGraphMemAttribute(int, int, uint64_t *);
int cuMemGetAllocationGranularity(size_t *, const void *, int),
	cuMemAddressReserve(uint64_t *, size_t, size_t, uint64_t, unsigned long long);
int cuMemCreate(uint64_t *, size_t, const void *, unsigned long long), cuMemRelease(uint64_t),
	cuMemUnmap(uint64_t, size_t);
int cuMemMap(uint64_t, size_t, size_t, uint64_t, unsigned long long), cuMemAddressFree(uint64_t, size_t);
int cuMemSetAccess(uint64_t, size_t, const void *, size_t);
int cuGetErrorName(int, const char **),
	cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
int cuGetExportTable(const void **, const void *), cuMulticastCreate(void *, void *);
int cuArrayCreate_v2(void **, const void *), cuArrayDestroy(void *);

enum { N = 1000, BLOCK = 128 };

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 16);

	if (!f || !fread(text, 1, (1 << 16) - 1, f))
		exit(3);
	fclose(f);
	return text;
}

static void test_start(void)
{
	int n, version, major, minor, active;
	unsigned flags;
	size_t bytes;
	char name[64];
	void *c = NULL, *second, *now;
	uint64_t d;

	IS(3, cuDeviceGetCount(&n)); /* not initialized */
	IS(1, cuInit(1));
	IS(0, cuInit(0));
	IS(0, cuDriverGetVersion(&version));
	IS(13000, version);
	IS(0, cuDeviceGetCount(&n));
	IS(1, n);
	IS(0, cuDeviceGet(&n, 0));
	IS(101, cuDeviceGet(&n, 1));
	IS(0, cuDeviceGetName(name, sizeof(name), 0));
	IS(0, strcmp(name, "a100-40"));
	IS(0, cuDeviceComputeCapability(&major, &minor, 0));
	IS(80, 10 * major + minor);
	IS(0, cuDeviceTotalMem_v2(&bytes, 0));
	IS(0, cuDeviceGetAttribute(&n, 102, 0));
	IS(1, n);
	IS(201, cuMemAlloc_v2(&d, 4)); /* no context */
	IS(0, cuMemGetDefaultMemPool(&c, (int[]){1, 0}, 1));
	IS(0, cuCtxGetCurrent(&now));
	IS(1, now == NULL);
	IS(0, cuCtxCreate_v2(&c, 0, 0));
	IS(0, cuCtxCreate_v2(&second, 0, 0));
	IS(0, cuCtxGetCurrent(&now));
	IS(1, now == second);
	IS(0, cuCtxDestroy_v2(second));
	IS(709, cuCtxPushCurrent_v2(second));
	IS(0, cuCtxPopCurrent_v2(&now));
	IS(1, now == c);
	IS(201, cuCtxSynchronize());
	IS(0, cuCtxDestroy_v2(c));
	IS(0, cuDevicePrimaryCtxGetState(0, &flags, &active));
	IS(0, active);
	IS(0, cuDevicePrimaryCtxRetain(&c, 0));
	IS(0, cuCtxSetCurrent(c));
	IS(0, cuCtxSynchronize());
}

static void test_module(const char *path, const char *text)
{
	static char log[200];
	const int option[] = {5, 6};
	void *value[] = {log, (void *)sizeof(log)}, *m, *f, *g, *owner;
	const char *name;
	uint64_t d;
	size_t bytes;
	unsigned n;
	int word;

	IS(301, cuModuleLoad(&m, "absent.ptx"));
	IS(0, cuModuleLoad(&m, path));
	IS(0, cuModuleGetFunction(&f, m, "add"));
	IS(0, cuModuleGetFunction(&g, m, "add"));
	IS(1, f == g);
	IS(500, cuModuleGetFunction(&g, m, "absent"));
	IS(0, cuModuleGetFunctionCount(&n, m));
	IS(1, n > 1);
	IS(0, cuFuncGetModule(&owner, f));
	IS(1, owner == m);
	IS(0, cuFuncGetName(&name, f));
	IS(0, strcmp(name, "add"));
	IS(0, cuModuleGetGlobal_v2(&d, &bytes, m, "counter"));
	IS(4, bytes);
	IS(0, cuMemcpyDtoH_v2(&word, d, 4));
	IS(7, word);
	IS(500, cuModuleGetGlobal_v2(&d, &bytes, m, "absent"));
	IS(0, cuModuleUnload(m));
	IS(400, cuModuleUnload(m));
	IS(400, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	IS(0, cuModuleLoadData(&m, text)); /* calls that load the same names again */
	IS(0, cuModuleUnload(m));
	IS(218, cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_70\n.visible .entry f() { nonsense; }", 2,
			option, value));
	IS(1, strstr(log, "nonsense") != NULL);
	IS(209, cuModuleLoadData(&m, (char[64]){"\177ELF\2\1\1"})); /* data without machine code */
	IS(200, cuModuleLoadData(&m, "\200\1\2\3"));
}

/*
 * Launches c = a + b, first with the addresses of the arguments, then with a buffer of the arguments. Returns c.
 */
/* Tests the functions of early CUDA releases with a kernel that adds b to c. */
static void test_prepared_launch(void *f, uint64_t b, uint64_t c)
{
	float got;

	IS(1, cuFuncSetBlockShape(f, 0, 1, 1));
	IS(0, cuFuncSetBlockShape(f, N, 1, 1));
	IS(0, cuFuncSetSharedSize(f, 16));
	IS(0, cuParamSetv(f, 0, &c, 8));
	IS(0, cuParamSetv(f, 8, &b, 8));
	IS(0, cuParamSetv(f, 16, &c, 8));
	IS(0, cuParamSeti(f, 24, N));
	IS(1, cuParamSetv(f, 4090, &c, 8));
	IS(0, cuParamSetSize(f, 24));
	IS(1, cuLaunch(f));
	IS(0, cuParamSetSize(f, 28));
	IS(0, cuLaunch(f));
	IS(0, cuLaunchGrid(f, 1, 1));
	IS(0, cuLaunchGridAsync(f, 1, 1, NULL));
	IS(1, cuLaunchGrid(f, 0, 1));
	IS(0, cuMemcpyDtoH_v2(&got, c, sizeof(got)));
	IS(5, got);
}

static uint64_t test_launch(void *f)
{
	static float a[N], b[N], c[N];
	uint64_t d[3], start;
	int n = N, regs, blocks, threads, kind;
	size_t bytes;
	void *args[] = {&d[0], &d[1], &d[2], &n};
	struct {
		uint64_t d[3];
		int n;
	} buffer;
	size_t size = sizeof(buffer) - 4;
	void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};

	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 1;
	}
	for (int i = 0; i < 3; i++)
		IS(0, cuMemAlloc_v2(&d[i], sizeof(a)));
	IS(1, cuMemAlloc_v2(&d[0], 0));
	IS(0, cuMemcpyHtoD_v2(d[0], a, sizeof(a)));
	IS(0, cuMemcpyHtoD_v2(d[1], b, sizeof(b)));
	IS(0, cuLaunchKernel(f, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL));
	IS(0, cuMemcpyDtoH_v2(c, d[2], sizeof(c)));
	for (int i = 0; i < N; i++)
		IS(i + 1, c[i]);
	memcpy(buffer.d, (uint64_t[]){d[2], d[1], d[2]}, sizeof(buffer.d));
	buffer.n = N;
	IS(0, cuLaunchKernel(f, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	size = 8;
	IS(1, cuLaunchKernel(f, 1, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	IS(1, cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL));
	IS(0, cuMemcpyDtoH_v2(c, d[2], sizeof(c)));
	for (int i = 0; i < N; i++)
		IS(i + 2, c[i]);
	test_prepared_launch(f, d[1], d[2]);
	IS(0, cuFuncGetAttribute(&regs, 0, f));
	IS(1024, regs);
	IS(1, cuFuncGetAttribute(&regs, 99, f));
	IS(0, cuFuncSetAttribute(f, 8, 65536));
	IS(0, cuFuncGetAttribute(&regs, 8, f));
	IS(65536, regs);
	IS(0, cuOccupancyMaxPotentialBlockSize(&blocks, &threads, f, NULL, 0, 0));
	IS(1024, threads);
	IS(0, cuMemGetAddressRange_v2(&start, &bytes, d[2] + 100));
	IS(d[2], start);
	IS(sizeof(c), bytes);
	IS(0, cuPointerGetAttribute(&kind, 2, d[2]));
	IS(2, kind);
	IS(0, cuMemFree_v2(d[0]));
	IS(0, cuMemFree_v2(d[1]));
	return d[2];
}

static void test_copies(void)
{
	struct {
		size_t x, y;
		unsigned kind;
		void *host;
		uint64_t device;
		void *array;
		size_t pitch;
	} end;
	struct {
		__typeof__(end) from, to;
		size_t width, height;
	} c = {0};
	struct {
		size_t width, height;
		unsigned format, channels;
	} shape = {8, 4, 3, 1};
	unsigned from[4][8], to[4][8] = {{0}};
	size_t pitch;
	uint64_t d;
	void *array;

	for (unsigned i = 0; i < 32; i++)
		from[i / 8][i % 8] = i;
	IS(0, cuMemAllocPitch_v2(&d, &pitch, 32, 4, 4));
	IS(0, cuMemsetD32_v2(d, 5, pitch));
	IS(1, cuMemsetD16_v2(d + 1, 5, 1));
	c.from = (__typeof__(end)){.kind = 1, .host = from, .pitch = 32};
	c.to = (__typeof__(end)){.kind = 2, .device = d, .pitch = pitch};
	c.width = 32;
	c.height = 4;
	IS(0, cuMemcpy2D_v2(&c));
	IS(0, cuArrayCreate_v2(&array, &shape));
	c.from = c.to;
	c.to = (__typeof__(end)){.kind = 3, .array = array};
	IS(0, cuMemcpy2D_v2(&c));
	c.from = (__typeof__(end)){.kind = 3, .array = array, .x = 4, .y = 1};
	c.to = (__typeof__(end)){.kind = 1, .host = to};
	c.width = 8;
	c.height = 2;
	IS(0, cuMemcpy2D_v2(&c));
	IS(9, to[0][0]);
	IS(18, ((unsigned *)to)[3]);
	c.from.x = 3;
	IS(1, cuMemcpy2D_v2(&c));
	IS(0, cuArrayDestroy(array));
	IS(0, cuMemFree_v2(d));
}

/* Tests memory pools. A stream belongs to a context, so work on it needs no current context. */
static void test_pools(void)
{
	int device[2] = {1, 0}, managed[2] = {0, 0};
	void *pool, *other, *s, *c, *owner;
	uint64_t d;

	IS(0, cuMemGetDefaultMemPool(&pool, managed, 2));
	IS(0, cuMemAllocFromPoolAsync(&d, 8, pool, NULL));
	*(int *)(uintptr_t)d = 1;
	IS(0, cuMemFree_v2(d));
	IS(0, cuMemGetMemPool(&other, device, 1));
	IS(0, cuMemSetMemPool(device, 1, other));
	IS(1, cuMemSetMemPool(device, 1, pool));
	IS(1, cuMemGetDefaultMemPool(NULL, device, 1));
	IS(0, cuStreamCreate(&s, 1));
	IS(0, cuCtxPopCurrent_v2(&c));
	IS(201, cuMemAllocFromPoolAsync(&d, 8, other, NULL));
	IS(0, cuMemAllocFromPoolAsync(&d, 8, other, s));
	IS(0, cuMemFreeAsync(d, s));
	IS(0, cuStreamGetCtx(s, &owner));
	IS(1, owner == c);
	IS(0, cuStreamSynchronize(s));
	IS(0, cuStreamDestroy_v2(s));
	IS(0, cuCtxPushCurrent_v2(c));
}

static const char caller[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			     ".extern .func (.param .b32 r) seven ();\n"
			     ".visible .entry store(.param .u64 to) {\n"
			     ".reg .b64 %a; .reg .b32 %v; .param .b32 r;\n"
			     "ld.param.u64 %a, [to]; call (r), seven, (); ld.param.b32 %v, [r];\n"
			     "st.global.u32 [%a], %v; ret; }\n";
static const char callee[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			     ".visible .func (.param .b32 r) seven () { st.param.b32 [r], 7; ret; }\n";

static void test_link(uint64_t d)
{
	void *link, *code, *m, *f, *args[] = {&d};
	size_t n;
	int got = 0;

	IS(0, cuLinkCreate_v2(0, NULL, NULL, &link));
	IS(0, cuLinkAddData_v2(link, 1, caller, sizeof(caller), "caller", 0, NULL, NULL));
	IS(0, cuLinkAddData_v2(link, 1, callee, sizeof(callee), "callee", 0, NULL, NULL));
	IS(0, cuLinkComplete(link, &code, &n));
	IS(0, cuModuleLoadData(&m, code));
	IS(0, cuLinkDestroy(link));
	IS(0, cuModuleGetFunction(&f, m, "store"));
	IS(0, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	IS(0, cuMemcpyDtoH_v2(&got, d, 4));
	IS(7, got);
	IS(218, cuModuleLoadData(&m, caller)); /* this function is missing */
}

static void test_reserved(void *f)
{
	struct {
		int type, handles, place, device;
		void *windows;
		char flags[8];
	} p = {.type = 1, .place = 1};
	struct {
		int place, device, flags;
	} access = {1, 0, 3};
	size_t unit = 0;
	uint64_t base, one, two, d, n64;
	float word = 0;
	int n = 1;
	void *args[] = {&n64, &n64, &n64, &n};

	IS(0, cuMemGetAllocationGranularity(&unit, &p, 0));
	IS(2 << 20, unit);
	IS(0, cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
	IS(0, cuMemCreate(&one, unit, &p, 0));
	IS(0, cuMemCreate(&two, 2 * unit, &p, 0));
	IS(0, cuMemMap(base, unit, 0, one, 0));
	IS(1, cuMemMap(base, unit, 0, two, 0));                /* the addresses are already mapped */
	IS(1, cuMemMap(base + 3 * unit, 2 * unit, 0, two, 0)); /* the range ends beyond the reservation */
	IS(0, cuMemMap(base + unit, 2 * unit, 0, two, 0));
	IS(0, cuMemSetAccess(base, 3 * unit, &access, 1));
	IS(0, cuMemAlloc_v2(&d, 4)); /* allocates outside the reservation */
	IS(1, d >= base + 4 * unit);
	word = 2;
	IS(0, cuMemcpyHtoD_v2(base + 2 * unit, &word, 4));
	n64 = base + 2 * unit;
	IS(0, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	IS(0, cuMemUnmap(base + unit, 2 * unit));
	IS(0, cuMemMap(base + 2 * unit, 2 * unit, 0, two, 0)); /* the memory keeps its contents */
	IS(0, cuMemSetAccess(base + 2 * unit, 2 * unit, &access, 1));
	IS(0, cuMemcpyDtoH_v2(&word, base + 3 * unit, 4));
	IS(4, word);
	IS(0, cuMemRelease(two));
	IS(1, cuMemRelease(two));
	IS(0, cuMemUnmap(base + 2 * unit, 2 * unit));
	IS(1, cuMemAddressFree(base, 4 * unit)); /* a part of the range is still mapped */
	IS(0, cuMemUnmap(base, unit));
	IS(0, cuMemRelease(one));
	IS(0, cuMemAddressFree(base, 4 * unit));
	IS(0, cuMemFree_v2(d));
}

static void test_streams_and_graphs(void *f, uint64_t d)
{
	void *s, *from, *to, *g, *set, *run, *x;
	int n = N;
	void *args[] = {&d, &d, &d, &n};
	struct {
		void *function;
		unsigned shape[7];
		void **args, **extra;
		void *kernel, *context;
	} k = {f, {(N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0}, args, NULL, NULL, NULL};
	struct {
		uint64_t to;
		size_t pitch;
		unsigned value, unit;
		size_t width, height;
	} fill = {d, 4 * N, 0x3f800000, 4, N, 1};
	float ms, c[N];

	IS(0, cuStreamCreate(&s, 1));
	IS(0, cuEventCreate(&from, 0));
	IS(0, cuEventCreate(&to, 0));
	IS(0, cuEventRecord(from, s));
	IS(0, cuGraphCreate(&g, 0));
	IS(0, cuGraphAddMemsetNode(&set, g, NULL, 0, &fill, NULL));
	IS(0, cuGraphAddKernelNode_v2(&run, g, &set, 1, &k));
	IS(0, cuGraphInstantiateWithFlags(&x, g, 0));
	IS(0, cuGraphLaunch(x, s));
	IS(0, cuEventRecord(to, s));
	IS(0, cuStreamSynchronize(s));
	IS(0, cuEventElapsedTime(&ms, from, to));
	IS(1, ms > 0);
	IS(0, cuMemcpyDtoH_v2(c, d, sizeof(c)));
	for (int i = 0; i < N; i++)
		IS(2, c[i]);
	IS(0, cuStreamWriteValue32_v2(s, d, 9, 0));
	IS(0, cuStreamWaitValue32_v2(s, d, 9, 1));
	IS(801, cuStreamWaitValue32_v2(s, d, 10, 1));
	IS(0, cuGraphExecDestroy(x));
	IS(0, cuGraphDestroy(g));
	IS(0, cuEventDestroy_v2(from));
	IS(0, cuEventDestroy_v2(to));
	IS(0, cuStreamDestroy_v2(s));
	IS(400, cuStreamDestroy_v2(s));
}

struct fill {
	uint64_t to;
	size_t pitch;
	unsigned value, unit;
	size_t width, height;
	void *context;
};
struct node_params {
	int type, zeros[3];
	union {
		long long words[29];
		struct fill fill;
		struct {
			void *function;
			unsigned shape[7];
			void **args, **extra;
			void *kernel, *context;
		} kernel;
		struct {
			uint64_t handle;
			int kind;
			unsigned n;
			void **body;
		} condition;
	};
	long long zero;
};
enum { NODE_KERNEL, NODE_FILL = 2, NODE_CONDITION = 13, WHERE_TRUE = 0 };

/* Tests a conditional node. Its graph fills memory and adds the memory to itself. */
static void test_condition(void *f, uint64_t d, struct node_params *fill)
{
	int n = N;
	void *args[] = {&d, &d, &d, &n};
	struct node_params c = {.type = NODE_CONDITION},
			   k = {.type = NODE_KERNEL,
				   .kernel = {f, {(N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0}, args, NULL,
					   NULL, NULL}};
	struct fill seen;
	void *g, *node, *set, *add, *x;
	float got;

	IS(0, cuGraphCreate(&g, 0));
	IS(0, cuGraphConditionalHandleCreate(&c.condition.handle, g, NULL, 1, 1));
	c.condition.kind = WHERE_TRUE;
	c.condition.n = 1;
	IS(0, cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &c));
	IS(0, cuGraphAddNode_v2(&set, *c.condition.body, NULL, NULL, 0, fill));
	IS(0, cuGraphAddNode_v2(&add, *c.condition.body, &set, NULL, 1, &k));
	IS(0, cuGraphMemsetNodeGetParams(set, &seen));
	IS(N, seen.width);
	seen.value = 0x40800000;
	IS(0, cuGraphMemsetNodeSetParams(set, &seen));
	IS(1, cuGraphNodeSetParams(set, &k));
	IS(0, cuGraphNodeSetParams(add, &k));
	IS(0, cuGraphInstantiateWithFlags(&x, g, 0));
	IS(0, cuGraphLaunch(x, NULL));
	IS(0, cuMemcpyDtoH_v2(&got, d + 4 * (N - 1), 4));
	IS(8, got);
	IS(0, cuGraphExecDestroy(x));
	IS(0, cuGraphDestroy(g));
}

/* Tests changes of a node of a graph instance. */
static void test_changes(uint64_t d, struct node_params *fill)
{
	struct fill other = fill->fill;
	void *g, *set, *x;
	uint64_t bytes;
	float got;

	other.value = 0x40800000;
	IS(0, cuGraphCreate(&g, 0));
	IS(0, cuGraphAddNode_v2(&set, g, NULL, NULL, 0, fill));
	IS(0, cuGraphInstantiateWithFlags(&x, g, 0));
	IS(0, cuGraphExecMemsetNodeSetParams(x, set, &other, NULL));
	IS(0, cuGraphLaunch(x, NULL));
	IS(0, cuMemcpyDtoH_v2(&got, d, 4));
	IS(4, got);
	IS(0, cuGraphExecNodeSetParams(x, set, fill));
	IS(0, cuGraphLaunch(x, NULL));
	IS(0, cuMemcpyDtoH_v2(&got, d, 4));
	IS(1, got);
	IS(0, cuGraphExecDestroy(x));
	IS(0, cuGraphDestroy(g));
	IS(0, cuDeviceGetGraphMemAttribute(0, 0, &bytes));
	IS(0, bytes);
}

static void test_nodes(void *f, uint64_t d)
{
	struct node_params fill = {.type = NODE_FILL, .fill = {d, 4 * N, 0x3f800000, 4, N, 1, NULL}};

	test_condition(f, d, &fill);
	test_changes(d, &fill);
}

static void test_names(void)
{
	const char *name;
	void *f, *g;
	int state;

	IS(0, cuGetErrorName(201, &name));
	IS(0, strcmp(name, "CUDA_ERROR_INVALID_CONTEXT"));
	IS(1, cuGetErrorName(12, &name));
	IS(0, cuGetProcAddress_v2("cuMemAlloc", &f, 12000, 0, &state));
	IS(1, f == (void *)cuMemAlloc_v2);
	IS(0, cuGetProcAddress_v2("cuMemAlloc_v2", &g, 12000, 0, &state));
	IS(1, f == g);
	IS(0, cuGetProcAddress_v2("cuMemAddressReserve", &f, 10000, 0, &state));
	IS(2, state); /* a function of a newer release */
	IS(1, f == NULL);
	IS(0, cuGetProcAddress_v2("cuAbsent", &f, 12000, 0, &state));
	IS(1, state);
	IS(801, cuMulticastCreate(NULL, NULL));
	IS(801, cuGetExportTable((const void **)&f, NULL));
}

int main(int argc, char **argv)
{
	char *text = argc > 1 ? read_text(argv[1]) : NULL;
	void *m, *f;
	uint64_t d;

	if (!text)
		return 3;
	test_start();
	test_module(argv[1], text);
	IS(0, cuModuleLoadData(&m, text));
	IS(0, cuModuleGetFunction(&f, m, "add"));
	d = test_launch(f);
	test_copies();
	test_pools();
	test_link(d);
	test_reserved(f);
	test_streams_and_graphs(f, d);
	test_nodes(f, d);
	test_names();
	IS(0, cuMemFree_v2(d));
	IS(0, cuModuleUnload(m));
	IS(0, cuDevicePrimaryCtxRelease_v2(0));
	free(text);
	return bad;
}
