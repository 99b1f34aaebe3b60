/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache object: access flow, reads, fills, ports, statistics (part 3 sections 18 to 21 and 24).
 * Writes are cache_write.c, lines cache_tag.c, outstanding misses mshr.c.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "cache_int.h"

const char *const cache_status_names[N_STATUS] = {"HIT", "HIT_RESERVED", "MISS", "RESERVATION_FAIL", "SECTOR_MISS", "MSHR_HIT"};
const char *const cache_fail_names[N_FAILS] = {"LINE_ALLOC_FAIL", "MISS_QUEUE_FULL", "MSHR_ENRTY_FAIL",
	"MSHR_MERGE_ENRTY_FAIL", "MSHR_RW_PENDING"};

struct cache *cache_new(const struct cache_params *p, enum cache_role role, const struct addrdec *dec, struct req_pool *pool)
{
	struct cache *c = xcalloc(1, sizeof *c);
	/* Pushes are not bounded by the queue's size: a read may be followed by a write-back. */
	uint32_t slots = ring_capacity(p->miss_queue + 2 * p->mshr_entries + 64);

	tags_init(&c->tags, p, dec);
	c->level = role == ROLE_L2;
	mshr_init(&c->mshr, p->mshr_entries, p->mshr_merge, c->level);
	c->pool = pool;
	c->role = role;
	c->queue_slots = xcalloc(slots, sizeof *c->queue_slots);
	ring_init(&c->miss_queue, c->queue_slots, slots);
	c->counts = reserve(MAX_STREAMS, sizeof *c->counts);
	return c;
}

void cache_delete(struct cache *c)
{
	if (!c)
		return;
	tags_free(&c->tags);
	mshr_free(&c->mshr);
	free(c->queue_slots);
	reserve_free(c->counts, MAX_STREAMS, sizeof *c->counts);
	free(c);
}

void cache_set_decode_hook(struct cache *c, void (*decode)(void *ctx, struct req *r), void *ctx)
{
	c->decode = decode;
	c->decode_ctx = ctx;
}

/* ---- counting ------------------------------------------------------------------------------ */

static struct cache_counts *counts_for(struct cache *c, const struct req *q)
{
	c->seen[q->stream / 64] |= 1ull << q->stream % 64;
	return &c->counts[q->stream];
}

void cache_count_fail(struct cache *c, const struct req *q, enum cache_fail reason)
{
	counts_for(c, q)->fail[q->type][reason]++;
}

/* Section 24.1: which status of probe and result is counted. */
static void count(struct cache *c, const struct req *q, enum cache_status probe, enum cache_status result)
{
	enum cache_status s = result;

	if (probe == STATUS_HIT_RESERVED && result != STATUS_RESERVATION_FAIL)
		s = STATUS_HIT_RESERVED;
	else if (probe == STATUS_SECTOR_MISS && result == STATUS_MISS)
		s = STATUS_SECTOR_MISS;
	counts_for(c, q)->status[q->type][s]++;
}

/* ---- sending down ---------------------------------------------------------------------------- */

void cache_queue(struct cache *c, uint32_t r) { ring_push(&c->miss_queue, r); }

bool cache_send_read(struct cache *c, uint32_t r, struct access_ctx *a, bool alloc, uint32_t *line)
{
	struct req *q = &c->pool->at[r];
	struct tags *t = &c->tags;
	uint64_t addr = mshr_addr(c, q->addr);
	struct mshr_entry *e = mshr_find(&c->mshr, addr);
	struct probe p;

	if (!mshr_available(&c->mshr, e)) {
		cache_count_fail(c, q, e ? FAIL_MSHR_MERGE_ENTRY : FAIL_MSHR_ENTRY);
		return false;
	}
	if (!e && c->miss_queue.count >= t->p.miss_queue) {
		assert(!"the caller has tested the miss queue");
		return false;
	}
	p = tags_access(t, tags_block(t, q->addr), tags_sector(t, q), (q->flags & REQ_WRITE) != 0, a->time, &a->evicted);
	*line = p.line;
	mshr_add(&c->mshr, c->pool, addr, r);
	if (e) {
		counts_for(c, q)->status[q->type][STATUS_MSHR_HIT]++;
		return true;
	}
	q->miss[c->level].line = p.line;
	q->miss[c->level].addr = q->addr;
	q->miss[c->level].size = q->size;
	q->miss[c->level].pieces = t->p.mshr == MSHR_SECTOR_ASSOC ? (uint8_t)(t->p.line_bytes / 32) : 0;
	q->miss[c->level].outstanding = true;
	q->size = (uint16_t)t->p.atom_bytes;
	q->addr = addr;
	cache_queue(c, r);
	if (!alloc)
		a->ev->read_sent = true;
	return true;
}

void cache_emit_write_back(struct cache *c, const struct req *cause, struct access_ctx *a, bool charges)
{
	const struct evicted *e = &a->evicted;
	uint32_t h;
	struct req *n;

	if (!e->wanted || c->tags.p.write == WRITE_THROUGH)
		return;
	h = req_new(c->pool);
	n = &c->pool->at[h];
	n->addr = e->addr;
	n->bytes[0] = e->bytes[0];
	n->bytes[1] = e->bytes[1];
	n->lanes = cause->lanes;
	n->flags = REQ_WRITE | REQ_BLANK;
	n->size = (uint16_t)e->size;
	n->sectors = e->sectors;
	n->stream = cause->stream;
	n->warp = NO_WARP;
	n->type = c->role == ROLE_L2 ? L2_WRBK_ACC : L1_WRBK_ACC;
	n->sm = c->role == ROLE_L2 ? NO_SM : cause->sm;
	n->cluster = c->role == ROLE_L2 ? NO_SM : cause->cluster;
	n->created = a->time;
	if (c->decode)
		c->decode(c->decode_ctx, n);
	n->chip = cause->chip;	/* quirk 8: to the sub partition of the request that evicted it */
	n->sub = cause->sub;
	cache_queue(c, h);
	a->ev->write_back_sent = true;
	if (charges)
		a->write_back_size = e->size;
}

/* ---- access ------------------------------------------------------------------------------------ */

static enum cache_status read_hit(struct cache *c, const struct req *q, struct access_ctx *a)
{
	struct tags *t = &c->tags;
	struct probe p = tags_access(t, tags_block(t, q->addr), tags_sector(t, q), false, a->time, &a->evicted);

	if (q->flags & REQ_ATOMIC)
		tags_modify(t, p.line, tags_sector(t, q), q->bytes);
	return STATUS_HIT;
}

/* quirk 5: even a merge needs two free places; quirk 3: the write-back charges no port cycles. */
static enum cache_status read_miss(struct cache *c, uint32_t r, struct access_ctx *a)
{
	uint32_t line;

	if (queue_full(c, 1)) {
		cache_count_fail(c, &c->pool->at[r], FAIL_MISS_QUEUE_FULL);
		return STATUS_RESERVATION_FAIL;
	}
	if (!cache_send_read(c, r, a, false, &line))
		return STATUS_RESERVATION_FAIL;
	cache_emit_write_back(c, &c->pool->at[r], a, false);
	return STATUS_MISS;
}

static void charge_data_port(struct cache *c, uint32_t size, enum cache_status result, const struct access_ctx *a)
{
	if (result == STATUS_HIT)
		c->data_port += (size + c->tags.p.port_bytes - 1) / c->tags.p.port_bytes;
	else if (result == STATUS_MISS && a->write_back_size)
		c->data_port += a->write_back_size / c->tags.p.port_bytes;
}

enum cache_status cache_access(struct cache *c, uint32_t r, uint64_t now, struct cache_events *ev, enum cache_status *probe)
{
	struct tags *t = &c->tags;
	struct req as_asked = c->pool->at[r];	/* what is counted, whatever becomes of the request */
	bool write = (as_asked.flags & REQ_WRITE) != 0;
	struct probe p = tags_probe(t, tags_block(t, as_asked.addr), tags_sector(t, &as_asked), write);
	struct access_ctx a = {.ev = ev, .time = (uint32_t)now};
	enum cache_status result;

	*ev = (struct cache_events){0};
	if (p.status == STATUS_RESERVATION_FAIL && !(write && t->p.walloc == WALLOC_NONE)) {
		cache_count_fail(c, &as_asked, FAIL_LINE_ALLOC);
		result = STATUS_RESERVATION_FAIL;
	} else if (write) {
		result = p.status == STATUS_HIT ? cache_write_hit(c, r, &a) : cache_write_miss(c, r, &a);
	} else {
		result = p.status == STATUS_HIT ? read_hit(c, &as_asked, &a) : read_miss(c, r, &a);
	}
	charge_data_port(c, as_asked.size, result, &a);
	count(c, &as_asked, p.status, result);
	if (probe)
		*probe = p.status;
	return result;
}

enum cache_status cache_read_only_access(struct cache *c, uint32_t r, uint64_t now)
{
	struct tags *t = &c->tags;
	struct req *q = &c->pool->at[r], as_asked = *q;
	struct probe p = tags_probe(t, tags_block(t, q->addr), tags_sector(t, q), false);
	struct cache_events ev = {0};
	struct access_ctx a = {.ev = &ev, .time = (uint32_t)now};
	enum cache_status result = STATUS_RESERVATION_FAIL;
	uint32_t line;

	if (p.status == STATUS_HIT) {
		tags_access(t, tags_block(t, q->addr), tags_sector(t, q), false, a.time, &a.evicted);
		result = STATUS_HIT;
	} else if (p.status == STATUS_RESERVATION_FAIL) {
		cache_count_fail(c, q, FAIL_LINE_ALLOC);
	} else if (queue_full(c, 0)) {
		cache_count_fail(c, q, FAIL_MISS_QUEUE_FULL);
	} else if (cache_send_read(c, r, &a, false, &line)) {
		result = STATUS_MISS;
	}
	count(c, &as_asked, p.status, result);
	return result;
}

/* ---- fill ---------------------------------------------------------------------------------------- */

static void restore(struct cache *c, struct req *q)
{
	q->addr = q->miss[c->level].addr;
	q->size = q->miss[c->level].size;
	q->miss[c->level].outstanding = false;
}

void cache_fill(struct cache *c, uint32_t r, uint64_t now)
{
	struct tags *t = &c->tags;
	struct req *q = &c->pool->at[r];
	uint64_t addr;
	uint32_t line;

	if (t->p.mshr == MSHR_SECTOR_ASSOC && q->flags & REQ_PIECE) {
		uint32_t parent = q->parent;

		req_free(c->pool, r);
		r = parent;
		q = &c->pool->at[r];
		if (--q->miss[c->level].pieces)
			return;
	}
	addr = q->addr;
	line = q->miss[c->level].line;
	restore(c, q);
	if (t->p.alloc == ALLOC_ON_MISS) {
		tags_fill_line(t, line, tags_sector(t, q), q->bytes);
	} else {
		tags_fill_addr(t, tags_block(t, addr), tags_sector(t, q), q->bytes, (q->flags & REQ_WRITE) != 0, (uint32_t)now);
	}
	if (mshr_mark_ready(&c->mshr, addr))
		tags_modify(t, line, tags_sector(t, q), q->bytes);
	c->fill_port += t->p.atom_bytes / t->p.port_bytes;
}

bool cache_waiting_for_fill(const struct cache *c, uint32_t r)
{
	return c->pool->at[r].miss[c->level].outstanding;
}

bool cache_fill_port_free(const struct cache *c) { return !c->fill_port; }
bool cache_data_port_free(const struct cache *c) { return !c->data_port; }
bool cache_ports_idle(const struct cache *c) { return !c->fill_port && !c->data_port; }

bool cache_has_ready(const struct cache *c) { return mshr_has_ready(&c->mshr); }
uint32_t cache_peek_ready(const struct cache *c) { return mshr_peek_ready(&c->mshr); }
uint32_t cache_pop_ready(struct cache *c) { return mshr_pop_ready(&c->mshr, c->pool); }

bool cache_miss_queue_empty(const struct cache *c) { return ring_empty(&c->miss_queue); }
uint32_t cache_miss_queue_front(const struct cache *c) { return ring_front(&c->miss_queue); }
uint32_t cache_miss_queue_pop(struct cache *c) { return ring_pop(&c->miss_queue); }

void cache_cycle(struct cache *c)
{
	c->ports.cycles++;
	if (c->data_port) {
		c->ports.data_busy++;
		c->data_port--;
	}
	if (c->fill_port) {
		c->ports.fill_busy++;
		c->fill_port--;
	}
}

static uint32_t drain(uint32_t *port, uint64_t n)
{
	uint32_t busy = *port < n ? *port : (uint32_t)n;

	*port -= busy;
	return busy;
}

void cache_idle_cycles(struct cache *c, uint64_t n)
{
	c->ports.cycles += n;
	c->ports.data_busy += drain(&c->data_port, n);
	c->ports.fill_busy += drain(&c->fill_port, n);
}

void cache_invalidate(struct cache *c) { tags_invalidate(&c->tags); }
void cache_flush(struct cache *c) { tags_flush(&c->tags); }

void cache_set_ways(struct cache *c, uint32_t ways, enum alloc_policy alloc)
{
	c->tags.p.ways = ways;
	c->tags.p.alloc = alloc;
}

void cache_memcpy_touch(struct cache *c, uint64_t addr, uint32_t sector, uint32_t time)
{
	static const uint64_t none[2];
	uint8_t bit = c->tags.p.kind == CACHE_SECTOR ? (uint8_t)(1u << sector) : 1;

	tags_fill_addr(&c->tags, tags_block(&c->tags, addr), bit, none, true, time);
}

/* ---- statistics ------------------------------------------------------------------------------------ */

const struct cache_counts *cache_counts_of(const struct cache *c, unsigned stream)
{
	return c->seen[stream / 64] >> stream % 64 & 1 ? &c->counts[stream] : NULL;
}

static void add(struct cache_counts *sum, const struct cache_counts *n)
{
	for (unsigned t = 0; t < N_ACC_TYPES; t++) {
		for (unsigned s = 0; s < N_STATUS; s++)
			sum->status[t][s] += n->status[t][s];
		for (unsigned f = 0; f < N_FAILS; f++)
			sum->fail[t][f] += n->fail[t][f];
	}
}

void cache_add_counts(const struct cache *c, int stream, struct cache_counts *sum)
{
	for (unsigned s = 0; s < MAX_STREAMS; s++)
		if ((stream < 0 || (unsigned)stream == s) && cache_counts_of(c, s))
			add(sum, &c->counts[s]);
}

struct cache_ports cache_port_counts(const struct cache *c) { return c->ports; }

void cache_occupancy(const struct cache *c, uint32_t *mshr_entries, uint32_t *miss_queue)
{
	*mshr_entries = c->mshr.entries - c->mshr.n_free;
	*miss_queue = c->miss_queue.count;
}
