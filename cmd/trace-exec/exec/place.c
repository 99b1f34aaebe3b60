/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of variables outside of function frames: .global, .const and shared variables, and local variables
 * of module scope.
 *
 * Static variables share one counter from STATIC_BASE on. As in Accel-Sim, a kernel's shared variables begin
 * after the shared variables that its module declares outside of kernels and before the kernel. A shared
 * variable outside of kernels is placed after all variables placed so far in any kernel that reaches it, by
 * naming it or by calling a function that does.
 *
 * Always true: variables that one kernel reaches do not overlap; a variable has one address for all kernels;
 * modules that are linked later do not change addresses.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"

#define SHARED_MOST (1u << 20)

static struct place variable_place(const struct module *m, const struct symbol *v)
{
	return (struct place){m->path, v->line, v->col};
}

/* ---- static variables, and local variables of module scope ---- */

static int place_static(struct program *p, const struct module *m, struct symbol *v, struct fault *f)
{
	if (v->space == SP_LOCAL && !v->owner) {
		v->addr = sym_place_address(v, p->local_end);
		p->local_end = (uint32_t)(v->addr + v->size);
		if (p->local_end > LOCAL_MAX / 2)
			return fault_set(f, variable_place(m, v), "local-memory",
				"too much local memory outside of functions (expected at most %u bytes)",
				LOCAL_MAX / 2);
	}
	if ((v->space != SP_GLOBAL && v->space != SP_CONST) || v->external || v->placed)
		return 0;
	v->addr = sym_place_address(v, p->static_end);
	p->static_end = v->addr + v->size;
	if (p->static_end > STATIC_LIMIT - 65536)
		return fault_set(f, variable_place(m, v), "static-memory",
			"too much memory of static variables (expected at most %u bytes)",
			STATIC_LIMIT - 65536 - STATIC_BASE);
	return 0;
}

int place_statics(struct program *p, struct fault *f)
{
	p->local_end = 0;
	p->static_end = STATIC_BASE;
	for (uint32_t i = 0; i < p->n_modules; i++) {
		const struct module *m = p->module[i];

		for (uint32_t k = 0; k < m->n_vars; k++)
			if (place_static(p, m, m->var[k], f))
				return -1;
		for (uint32_t k = 0; k < m->n_funcs; k++)
			for (uint32_t j = 0; j < m->func[k]->n_vars; j++)
				if (place_static(p, m, m->func[k]->var[j], f))
					return -1;
	}
	return 0;
}

/* ---- reachability: a graph from functions and variables to the functions that name them ---- */

/*
 * Nodes of the graph: the functions, by their number; the shared variables outside of functions; and for each
 * module, a node for all functions of its group that a call through a register may call. A group uses only the
 * node of its first module.
 */
struct reach {
	const struct program *program;
	uint32_t n_nodes, cap_nodes;
	uint32_t *first_edge; /* for each node, the first edge from a node that names it; UINT32_MAX: none */
	struct reach_edge {
		uint32_t source, next;
	} * edge;
	uint32_t n_edges, cap_edges;
	uint32_t walk_number; /* number of the current walk */
	uint32_t *last_walk;  /* for each node, the last walk that reached it */
	uint32_t *walk;       /* nodes that the current walk reached */
	uint32_t n_walk;
};

static uint32_t reach_call_node(const struct reach *r, const struct module *m)
{
	uint32_t i = 0;

	while (r->program->module[i] != m->group)
		i++;
	return r->program->n_funcs + i;
}

static void reach_add_edge(struct reach *r, uint32_t from, uint32_t to)
{
	if (r->first_edge[to] != UINT32_MAX && r->edge[r->first_edge[to]].source == from)
		return;
	grow(&r->edge, &r->cap_edges, r->n_edges + 1, sizeof(*r->edge));
	r->edge[r->n_edges] = (struct reach_edge){from, r->first_edge[to]};
	r->first_edge[to] = r->n_edges++;
}

/* Adds the edges for a symbol that function fn names. */
static void reach_add_symbol(struct reach *r, struct func *fn, struct symbol *named)
{
	struct symbol *s = sym_definition(named);

	if (s->kind == SYM_FUNC && s->func && s->func->has_body)
		reach_add_edge(r, fn->number, s->func->number);
	for (uint32_t i = 0; s->kind == SYM_TARGETS && i < s->n_targets; i++)
		if (s->target[i]->kind == SYM_FUNC)
			reach_add_symbol(r, fn, s->target[i]);
	if (s->kind != SYM_VAR || s->space != SP_SHARED)
		return;
	if (s->unsized && fn->shared_align < s->align)
		fn->shared_align = s->align;
	if (!s->unsized && !s->owner)
		reach_add_edge(r, fn->number, s->node);
}

static void reach_add_operand(struct reach *r, struct func *fn, const struct operand *o)
{
	if (o->sym && o->kind != O_LABEL)
		reach_add_symbol(r, fn, o->sym);
	for (unsigned i = 0; o->elem && i < o->n; i++)
		reach_add_operand(r, fn, &o->elem[i]);
}

/* Adds the edges of a function's statements. A call through a register may call any function of the group. */
static void reach_add_func(struct reach *r, struct func *fn)
{
	for (uint32_t i = 0; i < fn->n_insts; i++) {
		const struct stmt *in = &fn->inst[i];
		bool any = false;

		for (unsigned k = 0; k < in->n_operands; k++) {
			const struct operand *o = &in->operand[k];

			reach_add_operand(r, fn, o);
			any |= in->opcode == I_call && o->sym && o->sym->kind == SYM_PROTO;
		}
		if (any)
			reach_add_edge(r, fn->number, reach_call_node(r, fn->module));
	}
}

static void reach_build_graph(struct reach *r, struct program *p)
{
	uint32_t n = p->n_funcs + p->n_modules;

	*r = (struct reach){.program = p};
	for (uint32_t i = 0; i < p->n_modules; i++)
		for (uint32_t k = 0; k < p->module[i]->n_shared; k++)
			if (!p->module[i]->shared[k]->owner)
				p->module[i]->shared[k]->node = n++;
	r->n_nodes = n;
	r->first_edge = xmalloc((3 * (size_t)n + 1) * sizeof(*r->first_edge));
	r->last_walk = r->first_edge + n;
	r->walk = r->last_walk + n;
	for (uint32_t i = 0; i < n; i++) {
		r->first_edge[i] = UINT32_MAX;
		r->last_walk[i] = 0;
	}
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		reach_add_func(r, p->func[i]);
		if (!p->func[i]->entry)
			reach_add_edge(r, reach_call_node(r, p->func[i]->module), i);
	}
}

static void reach_free_graph(struct reach *r)
{
	free(r->first_edge);
	free(r->edge);
}

/* Sets walk[] to the node and all nodes that reach it. */
static void reach_walk_from(struct reach *r, uint32_t node)
{
	r->walk_number++;
	r->n_walk = 0;
	r->walk[r->n_walk++] = node;
	r->last_walk[node] = r->walk_number;
	for (uint32_t i = 0; i < r->n_walk; i++)
		for (uint32_t e = r->first_edge[r->walk[i]]; e != UINT32_MAX; e = r->edge[e].next)
			if (r->last_walk[r->edge[e].source] != r->walk_number) {
				r->last_walk[r->edge[e].source] = r->walk_number;
				r->walk[r->n_walk++] = r->edge[e].source;
			}
}

/* Returns node i of the walk if it is a kernel, or NULL. */
static struct func *reach_kernel_at(const struct reach *r, uint32_t i)
{
	struct func *fn = r->walk[i] < r->program->n_funcs ? r->program->func[r->walk[i]] : NULL;

	return fn && fn->entry ? fn : NULL;
}

/* ---- shared memory ---- */

/*
 * Places one shared variable after the variables so far of all kernels that reach it. Kernels have no memory for
 * variables that they do not reach.
 */
static int place_shared_variable(struct reach *r, const struct module *m, struct symbol *v, struct fault *f)
{
	struct func *own = v->owner && v->owner->entry ? v->owner : NULL;
	uint64_t at = own ? own->shared_end : 0;

	if (v->external)
		return 0;
	if (!own)
		reach_walk_from(r, v->owner ? v->owner->number : v->node);
	for (uint32_t i = 0; !own && i < r->n_walk; i++) {
		const struct func *k = reach_kernel_at(r, i);

		at = k && k->shared_end > at ? k->shared_end : at;
	}
	v->addr = sym_place_address(v, at);
	uint64_t end = v->addr + v->size;
	if (end > SHARED_MOST)
		return fault_set(f, variable_place(m, v), "shared-memory",
			"too much shared memory (expected at most 1 MiB)");
	if (own) {
		own->shared_end = (uint32_t)end;
		return 0;
	}
	for (uint32_t i = 0; i < r->n_walk; i++) {
		struct func *k = reach_kernel_at(r, i);

		if (k)
			k->shared_end = (uint32_t)end;
	}
	return 0;
}

static int place_shared_module(struct reach *r, const struct module *m, struct fault *f)
{
	for (uint32_t i = 0; i < m->n_shared; i++)
		if (place_shared_variable(r, m, m->shared[i], f))
			return -1;
	return 0;
}

/* Passes the alignment of functions' dynamic variables on to the kernels that reach them. */
static void place_dynamic_shared(struct reach *r)
{
	for (uint32_t i = 0; i < r->program->n_funcs; i++) {
		uint32_t align = r->program->func[i]->shared_align;

		if (r->program->func[i]->entry || align <= 16)
			continue;
		reach_walk_from(r, i);
		for (uint32_t k = 0; k < r->n_walk; k++) {
			struct func *to = reach_kernel_at(r, k);

			if (to && to->shared_align < align)
				to->shared_align = align;
		}
	}
}

int place_shared(struct program *p, struct fault *f)
{
	struct reach r;
	int status = 0;

	for (uint32_t i = 0; i < p->n_funcs; i++)
		p->func[i]->shared_end = p->func[i]->shared_align = 0;
	reach_build_graph(&r, p);
	for (uint32_t i = 0; i < p->n_modules && !status; i++)
		status = place_shared_module(&r, p->module[i], f);
	place_dynamic_shared(&r);
	reach_free_graph(&r);
	return status;
}
