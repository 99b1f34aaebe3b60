/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests user objects of graphs, events of contexts, and copies of arrays and boxes, of the driver and of the
 * runtime. Prints a line for each call whose result is not as expected.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "values.h"

int cudaGraphCreate(void **, unsigned), cudaGraphClone(void **, void *), cudaGraphDestroy(void *);
int cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphExecDestroy(void *);
int cudaGraphAddChildGraphNode(void **, void *, void **, size_t, void *), cudaGraphDestroyNode(void *);
int cudaUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned);
int cudaUserObjectRetain(void *, unsigned), cudaUserObjectRelease(void *, unsigned);
int cudaGraphRetainUserObject(void *, void *, unsigned, unsigned),
	cudaGraphReleaseUserObject(void *, void *, unsigned);
int cuUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned);
int cuUserObjectRetain(void *, unsigned), cuUserObjectRelease(void *, unsigned);
int cuGraphRetainUserObject(void *, void *, unsigned, unsigned),
	cuGraphReleaseUserObject(void *, void *, unsigned);
int cuInit(unsigned), cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *);
int cuPointerGetAttribute(void *, int, uint64_t);
int cuMemExportToShareableHandle(void *, uint64_t, int, unsigned long long);
int cuMemImportFromShareableHandle(uint64_t *, void *, int),
	cuMemGetAllocationPropertiesFromHandle(void *, uint64_t);
int cuMemGetAllocationGranularity(size_t *, const void *, int),
	cuMemAddressReserve(uint64_t *, size_t, size_t, uint64_t, unsigned long long);
int cuMemCreate(uint64_t *, size_t, const void *, unsigned long long), cuMemRelease(uint64_t);
int cuMemMap(uint64_t, size_t, size_t, uint64_t, unsigned long long), cuMemUnmap(uint64_t, size_t);
int cuMemSetAccess(uint64_t, size_t, const void *, size_t), cuMemAddressFree(uint64_t, size_t);
int cuEventCreate(void **, unsigned), cuEventQuery(void *), cuEventDestroy_v2(void *);
int cuCtxRecordEvent(void *, void *), cuCtxWaitEvent(void *, void *);
int cuGreenCtxRecordEvent(void *, void *);
int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *);
int cuStreamBatchMemOp_v2(void *, unsigned, const void *, unsigned);
int cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **);
int cuArrayCreate_v2(void **, const void *), cuArray3DCreate_v2(void **, const void *),
	cuArrayDestroy(void *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t), cuMemsetD32_v2(uint64_t, unsigned, size_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpyHtoA_v2(void *, size_t, const void *, size_t), cuMemcpyAtoH_v2(void *, void *, size_t, size_t);
int cuMemcpyDtoA_v2(void *, size_t, uint64_t, size_t), cuMemcpyAtoD_v2(uint64_t, void *, size_t, size_t);
int cuMemcpyAtoA_v2(void *, size_t, void *, size_t, size_t);
int cuMemcpyHtoAAsync_v2(void *, size_t, const void *, size_t, void *),
	cuMemcpyAtoHAsync_v2(void *, void *, size_t, size_t, void *);
int cuMemcpy3DPeer(const void *), cudaMemcpy3DPeer(const void *);
int cuMemcpy3DBatchAsync_v2(size_t, const void *, unsigned long long, void *),
	cuMemcpy3DBatchAsync(size_t, const void *, size_t *, unsigned long long, void *);
int cudaMemcpy3DBatchAsync(size_t, const void *, unsigned long long, void *);

typedef void log_callback(void *, int, char *, size_t);
int cuLogsRegisterCallback(log_callback *, void *, void **), cuLogsUnregisterCallback(void *);
int cuLogsCurrent(unsigned *, unsigned), cuLogsDumpToFile(unsigned *, const char *, unsigned);
int cuLogsDumpToMemory(unsigned *, char *, size_t *, unsigned);
int cudaLogsRegisterCallback(log_callback *, void *, void **), cudaLogsUnregisterCallback(void *);

int cudaMallocManaged(void **, size_t, unsigned), cudaFree(void *), cudaMalloc(void **, size_t);
struct place {
	int type, id;
};
int cuMemAdvise_v2(uint64_t, size_t, int, struct place), cuMemAdvise(uint64_t, size_t, int, int);
int cuMemPrefetchAsync_v2(uint64_t, size_t, struct place, unsigned, void *);
int cudaMemRangeGetAttribute(void *, size_t, int, const void *, size_t);
int cuMemRangeGetAttribute(void *, size_t, int, uint64_t, size_t);
int cuMemRangeGetAttributes(void **, size_t *, int *, size_t, uint64_t, size_t);

enum { INVALID = 1, NO_CONTEXT = 201, BAD_HANDLE = 400, CAPTURE_UNSUPPORTED = 900, NO_SYNC = 1, MOVE = 1 };

static int destroyed;

static void note_end(void *n) { destroyed += *(int *)n; }

/* Queries the hints that a program has given about managed memory. */
static void test_hints(void)
{
	enum { READ_MOSTLY = 1, PREFERRED, USERS, PREFETCHED, PREFERRED_TYPE, PREFERRED_ID, PREFETCHED_TYPE };
	enum { PAGE = 4096, DEVICE = 1, HOST, NONE = -2, CPU = -1 };
	const struct place device = {DEVICE, 0}, host = {HOST, 0};
	int value, type, users[3] = {7, 7, 7}, which[2] = {PREFERRED, PREFETCHED_TYPE};
	void *to[2] = {&value, &type}, *p, *plain;
	size_t bytes[2] = {4, 4};
	uint64_t at;

	IS(0, cudaMallocManaged(&p, 4 * PAGE, 1));
	IS(0, cudaMalloc(&plain, PAGE));
	at = (uintptr_t)p;
	IS(0, cuMemRangeGetAttribute(&value, 4, READ_MOSTLY, at, 4 * PAGE));
	IS(0, value);
	IS(0, cuMemRangeGetAttributes(to, bytes, which, 2, at, 4 * PAGE));
	IS(1, value == NONE && type == 0);
	/* a hint is about whole pages, and about a range only if all its pages have it */
	IS(0, cuMemAdvise_v2(at + 10, PAGE, 1, device));
	IS(0, cuMemRangeGetAttribute(&value, 4, READ_MOSTLY, at, 2 * PAGE));
	IS(1, value);
	IS(0, cuMemRangeGetAttribute(&value, 4, READ_MOSTLY, at, 2 * PAGE + 1));
	IS(0, value);
	IS(0, cuMemAdvise_v2(at, PAGE, 2, device));
	IS(0, cudaMemRangeGetAttribute(&value, 4, READ_MOSTLY, p, 2 * PAGE));
	IS(0, value);
	IS(0, cuMemAdvise(at, 4 * PAGE, 3, CPU));
	IS(0, cuMemPrefetchAsync_v2(at, 4 * PAGE, device, 0, NULL));
	IS(0, cuMemRangeGetAttributes(to, bytes, which, 2, at + 1, 3 * PAGE));
	IS(1, value == CPU && type == DEVICE);
	IS(0, cuMemAdvise_v2(at, PAGE, 3, device));
	IS(0, cuMemRangeGetAttribute(&value, 4, PREFERRED, at, PAGE));
	IS(0, value);
	IS(0, cuMemRangeGetAttribute(&value, 4, PREFERRED_TYPE, at, 4 * PAGE));
	IS(0, value);
	IS(0, cuMemAdvise_v2(at, 4 * PAGE, 5, host));
	IS(0, cuMemRangeGetAttribute(users, sizeof(users), USERS, at, 4 * PAGE));
	IS(1, users[0] == CPU && users[1] == NONE && users[2] == NONE);
	IS(0, cuMemAdvise_v2(at, 4 * PAGE, 5, device));
	IS(0, cuMemAdvise_v2(at, 4 * PAGE, 6, host));
	IS(0, cuMemRangeGetAttribute(users, sizeof(users), USERS, at, 4 * PAGE));
	IS(1, users[0] == 0 && users[1] == NONE);
	IS(INVALID, cuMemRangeGetAttribute(users, 6, USERS, at, 4 * PAGE));
	IS(INVALID, cuMemRangeGetAttribute(&value, 8, READ_MOSTLY, at, PAGE));
	IS(INVALID, cuMemRangeGetAttribute(&value, 4, 9, at, PAGE));
	IS(INVALID, cuMemRangeGetAttribute(&value, 4, READ_MOSTLY, at, 4 * PAGE + 1));
	IS(INVALID, cudaMemRangeGetAttribute(&value, 4, READ_MOSTLY, plain, PAGE));
	IS(INVALID, cuMemRangeGetAttributes(to, bytes, which, 0, at, PAGE));
	IS(0, cudaFree(p));
	IS(0, cudaFree(plain));
}

static void note_log(void *arg, int level, char *text, size_t n)
{
	(void)arg, (void)level, (void)text, (void)n;
}

/* Tests that the log is always empty. */
static void test_logs(void)
{
	void *one, *two;
	unsigned at = 7;
	char text[8] = "text";
	size_t n = sizeof(text);

	IS(INVALID, cuLogsRegisterCallback(NULL, NULL, &one));
	IS(0, cuLogsRegisterCallback(note_log, NULL, &one));
	IS(0, cudaLogsRegisterCallback(note_log, NULL, &two));
	IS(1, one != two);
	IS(0, cuLogsUnregisterCallback(one));
	IS(INVALID, cuLogsUnregisterCallback(one));
	IS(0, cudaLogsUnregisterCallback(two));
	IS(INVALID, cuLogsUnregisterCallback(NULL));
	IS(0, cuLogsCurrent(&at, 0));
	IS(INVALID, cuLogsCurrent(&at, 1));
	IS(0, cuLogsDumpToFile(&at, "log", 0));
	IS(INVALID, cuLogsDumpToFile(NULL, "no-directory/log", 0));
	IS(0, access("log", F_OK));
	IS(0, cuLogsDumpToMemory(NULL, text, &n, 0));
	IS(0, *text || n);
	IS(INVALID, cuLogsDumpToMemory(NULL, text, &n, 0));
}

static void test_user_objects(void)
{
	void *g, *clone, *parent, *node, *x, *o, *p;
	int one = 1, ten = 10;

	IS(INVALID, cudaUserObjectCreate(&o, &one, NULL, 1, NO_SYNC));
	IS(INVALID, cudaUserObjectCreate(&o, &one, note_end, 0, NO_SYNC));
	IS(INVALID, cudaUserObjectCreate(&o, &one, note_end, 1, 0));
	IS(0, cudaUserObjectCreate(&o, &one, note_end, 1, NO_SYNC));
	IS(0, cudaUserObjectRetain(o, 2));
	IS(INVALID, cudaUserObjectRelease(o, 4));
	IS(0, cudaUserObjectRelease(o, 2));
	IS(0, destroyed);
	IS(0, cudaGraphCreate(&g, 0));
	IS(INVALID, cudaGraphRetainUserObject(g, o, 2, MOVE));
	IS(0, cudaGraphRetainUserObject(g, o, 1, MOVE));
	IS(INVALID, cudaUserObjectRelease(o, 1));
	IS(0, cudaGraphRetainUserObject(g, o, 2, 0));
	IS(INVALID, cudaGraphReleaseUserObject(g, o, 4));
	IS(0, cudaGraphReleaseUserObject(g, o, 2));
	/* a copy, a child and an instance hold references of their own */
	IS(0, cudaGraphClone(&clone, g));
	IS(0, cudaGraphDestroy(g));
	IS(0, destroyed);
	IS(0, cudaGraphInstantiate(&x, clone, 0));
	IS(0, cudaGraphCreate(&parent, 0));
	IS(0, cudaGraphAddChildGraphNode(&node, parent, NULL, 0, clone));
	IS(0, cudaGraphDestroy(clone));
	IS(0, cudaGraphDestroyNode(node));
	IS(0, destroyed);
	IS(0, cudaGraphExecDestroy(x));
	IS(1, destroyed);
	IS(INVALID, cudaUserObjectRetain(o, 1));

	IS(0, cuUserObjectCreate(&o, &one, note_end, 2, NO_SYNC));
	IS(0, cuUserObjectCreate(&p, &ten, note_end, 1, NO_SYNC));
	IS(0, cuGraphRetainUserObject(parent, o, 1, 0));
	IS(0, cuGraphRetainUserObject(parent, p, 1, 0));
	IS(0, cuUserObjectRetain(o, 1));
	IS(0, cuUserObjectRelease(o, 3));
	IS(1, destroyed);
	IS(0, cuGraphReleaseUserObject(parent, o, 1));
	IS(2, destroyed);
	IS(0, cudaGraphDestroy(parent));
	IS(2, destroyed);
	IS(0, cuUserObjectRelease(p, 1));
	IS(12, destroyed);
}

static void test_context_events(void)
{
	void *c, *event, *s, *g;

	IS(0, cuCtxCreate_v2(&c, 0, 0));
	IS(0, cuEventCreate(&event, 0));
	IS(0, cuStreamCreate(&s, 0));
	IS(0, cuCtxRecordEvent(c, event));
	IS(0, cuEventQuery(event));
	IS(0, cuCtxWaitEvent(c, event));
	IS(BAD_HANDLE, cuCtxRecordEvent(c, s));
	IS(NO_CONTEXT, cuCtxRecordEvent(s, event));
	IS(NO_CONTEXT, cuGreenCtxRecordEvent(c, event));
	IS(0, cuStreamBeginCapture_v2(s, 0));
	IS(CAPTURE_UNSUPPORTED, cuCtxWaitEvent(c, event));
	IS(901, cuStreamEndCapture(s, &g));
	IS(0, cuStreamDestroy_v2(s));
	IS(0, cuEventDestroy_v2(event));
	IS(0, cuCtxDestroy_v2(c));
	IS(NO_CONTEXT, cuCtxRecordEvent(c, event));
}

enum { FLOAT = 0x20, N = 8 };
static const float h[N] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_rows_of_arrays(void)
{
	struct {
		size_t width, height;
		unsigned format, channels;
	} d = {N, 0, FLOAT, 1};
	void *a, *b;
	float back[N] = {0};
	uint64_t p;

	IS(0, cuArrayCreate_v2(&a, &d));
	IS(0, cuArrayCreate_v2(&b, &d));
	IS(0, cuMemAlloc_v2(&p, sizeof(h)));
	IS(0, cuMemsetD32_v2(p, 0, N));
	IS(0, cuMemcpyHtoA_v2(a, 0, h, sizeof(h)));
	IS(0, cuMemcpyAtoD_v2(p + 4, a, 8, 12)); /* 0 3 4 5 0 0 0 0 */
	IS(0, cuMemcpyDtoA_v2(b, 0, p, sizeof(h)));
	IS(0, cuMemcpyAtoA_v2(b, 20, a, 0, 12)); /* 0 3 4 5 0 1 2 3 */
	IS(0, cuMemcpyHtoAAsync_v2(b, 0, h + 7, 4, NULL));
	IS(0, cuMemcpyAtoH_v2(back, b, 0, 16));
	IS(0, cuMemcpyAtoHAsync_v2(back + 4, b, 16, 16, NULL));
	IS(0, memcmp(back, (float[N]){8, 3, 4, 5, 0, 1, 2, 3}, sizeof(back)));
	IS(INVALID, cuMemcpyAtoH_v2(back, b, 4, sizeof(h)));
	IS(INVALID, cuMemcpyHtoA_v2(b, 2, h, 4));
	IS(0, cuArrayDestroy(a));
	IS(0, cuArrayDestroy(b));
	IS(0, cuMemFree_v2(p));
}

struct operand {
	int type;
	union {
		struct {
			const void *base;
			size_t row, layer;
			int hint[2];
		} pointer;
		struct {
			void *array;
			size_t x, y, z;
		} array;
	};
};
struct box {
	struct operand from, to;
	size_t width, height, depth;
	int order;
	unsigned flags;
};

/* Copies 2 x 2 texels of an array of 4 x 2, then pairs of rows of a buffer. */
static void test_boxes(void)
{
	struct {
		size_t width, height, depth;
		unsigned format, channels, flags;
	} d = {4, 2, 0, FLOAT, 1, 0};
	float back[4] = {0};
	void *a, *s;
	size_t failed;
	struct box c[2];

	IS(0, cuArray3DCreate_v2(&a, &d));
	IS(0, cuStreamCreate(&s, 0));
	c[0] = (struct box){{1, .pointer = {h, 4, 0, {0, 0}}}, {2, .array = {a, 0, 0, 0}}, 4, 2, 1, 1, 0};
	c[1] = (struct box){{2, .array = {a, 1, 0, 0}}, {1, .pointer = {back, 0, 0, {0, 0}}}, 2, 2, 1, 1, 0};
	IS(INVALID, cuMemcpy3DBatchAsync_v2(2, c, 0, NULL));
	IS(INVALID, cuMemcpy3DBatchAsync_v2(2, c, 1, s));
	c[1].width = 0;
	IS(INVALID, cuMemcpy3DBatchAsync(2, c, &failed, 0, s));
	IS(1, failed);
	c[1].width = 2;
	IS(0, cuMemcpy3DBatchAsync_v2(2, c, 0, s));
	IS(0, memcmp(back, (float[4]){2, 3, 6, 7}, sizeof(back)));
	c[0] = (struct box){
		{1, .pointer = {h, 16, 2, {0, 0}}}, {1, .pointer = {back, 4, 0, {0, 0}}}, 4, 2, 2, 1, 0};
	c[0].height = 1; /* two layers of a row of 4 bytes; the layers of the source have two rows of 16 */
	IS(0, cudaMemcpy3DBatchAsync(1, c, 0, s));
	IS(0, memcmp(back, (float[4]){1, 1, 6, 7}, 4));
	IS(0, cuStreamDestroy_v2(s));
	IS(0, cuArrayDestroy(a));
}

static void test_peer_boxes(void)
{
	struct end {
		size_t x, y, z, level;
		unsigned kind;
		const void *host;
		uint64_t device;
		void *array, *context;
		size_t pitch, height;
	};
	struct {
		struct end from, to;
		size_t width, height, depth;
	} c = {{.kind = 1, .host = h, .pitch = 16}, {.kind = 2, .pitch = 8}, 8, 2, 1};
	struct {
		void *from_array;
		size_t from_position[3];
		struct {
			const void *base;
			size_t pitch, width, height;
		} from;
		int from_device;
		void *to_array;
		size_t to_position[3];
		struct {
			void *base;
			size_t pitch, width, height;
		} to;
		int to_device;
		size_t width, height, depth;
	} r = {.width = 4, .height = 2, .depth = 1};
	float back[4];
	uint64_t p;

	IS(0, cuMemAlloc_v2(&p, 16));
	c.to.device = p;
	IS(0, cuMemcpy3DPeer(&c));
	IS(0, cuMemcpyDtoH_v2(back, p, 16));
	IS(0, memcmp(back, (float[4]){1, 2, 5, 6}, 16));
	r.from.base = (void *)(uintptr_t)p;
	r.to.base = (void *)(uintptr_t)(p + 4);
	r.from.pitch = r.to.pitch = 8;
	IS(0, cudaMemcpy3DPeer(&r));
	IS(0, cuMemcpyDtoH_v2(back, p, 16));
	IS(0, memcmp(back, (float[4]){1, 1, 5, 5}, 16));
	r.to_device = 1;
	IS(101, cudaMemcpy3DPeer(&r));
	IS(0, cuMemFree_v2(p));
}

/* Tests a stream that writes 10 and 11 and waits for them, with a barrier and a flush. */
static void test_batches_of_values(void)
{
	uint64_t d, got[2];

	IS(0, cuMemAlloc_v2(&d, sizeof(got)));
	IS(0, cuMemsetD32_v2(d, 0, 4));
	const struct {
		int op;
		uint64_t addr, value;
		unsigned flags;
		uint64_t rest[2];
	} calls[] = {{2, d, 10, 0, {0}}, {6, 0, 0, 0, {0}}, {1, d, 10, 1, {0}}, {5, d + 8, 11, 0, {0}},
		{4, d + 8, 11, 1, {0}}, {3, d, 0, 0, {0}}};
	void *s;

	IS(0, cuStreamCreate(&s, 0));
	IS(0, cuStreamBatchMemOp_v2(s, 6, calls, 0));
	IS(0, cuMemcpyDtoH_v2(got, d, sizeof(got)));
	IS(1, got[0] == 10 && got[1] == 11);
	IS(1, cuStreamBatchMemOp_v2(s, 6, calls, 1));
	IS(1, cuStreamBatchMemOp_v2(s, 6, NULL, 0));
	IS(0, cuStreamDestroy_v2(s));
	IS(0, cuMemFree_v2(d));
}

/* Tests that memory belongs to the context that was current at its allocation. */
static void test_context_of_memory(void *first)
{
	enum { CONTEXT = 1, POOL = 17, MAPPING_BYTES, MAPPING_START };
	void *second, *of = NULL, *pool = &of;
	size_t bytes = 0;
	uint64_t a, b;

	IS(0, cuMemAlloc_v2(&a, 16));
	IS(0, cuCtxCreate_v2(&second, 0, 0));
	IS(0, cuMemAlloc_v2(&b, 16));
	IS(0, cuPointerGetAttribute(&of, CONTEXT, a));
	IS(1, of == first);
	IS(0, cuPointerGetAttribute(&of, CONTEXT, b));
	IS(1, of == second);
	IS(0, cuPointerGetAttribute(&pool, POOL, a));
	IS(1, !pool);
	IS(0, cuPointerGetAttribute(&bytes, MAPPING_BYTES, a + 4));
	IS(16, bytes);
	IS(0, cuPointerGetAttribute(&of, MAPPING_START, a + 4));
	IS(1, (uintptr_t)of == a);
	IS(0, cuMemFree_v2(a));
	IS(0, cuMemFree_v2(b));
	IS(0, cuCtxDestroy_v2(second));
}

/* Tests that without a context, addresses can be reserved, memory mapped, and its handle exported. */
static void test_mapping_without_context(void)
{
	struct {
		int type, handles, location, device;
		void *security;
		unsigned char flags[8];
	} p = {.type = 1, .handles = 1, .location = 1}, same;
	struct {
		int location, device, flags;
	} access = {1, 0, 3};
	size_t unit = 0;
	uint64_t addr, memory, imported;
	int descriptor = -1;

	IS(0, cuMemGetAllocationGranularity(&unit, &p, 0));
	IS(0, cuMemAddressReserve(&addr, unit, 0, 0, 0));
	IS(0, cuMemCreate(&memory, unit, &p, 0));
	IS(0, cuMemMap(addr, unit, 0, memory, 0));
	IS(0, cuMemSetAccess(addr, unit, &access, 1));
	IS(NO_CONTEXT, cuMemsetD32_v2(addr, 0, 1));
	IS(0, cuMemUnmap(addr, unit));
	IS(INVALID, cuMemExportToShareableHandle(&descriptor, memory, 2, 0));
	IS(0, cuMemExportToShareableHandle(&descriptor, memory, 1, 0));
	IS(0, cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, 1));
	IS(0, close(descriptor));
	IS(1, imported == memory);
	IS(0, cuMemGetAllocationPropertiesFromHandle(&same, imported));
	IS(1, same.handles);
	IS(0, cuMemRelease(memory));
	IS(0, cuMemRelease(imported));
	IS(INVALID, cuMemRelease(imported));
	IS(0, cuMemAddressFree(addr, unit));
}

int main(void)
{
	void *c;

	IS(0, cuInit(0));
	test_mapping_without_context();
	test_logs();
	test_user_objects();
	IS(0, cuCtxCreate_v2(&c, 0, 0));
	test_hints();
	test_rows_of_arrays();
	test_boxes();
	test_peer_boxes();
	test_context_of_memory(c);
	test_batches_of_values();
	test_context_events();
	IS(0, cuCtxDestroy_v2(c));
	return bad;
}
