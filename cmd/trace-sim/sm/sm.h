/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One streaming multiprocessor: its state, and the stages that work on it (trace-sim-sm(7)).
 * Included by the modules of the SM (sm, core, lsu), by gpu/, and by modules that read counters.
 *
 * Always true:
 *  - A stage writes only this SM, and its cluster's port of the network. Requests are passed by handle.
 *  - The conditions that schedulers test are bit masks over warp slots. The code that changes a condition
 *    updates its mask.
 *  - clock counts the cycles in which the SM has a CTA (SM-cycle-1). Times of latencies inside the SM are values of
 *    clock; time stamps of caches are values of now.
 *  - A cycle that would change only counters is not run: wake_at is the time of the next cycle that is run. If
 *    only the load/store unit has work, the other stages are skipped. Skipped cycles accumulate in
 *    skipped_cycles and after ldst.counted_until. Their counters are added when the stages run again, or in
 *    sm_flush_counters().
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
#include "table.h"
#include "trace.h"
#include "uop.h"

#define NEVER         UINT64_MAX
#define REG_WORDS     BITSET_WORDS(REG_LIMIT)
#define WINST_NONE    0u
#define MAX_BARRIERS  16    /* number of barriers of a thread block */
#define SET_SLOTS     64    /* maximum number of slots of one pipeline register set */
#define CALENDAR      1024  /* slots of the calendar; more than the longest latency + 2 */
#define MAX_CUS       64    /* maximum number of collector units in all sets */
#define CTA_PREEXITED 0x80u /* flag of an element of sm.ended[] */

struct kernel;
struct core; /* core/core.h */
struct power_sm;
struct sm_pipeline; /* pipeline.h */
struct core_code;

/* ---- one warp instruction in flight, from issue to writeback ------------------------------- */

struct winst {
	_Alignas(64) uint64_t uid; /* issue order within the SM; smaller is older */
	const struct uop *uop;
	struct func_unit *unit; /* unit that executes the instruction, if the instruction is in the calendar */
	union {
		struct rec record;
		struct {
			uint32_t code; /* handle of its uop and struct inst */
			uint32_t mask; /* active lanes */
			uint32_t addr; /* position and encoding of the lane addresses, as in struct rec */
		};
	};
	uint32_t rec_index; /* number of its record in the warp */
	uint16_t next;      /* next instruction in ID_OC, the calendar or the free list */
	uint8_t warp, sched, cta;
	uint8_t space; /* enum space; a generic address is resolved at issue */
	uint8_t lanes; /* number of active lanes */
};

/* ---- pipeline registers (SM-reg) ----------------------------------------------------------- */

/* Register set before one kind of unit (OC_EX), and the collector units that send instructions to it. */
struct unit_in {
	uint64_t free_slots;
	uint64_t all_slots;
	uint64_t served;          /* slots from which units of this kind take instructions in sub-core mode */
	struct func_unit *units;  /* array of the units of this kind */
	uint64_t collectors_used; /* collector units with instructions for this set */
	uint64_t collectors_blocked; /* collector units that have all operands and wait for a slot */
	uint32_t bit;                /* bit of this set in unit_in_used */
	uint16_t slot[SET_SLOTS];    /* winst handles */
};

/*
 * Register set before the collector (ID_OC): a queue in issue order. In sub-core mode an instruction takes the slot
 * of its scheduler, else any slot.
 */
struct collector_in {
	uint64_t free_slots;
	struct unit_in *units; /* set after the collector */
	uint16_t *end;         /* address of the next handle: `first`, or the youngest instruction's link */
	uint32_t bit;          /* bit of this set in collector_in_used */
	uint16_t first;        /* handle of the oldest instruction; WINST_NONE: empty */
	uint8_t front;         /* scheduler of the oldest instruction */
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

#define GMMA_OPEN 8u /* 1 + the maximum number of groups of matrix products that a wait may leave open */

/* Numbers of a warp's matrix products or bulk copies, and of their groups. */
struct gmma_groups {
	uint32_t issued;         /* number of issued products */
	uint32_t done;           /* number of completed products */
	uint32_t closed;         /* number of closed groups */
	uint32_t awaited;        /* 1 + the number of the product that the warp waits for */
	uint32_t end[GMMA_OPEN]; /* number of products up to the end of a group, at group % GMMA_OPEN */
};

/* An ARRIVES that waits until all LDGSTS of its warp with numbers below `until` are done. */
struct copies_arrival {
	struct rec rec;
	uint32_t until;
};

#define SYNC_ARRIVALS 16u /* maximum number of arrivals of a warp that may wait for LDGSTS */

/* Waits of a warp, and its asynchronous copies (mbarrier.h). */
struct warp_sync {
	struct rec wait; /* warp in sync_wait: record that names the awaited mbarrier */
	/* warp in sync_wait: true if it waits for groups of bulk copies, not for an mbarrier */
	bool waits_for_groups;
	bool last_group_is_bulk; /* true if the warp's last closed group is one of bulk copies */
	struct gmma_groups bulk; /* groups of bulk copies */
	uint32_t copies_issued;  /* number of LDGSTS that the warp has issued */
	uint32_t copies_done;    /* number of LDGSTS of the warp that are done */
	uint32_t first_arrival;  /* first of the warp's waiting arrivals in sm.arrivals */
	uint32_t n_arrivals;     /* number of these arrivals */
};

/*
 * The fields that most instructions use come first, in one cache line. The reserved registers of most kernels are in
 * the next cache line. `buffer` has copies of records, because the host's cache may have evicted the trace's records by
 * the time they issue.
 */
struct warp {
	_Alignas(64) const struct rec *rec; /* records of the warp in the CTA's tblock */
	const struct uop *head; /* next instruction to issue; valid if the warp's bit in sm.ibuf is set */
	struct rec buffer[2];   /* copies of the next `buffered` records to issue */
	uint32_t cursor;        /* next record to decode, right after the buffered ones */
	uint32_t n_recs;
	uint32_t last;          /* record whose issue ends the warp */
	uint32_t fetch_pc;      /* quirk Q2-1: PC of the last issue plus the length of an instruction */
	uint32_t insts_in_pipe; /* number of instructions between decode and the end of the pipeline */
	uint16_t n_reserved;    /* number of outstanding register results (depend.h) */
	uint8_t buffered;       /* number of instructions in the buffer */
	uint8_t cta;            /* slot of its CTA */
	uint64_t *reserved;     /* set of reserved registers, in own_register_sets[] or in sm.registers */
	uint64_t own_register_sets[2 * REG_WORDS];
	uint64_t *longop; /* destinations of long operations; right after `reserved` in memory */
	uint32_t stores;  /* number of outstanding store acknowledgements */
	uint32_t atomics; /* number of outstanding lanes of atomics */
	uint16_t stream;
	uint8_t lanes;   /* number of threads of the CTA in this warp */
	uint8_t barrier; /* number of the barrier at which the warp waits, if its bit in sm.at_barrier is set */
	/* LDGSTS groups (SM-async) */
	struct ldgsts_entry *entry; /* an entry for each LDGSTS of the warp */
	uint32_t n_entries;         /* number of entries */
	uint32_t n_groups;          /* number of groups */
	uint32_t closed;            /* number of groups closed by LDGDEPBAR */
	uint32_t first_open_entry;  /* entries below this one are done */
	uint32_t depbar_group, depbar_open;
	struct gmma_groups gmma;
	struct warp_sync sync;
	uint32_t copies; /* number of bulk copies in flight */
};

#define MBARRIER_PHASES 4u /* maximum number of open phases of a barrier */

struct mbarrier_phase {
	int64_t pending; /* number of arrivals still to come */
	int64_t bytes; /* number of expected bytes still to come; negative if bytes came before they were expected */
};

/* Barrier in shared memory (mbarrier.c). */
struct cta_mbarrier {
	uint32_t offset;           /* offset in shared memory */
	uint32_t phase;            /* number of completed phases */
	int64_t expected_arrivals; /* number of arrivals that complete a phase */
	struct mbarrier_phase
		phases[MBARRIER_PHASES]; /* current and later ones; phase n is at n % MBARRIER_PHASES */
	uint64_t waiting;                /* mask of the waiting warps */
	bool initialised;
};

struct mbarriers {
	struct cta_mbarrier *entry;
	uint32_t n, cap;
	struct table by_offset;
};

struct cta {
	struct kernel *kernel; /* NULL: free */
	uint64_t id;           /* number of the CTA in launch order */
	struct tblock block;   /* records of the CTA; the next CTA in the slot reuses the arrays */
	uint64_t warps;        /* mask of the warp slots */
	/* mask of the warps that have arrived at each barrier; quirk Q2-7: a BAR with one immediate uses barrier 0 */
	uint64_t arrived[MAX_BARRIERS];
	uint16_t arrivals[MAX_BARRIERS]; /* number of arrivals at each barrier; a warp can arrive more than once */
	struct mbarriers mbarriers;
	struct gang *gang;     /* gang of the thread block; NULL: none (gang.h) */
	uint32_t rank;         /* rank of the block in its gang */
	uint64_t gang_arrived; /* warps that have arrived at the gang's barrier */
	uint64_t gang_waiting; /* warps that wait at the gang's barrier */
	uint32_t barriers;     /* mask of the barriers at which any warp has arrived */
	uint64_t running;      /* mask of the warps that a barrier waits for */
	bool preexited;        /* true if a warp has executed PREEXIT */
	uint32_t live_threads;
	uint32_t first_thread, threads;
	struct ldgsts_entry *entry;
	uint32_t cap_entries;
};

/* ---- operand collector (SM-coll) ----------------------------------------------------------- */

struct collector_unit {
	uint64_t target_slots;      /* slots of OC_EX that the unit's instruction may use */
	uint64_t same_target_units; /* collector units with the same target slots; includes this unit */
	/* set to which the instruction moves next; in a free unit, the previous one */
	struct unit_in *target;
	uint16_t inst; /* winst handle */
	uint8_t reads; /* number of the unit's entries in opcoll.waiting */
};

/*
 * A set of banks that a collector unit has yet to read, each once. An instruction that reads a bank n times has n of
 * these sets.
 */
struct bank_reads {
	uint64_t banks;
	uint8_t unit;
};
#define READS_MAX (MAX_CUS * 255u) /* an instruction has at most 255 sources */

/* Input ports of the collector that have the same inputs and the same sets of units. */
struct port_group {
	uint32_t inputs; /* mask of inputs, numbered as by collector_input_of_unit() */
	uint32_t ports;  /* number of ports */
	/* units for the instructions of each scheduler */
	struct {
		uint64_t preferred; /* units of the instruction's kind */
		uint64_t all;       /* units of the instruction's kind and general units */
	} units[MAX_SCHEDULERS];
};

struct opcoll {
	uint64_t free;       /* mask of free units */
	uint64_t ready;      /* mask of units that have all operands and a free slot in OC_EX */
	bool may_allocate;   /* false: allocation found nothing to do, and nothing has changed since */
	uint8_t per_slot;    /* number of units for each OC_EX slot; 0: all units serve all slots */
	uint64_t slot_units; /* mask of the units that use slot 0 */
	/* by unit: start of the next search after a dispatch of this unit */
	uint8_t next_search[MAX_CUS];
	uint32_t n_units, n_groups;
	uint32_t bank_span;                 /* number of banks that hold a warp's registers */
	uint32_t bank_mask;                 /* bank_span - 1 if bank_span is a power of 2, else 0 */
	uint8_t first_bank[MAX_SCHEDULERS]; /* first bank of a scheduler's registers */
	uint64_t banks[MAX_SCHEDULERS];     /* mask of the banks with a scheduler's registers */
	uint32_t kinds;                     /* mask of the sets (enum collector_kind) that have units */
	/* banks read in this step; in the first step of a cycle also the banks written in this cycle */
	uint64_t busy_banks;
	struct collector_unit *unit; /* MAX_CUS elements */
	struct collector_set {
		uint64_t units;                   /* mask */
		uint64_t allowed[MAX_SCHEDULERS]; /* mask of the units that instructions of a scheduler may use */
		uint32_t n_dispatch;              /* number of dispatch units */
		uint8_t *start; /* collector unit at which each dispatch unit begins its next search */
	} set[N_COLLECTORS];
	struct port_group group[N_COLLECTORS];
	/* A unit requests all its operands when it is allocated, and each bank serves the units in this order. */
	uint32_t n_waiting;
	struct bank_reads *waiting; /* reads in the order of the requests, at most READS_MAX */
};

/* ---- function units (SM-exec) -------------------------------------------------------------- */

struct func_unit {
	uint64_t free_at; /* first clock at which the dispatch register is empty */
	/* bit (clock % CALENDAR) is set if a result reaches stage 0 at this clock */
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

/* Kind of a scheduler's cycle: the reason why nothing issued, or OCC_LANES + n for an issue with n active lanes. */
enum warp_occupancy {
	OCC_IDLE,
	OCC_SCOREBOARD,
	OCC_STALL,
	N_OCC_IDLE,            /* number of kinds of cycles without an issue */
	OCC_LANES = OCC_STALL, /* an issue without active lanes counts as a stall */
	N_OCC = OCC_LANES + 33
};

/* Counters, cumulative over the run: the rows of counters.def, and arrays. */
struct sm_counts {
#define COUNTER(field, place, width, name, before) uint64_t field;
#include "counters.def"
#undef COUNTER
	uint64_t stall[N_STALL_TYPES][N_STALL_REASONS];
	uint64_t occupancy[N_OCC];
	uint64_t single_issue[MAX_SCHEDULERS], dual_issue[MAX_SCHEDULERS];
	uint64_t issue_hist[MAX_WARPS];  /* number of issued instructions, by warp slot (SM-sched-6) */
	uint64_t class_insts[N_CLASSES]; /* number of completed warp instructions, by class */
};

/* ---- the SM -------------------------------------------------------------------------------- */

/* Private state of a policy for one scheduler; see scheduler.h. */
#define SCHED_BYTES 192
struct sched {
	_Alignas(8) unsigned char state[SCHED_BYTES];
};
struct sched_policy;
struct dependence_ops;

struct ldst; /* ldst.h */

struct sm {
	/* Masks over warp slots. */
	uint64_t live;        /* warps that have not yet been reaped */
	uint64_t done;        /* warps that have issued their last instruction */
	uint64_t at_barrier;  /* warps that wait at a barrier */
	uint64_t membar;      /* warps that wait for a memory barrier */
	uint64_t atomic_wait; /* warps that wait for atomics */
	uint64_t dep_wait;    /* warps that wait for groups, products or mbarriers */
	uint64_t gmma_wait; /* warps that wait for matrix products; in the core of sm/ a subset of dep_wait */
	uint64_t sync_wait; /* warps that wait for mbarriers or groups of bulk copies; in sm/ a subset of dep_wait */
	uint64_t gang_wait; /* core of sm/: warps that wait at the barrier of their cluster, a subset of dep_wait */
	uint64_t grid_wait;   /* warps that wait at ACQBULK; in the core of sm/ a subset of dep_wait */
	uint64_t maxreg_wait; /* modern core: warps that wait for registers (USETMAXREG) */
	uint64_t ibuf;        /* warps with an instruction in the buffer */
	uint64_t imiss;       /* warps that wait for the instruction cache or are in wrong_path */
	/* warps with instructions of a wrong path in the buffer; a scheduler's next visit empties the buffer */
	uint64_t wrong_path;
	uint64_t ptx;    /* warps of kernels from PTX */
	uint64_t hazard; /* warps of ibuf whose next instruction waits for an earlier one (depend.h) */
	/* warps that are done and have no outstanding store, no instruction in the pipeline and no reserved register */
	uint64_t drained;
	/*
	 * by kind of unit: warps whose next instruction needs the unit, or whose last one did if there is no next one
	 */
	uint64_t head_unit[N_UNIT_KINDS];
	uint64_t sched0_warps; /* mask of the warp slots of scheduler 0; << k: of scheduler k */
	uint64_t sched_mask;   /* mask of all schedulers */
	/* true if the scheduling policy depends only on masks, last and dynamic_id */
	bool decides_by_masks;
	bool wants_long_ops; /* true if the policy distinguishes long operations */
	const struct sched_policy *policy;
	const struct dependence_ops *depend;
	/* by scheduler: slot that issued last; initially the lowest slot, or with rotates_from_last the one before */
	int16_t last[MAX_SCHEDULERS];

	uint64_t clock;
	/* time of the last cycle that was run or counted: gpu_tot_sim_cycle + gpu_sim_cycle */
	uint64_t now;
	uint64_t *wake_at; /* `now` of the next cycle to run; NEVER: only a reply or a new CTA wakes the SM */
	uint64_t next_uid;
	uint32_t live_ctas, live_warps, live_threads;
	uint32_t id;          /* number of the SM (sid) */
	uint32_t cluster;     /* number of its cluster */
	uint32_t sched_first; /* scheduler that issues first */
	uint32_t fetch_last;  /* warp slot of the last fetch attempt */
	int32_t fetch_buffer; /* warp whose line is in the fetch buffer; -1: empty */
	uint32_t next_dynamic_id;
	bool changed;            /* true if this cycle has changed more than counters */
	uint64_t skipped_cycles; /* cycles in which the stages before the units were skipped, not yet counted */
	uint8_t idle[N_OCC_IDLE]; /* number of schedulers by kind of cycle, in the last cycle that was run */
	/* by scheduler: kind of the last cycle without an issue, for the profile */
	uint8_t idle_kind[MAX_SCHEDULERS];
	uint64_t idle_valid;            /* candidates.valid from which idle[] was computed */
	uint64_t idle_ready;            /* candidates.ready from which idle[] was computed */
	uint32_t dynamic_id[MAX_WARPS]; /* launch order of warps */
	uint32_t reg_limit;             /* upper bound of register numbers */
	uint64_t *registers;            /* register sets of all warps; NULL: the sets are in struct warp */
	uint16_t hazard_reg[MAX_WARPS]; /* first reserved register of the next instruction */

	/* shared with other SMs; set before sm_init() */
	const struct params *params;
	const struct code *code;
	const struct uop *uops;            /* decoded instructions, indexed by code handle */
	const struct core_code *core_code; /* instructions of the modern core; NULL: the other core */
	struct req_pool *reqs;
	struct addrdec *dec;
	struct net *net;
	struct traffic *traffic_out; /* counts of packets from the cores to memory */
	/* replies to the cluster; with perfect memory, every request is put here at once */
	struct ring *replies;
	uint64_t *clusters_with_replies; /* mask of the clusters with a reply in their ring */
	struct events *events;           /* event log; NULL: none */
	struct power_sm *power;          /* counters of the power model; NULL: none */

	struct core *modern; /* state of the modern core; NULL: the SM has the pipeline of sm/ */
	const struct core_params *core;
	struct sm_profile *profile;   /* profile of this SM; NULL: none */
	struct sm_pipeline *pipeline; /* pipeline log of this SM; NULL: none */
	bool observed;                /* true if power, pipeline or port is not NULL */
	struct kernel *kernel;        /* kernel bound to this SM; used without concurrent kernels */

	struct winst *winst; /* pool of instructions in flight; [0] is unused */
	uint16_t winst_free; /* first of the freed elements of winst */
	uint16_t winst_made; /* number of elements of winst that were ever used */
	uint64_t any_slot;   /* 0 in sub-core mode, where slots belong to schedulers; else all slots */
	struct collector_in
		collector_in[N_UNIT_KINDS]; /* inputs of the collector in the order in which ports serve them */
	struct collector_in *collector_of[N_UNIT_KINDS]; /* collector input for each kind of unit */
	struct unit_in *unit_in;                         /* register set before each kind of unit */
	uint32_t collector_in_used; /* mask of the sets in collector_in that are not empty */
	uint32_t unit_in_used;      /* mask of the sets in unit_in that are not empty */
	uint64_t next_dispatch_clock; /* earliest clock at which a unit other than UNIT_MEM may take an instruction */
	struct opcoll collector;
	struct func_unit *unit;
	uint8_t bus_used[CALENDAR];  /* number of used result buses, at clock % CALENDAR */
	uint16_t calendar[CALENDAR]; /* list of the due instructions, oldest first, at clock % CALENDAR */
	uint64_t calendar_used[CALENDAR / 64]; /* bit set of the non-empty lists of the calendar */
	uint32_t calendar_count;               /* number of non-empty lists */

	struct sched sched[MAX_SCHEDULERS];
	struct ldst *ldst;
	struct gang_port *port; /* port to other SMs; NULL: no gang has been on the SM */
	/* waiting arrivals, SYNC_ARRIVALS per warp; NULL: no mbarrier so far */
	struct copies_arrival *arrivals;
	struct cache *l1i; /* instruction cache; NULL: a perfect one */
	struct warp *warp; /* MAX_WARPS elements */
	struct cta cta[MAX_CTAS];
	struct sm_counts n;

	/* Results of this cycle. gpu/launch.c handles and empties them after all SMs have run the cycle. */
	/*
	 * Slots of the CTAs that completed, in order. With CTA_PREEXITED, the CTA has executed its first PREEXIT and
	 * another kernel waits for that.
	 */
	uint8_t ended[2 * MAX_CTAS];
	uint32_t n_ended;
};

/*
 * sm.c: construction, and one core cycle. Stages run from last to first, so an instruction moves one stage per
 * cycle. In every core cycle sm_tick() is called for each SM that has a CTA and is due. The CTAs of an SM do not change
 * while the SM sleeps.
 */
/* Initialises s, which is zeroed except params, id, cluster and the fields shared with other SMs. */
void sm_init(struct sm *s);
void sm_free(struct sm *s); /* does nothing for a zeroed SM */
/* Makes the SM due if it has a CTA. */
static inline void sm_wake(struct sm *s) { *s->wake_at = s->live_ctas ? 0 : NEVER; }
void sm_tick(struct sm *s, uint64_t now); /* runs a cycle; called only when the SM is due */
/* Ends the run with a message at the line of instruction w. */
_Noreturn void sm_fatal(const struct sm *s, const struct winst *w, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Counts the skipped cycles before now, so that every counter is up to date. */
void sm_flush_counters(struct sm *s, uint64_t now);
uint16_t sm_winst_new(struct sm *s);
void sm_winst_free(struct sm *s, uint16_t w);

/*
 * Places the next CTA of k into `slot` (LAUNCH-place). The records of the CTA are in s->cta[slot].block. `now` is the
 * time of the SM's first cycle with the CTA. Called by one thread after all SMs have run a cycle.
 */
void sm_place_cta(struct sm *s, uint64_t now, uint32_t slot, uint32_t first_thread, struct kernel *k);

/* writeback.c */
void writeback_stage(struct sm *s);
/* Counts an instruction that left the pipeline (SM-wb-3). */
void sm_count_completed_inst(struct sm *s, uint32_t code, uint32_t mask);
/* Updates the warp's bit in s->drained. Called after a change of warp.stores, insts_in_pipe, n_reserved, or sm.done. */
void warp_update_drained(struct sm *s, unsigned warp);
/* Notes that an instruction of the warp leaves the pipeline; p is &s->warp[warp]. */
static inline void warp_leaves_pipe(struct sm *s, struct warp *p, unsigned warp)
{
	p->insts_in_pipe--;
	if (s->done >> warp & 1)
		warp_update_drained(s, warp);
}
uint64_t writeback_next_clock(const struct sm *s); /* clock of the next writeback; NEVER: none */

/* execute.c, collector.c */
void execute_stage(struct sm *s);
/* Returns the next clock at which a unit may take a waiting arithmetic instruction; NEVER: none waits. */
uint64_t execute_next_clock(const struct sm *s);
void collector_init(struct sm *s);
void collector_free(struct sm *s);
/* Returns the index in sm.collector_in of the ID_OC set of a kind of unit. */
unsigned collector_input_of_unit(unsigned unit);
void collector_stage(struct sm *s); /* runs all steps of the cycle */
/* Frees all banks. Replaces collector_stage() in a cycle in which the collector has no work. */
void collector_free_banks(struct sm *s);
/*
 * Reserves the bank of destination number dst of u for a write. Returns false if another write has the bank. Always
 * succeeds for a uniform register. Called before the first step of the cycle.
 */
bool collector_reserve_bank(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched);

/* issue.c and sched_*.c */
void sched_init(struct sm *s);
void issue_stage(struct sm *s);
/* Returns the memory space of the record's generic addresses. */
NOINLINE enum space warp_generic_space(const struct sm *s, const struct warp *p, const struct rec *rec);

/* depend.c */
/* Makes the register sets large enough for register numbers below limit. */
void depend_resize_register_sets(struct sm *s, uint32_t limit);
void depend_free(struct sm *s);

/* barrier.c */
/*
 * Returns true if the record is a BAR with number and count whose guard is false, so no lane is active. Such a BAR
 * does nothing (HOPPER-bar-1).
 */
bool barrier_has_no_effect(const struct sm *s, const struct rec *r);
/* Makes a warp arrive at the barrier of the record. Returns the mask of the warps whose wait this ends. */
uint64_t barrier_arrive(struct sm *s, unsigned warp, const struct uop *u, const struct rec *r);
/* Removes an ended warp from the barriers of its CTA. Returns the mask of the warps whose wait this ends. */
uint64_t barrier_warp_exit(struct sm *s, unsigned warp);

/* grid.c (HOPPER-pdl): execute PREEXIT and ACQBULK. grid_start_wait() returns true if the warp waits. */
void grid_execute_preexit(struct sm *s, unsigned warp);
bool grid_start_wait(struct sm *s, unsigned warp);
/* Ends the waits of the warps of k at ACQBULK. Called by one thread between two cycles; `now` is the next cycle. */
void grid_end_waits(struct sm *s, const struct kernel *k, uint64_t now);

/* ldgsts.c (SM-async) */
void ldgsts_reset(struct warp *w);
/* Adds an entry for an LDGSTS of the warp. Returns its index. */
uint32_t ldgsts_add_entry(struct sm *s, unsigned warp, const struct winst *in, uint64_t lane0);
void ldgsts_close_group(struct sm *s, unsigned warp);
void ldgsts_start_wait(struct sm *s, unsigned warp, uint32_t n);
void ldgsts_end_one(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);

/* gmma.c */
void gmma_reset(struct gmma_groups *g);
void gmma_count_issued(struct sm *s, unsigned w, const struct uop *u);
/* Makes warp w wait until at most `open` groups are open. Returns false if no wait is needed. */
bool gmma_start_wait(struct sm *s, unsigned w, uint32_t open);
/* Notes the end of the warp's oldest product. Returns true if this ends the warp's wait. */
bool gmma_count_done(struct sm *s, unsigned w);

/* fetch.c, decode.c */
void fetch_stage(struct sm *s); /* reaps finished warps, and decodes and fetches fetch_steps times */
/* Takes a reply with instructions from the cluster, outside the SM's cycle. */
void fetch_fill(struct sm *s, uint32_t req, uint64_t now);

static inline uint64_t sm_min_clock(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif
