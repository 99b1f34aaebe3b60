/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks of routers against a slow rendering of the description (noc_slow.h): random parameters, random
 * traffic, packets must come out in the same cycles at the same places, and as many random numbers must be
 * drawn.
 */
#include <stdarg.h>
#include <stdlib.h>
#include "arena.h"
#include "noc_slow_router.h"
#include "tap.h"

#define CLUSTERS 5
#define SUBS     4
#define DEVICES  (CLUSTERS + SUBS)
#define PACKETS  4000u
#define NETWORKS 120
#define CYCLES   300

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- a cycle (NET-noc-1 to NET-noc-4) -------------------------------------------------------- */

static void send_on(struct slow *x, struct slow_subnet *s, uint32_t latency, struct slow_moving m)
{
	m.due = x->now + latency + 1;
	assert(s->n_moving < (int)(sizeof(s->moving) / sizeof(s->moving[0])));
	s->moving[s->n_moving++] = m;
}

static void credit_arrives(struct slow *x, struct slow_subnet *s, const struct slow_moving *m)
{
	struct slow_credits *c;
	uint32_t router;

	s->used[m->to]--;
	if (m->to >= x->plan->ports) {
		slow_credit(x, &s->room[m->to], m->flit.vc);
		return;
	}
	router = x->plan->router_of[m->to];
	c = &s->router[router].credit[m->to - x->plan->base[router]];
	memset(&c->at[c->n], 0, sizeof(c->at[0]));
	c->at[c->n].vc[m->flit.vc] = true;
	c->at[c->n++].time = (int)x->now + opt(x, ICNT_credit_delay);
}

static void flit_arrives(struct slow *x, struct slow_subnet *s, const struct slow_moving *m)
{
	uint32_t router, in;

	if (m->to & NOC_NODE) {
		slow_put(&s->node[m->to & ~NOC_NODE].ejection[m->flit.vc], m->flit);
		return;
	}
	router = x->plan->router_of[m->to];
	in = m->to - x->plan->base[router];
	s->router[router].latch[in] = m->flit;
	s->router[router].latched[in] = true;
}

static void arrivals(struct slow *x, struct slow_subnet *s)
{
	int kept = 0;

	for (int i = 0; i < s->n_moving; i++) {
		struct slow_moving m = s->moving[i];

		if (m.due > x->now)
			s->moving[kept++] = m;
		else if (m.credit)
			credit_arrives(x, s, &m);
		else
			flit_arrives(x, s, &m);
	}
	s->n_moving = kept;
	for (uint32_t node = 0; node < x->plan->nodes; node++)
		for (uint32_t vc = 0; vc < x->c->vcs; vc++) {
			struct slow_node *k = &s->node[node];
			struct slow_flit f;

			if (!k->ejection[vc].n || k->boundary[vc].n >= (int)x->c->boundary_max)
				continue;
			f = slow_get(&k->ejection[vc]);
			slow_put(&k->boundary[vc], f);
			slow_put(&k->retiring, f);
		}
}

/* Q4-32: in turn from the last one on, or only the first of the range. */
static int first_channel(const struct slow *x, const struct slow_room *m, int last, const struct noc_way *w)
{
	int n = w->hi - w->lo + 1;
	bool in_turn = last >= w->lo && last <= w->hi;

	for (int i = 1; i <= (in_turn ? n : 1); i++) {
		int vc = in_turn ? w->lo + (last - w->lo + i) % n : w->lo;

		if (!m->taken[vc] && !slow_full(x, m, (uint32_t)vc))
			return vc;
	}
	return -1;
}

static int first_priority(const struct slow *x, const struct noc_packet *p)
{
	switch (x->c->priority) {
	case PRIORITY_CLASS: return x->c->class_priority;
	case PRIORITY_AGE: return INT_MAX - (int)p->book.created;
	case PRIORITY_NETWORK_AGE: return INT_MAX - (int)x->now;
	case PRIORITY_SEQUENCE: return INT_MAX;
	default: return 0;
	}
}

static void inject(struct slow *x, struct slow_subnet *s, uint32_t node)
{
	struct slow_node *k = &s->node[node];
	struct slow_flit f = k->source.at[0];
	struct noc_packet *p = &x->packet[f.req];
	uint32_t room = x->plan->ports + node, to = x->plan->inject[node].to, router = x->plan->router_of[to];

	if (!k->source.n)
		return;
	if (!f.index) {
		struct noc_way w = noc_routings[x->c->routing].inject(&s->view, p);
		bool noq = opt(x, ICNT_noq) > 0;
		int vc;

		if (noq) {
			p->vc = w.lo;
			noc_routings[x->c->routing].route(&s->view, p, router, to - x->plan->base[router]);
			w = slow_share(x, w, router, p->way[0].port);
		}
		vc = first_channel(x, &s->room[room], k->last_vc, &w);
		if (vc < 0)
			return;
		k->vc = k->last_vc = vc;
		p->vc = (uint16_t)vc;
		if (!opt(x, ICNT_routing_delay) && !noq)
			noc_routings[x->c->routing].route(&s->view, p, router, to - x->plan->base[router]);
		slow_take(&s->room[room], (uint32_t)vc);
	} else if (slow_full(x, &s->room[room], (uint32_t)k->vc)) {
		return;
	}
	f = slow_get(&k->source);
	f.vc = (uint32_t)k->vc;
	f.priority = first_priority(x, p);
	slow_send(x, &s->room[room], &f);
	s->used[room]++;
	send_on(x, s, x->plan->inject[node].latency, (struct slow_moving){.flit = f, .to = to});
}

static void retire(struct slow *x, struct slow_subnet *s, uint32_t node)
{
	uint32_t out = x->plan->eject[node];

	if (s->node[node].retiring.n)
		send_on(x, s, x->plan->out[out].latency,
			(struct slow_moving){
				.flit = slow_get(&s->node[node].retiring), .to = out, .credit = true});
}

static void send_router(struct slow *x, struct slow_subnet *s, const struct slow_at *t)
{
	for (int port = 0; port < t->ports; port++) {
		const struct noc_end *in = &x->plan->in[t->base + port], *out = &x->plan->out[t->base + port];
		struct slow_credits *c = &t->r->owed[port];

		if (t->r->output[port].n)
			send_on(x, s, out->latency,
				(struct slow_moving){.flit = slow_get(&t->r->output[port]), .to = out->to});
		for (uint32_t vc = 0; c->n && vc < x->c->vcs; vc++)
			if (c->at[0].vc[vc])
				send_on(x, s, in->latency,
					(struct slow_moving){.flit.vc = vc,
						.to = in->to & NOC_NODE
							      ? x->plan->ports + (in->to & ~NOC_NODE)
							      : in->to,
						.credit = true});
		if (c->n)
			memmove(c->at, c->at + 1, (size_t)--c->n * sizeof(c->at[0]));
	}
}

static struct slow_at router_at(struct slow *x, struct slow_subnet *s, uint32_t r)
{
	uint32_t base = x->plan->base[r];

	return (struct slow_at){x, s, &s->router[r], (int)r, (int)base, (int)(x->plan->base[r + 1] - base)};
}

static void cycle(struct slow *x)
{
	int steps = 0;

	for (x->steps += x->c->speedup; x->steps >= 1; x->steps -= 1)
		steps++;
	arrivals(x, &x->net[0]);
	arrivals(x, &x->net[1]);
	for (int k = 0; k < 2; k++)
		for (uint32_t node = 0; node < x->plan->nodes; node++)
			inject(x, &x->net[k], node);
	for (int k = 0; k < 2; k++) {
		for (uint32_t node = 0; node < x->plan->nodes; node++)
			retire(x, &x->net[k], node);
		for (uint32_t r = 0; r < x->plan->routers; r++) {
			struct slow_at t = router_at(x, &x->net[k], r);

			for (int i = 0; i < steps; i++)
				slow_step(&t);
			send_router(x, &x->net[k], &t);
		}
	}
	x->now++;
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool has_room(const struct slow *x, uint32_t device, uint32_t flits)
{
	const struct slow_subnet *s = &x->net[device >= x->clusters];

	return s->node[x->node[device]].source.n + (int)flits <= (int)x->c->source_max;
}

static void push(struct slow *x, uint32_t from, uint32_t to, uint32_t req, uint32_t flits, bool write)
{
	bool reply = from >= x->clusters;

	x->packet[req] = (struct noc_packet){.book = {.flits = flits, .created = x->now},
		.source = x->node[from],
		.dest = x->node[to],
		.kind = (uint8_t)(2 * reply + write),
		.phase = -1};
	for (uint32_t i = 0; i < flits; i++)
		slow_put(&x->net[reply].node[x->node[from]].source,
			(struct slow_flit){.req = req, .index = i, .tail = i + 1 == flits});
}

static uint32_t pop(struct slow *x, uint32_t device)
{
	struct slow_node *k = &x->net[device < x->clusters].node[x->node[device]];

	for (int i = 0, vcs = (int)x->c->vcs; i < vcs; i++) {
		struct slow_queue *q = &k->boundary[(k->turn + i) % vcs];
		struct slow_flit f;
		int tail = 0;

		while (tail < q->n && !q->at[tail].tail)
			tail++;
		if (tail == q->n)
			continue;
		do {
			f = slow_get(q);
		} while (!f.tail);
		k->turn = (k->turn + i + 1) % vcs;
		return f.req;
	}
	return 0;
}

/* ---- a slow network -------------------------------------------------------------------------- */

static void router_start(const struct slow *x, const struct slow_at *t)
{
	const struct icnt *c = x->c;
	int vcs = (int)c->vcs, lines = opt(x, ICNT_input_speedup), lines_out = opt(x, ICNT_output_speedup);

	if (c->vc_alloc.kind != ALLOCATOR_PIGGYBACK)
		slow_alloc_init(&t->r->vc_alloc, &c->vc_alloc, t->ports * vcs, t->ports * vcs);
	slow_alloc_init(&t->r->sw_alloc, &c->sw_alloc, t->ports * lines, t->ports * lines_out);
	if (c->speculative && c->spec_alloc.kind != ALLOCATOR_PRIO)
		slow_alloc_init(&t->r->spec_alloc, &c->spec_alloc, t->ports * lines, t->ports * lines_out);
	memset(t->r->hold_in, 0xff, sizeof(t->r->hold_in));
	memset(t->r->hold_out, 0xff, sizeof(t->r->hold_out));
	for (int i = 0; i < t->ports * lines; i++)
		t->r->sw_turn[i] = i % lines;
	for (int i = 0; i < t->ports; i++)
		t->r->vc_turn[i] = vcs - 1;
}

static void room_start(const struct slow *x, struct slow_room *m, uint32_t latency, bool node)
{
	int vc = opt(x, ICNT_vc_alloc_delay), sw = opt(x, ICNT_sw_alloc_delay);
	int alloc = !x->c->speculative ? vc + sw : vc > sw ? vc : sw;

	m->least = 1 + 2 * (int)latency + opt(x, ICNT_routing_delay) + alloc;
	if (!node)
		m->least += (int)x->c->crossbar_delay + opt(x, ICNT_credit_delay);
	for (int v = 0; v < SLOW_V; v++) {
		m->trip[v] = -1;
		m->limit[v] = (int)x->c->buffer;
	}
}

/* The same network as n, which keeps the configuration. */
static struct slow *slow_new(struct noc *n)
{
	struct slow *x = xcalloc(1, sizeof(*x));

	x->c = &n->conf;
	x->plan = noc_plan_new(x->c);
	x->node = n->node;
	x->clusters = n->clusters;
	x->packet = xcalloc(PACKETS, sizeof(*x->packet));
	noc_random_start(&x->random, opt(x, ICNT_seed));
	assert(x->plan->routers <= SLOW_R && x->plan->nodes <= SLOW_R && x->plan->most_ports <= SLOW_P);
	for (int k = 0; k < 2; k++) {
		struct slow_subnet *s = &x->net[k];

		s->view =
			(struct noc_view){.c = x->c, .plan = x->plan, .used = s->used, .random = &x->random};
		for (uint32_t r = 0; r < x->plan->routers; r++) {
			struct slow_at t = router_at(x, s, r);

			router_start(x, &t);
		}
		for (uint32_t i = 0; i < x->plan->ports; i++)
			room_start(x, &s->room[i], x->plan->out[i].latency, false);
		for (uint32_t i = 0; i < x->plan->nodes; i++) {
			room_start(x, &s->room[x->plan->ports + i], x->plan->inject[i].latency, true);
			s->node[i].last_vc = -1;
		}
	}
	return x;
}

static void slow_delete(struct slow *x)
{
	noc_plan_delete(x->plan);
	free(x->packet);
	free(x);
}

/* ---- random networks ------------------------------------------------------------------------- */

struct net_text {
	char at[3000];
	size_t n;
};

static void say(struct net_text *t, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	t->n += (size_t)vsnprintf(t->at + t->n, sizeof(t->at) - t->n, form, args);
	va_end(args);
}

/* With a chance of one in `of` the entry has one of the values. */
static void maybe(struct net_text *t, uint32_t of, const char *name, uint32_t n, const char *const *values)
{
	if (!rnd(of))
		say(t, "%s = %s;", name, values[rnd(n)]);
}

#define MAYBE(t, of, name, ...) \
	maybe(t, of, name, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
		(const char *const[]){__VA_ARGS__})

#define ALLOCATORS \
	"islip", "islip(2)", "pim", "pim(2)", "loa", "wavefront", "rr_wavefront", "select", "select(2)", \
		"separable_input_first", "separable_output_first(matrix)", "separable_input_first(matrix)"

static void describe(struct net_text *t)
{
	static const char *const shapes[] = {"topology = mesh; k = 3; n = 2; routing_function = dor;",
		"topology = mesh; k = 3; n = 2; routing_function = xy_yx;",
		"topology = mesh; k = 3; n = 2; routing_function = min_adapt;",
		"topology = mesh; k = 3; n = 2; routing_function = planar_adapt;",
		"topology = torus; k = 3; n = 2; routing_function = dim_order; use_noc_latency = 1;",
		"topology = fly; k = 4; n = 2; routing_function = dest_tag;",
		"topology = mesh; k = 16; n = 1; routing_function = valiant;"};
	uint32_t vcs = 2 + rnd(4);

	/* One draw a call: arguments have no order of their own. */
	say(t, "%s num_vcs = %u;", shapes[rnd(sizeof(shapes) / sizeof(shapes[0]))], vcs);
	say(t, "vc_buf_size = %u;", 1 + rnd(5));
	for (int i = 0; i < 8; i++)
		say(t, "%s_%s_%s_vc = %u;", i & 1 ? "read" : "write", i & 2 ? "request" : "reply",
			i & 4 ? "end" : "begin", i & 4 ? vcs - 1 : 0);
	say(t, "sim_type = gpgpusim; subnets = 2; use_map = 0; flit_size = 32; seed = %u;", rnd(100));
	say(t, "routing_delay = %u;", rnd(2) ? 0 : rnd(3));
	say(t, "input_buffer_size = %u;", 6 + rnd(20));
	say(t, "boundary_buffer_size = %u;", 5 + rnd(10));
	if (!strstr(t->at, "planar")) /* which locks up with it, here as there */
		MAYBE(t, 6, "noq", "1");
	MAYBE(t, 4, "vc_alloc_delay", "2", "3");
	MAYBE(t, 4, "sw_alloc_delay", "2", "3");
	MAYBE(t, 4, "credit_delay", "1", "3");
	MAYBE(t, 4, "st_prepare_delay", "1", "2");
	MAYBE(t, 4, "internal_speedup", "1.5", "2.0");
	MAYBE(t, 4, "input_speedup", "2", "3");
	MAYBE(t, 4, "output_speedup", "2", "3");
	MAYBE(t, 5, "output_buffer_size", "1", "3");
	MAYBE(t, 2, "vc_allocator", ALLOCATORS);
	MAYBE(t, 2, "sw_allocator", ALLOCATORS);
	MAYBE(t, 2, "buffer_policy", "shared", "limited", "dynamic", "shifting", "feedback",
		"simplefeedback");
	MAYBE(t, 5, "private_bufs", "1", "2");
	if (strstr(t->at, "policy = shifting")) /* halves of less come to nothing */
		say(t, "vc_buf_size = %u;", 2 + rnd(4));
	if (strstr(t->at, "policy = limited"))
		MAYBE(t, 2, "max_held_slots", "2", "4");
	MAYBE(t, 5, "feedback_aging_scale", "0", "2");
	if (strstr(t->at, "feedback;")) /* a torus counts one cycle for channels that get two later */
		say(t, "use_noc_latency = 0;");
	MAYBE(t, 5, "hold_switch_for_packet", "1");
	MAYBE(t, 5, "wait_for_tail_credit", "1");
	MAYBE(t, 5, "vc_busy_when_full", "1");
	MAYBE(t, 5, "vc_prioritize_empty", "1");
	MAYBE(t, 5, "vc_shuffle_requests", "1");
	MAYBE(t, 4, "priority", "age", "network_age", "local_age", "queue_length", "hop_count");
	if (rnd(3))
		return;
	say(t, "speculative = 1;");
	MAYBE(t, 3, "vc_allocator", "piggyback");
	MAYBE(t, 3, "spec_sw_allocator", ALLOCATORS);
	MAYBE(t, 3, "spec_check_elig", "0");
	MAYBE(t, 3, "spec_check_cred", "0");
	MAYBE(t, 3, "spec_mask_by_reqs", "1");
}

/* A network of random parameters that is accepted; its text in t. */
static struct noc *draw(struct net_text *t)
{
	for (;;) {
		uint32_t node[DEVICES];
		struct fault f = {0};
		struct icnt c;
		struct input *in;
		int status;

		*t = (struct net_text){.n = 0};
		describe(t);
		in = input_memory("x.icnt", t->at, t->n, &f);
		status = icnt_read(&c, in, &f);
		if (status == 0)
			status = icnt_fit(&c, CLUSTERS, SUBS, node, &f);
		input_close(in);
		if (status == 0)
			return noc_new(&c, CLUSTERS, SUBS, node, PACKETS, true);
		icnt_free(&c);
	}
}

/* ---- random traffic -------------------------------------------------------------------------- */

/* Returns whether both have, or both lack, room for a packet by chance, which then is sent. */
static bool offer(struct noc *n, struct slow *x, uint32_t *req)
{
	uint32_t from = rnd(DEVICES), flits = rnd(2) ? 1 : 2 + rnd(4);
	uint32_t to = from < CLUSTERS ? CLUSTERS + (rnd(3) ? rnd(SUBS) : 0) : rnd(CLUSTERS);
	bool room = noc_has_buffer(n, from, flits * 32);

	if (room != has_room(x, from, flits))
		return false;
	if (!room || *req >= PACKETS)
		return true;
	noc_push(n, from, to, *req, flits * 32, flits > 1);
	push(x, from, to, *req, flits, flits > 1);
	++*req;
	return true;
}

/* The first cycle in which they differ, or 0. */
static uint32_t compare(struct noc *n, struct slow *x, uint32_t load, uint32_t *arrived)
{
	uint32_t req = 1;

	*arrived = 0;
	for (uint32_t t = 1; t <= 3 * CYCLES; t++) {
		for (uint32_t i = 0; i < load && t <= CYCLES; i++)
			if (!offer(n, x, &req))
				return t;
		noc_advance(n);
		cycle(x);
		for (uint32_t d = 0; d < DEVICES; d++) {
			uint32_t got;

			if (!rnd(5))
				continue;
			got = noc_pop(n, d);
			if (pop(x, d) != got)
				return t;
			*arrived += got != 0;
		}
		if (x->random.used != n->random.used)
			return t;
	}
	return 0;
}

int main(void)
{
	for (uint32_t i = 0; i < NETWORKS; i++) {
		struct net_text t;
		struct noc *n;
		struct slow *x;
		uint32_t differ, arrived;

		seed = i * 1000 + 1;
		n = draw(&t);
		x = slow_new(n);
		differ = compare(n, x, 1 + rnd(4), &arrived);
		if (!ok(!differ && arrived > 50, "network %u: %u packets at the same times and places", i,
			    arrived))
			printf("# differs in cycle %u: %s\n", differ, t.at);
		slow_delete(x);
		noc_delete(n);
	}
	return tap_done();
}
