/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An L2 with two sides (-l2_sides 2, MEM-sides). Each half of the clusters (lower and upper, or even and odd)
 * has half of the slices of every channel. The partner of a slice is the slice on the other side with the
 * same addresses.
 *
 * Always true: each address has a home side, and the slice there handles its writes, atomics, misses and DRAM
 * accesses. The slice on the other side keeps copies of lines that its clusters have read. Copies are clean,
 * are evicted without a message, and are invalidated when the home side writes. So data that both sides read
 * occupy space twice. An SM that reads more than the size of a side finds half of the data in the home slices
 * of the other side and half in DRAM. Traffic between the sides takes -l2_far_latency longer. Requests of one side
 * for data that are crossing to it wait for them there, so no SM receives data before the SM whose request made
 * them cross. Both slices belong to one channel, so the results do not depend on the number of threads. A GPU with
 * one side has no partners and does not use this file.
 */
#include "bits.h"
#include "partition.h"

static uint32_t side_of_sub(const struct sub *s) { return s > s->partner; }

static bool is_plain_read(const struct req *r) { return !(r->flags & (REQ_WRITE | REQ_ATOMIC)); }

void sides_pair_slices(struct memory *m)
{
	uint32_t half = m->subs_per_channel / 2;

	if (m->memory_params->l2_sides < 2 || !m->memory_params->l2.present)
		return;
	for (uint32_t i = 0; i < m->n_subs; i++)
		m->sub[i].partner = &m->sub[i % m->subs_per_channel < half ? i + half : i - half];
}

struct sub *sides_serving_slice(const struct memory *m, struct sub *s, const struct req *r)
{
	if (addrdec_home_side(m->dec, r->addr) == side_of_sub(s))
		return s;
	return is_plain_read(r) && cache_has_sectors(s->l2, r->addr, r->sectors) ? s : s->partner;
}

void sides_drop_stale_copy(struct sub *s, const struct sub *at, const struct req *r)
{
	if (at == s && !is_plain_read(r))
		cache_drop_copy(s->partner->l2, r->addr, r->sectors);
}

/* Returns a reply that is crossing to slice s with the data of request r, or REQ_NONE. */
static uint32_t crossing_reply(const struct memory *m, const struct sub *s, const struct req *r)
{
	const struct mem_fifo *q = &s->partner->delayed[CROSSING];
	uint32_t req = q->head;

	for (uint32_t n = q->count; n--; req = m->pool->req[req].next) {
		const struct req *reply = &m->pool->req[req];

		if ((reply->addr ^ r->addr) >> 7 == 0 && !(r->sectors & ~reply->sectors) &&
			is_plain_read(reply))
			return req;
	}
	return REQ_NONE;
}

/* Lets the reply to request `req`, which slice s reads from its copy, wait for data that are crossing to s. */
static bool wait_for_crossing(struct memory *m, struct sub *s, uint32_t req)
{
	struct req *r = &m->pool->req[req];
	uint32_t reply = is_plain_read(r) ? crossing_reply(m, s, r) : REQ_NONE;

	if (!reply)
		return false;
	r->key = m->pool->req[reply].key;
	mem_fifo_push(m->pool->req, &s->delayed[COPY_WAITER], req);
	return true;
}

bool sides_delay_reply(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	struct req *r = &m->pool->req[req];
	bool home = addrdec_home_side(m->dec, r->addr) == side_of_sub(s);

	if (addrdec_cluster_side(m->dec, r->cluster) == side_of_sub(s))
		return !home && wait_for_crossing(m, s, req);
	if (wait_for_crossing(m, s->partner, req)) {
		sub_move_request(s, s->partner, r);
		return true;
	}
	if (is_plain_read(r) && cache_put_copy(s->partner->l2, r, now + s->partner->copies))
		s->partner->wake = 0;
	r->key = (uint32_t)now + m->memory_params->l2_far_latency;
	mem_fifo_push(m->pool->req, &s->delayed[CROSSING], req);
	return true;
}

uint32_t sides_pop_delayed(struct memory *m, struct sub *s, uint64_t now)
{
	for (uint32_t i = 0; i < DELAYED_KINDS; i++) {
		struct mem_fifo *q = &s->delayed[i];

		if (q->count && reached(now, m->pool->req[q->head].key))
			return mem_fifo_pop(m->pool->req, q);
	}
	return REQ_NONE;
}

static void warm_slice(
	struct memory *m, uint64_t addr, uint32_t sectors, uint32_t cluster, bool write, uint64_t now)
{
	struct sub *s = &m->sub[addrdec_sub_for_cluster(m->dec, addr, cluster)];

	if (!s->l2)
		return;
	if (s->partner && addrdec_home_side(m->dec, addr) != side_of_sub(s)) {
		if (!write)
			sectors = cache_warm_copy(s->l2, addr, sectors, now + s->copies);
		s = s->partner;
	} else if (s->partner && write) {
		cache_drop_copy(s->partner->l2, addr, sectors);
	}
	if (sectors)
		cache_warm_sectors(s->l2, addr, sectors, write, now + s->copies);
}

void memory_warm(
	struct memory *m, uint64_t line, uint32_t sectors, uint32_t cluster, bool write, uint64_t now)
{
	if (addrdec_line_has_one_slice(m->dec)) {
		warm_slice(m, line, sectors, cluster, write, now);
		return;
	}
	FOR_BITS32 (i, sectors)
		warm_slice(m, line + 32 * i, 1u << i, cluster, write, now);
}

struct memory_warmed memory_warmed(const struct memory *m)
{
	struct memory_warmed sum = {0};

	for (uint32_t i = 0; i < m->n_subs; i++) {
		struct cache_warm_counts n = {0};

		if (m->sub[i].l2)
			n = cache_warm_counts(m->sub[i].l2);
		sum.misses += n.misses;
		sum.read_bytes += 32 * n.read_misses;
		sum.written_bytes += 32 * n.written_back;
	}
	return sum;
}
