/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The drawing of --net-report: routers as the topology lies, channels between them as lines whose colour and
 * width are their load, both subnets added.
 *
 * Always true: no two routers share a place; a channel that would run behind other routers of its row or
 * column is bent around them; the two directions of a channel are beside each other. Leaves out nodes and
 * their channels, whose load is in that of their routers.
 */
#include <inttypes.h>
#include <math.h>
#include "net/noc_report.h"

#define STEP   80.0 /* between routers */
#define SIZE   36.0 /* of a router */
#define LEGEND 50.0 /* height below the routers */
#define NARROW 360.0

struct point {
	double x, y;
};

/* Trees by level, the top first; starts: the first router of each level, and their number. */
static struct point on_level(const uint32_t *starts, uint32_t router)
{
	uint32_t level = 0, widest = starts[3] - starts[2];

	while (router >= starts[level + 1])
		level++;
	return (struct point){
		STEP * widest * (router - starts[level] + 0.5) / (starts[level + 1] - starts[level]),
		STEP * (2 * level + 0.5)};
}

static struct point on_circle(uint32_t router, uint32_t routers)
{
	double angle = 2 * 3.14159265358979 * router / routers, radius = STEP * routers / 6.0;

	return (struct point){radius * (1 + cos(angle)) + STEP / 2, radius * (1 + sin(angle)) + STEP / 2};
}

/*
 * A grid where routers lie on one, rows of stages, groups or levels (wider apart) where they have such, else
 * a circle.
 */
static struct point place(const struct noc *n, uint32_t router)
{
	static const uint32_t tree4[] = {0, 4, 12, 28}, qtree[] = {0, 1, 5, 21};
	const struct icnt *c = &n->conf;
	struct point at;
	uint32_t row = 1, apart = 1;

	switch (c->topology) {
	case TOPOLOGY_mesh:
	case TOPOLOGY_torus:
	case TOPOLOGY_cmesh: row = c->n == 1 ? (uint32_t)ceil(sqrt(c->k)) : c->k; break;
	case TOPOLOGY_flatfly: row = c->x; break;
	case TOPOLOGY_fly:
	case TOPOLOGY_fattree:
		row = c->nodes / c->k;
		apart = 2;
		break;
	case TOPOLOGY_dragonflynew: row = 2 * c->k; break;
	default: break;
	}
	at = (struct point){STEP * (router % row + 0.5), STEP * (router / row * apart + 0.5)};
	if (c->topology == TOPOLOGY_tree4 || c->topology == TOPOLOGY_qtree)
		at = on_level(c->topology == TOPOLOGY_tree4 ? tree4 : qtree, router);
	else if (c->topology == TOPOLOGY_anynet)
		at = on_circle(router, n->plan->routers);
	return (struct point){at.x + STEP / 2, at.y + STEP / 2};
}

/* From grey over yellow to red. */
static void colour(FILE *out, double share)
{
	fprintf(out, "rgb(%d,%d,%d)", 220 + (int)(35 * share), (int)(220 - 190 * share * share),
		(int)(220 * (1 - share)));
}

/*
 * From one router to another, aside of the middle line; bent where others may lie on it. Straight ones begin
 * and end at the edges above and below, so that none runs behind the neighbours in a row.
 */
static void draw_line(FILE *out, struct point a, struct point b)
{
	double dx = b.x - a.x, dy = b.y - a.y, far = sqrt(dx * dx + dy * dy);
	double right = -dy / far, down = dx / far, edge = fabs(dy) > 1 ? copysign(SIZE / 2, dy) : 0;
	bool bent = far > STEP * 1.01 && (fabs(dx) < 1 || fabs(dy) < 1);

	if (bent)
		edge = 0;
	fprintf(out, "<path d=\"M%.1f %.1f ", a.x + 5 * right, a.y + edge + 5 * down);
	if (bent)
		fprintf(out, "Q%.1f %.1f ", (a.x + b.x) / 2 + (35 + far / 10) * right,
			(a.y + b.y) / 2 + (35 + far / 10) * down);
	else
		fputc('L', out);
	fprintf(out, "%.1f %.1f\" fill=\"none\"", b.x + 5 * right, b.y - edge + 5 * down);
}

/* Whether a channel of a mesh closes a line to a ring, which nothing ever uses. */
static bool closes_line(const struct icnt *c, uint32_t from, uint32_t to)
{
	uint32_t step = from > to ? from - to : to - from;

	if (c->topology != TOPOLOGY_mesh)
		return false;
	while (step % c->k == 0)
		step /= c->k;
	return step != 1;
}

static void draw_channel(const struct noc *n, uint32_t port, uint64_t most, FILE *out)
{
	const struct noc_plan *p = n->plan;
	uint32_t from = p->router_of[port], to = p->out[port].to;
	uint64_t flits = noc_channel_flits(n, port);
	double share = most ? (double)flits / (double)most : 0;

	if (to & NOC_NODE || p->router_of[to] == from || closes_line(&n->conf, from, p->router_of[to]))
		return;
	fprintf(out, "<g><title>router %u to %u: %" PRIu64 " flits, %.4f flits/cycle</title>", from,
		p->router_of[to], flits, noc_use(n, flits));
	draw_line(out, place(n, from), place(n, p->router_of[to]));
	fprintf(out, " stroke-width=\"%.1f\" stroke=\"", 1 + 6 * share);
	colour(out, share);
	fputs("\"/></g>\n", out);
}

static void draw_router(const struct noc *n, uint32_t router, uint64_t most, FILE *out)
{
	struct point at = place(n, router);
	uint64_t flits = noc_router_flits(n, router);

	fprintf(out, "<g><title>router %u: %" PRIu64 " flits, %.4f flits/cycle</title>", router, flits,
		noc_use(n, flits));
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" stroke=\"#444\" fill=\"",
		at.x - SIZE / 2, at.y - SIZE / 2, SIZE, SIZE);
	colour(out, most ? (double)flits / (double)most : 0);
	fprintf(out,
		"\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"middle\">%u</text></g>\n",
		at.x, at.y + 4, router);
}

/* What grey and red stand for. */
static void draw_scale(const struct noc *n, const char *what, uint64_t most, double y, FILE *out)
{
	for (int i = 0; i < 10; i++) {
		fprintf(out, "<rect x=\"%d\" y=\"%.0f\" width=\"6\" height=\"10\" fill=\"", 10 + 6 * i, y);
		colour(out, i / 9.0);
		fputs("\"/>", out);
	}
	fprintf(out,
		"<text x=\"78\" y=\"%.0f\" font-size=\"11\">%s: 0 to %" PRIu64
		" flits, %.4f a cycle</text>\n",
		y + 9, what, most, noc_use(n, most));
}

void noc_draw(const struct noc *n, FILE *out)
{
	uint64_t most_channel = 0, most_router = 0;
	double width = NARROW, height = 0;

	for (uint32_t i = 0; i < n->plan->ports; i++)
		if (!(n->plan->out[i].to & NOC_NODE) && noc_channel_flits(n, i) > most_channel)
			most_channel = noc_channel_flits(n, i);
	for (uint32_t r = 0; r < n->plan->routers; r++) {
		struct point at = place(n, r);
		uint64_t flits = noc_router_flits(n, r);

		most_router = flits > most_router ? flits : most_router;
		width = at.x + STEP > width ? at.x + STEP : width;
		height = at.y + STEP > height ? at.y + STEP : height;
	}
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n",
		width, height + LEGEND);
	fprintf(out, "<title>%s %s, flits of %" PRIu64 " cycles</title>\n",
		icnt_topologies[n->conf.topology].name, icnt_routings[n->conf.routing].name, n->time);
	for (uint32_t i = 0; i < n->plan->ports; i++)
		draw_channel(n, i, most_channel, out);
	for (uint32_t r = 0; r < n->plan->routers; r++)
		draw_router(n, r, most_router, out);
	draw_scale(n, "channels", most_channel, height, out);
	draw_scale(n, "routers", most_router, height + 20, out);
	fputs("</svg>\n", out);
}
