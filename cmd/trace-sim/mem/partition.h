/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insides of the memory side: channels (partitions) and their sub partitions (MEM-part, MEM-sub).
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

/*
 * When a queue lets go what enters it now: at least: its
 * times have 32 bits, and one half of them away may be over.
 */
static inline uint64_t over_at(uint64_t now, uint32_t latency) { return latency >> 31 ? now : now + latency; }

struct sub {
	struct channel *channel;
	struct mem_fifo icnt_l2, l2_dram, dram_l2, l2_icnt, rop;
	struct sub *partner; /* the same addresses on the other side; NULL: one side */
	struct mem_fifo far; /* answers on their way to the other side; req.key: when they are there */
	struct cache *l2;    /* NULL: none */
	uint64_t copies;     /* sectors touched by host copies, in all L2 times (quirk Q4-8) */
	uint64_t wake;       /* when an L2 tick may move something; UINT64_MAX: not known */
	uint32_t rop_due;    /* key of the first in rop */
	bool due;            /* in this tick; with a partner only */
	/* by memory_work.window: ticks of it in which icnt->L2 has no room */
	uint64_t refuses[MEMORY_WINDOWS][MEMORY_TICKS / 64];
	uint32_t id, tracked, credits; /* credits: private ones in use */
};

struct channel {
	_Alignas(64) uint64_t wake; /* DRAM tick in which something may move */
	uint32_t delay_due;         /* when the head of delay is ready */
	bool delay_waits;           /* there is one and it is not ready */
	bool in_vain;               /* none of those below can go on, and nothing has changed since */
	bool blocked;               /* nor the oldest answer of the DRAM */
	uint32_t below;             /* requests in the L2->DRAM queues of its sub partitions */
	uint32_t shared, last;      /* shared credits in use; last borrower */
	uint64_t spare;             /* credits not in use, private and shared */
	struct mem_fifo delay;      /* DRAM latency queue; req.key: ready time */
	struct sub *sub, *end;      /* its first one; behind its last */
	bool live;                  /* may move something itself */
	uint64_t awaited;           /* the last time at which delay or a ROP queue lets a REQ_AWAITED go */
	/* not yet in the memory's counts: replies, stalls; packets taken in behind a window, and in which ticks */
	uint32_t replies, stall_dramfull, stall_icnt2sh, accepted;
	uint64_t accepts[MEMORY_TICKS / 64];
	struct dram dram;
};

/* What kept the channel from being due earlier than wake is over. */
static inline bool channel_delay_over(const struct channel *c, uint64_t now)
{
	return c->delay_waits && reached(now, c->delay_due);
}

static inline void channel_awaits(struct channel *c, uint64_t time)
{
	if (time > c->awaited)
		c->awaited = time;
}

/* Has icnt->L2 no room in that tick of a window? */
static inline bool sub_refuses(const struct sub *s, const struct memory_work *k)
{
	return s->refuses[k->window][k->tick / 64] >> k->tick % 64 & 1;
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
	uint32_t subs, per, sub_words, channel_words;
	uint32_t sub_log2;     /* of per */
	uint64_t *awake;       /* channels that may have something to do, or have something in a ROP queue */
	uint32_t credit_limit; /* of the shared ones */
	uint64_t l2_ticks, dram_ticks;
	uint32_t accepted; /* packets, in this L2 tick */
	struct memory_counts n;
};

static inline void untrack(struct memory *m, uint32_t req)
{
	struct req *r = &m->pool->at[req];

	if (!(r->flags & REQ_TRACKED))
		return;
	r->flags &= (uint16_t)~REQ_TRACKED;
	m->sub[r->sub].tracked--;
}

/* partition.c */
/* The ticks from first to last; the channel is due in the first; wake is above last then. */
void channel_ticks(
	struct memory *m, struct channel *c, uint64_t now, uint32_t cycle, uint64_t first, uint64_t last);
/* It may move something in a sub partition. */
void channel_poke(struct channel *c);
/* The sub partition has put a request in its L2->DRAM queue. */
void channel_sent(struct memory *m, struct sub *s);
void channel_catch_up(struct memory *m, uint32_t id);
/* One request into the latency queue; there is one below. */
bool channel_arbitrate(struct memory *m, struct channel *c, uint64_t now);
void channel_done(struct memory *m, struct channel *c, uint32_t req); /* a write-back left the DRAM */
/* The sub partition of the request, if its DRAM->L2 queue has room, or NULL; and into that queue. */
struct sub *channel_room_above(const struct memory *m, uint32_t req);
void channel_reply(struct memory *m, struct channel *c, struct sub *s, uint32_t req);
uint32_t channel_delay_pop(struct memory *m, struct channel *c);

/* sides.c: -l2_sides 2; all but the first for sub partitions with a partner */
void sides_pair(struct memory *m);
/* The slice that serves the request, which has come to s: s, or its partner. */
NOINLINE struct sub *sides_serving(const struct memory *m, struct sub *s, const struct req *r);
/* It was served there: what copies become of it. */
NOINLINE void sides_served(struct sub *s, const struct sub *at, const struct req *r);
/* Is the answer of s for the other side? Then it has gone on its way. */
NOINLINE bool sides_answer(struct memory *m, struct sub *s, uint32_t req, uint64_t now);
/* One of these that has arrived, or REQ_NONE. */
NOINLINE uint32_t sides_due(struct memory *m, struct sub *s, uint64_t now);

/* dram_simple.c */
NOINLINE bool dram_simple_tick(struct memory *m, struct channel *c, uint64_t now);

/* subpartition.c */
/*
 * An L2 tick of those of the channel. waiting: who may have a packet in the network; NULL: what arrives is
 * taken in later, by sub_accept().
 */
void channel_l2_tick(
	struct memory *m, struct channel *c, const struct memory_work *k, const uint64_t *waiting);
/* Take in a packet that the network had; REQ_NONE: it had none. icnt->L2 has room. */
bool sub_accept(struct memory *m, struct sub *s, uint32_t req, uint64_t now);

#endif
