/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register allocation by linear scan. An item lives from its first to its last definition or use. If it is live
 * at the start of a loop and used in the loop, it lives to the end of the loop. Items are allocated in the
 * order of their starts to the lowest free registers, aligned to their size. Nothing is spilled.
 */
#include <stdlib.h>
#include <string.h>
#include "lower/select.h"

#define REGISTERS 255u /* R255 is zero */
#define STACK     1u   /* R1 is the stack pointer */

static void extend_live_interval(struct lower_code *c, uint32_t ref, uint32_t at)
{
	struct lower_item *t;

	if (ref == NO_REF)
		return;
	t = &c->item[ref >> 8];
	if (t->first_inst > at)
		t->first_inst = at;
	if (t->last_inst < at)
		t->last_inst = at;
}

static void find_live_intervals(struct lower_code *c)
{
	for (uint32_t i = 0; i < c->n_insts; i++) {
		const struct machine_inst *m = &c->inst[i];

		for (unsigned k = 0; k < m->n_src; k++)
			extend_live_interval(c, m->src[k], i);
		extend_live_interval(c, m->dst, i);
	}
}

/*
 * Extends items over loops until nothing changes, because an extension over an inner loop can require one over
 * an outer loop.
 */
static void extend_items_over_loops(struct lower_code *c, const struct plan *p)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = p->func->n_insts; i-- > 0;) {
			uint32_t from = c->start[i], to;

			if (!p->loop_end[i])
				continue;
			to = c->start[p->loop_end[i] + 1] - 1;
			for (uint32_t k = 0; k < c->n_items; k++) {
				struct lower_item *t = &c->item[k];

				if (t->first_inst < from && t->last_inst >= from && t->last_inst < to) {
					t->last_inst = to;
					changed = true;
				}
			}
		}
	}
}

static unsigned register_alignment(unsigned size) { return size >= 3 ? 4 : size; }

/* Returns the start of the lowest free run of registers; REGISTERS: none. */
static unsigned find_free_registers(const bool *taken, unsigned size)
{
	for (unsigned r = 0, step = register_alignment(size); r + size <= REGISTERS; r += step) {
		unsigned k = 0;

		while (k < size && !taken[r + k])
			k++;
		if (k == size)
			return r;
	}
	return REGISTERS;
}

static int compare_item_starts(const void *x, const void *y)
{
	const struct lower_item *a = *(const struct lower_item *const *)x,
				*b = *(const struct lower_item *const *)y;

	if (a->first_inst != b->first_inst)
		return a->first_inst < b->first_inst ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void mark_registers(bool *taken, const struct lower_item *t, bool value)
{
	for (unsigned k = 0; k < t->size; k++)
		taken[t->reg + k] = value;
}

int live_allocate(struct lower_code *c, const struct plan *p, uint32_t *most, uint32_t *at)
{
	struct lower_item **order = xcalloc(c->n_items + 1u, sizeof(*order)),
			  **active = xcalloc(REGISTERS, sizeof(*active));
	bool taken[REGISTERS] = {[STACK] = true};
	uint32_t n = 0, n_active = 0;
	int status = 0;

	find_live_intervals(c);
	extend_items_over_loops(c, p);
	for (uint32_t k = 0; k < c->n_items; k++)
		if (c->item[k].first_inst != UINT32_MAX)
			order[n++] = &c->item[k];
	qsort(order, n, sizeof(*order), compare_item_starts);
	for (uint32_t i = 0; i < n && !status; i++) {
		struct lower_item *t = order[i];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n_active; k++)
			if (active[k]->last_inst <= t->first_inst)
				mark_registers(taken, active[k], false);
			else
				active[kept++] = active[k];
		n_active = kept;
		t->reg = t->size ? (uint16_t)find_free_registers(taken, t->size) : STACK;
		*at = t->first_inst;
		status = t->reg == REGISTERS ? -1 : 0;
		if (status)
			break;
		mark_registers(taken, t, true);
		active[n_active++] = t;
		if (*most < t->reg + (t->size ? t->size : 1u))
			*most = t->reg + t->size;
	}
	free(order);
	free(active);
	return status;
}
