/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the arbiters of separable allocators. The request with the highest priority wins. Among equal
 * priorities, round robin or the least recent win decides.
 *
 * Always true: between noc_arbiter_clear() and noc_arbiter_pick() each input adds at most one request. A win
 * moves the pointer only when noc_arbiter_won() reports that the grant was used. The precedence matrix of the
 * matrix arbiter is equivalent to an order of the inputs, in which a winner moves to the end. The time of
 * each input's last win gives this order. Initially, inputs with higher numbers precede inputs with lower
 * numbers.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include "arena.h"
#include "net/noc.h"

struct noc_arbiter {
	enum icnt_arbiter kind;
	uint32_t size;    /* number of inputs */
	uint32_t n;       /* number of requests */
	uint32_t pointer; /* round robin: input with the highest precedence */
	uint32_t clock;
	int32_t best;              /* input of the best request so far; -1 if none */
	int32_t best_priority;     /* priority of the best request so far */
	uint32_t *won;             /* matrix: time of the last win of each input */
	struct noc_arbiter *group; /* tree: an arbiter for each group; `top` decides between the groups */
	struct noc_arbiter *top;
	uint32_t groups, group_size;
	uint64_t *requesting_groups; /* tree: set of groups with requests */
};

static void arbiter_init(struct noc_arbiter *a, const struct icnt_alloc *kind, uint32_t depth, uint32_t size)
{
	*a = (struct noc_arbiter){
		.kind = depth < kind->depth ? ARBITER_TREE : kind->arbiter, .size = size, .best = -1};
	if (a->kind == ARBITER_MATRIX)
		a->won = xcalloc(size, sizeof(*a->won));
	if (a->kind != ARBITER_TREE)
		return;
	a->groups = kind->groups[depth];
	a->group_size = size / a->groups;
	a->group = xcalloc(a->groups, sizeof(*a->group));
	a->top = xcalloc(1, sizeof(*a->top));
	a->requesting_groups = xcalloc(BITSET_WORDS(a->groups), sizeof(*a->requesting_groups));
	for (uint32_t i = 0; i < a->groups; i++)
		arbiter_init(&a->group[i], kind, depth + 1, a->group_size);
	arbiter_init(a->top, kind, depth + 1, a->groups);
}

static void arbiter_release(struct noc_arbiter *a)
{
	for (uint32_t i = 0; i < a->groups; i++)
		arbiter_release(&a->group[i]);
	if (a->top)
		arbiter_release(a->top);
	free(a->group);
	free(a->top);
	free(a->requesting_groups);
	free(a->won);
}

struct noc_arbiter *noc_arbiters_new(const struct icnt_alloc *kind, uint32_t n, uint32_t size)
{
	struct noc_arbiter *a = xcalloc(n, sizeof(*a));

	for (uint32_t i = 0; i < n; i++)
		arbiter_init(&a[i], kind, 0, size);
	return a;
}

void noc_arbiters_delete(struct noc_arbiter *a, uint32_t n)
{
	for (uint32_t i = 0; a && i < n; i++)
		arbiter_release(&a[i]);
	free(a);
}

/* Returns true if `input` precedes a->best at the same priority. */
static bool arbiter_precedes(const struct noc_arbiter *a, uint32_t input)
{
	uint32_t best = (uint32_t)a->best;

	if (a->kind == ARBITER_MATRIX)
		return a->won[input] < a->won[best] || (a->won[input] == a->won[best] && input > best);
	return (input + a->size - a->pointer) % a->size < (best + a->size - a->pointer) % a->size;
}

static void arbiter_consider(struct noc_arbiter *a, uint32_t input, int32_t priority)
{
	assert(input < a->size);
	a->n++;
	if (a->kind == ARBITER_TREE) {
		arbiter_consider(&a->group[input / a->group_size], input % a->group_size, priority);
		bitset_set(a->requesting_groups, input / a->group_size);
	} else if (a->n == 1 || priority > a->best_priority ||
		   (priority == a->best_priority && arbiter_precedes(a, input))) {
		a->best = (int32_t)input;
		a->best_priority = priority;
	}
}

static int32_t arbiter_pick(struct noc_arbiter *a)
{
	if (!a->n || a->kind != ARBITER_TREE)
		return a->n ? a->best : -1;
	for (uint32_t w = 0; w < BITSET_WORDS(a->groups); w++)
		FOR_BITS64 (b, a->requesting_groups[w]) {
			struct noc_arbiter *g = &a->group[w * 64 + b];

			g->best = arbiter_pick(g);
			arbiter_consider(a->top, w * 64 + (uint32_t)b, g->best_priority);
		}
	a->top->best = arbiter_pick(a->top);
	a->best_priority = a->top->best_priority;
	a->best = a->top->best * (int32_t)a->group_size + a->group[a->top->best].best;
	return a->best;
}

static void move_arbiter_past_winner(struct noc_arbiter *a)
{
	if (a->kind == ARBITER_TREE) {
		move_arbiter_past_winner(&a->group[a->top->best]);
		move_arbiter_past_winner(a->top);
	} else if (a->kind == ARBITER_MATRIX) {
		a->won[a->best] = ++a->clock;
	} else {
		a->pointer = ((uint32_t)a->best + 1) % a->size;
	}
}

static void clear_arbiter_requests(struct noc_arbiter *a)
{
	if (!a->n)
		return;
	a->n = 0;
	a->best = -1;
	if (a->kind != ARBITER_TREE)
		return;
	for (uint32_t w = 0; w < BITSET_WORDS(a->groups); w++) {
		FOR_BITS64 (b, a->requesting_groups[w])
			clear_arbiter_requests(&a->group[w * 64 + b]);
		a->requesting_groups[w] = 0;
	}
	clear_arbiter_requests(a->top);
}

void noc_arbiter_add(struct noc_arbiter *a, uint32_t which, uint32_t input, int32_t priority)
{
	arbiter_consider(&a[which], input, priority);
}

int32_t noc_arbiter_pick(struct noc_arbiter *a, uint32_t which) { return arbiter_pick(&a[which]); }

void noc_arbiter_won(struct noc_arbiter *a, uint32_t which) { move_arbiter_past_winner(&a[which]); }

void noc_arbiter_clear(struct noc_arbiter *a, uint32_t which) { clear_arbiter_requests(&a[which]); }
