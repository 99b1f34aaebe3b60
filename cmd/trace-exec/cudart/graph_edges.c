/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edges of graphs: what depends on what is asked, and taken away. See graph.h.
 *
 * From release 13 on the functions have the data of edges in front of their number. Always true: an edge has
 * none, that is zeros.
 */
#include <string.h>
#include "cudart/graph.h"

struct edge_data {
	char zeros[8];
};

/* ---- asking ---- */

/* A list that the program wants: as much of it as there is room for. */
struct told {
	struct graph_node **from, **to;
	struct edge_data *data;
	size_t room, n;
};

static void tell(struct told *t, struct graph_node *from, struct graph_node *to)
{
	size_t at = t->n++;

	if (at >= t->room)
		return;
	if (t->from)
		t->from[at] = from;
	if (t->to)
		t->to[at] = to;
	if (t->data)
		memset(&t->data[at], 0, sizeof(*t->data));
}

/* Their number, or how many were told, NULL behind the last. */
static int finish(struct told *t, size_t *n)
{
	size_t found = t->n;

	while (t->n < t->room)
		tell(t, NULL, NULL);
	if (found < t->room || !t->room)
		*n = found;
	return cudaSuccess;
}

static int edges(const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	struct edge_data *data, size_t *n)
{
	int e = cudart_enter(false);
	struct told t = {from, to, data, from && n ? *n : 0, 0};

	if (!e && (!graph_exists(g) || !n || !from != !to))
		e = cudaErrorInvalidValue;
	for (uint32_t i = 0; !e && i < g->n_nodes; i++)
		for (uint32_t k = 0; k < g->node[i]->n_after; k++)
			tell(&t, g->node[i]->after[k], g->node[i]);
	return cudart_leave(e ? e : finish(&t, n));
}

/* Of one node: those that it depends on; those that depend on it. */
static int neighbours(
	struct graph_node *of, struct graph_node **to, struct edge_data *data, size_t *n, bool before)
{
	int e = cudart_enter(false);
	struct told t = {before ? to : NULL, before ? NULL : to, data, to && n ? *n : 0, 0};

	if (!e && (!n || !graph_find_node(of)))
		e = cudaErrorInvalidValue;
	for (uint32_t k = 0; !e && before && k < of->n_after; k++)
		tell(&t, of->after[k], of);
	for (uint32_t i = 0; !e && !before && i < of->graph->n_nodes; i++)
		if (graph_has_edge(of->graph->node[i], of))
			tell(&t, of, of->graph->node[i]);
	return cudart_leave(e ? e : finish(&t, n));
}

API(int, cudaGraphGetEdges_v2, const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	void *data, size_t *n)
{
	return edges(g, from, to, data, n);
}

API(int, cudaGraphGetEdges, const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	void *fourth, size_t *fifth)
{
	return cudart_runtime_release() < 13 ? edges(g, from, to, NULL, fourth) : edges(g, from, to, fourth, fifth);
}

#define NEIGHBOURS(name, before) \
	API(int, name##_v2, struct graph_node *of, struct graph_node **to, void *data, size_t *n) \
	{ \
		return neighbours(of, to, data, n, before); \
	} \
	API(int, name, struct graph_node *of, struct graph_node **to, void *third, size_t *fourth) \
	{ \
		return cudart_runtime_release() < 13 ? neighbours(of, to, NULL, third, before) \
					     : neighbours(of, to, third, fourth, before); \
	}

NEIGHBOURS(cudaGraphNodeGetDependencies, true)
NEIGHBOURS(cudaGraphNodeGetDependentNodes, false)
#undef NEIGHBOURS

/* ---- changing ---- */

static int change(struct cuda_graph *g, struct graph_node *const *from, struct graph_node *const *to,
	const struct edge_data *data, size_t n, int call(struct graph_node *, struct graph_node *))
{
	static const struct edge_data none;
	int e = cudart_enter(false);

	if (!e && (!graph_exists(g) || (n && (!from || !to))))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !e && data; i++)
		if (memcmp(&data[i], &none, sizeof(none)))
			e = cudart_unsupported("cudaGraphAddDependencies", "data of edges");
	for (size_t i = 0; i < n && !e; i++)
		e = graph_has_node(g, from[i]) && graph_has_node(g, to[i]) ? call(to[i], from[i])
								 : cudaErrorInvalidValue;
	return cudart_leave(e);
}

static int part(struct graph_node *n, struct graph_node *on)
{
	for (uint32_t k = 0; k < n->n_after; k++)
		if (n->after[k] == on) {
			n->after[k] = n->after[--n->n_after];
			return cudaSuccess;
		}
	return cudaErrorInvalidValue;
}

#define CHANGE(name, call) \
	API(int, name##_v2, struct cuda_graph *g, struct graph_node *const *from, \
		struct graph_node *const *to, const struct edge_data *data, size_t n) \
	{ \
		return change(g, from, to, data, n, call); \
	} \
	API(int, name, struct cuda_graph *g, struct graph_node *const *from, struct graph_node *const *to, \
		uintptr_t fourth, size_t fifth) \
	{ \
		return cudart_runtime_release() < 13 \
			       ? change(g, from, to, NULL, fourth, call) \
			       : change(g, from, to, (const struct edge_data *)fourth, fifth, call); \
	}

CHANGE(cudaGraphAddDependencies, graph_add_edge)
CHANGE(cudaGraphRemoveDependencies, part)
#undef CHANGE
