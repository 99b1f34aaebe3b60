/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions of graphs, and the graphs that they choose. See graph.h.
 *
 * Always true: the handle of a condition is the device address of its word, in one buffer.
 * cudaGraphSetConditional() in a kernel stores the value there.
 */
#include <stdlib.h>
#include "arena.h"
#include "cudart/graph.h"

enum {
	CONDITIONS_MOST = 65536,
	ASSIGN_DEFAULT = 1 /* each launch resets the condition to its initial value */
};

static struct {
	uint64_t start; /* address of the words; 0: not allocated */
	unsigned *initial_value;
	bool *assigned;
	uint32_t n, cap_initial, cap_assigned;
} conditions;

bool condition_exists(uint64_t handle)
{
	return handle >= conditions.start && handle < conditions.start + 4ull * conditions.n &&
	       handle % 4 == 0;
}

/* ---- graphs of a node ---- */

void conditional_free(struct conditional *c)
{
	for (uint32_t i = 0; i < c->n_bodies; i++)
		graph_free(c->body[i]);
	free(c->body);
}

int conditional_copy(struct conditional *to, const struct conditional *c)
{
	int e = cudaSuccess;

	*to = *c;
	to->body = xcalloc(c->n_bodies, sizeof(struct cuda_graph *));
	for (uint32_t i = 0; i < c->n_bodies; i++) {
		const struct cuda_graph none = {0};

		e = graph_copy(&to->body[i], c->body ? c->body[i] : &none);
		if (!e)
			continue;
		to->n_bodies = i;
		conditional_free(to);
		return e;
	}
	return e;
}

/* ---- execution ---- */

void condition_reset_in_graph(const struct cuda_graph *g)
{
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct graph_work *w = &g->node[i]->work;
		const struct conditional *c = &w->conditional;

		if (w->kind == WORK_GRAPH)
			condition_reset_in_graph(w->child);
		if (w->kind != WORK_CONDITION)
			continue;
		uint32_t n = (uint32_t)((c->handle - conditions.start) / 4);
		unsigned *value = cudart_host_address((const void *)(uintptr_t)c->handle, sizeof(*value));

		if (value && conditions.assigned[n])
			*value = conditions.initial_value[n];
		for (uint32_t k = 0; k < c->n_bodies; k++)
			condition_reset_in_graph(c->body[k]);
	}
}

uint32_t condition_selected_graph(const struct conditional *c)
{
	const unsigned *value = cudart_host_address((const void *)(uintptr_t)c->handle, sizeof(*value));

	if (!value)
		return c->n_bodies;
	switch (c->kind) {
	case CONDITION_IF: return !*value;
	case CONDITION_WHILE: return *value ? 0 : c->n_bodies;
	default: return *value;
	}
}

/* ---- the program's calls ---- */

/* Allocates the words of all conditions. The program cannot free them. */
static bool allocate_conditions(void)
{
	const size_t bytes = 4ul * CONDITIONS_MOST;

	conditions.start = cudart_reserve(bytes, 512);
	if (!conditions.start)
		return false;
	cudart_map_memory(conditions.start, bytes, MEMORY_CONDITIONS);
	cudart_allow_access(conditions.start, true);
	cudart_find_grant(conditions.start)->is_variable = true;
	return true;
}

static int add_condition(uint64_t *to, unsigned first, bool assigned)
{
	if (!conditions.start && !allocate_conditions())
		return cudaErrorMemoryAllocation;
	if (conditions.n == CONDITIONS_MOST)
		return cudaErrorMemoryAllocation;
	grow(&conditions.initial_value, &conditions.cap_initial, conditions.n + 1,
		sizeof(*conditions.initial_value));
	grow(&conditions.assigned, &conditions.cap_assigned, conditions.n + 1, sizeof(*conditions.assigned));
	conditions.initial_value[conditions.n] = first;
	conditions.assigned[conditions.n] = assigned;
	*to = conditions.start + 4ull * conditions.n++;
	return cudaSuccess;
}

API(int, cudaGraphConditionalHandleCreate, uint64_t *to, const struct cuda_graph *g, unsigned first,
	unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && (!to || !graph_exists(g) || flags > ASSIGN_DEFAULT))
		e = cudaErrorInvalidValue;
	return cudart_leave(e ? e : add_condition(to, first, flags == ASSIGN_DEFAULT));
}
