/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that copy to and from variables, and changes of copies of contiguous bytes. See graph.h. */
#include "cudart/graph.h"

struct graph_exec;

int cudaGraphAddMemcpyNode(struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after,
	size_t n, const struct copy_3d *p);
int cudaGraphMemcpyNodeSetParams(struct graph_node *n, const struct copy_3d *p);
int cudaGraphExecMemcpyNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct copy_3d *p);

/* Sets *c to the copy of a variable, if there is no error. Returns 0 or a status. */
static int find_variable_copy(struct copy_3d *c, const void *symbol, const void *other, size_t bytes,
	size_t offset, int kind, bool to_symbol)
{
	int e = cudart_enter(false);

	if (!e)
		e = work_make_variable_copy(
			c, symbol, (void *)(uintptr_t)other, bytes, offset, kind, to_symbol);
	return cudart_leave(e);
}

/* Defines a function that finds the variable `symbol`, sets c to the copy from or to it, and calls `call`. */
#define VARIABLE_COPY(name, to_symbol, symbol, other, call, ...) \
	API(int, name, __VA_ARGS__, size_t bytes, size_t offset, int kind) \
	{ \
		struct copy_3d c; \
		int e = find_variable_copy(&c, symbol, other, bytes, offset, kind, to_symbol); \
\
		return e ? e : call; \
	}
VARIABLE_COPY(cudaGraphAddMemcpyNodeToSymbol, true, symbol, from, cudaGraphAddMemcpyNode(to, g, after, n, &c),
	struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after, size_t n,
	const void *symbol, const void *from)
VARIABLE_COPY(cudaGraphAddMemcpyNodeFromSymbol, false, symbol, dst,
	cudaGraphAddMemcpyNode(to, g, after, n, &c), struct graph_node **to, struct cuda_graph *g,
	struct graph_node *const *after, size_t n, void *dst, const void *symbol)
VARIABLE_COPY(cudaGraphMemcpyNodeSetParamsToSymbol, true, symbol, from, cudaGraphMemcpyNodeSetParams(n, &c),
	struct graph_node *n, const void *symbol, const void *from)
VARIABLE_COPY(cudaGraphMemcpyNodeSetParamsFromSymbol, false, symbol, dst, cudaGraphMemcpyNodeSetParams(n, &c),
	struct graph_node *n, void *dst, const void *symbol)
VARIABLE_COPY(cudaGraphExecMemcpyNodeSetParamsToSymbol, true, symbol, from,
	cudaGraphExecMemcpyNodeSetParams(x, n, &c), struct graph_exec *x, const struct graph_node *n,
	const void *symbol, const void *from)
VARIABLE_COPY(cudaGraphExecMemcpyNodeSetParamsFromSymbol, false, symbol, dst,
	cudaGraphExecMemcpyNodeSetParams(x, n, &c), struct graph_exec *x, const struct graph_node *n,
	void *dst, const void *symbol)

API(int, cudaGraphMemcpyNodeSetParams1D, struct graph_node *n, void *dst, const void *src, size_t bytes,
	int kind)
{
	struct copy_3d c = work_make_byte_copy(dst, src, bytes, kind);

	return cudaGraphMemcpyNodeSetParams(n, &c);
}
