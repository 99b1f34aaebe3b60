/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The issue stage: every scheduler once, and what an issue does (part 2 sections 5 to 7). Always true:
 * whatever one issue changes is seen by the schedulers that run later in the same cycle.
 */
#include "decode.h"
#include "gpu.h"
#include "profile.h"
#include "regset.h"
#include "scheduler.h"

#define ANY_SPEC N_UNIT_KINDS	/* specialized units count as one type for dual issue */

void sched_init(struct sm *s)
{
	const struct core_params *c = s->core;
	bool none = c->policy == SCHED_LRR || c->policy == SCHED_RRR;

	for (unsigned k = 0; k < c->schedulers; k++) {
		for (unsigned w = k; w < c->warps; w += c->schedulers)
			s->sched[k].supervised |= 1ull << w;
		s->sched[k].last = none ? -1 : 0;
		if (c->policy == SCHED_TWO_LEVEL)
			sched_two_level_init(s, k);
	}
	for (unsigned u = 0; u < N_UNIT_KINDS; u++)
		s->id_oc[u].bit = opcoll_input_bit(u);
}

/* ---- waiting (sections 3 and 9.2) ---------------------------------------------------------- */

/* quirk Q6: a memory barrier waits for registers, not for stores. */
static void clear_membar(struct sm *s, unsigned w)
{
	uint64_t bit = 1ull << w;

	if ((s->done | s->at_barrier) & bit || s->warp[w].n_reserved)
		return;
	s->membar &= ~bit;
	s->changed = true;
	if (s->core->flush_l1 && ldst_l1d(s))
		ldst_invalidate_l1d(s);
}

bool warp_waiting(struct sm *s, unsigned w)
{
	if (s->membar >> w & 1)
		clear_membar(s, w);
	return !(sched_running(s) >> w & 1);
}

void sched_recompute(struct sm *s, uint64_t stale)
{
	s->stale &= ~stale;
	FOR_BITS64(w, stale) {
		if (scoreboard_collides(s, (unsigned)w, s->head[w]))
			s->collide |= 1ull << w;
		else
			s->collide &= ~(1ull << w);
	}
}

/* ---- one issue (section 7) ----------------------------------------------------------------- */

static enum space space_of(const struct sm *s, const struct warp *p, const struct uop *u,
	const struct rec *rec)
{
	const struct cta *c = &s->cta[p->cta];
	const struct kernel_header *h;

	if (u->space != SPACE_GENERIC)
		return (enum space)u->space;
	h = c->kernel->head;
	if (!rec->mask)
		return h->shmem_base && h->local_base ? SPACE_NONE : SPACE_SHARED;
	return uop_generic_space(h, c->block.word[rec->addr >> 2]);
}

/* Address of lane 0: every address list begins with that of the first active lane. */
static uint64_t lane0_address(const struct sm *s, const struct warp *p, const struct rec *rec)
{
	return rec->mask & 1 && rec->addr ? s->cta[p->cta].block.word[rec->addr >> 2] : 0;
}

/* Section 7 step 8. A warp that has just ended waits for nothing. */
static void start_waiting(struct sm *s, unsigned w, const struct uop *u)
{
	if (u->flags & UOP_BARRIER && !(s->done >> w & 1))
		barrier_arrive(s, w);
	else if (u->flags & UOP_MEMBAR)
		s->membar |= 1ull << w;
	else if (u->flags & UOP_LDGDEPBAR)
		ldgsts_close_group(s, w);
	else if (u->flags & UOP_DEPBAR)
		ldgsts_wait(s, w, u->groups);
}

static void end_warp(struct sm *s, unsigned w)
{
	s->done |= 1ull << w;
	ibuffer_flush(s, w);
	barrier_warp_exit(s, w);
}

static bool is_long_operation(const struct winst *in)
{
	return in->uop->flags & UOP_LOAD && (in->space == SPACE_GLOBAL || in->space == SPACE_LOCAL);
}

static void issue(struct sm *s, unsigned k, unsigned w)
{
	struct warp *p = &s->warp[w];
	uint32_t index = p->ibuf[p->ibuf_read];
	const struct rec *rec = &p->rec[index];
	const struct uop *u = s->head[w];
	uint16_t h = sm_winst_new(s);
	struct winst *in = &s->winst[h];
	unsigned lanes = bit_count32(rec->mask);

	*in = (struct winst){
		.uid = ++s->next_uid, .uop = u, .code = rec->inst, .mask = rec->mask, .rec = p->first + index,
		.warp = (uint8_t)w, .sched = (uint8_t)k, .cta = p->cta,
		.space = (uint8_t)space_of(s, p, u, rec),
	};
	regset_put(s, &s->id_oc[u->unit], k, h, &s->id_oc_inputs);
	s->collector.may_allocate = true;
	s->changed = true;
	ibuffer_advance(s, w);
	if (s->events)
		events_issue(s->events, s->now, s->id, w, u->pc, k);
	s->n.distro[2 + lanes]++;	/* quirk Q4: no lane counts as a stall */
	if (u->flags & UOP_ATOMIC && lanes) {
		p->atomics += lanes;
		s->atomic |= 1ull << w;
	}
	if (index == p->last)
		end_warp(s, w);
	if (u->flags & UOP_LDGSTS)
		ldgsts_issue(s, w, in, lane0_address(s, p, rec));
	if (u->flags & (UOP_BARRIER | UOP_MEMBAR | UOP_LDGDEPBAR | UOP_DEPBAR))
		start_waiting(s, w, u);
	scoreboard_reserve(s, w, u, is_long_operation(in));
	p->fetch_pc = u->pc + 16;
}

/* quirk Q5: the second of a dual issue counts twice. */
static void count_issue(struct sm *s, unsigned w, unsigned nth)
{
	s->n.issue_hist[w] += nth;
	if ((int32_t)w > s->n.issue_hist_top)
		s->n.issue_hist_top = (int32_t)w;
}

static bool issuable(struct sm *s, unsigned w) { return !warp_waiting(s, w) && s->ibuf >> w & 1; }

unsigned sched_visit(struct sm *s, unsigned k, unsigned w, unsigned *seen)
{
	const struct core_params *c = s->core;
	unsigned n = 0, previous = UINT32_MAX;

	/* Waiting is asked before the count: a barrier without loads to wait for ends as soon as it has issued. */
	for (unsigned checked = 0; issuable(s, w) && checked < c->max_issue && checked <= n; checked++) {
		unsigned kind = s->head[w]->unit, type = kind < UNIT_SPEC ? kind : ANY_SPEC;

		*seen |= SEEN_VALID;
		sched_refresh(s, 1ull << w);
		if (s->collide >> w & 1)
			continue;
		*seen |= SEEN_READY;
		if (!regset_room(s, &s->id_oc[kind], k) || (c->dual_issue_diff && previous == type))
			continue;
		if (s->profile)
			profile_issue(s, w, n);
		issue(s, k, w);
		previous = type;
		count_issue(s, w, ++n);
	}
	if (!n)
		return 0;
	*seen |= SEEN_ISSUED;
	if (s->sched[k].supervised >> w & 1)
		s->sched[k].last = (int32_t)(w / c->schedulers);
	if (n == 1)
		s->n.single_issue[k]++;
	else
		s->n.dual_issue[k]++;
	return n;
}

/* ---- the stage ----------------------------------------------------------------------------- */

static unsigned run_scheduler(struct sm *s, unsigned k)
{
	switch (s->core->policy) {
	case SCHED_TWO_LEVEL: return sched_two_level(s, k);
	case SCHED_RRR: return sched_rrr(s, k);
	default: return sched_ordered(s, k);
	}
}

/* The bucket of a cycle in which scheduler k issued nothing. */
static void count_idle(struct sm *s, unsigned k)
{
	s->n.distro[s->idle_bucket[k]]++;
	if (s->profile)
		profile_idle(s, k, 1);
}

/* True when it issued. Policies whose lists change by being looked at are never still. */
static bool schedule(struct sm *s, unsigned k, uint64_t running)
{
	uint64_t mine = s->sched[k].supervised;
	unsigned seen;

	s->still_running = (s->still_running & ~mine) | (running & mine);
	s->still_ibuf = (s->still_ibuf & ~mine) | (s->ibuf & mine);
	seen = run_scheduler(s, k);
	s->still &= ~(1u << k);
	if (seen & SEEN_ISSUED)
		return true;
	s->idle_bucket[k] = seen & SEEN_READY ? 2 : seen & SEEN_VALID ? 1 : 0;
	if (s->profile)
		s->profile->idle[k].row = 0;
	count_idle(s, k);
	if (s->core->policy != SCHED_TWO_LEVEL && s->core->policy != SCHED_RRR)
		s->still |= 1u << k;
	return false;
}

/* Own warps whose state differs from what their scheduler last saw, or may change by being looked at. */
static uint64_t news(const struct sm *s, uint64_t running)
{
	return (running ^ s->still_running) | (s->ibuf ^ s->still_ibuf) | (s->stale & running & s->ibuf)
		| s->membar;
}

/* A scheduler that issued nothing, and has no news since, would do the same again. */
void issue_stage(struct sm *s)
{
	uint32_t n = s->core->schedulers, k = s->sched_first;
	uint64_t running = sched_running(s), fresh = news(s, running);

	s->sched_first = k + 1 == n ? 0 : k + 1;
	if (!fresh && s->still == (1u << n) - 1) {
		for (k = 0; k < n; k++)
			s->n.distro[s->idle_bucket[k]]++;
		if (s->profile)
			profile_idle_all(s, 1);
		return;
	}
	for (uint32_t i = 0; i < n; i++, k = k + 1 == n ? 0 : k + 1) {
		if (s->still >> k & 1 && !(fresh & s->sched[k].supervised)) {
			count_idle(s, k);
		} else if (schedule(s, k, running)) {
			running = sched_running(s);	/* a barrier may have opened for those that follow */
			fresh = news(s, running);
		}
	}
}
