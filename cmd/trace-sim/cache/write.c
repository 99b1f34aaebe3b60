/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write policies (CACHE-whit, CACHE-wmiss): the effects of a store, or of a write-back from the level above. Hits
 * follow the write policy, all other lookup results the write-allocate policy.
 *
 * Always true: a rejected write has changed only counts. A write that sends nothing below is done when the function
 * returns, and the caller acknowledges it.
 */
#include "bits.h"
#include "cache_int.h"

static void send_write(struct cache_visit *a)
{
	ring_push(&a->cache->queue, a->handle);
	a->events.write_sent = true;
}

/*
 * Returns true if the request writes all bytes of the atom. Usually the atom is one sector, whose bits are in half of
 * one word.
 */
static bool writes_whole_atom(const struct cache_visit *a)
{
	uint64_t any = a->req->bytes[0] | a->req->bytes[1];

	if (a->cache->fill_bytes == 32 && !(a->req->bytes[0] && a->req->bytes[1]) &&
		(!(any >> 32) || !(uint32_t)any))
		return (uint32_t)(any | any >> 32) == UINT32_MAX;
	return bit_count64(a->req->bytes[0]) + bit_count64(a->req->bytes[1]) == a->cache->fill_bytes;
}

static void mark_line_modified(struct cache_visit *a)
{
	tag_modify_sector(&a->cache->tags, a->lookup.slot, a->lookup.sector, a->req->bytes);
}

/* ---- hits ------------------------------------------------------------------------------------ */

static enum cache_status handle_hit_write_back(struct cache_visit *a)
{
	struct tags *t = &a->cache->tags;

	tag_access(t, &a->lookup, a->now, &a->evicted);
	mark_line_modified(a);
	tag_update_readable(t, a->lookup.slot, a->req->sectors);
	return STATUS_HIT;
}

static enum cache_status handle_hit_write_through(struct cache_visit *a)
{
	if (miss_queue_full_for(a->cache, 0))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	handle_hit_write_back(a);
	send_write(a);
	return STATUS_HIT;
}

/*
 * Handles a hit of a write-evict cache: sends the write, and makes the sector invalid. quirk Q3-18: there is no tag
 * access, so the age of the line and the count of modified lines do not change.
 */
static enum cache_status handle_hit_write_evict(struct cache_visit *a)
{
	if (miss_queue_full_for(a->cache, 0))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	send_write(a);
	tag_drop_sector(&a->cache->tags, a->lookup.slot, a->lookup.sector);
	return STATUS_HIT;
}

enum cache_status cache_write_hit(struct cache_visit *a)
{
	switch (a->cache->write) {
	case WRITE_THROUGH: return handle_hit_write_through(a);
	case WRITE_EVICT: return handle_hit_write_evict(a);
	case WRITE_LOCAL_BACK_GLOBAL_EVICT:
		return a->req->type == GLOBAL_ACC_W ? handle_hit_write_evict(a) : handle_hit_write_back(a);
	default: return handle_hit_write_back(a);
	}
}

/* ---- misses ---------------------------------------------------------------------------------- */

static enum cache_status handle_miss_no_allocate(struct cache_visit *a)
{
	if (miss_queue_full_for(a->cache, 0))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	send_write(a);
	return STATUS_MISS;
}

/*
 * Returns STATUS_MISS if a read may be sent or merged, and x further entries of the miss queue are free. Otherwise
 * counts a rejection and returns STATUS_RESERVATION_FAIL.
 */
static enum cache_status status_of_allocation(struct cache_visit *a, uint32_t x)
{
	const struct cache *c = a->cache;
	uint64_t addr = a->req->addr & ~(uint64_t)(c->fill_bytes - 1);
	const struct mshr_entry *e;

	if (miss_queue_full_for(c, x))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	e = mshr_find(&c->mshr, mshr_bucket(&c->mshr, addr), addr);
	if (e && mshr_entry_is_full(&c->mshr, e))
		return cache_reject(a, FAIL_MSHR_MERGE_ENTRY);
	if (!e && c->mshr.n_used >= c->mshr.limit)
		return cache_reject(a, FAIL_MSHR_ENTRY);
	return STATUS_MISS;
}

static void send_allocate_read(struct cache_visit *a, uint32_t parent)
{
	uint32_t r = cache_make_request(a, a->cache->alloc_type, parent ? REQ_PARENT_WRITE : 0, a->req->addr);
	struct req *n = &a->cache->pool->req[r];

	n->size = n->orig_size = (uint16_t)a->cache->fill_bytes;
	n->bytes[0] = a->req->bytes[0];
	n->bytes[1] = a->req->bytes[1];
	n->sectors = a->req->sectors;
	n->parent = parent;
	cache_send_read(a, r); /* status_of_allocation() has succeeded */
	a->events.alloc_sent = true;
}

static enum cache_status handle_miss_allocate(struct cache_visit *a)
{
	enum cache_status may = status_of_allocation(a, 2);

	if (may != STATUS_MISS)
		return may;
	send_write(a);
	send_allocate_read(a, REQ_NONE);
	a->evicted_bytes = cache_emit_write_back(a);
	return STATUS_MISS;
}

/*
 * Handles a write miss with fetch-on-write: reads the line from the level below unless the write covers all bytes of
 * the atom. quirk Q3-38: the original does the same with write-through, so that it never sends and acknowledges the
 * write. Here the run ends with a message.
 */
static enum cache_status handle_miss_fetch_on_write(struct cache_visit *a)
{
	struct tags *t = &a->cache->tags;

	if (a->cache->write == WRITE_THROUGH) {
		a->events.never_reason = NEVER_ANSWERED;
		return STATUS_RESERVATION_FAIL;
	}
	if (writes_whole_atom(a)) {
		if (miss_queue_full_for(a->cache, 0))
			return cache_reject(a, FAIL_MISS_QUEUE_FULL);
		tag_access(t, &a->lookup, a->now, &a->evicted);
		mark_line_modified(a);
	} else {
		enum cache_status may = status_of_allocation(a, 1);

		if (may != STATUS_MISS)
			return may;
		send_allocate_read(a, a->handle);
		tag_change_flags(
			t, a->lookup.slot, 0, a->lookup.sector * LINE_MOD_ON_FILL | LINE_BYTES_ON_FILL);
	}
	a->evicted_bytes = cache_emit_write_back(a);
	return STATUS_MISS;
}

/* Handles a write miss with lazy fetch: the line is read only when an access needs bytes that were not written. */
static enum cache_status handle_miss_lazy_fetch(struct cache_visit *a)
{
	struct tags *t = &a->cache->tags;
	uint32_t sector = a->lookup.sector;

	if (miss_queue_full_for(a->cache, 0))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	if (a->cache->write == WRITE_THROUGH)
		send_write(a);
	tag_access(t, &a->lookup, a->now, &a->evicted);
	mark_line_modified(a);
	if (a->lookup.status == STATUS_HIT_RESERVED)
		tag_change_flags(t, a->lookup.slot, 0, sector * LINE_MOD_ON_FILL | LINE_BYTES_ON_FILL);
	if (writes_whole_atom(a)) {
		tag_change_flags(t, a->lookup.slot, sector * LINE_UNREADABLE, 0);
	} else {
		tag_change_flags(t, a->lookup.slot, 0, sector * LINE_UNREADABLE);
		if (a->lookup.status == STATUS_HIT_RESERVED)
			tag_change_flags(t, a->lookup.slot, 0, sector * LINE_READ_ON_FILL);
	}
	tag_update_readable(t, a->lookup.slot, a->req->sectors);
	a->evicted_bytes = cache_emit_write_back(a);
	return STATUS_MISS;
}

enum cache_status cache_write_miss(struct cache_visit *a)
{
	switch (a->cache->walloc) {
	case WALLOC_NAIVE: return handle_miss_allocate(a);
	case WALLOC_FETCH: return handle_miss_fetch_on_write(a);
	case WALLOC_LAZY: return handle_miss_lazy_fetch(a);
	default: return handle_miss_no_allocate(a);
	}
}
