/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of networks of many routers: random numbers; a lone packet; every topology and routing under
 * random traffic; the fast step of a router. Under random traffic, all packets must arrive, packets on the
 * same path must arrive in order, and the network must become idle. The fast step is compared with the
 * general step in each cycle and in the printed figures.
 */
#include <stdlib.h>
#include <string.h>
#include "net/noc.h"
#include "net/noc_report.h"
#include "book_fixture.h"
#include "tap.h"

#define CLUSTERS 10
#define SUBS     6
#define PACKETS  20000u

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

#define COMMON \
	"subnets = 2; sim_type = gpgpusim; use_map = 0; routing_delay = 0; flit_size = 32; num_vcs = 4;" \
	"input_buffer_size = 12; boundary_buffer_size = 8; vc_buf_size = 3;"

static const char *vc_classes_text(uint32_t last)
{
	static char text[400];

	snprintf(text, sizeof(text),
		"num_vcs = %u; read_request_begin_vc = 0; read_request_end_vc = %u; write_request_begin_vc = 0;"
		"write_request_end_vc = %u; read_reply_begin_vc = 0; read_reply_end_vc = %u; write_reply_begin_vc = 0;"
		"write_reply_end_vc = %u;",
		last + 1, last, last, last, last);
	return text;
}

static struct noc *make_noc_variant(const char *network, uint32_t vcs, bool quick)
{
	uint32_t node[CLUSTERS + SUBS];
	char text[2000];
	struct fault f = {0};
	struct icnt c;
	struct input *in;
	int status;

	snprintf(text, sizeof(text), "%s%s%s", COMMON, vc_classes_text(vcs - 1), network);
	in = input_memory("x.icnt", text, strlen(text), &f);
	status = icnt_read(&c, in, &f);
	if (status == 0)
		status = icnt_assign_nodes(&c, CLUSTERS, SUBS, node, &f);
	input_close(in);
	if (status < 0) {
		printf("# %s: %s\n", network, f.text);
		icnt_free(&c);
		return NULL;
	}
	return noc_new(&c, CLUSTERS, SUBS, node, PACKETS, quick);
}

static struct noc *make_noc(const char *network, uint32_t vcs)
{
	return make_noc_variant(network, vcs, true);
}

static char *printed_figures(struct noc *n)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	noc_print(n, &(struct book_out){f, book_text, book_real, book_count});
	fclose(f);
	return text;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/*
 * Runs the test that Knuth gives for his generator: with seed 310952, the number after 2009 times 1009
 * numbers is 995235265.
 */
static void test_random_numbers(void)
{
	struct noc_random r, same;

	noc_random_start(&r, 310952);
	for (int i = 0; i <= 2009; i++)
		noc_random_refill(&r);
	is_number(r.ready[0], 995235265, "the generator passes the test that Knuth gives");
	noc_random_start(&r, 7);
	noc_random_start(&same, 7);
	for (int i = 0; i < 1234; i++)
		noc_random_next(&r);
	noc_random_skip(&same, 1234);
	is_number(noc_random_next(&r), noc_random_next(&same), "skipping numbers is equal to drawing them");
}

/* ---- lone packet ------------------------------------------------------------------------------ */

static void test_lone_packet(void)
{
	struct noc *n = make_noc("topology = mesh; k = 4; n = 2; routing_function = dor;", 1);
	int t = 0;
	char *text;

	ok(noc_is_empty(n) && !noc_is_busy(n), "a new network is empty and idle");
	noc_push(n, 0, 15, 1, 8, false);
	ok(noc_is_busy(n) && !noc_is_empty(n), "a network with a packet is busy");
	while (!noc_has_packet(n, 15) && t++ < 100)
		noc_advance(n);
	/*
	 * The packet takes two cycles into the network. Each of 7 routers takes two cycles for allocation,
	 * and two cycles for the switch and the channel.
	 */
	is_number(t, 2 + 7 * 4 + 1, "a packet crosses a mesh of 4 by 4 in the expected number of cycles");
	ok(n->net[0].ready[0] == 1u << (15 - CLUSTERS),
		"the ready mask has the bit of the device of an arrived packet");
	is_number(noc_pop(n, 15), 1, "the device pops the packet that was pushed");
	is_number(noc_pop(n, 15), 0, "the device has no second packet");
	text = printed_figures(n);
	ok(strstr(text, "Hops average = 7 (1 samples)") != NULL,
		"the printed average number of hops is seven");
	free(text);
	for (t = 0; t < 10; t++)
		noc_advance(n);
	ok(noc_is_empty(n), "the network is empty after the return of all credits");
	noc_delete(n);
}

/* ---- traffic --------------------------------------------------------------------------------- */

static const struct {
	const char *network;
	uint32_t vcs;
} networks[] = {
	{"topology = mesh; k = 4; n = 2; routing_function = dor;", 1},
	{"topology = mesh; k = 4; n = 2; routing_function = dim_order_ni; vc_buf_size = 2;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = dim_order_pni;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = xy_yx;", 2},
	{"topology = mesh; k = 4; n = 2; routing_function = adaptive_xy_yx;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = romm;", 2},
	{"topology = mesh; k = 4; n = 2; routing_function = romm_ni;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = valiant;", 2},
	{"topology = mesh; k = 3; n = 3; routing_function = min_adapt;", 2},
	{"topology = mesh; k = 4; n = 2; routing_function = planar_adapt;", 3},
	{"topology = mesh; k = 4; n = 2; routing_function = chaos;", 1},
	{"topology = mesh; k = 4; n = 2; routing_function = chaos; write_request_begin_vc = 2;", 4},
	{"topology = torus; k = 4; n = 2; routing_function = dim_order;", 2},
	{"topology = torus; k = 4; n = 2; routing_function = dim_order_bal;", 4},
	{"topology = torus; k = 4; n = 2; routing_function = min_adapt;", 4},
	{"topology = cmesh; k = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = dor;", 2},
	{"topology = cmesh; k = 4; c = 4; x = 4; y = 4; xr = 2; yr = 2; routing_function = dor_no_express;",
		1},
	{"topology = cmesh; k = 4; c = 4; x = 4; y = 4; xr = 2; yr = 2; routing_function = xy_yx_no_express;",
		2},
	{"topology = fly; k = 4; n = 2; routing_function = dest_tag;", 2},
	{"topology = fly; k = 16; n = 1; routing_function = dest_tag; internal_speedup = 1.5;", 2},
	{"topology = fattree; k = 4; n = 2; routing_function = nca;", 1},
	{"topology = fattree; k = 4; n = 2; routing_function = anca;", 2},
	{"topology = tree4; k = 4; n = 3; routing_function = nca;", 1},
	{"topology = tree4; k = 4; n = 3; routing_function = anca;", 2},
	{"topology = qtree; k = 4; n = 3; routing_function = nca;", 1},
	{"topology = flatfly; k = 4; n = 1; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = ran_min;",
		1},
	{"topology = flatfly; k = 2; n = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = xyyx;",
		2},
	{"topology = flatfly; k = 2; n = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = adaptive_xyyx;",
		2},
	{"topology = flatfly; k = 2; n = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = valiant;",
		2},
	{"topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; routing_function = ugal;",
		2},
	{"topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; routing_function = ugal_xyyx;",
		8},
	{"topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; routing_function = ugal_pni;",
		8},
	{"topology = dragonflynew; k = 2; n = 1; routing_function = min;", 2},
	{"topology = dragonflynew; k = 2; n = 1; routing_function = ugal;", 3},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; routing_delay = 2; credit_delay = 2;"
	 "st_prepare_delay = 1;",
		2},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; vc_alloc_delay = 2;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; sw_alloc_delay = 3; hold_switch_for_packet = 1;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = min_adapt; speculative = 1; sw_alloc_delay = 2;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; speculative = 1; vc_alloc_delay = 3;"
	 "sw_alloc_delay = 2; spec_sw_allocator = islip;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; speculative = 1;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; speculative = 1; vc_allocator = piggyback;"
	 "spec_sw_allocator = islip;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; hold_switch_for_packet = 1;", 2},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; wait_for_tail_credit = 1;", 2},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; input_speedup = 2; output_speedup = 2;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; vc_allocator = pim(2); sw_allocator = loa;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; vc_allocator = max_size; sw_allocator = select(2);",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; noq = 1;", 5},
	{"topology = torus; k = 4; n = 2; routing_function = dim_order; noq = 1; speculative = 1;", 10},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; vc_allocator = wavefront;"
	 "sw_allocator = rr_wavefront; priority = age;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; priority = queue_length;"
	 "vc_allocator = separable_input_first(tree(4,matrix)); sw_allocator = separable_output_first(matrix);",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; buffer_policy = shared; buf_size = 16;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; buffer_policy = dynamic; buf_size = 16;", 4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; buffer_policy = shifting; buf_size = 16;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; buffer_policy = feedback; buf_size = 16;",
		4},
	{"topology = mesh; k = 4; n = 2; routing_function = dor; buffer_policy = simplefeedback; buf_size = 16;",
		4},
};

#define N_NETWORKS (sizeof(networks) / sizeof(networks[0]))

/*
 * Pushes packet `req` at a random device if the device's queue has a free slot. Pushes it into network a and,
 * unless b is NULL, into network b.
 */
static bool push_packet(struct noc *a, struct noc *b, uint32_t req)
{
	uint32_t from = random_below(CLUSTERS + SUBS),
		 bytes = random_below(2) ? 8 : 8 + 32 * (1 + random_below(4));
	uint32_t to = from < CLUSTERS ? CLUSTERS + random_below(SUBS) : random_below(CLUSTERS);

	if (!noc_has_buffer(a, from, bytes))
		return false;
	noc_push(a, from, to, req, bytes, bytes > 8);
	if (b)
		noc_push(b, from, to, req, bytes, bytes > 8);
	return true;
}

static uint32_t pop_packets(struct noc *a, struct noc *b, bool *same)
{
	uint32_t popped = 0;

	for (uint32_t d = 0; d < CLUSTERS + SUBS; d++) {
		uint32_t req = random_below(4) ? noc_pop(a, d) : 0;

		popped += req != 0;
		if (req && a->net[d < CLUSTERS].packet[req].book.output != d)
			*same = false;
		if (b && req && noc_pop(b, d) != req)
			*same = false;
	}
	return popped;
}

/* Returns true if every channel has carried the same number of flits in both networks. */
static bool is_channel_use_equal(const struct noc *a, const struct noc *b)
{
	bool same = true;

	for (uint32_t i = 0; i < a->plan->ports; i++)
		same &= noc_channel_flits(a, i) == noc_channel_flits(b, i);
	return same;
}

/* Returns true if all packets have arrived at their devices and the network is idle. */
static bool run_random_traffic(struct noc *a, struct noc *b, uint32_t cycles, uint32_t load)
{
	uint32_t req = 1, left = 0;
	bool same = true;

	for (uint32_t t = 0; t < 40 * cycles && same; t++) {
		for (uint32_t i = 0; t < cycles && i < load && req < PACKETS; i++)
			if (push_packet(a, b, req)) {
				req++;
				left++;
			}
		noc_advance(a);
		if (b)
			noc_advance(b);
		left -= pop_packets(a, b, &same);
		if (b && t % 16 == 0)
			same &= is_channel_use_equal(a, b);
		if (t >= cycles && !left && noc_is_empty(a) && (!b || noc_is_empty(b)))
			return same;
	}
	return false;
}

static void test_all_arrive(void)
{
	for (uint32_t i = 0; i < N_NETWORKS; i++) {
		struct noc *n = make_noc(networks[i].network, networks[i].vcs);
		bool rest;

		seed = i;
		rest = n && run_random_traffic(n, NULL, 500, 6);
		for (int s = 0; rest && s < 2; s++)
			for (uint32_t r = 0; r < n->net[s].senders.senders; r++)
				rest &= !n->net[s].senders.used[r];
		ok(rest, "all packets arrive: %s", networks[i].network);
		noc_delete(n);
	}
}

static void test_quick_routers(void)
{
	for (uint32_t i = 0; i < N_NETWORKS; i++) {
		struct noc *a = make_noc(networks[i].network, networks[i].vcs), *b;
		char *ta, *tb;

		if (!a->has_quick_routers) {
			noc_delete(a);
			continue;
		}
		b = make_noc_variant(networks[i].network, networks[i].vcs, false);
		seed = i;
		ok(run_random_traffic(a, b, 400, 8), "the fast and the general router agree on packets: %s",
			networks[i].network);
		ta = printed_figures(a);
		tb = printed_figures(b);
		ok(!strcmp(ta, tb), "the fast and the general router agree on figures: %s",
			networks[i].network);
		free(ta);
		free(tb);
		noc_delete(a);
		noc_delete(b);
	}
}

/* ---- reports --------------------------------------------------------------------------------- */

static char *written_report(const struct noc *n, int form)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (form < 0)
		noc_stuck_print(n, f);
	else
		noc_report_write(n, (enum net_report)form, f);
	fclose(f);
	return text;
}

static void check_text_contains(char *text, const char *part)
{
	if (!ok(strstr(text, part) != NULL, "the report of the network contains: %s", part))
		printf("# %.300s\n", text);
	free(text);
}

/*
 * Returns the number of cycles since the last arrival of a flit: the larger of the numbers of both subnets.
 */
static uint64_t cycles_since_arrival_max(const struct noc *n)
{
	return n->net[0].cycles_since_arrival > n->net[1].cycles_since_arrival
		       ? n->net[0].cycles_since_arrival
		       : n->net[1].cycles_since_arrival;
}

/*
 * Tests the report of a deadlock. Under load, packets in rings with one virtual channel wait for each other
 * in a cycle.
 */
static void test_deadlock_report(void)
{
	struct noc *n = make_noc("topology = torus; k = 4; n = 2; routing_function = chaos;", 1);
	bool same = true;
	uint32_t req = 1;

	seed = 1;
	for (int t = 0; t < 20000 && cycles_since_arrival_max(n) < 1000; t++) {
		for (int i = 0; i < 8 && req < PACKETS; i++)
			req += push_packet(n, NULL, req);
		noc_advance(n);
		pop_packets(n, NULL, &same);
	}
	ok(cycles_since_arrival_max(n) >= 1000 && same,
		"a torus with one virtual channel has a deadlock under load");
	check_text_contains(written_report(n, -1), "circular wait:");
	check_text_contains(written_report(n, -1), "none has arrived for 1000 cycles");
	noc_delete(n);
}

static void test_reports(void)
{
	struct noc *n = make_noc("topology = mesh; k = 4; n = 2; routing_function = dor;", 1);

	noc_push(n, 0, 10, 1, 8, false);
	for (int t = 0; t < 60; t++)
		noc_advance(n);
	check_text_contains(written_report(n, NET_REPORT_TEXT),
		"channel requests router 0 output 0 to router 1: 1 flits, 0.0167 flits/cycle");
	check_text_contains(written_report(n, NET_REPORT_TEXT), "latency below 32 cycles: 1 packets");
	check_text_contains(written_report(n, NET_REPORT_JSON),
		"{\"router\":0,\"output\":0,\"to_router\":1,\"cycles\":1,\"requests\":1,\"replies\":0}");
	noc_delete(n);
}

int main(void)
{
	test_random_numbers();
	test_lone_packet();
	test_all_arrive();
	test_quick_routers();
	test_deadlock_report();
	test_reports();
	return tap_done();
}
