/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes: hit and miss under each write and write-allocate policy (part 3 sections 20.5 and 20.6).
 * Always true: a result of RESERVATION_FAIL has changed nothing.
 */
#include <assert.h>
#include "bits.h"
#include "cache_int.h"

static enum cache_status refuse(struct cache *c, const struct req *q, enum cache_fail reason)
{
	cache_count_fail(c, q, reason);
	return STATUS_RESERVATION_FAIL;
}

static void send_write(struct cache *c, uint32_t r, struct access_ctx *a)
{
	cache_queue(c, r);
	a->ev->write_sent = true;
}

static enum cache_status hit_back(struct cache *c, const struct req *q, struct access_ctx *a)
{
	struct tags *t = &c->tags;
	struct probe p = tags_access(t, tags_block(t, q->addr), tags_sector(t, q), true, a->time, &a->evicted);

	tags_modify(t, p.line, tags_sector(t, q), q->bytes);
	tags_update_readable(t, p.line, q->sectors);
	return STATUS_HIT;
}

/* quirk 18: no time stamp, and the count of modified lines stays. */
static enum cache_status hit_evict(struct cache *c, uint32_t r, struct access_ctx *a)
{
	struct req *q = &c->pool->at[r];
	struct tags *t = &c->tags;
	uint8_t sector = tags_sector(t, q);
	struct probe p;

	if (queue_full(c, 0))
		return refuse(c, q, FAIL_MISS_QUEUE_FULL);
	p = tags_probe(t, tags_block(t, q->addr), sector, true);
	send_write(c, r, a);
	t->reserved[p.line] &= (uint8_t)~sector;
	t->valid[p.line] &= (uint8_t)~sector;
	t->modified[p.line] &= (uint8_t)~sector;
	return STATUS_HIT;
}

enum cache_status cache_write_hit(struct cache *c, uint32_t r, struct access_ctx *a)
{
	struct req *q = &c->pool->at[r];

	switch (c->tags.p.write) {
	case WRITE_THROUGH:
		if (queue_full(c, 0))
			return refuse(c, q, FAIL_MISS_QUEUE_FULL);
		hit_back(c, q, a);
		send_write(c, r, a);
		return STATUS_HIT;
	case WRITE_EVICT:
		return hit_evict(c, r, a);
	case WRITE_LOCAL_BACK_GLOBAL_EVICT:
		return q->type == GLOBAL_ACC_W ? hit_evict(c, r, a) : hit_back(c, q, a);
	default:
		return hit_back(c, q, a);
	}
}

/* An allocate-read for write q: blank, same address and masks, the atom's size. */
static uint32_t allocate_read(struct cache *c, uint32_t r)
{
	uint32_t h = req_new(c->pool);
	const struct req *q = &c->pool->at[r];
	struct req *n = &c->pool->at[h];

	n->addr = q->addr;
	n->bytes[0] = q->bytes[0];
	n->bytes[1] = q->bytes[1];
	n->lanes = q->lanes;
	n->flags = REQ_BLANK;
	n->size = (uint16_t)c->tags.p.atom_bytes;
	n->sm = q->sm;
	n->cluster = q->cluster;
	n->type = c->role == ROLE_L2 ? L2_WR_ALLOC_R : L1_WR_ALLOC_R;
	n->sectors = q->sectors;
	n->warp = q->warp;
	n->stream = q->stream;
	if (c->decode)
		c->decode(c->decode_ctx, n);
	n->chip = q->chip;
	n->sub = q->sub;
	return h;
}

/* Room for an allocate-read besides what the policy queues itself. */
static bool allocation_refused(struct cache *c, const struct req *q, uint32_t room)
{
	const struct mshr_entry *e = mshr_find(&c->mshr, mshr_addr(c, q->addr));

	if (queue_full(c, room)) {
		cache_count_fail(c, q, FAIL_MISS_QUEUE_FULL);
		return true;
	}
	if (!mshr_available(&c->mshr, e)) {
		cache_count_fail(c, q, e ? FAIL_MSHR_MERGE_ENTRY : FAIL_MSHR_ENTRY);
		return true;
	}
	return false;
}

static enum cache_status miss_naive(struct cache *c, uint32_t r, struct access_ctx *a)
{
	uint32_t alloc, line;

	if (allocation_refused(c, &c->pool->at[r], 2))
		return STATUS_RESERVATION_FAIL;
	alloc = allocate_read(c, r);
	send_write(c, r, a);
	cache_send_read(c, alloc, a, true, &line);
	a->ev->alloc_sent = true;
	cache_emit_write_back(c, &c->pool->at[alloc], a, true);
	return STATUS_MISS;
}

static bool whole_atom(const struct cache *c, const struct req *q)
{
	return bit_count64(q->bytes[0]) + bit_count64(q->bytes[1]) == c->tags.p.atom_bytes;
}

static enum cache_status miss_fetch(struct cache *c, uint32_t r, struct access_ctx *a)
{
	struct req *q = &c->pool->at[r];
	struct tags *t = &c->tags;
	uint8_t sector = tags_sector(t, q);
	uint32_t alloc, line;

	if (whole_atom(c, q)) {
		struct probe p;

		if (queue_full(c, 0))
			return refuse(c, q, FAIL_MISS_QUEUE_FULL);
		p = tags_access(t, tags_block(t, q->addr), sector, true, a->time, &a->evicted);
		tags_modify(t, p.line, sector, q->bytes);
		cache_emit_write_back(c, q, a, true);
		return STATUS_MISS;
	}
	if (allocation_refused(c, q, 1))
		return STATUS_RESERVATION_FAIL;
	alloc = allocate_read(c, r);
	c->pool->at[alloc].parent = r;
	c->pool->at[alloc].flags |= REQ_PARENT_WRITE;
	cache_send_read(c, alloc, a, true, &line);
	t->mod_on_fill[line] |= sector;
	t->bytes_on_fill[line] = true;
	a->ev->alloc_sent = true;
	cache_emit_write_back(c, &c->pool->at[alloc], a, true);
	return STATUS_MISS;
}

static enum cache_status miss_lazy(struct cache *c, uint32_t r, struct access_ctx *a)
{
	struct req *q = &c->pool->at[r];
	struct tags *t = &c->tags;
	uint8_t sector = tags_sector(t, q);
	struct probe p;

	if (queue_full(c, 0))
		return refuse(c, q, FAIL_MISS_QUEUE_FULL);
	if (t->p.write == WRITE_THROUGH)
		send_write(c, r, a);
	p = tags_access(t, tags_block(t, q->addr), sector, true, a->time, &a->evicted);
	tags_modify(t, p.line, sector, q->bytes);
	if (p.status == STATUS_HIT_RESERVED) {
		t->mod_on_fill[p.line] |= sector;
		t->bytes_on_fill[p.line] = true;
	}
	if (whole_atom(c, q)) {
		t->readable[p.line] |= sector;
	} else {
		t->readable[p.line] &= (uint8_t)~sector;
		if (p.status == STATUS_HIT_RESERVED)
			t->read_on_fill[p.line] |= sector;
	}
	tags_update_readable(t, p.line, q->sectors);
	cache_emit_write_back(c, q, a, true);
	return STATUS_MISS;
}

enum cache_status cache_write_miss(struct cache *c, uint32_t r, struct access_ctx *a)
{
	switch (c->tags.p.walloc) {
	case WALLOC_NAIVE: return miss_naive(c, r, a);
	case WALLOC_FETCH: return miss_fetch(c, r, a);
	case WALLOC_LAZY: return miss_lazy(c, r, a);
	default: break;
	}
	if (queue_full(c, 0))
		return refuse(c, &c->pool->at[r], FAIL_MISS_QUEUE_FULL);
	send_write(c, r, a);
	return STATUS_MISS;
}
