/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flattened butterflies: k routers in each of n dimensions. Each router has c nodes and a channel to every
 * router from which it differs in one coordinate. Its first c ports lead to the nodes. They are followed by k
 * - 1 channels for each dimension, in the order of the other router's coordinate.
 *
 * On the chip the routers form a square of x by x. The nodes of each router form a square of xr by xr. Nodes
 * are numbered along the rows of the chip. Routings use other numbers, the routing numbers, which are
 * consecutive for the nodes of a router.
 */
#include "net/noc.h"

/* ---- plan ----------------------------------------------------------------------------------------------- */

static uint32_t coordinate_distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/*
 * Distance on the chip from the middle of a router to one of its nodes. It is never 0 if a side has an even
 * number of nodes.
 */
struct offset {
	int distance, half;
	bool odd;
};

static void skip_zero_offset(struct offset *o) { o->distance += !o->distance && !o->odd; }

static uint32_t channel_latency_of_distance(int at)
{
	uint32_t far = (uint32_t)(at < 0 ? -at : at);

	return far > 1 ? far - 1 : 0;
}

/*
 * Connects the nodes of a router. quirk Q4-34: latencies are computed along the columns, but nodes are
 * connected along the rows.
 */
static void join_router_nodes(struct noc_builder *b, const struct icnt *c, uint32_t router)
{
	int half = (int)c->xr / 2;
	struct offset down = {-(int)c->xr / 2, half, c->xr % 2}, across = down;

	for (uint32_t y = 0; y < c->xr; y++)
		for (uint32_t x = 0; x < c->xr; x++) {
			uint32_t node =
				c->x * c->xr * (c->xr * (router / c->x) + y) + c->xr * (router % c->x) + x;

			skip_zero_offset(&down);
			skip_zero_offset(&across);
			if (c->chip_latency)
				noc_set_node_latency(b, node,
					1 + channel_latency_of_distance(down.distance) +
						channel_latency_of_distance(across.distance));
			noc_connect_node(b, router, node);
			if (++down.distance > down.half) {
				down.distance = -half;
				across.distance++;
			}
		}
}

static void join_router_neighbours(struct noc_builder *b, const struct icnt *c, uint32_t router)
{
	uint32_t step = 1, channel = (c->k - 1) * c->n * router;

	for (uint32_t d = 0; d < c->n; d++, step *= c->k)
		for (uint32_t i = 0; i < c->k; i++) {
			uint32_t other = router - router / step % c->k * step + i * step;

			if (other == router)
				continue;
			if (c->chip_latency)
				noc_set_channel_latency(b, channel,
					c->xr * (coordinate_distance(router % c->x, other % c->x) +
							coordinate_distance(router / c->x, other / c->x)));
			noc_add_output(b, router, channel);
			noc_add_input(b, other, channel++);
		}
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/*
 * Returns the routing number of a node: the number of its router times the number of nodes per router, plus its
 * index at the router.
 */
static uint32_t flatfly_routing_number(const struct icnt *c, uint32_t node)
{
	uint32_t row = c->x * c->xr, x = node % row, y = node / row;

	return (y / c->xr * c->x + x / c->xr) * c->c + c->xr * (y % c->xr) + x % c->xr;
}

static uint32_t flatfly_port(const struct icnt *c, uint32_t d, uint32_t from, uint32_t to)
{
	return c->c + (c->k - 1) * d + to - (to > from);
}

/*
 * Returns the output towards the node with routing number `dest`: to the node if it is at this router, else in the
 * lowest dimension in which its router differs.
 */
static uint16_t flatfly_lowest_port(const struct icnt *c, uint32_t router, uint32_t dest)
{
	uint32_t to = dest / c->c, d = 0;

	if (to == router)
		return (uint16_t)(dest % c->c);
	for (; to % c->k == router % c->k; d++) {
		to /= c->k;
		router /= c->k;
	}
	return (uint16_t)flatfly_port(c, d, router % c->k, to % c->k);
}

void noc_plan_flatfly(struct noc_builder *b, const struct icnt *c)
{
	uint32_t routers = c->nodes / c->c;

	noc_plan_begin(b, c->nodes, routers, routers * (c->k - 1) * c->n);
	for (uint32_t r = 0; r < routers; r++)
		join_router_nodes(b, c, r);
	for (uint32_t r = 0; r < routers; r++)
		join_router_neighbours(b, c, r);
	noc_tabulate_ways(b, flatfly_lowest_port);
}

static uint32_t flatfly_ascending_port(const struct noc_view *v, uint32_t router, uint32_t dest)
{
	return noc_way_to_node(v, router, dest, flatfly_lowest_port);
}

/*
 * Returns the output towards the node with routing number `dest`: to the node if it is at this router, else in the
 * highest dimension in which its router differs.
 */
static uint32_t flatfly_descending_port(const struct icnt *c, uint32_t router, uint32_t dest)
{
	uint32_t to = dest / c->c, d = c->n - 1, step = c->nodes / c->c / c->k;

	if (to == router)
		return dest % c->c;
	for (; to / step == router / step; d--) {
		to %= step;
		router %= step;
		step /= c->k;
	}
	return flatfly_port(c, d, router / step, to / step);
}

struct vc_range {
	uint32_t lo, hi;
};

static struct vc_range flatfly_class_vcs(const struct noc_view *v, const struct noc_packet *p)
{
	return (struct vc_range){v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]};
}

static struct vc_range flatfly_vc_half(struct vc_range r, bool lower)
{
	uint32_t n = (r.hi - r.lo + 1) / 2;

	return lower ? (struct vc_range){r.lo, r.hi - n} : (struct vc_range){r.lo + n, r.hi};
}

static void add_flatfly_way(struct noc_packet *p, uint32_t out, struct vc_range r)
{
	noc_set_single_way(p, out, r.lo, r.hi);
}

void noc_route_flatfly_min(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	add_flatfly_way(p, flatfly_ascending_port(v, router, flatfly_routing_number(v->icnt, p->dest)),
		flatfly_class_vcs(v, p));
}

static bool flatfly_in_lower_half(const struct noc_view *v, const struct noc_packet *p)
{
	struct vc_range r = flatfly_class_vcs(v, p);

	return p->vc < r.lo + (r.hi - r.lo + 1) / 2;
}

static void flatfly_route_xy_or_yx(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in, bool adaptive)
{
	uint32_t dest = flatfly_routing_number(v->icnt, p->dest),
		 first = flatfly_ascending_port(v, router, dest),
		 last = flatfly_descending_port(v->icnt, router, dest);
	uint32_t a, b;
	bool up;

	if (dest / v->icnt->c == router) {
		add_flatfly_way(p, dest % v->icnt->c, flatfly_class_vcs(v, p));
		return;
	}
	a = adaptive ? noc_uncredited_flits(v, router, first) : 0;
	b = adaptive ? noc_uncredited_flits(v, router, last) : 0;
	if (in >= v->icnt->c)
		up = flatfly_in_lower_half(v, p);
	else
		up = a == b ? noc_random_int(v->random, 1) > 0 : a < b;
	add_flatfly_way(p, up ? first : last, flatfly_vc_half(flatfly_class_vcs(v, p), up));
}

void noc_route_flatfly_xyyx(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	flatfly_route_xy_or_yx(v, p, router, in, false);
}

void noc_route_flatfly_adaptive_xyyx(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	flatfly_route_xy_or_yx(v, p, router, in, true);
}

void noc_route_flatfly_valiant(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t dest = flatfly_routing_number(v->icnt, p->dest), between;

	if (in < v->icnt->c) {
		p->phase = 0;
		p->between = noc_random_int(v->random, v->plan->nodes - 1);
	}
	between = flatfly_routing_number(v->icnt, p->between);
	if (between / v->icnt->c == router || dest / v->icnt->c == router)
		p->phase = 1;
	add_flatfly_way(p, flatfly_ascending_port(v, router, p->phase ? dest : between),
		dest / v->icnt->c == router ? flatfly_class_vcs(v, p)
					    : flatfly_vc_half(flatfly_class_vcs(v, p), !p->phase));
}

/* ---- direct way, or way through a random node ------------------------------------------------- */

/* Number of hops between the routers of two nodes, given by their routing numbers. */
static uint32_t flatfly_hops(const struct icnt *c, uint32_t a, uint32_t b)
{
	uint32_t n = 0;

	a /= c->c;
	b /= c->c;
	for (uint32_t d = 0; d < c->n; d++) {
		n += a % c->k != b % c->k;
		a /= c->k;
		b /= c->k;
	}
	return n;
}

/*
 * Returns a random intermediate node. Coordinates in which source and destination agree are kept. All nodes are
 * given by their routing numbers.
 */
static uint32_t flatfly_random_node(const struct noc_view *v, uint32_t source, uint32_t dest)
{
	const struct icnt *c = v->icnt;
	uint32_t at = noc_random_int(v->random, c->c - 1), step = c->c;

	source /= c->c;
	dest /= c->c;
	for (uint32_t d = 0; d < c->n; d++) {
		at += step *
		      (source % c->k == dest % c->k ? source % c->k : noc_random_int(v->random, c->k - 1));
		source /= c->k;
		dest /= c->k;
		step *= c->k;
	}
	return at;
}

/* maximum number by which flits times hops of the direct way may exceed the other way's */
#define BIAS 2

/*
 * Chooses at the first router between the direct way and a way through a random node. p->phase is 0 before the
 * choice, 1 on the way to that node, and 2 on the way to dest. With `up`, the lowest differing dimension is
 * used first.
 */
static void flatfly_choose_path(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t dest, bool up)
{
	const struct icnt *c = v->icnt;
	uint32_t source = flatfly_routing_number(c, p->source), over = flatfly_random_node(v, source, dest),
		 straight, around;

	p->phase = 2;
	if (over / c->c == router)
		return;
	straight = noc_uncredited_flits(v, router,
		up ? flatfly_ascending_port(v, router, dest) : flatfly_descending_port(c, router, dest));
	around = noc_uncredited_flits(v, router,
		up ? flatfly_ascending_port(v, router, over) : flatfly_descending_port(c, router, over));
	if (flatfly_hops(c, source, dest) * straight <=
		(flatfly_hops(c, source, over) + flatfly_hops(c, over, dest)) * around + BIAS)
		return;
	p->phase = 1;
	p->between = over;
}

/*
 * Sets *dest to the routing number of the node towards which the packet moves next. Returns true if the packet is
 * at its destination's router.
 */
static bool flatfly_next_goal(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in, uint32_t *dest)
{
	*dest = flatfly_routing_number(v->icnt, p->dest);
	if (in < v->icnt->c)
		p->phase = 0;
	if (p->phase == 1 && p->between / v->icnt->c != router) {
		*dest = p->between;
		return false;
	}
	if (p->phase != 1)
		return *dest / v->icnt->c == router;
	p->phase = 2;
	return false;
}

static uint32_t flatfly_ugal_step(
	const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in, struct vc_range *r)
{
	uint32_t dest, out;

	*r = flatfly_class_vcs(v, p);
	if (flatfly_next_goal(v, p, router, in, &dest))
		return dest % v->icnt->c;
	if (!p->phase) {
		flatfly_choose_path(v, p, router, dest, true);
		if (p->phase == 1)
			dest = p->between;
	}
	out = flatfly_ascending_port(v, router, dest);
	if (out >= v->icnt->c)
		*r = flatfly_vc_half(*r, p->phase == 1);
	return out;
}

void noc_route_flatfly_ugal(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	struct vc_range r;
	uint32_t out = flatfly_ugal_step(v, p, router, in, &r);

	add_flatfly_way(p, out, r);
}

void noc_route_flatfly_ugal_xyyx(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	struct vc_range r = flatfly_class_vcs(v, p);
	uint32_t dest, out;
	bool up;

	if (flatfly_next_goal(v, p, router, in, &dest)) {
		add_flatfly_way(p, dest % v->icnt->c, r);
		return;
	}
	up = in < v->icnt->c ? noc_random_int(v->random, 1) > 0 : flatfly_in_lower_half(v, p);
	if (!p->phase) {
		flatfly_choose_path(v, p, router, dest, up);
		if (p->phase == 1)
			dest = p->between;
	}
	out = up ? flatfly_ascending_port(v, router, dest) : flatfly_descending_port(v->icnt, router, dest);
	/* quirk Q4-34: each quarter is half of a half, but its size is computed from the whole range */
	if (out >= v->icnt->c) {
		uint32_t quarter = (r.hi - r.lo + 1) / 2 / 2;

		r = flatfly_vc_half(r, up);
		if (p->phase == 1)
			r.hi -= quarter;
		else
			r.lo += quarter;
	}
	add_flatfly_way(p, out, r);
}

/* ---- channels chosen by the next coordinate --------------------------------------------------- */

static struct vc_range flatfly_vc_part(struct vc_range r, uint32_t which, uint32_t of)
{
	uint32_t each = (r.hi - r.lo + 1) / of;

	return (struct vc_range){r.lo + which * each, r.lo + (which + 1) * each - 1};
}

struct noc_way noc_injection_vcs_flatfly_pni(const struct noc_view *v, const struct noc_packet *p)
{
	struct vc_range r = flatfly_vc_part(flatfly_class_vcs(v, p),
		flatfly_routing_number(v->icnt, p->dest) / v->icnt->c % v->icnt->k, v->icnt->k);

	return (struct noc_way){.lo = (uint16_t)r.lo, .hi = (uint16_t)r.hi};
}

void noc_route_flatfly_ugal_pni(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	const struct icnt *c = v->icnt;
	uint32_t coordinate = flatfly_routing_number(c, p->dest), out, d;
	struct vc_range r;

	out = flatfly_ugal_step(v, p, router, in, &r);
	if (out < c->c) {
		add_flatfly_way(p, out, r);
		return;
	}
	d = (out - c->c) / (c->k - 1) + 1;
	if (d == c->n) {
		coordinate %= c->c;
	} else {
		coordinate /= c->c;
		while (d--)
			coordinate /= c->k;
		coordinate %= c->k;
	}
	add_flatfly_way(p, out, flatfly_vc_part(r, coordinate, c->k));
}
