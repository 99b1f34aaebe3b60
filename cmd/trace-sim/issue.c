/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The issue stage: every scheduler once, and what an issue does (part 2 sections 5 to 7). Always true:
 * whatever one issue changes is seen by the schedulers that run later in the same cycle. What the warps of all
 * schedulers can do is worked out together, as masks (struct outlook), and again only after an issue that
 * changed the state of another scheduler's warps.
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

	for (unsigned w = 0; w < c->warps; w += c->schedulers)
		s->spread |= 1ull << w;
	for (unsigned k = 0; k < c->schedulers; k++) {
		s->last[k] = (int16_t)(none ? (int)k - (int)c->schedulers : (int)k);
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
	const struct uop *u = p->head;
	uint32_t index = p->cursor - p->buffered;
	const struct rec *rec = &p->rec[index];
	uint16_t h = sm_winst_new(s);
	struct winst *in = &s->winst[h];

	in->uid = ++s->next_uid;
	in->uop = u;
	in->code = rec->inst;
	in->mask = rec->mask;
	in->rec = p->first + index;
	in->warp = (uint8_t)w;
	in->sched = (uint8_t)k;
	in->cta = p->cta;
	in->space = (uint8_t)space_of(s, p, u, rec);
	in->lanes = (uint8_t)(rec->mask == UINT32_MAX ? 32 : bit_count32(rec->mask));
	id_oc_put(s, &s->id_oc[u->unit], k, h);
	s->collector.may_allocate = true;
	s->changed = true;
	scoreboard_reserve(s, w, u, is_long_operation(in));
	p->fetch_pc = u->pc + 16;
	ibuffer_advance(s, w);
	if (s->events)
		events_issue(s->events, s->now, s->id, w, u->pc, k);
	s->n.distro[2 + in->lanes]++;	/* quirk Q4: no lane counts as a stall */
	if (index == p->last)
		end_warp(s, w);
	if (!(u->flags & (UOP_ATOMIC | UOP_LDGSTS | UOP_BARRIER | UOP_MEMBAR | UOP_LDGDEPBAR | UOP_DEPBAR)))
		return;
	if (u->flags & UOP_ATOMIC && in->lanes) {
		p->atomics += in->lanes;
		s->atomic |= 1ull << w;
	}
	if (u->flags & UOP_LDGSTS)
		ldgsts_issue(s, w, in, lane0_address(s, p, rec));
	start_waiting(s, w, u);
}

/* quirk Q5: the second of a dual issue counts twice. */
static void count_issue(struct sm *s, unsigned w, unsigned nth)
{
	s->n.issue_hist[w] += nth;
	if ((int32_t)w > s->n.issue_hist_top)
		s->n.issue_hist_top = (int32_t)w;
}

static bool issuable(struct sm *s, unsigned w) { return !warp_waiting(s, w) && s->ibuf >> w & 1; }

static bool can_go(const struct sm *s, unsigned k, unsigned w)
{
	return !(s->collide >> w & 1) && id_oc_room(s, &s->id_oc[s->warp[w].head->unit], k);
}

static unsigned type_of(const struct uop *u) { return u->unit < UNIT_SPEC ? u->unit : ANY_SPEC; }

/*
 * Issue what warp w has first, which can go, and what is behind it as far as the policy allows. Waiting is
 * asked before the count: a barrier without loads to wait for ends as soon as it has issued. Returns how many.
 */
static unsigned issue_from(struct sm *s, unsigned k, unsigned w)
{
	const struct core_params *c = s->core;
	unsigned n = 0, previous;

	do {
		previous = type_of(s->warp[w].head);
		if (s->profile)
			profile_issue(s, w, n);
		issue(s, k, w);
		count_issue(s, w, ++n);
	} while (issuable(s, w) && n < c->max_issue && can_go(s, k, w) &&
		 !(c->dual_issue_diff && type_of(s->warp[w].head) == previous));
	if (s->spread << k >> w & 1)
		s->last[k] = (int16_t)w;
	if (n == 1)
		s->n.single_issue[k]++;
	else
		s->n.dual_issue[k]++;
	return n;
}

unsigned sched_visit(struct sm *s, unsigned k, unsigned w, unsigned *seen)
{
	if (!issuable(s, w))
		return 0;
	*seen |= s->collide >> w & 1 ? SEEN_VALID : SEEN_VALID | SEEN_READY;
	if (!can_go(s, k, w))
		return 0;
	*seen |= SEEN_ISSUED;
	return issue_from(s, k, w);
}

/* ---- the stage ----------------------------------------------------------------------------- */

/* A cycle in which scheduler k issued nothing, by its bucket. */
static void count_idle(struct sm *s, unsigned k, unsigned bucket)
{
	s->idle_bucket[k] = (uint8_t)bucket;
	s->n.distro[bucket]++;
	if (s->profile) {
		s->profile->idle[k].row = 0;
		profile_idle(s, k, 1);
	}
}

/* Warps that wait for nothing and have an instruction; those of them that do not collide; those that can issue. */
struct outlook { uint64_t valid, ready, go, at_barrier; };

static struct outlook look(const struct sm *s)
{
	uint64_t valid = sched_running(s) & s->ibuf, ready = valid & ~s->collide;

	return (struct outlook){valid, ready, ready ? ready & ~sched_blocked(s) : 0, s->at_barrier};
}

/* What an issue does to warps of other schedulers: it may open a barrier, or take room that all share. */
static bool outdated(const struct sm *s, const struct outlook *o)
{
	return s->any_slot || s->at_barrier != o->at_barrier;
}

/* Scheduler k, when what a visit would find is known beforehand. */
static void schedule(struct sm *s, unsigned k, struct outlook *o)
{
	uint64_t mine = s->spread << k;

	if (!(o->go & mine)) {
		count_idle(s, k, o->ready & mine ? 2 : (o->valid & mine) != 0);
		return;
	}
	issue_from(s, k, sched_pick(s, k, o->go & mine));
	if (outdated(s, o))
		*o = look(s);
}

static void schedule_by_visits(struct sm *s, unsigned k)
{
	unsigned seen;

	switch (s->core->policy) {
	case SCHED_TWO_LEVEL: seen = sched_two_level(s, k); break;
	case SCHED_RRR: seen = sched_rrr(s, k); break;
	default: seen = sched_ordered(s, k); break;
	}
	if (!(seen & SEEN_ISSUED))
		count_idle(s, k, seen & SEEN_READY ? 2 : seen & SEEN_VALID ? 1 : 0);
}

void issue_stage(struct sm *s)
{
	enum sched_policy policy = s->core->policy;
	uint32_t n = s->core->schedulers, k = s->sched_first;
	bool masks = policy == SCHED_LRR || policy == SCHED_GTO || policy == SCHED_OLD;
	struct outlook o = {0, 0, 0, 0};

	masks = masks && !(s->membar & s->live);	/* looking at a memory barrier may end it */
	if (masks)
		o = look(s);
	s->sched_first = k + 1 == n ? 0 : k + 1;
	for (uint32_t i = 0; i < n; i++, k = k + 1 == n ? 0 : k + 1) {
		if (masks)
			schedule(s, k, &o);
		else
			schedule_by_visits(s, k);
	}
}
