/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of outstanding accesses: of loads by warp slot and destination register, of LDGSTS by warp slot, pc and the
 * address of lane 0, and of stores by warp slot (LSU-state-2, LSU-store, SM-score-3).
 *
 * Always true: an LDGSTS is in the table exactly while its count is above 0. At most half of the table is used. If an
 * instruction has several destination registers, they have the same counts and are released together.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "ldst_int.h"
#include "sm/depend.h"

static uint64_t ldgsts_key(uint32_t pc, uint64_t lane0) { return (uint64_t)pc << 32 | (uint32_t)lane0; }

static uint32_t ldgsts_hash_slot(const struct ldst *l, unsigned warp, uint64_t key)
{
	return (uint32_t)((key ^ (uint64_t)warp << 25) * 0x9E3779B97F4A7C15ull >> 32) & (l->ldgsts_cap - 1);
}

/* Returns the slot of a key or, if it is missing, the free slot into which it can be put. */
static struct ldgsts_count *find_ldgsts_slot(const struct ldst *l, unsigned warp, uint64_t key)
{
	uint32_t i = ldgsts_hash_slot(l, warp, key);

	while (l->ldgsts[i].count && (l->ldgsts[i].key != key || l->ldgsts[i].warp != warp))
		i = (i + 1) & (l->ldgsts_cap - 1);
	return &l->ldgsts[i];
}

static void grow_ldgsts_table(struct ldst *l)
{
	struct ldgsts_count *old = l->ldgsts;
	uint32_t n = l->ldgsts_cap;

	l->ldgsts_cap = n ? 2 * n : 64;
	l->ldgsts = xcalloc(l->ldgsts_cap, sizeof(*l->ldgsts));
	for (uint32_t i = 0; i < n; i++)
		if (old[i].count)
			*find_ldgsts_slot(l, old[i].warp, old[i].key) = old[i];
	free(old);
}

/* Empties a slot, and moves later entries so that each can still be found from its hash slot on. */
static void remove_ldgsts_slot(struct ldst *l, struct ldgsts_count *e)
{
	uint32_t mask = l->ldgsts_cap - 1, hole = (uint32_t)(e - l->ldgsts), i = hole;

	for (;;) {
		uint32_t h;

		i = (i + 1) & mask;
		if (!l->ldgsts[i].count)
			break;
		h = ldgsts_hash_slot(l, l->ldgsts[i].warp, l->ldgsts[i].key);
		if (((i - h) & mask) >= ((i - hole) & mask)) {
			l->ldgsts[hole] = l->ldgsts[i];
			hole = i;
		}
	}
	l->ldgsts[hole].count = 0;
	l->ldgsts_n--;
}

static void count_ldgsts_accesses(struct ldst *l, unsigned warp, uint64_t key, uint32_t n)
{
	struct ldgsts_count *e;

	if (!n)
		return;
	if (2 * l->ldgsts_n >= l->ldgsts_cap)
		grow_ldgsts_table(l);
	e = find_ldgsts_slot(l, warp, key);
	if (!e->count) {
		*e = (struct ldgsts_count){.key = key, .warp = warp};
		l->ldgsts_n++;
	}
	e->count += n;
}

uint32_t pend_ldgsts_accesses(const struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0)
{
	const struct ldst *l = s->ldst;

	return l->ldgsts_n ? find_ldgsts_slot(l, warp, ldgsts_key(pc, lane0))->count : 0;
}

bool pend_count_ldgsts_returned(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0)
{
	struct ldst *l = s->ldst;
	struct ldgsts_count *e;

	assert(l->ldgsts_n);
	e = find_ldgsts_slot(l, warp, ldgsts_key(pc, lane0));
	assert(e->count);
	if (--e->count)
		return false;
	e->count = 1;
	remove_ldgsts_slot(l, e);
	return true;
}

void pend_count_accesses(struct sm *s, const struct uop *u, unsigned warp, uint32_t n, uint64_t lane0)
{
	for (unsigned d = 0; d < u->n_dst; d++)
		*pend_counter_of(s->ldst, warp, u->reg[d]) =
			(uint16_t)(*pend_counter_of(s->ldst, warp, u->reg[d]) + n);
	if (u->flags & UOP_LDGSTS)
		count_ldgsts_accesses(s->ldst, warp, ldgsts_key(u->pc, lane0), n);
}

bool pend_has_accesses(const struct sm *s, const struct uop *u, unsigned warp)
{
	for (unsigned d = 0; d < u->n_dst; d++)
		if (*pend_counter_of(s->ldst, warp, u->reg[d]))
			return true;
	return false;
}

/* Counts an access that hit as returned. quirk Q2-9: the mark of a long operation on the register remains. */
void pend_count_hit(struct sm *s, const struct uop *u, unsigned warp)
{
	for (unsigned d = 0; d < u->n_dst; d++)
		--*pend_counter_of(s->ldst, warp, u->reg[d]);
}

unsigned pend_count_returned(struct sm *s, const struct uop *u, unsigned warp)
{
	unsigned done = 0;

	for (unsigned d = 0; d < u->n_dst; d++) {
		uint16_t *p = pend_counter_of(s->ldst, warp, u->reg[d]);

		assert(*p);
		if (--*p)
			continue;
		depend_release(s, warp, u->reg[d]);
		done++;
	}
	s->changed |= done != 0;
	return done;
}

void pend_acknowledge_store(struct sm *s, unsigned warp, uint32_t k)
{
	struct warp *w = &s->warp[warp];

	assert(w->stores >= k);
	w->stores -= k;
	if (!w->stores) {
		warp_update_drained(s, warp);
		s->changed = true;
	}
}

uint32_t ldst_outstanding_accesses(const struct sm *s, unsigned warp, unsigned reg)
{
	return *pend_counter_of(s->ldst, warp, reg);
}

void ldst_grow_registers(struct sm *s, uint32_t limit)
{
	struct ldst *l = s->ldst;
	uint16_t *to = reserve((size_t)MAX_WARPS * limit, sizeof(*to));

	for (unsigned w = 0; w < MAX_WARPS; w++)
		memcpy(to + (size_t)w * limit, l->pend + (size_t)w * l->pend_stride,
			l->pend_stride * sizeof(*to));
	reserve_free(l->pend, (size_t)MAX_WARPS * l->pend_stride, sizeof(*to));
	l->pend = to;
	l->pend_stride = limit;
}
