/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the memory side: channels (partitions) and their sub partitions (MEM-part, MEM-sub).
 *
 * Always true between two ticks: an L2 tick before its `wake` moves nothing in a sub partition; a channel
 * that is not live can move nothing until a sub partition pokes it. A tick touches one channel and what
 * belongs to it, so channels may run at the same time, and each many ticks at a stretch. A channel that sleeps
 * has counted its ticks up to `ticks` and catches up when it wakes.
 */
#ifndef PARTITION_H
#define PARTITION_H

#include "dram.h"
#include "inlining.h"
#include "mem.h"

static inline bool reached(uint64_t now, uint32_t time) { return (int32_t)((uint32_t)now - time) >= 0; }

/* Earliest time at which a request that enters a queue now leaves it. Times have 32 bits: a latency of 2^31 or more may be over at once. */
static inline uint64_t over_at(uint64_t now, uint32_t latency) { return latency >> 31 ? now : now + latency; }

struct sub {
	struct channel *channel;
	struct mem_fifo icnt_l2, l2_dram, dram_l2, l2_icnt, rop;
	struct sub *partner; /* the same addresses on the other side; NULL: one side */
	/* replies on their way to the other side; req.key: arrival time */
	struct mem_fifo cross_side_replies;
	struct cache *l2; /* NULL: none */
	uint64_t copies;  /* sectors touched by host copies, in all L2 times (quirk Q4-8) */
	uint64_t wake; /* time from which an L2 tick may move something; UINT64_MAX: after the next arrival */
	uint32_t rop_due; /* key of the first in rop */
	bool tick_due;    /* with a partner only: `wake` was reached at the start of this tick */
	uint64_t refuses[MEMORY_TICKS / 64]; /* ticks of the window in which icnt->L2 is full */
	uint32_t id, tracked, credits;       /* credits: private ones in use */
};

struct channel {
	_Alignas(64) uint64_t wake;   /* DRAM tick in which something may move */
	uint32_t delay_due;           /* when the head of delay is ready */
	bool delay_waits;             /* a request is delayed and not ready */
	bool arbitration_failed;      /* no L2->DRAM request can proceed until the state changes */
	bool blocked;                 /* the oldest DRAM reply cannot proceed either */
	uint32_t pending_l2_requests; /* requests in the L2->DRAM queues of its sub partitions */
	uint32_t shared;              /* shared credits in use */
	uint32_t last;                /* sub partition that took a credit last */
	uint64_t free_credits;        /* private and shared */
	struct mem_fifo delay;        /* DRAM latency queue; req.key: ready time */
	struct sub *sub, *end;        /* first sub partition of the channel, and the one after the last */
	bool live;                    /* may move something without a poke */
	uint64_t awaited;             /* latest time at which a REQ_AWAITED leaves `delay` or a ROP queue */
	uint32_t replies, stall_dramfull, stall_icnt2sh; /* counts that are not yet in memory.n */
	struct dram dram;
};

/* Returns true if the head of the latency queue has become ready. */
static inline bool channel_delay_over(const struct channel *c, uint64_t now)
{
	return c->delay_waits && reached(now, c->delay_due);
}

static inline void channel_awaits(struct channel *c, uint64_t time)
{
	if (time > c->awaited)
		c->awaited = time;
}

/* Returns true if icnt->L2 is full in that tick of a window. */
static inline bool sub_refuses(const struct sub *s, const struct memory_work *k)
{
	return s->refuses[k->tick / 64] >> k->tick % 64 & 1;
}

struct memory {
	const struct params *p;
	const struct memory_params *mp;
	struct req_pool *pool;
	struct net *net;
	struct addrdec *dec;
	struct memstat *ms;
	struct events *events;
	struct sub *sub;
	struct channel *channel;
	uint32_t subs, subs_per_channel, sub_words, channel_words;
	uint32_t sub_log2;     /* log2 of subs_per_channel */
	uint64_t *awake;       /* channels that may have work, or requests in a ROP queue */
	uint32_t credit_limit; /* shared credits */
	uint64_t l2_ticks, dram_ticks;
	uint32_t accepted; /* packets accepted in this L2 tick */
	struct memory_counts n;
};

static inline void untrack(struct memory *m, uint32_t req)
{
	struct req *r = &m->pool->req[req];

	if (!(r->flags & REQ_TRACKED))
		return;
	r->flags &= (uint16_t)~REQ_TRACKED;
	m->sub[r->sub].tracked--;
}

/* partition.c */
/* Makes the ticks from first to last. The channel is due in the first; its `wake` is after the last then. */
void channel_ticks(
	struct memory *m, struct channel *c, uint64_t now, uint32_t cycle, uint64_t first, uint64_t last);
/* Wakes the channel, because a sub partition has changed. */
void channel_poke(struct channel *c);
/* Notes that the sub partition has put a request in its L2->DRAM queue. */
void channel_sent(struct memory *m, struct sub *s);
void channel_catch_up(struct memory *m, uint32_t id);
/* Moves one of the pending L2->DRAM requests into the latency queue; returns false if none can move. */
bool channel_arbitrate(struct memory *m, struct channel *c, uint64_t now);
void channel_done(struct memory *m, struct channel *c, uint32_t req); /* a write-back left the DRAM */
/* Returns the sub partition of the request, or NULL if its DRAM->L2 queue is full. */
struct sub *channel_room_above(const struct memory *m, uint32_t req);
/* Puts the request in that queue and returns its credit. */
void channel_reply(struct memory *m, struct channel *c, struct sub *s, uint32_t req);
uint32_t channel_delay_pop(struct memory *m, struct channel *c);

/* sides.c: -l2_sides 2; all but the first for sub partitions with a partner */
void sides_pair(struct memory *m);
/* Returns the slice that serves the request, which is at s: s or its partner. */
NOINLINE struct sub *sides_serving(const struct memory *m, struct sub *s, const struct req *r);
/* Drops the copies of a request that slice `at` has served. */
NOINLINE void sides_served(struct sub *s, const struct sub *at, const struct req *r);
/* Returns true if the reply of s is for the other side, and sends it there. */
NOINLINE bool sides_answer(struct memory *m, struct sub *s, uint32_t req, uint64_t now);
/* Pops a reply that has crossed, or REQ_NONE. */
NOINLINE uint32_t sides_due(struct memory *m, struct sub *s, uint64_t now);

/* dram_simple.c */
NOINLINE bool dram_simple_tick(struct memory *m, struct channel *c, uint64_t now);

/* subpartition.c */
/*
 * Makes an L2 tick of the channel's sub partitions. waiting: sub partitions that may have a packet in the network;
 * NULL: sub_accept() accepts the packets later.
 */
void channel_l2_tick(
	struct memory *m, struct channel *c, const struct memory_work *k, const uint64_t *waiting);
/* Accepts a packet of the network; returns false for REQ_NONE. icnt->L2 must have a free slot. */
bool sub_accept(struct memory *m, struct sub *s, uint32_t req, uint64_t now);

#endif
