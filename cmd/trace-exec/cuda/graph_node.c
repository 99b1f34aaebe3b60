/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of every kind, conditions, changes of nodes: conversion of the driver's structures to the runtime's. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda.h"

#define NODE_ARGS to, g, after, data, n

/* CUgraphNodeParams. Parameters of kernels and copies have their own layout, all others the runtime's. */
struct cuda_node_params {
	int type, reserved[3];
	union {
		long long words[29];
		struct cuda_kernel_params kernel;
		struct {
			int flags, reserved;
			struct cuda_context *context;
			struct cuda_copy_3d params;
		} copy;
	};
	long long last;
};

/*
 * Converts the parameters of a node. *made: addresses of the arguments, which the caller frees. Returns 0 or a
 * status.
 */
static int convert_node(struct node_params *to, const struct cuda_node_params *p, void ***made)
{
	*made = NULL;
	if (!p)
		return cudaErrorInvalidValue;
	*to = (struct node_params){.type = p->type};
	switch (p->type) {
	case WORK_KERNEL: return cuda_convert_kernel(&to->kernel, &p->kernel, true, made);
	case WORK_COPY: return cuda_convert_copy(&to->copy.params, &p->copy.params);
	default: memcpy(to->words, p->words, sizeof(to->words)); return cudaSuccess;
	}
}

/*
 * Adds a node. The runtime returns the address of an allocation and the graphs of a condition in the
 * parameters.
 */
static int add_converted_node(NODE_PLACE_DATA, struct cuda_node_params *p)
{
	struct node_params q;
	void **made;
	int e = convert_node(&q, p, &made);

	if (!e)
		e = cudaGraphAddNode_v2(NODE_ARGS, &q);
	if (!e && p->type != WORK_KERNEL && p->type != WORK_COPY)
		memcpy(p->words, q.words, sizeof(q.words));
	free(made);
	return e;
}
DRIVER(cuGraphAddNode_v2, add_converted_node(NODE_ARGS, p), NODE_PLACE_DATA, struct cuda_node_params *p)
DRIVER(cuGraphAddNode, add_converted_node(to, g, after, NULL, n, p), NODE_PLACE, struct cuda_node_params *p)

static int set_converted_node(struct graph_exec *x, struct graph_node *n, const struct cuda_node_params *p)
{
	struct node_params q;
	void **made;
	int e = convert_node(&q, p, &made);

	if (!e)
		e = x ? cudaGraphExecNodeSetParams(x, n, &q) : cudaGraphNodeSetParams(n, &q);
	free(made);
	return e;
}
DRIVER(cuGraphNodeSetParams, set_converted_node(NULL, n, p), struct graph_node *n,
	const struct cuda_node_params *p)
DRIVER(cuGraphExecNodeSetParams, x ? set_converted_node(x, n, p) : cudaErrorInvalidValue,
	struct graph_exec *x, struct graph_node *n, const struct cuda_node_params *p)

DRIVER(cuGraphConditionalHandleCreate, ((void)c, cudaGraphConditionalHandleCreate(to, g, first, flags)),
	uint64_t *to, const struct cuda_graph *g, struct cuda_context *c, unsigned first, unsigned flags)

/* ---- changes of nodes of one kind ---- */

static int set_copy_node(struct graph_exec *x, struct graph_node *n, const struct cuda_copy_3d *p)
{
	struct copy_3d c;
	int e = cuda_convert_copy(&c, p);

	return e ? e : x ? cudaGraphExecMemcpyNodeSetParams(x, n, &c) : cudaGraphMemcpyNodeSetParams(n, &c);
}
DRIVER(cuGraphMemcpyNodeSetParams, set_copy_node(NULL, n, p), struct graph_node *n,
	const struct cuda_copy_3d *p)
DRIVER(cuGraphExecMemcpyNodeSetParams, ((void)c, x ? set_copy_node(x, n, p) : cudaErrorInvalidValue),
	struct graph_exec *x, struct graph_node *n, const struct cuda_copy_3d *p, struct cuda_context *c)
DRIVER(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams(n, p), struct graph_node *n,
	struct fill_2d *p)
DRIVER(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams(n, p), struct graph_node *n,
	const struct fill_2d *p)
DRIVER(cuGraphExecMemsetNodeSetParams, ((void)c, cudaGraphExecMemsetNodeSetParams(x, n, p)),
	struct graph_exec *x, const struct graph_node *n, const struct fill_2d *p, struct cuda_context *c)
DRIVER(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams(n, p), struct graph_node *n, struct host_call *p)
DRIVER(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams(n, p), struct graph_node *n,
	const struct host_call *p)
DRIVER(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams(x, n, p), struct graph_exec *x,
	const struct graph_node *n, const struct host_call *p)
DRIVER(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams(x, n, g),
	struct graph_exec *x, const struct graph_node *n, struct cuda_graph *g)
DRIVER(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent(n, to), struct graph_node *n,
	struct event **to)
DRIVER(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent(n, event), struct graph_node *n,
	struct event *event)
DRIVER(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent(x, n, event),
	struct graph_exec *x, const struct graph_node *n, struct event *event)
DRIVER(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent(n, to), struct graph_node *n,
	struct event **to)
DRIVER(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent(n, event), struct graph_node *n,
	struct event *event)
DRIVER(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent(x, n, event),
	struct graph_exec *x, const struct graph_node *n, struct event *event)

DRIVER(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute(n, id, value), struct graph_node *n,
	int id, struct hint *value)
DRIVER(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute(n, id, value), struct graph_node *n,
	int id, const struct hint *value)
DRIVER(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes(to, from), struct graph_node *to,
	struct graph_node *from)
DRIVER(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph(n, to), struct graph_node *n,
	struct cuda_graph **to)

/* ---- memory of graphs ---- */

DRIVER(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute(device, attribute, to), int device,
	int attribute, uint64_t *to)
DRIVER(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute(device, attribute, value), int device,
	int attribute, const uint64_t *value)
DRIVER(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim(device), int device)
