/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the interface of network mode 1 with one router (NET-conf): queues into which devices push
 * packets, buffers from which they pop them, and network time. booksim_router.c moves the packets.
 *
 * Always true: packets and flits are numbered in the order of the pushes. Two features of the original are
 * omitted. One is the warning about a deadlock, which no figure depends on. The other is the abort when an
 * ejection buffer smaller than vc_buf_size overflows: here only credits bound that buffer.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "booksim.h"

/* ---- which networks ------------------------------------------------------------------------------- */

static bool is_plain_router(const struct icnt *c)
{
	static const enum icnt_id zero[] = {ICNT_use_map, ICNT_routing_delay, ICNT_credit_delay,
		ICNT_wait_for_tail_credit, ICNT_hold_switch_for_packet, ICNT_speculative,
		ICNT_vc_busy_when_full, ICNT_vc_prioritize_empty, ICNT_enable_link_stats};

	for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		if (icnt_int(c, zero[i]) != 0)
			return false;
	return c->crossbar_delay == 1 && icnt_int(c, ICNT_output_speedup) == 1 &&
	       icnt_int(c, ICNT_output_buffer_size) < 0 && icnt_int(c, ICNT_classes) == 1 && c->measured[0];
}

bool booksim_conf_of(struct booksim_conf *c, const struct icnt *f)
{
	if (f->topology != TOPOLOGY_fly || f->n != 1 || f->vcs != 1 || f->policy != POLICY_PRIVATE ||
		f->vc_alloc.kind != ALLOCATOR_ISLIP || f->vc_alloc.rounds != 1 ||
		f->sw_alloc.kind != ALLOCATOR_ISLIP || f->sw_alloc.rounds != 1 || !is_plain_router(f))
		return false;
	*c = (struct booksim_conf){.k = f->k,
		.flit_bytes = f->flit_bytes,
		.buffer = f->vc_buffer,
		.source_max = f->source_max,
		.boundary_max = f->boundary_max,
		.speedup = f->speedup};
	return true;
}

/* ---- building ------------------------------------------------------------------------------------ */

static struct book_link book_link_new(uint32_t ports, bool flits)
{
	struct book_link l = {0};

	for (int i = 0; i < 2; i++) {
		l.set[i] = xcalloc(BITSET_WORDS(ports), sizeof(uint64_t));
		l.flit[i] = flits ? xcalloc(ports, sizeof(struct book_flit)) : NULL;
	}
	return l;
}

static void free_book_link(struct book_link *l)
{
	for (int i = 0; i < 2; i++) {
		free(l->set[i]);
		free(l->flit[i]);
	}
}

static void assign_flit_ring(struct book_flits *f, struct book_flit **slots, uint32_t pow2)
{
	book_flits_init(f, *slots, pow2);
	*slots += pow2;
}

static struct ring new_packet_ring(uint32_t max)
{
	uint32_t pow2 = fifo_capacity(max);
	struct ring r;

	ring_init(&r, reserve(pow2, sizeof(uint32_t)), pow2);
	return r;
}

static void free_packet_ring(struct ring *r) { reserve_free(r->slot, (size_t)r->mask + 1, sizeof(uint32_t)); }

static void allocate_port_sets(struct book_net *x)
{
	uint64_t **in[] = {&x->sending, &x->ready, &x->granted, &x->inputs_with_credits};
	uint64_t **out[] = {&x->wanted, &x->owned, &x->queued, &x->ejecting, &x->waiting};

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		*in[i] = xcalloc(x->in_words, sizeof(uint64_t));
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		*out[i] = xcalloc(x->out_words, sizeof(uint64_t));
	x->want = xcalloc((size_t)x->n_out * x->in_words, sizeof(*x->want));
}

static void book_net_init(
	struct booksim *b, struct book_net *x, uint32_t n_in, uint32_t n_out, struct book_flit **slots)
{
	uint32_t pow2 = fifo_capacity(b->conf.buffer);

	x->n_in = n_in;
	x->n_out = n_out;
	x->in_words = BITSET_WORDS(n_in);
	x->out_words = BITSET_WORDS(n_out);
	x->packet = reserve(b->packets, sizeof(*x->packet));
	allocate_port_sets(x);
	x->inject = book_link_new(n_in, true);
	x->inject_credit = book_link_new(n_in, false);
	x->eject = book_link_new(n_out, true);
	x->eject_credit = book_link_new(n_out, false);
	x->cross = xcalloc(n_out, sizeof(*x->cross));
	x->queue = reserve(n_in, sizeof(*x->queue));
	x->in = xcalloc(n_in, sizeof(*x->in));
	x->out = xcalloc(n_out, sizeof(*x->out));
	for (uint32_t i = 0; i < n_in; i++) {
		x->queue[i].packets = new_packet_ring(b->conf.source_max);
		assign_flit_ring(&x->in[i].fifo, slots, pow2);
	}
	for (uint32_t o = 0; o < n_out; o++) {
		x->out[o].boundary = new_packet_ring(b->conf.boundary_max);
		assign_flit_ring(&x->out[o].queue, slots, pow2);
		assign_flit_ring(&x->out[o].ejection, slots, pow2);
	}
}

static void book_net_free(const struct booksim *b, struct book_net *x)
{
	uint64_t *sets[] = {x->sending, x->ready, x->granted, x->inputs_with_credits, x->wanted, x->owned,
		x->queued, x->ejecting, x->waiting, x->want};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		free(sets[i]);
	free_book_link(&x->inject);
	free_book_link(&x->inject_credit);
	free_book_link(&x->eject);
	free_book_link(&x->eject_credit);
	for (uint32_t i = 0; i < x->n_in; i++)
		free_packet_ring(&x->queue[i].packets);
	for (uint32_t o = 0; o < x->n_out; o++)
		free_packet_ring(&x->out[o].boundary);
	reserve_free(x->queue, x->n_in, sizeof(*x->queue));
	reserve_free(x->packet, b->packets, sizeof(*x->packet));
	free(x->cross);
	free(x->in);
	free(x->out);
}

struct booksim *booksim_new(const struct booksim_conf *c, uint32_t clusters, uint32_t subs, size_t packets)
{
	struct booksim *b = xcalloc(1, sizeof(*b));
	struct book_flit *slots;

	assert(c->k >= clusters + subs && c->speedup >= 1);
	b->conf = *c;
	b->packets = packets;
	b->n_slots = (size_t)3 * (clusters + subs) * fifo_capacity(c->buffer);
	b->slots = slots = reserve(b->n_slots, sizeof(*slots));
	book_net_init(b, &b->net[0], clusters, subs, &slots);
	book_net_init(b, &b->net[1], subs, clusters, &slots);
	book_stats_init(&b->stats);
	return b;
}

void booksim_delete(struct booksim *b)
{
	if (!b)
		return;
	book_net_free(b, &b->net[0]);
	book_net_free(b, &b->net[1]);
	reserve_free(b->slots, b->n_slots, sizeof(*b->slots));
	free(b);
}

/* ---- devices --------------------------------------------------------------------------------------- */

static uint32_t booksim_flit_count(const struct booksim *b, uint32_t bytes)
{
	return (bytes + b->conf.flit_bytes - 1) / b->conf.flit_bytes;
}

bool booksim_has_buffer(const struct booksim *b, unsigned s, uint32_t port, uint32_t bytes)
{
	return b->net[s].queue[port].flits + booksim_flit_count(b, bytes) <= b->conf.source_max;
}

/* `bytes` may exceed the size passed to booksim_has_buffer(), but the queue has only source_max entries */
void booksim_push(struct booksim *b, unsigned s, uint32_t port, uint32_t output, uint32_t req, uint32_t bytes)
{
	struct book_net *x = &b->net[s];
	uint32_t n = booksim_flit_count(b, bytes);

	assert(output < x->n_out);
	x->packet[req] = (struct book_packet){.output = output, .flits = n, .created = (uint32_t)b->time};
	book_push(&b->numbers, &x->queue[port], req, &x->packet[req]);
	x->flits += n;
	bitset_set(x->sending, port);
}

bool booksim_has_packet(const struct booksim *b, unsigned s, uint32_t port)
{
	return !ring_empty(&b->net[s].out[port].boundary);
}

uint32_t booksim_pop(struct booksim *b, unsigned s, uint32_t port)
{
	struct book_output *out = &b->net[s].out[port];
	uint32_t req;

	if (ring_empty(&out->boundary))
		return REQ_NONE;
	req = ring_pop(&out->boundary);
	out->boundary_flits -= b->net[s].packet[req].flits;
	return req;
}

/* ---- time ------------------------------------------------------------------------------------------ */

static void booksim_update_waiting(struct book_net *x)
{
	for (uint32_t w = 0; w < x->out_words; w++)
		FOR_BITS64 (o, x->waiting[w])
			if (ring_empty(&x->out[w * 64 + o].boundary))
				bitset_clear(x->waiting, w * 64 + (uint32_t)o);
}

/*
 * Number of internal steps of both routers in this network step. Keeps the remaining fraction of a step for
 * the next call.
 */
static uint32_t booksim_internal_steps(struct booksim *b)
{
	uint32_t n;

	b->steps += b->conf.speedup;
	for (n = 0; b->steps >= 1; n++)
		b->steps -= 1;
	return n;
}

void booksim_advance(struct booksim *b)
{
	uint32_t n = booksim_internal_steps(b);

	for (int s = 0; s < 2; s++) {
		booksim_update_waiting(&b->net[s]);
		if (b->net[s].flits || b->net[s].credits)
			booksim_step_subnet(b, &b->net[s], n);
	}
	b->time++;
}

/* the fraction of a step is a sum of doubles, whose rounding requires one addition per step */
void booksim_skip_cycles(struct booksim *b, uint64_t k)
{
	booksim_update_waiting(&b->net[0]);
	booksim_update_waiting(&b->net[1]);
	b->time += k;
	if (b->conf.speedup != (double)(uint32_t)b->conf.speedup)
		while (k--)
			booksim_internal_steps(b);
}

/* ---- questions ------------------------------------------------------------------------------------- */

static bool booksim_subnet_has_packet(const struct book_net *x)
{
	if (x->flits)
		return true;
	for (uint32_t w = 0; w < x->out_words; w++)
		FOR_BITS64 (o, x->waiting[w])
			if (!ring_empty(&x->out[w * 64 + o].boundary))
				return true;
	return false;
}

bool booksim_is_busy(const struct booksim *b)
{
	return booksim_subnet_has_packet(&b->net[0]) || booksim_subnet_has_packet(&b->net[1]);
}

bool booksim_is_empty(const struct booksim *b)
{
	return !b->net[0].credits && !b->net[1].credits && !booksim_is_busy(b);
}

/* ---- figures --------------------------------------------------------------------------------------- */

/*
 * Returns one of the counts of a node. A node sends in one subnet and receives in the other. A node without a
 * device does neither.
 */
static uint64_t booksim_node_count(const void *network, enum book_count what, uint32_t node)
{
	const struct booksim *b = network;
	uint32_t clusters = b->net[0].n_in, subs = b->net[0].n_out, sub = node - clusters;
	const struct book_input *in;
	const struct book_output *out;

	if (node >= clusters + subs)
		return 0;
	in = node < clusters ? &b->net[0].in[node] : &b->net[1].in[sub];
	out = node < clusters ? &b->net[1].out[node] : &b->net[0].out[sub];
	switch (what) {
	case SENT_PACKETS: return in->sent_packets;
	case SENT_FLITS: return in->sent_flits;
	case TAKEN_PACKETS: return out->received_packets;
	default: return out->received_flits;
	}
}

void booksim_print(struct booksim *b, const struct book_out *out)
{
	struct book_view v = {.network = b, .count = booksim_node_count, .nodes = b->conf.k, .classes = 1};

	v.time = b->time;
	v.flits = b->net[0].flits + b->net[1].flits;
	book_print(&b->stats, &v, out);
}
