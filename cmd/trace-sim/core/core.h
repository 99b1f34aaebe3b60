/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modern SM core (trace-sim-core(7)): state of one SM's sub-cores, shared by the stages of this directory. It
 * replaces the pipeline of sm/. Everything else is common to both: thread blocks and their records, the L1 data cache
 * and the memory below it, and all counters of struct sm.
 *
 * Always true:
 *  - Times are values of s->clock. All later times of an instruction follow from its issue time t, or from events in
 *    the calendar. No pipeline register is moved from cycle to cycle.
 *  - Warps of a sub-core have ranks; a younger warp has a higher rank. Bit masks of a sub-core are indexed by rank.
 *  - A warp is in exactly one state. It has no instruction (and is in no mask), is ready to issue, is in the timing
 *    wheel (in the slot of the first cycle in which it may issue), or waits for an event that reschedules it.
 *  - core.due[k] is the next cycle in which sub-core k has work. Code that gives it work earlier lowers due[k].
 *  - A warp in the wheel stays there until its time. Only waiting warps are rescheduled.
 */
#ifndef CORE_H
#define CORE_H

#include <string.h>
#include "gmma.h"
#include "lsu/ldst.h"
#include "sass.h"
#include "sm/sm.h"

#define RANKS          64
#define WHEEL          64 /* slots of the timing wheel of warps, one per cycle */
#define EVENT_SLOTS    256
#define EVENTS_MAX     65535u
#define MEM_PLACES     64
#define CONST_SUB      0xff /* sub-core number of requests to the L1I that are for constants */
#define TAG_BANKS      32
#define L1_PIPE        64 /* maximum number of instructions between acceptance by the SM and L1 lookup */
#define BUFFER_SLOTS   8
#define STREAM_SLOTS   64
#define STREAM_BUFFERS 8u
#define LDGSTS_SLOTS   64
#define COUNTERS       6 /* dependence counters of a warp */

/* ---- static instructions --------------------------------------------------------------------- */

enum core_flag {
	INST_FIXED = 1 << 0,   /* ends a fixed number of cycles after issue */
	INST_SETS_P = 1 << 1,  /* writes predicates */
	INST_READS_P = 1 << 2, /* reads a predicate: a branch or an exit */
	INST_BARRIER = 1 << 3,
	INST_MEMBAR = 1 << 4,
	INST_LDGDEPBAR = 1 << 5,
	INST_DEPBAR = 1 << 6,
	INST_LDGSTS = 1 << 7,
	INST_RFC = 1 << 8,    /* operands may come from the register file cache */
	INST_LDSM_N = 1 << 9, /* LDSM of several matrices, or STSM */
	INST_GMMA = 1 << 10,
	INST_GMMA_WAIT = 1 << 11,
	INST_SYNC = 1 << 12, /* uop.sync */
	INST_BULK = 1 << 13, /* bulk copy */
	INST_GANG_ARRIVE = 1 << 14,
	INST_GANG_WAIT = 1 << 15,
	INST_SPECIAL = INST_BARRIER | INST_MEMBAR | INST_LDGDEPBAR | INST_DEPBAR | INST_LDGSTS | INST_GMMA |
		       INST_GMMA_WAIT | INST_BULK | INST_SYNC | INST_GANG_ARRIVE | INST_GANG_WAIT
};

enum core_path { PATH_NONE, PATH_ACCESS, PATH_CONST, PATH_EXCHANGE };

#define READ_OVERWRITE N_SASS_OPERANDS /* role of a destination; the other roles are enum sass_operand */

struct core_source {
	uint16_t reg;
	uint8_t read; /* role of the register: enum sass_operand, or READ_OVERWRITE */
	uint8_t slot; /* operand slot: a, b, c as 0, 1, 2 */
};

struct core_inst {
	const struct core_source *src; /* one entry for each source register except RZ, then the destinations */
	uint32_t pc;
	uint32_t groups;   /* DEPBAR: number of groups that may remain open */
	uint16_t flags;    /* enum core_flag */
	uint16_t interval; /* initiation interval of the instruction's unit */
	int16_t result_delay; /* matrix instructions of older GPUs: cycles by which the result is later for readers */
	uint16_t pipeline_cycles; /* INST_FIXED: cycles from issue to the end of the pipeline */
	uint8_t n_src, n_dst;
	uint8_t class;       /* enum sass_class */
	uint8_t first_class; /* class of the first result register: SASS_IMAD_LOW for IMAD.WIDE, else `class` */
	uint8_t unit;        /* enum core_unit */
	uint8_t path;        /* CORE_MEMORY: enum core_path */
	uint8_t extra_port_cycles; /* cycles for which the issue port is occupied after the first */
	uint8_t result_regs;       /* number of result registers that the link carries */
	uint8_t scope;             /* memory fence: index into modern_params.membar */
	/* product of a warpgroup: cycles in which the link carries A from registers; 0: A is in shared memory */
	uint8_t link_cycles;
	/* warpgroup product: cycles in which shared memory delivers the operands */
	uint16_t shared_read_cycles;
	uint16_t a_read_cycles; /* warpgroup product: cycles in which shared memory delivers A */
};

static inline const struct core_source *core_destinations(const struct core_inst *in)
{
	return in->src + in->n_src;
}

/* Control code of one instruction, as in machine code. */
struct core_control {
	uint8_t stall; /* stall count */
	uint8_t write; /* counter that the result decrements; 7: none */
	uint8_t read;  /* counter that the source reads decrement; 7: none */
	uint8_t wait;  /* mask of dependence counters that must be 0 */
	uint8_t reuse; /* mask of operand slots kept in the register file cache */
	bool yield, guarded;
	uint8_t slot[3];                                   /* registers of the operand slots a, b and c */
	uint8_t depbar_counter, depbar_limit, depbar_list; /* operands of DEPBAR.LE */
};

/* decode.c: static instructions by handle, decoded together with their uops. */
struct core_code;
struct core_code *core_code_new(const struct params *p);
void core_code_free(struct core_code *c);
/* Decodes instruction `in`, with the handle h, into entry h. Must be called with ascending handles. */
void core_code_add(struct core_code *c, uint32_t h, const struct inst *in, const struct uop *u);

/* ---- warps ------------------------------------------------------------------------------------ */

/*
 * Reasons why a warp does not issue, from the nearest to issuing to the farthest. They are also the reasons for idle
 * cycles of a sub-core.
 */
enum core_stall {
	STALL_UNIT,    /* the unit of the instruction, or its queue, is occupied */
	STALL_RESULT,  /* the result queue is full */
	STALL_DEPEND,  /* waits for a register, predicate or dependence counter */
	STALL_WAR,     /* an earlier instruction has yet to read the overwritten register */
	STALL_FENCE,   /* waits at DEPBAR or LDGDEPBAR */
	STALL_BARRIER, /* waits at a barrier or memory fence */
	STALL_COUNT,   /* stall count or yield of the previous instruction */
	STALL_JUMP,    /* fetch is redirected after a taken branch */
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
	/* instructions of the records in the buffer; record i is in slot i % BUFFER_SLOTS */
	struct core_buffered buffer[BUFFER_SLOTS];
	const struct core_inst *head;       /* oldest instruction of the buffer */
	const struct core_inst *next_fetch; /* next instruction to fetch */
	uint64_t next_issue;                /* earliest time of the next issue */
	uint64_t hold_from;                 /* start of the interval in which the warp must not issue */
	uint64_t hold_until;                /* end of this interval; NEVER: an event ends it */
	/* at a barrier: time until which instructions that affect only this warp may issue */
	uint64_t local_insts_until;
	uint64_t ready_at;       /* earliest issue time of a warp that is ready or in the wheel */
	uint64_t last_result_at; /* time of the last result of fixed latency */
	uint64_t predicate_at;   /* time at which the last predicate was set */
	uint64_t line;      /* line of the last L0 hit; valid if `generation` equals that of the sub-core */
	uint64_t code_base; /* address of pc 0 of the warp's kernel */
	const uint8_t *held_by; /* entry of `pending` or `readers` that must become 0; or NULL */
	uint32_t generation;
	uint32_t fetched;   /* records requested from the instruction cache */
	uint32_t last_mask; /* active lanes of the previous instruction; 0 after a branch */
	uint16_t n_pending; /* sum of pending[] */
	uint16_t n_readers; /* sum of readers[] */
	uint8_t sub, rank;
	uint8_t stall;      /* stall reason of a warp that is not ready */
	uint8_t next_stall; /* stall reason until next_issue */
	uint8_t hold_stall; /* stall reason until hold_until */
	uint8_t unit;       /* unit of the head; without a head, of the previous one */
	uint8_t slot;       /* wheel slot that contains the warp */
	bool started;
	uint8_t predicate_class;   /* class of the last writer of a predicate; SASS_NONE: none outstanding */
	uint8_t predicate_pending; /* number of instructions that have yet to set a predicate */
	bool waits_for_event;      /* true if the warp waits for an event */
	bool retest_at_issue;    /* true if a ready head may become blocked again, so it is tested at issue */
	bool control;            /* true if dependences follow from control codes */
	bool reaping;            /* true while EVENT_REAP is in the calendar */
	bool next_is_sequential; /* true if the next record to fetch follows its predecessor in memory */
	bool may_wait_for_reads; /* true if an issue may wait for register reads */
	const struct core_control *codes; /* control codes, indexed by pc / 16; NULL: none */
	uint32_t n_codes;
	/* control codes */
	uint8_t counter[COUNTERS];  /* dependence counters */
	uint8_t raised[COUNTERS];   /* increments of the counters by the previous instruction */
	uint64_t previous_issue_at; /* issue time of the previous instruction */
	uint8_t depbar_wait;        /* DEPBAR.LE: mask of counters that must be 0 */
	uint8_t depbar_counter;     /* DEPBAR.LE: counter that must be at most depbar_limit */
	uint8_t depbar_limit;
	uint8_t depbar_steps;  /* half of the stall count of the DEPBAR that holds the warp; 0: none */
	uint32_t fence_cycles; /* cycles of a memory fence after the last access before it has ended */
	uint8_t fence_scope;   /* its scope, core_inst.scope */
	/* mbarriers, and fences for bulk copies */
	uint64_t mbarrier_wait_at; /* issue time of the last wait for an mbarrier */
	uint32_t resume_delay;     /* cycles from the end of an mbarrier phase to the next instruction */
	uint32_t shared_stores;    /* number of stores to shared memory in flight */
	uint32_t unsent_stores;    /* number of writes that wait in the miss queue of the L1 */
	bool shared_fence;         /* true while the warp is held until shared_stores is 0 */
	/* USETMAXREG */
	uint32_t registers;        /* number of registers of each thread */
	uint32_t wanted_registers; /* warp in sm.maxreg_wait: number of registers of each thread that it waits for */
	/* groups of LDGSTS */
	uint32_t first_group; /* oldest open group */
	uint32_t group;       /* current group */
	uint32_t fence_until; /* DEPBAR: the warp waits until all groups with lower numbers are done */
	uint16_t group_left[LDGSTS_SLOTS];   /* number of copies in flight, at group % LDGSTS_SLOTS */
	uint8_t group_counter[LDGSTS_SLOTS]; /* 1 + dependence counter of the group's LDGDEPBAR; 0: none */
	/* by register */
	uint64_t written[REG_LIMIT]; /* result time of the last writer << 8 | its class */
	uint8_t pending[REG_LIMIT];  /* number of results of variable latency in flight */
	uint8_t readers[REG_LIMIT];  /* number of reads in flight */
};

/* ---- sub-cores -------------------------------------------------------------------------------- */

/* An entry of a sub-core's memory queue. */
struct mem_place {
	uint64_t ready;   /* earliest time of acceptance, once the entry is first in the queue */
	uint16_t op;      /* handle of the operation */
	uint8_t interval; /* number of cycles of the address calculation */
};

/* A buffer of prefetched lines. An active one requests the lines after the last one that it has requested. */
struct stream_buffer {
	uint64_t line[STREAM_SLOTS];
	uint64_t present;   /* mask of the slots whose line has arrived */
	uint64_t next_line; /* next line to request */
	uint64_t last_use;  /* time of its last restart or of the last line that was taken from it */
	uint32_t head, count;
	bool active;
};

struct subcore {
	uint64_t counted_until; /* time up to which the cycles are counted by stall reason */
	uint64_t port_free;     /* time at which the issue port is free */
	/* masks of warps, indexed by rank */
	uint64_t ranked; /* live warps */
	uint64_t ready_warps;
	uint64_t needs_fetch;
	uint64_t has_head;
	uint64_t by_unit[N_CORE_UNITS];   /* warps whose head needs the unit */
	uint64_t by_stall[N_CORE_STALLS]; /* warps by stall reason; a ready warp keeps its previous one */
	uint64_t wheel[WHEEL], wheel_used;
	uint64_t beyond_wheel;               /* warps in the wheel that are due only in a later revolution */
	uint64_t unit_free_at[N_CORE_UNITS]; /* time from which the unit accepts another instruction */
	uint64_t result_at;                  /* time at which the last result leaves the result queue */
	uint64_t link_free_at, sfu_free_at, misc_free_at;
	uint64_t bank_used[16]; /* issue time of the latest instruction that read the bank */
	int8_t greedy;          /* rank of the warp that issued last; -1: none */
	uint8_t ranks;          /* number of assigned ranks */
	bool issued;            /* true if an instruction was issued in the last cycle */
	uint8_t idle;           /* stall reason of the cycles since `counted_until` */
	uint8_t warp_of[RANKS];
	uint64_t rfc[3][16]; /* register file cache, by slot and bank: warp << 16 | register; 0: empty */
	/* memory queue */
	struct mem_place mem_queue[MEM_PLACES];
	uint32_t mem_queue_head, mem_queue_count;
	/* time of the last acceptance plus the cycles of that entry's data on the link */
	uint64_t mem_queue_free_at;
	/* instruction cache */
	uint64_t *tag;  /* line address + 1, by set and way */
	uint64_t *used; /* number of the last use, by set and way */
	uint64_t uses;
	uint32_t generation;
	uint64_t missing[RANKS];       /* requested lines, by slot */
	uint64_t missing_warps[RANKS]; /* warps that wait for the line, by slot */
	uint64_t missing_slots;        /* slots in use */
	struct stream_buffer stream[STREAM_BUFFERS];
	uint32_t active_streams; /* number of active stream buffers */
};

/* ---- warpgroups ------------------------------------------------------------------------------- */

/* The product of a warpgroup that some but not all of its warps have issued. */
struct core_joint {
	uint64_t issued_at; /* time of the latest issue of the product by a warp */
	const struct core_inst *inst;
	uint16_t op[GMMA_WARPS]; /* handles of the operations, by number of the warp in the warpgroup */
	uint8_t joined; /* mask of the warps that have issued the product, by number in the warpgroup */
};

/* ---- one SM ----------------------------------------------------------------------------------- */

enum event_kind {
	EVENT_START,   /* the warp begins to fetch */
	EVENT_REAP,    /* the warp has ended and left the pipeline */
	EVENT_LOG,     /* the warp has a result of fixed latency, for --events */
	EVENT_COUNTER, /* a dependence counter of the warp is decremented */
	EVENT_L1I,     /* a line request of the sub-core reaches the L1I */
	EVENT_FILL,    /* a missing line arrives at the L1I after a fixed latency */
	EVENT_LINE,    /* a line arrives at the sub-core */
	EVENT_DATA,    /* the operation's value is ready for the link */
	EVENT_DONE,    /* the operation's value is in the register file */
	EVENT_READ     /* the operation's sources have been read */
};

struct core_event {
	uint64_t due_at;
	uint64_t operand; /* line, counter, request or pc, depending on kind */
	uint16_t next_event;
	uint16_t id; /* number of the warp, sub-core or operation, depending on kind */
	uint8_t kind;
};

/* An instruction of variable latency in flight; extends the struct winst of the same handle. */
struct core_op {
	uint64_t last_hit_ready_at; /* time at which the data of the last L1 hit is ready */
	uint64_t read_at;           /* time at which the sources are read; 0: not known */
	uint32_t accesses_left;     /* number of accesses in flight, plus 1 until all have been made */
	uint32_t group;             /* LDGSTS: number of the group of copies */
	uint8_t sub;
	uint8_t link_cycles;   /* cycles that the result takes on the link */
	uint8_t write_counter; /* 1 + counter that the result decrements; 0: none */
	uint8_t read_counter;  /* 1 + counter that the source reads decrement; 0: none */
	bool counts_readers;   /* true if reads are counted in core_warp.readers or by read_counter */
	bool reads_until_end;  /* true if the sources count as read only when the instruction ends */
};

/* An instruction between its acceptance by the SM and its L1 lookups. */
struct pipe_slot {
	uint64_t due_at; /* time of the lookup */
	uint32_t next_access;
	uint32_t extra_cycles; /* cycles that passes over the banks add to the latency of a hit */
	uint16_t op;
	bool bypass;
	struct access_list list;
};

struct core_counts {
	uint64_t stall[N_CORE_STALLS];
	uint64_t fetches, l0_misses, stream_hits, prefetches;
	uint64_t reuse_hits, bank_waits;
	uint64_t queue_cycles; /* number of occupied entries of memory queues, summed over cycles */
};

struct core {
	const struct modern_params *params;
	const struct core_inst *inst; /* static instructions, indexed by code handle */
	const struct sass_latency *latency;
	uint32_t subs;
	/* cycles by writer's class and reader's role, see core_code */
	const uint8_t (*issue_distance)[N_SASS_OPERANDS + 1];
	uint32_t longest_distance;     /* longest distance */
	uint64_t sub_due_at[MAX_SUBS]; /* next time at which a sub-core has work */
	struct subcore sub[MAX_SUBS];
	struct core_warp *warp; /* warps, indexed by slot */
	struct core_op *op;     /* operations, indexed by winst handle */
	/* calendar */
	struct core_event *event; /* events; [0] is unused */
	uint16_t event_free, event_made;
	uint16_t slot_first[EVENT_SLOTS], slot_last[EVENT_SLOTS];
	uint64_t slot_used[EVENT_SLOTS / 64];
	uint32_t n_events;
	/* memory pipeline */
	uint64_t mem_due;           /* next cycle in which the memory unit has work */
	uint64_t data_port_free_at; /* time at which the data port is free */
	uint64_t fp64_free;         /* time at which the shared double-precision unit is free */
	uint32_t first_sub;         /* sub-core with the highest priority */
	uint32_t waiting;           /* mask of sub-cores with memory instructions */
	uint32_t prt_used;          /* entries of the pending request table in use */
	uint32_t pipe_head, pipe_count;
	struct pipe_slot *pipe;
	uint64_t ports_sampled_at; /* clock up to which the L1D's ports were sampled */
	uint32_t const_kernel;     /* uid of the kernel whose constants are loaded; 0: none */
	bool const_cold;           /* true while the constants of const_kernel are being loaded */
	uint16_t first_const_waiter; /* first operation that waits for these constants; winst.next links the others */
	/* instruction cache of the SM */
	uint64_t l1i_request_at,
		l1i_reply_at; /* times of the last request to the L1I and of its last reply */
	bool l1i_busy;        /* true if core_l1i_step() must run in each cycle */
	uint16_t stream;      /* stream of the CTA placed last */
	uint64_t started_at;  /* time at which the last warp starts */
	/* times at which the last message of fences to the L2 leaves and returns */
	uint64_t fence_leaves_at, fence_returns_at;
	/* matrix products of warpgroups */
	struct core_joint *warpgroup; /* indexed by the slot of the warpgroup's first warp */
	uint64_t tensor_free_at;      /* time at which the tensor cores have finished all started products */
	/* time at which shared memory has delivered the operands of all started products */
	uint64_t shared_reads_free_at;
	struct core_counts n;
};

/* core.c */
void core_new(struct sm *s); /* sets s->modern */
void core_delete(struct sm *s);
void core_tick(struct sm *s, uint64_t now); /* runs a cycle, as sm_tick() does */
void core_count_slept_cycles(
	struct sm *s, uint64_t now);    /* counts the cycles before now in which the SM slept */
void core_flush_counters(struct sm *s); /* brings every counter up to date */
void core_place_cta(struct sm *s, const struct cta *k, uint16_t stream); /* starts the warps of a CTA */
/* Empties the instruction and constant caches after a kernel; called by one thread between cycles. */
void core_empty_caches(struct sm *s);

/* event.c */
void core_add_event(struct sm *s, uint64_t due, enum event_kind kind, unsigned id, uint64_t operand);
void core_run_due_events(struct sm *s);            /* runs the events due at s->clock */
uint64_t core_next_event_time(const struct sm *s); /* time of the next event; NEVER: none */

/* warp.c */
void core_warp_place(struct sm *s, unsigned w, const struct kernel *k);
void core_warp_start(struct sm *s, unsigned w);
/* Makes the warp, with instruction `head`, ready to issue at time `at`. `why` is its stall reason until then. */
void core_warp_schedule(
	struct sm *s, struct core_warp *cw, const struct core_inst *head, uint64_t at, unsigned why);
/* Makes the warp, with instruction `head`, wait for an event. */
void core_warp_wait(struct sm *s, struct core_warp *cw, const struct core_inst *head, unsigned why);
/* Notes that the warp has no instruction to issue. */
void core_warp_remove_head(struct sm *s, unsigned w, unsigned why);
void core_warp_end(struct sm *s, unsigned w, uint64_t t);
void core_warp_check_end(struct sm *s, unsigned w); /* schedules the reaping of a warp without work left */
void core_warp_write_sent(struct sm *s, const struct req *r); /* handles a request that leaves the L1 */
void core_warp_reap(struct sm *s, unsigned w);
void core_wheel_advance(struct sm *s, struct subcore *b); /* makes the warps due in this cycle ready */
/* Returns the time of the next occupied slot of the wheel; NEVER: the wheel is empty. */
uint64_t core_wheel_next_time(const struct sm *s, const struct subcore *b);

/* fetch.c */
/* Runs the fetch stage of a sub-core. Returns true if the stage has work in the next cycle, too. */
bool core_fetch_stage(struct sm *s, unsigned sub);
/* Makes the warp fetch if its buffer has a free entry. Called after an issue, and at the start of the warp. */
void core_fetch_request_next(struct sm *s, unsigned w);
/* Handles the arrival of a line from the L1I, or of constants if sub is CONST_SUB. */
void core_fetch_line_arrived(struct sm *s, unsigned sub, uint64_t line);
void core_l1i_access(struct sm *s, unsigned sub, uint64_t line);
/* Fills the L1I with the line of a request that did not use the network. */
void core_l1i_fill(struct sm *s, uint32_t req);
void core_l1i_step(struct sm *s);
void core_l1i_note_fill(struct sm *s); /* notes that the cluster has filled a line of the L1I */
void core_fetch_flush(struct sm *s);

/* depend.c */
void core_schedule_head(struct sm *s, unsigned w); /* determines when the head of w may issue */
/*
 * Tests the head of a ready warp again at issue. Returns false if the head must wait; the warp is then no longer
 * ready.
 */
bool core_may_issue_now(struct sm *s, unsigned w);
void core_depend_note_issue(
	struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, struct core_op *op);
/* Releases the registers of an instruction whose results are written. */
void core_release_results(struct sm *s, unsigned w, const struct core_inst *in);
void core_release_sources(struct sm *s, unsigned w, const struct core_inst *in);
void core_decrement_counter(struct sm *s, unsigned w, unsigned counter);
const struct core_control *core_control_of(const struct core_warp *cw, uint32_t pc);

/* issue.c, regfile.c */
/* Runs the issue stage of a sub-core. Returns the time of the next attempt with a ready warp; NEVER: none is ready. */
uint64_t core_issue_stage(struct sm *s, unsigned sub);
void core_set_idle_reason(struct sm *s, unsigned sub);
/* Counts the cycles of a sub-core from subcore.counted_until up to `until` by stall reason. */
void core_add_stall_cycles(struct sm *s, unsigned sub, uint64_t until);
/*
 * Returns the cycles by which reads of register banks delay the issue of `in`, the head of w. `reuse` is the mask of
 * operand slots that the register file cache keeps.
 */
uint64_t core_register_wait(
	struct sm *s, struct subcore *b, unsigned w, const struct core_inst *in, unsigned reuse);

/* passes.c */
/* Returns the number of passes over the data banks that the access of w takes, at least 1. */
uint32_t core_count_passes(struct sm *s, const struct winst *w);

/* unit.c, memory.c */
void core_unit_accept(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_enqueue(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t);
void core_memory_cycle(struct sm *s);
void core_memory_value_ready(struct sm *s, uint16_t h);
void core_memory_constants_arrived(struct sm *s); /* handles the arrival of a kernel's first constants */
void core_sample_ports(struct sm *s);
void core_memory_occupy_port(struct sm *s, uint32_t cycles); /* occupies the data port */

/* complete.c */
void core_complete_sources(struct sm *s, uint16_t h);
void core_complete_operation(struct sm *s, uint16_t h);

/* remote.c */
/* Returns true if the access of w is to shared memory of another thread block of its gang. */
bool core_is_remote_access(const struct sm *s, const struct winst *w);
void core_remote_accept(struct sm *s, uint16_t h);
/* Occupies the data port for `passes` cycles for another SM. Returns the cycles until the access is done. */
uint64_t core_remote_serve(struct sm *s, uint32_t passes);
void core_remote_handle_reply(struct sm *s, uint16_t h); /* handles a reply to operation h */
void core_remote_store_acked(struct sm *s, unsigned w);  /* handles the acknowledgement of a store of w */

/* maxreg.c */
/* Changes the registers of w, which issued USETMAXREG. Returns false if the warp must wait until registers are free. */
bool core_maxreg_change(struct sm *s, unsigned w, uint32_t registers);
void core_maxreg_warp_exit(struct sm *s, unsigned w); /* frees the registers of w */

/* sync.c */
void core_sync_issue_special(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, uint16_t h);
void core_sync_warp_exit(struct sm *s, unsigned w, uint64_t t);
/* Handles the end of an access of w. The last access ends the warp's fence. */
void core_sync_access_done(struct sm *s, unsigned w);
void core_sync_counter_changed(struct sm *s, unsigned w); /* handles a decremented dependence counter of w */
void core_ldgsts_done(struct sm *s, unsigned w, uint32_t group);
/* Handles the SM's acceptance of operation h on an mbarrier. */
void core_sync_op_accepted(struct sm *s, uint16_t h);
/* Handles the end of the mbarrier phase that w waits for. */
void core_sync_phase_ended(struct sm *s, unsigned w);
void core_sync_store_done(struct sm *s, unsigned w);   /* handles the end of a store of w to shared memory */
void core_gmma_product_done(struct sm *s, unsigned w); /* handles the end of the oldest matrix product of w */
/* Stops w from issuing at time `from`. core_sync_release_warp() lets it issue again at time `at`. */
void core_sync_hold_warp(struct sm *s, unsigned w, uint64_t from);
void core_sync_release_warp(struct sm *s, unsigned w, uint64_t at);

/* warpgroup.c */
void core_warpgroup_reset(struct core *c, const struct cta *k);
/* Adds instruction h of w, issued at t, to the product of w's warpgroup. */
void core_warpgroup_join(struct sm *s, unsigned w, const struct core_inst *in, uint16_t h, uint64_t t);
/* Handles the end of w, so that products no longer wait for it. */
void core_warpgroup_warp_exit(struct sm *s, unsigned w);

static inline struct core_warp *core_warp_of(struct sm *s, unsigned w) { return &s->modern->warp[w]; }

/* Returns the number of registers that a thread of a kernel gets: a multiple of 8. */
static inline uint32_t core_round_registers(uint32_t n) { return (n + 7) / 8 * 8; }

static inline uint32_t core_div_up(uint32_t n, uint32_t by) { return (n + by - 1) / by; }

/* Makes a sub-core run at time `at`, or earlier if it is already due. */
static inline void core_wake_subcore_at(struct core *c, unsigned sub, uint64_t at)
{
	if (at < c->sub_due_at[sub])
		c->sub_due_at[sub] = at;
}

/* Counts the cycles of a sub-core before `until` by stall reason, if they are not counted yet. */
static inline void core_count_cycles_before(struct sm *s, unsigned sub, uint64_t until)
{
	if (until > s->modern->sub[sub].counted_until)
		core_add_stall_cycles(s, sub, until);
}

/* Calls core_schedule_head() if w waits for an event that may have happened. */
static inline void core_reschedule_waiting(struct sm *s, unsigned w)
{
	const struct core_warp *cw = core_warp_of(s, w);

	if (cw->waits_for_event && !(cw->held_by && *cw->held_by))
		core_schedule_head(s, w);
}

/* Returns the instruction of record i of a warp. */
static inline const struct core_inst *core_inst_at(const struct sm *s, const struct warp *p, uint32_t i)
{
	return &s->modern->inst[p->rec[i].inst];
}

/*
 * Returns true if b follows a in memory. Before Volta an instruction has 8 bytes, and 8 bytes of control codes come
 * before every third instruction (Kepler: every seventh). Since Volta an instruction has 16 bytes, including its
 * control code.
 */
static inline bool core_follows_in_memory(const struct core_inst *a, const struct core_inst *b)
{
	return b->pc > a->pc && b->pc - a->pc <= 16;
}

#endif
