/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports a network in which no packet arrives any more: the virtual channels with flits, the packet at the
 * front of each, the channel or buffer for which it waits, and a circular wait if there is one. The state is
 * not changed. The report is printed once, so its speed does not matter.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "arena.h"
#include "net/noc.h"

#define LINES_MAX  100 /* maximum number of channels listed per subnet; further ones are only counted */
#define NO_CHANNEL UINT32_MAX

static const struct noc_packet *front_packet(const struct noc *n, const struct noc_subnet *s, uint32_t vc)
{
	const struct noc_vc *v = &s->vc[vc];

	return &s->packet[v->slot[v->head & (n->buffer_cap - 1)].req];
}

/*
 * Returns the downstream channel for which the first packet of vc waits: the channel that it owns, or the
 * first channel that it requests. Stores its output port in *port and its number in *out.
 */
static uint32_t find_awaited_channel(
	const struct noc *n, const struct noc_subnet *s, uint32_t vc, uint32_t *port, uint32_t *out)
{
	const struct noc_vc *v = &s->vc[vc];
	const struct noc_packet *p = front_packet(n, s, vc);
	uint32_t base = n->plan->first_port[n->plan->router_of[vc / n->vcs]], to;

	*port = v->state == NOC_ACTIVE || !p->n_ways ? v->port : p->way[0].port;
	*out = v->state == NOC_ACTIVE || !p->n_ways ? v->vc : p->way[0].lo;
	to = n->plan->out[base + *port].other_end;
	return to & NOC_NODE ? NO_CHANNEL : to * n->vcs + *out;
}

static void print_channel(const struct noc *n, const struct noc_subnet *s, uint32_t vc, FILE *out)
{
	static const char *const states[] = {"nothing", "its route", "a virtual channel", "a free slot"};
	const struct noc_packet *p = front_packet(n, s, vc);
	uint32_t router = n->plan->router_of[vc / n->vcs], port, channel;

	find_awaited_channel(n, s, vc, &port, &channel);
	fprintf(out,
		"\trouter %u input %u channel %u: packet %" PRIu64
		" from node %u to node %u, %u flits, waits for %s",
		router, vc / n->vcs - n->plan->first_port[router], vc % n->vcs, p->book.id, p->source,
		p->dest, s->vc[vc].count, states[s->vc[vc].state]);
	if (s->vc[vc].state >= NOC_WANTS)
		fprintf(out, " at output %u channel %u", port, channel);
	fputc('\n', out);
}

/*
 * Returns a channel in a circular wait, or NO_CHANNEL if there is none. `mark` is 0 for channels not visited,
 * 1 for channels on the current path, and 2 for the rest.
 */
static uint32_t find_circular_wait(const struct noc *n, const struct noc_subnet *s, uint8_t *mark)
{
	uint32_t port, out, vcs = n->plan->ports * n->vcs;

	for (uint32_t first = 0; first < vcs; first++) {
		uint32_t at = first;

		while (at != NO_CHANNEL && !mark[at] && s->vc[at].count) {
			mark[at] = 1;
			at = find_awaited_channel(n, s, at, &port, &out);
		}
		if (at != NO_CHANNEL && mark[at] == 1)
			return at;
		for (at = first; at != NO_CHANNEL && mark[at] == 1;
			at = find_awaited_channel(n, s, at, &port, &out))
			mark[at] = 2;
	}
	return NO_CHANNEL;
}

static void print_circular_wait(const struct noc *n, const struct noc_subnet *s, FILE *out)
{
	uint8_t *mark = xcalloc((size_t)n->plan->ports * n->vcs, 1);
	uint32_t start = find_circular_wait(n, s, mark), at = start, port, channel, lines = 0;

	free(mark);
	if (start == NO_CHANNEL)
		return;
	fputs("\tcircular wait:\n", out);
	do {
		print_channel(n, s, at, out);
		at = find_awaited_channel(n, s, at, &port, &channel);
	} while (at != start && ++lines < LINES_MAX);
}

void noc_stuck_print(const struct noc *n, FILE *out)
{
	for (int k = 0; k < 2; k++) {
		const struct noc_subnet *s = &n->net[k];
		uint32_t lines = 0;

		if (!s->flits)
			continue;
		fprintf(out,
			"network of %s: %" PRIu64 " flits in flight, none has arrived for %" PRIu64
			" cycles\n",
			k ? "replies" : "requests", s->flits, s->cycles_since_arrival);
		for (uint32_t vc = 0; vc < n->plan->ports * n->vcs; vc++)
			if (s->vc[vc].count && ++lines <= LINES_MAX)
				print_channel(n, s, vc, out);
		if (lines > LINES_MAX)
			fprintf(out, "\t... and %u more channels\n", lines - LINES_MAX);
		print_circular_wait(n, s, out);
	}
}
