/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow of a warp: prediction of the next instruction and its lanes from the instructions executed so far.
 *
 * Writer and reader run the same predictor. If a prediction is wrong, the writer stores the actual value, and both
 * correct the predictor. Lanes are active, in a waiting group, arrived at a convergence point, or ended. The groups
 * of a divergent branch run one after another, starting with the group that was set aside last.
 */
#ifndef PACK_FLOW_H
#define PACK_FLOW_H

#include "bits.h"
#include "format.h"

#define GROUPS_MAX 64u
#define WAITS_MAX  32u
#define CALLS_MAX  16u

struct flow {
	const struct pstatic *statics; /* static instructions by number */
	uint32_t id;                   /* predicted instruction; NONE if the warp ends */
	uint32_t active;               /* lanes of the predicted instruction */
	uint32_t live;                 /* lanes that have not ended */
	uint32_t cause; /* instruction with the unknown target that prevents a prediction, or NONE */
	uint32_t n_groups, n_waits, n_calls;
	struct flow_group {
		uint32_t id, mask, cause; /* next instruction and lanes of a waiting group */
	} group[GROUPS_MAX];
	struct flow_wait {
		uint32_t mask, arrived, resume, from;
	} wait[WAITS_MAX];
	uint32_t call[CALLS_MAX]; /* return addresses */
};

static inline void flow_start(struct flow *f, const struct pcode *c, uint32_t lanes)
{
	f->statics = c->statics;
	f->id = c->n_statics ? 0 : NONE;
	f->active = f->live = lanes;
	f->cause = NONE;
	f->n_groups = f->n_waits = f->n_calls = 0;
}

static inline void flow_push(struct flow *f, uint32_t id, uint32_t mask, uint32_t cause)
{
	if (!mask)
		return;
	if (f->n_groups == GROUPS_MAX)
		memmove(f->group, f->group + 1, --f->n_groups * sizeof(f->group[0]));
	f->group[f->n_groups++] = (struct flow_group){id, mask, cause};
}

static inline void flow_release(struct flow *f, uint32_t w)
{
	f->active = f->wait[w].arrived & f->live;
	f->id = f->wait[w].resume;
	f->cause = f->id == NONE ? f->wait[w].from : NONE;
	f->n_waits--;
	memmove(f->wait + w, f->wait + w + 1, (f->n_waits - w) * sizeof(f->wait[0]));
}

/* Selects the next group after the last active lane has ended or waits. */
static inline void flow_pop(struct flow *f)
{
	f->cause = NONE;
	for (uint32_t w = f->n_waits; w-- > 0;) {
		const struct flow_wait *x = &f->wait[w];

		if (x->arrived && x->arrived == (x->mask & f->live)) {
			flow_release(f, w);
			return;
		}
	}
	while (f->n_groups) {
		const struct flow_group *g = &f->group[--f->n_groups];

		if (!g->mask)
			continue;
		f->active = g->mask;
		f->id = g->id;
		f->cause = g->cause;
		return;
	}
	for (uint32_t w = f->n_waits; w-- > 0;) {
		if (f->wait[w].arrived & f->live) {
			flow_release(f, w);
			return;
		}
	}
	f->active = 0;
	f->id = NONE;
}

static inline void flow_branch(struct flow *f, uint32_t id, uint32_t taken)
{
	const struct pstatic *s = &f->statics[id];
	uint32_t fall = f->active & ~taken, cause = s->target == NONE ? id : NONE;

	if (!fall && taken) {
		f->id = s->target;
		f->cause = cause;
		return;
	}
	f->id = s->next;
	if (!taken)
		return;
	unsigned a = bit_count32(taken), b = bit_count32(fall);
	if (s->order >> (a < b ? 0 : a == b ? 1 : 2) & 1) {
		flow_push(f, s->next, fall, NONE);
		f->active = taken;
		f->id = s->target;
		f->cause = cause;
	} else {
		flow_push(f, s->target, taken, cause);
		f->active = fall;
	}
}

static inline void flow_arrive(struct flow *f, uint32_t id, uint32_t lanes, bool settle)
{
	uint32_t w = f->n_waits;

	while (w-- > 0) {
		struct flow_wait *x = &f->wait[w];

		if (!(x->mask & lanes))
			continue;
		x->arrived |= lanes;
		if (!settle)
			x->resume = f->statics[id].next;
		f->active &= ~lanes;
		if (f->active)
			f->id = f->statics[id].next;
		else
			flow_pop(f);
		return;
	}
	f->id = f->statics[id].next;
}

static inline void flow_set(struct flow *f, uint32_t id)
{
	const struct pstatic *s = &f->statics[id];

	if (f->n_waits == WAITS_MAX)
		memmove(f->wait, f->wait + 1, --f->n_waits * sizeof(f->wait[0]));
	f->wait[f->n_waits++] = (struct flow_wait){f->active, 0, s->target, id};
	f->id = s->next;
}

static inline void flow_call(struct flow *f, uint32_t id, uint32_t lanes)
{
	const struct pstatic *s = &f->statics[id];

	if (lanes) {
		if (f->n_calls == CALLS_MAX)
			memmove(f->call, f->call + 1, --f->n_calls * sizeof(f->call[0]));
		f->call[f->n_calls++] = s->next;
	}
	flow_branch(f, id, lanes);
}

static inline void flow_return(struct flow *f, uint32_t id, uint32_t lanes)
{
	if (!lanes || !f->n_calls) {
		f->id = f->statics[id].next;
		return;
	}
	flow_push(f, f->statics[id].next, f->active & ~lanes, NONE);
	f->active = lanes;
	f->id = f->call[--f->n_calls];
}

/* Advances past an instruction that these lanes executed. All of them must be active. */
static inline void flow_step(struct flow *f, uint32_t id, uint32_t lanes)
{
	f->cause = NONE;
	switch ((enum ctl)f->statics[id].ctl) {
	case CTL_NONE: f->id = f->statics[id].next; return;
	case CTL_BRANCH: flow_branch(f, id, lanes); return;
	case CTL_EXIT:
		f->active &= ~lanes;
		f->live &= ~lanes;
		f->id = f->statics[id].next;
		if (!f->active)
			flow_pop(f);
		return;
	case CTL_SET: flow_set(f, id); return;
	case CTL_SYNC:
	case CTL_SETTLE: flow_arrive(f, id, lanes, f->statics[id].ctl == CTL_SETTLE); return;
	case CTL_CALL: flow_call(f, id, lanes); return;
	case CTL_RETURN: flow_return(f, id, lanes); return;
	}
}

/*
 * Corrects the predicted instruction to id. Selects the group that waits at id. If no group waits there, moves the
 * active lanes to id.
 */
static inline void flow_set_next(struct flow *f, uint32_t id)
{
	f->cause = NONE;
	for (uint32_t g = f->n_groups; g-- > 0;) {
		if (f->group[g].id != id)
			continue;
		uint32_t mask = f->group[g].mask;
		memmove(f->group + g, f->group + g + 1, (f->n_groups - g - 1) * sizeof(f->group[0]));
		f->n_groups--;
		flow_push(f, f->id, f->id == NONE ? 0 : f->active, NONE);
		f->active = mask;
		break;
	}
	f->id = id;
}

/* Makes only these lanes active. They execute f->id contrary to the prediction. */
static inline void flow_activate_lanes(struct flow *f, uint32_t lanes)
{
	uint32_t rest = f->active & ~lanes;

	for (uint32_t g = 0; g < f->n_groups; g++)
		f->group[g].mask &= ~lanes;
	for (uint32_t w = 0; w < f->n_waits; w++)
		f->wait[w].arrived &= ~lanes;
	flow_push(f, f->id, rest, NONE);
	f->active = lanes;
	f->live |= lanes;
}

/* Returns true if the first immediate of the instruction is the PC of another instruction. */
static inline bool flow_has_target(const struct pstatic *s)
{
	return s->ctl == CTL_BRANCH || s->ctl == CTL_SET || s->ctl == CTL_CALL;
}

/* Returns the first instruction at the PC that is the immediate of s; NONE if there is none. */
static inline uint32_t flow_target(const struct pcode *c, const struct pstatic *s)
{
	uint32_t lo = 0, hi = c->n_statics;

	if (s->imm > UINT32_MAX)
		return NONE;
	while (lo < hi) {
		uint32_t m = (lo + hi) / 2;

		if (c->statics[m].pc < s->imm)
			lo = m + 1;
		else
			hi = m;
	}
	return lo < c->n_statics && c->statics[lo].pc == s->imm ? lo : NONE;
}

/* Assigns a slot to each instruction to which a guard refers. */
static inline void flow_assign_slots(struct pcode *c)
{
	c->n_guard_slots = 0;
	for (uint32_t i = 0; i < c->n_statics; i++)
		c->statics[i].guard_slot = 0;
	for (uint32_t i = 0; i < c->n_statics; i++) {
		struct pstatic *s = &c->statics[i];

		if (s->guard >= GUARD_LIKE && !c->statics[s->guard_ref].guard_slot)
			c->statics[s->guard_ref].guard_slot = ++c->n_guard_slots;
	}
}

static inline uint32_t flow_lanes(const struct part *p, uint32_t warp)
{
	uint32_t first = warp * 32;

	if (!p->threads || first >= p->threads || p->threads - first >= 32)
		return UINT32_MAX;
	return (1u << (p->threads - first)) - 1;
}

#endif
