/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of one crossbar of the local interconnect (NET-xbar): FIFOs, the sets derived from them,
 * and moving a packet across. Which packets move is decided in arbiter.c.
 *
 * Always true after xbar_sync: filled, waiting, want, wanted and the totals agree with the FIFOs.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "crossbar.h"
#include "fifo.h"
#include "inlining.h"
#include "team/threads.h"

/* Address space for as many packets as a limit lets in, however many that is. */
static struct port *ports_new(uint32_t n, uint32_t limit, uint32_t most)
{
	uint32_t cap = fifo_capacity(limit < most ? limit : most);
	struct port *p = reserve(n, sizeof(*p));
	struct packet *slot = reserve((size_t)n * cap, sizeof(*slot));

	for (uint32_t i = 0; i < n; i++) {
		p[i].slot = slot + (size_t)i * cap;
		p[i].mask = cap - 1;
	}
	return p;
}

static void ports_free(struct port *p, uint32_t n)
{
	reserve_free(p->slot, (size_t)n * (p->mask + 1), sizeof(*p->slot));
	reserve_free(p, n, sizeof(*p));
}

void xbar_init(struct xbar *x, const struct network_params *p, uint32_t n_in, uint32_t n_out,
	uint32_t first_node, uint32_t most)
{
	*x = (struct xbar){.n_in = n_in,
		.n_out = n_out,
		.in_words = BITSET_WORDS(n_in),
		.out_words = BITSET_WORDS(n_out),
		.nodes = n_in + n_out,
		.first_node = first_node,
		.in_limit = p->in_limit,
		.out_limit = p->out_limit,
		.grant_cycles = p->grant_cycles,
		.grant_count = p->grant_cycles};
	x->threads = 1;
	x->in_row = (x->in_words + 7) / 8 * 8;
	x->out_row = (x->out_words + 7) / 8 * 8;
	x->in = ports_new(n_in, p->in_limit, most);
	x->out = ports_new(n_out, p->out_limit, most);
	x->fresh = reserve((size_t)MAX_THREADS * x->in_row, sizeof(*x->fresh));
	x->ahead = xcalloc(x->in_words, sizeof(*x->ahead));
	x->when = reserve((size_t)NET_APART_MAX * x->in_words, sizeof(*x->when));
	x->filled = xcalloc(x->in_words, sizeof(*x->filled));
	x->drained = reserve((size_t)MAX_THREADS * x->out_row, sizeof(*x->drained));
	x->waiting = xcalloc(x->out_words, sizeof(*x->waiting));
	x->wanted = xcalloc(x->out_words, sizeof(*x->wanted));
	x->want = xcalloc((size_t)n_out * x->in_words, sizeof(*x->want));
	x->pointer = xcalloc(n_out, sizeof(*x->pointer));
	/*
	 * quirk Q4-24: the original counts every output of every device, so with no room at all each counts.
	 */
	x->n_full = p->out_limit ? 0 : x->nodes;
}

void xbar_free(struct xbar *x)
{
	if (!x->in)
		return;
	ports_free(x->in, x->n_in);
	ports_free(x->out, x->n_out);
	reserve_free(x->fresh, (size_t)MAX_THREADS * x->in_row, sizeof(*x->fresh));
	reserve_free(x->drained, (size_t)MAX_THREADS * x->out_row, sizeof(*x->drained));
	free(x->ahead);
	reserve_free(x->when, (size_t)NET_APART_MAX * x->in_words, sizeof(*x->when));
	free(x->filled);
	free(x->waiting);
	free(x->wanted);
	free(x->want);
	free(x->pointer);
}

/* The head of input i is new: enter it under its destination. */
static void want_head(struct xbar *x, uint32_t i)
{
	uint32_t o = port_front(&x->in[i])->output;

	bitset_set(&x->want[(size_t)o * x->in_words], i);
	x->n_wanted += !bitset_test(x->wanted, o);
	bitset_set(x->wanted, o);
}

/* Packets of an input that the next advance may move, besides those it knows of. */
static uint32_t admitted(const struct xbar *x, const struct port *p)
{
	uint32_t seen = p->seen, count = p->count, first = p->head;

	while (seen < count && (int32_t)(p->slot[(first + seen) & p->mask].at - x->advances) <= 0)
		seen++;
	return seen - p->seen;
}

/* Inputs to be looked at before an advance, because a packet is ahead of the others until then. */
static uint64_t *looked_at(const struct xbar *x, uint32_t advance)
{
	return x->when + (size_t)(advance % NET_APART_MAX) * x->in_words;
}

/* Input i, and whether more is to come of it: then it is noted when. Counts up what has come. */
static bool sync_input(struct xbar *x, uint32_t i, uint32_t *come)
{
	struct port *p = &x->in[i];
	uint32_t n = admitted(x, p);

	*come += n;
	if (n && !p->seen) {
		x->n_filled++;
		bitset_set(x->filled, i);
		want_head(x, i);
	}
	p->seen += n;
	if (p->seen == p->count)
		return false;
	bitset_set(looked_at(x, p->slot[(p->head + p->seen) & p->mask].at), i);
	return true;
}

/* Those of a word; one may come several times, for what is done here is done once. */
static void sync_inputs(struct xbar *x, uint32_t word, uint64_t inputs)
{
	uint64_t ahead = x->ahead[word] & ~inputs;
	uint32_t come = 0;

	FOR_BITS64 (b, inputs)
		ahead |= (uint64_t)sync_input(x, word * 64 + (uint32_t)b, &come) << b;
	x->ahead[word] = ahead;
	x->total_in += come;
	x->n.packets += come;
}

/* What was pushed to an input that is ahead is behind the packet that it is to be looked at for. */
static void sync_fresh(struct xbar *x, uint32_t word, uint64_t *marks)
{
	uint64_t inputs = *marks & ~x->ahead[word];

	*marks = 0;
	sync_inputs(x, word, inputs);
}

static void sync_outputs(struct xbar *x, uint32_t word, uint64_t *marks)
{
	FOR_BITS64 (b, *marks) {
		uint32_t o = word * 64 + (uint32_t)b;
		struct port *p = &x->out[o];

		x->total_out -= p->seen - p->count;
		x->n.out_util -= p->early;
		p->early = 0;
		if (p->seen >= x->out_limit && p->count < x->out_limit)
			x->n_full--;
		if (!p->count)
			bitset_clear(x->waiting, o);
		p->seen = p->count;
	}
	*marks = 0;
}

void xbar_sync(struct xbar *x)
{
	uint64_t *due = looked_at(x, x->advances);

	for (uint32_t w = 0; w < x->in_words; w++) {
		uint64_t inputs = due[w];

		due[w] = 0;
		if (inputs)
			sync_inputs(x, w, inputs);
	}
	for (uint32_t t = 0; t < x->threads; t++) {
		uint64_t *fresh = x->fresh + (size_t)t * x->in_row,
			 *drained = x->drained + (size_t)t * x->out_row;

		for (uint32_t w = 0; w < x->in_words; w++)
			if (fresh[w])
				sync_fresh(x, w, &fresh[w]);
		for (uint32_t w = 0; w < x->out_words; w++)
			if (drained[w])
				sync_outputs(x, w, &drained[w]);
	}
}

static void put(struct xbar *x, uint32_t o, uint32_t req)
{
	struct port *p = &x->out[o];

	port_push(p, req, o, x->advances);
	p->seen = p->count;
	x->total_out++;
	x->n_full += p->count == x->out_limit;
	bitset_set(x->waiting, o);
}

void xbar_move(struct xbar *x, uint32_t input, uint32_t output)
{
	struct port *p = &x->in[input];
	uint64_t *want = &x->want[(size_t)output * x->in_words];
	struct packet k = port_pop(p);
	uint64_t left = 0;

	assert(k.output == output);
	bitset_clear(want, input);
	for (uint32_t w = 0; w < x->in_words; w++)
		left |= want[w];
	if (!left) {
		bitset_clear(x->wanted, output);
		x->n_wanted--;
	}
	p->seen--;
	x->total_in--;
	if (p->seen) {
		want_head(x, input);
	} else {
		bitset_clear(x->filled, input);
		x->n_filled--;
	}
	put(x, output, k.req);
}

/* k advances that move nothing because no input holds a packet. */
void xbar_idle(struct xbar *x, const struct network_params *p, uint64_t k)
{
	x->n.cycles += k;
	x->advances += (uint32_t)k;
	x->n.out_util += x->total_out * k;
	if (p->arbiter == 0)
		x->next_node = (uint32_t)((x->next_node + k) % x->nodes);
	else
		x->n.out_full += x->n_full * k;
}

/* All that is done to a packet on its way across: no calls within it. */
WHOLE void xbar_advance(struct xbar *x, const struct network_params *p)
{
	xbar_sync(x);
	if (!x->total_in) {
		xbar_idle(x, p, 1);
		return;
	}
	if (p->arbiter)
		xbar_islip(x);
	else
		xbar_round_robin(x);
	x->advances++;
}
