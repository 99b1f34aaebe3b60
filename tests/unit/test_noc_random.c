/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of networks of routers with random parameters under random traffic. A digest of the arrivals
 * (cycle, device, packet) and of the drawn random numbers must equal the recorded digest. The digests were
 * recorded when a separate, literal implementation of NET-noc had the same results on all of these networks.
 * On networks that the fast router (noc_quick.c) models, the general router (noc_router.c) must have the same
 * digest.
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
#define QUICK    60
#define CYCLES   300

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- random networks ------------------------------------------------------------------------- */

struct net_text {
	char at[3000];
	size_t n;
};

static void append_entry(struct net_text *t, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	t->n += (size_t)vsnprintf(t->at + t->n, sizeof(t->at) - t->n, form, args);
	va_end(args);
}

/* With a probability of 1 / of, adds an entry with one of the n values. */
static void append_maybe(
	struct net_text *t, uint32_t of, const char *name, uint32_t n, const char *const *values)
{
	if (!random_below(of))
		append_entry(t, "%s = %s;", name, values[random_below(n)]);
}

#define MAYBE(t, of, name, ...) \
	append_maybe(t, of, name, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
		(const char *const[]){__VA_ARGS__})

#define ALLOCATORS \
	"islip", "islip(2)", "pim", "pim(2)", "loa", "wavefront", "rr_wavefront", "select", "select(2)", \
		"separable_input_first", "separable_output_first(matrix)", "separable_input_first(matrix)"

/* Adds a random topology, a random routing, and random buffer sizes. */
static void append_topology_options(struct net_text *t)
{
	static const char *const shapes[] = {"topology = mesh; k = 3; n = 2; routing_function = dor;",
		"topology = mesh; k = 3; n = 2; routing_function = xy_yx;",
		"topology = mesh; k = 3; n = 2; routing_function = min_adapt;",
		"topology = mesh; k = 3; n = 2; routing_function = planar_adapt;",
		"topology = torus; k = 3; n = 2; routing_function = dim_order; use_noc_latency = 1;",
		"topology = fly; k = 4; n = 2; routing_function = dest_tag;",
		"topology = mesh; k = 16; n = 1; routing_function = valiant;"};
	uint32_t vcs = 2 + random_below(4);

	/*
	 * Each call draws at most one random number, because the order in which arguments are evaluated is
	 * not defined.
	 */
	append_entry(t, "%s num_vcs = %u;", shapes[random_below(sizeof(shapes) / sizeof(shapes[0]))], vcs);
	append_entry(t, "vc_buf_size = %u;", 1 + random_below(5));
	for (int i = 0; i < 8; i++)
		append_entry(t, "%s_%s_%s_vc = %u;", i & 1 ? "read" : "write", i & 2 ? "request" : "reply",
			i & 4 ? "end" : "begin", i & 4 ? vcs - 1 : 0);
	append_entry(t, "sim_type = gpgpusim; subnets = 2; use_map = 0; flit_size = 32; seed = %u;",
		random_below(100));
}

static void append_queue_options(struct net_text *t)
{
	append_entry(t, "input_buffer_size = %u;", 6 + random_below(20));
	append_entry(t, "boundary_buffer_size = %u;", 5 + random_below(10));
}

/* Describes a random network that the fast router can model. */
static void describe_fast_network(struct net_text *t)
{
	append_topology_options(t);
	append_queue_options(t);
	append_entry(t, "routing_delay = 0;");
	MAYBE(t, 4, "credit_delay", "1", "3");
	MAYBE(t, 4, "wait_for_tail_credit", "1");
}

/* Describes a random network with all kinds of parameters. */
static void describe_any_network(struct net_text *t)
{
	append_topology_options(t);
	append_entry(t, "routing_delay = %u;", random_below(2) ? 0 : random_below(3));
	append_queue_options(t);
	if (!strstr(t->at, "planar")) /* planar_adapt deadlocks with noq, as in the original */
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
	if (strstr(t->at, "policy = shifting")) /* half of a buffer of size 1 would be 0 */
		append_entry(t, "vc_buf_size = %u;", 2 + random_below(4));
	if (strstr(t->at, "policy = limited"))
		MAYBE(t, 2, "max_held_slots", "2", "4");
	MAYBE(t, 5, "feedback_aging_scale", "0", "2");
	/* a torus initially assumes a latency of one cycle for channels whose latency is two cycles */
	if (strstr(t->at, "feedback;"))
		append_entry(t, "use_noc_latency = 0;");
	MAYBE(t, 5, "hold_switch_for_packet", "1");
	MAYBE(t, 5, "wait_for_tail_credit", "1");
	MAYBE(t, 5, "vc_busy_when_full", "1");
	MAYBE(t, 5, "vc_prioritize_empty", "1");
	MAYBE(t, 5, "vc_shuffle_requests", "1");
	MAYBE(t, 4, "priority", "age", "network_age", "local_age", "queue_length", "hop_count");
	if (random_below(3))
		return;
	append_entry(t, "speculative = 1;");
	MAYBE(t, 3, "vc_allocator", "piggyback");
	MAYBE(t, 3, "spec_sw_allocator", ALLOCATORS);
	MAYBE(t, 3, "spec_check_elig", "0");
	MAYBE(t, 3, "spec_check_cred", "0");
	MAYBE(t, 3, "spec_mask_by_reqs", "1");
}

/* Returns the network that the text describes, or NULL if the text is rejected. */
static struct noc *build_network(const struct net_text *t, bool quick)
{
	uint32_t node[DEVICES];
	struct fault f = {0};
	struct icnt c;
	struct input *in = input_memory("x.icnt", t->at, t->n, &f);
	int status = icnt_read(&c, in, &f);

	if (status == 0)
		status = icnt_assign_nodes(&c, CLUSTERS, SUBS, node, &f);
	input_close(in);
	if (status == 0)
		return noc_new(&c, CLUSTERS, SUBS, node, PACKETS, quick);
	icnt_free(&c);
	return NULL;
}

/* Returns a valid network with random parameters, and stores its text in t. */
static struct noc *random_network(struct net_text *t, void (*describe)(struct net_text *t))
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

/* Pushes packet *req at a random device if the device's queue has a free slot. */
static void offer_packet(struct noc *n, struct digest *d, uint32_t *req)
{
	uint32_t from = random_below(DEVICES), flits = random_below(2) ? 1 : 2 + random_below(4);
	uint32_t to = from < CLUSTERS ? CLUSTERS + (random_below(3) ? random_below(SUBS) : 0)
				      : random_below(CLUSTERS);
	bool has_slot = noc_has_buffer(n, from, flits * 32);

	digest_add(d, has_slot);
	if (has_slot && *req < PACKETS)
		noc_push(n, from, to, (*req)++, flits * 32, flits > 1);
}

static struct digest run_traffic(struct noc *n, uint32_t load)
{
	struct digest d = {.hash = 14695981039346656037ull};
	uint32_t req = 1;

	for (uint32_t t = 1; t <= 3 * CYCLES; t++) {
		for (uint32_t i = 0; i < load && t <= CYCLES; i++)
			offer_packet(n, &d, &req);
		noc_advance(n);
		for (uint32_t dev = 0; dev < DEVICES; dev++) {
			uint32_t got;

			if (!random_below(5))
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
	0xf3c3d5ffc63f9b96,
	0x97b86f2555ad8aaf,
	0x7b605b2468b215e2,
	0x19ed9bdc810c20ba,
	0x9a61d3b0cf6706fd,
	0x2d5dec277bdf705a,
	0xa4bb300dc59964dd,
	0x6fb3eda82d17d13c,
	0x4377842a39286655,
	0xea01bf6232f6a3c6,
	0x17d53fea24f7bb07,
	0xdf18ee27d294762e,
	0x7968767fa44563a6,
	0x19cba7f1bad1e0d8,
	0x69407726db4cd876,
	0x9f77208017c0876d,
	0x847de3f8062b8db8,
	0xed3ef809641d2730,
	0xa9c6ccd5fbeb2426,
	0x50c2a664f8933b28,
	0xd7b60582ef21d24a,
	0xb773ebd0e056a8b4,
	0x712fa24bc3f5f6f9,
	0x054b1320e174b207,
	0xca6436584de6b6db,
	0x4303f574f9d73ae1,
	0xd8cf790eac9a4688,
	0xc8c86c6c7e282e47,
	0x984ade91e32b4998,
	0xf9240cf6738df758,
	0x6084ace01dbba115,
	0xe47f8fe1eeb147ea,
	0x0f75bb6941e43119,
	0x79e9866fab366e86,
	0x58e6c997210df17f,
	0xf500aff4aa0f6c7a,
	0x027622cd8c3c456c,
	0xa3c8e8c0da88837e,
	0x638f833dabf1712c,
	0x993d4d65d2de49ba,
	0x99424a01c7ae58c8,
	0xd1b866e63dd294f7,
	0x41049b4e170d5817,
	0x05a03b3e2fe0a4cc,
	0x2c1c5136d89ee319,
	0x653eefdeeddfdee0,
	0x7463c171ab45eb18,
	0x5fbd97b2eb59b667,
	0xc1e53af1da4f63a1,
	0x304e4030ac2aff29,
	0xea60bc3175501c36,
	0xf3c06d518bb75347,
	0x4458274ad4708b58,
	0x8faf0e15c3c6fc0b,
	0x2be42c1fd9ecd6c9,
	0x906868273858c959,
	0x89b63d573aed7e8c,
	0x569c707d27a5e51e,
	0x33cae6e2fbb87732,
	0x3392abe21275dd0b,
	0x0994fbe417d575ce,
	0x7eb6bd69deb34b7d,
	0x060cf1de49e51c0e,
	0x66bc61431944e875,
	0x1d54270cbe671ef4,
	0x3c9dde06ae160f1c,
	0xa3c069fa0a81efe1,
	0x8509f14aa81923d8,
	0x33e1fc5830cdb941,
	0x13a59ad3a99c199c,
	0x7df65650596faa38,
	0x14bf5e24220a9ece,
	0x3d7b3cce168bab9c,
	0xaf8468d72070586e,
	0x6885d726ac87facc,
	0x938e144a363377c2,
	0x72d40fff6b40eb6d,
	0x67d3a94820a93b95,
	0x72be5896a37ac832,
	0x9fdee201eb411180,
	0x14f5790881753e3d,
	0x640e3a2f794da1f9,
	0x052771359f505320,
	0x21c7b7237f6359fd,
	0xbc38043d50f04680,
	0x1a382e600eca5814,
	0x2a26e07920bf1294,
	0x8e37b037ba54d9a8,
	0x2325a4f2f65f7760,
	0x5c597ce5cc2ecca9,
	0x48264aa0e1c13af6,
	0x60fac9df8356d0bd,
	0x86f20cfcdeed6c96,
	0xde37bfbbf682d3bd,
	0xbab51e950befbf26,
	0xf86b36ff12e7341a,
	0xc5c23bdcef5ba4e8,
	0x762862e5db40c7e4,
	0xa0113fbfb8bbe1aa,
	0x63e8a2855bab132d,
	0x99405cf1e2a82533,
	0xc9470070514e41e1,
	0xa196ffb4dfb67848,
	0xd8fc29f2e22d8e75,
	0x53b5d39bd9fe7e90,
	0x233310256c8744bc,
	0xa8c6f9b5b3cd853a,
	0xc79c2a142a0a016b,
	0xd43deeee743bf1fc,
	0x7c2cecee8ce17fe8,
	0x0cf6442485a4f0b8,
	0x0da0f488c5675358,
	0x5cc230b58cfd82c9,
	0x29eb1b92554f01e5,
	0xc7a6536dbaaf4e78,
	0x43e1efd90729acf0,
	0xa5264180714dc4e3,
	0x11bfd451afc0240e,
	0x53f3651e646ad322,
	0xb337cf0e4cdb6db9,
};

static void test_recorded_digests(void)
{
	for (uint32_t i = 0; i < NETWORKS; i++) {
		struct net_text t;
		struct noc *n;
		struct digest d;

		seed = i * 1000 + 1;
		n = random_network(&t, describe_any_network);
		d = run_traffic(n, 1 + random_below(4));
		noc_delete(n);
		if (!ok(d.hash == recorded[i] && d.arrived > 50, "network %u: %u packets arrive as recorded",
			    i, d.arrived))
			printf("# 0x%016llx: %s\n", (unsigned long long)d.hash, t.at);
	}
}

static void test_fast_router_digests(void)
{
	for (uint32_t i = 0; i < QUICK; i++) {
		struct net_text t;
		struct noc *quick, *general;
		struct digest d;
		uint64_t traffic_seed;

		seed = i * 1000 + 7;
		quick = random_network(&t, describe_fast_network);
		general = build_network(&t, false);
		traffic_seed = seed;
		ok(quick->has_quick_routers && !general->has_quick_routers,
			"network %u is modelled by the fast router", i);
		d = run_traffic(quick, 1 + i % 4);
		seed = traffic_seed;
		if (!ok(run_traffic(general, 1 + i % 4).hash == d.hash && d.arrived > 50,
			    "the fast and the general router agree on network %u: %u packets", i, d.arrived))
			printf("# %s\n", t.at);
		noc_delete(quick);
		noc_delete(general);
	}
}

int main(void)
{
	test_recorded_digests();
	test_fast_router_digests();
	return tap_done();
}
