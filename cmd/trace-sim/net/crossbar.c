/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages the state of one crossbar of the local interconnect (NET-xbar): FIFOs, the sets derived from them,
 * and the move of a packet from an input to an output. arbiter.c decides which packets move.
 *
 * Always true after xbar_enter_new_heads(): an input that is not empty is in either `filled` or `ahead`, and
 * `requests` and `requested_outputs` agree with the heads of the filled inputs.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "crossbar.h"
#include "fifo.h"
#include "inlining.h"
#include "threads/threads.h"

/* Allocates n ports, each with address space for min(limit, most) packets. */
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

static void set_crossbar_of_ports(struct port *p, uint32_t n, struct xbar *x)
{
	for (uint32_t i = 0; i < n; i++)
		p[i].xbar = x;
}

static void xbar_init(struct xbar *x, const struct network_params *p)
{
	x->in_words = BITSET_WORDS(x->n_in);
	x->out_words = BITSET_WORDS(x->n_out);
	x->nodes = x->n_in + x->n_out;
	x->in_limit = p->in_limit;
	x->out_limit = p->out_limit;
	x->grant_cycles = x->grant_count = p->grant_cycles;
	x->threads = 1;
	x->row_words = (x->in_words + 7) / 8 * 8;
	set_crossbar_of_ports(x->in, x->n_in, x);
	set_crossbar_of_ports(x->out, x->n_out, x);
	x->new_heads = reserve((size_t)MAX_THREADS * x->row_words, sizeof(*x->new_heads));
	x->filled = xcalloc(x->in_words, sizeof(*x->filled));
	x->ahead = xcalloc(x->in_words, sizeof(*x->ahead));
	x->inputs_by_advance = reserve((size_t)NET_WINDOW_MAX * x->in_words, sizeof(*x->inputs_by_advance));
	x->waiting = xcalloc(x->out_words, sizeof(*x->waiting));
	x->requested_outputs = xcalloc(x->out_words, sizeof(*x->requested_outputs));
	x->requests = xcalloc((size_t)x->n_out * x->in_words, sizeof(*x->requests));
	x->pointer = xcalloc(x->n_out, sizeof(*x->pointer));
	/* quirk Q4-24: the original counts every output of every device as full if the limit is 0. */
	x->n_full_outputs = p->out_limit ? 0 : x->nodes;
}

void net_xbars_init(struct net *n)
{
	const struct network_params *p = n->params;
	uint32_t c = n->clusters, s = n->subs;

	n->in = ports_new(c + s, p->in_limit, (uint32_t)n->nodes);
	n->out = ports_new(c + s, p->out_limit, (uint32_t)n->nodes);
	n->xbar[0] = (struct xbar){.n_in = c, .n_out = s, .first_out = c, .in = n->in, .out = n->out + c};
	n->xbar[1] = (struct xbar){.n_in = s, .n_out = c, .first_node = c, .in = n->in + c, .out = n->out};
	xbar_init(&n->xbar[0], p);
	xbar_init(&n->xbar[1], p);
}

static void xbar_free(struct xbar *x)
{
	reserve_free(x->new_heads, (size_t)MAX_THREADS * x->row_words, sizeof(*x->new_heads));
	free(x->filled);
	free(x->ahead);
	reserve_free(
		x->inputs_by_advance, (size_t)NET_WINDOW_MAX * x->in_words, sizeof(*x->inputs_by_advance));
	free(x->waiting);
	free(x->requested_outputs);
	free(x->requests);
	free(x->pointer);
}

void net_xbars_free(struct net *n)
{
	xbar_free(&n->xbar[0]);
	xbar_free(&n->xbar[1]);
	ports_free(n->in, n->clusters + n->subs);
	ports_free(n->out, n->clusters + n->subs);
}

/* Returns the set of inputs whose head waits for `advance`. */
static uint64_t *arrival_set_of_advance(const struct xbar *x, uint32_t advance)
{
	return x->inputs_by_advance + (size_t)(advance % NET_WINDOW_MAX) * x->in_words;
}

/*
 * Adds the new head of input i to the requests of its output. Returns false if the head must wait for a later
 * advance.
 */
static bool enter_new_head(struct xbar *x, uint32_t i)
{
	const struct packet *k = port_first_packet(&x->in[i]);
	uint32_t word = i / 64;
	uint64_t bit = 1ull << i % 64;

	if ((int32_t)(k->advance - x->advances) > 0) {
		arrival_set_of_advance(x, k->advance)[word] |= bit;
		x->ahead[word] |= bit;
		return false;
	}
	x->filled[word] |= bit;
	x->requests[(size_t)k->output * x->in_words + word] |= bit;
	bitset_set(x->requested_outputs, k->output);
	return true;
}

void xbar_enter_new_heads(struct xbar *x)
{
	uint64_t *due = arrival_set_of_advance(x, x->advances);

	for (uint32_t w = 0; w < x->in_words; w++) {
		uint64_t inputs = due[w];

		due[w] = 0;
		x->ahead[w] &= ~inputs;
		for (uint32_t t = 0; t < x->threads; t++) {
			uint64_t *marks = &x->new_heads[(size_t)t * x->row_words + w];

			inputs |= *marks;
			*marks = 0;
		}
		FOR_BITS64 (b, inputs)
			enter_new_head(x, w * 64 + (uint32_t)b);
	}
}

static void append_packet_to_output(struct xbar *x, uint32_t o, uint32_t req)
{
	struct port *p = &x->out[o];

	port_push(p, req, o, x->advances);
	x->n_full_outputs += p->count == x->out_limit;
	bitset_set(x->waiting, o);
}

void xbar_move_head(struct xbar *x, uint32_t input, uint32_t output)
{
	struct port *p = &x->in[input];
	uint64_t *want = &x->requests[(size_t)output * x->in_words];
	struct packet k = port_pop(p);

	bitset_clear(want, input);
	if (!bitset_any(want, x->in_words))
		bitset_clear(x->requested_outputs, output);
	if (!p->count || !enter_new_head(x, input))
		bitset_clear(x->filled, input);
	x->n.in_util += x->advances - k.advance;
	append_packet_to_output(x, output, k.req);
}

/* Updates the counters for k advances in which all inputs are empty. */
void xbar_skip_advances(struct xbar *x, const struct network_params *p, uint64_t k)
{
	x->n.cycles += k;
	x->advances += (uint32_t)k;
	if (p->arbiter == 0)
		x->next_node = (uint32_t)((x->next_node + k) % x->nodes);
	else
		x->n.out_full += x->n_full_outputs * k;
}

/* Runs one advance. FLATTEN makes the compiler inline all calls. */
FLATTEN void xbar_advance(struct xbar *x, const struct network_params *p)
{
	uint32_t filled;

	xbar_enter_new_heads(x);
	filled = bitset_count(x->filled, x->in_words);
	if (!filled) {
		xbar_skip_advances(x, p, 1);
		return;
	}
	if (p->arbiter)
		xbar_arbitrate_islip(x, filled);
	else
		xbar_arbitrate_round_robin(x, filled);
	x->n.cycles++;
	x->advances++;
}
