/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests graphs that are built by calls or captured from streams. Prints a line for each call that differs from a
 * GPU.
 */
#include <dlfcn.h>
#include "graph.h"
#include "wants.h"

struct host {
	void (*call)(void *);
	void *arg;
};

int cudaGraphClone(struct graph **, struct graph *);
int cudaGraphAddKernelNode(
	struct node **, struct graph *, struct node **, size_t, const struct kernel_params *);
int cudaGraphAddMemcpyNode1D(
	struct node **, struct graph *, struct node **, size_t, void *, const void *, size_t, int);
int cudaGraphAddMemsetNode(struct node **, struct graph *, struct node **, size_t, const struct fill *);
int cudaGraphAddHostNode(struct node **, struct graph *, struct node **, size_t, const struct host *);
int cudaGraphAddEmptyNode(struct node **, struct graph *, struct node **, size_t);
int cudaGraphAddChildGraphNode(struct node **, struct graph *, struct node **, size_t, struct graph *);
/* The functions of CUDA 13, which have arguments for edge data. */
int cudaGraphAddDependencies(struct graph *, struct node **, struct node **, const void *, size_t);
int cudaGraphRemoveDependencies(struct graph *, struct node **, struct node **, const void *, size_t);
int cudaGraphGetEdges(struct graph *, struct node **, struct node **, void *, size_t *);
int cudaGraphNodeGetDependencies(struct node *, struct node **, void *, size_t *);
int cudaGraphNodeGetDependentNodes(struct node *, struct node **, void *, size_t *);
int cudaStreamGetCaptureInfo(struct stream *, int *, unsigned long long *, struct graph **,
	struct node *const **, const void **, size_t *);
struct updated {
	int result;
	struct node *wrong, *from;
};
int cudaGraphExecUpdate(struct exec *, struct graph *, struct updated *);
struct instantiation {
	unsigned long long flags;
	struct stream *stream;
	struct node *wrong;
	int result;
};
int cudaGraphInstantiateWithParams(struct exec **, struct graph *, struct instantiation *);
int cudaGraphDestroyNode(struct node *), cudaGraphNodeGetType(struct node *, int *);
int cudaGraphGetNodes(struct graph *, struct node **, size_t *);
int cudaGraphGetRootNodes(struct graph *, struct node **, size_t *);
int cudaGraphKernelNodeGetParams(struct node *, struct kernel_params *);
int cudaGraphInstantiate(struct exec **, struct graph *, unsigned long long);
int cudaGraphExecKernelNodeSetParams(struct exec *, struct node *, const struct kernel_params *);
int cudaGraphExecHostNodeSetParams(struct exec *, struct node *, const struct host *);
int cudaGraphNodeFindInClone(struct node **, struct node *, struct graph *);
int cudaGraphNodeSetEnabled(struct exec *, struct node *, unsigned);
int cudaStreamBeginCapture(struct stream *, int), cudaStreamEndCapture(struct stream *, struct graph **);
int cudaStreamIsCapturing(struct stream *, int *);
int cudaLaunchHostFunc(struct stream *, void (*)(void *), void *);
int cudaGraphKernelNodeSetParams(struct node *, const struct kernel_params *);
int cudaGraphKernelNodeGetAttribute(struct node *, int, void *),
	cudaGraphKernelNodeSetAttribute(struct node *, int, const void *);
int cudaGraphKernelNodeCopyAttributes(struct node *, struct node *);
int cudaGraphChildGraphNodeGetGraph(struct node *, struct graph **);

#define N 64
static float h[N], back[N];
static void *a, *b, *c;
static unsigned n = N;
static char order[32];

static void note_call(void *text) { strcat(order, text); }

/* Builds a graph by calls: it fills a and b, stores their sum in c, and copies c to back. */
static struct {
	struct graph *g;
	struct exec *x;
	struct node *copy, *fill, *sum, *result, *first, *last, *empty;
	struct kernel_params k;
} hand;

/*
 * Adds nodes in an order that differs from the order of their dependences. Of the nodes that are ready, the
 * node that was added first is executed first.
 */
static void test_additions(void)
{
	struct fill f = {b, 0, 0x3f800000, 4, N, 1};
	struct host one = {note_call, "1"}, two = {note_call, "2"};
	struct graph **g = &hand.g;
	struct node *none;

	IS(1, cudaGraphCreate(g, 1));
	IS(0, cudaGraphCreate(g, 0));
	IS(0, cudaGraphAddMemcpyNode1D(&hand.result, *g, NULL, 0, back, c, sizeof(back), DEVICE_TO_HOST));
	IS(0, cudaGraphAddKernelNode(&hand.sum, *g, NULL, 0, &hand.k));
	IS(0, cudaGraphAddDependencies(*g, &hand.sum, &hand.result, NULL, 1));
	IS(1, cudaGraphAddDependencies(*g, &hand.sum, &hand.result, NULL, 1));
	IS(0, cudaGraphAddMemcpyNode1D(&hand.copy, *g, NULL, 0, a, h, sizeof(h), HOST_TO_DEVICE));
	IS(0, cudaGraphAddMemsetNode(&hand.fill, *g, NULL, 0, &f));
	IS(0, cudaGraphAddEmptyNode(&hand.empty, *g, (struct node *[]){hand.copy, hand.fill}, 2));
	IS(0, cudaGraphAddDependencies(*g, &hand.empty, &hand.sum, NULL, 1));
	IS(0, cudaGraphAddHostNode(&hand.last, *g, &hand.result, 1, &two));
	IS(0, cudaGraphAddHostNode(&hand.first, *g, NULL, 0, &one));
	IS(1, cudaGraphAddHostNode(&none, *g, (struct node *[]){hand.sum, hand.sum}, 2, &one));
	hand.k.block.x = 2000;
	IS(9, cudaGraphAddKernelNode(&none, *g, NULL, 0, &hand.k));
	hand.k.block.x = N;
}

static void test_queries(void)
{
	struct kernel_params seen;
	struct node *all[9];
	size_t count = 9;
	int type;

	IS(0, cudaGraphGetNodes(hand.g, NULL, &count));
	IS(7, (int)count);
	IS(0, cudaGraphGetRootNodes(hand.g, all, &count));
	IS(0, count != 3 || all[0] != hand.copy || all[1] != hand.fill || all[2] != hand.first);
	IS(0, cudaGraphNodeGetType(hand.fill, &type));
	IS(2, type);
	IS(0, cudaGraphKernelNodeGetParams(hand.sum, &seen));
	IS(0, seen.func != &add || seen.block.x != N || *(void **)seen.args[1] != b);
}

static void test_edges(void)
{
	struct node *from[9], *to[9];
	char data[9][8];
	size_t count = 0;

	IS(0, cudaGraphGetEdges(hand.g, NULL, NULL, NULL, &count));
	IS(5, (int)count);
	count = 9;
	memset(data, 1, sizeof(data));
	IS(0, cudaGraphGetEdges(hand.g, from, to, data, &count));
	IS(5, (int)count);
	IS(0, from[0] != hand.sum || to[0] != hand.result || from[1] != hand.empty || to[1] != hand.sum ||
			from[5]);
	IS(0, data[4][7]);
	IS(1, cudaGraphGetEdges(hand.g, from, NULL, NULL, &count));
	count = 1;
	IS(0, cudaGraphNodeGetDependencies(hand.empty, to, NULL, &count));
	IS(0, count != 1 || to[0] != hand.copy);
	IS(0, cudaGraphNodeGetDependentNodes(hand.fill, NULL, NULL, &count));
	IS(0, cudaGraphNodeGetDependentNodes(hand.fill, to, NULL, &count));
	IS(0, count != 1 || to[0] != hand.empty);
	IS(0, cudaGraphRemoveDependencies(hand.g, &hand.empty, &hand.sum, NULL, 1));
	IS(1, cudaGraphRemoveDependencies(hand.g, &hand.empty, &hand.sum, NULL, 1));
	IS(0, cudaGraphAddDependencies(hand.g, &hand.empty, &hand.sum, data[4], 1));
}

/* Tests that a node keeps its own copy of the arguments until they are set again. */
static void test_launching(void)
{
	void *other = b;

	IS(0, cudaGraphInstantiate(&hand.x, hand.g, 0));
	IS(0, cudaGraphLaunch(hand.x, NULL));
	IS(0, cudaDeviceSynchronize());
	IS(0, back[0] != 1 || back[N - 1] != N);
	IS(0, strcmp(order, "21"));
	b = a;
	IS(0, cudaGraphLaunch(hand.x, NULL));
	IS(0, back[N - 1] != N);
	IS(0, cudaGraphExecKernelNodeSetParams(hand.x, hand.sum, &hand.k));
	IS(1, cudaGraphExecKernelNodeSetParams(hand.x, hand.fill, &hand.k));
	IS(0, cudaGraphLaunch(hand.x, NULL));
	IS(0, back[N - 1] != 2 * (N - 1));
	b = other;
}

/* Tests that changes of a graph do not affect its instances. */
static void test_instances(void)
{
	struct graph *twin;
	struct exec *y;

	IS(0, cudaGraphNodeSetEnabled(hand.x, hand.copy, 0));
	memset(h, 0, sizeof(h));
	IS(0, cudaGraphDestroyNode(hand.last));
	IS(0, cudaGraphLaunch(hand.x, NULL));
	IS(0, back[N - 1] != 2 * (N - 1) || strcmp(order, "21212121") != 0);
	IS(0, cudaGraphClone(&twin, hand.g));
	IS(0, cudaGraphAddDependencies(hand.g, &hand.result, &hand.copy, NULL, 1));
	IS(1, cudaGraphInstantiate(&y, hand.g, 0));
	IS(0, cudaGraphInstantiate(&y, twin, 0));
	IS(0, cudaGraphDestroy(hand.g));
	IS(1, cudaGraphDestroy(hand.g));
	IS(0, cudaGraphLaunch(y, NULL));
	IS(0, back[N - 1] != 1);
	IS(0, cudaGraphDestroy(twin));
	IS(0, cudaGraphExecDestroy(hand.x));
	IS(1, cudaGraphLaunch(hand.x, NULL));
	IS(0, cudaGraphExecDestroy(y));
}

/* Tests that a destroyed node remains unknown to instances and clones, even if a new node has its address. */
static void test_stale_nodes(void)
{
	struct host one = {note_call, "1"};
	struct graph *g, *clone, *other;
	struct node *stale, *fresh;
	struct exec *x;

	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddHostNode(&stale, g, NULL, 0, &one));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphClone(&clone, g));
	IS(0, cudaGraphExecHostNodeSetParams(x, stale, &one));
	IS(0, cudaGraphNodeFindInClone(&fresh, stale, clone));
	IS(0, cudaGraphDestroy(g));
	IS(1, cudaGraphExecHostNodeSetParams(x, stale, &one));
	IS(1, cudaGraphNodeFindInClone(&fresh, stale, clone));
	IS(0, cudaGraphCreate(&other, 0));
	for (unsigned i = 0; i < 8; i++) {
		IS(0, cudaGraphAddHostNode(&fresh, other, NULL, 0, &one));
		IS(1, cudaGraphExecHostNodeSetParams(x, fresh, &one));
	}
	IS(1, cudaGraphExecHostNodeSetParams(x, stale, &one));
	IS(0, cudaGraphDestroy(other));
	IS(0, cudaGraphDestroy(clone));
	IS(0, cudaGraphExecDestroy(x));
	cudaGetLastError();
}

static void test_graph_built_by_calls(void)
{
	hand.k = (struct kernel_params){&add, {1, 1, 1}, {N, 1, 1}, 0, (void *[]){&a, &b, &c, &n}, NULL};
	test_additions();
	test_queries();
	test_edges();
	test_launching();
	test_instances();
	test_stale_nodes();
	for (unsigned i = 0; i < N; i++)
		h[i] = (float)i;
}

/*
 * Captures two streams. The second stream waits for an event of the first, and the first waits for an event
 * of the second.
 */
static void test_captures(void)
{
	struct stream *s, *t;
	struct event *fork, *join;
	struct graph *g;
	struct exec *x;
	struct dim3 grid = {1, 1, 1}, block = {N, 1, 1};
	size_t count = 0;
	int state;

	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	*order = 0;
	memset(back, 0, sizeof(back));
	IS(900, cudaStreamBeginCapture(NULL, 0));
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(401, cudaStreamBeginCapture(s, 0));
	IS(0, cudaMemcpyAsync(a, h, sizeof(h), HOST_TO_DEVICE, s));
	IS(0, cudaEventRecord(fork, s));
	IS(0, cudaStreamWaitEvent(t, fork, 0));
	IS(0, cudaMemcpyAsync(b, h, sizeof(h), HOST_TO_DEVICE, t));
	IS(0, cudaEventRecord(join, t));
	IS(0, cudaLaunchHostFunc(s, note_call, "x"));
	IS(0, cudaStreamWaitEvent(s, join, 0));
	IS(0, cudaLaunchKernel(&add, grid, block, (void *[]){&a, &b, &c, &n}, 0, s));
	IS(0, cudaMemcpyAsync(back, c, sizeof(back), DEVICE_TO_HOST, s));
	IS(0, cudaStreamIsCapturing(t, &state));
	IS(1, state);
	IS(0, cudaStreamEndCapture(s, &g));
	IS(0, cudaStreamIsCapturing(t, &state));
	IS(0, state);
	IS(0, *order || back[1] != 0);
	IS(907, cudaEventQuery(fork));
	IS(0, cudaGraphGetNodes(g, NULL, &count));
	IS(5, (int)count);
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphLaunch(x, s));
	IS(0, cudaStreamSynchronize(s));
	IS(0, back[N - 1] != 2 * (N - 1) || strcmp(order, "x") != 0);
	IS(0, cudaEventRecord(fork, s));
	IS(0, cudaEventQuery(fork));
	/* a captured launch becomes a child node */
	IS(0, cudaGraphDestroy(g));
	IS(0, cudaStreamBeginCapture(t, 2));
	IS(0, cudaGraphLaunch(x, t));
	IS(0, cudaStreamEndCapture(t, &g));
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphLaunch(x, t));
	IS(0, strcmp(order, "xx"));
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(g));
	cudaEventDestroy(fork);
	cudaEventDestroy(join);
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
}

struct allocation {
	int type, handles, location, device;
	char pool[72];
	const void *access;
	size_t n_access, bytes;
	void *addr;
};
int cudaGraphAddMemAllocNode(
	struct node **, struct graph *, struct node *const *, size_t, struct allocation *);
int cudaGraphAddMemFreeNode(struct node **, struct graph *, struct node *const *, size_t, void *);
int cudaGraphMemAllocNodeGetParams(struct node *, struct allocation *);
int cudaGraphMemFreeNodeGetParams(struct node *, void **);
int cudaMallocArray(void **, const int *, size_t, size_t, unsigned), cudaFreeArray(void *);
int cudaMemcpy2DToArrayAsync(
	void *, size_t, size_t, const void *, size_t, size_t, size_t, int, struct stream *);

/* Tests memory that a node allocates and the program or another node frees. */
static void test_memory(void)
{
	struct allocation x = {.type = 1, .location = 1, .bytes = 40}, same;
	struct graph *g;
	struct exec *run;
	struct node *first, *last;
	struct stream *s;
	unsigned value = 0;
	void *p;
	int type;

	cudaStreamCreate(&s);
	IS(0, cudaGraphCreate(&g, 0));
	x.type = 2;
	IS(1, cudaGraphAddMemAllocNode(&first, g, NULL, 0, &x));
	x.type = 1;
	IS(0, cudaGraphAddMemAllocNode(&first, g, NULL, 0, &x));
	IS(0, cudaGraphNodeGetType(first, &type));
	IS(10, type);
	IS(0, cudaGraphMemAllocNodeGetParams(first, &same));
	IS(1, same.addr == x.addr && same.bytes == 40);
	IS(1, cudaGraphMemFreeNodeGetParams(first, &p));
	IS(1, cudaMemset(x.addr, 1, 4)); /* error: not allocated yet */
	IS(0, cudaGraphInstantiate(&run, g, 0));
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaMemset(x.addr, 1, 40));
	IS(1, cudaGraphLaunch(run, s)); /* not freed */
	IS(0, cudaFree(x.addr));
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaFreeAsync(x.addr, s));
	IS(0, cudaGraphExecDestroy(run));
	IS(0, cudaGraphInstantiate(&run, g, 1)); /* error: frees before a launch */
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaFree(x.addr));
	IS(0, cudaGraphExecDestroy(run));
	IS(0, cudaGraphAddMemFreeNode(&last, g, &first, 1, x.addr));
	IS(0, cudaGraphMemFreeNodeGetParams(last, &p));
	IS(1, p == x.addr);
	IS(0, cudaGraphInstantiate(&run, g, 0));
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaGraphLaunch(run, s));
	IS(0, cudaGraphExecDestroy(run));
	IS(0, cudaGraphDestroy(g));
	/* a stream captures both */
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaMallocAsync(&p, 4, s));
	IS(0, cudaMemsetAsync(p, 7, 4, s));
	IS(0, cudaMemcpyAsync(&value, p, 4, DEVICE_TO_HOST, s));
	IS(0, cudaFreeAsync(p, s));
	IS(0, cudaStreamEndCapture(s, &g));
	IS(0, value);
	IS(0, cudaGraphInstantiate(&run, g, 0));
	IS(0, cudaGraphLaunch(run, s));
	IS(0x07070707, value);
	IS(0, cudaGraphExecDestroy(run));
	IS(0, cudaGraphDestroy(g));
	cudaStreamDestroy(s);
}

/*
 * Begins a capture, makes a call that must fail with error `wrong`, and ends the capture, which must fail
 * with error `end`.
 */
#define BROKEN(wrong, call, end) \
	do { \
		IS(0, cudaStreamBeginCapture(s, 0)); \
		IS(0, cudaMemsetAsync(a, 0, 4, s)); \
		IS(wrong, call); \
		IS(end, cudaStreamEndCapture(s, &g)); \
		IS(0, g != NULL); \
	} while (0)

static void test_broken(void)
{
	const int f32[5] = {32, 0, 0, 0, 2};
	struct stream *s, *t;
	struct event *e;
	struct graph *g;
	void *p, *texels;

	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaEventCreate(&e);
	IS(401, cudaStreamEndCapture(s, &g));
	BROKEN(900, cudaStreamSynchronize(s), 901);
	BROKEN(900, cudaDeviceSynchronize(), 901);
	BROKEN(900, cudaMalloc(&p, 8), 901);
	BROKEN(906, cudaMemcpy(a, h, 4, HOST_TO_DEVICE), 901);
	IS(0, cudaMallocArray(&texels, &f32, 2, 2, 0));
	BROKEN(801, cudaMemcpy2DToArrayAsync(texels, 0, 0, h, 8, 8, 2, HOST_TO_DEVICE, s), 901);
	IS(0, cudaFreeArray(texels));
	IS(0, cudaEventRecord(e, t));
	BROKEN(905, cudaStreamWaitEvent(s, e, 0), 901);
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaEventRecord(e, s));
	IS(0, cudaStreamWaitEvent(t, e, 0));
	IS(0, cudaMemsetAsync(a, 0, 4, t));
	IS(903, cudaStreamEndCapture(t, &g));
	IS(901, cudaStreamEndCapture(s, &g));
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaEventRecord(e, s));
	IS(0, cudaStreamWaitEvent(t, e, 0));
	IS(0, cudaMemsetAsync(a, 0, 4, t));
	IS(904, cudaStreamEndCapture(s, &g));
	IS(0, cudaMemsetAsync(a, 0, 4, t));
	cudaEventDestroy(e);
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
	cudaGetLastError();
}

/* Captures a host function, a fill with `value` unless it is 0, and n_after host functions. */
static struct graph *capture_calls(struct stream *s, int value, unsigned n_after)
{
	struct node *const *last;
	const void *data = "";
	struct graph *g;
	size_t count = 0;
	int state = 0;

	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaLaunchHostFunc(s, note_call, "u"));
	if (value)
		IS(0, cudaMemsetAsync(a, value, 4, s));
	for (unsigned i = 0; i < n_after; i++)
		IS(0, cudaLaunchHostFunc(s, note_call, "v"));
	IS(0, cudaStreamGetCaptureInfo(s, &state, NULL, NULL, &last, &data, &count));
	IS(0, state != 1 || count != 1 || data);
	IS(0, cudaStreamEndCapture(s, &g));
	return g;
}

/* Tests the update of an instance to another graph with the same nodes and edges. */
static void test_updates(void)
{
	struct instantiation p = {0, NULL, NULL, 9};
	struct updated u = {9, NULL, NULL};
	struct graph *g, *other;
	struct stream *s;
	struct exec *x;
	char got[4];

	cudaStreamCreate(&s);
	*order = 0;
	g = capture_calls(s, 5, 1);
	IS(0, cudaGraphInstantiateWithParams(&x, g, &p));
	IS(0, p.result);
	other = capture_calls(s, 6, 1);
	IS(0, cudaGraphExecUpdate(x, other, &u));
	IS(0, u.result);
	IS(0, cudaGraphDestroy(other));
	IS(0, cudaGraphLaunch(x, s));
	IS(0, cudaMemcpy(got, a, 4, DEVICE_TO_HOST));
	IS(6, got[3]);
	other = capture_calls(s, 0, 2);
	IS(910, cudaGraphExecUpdate(x, other, &u));
	IS(0, u.result != 3 || !u.wrong);
	IS(0, cudaGraphDestroy(other));
	other = capture_calls(s, 7, 2);
	IS(910, cudaGraphExecUpdate(x, other, &u));
	IS(0, u.result != 2 || u.wrong);
	IS(0, cudaGraphDestroy(other));
	IS(0, cudaGraphLaunch(x, s));
	IS(0, strcmp(order, "uvuv"));
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(g));
	cudaStreamDestroy(s);
	cudaGetLastError();
}

/* Tests that attributes of a kernel node stay when its parameters change, and that other nodes can copy them. */
static void test_attributes(void)
{
	enum { COOPERATIVE = 2, POLICY, CLUSTER, PRIORITY = 8 };
	struct kernel_params k = {&add, {1, 1, 1}, {N, 1, 1}, 0, (void *[]){&a, &b, &c, &n}, NULL};
	const int on = 1, two[16] = {2, 1, 1}, priority[16] = {-3};
	int value[16], (*get)(struct node *, int, void *) = NULL;
	struct node *node, *other;
	struct graph *g, *clone;

	*(void **)&get = dlsym(RTLD_DEFAULT, "cuGraphKernelNodeGetAttribute");
	IS(1, !!get);
	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddKernelNode(&node, g, NULL, 0, &k));
	IS(0, cudaGraphAddKernelNode(&other, g, NULL, 0, &k));
	IS(0, cudaGraphKernelNodeGetAttribute(node, PRIORITY, value));
	IS(0, value[0] || value[15]);
	IS(0, cudaGraphKernelNodeSetAttribute(node, PRIORITY, priority));
	IS(0, cudaGraphKernelNodeSetAttribute(node, COOPERATIVE, &on));
	IS(1, cudaGraphKernelNodeSetAttribute(node, POLICY, priority));
	IS(1, cudaGraphKernelNodeSetAttribute(node, -1, priority));
	IS(1, cudaGraphKernelNodeSetAttribute(node, 99, priority));
	IS(912, cudaGraphKernelNodeSetAttribute(node, CLUSTER, two));
	k.grid.x = 2;
	IS(0, cudaGraphKernelNodeSetParams(node, &k));
	IS(0, cudaGraphKernelNodeSetAttribute(node, CLUSTER, two));
	IS(912, cudaGraphKernelNodeCopyAttributes(other, node)); /* its grid has one block */
	IS(0, cudaGraphKernelNodeSetParams(other, &k));
	IS(0, cudaGraphKernelNodeCopyAttributes(other, node));
	IS(0, cudaGraphKernelNodeSetParams(other, &k));
	IS(0, cudaGraphClone(&clone, g));
	IS(0, cudaGraphNodeFindInClone(&node, other, clone));
	IS(0, cudaGraphDestroy(g));
	IS(0, cudaGraphKernelNodeGetAttribute(node, CLUSTER, value));
	IS(0, memcmp(value, two, 12));
	IS(0, get(node, COOPERATIVE, value));
	IS(1, value[0]);
	IS(0, get(node, PRIORITY, value));
	IS(-3, value[0]);
	IS(0, cudaGraphDestroy(clone));
	cudaGetLastError();
}

/*
 * Tests that the graph of a child node belongs to the node, and that its nodes identify those of an instance, also
 * after an update.
 */
static void test_child_graphs(void)
{
	struct host one = {note_call, "1"}, two = {note_call, "2"};
	struct graph *g, *child, *inside, *again;
	struct node *node, *first, *last;
	struct updated u;
	struct exec *x;
	size_t count = 1;

	*order = 0;
	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphCreate(&child, 0));
	IS(0, cudaGraphAddHostNode(&first, child, NULL, 0, &one));
	IS(0, cudaGraphAddChildGraphNode(&node, g, NULL, 0, child));
	IS(0, cudaGraphDestroy(child));
	IS(1, cudaGraphChildGraphNodeGetGraph(first, &inside));
	IS(0, cudaGraphChildGraphNodeGetGraph(node, &inside));
	IS(0, cudaGraphChildGraphNodeGetGraph(node, &again));
	IS(1, inside == again);
	IS(1, cudaGraphDestroy(inside));
	IS(0, cudaGraphGetNodes(inside, &first, &count));
	IS(0, cudaGraphAddHostNode(&last, inside, &first, 1, &one));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphExecUpdate(x, g, &u));
	IS(0, cudaGraphExecHostNodeSetParams(x, last, &two));
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, strcmp(order, "12"));
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroyNode(node));
	IS(1, cudaGraphGetNodes(inside, NULL, &count));
	IS(0, cudaGraphDestroy(g));
	cudaGetLastError();
}

int main(void)
{
	for (unsigned i = 0; i < N; i++)
		h[i] = (float)i;
	if (cudaMalloc(&a, sizeof(h)) || cudaMalloc(&b, sizeof(h)) || cudaMalloc(&c, sizeof(h)))
		return 3;
	test_graph_built_by_calls();
	test_captures();
	test_broken();
	test_memory();
	test_updates();
	test_attributes();
	test_child_graphs();
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
	return bad;
}
