/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One cache (L1D, L1I, L1C or L2), which has tags, but no data. The caches differ in parameters and in the types of the
 * requests that they make. This file has accesses, reads, fills, ports and counts; write.c has the write policies.
 *
 *  access -> lookup -> hit | read miss | write policy -> data port, counts
 *  fill   -> tag array -> MSHR entry ready -> requests popped one by one
 *
 * A read that misses is in an MSHR entry until it is popped. The first read of an entry is also sent to the level
 * below. Texture caches have their own accesses and fills (texture.c).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "cache_int.h"

const char *const cache_status_names[N_STATUS] = {
	"HIT",
	"HIT_RESERVED",
	"MISS",
	"RESERVATION_FAIL",
	"SECTOR_MISS",
	"MSHR_HIT",
};
const char *const cache_fail_names[N_FAILS] = {
	"LINE_ALLOC_FAIL",
	"MISS_QUEUE_FULL",
	"MSHR_ENRTY_FAIL",
	"MSHR_MERGE_ENRTY_FAIL",
	"MSHR_RW_PENDING",
};

/* ---- life ------------------------------------------------------------------------------------ */

/*
 * Maximum number of entries by which one access can exceed the limit of the miss queue: a write, a read and a
 * write-back.
 */
#define QUEUE_EXTRA 3u

struct cache *cache_new(
	const struct cache_params *p, enum cache_role role, const struct addrdec *dec, struct req_pool *pool)
{
	struct cache *c = xcalloc(1, sizeof(*c));
	uint32_t slots = fifo_capacity(p->miss_queue + QUEUE_EXTRA);

	assert(p->mshr == MSHR_ASSOC || p->mshr == MSHR_SECTOR_ASSOC);
	tag_init(&c->tags, p, dec);
	mshr_init(&c->mshr, p->mshr_entries, p->mshr_merge);
	ring_init(&c->queue, xcalloc(slots, sizeof(*c->queue.slot)), slots);
	c->pool = pool;
	c->queue_max = p->miss_queue;
	c->fill_bytes = p->atom_bytes;
	c->port_bytes = p->port_bytes;
	c->fill_cycles = p->atom_bytes / p->port_bytes;
	c->write = p->write;
	c->walloc = p->walloc;
	c->counts = reserve(MAX_STREAMS, sizeof(*c->counts));
	c->is_l2 = role == ROLE_L2;
	c->fetches_pairs = p->fetch_pairs;
	c->write_back_type = c->is_l2 ? L2_WRBK_ACC : L1_WRBK_ACC;
	c->alloc_type = c->is_l2 ? L2_WR_ALLOC_R : L1_WR_ALLOC_R;
	c->pieces = p->mshr == MSHR_SECTOR_ASSOC ? (uint8_t)(p->line_bytes / 32) : 0;
	return c;
}

void cache_delete(struct cache *c)
{
	if (!c)
		return;
	texture_delete(c->texture);
	tag_free(&c->tags);
	mshr_free(&c->mshr);
	free(c->queue.slot);
	reserve_free(c->counts, MAX_STREAMS, sizeof(*c->counts));
	free(c);
}

/* Returns the time stamp for the replacement policy. Each call of cache_warm_sectors() counts as a cycle. */
static uint32_t replacement_time(const struct cache *c, uint64_t now) { return (uint32_t)now + c->warmed.n; }

void cache_set_decode_hook(struct cache *c, void (*decode)(void *ctx, struct req *r), void *ctx)
{
	c->decode = decode;
	c->decode_ctx = ctx;
}

/* ---- counts (CACHE-stat-1) ------------------------------------------------------------------- */

static struct cache_counts *counts_of_stream(struct cache *c, const struct req *q)
{
	assert(q->stream < MAX_STREAMS);
	c->stream_used[q->stream] = true;
	return &c->counts[q->stream];
}

const char *const cache_never_wanted[N_NEVERS] = {
	[NEVER_QUEUED] = "a larger miss queue: even an empty one is too small",
	[NEVER_ANSWERED] =
		"another write allocation than F with write-through (T): a write that misses is never answered",
	[NEVER_READABLE] =
		"a sector cache (S) with write allocation L: a line without sectors that was written in part is never readable",
	[NEVER_FILLED] = "MSHR kind A: the level below does not reply in sectors",
	[NEVER_PLACED] =
		"more ways: all lines of the set wait for sectors of a constant or a load of 64 bytes, which are never requested",
};

enum cache_status cache_reject(struct cache_visit *a, enum cache_fail why)
{
	if (why == FAIL_MISS_QUEUE_FULL && !a->cache->queue.count)
		a->events.never_reason = NEVER_QUEUED;
	counts_of_stream(a->cache, a->req)->fail[a->req->type][why]++;
	return STATUS_RESERVATION_FAIL;
}

static void count_cache_access(struct cache_visit *a, enum cache_status result)
{
	enum cache_status found = a->lookup.status, as = result;

	if (found == STATUS_HIT_RESERVED && result != STATUS_RESERVATION_FAIL)
		as = STATUS_HIT_RESERVED;
	else if (found == STATUS_SECTOR_MISS && result == STATUS_MISS)
		as = STATUS_SECTOR_MISS;
	counts_of_stream(a->cache, a->req)->status[a->req->type][as]++;
}

const struct cache_counts *cache_counts_of(const struct cache *c, unsigned stream)
{
	return stream < MAX_STREAMS && c->stream_used[stream] ? &c->counts[stream] : NULL;
}

static void add_cache_counts(struct cache_counts *sum, const struct cache_counts *n)
{
	for (unsigned t = 0; t < N_ACC_TYPES; t++) {
		for (unsigned s = 0; s < N_STATUS; s++)
			sum->status[t][s] += n->status[t][s];
		for (unsigned f = 0; f < N_FAILS; f++)
			sum->fail[t][f] += n->fail[t][f];
	}
}

/* Returns the number of the first stream from s on that has counts; MAX_STREAMS: none has. */
static unsigned next_counted_stream(const struct cache *c, unsigned s)
{
	const bool *found = memchr(c->stream_used + s, true, MAX_STREAMS - s);

	return found ? (unsigned)(found - c->stream_used) : MAX_STREAMS;
}

void cache_add_counts(const struct cache *c, int stream, struct cache_counts *sum)
{
	for (unsigned s = next_counted_stream(c, 0); s < MAX_STREAMS; s = next_counted_stream(c, s + 1))
		if (stream < 0 || (unsigned)stream == s)
			add_cache_counts(sum, &c->counts[s]);
}

void cache_add_lookups(const struct cache *c, uint64_t *accesses, uint64_t *misses)
{
	for (unsigned s = next_counted_stream(c, 0); s < MAX_STREAMS; s = next_counted_stream(c, s + 1))
		for (unsigned t = 0; t < N_ACC_TYPES; t++) {
			const uint64_t *n = c->counts[s].status[t];
			uint64_t missed = n[STATUS_MISS] + n[STATUS_SECTOR_MISS];

			*misses += missed;
			*accesses += missed + n[STATUS_HIT] + n[STATUS_HIT_RESERVED];
		}
}

/* ---- towards memory -------------------------------------------------------------------------- */

uint32_t cache_make_request(struct cache_visit *a, uint8_t type, unsigned flags, uint64_t addr)
{
	struct cache *c = a->cache;
	uint32_t r = req_new(c->pool);
	struct req *n = &c->pool->req[r];
	const struct req *q = a->req;

	n->addr = n->orig_addr = addr;
	n->type = type;
	n->flags = (uint16_t)(flags | REQ_BLANK);
	n->lanes = q->lanes;
	n->created = a->now - a->cache->warmed.n;
	n->sm = q->sm;
	n->cluster = q->cluster;
	n->warp = q->warp;
	n->sched = q->sched;
	n->stream = q->stream;
	n->bank = q->bank;
	n->row = q->row;
	if (c->decode)
		c->decode(c->decode_ctx, n);
	n->channel = q->channel;
	n->sub = q->sub;
	return r;
}

/*
 * Sends the write-back of an evicted line. quirk Q3-8: it is sent to the partition of the request that caused it, not
 * to that of its own address.
 */
static NOINLINE void send_write_back(struct cache_visit *a)
{
	struct cache *c = a->cache;
	uint32_t r = cache_make_request(a, c->write_back_type, REQ_WRITE, a->evicted.tag);
	struct req *n = &c->pool->req[r];

	n->size = n->orig_size = (uint16_t)a->evicted.size;
	n->bytes[0] = a->evicted.bytes[0];
	n->bytes[1] = a->evicted.bytes[1];
	n->sectors = (uint8_t)a->evicted.sectors;
	n->warp = NO_WARP;
	if (c->is_l2)
		n->sm = n->cluster = NO_SM;
	ring_push(&c->queue, r);
	a->events.write_back_sent = true;
}

uint32_t cache_emit_write_back(struct cache_visit *a)
{
	if (!a->evicted.needs_write_back || a->cache->write == WRITE_THROUGH)
		return 0;
	send_write_back(a);
	return a->evicted.size;
}

bool cache_send_read(struct cache_visit *a, uint32_t r)
{
	struct cache *c = a->cache;
	struct req *q = &c->pool->req[r];
	uint64_t addr = q->addr & ~(uint64_t)(c->fill_bytes - 1);
	uint32_t *bucket = mshr_bucket(&c->mshr, addr);
	struct mshr_entry *e = mshr_find(&c->mshr, bucket, addr);

	if (e) {
		if (mshr_entry_is_full(&c->mshr, e))
			return cache_reject(a, FAIL_MSHR_MERGE_ENTRY), false;
		tag_access(&c->tags, &a->lookup, a->now, &a->evicted);
		mshr_merge(&c->mshr, e, r, c->pool);
		counts_of_stream(c, q)->status[q->type][STATUS_MSHR_HIT]++;
		return true;
	}
	if (c->mshr.n_used >= c->mshr.limit)
		return cache_reject(a, FAIL_MSHR_ENTRY), false;
	if (c->pieces && c->is_l2) {
		a->events.never_reason = NEVER_FILLED;
		return false;
	}
	tag_access(&c->tags, &a->lookup, a->now, &a->evicted);
	e = mshr_add_entry(&c->mshr, bucket, addr, r, c->pool);
	e->first_request_addr = q->addr;
	e->first_request_size = q->size;
	e->slot = a->lookup.slot;
	e->pieces = c->pieces;
	q->entry[c->is_l2] = (uint32_t)(e - c->mshr.entry);
	q->addr = addr;
	q->size = (uint16_t)c->fill_bytes;
	ring_push(&c->queue, r);
	if (r == a->handle)
		a->events.read_sent = true;
	return true;
}

/* Occupies a port for `cycles` cycles from the time when it is free. Adds the cycles to *busy. */
static void occupy_cache_port(const struct cache *c, uint64_t *free_at, uint64_t *busy, uint32_t cycles)
{
	*free_at = (*free_at > c->ports.cycles ? *free_at : c->ports.cycles) + cycles;
	*busy += cycles;
}

/* ---- access (CACHE-ro, CACHE-read) ----------------------------------------------------------- */

static void begin_cache_visit(struct cache_visit *a, struct cache *c, uint32_t r, uint64_t now)
{
	a->cache = c;
	a->handle = r;
	a->req = &c->pool->req[r];
	a->now = replacement_time(c, now);
	a->evicted.needs_write_back = false;
	a->events = (struct cache_events){0};
	a->evicted_bytes = 0;
	assert(a->req->size <= c->fill_bytes);
	tag_lookup(&c->tags, &a->lookup, a->req->addr, tag_sector_bits(&c->tags, a->req->sectors),
		a->req->flags & REQ_WRITE);
}

static enum cache_status serve_read_hit(struct cache_visit *a)
{
	tag_access(&a->cache->tags, &a->lookup, a->now, &a->evicted);
	if (a->req->flags & REQ_ATOMIC)
		tag_modify_sector(&a->cache->tags, a->lookup.slot, a->lookup.sector, a->req->bytes);
	return STATUS_HIT;
}

/* Handles a read miss. quirk Q3-5: the miss needs two free entries in the miss queue, even if it is only merged. */
static enum cache_status serve_read_miss(struct cache_visit *a)
{
	bool pair = a->cache->fetches_pairs && pair_is_incomplete(a);

	if (miss_queue_full_for(a->cache, 1 + pair))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	if (pair && a->cache->mshr.n_used + 2 > a->cache->mshr.limit)
		return cache_reject(a, FAIL_MSHR_ENTRY);
	if (!cache_send_read(a, a->handle))
		return STATUS_RESERVATION_FAIL;
	cache_emit_write_back(a); /* quirk Q3-3: the write-back does not occupy the data port */
	if (pair)
		pair_fetch_other(a);
	return STATUS_MISS;
}

static enum cache_status access_data_cache(struct cache_visit *a)
{
	bool write = a->req->flags & REQ_WRITE;

	switch (a->lookup.status) {
	case STATUS_HIT: return write ? cache_write_hit(a) : serve_read_hit(a);
	case STATUS_RESERVATION_FAIL:
		if (write && a->cache->walloc == WALLOC_NONE)
			return cache_write_miss(a);
		if (a->cache->is_l2 && !a->cache->mshr.n_used)
			a->events.never_reason = NEVER_PLACED;
		return cache_reject(a, FAIL_LINE_ALLOC);
	case STATUS_SECTOR_MISS:
		if (!write && !a->cache->tags.sectored) {
			a->events.never_reason = NEVER_READABLE;
			return STATUS_RESERVATION_FAIL;
		}
		/* fall through */
	default: return write ? cache_write_miss(a) : serve_read_miss(a);
	}
}

/* Accesses the cache. Inlines all functions that it calls (FLATTEN), because accesses are frequent. */
NOINLINE FLATTEN enum cache_status cache_access(
	struct cache *c, uint32_t r, uint64_t now, struct cache_events *ev, enum cache_status *probe)
{
	enum cache_status result, found;
	struct cache_visit a;
	uint32_t size;

	begin_cache_visit(&a, c, r, now);
	size = a.req->size;
	found = a.lookup.status;
	result = access_data_cache(&a);
	if (result == STATUS_HIT)
		occupy_cache_port(
			c, &c->data_free, &c->ports.data_busy, (size + c->port_bytes - 1) / c->port_bytes);
	else if (a.evicted_bytes)
		occupy_cache_port(c, &c->data_free, &c->ports.data_busy, a.evicted_bytes / c->port_bytes);
	count_cache_access(&a, result);
	if (ev)
		*ev = a.events;
	if (probe)
		*probe = found;
	return result;
}

static enum cache_status access_read_only_cache(struct cache_visit *a)
{
	if (a->lookup.status == STATUS_RESERVATION_FAIL)
		return cache_reject(a, FAIL_LINE_ALLOC);
	if (a->lookup.status == STATUS_HIT) {
		tag_access(&a->cache->tags, &a->lookup, a->now, &a->evicted);
		return STATUS_HIT;
	}
	if (miss_queue_full_for(a->cache, 0))
		return cache_reject(a, FAIL_MISS_QUEUE_FULL);
	return cache_send_read(a, a->handle) ? STATUS_MISS : STATUS_RESERVATION_FAIL;
}

enum cache_status cache_read_only_access(struct cache *c, uint32_t r, uint64_t now)
{
	enum cache_status result;
	struct cache_visit a;

	begin_cache_visit(&a, c, r, now);
	assert(!(a.req->flags & REQ_WRITE));
	result = access_read_only_cache(&a);
	count_cache_access(&a, result);
	return result;
}

/* ---- fill (CACHE-fill) ----------------------------------------------------------------------- */

static struct mshr_entry *outstanding_mshr_entry(const struct cache *c, uint32_t r)
{
	struct mshr_entry *e = &c->mshr.entry[c->pool->req[r].entry[c->is_l2]];

	return e->waiting && e->first_request == r ? e : NULL;
}

bool cache_waits_for_fill(const struct cache *c, uint32_t r) { return outstanding_mshr_entry(c, r); }

/*
 * Fills tags by the allocation policy in force at the time of the fill. The policy may have been different when the
 * read was sent (LAUNCH-l1-2).
 */
static void fill_tags_of_entry(struct cache *c, const struct mshr_entry *e, const struct req *q, uint32_t now)
{
	uint32_t sector = tag_sector_bits(&c->tags, q->sectors);

	if (!c->tags.on_miss) {
		tag_fill_addr(&c->tags, e->addr, sector, q->flags & REQ_WRITE, q->bytes, now);
		return;
	}
	tag_fill_slot(&c->tags, e->slot, sector, q->bytes);
	if (e->atomic)
		tag_modify_sector(&c->tags, e->slot, sector, q->bytes);
}

FLATTEN void cache_fill(struct cache *c, uint32_t r, uint64_t now)
{
	struct mshr_entry *e;
	struct req *q;

	if (c->pieces) {
		uint32_t parent = c->pool->req[r].parent;

		assert(c->pool->req[r].flags & REQ_PIECE);
		req_free(c->pool, r);
		r = parent;
	}
	e = outstanding_mshr_entry(c, r);
	assert(e);
	if (e->pieces && --e->pieces)
		return;
	q = &c->pool->req[r];
	q->addr = e->first_request_addr;
	q->size = e->first_request_size;
	e->waiting = false;
	fill_tags_of_entry(c, e, q, replacement_time(c, now));
	mshr_mark_ready(&c->mshr, e);
	occupy_cache_port(c, &c->fill_free, &c->ports.fill_busy, c->fill_cycles);
}

bool cache_has_ready(const struct cache *c) { return !ring_empty(&c->mshr.ready); }
uint32_t cache_peek_ready(const struct cache *c) { return mshr_peek_ready(&c->mshr); }
uint32_t cache_pop_ready(struct cache *c) { return mshr_pop_ready(&c->mshr, c->pool); }

/* ---- miss queue and ports (CACHE-queue, CACHE-port) ----------------------------------------------- */

bool cache_miss_queue_empty(const struct cache *c) { return ring_empty(&c->queue); }
uint32_t cache_miss_queue_front(const struct cache *c) { return ring_front(&c->queue); }
uint32_t cache_miss_queue_pop(struct cache *c) { return ring_pop(&c->queue); }
bool cache_fill_port_free(const struct cache *c) { return c->fill_free <= c->ports.cycles; }
bool cache_data_port_free(const struct cache *c) { return c->data_free <= c->ports.cycles; }
bool cache_ports_idle(const struct cache *c) { return cache_data_port_free(c) && cache_fill_port_free(c); }

void cache_end_cycle(struct cache *c) { c->ports.cycles++; }
void cache_add_idle_cycles(struct cache *c, uint64_t n) { c->ports.cycles += n; }
void cache_set_cycles(struct cache *c, uint64_t n) { c->ports.cycles = n; }

uint32_t cache_capacity_lines(const struct cache *c) { return c->tags.lines; }

struct cache_ports cache_port_counts(const struct cache *c)
{
	struct cache_ports n = c->ports;

	n.data_busy -= c->data_free > n.cycles ? c->data_free - n.cycles : 0;
	n.fill_busy -= c->fill_free > n.cycles ? c->fill_free - n.cycles : 0;
	return n;
}

void cache_get_occupancy(const struct cache *c, uint32_t *mshr_entries, uint32_t *miss_queue)
{
	*mshr_entries = c->mshr.n_used;
	*miss_queue = c->queue.count;
}

/* ---- the whole tag array --------------------------------------------------------------------- */

void cache_invalidate(struct cache *c) { tag_invalidate(&c->tags); }
void cache_flush(struct cache *c) { tag_flush(&c->tags); }

void cache_set_ways(struct cache *c, uint32_t ways, enum alloc_policy alloc)
{
	c->tags.on_miss = alloc == ALLOC_ON_MISS;
	tag_set_ways(&c->tags, ways);
}

void cache_resize_sets(struct cache *c, uint32_t sets, enum alloc_policy alloc)
{
	c->tags.on_miss = alloc == ALLOC_ON_MISS;
	tag_resize_sets(&c->tags, sets);
}

/* ---- single lines ------------------------------------------------------------------ */

static struct lookup look_up_line(const struct cache *c, uint64_t addr)
{
	struct lookup l;

	tag_lookup(&c->tags, &l, addr, 1, false);
	return l;
}

bool cache_has_sectors(const struct cache *c, uint64_t addr, uint32_t sectors)
{
	uint32_t slot = look_up_line(c, addr).slot;

	return slot && !(tag_sector_bits(&c->tags, sectors) & ~tag_readable_sectors(&c->tags, slot));
}

bool cache_put_copy(struct cache *c, const struct req *r, uint64_t now)
{
	struct cache_visit a = {.cache = c, .now = replacement_time(c, now)};
	struct req copy = *r; /* a copy, because a.req is not const and *r must not change */

	if (miss_queue_full_for(c, 0))
		return false;
	a.req = &copy;
	tag_warm_sectors(&c->tags, r->addr, tag_sector_bits(&c->tags, r->sectors), false, a.now, &a.evicted);
	return cache_emit_write_back(&a) != 0;
}

void cache_drop_copy(struct cache *c, uint64_t addr, uint32_t sectors)
{
	uint32_t slot = look_up_line(c, addr).slot;

	if (slot)
		tag_drop_sector(&c->tags, slot, tag_sector_bits(&c->tags, sectors));
}

uint32_t cache_warm_copy(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now)
{
	struct evicted out = {.needs_write_back = false};
	uint32_t lack;

	c->warmed.n++;
	lack = tag_warm_sectors(
		&c->tags, addr, tag_sector_bits(&c->tags, sectors), false, replacement_time(c, now), &out);
	c->warmed.written_back += out.needs_write_back ? bit_count32(out.sectors) : 0;
	return lack;
}

uint32_t cache_warm_sectors(struct cache *c, uint64_t addr, uint32_t sectors, bool modify, uint64_t now)
{
	struct cache_warm_counts *n = &c->warmed;
	struct evicted out = {.needs_write_back = false};
	uint32_t asked = tag_sector_bits(&c->tags, sectors), lack;

	n->n++;
	lack = tag_warm_sectors(&c->tags, addr, asked, modify, replacement_time(c, now), &out);
	n->misses += bit_count32(lack);
	n->read_misses += modify ? 0 : bit_count32(lack);
	n->written_back += out.needs_write_back ? bit_count32(out.sectors) : 0;
	return lack;
}

struct cache_warm_counts cache_warm_counts(const struct cache *c) { return c->warmed; }

void cache_warm_write(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now)
{
	bool evicts = c->write == WRITE_EVICT || c->write == WRITE_LOCAL_BACK_GLOBAL_EVICT;
	uint32_t slot = look_up_line(c, addr).slot;

	if (slot && evicts)
		tag_drop_sector(&c->tags, slot, tag_sector_bits(&c->tags, sectors));
	else if (slot || (!evicts && c->walloc != WALLOC_NONE))
		cache_warm_sectors(c, addr, sectors, true, now);
}

void cache_fill_for_copy(struct cache *c, uint64_t addr, uint32_t sector, uint64_t now)
{
	static const uint64_t no_bytes[2];

	tag_fill_addr(&c->tags, addr, tag_sector_bits(&c->tags, 1u << sector), true, no_bytes,
		replacement_time(c, now));
}
