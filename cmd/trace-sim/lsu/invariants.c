/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of a load/store unit and of its caches, and compares it; see
 * instrument/invariants.h. The modern core has its own memory pipeline, so only the common parts are
 * checked for it. The file is empty in builds without the checks.
 */
#ifdef CHECK_INVARIANTS

#include "instrument/invariants.h"
#include "ldst_int.h"

/* Checks that entries of a queue are due in the order of the queue. */
static void check_due_order(const struct sm *s, const struct timed_fifo *f, uint32_t part)
{
	for (uint32_t i = 1; i < f->count; i++) {
		uint64_t before = timed_fifo_at(f, i - 1).due_at, due = timed_fifo_at(f, i).due_at;

		invariant("ldst.queue, in order", s->id, part, before <= due, true);
	}
}

static void check_latency_queues(const struct sm *s, const struct ldst *l)
{
	uint64_t first = NEVER;

	check_due_order(s, &l->shared_pipe, l->n_banks);
	for (uint32_t b = 0; b < l->n_banks; b++) {
		const struct timed_fifo *q = &l->queue[b];

		invariant("ldst.filled", s->id, b, l->filled >> b & 1, q->count != 0);
		check_due_order(s, q, b);
		if (q->count && timed_fifo_front(q).due_at < first)
			first = timed_fifo_front(q).due_at;
	}
	invariant("ldst.queue_due", s->id, 0, l->queue_due, first);
}

/* Checks that a lookup of each LDGSTS in flight finds its entry in the hash table. */
static void check_ldgsts(const struct sm *s, const struct ldst *l)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < l->ldgsts_cap; i++) {
		const struct ldgsts_count *e = &l->ldgsts[i];

		if (!e->count)
			continue;
		used++;
		invariant("ldst.ldgsts", s->id, i,
			pend_ldgsts_accesses(s, e->warp, (uint32_t)(e->key >> 32), e->key & UINT32_MAX),
			e->count);
	}
	invariant("ldst.ldgsts_n", s->id, 0, l->ldgsts_n, used);
}

/* Checks that warp slots without a live warp have no outstanding access. */
static void check_pending(const struct sm *s, const struct ldst *l)
{
	for (unsigned w = 0; w < MAX_WARPS; w++)
		for (unsigned r = 0; r < l->pend_stride && !(s->live >> w & 1); r++)
			invariant("ldst.pend of no warp", s->id, w, *pend_counter_of(l, w, r), 0);
}

void ldst_check_invariants(const struct sm *s, bool all)
{
	const struct ldst *l = s->ldst;

	cache_check_invariants(s->l1i, s->id, all);
	if (!l)
		return;
	cache_check_invariants(l->l1d, s->id, all);
	cache_check_invariants(l->l1c, s->id, all);
	cache_check_invariants(l->l1t, s->id, all);
	check_ldgsts(s, l);
	if (s->modern)
		return;
	invariant("ldst.disp", s->id, 0, l->disp != DISP_EMPTY, l->disp_inst != WINST_NONE);
	if (l->l1d)
		invariant("ldst.draining", s->id, 0, l->draining, cache_has_ready(l->l1d));
	check_latency_queues(s, l);
	if (s->live_ctas)
		invariant("ldst.due, not late", s->id, 0, l->due_at <= ldst_compute_due(s, l), true);
	if (all)
		check_pending(s, l);
}

#endif
