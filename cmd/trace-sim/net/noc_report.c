/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the report of a network (--net-report) as text or JSON: load of each channel, busiest routers,
 * distribution of latencies.
 *
 * Always true: both subnets have the same topology. Text and JSON show the flits of a channel for each
 * subnet. The loads of routers are sums over both subnets. Mode 2 has no report, because it has no channels
 * between routers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc_report.h"

#define BUSIEST 10

static const char *const subnet_names[2] = {"requests", "replies"};

/* Converts a number of flits to flits per cycle; 0 before the first cycle. */
static double noc_flits_per_cycle(const struct noc *n, uint64_t flits)
{
	return n->time ? (double)flits / (double)n->time : 0;
}

/*
 * noc_quick.c counts a flit when it crosses the switch, one cycle before it leaves the router. Flits that
 * crossed in the last cycle are therefore subtracted.
 */
uint64_t noc_output_flits(const struct noc *n, unsigned subnet, uint32_t port)
{
	const struct noc_subnet *s = &n->net[subnet];
	const struct noc_end *e = &n->plan->out[port];
	const struct noc_slot *slot = &s->wheel[(n->time + e->latency + 1) & n->wheel_mask];
	uint64_t flits = s->link_flits[port];

	for (uint32_t i = 0; n->has_quick_routers && i < slot->flits; i++)
		flits -= slot->flit[i].target == e->other_end;
	return flits;
}

uint64_t noc_channel_flits(const struct noc *n, uint32_t port)
{
	return noc_output_flits(n, 0, port) + noc_output_flits(n, 1, port);
}

/* Number of flits that have left a router in both subnets. */
static uint64_t noc_router_flits(const struct noc *n, uint32_t router)
{
	uint64_t sum = 0;

	for (uint32_t p = n->plan->first_port[router]; p < n->plan->first_port[router + 1]; p++)
		sum += noc_channel_flits(n, p);
	return sum;
}

struct load {
	uint64_t flits;
	uint32_t router;
};

static int compare_by_load(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->flits != y->flits)
		return x->flits > y->flits ? -1 : 1;
	return x->router < y->router ? -1 : x->router > y->router;
}

/* Returns the routers in the order of decreasing load, in an array that the caller frees. */
static struct load *routers_by_load(const struct noc *n)
{
	struct load *l = xcalloc(n->plan->routers, sizeof(*l));

	for (uint32_t r = 0; r < n->plan->routers; r++)
		l[r] = (struct load){noc_router_flits(n, r), r};
	qsort(l, n->plan->routers, sizeof(*l), compare_by_load);
	return l;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_channels(const struct noc *n, int k, FILE *out)
{
	const struct noc_plan *p = n->plan;

	for (uint32_t i = 0; i < p->ports; i++) {
		uint32_t r = p->router_of[i], to = p->out[i].other_end;
		uint64_t flits = noc_output_flits(n, (unsigned)k, i);

		if (!flits)
			continue;
		fprintf(out, "channel %s router %u output %u to %s %u: %" PRIu64 " flits, %.4f flits/cycle\n",
			subnet_names[k], r, i - p->first_port[r], to & NOC_NODE ? "node" : "router",
			to & NOC_NODE ? to & ~NOC_NODE : p->router_of[to], flits,
			noc_flits_per_cycle(n, flits));
	}
}

static void print_text_report(const struct noc *n, FILE *out)
{
	struct load *l = routers_by_load(n);

	fprintf(out, "network %s %s: %u nodes, %u routers, %" PRIu64 " cycles\n",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->plan->nodes,
		n->plan->routers, n->time);
	for (uint32_t i = 0; i < n->plan->routers && i < BUSIEST; i++)
		fprintf(out, "busy router %u: %" PRIu64 " flits, %.4f flits/cycle\n", l[i].router, l[i].flits,
			noc_flits_per_cycle(n, l[i].flits));
	free(l);
	for (uint32_t i = 0; i < NOC_BINS; i++)
		if (n->latencies[i])
			fprintf(out, "latency below %" PRIu64 " cycles: %" PRIu64 " packets\n",
				UINT64_C(2) << i, n->latencies[i]);
	print_channels(n, 0, out);
	print_channels(n, 1, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_channel_records(const struct noc *n, FILE *out)
{
	const struct noc_plan *p = n->plan;

	for (uint32_t i = 0; i < p->ports; i++) {
		uint32_t r = p->router_of[i], to = p->out[i].other_end;

		fprintf(out,
			"%s\n{\"router\":%u,\"output\":%u,\"%s\":%u,\"cycles\":%u,\"requests\":%" PRIu64
			",\"replies\":%" PRIu64 "}",
			i ? "," : "", r, i - p->first_port[r], to & NOC_NODE ? "to_node" : "to_router",
			to & NOC_NODE ? to & ~NOC_NODE : p->router_of[to], p->out[i].latency,
			noc_output_flits(n, 0, i), noc_output_flits(n, 1, i));
	}
}

static void print_json_report(const struct noc *n, FILE *out)
{
	fprintf(out,
		"{\"topology\":\"%s\",\"routing\":\"%s\",\"nodes\":%u,\"routers\":%u,\"cycles\":%" PRIu64
		",\n\"router_flits\":[",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->plan->nodes,
		n->plan->routers, n->time);
	for (uint32_t r = 0; r < n->plan->routers; r++)
		fprintf(out, "%s%" PRIu64, r ? "," : "", noc_router_flits(n, r));
	fputs("],\n\"latency_bins\":[", out);
	for (uint32_t i = 0; i < NOC_BINS; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", n->latencies[i]);
	fputs("],\n\"channels\":[", out);
	write_channel_records(n, out);
	fputs("]}\n", out);
}

void noc_report_write(const struct noc *n, enum net_report form, FILE *out)
{
	if (form == NET_REPORT_JSON)
		print_json_report(n, out);
	else
		print_text_report(n, out);
}
