/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modern SM core (trace-sim-core(7)): state of one SM's sub-cores, shared by the stages of this directory. It
 * replaces the pipeline of sm/ and shares everything else with it: thread blocks and their records, the L1 data
 * cache and the memory below, and all counters of struct sm.
 *
 * Always true:
 *  - Times are values of s->clock. An instruction is issued at t. All its later times follow from t or are events
 *    in the calendar. No latch is moved from cycle to cycle.
 *  - Warps of a sub-core have ranks, the youngest the highest. Masks of a sub-core are over ranks.
 *  - A warp is in exactly one state: without an instruction (in no mask), ripe, in the wheel under the first cycle
 *    in which it may issue, or waiting for an event that reschedules it.
 *  - due of a sub-core is the next cycle in which it can do anything. Code that changes its state lowers due.
 *  - A warp in the wheel stays there until its time. Only waiting warps are rescheduled.
 */
#ifndef CORE_H
#define CORE_H

#include <string.h>
#include "gmma.h"
#include "lsu/ldst.h"
#include "sass.h"
#include "sm/sm.h"

#define RANKS        64
#define WHEEL        64 /* cycles that the wheel reaches ahead */
#define EVENT_SLOTS  256
#define EVENTS_MAX   65535u
#define MEM_PLACES   64
#define CONST_SUB    0xff /* requester of constants at the L1I, in place of a sub-core */
#define TAG_BANKS    32
#define L1_PIPE      64 /* instructions between the SM's acceptance and the L1 lookup */
#define BUFFER_SLOTS 8
#define STREAM_SLOTS 64
#define LDGSTS_SLOTS 64
#define COUNTERS     6   /* dependence counters of a warp */
#define GMMA_AHEAD   32u /* products that a warp may be ahead of its warpgroup */

/* ---- static instructions --------------------------------------------------------------------- */

enum core_flag {
	INST_FIXED = 1 << 0,   /* ends a fixed time after issue */
	INST_SETS_P = 1 << 1,  /* writes predicates */
	INST_READS_P = 1 << 2, /* a branch or an exit */
	INST_BARRIER = 1 << 3,
	INST_MEMBAR = 1 << 4,
	INST_LDGDEPBAR = 1 << 5,
	INST_DEPBAR = 1 << 6,
	INST_LDGSTS = 1 << 7,
	INST_RFC = 1 << 8,    /* operands go through the register file cache */
	INST_LDSM_N = 1 << 9, /* LDSM of several matrices, or STSM */
	INST_GMMA = 1 << 10,
	INST_GMMA_WAIT = 1 << 11,
	INST_SYNC = 1 << 12, /* uop.sync */
	INST_BULK = 1 << 13, /* bulk copy */
	INST_GANG_ARRIVE = 1 << 14,
	INST_GANG_WAIT = 1 << 15,
	INST_SPECIAL = INST_BARRIER | INST_MEMBAR | INST_LDGDEPBAR | INST_DEPBAR | INST_LDGSTS | INST_GMMA |
		       INST_GMMA_WAIT | INST_SYNC | INST_GANG_ARRIVE | INST_GANG_WAIT
};

enum core_path { PATH_NONE, PATH_ACCESS, PATH_CONST, PATH_EXCHANGE };

#define READ_OVERWRITE N_SASS_OPERANDS /* a destination among the operands */

struct core_source {
	uint16_t reg;
	uint8_t read; /* enum sass_operand, or READ_OVERWRITE */
	uint8_t slot; /* operand slot: a, b, c as 0, 1, 2 */
};

struct core_inst {
	const struct core_source *src; /* every register of every span except RZ; then core_dst() */
	uint32_t pc;
	uint32_t groups;   /* DEPBAR: number of groups that may stay open */
	uint16_t flags;    /* enum core_flag */
	uint16_t interval; /* initiation interval of its unit */
	int16_t later;     /* added to t for its readers: matrix instructions of older GPUs */
	uint16_t done;     /* INST_FIXED: cycles until it has left the pipeline */
	uint8_t n_src, n_dst;
	uint8_t class, unit; /* enum sass_class, enum core_unit */
	uint8_t path;        /* enum core_path, of CORE_MEMORY */
	uint8_t port;        /* cycles that it keeps the issue port beyond its own */
	uint8_t regs;        /* registers of the result, for the link */
	uint8_t scope;       /* fences: index into modern_params.membar */
	/* product of a warpgroup: cycles in which A is read from registers; 0: A is in shared memory */
	uint8_t link;
	uint16_t reads;   /* the same: cycles that shared memory delivers its operands */
	uint16_t a_reads; /* the same: A among them */
};

static inline const struct core_source *core_dst(const struct core_inst *in) { return in->src + in->n_src; }

/* Control code of one instruction, as the assembler wrote it. */
struct core_control {
	uint8_t stall, write, read, wait; /* write, read: counter, 7 none; wait: mask */
	uint8_t reuse;                    /* mask of slots */
	bool yield, guarded;
	uint8_t slot[3];                                  /* registers in the slots a, b and c */
	uint8_t depbar_counter, depbar_most, depbar_list; /* operands of DEPBAR.LE */
};

/* decode.c: static instructions by handle, decoded together with their uops. */
struct core_code;
struct core_code *core_code_new(const struct params *p);
void core_code_free(struct core_code *c);
/* Decodes code_at(code, h) into entry h; handles come in ascending order. */
void core_code_add(struct core_code *c, uint32_t h, const struct inst *in, const struct uop *u);

/* ---- warps ------------------------------------------------------------------------------------ */

/* Reasons why a warp does not issue, the nearest to issuing first. Idle cycles of a sub-core have the same reasons. */
enum core_stall {
	STALL_UNIT,    /* the unit or its queue is occupied */
	STALL_RESULT,  /* the result queue is full */
	STALL_DEPEND,  /* a register, predicate or dependence counter */
	STALL_WAR,     /* a register that an earlier instruction has yet to read */
	STALL_FENCE,   /* DEPBAR, LDGDEPBAR */
	STALL_BARRIER, /* barrier or memory fence */
	STALL_COUNT,   /* stall count, yield */
	STALL_JUMP,    /* redirect after a taken branch */
	STALL_FETCH,   /* no instruction in the buffer */
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
	const struct core_inst *head;              /* oldest instruction of the buffer */
	const struct core_inst *next;              /* next instruction to fetch */
	uint64_t next_issue;                       /* earliest time of the next issue */
	uint64_t hold_from, hold_until;            /* no issue from, until; NEVER: until an event */
	uint64_t pass_until; /* at a barrier: end of the cycles in which warp-local instructions may issue */
	uint64_t ready_at;   /* earliest issue time of a warp that is ripe or in the wheel */
	uint64_t quiet_at;   /* time of the last result of fixed latency */
	uint64_t predicate_at;  /* time at which the last predicate was set */
	uint64_t line;          /* line of the last hit in the L0, valid in the generation below */
	uint64_t code_base;     /* first PC of the warp's kernel */
	const uint8_t *held_by; /* waiting warp: entry of pending or readers that must become 0; or NULL */
	uint32_t generation;
	uint32_t fetched;              /* records requested from the instruction cache */
	uint32_t last_mask;            /* lanes of the previous instruction; 0 after a branch */
	uint16_t n_pending, n_readers; /* sums of pending and of readers */
	uint8_t sub, rank;
	uint8_t stall;      /* enum core_stall, of a warp that is not ripe */
	uint8_t next_stall; /* reason of next_issue */
	uint8_t hold_stall; /* reason of the hold */
	uint8_t unit;       /* unit of the head, or of the previous head */
	uint8_t slot;       /* slot of the wheel */
	bool started;
	uint8_t predicate_class;   /* class that wrote the last predicate; SASS_NONE: none outstanding */
	uint8_t predicate_pending; /* instructions of variable latency that have yet to set a predicate */
	bool waits;                /* the warp waits for an event */
	bool fragile;              /* the conditions of its issue are tested again at issue */
	bool control;              /* dependences follow control codes */
	bool reaping;
	bool follows;                     /* the next record to fetch follows its predecessor in memory */
	bool late_reads;                  /* an issue may wait for register reads */
	const struct core_control *codes; /* by pc / 16; NULL: the function is not known */
	uint32_t n_codes;
	/* control codes */
	uint8_t counter[COUNTERS];
	uint8_t raised[COUNTERS]; /* increments by the previous instruction */
	uint64_t raised_at;
	uint8_t depbar_wait;    /* DEPBAR.LE: mask of counters that must be 0 */
	uint8_t depbar_counter; /* counter that must be at most depbar_most */
	uint8_t depbar_most;
	uint8_t depbar_steps; /* half of the stall count of the DEPBAR that holds the warp; 0: none */
	uint32_t fence_cycles;
	/* mbarriers, and fences for bulk copies */
	uint64_t sync_at;       /* issue of the last wait for an mbarrier */
	uint32_t sync_back;     /* cycles from the end of the phase to the warp's next instruction */
	uint32_t shared_stores; /* stores to shared memory in flight */
	bool shared_fence;      /* the warp is held until these are done */
	/* groups of LDGSTS */
	uint32_t first_group;                /* oldest open group */
	uint32_t group;                      /* current group */
	uint32_t fence_until;                /* groups below must be done */
	uint16_t group_left[LDGSTS_SLOTS];   /* copies in flight, by group modulo LDGSTS_SLOTS */
	uint8_t group_counter[LDGSTS_SLOTS]; /* dependence counter + 1 that closing raised */
	/* by register */
	uint64_t written[REG_LIMIT]; /* time << 8 | class of the last writer */
	uint8_t pending[REG_LIMIT];  /* results of variable latency in flight */
	uint8_t readers[REG_LIMIT];  /* reads in flight */
};

/* ---- sub-cores -------------------------------------------------------------------------------- */

struct mem_place {
	uint64_t ready; /* earliest acceptance by the SM, if it is the first in the queue */
	uint16_t op;
	uint8_t interval; /* interval of address calculation */
};

struct stream_buffer {
	uint64_t line[STREAM_SLOTS];
	uint64_t present; /* by slot */
	uint64_t next;    /* next line to request */
	uint32_t head, count;
	bool on;
};

struct subcore {
	uint64_t seen;      /* clock up to which cycles are accounted for */
	uint64_t port_free; /* time at which the issue port is free */
	/* masks over ranks */
	uint64_t ranked; /* live warps */
	uint64_t ripe;
	uint64_t needs_fetch;
	uint64_t has_head;
	uint64_t by_unit[N_CORE_UNITS];   /* warps with a head, by its unit */
	uint64_t by_stall[N_CORE_STALLS]; /* warps by reason; ripe warps by their previous reason */
	uint64_t wheel[WHEEL], wheel_used;
	uint64_t beyond_wheel;               /* warps in the wheel that are due in a later turn of it */
	uint64_t unit_free_at[N_CORE_UNITS]; /* time from which on the unit takes another instruction */
	uint64_t result_at;                  /* time at which the last result leaves the result queue */
	uint64_t link_free, sfu_free, misc_free;
	uint64_t bank_used[16]; /* t of the latest instruction that read the bank */
	int8_t greedy;          /* rank of the warp that issued last; -1: none */
	uint8_t ranks;          /* number of ranks given out */
	bool issued;            /* an instruction was issued in the last cycle */
	uint8_t idle;           /* enum core_stall of the cycles since seen */
	uint8_t warp_of[RANKS];
	uint64_t rfc[3][16]; /* by slot and bank: warp << 16 | register, 0: empty */
	/* memory queue */
	struct mem_place place[MEM_PLACES];
	uint32_t place_head, places;
	uint64_t place_freed; /* time of the last acceptance plus the time that its data takes */
	/* instruction cache */
	uint64_t *tag, *used; /* by set and way; tag is line address + 1 */
	uint64_t uses;
	uint32_t generation;
	uint64_t missing[RANKS];       /* requested lines, by slot */
	uint64_t missing_warps[RANKS]; /* warps that wait for the line, by slot */
	uint64_t missing_slots;        /* slots in use */
	struct stream_buffer stream;
};

/* ---- warpgroups ------------------------------------------------------------------------------- */

/* A product that not all warps have issued. */
struct core_joint {
	uint64_t at; /* issue of the last warp so far */
	const struct core_inst *inst;
	uint16_t op[GMMA_WARPS];
	uint8_t joined; /* warps, by number in the warpgroup */
};

struct core_warpgroup {
	uint32_t started;                    /* number of products that have started */
	uint32_t issued[GMMA_WARPS];         /* number of products, by warp */
	uint64_t held;                       /* warps that are GMMA_AHEAD products ahead */
	struct core_joint joint[GMMA_AHEAD]; /* by number modulo GMMA_AHEAD */
};

/* ---- one SM ----------------------------------------------------------------------------------- */

enum event_kind {
	EVENT_START,   /* warp: its CTA begins */
	EVENT_REAP,    /* warp: has ended and left the pipeline */
	EVENT_LOG,     /* warp: a result of fixed latency, for --events */
	EVENT_COUNTER, /* warp: a dependence counter goes down */
	EVENT_L1I,     /* sub-core: requests a line */
	EVENT_FILL,    /* a line comes to the SM, by request */
	EVENT_LINE,    /* sub-core: gets a line */
	EVENT_DATA,    /* operation: the value is ready for the link */
	EVENT_DONE,    /* operation: the value is in the register file */
	EVENT_READ     /* operation: its sources have been read */
};

struct core_event {
	uint64_t due;
	uint64_t operand; /* line, counter, request or pc, by kind */
	uint16_t next;
	uint16_t id; /* warp, sub-core or operation, by kind */
	uint8_t kind;
};

/* Operation of variable latency: extends the struct winst of the same handle. */
struct core_op {
	uint64_t last_hit_ready_at; /* time at which the last hit of its accesses is ready */
	uint64_t read_at;           /* time at which its sources are read; 0: not known */
	uint32_t accesses_left;     /* accesses in flight, plus 1 while there are more to make */
	uint32_t group;             /* LDGSTS */
	uint8_t sub;
	uint8_t link;        /* cycles of the result on the link */
	uint8_t write, read; /* counter + 1 to decrement; 0: none */
	bool readers;        /* the sources are marked in core_warp.readers */
	bool keeps_sources;  /* until the instruction ends */
};

struct pipe_slot {
	uint64_t due; /* time of the lookup */
	uint32_t next_access;
	uint32_t extra_cycles; /* cycles that bank passes add to a hit */
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
		*distance)[N_SASS_OPERANDS + 1]; /* cycles, by class of the writer and role of the reader */
	uint32_t longest;                        /* distance */
	uint64_t due[MAX_SUBS];                  /* due times of sub-cores */
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
	uint64_t mem_due;   /* next cycle in which the memory unit has work */
	uint64_t accept_at; /* time at which the data port is free */
	uint64_t fp64_free; /* time at which the shared double-precision unit is free */
	uint32_t round;     /* sub-core with the highest priority */
	uint32_t waiting;   /* mask of sub-cores with memory instructions */
	uint32_t prt;       /* entries in use */
	uint32_t pipe_head, pipe_count;
	struct pipe_slot *pipe;
	uint64_t ports_sampled_at; /* clock up to which the L1D's ports were sampled */
	uint32_t const_kernel;     /* uid of the kernel whose constants are loaded; 0: none */
	bool const_cold;           /* these constants are still being loaded */
	uint16_t cold_op;          /* first operation that waits for them; a list by winst.next */
	/* instruction cache of the SM */
	uint64_t l1i_slot, l1i_reply; /* time of the last request and of the last reply */
	bool l1i_busy;                /* the instruction cache must be stepped */
	uint16_t stream;              /* stream of the CTA placed last */
	uint64_t started_at;          /* time at which the last warp starts */
	/* matrix products of warpgroups */
	struct core_warpgroup *warpgroup; /* by slot of its first warp */
	uint64_t gmma_free;               /* time at which the tensor cores have ended their products */
	uint64_t gmma_reads_free;         /* time at which the operands of these products are read */
	struct core_counts n;
};

/* core.c */
void core_new(struct sm *s); /* sets s->modern */
void core_delete(struct sm *s);
void core_tick(struct sm *s, uint64_t now); /* runs a cycle, as sm_tick() does */
void core_sync(struct sm *s, uint64_t now); /* accounts for the cycles before now, through which it slept */
void core_flush_counters(struct sm *s);     /* brings every counter up to date */
void core_place(struct sm *s, const struct cta *k, uint16_t stream); /* starts the warps of a CTA */
/* Empties the instruction and constant caches after a kernel; called in the serial end. */
void core_kernel_end(struct sm *s);

/* event.c */
void core_event_put(struct sm *s, uint64_t due, enum event_kind kind, unsigned id, uint64_t operand);
void core_events(struct sm *s);               /* runs the events due at s->clock */
uint64_t core_event_next(const struct sm *s); /* time of the next event; NEVER: none */

/* warp.c */
void core_warp_place(struct sm *s, unsigned w, const struct kernel *k);
void core_warp_start(struct sm *s, unsigned w);
/* Makes the warp ripe at time `at`. */
void core_warp_schedule(
	struct sm *s, struct core_warp *cw, const struct core_inst *head, uint64_t at, unsigned why);
/* Makes the warp wait for an event. */
void core_warp_wait(struct sm *s, struct core_warp *cw, const struct core_inst *head, unsigned why);
void core_warp_no_head(struct sm *s, unsigned w, unsigned why);
void core_warp_end(struct sm *s, unsigned w, uint64_t t);
void core_warp_check_end(struct sm *s, unsigned w); /* schedules the reaping of a warp without work left */
void core_warp_reap(struct sm *s, unsigned w);
void core_wheel_turn(struct sm *s, struct subcore *b); /* makes the warps of this cycle ripe */
uint64_t core_wheel_next(const struct sm *s, const struct subcore *b); /* NEVER: the wheel is empty */

/* fetch.c */
bool core_fetch(struct sm *s, unsigned sub); /* true: there is more to fetch in the next cycle */
/* Requests a fetch for the warp if its buffer has a free entry; called when buffer or path has changed. */
void core_fetch_request(struct sm *s, unsigned w);
void core_fetch_line(struct sm *s, unsigned sub, uint64_t line);
void core_l1i_access(struct sm *s, unsigned sub, uint64_t line);
/* Fills the L1I with a line that does not come through the network. */
void core_l1i_fill(struct sm *s, uint32_t req);
void core_l1i_step(struct sm *s);
void core_l1i_filled(struct sm *s); /* notes a fill that arrives outside the cycle */
void core_fetch_flush(struct sm *s);

/* depend.c */
void core_schedule_head(struct sm *s, unsigned w); /* determines when the head of w may issue */
/* Tests a ripe, fragile warp again; false: it may not issue and has another state now. */
bool core_may_issue_now(struct sm *s, unsigned w);
void core_depend_issue(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, struct core_op *op);
/* Releases the registers of an instruction whose results are written. */
void core_release(struct sm *s, unsigned w, const struct core_inst *in);
void core_sources_read(struct sm *s, unsigned w, const struct core_inst *in);
void core_counter_down(struct sm *s, unsigned w, unsigned counter);
const struct core_control *core_control_of(const struct core_warp *cw, uint32_t pc);

/* issue.c, regfile.c */
uint64_t core_issue(struct sm *s, unsigned sub); /* time of the next attempt with a ripe warp; NEVER: none */
void core_idle(struct sm *s, unsigned sub);
void core_count_stall(
	struct sm *s, unsigned sub, uint64_t until); /* counts cycles from seen to until by reason */
/* Cycles that the head of w waits for register banks before it counts as issued. reuse: mask of slots. */
uint64_t core_register_wait(
	struct sm *s, struct subcore *b, unsigned w, const struct core_inst *in, unsigned reuse);

/* passes.c */
/* Returns the passes of an access through shared memory, at least 1. */
uint32_t core_passes(struct sm *s, const struct winst *w);

/* unit.c, memory.c */
void core_unit_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_cycle(struct sm *s);
void core_memory_data(struct sm *s, uint16_t h);
void core_memory_done(struct sm *s, uint16_t h);
void core_memory_read(struct sm *s, uint16_t h);
void core_memory_constants(struct sm *s); /* the first constants of a kernel have arrived */
void core_sample_ports(struct sm *s);
void core_memory_port(struct sm *s, uint32_t cycles); /* occupies the data port */

/* remote.c */
/* Returns whether the generic access of w reaches shared memory of another block of its gang. */
bool core_remote_reaches(const struct sm *s, const struct winst *w);
void core_remote_accept(struct sm *s, uint16_t h);
/* Occupies the data port for `passes` cycles for another SM. Returns the cycles until the access is done. */
uint64_t core_remote_serve(struct sm *s, uint32_t passes);
void core_remote_data(struct sm *s, uint16_t h);   /* an answer for operation h has come */
void core_remote_stored(struct sm *s, unsigned w); /* a store of w has been acknowledged */

/* sync.c */
void core_sync_issue(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, uint16_t h);
void core_sync_exit(struct sm *s, unsigned w, uint64_t t);
void core_sync_completed(
	struct sm *s, unsigned w); /* an access of w is done: ends its fence if it was the last */
void core_sync_counter(struct sm *s, unsigned w); /* a dependence counter was decremented */
void core_ldgsts_done(struct sm *s, unsigned w, uint32_t group);
/* SM accepted the operation on an mbarrier. */
void core_sync_accepted(struct sm *s, uint16_t h);
void core_sync_passed(struct sm *s, unsigned w);              /* the phase that the warp waits for is over */
void core_sync_stored(struct sm *s, unsigned w);              /* a store of w to shared memory is done */
void core_gmma_done(struct sm *s, unsigned w);                /* the oldest matrix product of w is done */
void core_sync_hold(struct sm *s, unsigned w, uint64_t from); /* until core_sync_release() */
void core_sync_release(struct sm *s, unsigned w, uint64_t at);

/* warpgroup.c */
void core_warpgroup_reset(struct core *c, const struct cta *k);
/* Joins the product of w's warpgroup with an instruction issued at t. */
void core_warpgroup_take(struct sm *s, unsigned w, const struct core_inst *in, uint16_t h, uint64_t t);
void core_warpgroup_exit(struct sm *s, unsigned w); /* w has ended: products need not wait for it */

static inline struct core_warp *core_warp_of(struct sm *s, unsigned w) { return &s->modern->warp[w]; }

static inline uint32_t core_div_up(uint32_t n, uint32_t by) { return (n + by - 1) / by; }

/* Makes a sub-core due at that time. */
static inline void core_due(struct core *c, unsigned sub, uint64_t at)
{
	if (at < c->due[sub])
		c->due[sub] = at;
}

/* Counts the cycles of a sub-core before until by reason. */
static inline void core_account(struct sm *s, unsigned sub, uint64_t until)
{
	if (until > s->modern->sub[sub].seen)
		core_count_stall(s, sub, until);
}

/* Calls core_schedule_head() if w waits for an event and this may have been it. */
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
 * Returns whether b follows a in memory. Before Volta an instruction has 8 bytes, and 8 bytes of control codes come
 * before every third one (Kepler: seventh). Since Volta both are in its 16 bytes.
 */
static inline bool core_follows(const struct core_inst *a, const struct core_inst *b)
{
	return b->pc > a->pc && b->pc - a->pc <= 16;
}

#endif
