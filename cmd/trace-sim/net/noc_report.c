/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a network (--net-report): use of each channel, the busiest routers, distribution of latencies; as
 * text, JSON, or a drawing as the topology lies.
 *
 * Always true: both subnets lie alike; what they carried is told apart in text and JSON and added in the drawing. Use
 * is flits by cycles of the network's time. Leaves out mode 2, which has no channels between routers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc.h"

#define BUSIEST 10

static const char *const subnet_names[2] = {"requests", "replies"};

static double use(const struct noc *n, uint64_t flits)
{
	return n->time ? (double)flits / (double)n->time : 0;
}

/* Flits that left a router, over both subnets or one (k 0, 1; 2 both). */
static uint64_t router_flits(const struct noc *n, uint32_t router, int k)
{
	uint64_t sum = 0;

	for (int s = 0; s < 2; s++)
		for (uint32_t p = n->plan->base[router]; (k == 2 || k == s) && p < n->plan->base[router + 1];
			p++)
			sum += n->net[s].link_flits[p];
	return sum;
}

struct load {
	uint64_t flits;
	uint32_t router;
};

static int by_load(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->flits != y->flits)
		return x->flits > y->flits ? -1 : 1;
	return x->router < y->router ? -1 : x->router > y->router;
}

/* Routers, the busiest first; owned by the caller. */
static struct load *loads(const struct noc *n)
{
	struct load *l = xcalloc(n->plan->routers, sizeof *l);

	for (uint32_t r = 0; r < n->plan->routers; r++)
		l[r] = (struct load){router_flits(n, r, 2), r};
	qsort(l, n->plan->routers, sizeof *l, by_load);
	return l;
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static void text_channels(const struct noc *n, int k, FILE *out)
{
	const struct noc_plan *p = n->plan;

	for (uint32_t i = 0; i < p->ports; i++) {
		uint32_t r = p->router_of[i], to = p->out[i].to;
		uint64_t flits = n->net[k].link_flits[i];

		if (!flits)
			continue;
		fprintf(out, "channel %s router %u output %u to %s %u: %" PRIu64 " flits, %.4f flits/cycle\n",
			subnet_names[k], r, i - p->base[r], to & NOC_NODE ? "node" : "router",
			to & NOC_NODE ? to & ~NOC_NODE : p->router_of[to], flits, use(n, flits));
	}
}

static void text_report(const struct noc *n, FILE *out)
{
	struct load *l = loads(n);

	fprintf(out, "network %s %s: %u nodes, %u routers, %" PRIu64 " cycles\n",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->plan->nodes,
		n->plan->routers, n->time);
	for (uint32_t i = 0; i < n->plan->routers && i < BUSIEST; i++)
		fprintf(out, "busy router %u: %" PRIu64 " flits, %.4f flits/cycle\n", l[i].router, l[i].flits,
			use(n, l[i].flits));
	free(l);
	for (uint32_t i = 0; i < NOC_BINS; i++)
		if (n->latencies[i])
			fprintf(out, "latency below %" PRIu64 " cycles: %" PRIu64 " packets\n",
				UINT64_C(2) << i, n->latencies[i]);
	text_channels(n, 0, out);
	text_channels(n, 1, out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void json_channels(const struct noc *n, FILE *out)
{
	const struct noc_plan *p = n->plan;

	for (uint32_t i = 0; i < p->ports; i++) {
		uint32_t r = p->router_of[i], to = p->out[i].to;

		fprintf(out,
			"%s\n{\"router\":%u,\"output\":%u,\"%s\":%u,\"cycles\":%u,\"requests\":%" PRIu64
			",\"replies\":%" PRIu64 "}",
			i ? "," : "", r, i - p->base[r], to & NOC_NODE ? "to_node" : "to_router",
			to & NOC_NODE ? to & ~NOC_NODE : p->router_of[to], p->out[i].latency,
			n->net[0].link_flits[i], n->net[1].link_flits[i]);
	}
}

static void json_report(const struct noc *n, FILE *out)
{
	fprintf(out,
		"{\"topology\":\"%s\",\"routing\":\"%s\",\"nodes\":%u,\"routers\":%u,\"cycles\":%" PRIu64
		",\n\"router_flits\":[",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->plan->nodes,
		n->plan->routers, n->time);
	for (uint32_t r = 0; r < n->plan->routers; r++)
		fprintf(out, "%s%" PRIu64, r ? "," : "", router_flits(n, r, 2));
	fputs("],\n\"latency_bins\":[", out);
	for (uint32_t i = 0; i < NOC_BINS; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", n->latencies[i]);
	fputs("],\n\"channels\":[", out);
	json_channels(n, out);
	fputs("]}\n", out);
}

/* ---- drawing -------------------------------------------------------------------------------------------------- */

#define STEP 80 /* between routers */
#define SIZE 36 /* of a router */

struct point {
	double x, y;
};

/* A grid where routers lie on one, rows of stages or levels where they have such, else a circle. */
static struct point place(const struct noc *n, uint32_t router)
{
	const struct icnt *c = &n->conf;
	uint32_t row = 0;
	double angle;

	switch (c->topology) {
	case TOPOLOGY_mesh:
	case TOPOLOGY_torus:
	case TOPOLOGY_cmesh: row = c->n == 1 ? (uint32_t)ceil(sqrt(c->k)) : c->k; break;
	case TOPOLOGY_flatfly: row = c->x; break;
	case TOPOLOGY_fly:
	case TOPOLOGY_fattree: row = c->nodes / c->k; break;
	case TOPOLOGY_dragonflynew: row = 2 * c->k; break;
	default: break;
	}
	if (row)
		return (struct point){STEP * (router % row + 0.5), STEP * (router / row + 0.5)};
	angle = 2 * 3.14159265358979 * router / n->plan->routers;
	return (struct point){STEP * n->plan->routers / 6.0 * (1 + cos(angle)) + STEP,
		STEP * n->plan->routers / 6.0 * (1 + sin(angle)) + STEP};
}

/* From grey over yellow to red. */
static void colour(FILE *out, double share)
{
	fprintf(out, "rgb(%d,%d,%d)", 220 + (int)(35 * share), (int)(220 - 190 * share * share),
		(int)(220 * (1 - share)));
}

static void draw_channel(const struct noc *n, uint32_t port, double most, FILE *out)
{
	const struct noc_plan *p = n->plan;
	uint32_t to = p->out[port].to;
	uint64_t flits = n->net[0].link_flits[port] + n->net[1].link_flits[port];
	struct point a = place(n, p->router_of[port]), b;
	double share = most > 0 ? (double)flits / most : 0, dx, dy, far;

	if (to & NOC_NODE)
		return;
	b = place(n, p->router_of[to]);
	dx = b.x - a.x;
	dy = b.y - a.y;
	far = sqrt(dx * dx + dy * dy);
	if (far < 1)
		return;
	/* Both directions beside each other. */
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.1f\" stroke=\"",
		a.x - 5 * dy / far, a.y + 5 * dx / far, b.x - 5 * dy / far, b.y + 5 * dx / far,
		1 + 6 * share);
	colour(out, share);
	fprintf(out, "\"><title>router %u to %u: %" PRIu64 " flits, %.4f flits/cycle</title></line>\n",
		p->router_of[port], p->router_of[to], flits, use(n, flits));
}

static void draw_router(const struct noc *n, uint32_t router, double most, FILE *out)
{
	struct point at = place(n, router);
	uint64_t flits = router_flits(n, router, 2);

	fprintf(out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" stroke=\"#444\" fill=\"",
		at.x - SIZE / 2.0, at.y - SIZE / 2.0, SIZE, SIZE);
	colour(out, most > 0 ? (double)flits / most : 0);
	fprintf(out,
		"\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"middle\">%u</text>"
		"<title>router %u: %" PRIu64 " flits, %.4f flits/cycle</title></g>\n",
		at.x, at.y + 4, router, router, flits, use(n, flits));
}

static void svg_report(const struct noc *n, FILE *out)
{
	double most_channel = 0, most_router = 0, width = 0, height = 0;

	for (uint32_t i = 0; i < n->plan->ports; i++) {
		double flits = (double)(n->net[0].link_flits[i] + n->net[1].link_flits[i]);

		if (!(n->plan->out[i].to & NOC_NODE) && flits > most_channel)
			most_channel = flits;
	}
	for (uint32_t r = 0; r < n->plan->routers; r++) {
		struct point at = place(n, r);
		double flits = (double)router_flits(n, r, 2);

		most_router = flits > most_router ? flits : most_router;
		width = at.x > width ? at.x : width;
		height = at.y > height ? at.y : height;
	}
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n",
		width + STEP, height + STEP);
	fprintf(out, "<title>%s %s, flits of %" PRIu64 " cycles</title>\n",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->time);
	for (uint32_t i = 0; i < n->plan->ports; i++)
		draw_channel(n, i, most_channel, out);
	for (uint32_t r = 0; r < n->plan->routers; r++)
		draw_router(n, r, most_router, out);
	fputs("</svg>\n", out);
}

void noc_report(const struct noc *n, enum net_report form, FILE *out)
{
	if (form == NET_REPORT_JSON)
		json_report(n, out);
	else if (form == NET_REPORT_SVG)
		svg_report(n, out);
	else
		text_report(n, out);
}
