/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the flow model is told about each static instruction: targets, successors, order of the sides of a
 * branch, and from what the mask follows. Learnt from the records of a part; the reader only gets the result.
 */
#include "flow.h"

#define REFS      8u /* guards before an instruction that its mask may follow from */
#define MISS_COST 5u /* bytes of a mask that was not predicted */

struct ref {
	uint32_t id, like, unlike;
};

struct votes {
	uint32_t n, all, none;
	uint32_t next, next_n; /* another successor, and how much more often it came */
	uint32_t side[3][2];   /* side that ran first by order of size: fall-through, taken */
	struct ref ref[REFS];
};

struct learner {
	struct parsed *p;
	struct pcode *c;
	struct votes *v;
	struct flow f;
	uint32_t *last;  /* mask of each static instruction in this warp */
	bool guards;     /* second pass: targets are known, look at masks */
	uint32_t weight; /* warps that do what this one does */
	uint32_t recent[REFS];
};

/* What comes where the model thought something else. */
static void learn_next(struct learner *l, const struct prec *r, const struct prec *before)
{
	struct flow *f = &l->f;

	if (f->cause != NONE && l->c->s[f->cause].target == NONE) {
		l->c->s[f->cause].target = r->id;
	} else if (before && l->c->s[before->id].ctl == CTL_NONE) {
		struct votes *v = &l->v[before->id];

		if (v->next == r->id) {
			v->next_n += l->weight;
		} else if (v->next_n >= l->weight) {
			v->next_n -= l->weight;
		} else {
			v->next = r->id;
			v->next_n = l->weight - v->next_n;
		}
	}
}

static void learn_side(struct learner *l, const struct prec *branch, uint32_t active, const struct prec *r)
{
	const struct pstatic *s = &l->c->s[branch->id];
	uint32_t fall = active & ~branch->mask;

	if (s->ctl != CTL_BRANCH || !fall || !branch->mask || s->target == NONE || s->target == s->next)
		return;
	unsigned a = bit_count32(branch->mask), b = bit_count32(fall), k = a < b ? 0 : a == b ? 1 : 2;
	if (r->id == s->target)
		l->v[branch->id].side[k][1] += l->weight;
	else if (r->id == s->next)
		l->v[branch->id].side[k][0] += l->weight;
}

/* The vote for guard id, which has mostly the place that it has among the recent ones; NULL: no room. */
static struct ref *ref_of(struct votes *v, uint32_t id, uint32_t place)
{
	if (v->ref[place].id == id)
		return &v->ref[place];
	for (uint32_t k = 0; k < REFS; k++)
		if (v->ref[k].id == id || v->ref[k].id == NONE)
			return &v->ref[k];
	return NULL;
}

static void learn_mask(struct learner *l, const struct prec *r)
{
	struct votes *v = &l->v[r->id];
	uint32_t a = l->f.active;

	v->n += l->weight;
	v->all += r->mask == a ? l->weight : 0;
	v->none += r->mask == 0 ? l->weight : 0;
	if (!l->guards)
		return;
	bool fixed = v->all == v->n || v->none == v->n;
	for (uint32_t i = 0; i < REFS && l->recent[i] != NONE; i++) {
		uint32_t id = l->recent[i], m = l->last[id];
		struct ref *e = ref_of(v, id, i);

		if (!e)
			continue;
		e->id = id;
		e->like += r->mask == (a & m) ? l->weight : 0;
		e->unlike += r->mask == (a & ~m) ? l->weight : 0;
	}
	l->last[r->id] = r->mask;
	if (fixed)
		return;
	uint32_t k = 0;
	while (k < REFS - 1 && l->recent[k] != r->id)
		k++;
	memmove(l->recent + 1, l->recent, k * sizeof(l->recent[0]));
	l->recent[0] = r->id;
}

static void learn_warp(struct learner *l, const struct pwarp *w)
{
	const struct prec *before = NULL;
	uint32_t active = 0;

	flow_start(&l->f, l->c, flow_lanes(&l->p->part, w->id));
	for (uint32_t i = 0; i < REFS; i++)
		l->recent[i] = NONE;
	if (l->guards)
		memset(l->last, 0, l->c->n * sizeof(l->last[0]));
	for (uint32_t i = 0; i < w->count; i++) {
		const struct prec *r = &l->p->rec[w->first + i];

		if (before && !l->guards)
			learn_side(l, before, active, r);
		if (r->id != l->f.id) {
			learn_next(l, r, before);
			flow_goto(&l->f, r->id);
		}
		if (r->mask & ~l->f.active)
			flow_take(&l->f, r->mask);
		learn_mask(l, r);
		active = l->f.active;
		flow_step(&l->f, r->id, r->mask);
		before = r;
	}
}

static void learn_pass(struct learner *l, bool guards)
{
	l->guards = guards;
	for (uint32_t i = 0; i < l->c->n; i++) {
		l->v[i].n = l->v[i].all = l->v[i].none = 0;
		for (uint32_t k = 0; k < REFS; k++)
			l->v[i].ref[k].id = NONE;
	}
	for (uint32_t i = 0; i < l->p->n_warp; i++) {
		l->weight = l->p->warp[i].weight;
		if (l->p->warp[i].like == i && parsed_counts(l->p, i))
			learn_warp(l, &l->p->warp[i]);
	}
}

static void choose_flow(struct learner *l)
{
	for (uint32_t i = 0; i < l->c->n; i++) {
		struct pstatic *s = &l->c->s[i];
		const struct votes *v = &l->v[i];

		if (v->next_n > v->n / 2)
			s->next = v->next;
		for (unsigned k = 0; k < 3; k++)
			if (v->side[k][0] + v->side[k][1])
				s->order = (uint8_t)((s->order & ~(1u << k)) |
						     (unsigned)(v->side[k][1] > v->side[k][0]) << k);
	}
}

static void choose_guard(struct pstatic *s, const struct votes *v)
{
	uint32_t best = v->all, none = v->none;

	s->guard = GUARD_ALL;
	if (none > best) {
		best = none;
		s->guard = GUARD_NONE;
	}
	for (uint32_t k = 0; k < REFS && v->ref[k].id != NONE && best < v->n; k++) {
		const struct ref *r = &v->ref[k];
		uint32_t hits = r->like >= r->unlike ? r->like : r->unlike;

		if (hits <= best + v->n / 64)
			continue;
		best = hits;
		s->guard = r->like >= r->unlike ? GUARD_LIKE : GUARD_UNLIKE;
		s->guard_ref = r->id;
	}
	if ((v->n - best) * MISS_COST > v->n / 4 + (v->n - best))
		s->guard = GUARD_CODED;
	if (s->guard < GUARD_LIKE)
		s->guard_ref = 0;
}

/* Where the immediate names a PC of the part. */
static void known_targets(struct pcode *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct pstatic *s = &c->s[i];

		s->next = i + 1 < c->n ? i + 1 : NONE;
		s->order = 1;
		s->target = flow_has_target(s) ? flow_target(c, s) : NONE;
	}
}

void learn_flow(struct parsed *p)
{
	struct learner l = {.p = p, .c = &p->part.code};

	l.v = xcalloc(l.c->n + 1, sizeof(l.v[0]));
	l.last = xcalloc(l.c->n + 1, sizeof(l.last[0]));
	for (uint32_t i = 0; i < l.c->n; i++)
		l.v[i].next = NONE;
	known_targets(l.c);
	learn_pass(&l, false);
	choose_flow(&l);
	learn_pass(&l, true);
	for (uint32_t i = 0; i < l.c->n; i++)
		choose_guard(&l.c->s[i], &l.v[i]);
	flow_slots(l.c);
	free(l.v);
	free(l.last);
}
