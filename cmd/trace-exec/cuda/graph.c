/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs: conversion of the driver's node structures to the runtime's. */
#include <stdlib.h>
#include "cuda/cuda.h"

#define NODE_ARGS to, g, after, n

int cuda_convert_kernel(
	struct kernel_params *to, const struct cuda_kernel_params *p, bool second, void ***made)
{
	const void *kernel;
	int e;

	*made = NULL;
	if (!p)
		return cudaErrorInvalidValue;
	kernel = p->function || !second ? p->function : p->kernel;
	e = cuda_collect_arguments(kernel, p->args, p->extra, made);
	*to = (struct kernel_params){
		kernel, p->grid, p->block, p->shared_bytes, *made ? *made : p->args, NULL};
	return e;
}

static int add_kernel_node(NODE_PLACE, const struct cuda_kernel_params *p, bool second)
{
	struct kernel_params k;
	void **made;
	int e = cuda_convert_kernel(&k, p, second, &made);

	if (!e)
		e = cudaGraphAddKernelNode(NODE_ARGS, &k);
	free(made);
	return e;
}
DRIVER(cuGraphAddKernelNode, add_kernel_node(NODE_ARGS, p, false), NODE_PLACE,
	const struct cuda_kernel_params *p)
DRIVER(cuGraphAddKernelNode_v2, add_kernel_node(NODE_ARGS, p, true), NODE_PLACE,
	const struct cuda_kernel_params *p)

static int set_kernel(struct graph_node *node, const struct cuda_kernel_params *p, bool second)
{
	struct kernel_params k;
	void **made;
	int e = cuda_convert_kernel(&k, p, second, &made);

	if (!e)
		e = cudaGraphKernelNodeSetParams(node, &k);
	free(made);
	return e;
}
DRIVER(cuGraphKernelNodeSetParams, set_kernel(node, p, false), struct graph_node *node,
	const struct cuda_kernel_params *p)
DRIVER(cuGraphKernelNodeSetParams_v2, set_kernel(node, p, true), struct graph_node *node,
	const struct cuda_kernel_params *p)

static int set_exec_kernel(
	struct graph_exec *x, struct graph_node *node, const struct cuda_kernel_params *p, bool second)
{
	struct kernel_params k;
	void **made;
	int e = cuda_convert_kernel(&k, p, second, &made);

	if (!e)
		e = cudaGraphExecKernelNodeSetParams(x, node, &k);
	free(made);
	return e;
}
DRIVER(cuGraphExecKernelNodeSetParams, set_exec_kernel(x, node, p, false), struct graph_exec *x,
	struct graph_node *node, const struct cuda_kernel_params *p)
DRIVER(cuGraphExecKernelNodeSetParams_v2, set_exec_kernel(x, node, p, true), struct graph_exec *x,
	struct graph_node *node, const struct cuda_kernel_params *p)

/* Version 1 of the structure ends before the member `kernel`. */
static int get_kernel_params(struct graph_node *node, struct cuda_kernel_params *p, bool second)
{
	struct kernel_params k;
	int e = p ? cudaGraphKernelNodeGetParams(node, &k) : cudaErrorInvalidValue;

	if (e)
		return e;
	p->function = k.host;
	p->grid = k.grid;
	p->block = k.block;
	p->shared_bytes = k.shared_bytes;
	p->args = k.args;
	p->extra = NULL;
	if (second) {
		p->kernel = NULL;
		p->context = cuda_current_context();
	}
	return cudaSuccess;
}
DRIVER(cuGraphKernelNodeGetParams, get_kernel_params(node, p, false), struct graph_node *node,
	struct cuda_kernel_params *p)
DRIVER(cuGraphKernelNodeGetParams_v2, get_kernel_params(node, p, true), struct graph_node *node,
	struct cuda_kernel_params *p)

static int add_copy(NODE_PLACE, const struct cuda_copy_3d *p)
{
	struct copy_3d c;
	int e = cuda_convert_copy(&c, p);

	return e ? e : cudaGraphAddMemcpyNode(NODE_ARGS, &c);
}
DRIVER(cuGraphAddMemcpyNode, ((void)c, add_copy(NODE_ARGS, p)), NODE_PLACE, const struct cuda_copy_3d *p,
	struct cuda_context *c)
/* CUDA_MEMSET_NODE_PARAMS has the runtime's layout. */
DRIVER(cuGraphAddMemsetNode, ((void)c, cudaGraphAddMemsetNode(NODE_ARGS, p)), NODE_PLACE,
	const struct fill_2d *p, struct cuda_context *c)
DRIVER(cuGraphAddHostNode, cudaGraphAddHostNode(NODE_ARGS, p), NODE_PLACE, const struct host_call *p)
DRIVER(cuGraphAddEmptyNode, cudaGraphAddEmptyNode(NODE_ARGS), NODE_PLACE)
DRIVER(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode(NODE_ARGS, child), NODE_PLACE,
	struct cuda_graph *child)
/* CUDA_MEM_ALLOC_NODE_PARAMS has the runtime's layout. */
DRIVER(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode(NODE_ARGS, p), NODE_PLACE,
	struct allocation_params *p)
DRIVER(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode(NODE_ARGS, cuda_address(addr)), NODE_PLACE,
	uint64_t addr)
DRIVER(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams(n, p), struct graph_node *n,
	struct allocation_params *p)
DRIVER(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams(n, p), struct graph_node *n, void **p)
DRIVER(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode(NODE_ARGS, event), NODE_PLACE,
	struct event *event)
DRIVER(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode(NODE_ARGS, event), NODE_PLACE, struct event *event)

DRIVER(cuGraphCreate, cudaGraphCreate(to, flags), struct cuda_graph **to, unsigned flags)
DRIVER(cuGraphDestroy, cudaGraphDestroy(g), struct cuda_graph *g)
DRIVER(cuGraphClone, cudaGraphClone(to, g), struct cuda_graph **to, const struct cuda_graph *g)
DRIVER(cuGraphNodeFindInClone, cudaGraphNodeFindInClone(to, node, g), struct graph_node **to,
	const struct graph_node *node, const struct cuda_graph *g)
DRIVER(cuGraphDebugDotPrint, cudaGraphDebugDotPrint(g, path, flags), const struct cuda_graph *g,
	const char *path, unsigned flags)
DRIVER(cuGraphDestroyNode, cudaGraphDestroyNode(node), struct graph_node *node)
DRIVER(cuGraphGetNodes, cudaGraphGetNodes(g, to, n), const struct cuda_graph *g, struct graph_node **to,
	size_t *n)
DRIVER(cuGraphGetRootNodes, cudaGraphGetRootNodes(g, to, n), const struct cuda_graph *g,
	struct graph_node **to, size_t *n)
DRIVER(cuGraphNodeGetType, cudaGraphNodeGetType(node, to), struct graph_node *node, int *to)

/* ---- edges ---- */

DRIVER(cuGraphGetEdges, cudaGraphGetEdges_v2(g, from, to, NULL, n), const struct cuda_graph *g,
	struct graph_node **from, struct graph_node **to, size_t *n)
DRIVER(cuGraphGetEdges_v2, cudaGraphGetEdges_v2(g, from, to, data, n), const struct cuda_graph *g,
	struct graph_node **from, struct graph_node **to, void *data, size_t *n)
DRIVER(cuGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2(node, to, NULL, n),
	struct graph_node *node, struct graph_node **to, size_t *n)
DRIVER(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2(node, to, data, n),
	struct graph_node *node, struct graph_node **to, void *data, size_t *n)
DRIVER(cuGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2(node, to, NULL, n),
	struct graph_node *node, struct graph_node **to, size_t *n)
DRIVER(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2(node, to, data, n),
	struct graph_node *node, struct graph_node **to, void *data, size_t *n)
DRIVER(cuGraphAddDependencies, cudaGraphAddDependencies_v2(g, from, to, NULL, n), struct cuda_graph *g,
	struct graph_node *const *from, struct graph_node *const *to, size_t n)
DRIVER(cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2(g, from, to, data, n), struct cuda_graph *g,
	struct graph_node *const *from, struct graph_node *const *to, const void *data, size_t n)
DRIVER(cuGraphRemoveDependencies, cudaGraphRemoveDependencies_v2(g, from, to, NULL, n), struct cuda_graph *g,
	struct graph_node *const *from, struct graph_node *const *to, size_t n)
DRIVER(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2(g, from, to, data, n),
	struct cuda_graph *g, struct graph_node *const *from, struct graph_node *const *to, const void *data,
	size_t n)

/* ---- instances ---- */

DRIVER(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags(to, g, flags), struct graph_exec **to,
	const struct cuda_graph *g, unsigned long long flags)

/* Instantiates a graph. *wrong is always NULL and the text always empty. */
static int instantiate(
	struct graph_exec **to, const struct cuda_graph *g, struct graph_node **wrong, char *text, size_t n)
{
	if (wrong)
		*wrong = NULL;
	if (text && n)
		*text = '\0';
	return cudaGraphInstantiateWithFlags(to, g, 0);
}
DRIVER(cuGraphInstantiate_v2, instantiate(to, g, wrong, text, n), struct graph_exec **to,
	const struct cuda_graph *g, struct graph_node **wrong, char *text, size_t n)
ALSO(cuGraphInstantiate, cuGraphInstantiate_v2);
DRIVER_TOO(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz,
	cudaGraphInstantiateWithParams(to, g, params), struct graph_exec **to, const struct cuda_graph *g,
	void *params)
DRIVER(cuGraphExecDestroy, cudaGraphExecDestroy(x), struct graph_exec *x)
DRIVER(cuGraphExecGetFlags, cudaGraphExecGetFlags(x, to), struct graph_exec *x, unsigned long long *to)
STREAM_TOO(cuGraphLaunch, cuGraphLaunch_ptsz, cudaGraphLaunch(x, s), struct graph_exec *x, struct stream *s)
STREAM_TOO(cuGraphUpload, cuGraphUpload_ptsz, cudaGraphUpload(x, s), struct graph_exec *x, struct stream *s)
DRIVER(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled(x, node, enabled), struct graph_exec *x,
	struct graph_node *node, unsigned enabled)
DRIVER(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled(x, node, to), struct graph_exec *x,
	struct graph_node *node, unsigned *to)

struct update_info {
	int result;
	struct graph_node *error_node, *from_node;
};

/*
 * Updates an instance. From release 12 on the runtime's function takes `info`; earlier ones take a pointer to
 * each result.
 */
static int update_graph_exec(struct graph_exec *x, const struct cuda_graph *g, struct update_info *info)
{
	int e;

	*info = (struct update_info){.result = 0};
	e = cudart_runtime_release() >= 12 ? cudaGraphExecUpdate(x, g, info, NULL)
					   : cudaGraphExecUpdate(x, g, &info->error_node, &info->result);
	return e;
}

static int update_by_parts(
	struct graph_exec *x, const struct cuda_graph *g, struct graph_node **wrong, int *result)
{
	struct update_info info;
	int e = update_graph_exec(x, g, &info);

	if (wrong)
		*wrong = info.error_node;
	if (result)
		*result = info.result;
	return e;
}
DRIVER(cuGraphExecUpdate, update_by_parts(x, g, wrong, result), struct graph_exec *x,
	const struct cuda_graph *g, struct graph_node **wrong, int *result)
DRIVER(cuGraphExecUpdate_v2, info ? update_graph_exec(x, g, info) : cudaErrorInvalidValue,
	struct graph_exec *x, const struct cuda_graph *g, struct update_info *info)

/* ---- user objects ---- */

DEVICE(cuUserObjectCreate, cudaUserObjectCreate(to, data, destroy, n, flags), struct user_object **to,
	void *data, void (*destroy)(void *), unsigned n, unsigned flags)
DEVICE(cuUserObjectRetain, cudaUserObjectRetain(o, n), struct user_object *o, unsigned n)
DEVICE(cuUserObjectRelease, cudaUserObjectRelease(o, n), struct user_object *o, unsigned n)
DEVICE(cuGraphRetainUserObject, cudaGraphRetainUserObject(g, o, n, flags), struct cuda_graph *g,
	struct user_object *o, unsigned n, unsigned flags)
DEVICE(cuGraphReleaseUserObject, cudaGraphReleaseUserObject(g, o, n), struct cuda_graph *g,
	struct user_object *o, unsigned n)
