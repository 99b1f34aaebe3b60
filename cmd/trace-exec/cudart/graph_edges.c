/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edges of graphs: queries, additions and removals. See graph.h.
 *
 * Since release 13 the functions have a parameter for edge data before the number of edges. Always true: an
 * edge has no data, which is represented by zeros.
 */
#include <string.h>
#include "cudart/graph.h"

struct edge_data {
	char zeros[8];
};

/* ---- queries ---- */

/* A list of edges for the program. Edges beyond its capacity are only counted. */
struct edge_list {
	struct graph_node **from_nodes, **to_nodes;
	struct edge_data *data;
	size_t capacity, n;
};

static void append_edge(struct edge_list *t, struct graph_node *from, struct graph_node *to)
{
	size_t i = t->n++;

	if (i >= t->capacity)
		return;
	if (t->from_nodes)
		t->from_nodes[i] = from;
	if (t->to_nodes)
		t->to_nodes[i] = to;
	if (t->data)
		memset(&t->data[i], 0, sizeof(*t->data));
}

/* Stores the number of edges in *n, and NULL after the last edge. Does not change *n if the list is full. */
static int finish_edge_list(struct edge_list *t, size_t *n)
{
	size_t found = t->n;

	while (t->n < t->capacity)
		append_edge(t, NULL, NULL);
	if (found < t->capacity || !t->capacity)
		*n = found;
	return cudaSuccess;
}

static int list_graph_edges(const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	struct edge_data *data, size_t *n)
{
	int e = cudart_enter(false);
	struct edge_list t = {from, to, data, from && n ? *n : 0, 0};

	if (!e && (!graph_exists(g) || !n || !from != !to))
		e = cudaErrorInvalidValue;
	for (uint32_t i = 0; !e && i < g->n_nodes; i++)
		for (uint32_t k = 0; k < g->node[i]->n_after; k++)
			append_edge(&t, g->node[i]->dependencies[k], g->node[i]);
	return cudart_leave(e ? e : finish_edge_list(&t, n));
}

/* Lists the nodes that `of` depends on if `before` is set, else the nodes that depend on `of`. */
static int list_node_neighbours(
	struct graph_node *of, struct graph_node **to, struct edge_data *data, size_t *n, bool before)
{
	int e = cudart_enter(false);
	struct edge_list t = {before ? to : NULL, before ? NULL : to, data, to && n ? *n : 0, 0};

	if (!e && (!n || !graph_find_node(of)))
		e = cudaErrorInvalidValue;
	for (uint32_t k = 0; !e && before && k < of->n_after; k++)
		append_edge(&t, of->dependencies[k], of);
	for (uint32_t i = 0; !e && !before && i < of->graph->n_nodes; i++)
		if (graph_has_edge(of->graph->node[i], of))
			append_edge(&t, of, of->graph->node[i]);
	return cudart_leave(e ? e : finish_edge_list(&t, n));
}

API(int, cudaGraphGetEdges_v2, const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	void *data, size_t *n)
{
	return list_graph_edges(g, from, to, data, n);
}

API(int, cudaGraphGetEdges, const struct cuda_graph *g, struct graph_node **from, struct graph_node **to,
	void *fourth, size_t *fifth)
{
	return cudart_runtime_release() < 13 ? list_graph_edges(g, from, to, NULL, fourth)
					     : list_graph_edges(g, from, to, fourth, fifth);
}

#define NEIGHBOURS(name, before) \
	API(int, name##_v2, struct graph_node *of, struct graph_node **to, void *data, size_t *n) \
	{ \
		return list_node_neighbours(of, to, data, n, before); \
	} \
	API(int, name, struct graph_node *of, struct graph_node **to, void *third, size_t *fourth) \
	{ \
		return cudart_runtime_release() < 13 ? list_node_neighbours(of, to, NULL, third, before) \
						     : list_node_neighbours(of, to, third, fourth, before); \
	}

NEIGHBOURS(cudaGraphNodeGetDependencies, true)
NEIGHBOURS(cudaGraphNodeGetDependentNodes, false)
#undef NEIGHBOURS

/* ---- changes ---- */

static int change_edges(struct cuda_graph *g, struct graph_node *const *from, struct graph_node *const *to,
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

static int remove_graph_edge(struct graph_node *n, struct graph_node *on)
{
	for (uint32_t k = 0; k < n->n_after; k++)
		if (n->dependencies[k] == on) {
			n->dependencies[k] = n->dependencies[--n->n_after];
			return cudaSuccess;
		}
	return cudaErrorInvalidValue;
}

#define CHANGE(name, call) \
	API(int, name##_v2, struct cuda_graph *g, struct graph_node *const *from, \
		struct graph_node *const *to, const struct edge_data *data, size_t n) \
	{ \
		return change_edges(g, from, to, data, n, call); \
	} \
	API(int, name, struct cuda_graph *g, struct graph_node *const *from, struct graph_node *const *to, \
		uintptr_t fourth, size_t fifth) \
	{ \
		return cudart_runtime_release() < 13 \
			       ? change_edges(g, from, to, NULL, fourth, call) \
			       : change_edges(g, from, to, (const struct edge_data *)fourth, fifth, call); \
	}

CHANGE(cudaGraphAddDependencies, graph_add_edge)
CHANGE(cudaGraphRemoveDependencies, remove_graph_edge)
#undef CHANGE
