/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decouples the two crossbars of mode 2 for windows (LAUNCH-window). The time of a crossbar may be earlier or later
 * than the time of the devices.
 *
 * Always true: queries are answered for the device's local time, not for the time that the crossbar has
 * reached.
 */
#include "bits.h"
#include "net/booksim.h"
#include "net/noc.h"

bool net_can_decouple(const struct net *n) { return !n->noc && !n->booksim; }

uint32_t net_advances(const struct net *n)
{
	return n->noc       ? (uint32_t)n->noc->time
	       : n->booksim ? (uint32_t)n->booksim->time
			    : n->xbar[0].advances;
}

void net_decouple(struct net *n) { n->decoupled = true; }

/* Removes from `waiting` the outputs that pops have emptied. */
void net_recouple(struct net *n)
{
	n->decoupled = false;
	for (struct xbar *x = n->xbar; x < n->xbar + 2; x++)
		for (uint32_t w = 0; w < x->out_words; w++)
			FOR_BITS64 (b, x->waiting[w])
				if (!x->out[w * 64 + b].count)
					x->waiting[w] &= ~(1ull << b);
}

struct net_push_time *net_push_time(struct net *n, uint32_t dev) { return &n->in[dev].push; }

/*
 * Returns true if output p has a packet, and sets *advance to the advance after which the first packet is
 * available.
 */
static bool port_has_known_packet(const struct port *p, uint32_t *advance)
{
	*advance = p->count ? port_first_packet(p)->advance + 1 : 0;
	return p->count != 0;
}

/*
 * Pops the first packet of output p if it has arrived by `advance`. The crossbar may be ahead of the device.
 */
static uint32_t port_pop_arrived(struct port *p, uint32_t advance)
{
	if (!p->count || (int32_t)(port_first_packet(p)->advance + 1 - advance) > 0)
		return REQ_NONE;
	return port_pop_request(p, advance);
}

bool net_has_reply_due(const struct net *n, uint32_t cluster, uint32_t *advance)
{
	return port_has_known_packet(&n->out[cluster], advance);
}

uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance)
{
	return n->decoupled ? port_pop_arrived(&n->out[cluster], advance) : net_pop(n, cluster);
}

void net_advance_side(struct net *n, unsigned subnet) { xbar_advance(&n->xbar[subnet], n->params); }

/* ---- free slots ------------------------------------------------------------------------------ */

static uint32_t free_slot_count(uint32_t limit, uint32_t used) { return used < limit ? limit - used : 0; }

static uint32_t longest_queue(const struct port *p, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = p[i].count > most ? p[i].count : most;
	return most;
}

static uint32_t min_free_output_slots(const struct xbar *x)
{
	return free_slot_count(x->out_limit, longest_queue(x->out, x->n_out) + 1);
}

void net_set_max_injections(struct net *n, uint32_t packets) { n->max_injections = packets; }

/* only the cluster itself changes its input before the next advance */
uint32_t net_cycles_until_full(const struct net *n, uint32_t cluster)
{
	uint32_t left = free_slot_count(n->params->in_limit, n->in[cluster].count);

	return n->max_injections ? left / n->max_injections : 1;
}

uint32_t net_reply_input_free_slots(const struct net *n)
{
	const struct xbar *x = &n->xbar[1];

	return free_slot_count(x->in_limit, longest_queue(x->in, x->n_in));
}

uint32_t net_reply_output_free_slots(const struct net *n) { return min_free_output_slots(&n->xbar[1]); }
