/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of a cache and compares it: chains and counts of the tags and of the MSHRs; see
 * instrument/invariants.h. Not checked: the state of the replacement policy, the count of modified lines (which
 * drifts like that of the original, Q3-18), and the texture cache. The file is empty in builds without the checks.
 */
#ifdef CHECK_INVARIANTS

#include "bits.h"
#include "cache_int.h"
#include "instrument/invariants.h"

/* ---- tags ------------------------------------------------------------------------------------- */

static void check_tag_rows(const struct tags *t, uint32_t unit)
{
	for (uint32_t r = 0; r < t->sets; r++) {
		uint32_t present = 0, idle[2] = {0};

		for (uint32_t slot = r * t->ways + 1; slot <= (r + 1) * t->ways; slot++) {
			uint32_t state = t->line[slot].state;

			invariant("tag.present", unit, slot, bitset_test(t->present, slot),
				(state & LINE_PRESENT) != 0);
			if (!(state & LINE_PRESENT))
				continue;
			present++;
			if (!(state & LINE_ALL_RESERVED))
				idle[(state & t->class_1_bits) != 0]++;
		}
		invariant("tag.row.present", unit, r, t->row[r].present, present);
		invariant("tag.row.idle, class 0", unit, r, t->row[r].idle_lines[0], idle[0]);
		invariant("tag.row.idle, class 1", unit, r, t->row[r].idle_lines[1], idle[1]);
	}
}

static void check_tag_chains(const struct tags *t, uint32_t unit)
{
	uint32_t chained = 0, present = 0, slots = t->sets_max * t->ways_max;

	for (uint32_t slot = 1; slot <= slots; slot++)
		present += bitset_test(t->present, slot);
	for (uint32_t b = 0; b < 1u << (64 - t->hash_shift); b++)
		for (uint32_t slot = t->bucket[b]; slot && chained <= slots; slot = t->line[slot].chain) {
			chained++;
			invariant("tag.chain", unit, slot,
				(uint64_t)(tag_bucket(t, t->line[slot].tag) - t->bucket), b);
		}
	invariant("tag.chains", unit, 0, chained, present);
}

/* ---- MSHRs ------------------------------------------------------------------------------------ */

static void check_mshr_entry(const struct mshr *m, const struct req_pool *pool, uint32_t unit, uint32_t i)
{
	const struct mshr_entry *e = &m->entry[i];
	uint32_t held = e->first_request != REQ_NONE;

	for (uint32_t r = e->head; r != REQ_NONE && held <= e->count; r = pool->req[r].next)
		held++;
	invariant("mshr.count", unit, i, e->count, held);
	invariant("mshr.entry in use", unit, i, e->count != 0, true);
}

static void check_mshr(const struct mshr *m, const struct req_pool *pool, uint32_t unit)
{
	uint32_t used = 0, spare = 0;

	for (uint32_t b = 0; b < 1u << (64 - m->shift); b++)
		for (uint32_t i = m->bucket[b]; i && used <= m->limit; i = m->entry[i].chain) {
			used++;
			invariant("mshr.chain", unit, i,
				(uint64_t)(mshr_bucket(m, m->entry[i].addr) - m->bucket), b);
			check_mshr_entry(m, pool, unit, i);
		}
	for (uint32_t i = m->first_free; i && spare <= m->n_made; i = m->entry[i].chain)
		spare++;
	invariant("mshr.n_used", unit, 0, m->n_used, used);
	invariant("mshr.first_free", unit, 0, m->n_made - m->n_used, spare);
	for (uint32_t k = 0; k < m->ready.count; k++) {
		const struct mshr_entry *e = &m->entry[ring_at(&m->ready, k)];

		invariant("mshr.ready", unit, k, e->count && !e->waiting, true);
	}
}

void cache_check_invariants(const struct cache *c, uint32_t unit, bool all)
{
	if (!c)
		return;
	check_mshr(&c->mshr, c->pool, unit);
	if (all) {
		check_tag_rows(&c->tags, unit);
		check_tag_chains(&c->tags, unit);
	}
}

#endif
