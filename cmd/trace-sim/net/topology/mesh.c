/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meshes and their routings: k routers in each of n dimensions, with one node at each router.
 *
 * For outputs and inputs alike, port 2d of a router leads to the upper neighbour in dimension d, port 2d + 1
 * to the lower neighbour, and port 2n to the node. The channels that would close a line to a ring exist but
 * are never used. The coordinates of a router are the digits of its number to the base k, beginning with the
 * lowest dimension.
 */
#include "net/noc.h"
#include "net/topology/cube.h"

/* ---- plan, also for tori ---------------------------------------------------------------------- */

static uint32_t cube_neighbour(uint32_t node, uint32_t step, uint32_t k, bool up)
{
	uint32_t at = node / step % k;

	if (up)
		return at == k - 1 ? node - (k - 1) * step : node + step;
	return at ? node - step : node + (k - 1) * step;
}

static void connect_cube_dimension(struct noc_builder *b, const struct icnt *c, uint32_t node, uint32_t d,
	uint32_t step, uint32_t latency)
{
	uint32_t from_above = 2 * c->n * cube_neighbour(node, step, c->k, true) + 2 * d + 1;
	uint32_t from_below = 2 * c->n * cube_neighbour(node, step, c->k, false) + 2 * d;
	uint32_t up = 2 * c->n * node + 2 * d;

	noc_add_input(b, node, from_above);
	noc_add_input(b, node, from_below);
	noc_set_channel_latency(b, from_above, latency);
	noc_set_channel_latency(b, from_below, latency);
	noc_add_output(b, node, up);
	noc_add_output(b, node, up + 1);
	noc_set_channel_latency(b, up, latency);
	noc_set_channel_latency(b, up + 1, latency);
}

void noc_cube_plan(struct noc_builder *b, const struct icnt *c, uint32_t latency)
{
	noc_plan_begin(b, c->nodes, c->nodes, 2 * c->n * c->nodes);
	for (uint32_t node = 0; node < c->nodes; node++) {
		uint32_t step = 1;

		for (uint32_t d = 0; d < c->n; d++, step *= c->k)
			connect_cube_dimension(b, c, node, d, step, c->chip_latency ? latency : 1);
		noc_connect_node(b, node, node);
	}
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* Returns the output towards `dest` in the lowest dimension that differs, or 2n at the destination. */
static uint16_t mesh_lowest_port(const struct icnt *c, uint32_t at, uint32_t dest)
{
	uint32_t d = 0;

	if (at == dest)
		return (uint16_t)(2 * c->n);
	for (; at % c->k == dest % c->k; d++) {
		at /= c->k;
		dest /= c->k;
	}
	return (uint16_t)(2 * d + (at % c->k > dest % c->k));
}

void noc_plan_mesh(struct noc_builder *b, const struct icnt *c)
{
	noc_cube_plan(b, c, 1);
	noc_tabulate_ways(b, mesh_lowest_port);
}

static uint32_t mesh_ascending_port(const struct noc_view *v, uint32_t at, uint32_t dest)
{
	return noc_way_to_node(v, at, dest, mesh_lowest_port);
}

/* Returns the output towards `dest` in the highest dimension that differs, or 2n at the destination. */
static uint32_t mesh_descending_port(const struct icnt *c, uint32_t at, uint32_t dest)
{
	uint32_t d = c->n - 1, step = c->nodes / c->k;

	if (at == dest)
		return 2 * c->n;
	for (; d && at / step == dest / step; d--) {
		at %= step;
		dest %= step;
		step /= c->k;
	}
	return 2 * d + (at / step > dest / step);
}

void noc_route_mesh_dor(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	noc_set_single_way(p, mesh_ascending_port(v, router, p->dest), v->icnt->vc_begin[p->kind],
		v->icnt->vc_end[p->kind]);
}

/*
 * Divides the channels of a packet into `parts` equal parts and restricts the packet to part `which`. At the
 * destination it may use all channels.
 */
static void mesh_use_vc_part(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t port,
	uint32_t which, uint32_t parts)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind], each = (hi - lo + 1) / parts;

	if (router != p->dest) {
		lo += which * each;
		hi = lo + each - 1;
	}
	noc_set_single_way(p, port, lo, hi);
}

void noc_route_mesh_dor_ni(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	mesh_use_vc_part(v, p, router, mesh_ascending_port(v, router, p->dest), p->dest, v->plan->nodes);
}

static uint32_t mesh_coordinate(const struct icnt *c, uint32_t node, uint32_t d)
{
	while (d--)
		node /= c->k;
	return node % c->k;
}

struct noc_way noc_injection_vcs_mesh_pni(const struct noc_view *v, const struct noc_packet *p)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], each = (v->icnt->vc_end[p->kind] - lo + 1) / v->icnt->k;

	lo += p->dest % v->icnt->k * each;
	return (struct noc_way){.lo = (uint16_t)lo, .hi = (uint16_t)(lo + each - 1)};
}

void noc_route_mesh_dor_pni(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t port = mesh_ascending_port(v, router, p->dest);

	(void)in;
	mesh_use_vc_part(v, p, router, port, mesh_coordinate(v->icnt, p->dest, port / 2), v->icnt->k);
}

/* ---- two orders ----------------------------------------------------------------------------------------- */

/*
 * Restricts a packet to one half of its channels: the lower half if it takes the dimensions in ascending
 * order, otherwise the upper half.
 */
static void mesh_use_vc_half(const struct noc_view *v, struct noc_packet *p, uint32_t port, bool lower)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind], half = (hi - lo + 1) / 2;

	noc_set_single_way(p, port, lower ? lo : lo + half, lower ? hi - half : hi);
}

static bool mesh_in_lower_half(const struct noc_view *v, const struct noc_packet *p)
{
	uint32_t lo = v->icnt->vc_begin[p->kind];

	return p->vc < lo + (v->icnt->vc_end[p->kind] - lo + 1) / 2;
}

static bool has_arrived_in_mesh(const struct noc_view *v, struct noc_packet *p, uint32_t router)
{
	if (router != p->dest)
		return false;
	noc_set_single_way(p, 2 * v->icnt->n, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
	return true;
}

void noc_route_mesh_xy_yx(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	bool up;

	if (has_arrived_in_mesh(v, p, router))
		return;
	up = in < 2 * v->icnt->n ? mesh_in_lower_half(v, p) : noc_random_int(v->random, 1) > 0;
	mesh_use_vc_half(v, p,
		up ? mesh_ascending_port(v, router, p->dest) : mesh_descending_port(v->icnt, router, p->dest),
		up);
}

void noc_route_mesh_adaptive_xy_yx(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t first, last;
	bool up;

	if (has_arrived_in_mesh(v, p, router))
		return;
	first = mesh_ascending_port(v, router, p->dest);
	last = mesh_descending_port(v->icnt, router, p->dest);
	if (in < 2 * v->icnt->n) {
		up = mesh_in_lower_half(v, p);
	} else {
		uint32_t a = noc_uncredited_flits(v, router, first),
			 b = noc_uncredited_flits(v, router, last);

		up = a == b ? noc_random_int(v->random, 1) > 0 : a < b;
	}
	mesh_use_vc_half(v, p, up ? first : last, up);
}

/* ---- routes through a random intermediate router ---------------------------------------------- */

/* Returns a random router in the box that source and destination span. */
static uint32_t mesh_random_between(const struct noc_view *v, uint32_t source, uint32_t dest)
{
	uint32_t at = 0, step = 1, k = v->icnt->k;

	for (uint32_t d = 0; d < v->icnt->n; d++) {
		uint32_t a = source % k, b = dest % k;

		at += step *
		      (b > a ? a + noc_random_int(v->random, b - a) : b + noc_random_int(v->random, a - b));
		step *= k;
		source /= k;
		dest /= k;
	}
	return at;
}

static void mesh_route_via_between(const struct noc_view *v, struct noc_packet *p, uint32_t router)
{
	uint32_t port;

	if (!p->phase && router == p->between)
		p->phase = 1;
	port = mesh_ascending_port(v, router, p->phase ? p->dest : p->between);
	if (router == p->dest)
		noc_set_single_way(p, port, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
	else
		mesh_use_vc_half(v, p, port, !p->phase);
}

static void mesh_choose_between(const struct noc_view *v, struct noc_packet *p, uint32_t in)
{
	if (in != 2 * v->icnt->n)
		return;
	p->phase = 0;
	p->between = mesh_random_between(v, p->source, p->dest);
}

void noc_route_mesh_romm(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	mesh_choose_between(v, p, in);
	mesh_route_via_between(v, p, router);
}

void noc_route_mesh_romm_ni(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	mesh_choose_between(v, p, in);
	if (!p->phase && router == p->between)
		p->phase = 1;
	mesh_use_vc_part(v, p, router, mesh_ascending_port(v, router, p->phase ? p->dest : p->between),
		p->dest, v->plan->nodes);
}

void noc_route_mesh_valiant(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	if (in == 2 * v->icnt->n) {
		p->phase = 0;
		p->between = noc_random_int(v->random, v->plan->nodes - 1);
	}
	mesh_route_via_between(v, p, router);
}

/* ---- adaptive ------------------------------------------------------------------------------------------- */

void noc_route_mesh_min_adapt(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t escape, hi = v->icnt->vc_end[p->kind];

	if (has_arrived_in_mesh(v, p, router))
		return;
	escape = mesh_ascending_port(v, router, p->dest);
	if (in != 2 * v->icnt->n && !p->vc) {
		noc_set_single_way(p, escape, 0, 0);
		return;
	}
	/* quirk Q4-31: BookSim keeps only the first way, which is the escape way */
	p->way[0] = (struct noc_way){(uint16_t)escape, 1, (uint16_t)hi, 1};
	p->way[1] = (struct noc_way){(uint16_t)escape, 0, 0, 0};
	p->n_ways = 2;
}

/*
 * quirk Q4-31: BookSim keeps only the first of the two ways in a plane. Packets therefore take the dimensions
 * in ascending order, on the upper third of the channels.
 */
void noc_route_mesh_planar_adapt(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind], third = (hi - lo + 1) / 3;

	(void)in;
	if (!has_arrived_in_mesh(v, p, router))
		noc_set_single_way(p, mesh_ascending_port(v, router, p->dest), lo + 2 * third, hi);
}

void noc_route_mesh_chaos(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	noc_set_single_way(p, mesh_ascending_port(v, router, p->dest), 0, 0);
}
