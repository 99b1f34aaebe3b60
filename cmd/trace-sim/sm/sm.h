/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One streaming multiprocessor: its state, and the stages that share it (trace-sim-sm(7)).
 * Who may include this: the SM's stage files (fetch, decode, issue, sched_*, scoreboard, barrier, ldgsts,
 * opcoll, execute, writeback, ldst*, coalesce, cluster), launch.c, and those that read counters.
 *
 * Always true:
 *  - A stage writes only this SM, and its cluster's port of the network; requests enter and leave by handle.
 *  - Predicates that schedulers ask for are bit masks over warp slots, kept current by whoever changes
 *    them; nothing is polled.
 *  - clock counts the cycles in which the SM existed (SM-cycle-1: an SM without a CTA does nothing at
 *    all, its clock stands still). Latencies inside the SM are reckoned in clock, cache time stamps in now.
 *  - A cycle that would change nothing but counters is not run: wake_at says when the next one is due. Nor are
 *    the stages before the units in a cycle in which only the load/store unit is at work. Such cycles are added
 *    up (still, ldst.counted), and what they count when the stages run next, or by sm_flush().
 */
#ifndef SM_H
#define SM_H

#include <stdbool.h>
#include <stdint.h>
#include "bits.h"
#include "cache/cache.h"
#include "instrument/events.h"
#include "net/net.h"
#include "params.h"
#include "request/req.h"
#include "fifo.h"
#include "inlining.h"
#include "trace.h"
#include "uop.h"

#define NEVER        UINT64_MAX
#define REG_WORDS    BITSET_WORDS(REG_LIMIT)
#define WINST_NONE   0u
#define MAX_BARRIERS 16   /* of a thread block */
#define SET_SLOTS    64   /* most slots of one pipeline register set */
#define CALENDAR     1024 /* > longest latency + 2 */
#define MAX_CUS      64   /* collector units in all sets */

struct kernel;
struct core; /* of core/ */
struct power_sm;
struct core_code;

/* ---- one warp instruction in flight: issue .. writeback ------------------------------------ */

struct winst {
	_Alignas(64) uint64_t uid; /* issue order within the SM; smaller is older */
	const struct uop *uop;
	struct func_unit *unit; /* in the calendar: the unit that took it */
	union {
		struct rec record;
		struct {
			uint32_t code; /* handle of uop and struct inst */
			uint32_t mask; /* active lanes */
			uint32_t addr; /* of struct rec */
		};
	};
	uint32_t rec;  /* number among the warp's records */
	uint16_t next; /* link in ID_OC, the calendar or the free list */
	uint8_t warp, sched, cta;
	uint8_t space; /* enum space, generic resolved at issue */
	uint8_t lanes; /* how many are active */
};

/* ---- pipeline registers (SM-reg) ----------------------------------------------------------- */

/* What waits for a kind of unit (OC_EX), and the collector units that hold what is to wait there. */
struct unit_in {
	uint64_t room, slots;    /* empty slots, all slots */
	uint64_t served;         /* in sub-core mode: slots that a unit of the kind empties */
	struct func_unit *units; /* of the kind, side by side */
	uint64_t bound, stuck; /* collector units: occupied; those of which no operand is missing but room */
	uint32_t bit;          /* of this set in the mask of sets that are not empty */
	uint16_t slot[SET_SLOTS]; /* winst handles */
};

/*
 * What waits for the collector (ID_OC): filled by issue and emptied from the oldest on, so it is a queue, a
 * list from the oldest on. Which slot an instruction has matters in sub-core mode only: there it is its
 * scheduler's.
 */
struct collector_in {
	uint64_t room;         /* empty slots */
	struct unit_in *units; /* what they wait for behind the collector */
	uint16_t *end;         /* where the next one's handle goes: first, or the link of the youngest */
	uint32_t bit;          /* of this set in the mask of sets that are not empty */
	uint16_t first;        /* the oldest; WINST_NONE: empty */
	uint8_t front;         /* its scheduler */
	uint8_t kind;          /* enum unit_kind */
};

/* ---- warps --------------------------------------------------------------------------------- */

struct ldgsts_entry {
	uint64_t lane0;
	uint32_t pc;
	uint32_t group;
	uint32_t pending;
	bool done;
};

/*
 * What most instructions touch stands first, in one cache line; the registers of most kernels in the next.
 * The records in the buffer are copied, as by the time they issue the trace's cache line would have to come
 * again.
 */
struct warp {
	_Alignas(64) const struct rec *rec; /* of the CTA's tblock */
	const struct uop *head; /* next instruction to issue, where the warp's bit in sm.ibuf is set */
	struct rec buffer[2];   /* the first `buffered` of them are those to issue */
	uint32_t cursor;        /* next record to decode; those buffered stand right before it */
	uint32_t n_recs;
	/* record whose issue ends the warp (interfaces: "a warp is finished when ...") */
	uint32_t last;
	uint32_t fetch_pc; /* quirk Q2-1: last issued PC and its length */
	uint32_t in_pipe;  /* instructions decoded and not yet out of the pipeline */
	uint16_t n_reserved;
	uint8_t buffered;   /* instructions in the buffer */
	uint8_t cta;        /* hardware CTA slot */
	uint64_t *reserved; /* own[], or in sm.registers */
	uint64_t own[2 * REG_WORDS];
	uint64_t *longop; /* behind reserved; for the two-level scheduler only */
	uint32_t stores;  /* outstanding store acknowledgements */
	uint32_t atomics; /* outstanding lanes of atomics */
	uint16_t stream;
	uint8_t lanes; /* threads of the CTA in this warp */
	/* LDGSTS groups (SM-async) */
	struct ldgsts_entry *entry;           /* room for every LDGSTS of the warp */
	uint32_t n_entries, n_groups, closed; /* closed: g, groups ended by LDGDEPBAR */
	uint32_t first_open;                  /* entries below are done */
	uint32_t dep_start, dep_n;
};

struct cta {
	struct kernel *kernel; /* NULL: free */
	uint64_t id;           /* linear, in launch order */
	struct tblock block;   /* its records; arrays are reused by the next CTA of the slot */
	uint64_t warps;        /* slots */
	/*
	 * by barrier, the warps that arrived; which have any.
	 * quirk Q2-7: every BAR of machine code is barrier 0
	 */
	uint64_t arrived[MAX_BARRIERS];
	uint32_t barriers;
	uint64_t running; /* warps the barrier waits for */
	uint32_t live_threads;
	uint32_t first_thread, threads;
	struct ldgsts_entry *entry;
	uint32_t cap_entries;
};

/* ---- operand collector (SM-coll) ----------------------------------------------------------- */

struct collector_unit {
	uint64_t slots; /* of OC_EX, that it may be sent to */
	uint64_t mates; /* units that may be sent there, itself among them */
	/* of a free one: the last ones */
	struct unit_in *target;
	uint16_t inst;
	uint8_t words; /* with operands still to be read */
};

/*
 * Register banks have a byte each in words of 8. Those that hold a scheduler's registers stand side by side,
 * from that byte of that word on; where their number does not divide 8, in words of their own.
 */
#define WORD_BANKS 8
#define BANK_WORDS MAX_SCHEDULERS
struct bank_place {
	uint8_t word, byte;
	uint8_t shift; /* of that byte in the word */
	uint64_t mask; /* bytes of the banks, where they are in one word */
};

/*
 * What a unit has still to read from the banks of a word: how many, by bank, each byte READS_NONE more, so that
 * its highest bit tells whether there are any; some byte has.
 */
#define READS_NONE 0x7f7f7f7f7f7f7f7full
#define READS_MAX  128
struct bank_reads {
	uint64_t left;
	uint8_t unit, word;
};

/* Input ports that are alike: same inputs, same sets of units. */
struct port_group {
	uint32_t inputs; /* by opcoll_input_bit() */
	uint32_t ports;
	/* units for instructions of a scheduler: to be taken first, and all */
	struct {
		uint64_t own, all;
	} units[MAX_SCHEDULERS];
};

struct opcoll {
	uint64_t free;         /* units */
	uint64_t ready;        /* occupied, no operand missing, and with room in OC_EX */
	bool may_allocate;     /* false: allocation found nothing to do, and nothing changed since */
	uint8_t per_slot;      /* units that stand for an OC_EX slot, 0: all for each */
	uint64_t slot_units;   /* those of slot 0 */
	uint8_t next[MAX_CUS]; /* where a dispatch unit that found the unit begins its next search */
	uint32_t n_units, n_groups;
	/*
	 * banks that hold a warp's registers, and less 1 where that
	 * is a power of 2
	 */
	uint32_t bank_span, bank_mask;
	bool banks_repeat; /* uop.bank_reads is what is read */
	struct bank_place place[MAX_SCHEDULERS];
	uint32_t n_words, span_words; /* of all banks, and of those of a warp's registers */
	uint32_t kinds;               /* enum collector_kind of the sets that have units */
	/*
	 * The highest bit of the bytes of idle banks: before a cycle's first step those that no write has taken;
	 * in a step those that no unit has asked either. Between the steps all are.
	 */
	bool any_busy;
	uint64_t idle[BANK_WORDS];
	struct collector_unit *unit; /* MAX_CUS */
	struct collector_set {
		uint64_t units;
		uint64_t allowed[MAX_SCHEDULERS]; /* for instructions of a scheduler */
		uint32_t n_dispatch;
		uint8_t *start; /* by dispatch unit: where its next search begins */
	} set[N_COLLECTORS];
	struct port_group group[N_COLLECTORS];
	/* A unit asks for all its operands when it is taken, so each bank serves its units in that order. */
	uint32_t n_waiting;
	struct bank_reads
		waiting[2 * MAX_CUS * MAX_BANKS / WORD_BANKS]; /* in the order in which they were asked */
};

/* ---- function units (SM-exec) -------------------------------------------------------------- */

struct func_unit {
	uint64_t free_at; /* clock from which on the dispatch register is empty */
	/* bit (clock + L) mod CALENDAR: a result reaches stage 0 then */
	uint64_t occupied[CALENDAR / 64];
};

/* ---- statistics ---------------------------------------------------------------------------- */

enum stall_type {
	STALL_C_MEM,
	STALL_T_MEM,
	STALL_S_MEM,
	STALL_G_MEM_LD,
	STALL_G_MEM_ST,
	STALL_L_MEM_LD,
	STALL_L_MEM_ST,
	N_STALL_TYPES
};
enum stall_reason { STALL_NONE, STALL_BK_CONF, STALL_COAL, STALL_ICNT, STALL_DATA_PORT, N_STALL_REASONS };

/* A cycle of a scheduler: nothing was issued, and why, or an instruction of n lanes (OCC_LANES + n). */
enum warp_occupancy {
	OCC_IDLE,
	OCC_SCOREBOARD,
	OCC_STALL,
	N_OCC_IDLE,            /* the kinds of cycle without an issue are below */
	OCC_LANES = OCC_STALL, /* no lane counts as a stall */
	N_OCC = OCC_LANES + 33
};

/* Cumulative over the run: the rows of counters.def, and those that are more than a number. */
struct sm_counts {
#define COUNTER(field, place, width, name, before) uint64_t field;
#include "counters.def"
#undef COUNTER
	uint64_t stall[N_STALL_TYPES][N_STALL_REASONS];
	uint64_t occupancy[N_OCC];
	uint64_t single_issue[MAX_SCHEDULERS], dual_issue[MAX_SCHEDULERS];
	uint64_t issue_hist[MAX_WARPS];  /* per slot (SM-sched-6) */
	uint64_t class_insts[N_CLASSES]; /* warp instructions completed, by class */
};

/* ---- the SM -------------------------------------------------------------------------------- */

/* What a scheduler's policy remembers; see scheduler.h. */
#define SCHED_BYTES 192
struct sched {
	_Alignas(8) unsigned char state[SCHED_BYTES];
};
struct sched_policy;
struct dependence_ops;

struct ldst; /* ldst.h */

struct sm {
	/* Masks over warp slots; see the invariant above. */
	uint64_t live; /* slots with a warp that has not been reaped ("not done-exit") */
	uint64_t done; /* functionally done */
	uint64_t at_barrier, membar, atomic, dep_wait; /* reasons to wait */
	uint64_t ibuf;                                 /* instruction buffer not empty */
	uint64_t imiss;                                /* waiting for the instruction cache, or in wrong */
	uint64_t wrong; /* the buffer holds what the warp will not execute; a scheduler's visit empties it */
	uint64_t ptx;   /* warps of kernels from PTX */
	uint64_t collide; /* of those in ibuf: the next instruction waits for an earlier one (depend.h) */
	/* done, no store outstanding, nothing in the pipeline, no register reserved */
	uint64_t drained;
	/* warps whose head is for this kind of unit, and more without a head */
	uint64_t head_unit[N_UNIT_KINDS];
	uint64_t spread; /* slots of scheduler 0; those of scheduler k are k further on */
	uint64_t scheds; /* all schedulers */
	/* the scheduling policy depends on nothing but masks, last and dynamic_id */
	bool by_masks;
	bool longops; /* the policy asks for long operations */
	const struct sched_policy *policy;
	const struct dependence_ops *depend;
	/* by scheduler: its slot that issued last; at first its lowest (lrr, rrr: a place before that) */
	int16_t last[MAX_SCHEDULERS];

	uint64_t clock;
	/* of the cycle run or accounted for last: gpu_tot_sim_cycle + gpu_sim_cycle */
	uint64_t now;
	uint64_t *wake_at; /* now of the next cycle to be run; NEVER: a reply or a CTA wakes it */
	uint64_t next_uid;
	uint32_t live_ctas, live_warps, live_threads;
	uint32_t id, cluster; /* sm id (sid), cluster id */
	uint32_t sched_first; /* P: scheduler that goes first */
	uint32_t fetch_last;  /* slot of the last fetch attempt */
	int32_t fetch_buffer; /* warp whose line was fetched, -1: empty */
	uint32_t next_dynamic_id;
	uint32_t cta_limit;  /* C: CTAs per SM of the kernel placed last; local address translation */
	uint32_t cta_padded; /* P: its threads per CTA rounded up to 32 */
	bool changed;        /* this cycle changed something besides counters */
	uint64_t still;      /* cycles since the stages before the units were run, not counted yet */
	/*
	 * How many schedulers were counted in each kind of cycle without an issue, in the last cycle run in
	 * which none issued; it follows from the masks idle_valid and idle_ready.
	 */
	uint8_t idle[N_OCC_IDLE];
	uint8_t idle_as[MAX_SCHEDULERS]; /* of each scheduler that last issued nothing; for the profile */
	uint64_t idle_valid, idle_ready;
	uint32_t dynamic_id[MAX_WARPS]; /* order in which warps came */
	uint32_t reg_limit;             /* register numbers are below */
	uint64_t *registers;            /* NULL while reg_limit is REG_LIMIT */
	uint16_t watched[MAX_WARPS];    /* of those in collide: the first of the registers that is reserved */

	/* shared with the other SMs, and the way out of them; set before sm_init */
	const struct params *params;
	const struct code *code;
	const struct uop *uops;            /* by code handle */
	const struct core_code *core_code; /* of the modern core; NULL with the other */
	struct req_pool *reqs;
	struct addrdec *dec;
	struct net *net;
	struct traffic *sent;  /* core to memory */
	struct ring *replies;  /* its cluster's: with perfect memory requests turn around here */
	uint64_t *replying;    /* clusters whose replies are not empty */
	struct events *events; /* NULL: not logged */
	struct power_sm *power; /* counters of the power model; NULL: none */

	struct core *modern; /* NULL: the pipeline is that of sm/; else that of core/ */
	const struct core_params *core;
	struct sm_profile *profile; /* NULL: not profiled */
	struct kernel *kernel;      /* bound kernel (normal mode) */

	struct winst *winst; /* pool; [0] unused */
	uint16_t winst_free; /* list of those given back */
	uint16_t winst_made;
	uint64_t any_slot; /* 0 in sub-core mode, where a slot stands for itself; else all */
	struct collector_in collector_in[N_UNIT_KINDS]; /* in serving order */
	struct collector_in *collector_of[N_UNIT_KINDS];
	struct unit_in *unit_in;                  /* N_UNIT_KINDS */
	uint32_t collector_in_used, unit_in_used; /* sets that are not empty, by their bit */
	uint64_t offer_at; /* before this clock no unit but UNIT_MEM takes what waits for it */
	struct opcoll collector;
	struct func_unit *unit;
	uint8_t bus_used[CALENDAR];  /* result buses taken, by clock mod CALENDAR */
	uint16_t calendar[CALENDAR]; /* winsts due in writeback, oldest first, by clock mod CALENDAR */
	uint64_t calendar_used[CALENDAR / 64];
	uint32_t calendar_count; /* members of calendar_used */

	struct sched sched[MAX_SCHEDULERS];
	struct ldst *ldst;
	struct cache *l1i; /* NULL: perfect */
	struct warp *warp; /* MAX_WARPS */
	struct cta cta[MAX_CTAS];
	struct sm_counts n;

	/* Outbox of this cycle, emptied by the serial end of the core phase (launch.c). */
	uint8_t ended[MAX_CTAS]; /* CTA slots that completed, in order */
	uint32_t n_ended;
};

/*
 * sm.c: build, and one core cycle: stages from back to front so that an instruction moves one stage a cycle.
 * Protocol: in every core tick, each SM that has a CTA and is due gets sm_tick(). The cycles since its last
 * one are those in which it slept: it had a CTA in all of them.
 */
void sm_init(struct sm *s); /* zeroed but for what it shares, its numbers and params */
void sm_free(struct sm *s); /* zeroed: nothing to do */
/* Without a CTA it sleeps on. */
static inline void sm_wake(struct sm *s) { *s->wake_at = s->live_ctas ? 0 : NEVER; }
void sm_tick(struct sm *s, uint64_t now); /* only when due */
/* Ends the run with a message at the line of instruction w. */
_Noreturn void sm_refuse(const struct sm *s, const struct winst *w, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Account for the cycles before now, every counter up to date; the cycle of now is still to come. */
void sm_flush(struct sm *s, uint64_t now);
uint16_t sm_winst_new(struct sm *s);
void sm_winst_free(struct sm *s, uint16_t w);

/*
 * launch side: put k's next CTA, whose block has been read, into slot (LAUNCH-place); in the end part of a
 * core tick, when now is that of the SM's first cycle with the CTA.
 */
void sm_place_cta(struct sm *s, uint64_t now, uint32_t slot, uint32_t first_thread, struct kernel *k);

/* writeback.c */
void writeback_stage(struct sm *s);
/* An instruction left the pipeline for good (SM-wb-3): counters only. */
void sm_inst_complete(struct sm *s, uint32_t code, uint32_t mask);
/* after any change of stores, in_pipe, reserved, done */
void warp_update_drained(struct sm *s, unsigned warp);
/* p: sm.warp[warp]. An instruction of it leaves the pipeline. */
static inline void warp_leaves_pipe(struct sm *s, struct warp *p, unsigned warp)
{
	p->in_pipe--;
	if (s->done >> warp & 1)
		warp_update_drained(s, warp);
}
uint64_t writeback_next(const struct sm *s); /* clock of the next writeback, NEVER: none */

/* execute.c, collector.c */
void execute_stage(struct sm *s);
/* clock at which a waiting arithmetic instruction may be taken, NEVER: none waits */
uint64_t execute_next(const struct sm *s);
void collector_init(struct sm *s);
void collector_free(struct sm *s);
/*
 * Number of a kind's ID_OC set in the order in which collector ports serve them, its bit in
 * collector_in_used.
 */
unsigned collector_input(unsigned unit);
void collector_stage(struct sm *s); /* all steps of the cycle */
/* Instead of the stage, in a cycle in which it has nothing to do: what was written stands in nobody's way. */
void collector_forget_writes(struct sm *s);
/*
 * Take the bank of a destination of u for a write before this cycle's first step; false: taken. Uniform
 * registers always succeed.
 */
bool collector_write(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched);

/* issue.c and sched_*.c */
void sched_init(struct sm *s);
void issue_stage(struct sm *s);

/* depend.c */
/* Register numbers below limit are to come: room for them, before the first. */
void depend_room(struct sm *s, uint32_t limit);
void depend_free(struct sm *s);

/* barrier.c */
void barrier_arrive(struct sm *s, unsigned warp, const struct uop *u);
void barrier_warp_exit(struct sm *s, unsigned warp);

/* ldgsts.c (SM-async) */
void ldgsts_reset(struct warp *w);
/* entry index */
uint32_t ldgsts_issue(struct sm *s, unsigned warp, const struct winst *in, uint64_t lane0);
void ldgsts_close_group(struct sm *s, unsigned warp);
void ldgsts_wait(struct sm *s, unsigned warp, uint32_t n);
void ldgsts_done(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);

/* fetch.c, decode.c */
void fetch_stage(struct sm *s); /* decode and fetch, fetch_steps times; reaps finished warps */
/* Instruction reply: at once, outside the SM's cycle. */
void fetch_fill(struct sm *s, uint32_t req, uint64_t now);

#endif
