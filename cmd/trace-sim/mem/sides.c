/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An L2 of two sides (-l2_sides 2, MEM-sides): each half of the clusters has a half of every channel's
 * slices, and the slice of one side is the partner of that with the same addresses on the other.
 *
 * Always true: a line that is not on its way stands on one side only. It moves to the side that asks for it, and
 * the line that makes room for it goes to the partner, so that one SM sees the near half as a cache of its own, the
 * far half as what that has evicted, and DRAM behind both. An answer from the far side takes -l2_far_latency longer;
 * nothing else is charged for the way. Both slices belong to one channel, so the rules are the same for any number of
 * threads. A machine with one side has no partners and never comes here.
 */
#include "bits.h"
#include "partition.h"

void sides_pair(struct memory *m)
{
	uint32_t half = m->per / 2;

	if (m->mp->l2_sides < 2 || !m->mp->l2.present)
		return;
	for (uint32_t i = 0; i < m->subs; i++)
		m->sub[i].partner = &m->sub[i % m->per < half ? i + half : i - half];
}

/* Room for a line of the address: what has to go is put down on the other side. */
static void make_room(struct sub *s, uint64_t addr, uint64_t now, const struct req *cause)
{
	struct line_image out;

	if (!cache_displace(s->l2, addr, &out))
		return;
	if (cache_put_line(s->partner->l2, &out, now + s->partner->copies, cause))
		s->partner->active = true;
}

/* Takes the line from the partner, if it is there and at rest. */
static bool fetch_line(struct sub *s, uint64_t addr, uint64_t now, const struct req *cause)
{
	struct line_image line;

	if (!cache_take_line(s->partner->l2, addr, &line))
		return false;
	make_room(s, addr, now, cause);
	cache_put_line(s->l2, &line, now + s->copies, cause);
	return true;
}

enum side_found sides_find(struct sub *s, const struct req *r, uint64_t now)
{
	struct sub *far = s->partner;

	if (cache_has_line(s->l2, r->addr))
		return FOUND_NEAR;
	if (cache_has_line(far->l2, r->addr) && cache_line_moves(far->l2, r->addr))
		return FOUND_ON_ITS_WAY;
	if (!cache_can_displace(s->l2, r->addr) || !cache_queue_room(far->l2))
		return FOUND_NO_ROOM;
	if (fetch_line(s, r->addr, now, r))
		return FOUND_FAR;
	make_room(s, r->addr, now, r);
	return FOUND_NEAR;
}

void sides_delay(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	m->pool->at[req].key = (uint32_t)now + m->mp->l2_far_latency;
	mem_fifo_push(m->pool->at, &s->far, req);
}

uint32_t sides_due(struct memory *m, struct sub *s, uint64_t now)
{
	if (!s->far.count || !reached(now, m->pool->at[s->far.head].key))
		return REQ_NONE;
	return mem_fifo_pop(m->pool->at, &s->far);
}

static void warm_slice(
	struct memory *m, uint64_t addr, uint32_t sectors, uint32_t cluster, bool write, uint64_t now)
{
	struct sub *s = &m->sub[addrdec_slice(m->dec, addr, cluster)];

	if (!s->l2)
		return;
	if (s->partner && !cache_has_line(s->l2, addr) && !fetch_line(s, addr, now, NULL))
		make_room(s, addr, now, NULL);
	cache_touch(s->l2, addr, sectors, write, now + s->copies);
	if (s->partner)
		cache_let_pass(s->partner->l2);
}

void memory_warm(
	struct memory *m, uint64_t line, uint32_t sectors, uint32_t cluster, bool write, uint64_t now)
{
	if (addrdec_lines_whole(m->dec)) {
		warm_slice(m, line, sectors, cluster, write, now);
		return;
	}
	FOR_BITS32 (i, sectors)
		warm_slice(m, line + 32 * i, 1u << i, cluster, write, now);
}

struct memory_warmed memory_warmed(const struct memory *m)
{
	struct memory_warmed sum = {0};

	for (uint32_t i = 0; i < m->subs; i++) {
		struct cache_touches n = {0};

		if (m->sub[i].l2)
			n = cache_touches(m->sub[i].l2);
		sum.misses += n.misses;
		sum.read_bytes += 32 * n.read_misses;
		sum.written_bytes += 32 * n.written_back;
	}
	return sum;
}
