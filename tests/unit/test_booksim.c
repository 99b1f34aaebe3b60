/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of network mode 1: the timing of a lone packet, the limits of credits and buffers, rejected
 * .icnt files, and random traffic, compared with the literal implementation in book_slow.h.
 */
#include <stdint.h>
#include "arena.h"
#include "bits.h"
#include "net/booksim.h"
#include "book_fixture.h"
#include "book_slow.h"
#include "tap.h"

static const struct booksim_conf shipped = {
	.k = 52, .flit_bytes = 40, .buffer = 64, .source_max = 256, .boundary_max = 64, .speedup = 2};

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- lone packets -------------------------------------------------------------------------------------- */

static int advances_until_packet(struct booksim *b, unsigned s, uint32_t port)
{
	int n = 0;

	while (!booksim_has_packet(b, s, port) && n < 100) {
		booksim_advance(b);
		n++;
	}
	return n;
}

static char *printed_figures(struct booksim *b)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	booksim_print(b, &(struct book_out){f, book_text, book_real, book_count});
	fclose(f);
	return text;
}

static void test_lone_packets(void)
{
	struct booksim *b = booksim_new(&shipped, 28, 24, 100);
	char *text = printed_figures(b);

	ok(strstr(text, "Packet latency average = -nan\n\tminimum = nan\n\tmaximum = -nan\n"),
		"the packet latency is not a number if no packet was sent");
	free(text);
	ok(booksim_is_empty(b) && !booksim_is_busy(b), "a new network is empty and not busy");
	booksim_push(b, 0, 3, 7, 1, 8);
	ok(booksim_is_busy(b) && !booksim_is_empty(b),
		"a network with a pushed packet is busy and not empty");
	is_number(advances_until_packet(b, 0, 7), 6,
		"a packet of one flit arrives after the sixth call of booksim_advance()");
	ok(booksim_is_busy(b), "a network with a packet that waits at an output is busy");
	ok(bitset_test(b->net[0].waiting, 7), "the bit of an output with a waiting packet is set");
	is_number(booksim_pop(b, 0, 7), 1, "booksim_pop() returns the packet that arrived");
	is_number(booksim_pop(b, 0, 7), REQ_NONE, "booksim_pop() returns REQ_NONE if no packet waits");
	ok(!booksim_is_busy(b) && !booksim_is_empty(b),
		"a network with credits in flight is neither busy nor empty");
	for (int i = 0; i < 4; i++)
		booksim_advance(b);
	ok(booksim_is_empty(b) && !bitset_test(b->net[0].waiting, 7),
		"a network is empty when its credits have returned");
	booksim_push(b, 1, 7, 3, 2, 136);
	is_number(advances_until_packet(b, 1, 3), 9,
		"a packet of four flits arrives three steps after a packet of one flit");
	text = printed_figures(b);
	ok(strstr(text, "\nFlit latency average = 5\n\tminimum = 5\n\tmaximum = 5\nSlowest flit = 0\n"),
		"the flit latency is 5 (NET-lat-1)");
	ok(strstr(text, "Packet latency average = 6.5\n\tminimum = 5\n\tmaximum = 8\n"),
		"the packet latency ends when the tail flit arrives");
	ok(strstr(text, "Slowest packet = 1\n"), "the figures name the second packet as the slowest one");
	ok(strstr(text, "Injected packet length average = 2.5\n"), "the mean packet length is in flits");
	ok(strstr(text, "Total in-flight flits = 0 (0 measured)\n"), "the figures report no flit in flight");
	ok(strstr(text, "Flit latency average = -nan (2 samples)\n"),
		"a report without packets makes the overall mean not a number");
	free(text);
	booksim_delete(b);
}

static void test_idle_time(void)
{
	struct booksim_conf c = shipped;
	struct booksim *a, *b;
	char *ta, *tb;

	c.speedup = 1.75;
	a = booksim_new(&c, 28, 24, 100);
	b = booksim_new(&c, 28, 24, 100);
	for (int i = 0; i < 1003; i++)
		booksim_advance(a);
	booksim_skip_cycles(b, 1003);
	booksim_push(a, 0, 0, 0, 1, 136);
	booksim_push(b, 0, 0, 0, 1, 136);
	is_number(advances_until_packet(a, 0, 0), advances_until_packet(b, 0, 0),
		"skipped and simulated idle cycles leave the same clock fraction");
	ta = printed_figures(a);
	tb = printed_figures(b);
	is_text(ta, tb, "skipped and simulated idle cycles result in the same figures");
	free(ta);
	free(tb);
	booksim_delete(a);
	booksim_delete(b);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void test_booksim_limits(void)
{
	struct booksim_conf c = {
		.k = 8, .flit_bytes = 32, .buffer = 3, .source_max = 9, .boundary_max = 5, .speedup = 2};
	struct booksim *b = booksim_new(&c, 2, 2, 1000);
	uint32_t pushed = 0, popped = 0, overflows = 0;

	ok(booksim_has_buffer(b, 0, 0, 288) && !booksim_has_buffer(b, 0, 0, 289),
		"the source queue has a capacity of nine flits");
	for (int t = 0; t < 200; t++) {
		while (booksim_has_buffer(b, 0, 0, 8))
			booksim_push(b, 0, 0, 1, ++pushed, 8);
		booksim_advance(b);
		overflows += b->net[0].in[0].occupied > 3 || b->net[0].out[1].occupied > 3;
		overflows += b->net[0].out[1].boundary_flits > 5 || b->net[0].in[0].fifo.count > 3;
	}
	is_number(overflows, 0, "no buffer stores more flits than its capacity");
	is_number(pushed, 9 + 3 + 3 + 5,
		"without reads at the output, packets are pushed until all buffers are full");
	for (int t = 0; t < 200; t++) {
		uint32_t req = booksim_pop(b, 0, 1);

		ok(req == REQ_NONE || req == popped + 1, "packets from one port to another arrive in order");
		popped += req != REQ_NONE;
		booksim_advance(b);
		if (booksim_is_empty(b))
			break;
	}
	is_number(popped, pushed, "all packets arrive when the output is read");
	ok(booksim_is_empty(b) && !b->net[0].in[0].occupied && !b->net[0].out[1].occupied,
		"all credits return after the last packet is read");
	booksim_delete(b);
}

/* ---- random traffic ------------------------------------------------------------------------- */

enum { CLUSTERS = 5, SUBS = 4, PACKETS = 6000 };

static bool offer_packet(struct booksim *b, int dev, uint32_t req)
{
	bool reply = dev >= CLUSTERS, has_space;
	uint32_t port = reply ? (uint32_t)dev - CLUSTERS : (uint32_t)dev,
		 to = random_below(reply ? CLUSTERS : SUBS);
	uint32_t bytes = 8 + 32 * random_below(4), n = (bytes + b->conf.flit_bytes - 1) / b->conf.flit_bytes;

	if (!random_below(3))
		to = 0;
	has_space = slow[reply].source[dev].n + (int)n <= (int)b->conf.source_max;
	if (has_space != booksim_has_buffer(b, reply, port, bytes))
		return false;
	if (!has_space)
		return true;
	booksim_push(b, reply, port, to, req, bytes);
	for (uint32_t i = 0; i < n; i++) {
		flits[n_flits] = (struct slow_book_flit){
			(int)req, (int)to + (reply ? 0 : CLUSTERS), i == 0, i + 1 == n};
		append_to_slow_list(&slow[reply].source[dev], n_flits++);
	}
	return true;
}

static bool pops_are_equal(struct booksim *b, uint32_t share)
{
	for (int dev = 0; dev < CLUSTERS + SUBS; dev++) {
		bool reply = dev < CLUSTERS;
		uint32_t port = reply ? (uint32_t)dev : (uint32_t)dev - CLUSTERS;

		if (random_below(100) < share &&
			slow_pop_packet(&slow[reply], dev) != (int)booksim_pop(b, reply, port))
			return false;
	}
	return true;
}

static bool is_random_run_equal(const struct booksim_conf *c, uint32_t load, uint32_t share)
{
	struct booksim *b = booksim_new(c, CLUSTERS, SUBS, PACKETS + 1);
	bool same = true;
	uint32_t req = 1;

	n_flits = 0;
	slow_init(&slow[0]);
	slow_init(&slow[1]);
	for (int t = 0; t < 1500 && same; t++) {
		for (int dev = 0; dev < CLUSTERS + SUBS && t < 1000 && t / 100 % 3 < 2; dev++)
			if (random_below(100) < load && req < PACKETS)
				same &= offer_packet(b, dev, req++);
		slow_step(&slow[0], c);
		slow_step(&slow[1], c);
		if (booksim_is_empty(b))
			booksim_skip_cycles(b, 1);
		else
			booksim_advance(b);
		same = same && pops_are_equal(b, t < 1000 ? share : 100);
	}
	same = same && booksim_is_empty(b);
	booksim_delete(b);
	return same;
}

static void test_random_runs(void)
{
	static const struct {
		struct booksim_conf c;
		uint32_t load, share;
	} runs[] = {
		{{.k = K, .flit_bytes = 40, .buffer = 64, .source_max = 256, .boundary_max = 64, .speedup = 2},
			20, 90},
		{{.k = K, .flit_bytes = 32, .buffer = 4, .source_max = 16, .boundary_max = 8, .speedup = 2},
			40, 40},
		{{.k = K, .flit_bytes = 16, .buffer = 2, .source_max = 20, .boundary_max = 9, .speedup = 1},
			30, 70},
		{{.k = K, .flit_bytes = 32, .buffer = 1, .source_max = 9, .boundary_max = 5, .speedup = 3.5},
			60, 90},
		{{.k = K, .flit_bytes = 8, .buffer = 8, .source_max = 64, .boundary_max = 16, .speedup = 1.25},
			5, 100},
	};

	for (uint32_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		seed = i + 1;
		ok(is_random_run_equal(&runs[i].c, runs[i].load, runs[i].share),
			"random traffic %u is the same as in the literal implementation", i);
	}
}

/* ---- configuration -------------------------------------------------------------------------- */

#define FIXED_PART \
	"topology = fly; n = 1; routing_function = dest_tag; num_vcs = 1; subnets = 2; use_map = 0;" \
	"routing_delay = 0; sim_type = gpgpusim; read_request_end_vc = 0; write_request_begin_vc = 0;" \
	"write_request_end_vc = 0; read_reply_begin_vc = 0; read_reply_end_vc = 0; write_reply_begin_vc = " \
	"0;" \
	"write_reply_end_vc = 0;"

static int parse_icnt_text(const char *text, struct icnt *c, struct fault *f)
{
	struct input *in = input_memory("x.icnt", text, strlen(text), f);
	int status = icnt_read(c, in, f);

	input_close(in);
	return status;
}

static void check_icnt_rejected(const char *text, uint64_t line, uint32_t col, const char *part)
{
	struct icnt c;
	struct fault f = {0};
	bool rejected = parse_icnt_text(text, &c, &f) < 0;

	if (!ok(rejected && f.place.line == line && f.place.col == col && strstr(f.text, part),
		    "an .icnt file is rejected with: %s", part))
		printf("# %s:%d:%u: %s\n", rejected ? f.place.file : "accepted", (int)f.place.line,
			f.place.col, f.text);
	icnt_free(&c);
}

static void test_single_router(void)
{
	struct booksim_conf b;
	struct icnt c;
	struct fault f;

	ok(parse_icnt_text(FIXED_PART
		   "k = 27; // nodes\nvc_buf_size\n=\n12; alloc_iters = 5; packet_size = {{1,2},{3}};"
		   "internal_speedup = 2; k = 28;",
		   &c, &f) == 0,
		".icnt entries may span lines and contain comments");
	ok(booksim_conf_of(&b, &c),
		"one switch with one virtual channel is simulated by the single-router model");
	ok(b.k == 28 && b.buffer == 12 && b.speedup == 2, "a later .icnt entry replaces an earlier one");
	ok(b.flit_bytes == 32 && b.source_max == 9 && b.boundary_max == 16,
		".icnt defaults apply, and a source queue of 0 flits becomes 9 flits");
	is_number(
		(long long)c.value[ICNT_k].place.line, 4, "the place of the .icnt entry k is its last line");
	icnt_free(&c);
	ok(parse_icnt_text(FIXED_PART "k = 27; credit_delay = 1;", &c, &f) == 0 && !booksim_conf_of(&b, &c),
		"a switch with credit delays is not simulated by the single-router model");
	icnt_free(&c);
	ok(parse_icnt_text(FIXED_PART "k = 6; n = 2;", &c, &f) == 0 && c.nodes == 36 &&
			!booksim_conf_of(&b, &c),
		"a network of two stages is not simulated by the single-router model");
	icnt_free(&c);
}

static void test_icnt_files(void)
{
	check_icnt_rejected("k = 4;\n  topology = ring;", 0, 0,
		"no entry 'subnets', whose default is 1 (expected at least 2 subnets");
	check_icnt_rejected("subnets = 2; sim_type = gpgpusim; k = 4;\n  topology = ring;", 2, 14,
		"invalid 'topology = ring' (expected mesh");
	check_icnt_rejected("subnets = 2; sim_type = gpgpusim;", 0, 0,
		"no entry 'routing_function', whose default is none");
	check_icnt_rejected("// comment\ntoplogy = fly;", 2, 1, "did you mean 'topology'?");
	check_icnt_rejected("k 4;", 1, 3, "unexpected '4' after 'k' (expected '='");
	check_icnt_rejected("k = 4 n = 1;", 1, 7, "unexpected 'n' after '4' (expected ';'");
	check_icnt_rejected("k = ;", 1, 5, "unexpected ';' (expected a value of k");
	check_icnt_rejected("k = 4", 1, 0, "unexpected end of file after '4'");
	check_icnt_rejected("= 4;", 1, 1, "unexpected '=' (expected an entry");
	check_icnt_rejected("k = 4.5;", 1, 5, "invalid 'k = 4.5' (expected a whole number from 1 to");
	check_icnt_rejected("vc_buf_size = 0;", 1, 15, "expected a whole number from 1 to 65536");
	check_icnt_rejected("k = 99999999999999999999;", 1, 5, "expected a whole number from 1 to");
	check_icnt_rejected("internal_speedup = nan;", 1, 20, "expected a number from 1 to");
	check_icnt_rejected("boundary_buffer_size = 0;", 1, 24, "expected a whole number from 1");
	check_icnt_rejected("\x01;", 1, 1, "unexpected '\\x01' (expected an entry");
}

static void test_devices(void)
{
	struct req_pool pool = {.limit = 50};
	struct params p = {.clusters = 3, .mem = {.channels = 1, .subs = 2}, .net = {.mode = 1}};
	char path[] = "/tmp/test_booksim.XXXXXX";
	struct fault f;
	FILE *file = fdopen(mkstemp(path), "w");
	struct net *n;

	fprintf(file, "%s k = 4;", FIXED_PART);
	fclose(file);
	p.net.file = path;
	ok(!net_new(&p, &pool, &f) &&
			strstr(f.text,
				"the network has 4 nodes, but 3 clusters and 2 memory sub partitions need 5"),
		"a network with fewer nodes than devices is rejected");
	ok(f.place.line == 1 && f.place.col > 1,
		"the fault of a network with too few nodes has the place of the entry k");
	file = fopen(path, "w");
	fprintf(file, "%s k = 5;", FIXED_PART);
	fclose(file);
	n = net_new(&p, &pool, &f);
	ok(n && net_is_empty(n), "a network with as many nodes as devices is accepted");
	net_push(n, 2, 4, 11, 8);
	net_push(n, 4, 2, 12, 40);
	for (int i = 0; i < 20; i++)
		net_advance(n);
	ok(net_has_packet(n, 4) && net_has_packet(n, 2) && !net_has_packet(n, 3),
		"a request and a reply reach the devices that they are sent to");
	ok(net_waiting_subs(n)[0] == 2 && net_waiting_clusters(n)[0] == 4,
		"only the destinations of the two packets have a waiting packet");
	ok(net_pop(n, 4) == 11 && net_pop(n, 2) == 12 && !net_is_busy(n),
		"net_pop() returns a request and a reply at their destinations");
	net_delete(n);
	unlink(path);
	p.net.file_at = (struct place){"gpu.config", 7, 2};
	ok(!net_new(&p, &pool, &f) && f.place.line == 7 && strstr(f.text, path),
		"a missing .icnt file is reported at the place of the option that names it");
}

int main(void)
{
	test_lone_packets();
	test_idle_time();
	test_booksim_limits();
	test_random_runs();
	test_single_router();
	test_icnt_files();
	test_devices();
	return tap_done();
}
