/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the memory side: channels (partitions) and their sub partitions (MEM-part, MEM-sub).
 *
 * Always true between two ticks: a sub partition moves no request in an L2 tick before its `wake`, and a
 * channel without may_move moves none until a sub partition pokes it. A tick accesses only one channel with
 * its sub partitions, so channels may run at the same time, and each for many ticks in a row. A sleeping
 * channel has counted its ticks up to dram.ticks and counts the others when it wakes.
 */
#ifndef PARTITION_H
#define PARTITION_H

#include "dram.h"
#include "inlining.h"
#include "mem.h"

static inline bool reached(uint64_t now, uint32_t time) { return (int32_t)((uint32_t)now - time) >= 0; }

/*
 * Earliest time at which a request that enters a queue now can leave it. Times have 32 bits, so a latency of
 * 2^31 or more may be over immediately.
 */
static inline uint64_t earliest_leave_time(uint64_t now, uint32_t latency)
{
	return latency >> 31 ? now : now + latency;
}

/* Kinds of replies that an L2 of two sides delays. Replies of one kind leave in the order of their arrival. */
enum delayed_reply {
	CROSSING,    /* on its way to the other side */
	COPY_WAITER, /* waits for data that are crossing to this side with an earlier reply */
	DELAYED_KINDS,
};

struct sub {
	struct channel *channel;
	struct mem_fifo icnt_l2, l2_dram, dram_l2, l2_icnt, rop;
	struct sub *partner; /* slice on the other side with the same addresses; NULL: one side */
	/* replies that leave at their time req.key, indexed by enum delayed_reply */
	struct mem_fifo delayed[DELAYED_KINDS];
	struct cache *l2; /* NULL: none */
	uint64_t copies;  /* number of sectors touched by host copies; added to all times (quirk Q4-8) */
	/* time from which an L2 tick may move a request; UINT64_MAX: not before the next arrival */
	uint64_t wake;
	uint32_t rop_ready_at; /* ready time (req.key) of the first request in rop */
	bool tick_due;         /* used with a partner: true if `wake` was reached at the start of this tick */
	uint64_t refuses[MEMORY_TICKS / 64]; /* set of the window's L2 ticks in which icnt->L2 is full */
	/* `tracked`: number of requests in the tracker; `credits`: number of private credits in use */
	uint32_t id, tracked, credits;
};

static inline bool sub_has_delayed_reply(const struct sub *s)
{
	return s->delayed[CROSSING].count || s->delayed[COPY_WAITER].count;
}

struct channel {
	_Alignas(64) uint64_t wake;   /* DRAM tick from which a request may move */
	uint32_t delay_ready_at;      /* ready time of the head of `delay` */
	bool delay_waits;             /* true while the head of `delay` is not ready */
	bool arbitration_failed;      /* true if no L2->DRAM request can proceed before the state changes */
	bool blocked;                 /* true if the oldest DRAM reply cannot proceed */
	uint32_t pending_l2_requests; /* number of requests in the L2->DRAM queues */
	uint32_t shared_credits;      /* number of shared credits in use */
	uint32_t last_credited;       /* index of the sub partition that took the last credit */
	uint64_t free_credits;        /* number of free credits, private and shared */
	struct mem_fifo delay;        /* DRAM latency queue; req.key: ready time */
	struct sub *sub;              /* first sub partition of the channel */
	struct sub *end;              /* end of the sub partitions of the channel */
	bool may_move; /* true if a request may move although no sub partition has poked the channel */
	/* latest time at which a request with REQ_AWAITED leaves `delay` or a ROP queue */
	uint64_t awaited;
	uint32_t replies, stall_dramfull, stall_icnt2sh; /* counts that have not been added to memory.n */
	struct dram dram;
};

/* Returns true if the head of the latency queue has become ready. */
static inline bool channel_delay_over(const struct channel *c, uint64_t now)
{
	return c->delay_waits && reached(now, c->delay_ready_at);
}

static inline void channel_note_awaited(struct channel *c, uint64_t time)
{
	if (time > c->awaited)
		c->awaited = time;
}

/* Returns true if icnt->L2 of s is full in the tick k->tick of a window. */
static inline bool sub_refuses_packets(const struct sub *s, const struct memory_work *k)
{
	return s->refuses[k->tick / 64] >> k->tick % 64 & 1;
}

struct memory {
	const struct params *params;
	const struct memory_params *memory_params;
	struct req_pool *pool;
	struct net *net;
	struct addrdec *dec;
	struct memstat *memstat;
	struct events *events;
	struct sub *sub;
	struct channel *channel;
	uint32_t n_subs, subs_per_channel, sub_words, channel_words;
	uint32_t sub_log2;     /* binary logarithm of subs_per_channel */
	uint64_t *awake;       /* set of the channels that may have work, or have requests in a ROP queue */
	uint32_t credit_limit; /* number of shared credits of a channel */
	uint64_t l2_ticks, dram_ticks;
	uint32_t accepted; /* number of packets accepted in this L2 tick */
	struct memory_counts n;
};

static inline void untrack_request(struct memory *m, uint32_t req)
{
	struct req *r = &m->pool->req[req];

	if (!(r->flags & REQ_TRACKED))
		return;
	r->flags &= (uint16_t)~REQ_TRACKED;
	m->sub[r->sub].tracked--;
}

/* partition.c */
/*
 * Runs the DRAM ticks from `first` to `last`. The channel must be due in `first`. Afterwards its `wake` is
 * later than `last`.
 */
void channel_run_ticks(
	struct memory *m, struct channel *c, uint64_t now, uint32_t cycle, uint64_t first, uint64_t last);
/* Wakes the channel because the state of a sub partition has changed. */
void channel_wake(struct channel *c);
/* Notifies the channel that s has put a request in its L2->DRAM queue. */
void channel_note_request(struct memory *m, struct sub *s);
void channel_catch_up(struct memory *m, uint32_t id);
/* Moves one of the pending L2->DRAM requests into the latency queue; returns false if none can move. */
bool channel_arbitrate(struct memory *m, struct channel *c, uint64_t now);
/* frees a write-back that has left the DRAM */
void channel_free_writeback(struct memory *m, struct channel *c, uint32_t req);
/* Returns the sub partition of the request, or NULL if its DRAM->L2 queue is full. */
struct sub *channel_sub_with_space(const struct memory *m, uint32_t req);
/* Puts a request in the DRAM->L2 queue of s and returns its credit. */
void channel_reply(struct memory *m, struct channel *c, struct sub *s, uint32_t req);
uint32_t channel_delay_pop(struct memory *m, struct channel *c);

/* Moves a request to another slice of its channel (subpartition.c). */
void sub_move_request(struct sub *from, struct sub *to, struct req *r);

/* Functions of sides.c, for -l2_sides 2. All but sides_pair_slices() require a sub partition with a partner. */
void sides_pair_slices(struct memory *m);
/* Returns the slice that serves a request: s, which the request has reached, or the partner of s. */
NOINLINE struct sub *sides_serving_slice(const struct memory *m, struct sub *s, const struct req *r);
/* Drops the partner's copy of the data after slice `at` has served request r, if r changed the data. */
NOINLINE void sides_drop_stale_copy(struct sub *s, const struct sub *at, const struct req *r);
/*
 * Delays the reply to request `req`, and returns true, if it goes to the other side or its data are a copy that has
 * not arrived yet.
 */
NOINLINE bool sides_delay_reply(struct memory *m, struct sub *s, uint32_t req, uint64_t now);
/* Pops a delayed reply whose time has come; REQ_NONE if there is none. */
NOINLINE uint32_t sides_pop_delayed(struct memory *m, struct sub *s, uint64_t now);

/* dram_simple.c */
NOINLINE bool dram_simple_tick(struct memory *m, struct channel *c, uint64_t now);

/* subpartition.c */
/*
 * Runs an L2 tick of the channel's sub partitions. waiting: set of the sub partitions that may have a packet
 * in the network; NULL: sub_accept_request() accepts the packets later.
 */
void channel_l2_tick(
	struct memory *m, struct channel *c, const struct memory_work *k, const uint64_t *waiting);
/*
 * Accepts request `req` from the network. Returns false if `req` is REQ_NONE. icnt->L2 must have a free slot.
 */
bool sub_accept_request(struct memory *m, struct sub *s, uint32_t req, uint64_t now);

#endif
