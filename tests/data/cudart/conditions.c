/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests graphs whose nodes execute other graphs, depending on a condition that a kernel sets. Prints a line
 * for each call that differs from a GPU. With argument "wild", the handle is the address of other memory.
 */
#include <stdint.h>
#include "graph.h"
#include "wants.h"

enum { KERNEL, FILL = 2, EMPTY = 5, ALLOCATE = 10, CONDITION = 13 };
enum { IF, WHILE, SWITCH };
struct node_params {
	int type, reserved[3];
	union {
		long long words[29];
		struct kernel_params kernel;
		struct fill fill;
		struct {
			unsigned long long handle;
			int kind;
			unsigned n;
			struct graph **body;
		} condition;
	};
	long long last;
};

int cudaGraphConditionalHandleCreate(unsigned long long *, struct graph *, unsigned, unsigned);
int cudaGraphAddNode(
	struct node **, struct graph *, struct node *const *, const void *, size_t, struct node_params *);
int cudaGraphNodeSetParams(struct node *, struct node_params *);
int cudaGraphExecNodeSetParams(struct exec *, struct node *, struct node_params *);
int cudaGraphNodeGetType(struct node *, int *);
int cudaGraphGetNodes(struct graph *, struct node **, size_t *);
int cudaGraphInstantiate(struct exec **, struct graph *, unsigned long long);
int cudaStreamBeginCaptureToGraph(
	struct stream *, struct graph *, struct node *const *, const void *, size_t, int);
int cudaStreamBeginCapture(struct stream *, int);
int cudaStreamUpdateCaptureDependencies(struct stream *, struct node **, const void *, size_t, unsigned);
int cudaStreamEndCapture(struct stream *, struct graph **);
int cudaDeviceSetGraphMemAttribute(int, int, void *), cudaDeviceGraphMemTrim(int);

static void *at;
static unsigned long long handle;
static unsigned got[2];

static struct node_params kernel_node(void *func)
{
	static void *args[] = {&at, &handle};

	return (struct node_params){.type = KERNEL, .kernel = {func, {1, 1, 1}, {1, 1, 1}, 0, args, NULL}};
}

/*
 * Launches the graph with the given values in words 0 and 1 of the memory. Returns the new value of word 1.
 */
static int launch(struct exec *x, unsigned zero, unsigned one)
{
	got[0] = zero;
	got[1] = one;
	cudaMemcpy(at, got, sizeof(got), HOST_TO_DEVICE);
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaMemcpy(got, at, sizeof(got), DEVICE_TO_HOST));
	return (int)got[1];
}

/* Tests a graph that counts a word down in a loop. */
static void test_loop(void)
{
	struct node_params k = kernel_node(&add), more = kernel_node(&scale), w = {.type = CONDITION};
	struct graph *g, *body;
	struct node *node, *last, *loop;
	struct exec *x;
	int type;

	IS(0, cudaGraphCreate(&g, 0));
	IS(1, cudaGraphConditionalHandleCreate(&handle, NULL, 1, 1));
	IS(1, cudaGraphConditionalHandleCreate(&handle, g, 1, 2));
	IS(0, cudaGraphConditionalHandleCreate(&handle, g, 1, 1));
	w.condition.handle = handle;
	w.condition.kind = WHILE;
	w.condition.n = 2;
	IS(1, cudaGraphAddNode(&loop, g, NULL, NULL, 0, &w));
	w.condition.n = 1;
	w.condition.handle += 4;
	IS(1, cudaGraphAddNode(&loop, g, NULL, NULL, 0, &w));
	w.condition.handle = handle;
	IS(0, cudaGraphAddNode(&loop, g, NULL, NULL, 0, &w));
	IS(0, cudaGraphNodeGetType(loop, &type));
	IS(13, type);
	body = w.condition.body[0];
	IS(1, cudaGraphDestroy(body)); /* the graph belongs to the node */
	IS(0, cudaGraphAddNode(&node, body, NULL, NULL, 0, &more));
	IS(0, cudaGraphAddNode(&last, body, &node, NULL, 1, &k));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(50, launch(x, 5, 0));
	IS(0, (int)got[0]);
	IS(17, launch(x, 1, 7)); /* the condition is initially 1 again */
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(g));
	IS(1, cudaGraphAddNode(&node, body, NULL, NULL, 0, &more));
}

/* Adds nodes that fill word 1 with the number of the executed graph. */
static void add_fill(struct graph *g, unsigned value)
{
	struct node_params f = {.type = FILL, .fill = {(char *)at + 4, 0, value, 4, 1, 1}};
	struct node *node;

	IS(0, cudaGraphAddNode(&node, g, NULL, NULL, 0, &f));
}

/* Tests a kernel that selects one of n graphs. Word 0 has the number of the graph. */
static struct exec *choice_exec(int kind, unsigned n)
{
	struct node_params k = kernel_node(&add), c = {.type = CONDITION};
	struct node *first, *node;
	struct graph *g;
	struct exec *x;

	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
	IS(0, cudaGraphAddNode(&first, g, NULL, NULL, 0, &k));
	c.condition.handle = handle;
	c.condition.kind = kind;
	c.condition.n = n;
	IS(0, cudaGraphAddNode(&node, g, &first, NULL, 1, &c));
	for (unsigned i = 0; i < n; i++)
		add_fill(c.condition.body[i], 100 + i);
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaGraphDestroy(g));
	return x;
}

static void test_choices(void)
{
	struct exec *x = choice_exec(IF, 1);

	IS(100, launch(x, 9, 0));
	IS(0, launch(x, 1, 0));
	IS(0, cudaGraphExecDestroy(x));
	x = choice_exec(IF, 2);
	IS(100, launch(x, 2, 0));
	IS(101, launch(x, 1, 0));
	IS(0, cudaGraphExecDestroy(x));
	x = choice_exec(SWITCH, 3);
	IS(100, launch(x, 1, 0));
	IS(102, launch(x, 3, 0));
	IS(5, launch(x, 4, 5));
	IS(0, cudaGraphExecDestroy(x));
}

/* Tests a stream that captures its calls into an existing graph, after one of the graph's nodes. */
static void test_capture(void)
{
	struct node_params k = kernel_node(&scale), f = {.type = FILL, .fill = {at, 0, 3, 4, 2, 1}};
	struct node *first, *all[4];
	struct graph *g, *same;
	struct stream *s;
	struct exec *x;
	size_t n = 4;

	cudaStreamCreate(&s);
	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddNode(&first, g, NULL, NULL, 0, &f));
	IS(1, cudaStreamBeginCaptureToGraph(s, NULL, &first, NULL, 1, 0));
	IS(0, cudaStreamBeginCaptureToGraph(s, g, &first, NULL, 1, 0));
	IS(0, cudaLaunchKernel(&scale, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, k.kernel.args, 0, s));
	IS(0, cudaGraphAddNode(&all[0], g, NULL, NULL, 0, &k));
	IS(0, cudaStreamUpdateCaptureDependencies(s, all, NULL, 1, 0));
	IS(0, cudaStreamEndCapture(s, &same));
	IS(1, same == g);
	IS(0, cudaGraphGetNodes(g, all, &n));
	IS(3, (int)n);
	IS(0, cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, 0));
	IS(0, cudaStreamEndCapture(s, NULL));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(23, launch(x, 0, 0)); /* the node that was added first is executed first */
	f.fill.value = 4;
	IS(0, cudaGraphExecNodeSetParams(x, first, &f));
	launch(x, 0, 0);
	IS(4, (int)got[0]);
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphNodeSetParams(first, &f));
	IS(1, cudaStreamUpdateCaptureDependencies(s, all, NULL, 1, 2));
	IS(401, cudaStreamUpdateCaptureDependencies(s, all, NULL, 1, 1));
	IS(0, cudaGraphDestroy(g));
	cudaStreamDestroy(s);
}

/*
 * Tests that a stream that has joined a capture may be destroyed only after another stream has waited for its
 * work.
 */
static void test_destroyed_stream(int joined)
{
	struct stream *s, *t;
	struct event *fork, *join;
	struct graph *g;

	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaEventRecord(fork, s));
	IS(0, cudaStreamWaitEvent(t, fork, 0));
	IS(0, cudaMemsetAsync(at, 0, 4, t));
	IS(0, cudaEventRecord(join, t));
	if (joined)
		IS(0, cudaStreamWaitEvent(s, join, 0));
	IS(0, cudaStreamDestroy(t));
	IS(joined ? 0 : 904, cudaStreamEndCapture(s, &g));
	if (joined)
		IS(0, cudaGraphDestroy(g));
	cudaEventDestroy(fork);
	cudaEventDestroy(join);
	cudaStreamDestroy(s);
}

/* Tests the attributes of graph memory: used and reserved bytes, and the maximum of each. */
static void test_memory_attributes(void)
{
	struct {
		int type, reserved[3];
		int pool[4];
		char rest[72];
		const void *access;
		size_t n_access, bytes;
		void *addr;
		char more[120];
	} a = {.type = ALLOCATE, .pool = {1, 0, 1, 0}, .bytes = 4096};
	unsigned long long value[4], zero = 0;
	struct graph *g;
	struct node *node;
	struct exec *x;

	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddNode(&node, g, NULL, NULL, 0, (struct node_params *)&a));
	IS(0, cudaGraphInstantiate(&x, g, 0));
	IS(0, cudaDeviceGetGraphMemAttribute(0, 0, &value[0]));
	IS(0, (int)value[0]);
	IS(0, cudaGraphLaunch(x, NULL));
	IS(0, cudaDeviceGetGraphMemAttribute(0, 0, &value[0]));
	IS(4096, (int)value[0]);
	IS(0, cudaFree(a.addr));
	for (int i = 0; i < 4; i++)
		IS(0, cudaDeviceGetGraphMemAttribute(0, i, &value[i]));
	IS(1, value[0] == 0 && value[1] == 4096 && value[2] == 4096 && value[3] == 4096);
	IS(1, cudaDeviceGetGraphMemAttribute(0, 4, &value[0]));
	IS(0, cudaDeviceGraphMemTrim(0));
	IS(0, cudaDeviceSetGraphMemAttribute(0, 1, &zero));
	IS(1, cudaDeviceSetGraphMemAttribute(0, 0, &zero));
	for (int i = 0; i < 4; i++)
		IS(0, cudaDeviceGetGraphMemAttribute(0, i, &value[i]));
	IS(1, value[1] == 0 && value[2] == 0 && value[3] == 4096);
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(g));
}

int main(int argc, char **argv)
{
	if (cudaMalloc(&at, sizeof(got)))
		return 3;
	if (argc > 1 && !strcmp(argv[1], "wild")) {
		handle = (uintptr_t)at;
		cudaMemset(at, 0, sizeof(got));
		cudaLaunchKernel(&add, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1},
			(void *[]){&at, &handle}, 0, NULL);
	} else {
		test_loop();
		test_choices();
		test_capture();
		test_memory_attributes();
		test_destroyed_stream(1);
		test_destroyed_stream(0);
	}
	cudaGetLastError();
	cudaFree(at);
	return bad;
}
