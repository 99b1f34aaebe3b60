/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests green contexts, batches of copies, and graphs as text, by functions of the driver. argv[1] is the file
 * kernels.ptx. Prints a line for each call whose result is not as expected.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "values.h"

struct resource {
	unsigned type;
	unsigned char private[92];
	unsigned sms, least, alignment, rest[9];
};
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuDeviceGetDevResource(int, struct resource *, int), cuCtxGetDevResource(void *, struct resource *, int);
int cuGreenCtxGetDevResource(void *, struct resource *, int);
int cuDevSmResourceSplitByCount(
	struct resource *, unsigned *, const struct resource *, struct resource *, unsigned, unsigned);
int cuDevResourceGenerateDesc(void **, struct resource *, unsigned);
int cuGreenCtxCreate(void **, void *, int, unsigned), cuGreenCtxDestroy(void *),
	cuCtxFromGreenCtx(void **, void *);
int cuGreenCtxGetId(void *, unsigned long long *), cuGreenCtxStreamCreate(void **, void *, unsigned, int);
int cuStreamGetCtx_v2(void *, void **, void **), cuCtxSynchronize_v2(void *),
	cuCtxGetDevice_v2(int *, void *);
int cuStreamGetGreenCtx(void *, void **), cuStreamGetCtx(void *, void **), cuStreamDestroy_v2(void *),
	cuStreamSynchronize(void *), cuStreamCreate(void **, unsigned);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t),
	cuMemAllocManaged(uint64_t *, size_t, unsigned);
int cuModuleLoad(void **, const char *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	void **, void **);
struct hints {
	int order, from[2], to[2];
	unsigned flags;
};
int cuMemcpyBatchAsync_v2(uint64_t *, uint64_t *, size_t *, size_t, struct hints *, size_t *, size_t, void *);
int cuMemcpyBatchAsync(
	uint64_t *, uint64_t *, size_t *, size_t, struct hints *, size_t *, size_t, size_t *, void *);
int cuMemPrefetchBatchAsync(
	uint64_t *, size_t *, size_t, const int (*)[2], size_t *, size_t, unsigned long long, void *);
int cuMemDiscardBatchAsync(uint64_t *, size_t *, size_t, unsigned long long, void *);
int cuGraphCreate(void **, unsigned), cuGraphDestroy(void *),
	cuGraphDebugDotPrint(void *, const char *, unsigned);
int cuGraphAddEmptyNode(void **, void *, void *const *, size_t),
	cuGraphAddChildGraphNode(void **, void *, void *const *, size_t, void *);

int cuEventCreate(void **, unsigned), cuEventDestroy_v2(void *),
	cuDeviceGetP2PAttribute(int *, int, int, int);
int cuEventQuery(void *), cuGraphAddEventRecordNode(void **, void *, void *const *, size_t, void *),
	cuGraphAddEventWaitNode(void **, void *, void *const *, size_t, void *);
int cuGraphEventRecordNodeGetEvent(void *, void **), cuGraphEventRecordNodeSetEvent(void *, void *);
int cuGraphEventWaitNodeGetEvent(void *, void **), cuGraphEventWaitNodeSetEvent(void *, void *);
int cuGraphExecEventRecordNodeSetEvent(void *, void *, void *),
	cuGraphExecEventWaitNodeSetEvent(void *, void *, void *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long), cuGraphLaunch(void *, void *),
	cuGraphExecDestroy(void *), cuEventElapsedTime(float *, void *, void *);

enum { INVALID = 1, NO_CONTEXT = 201, BAD_HANDLE = 400, BAD_TYPE = 914, BAD_PARTS = 915 };

static void test_resources(struct resource part[2], struct resource *left)
{
	struct resource all, again;
	unsigned n = 0;
	void *set;

	IS(INVALID, cuDeviceGetDevResource(0, NULL, 1));
	IS(BAD_TYPE, cuDeviceGetDevResource(0, &all, 2));
	IS(101, cuDeviceGetDevResource(1, &all, 1));
	IS(0, cuDeviceGetDevResource(0, &all, 1));
	IS(1, all.type);
	IS(108, all.sms);
	IS(4, all.least);
	IS(2, all.alignment);
	IS(0, cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, 15));
	IS(6, n); /* 108 / 16 */
	IS(0, cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, 0));
	IS(27, n);
	IS(0, cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 1, 1));
	IS(54, n);
	n = 2;
	IS(0, cuDevSmResourceSplitByCount(part, &n, &all, left, 0, 15));
	IS(2, n);
	IS(16, part[1].sms);
	IS(108 - 32, left->sms);
	n = 100;
	struct resource many[100];
	IS(0, cuDevSmResourceSplitByCount(many, &n, &all, &again, 0, 54));
	IS(2, n);
	IS(0, again.type);
	IS(INVALID, cuDevSmResourceSplitByCount(part, &n, &all, NULL, 4, 15));
	IS(INVALID, cuDevSmResourceSplitByCount(part, &n, &all, NULL, 0, 109));
	IS(INVALID, cuDevSmResourceSplitByCount(part, NULL, &all, NULL, 0, 15));
	IS(BAD_TYPE, cuDevSmResourceSplitByCount(many, &n, &again, NULL, 0, 4));
	IS(BAD_PARTS, cuDevSmResourceSplitByCount(many, &n, &part[0], NULL, 0, 4));
	many[1] = part[0];
	IS(BAD_PARTS, cuDevResourceGenerateDesc(&set, many, 2));
	IS(BAD_TYPE, cuDevResourceGenerateDesc(&set, &again, 1));
	IS(INVALID, cuDevResourceGenerateDesc(&set, part, 0));
}

/* Copies numbers to the device on stream s, adds them to themselves there, and copies the sums back. */
static void test_work_on_stream(void *s, const char *kernels)
{
	void *m, *f;
	float one[256], sum[256];
	uint64_t a, c, from[2], to[2];
	int n = 256;
	void *args[] = {&a, &a, &c, &n};
	size_t bytes[2] = {sizeof(one), sizeof(one)}, first = 0;
	struct hints h = {.order = 1};

	for (int i = 0; i < n; i++)
		one[i] = (float)i;
	IS(0, cuMemAlloc_v2(&a, sizeof(one)));
	IS(0, cuMemAlloc_v2(&c, sizeof(one)));
	from[0] = from[1] = (uintptr_t)one, to[0] = a, to[1] = c;
	IS(0, cuMemcpyBatchAsync_v2(to, from, bytes, 2, &h, &first, 1, s));
	IS(0, cuModuleLoad(&m, kernels));
	IS(0, cuModuleGetFunction(&f, m, "add"));
	IS(0, cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, s, args, NULL));
	from[0] = c, to[0] = (uintptr_t)sum;
	IS(0, cuMemcpyBatchAsync_v2(to, from, bytes, 1, &h, &first, 1, s));
	IS(0, cuStreamSynchronize(s));
	for (int i = 0; i < n; i++)
		IS(2 * i, sum[i]);
	IS(0, cuMemFree_v2(a));
	IS(0, cuMemFree_v2(c));
}

static void test_green_context(struct resource part[2], struct resource *left, const char *kernels)
{
	void *set, *green, *ctx, *other, *s, *plain;
	struct resource r, both[2] = {part[0], *left};
	unsigned long long id = 0;
	int n = 256;

	IS(0, cuDevResourceGenerateDesc(&set, both, 2));
	IS(INVALID, cuGreenCtxCreate(&green, set, 0, 0));
	IS(INVALID, cuGreenCtxCreate(&green, &n, 0, 1));
	IS(0, cuGreenCtxCreate(&green, set, 0, 1));
	IS(0, cuGreenCtxGetDevResource(green, &r, 1));
	IS(108 - 16, r.sms);
	IS(NO_CONTEXT, cuGreenCtxGetDevResource(&n, &r, 1));
	IS(0, cuGreenCtxGetId(green, &id));
	IS(1, id > 1);
	IS(0, cuCtxFromGreenCtx(&ctx, green));
	IS(0, cuCtxGetDevResource(ctx, &r, 1));
	IS(108 - 16, r.sms);
	IS(0, cuCtxGetDevResource(NULL, &r, 1));
	IS(108, r.sms);
	IS(INVALID, cuGreenCtxStreamCreate(&s, green, 0, 0));
	IS(0, cuGreenCtxStreamCreate(&s, green, 1, 0));
	IS(0, cuStreamGetGreenCtx(s, &other));
	IS(1, other == green);
	IS(0, cuStreamGetCtx(s, &other));
	IS(1, other == ctx);
	IS(0, cuStreamGetCtx_v2(s, &plain, &other));
	IS(1, plain && plain != ctx && other == green);
	IS(400, cuStreamGetCtx_v2((void *)2, &plain, &other));
	IS(0, cuCtxGetDevice_v2(&n, ctx));
	IS(0, n);
	IS(0, cuCtxSynchronize_v2(ctx));
	IS(NO_CONTEXT, cuCtxSynchronize_v2(&n));
	IS(NO_CONTEXT, cuCtxGetDevice_v2(&n, &n));
	IS(0, cuStreamCreate(&plain, 0));
	IS(0, cuStreamGetCtx_v2(plain, &ctx, &other));
	IS(1, ctx && !other);
	IS(0, cuCtxFromGreenCtx(&ctx, green));
	IS(0, cuStreamGetGreenCtx(plain, &other));
	IS(1, other == NULL);
	IS(0, cuCtxSetCurrent(ctx));
	IS(0, cuStreamGetGreenCtx(NULL, &other));
	IS(1, other == green);
	IS(0, cuCtxGetDevResource(NULL, &r, 1));
	IS(108 - 16, r.sms);
	test_work_on_stream(s, kernels);
	IS(0, cuStreamDestroy_v2(s));
	IS(0, cuStreamDestroy_v2(plain));
	IS(0, cuGreenCtxDestroy(green));
	IS(NO_CONTEXT, cuGreenCtxDestroy(green));
	IS(NO_CONTEXT, cuCtxFromGreenCtx(&ctx, green));
}

static void test_batches(void)
{
	uint64_t a, to[3], from[3];
	size_t bytes[3] = {4, 4, 4}, first[2] = {0, 2}, failed = 0;
	struct hints h[2] = {{.order = 1}, {.order = 3, .flags = 1}};
	const int place[1][2] = {{1, 0}};
	int word[3] = {1, 2, 3};
	void *s;

	IS(0, cuStreamCreate(&s, 1));
	IS(0, cuMemAllocManaged(&a, 12, 1));
	for (int i = 0; i < 3; i++)
		to[i] = a + 4 * (unsigned)i, from[i] = (uintptr_t)&word[2 - i];
	IS(0, cuMemcpyBatchAsync(to, from, bytes, 3, h, first, 2, &failed, s));
	IS(0, cuStreamSynchronize(s));
	IS(3, ((int *)(uintptr_t)a)[0]);
	IS(1, ((int *)(uintptr_t)a)[2]);
	from[1] = 16;
	IS(INVALID, cuMemcpyBatchAsync(to, to, bytes, 3, h, first, 3, &failed, s));
	IS(SIZE_MAX, failed);
	to[1] = 16;
	IS(INVALID, cuMemcpyBatchAsync(to, to, bytes, 3, h, first, 2, &failed, s) ? INVALID : 0);
	IS(1, failed);
	to[1] = a + 4;
	IS(INVALID, cuMemcpyBatchAsync_v2(to, to, bytes, 3, h, first, 2, NULL));
	h[1].order = 0;
	IS(INVALID, cuMemcpyBatchAsync_v2(to, to, bytes, 3, h, first, 2, s));
	h[1].order = 1, first[0] = 1;
	IS(INVALID, cuMemcpyBatchAsync_v2(to, to, bytes, 3, h, first, 2, s));
	first[0] = 0;
	IS(0, cuMemPrefetchBatchAsync(to, bytes, 3, place, first, 1, 0, s));
	IS(INVALID, cuMemPrefetchBatchAsync(to, bytes, 3, place, first, 1, 1, s));
	IS(INVALID, cuMemPrefetchBatchAsync(to, bytes, 0, place, first, 1, 0, s));
	IS(0, cuMemDiscardBatchAsync(to, bytes, 3, 0, s));
	to[0] = 16;
	IS(INVALID, cuMemDiscardBatchAsync(to, bytes, 1, 0, s));
	IS(0, cuMemFree_v2(a));
	IS(0, cuStreamDestroy_v2(s));
}

static void test_dot(void)
{
	void *g, *child, *node[3];

	IS(0, cuGraphCreate(&g, 0));
	IS(0, cuGraphCreate(&child, 0));
	IS(0, cuGraphAddEmptyNode(&node[0], child, NULL, 0));
	IS(0, cuGraphAddEmptyNode(&node[0], g, NULL, 0));
	IS(0, cuGraphAddEmptyNode(&node[1], g, NULL, 0));
	IS(0, cuGraphAddChildGraphNode(&node[2], g, node, 2, child));
	IS(INVALID, cuGraphDebugDotPrint(g, NULL, 0));
	IS(304, cuGraphDebugDotPrint(g, "/absent/graph.dot", 0));
	IS(0, cuGraphDebugDotPrint(g, "graph.dot", 1));
	IS(0, cuGraphDestroy(g));
	IS(0, cuGraphDestroy(child));
	IS(INVALID, cuGraphDebugDotPrint(g, "graph.dot", 1));
}

static void test_events_of_nodes(void)
{
	void *g, *x, *event[3], *record, *wait, *got = NULL;
	int value = 0;
	float ms;

	for (int i = 0; i < 3; i++)
		IS(0, cuEventCreate(&event[i], 0));
	IS(0, cuGraphCreate(&g, 0));
	IS(0, cuGraphAddEventRecordNode(&record, g, NULL, 0, event[0]));
	IS(0, cuGraphAddEventWaitNode(&wait, g, &record, 1, event[0]));
	IS(0, cuGraphEventRecordNodeGetEvent(record, &got));
	IS(1, got == event[0]);
	IS(INVALID, cuGraphEventRecordNodeGetEvent(wait, &got));
	IS(INVALID, cuGraphEventWaitNodeGetEvent(wait, NULL));
	IS(0, cuGraphEventWaitNodeSetEvent(wait, event[1]));
	IS(0, cuGraphEventWaitNodeGetEvent(wait, &got));
	IS(1, got == event[1]);
	IS(0, cuGraphEventRecordNodeSetEvent(record, event[1]));
	IS(INVALID, cuGraphEventRecordNodeSetEvent(wait, event[1]));
	IS(INVALID, cuGraphEventRecordNodeSetEvent(record, NULL));
	IS(BAD_HANDLE, cuGraphEventRecordNodeSetEvent(record, &value));
	IS(0, cuGraphInstantiateWithFlags(&x, g, 0));
	IS(0, cuGraphExecEventRecordNodeSetEvent(x, record, event[2]));
	IS(0, cuGraphExecEventWaitNodeSetEvent(x, wait, event[2]));
	IS(INVALID, cuGraphExecEventWaitNodeSetEvent(x, record, event[2]));
	IS(0, cuGraphLaunch(x, NULL));
	IS(0, cuCtxSynchronize());
	IS(0, cuEventElapsedTime(&ms, event[2], event[2])); /* only this event was recorded */
	IS(BAD_HANDLE, cuEventElapsedTime(&ms, event[1], event[1]));
	IS(0, cuGraphExecDestroy(x));
	IS(0, cuGraphDestroy(g));
	for (int i = 0; i < 3; i++)
		IS(0, cuEventDestroy_v2(event[i]));
	IS(101, cuDeviceGetP2PAttribute(&value, 1, 0, 0));
}

int main(int argc, char **argv)
{
	struct resource part[2], left;
	void *primary;

	(void)argc;
	IS(0, cuInit(0));
	IS(0, cuDevicePrimaryCtxRetain(&primary, 0));
	IS(0, cuCtxSetCurrent(primary));
	test_resources(part, &left);
	test_green_context(part, &left, argv[1]);
	IS(0, cuCtxSetCurrent(primary));
	test_batches();
	test_dot();
	test_events_of_nodes();
	return bad;
}
