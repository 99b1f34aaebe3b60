/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters and attributes of kernel nodes, and the graphs of child nodes. See graph.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/graph.h"

API(int, cudaGraphKernelNodeGetParams, struct graph_node *n, struct kernel_params *p)
{
	int e = graph_begin_node_call(n, p, WORK_KERNEL);

	if (!e) {
		const struct kernel_work *k = &n->work.kernel;

		*p = (struct kernel_params){k->host, k->config.grid, k->config.block,
			(unsigned)k->config.shared_bytes, k->args, NULL};
	}
	return cudart_leave(e);
}

void graph_keep_attributes(struct graph_work *w, const struct graph_node *n)
{
	if (w->kind != WORK_KERNEL || n->work.kind != WORK_KERNEL)
		return;
	w->kernel.config.cluster = n->work.kernel.config.cluster;
	w->kernel.config.cooperative = n->work.kernel.config.cooperative;
	w->kernel.config.programmatic = n->work.kernel.config.programmatic;
}

API(int, cudaGraphKernelNodeSetParams, struct graph_node *n, const struct kernel_params *p)
{
	int e = graph_begin_node_call(n, p, WORK_KERNEL);
	struct graph_work w;

	if (!e && !graph_make_kernel_work(&w, p))
		e = cudaErrorInvalidValue;
	if (!e)
		graph_keep_attributes(&w, n);
	return cudart_leave(e ? e : graph_set_work(n, &w));
}

/* ---- attributes ---- */

/* Attributes of launches by the runtime's number. */
enum { NODE_COOPERATIVE = 2, NODE_CLUSTER = 4 };

/* Returns true if a kernel node can have the attribute: see the runtime's list of them. */
static bool is_node_attribute(int id)
{
	static const char known[N_HINTS] = {
		[1] = 1, [2] = 1, [4] = 1, [5] = 1, [8] = 1, [9] = 1, [10] = 1, [11] = 1, [14] = 1, [16] = 1};

	return id >= 0 && id < N_HINTS && known[id];
}

void graph_copy_hints(struct graph_node *to, const struct graph_node *from)
{
	size_t n = N_HINTS * sizeof(*from->hint);

	free(to->hint);
	to->hint = from->hint ? memcpy(xmalloc(n), from->hint, n) : NULL;
}

static int begin_attribute_call(struct graph_node *n, int id, const void *value)
{
	int e = graph_begin_node_call(n, value, WORK_KERNEL);

	return e ? e : is_node_attribute(id) ? cudaSuccess : cudaErrorInvalidValue;
}

API(int, cudaGraphKernelNodeSetAttribute, struct graph_node *n, int id, const struct hint *value)
{
	int e = begin_attribute_call(n, id, value);
	struct graph_work w;
	unsigned number[3];

	if (e)
		return cudart_leave(e);
	w = n->work;
	memcpy(number, value, sizeof(number));
	if (id == NODE_CLUSTER) {
		w.kernel.config.cluster = (struct dim){number[0], number[1], number[2]};
		e = graph_set_work(n, &w);
	} else if (id == NODE_COOPERATIVE) {
		w.kernel.config.cooperative = number[0];
		e = graph_set_work(n, &w);
	} else {
		if (!n->hint)
			n->hint = xcalloc(N_HINTS, sizeof(*n->hint));
		n->hint[id] = *value;
	}
	return cudart_leave(e);
}

API(int, cudaGraphKernelNodeGetAttribute, struct graph_node *n, int id, struct hint *value)
{
	int e = begin_attribute_call(n, id, value);

	if (e)
		return cudart_leave(e);
	const struct configuration *c = &n->work.kernel.config;
	const unsigned cluster[3] = {c->cluster.x, c->cluster.y, c->cluster.z};
	const int cooperative = c->cooperative;

	memset(value, 0, sizeof(*value));
	if (id == NODE_CLUSTER)
		memcpy(value, cluster, sizeof(cluster));
	else if (id == NODE_COOPERATIVE)
		memcpy(value, &cooperative, sizeof(cooperative));
	else if (n->hint)
		*value = n->hint[id];
	return cudart_leave(e);
}

API(int, cudaGraphKernelNodeCopyAttributes, struct graph_node *to, struct graph_node *from)
{
	int e = graph_begin_node_call(from, to, WORK_KERNEL);
	struct graph_work w;

	if (!e && (!graph_find_node(to) || to->work.kind != WORK_KERNEL))
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	w = to->work;
	graph_keep_attributes(&w, from);
	e = graph_set_work(to, &w);
	if (!e)
		graph_copy_hints(to, from);
	return cudart_leave(e);
}

/* ---- graphs of child nodes ---- */

/* The node owns the graph: the program can change it, but not destroy it. */
API(int, cudaGraphChildGraphNodeGetGraph, struct graph_node *n, struct cuda_graph **to)
{
	int e = graph_begin_node_call(n, to, WORK_GRAPH);

	if (e)
		return cudart_leave(e);
	*to = n->work.child;
	if (!graph_exists(*to))
		graph_publish_body(*to);
	return cudart_leave(e);
}
