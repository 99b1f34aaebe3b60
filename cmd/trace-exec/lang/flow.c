/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the lanes of a divergent branch meet: the first instruction of the immediate post-dominator of its
 * block.
 *
 * The graph's nodes are basic blocks and one exit. Immediate post-dominators are found by going over the
 * blocks in reverse order of a walk from the exit until nothing changes (Cooper, Harvey, Kennedy). Always
 * true: a block from which the exit cannot be reached has no meeting point.
 */
#include <stdlib.h>
#include <string.h>
#include "lang/lang.h"

struct edge {
	uint32_t to, next;
};

struct graph {
	uint32_t n;                       /* blocks; number n is the exit */
	uint32_t *block_of, *start, *end; /* by instruction; first and last instruction of a block */
	uint32_t *pred, *succ;            /* heads of edge lists, UINT32_MAX: none */
	struct edge *edge;
	uint32_t n_edges, cap_edges;
	uint32_t *order, *idom; /* place in the walk from the exit; UINT32_MAX: never reached */
	uint32_t *walk, n_walk;
};

static bool ends_block(const struct stmt *in)
{
	return in->op == I_bra || in->op == I_brx || in->op == I_ret || in->op == I_exit ||
	       in->op == I_trap || (in->op == I_call && in->guard);
}

static const struct symbol *targets_of(const struct stmt *in)
{
	return in->n_operands > 1 && in->operand[1].sym && in->operand[1].sym->kind == SYM_TARGETS
		       ? in->operand[1].sym
		       : NULL;
}

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
	grow(&g->edge, &g->cap_edges, g->n_edges + 2, sizeof(*g->edge));
	g->edge[g->n_edges] = (struct edge){to, g->succ[from]};
	g->succ[from] = g->n_edges++;
	g->edge[g->n_edges] = (struct edge){from, g->pred[to]};
	g->pred[to] = g->n_edges++;
}

static void mark_leader(bool *leader, uint32_t n, const struct symbol *label)
{
	if (label && label->kind == SYM_LABEL && label->at < n)
		leader[label->at] = true;
}

static void find_blocks(struct graph *g, const struct func *f)
{
	uint32_t n = f->n_insts;
	bool *leader = xcalloc(n + 1, sizeof(*leader));

	leader[0] = true;
	for (uint32_t i = 0; i < n; i++) {
		const struct stmt *in = &f->inst[i];
		const struct symbol *t = in->op == I_brx ? targets_of(in) : NULL;

		if (ends_block(in))
			leader[i + 1] = true;
		if (in->op == I_bra && in->n_operands)
			mark_leader(leader, n, in->operand[0].sym);
		for (uint32_t k = 0; t && k < t->n_targets; k++)
			mark_leader(leader, n, t->target[k]);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (leader[i])
			g->start[g->n++] = i;
		g->block_of[i] = g->n - 1;
		g->end[g->n - 1] = i;
	}
	free(leader);
}

static void find_edges(struct graph *g, const struct func *f)
{
	for (uint32_t b = 0; b <= g->n; b++)
		g->pred[b] = g->succ[b] = UINT32_MAX;
	for (uint32_t b = 0; b < g->n; b++) {
		const struct stmt *in = &f->inst[g->end[b]];
		const struct symbol *t = in->op == I_brx ? targets_of(in) : NULL;
		uint32_t after = g->end[b] + 1;
		bool leaves = in->op == I_ret || in->op == I_exit || in->op == I_trap;

		if (in->op == I_bra && in->n_operands && in->operand[0].sym) {
			uint32_t at = in->operand[0].sym->at;

			add_edge(g, b, at < f->n_insts ? g->block_of[at] : g->n);
		}
		for (uint32_t k = 0; t && k < t->n_targets; k++)
			add_edge(g, b, t->target[k]->at < f->n_insts ? g->block_of[t->target[k]->at] : g->n);
		if (leaves)
			add_edge(g, b, g->n);
		if (in->guard || (!leaves && in->op != I_bra && in->op != I_brx))
			add_edge(g, b, after < f->n_insts ? g->block_of[after] : g->n);
	}
}

/* Blocks in the order in which a depth-first walk against the edges leaves them, the exit last. */
static void walk_back(struct graph *g)
{
	uint32_t *stack = xmalloc((g->n + 1) * sizeof(*stack)), *at = xmalloc((g->n + 1) * sizeof(*at)),
		 depth = 0;

	for (uint32_t b = 0; b <= g->n; b++)
		g->order[b] = UINT32_MAX;
	stack[depth] = g->n;
	at[depth++] = g->pred[g->n];
	g->order[g->n] = 0;
	while (depth) {
		uint32_t e = at[depth - 1];

		if (e == UINT32_MAX) {
			uint32_t b = stack[--depth];

			g->order[b] = g->n_walk;
			g->walk[g->n_walk++] = b;
			continue;
		}
		at[depth - 1] = g->edge[e].next;
		uint32_t b = g->edge[e].to;
		if (g->order[b] == UINT32_MAX) {
			g->order[b] = 0;
			stack[depth] = b;
			at[depth++] = g->pred[b];
		}
	}
	free(stack);
	free(at);
}

static uint32_t meet(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (g->order[a] < g->order[b])
			a = g->idom[a];
		while (g->order[b] < g->order[a])
			b = g->idom[b];
	}
	return a;
}

static void post_dominators(struct graph *g)
{
	for (uint32_t b = 0; b <= g->n; b++)
		g->idom[b] = UINT32_MAX;
	g->idom[g->n] = g->n;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t w = g->n_walk; w-- > 0;) {
			uint32_t b = g->walk[w], found = UINT32_MAX;

			if (b == g->n)
				continue;
			for (uint32_t e = g->succ[b]; e != UINT32_MAX; e = g->edge[e].next)
				if (g->idom[g->edge[e].to] != UINT32_MAX)
					found = found == UINT32_MAX ? g->edge[e].to
								    : meet(g, found, g->edge[e].to);
			changed |= g->idom[b] != found;
			g->idom[b] = found;
		}
	}
}

void flow_meet(struct func *f)
{
	uint32_t n = f->n_insts;
	struct graph g = {0};
	uint32_t *room = xmalloc((8 * (size_t)n + 8) * sizeof(*room));

	g.block_of = room;
	g.start = room + n;
	g.end = room + 2 * (size_t)n;
	g.pred = room + 3 * (size_t)n;
	g.succ = g.pred + n + 1;
	g.order = g.succ + n + 1;
	g.idom = g.order + n + 1;
	g.walk = g.idom + n + 1;
	find_blocks(&g, f);
	find_edges(&g, f);
	walk_back(&g);
	post_dominators(&g);
	free(f->rpc);
	f->rpc = xmalloc((n ? n : 1) * sizeof(*f->rpc));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = g.idom[g.block_of[i]];

		f->rpc[i] = d == UINT32_MAX || d == g.n ? UINT32_MAX : g.start[d];
	}
	free(g.edge);
	free(room);
}
