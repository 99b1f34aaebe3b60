/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modern SM core: the state of one SM's sub-cores, and the stages that share it. trace-sim-core(7) has
 * the model. It stands beside the core of sm/ and shares with it what is outside of the pipeline: thread
 * blocks and their records, the L1 data cache with what lies behind it, and all counters of struct sm.
 *
 * Always true:
 *  - Times are of s->clock. An instruction counts as issued at its t; everything else about it is a time that
 *    follows from t, or an event in the calendar. No latch is moved from cycle to cycle.
 *  - Warps of a sub-core have ranks, the youngest the highest; masks of a sub-core are over ranks.
 *  - A warp is in exactly one state: no instruction (of its masks in none), ripe, in the wheel under the cycle
 *    from which on it may issue, or waiting for an event that will look at it again.
 *  - due of a sub-core is the next cycle in which it can do anything; what changes its state lowers it.
 *  - A warp in the wheel stays there until its time: what looks at warps again looks at those that wait.
 */
#ifndef CORE_H
#define CORE_H

#include <string.h>
#include "lsu/ldst_int.h"
#include "sass.h"
#include "sm/sm.h"

#define RANKS        64
#define WHEEL        64 /* cycles that a sub-core sees ahead */
#define EVENT_SLOTS  256
#define EVENTS_MAX   65535u
#define MEM_PLACES   64
#define CONST_SUB    0xff /* who asks the L1I for constants */
#define TAG_BANKS    32
#define L1_PIPE      64 /* instructions between the SM's acceptance and the L1 lookup */
#define BUFFER_SLOTS 8
#define STREAM_SLOTS 64
#define LDGSTS_SLOTS 64
#define COUNTERS     6 /* dependence counters of a warp */

/* ---- static instructions --------------------------------------------------------------------- */

enum core_flag {
	INST_FIXED = 1 << 0,   /* ends a known time after issue */
	INST_SETS_P = 1 << 1,  /* writes predicates */
	INST_READS_P = 1 << 2, /* a branch or an exit */
	INST_BARRIER = 1 << 3,
	INST_MEMBAR = 1 << 4,
	INST_LDGDEPBAR = 1 << 5,
	INST_DEPBAR = 1 << 6,
	INST_LDGSTS = 1 << 7,
	INST_RFC = 1 << 8,    /* its operands go through the register file cache */
	INST_LDSM_N = 1 << 9, /* LDSM of several matrices */
	INST_SPECIAL = INST_BARRIER | INST_MEMBAR | INST_LDGDEPBAR | INST_DEPBAR | INST_LDGSTS
};

enum core_path { PATH_NONE, PATH_ACCESS, PATH_CONST, PATH_EXCHANGE };

#define READ_OVERWRITE N_SASS_OPERANDS /* a destination among the operands */

struct core_source {
	uint16_t reg;
	uint8_t read; /* enum sass_operand, or READ_OVERWRITE */
	uint8_t slot; /* of the instruction: a, b, c as 0, 1, 2 */
};

struct core_inst {
	const struct core_source *src; /* every register of every span, RZ left out; then core_dst() */
	uint32_t pc;
	uint32_t groups;   /* DEPBAR: how many may stay open */
	uint16_t flags;    /* enum core_flag */
	uint16_t interval; /* of its unit */
	int16_t later;     /* added to t for its readers: matrix instructions of older machines */
	uint16_t done;     /* fixed: cycles after which nothing of it is left */
	uint8_t n_src, n_dst;
	uint8_t class, unit; /* enum sass_class, enum core_unit */
	uint8_t path;        /* enum core_path, of CORE_MEMORY */
	uint8_t port;        /* cycles that it keeps the issue port beyond its own */
	uint8_t regs;        /* of the result, for the link */
	uint8_t scope;       /* fences: index into modern_params.membar */
};

static inline const struct core_source *core_dst(const struct core_inst *in) { return in->src + in->n_src; }

/* Control code of one instruction, as the assembler wrote it. */
struct core_control {
	uint8_t stall, write, read, wait; /* write, read: counter, 7 none; wait: mask */
	uint8_t reuse;                    /* mask of slots */
	bool yield, guarded;
	uint8_t slot[3];                                  /* registers in the slots a, b and c */
	uint8_t depbar_counter, depbar_most, depbar_list; /* of DEPBAR.LE */
};

/* decode.c: the instruction of handle code, made when its uop is. */
struct core_code;
struct core_code *core_code_new(const struct params *p);
void core_code_free(struct core_code *c);
/* Decode code_at(code, h) into place h; handles come in ascending order. */
void core_code_add(struct core_code *c, uint32_t h, const struct inst *in, const struct uop *u);

/* ---- warps ------------------------------------------------------------------------------------ */

/*
 * Why a warp does not issue, from near to far from issuing;
 * also what idle cycles of a sub-core are put down to.
 */
enum core_stall {
	STALL_UNIT,    /* e: its unit or queue is taken */
	STALL_RESULT,  /* f: the result queue is full */
	STALL_DEPEND,  /* d: a register, predicate or dependence counter */
	STALL_WAR,     /* d: a register that an earlier instruction has yet to read */
	STALL_FENCE,   /* h: DEPBAR, LDGDEPBAR */
	STALL_BARRIER, /* c: barrier or memory fence */
	STALL_COUNT,   /* b: stall count, yield */
	STALL_JUMP,    /* b: redirect after a taken branch */
	STALL_FETCH,   /* a: no instruction in the buffer */
	STALL_PORT,    /* the issue port is busy */
	STALL_EMPTY,   /* no live warp */
	N_CORE_STALLS
};

extern const char *const core_stall_names[N_CORE_STALLS];

struct core_buffered {
	uint64_t valid_at;
	const struct core_inst *in;
};

struct core_warp {
	struct core_buffered buffer[BUFFER_SLOTS]; /* records cursor .. fetched - 1, by number */
	const struct core_inst *head, *next;       /* of the buffer; to be fetched next */
	uint64_t next_issue;
	uint64_t hold_from, hold_until; /* no issue in between; NEVER: until told */
	uint64_t pass_until;   /* at a barrier: until then what touches nothing outside of the warp may go */
	uint64_t ready_at;     /* in the wheel, or ripe */
	uint64_t quiet_at;     /* results of fixed latency are all there */
	uint64_t predicate_at; /* when the last predicate was set */
	uint64_t line;         /* that the last fetch hit, with the L0's generation below */
	uint64_t code_base;    /* of its kernel */
	const uint8_t
		*held_by; /* while it waits: the count, of pending or readers, that is not 0 yet; or NULL */
	uint32_t generation;
	uint32_t fetched;   /* records requested from the instruction cache */
	uint32_t last_mask; /* of the instruction issued last; 0 behind one that may change who is active */
	uint16_t n_pending, n_readers;
	uint8_t sub, rank;
	uint8_t why;                /* enum core_stall: of a warp that is not ripe */
	uint8_t next_why, hold_why; /* of next_issue and of the hold */
	uint8_t unit;               /* of the head, also of the last one */
	uint8_t slot;               /* of the wheel */
	bool started;
	uint8_t predicate_class;   /* SASS_NONE: none outstanding */
	uint8_t predicate_pending; /* set by instructions of variable latency still under way */
	bool waits;                /* for an event */
	bool fragile;              /* what made it ripe must be looked at again at issue */
	bool control;              /* control codes decide */
	bool reaping;
	bool follows;    /* the record to be fetched next lies behind the one before it in memory */
	bool late_reads; /* of registers: an issue may wait for them */
	const struct core_control *codes; /* by pc / 16; NULL: the function is not known */
	uint32_t n_codes;
	/* control codes */
	uint8_t counter[COUNTERS];
	uint8_t raised[COUNTERS]; /* of these by the instruction issued last */
	uint64_t raised_at;
	/* DEPBAR.LE: counter, its most, mask of those to be 0; steps: it holds the warp, half its stall */
	uint8_t depbar_wait, depbar_counter, depbar_most, depbar_steps;
	uint32_t fence_cycles;
	/* groups of LDGSTS: open ones, the oldest first; group g is in left[g % LDGSTS_SLOTS] */
	uint32_t first_group, group, fence_until; /* fence_until: groups below must be done */
	uint16_t left[LDGSTS_SLOTS];
	uint8_t group_counter[LDGSTS_SLOTS]; /* dependence counter + 1 that closing raised */
	/* registers: time << 8 | class of the last writer; what is under way */
	uint64_t written[REG_LIMIT];
	uint8_t pending[REG_LIMIT], readers[REG_LIMIT];
};

/* ---- sub-cores -------------------------------------------------------------------------------- */

struct mem_place {
	uint64_t ready; /* for the SM, where nothing is before it */
	uint16_t op;
	uint8_t interval; /* of address calculation */
};

struct stream_buffer {
	uint64_t line[STREAM_SLOTS];
	uint64_t present; /* by slot */
	uint64_t next;    /* line to be asked for */
	uint32_t head, count;
	bool on;
};

struct subcore {
	uint64_t seen;                         /* clock up to which cycles are accounted for */
	uint64_t port_free;                    /* the issue port */
	uint64_t ranked, ripe, want, has_head; /* masks; want: to be fetched for */
	uint64_t by_unit[N_CORE_UNITS];        /* heads by unit */
	uint64_t by_why[N_CORE_STALLS];        /* by reason; of the ripe, the one they had before */
	uint64_t wheel[WHEEL], wheel_used;
	uint64_t far;                            /* of those in the wheel: due later than their slot says */
	uint64_t open_at[N_CORE_UNITS];          /* from when on the unit takes another */
	uint64_t result_at;                      /* when the last result leaves the result queue */
	uint64_t link_free, sfu_free, misc_free; /* when the next may start */
	uint64_t bank_used[16];                  /* t of the latest instruction that read the bank */
	int8_t greedy;                           /* rank of the warp that issued last, -1: none */
	uint8_t ranks;                           /* given out; the next warp's */
	bool issued;                             /* in the cycle run last */
	uint8_t idle;                            /* enum core_stall of the cycles since seen */
	uint8_t warp_of[RANKS];
	uint64_t rfc[3][16]; /* by slot and bank: warp << 16 | register, 0: empty */
	/* memory queue */
	struct mem_place place[MEM_PLACES];
	uint32_t place_head, places;
	uint64_t place_freed; /* when the last one was, with the time its data takes */
	/* instruction cache */
	uint64_t *tag, *used; /* by set and way; tag is line address + 1 */
	uint64_t uses;
	uint32_t generation;
	uint64_t missing[RANKS]; /* lines asked for, by slot of the mask below */
	uint64_t missing_warps[RANKS];
	uint64_t missing_slots;
	struct stream_buffer stream;
};

/* ---- one SM ----------------------------------------------------------------------------------- */

enum event_kind {
	EVENT_START,   /* warp: its CTA begins */
	EVENT_REAP,    /* warp: nothing of it is left */
	EVENT_LOG,     /* warp: a result of fixed latency, for --events */
	EVENT_COUNTER, /* warp: a dependence counter goes down */
	EVENT_L1I,     /* sub-core: asks for a line */
	EVENT_FILL,    /* a line comes to the SM, by request */
	EVENT_LINE,    /* sub-core: gets a line */
	EVENT_DATA,    /* operation: the value is ready for the link */
	EVENT_DONE,    /* operation: the value is in the register file */
	EVENT_READ     /* operation: its sources have been read */
};

struct core_event {
	uint64_t due, what;
	uint16_t next, id;
	uint8_t kind;
};

/* Beside a struct winst of variable latency, under the same handle. */
struct core_op {
	uint64_t seen_at; /* when the last hit of its accesses is ready */
	uint64_t read_at; /* when its sources are read; 0: not known */
	uint32_t left;    /* accesses to come, and 1 while there are more to make */
	uint32_t group;   /* LDGSTS */
	uint8_t sub;
	uint8_t link;        /* cycles that the result takes */
	uint8_t write, read; /* counters + 1 to lower, 0: none */
	bool readers;        /* its sources are marked */
	bool keeps;          /* them until it ends */
};

struct pipe_slot {
	uint64_t due;  /* of the lookup */
	uint32_t at;   /* next access */
	uint32_t late; /* cycles that bank passes add to a hit */
	uint16_t op;
	bool bypass;
	struct access_list list;
};

struct core_counts {
	uint64_t stall[N_CORE_STALLS];
	uint64_t fetches, l0_misses, stream_hits, prefetches;
	uint64_t reuse_hits, bank_waits;
	uint64_t queue_cycles; /* memory places taken, summed over cycles */
};

struct core {
	const struct modern_params *p;
	const struct core_inst *inst; /* by code handle */
	const struct sass_latency *latency;
	uint32_t subs;
	const uint8_t (
		*distance)[N_SASS_OPERANDS + 1]; /* by class of the writer and by who comes behind it */
	uint32_t longest;                        /* of these */
	uint64_t due[MAX_SUBS];                  /* of sub-cores */
	struct subcore sub[MAX_SUBS];
	struct core_warp *warp; /* by slot */
	struct core_op *op;     /* by winst handle */
	/* calendar */
	struct core_event *event; /* [0] unused */
	uint16_t event_free, event_made;
	uint16_t slot_first[EVENT_SLOTS], slot_last[EVENT_SLOTS];
	uint64_t slot_used[EVENT_SLOTS / 64];
	uint32_t n_events;
	/* memory pipeline */
	uint64_t mem_due;   /* next cycle in which it can do anything */
	uint64_t accept_at; /* when the data port is free */
	uint64_t fp64_free; /* the shared unit */
	uint32_t round;     /* sub-core that is asked first */
	uint32_t waiting;   /* mask of sub-cores that have instructions for it */
	uint32_t prt;       /* entries taken */
	uint32_t pipe_head, pipe_count;
	struct pipe_slot *pipe;
	uint64_t l1d_seen;     /* clock up to which the L1D's ports were sampled */
	uint32_t const_kernel; /* uid of the kernel whose constants are here, 0: none */
	bool const_cold;       /* they are on their way */
	uint16_t cold_op;      /* waits for them, the first of a list by winst.next */
	/* instruction cache of the SM */
	uint64_t l1i_slot, l1i_reply; /* next free ones */
	bool l1i_busy;                /* something to step */
	uint16_t stream;              /* of the CTA placed last */
	uint64_t started_at;          /* when its last warp starts */
	struct core_counts n;
};

/* core.c */
void core_new(struct sm *s); /* sets s->modern */
void core_delete(struct sm *s);
void core_tick(struct sm *s, uint64_t now); /* the SM's cycle, as sm_tick() */
void core_sync(struct sm *s, uint64_t now); /* it slept: the cycles before now, not now's */
void core_flush_counters(struct sm *s);     /* every lazily kept counter up to date */
void core_place(struct sm *s, const struct cta *k, uint16_t stream); /* a CTA has got its records and warps */
/* A kernel has ended: what it has in instruction and constant caches is void. In the serial end. */
void core_kernel_end(struct sm *s);

/* event.c */
void core_event_put(struct sm *s, uint64_t due, enum event_kind kind, unsigned id, uint64_t what);
void core_events(struct sm *s);               /* those due at s->clock */
uint64_t core_event_next(const struct sm *s); /* NEVER: none */

/* warp.c */
void core_warp_place(struct sm *s, unsigned w, const struct kernel *k);
void core_warp_start(struct sm *s, unsigned w);
/* Its head is ripe at that clock, or waits for an event. */
void core_warp_schedule(
	struct sm *s, struct core_warp *cw, const struct core_inst *head, uint64_t at, unsigned why);
void core_warp_wait(struct sm *s, struct core_warp *cw, const struct core_inst *head, unsigned why);
void core_warp_no_head(struct sm *s, unsigned w, unsigned why);
void core_warp_end(struct sm *s, unsigned w, uint64_t t);
void core_warp_check_end(struct sm *s, unsigned w); /* something of it has completed */
void core_warp_reap(struct sm *s, unsigned w);
void core_wheel_turn(struct sm *s, struct subcore *b); /* those of this cycle become ripe */
uint64_t core_wheel_next(const struct sm *s, const struct subcore *b);

/* fetch.c */
bool core_fetch(struct sm *s, unsigned sub);    /* true: there is more in the next cycle */
void core_fetch_room(struct sm *s, unsigned w); /* the buffer or the path has changed */
void core_fetch_line(struct sm *s, unsigned sub, uint64_t line);
void core_l1i_access(struct sm *s, unsigned sub, uint64_t line);
void core_l1i_fill(struct sm *s, uint32_t req); /* where lines do not come through the network */
void core_l1i_step(struct sm *s);
void core_l1i_filled(struct sm *s); /* outside the cycle */
void core_fetch_flush(struct sm *s);

/* depend.c */
void core_schedule_head(struct sm *s, unsigned w);  /* when may the head of w issue? */
bool core_may_issue_now(struct sm *s, unsigned w); /* may it, now, a fragile one? */
void core_depend_issue(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, struct core_op *op);
void core_release(struct sm *s, unsigned w, const struct core_inst *in); /* results are there */
void core_sources_read(struct sm *s, unsigned w, const struct core_inst *in);
void core_counter_down(struct sm *s, unsigned w, unsigned counter);
const struct core_control *core_control_of(const struct core_warp *cw, uint32_t pc);

/* issue.c, regfile.c */
uint64_t core_issue(struct sm *s, unsigned sub); /* when a ripe warp may be tried again, NEVER: none */
void core_idle(struct sm *s, unsigned sub);
void core_count_stall(struct sm *s, unsigned sub, uint64_t until); /* cycles from seen to until, by reason */
/* Cycles that the reads of w's head wait for banks; it counts as issued after them. reuse: mask of slots. */
uint64_t core_register_wait(
	struct sm *s, struct subcore *b, unsigned w, const struct core_inst *in, unsigned reuse);

/* passes.c */
uint32_t core_passes(struct sm *s, const struct winst *w); /* at least 1 */

/* unit.c, memory.c */
void core_unit_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_cycle(struct sm *s);
void core_memory_data(struct sm *s, uint16_t h);
void core_memory_done(struct sm *s, uint16_t h);
void core_memory_read(struct sm *s, uint16_t h);
void core_memory_constants(struct sm *s); /* the first of a kernel have come */
void core_sample_ports(struct sm *s);

/* sync.c */
void core_sync_issue(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, uint16_t h);
void core_sync_exit(struct sm *s, unsigned w, uint64_t t);
void core_sync_completed(struct sm *s, unsigned w); /* an access of w is done: fences may end */
void core_sync_counter(struct sm *s, unsigned w);   /* a dependence counter has gone down */
void core_ldgsts_done(struct sm *s, unsigned w, uint32_t group);

static inline struct core_warp *core_warp_of(struct sm *s, unsigned w) { return &s->modern->warp[w]; }

/* A sub-core has something to do at that clock. */
static inline void core_due(struct core *c, unsigned sub, uint64_t at)
{
	if (at < c->due[sub])
		c->due[sub] = at;
}

/* Cycles of a sub-core before until, by reason. */
static inline void core_account(struct sm *s, unsigned sub, uint64_t until)
{
	if (until > s->modern->sub[sub].seen)
		core_count_stall(s, sub, until);
}

/* An event has come: the same as core_schedule_head() where w waits for one and this may have been it. */
static inline void core_reschedule(struct sm *s, unsigned w)
{
	const struct core_warp *cw = core_warp_of(s, w);

	if (cw->waits && !(cw->held_by && *cw->held_by))
		core_schedule_head(s, w);
}

/* Record i of a warp. */
static inline const struct core_inst *core_inst_at(const struct sm *s, const struct warp *p, uint32_t i)
{
	return &s->modern->inst[p->rec[i].inst];
}

/*
 * Does b lie behind a in memory? Before Volta an instruction has 8 bytes, and 8 of control codes stand in
 * front of every third (Kepler: seventh); since Volta both are in its 16.
 */
static inline bool core_follows(const struct core_inst *a, const struct core_inst *b)
{
	return b->pc > a->pc && b->pc - a->pc <= 16;
}

#endif
