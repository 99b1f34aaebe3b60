/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text in the DOT language, for a look at their nodes and edges. */
#include <stdio.h>
#include "cudart/graph.h"

static const char *name_of_work(int kind)
{
	static const char *const name[] = {[WORK_KERNEL] = "KERNEL",
		[WORK_COPY] = "MEMCPY",
		[WORK_FILL] = "MEMSET",
		[WORK_HOST] = "HOST",
		[WORK_GRAPH] = "GRAPH",
		[WORK_EMPTY] = "EMPTY",
		[WORK_WAIT] = "EVENT_WAIT",
		[WORK_RECORD] = "EVENT_RECORD",
		[WORK_ALLOCATE] = "MEM_ALLOC",
		[WORK_FREE] = "MEM_FREE",
		[WORK_CONDITION] = "CONDITIONAL"};

	return kind >= 0 && kind <= WORK_CONDITION && name[kind] ? name[kind] : "UNKNOWN";
}

/* Writes the parameters of a node, each on a line of its label. */
static void write_work(FILE *out, const struct graph_work *w)
{
	static const char *const direction[] = {
		"host to host", "host to device", "device to host", "device to device", "by address"};
	const struct configuration *c = &w->kernel.config;
	const struct kernel *k;
	int e = cudaSuccess;

	switch (w->kind) {
	case WORK_KERNEL:
		k = cudart_find_kernel(w->kernel.host, &e);
		fprintf(out, "\\n%s\\ngrid (%u,%u,%u), block (%u,%u,%u), shared memory %zu",
			k ? k->name : "unknown kernel", c->grid.x, c->grid.y, c->grid.z, c->block.x,
			c->block.y, c->block.z, c->shared_bytes);
		break;
	case WORK_COPY:
		fprintf(out, "\\n%s, %zu x %zu x %zu",
			direction[w->copy.kind >= 0 && w->copy.kind < 4 ? w->copy.kind : 4],
			w->copy.extent.width, w->copy.extent.height, w->copy.extent.depth);
		break;
	case WORK_FILL:
		fprintf(out, "\\n%zu x %zu elements of %u bytes, value %u", w->fill.width, w->fill.height,
			w->fill.unit, w->fill.value);
		break;
	case WORK_ALLOCATE: fprintf(out, "\\n%llu bytes", (unsigned long long)w->memory.bytes); break;
	case WORK_CONDITION: fprintf(out, "\\n%u graphs", w->conditional.n_bodies); break;
	default: break;
	}
}

/* Writes a graph as cluster number *next, and the graphs in it as clusters of their own. */
static void write_graph(FILE *out, const struct cuda_graph *g, unsigned *next)
{
	unsigned number = ++*next;

	fprintf(out, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", number, number);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct graph_work *w = &g->node[i]->work;

		fprintf(out, "\"graph_%u_node_%u\"[shape=\"box\" label=\"%u\\n%s", number, i, i,
			name_of_work(w->kind));
		write_work(out, w);
		fprintf(out, "\"];\n");
	}
	for (uint32_t i = 0; i < g->n_nodes; i++)
		for (uint32_t k = 0; k < g->node[i]->n_after; k++)
			fprintf(out, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", number,
				graph_index_of_node(g, g->node[i]->dependencies[k]), number, i);
	fprintf(out, "}\n");
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct graph_work *w = &g->node[i]->work;

		if (w->kind == WORK_GRAPH)
			write_graph(out, w->child, next);
		for (uint32_t k = 0; w->kind == WORK_CONDITION && k < w->conditional.n_bodies; k++)
			write_graph(out, w->conditional.body[k], next);
	}
}

static int write_dot_file(const struct cuda_graph *g, const char *path)
{
	unsigned next = 0;
	FILE *out = fopen(path, "w");

	if (!out)
		return cudaErrorOperatingSystem;
	fprintf(out, "digraph dot {\n");
	write_graph(out, g, &next);
	fprintf(out, "}\n");
	bool failed = ferror(out);
	return fclose(out) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}

/* The flags, which ask for more details, have no effect. */
API(int, cudaGraphDebugDotPrint, const struct cuda_graph *g, const char *path, unsigned flags)
{
	int e = cudart_enter(false);

	(void)flags;
	if (!e)
		e = graph_exists(g) && path ? write_dot_file(g, path) : cudaErrorInvalidValue;
	return cudart_leave(e);
}
