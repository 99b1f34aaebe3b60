/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insides of a cache, shared by cache.c (flow, reads, fills) and write.c (write policies).
 *
 * Always true: the tag array, the MSHRs and the miss queue have all their memory from cache_new on. An
 * access looks up once; what it then does goes by that one result, for nothing between the lookup and the
 * tag access changes a tag (the original looks up twice).
 */
#ifndef CACHE_INT_H
#define CACHE_INT_H

#include "inlining.h"
#include "tag.h"
#include "mshr.h"

struct texture_cache;

/*
 * An access that was turned away as the miss queue was full for x, or had room and there was no MSHR entry.
 * Until its sector is accessed or filled, and while tags.upsets is the same, one like it is turned away, too, if
 * it lacks the same: it is not looked up again.
 */
struct turned_away {
	uint64_t addr;
	uint64_t *fail, *refused; /* what it counted */
	uint64_t upsets;
	uint16_t stream;
	uint8_t x;
	bool entry;
	uint8_t type; /* N_ACC_TYPES: forgotten */
	uint8_t sectors;
};
#define TURNED_AWAY 4u /* kept, by the lowest bits of the atom's number: neighbours wait in several queues */

struct cache {
	struct tags tags;
	struct mshr mshr;
	struct ring queue; /* miss queue */
	struct req_pool *pool;
	uint32_t queue_max;  /* quirk Q3-5: "full" is the model's business, pushes are not bounded */
	uint32_t atom, port; /* bytes */
	uint32_t atom_log2;
	uint32_t fill_cycles; /* of the fill port for an atom */
	struct turned_away away[TURNED_AWAY];
	enum write_policy write;
	enum write_alloc walloc;
	struct cache_touches touched;
	uint64_t data_free, fill_free; /* cycle from which on the port is free */
	struct cache_ports ports;      /* busy: also in the cycles up to there */
	struct cache_counts *counts;   /* by stream, reserved; seen[]: counted for */
	bool seen[MAX_STREAMS];
	void (*decode)(void *ctx, struct req *r);
	void *decode_ctx;
	uint8_t write_back_type, alloc_type;
	uint8_t pieces; /* answers to a read when they come in sectors, else 0 */
	bool l2;
	struct texture_cache *texture; /* NULL: another kind of cache */
};

void texture_delete(struct texture_cache *t);

/* One access on its way through the policies. */
struct cache_visit {
	struct cache *c;
	struct req *q;
	uint32_t r; /* q's handle */
	uint32_t now;
	struct lookup at;
	struct evicted out;
	struct cache_events ev;
	uint32_t moved; /* modified bytes that passed the data port on the way out */
};

/* "Full for x" (CACHE-queue-1). */
static inline bool queue_full(const struct cache *c, uint32_t x)
{
	return c->queue.count + x >= c->queue_max;
}

static inline struct turned_away *turned_away(struct cache *c, uint64_t addr)
{
	return &c->away[addr >> c->atom_log2 & (TURNED_AWAY - 1)];
}

/* cache.c */
enum cache_status cache_refuse(struct cache_visit *a, enum cache_fail why); /* counts; RESERVATION_FAIL */
/* The same of a miss queue full for x, or of the MSHRs: kept, for whoever asks will ask again. */
enum cache_status cache_turn_away(struct cache_visit *a, enum cache_fail why, uint8_t x);
/* CACHE-mshr-2 for r, which is the access's own request or an allocate-read; false: refused and counted. */
bool cache_send_read(struct cache_visit *a, uint32_t r);
/* Only when one is wanted (CACHE-wb-1). Returns its size, 0 without one. */
uint32_t cache_emit_write_back(struct cache_visit *a);
/*
 * A blank request on behalf of the access's: core, cluster, stream and place in memory are the same. Too seldom
 * to become part of the accesses.
 */
NOINLINE uint32_t cache_make_request(struct cache_visit *a, uint8_t type, unsigned flags, uint64_t addr);

/* invariants.c: what t goes by is so for q. */
void cache_turned_away_invariant(const struct cache *c, const struct req *q, const struct turned_away *t);

/* write.c */
enum cache_status cache_write_hit(struct cache_visit *a);
enum cache_status cache_write_miss(struct cache_visit *a);

#endif
