/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tori and their routings. A torus is a mesh with each line closed to a ring. This makes channels twice as
 * long on a chip. The virtual channels of a ring are divided into two parts to prevent circular waits. A
 * packet keeps its part (phase) until it turns into the next dimension.
 */
#include "net/noc.h"
#include "net/topology/cube.h"

/*
 * Encoding of ways. OUTPUT is the mask of the output towards the destination in the first dimension that
 * differs (down if both directions are equally long), or 2n at the destination. HALF is set if both
 * directions are equally long. ABOVE is set if the router is above the destination in that dimension.
 */
#define OUTPUT 0x3fff
#define ABOVE  0x4000
#define HALF   0x8000

static uint16_t torus_way_to_node(const struct icnt *c, uint32_t at, uint32_t dest)
{
	uint32_t k = c->k, d = 0, twice;

	if (at == dest)
		return (uint16_t)(2 * c->n);
	for (; at % k == dest % k; d++) {
		at /= k;
		dest /= k;
	}
	at %= k;
	dest %= k;
	twice = 2 * ((dest + k - at) % k);
	return (uint16_t)((2 * d + (twice >= k)) | (at > dest ? ABOVE : 0) | (twice == k ? HALF : 0));
}

void noc_plan_torus(struct noc_builder *b, const struct icnt *c)
{
	noc_cube_plan(b, c, 2);
	noc_tabulate_ways(b, torus_way_to_node);
}

static uint32_t torus_coordinate(uint32_t node, uint32_t k, uint32_t d)
{
	while (d--)
		node /= k;
	return node % k;
}

static int8_t torus_balanced_part(const struct noc_view *v, uint32_t a, uint32_t b, bool up)
{
	uint32_t middle = (v->icnt->k - 1) / 2;

	if (up ? a > b : a < b)
		return 1;
	if (up ? a <= middle && b > middle : a > middle && b <= middle)
		return 0;
	return (int8_t)noc_random_int(v->random, 1);
}

/*
 * Returns the output for a packet from input `in`. With `parted`, sets p->phase when the packet turns into
 * another dimension. With `even`, balances the load of the two parts.
 */
static uint32_t torus_ring_output(
	const struct noc_view *v, struct noc_packet *p, uint32_t at, uint32_t in, bool parted, bool even)
{
	uint32_t ways = noc_way_to_node(v, at, p->dest, torus_way_to_node), k = v->icnt->k,
		 d = (ways & OUTPUT) / 2;
	bool up;

	if (d == v->icnt->n)
		return 2 * v->icnt->n;
	if (in / 2 == d)
		return in ^ 1;
	up = ways & HALF ? noc_random_int(v->random, 1) : !(ways & 1);
	if (parted && even)
		p->phase = torus_balanced_part(
			v, torus_coordinate(at, k, d), torus_coordinate(p->dest, k, d), up);
	/* quirk Q4-37: on the way down, a path that does not cross the end of the ring uses the upper half */
	else if (parted)
		p->phase = (ways & ABOVE) != 0;
	return 2 * d + !up;
}

static void torus_route_parted(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in, bool even)
{
	uint32_t port = torus_ring_output(v, p, router, in, true, even);
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind], half = (hi - lo + 1) / 2;

	if (router != p->dest) {
		if (p->phase)
			lo += half;
		else
			hi -= half;
	}
	noc_set_single_way(p, port, lo, hi);
}

void noc_route_torus_dor(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	torus_route_parted(v, p, router, in, false);
}

void noc_route_torus_dor_bal(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	torus_route_parted(v, p, router, in, true);
}

void noc_route_torus_dor_ni(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t port = torus_ring_output(v, p, router, in, false, false);
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind],
		 each = (hi - lo + 1) / v->plan->nodes;

	if (router != p->dest) {
		lo += p->dest * each;
		hi = lo + each - 1;
	}
	noc_set_single_way(p, port, lo, hi);
}

void noc_route_torus_min_adapt(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], hi = v->icnt->vc_end[p->kind], escape;
	uint32_t vc = in == 2 * v->icnt->n ? hi : p->vc;
	bool free_way = vc > lo + 1;

	escape = torus_ring_output(v, p, router, free_way ? 2 * v->icnt->n : in, true, false);
	if (router == p->dest) {
		noc_set_single_way(p, 2 * v->icnt->n, lo, hi);
		return;
	}
	p->n_ways = 0;
	if (free_way) /* quirk Q4-31: BookSim keeps only the first of the ways that shorten the distance */
		p->way[p->n_ways++] = (struct noc_way){
			(uint16_t)(noc_way_to_node(v, router, p->dest, torus_way_to_node) & OUTPUT),
			(uint16_t)(lo + 3), (uint16_t)(lo + 3), 1};
	lo += p->phase != 0;
	p->way[p->n_ways++] = (struct noc_way){(uint16_t)escape, (uint16_t)lo, (uint16_t)lo, 0};
}

/* quirk Q4-37: a packet with a distance of half the ring moves up. */
void noc_route_torus_chaos(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t at = router, dest = p->dest, k = v->icnt->k, d = 0;

	(void)in;
	if (at == dest) {
		noc_set_single_way(p, 2 * v->icnt->n, 0, 0);
		return;
	}
	for (; at % k == dest % k; d++) {
		at /= k;
		dest /= k;
	}
	noc_set_single_way(p, 2 * d + (2 * ((dest % k + k - at % k) % k) > k), 0, 0);
}
