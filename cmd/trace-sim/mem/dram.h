/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DRAM channel (MEM-dram). Files: dram.c (tick, commands), dram_sched.c (schedulers), dram_bus.c (the
 * data bus pipeline), dram_stat.c (figures, MEM-stat).
 *
 * Time is counted in DRAM ticks; the first tick is 1. A timer is stored as the tick at which it expires: a
 * timer loaded with v in tick t is t + v, and it runs in ticks before t + v. So a tick without an event
 * changes no state, and dram_skip_to_tick() counts any number of such ticks together.
 */
#ifndef DRAM_H
#define DRAM_H

#include "mem.h"

#define DRAM_BANKS  64
#define DRAM_GROUPS 8

/* FIFO of requests, linked by req.next. node: the records of all requests. */
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

/* Returns req, the last request popped, to the head of the queue. Its link to the next request must be unchanged. */
static inline void mem_fifo_put_back(struct mem_fifo *q, uint32_t req)
{
	q->head = req;
	q->count++;
}

/* Waiting requests of a bank, grouped by row. Rows are in the order of their oldest request. */
struct row_queue {
	/* oldest request of the first row; req.next_row links rows, req.row_tail is the last request of a row */
	uint32_t first_row;
	uint32_t last_row;       /* oldest request of the last row */
	struct mem_fifo service; /* requests of the row in service; empty if no row is in service */
	uint32_t row;            /* row in service */
};

struct dram_bank {
	uint64_t read_at;      /* tick at which tRCD since the last activate expires */
	uint64_t write_at;     /* tick at which tRCDWR since the last activate expires */
	uint64_t precharge_at; /* earliest tick of a precharge (latest of tRAS, tWTP, tRTP) */
	uint64_t activate_at;  /* earliest tick of an activate */
	uint64_t opened_at;    /* tick of the last activate */
	uint64_t *columns;     /* counter of column commands for the kind of request in service */
	uint32_t open_row;     /* row opened last; kept when the bank is precharged */
	uint32_t req, row;
	uint32_t bytes_left;          /* bytes for which no column command has been issued yet */
	uint32_t busy_ticks;          /* number of busy ticks: sum of end ticks minus sum of start ticks */
	int32_t extra_idle_visits;    /* number of visits by the single-bus loop in excess of one per tick */
	uint32_t row_stamp, same_row; /* MEM-row-1 */
	uint32_t reads;               /* number of column commands that read */
	/* [0] reads or all requests; [1] writes, if they have a separate queue */
	struct row_queue queue[2];
};

/* A timer per bank group, always loaded with the same number of ticks. */
struct group_timer {
	uint64_t expires[DRAM_GROUPS]; /* tick at which the timer of a group expires */
	uint64_t end;                  /* expiry of the timer loaded last */
	uint64_t banks;                /* set of the banks in that timer's group */
	uint64_t other_groups_end;     /* tick at which the last timer of another group has expired */
};

struct bus_slot {
	uint64_t tick; /* tick that pops the slot */
	uint32_t req;  /* request that ends with this burst; REQ_NONE: none */
};

/*
 * The data bus, a pipeline of slots. Each tick pops one slot. A tick without a burst shortens the pipeline by
 * one slot, down to `min`, so the length can be computed from the length at synced_at.
 */
struct dram_bus {
	struct bus_slot *slot; /* slots with a burst */
	uint64_t next_pop;     /* tick that pops the first stored slot; UINT64_MAX: none is stored */
	uint64_t last_pop;     /* tick that pops the last stored slot; a past tick if none is stored */
	uint32_t mask;         /* size of the ring slot[] minus 1 */
	uint32_t first_slot;   /* index of the first used slot */
	uint32_t n_slots_used; /* number of used slots */
	uint32_t length;       /* length of the pipeline in ticks, as of synced_at */
	uint32_t min;          /* smallest length in ticks */
	uint32_t max;          /* largest length in ticks */
	uint64_t synced_at;    /* tick after which `length` was computed */
};

struct dram {
	const struct dram_params *params;
	struct req_pool *pool;
	struct memstat *memstat;
	struct events *events;
	struct dram_bank *bank;
	uint64_t ticks;         /* number of ticks counted so far */
	uint32_t refresh_phase; /* ticks since the last refresh of bank 0 at tick 0 */
	/* sets of banks, as bit masks */
	uint64_t all_banks;
	uint64_t busy_banks;    /* banks with a request */
	uint64_t open_banks;    /* banks with an open row */
	uint64_t row_hit_banks; /* banks with a request for the open row */
	uint64_t write_banks;   /* banks with a write request */
	/*
	 * column_at, row_at: earliest tick at which a bank can issue a column or a row command; UINT64_MAX if
	 * none is pending. column_set, row_set: the banks that are ready at that tick. A set of 0 means that
	 * they are unknown and the tick is only a lower bound.
	 */
	uint64_t column_at, row_at, column_set, row_set;
	uint64_t timing_ready; /* banks whose own timers had expired at the last search */
	/* lower bound on the tick at which another bank joins timing_ready: [1] banks in row_hit_banks, [0] others */
	uint64_t timing_ready_at[2];
	uint64_t ccd, rrd, rtw, wtr; /* ticks at which the timers expire */
	struct group_timer ccdl, rtpl;
	uint32_t prio, groups;
	uint32_t pending[2];        /* number of requests in the queues */
	uint32_t queue_capacity[2]; /* UINT32_MAX: unlimited */
	/* banks with queued requests; FIFO: only the bank of the oldest request, in [0] */
	uint64_t waiting_banks[2];
	bool request_arrived; /* true if a request has arrived since the last tick */
	bool separate_writes; /* true if writes have a separate queue, index [1] */
	bool writing;         /* true while the bus direction is that of writes */
	bool write_mode;
	bool progressed; /* true if a request or command moved in the last tick */
	bool dequeued;   /* true if a request has left the queues since the flag was last cleared */
	struct dram_bus bus;
	struct mem_fifo return_queue;
	uint32_t return_queue_max, id;
	struct {
		uint32_t req, bank;
	} fifo[2]; /* queue of the FIFO scheduler; FR-FCFS uses the banks' queues */
	uint8_t group[DRAM_BANKS];
	/* for banks with a request: tick at which their own timers allow the next command */
	uint64_t bank_ready_at[DRAM_BANKS];
	uint64_t group_mask[DRAM_GROUPS];
	/* figures: dram_stat.c */
	uint64_t bus_counted_until;   /* ticks before this one are counted in the figures of the bus */
	uint64_t ratio_counted_until; /* ticks before this one are counted in the write-to-read ratio */
	uint64_t row_timers_end;      /* tick from which no timer of a row command runs, for n_activity */
	uint64_t idle_from;           /* first tick without any request in a bank, while there is none */
	uint32_t activate_ticks;      /* number of ticks for which the longest timer of an activate runs */
	uint32_t burst_ticks;         /* number of ticks for which a column command occupies the bus */
	struct dram_counts n;         /* figures; times are sums of end ticks minus sums of start ticks */
	uint32_t *bank_access;        /* number of reads, by bank */
	uint32_t *bank_idle;          /* number of idle ticks, by bank */
};

/* dram.c */
void dram_init(
	struct dram *d, const struct params *p, uint32_t id, struct req_pool *pool, struct memstat *ms);
void dram_free(struct dram *d);
void dram_push_request(struct dram *d, uint32_t req, uint64_t now);
/* Runs tick t (MEM-dram-5). Returns a write-back that has completed, or REQ_NONE. */
uint32_t dram_tick(struct dram *d, uint64_t t, uint64_t now, uint32_t cycle);
/* Returns the next tick in which the channel can make progress without new input; UINT64_MAX: none. */
uint64_t dram_next_busy_tick(struct dram *d);
/* Updates the lower bounds after the request or the row of the bank has changed. */
void dram_note_bank_change(struct dram *d, uint32_t bank);
/* Closes the open row of the bank, which has no request, if a refresh has begun since the row was opened. */
void dram_close_refreshed_row(struct dram *d, uint32_t bank);

/* dram_sched.c */
/* Queues a request, which may enter the bank from the next tick on. */
void dram_enqueue_for_bank(struct dram *d, uint32_t req, uint32_t bank);
void dram_schedule(struct dram *d, uint64_t now, uint32_t cycle);
/* Updates the maximum queue length, in the tick after an arrival. */
void dram_update_max_queue(struct dram *d);
/* Returns true if a request can enter a bank in the next tick. */
bool dram_can_schedule_next(const struct dram *d);
/* Accounts for n ticks in which no request enters a bank. */
void dram_skip_schedules(struct dram *d, uint64_t n);

static inline uint64_t tick_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns true if the queue for reads, or for writes, has no free slot. */
static inline bool dram_queue_full(const struct dram *d, bool write)
{
	int set = d->separate_writes && write;

	return d->pending[set] >= d->queue_capacity[set];
}

static inline bool dram_all_queues_full(const struct dram *d)
{
	return d->pending[0] >= d->queue_capacity[0] && d->pending[1] >= d->queue_capacity[1];
}

/* Counts the ticks up to and including `upto`, in which no request moves. */
static inline void dram_skip_to_tick(struct dram *d, uint64_t upto)
{
	if (upto <= d->ticks)
		return;
	if (d->request_arrived)
		dram_update_max_queue(d);
	if (d->separate_writes)
		dram_skip_schedules(d, upto - d->ticks);
	d->ticks = upto;
}

/* dram_bus.c */
void dram_bus_init(struct dram_bus *b, uint32_t latency);
void dram_bus_push(struct dram_bus *b, uint32_t req, uint64_t t);
/* pops the burst that is due in this tick; returns its request or REQ_NONE */
uint32_t dram_bus_pop(struct dram_bus *b);
void dram_bus_stall(struct dram_bus *b); /* delays all slots by a tick in which no slot is popped */
void dram_bus_set_min(struct dram_bus *b, uint32_t min, uint64_t t);
/* Updates the length of the pipeline to its value after the pop in tick t. */
static inline void dram_bus_sync(struct dram_bus *b, uint64_t t)
{
	uint64_t n = t - b->synced_at;

	b->length = n < b->length - b->min ? b->length - (uint32_t)n : b->min;
	b->synced_at = t;
}
static inline bool dram_bus_full(struct dram_bus *b, uint64_t t)
{
	if (b->length < b->max)
		return false;
	dram_bus_sync(b, t);
	return b->length >= b->max;
}

/* Functions of dram_stat.c. They are called in tick t, before the change unless noted otherwise. */
/* counts the bus figures for the ticks before t */
void dram_stat_count_bus(struct dram *d, uint64_t t);
/* Counts a request that enters a free bank. */
void dram_stat_count_assigned(struct dram *d, uint32_t bank, uint64_t t);
/* Counts a bank that joins row_hit_banks in tick `from`. */
void dram_stat_count_row_hit(struct dram *d, uint32_t bank, uint64_t from);
/* Counts a request that has been served completely. Called after the change. */
void dram_stat_count_finished(struct dram *d, uint32_t bank, uint64_t t);
void dram_stat_count_ready(struct dram *d, uint64_t ready);
void dram_stat_copy_counts(struct dram *d, struct dram_counts *out);

#endif
