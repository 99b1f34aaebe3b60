/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texture cache (texture.h, PTX-tex). A line is present from the access on that misses it. A later hit waits,
 * because requests return in order. Such a hit is therefore counted as HIT_RESERVED, never as HIT.
 *
 * Always true: the requests that missed are in the reorder buffer, in their order. req.entry[0] of a request that is
 * sent below is its index in the reorder buffer.
 */
#include <stdlib.h>
#include "arena.h"
#include "cache_int.h"
#include "texture.h"

struct fragment {
	uint32_t req;
	bool miss;
};

struct texture_cache {
	struct fragment *fragment;
	bool *ready; /* indexed like the reorder buffer: true if the data of the request has arrived */
	struct ring result;
	uint32_t *result_slots;
	/* fragment FIFO: capacity, index of the first entry, number of entries */
	uint32_t fragments, head, n;
	/* reorder buffer: capacity, index of the first entry, number of entries */
	uint32_t places, first_place, n_places;
	uint32_t requests_max, results_max;
};

struct cache *texture_new(const struct cache_params *p, struct req_pool *pool)
{
	struct cache *c = xcalloc(1, sizeof(*c));
	struct texture_cache *t = xcalloc(1, sizeof(*t));
	uint32_t requests = fifo_capacity(p->mshr_merge + 1u), results = fifo_capacity(p->result_fifo + 1u);

	tag_init(&c->tags, p, NULL);
	mshr_init(&c->mshr, 1, 1);
	ring_init(&c->queue, xcalloc(requests, sizeof(*c->queue.slot)), requests);
	c->pool = pool;
	c->fill_bytes = p->line_bytes;
	c->port_bytes = p->port_bytes ? p->port_bytes : p->line_bytes;
	c->counts = reserve(MAX_STREAMS, sizeof(*c->counts));
	c->pieces = p->mshr == MSHR_SECTOR_TEX_FIFO ? (uint8_t)(p->line_bytes / 32) : 0;
	c->texture = t;
	t->fragments = p->mshr_entries;
	t->fragment = xcalloc(p->mshr_entries, sizeof(*t->fragment));
	t->places = p->miss_queue;
	t->ready = xcalloc(p->miss_queue, sizeof(*t->ready));
	t->requests_max = p->mshr_merge;
	t->results_max = p->result_fifo;
	t->result_slots = xcalloc(results, sizeof(*t->result_slots));
	ring_init(&t->result, t->result_slots, results);
	return c;
}

void texture_delete(struct texture_cache *t)
{
	if (!t)
		return;
	free(t->fragment);
	free(t->ready);
	free(t->result_slots);
	free(t);
}

static void count_texture_access(struct cache *c, const struct req *q, enum cache_status as)
{
	c->stream_used[q->stream] = true;
	c->counts[q->stream].status[q->type][as]++;
}

enum cache_status texture_access(struct cache *c, uint32_t r, uint64_t now)
{
	struct texture_cache *t = c->texture;
	struct req *q = &c->pool->req[r];
	struct evicted out = {.needs_write_back = false};
	struct lookup at;
	bool miss;

	if (t->n == t->fragments || t->n_places == t->places || c->queue.count == t->requests_max)
		return STATUS_RESERVATION_FAIL;
	tag_lookup(&c->tags, &at, q->addr, tag_sector_bits(&c->tags, 0), false);
	miss = at.status != STATUS_HIT;
	tag_access(&c->tags, &at, (uint32_t)now, &out);
	t->fragment[(t->head + t->n++) % t->fragments] = (struct fragment){r, miss};
	count_texture_access(c, q, miss ? STATUS_MISS : STATUS_HIT_RESERVED);
	if (!miss)
		return STATUS_HIT_RESERVED;
	tag_fill_slot(&c->tags, at.slot, tag_sector_bits(&c->tags, 0), q->bytes);
	q->entry[0] = (t->first_place + t->n_places++) % t->places;
	t->ready[q->entry[0]] = false;
	q->pieces = c->pieces;
	ring_push(&c->queue, r);
	return STATUS_MISS;
}

void texture_fill(struct cache *c, uint32_t r)
{
	if (c->pieces) {
		uint32_t parent = c->pool->req[r].parent;

		req_free(c->pool, r);
		if (--c->pool->req[parent].pieces)
			return;
		r = parent;
	}
	c->texture->ready[c->pool->req[r].entry[0]] = true;
}

bool texture_has_work(const struct cache *c)
{
	const struct texture_cache *t = c->texture;
	const struct fragment *f = &t->fragment[t->head];

	if (!ring_empty(&c->queue) || !ring_empty(&t->result))
		return true;
	return t->n && (!f->miss || t->ready[t->first_place]);
}

void texture_cycle(struct cache *c)
{
	struct texture_cache *t = c->texture;
	const struct fragment *f = &t->fragment[t->head];

	if (!t->n || t->result.count == t->results_max || (f->miss && !t->ready[t->first_place]))
		return;
	if (f->miss) {
		t->first_place = (t->first_place + 1) % t->places;
		t->n_places--;
	}
	ring_push(&t->result, f->req);
	t->head = (t->head + 1) % t->fragments;
	t->n--;
}

bool texture_has_ready(const struct cache *c) { return !ring_empty(&c->texture->result); }
uint32_t texture_pop_ready(struct cache *c) { return ring_pop(&c->texture->result); }
