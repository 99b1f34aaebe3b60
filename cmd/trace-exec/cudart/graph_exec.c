/* SPDX-License-Identifier: BSD-2-Clause */
/* Instances of graphs, which the program launches. See graph.h. */
#include <stdlib.h>
#include "arena.h"
#include "cudart/pause.h"

struct graph_exec {
	struct graph_exec *next;
	struct cuda_graph *graph; /* copy of the program's graph */
	uint32_t *order;
	unsigned long long flags;
};

static struct graph_exec *execs;

static bool is_graph_exec(const struct graph_exec *x)
{
	for (const struct graph_exec *i = execs; i; i = i->next)
		if (i == x)
			return true;
	return false;
}

/* ---- instances ---- */

enum {
	FLAG_AUTO_FREE = 1, /* a launch first frees the memory of the previous launch */
	FLAGS_MOST = 15     /* sum of the four flags; the other three have no effect */
};

static int instantiate_graph(struct graph_exec **to, const struct cuda_graph *g, unsigned long long flags)
{
	struct graph_exec *x;
	struct cuda_graph *copy;
	int e;

	if (!to || !graph_exists(g) || flags > FLAGS_MOST)
		return cudaErrorInvalidValue;
	e = graph_copy(&copy, g);
	if (e)
		return e;
	x = xcalloc(1, sizeof(*x));
	*x = (struct graph_exec){execs, copy, xcalloc(copy->n_nodes + 1u, sizeof(*x->order)), flags};
	e = graph_sort_nodes(copy, x->order);
	if (e) {
		graph_copy_free(copy);
		free(x->order);
		free(x);
		return e;
	}
	execs = *to = x;
	return cudaSuccess;
}

/*
 * In release 11 the third argument is a pointer to which the function would store the node of an error. A value
 * of at least 4096 is taken for this pointer and ignored.
 */
API(int, cudaGraphInstantiate, struct graph_exec **to, const struct cuda_graph *g, unsigned long long flags)
{
	int e = cudart_enter(false);

	return cudart_leave(e ? e : instantiate_graph(to, g, flags >= 4096 ? 0 : flags));
}

API(int, cudaGraphInstantiateWithFlags, struct graph_exec **to, const struct cuda_graph *g,
	unsigned long long flags)
{
	int e = cudart_enter(false);

	return cudart_leave(e ? e : instantiate_graph(to, g, flags));
}

struct instantiation {
	unsigned long long flags;
	struct stream *stream; /* stream of the upload to the device */
	struct graph_node *wrong;
	int result;
};

API(int, cudaGraphInstantiateWithParams, struct graph_exec **to, const struct cuda_graph *g,
	struct instantiation *p)
{
	int e = cudart_enter(false);

	if (!e && !p)
		e = cudaErrorInvalidValue;
	if (!e) {
		e = instantiate_graph(to, g, p->flags);
		p->wrong = NULL;
		p->result = e != cudaSuccess;
	}
	return cudart_leave(e);
}
ALSO(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

static int begin_graph_exec_call(struct graph_exec *x)
{
	int e = cudart_enter(false);

	return e ? e : is_graph_exec(x) ? cudaSuccess : cudaErrorInvalidValue;
}

API(int, cudaGraphExecDestroy, struct graph_exec *x)
{
	int e = begin_graph_exec_call(x);

	for (struct graph_exec **i = &execs; !e && *i; i = &(*i)->next)
		if (*i == x) {
			*i = x->next;
			graph_copy_free(x->graph);
			free(x->order);
			free(x);
			break;
		}
	return cudart_leave(e);
}

API(int, cudaGraphExecGetFlags, struct graph_exec *x, unsigned long long *to)
{
	int e = begin_graph_exec_call(x);

	if (!e)
		*to = x->flags;
	return cudart_leave(e);
}

/* ---- launches ---- */

static int run_graph(const struct cuda_graph *g, const uint32_t *order, struct stream *s);

/* Calls the host function without the lock, because it may wait for a thread that calls the runtime. */
static int call_host_function(const struct host_call *h)
{
	struct host_call call = *h;

	cudart_leave(cudaSuccess);
	call.call(call.arg);
	return cudart_enter(false);
}

static int run_child_graph(const struct cuda_graph *g, struct stream *s)
{
	uint32_t *order = xcalloc(g->n_nodes + 1u, sizeof(*order));
	int e = graph_sort_nodes(g, order);

	if (!e)
		e = run_graph(g, order, s);
	free(order);
	return e;
}

/* Runs the graph that the condition selects. A loop runs until the condition is 0. */
static int run_conditional(const struct conditional *c, struct stream *s)
{
	bool loop = c->kind == CONDITION_WHILE;
	uint32_t i;
	int e = cudaSuccess;

	do {
		i = condition_selected_graph(c);
		if (i < c->n_bodies)
			e = run_child_graph(c->body[i], s);
	} while (loop && i < c->n_bodies && !e && !cudart.pending);
	return e;
}

/* Allocates the memory of a node. Fails if the program has not freed the memory of the previous launch. */
static int run_graph_allocation(const struct graph_memory *m)
{
	if (cudart_find_grant(m->addr))
		return cudaErrorInvalidValue;
	cudart_map_memory(m->addr, m->bytes, "graph memory");
	cudart_allow_access(m->addr, true);
	graph_note_allocation(m->addr);
	return cudaSuccess;
}

static void free_graph_allocations(const struct cuda_graph *g)
{
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct graph_work *w = &g->node[i]->work;

		if (w->kind == WORK_ALLOCATE && cudart_find_grant(w->memory.addr))
			cudart_release(w->memory.addr);
	}
}

int work_run(const struct graph_work *w, struct stream *s)
{
	switch (w->kind) {
	case WORK_KERNEL: return work_run_kernel(&w->kernel, s);
	case WORK_COPY: return work_run_copy(&w->copy);
	case WORK_FILL: return work_run_fill(&w->fill);
	case WORK_HOST: return call_host_function(&w->host);
	case WORK_GRAPH: return run_child_graph(w->child, s);
	case WORK_CONDITION: return run_conditional(&w->conditional, s);
	case WORK_RECORD: return work_record_now(w->event);
	case WORK_ALLOCATE: return run_graph_allocation(&w->memory);
	case WORK_FREE: return cudart_release(w->memory.addr);
	default: return cudaSuccess;
	}
}

/* Work after a kernel that waits for the host is queued. */
static int run_node(const struct graph_node *n, struct stream *s)
{
	return pause_must_queue(s) ? pause_queue_work(s, &n->work) : work_run(&n->work, s);
}

/*
 * Runs the nodes in their order. A kernel that fails ends the graph; a later call returns its error, as after
 * any launch.
 */
static int run_graph(const struct cuda_graph *g, const uint32_t *order, struct stream *s)
{
	int e = cudaSuccess;

	for (uint32_t i = 0; i < g->n_nodes && !e && !cudart.pending; i++)
		if (!g->node[order[i]]->disabled)
			e = run_node(g->node[order[i]], s);
	return e;
}

API(int, cudaGraphLaunch, struct graph_exec *x, struct stream *s)
{
	int e = begin_graph_exec_call(x);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && work_is_kept(s, &e)) {
		struct graph_work w = {.kind = WORK_GRAPH, .child = x->graph};

		return cudart_leave(e ? e : work_keep(s, &w));
	}
	if (!e && x->flags & FLAG_AUTO_FREE)
		free_graph_allocations(x->graph);
	if (!e)
		condition_reset_in_graph(x->graph);
	return cudart_leave(e ? e : run_graph(x->graph, x->order, s));
}
ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

API(int, cudaGraphUpload, struct graph_exec *x, struct stream *s)
{
	int e = begin_graph_exec_call(x);

	return cudart_leave(e                             ? e
			    : cudart_stream_number(s) < 0 ? cudaErrorInvalidResourceHandle
							  : cudaSuccess);
}
ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

/* ---- updates ---- */

enum update { UPDATED, UPDATE_FAILED, UPDATE_EDGES, UPDATE_KIND };

static enum update compare_graphs(
	const struct cuda_graph *x, const struct cuda_graph *g, struct graph_node **wrong);

static enum update compare_bodies(const struct conditional *a, const struct conditional *b)
{
	struct graph_node *wrong = NULL;
	enum update u = UPDATED;

	if (a->kind != b->kind || a->handle != b->handle || a->n_bodies != b->n_bodies)
		return UPDATE_FAILED;
	for (uint32_t i = 0; i < a->n_bodies && !u; i++)
		u = compare_graphs(a->body[i], b->body[i], &wrong);
	return u;
}

/* Compares two graphs without the work of their nodes. *wrong: the node of g that differs; NULL: none. */
static enum update compare_graphs(
	const struct cuda_graph *x, const struct cuda_graph *g, struct graph_node **wrong)
{
	if (x->n_nodes != g->n_nodes)
		return UPDATE_EDGES;
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		struct graph_node *a = x->node[i], *b = *wrong = g->node[i];
		struct graph_node *inner = NULL;
		enum update u;

		if (a->work.kind != b->work.kind)
			return UPDATE_KIND;
		if (a->n_after != b->n_after)
			return UPDATE_EDGES;
		for (uint32_t k = 0; k < a->n_after; k++)
			if (!graph_has_edge(a, x->node[graph_index_of_node(g, b->dependencies[k])]))
				return UPDATE_EDGES;
		if (a->work.kind == WORK_GRAPH && (u = compare_graphs(a->work.child, b->work.child, &inner)))
			return u;
		if (a->work.kind == WORK_CONDITION &&
			(u = compare_bodies(&a->work.conditional, &b->work.conditional)))
			return u;
	}
	*wrong = NULL;
	return UPDATED;
}

/* Keeps the origins of the nodes: a program passes a node of the original graph to name its copy in the instance. */
static void keep_instance_nodes(const struct cuda_graph *to, const struct cuda_graph *from)
{
	for (uint32_t i = 0; i < to->n_nodes; i++) {
		to->node[i]->origin = from->node[i]->origin;
		to->node[i]->disabled = from->node[i]->disabled;
		if (to->node[i]->work.kind == WORK_GRAPH)
			keep_instance_nodes(to->node[i]->work.child, from->node[i]->work.child);
	}
}

static int update_instance(
	struct graph_exec *x, const struct cuda_graph *g, enum update *result, struct graph_node **wrong)
{
	struct cuda_graph *copy;
	int e;

	*wrong = NULL;
	*result = UPDATE_FAILED;
	if (!graph_exists(g))
		return cudaErrorInvalidValue;
	if ((*result = compare_graphs(x->graph, g, wrong)))
		return cudaErrorGraphExecUpdateFailure;
	if ((e = graph_copy(&copy, g))) {
		*result = UPDATE_FAILED;
		return e;
	}
	keep_instance_nodes(copy, x->graph);
	graph_copy_free(x->graph);
	x->graph = copy;
	return cudaSuccess;
}

struct update_result {
	int result;
	struct graph_node *error_node, *from_node;
};

/* Before release 12 the third argument receives the failing node, and the fourth the result. */
API(int, cudaGraphExecUpdate, struct graph_exec *x, const struct cuda_graph *g, void *third, int *fourth)
{
	int e = begin_graph_exec_call(x);
	enum update result = UPDATE_FAILED;
	struct graph_node *wrong = NULL;

	if (!e)
		e = update_instance(x, g, &result, &wrong);
	if (cudart_runtime_release() >= 12 && third) {
		*(struct update_result *)third = (struct update_result){(int)result, wrong, NULL};
	} else if (cudart_runtime_release() < 12) {
		if (third)
			*(struct graph_node **)third = wrong;
		if (fourth)
			*fourth = (int)result;
	}
	return cudart_leave(e);
}

/* ---- nodes of instances ---- */

/* Returns the node of an instance, or of a child graph in it, that is a copy of `of`, or NULL if there is none. */
static struct graph_node *find_instance_node(const struct cuda_graph *g, const struct graph_node *of)
{
	struct graph_node *n = graph_find_copied_node(g, of);

	for (uint32_t i = 0; !n && i < g->n_nodes; i++)
		if (g->node[i]->work.kind == WORK_GRAPH)
			n = find_instance_node(g->node[i]->work.child, of);
	return n;
}

static int set_instance_work(
	struct graph_exec *x, const struct graph_node *of, const struct graph_work *w, bool given)
{
	int e = begin_graph_exec_call(x);
	struct graph_node *n = e ? NULL : find_instance_node(x->graph, of);
	struct graph_work with = *w;

	if (!e && (!n || !given))
		e = cudaErrorInvalidValue;
	if (!e)
		graph_keep_attributes(&with, n);
	return cudart_leave(e ? e : graph_set_work(n, &with));
}

API(int, cudaGraphExecKernelNodeSetParams, struct graph_exec *x, const struct graph_node *n,
	const struct kernel_params *p)
{
	struct graph_work w = {.kind = WORK_KERNEL};

	return set_instance_work(x, n, &w, graph_make_kernel_work(&w, p));
}

#define SET(what, work_kind, type, member) \
	API(int, cudaGraphExec##what##NodeSetParams, struct graph_exec *x, const struct graph_node *n, \
		const struct type *p) \
	{ \
		struct graph_work w = {.kind = work_kind}; \
\
		if (p) \
			w.member = *p; \
		return set_instance_work(x, n, &w, p); \
	}

SET(Memcpy, WORK_COPY, copy_3d, copy)
SET(Memset, WORK_FILL, fill_2d, fill)
SET(Host, WORK_HOST, host_call, host)
#undef SET

#define SET_EVENT(what, work_kind) \
	API(int, cudaGraphExecEvent##what##NodeSetEvent, struct graph_exec *x, const struct graph_node *n, \
		struct event *event) \
	{ \
		struct graph_work w = {.kind = work_kind, .event = event}; \
\
		return set_instance_work(x, n, &w, event); \
	}
SET_EVENT(Record, WORK_RECORD)
SET_EVENT(Wait, WORK_WAIT)
#undef SET_EVENT

API(int, cudaGraphExecChildGraphNodeSetParams, struct graph_exec *x, const struct graph_node *n,
	struct cuda_graph *g)
{
	struct graph_work w = {.kind = WORK_GRAPH, .child = g};
	struct graph_node *wrong = NULL, *now;
	bool same = false;
	int e = begin_graph_exec_call(x);

	if (!e && graph_exists(g) && (now = find_instance_node(x->graph, n)) && now->work.kind == WORK_GRAPH)
		same = !compare_graphs(now->work.child, g, &wrong);
	e = set_instance_work(x, n, &w, same);
	cudart_leave(cudaSuccess);
	return e;
}

API(int, cudaGraphExecMemcpyNodeSetParams1D, struct graph_exec *x, const struct graph_node *n, void *dst,
	const void *src, size_t bytes, int kind)
{
	struct graph_work w = {.kind = WORK_COPY, .copy = work_make_byte_copy(dst, src, bytes, kind)};

	return set_instance_work(x, n, &w, true);
}

static int begin_enabled_node_call(struct graph_exec *x, const struct graph_node *of, struct graph_node **n)
{
	int e = begin_graph_exec_call(x);

	*n = e ? NULL : find_instance_node(x->graph, of);
	if (e)
		return e;
	return *n && (*n)->work.kind <= WORK_FILL ? cudaSuccess : cudaErrorInvalidValue;
}

API(int, cudaGraphNodeSetEnabled, struct graph_exec *x, const struct graph_node *of, unsigned enabled)
{
	struct graph_node *n;
	int e = begin_enabled_node_call(x, of, &n);

	if (!e)
		n->disabled = !enabled;
	return cudart_leave(e);
}

API(int, cudaGraphNodeGetEnabled, struct graph_exec *x, const struct graph_node *of, unsigned *to)
{
	struct graph_node *n;
	int e = begin_enabled_node_call(x, of, &n);

	if (!e)
		*to = !n->disabled;
	return cudart_leave(e);
}
