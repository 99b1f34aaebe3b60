/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Concentrated meshes: k by k routers, each with two by two nodes. Ports 0 to 3 of a router lead to its
 * nodes. The next ports lead east, west, north and south. A port at an edge, unused in a mesh, leads to the
 * router half an edge away, over a so-called express channel.
 */
#include "net/noc.h"

enum { EAST = 4, WEST, NORTH, SOUTH };

/* ---- plan ----------------------------------------------------------------------------------------------- */

/* Returns the position half an edge away from position `at`. */
static uint32_t cmesh_half_edge(uint32_t at, uint32_t k) { return at < k / 2 ? at + k / 2 : at - k / 2; }

/* Returns the channel that leaves router (x, y) in a direction, EAST to SOUTH. */
static uint32_t cmesh_channel(const struct icnt *c, uint32_t x, uint32_t y, uint32_t direction)
{
	return (direction - EAST) * c->k * c->k + c->k * y + x;
}

static void connect_cmesh_direction(
	struct noc_builder *b, const struct icnt *c, uint32_t x, uint32_t y, uint32_t direction)
{
	uint32_t k = c->k, router = k * y + x, out = cmesh_channel(c, x, y, direction), in;
	bool edge = true;

	if (direction == EAST && x != k - 1) {
		in = cmesh_channel(c, x + 1, y, WEST);
		edge = false;
	} else if (direction == WEST && x) {
		in = cmesh_channel(c, x - 1, y, EAST);
		edge = false;
	} else if (direction == NORTH && y != k - 1) {
		in = cmesh_channel(c, x, y + 1, SOUTH);
		edge = false;
	} else if (direction == SOUTH && y) {
		in = cmesh_channel(c, x, y - 1, NORTH);
		edge = false;
	} else if (direction == EAST || direction == WEST) {
		in = cmesh_channel(c, x, cmesh_half_edge(y, k), direction);
	} else {
		in = cmesh_channel(c, cmesh_half_edge(x, k), y, direction);
	}
	noc_set_channel_latency(b, out, !c->chip_latency ? 1 : edge ? k : 2);
	noc_add_output(b, router, out);
	noc_add_input(b, router, in);
}

void noc_plan_cmesh(struct noc_builder *b, const struct icnt *c)
{
	uint32_t k = c->k;

	noc_plan_begin(b, c->nodes, k * k, 4 * k * k);
	for (uint32_t y = 0; y < k; y++)
		for (uint32_t x = 0; x < k; x++) {
			for (uint32_t i = 0; i < 4; i++)
				noc_connect_node(b, k * y + x, 2 * k * (2 * y + i / 2) + 2 * x + i % 2);
			for (uint32_t d = EAST; d <= SOUTH; d++)
				connect_cmesh_direction(b, c, x, y, d);
		}
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

static uint32_t cmesh_router(const struct icnt *c, uint32_t node)
{
	return node / (2 * c->k) / 2 * c->k + node % (2 * c->k) / 2;
}

static uint32_t cmesh_node_port(const struct icnt *c, uint32_t node)
{
	return 2 * (node / (2 * c->k) & 1) + (node & 1);
}

/*
 * Returns the output for a hop along x or along y: an express channel if the distance is at least `far` and
 * the router is on the edge.
 */
static uint32_t cmesh_hop_along_x(uint32_t k, uint32_t x, uint32_t y, uint32_t to, uint32_t far)
{
	if ((to > x ? to - x : x - to) >= far) {
		if (y == 0)
			return SOUTH;
		if (y == k - 1)
			return NORTH;
	}
	return to > x ? EAST : WEST;
}

static uint32_t cmesh_hop_along_y(uint32_t k, uint32_t x, uint32_t y, uint32_t to, uint32_t far)
{
	if ((to > y ? to - y : y - to) >= far) {
		if (x == 0)
			return WEST;
		if (x == k - 1)
			return EAST;
	}
	return to > y ? NORTH : SOUTH;
}

static uint32_t cmesh_next_port(
	const struct icnt *c, uint32_t router, uint32_t dest, bool x_first, uint32_t far)
{
	uint32_t k = c->k, x = router % k, y = router / k, to_x = dest % k, to_y = dest / k;

	if (x != to_x && (x_first || y == to_y))
		return cmesh_hop_along_x(k, x, y, to_x, far);
	return cmesh_hop_along_y(k, x, y, to_y, far);
}

static void cmesh_route_x_first(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t far)
{
	uint32_t dest = cmesh_router(v->icnt, p->dest);
	uint32_t port = dest == router ? cmesh_node_port(v->icnt, p->dest)
				       : cmesh_next_port(v->icnt, router, dest, true, far);

	noc_set_single_way(p, port, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}

static void cmesh_route_xy_or_yx(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in, uint32_t far)
{
	uint32_t dest = cmesh_router(v->icnt, p->dest), lo = v->icnt->vc_begin[p->kind],
		 hi = v->icnt->vc_end[p->kind];
	uint32_t half = (hi - lo + 1) / 2;
	bool x_first;

	if (dest == router) {
		noc_set_single_way(p, cmesh_node_port(v->icnt, p->dest), lo, hi);
		return;
	}
	x_first = in < 4 ? noc_random_int(v->random, 1) > 0 : p->vc < lo + half;
	noc_set_single_way(p, cmesh_next_port(v->icnt, router, dest, x_first, far), x_first ? lo : lo + half,
		x_first ? hi - half : hi);
}

void noc_route_cmesh_dor(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	cmesh_route_x_first(v, p, router, v->icnt->k / 2);
}

void noc_route_cmesh_dor_plain(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	cmesh_route_x_first(v, p, router, UINT32_MAX);
}

void noc_route_cmesh_xy_yx(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	cmesh_route_xy_or_yx(v, p, router, in, 2);
}

void noc_route_cmesh_xy_yx_plain(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	cmesh_route_xy_or_yx(v, p, router, in, UINT32_MAX);
}
