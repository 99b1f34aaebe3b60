/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs and their nodes, and the calls that build them: see graph.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/graph.h"

static struct cuda_graph *graphs;
static uint64_t n_serials; /* serial of the newest node */

bool graph_exists(const struct cuda_graph *g)
{
	for (const struct cuda_graph *i = graphs; i; i = i->next)
		if (i == g)
			return true;
	return false;
}

struct cuda_graph *graph_new(void)
{
	struct cuda_graph *g = xcalloc(1, sizeof(*g));

	g->next = graphs;
	graphs = g;
	return g;
}

void graph_publish_body(struct cuda_graph *g)
{
	g->is_body = true;
	g->next = graphs;
	graphs = g;
}

static void free_graph_work(struct graph_work *w)
{
	if (w->kind == WORK_KERNEL)
		work_free_kernel(&w->kernel);
	if (w->kind == WORK_GRAPH)
		graph_free(w->child);
	if (w->kind == WORK_CONDITION)
		conditional_free(&w->conditional);
}

static void free_graph_node(struct graph_node *n)
{
	free_graph_work(&n->work);
	free(n->dependencies);
	free(n->hint);
	free(n);
}

void graph_copy_free(struct cuda_graph *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->n_nodes; i++)
		free_graph_node(g->node[i]);
	user_object_drop_references(g);
	free(g->node);
	free(g);
}

void graph_free(struct cuda_graph *g)
{
	for (struct cuda_graph **i = &graphs; *i; i = &(*i)->next)
		if (*i == g) {
			*i = g->next;
			break;
		}
	graph_copy_free(g);
}

/* ---- work ---- */

/* Checks work and copies it, with the arguments of a kernel. Returns 0 or a status. */
static int copy_checked_work(struct graph_work *to, const struct graph_work *w)
{
	*to = *w;
	switch (w->kind) {
	case WORK_KERNEL:
		return work_prepare_kernel(&to->kernel, w->kernel.host, &w->kernel.config, w->kernel.args);
	case WORK_COPY: return work_check_copy(&w->copy);
	case WORK_FILL:
		return w->fill.unit != 1 && w->fill.unit != 2 && w->fill.unit != 4 ? cudaErrorInvalidValue
										   : cudaSuccess;
	case WORK_HOST: return w->host.call ? cudaSuccess : cudaErrorInvalidValue;
	case WORK_GRAPH: return graph_copy(&to->child, w->child);
	case WORK_CONDITION: return conditional_copy(&to->conditional, &w->conditional);
	case WORK_FREE: return w->memory.addr ? cudaSuccess : cudaErrorInvalidValue;
	case WORK_WAIT:
	case WORK_RECORD: return cudart_is_event(w->event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
	default: return cudaSuccess;
	}
}

int graph_set_work(struct graph_node *n, const struct graph_work *w)
{
	struct graph_work taken;
	int e = n->work.kind != w->kind ? cudaErrorInvalidValue : copy_checked_work(&taken, w);

	if (e)
		return e;
	free_graph_work(&n->work);
	n->work = taken;
	return cudaSuccess;
}

/* ---- nodes ---- */

uint32_t graph_index_of_node(const struct cuda_graph *g, const struct graph_node *n)
{
	uint32_t i = 0;

	while (i < g->n_nodes && g->node[i] != n)
		i++;
	return i;
}

bool graph_has_node(const struct cuda_graph *g, const struct graph_node *n)
{
	return graph_index_of_node(g, n) < g->n_nodes;
}

struct graph_node *graph_find_node(struct graph_node *n)
{
	for (const struct cuda_graph *g = graphs; g; g = g->next)
		if (graph_has_node(g, n))
			return n;
	return NULL;
}

struct graph_node *graph_find_copied_node(const struct cuda_graph *g, const struct graph_node *of)
{
	const struct graph_node *source = graph_find_node((struct graph_node *)(uintptr_t)of);

	for (uint32_t i = 0; source && i < g->n_nodes; i++)
		if (g->node[i]->origin == source->serial)
			return g->node[i];
	return NULL;
}

bool graph_has_edge(const struct graph_node *n, const struct graph_node *on)
{
	for (uint32_t i = 0; i < n->n_after; i++)
		if (n->dependencies[i] == on)
			return true;
	return false;
}

int graph_add_edge(struct graph_node *n, struct graph_node *on)
{
	if (n == on || graph_has_edge(n, on))
		return cudaErrorInvalidValue;
	grow(&n->dependencies, &n->cap_after, n->n_after + 1, sizeof(struct graph_node *));
	n->dependencies[n->n_after++] = on;
	return cudaSuccess;
}

int graph_add_node(struct cuda_graph *g, struct graph_node *const *after, size_t n,
	const struct graph_work *w, struct graph_node **to)
{
	struct graph_node *node;
	struct graph_work taken;
	int e;

	for (size_t i = 0; i < n; i++)
		if (!after || !graph_has_node(g, after[i]))
			return cudaErrorInvalidValue;
	e = copy_checked_work(&taken, w);
	if (e)
		return e;
	node = xcalloc(1, sizeof(*node));
	*node = (struct graph_node){.graph = g, .work = taken, .serial = ++n_serials};
	for (size_t i = 0; i < n && !e; i++)
		e = graph_add_edge(node, after[i]);
	if (e) {
		free_graph_node(node);
		return e;
	}
	grow(&g->node, &g->cap_nodes, g->n_nodes + 1, sizeof(struct graph_node *));
	g->node[g->n_nodes++] = *to = node;
	return cudaSuccess;
}

int graph_copy(struct cuda_graph **to, const struct cuda_graph *g)
{
	struct cuda_graph *copy = xcalloc(1, sizeof(*copy));
	int e = cudaSuccess;

	user_object_copy_references(copy, g);
	for (uint32_t i = 0; i < g->n_nodes && !e; i++) {
		struct graph_node *n;

		e = graph_add_node(copy, NULL, 0, &g->node[i]->work, &n);
		if (!e) {
			n->origin = g->node[i]->serial;
			n->disabled = g->node[i]->disabled;
			graph_copy_hints(n, g->node[i]);
		}
	}
	for (uint32_t i = 0; i < g->n_nodes && !e; i++)
		for (uint32_t k = 0; k < g->node[i]->n_after; k++)
			graph_add_edge(copy->node[i],
				copy->node[graph_index_of_node(g, g->node[i]->dependencies[k])]);
	if (e) {
		graph_copy_free(copy);
		copy = NULL;
	}
	*to = copy;
	return e;
}

static bool are_dependencies_done(const struct cuda_graph *g, const struct graph_node *n, const bool *done)
{
	for (uint32_t k = 0; k < n->n_after; k++)
		if (!done[graph_index_of_node(g, n->dependencies[k])])
			return false;
	return true;
}

int graph_sort_nodes(const struct cuda_graph *g, uint32_t *order)
{
	bool *done = xcalloc(g->n_nodes + 1u, sizeof(*done));
	uint32_t n = 0;

	for (bool found = true; found && n < g->n_nodes;) {
		found = false;
		for (uint32_t i = 0; i < g->n_nodes && !found; i++) {
			if (done[i] || !are_dependencies_done(g, g->node[i], done))
				continue;
			order[n++] = i;
			done[i] = found = true;
		}
	}
	free(done);
	return n < g->n_nodes ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- the program's calls ---- */

API(int, cudaGraphCreate, struct cuda_graph **to, unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && (!to || flags))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = graph_new();
	return cudart_leave(e);
}

API(int, cudaGraphDestroy, struct cuda_graph *g)
{
	int e = cudart_enter(false);

	if (!e && (!graph_exists(g) || g->is_body))
		e = cudaErrorInvalidValue;
	if (!e)
		graph_free(g);
	return cudart_leave(e);
}

API(int, cudaGraphClone, struct cuda_graph **to, const struct cuda_graph *g)
{
	int e = cudart_enter(false);
	struct cuda_graph *copy;

	if (!e && (!to || !graph_exists(g)))
		e = cudaErrorInvalidValue;
	if (!e && !(e = graph_copy(&copy, g))) {
		copy->next = graphs;
		graphs = *to = copy;
	}
	return cudart_leave(e);
}

API(int, cudaGraphNodeFindInClone, struct graph_node **to, const struct graph_node *n,
	const struct cuda_graph *g)
{
	int e = cudart_enter(false);
	struct graph_node *copy;

	if (!e && (!to || !graph_exists(g)))
		e = cudaErrorInvalidValue;
	if (!e && !(copy = graph_find_copied_node(g, n)))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = copy;
	return cudart_leave(e);
}

static int add_program_node(struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after,
	size_t n, const struct graph_work *w)
{
	int e = cudart_enter(false);

	if (!e && (!to || !graph_exists(g)))
		e = cudaErrorInvalidValue;
	return cudart_leave(e ? e : graph_add_node(g, after, n, w, to));
}

#define ADD(name, ...) \
	API(int, name, struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after, \
		size_t n, __VA_ARGS__)

bool graph_make_kernel_work(struct graph_work *w, const struct kernel_params *p)
{
	if (!p || p->extra)
		return false;
	*w = (struct graph_work){.kind = WORK_KERNEL,
		.kernel = {.host = p->host,
			.config = {.grid = p->grid, .block = p->block, .shared_bytes = p->shared_bytes},
			.args = p->args}};
	return true;
}

ADD(cudaGraphAddKernelNode, const struct kernel_params *p)
{
	struct graph_work w;

	return graph_make_kernel_work(&w, p) ? add_program_node(to, g, after, n, &w)
					     : cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
}

ADD(cudaGraphAddMemcpyNode, const struct copy_3d *p)
{
	struct graph_work w = {.kind = WORK_COPY};

	if (p)
		w.copy = *p;
	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddMemcpyNode1D, void *dst, const void *src, size_t bytes, int kind)
{
	struct graph_work w = {.kind = WORK_COPY, .copy = work_make_byte_copy(dst, src, bytes, kind)};

	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddMemsetNode, const struct fill_2d *p)
{
	struct graph_work w = {.kind = WORK_FILL};

	if (p)
		w.fill = *p;
	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddHostNode, const struct host_call *p)
{
	struct graph_work w = {.kind = WORK_HOST};

	if (p)
		w.host = *p;
	return add_program_node(to, g, after, n, &w);
}

API(int, cudaGraphAddEmptyNode, struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after,
	size_t n)
{
	struct graph_work w = {.kind = WORK_EMPTY};

	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddChildGraphNode, struct cuda_graph *child)
{
	struct graph_work w = {.kind = WORK_GRAPH, .child = child};

	if (!graph_exists(child) || child == g)
		return cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddEventRecordNode, struct event *event)
{
	struct graph_work w = {.kind = WORK_RECORD, .event = event};

	return add_program_node(to, g, after, n, &w);
}

ADD(cudaGraphAddEventWaitNode, struct event *event)
{
	struct graph_work w = {.kind = WORK_WAIT, .event = event};

	return add_program_node(to, g, after, n, &w);
}

API(int, cudaGraphDestroyNode, struct graph_node *n)
{
	int e = cudart_enter(false);
	struct cuda_graph *g;

	if (!e && !graph_find_node(n))
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	g = n->graph;
	for (uint32_t i = 0; i < g->n_nodes; i++)
		for (uint32_t k = 0; k < g->node[i]->n_after; k++)
			if (g->node[i]->dependencies[k] == n)
				g->node[i]->dependencies[k--] =
					g->node[i]->dependencies[--g->node[i]->n_after];
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (g->node[i] == n) {
			memmove(g->node + i, g->node + i + 1, (g->n_nodes - i - 1) * sizeof(*g->node));
			g->n_nodes--;
		}
	free_graph_node(n);
	return cudart_leave(cudaSuccess);
}

/*
 * Stores up to *n nodes in `to`, then NULL. Sets *n to the number of nodes if that is smaller, or if `to` is
 * NULL. Returns 0 or a status.
 */
static int list_graph_nodes(const struct cuda_graph *g, struct graph_node **to, size_t *n, bool roots)
{
	int e = cudart_enter(false);
	size_t found = 0;

	if (!e && (!graph_exists(g) || !n))
		e = cudaErrorInvalidValue;
	for (uint32_t i = 0; !e && i < g->n_nodes; i++)
		if (!roots || !g->node[i]->n_after) {
			if (to && found < *n)
				to[found] = g->node[i];
			found++;
		}
	for (size_t i = found; !e && to && i < *n; i++)
		to[i] = NULL;
	if (!e && (!to || found < *n))
		*n = found;
	return cudart_leave(e);
}

API(int, cudaGraphGetNodes, const struct cuda_graph *g, struct graph_node **to, size_t *n)
{
	return list_graph_nodes(g, to, n, false);
}

API(int, cudaGraphGetRootNodes, const struct cuda_graph *g, struct graph_node **to, size_t *n)
{
	return list_graph_nodes(g, to, n, true);
}

API(int, cudaGraphNodeGetType, struct graph_node *n, int *to)
{
	int e = cudart_enter(false);

	if (!e && (!to || !graph_find_node(n)))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = n->work.kind;
	return cudart_leave(e);
}

/* ---- parameters of nodes ---- */

int graph_begin_node_call(struct graph_node *n, const void *params, int kind)
{
	int e = cudart_enter(false);

	return e                                                      ? e
	       : params && graph_find_node(n) && n->work.kind == kind ? cudaSuccess
								      : cudaErrorInvalidValue;
}

#define PARAMS(what, work_kind, type, member) \
	API(int, cudaGraph##what##NodeGetParams, struct graph_node *n, struct type *p) \
	{ \
		int e = graph_begin_node_call(n, p, work_kind); \
\
		if (!e) \
			*p = n->work.member; \
		return cudart_leave(e); \
	} \
	API(int, cudaGraph##what##NodeSetParams, struct graph_node *n, const struct type *p) \
	{ \
		int e = graph_begin_node_call(n, p, work_kind); \
		struct graph_work w = {.kind = work_kind}; \
\
		if (!e) \
			w.member = *p; \
		return cudart_leave(e ? e : graph_set_work(n, &w)); \
	}

PARAMS(Memcpy, WORK_COPY, copy_3d, copy)
PARAMS(Memset, WORK_FILL, fill_2d, fill)
PARAMS(Host, WORK_HOST, host_call, host)
#undef PARAMS
#undef ADD

#define EVENT(what, work_kind) \
	API(int, cudaGraphEvent##what##NodeGetEvent, struct graph_node *n, struct event **to) \
	{ \
		int e = graph_begin_node_call(n, to, work_kind); \
\
		if (!e) \
			*to = n->work.event; \
		return cudart_leave(e); \
	} \
	API(int, cudaGraphEvent##what##NodeSetEvent, struct graph_node *n, struct event *event) \
	{ \
		int e = graph_begin_node_call(n, event, work_kind); \
		struct graph_work w = {.kind = work_kind, .event = event}; \
\
		return cudart_leave(e ? e : graph_set_work(n, &w)); \
	}
EVENT(Record, WORK_RECORD)
EVENT(Wait, WORK_WAIT)

/* ---- memory ---- */

#define MEMORY_UNIT 512u /* alignment of cudaMalloc() */

int graph_make_allocation(struct graph_work *w, size_t n)
{
	*w = (struct graph_work){.kind = WORK_ALLOCATE, .memory.bytes = n};
	if (!n)
		return cudaErrorInvalidValue;
	w->memory.addr = cudart_reserve(n, MEMORY_UNIT);
	return w->memory.addr ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* cudaMemAllocNodeParams. Other properties of the pool, and access by other devices, have no effect. */
struct allocation_params {
	int type, handles, location, device;
	char pool[72];
	const void *access;
	size_t n_access, bytes;
	uint64_t addr;
};
enum { ALLOCATION_PINNED = 1, LOCATION_DEVICE = 1 };

API(int, cudaGraphAddMemAllocNode, struct graph_node **to, struct cuda_graph *g,
	struct graph_node *const *after, size_t n, struct allocation_params *p)
{
	struct graph_work w = {.kind = WORK_ALLOCATE};
	int e = cudart_enter(false);

	if (!e && (!p || p->type != ALLOCATION_PINNED || p->location != LOCATION_DEVICE || p->device))
		e = cudaErrorInvalidValue;
	if (!e)
		e = graph_make_allocation(&w, p->bytes);
	cudart_leave(e);
	if (e)
		return e;
	e = add_program_node(to, g, after, n, &w);
	if (!e)
		p->addr = w.memory.addr;
	return e;
}

API(int, cudaGraphAddMemFreeNode, struct graph_node **to, struct cuda_graph *g,
	struct graph_node *const *after, size_t n, void *p)
{
	struct graph_work w = {.kind = WORK_FREE, .memory.addr = (uintptr_t)p};

	return add_program_node(to, g, after, n, &w);
}

API(int, cudaGraphMemAllocNodeGetParams, struct graph_node *n, struct allocation_params *p)
{
	int e = graph_begin_node_call(n, p, WORK_ALLOCATE);

	if (!e)
		*p = (struct allocation_params){.type = ALLOCATION_PINNED,
			.location = LOCATION_DEVICE,
			.bytes = n->work.memory.bytes,
			.addr = n->work.memory.addr};
	return cudart_leave(e);
}

API(int, cudaGraphMemFreeNodeGetParams, struct graph_node *n, void **p)
{
	int e = graph_begin_node_call(n, p, WORK_FREE);

	if (!e)
		*p = (void *)(uintptr_t)n->work.memory.addr;
	return cudart_leave(e);
}
