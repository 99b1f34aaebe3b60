/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that add and change nodes of every kind, and the memory that nodes allocate. See graph.h. */
#include <string.h>
#include "cudart/graph.h"

struct graph_exec;
struct allocation_params;

#define PLACE struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after
int cudaGraphAddKernelNode(PLACE, size_t n, const struct kernel_params *p);
int cudaGraphAddMemcpyNode(PLACE, size_t n, const struct copy_3d *p);
int cudaGraphAddMemsetNode(PLACE, size_t n, const struct fill_2d *p);
int cudaGraphAddHostNode(PLACE, size_t n, const struct host_call *p);
int cudaGraphAddEmptyNode(PLACE, size_t n);
int cudaGraphAddChildGraphNode(PLACE, size_t n, struct cuda_graph *child);
int cudaGraphAddEventRecordNode(PLACE, size_t n, struct event *event);
int cudaGraphAddEventWaitNode(PLACE, size_t n, struct event *event);
int cudaGraphAddMemAllocNode(PLACE, size_t n, struct allocation_params *p);
int cudaGraphAddMemFreeNode(PLACE, size_t n, void *p);

static int reject_graph_node(int status) { return cudart_leave((cudart_enter(false), status)); }

/* ---- additions ---- */

/* Returns true if a condition of this kind can have n graphs. */
static bool is_graph_count_valid(int kind, unsigned n)
{
	switch (kind) {
	case CONDITION_IF: return n == 1 || n == 2;
	case CONDITION_WHILE: return n == 1;
	case CONDITION_SWITCH: return n >= 1 && n <= 65536;
	default: return false;
	}
}

static int add_conditional(PLACE, size_t n, struct node_params *p)
{
	struct graph_work w = {.kind = WORK_CONDITION,
		.conditional = {p->conditional.handle, p->conditional.kind, p->conditional.n_bodies, NULL}};
	const struct conditional *made;
	int e = cudart_enter(false);

	if (!e && (!to || !graph_exists(g) || !condition_exists(p->conditional.handle) ||
			  !is_graph_count_valid(p->conditional.kind, p->conditional.n_bodies)))
		e = cudaErrorInvalidValue;
	if (!e)
		e = graph_add_node(g, after, n, &w, to);
	if (e)
		return cudart_leave(e);
	made = &(*to)->work.conditional;
	for (uint32_t i = 0; i < made->n_bodies; i++)
		graph_publish_body(made->body[i]);
	p->conditional.body = made->body;
	return cudart_leave(cudaSuccess);
}

static int add_node(PLACE, size_t n, struct node_params *p)
{
	switch (p ? p->type : -1) {
	case WORK_KERNEL: return cudaGraphAddKernelNode(to, g, after, n, &p->kernel);
	case WORK_COPY: return cudaGraphAddMemcpyNode(to, g, after, n, &p->copy.params);
	case WORK_FILL: return cudaGraphAddMemsetNode(to, g, after, n, &p->fill);
	case WORK_HOST: return cudaGraphAddHostNode(to, g, after, n, &p->host);
	case WORK_GRAPH: return cudaGraphAddChildGraphNode(to, g, after, n, p->child);
	case WORK_EMPTY: return cudaGraphAddEmptyNode(to, g, after, n);
	case WORK_WAIT: return cudaGraphAddEventWaitNode(to, g, after, n, p->event);
	case WORK_RECORD: return cudaGraphAddEventRecordNode(to, g, after, n, p->event);
	case WORK_ALLOCATE:
		return cudaGraphAddMemAllocNode(
			to, g, after, n, (struct allocation_params *)(void *)p->words);
	case WORK_FREE: return cudaGraphAddMemFreeNode(to, g, after, n, p->memory);
	case WORK_CONDITION: return add_conditional(to, g, after, n, p);
	default: return reject_graph_node(cudaErrorInvalidValue);
	}
}

/* Edges have no data, so only zeros are accepted. */
API(int, cudaGraphAddNode_v2, PLACE, const void *data, size_t n, struct node_params *p)
{
	static const char none[8];

	for (size_t i = 0; data && i < n; i++)
		if (memcmp((const char *)data + 8 * i, none, sizeof(none)))
			return cudart_leave((cudart_enter(false),
				cudart_unsupported("cudaGraphAddNode", "data of edges")));
	return add_node(to, g, after, n, p);
}

/* Before release 13 the function has no parameter for edge data. */
API(int, cudaGraphAddNode, PLACE, uintptr_t fourth, uintptr_t fifth, struct node_params *sixth)
{
	return cudart_runtime_release() < 13
		       ? add_node(to, g, after, fourth, (struct node_params *)fifth)
		       : cudaGraphAddNode_v2(to, g, after, (const void *)fourth, fifth, sixth);
}

/* ---- changes ---- */

int cudaGraphKernelNodeSetParams(struct graph_node *n, const struct kernel_params *p);
int cudaGraphMemcpyNodeSetParams(struct graph_node *n, const struct copy_3d *p);
int cudaGraphMemsetNodeSetParams(struct graph_node *n, const struct fill_2d *p);
int cudaGraphHostNodeSetParams(struct graph_node *n, const struct host_call *p);

API(int, cudaGraphNodeSetParams, struct graph_node *n, const struct node_params *p)
{
	switch (p ? p->type : -1) {
	case WORK_KERNEL: return cudaGraphKernelNodeSetParams(n, &p->kernel);
	case WORK_COPY: return cudaGraphMemcpyNodeSetParams(n, &p->copy.params);
	case WORK_FILL: return cudaGraphMemsetNodeSetParams(n, &p->fill);
	case WORK_HOST: return cudaGraphHostNodeSetParams(n, &p->host);
	default: return reject_graph_node(cudaErrorInvalidValue);
	}
}

int cudaGraphExecKernelNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct kernel_params *p);
int cudaGraphExecMemcpyNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct copy_3d *p);
int cudaGraphExecMemsetNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct fill_2d *p);
int cudaGraphExecHostNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct host_call *p);
int cudaGraphExecChildGraphNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, struct cuda_graph *g);

API(int, cudaGraphExecNodeSetParams, struct graph_exec *x, const struct graph_node *n,
	const struct node_params *p)
{
	switch (p ? p->type : -1) {
	case WORK_KERNEL: return cudaGraphExecKernelNodeSetParams(x, n, &p->kernel);
	case WORK_COPY: return cudaGraphExecMemcpyNodeSetParams(x, n, &p->copy.params);
	case WORK_FILL: return cudaGraphExecMemsetNodeSetParams(x, n, &p->fill);
	case WORK_HOST: return cudaGraphExecHostNodeSetParams(x, n, &p->host);
	case WORK_GRAPH: return cudaGraphExecChildGraphNodeSetParams(x, n, p->child);
	default: return reject_graph_node(cudaErrorInvalidValue);
	}
}

/* ---- memory that nodes allocate ---- */

/* Attributes of the memory of graphs, in the runtime's order. */
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH, N_ATTRIBUTES };

/*
 * Memory of graphs in bytes. reserved: amount kept until the program trims it; used_high, reserved_high:
 * largest amounts in use and kept since the program reset them.
 */
static uint64_t used_high, reserved, reserved_high;

static uint64_t used_graph_memory(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < cudart.n_grants; i++)
		if (cudart.grant[i].live && cudart.grant[i].from_graph_node)
			n += cudart.grant[i].bytes;
	return n;
}

void graph_note_allocation(uint64_t addr)
{
	uint64_t used;

	cudart_find_grant(addr)->from_graph_node = true;
	used = used_graph_memory();
	used_high = used > used_high ? used : used_high;
	reserved = used > reserved ? used : reserved;
	reserved_high = reserved > reserved_high ? reserved : reserved_high;
}

API(int, cudaDeviceGetGraphMemAttribute, int device, int attribute, uint64_t *to)
{
	int e = cudart_enter(false);

	if (!e && device)
		e = cudaErrorInvalidDevice;
	if (!e && (!to || attribute < 0 || attribute >= N_ATTRIBUTES))
		e = cudaErrorInvalidValue;
	if (!e) {
		const uint64_t value[N_ATTRIBUTES] = {
			used_graph_memory(), used_high, reserved, reserved_high};

		*to = value[attribute];
	}
	return cudart_leave(e);
}

/* Resets a high-water mark to the current amount. The only value that a program can pass is 0. */
API(int, cudaDeviceSetGraphMemAttribute, int device, int attribute, const uint64_t *value)
{
	int e = cudart_enter(false);

	if (!e && device)
		e = cudaErrorInvalidDevice;
	if (!e && (!value || *value || (attribute != USED_HIGH && attribute != RESERVED_HIGH)))
		e = cudaErrorInvalidValue;
	if (!e && attribute == USED_HIGH)
		used_high = used_graph_memory();
	if (!e && attribute == RESERVED_HIGH)
		reserved_high = reserved;
	return cudart_leave(e);
}

API(int, cudaDeviceGraphMemTrim, int device)
{
	int e = cudart_enter(false);

	if (!e && device)
		e = cudaErrorInvalidDevice;
	if (!e)
		reserved = used_graph_memory();
	return cudart_leave(e);
}
