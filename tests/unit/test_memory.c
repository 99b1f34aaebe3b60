/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the network and the memory side: the worked examples MEM-example and NET-example, the address
 * decoder, and the crossbar with both arbiters, which is compared with a slow implementation of NET-xbar.
 */
#include "arena.h"
#include "gpuconf.h"
#include "net/crossbar.h"
#include "mem/mem.h"
#include "tap.h"

static uint64_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- address decoder ----------------------------------------------------------------------------------- */

#define QV100_MAP  "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
#define TITANX_MAP "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"

static struct addrdec *new_decoder(struct params *p, uint32_t channels, const char *map, uint32_t index)
{

	*p = (struct params){0};
	p->mem.channels = channels;
	p->mem.subs = 2;
	p->mem.l2_sides = 1;
	params_set_mapping(&p->mem.addr, map);
	p->mem.addr.partition_index = index;
	return addrdec_new(p);
}

static void test_decode(void)
{
	static const uint32_t drawn[] = {7, 22, 9, 19, 17, 7, 10, 12};
	struct params p;
	struct addrdec *d = new_decoder(&p, 32, QV100_MAP, 2);
	struct req r = {.addr = 0x7fb02d700200};
	bool good = true;

	addrdec_decode_request(d, &r);
	is_number(r.sub, 38, "IPOLY: the sub partition is that of the worked example");
	is_number(r.channel, 19, "IPOLY: the channel is that of the worked example");
	is_number(r.bank, 0, "IPOLY: the bank is that of the worked example");
	is_number(r.row, 0x2d7, "IPOLY: the row is that of the worked example");
	is_number(addrdec_home_sub_partition(d, r.addr), 38,
		"addrdec_home_sub_partition() gives the sub partition of the example");
	addrdec_delete(d);

	d = new_decoder(&p, 12, TITANX_MAP, 4);
	for (unsigned i = 0; i < 8; i++)
		good &= addrdec_home_sub_partition(d, 0x1000 + 128ull * i) == drawn[i];
	ok(good, "RANDOM: the first values for 24 sub partitions are as recorded");
	is_number(addrdec_home_sub_partition(d, 0x1000 + 127), 7,
		"RANDOM: a second address with the same key has the same sub partition");
	for (unsigned i = 0; i < 20000; i++)
		good &= addrdec_home_sub_partition(d, 0x100000 + 128ull * i) < 24;
	for (unsigned i = 0; i < 8; i++)
		good &= addrdec_home_sub_partition(d, 0x1000 + 128ull * i) == drawn[i];
	ok(good, "RANDOM: the values of keys stay the same while the table grows");
	addrdec_delete(d);

	d = new_decoder(&p, 12, TITANX_MAP, 0);
	r.addr = 0x7fb02d700200;
	addrdec_decode_request(d, &r);
	is_number(r.channel, (0x7fb02d700200 >> 8) % 12,
		"12 channels: the channel is the remainder of a division by 12");
	addrdec_delete(d);
}

/* Tests that different addresses of a sub partition have different partition addresses (MEM-addr-8). */
static void test_partition_address(uint32_t channels, uint32_t index)
{
	struct params p;
	struct addrdec *d = new_decoder(&p, channels, TITANX_MAP, index);
	static uint8_t seen[2][48][1 << 14];
	uint32_t subs = channels * 2, twice = 0;

	memset(seen, 0, sizeof(seen));
	for (uint64_t a = 0; a < 1ull << 19; a += 32) {
		uint64_t at = addrdec_partition_address(d, a) / 32;
		uint8_t *mark = &seen[0][addrdec_home_sub_partition(d, a)][at];

		if (at >= 1 << 14 || addrdec_home_sub_partition(d, a) >= subs || *mark)
			twice++;
		else
			*mark = 1;
	}
	is_number(twice, 0,
		channels == 16 ? "16 channels: partition addresses differ"
			       : "12 channels: partition addresses differ");
	addrdec_delete(d);
}

/*
 * Tests rows of a tensor that are 128 KiB apart. Plain decoding maps them to few slices; IPOLY in groups maps
 * them to most slices (MEM-addr-9).
 */
static void test_distant_rows(void)
{
	static const uint32_t index[] = {0, 6};
	uint32_t used[2] = {0, 0};

	for (unsigned k = 0; k < 2; k++) {
		struct params p;
		struct addrdec *d = new_decoder(&p, 40, TITANX_MAP, index[k]);
		uint8_t seen[80] = {0};

		for (uint64_t row = 0; row < 256; row++) {
			uint32_t sub = addrdec_home_sub_partition(d, 0x10000000 + (row << 17));

			used[k] += !seen[sub];
			seen[sub] = 1;
		}
		addrdec_delete(d);
	}
	is_number(used[0], 5, "plain decoding maps rows 128 KiB apart to 5 slices");
	ok(used[1] > 60, "IPOLY in groups maps rows 128 KiB apart to more than 60 slices");
}

/* ---- crossbar ------------------------------------------------------------------------------- */

static struct params net_params(
	uint32_t clusters, uint32_t subs, uint32_t arbiter, uint32_t limit, uint32_t grant)
{
	struct params p = {.clusters = clusters};

	p.mem.channels = subs;
	p.mem.subs = 1;
	p.net = (struct network_params){.mode = 2,
		.in_limit = limit,
		.out_limit = limit,
		.subnets = 2,
		.arbiter = arbiter,
		.grant_cycles = grant};
	return p;
}

static void test_islip_example(void)
{
	struct params p = net_params(2, 4, 1, 8, 1);
	struct req_pool pool;
	struct net *n;
	struct xbar_counts x;

	req_pool_init(&pool, 16);
	n = net_new(&p, &pool, NULL);
	net_push(n, 0, 3, 1, 8);
	net_push(n, 0, 4, 2, 8);
	net_push(n, 1, 3, 3, 8);
	net_advance(n);
	x = net_xbar_counts(n, 0);
	is_number((long long)x.conflicts, 1, "iSLIP: two inputs with one output make one conflict");
	is_number((long long)x.reqs_util, 2, "iSLIP: two packets of one input move in one cycle");
	is_number(net_pop(n, 3), 1, "iSLIP: output 3 has the first packet of input 0");
	is_number(net_pop(n, 4), 2, "iSLIP: output 4 has the second packet of input 0");
	ok(net_is_busy(n), "iSLIP: the network is busy while a packet waits");
	net_advance(n);
	is_number(net_pop(n, 3), 3, "iSLIP: output 3 has the packet of input 1 one cycle later");
	ok(!net_is_busy(n) && net_is_empty(n), "iSLIP: the network is empty after the last packet");
	net_delete(n);
	req_pool_free(&pool);
}

#define DEVICES 24
#define DEPTH   16

/*
 * A slow implementation of NET-islip and NET-rr with arrays. Index 0 is for requests, and index 1 for
 * replies.
 */
struct slow_fifo {
	uint32_t req[DEPTH], to[DEPTH], n;
};

struct slow_xbar {
	struct slow_fifo in[2][DEVICES], out[2][DEVICES];
	uint32_t next[2][DEVICES], next_id[2], grant[2], clusters, nodes;
	const struct network_params *p;
	struct xbar_counts n[2];
};

static void shift_slow_fifo(struct slow_fifo *f)
{
	f->n--;
	memmove(f->req, f->req + 1, f->n * sizeof(f->req[0]));
	memmove(f->to, f->to + 1, f->n * sizeof(f->to[0]));
}

static void slow_move_packet(struct slow_xbar *s, int k, uint32_t i, uint32_t o)
{
	struct slow_fifo *f = &s->out[k][o];

	f->req[f->n++] = s->in[k][i].req[0];
	shift_slow_fifo(&s->in[k][i]);
}

static void slow_add_occupancy(struct slow_xbar *s, int k)
{
	for (uint32_t i = 0; i < s->nodes; i++) {
		s->n[k].in_util += s->in[k][i].n;
		s->n[k].out_util += s->out[k][i].n;
	}
	s->n[k].cycles++;
}

static void slow_islip(struct slow_xbar *s, int k)
{
	uint32_t conflict = 0, reqs = 0;
	bool seen[DEVICES] = {false}, active = false;
	struct xbar_counts *n = &s->n[k];

	for (uint32_t i = 0; i < s->nodes; i++) {
		if (!s->in[k][i].n)
			continue;
		active = true;
		conflict += seen[s->in[k][i].to[0]];
		seen[s->in[k][i].to[0]] = true;
	}
	n->conflicts += conflict;
	for (uint32_t o = 0; o < s->nodes; o++) {
		if (s->out[k][o].n + 1 > s->p->out_limit) {
			n->out_full++;
			continue;
		}
		for (uint32_t j = 0; j < s->nodes; j++) {
			uint32_t i = (j + s->next[k][o]) % s->nodes;

			if (!s->in[k][i].n || s->in[k][i].to[0] != o)
				continue;
			slow_move_packet(s, k, i, o);
			if (s->grant[k] == 1)
				s->next[k][o] = (i + 1) % s->nodes;
			reqs++;
			break;
		}
	}
	if (active) {
		n->conflicts_util += conflict;
		n->cycles_util++;
		n->reqs_util += reqs;
		s->grant[k] = s->grant[k] == 1 ? s->p->grant_cycles : s->grant[k] - 1;
	}
	slow_add_occupancy(s, k);
}

static void slow_round_robin(struct slow_xbar *s, int k)
{
	uint32_t conflict = 0, reqs = 0;
	bool served[DEVICES] = {false}, active = false;
	struct xbar_counts *n = &s->n[k];

	for (uint32_t j = 0; j < s->nodes; j++) {
		uint32_t i = (j + s->next_id[k]) % s->nodes, o;

		if (!s->in[k][i].n)
			continue;
		active = true;
		o = s->in[k][i].to[0];
		if (s->out[k][o].n + 1 > s->p->out_limit) {
			n->out_full++;
			conflict += served[o];
		} else if (served[o]) {
			conflict++;
		} else {
			slow_move_packet(s, k, i, o);
			served[o] = true;
			reqs++;
		}
	}
	s->next_id[k] = (s->next_id[k] + 1) % s->nodes;
	n->conflicts += conflict;
	if (active) {
		n->conflicts_util += conflict;
		n->cycles_util++;
		n->reqs_util += reqs;
	}
	slow_add_occupancy(s, k);
}

/* Sometimes sends a packet from device d to a random device. */
static bool offer_packet(struct slow_xbar *s, struct net *n, uint32_t d, uint32_t req)
{
	int k = d >= s->clusters;
	struct slow_fifo *f = &s->in[k][d];
	uint32_t subs = s->nodes - s->clusters,
		 to = k ? random_below(s->clusters) : s->clusters + random_below(random_below(2) ? subs : 1);
	bool has_slot = f->n + 1 <= s->p->in_limit;

	s->n[k].in_full += !has_slot;
	if (net_has_buffer(n, d, 8) != has_slot)
		return false;
	if (!has_slot)
		return true;
	net_push(n, d, to, req, 8);
	s->n[k].packets++;
	f->to[f->n] = to;
	f->req[f->n++] = req;
	return true;
}

static bool take_packet(struct slow_xbar *s, struct net *n, uint32_t d)
{
	struct slow_fifo *f = &s->out[d < s->clusters][d];
	uint32_t want = f->n ? f->req[0] : REQ_NONE;

	if (net_has_packet(n, d) != (f->n != 0))
		return false;
	if (f->n)
		shift_slow_fifo(f);
	return net_pop(n, d) == want;
}

static bool slow_xbar_is_busy(const struct slow_xbar *s)
{
	for (int k = 0; k < 2; k++)
		for (uint32_t d = 0; d < s->nodes; d++)
			if (s->in[k][d].n || s->out[k][d].n)
				return true;
	return false;
}

static void test_crossbar(uint32_t arbiter, uint32_t limit, uint32_t grant)
{
	struct params p = net_params(9, 15, arbiter, limit, grant);
	struct slow_xbar *s = xcalloc(1, sizeof(*s));
	struct req_pool pool;
	struct net *n;
	bool good = true;
	uint32_t req = 0;

	req_pool_init(&pool, 200000);
	n = net_new(&p, &pool, NULL);
	s->p = &p.net;
	s->clusters = 9;
	s->nodes = DEVICES;
	s->grant[0] = s->grant[1] = grant;
	for (uint32_t t = 0; t < 4000 && good; t++) {
		uint32_t rate = t % 400 < 100 ? 30 : t % 400 < 300 ? 2 : 1000;

		for (uint32_t d = 0; d < DEVICES; d++)
			if (random_below(3) == 0)
				good &= take_packet(s, n, d);
		for (uint32_t d = 0; d < DEVICES; d++)
			if (random_below(rate) == 0)
				good &= offer_packet(s, n, d, ++req);
		for (int k = 0; k < 2; k++)
			arbiter ? slow_islip(s, k) : slow_round_robin(s, k);
		good &= net_is_busy(n) == slow_xbar_is_busy(s);
		if (!net_is_busy(n))
			net_skip_idle_advances(n, 1);
		else
			net_advance(n);
		for (unsigned k = 0; k < 2; k++) {
			struct xbar_counts x = net_xbar_counts(n, k);

			good &= !memcmp(&x, &s->n[k], sizeof(x));
		}
	}
	ok(good, "crossbar equals the slow one: arbiter %u, limits %u, grant_cycles %u, %u packets", arbiter,
		limit, grant, req);
	net_delete(n);
	req_pool_free(&pool);
	free(s);
}

/* ---- a read through all units ----------------------------------------------------------------- */

/* Sets the parameters of the memory side of a QV100. */
static bool set_qv100_memory(struct params *p, struct gpuconf *c)
{
	struct memory_params *m = &p->mem;
	struct dram_params *d = &m->dram;
	struct fault f = {0};

	*p = net_params(80, 64, 1, 512, 1);
	for (int i = 0; i < 4; i++)
		p->hz[i] = (i < 3 ? 1132.0 : 850.0) * 1000000;
	m->channels = 32;
	m->subs = 2;
	m->queue_icnt_l2 = m->queue_l2_dram = m->queue_dram_l2 = m->queue_l2_icnt = 64;
	m->rop_latency = 160;
	m->dram_latency = 100;
	m->l2_sides = 1;
	m->latency_stats = true;
	params_set_mapping(&m->addr, QV100_MAP);
	m->addr.partition_index = 2;
	*d = (struct dram_params){.fr_fcfs = true,
		.dual_bus = true,
		.queue_max = 64,
		.return_max = 192,
		.atom_bytes = 32,
		.burst_cycles = 1,
		.nbk = 16,
		.nbkgrp = 4,
		.tCCD = 1,
		.tRRD = 3,
		.tRCD = 12,
		.tRAS = 28,
		.tRP = 12,
		.tRC = 40,
		.tCDLR = 3,
		.tWR = 10,
		.CL = 12,
		.WL = 2,
		.tCCDL = 2,
		.tRTPL = 3,
		.tRCDWR = 9,
		.tRTW = 13,
		.tWTR = 6,
		.tWTP = 13,
		.group_index = 1};
	return gpuconf_override(c, "gpgpu_cache:dl2=S:32:128:24,L:B:m:L:P,A:192:4,32:0,32", &f) == 0 &&
	       params_parse_cache(&m->l2, c, OPT_gpgpu_cache_dl2, ROLE_L2, &f) == 0;
}

struct memory_bench {
	struct gpuconf conf;
	struct params p;
	struct req_pool pool;
	struct memstat ms;
	struct addrdec *dec;
	struct net *net;
	struct memory *mem;
	double time[4];
	uint64_t now;
};

static bool memory_bench_init(struct memory_bench *m)
{
	struct fault f = {0};

	gpuconf_init(&m->conf);
	if (!set_qv100_memory(&m->p, &m->conf))
		return false;
	req_pool_init(&m->pool, 10000);
	memstat_init(&m->ms, &m->p);
	m->dec = addrdec_new(&m->p);
	m->net = net_new(&m->p, &m->pool, &f);
	m->mem = memory_new(&m->p, &m->pool, m->net, m->dec, &m->ms, &f);
	return m->dec && m->net && m->mem;
}

static void memory_bench_free(struct memory_bench *m)
{
	memory_delete(m->mem);
	net_delete(m->net);
	addrdec_delete(m->dec);
	memstat_free(&m->ms);
	req_pool_free(&m->pool);
	gpuconf_free(&m->conf);
}

/*
 * Runs a step of the GPU. Returns true if the core clock fires. With `sleep`, skips steps of the memory side
 * in which only counters change according to memory_is_asleep().
 */
static bool run_gpu_step(struct memory_bench *m, bool sleep)
{
	double least = m->time[0] < m->time[1] ? m->time[0] : m->time[1];
	bool fires[4];
	uint64_t until, dram;

	least = m->time[3] < least ? m->time[3] : least;
	for (int i = 0; i < 4; i++) {
		fires[i] = m->time[i] <= least;
		if (fires[i])
			m->time[i] += 1 / m->p.hz[i];
	}
	if (sleep && memory_is_asleep(m->mem, m->now, &until, &dram) && m->now < until && dram) {
		memory_idle_ticks(m->mem, fires[1], fires[3], fires[2]);
	} else {
		if (fires[1])
			memory_reply_tick(m->mem, m->now);
		if (fires[3])
			memory_dram_tick(m->mem, m->now, m->now);
		if (fires[2])
			memory_l2_tick(m->mem, m->now);
	}
	if (fires[1])
		net_advance(m->net);
	return fires[0];
}

static void test_read(bool sleep)
{
	struct memory_bench *m = xcalloc(1, sizeof(*m));
	uint32_t handle, got = REQ_NONE;
	struct dram_counts n;
	struct req *r;

	if (!ok(memory_bench_init(m), "the memory side of a QV100 is created"))
		return;
	handle = req_new(&m->pool);
	r = &m->pool.req[handle];
	*r = (struct req){
		.addr = 0x7fb02d700200, .created = 5697, .flags = REQ_LOAD, .size = 32, .sectors = 1};
	addrdec_decode_request(m->dec, r);
	while (m->now < 7000 && !got) {
		if (!run_gpu_step(m, sleep))
			continue;
		if (m->now == 5718)
			net_push(m->net, 0, 80u + r->sub, handle, req_bytes_of_request(r));
		/* The reply can be popped in the next core cycle at the earliest. */
		m->now++;
		got = net_pop(m->net, 0);
	}
	is_number(got, handle, "the SM receives the reply of its read");
	is_number((long long)m->now, 6020, "the SM receives the reply in the cycle of the worked example");
	is_number(r->returned, 6019, "the reply enters the reply network in cycle 6019");
	ok(r->flags & REQ_REPLY, "the request of the read is marked as a reply");
	is_number(m->ms.icnt2mem_lat[4], 1, "a read needs 23 cycles from the SM to its sub partition");
	memory_get_dram_counts(m->mem, 19, &n);
	is_number((long long)n.n_act, 1, "a single read causes one DRAM activate");
	is_number((long long)n.n_rd, 1, "a single read causes one DRAM read");
	is_number((long long)n.hits_num, 0, "a read of a closed DRAM row is not a row hit");
	ok(!memory_is_busy(m->mem) && !net_is_busy(m->net),
		"the memory side and the network are idle after the reply");
	memory_bench_free(m);
	free(m);
}

int main(void)
{
	test_decode();
	test_partition_address(16, 0);
	test_partition_address(12, 0);
	test_partition_address(16, 6);
	test_partition_address(12, 6);
	test_distant_rows();
	test_islip_example();
	for (uint32_t arbiter = 0; arbiter < 2; arbiter++)
		for (uint32_t limit = 1; limit <= DEPTH; limit *= 4)
			for (uint32_t grant = 0; grant < 4; grant++)
				test_crossbar(arbiter, limit, grant);
	test_read(false);
	test_read(true);
	return tap_done();
}
