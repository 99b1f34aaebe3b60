/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step of the routers that most networks have: ways known on arrival, both allocators islip with one round, nothing
 * speculative or held, no priorities, no speedup, private buffers, one step through the switch, at most 64 ports and
 * virtual channels. The same as noc_router.c, to the order of its lists, with sets for these.
 *
 * Always true between two cycles: a head stands at the outputs that it asks for, and a channel whose next flit could
 * cross at its own, so that nobody is asked in vain and a router in which nothing can move is not visited. Where a list
 * would have a channel follows from two numbers of it; only those who cross in one step are put in order, for they draw
 * random numbers, and look at routers, one after the other.
 */
#include <stdlib.h>
#include "arena.h"
#include "net/noc_step.h"

/*
 * noc_vc.order: so many numbers for each time, first those of arrivals, then those of heads behind a tail
 * that crosses.
 */
#define ORDERS 128
#define BEHIND 64

bool noc_quick_fits(const struct noc *n)
{
	const struct icnt *c = &n->conf;

	return n->lookahead && !n->noq && n->vc_delay == 1 && n->sw_delay == 1 && !n->speculative &&
	       !n->hold && !n->shuffle && !n->busy_when_full && !n->empty_first && n->input_speedup == 1 &&
	       n->output_speedup == 1 && c->speedup == 1 && n->output_max < 0 && c->crossbar_delay == 1 &&
	       c->policy == POLICY_PRIVATE && c->vc_alloc.kind == ALLOCATOR_ISLIP &&
	       c->vc_alloc.rounds == 1 && c->sw_alloc.kind == ALLOCATOR_ISLIP && c->sw_alloc.rounds == 1 &&
	       !n->priorities && n->vcs <= 64 && n->plan->most_ports <= 64;
}

void noc_quick_init(struct noc_quick *q, uint32_t ports, uint32_t vcs)
{
	q->words = BITSET_WORDS(ports * vcs + 1);
	q->open = ~0ull >> (64 - ports);
	q->port = xcalloc(ports, sizeof(*q->port));
	q->out = xcalloc((size_t)ports * vcs, sizeof(*q->out));
	q->ready = xcalloc((size_t)ports * ports, sizeof(*q->ready));
	q->waiting = xcalloc((size_t)ports * q->words, sizeof(*q->waiting));
}

void noc_quick_free(struct noc_quick *q)
{
	free(q->port);
	free(q->out);
	free(q->ready);
	free(q->waiting);
}

/* ---- who could cross -------------------------------------------------------------------------------------------- */

static void set_ready(struct noc_router *r, const struct noc_vc *v)
{
	struct noc_quick *q = &r->quick;
	uint32_t in = v->in, out = v->port;

	q->ready[in * r->ports + out] |= 1ull << v->in_vc;
	q->port[out].wants |= 1ull << in;
	q->wanted |= 1ull << out;
}

static void clear_ready(struct noc_router *r, const struct noc_vc *v)
{
	struct noc_quick *q = &r->quick;
	uint32_t in = v->in, out = v->port;

	if (q->ready[in * r->ports + out] &= ~(1ull << v->in_vc))
		return;
	if (q->port[out].wants &= ~(1ull << in))
		return;
	q->wanted &= ~(1ull << out);
}

bool noc_quick_credit(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t room, uint32_t vc)
{
	struct noc_quick *q = &r->quick;
	uint32_t port = room - r->base;
	bool was_full = s->room.vc_used[room * n->vcs + vc] == n->conf.vc_buffer;

	noc_room_credit(&n->conf, &s->room, room, vc, (uint32_t)n->time);
	if (was_full) {
		const struct noc_vc *v = &s->vc[r->base * n->vcs + q->out[port * n->vcs + vc].owner];

		if (v->state == NOC_ACTIVE && v->port == port && v->vc == vc && v->count)
			set_ready(r, v);
	}
	if (s->room.wait_for_tail && noc_room_free_vc(&s->room, room, vc))
		q->open |= 1ull << port;
	return q->wanted || q->asked & q->open;
}

static void credits(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	while (r->credit.count) {
		struct noc_credit *c = &r->credit.slot[r->credit.head & r->credit.mask];

		if (n->time < c->time)
			break;
		noc_quick_credit(n, s, r, c->port, c->vc);
		r->credit.head++;
		r->credit.count--;
		s->credits--;
	}
}

/* ---- arrivals ------------------------------------------------------------------------------------------------- */

static uint64_t range(const struct noc_way *w) { return ~0ull >> (63 - (w->hi - w->lo)) << w->lo; }

/* The head of p has come to the front of a channel, and asks for channels of outputs. */
static void head_comes(struct noc_router *r, struct noc_vc *v, const struct noc_packet *p)
{
	struct noc_quick *q = &r->quick;
	uint32_t ways = 0;

	v->state = NOC_WANTS;
	for (uint32_t w = 0; w < p->n_ways; w++) {
		uint32_t port = p->way[w].port;

		if (w && port == v->way_port[0]) {
			v->asks[0] |= range(&p->way[w]);
			continue;
		}
		v->way_port[ways] = (uint8_t)port;
		v->asks[ways++] = range(&p->way[w]);
		bitset_set(&q->waiting[port * q->words], v->at);
		q->port[port].heads++;
		q->asked |= 1ull << port;
	}
	v->ways = (uint8_t)ways;
}

bool noc_quick_arrive(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t port, const struct noc_flit *f)
{
	struct noc_vc *v = &s->vc[port * n->vcs + f->vc];

	assert(v->count < n->buffer_cap);
	v->slot[(v->head + v->count) & (n->buffer_cap - 1)] = *f;
	if (v->count++)
		return false;
	v->order = (int64_t)n->time * ORDERS + v->in;
	if (v->state == NOC_IDLE) {
		head_comes(r, v, &s->packet[f->req]);
		return r->quick.asked & r->quick.open;
	}
	v->batch = (int64_t)n->time;
	if (*v->room == n->conf.vc_buffer)
		return false;
	set_ready(r, v);
	return true;
}

/* ---- virtual channels ---------------------------------------------------------------------------------------- */

/* The next in turn of channels of an output whose channel 0 has the number low: from `turn` on, else of all. */
static uint32_t next_in_turn(uint64_t got, uint32_t low, uint32_t turn)
{
	uint64_t later = turn <= low ? got : turn - low < 64 ? got >> (turn - low) << (turn - low) : 0;

	return low + bit_lowest64(later ? later : got);
}

/* A head gets channel out_vc of a port, and comes to the front of the switch list with all others of this step. */
static void own(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v, uint32_t port,
	uint32_t out)
{
	struct noc_quick *q = &r->quick;
	uint32_t room = r->base + port, out_vc = out - port * n->vcs;

	for (uint32_t i = 0; i < v->ways; i++) {
		uint32_t asked = v->way_port[i];

		bitset_clear(&q->waiting[asked * q->words], v->at);
		if (!--q->port[asked].heads)
			q->asked &= ~(1ull << asked);
	}
	q->out[out].owner = v->at;
	q->out[out].turn = v->at + 1u;
	v->turn = (uint16_t)(out + 1);
	v->port = (uint16_t)port;
	v->vc = (uint16_t)out_vc;
	v->state = NOC_ACTIVE;
	v->batch = -(int64_t)n->time;
	v->room = &s->room.vc_used[r->base * n->vcs + out];
	s->room.taken[room] |= 1ull << out_vc;
	s->room.tail_sent[room] &= ~(1ull << out_vc);
	if (s->room.taken[room] == n->all_vcs)
		q->open &= ~(1ull << port);
	if (*v->room != n->conf.vc_buffer)
		set_ready(r, v);
}

/* Of the ways of a channel's head the one to an output. */
static uint32_t way_to(const struct noc_vc *v, uint32_t port) { return v->way_port[0] != port; }

/* The channels left of an output are granted to heads in turn; those who are granted any come into n->chosen. */
static void grant_channels(
	struct noc *n, const struct noc_router *r, const struct noc_vc *vc, uint32_t port, uint64_t left)
{
	const struct noc_quick *q = &r->quick;
	const uint64_t *heads = &q->waiting[port * q->words];

	FOR_BITS64 (out, left) {
		uint32_t first = bitset_next_cyclic(heads, q->words, q->out[port * n->vcs + out].turn),
			 at = first;

		while (!(vc[at].asks[way_to(&vc[at], port)] >> out & 1)) {
			at = bitset_next_cyclic(heads, q->words, at + 1 < 64 * q->words ? at + 1 : 0);
			if (at == first)
				break;
		}
		if (!(vc[at].asks[way_to(&vc[at], port)] >> out & 1))
			continue;
		n->granted[at * NOC_WAYS + way_to(&vc[at], port)] |= 1ull << out;
		bitset_set(n->chosen, at);
	}
}

/* A head takes the next in turn of the channels that it was granted. */
static void accept(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v, uint64_t *granted)
{
	uint32_t port = 0, best = UINT32_MAX;

	for (uint32_t i = 0; i < v->ways; i++) {
		uint32_t out;

		if (!granted[i])
			continue;
		out = next_in_turn(granted[i], v->way_port[i] * n->vcs, v->turn);
		granted[i] = 0;
		if (best == UINT32_MAX || out - v->turn < best - v->turn) {
			best = out;
			port = v->way_port[i];
		}
	}
	own(n, s, r, v, port, best);
}

/*
 * A head that is alone at an output, and goes nowhere else, gets its channel at once. Returns whether anybody
 * got one.
 */
static bool match_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	struct noc_vc *vc = &s->vc[r->base * n->vcs];
	bool got = false, chosen = false;

	FOR_BITS64 (port, q->asked & q->open) {
		uint64_t left = n->all_vcs & ~s->room.taken[r->base + port];

		if (q->port[port].heads == 1) {
			struct noc_vc *v = &vc[bitset_next_cyclic(&q->waiting[port * q->words], q->words, 0)];

			if (v->ways == 1) {
				left &= v->asks[0];
				if (!left)
					continue;
				own(n, s, r, v, (uint32_t)port,
					next_in_turn(left, (uint32_t)port * n->vcs, v->turn));
				got = true;
				continue;
			}
		}
		grant_channels(n, r, vc, (uint32_t)port, left);
		chosen = true;
	}
	for (uint32_t w = 0; chosen && w < q->words; w++) {
		FOR_BITS64 (b, n->chosen[w])
			accept(n, s, r, &vc[w * 64 + b], &n->granted[(w * 64 + b) * NOC_WAYS]);
		got |= n->chosen[w] != 0;
		n->chosen[w] = 0;
	}
	return got;
}

/* ---- the switch -------------------------------------------------------------------------------------------------- */

/* The channel of input `in` that crosses to output `out`. */
static struct noc_vc *match(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t in, uint32_t out)
{
	struct noc_quick *q = &r->quick;
	struct noc_quick_port *p = &q->port[in];
	uint32_t vc = bit_next_cyclic64(q->ready[in * r->ports + out], p->vc_turn);

	q->port[out].out_turn = in + 1;
	p->in_turn = out + 1;
	p->vc_turn = vc + 1;
	return &s->vc[(r->base + in) * n->vcs + vc];
}

static bool before(const struct noc_vc *a, const struct noc_vc *b)
{
	return a->batch < b->batch || (a->batch == b->batch && a->order < b->order);
}

/* Inputs and outputs are matched; those who cross come into go[], in the order of their list. */
static uint32_t match_switch(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc **go)
{
	struct noc_quick *q = &r->quick;
	uint64_t inputs = 0, outputs[64];
	uint32_t count = 0;

	FOR_BITS64 (out, q->wanted) {
		uint32_t in = bit_next_cyclic64(q->port[out].wants, q->port[out].out_turn);

		outputs[in] = inputs >> in & 1 ? outputs[in] | 1ull << out : 1ull << out;
		inputs |= 1ull << in;
	}
	FOR_BITS64 (in, inputs) {
		uint32_t k = count++;
		struct noc_vc *v =
			match(n, s, r, (uint32_t)in, bit_next_cyclic64(outputs[in], q->port[in].in_turn));

		for (; k && before(v, go[k - 1]); k--)
			go[k] = go[k - 1];
		go[k] = v;
	}
	return count;
}

/*
 * The flit at the front of a channel crosses. In the next step it would reach an output that has sent all, so that its
 * time on the channel is known, and the credit would leave in this one. Returns whether it was a tail.
 */
static bool send(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v)
{
	struct noc_flit f = v->slot[v->head++ & (n->buffer_cap - 1)];
	uint32_t out = r->base + v->port;
	const struct noc_end *from = &n->plan->in[r->base + v->in];
	struct noc_packet *p = &s->packet[f.req];
	bool tail = f.index + 1u == p->book.flits;
	struct noc_slot *slot = noc_slot_in(n, s, from->latency);

	v->count--;
	slot->credit[slot->credits++] = (struct noc_returning){from->room, v->in_vc};
	s->credits++;
	f.vc = v->vc;
	if (!f.index) {
		p->hops++;
		p->vc = v->vc;
		look_ahead(n, s, p, out);
	}
	s->room.used[out]++;
	++*v->room;
	noc_launch(n, s, &n->plan->out[out], 1, &f);
	s->link_flits[out]++;
	return tail;
}

/* rank: among those who cross in this step. */
static void cross(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v, uint32_t rank)
{
	if (!send(n, s, r, v)) {
		if (!v->count || *v->room == n->conf.vc_buffer)
			clear_ready(r, v);
		return;
	}
	clear_ready(r, v);
	if (s->room.wait_for_tail) {
		s->room.tail_sent[r->base + v->port] |= 1ull << v->vc;
	} else {
		s->room.taken[r->base + v->port] &= ~(1ull << v->vc);
		r->quick.open |= 1ull << v->port;
	}
	v->state = NOC_IDLE;
	if (!v->count)
		return;
	v->order = (int64_t)n->time * ORDERS + BEHIND + rank;
	head_comes(r, v, &s->packet[v->slot[v->head & (n->buffer_cap - 1)].req]);
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

bool noc_quick_step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	struct noc_vc *go[64];
	uint32_t count = 0;
	bool moved = false;

	if (r->credit.count)
		credits(n, s, r);
	if (q->wanted)
		count = match_switch(n, s, r, go);
	if (q->asked & q->open)
		moved = match_channels(n, s, r);
	for (uint32_t i = 0; i < count; i++)
		cross(n, s, r, go[i], i);
	return r->credit.count || q->wanted || ((moved || count) && q->asked & q->open);
}
