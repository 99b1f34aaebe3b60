/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meeting points of divergent branches: the first instruction of the immediate post-dominator of the branch's
 * block.
 *
 * The nodes of the graph are basic blocks and one exit. Immediate post-dominators are the dominators of the
 * reversed graph, found with the algorithm of Lengauer and Tarjan (TOPLAS 1979, the version with simple path
 * compression): O(edges * log(blocks)). Always true: a block from which the exit cannot be reached has no
 * meeting point.
 */
#include <stdlib.h>
#include <string.h>
#include "lang/lang.h"

#define NO_NODE UINT32_MAX

struct flow_edge {
	uint32_t target, next;
};

struct flow_graph {
	uint32_t n;              /* number of blocks; block n is the exit */
	uint32_t *block_of_inst; /* block of each instruction */
	uint32_t *start;         /* first instruction of each block */
	uint32_t *end;           /* last instruction of each block */
	uint32_t *pred;          /* first edge to a predecessor of each block; NO_NODE: none */
	uint32_t *succ;          /* first edge to a successor of each block; NO_NODE: none */
	struct flow_edge *edge;
	uint32_t n_edges, cap_edges;
	uint32_t *number; /* node of each block: its place in the walk from the exit; NO_NODE: not reached */
	uint32_t n_nodes;
	uint32_t *block;            /* block of each node */
	uint32_t *parent;           /* parent of each node in the walk */
	uint32_t *semidominator_of; /* semidominator of each node */
	uint32_t *label;            /* node of the least semidominator on the compressed path to the root */
	uint32_t *next_on_path;     /* next node of the compressed path; NO_NODE: a root */
	uint32_t *idom;             /* immediate dominator of each node in the reversed graph */
	uint32_t *bucket;           /* for each node, first node whose semidominator it is; NO_NODE: none */
	uint32_t *next_in_bucket;   /* for each node, next node in its bucket */
	uint32_t *path;             /* scratch: a path that is compressed, or edges of the walk */
};

static bool ends_basic_block(const struct stmt *in)
{
	return in->opcode == I_bra || in->opcode == I_brx || in->opcode == I_ret || in->opcode == I_exit ||
	       in->opcode == I_trap || (in->opcode == I_call && in->guard);
}

static const struct symbol *branch_targets_of(const struct stmt *in)
{
	return in->n_operands > 1 && in->operand[1].sym && in->operand[1].sym->kind == SYM_TARGETS
		       ? in->operand[1].sym
		       : NULL;
}

static void add_flow_edge(struct flow_graph *g, uint32_t from, uint32_t to)
{
	grow(&g->edge, &g->cap_edges, g->n_edges + 2, sizeof(*g->edge));
	g->edge[g->n_edges] = (struct flow_edge){to, g->succ[from]};
	g->succ[from] = g->n_edges++;
	g->edge[g->n_edges] = (struct flow_edge){from, g->pred[to]};
	g->pred[to] = g->n_edges++;
}

static void mark_leader(bool *leader, uint32_t n, const struct symbol *label)
{
	if (label && label->kind == SYM_LABEL && label->label_inst < n)
		leader[label->label_inst] = true;
}

static void find_flow_blocks(struct flow_graph *g, const struct func *f)
{
	uint32_t n = f->n_insts;
	bool *leader = xcalloc(n + 1, sizeof(*leader));

	leader[0] = true;
	for (uint32_t i = 0; i < n; i++) {
		const struct stmt *in = &f->inst[i];
		const struct symbol *t = in->opcode == I_brx ? branch_targets_of(in) : NULL;

		if (ends_basic_block(in))
			leader[i + 1] = true;
		if (in->opcode == I_bra && in->n_operands)
			mark_leader(leader, n, in->operand[0].sym);
		for (uint32_t k = 0; t && k < t->n_targets; k++)
			mark_leader(leader, n, t->target[k]);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (leader[i])
			g->start[g->n++] = i;
		g->block_of_inst[i] = g->n - 1;
		g->end[g->n - 1] = i;
	}
	free(leader);
}

static void find_flow_edges(struct flow_graph *g, const struct func *f)
{
	for (uint32_t b = 0; b <= g->n; b++)
		g->pred[b] = g->succ[b] = UINT32_MAX;
	for (uint32_t b = 0; b < g->n; b++) {
		const struct stmt *in = &f->inst[g->end[b]];
		const struct symbol *t = in->opcode == I_brx ? branch_targets_of(in) : NULL;
		uint32_t after = g->end[b] + 1;
		bool leaves = in->opcode == I_ret || in->opcode == I_exit || in->opcode == I_trap;

		if (in->opcode == I_bra && in->n_operands && in->operand[0].sym) {
			uint32_t at = in->operand[0].sym->label_inst;

			add_flow_edge(g, b, at < f->n_insts ? g->block_of_inst[at] : g->n);
		}
		for (uint32_t k = 0; t && k < t->n_targets; k++)
			add_flow_edge(g, b,
				t->target[k]->label_inst < f->n_insts
					? g->block_of_inst[t->target[k]->label_inst]
					: g->n);
		if (leaves)
			add_flow_edge(g, b, g->n);
		if (in->guard || (!leaves && in->opcode != I_bra && in->opcode != I_brx))
			add_flow_edge(g, b, after < f->n_insts ? g->block_of_inst[after] : g->n);
	}
}

/* Numbers the blocks in the order of a depth-first walk over reversed edges from the exit. */
static void number_nodes(struct flow_graph *g)
{
	uint32_t *edge = g->path, at = 0;

	for (uint32_t b = 0; b <= g->n; b++)
		g->number[b] = NO_NODE;
	g->number[g->n] = 0;
	g->block[0] = g->n;
	g->parent[0] = NO_NODE;
	g->idom[0] = 0;
	edge[0] = g->pred[g->n];
	g->n_nodes = 1;
	while (at != NO_NODE) {
		uint32_t e = edge[at], b;

		if (e == NO_NODE) {
			at = g->parent[at];
			continue;
		}
		edge[at] = g->edge[e].next;
		b = g->edge[e].target;
		if (g->number[b] != NO_NODE)
			continue;
		g->block[g->n_nodes] = b;
		g->parent[g->n_nodes] = at;
		g->number[b] = at = g->n_nodes++;
		edge[at] = g->pred[b];
	}
}

/* Returns the node of the least semidominator on the path from v to its root, and compresses the path. */
static uint32_t least_semidominator_on_path(struct flow_graph *g, uint32_t v)
{
	uint32_t n = 0;

	if (g->next_on_path[v] == NO_NODE)
		return v;
	for (uint32_t u = v; g->next_on_path[g->next_on_path[u]] != NO_NODE; u = g->next_on_path[u])
		g->path[n++] = u;
	while (n--) {
		uint32_t u = g->path[n], above = g->next_on_path[u];

		if (g->semidominator_of[g->label[above]] < g->semidominator_of[g->label[u]])
			g->label[u] = g->label[above];
		g->next_on_path[u] = g->next_on_path[above];
	}
	return g->label[v];
}

/*
 * Sets the dominators of the nodes in the bucket of `parent`, and empties the bucket. A dominator that is not
 * yet known is set to a node with the same dominator.
 */
static void set_dominators_of_bucket(struct flow_graph *g, uint32_t parent)
{
	for (uint32_t v = g->bucket[parent]; v != NO_NODE; v = g->next_in_bucket[v]) {
		uint32_t u = least_semidominator_on_path(g, v);

		g->idom[v] = g->semidominator_of[u] < g->semidominator_of[v] ? u : parent;
	}
	g->bucket[parent] = NO_NODE;
}

static void find_post_dominators(struct flow_graph *g)
{
	for (uint32_t v = 0; v < g->n_nodes; v++) {
		g->semidominator_of[v] = g->label[v] = v;
		g->next_on_path[v] = g->bucket[v] = NO_NODE;
	}
	for (uint32_t v = g->n_nodes; v-- > 1;) {
		for (uint32_t e = g->succ[g->block[v]]; e != NO_NODE; e = g->edge[e].next) {
			uint32_t from = g->number[g->edge[e].target];

			if (from == NO_NODE)
				continue;
			from = g->semidominator_of[least_semidominator_on_path(g, from)];
			g->semidominator_of[v] =
				from < g->semidominator_of[v] ? from : g->semidominator_of[v];
		}
		g->next_in_bucket[v] = g->bucket[g->semidominator_of[v]];
		g->bucket[g->semidominator_of[v]] = v;
		g->next_on_path[v] = g->parent[v];
		set_dominators_of_bucket(g, g->parent[v]);
	}
	for (uint32_t v = 1; v < g->n_nodes; v++)
		if (g->idom[v] != g->semidominator_of[v])
			g->idom[v] = g->idom[g->idom[v]];
}

/*
 * Returns the first instruction of the immediate post-dominator of block b, or UINT32_MAX if that is the exit
 * or there is none.
 */
static uint32_t first_of_post_dominator(const struct flow_graph *g, uint32_t b)
{
	uint32_t v = g->number[b], d = v == NO_NODE ? 0 : g->idom[v];

	return d ? g->start[g->block[d]] : UINT32_MAX;
}

void flow_find_meeting_points(struct func *f)
{
	const size_t n = f->n_insts, nodes = n + 1;
	struct flow_graph g = {0};
	uint32_t *memory = xmalloc((3 * n + 12 * nodes) * sizeof(*memory)), *next = memory + 3 * n;
	uint32_t **const of_nodes[] = {&g.pred, &g.succ, &g.number, &g.block, &g.parent, &g.semidominator_of,
		&g.label, &g.next_on_path, &g.idom, &g.bucket, &g.next_in_bucket, &g.path};

	g.block_of_inst = memory;
	g.start = memory + n;
	g.end = memory + 2 * n;
	for (unsigned i = 0; i < sizeof(of_nodes) / sizeof(of_nodes[0]); i++, next += nodes)
		*of_nodes[i] = next;
	find_flow_blocks(&g, f);
	find_flow_edges(&g, f);
	number_nodes(&g);
	find_post_dominators(&g);
	free(f->rpc);
	f->rpc = xmalloc((n ? n : 1) * sizeof(*f->rpc));
	for (uint32_t i = 0; i < n; i++)
		f->rpc[i] = first_of_post_dominator(&g, g.block_of_inst[i]);
	free(g.edge);
	free(memory);
}
