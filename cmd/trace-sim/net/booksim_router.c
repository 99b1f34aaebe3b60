/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one network step of a subnet with a single router: links, injection and ejection buffers, and the
 * input-queued router (NET-step, NET-router).
 *
 * With one virtual channel, an input owns an output from the grant until the tail of the packet has left. The
 * switch allocator of the original therefore never receives two requests for an output. An input that is
 * ready and has a credit wins. An input requests only one output, so it accepts every grant. The original has
 * lists of requests. Here they are sets, because grants depend on the outputs' round-robin pointers, not on
 * the order of the lists.
 *
 * Always true: a step consumes flits and credits that were sent two steps ago (NET-link). The sets have the
 * ports with work, and only these are visited.
 */
#include <assert.h>
#include "bits.h"
#include "booksim.h"
#include "instrument/events.h"

static bool is_tail(const struct book_net *x, const struct book_flit *f)
{
	return f->index + 1 == x->packet[f->req].flits;
}

/* ---- arrivals --------------------------------------------------------------------------------------- */

/* Requests an output for the head of input i, which was idle or whose last packet has just left. */
static void request_output(struct book_net *x, uint32_t i)
{
	struct book_input *in = &x->in[i];

	in->state = INPUT_WANTS;
	in->output = x->packet[in->fifo.slot[in->fifo.head & in->fifo.mask].req].output;
	bitset_set(&x->want[(size_t)in->output * x->in_words], i);
	bitset_set(x->wanted, in->output);
	x->n_requests++;
}

static void store_input_flit(struct book_net *x, uint32_t i, struct book_flit f)
{
	struct book_input *in = &x->in[i];

	book_flits_push(&in->fifo, f);
	if (in->state == INPUT_IDLE) {
		request_output(x, i);
	} else if (in->state == INPUT_ACTIVE && in->fifo.count == 1) {
		bitset_set(x->ready, i);
		x->n_ready++;
	}
}

static void deliver_from_links(struct book_net *x, unsigned turn)
{
	for (uint32_t w = 0; w < x->in_words; w++) {
		FOR_BITS64 (i, x->inject.set[turn][w])
			store_input_flit(x, w * 64 + (uint32_t)i, x->inject.flit[turn][w * 64 + i]);
		FOR_BITS64 (i, x->inject_credit.set[turn][w]) {
			x->in[w * 64 + i].occupied--;
			x->credits--;
		}
		x->inject.set[turn][w] = x->inject_credit.set[turn][w] = 0;
	}
	for (uint32_t w = 0; w < x->out_words; w++) {
		FOR_BITS64 (o, x->eject_credit.set[turn][w]) {
			x->out[w * 64 + o].occupied--;
			x->credits--;
		}
		FOR_BITS64 (o, x->eject.set[turn][w])
			book_flits_push(&x->out[w * 64 + o].ejection, x->eject.flit[turn][w * 64 + o]);
		x->ejecting[w] |= x->eject.set[turn][w];
		x->eject.set[turn][w] = x->eject_credit.set[turn][w] = 0;
	}
}

/* ---- the edge --------------------------------------------------------------------------------------- */

/* Moves a flit into the boundary buffer, retires it and returns a credit. */
static void eject_flit(struct booksim *b, struct book_net *x, uint32_t o, unsigned turn)
{
	struct book_output *out = &x->out[o];
	struct book_flit f = book_flits_pop(&out->ejection);
	struct book_packet *p = &x->packet[f.req];
	uint32_t now = (uint32_t)b->time;

	if (!f.index)
		p->arrived = now;
	if (b->events)
		events_log_flit(
			b->events, false, x != b->net, x == b->net ? b->net[0].n_in + o : o, p->id, f.index);
	book_stats_add_flit(&b->stats, p, &f, 1, now);
	out->boundary_flits++;
	out->received_flits++;
	if (is_tail(x, &f)) {
		ring_push(&out->boundary, f.req);
		bitset_set(x->waiting, o);
		out->received_packets++;
	}
	if (!out->ejection.count)
		bitset_clear(x->ejecting, o);
	bitset_set(x->eject_credit.set[turn], o);
	x->credits++;
	x->flits--;
}

static void eject_flits(struct booksim *b, struct book_net *x, unsigned turn)
{
	for (uint32_t w = 0; w < x->out_words; w++)
		FOR_BITS64 (o, x->ejecting[w])
			if (x->out[w * 64 + o].boundary_flits < b->conf.boundary_max)
				eject_flit(b, x, w * 64 + (uint32_t)o, turn);
}

static void inject_flit(struct booksim *b, struct book_net *x, uint32_t i, unsigned turn)
{
	struct book_input *in = &x->in[i];
	struct book_queue *q = &x->queue[i];
	uint32_t req = ring_front(&q->packets), now = (uint32_t)b->time;
	struct book_packet *p = &x->packet[req];

	x->inject.flit[turn][i] = (struct book_flit){.req = req, .index = in->sent, .injected = now};
	if (b->events)
		events_log_flit(
			b->events, true, x != b->net, x == b->net ? i : b->net[0].n_in + i, p->id, in->sent);
	bitset_set(x->inject.set[turn], i);
	in->occupied++;
	q->flits--;
	in->sent_flits++;
	if (!in->sent) {
		p->injected = now;
		in->sent_packets++;
	}
	if (++in->sent < p->flits)
		return;
	in->sent = 0;
	ring_pop(&q->packets);
	if (ring_empty(&q->packets))
		bitset_clear(x->sending, i);
}

static void inject_flits(struct booksim *b, struct book_net *x, unsigned turn)
{
	for (uint32_t w = 0; w < x->in_words; w++)
		FOR_BITS64 (i, x->sending[w])
			if (x->in[w * 64 + i].occupied < b->conf.buffer)
				inject_flit(b, x, w * 64 + (uint32_t)i, turn);
}

/* ---- internal step --------------------------------------------------------------------------------- */

/*
 * Grants free output o to the next requester in round robin. The requester is ready from the next internal
 * step on.
 */
static void grant_output(struct book_net *x, uint32_t o)
{
	uint64_t *want = &x->want[(size_t)o * x->in_words], left = 0;
	uint32_t i = bitset_next_cyclic(want, x->in_words, x->out[o].pointer);

	x->out[o].pointer = i + 1 < x->n_in ? i + 1 : 0;
	bitset_clear(want, i);
	for (uint32_t w = 0; w < x->in_words; w++)
		left |= want[w];
	if (!left)
		bitset_clear(x->wanted, o);
	bitset_set(x->owned, o);
	bitset_set(x->granted, i);
	x->in[i].state = INPUT_ACTIVE;
	x->n_requests--;
}

static void release_output(struct book_net *x, uint32_t i)
{
	bitset_clear(x->owned, x->in[i].output);
	if (x->in[i].fifo.count)
		request_output(x, i);
	else
		x->in[i].state = INPUT_IDLE;
}

static void cross_switch(struct book_net *x, uint32_t i)
{
	struct book_input *in = &x->in[i];
	struct book_flit f = book_flits_pop(&in->fifo);
	bool tail = is_tail(x, &f);

	x->out[in->output].occupied++;
	x->cross[x->n_cross++] = (struct book_cross){in->output, f};
	in->credits++;
	bitset_set(x->inputs_with_credits, i);
	x->credits++;
	if (in->fifo.count && !tail)
		return;
	bitset_clear(x->ready, i);
	x->n_ready--;
	if (tail)
		release_output(x, i);
}

/*
 * Runs one internal step. All grants precede the first tail that frees an output. A grant takes effect in the
 * next internal step.
 */
static void run_internal_step(struct book_net *x, uint32_t buffer)
{
	for (uint32_t c = 0; c < x->n_cross; c++) {
		book_flits_push(&x->out[x->cross[c].output].queue, x->cross[c].flit);
		bitset_set(x->queued, x->cross[c].output);
	}
	x->n_cross = 0;
	if (x->n_requests)
		for (uint32_t w = 0; w < x->out_words; w++)
			FOR_BITS64 (o, x->wanted[w] & ~x->owned[w])
				grant_output(x, w * 64 + (uint32_t)o);
	for (uint32_t w = 0; w < x->in_words; w++) {
		FOR_BITS64 (i, x->ready[w])
			if (x->out[x->in[w * 64 + i].output].occupied < buffer)
				cross_switch(x, w * 64 + (uint32_t)i);
		x->ready[w] |= x->granted[w];
		x->n_ready += bit_count64(x->granted[w]);
		x->granted[w] = 0;
	}
}

/* ---- departures ------------------------------------------------------------------------------------- */

static void load_credits_on_links(struct book_net *x, unsigned turn)
{
	for (uint32_t w = 0; w < x->out_words; w++) {
		FOR_BITS64 (o, x->queued[w]) {
			struct book_flits *queue = &x->out[w * 64 + o].queue;

			x->eject.flit[turn][w * 64 + o] = book_flits_pop(queue);
			if (!queue->count)
				bitset_clear(x->queued, w * 64 + (uint32_t)o);
			bitset_set(x->eject.set[turn], w * 64 + (uint32_t)o);
		}
	}
	for (uint32_t w = 0; w < x->in_words; w++) {
		x->inject_credit.set[turn][w] |= x->inputs_with_credits[w];
		FOR_BITS64 (i, x->inputs_with_credits[w])
			if (!--x->in[w * 64 + i].credits)
				bitset_clear(x->inputs_with_credits, w * 64 + (uint32_t)i);
	}
}

void booksim_step_subnet(struct booksim *b, struct book_net *x, uint32_t n)
{
	unsigned turn = b->time & 1;

	deliver_from_links(x, turn);
	eject_flits(b, x, turn);
	inject_flits(b, x, turn);
	while (n-- && (x->n_requests || x->n_ready || x->n_cross))
		run_internal_step(x, b->conf.buffer);
	load_credits_on_links(x, turn);
}
