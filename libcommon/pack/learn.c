/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Training of the flow model on the records of a part. For each static instruction it finds the target, the
 * successor, the order of the sides of a branch, and the source of the mask. The stream contains only the result.
 */
#include "flow.h"

#define REFS      8u /* number of preceding guards that can predict the mask of an instruction */
#define MISS_COST 5u /* number of bytes that a mask without prediction takes */

/* Four masks that are processed at once. */
typedef uint32_t fours __attribute__((vector_size(16)));
union four {
	uint32_t n[4];
	fours all;
};

struct votes {
	uint32_t n;           /* number of executions */
	uint32_t full_masks;  /* number of full masks */
	uint32_t empty_masks; /* number of empty masks */
	/* [0]: executions of stretches that begin here; [1]: of stretches that end before here; see add_stretches() */
	uint32_t stretch_ends[2];
	bool even; /* true if, in the first pass, the instruction always had the mask of the active lanes */
	uint32_t next;       /* candidate for another successor */
	uint32_t next_n;     /* lead of the candidate */
	uint32_t side[3][2]; /* counts of the side that ran first: the fall-through or the taken side */
	uint32_t ref[REFS];  /* guards as memory instructions, or NONE */
	/*
	 * Number of times that the mask equalled a guard's mask (like), or the active lanes without it (unlike). The
	 * last element counts guards without a slot.
	 */
	uint32_t like[REFS + 1], unlike[REFS + 1];
	/*
	 * Recent guards of the last execution, their indices in ref[], and the counts that are not yet added to like
	 * and unlike.
	 */
	uint32_t was[REFS], place[REFS];
	union four new_like[REFS / 4], new_unlike[REFS / 4];
};

struct learner {
	struct parsed *parsed;
	struct pcode *code;
	struct votes *votes;      /* counts of each static instruction */
	struct flow flow;         /* predictor of the current warp */
	bool is_second_pass;      /* true in the second pass, which is over masks: targets are then known */
	uint32_t *warp;           /* warps to learn from: the first ones of their paths */
	uint32_t n_warps;         /* number of these warps */
	uint32_t *stretch_length; /* by number in runs: length of the stretch that begins there, or 0 */
	uint32_t weight;          /* number of warps that equal this one */
	uint32_t recent[REFS];    /* guards of this warp, newest first */
	union four recent_mask[REFS / 4]; /* masks of these guards */
};

/* An executed instruction and its lanes. */
struct learn_step {
	uint32_t id, mask;
};

/* Learns from a successor that was not predicted. */
static void learn_successor(struct learner *l, const struct learn_step *r, const struct learn_step *before)
{
	struct flow *f = &l->flow;

	if (f->cause != NONE && l->code->statics[f->cause].target == NONE) {
		l->code->statics[f->cause].target = r->id;
	} else if (before && l->code->statics[before->id].ctl == CTL_NONE) {
		struct votes *v = &l->votes[before->id];

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

static void learn_branch_side(
	struct learner *l, const struct learn_step *branch, uint32_t active, const struct learn_step *r)
{
	const struct pstatic *s = &l->code->statics[branch->id];
	uint32_t fall = active & ~branch->mask;

	if (s->ctl != CTL_BRANCH || !fall || !branch->mask || s->target == NONE || s->target == s->next)
		return;
	unsigned a = bit_count32(branch->mask), b = bit_count32(fall), k = a < b ? 0 : a == b ? 1 : 2;
	if (r->id == s->target)
		l->votes[branch->id].side[k][1] += l->weight;
	else if (r->id == s->next)
		l->votes[branch->id].side[k][0] += l->weight;
}

static void add_votes(struct votes *v)
{
	for (uint32_t i = 0; i < REFS; i++) {
		v->like[v->place[i]] += v->new_like[i / 4].n[i % 4];
		v->unlike[v->place[i]] += v->new_unlike[i / 4].n[i % 4];
	}
	memset(v->new_like, 0, sizeof(v->new_like));
	memset(v->new_unlike, 0, sizeof(v->new_unlike));
}

/* Finds the indices of the recent guards if they changed since the last execution. */
static void match_recent_guards(struct votes *v, const uint32_t recent[REFS])
{
	add_votes(v);
	for (uint32_t i = 0; i < REFS; i++) {
		uint32_t k = recent[i] == NONE ? REFS : 0;

		while (k < REFS && v->ref[k] != recent[i] && v->ref[k] != NONE)
			k++;
		if (k < REFS)
			v->ref[k] = recent[i];
		v->place[i] = k;
		v->was[i] = recent[i];
	}
}

/* Counts the recent guards that would have predicted the mask. */
static void learn_refs(struct learner *l, struct votes *v, uint32_t mask)
{
	const uint32_t a = l->flow.active, weight = l->weight;

	if (l->recent[0] == NONE)
		return;
	if (memcmp(v->was, l->recent, sizeof(v->was)) != 0)
		match_recent_guards(v, l->recent);
	for (uint32_t i = 0; i < REFS / 4; i++) {
		const union four m = l->recent_mask[i];

		v->new_like[i].all += (fours)((m.all & a) == mask) & weight;
		v->new_unlike[i].all += (fours)((~m.all & a) == mask) & weight;
	}
}

static void learn_mask(struct learner *l, const struct learn_step *r)
{
	struct votes *v = &l->votes[r->id];
	uint32_t k = 0;

	v->n += l->weight;
	v->full_masks += r->mask == l->flow.active ? l->weight : 0;
	if (!l->is_second_pass)
		return;
	v->empty_masks += r->mask == 0 ? l->weight : 0;
	if (!v->even)
		learn_refs(l, v, r->mask);
	/*
	 * An instruction becomes a guard when its mask is neither full nor empty for the first time. It then remains
	 * one.
	 */
	if (v->full_masks == v->n || v->empty_masks == v->n)
		return;
	while (k < REFS - 1 && l->recent[k] != r->id)
		k++;
	for (; k; k--) {
		l->recent[k] = l->recent[k - 1];
		l->recent_mask[k / 4].n[k % 4] = l->recent_mask[(k - 1) / 4].n[(k - 1) % 4];
	}
	l->recent[0] = r->id;
	l->recent_mask[0].n[0] = r->mask;
}

/*
 * Counts the instructions of a run from number i on that belong to a stretch and that all active lanes execute.
 * Returns how many they are.
 */
static uint32_t learn_stretch(struct learner *l, const struct pack_run *r, uint32_t i)
{
	const uint32_t id = l->parsed->static_of[i], left = r->id + r->n - i;
	const uint32_t n = l->stretch_length[i] < left ? l->stretch_length[i] : left;

	if (!n || id != l->flow.id || r->mask != l->flow.active)
		return 0;
	l->votes[id].stretch_ends[0] += l->weight;
	l->votes[id + n].stretch_ends[1] += l->weight;
	l->flow.id = l->code->statics[id + n - 1].next;
	l->flow.cause = NONE;
	return n;
}

static void learn_inst(struct learner *l, const struct learn_step *now, const struct learn_step *before)
{
	if (now->id != l->flow.id) {
		learn_successor(l, now, before);
		flow_set_next(&l->flow, now->id);
	}
	if (now->mask & ~l->flow.active)
		flow_activate_lanes(&l->flow, now->mask);
	learn_mask(l, now);
}

static void learn_warp(struct learner *l, const struct pwarp *w)
{
	const struct parsed *p = l->parsed;
	struct learn_step now, was;
	const struct learn_step *before = NULL;
	uint32_t active = 0;

	flow_start(&l->flow, l->code, flow_lanes(&p->part, w->id));
	for (uint32_t i = 0; i < REFS; i++)
		l->recent[i] = NONE;
	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t i = r->id, n; i < r->id + r->n; i += n) {
			now = (struct learn_step){p->static_of[i], r->mask};
			if (before && !l->is_second_pass)
				learn_branch_side(l, before, active, &now);
			n = learn_stretch(l, r, i);
			if (n) {
				now.id += n - 1;
				active = now.mask;
			} else {
				n = 1;
				learn_inst(l, &now, before);
				active = l->flow.active;
				flow_step(&l->flow, now.id, now.mask);
			}
			was = now;
			before = &was;
		}
	}
}

/*
 * Finds the stretches: instructions with consecutive numbers, each the predicted successor of the one before it, that
 * do not change the flow. In the second pass, the active lanes executed each of them in the first pass. Such
 * instructions are no guards and need none, so a stretch is counted as one.
 */
static void find_stretches(struct learner *l)
{
	const struct parsed *p = l->parsed;

	for (uint32_t i = p->n_met; i-- > 0;) {
		const uint32_t id = p->static_of[i];
		const struct pstatic *s = &l->code->statics[id == NONE ? 0 : id];
		bool next = i + 1 < p->n_met && p->static_of[i + 1] == id + 1 && s->next == id + 1;

		l->stretch_length[i] = 0;
		if (id != NONE && s->ctl == CTL_NONE &&
			(!l->is_second_pass || l->votes[id].full_masks == l->votes[id].n))
			l->stretch_length[i] = 1 + (next ? l->stretch_length[i + 1] : 0);
	}
}

/* Adds the executions of stretches to the counts of their instructions. */
static void add_stretches(struct learner *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->code->n_statics; i++) {
		struct votes *v = &l->votes[i];

		n += v->stretch_ends[0] - v->stretch_ends[1];
		v->stretch_ends[0] = v->stretch_ends[1] = 0;
		v->n += n;
		v->full_masks += n;
	}
	l->votes[l->code->n_statics].stretch_ends[1] = 0;
}

static void run_learning_pass(struct learner *l, bool is_second_pass)
{
	l->is_second_pass = is_second_pass;
	find_stretches(l);
	for (uint32_t i = 0; i < l->code->n_statics; i++) {
		l->votes[i].even = l->votes[i].full_masks == l->votes[i].n;
		l->votes[i].n = l->votes[i].full_masks = l->votes[i].empty_masks = 0;
		for (uint32_t k = 0; k < REFS; k++)
			l->votes[i].ref[k] = NONE;
	}
	for (uint32_t i = 0; i < l->n_warps; i++) {
		const struct pwarp *w = &l->parsed->warp[l->warp[i]];

		l->weight = w->weight;
		learn_warp(l, w);
	}
	add_stretches(l);
}

static void choose_flow(struct learner *l)
{
	for (uint32_t i = 0; i < l->code->n_statics; i++) {
		struct pstatic *s = &l->code->statics[i];
		const struct votes *v = &l->votes[i];

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
	uint32_t best = v->full_masks, none = v->empty_masks;

	s->guard = GUARD_ALL;
	if (none > best) {
		best = none;
		s->guard = GUARD_NONE;
	}
	for (uint32_t k = 0; k < REFS && v->ref[k] != NONE && best < v->n; k++) {
		bool like = v->like[k] >= v->unlike[k];
		uint32_t hits = like ? v->like[k] : v->unlike[k];

		if (hits <= best + v->n / 64)
			continue;
		best = hits;
		s->guard = like ? GUARD_LIKE : GUARD_UNLIKE;
		s->guard_ref = v->ref[k];
	}
	if ((v->n - best) * MISS_COST > v->n / 4 + (v->n - best))
		s->guard = GUARD_CODED;
	if (s->guard < GUARD_LIKE)
		s->guard_ref = 0;
}

/* Sets the targets that are known because the immediate is the PC of an instruction of the part. */
static void set_known_targets(struct pcode *c)
{
	for (uint32_t i = 0; i < c->n_statics; i++) {
		struct pstatic *s = &c->statics[i];

		s->next = i + 1 < c->n_statics ? i + 1 : NONE;
		s->order = 1;
		s->target = flow_has_target(s) ? flow_target(c, s) : NONE;
	}
}

/* Finds the warps to learn from. */
static void find_learned_warps(struct learner *l)
{
	const struct parsed *p = l->parsed;

	l->warp = xmalloc((p->n_paths + 1u) * sizeof(l->warp[0]));
	for (uint32_t i = 0; i < p->n_warp; i++)
		if (p->warp[i].first_alike == i && parsed_counts(p, i))
			l->warp[l->n_warps++] = i;
}

void pack_train_flow(struct parsed *p)
{
	struct learner l = {.parsed = p, .code = &p->part.code};

	l.votes = xcalloc(l.code->n_statics + 1, sizeof(l.votes[0]));
	for (uint32_t i = 0; i < l.code->n_statics; i++)
		l.votes[i].next = NONE;
	l.stretch_length = xcalloc(p->n_met + 1u, sizeof(l.stretch_length[0]));
	find_learned_warps(&l);
	set_known_targets(l.code);
	run_learning_pass(&l, false);
	choose_flow(&l);
	run_learning_pass(&l, true);
	for (uint32_t i = 0; i < l.code->n_statics; i++) {
		if (!l.votes[i].even)
			add_votes(&l.votes[i]);
		choose_guard(&l.code->statics[i], &l.votes[i]);
	}
	flow_assign_slots(l.code);
	free(l.stretch_length);
	free(l.warp);
	free(l.votes);
}
