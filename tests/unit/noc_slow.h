/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slow network of routers, written straight from trace-sim-net(7) NET-noc and trace-network(5), for
 * comparison with the engine: plain queues and lists, every router and port visited in every step, allocators
 * that look through a whole matrix (noc_slow_alloc.h), room that is summed up anew at each question.
 *
 * Always true: nothing is shared with the engine but how the network lies (struct noc_plan), the ways of
 * packets (noc_routings) and the generator of random numbers. Left out: tree arbiters, max_size, figures.
 */
#ifndef NOC_SLOW_H
#define NOC_SLOW_H

#include <limits.h>
#include <string.h>
#include "noc_slow_alloc.h"

#define SLOW_P 6  /* ports of a router */
#define SLOW_V 6  /* virtual channels */
#define SLOW_R 16 /* routers, and nodes */
#define SLOW_Q 64 /* entries of a queue */

struct slow_flit {
	uint32_t req, index, vc;
	int priority;
	bool tail;
};

struct slow_queue {
	struct slow_flit at[SLOW_Q];
	int n;
};

/* An entry of a router's list: a virtual channel of an input, or a flit that crosses to output `vc`. */
struct slow_item {
	int in, vc, result, time; /* time when it is done; -1: not begun */
	struct slow_flit flit;
};

struct slow_list {
	struct slow_item at[SLOW_P * SLOW_Q];
	int n;
};

/* What a sender knows of the buffer behind its channel. */
struct slow_room {
	int used[SLOW_V], reserved[SLOW_V];
	bool taken[SLOW_V], tail_sent[SLOW_V];
	int active;                               /* packets that have a channel, less tails sent */
	int sent[SLOW_V][SLOW_Q], n_sent[SLOW_V]; /* feedback: when flits were sent that are measured */
	int before[SLOW_V]; /* simplefeedback: credits to come before that of the measured flit */
	int trip[SLOW_V], limit[SLOW_V], least;
};

struct slow_vc {
	struct slow_queue flits;
	enum noc_state state;
	int port, vc; /* of the output that it has */
};

/* Credits that an input owes, those of a step together; or that are under way to an output. */
struct slow_credits {
	struct {
		bool vc[SLOW_V];
		int time;
	} at[SLOW_Q];
	int n;
};

struct slow_router {
	struct slow_vc vc[SLOW_P][SLOW_V];
	struct slow_flit latch[SLOW_P];
	bool latched[SLOW_P], owing[SLOW_P]; /* owing: in this step */
	struct slow_list route, ask, sw, hold, cross;
	struct slow_alloc vc_alloc, sw_alloc, spec_alloc;
	struct slow_queue output[SLOW_P];
	struct slow_credits owed[SLOW_P], credit[SLOW_P]; /* credit: arrived at an output */
	int sw_turn[SLOW_M], vc_turn[SLOW_P];
	int hold_in[SLOW_M], hold_out[SLOW_M]; /* held connections: the other line, or -1 */
};

/* On its way until `due`: a flit to a port or node (noc_end.to), or a credit to a room. */
struct slow_moving {
	struct slow_flit flit;
	uint32_t to, due;
	bool credit;
};

struct slow_node {
	struct slow_queue source, ejection[SLOW_V], boundary[SLOW_V], retiring;
	int last_vc, vc, turn;
};

struct slow_subnet {
	struct slow_router router[SLOW_R];
	struct slow_node node[SLOW_R];
	struct slow_room room[SLOW_R * SLOW_P + SLOW_R]; /* outputs, then nodes */
	uint32_t used[SLOW_R * SLOW_P + SLOW_R];         /* sum of a room, for routings */
	struct slow_moving moving[SLOW_R * SLOW_P * 64];
	int n_moving;
	struct noc_view view;
};

struct slow {
	struct icnt *c;
	struct noc_plan *plan;
	const uint32_t *node; /* of devices */
	uint32_t clusters;
	struct noc_packet *packet;
	struct noc_random random;
	uint32_t now;
	double steps;
	struct slow_subnet net[2];
};

static inline int opt(const struct slow *x, enum icnt_id id) { return icnt_int(x->c, id); }

static inline void slow_put(struct slow_queue *q, struct slow_flit f)
{
	assert(q->n < SLOW_Q);
	q->at[q->n++] = f;
}

static inline struct slow_flit slow_get(struct slow_queue *q)
{
	struct slow_flit f = q->at[0];

	assert(q->n);
	memmove(q->at, q->at + 1, (size_t)--q->n * sizeof(q->at[0]));
	return f;
}

static inline void slow_append(struct slow_list *l, int in, int vc)
{
	l->at[l->n++] = (struct slow_item){.in = in, .vc = vc, .result = -1, .time = -1};
}

static inline struct slow_item slow_shift(struct slow_list *l)
{
	struct slow_item e = l->at[0];

	memmove(l->at, l->at + 1, (size_t)--l->n * sizeof(l->at[0]));
	return e;
}

/* Q4-36: who begins now: those of a list of which nobody is under way. */
static inline int slow_beginning(const struct slow_list *l) { return l->n && l->at[0].time < 0 ? l->n : 0; }

static inline bool slow_done(const struct slow *x, const struct slow_list *l)
{
	return l->n && l->at[0].time == (int)x->now;
}

/*
 * ---- room (NET-noc-9)
 * ---------------------------------------------------------------------------------------
 */

/* Flits that a part of the buffer holds, or keeps a place for. */
static inline int slow_part(const struct slow *x, const struct slow_room *m, uint32_t part)
{
	int n = 0;

	for (uint32_t v = 0; v < x->c->vcs; v++)
		if (x->c->private_of[v] == part)
			n += m->used[v] + m->reserved[v];
	return n;
}

static inline bool slow_no_place(const struct slow *x, const struct slow_room *m, uint32_t vc)
{
	uint32_t part = x->c->private_of[vc];
	int shared = 0;

	for (uint32_t p = 0; p < x->c->private_bufs; p++)
		if (slow_part(x, m, p) > (int)x->c->private_size[p])
			shared += slow_part(x, m, p) - (int)x->c->private_size[p];
	return !m->reserved[vc] && slow_part(x, m, part) >= (int)x->c->private_size[part] &&
	       shared >= (int)x->c->shared_size;
}

static inline int slow_mean(const struct slow *x, int old, int last)
{
	int scale = opt(x, ICNT_feedback_aging_scale);

	return old < 0 ? last : (last + ((1 << scale) - 1) * old) >> scale;
}

static inline int slow_limit(const struct slow *x, const struct slow_room *m, int trip)
{
	int limit = m->least - (trip - m->least) + opt(x, ICNT_feedback_offset);

	return limit < 1 ? 1 : limit;
}

/* Most flits of one channel. */
static inline int slow_most(const struct slow *x, const struct slow_room *m, uint32_t vc)
{
	int most = m->limit[vc], halves = 0;

	switch (x->c->policy) {
	case POLICY_LIMITED: return (int)x->c->held_max;
	case POLICY_DYNAMIC: return m->active ? (int)x->c->buffer / m->active : INT_MAX;
	case POLICY_SHIFTING:
		while (1 << halves < m->active)
			halves++;
		return (int)x->c->buffer >> halves;
	case POLICY_FEEDBACK:
	case POLICY_SIMPLE_FEEDBACK:
		if (m->n_sent[vc]) {
			int trip = (int)x->now - m->sent[vc][0],
			    now = slow_limit(x, m, slow_mean(x, m->trip[vc], trip));

			return now < most ? now : most;
		}
		return most;
	default: return INT_MAX;
	}
}

static inline bool slow_full(const struct slow *x, const struct slow_room *m, uint32_t vc)
{
	if (x->c->policy == POLICY_PRIVATE)
		return m->used[vc] >= (int)x->c->vc_buffer;
	return slow_no_place(x, m, vc) || m->used[vc] >= slow_most(x, m, vc);
}

static inline void slow_take(struct slow_room *m, uint32_t vc)
{
	m->taken[vc] = true;
	m->tail_sent[vc] = false;
	m->active++;
}

static inline void slow_send(const struct slow *x, struct slow_room *m, const struct slow_flit *f)
{
	uint32_t vc = f->vc;
	bool one = x->c->policy == POLICY_SIMPLE_FEEDBACK;

	if (m->reserved[vc])
		m->reserved[vc]--;
	m->used[vc]++;
	if (!one || !m->n_sent[vc]) {
		m->before[vc] = m->used[vc] - 1;
		m->sent[vc][m->n_sent[vc]++] = (int)x->now;
	}
	if (!f->tail)
		return;
	m->reserved[vc] = 0;
	m->active--;
	m->tail_sent[vc] = true;
	if (!opt(x, ICNT_wait_for_tail_credit))
		m->taken[vc] = false;
}

static inline void slow_credit(const struct slow *x, struct slow_room *m, uint32_t vc)
{
	bool one = x->c->policy == POLICY_SIMPLE_FEEDBACK;

	m->used[vc]--;
	if (opt(x, ICNT_wait_for_tail_credit) && m->tail_sent[vc] && !m->used[vc])
		m->taken[vc] = false;
	if (m->taken[vc] && !m->used[vc] && x->c->policy != POLICY_PRIVATE)
		m->reserved[vc]++;
	if (one && (!m->n_sent[vc] || m->before[vc])) {
		m->before[vc] -= m->before[vc] > 0;
		return;
	}
	m->trip[vc] = slow_mean(x, m->trip[vc], (int)x->now - m->sent[vc][0]);
	m->limit[vc] = slow_limit(x, m, m->trip[vc]);
	memmove(m->sent[vc], m->sent[vc] + 1, (size_t)--m->n_sent[vc] * sizeof(m->sent[vc][0]));
}

#endif
