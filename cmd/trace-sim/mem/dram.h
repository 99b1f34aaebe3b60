/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DRAM channel (MEM-dram). Files: dram.c (tick, commands), dram_sched.c (who enters a bank),
 * dram_bus.c (the data bus pipeline), dram_stat.c (figures, MEM-stat).
 *
 * Time is counted in DRAM ticks, the first being 1. A timer is kept as the tick at which it reads zero:
 * loaded with v in tick t it is t + v, and it is running in a tick u < t + v. So ticks without an event
 * change nothing, and any number of them is counted at once by dram_skip.
 */
#ifndef DRAM_H
#define DRAM_H

#include "mem.h"

#define DRAM_BANKS  64
#define DRAM_GROUPS 8

/* Requests linked by req.next; node: all requests. */
struct mem_fifo {
	uint32_t head, tail, count;
};

static inline void mem_fifo_push(struct req *node, struct mem_fifo *q, uint32_t req)
{
	node[req].next = REQ_NONE;
	if (q->count++)
		node[q->tail].next = req;
	else
		q->head = req;
	q->tail = req;
}

static inline uint32_t mem_fifo_pop(const struct req *node, struct mem_fifo *q)
{
	uint32_t req = q->head;

	q->head = node[req].next;
	q->count--;
	return req;
}

/* Undo the pop of req, which nobody has linked since. */
static inline void mem_fifo_put_back(struct mem_fifo *q, uint32_t req)
{
	q->head = req;
	q->count++;
}

/* Requests of one bank that wait, by row, rows in order of their oldest request. */
struct row_queue {
	uint32_t first_row,
		last_row; /* their first requests, linked by req.bin; req.tail is the last of the row */
	struct mem_fifo service; /* of the row in service; empty: none is */
	uint32_t row;
};

struct dram_bank {
	uint64_t read_at, write_at; /* timers from the last activate (tRCD, tRCDWR) */
	uint64_t close_at, open_at; /* the last of those before a precharge (tRAS, tWTP, tRTP), an activate */
	uint64_t *columns;          /* the figure that counts column commands of its request */
	uint32_t open_row;          /* kept when the row is closed */
	uint32_t req, row, left;    /* bytes for which no column command was issued yet */
	uint32_t busy_ticks;        /* with a request: ticks of ends less those of starts */
	int32_t extra_idle;         /* visits of the single-bus loop beyond one a tick */
	uint32_t row_stamp, same_row; /* MEM-row-1 */
	uint32_t reads;               /* column commands that read */
	struct row_queue queue[2];    /* [1]: writes, if they have a queue of their own */
};

/* A timer of each bank group, loaded with the same number of ticks each time. */
struct group_timer {
	uint64_t at[DRAM_GROUPS];
	uint64_t end, banks; /* of the group loaded last: its timer, its banks */
	uint64_t others;     /* no timer of another group runs from here on */
};

struct bus_slot {
	uint64_t at;
	uint32_t req;
}; /* req: REQ_NONE unless its last burst */

/*
 * A pipeline of places, of which each tick pops one; at: the tick that pops the place. So in a tick without a
 * burst the pipeline only gets shorter, down to min, and length is known from the last time it was looked at.
 */
struct dram_bus {
	struct bus_slot *slot; /* the places that hold a burst */
	uint64_t next;         /* the tick that pops the first of them; UINT64_MAX: none */
	uint64_t last;         /* that of the last of them; none: a tick that is over */
	uint32_t mask, first, used;
	uint32_t length, min, max;
	uint64_t seen; /* the tick after which length was right */
};

struct dram {
	const struct dram_params *p;
	struct req_pool *pool;
	struct memstat *ms;
	struct events *events;
	struct dram_bank *bank;
	uint64_t ticks; /* counted so far */
	uint64_t all, busy, active, match,
		writes; /* banks: that there are; with request; row open; open row requested; request writes */
	/*
	 * Before these ticks no bank can issue a column, a row command; UINT64_MAX: none has one to issue.
	 * And the banks that can in that very tick; none: not known, and it may be too early.
	 */
	uint64_t column_at, row_at, column_set, row_set;
	uint64_t ripe; /* banks with a request that their own timers no longer hold, as far as was looked */
	uint64_t ripen_at[2]; /* before these ticks no other bank of match ([1]), of those outside it, is */
	uint64_t ccd, rrd, rtw, wtr; /* timers */
	struct group_timer ccdl, rtpl;
	uint32_t prio, groups;
	uint32_t pending[2], room[2]; /* requests in the queues; as many as they may be */
	uint64_t waiting[2]; /* banks whose queue is not empty; FIFO: that of its first request, in [0] */
	bool come;           /* a request, since the last tick */
	bool split;          /* writes have a queue of their own, [1] */
	bool writing;        /* direction of the bus */
	bool write_mode;
	bool moved; /* something, in the last tick */
	bool freed; /* the queue in front has lost a request since its user cleared this */
	struct dram_bus bus;
	struct mem_fifo done; /* return queue */
	uint32_t done_max, id;
	struct {
		uint32_t req, bank;
	} fifo[2]; /* the queue of FIFO; FR-FCFS has those of the banks */
	uint8_t group[DRAM_BANKS];
	uint64_t own[DRAM_BANKS]; /* of a bank with a request: when its own timers let its next command go */
	uint64_t group_mask[DRAM_GROUPS];
	/* figures: dram_stat.c */
	uint64_t bus_counted,
		ratio_counted; /* ticks before these are in the figures of the bus, of the ratio */
	uint64_t rows_quiet_at; /* no timer loaded by a row command runs from here on, for the n_activity test */
	uint64_t idle_from;     /* tick from which no bank has a request, if none has */
	uint32_t act_runs;      /* ticks that such a timer runs after an activate */
	uint32_t used;          /* ticks of the bus that a column command takes */
	struct dram_counts n; /* what depends on sets: with each time of an end less that of a start */
	uint32_t *bank_access, *bank_idle;
};

/* dram.c */
void dram_init(
	struct dram *d, const struct params *p, uint32_t id, struct req_pool *pool, struct memstat *ms);
void dram_free(struct dram *d);
void dram_push(struct dram *d, uint32_t req, uint64_t now);
/* Tick t (MEM-dram-5). Returns a write-back that is done, or REQ_NONE. */
uint32_t dram_tick(struct dram *d, uint64_t t, uint64_t now, uint32_t cycle);
/* After a tick: the next one in which something can move by itself; UINT64_MAX: none. */
uint64_t dram_next(struct dram *d);
/* The bank's request, or the state of its row, is new. */
void dram_bank_changed(struct dram *d, uint32_t bank);

/* dram_sched.c */
void dram_enqueue(struct dram *d, uint32_t req, uint32_t bank); /* it may enter the bank in the next tick */
void dram_schedule(struct dram *d, uint64_t now, uint32_t cycle);
void dram_count_queue(struct dram *d);               /* in the tick after one came */
bool dram_schedule_next(const struct dram *d);       /* a request enters a bank in the next tick */
void dram_schedule_skip(struct dram *d, uint64_t n); /* n ticks in which no request enters a bank */

static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Has its queue no room for a request? */
static inline bool dram_full(const struct dram *d, bool write)
{
	int set = d->split && write;

	return d->pending[set] >= d->room[set];
}

static inline bool dram_full_for_all(const struct dram *d)
{
	return d->pending[0] >= d->room[0] && d->pending[1] >= d->room[1];
}

/* Count ticks up to and including tick upto, in which nothing moves. */
static inline void dram_skip(struct dram *d, uint64_t upto)
{
	if (upto <= d->ticks)
		return;
	if (d->come)
		dram_count_queue(d);
	if (d->split)
		dram_schedule_skip(d, upto - d->ticks);
	d->ticks = upto;
}

/* dram_bus.c */
void dram_bus_init(struct dram_bus *b, uint32_t latency);
void dram_bus_push(struct dram_bus *b, uint32_t req, uint64_t t);
uint32_t dram_bus_take(struct dram_bus *b); /* the first burst, in its tick: its request or REQ_NONE */
void dram_bus_stall(struct dram_bus *b);    /* a tick in which nothing is popped */
void dram_bus_set_min(struct dram_bus *b, uint32_t min, uint64_t t);
/* After the pop of tick t. */
static inline void dram_bus_see(struct dram_bus *b, uint64_t t)
{
	uint64_t n = t - b->seen;

	b->length = n < b->length - b->min ? b->length - (uint32_t)n : b->min;
	b->seen = t;
}
static inline bool dram_bus_full(struct dram_bus *b, uint64_t t)
{
	if (b->length < b->max)
		return false;
	dram_bus_see(b, t);
	return b->length >= b->max;
}

/* dram_stat.c. Told in tick t, before the change. */
void dram_stat_bus(struct dram *d, uint64_t t);                     /* count the bus for the ticks before t */
void dram_stat_assigned(struct dram *d, uint32_t bank, uint64_t t); /* a request enters a free bank */
void dram_stat_match(struct dram *d, uint32_t bank, uint64_t from); /* bank joins match from tick from on */
void dram_stat_finish(struct dram *d, uint32_t bank, uint64_t t); /* after the change: its request is done */
void dram_stat_ready(struct dram *d, uint64_t ready);
void dram_stat_counts(struct dram *d, struct dram_counts *out);

#endif
