/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DRAM channel (MEM-dram). Files: dram.c (tick, commands), dram_sched.c (schedulers),
 * dram_bus.c (the data bus pipeline), dram_stat.c (figures, MEM-stat).
 *
 * Time is counted in DRAM ticks, the first being 1. A timer is kept as the tick at which it reads zero:
 * loaded with v in tick t it is t + v, and it is running in a tick u < t + v. So ticks without an event
 * change nothing, and dram_skip() counts any number of them at once.
 */
#ifndef DRAM_H
#define DRAM_H

#include "mem.h"

#define DRAM_BANKS  64
#define DRAM_GROUPS 8

/* Requests linked by req.next. node: the records of all requests. */
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

/* Undoes the pop of req, whose link is unchanged since. */
static inline void mem_fifo_put_back(struct mem_fifo *q, uint32_t req)
{
	q->head = req;
	q->count++;
}

/* Requests of one bank that wait, by row, rows in order of their oldest request. */
struct row_queue {
	uint32_t first_row; /* oldest request of the first row; rows are linked by req.bin, req.tail is a row's last */
	uint32_t last_row;       /* oldest request of the last row */
	struct mem_fifo service; /* requests of the row in service; empty: none */
	uint32_t row;            /* row in service */
};

struct dram_bank {
	uint64_t read_at, write_at; /* timers from the last activate (tRCD, tRCDWR) */
	uint64_t close_at;          /* latest timer before a precharge (tRAS, tWTP, tRTP) */
	uint64_t open_at;           /* latest timer before an activate */
	uint64_t *columns;          /* counter of column commands of its kind of request */
	uint32_t open_row;          /* kept when the row is closed */
	uint32_t req, row;
	uint32_t left;                /* bytes without a column command yet */
	uint32_t busy_ticks;          /* busy ticks: sum of end ticks minus sum of start ticks */
	int32_t extra_idle;           /* visits of the single-bus loop beyond one a tick */
	uint32_t row_stamp, same_row; /* MEM-row-1 */
	uint32_t reads;               /* column commands that read */
	struct row_queue queue[2];    /* [1]: writes, with a separate write queue */
};

/* A timer of each bank group, loaded with the same number of ticks each time. */
struct group_timer {
	uint64_t expires[DRAM_GROUPS]; /* tick at which the timer of a group expires */
	uint64_t end;                  /* timer of the group loaded last */
	uint64_t banks;                /* its banks */
	uint64_t others;               /* tick from which no timer of another group runs */
};

struct bus_slot {
	uint64_t tick; /* tick that pops the slot */
	uint32_t req;  /* REQ_NONE unless this is its last burst */
};

/*
 * A pipeline of slots; each tick pops one (bus_slot.tick). A tick without a burst shortens the pipeline
 * by one, down to min, so its length follows from the length at synced_at.
 */
struct dram_bus {
	struct bus_slot *slot; /* slots with a burst */
	uint64_t next;         /* tick that pops the first of them; UINT64_MAX: none */
	uint64_t last;         /* tick that pops the last of them; none: a past tick */
	uint32_t mask, first, used;
	uint32_t length, min, max;
	uint64_t synced_at; /* tick after which `length` was computed */
};

struct dram {
	const struct dram_params *p;
	struct req_pool *pool;
	struct memstat *ms;
	struct events *events;
	struct dram_bank *bank;
	uint64_t ticks; /* counted so far */
	/* sets of banks */
	uint64_t all;
	uint64_t busy;     /* banks with a request */
	uint64_t active;   /* banks with an open row */
	uint64_t row_hits; /* whose request is for the open row */
	uint64_t writes;   /* whose request writes */
	/*
	 * Earliest tick at which a bank can issue a column command (column_at), a row command (row_at);
	 * UINT64_MAX: none is pending. The sets hold the banks ready at that tick, or are 0 if unknown; the tick
	 * is a lower bound then.
	 */
	uint64_t column_at, row_at, column_set, row_set;
	uint64_t timing_ready; /* banks whose own timers have expired, as of the last search */
	uint64_t timing_ready_at
		[2]; /* lower bound on the tick at which another bank joins: [1] row_hits, [0] others */
	uint64_t ccd, rrd, rtw, wtr; /* timers */
	struct group_timer ccdl, rtpl;
	uint32_t prio, groups;
	uint32_t pending[2];        /* requests in the queues */
	uint32_t queue_capacity[2]; /* UINT32_MAX: unlimited */
	uint64_t waiting[2];        /* banks with queued requests; FIFO: bank of the oldest request, in [0] */
	bool request_arrived;       /* since the last tick */
	bool split;                 /* writes have a separate queue, [1] */
	bool writing;               /* direction of the bus */
	bool write_mode;
	bool progressed; /* something moved in the last tick */
	bool dequeued;   /* a request has left the queues since the channel cleared this */
	struct dram_bus bus;
	struct mem_fifo done; /* return queue */
	uint32_t done_max, id;
	struct {
		uint32_t req, bank;
	} fifo[2]; /* queue of the FIFO scheduler; FR-FCFS uses the queues of the banks */
	uint8_t group[DRAM_BANKS];
	uint64_t bank_ready_at
		[DRAM_BANKS]; /* tick at which the timers of a bank with a request allow its next command */
	uint64_t group_mask[DRAM_GROUPS];
	/* figures: dram_stat.c */
	uint64_t bus_counted;   /* earlier ticks are in the figures of the bus */
	uint64_t ratio_counted; /* earlier ticks are in the ratio of writes to reads */
	uint64_t rows_quiet_at; /* tick from which no timer of a row command runs, for n_activity */
	uint64_t idle_from;     /* tick from which no bank has a request, if none has */
	uint32_t act_runs;      /* ticks that the longest timer of an activate runs */
	uint32_t used;          /* ticks of the bus that a column command takes */
	struct dram_counts n;   /* times in sets: sum of end ticks minus sum of start ticks */
	uint32_t *bank_access, *bank_idle;
};

/* dram.c */
void dram_init(
	struct dram *d, const struct params *p, uint32_t id, struct req_pool *pool, struct memstat *ms);
void dram_free(struct dram *d);
void dram_push(struct dram *d, uint32_t req, uint64_t now);
/* Makes tick t (MEM-dram-5). Returns a write-back that is done, or REQ_NONE. */
uint32_t dram_tick(struct dram *d, uint64_t t, uint64_t now, uint32_t cycle);
/* Returns the next tick in which something can move by itself; UINT64_MAX: none. */
uint64_t dram_next(struct dram *d);
/* Updates the lower bounds after a change of the bank's request or row. */
void dram_bank_changed(struct dram *d, uint32_t bank);

/* dram_sched.c */
void dram_enqueue(struct dram *d, uint32_t req,
	uint32_t bank); /* the request may enter the bank from the next tick on */
void dram_schedule(struct dram *d, uint64_t now, uint32_t cycle);
/* Updates the maximum queue length, in the tick after an arrival. */
void dram_count_queue(struct dram *d);
/* Returns true if a request can enter a bank in the next tick. */
bool dram_schedule_next(const struct dram *d);
/* Makes n ticks in which no request enters a bank. */
void dram_schedule_skip(struct dram *d, uint64_t n);

static inline uint64_t tick_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns true if the queue for reads, or for writes, has no free slot. */
static inline bool dram_full(const struct dram *d, bool write)
{
	int set = d->split && write;

	return d->pending[set] >= d->queue_capacity[set];
}

static inline bool dram_full_for_all(const struct dram *d)
{
	return d->pending[0] >= d->queue_capacity[0] && d->pending[1] >= d->queue_capacity[1];
}

/* Counts the ticks up to and including `upto`, in which nothing moves. */
static inline void dram_skip(struct dram *d, uint64_t upto)
{
	if (upto <= d->ticks)
		return;
	if (d->request_arrived)
		dram_count_queue(d);
	if (d->split)
		dram_schedule_skip(d, upto - d->ticks);
	d->ticks = upto;
}

/* dram_bus.c */
void dram_bus_init(struct dram_bus *b, uint32_t latency);
void dram_bus_push(struct dram_bus *b, uint32_t req, uint64_t t);
uint32_t dram_bus_take(struct dram_bus *b); /* pops the first burst in its tick: its request or REQ_NONE */
void dram_bus_stall(struct dram_bus *b);    /* counts a tick in which nothing is popped */
void dram_bus_set_min(struct dram_bus *b, uint32_t min, uint64_t t);
/* Computes the length after the pop of tick t. */
static inline void dram_bus_see(struct dram_bus *b, uint64_t t)
{
	uint64_t n = t - b->synced_at;

	b->length = n < b->length - b->min ? b->length - (uint32_t)n : b->min;
	b->synced_at = t;
}
static inline bool dram_bus_full(struct dram_bus *b, uint64_t t)
{
	if (b->length < b->max)
		return false;
	dram_bus_see(b, t);
	return b->length >= b->max;
}

/* dram_stat.c. Called in tick t, before the change unless noted. */
void dram_stat_bus(struct dram *d, uint64_t t);                     /* count the bus for the ticks before t */
void dram_stat_assigned(struct dram *d, uint32_t bank, uint64_t t); /* a request enters a free bank */
void dram_stat_match(
	struct dram *d, uint32_t bank, uint64_t from); /* bank joins row_hits from tick `from` on */
/* Counts a request that is done, after the change. */
void dram_stat_finish(struct dram *d, uint32_t bank, uint64_t t);
void dram_stat_ready(struct dram *d, uint64_t ready);
void dram_stat_counts(struct dram *d, struct dram_counts *out);

#endif
