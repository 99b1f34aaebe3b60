/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One streaming multiprocessor: its state, and the stages that share it (trace-sim-sm(7)).
 * Included by the modules of the SM (sm, core, lsu), by gpu/, and by modules that read counters.
 *
 * Always true:
 *  - A stage writes only this SM, and its cluster's port of the network; requests enter and leave by handle.
 *  - The conditions that schedulers test are bit masks over warp slots. The code that changes a condition
 *    updates its mask.
 *  - clock counts the cycles in which the SM has a CTA (SM-cycle-1). Latencies inside the SM are in clock,
 *    time stamps of caches in now.
 *  - A cycle that would change nothing but counters is not run: wake_at is the time of the next one that is. If
 *    only the load/store unit has work, the other stages are skipped. Skipped cycles accumulate in
 *    skipped_cycles and ldst.counted. Their counters are added at the next run or in sm_flush().
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

#define NEVER        UINT64_MAX
#define REG_WORDS    BITSET_WORDS(REG_LIMIT)
#define WINST_NONE   0u
#define MAX_BARRIERS 16   /* barriers of a thread block */
#define SET_SLOTS    64   /* most slots of one pipeline register set */
#define CALENDAR     1024 /* > longest latency + 2 */
#define MAX_CUS      64   /* collector units in all sets */

struct kernel;
struct core; /* core/core.h */
struct power_sm;
struct sm_pipeline; /* pipeline.h */
struct core_code;

/* ---- one warp instruction in flight: issue .. writeback ------------------------------------ */

struct winst {
	_Alignas(64) uint64_t uid; /* issue order within the SM; smaller is older */
	const struct uop *uop;
	struct func_unit *unit; /* unit that took the instruction, in the calendar */
	union {
		struct rec record;
		struct {
			uint32_t code; /* handle of uop and struct inst */
			uint32_t mask; /* active lanes */
			uint32_t addr; /* number of address words of struct rec */
		};
	};
	uint32_t rec_index; /* number among the warp's records */
	uint16_t next;      /* link in ID_OC, the calendar or the free list */
	uint8_t warp, sched, cta;
	uint8_t space; /* enum space; a generic address is resolved at issue */
	uint8_t lanes; /* number of active lanes */
};

/* ---- pipeline registers (SM-reg) ----------------------------------------------------------- */

/* Register set before one kind of unit (OC_EX), and the collector units whose instructions go there. */
struct unit_in {
	uint64_t free_slots;
	uint64_t all_slots;
	uint64_t served;             /* in sub-core mode: slots that units of this kind serve */
	struct func_unit *units;     /* array of the units of the kind */
	uint64_t collectors_used;    /* collector units with instructions for this set */
	uint64_t collectors_blocked; /* collector units with all operands that wait for a slot */
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
	uint16_t *end;         /* place of the next handle: first, or the link of the youngest instruction */
	uint32_t bit;          /* bit of this set in collector_in_used */
	uint16_t first;        /* the oldest instruction; WINST_NONE: empty */
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

/*
 * The fields that most instructions touch come first, in one cache line. The registers of most kernels are in the
 * next one. buffer holds copies of records, since the trace's cache line may be gone by the time they issue.
 */
#define GMMA_OPEN 8u /* groups of matrix products that a wait may leave open, plus 1 */

/* Matrix products of a warp, by number. */
struct gmma_groups {
	uint32_t issued, done;
	uint32_t closed;         /* groups */
	uint32_t until;          /* product that the warp waits for, plus 1 */
	uint32_t end[GMMA_OPEN]; /* products up to the end of a group, by group modulo GMMA_OPEN */
};

/* Record of an ARRIVES that waits until the LDGSTS of its warp below number `until` are done. */
struct copies_arrival {
	struct rec rec;
	uint32_t until;
};

#define SYNC_ARRIVALS 16u /* arrivals of a warp's LDGSTS that may wait */

/* Waits of a warp and its asynchronous copies (mbarrier.h). */
struct warp_sync {
	struct rec wait;         /* the wait for an mbarrier, of a warp in sync_wait */
	bool waits_for_groups;   /* the warp in sync_wait waits for groups of bulk copies instead */
	bool bulk_newest;        /* the warp's last group is one of bulk copies */
	struct gmma_groups bulk; /* groups of bulk copies */
	uint32_t copies_issued, copies_done; /* number of LDGSTS */
	uint32_t first_arrival, n_arrivals;  /* in sm.arrivals */
};

struct warp {
	_Alignas(64) const struct rec *rec; /* records of the warp in the CTA's tblock */
	const struct uop *head; /* next instruction to issue; valid if the warp's bit in sm.ibuf is set */
	struct rec buffer[2];   /* the next `buffered` records to issue */
	uint32_t cursor;        /* next record to decode, right after the buffered ones */
	uint32_t n_recs;
	uint32_t last;       /* record whose issue ends the warp */
	uint32_t fetch_pc;   /* quirk Q2-1: last issued PC plus its length */
	uint32_t in_pipe;    /* instructions decoded and not yet out of the pipeline */
	uint16_t n_reserved; /* number of outstanding results (depend.h) */
	uint8_t buffered;    /* instructions in the buffer */
	uint8_t cta;         /* hardware CTA slot */
	uint64_t *reserved;  /* own[], or in sm.registers */
	uint64_t own[2 * REG_WORDS];
	uint64_t *longop; /* follows reserved in memory; for the two-level scheduler only */
	uint32_t stores;  /* outstanding store acknowledgements */
	uint32_t atomics; /* outstanding lanes of atomics */
	uint16_t stream;
	uint8_t lanes; /* threads of the CTA in this warp */
	uint8_t barrier; /* number of the barrier that the warp waits at; valid if its bit in sm.at_barrier is set */
	/* LDGSTS groups (SM-async) */
	struct ldgsts_entry *entry;           /* one for every LDGSTS of the warp */
	uint32_t n_entries, n_groups, closed; /* closed: g, groups ended by LDGDEPBAR */
	uint32_t first_open;                  /* entries below are done */
	uint32_t dep_start, dep_n;
	struct gmma_groups gmma;
	struct warp_sync sync;
	uint32_t copies; /* bulk copies under way */
};

#define MBARRIER_PHASES 4u /* phases of a barrier that may be open at once */

struct mbarrier_phase {
	int64_t pending; /* arrivals still to come */
	int64_t bytes;   /* expected bytes still to come; below 0 if they came first */
};

/* Barrier in shared memory (mbarrier.c). */
struct cta_mbarrier {
	uint32_t offset;                             /* in shared memory */
	uint32_t phase;                              /* number of phases that are over */
	int64_t expected;                            /* arrivals of a phase */
	struct mbarrier_phase open[MBARRIER_PHASES]; /* ring of the current and later phases */
	uint64_t waiting;                            /* warps */
	bool valid;                                  /* the barrier is initialised */
};

struct mbarriers {
	struct cta_mbarrier *at;
	uint32_t n, cap;
	struct table by_offset;
};

struct cta {
	struct kernel *kernel; /* NULL: free */
	uint64_t id;           /* linear, in launch order */
	struct tblock block;   /* records of the CTA; the next CTA of the slot reuses the arrays */
	uint64_t warps;        /* slots */
	/* warps that arrived, by barrier; quirk Q2-7: BAR of lines with one immediate is barrier 0 */
	uint64_t arrived[MAX_BARRIERS];
	struct mbarriers mbarriers;
	struct gang *gang;                   /* NULL: none (gang.h) */
	uint32_t rank;                       /* rank of the block in its gang */
	uint64_t gang_arrived, gang_waiting; /* warps at the gang's barrier */
	uint32_t barriers;                   /* mask of the barriers at which any warp arrived */
	uint64_t running;                    /* warps the barrier waits for */
	uint32_t live_threads;
	uint32_t first_thread, threads;
	struct ldgsts_entry *entry;
	uint32_t cap_entries;
};

/* ---- operand collector (SM-coll) ----------------------------------------------------------- */

struct collector_unit {
	uint64_t target_slots;      /* slots of OC_EX that its instruction may go to */
	uint64_t same_target_units; /* collector units for these slots, itself included */
	struct unit_in *target;     /* set of its instruction; in a free unit the previous one */
	uint16_t inst;              /* winst handle */
	uint8_t reads;              /* entries of opcoll.waiting */
};

/* Banks that a collector unit has yet to read, each once. An instruction that reads a bank n times has n of them. */
struct bank_reads {
	uint64_t banks;
	uint8_t unit;
};
#define READS_MAX (MAX_CUS * 255u) /* an instruction has at most 255 sources */

/* Input ports with the same inputs and the same sets of units. */
struct port_group {
	uint32_t inputs; /* mask by collector_input() */
	uint32_t ports;
	/* units for instructions of a scheduler */
	struct {
		uint64_t own; /* preferred ones */
		uint64_t all;
	} units[MAX_SCHEDULERS];
};

struct opcoll {
	uint64_t free;         /* units */
	uint64_t ready;        /* units with all operands and a free slot in OC_EX */
	bool may_allocate;     /* false: allocation found nothing to do, and nothing changed since */
	uint8_t per_slot;      /* units for each OC_EX slot; 0: all units for all slots */
	uint64_t slot_units;   /* units for slot 0 */
	uint8_t next[MAX_CUS]; /* first unit of the next search of a dispatch unit that found this unit */
	uint32_t n_units, n_groups;
	uint32_t bank_span, bank_mask;      /* banks that hold a warp's registers, minus 1 if a power of 2 */
	uint8_t first_bank[MAX_SCHEDULERS]; /* first bank of a scheduler's registers */
	uint32_t kinds;                     /* enum collector_kind of the sets that have units */
	/* banks that were written in this cycle, before its first step, or read in this step */
	uint64_t busy;
	struct collector_unit *unit; /* MAX_CUS */
	struct collector_set {
		uint64_t units;
		uint64_t allowed[MAX_SCHEDULERS]; /* units that instructions of a scheduler may use */
		uint32_t n_dispatch;
		uint8_t *start; /* by dispatch unit: first unit of its next search */
	} set[N_COLLECTORS];
	struct port_group group[N_COLLECTORS];
	/* A unit requests all its operands when it is allocated, and each bank serves the units in that order. */
	uint32_t n_waiting;
	struct bank_reads *waiting; /* READS_MAX, in the order of the requests */
};

/* ---- function units (SM-exec) -------------------------------------------------------------- */

struct func_unit {
	uint64_t free_at; /* clock from which on the dispatch register is empty */
	/* bit c mod CALENDAR: a result reaches stage 0 at clock c */
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

/* Kind of a scheduler's cycle: without an issue, by reason, or with one of n lanes (OCC_LANES + n). */
enum warp_occupancy {
	OCC_IDLE,
	OCC_SCOREBOARD,
	OCC_STALL,
	N_OCC_IDLE,            /* number of kinds without an issue */
	OCC_LANES = OCC_STALL, /* an issue without active lanes counts as a stall */
	N_OCC = OCC_LANES + 33
};

/* Cumulative over the run: the rows of counters.def, and arrays. */
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

/* State of a scheduler's policy; see scheduler.h. */
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
	uint64_t gmma_wait; /* for matrix products; in the core of sm/ a subset of dep_wait */
	uint64_t sync_wait; /* for mbarriers and groups of bulk copies; in sm/ a subset of dep_wait, too */
	uint64_t ibuf;      /* instruction buffer not empty */
	uint64_t imiss;     /* waiting for the instruction cache, or in wrong_path */
	uint64_t wrong_path; /* buffer holds instructions of a wrong path; emptied at a scheduler's next visit */
	uint64_t ptx;        /* warps of kernels from PTX */
	uint64_t hazard;     /* subset of ibuf: the next instruction waits for an earlier one (depend.h) */
	/* done, no store outstanding, nothing in the pipeline, no register reserved */
	uint64_t drained;
	/* warps whose head is for this kind of unit; also some without a head */
	uint64_t head_unit[N_UNIT_KINDS];
	uint64_t sched0_warps; /* slots of scheduler 0; shifted by k: slots of scheduler k */
	uint64_t scheds;       /* mask of all schedulers */
	/* the scheduling policy depends only on masks, last and dynamic_id */
	bool by_masks;
	bool wants_long_ops; /* the policy tests for long operations */
	const struct sched_policy *policy;
	const struct dependence_ops *depend;
	/* by scheduler: slot that issued last; initially its lowest slot (lrr, rrr: the place before) */
	int16_t last[MAX_SCHEDULERS];

	uint64_t clock;
	/* time of the last cycle run or accounted for: gpu_tot_sim_cycle + gpu_sim_cycle */
	uint64_t now;
	uint64_t *wake_at; /* now of the next cycle to be run; NEVER: a reply or a CTA wakes it */
	uint64_t next_uid;
	uint32_t live_ctas, live_warps, live_threads;
	uint32_t id, cluster; /* sm id (sid), cluster id */
	uint32_t sched_first; /* scheduler that issues first */
	uint32_t fetch_last;  /* slot of the last fetch attempt */
	int32_t fetch_buffer; /* warp whose line was fetched, -1: empty */
	uint32_t next_dynamic_id;
	uint32_t cta_limit;      /* CTAs per SM of the kernel placed last, for local address translation */
	uint32_t cta_padded;     /* threads per CTA of that kernel, rounded up to 32 */
	bool changed;            /* this cycle changed more than counters */
	uint64_t skipped_cycles; /* cycles without the stages before the units, not counted yet */
	/*
	 * Schedulers by kind of their cycle, in the last cycle run in which none issued. It follows from
	 * idle_valid and idle_ready.
	 */
	uint8_t idle[N_OCC_IDLE];
	uint8_t idle_kind
		[MAX_SCHEDULERS]; /* reason of the last cycle without an issue, by scheduler; for the profile */
	uint64_t idle_valid, idle_ready;
	uint32_t dynamic_id[MAX_WARPS]; /* launch order of warps */
	uint32_t reg_limit;             /* upper bound of register numbers */
	uint64_t *registers;            /* NULL while reg_limit is REG_LIMIT */
	uint16_t watched[MAX_WARPS]; /* first reserved register of the next instruction, for warps in hazard */

	/* shared with other SMs; set before sm_init() */
	const struct params *params;
	const struct code *code;
	const struct uop *uops;            /* by code handle */
	const struct core_code *core_code; /* NULL unless the core is the modern one */
	struct req_pool *reqs;
	struct addrdec *dec;
	struct net *net;
	struct traffic *traffic_out; /* core to memory */
	struct ring *replies; /* replies of the cluster; with perfect memory, requests go straight here */
	uint64_t *clusters_with_replies; /* mask of the clusters whose replies are not empty */
	struct events *events;           /* NULL: not logged */
	struct power_sm *power;          /* counters of the power model; NULL: none */

	struct core *modern; /* state of the modern core; NULL: this SM has the pipeline of sm/ */
	const struct core_params *core;
	struct sm_profile *profile;   /* NULL: not profiled */
	struct sm_pipeline *pipeline; /* NULL: not in the pipeline log */
	bool observed;                /* power or pipeline is not NULL */
	struct kernel *kernel;        /* bound kernel (normal mode) */

	struct winst *winst; /* pool; [0] unused */
	uint16_t winst_free; /* list of freed winst */
	uint16_t winst_made;
	uint64_t any_slot; /* 0 in sub-core mode, where slots belong to schedulers; else all slots */
	struct collector_in collector_in[N_UNIT_KINDS]; /* inputs of the collector in serving order */
	struct collector_in *collector_of[N_UNIT_KINDS];
	struct unit_in *unit_in;                  /* N_UNIT_KINDS */
	uint32_t collector_in_used, unit_in_used; /* sets that are not empty, by their bit */
	uint64_t next_dispatch_clock; /* earliest clock at which a unit other than UNIT_MEM takes an instruction */
	struct opcoll collector;
	struct func_unit *unit;
	uint8_t bus_used[CALENDAR];  /* result buses taken, by clock mod CALENDAR */
	uint16_t calendar[CALENDAR]; /* winsts due in writeback, oldest first, by clock mod CALENDAR */
	uint64_t calendar_used[CALENDAR / 64];
	uint32_t calendar_count; /* members of calendar_used */

	struct sched sched[MAX_SCHEDULERS];
	struct ldst *ldst;
	struct gang_port *port; /* NULL: no thread block of a gang so far */
	/* SYNC_ARRIVALS for each warp; until: LDGSTS that must be done; NULL: no kernel with mbarriers so far */
	struct copies_arrival *arrivals;
	struct cache *l1i; /* NULL: perfect */
	struct warp *warp; /* MAX_WARPS */
	struct cta cta[MAX_CTAS];
	struct sm_counts n;

	/* Results of this cycle, emptied in the serial end of the core phase (gpu/launch.c). */
	uint8_t ended[MAX_CTAS]; /* CTA slots that completed, in order */
	uint32_t n_ended;
};

/*
 * sm.c: construction, and one core cycle. Stages run from last to first, so an instruction moves one stage a
 * cycle. sm_tick() is called in every core tick for each SM that has a CTA and is due. An SM keeps its CTAs
 * in the cycles that it sleeps through.
 */
void sm_init(struct sm *s); /* s: zeroed except params, its numbers and the shared fields */
void sm_free(struct sm *s); /* also of a zeroed SM */
/* Makes the SM due, if it has a CTA. */
static inline void sm_wake(struct sm *s) { *s->wake_at = s->live_ctas ? 0 : NEVER; }
void sm_tick(struct sm *s, uint64_t now); /* runs a cycle; only when due */
/* Ends the run with a message at the line of instruction w. */
_Noreturn void sm_fatal(const struct sm *s, const struct winst *w, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Accounts for the cycles before now and brings every counter up to date. */
void sm_flush(struct sm *s, uint64_t now);
uint16_t sm_winst_new(struct sm *s);
void sm_winst_free(struct sm *s, uint16_t w);

/*
 * Puts the next CTA of k, whose block has been read, into slot (LAUNCH-place). Called in the serial end of a core
 * tick; now: time of the SM's first cycle with the CTA.
 */
void sm_place_cta(struct sm *s, uint64_t now, uint32_t slot, uint32_t first_thread, struct kernel *k);

/* writeback.c */
void writeback_stage(struct sm *s);
/* Counts an instruction that left the pipeline (SM-wb-3). */
void sm_inst_complete(struct sm *s, uint32_t code, uint32_t mask);
/* Must be called after any change of stores, in_pipe, n_reserved and done. */
void warp_update_drained(struct sm *s, unsigned warp);
/* Counts an instruction of the warp that leaves the pipeline; p: sm.warp[warp]. */
static inline void warp_leaves_pipe(struct sm *s, struct warp *p, unsigned warp)
{
	p->in_pipe--;
	if (s->done >> warp & 1)
		warp_update_drained(s, warp);
}
uint64_t writeback_next(const struct sm *s); /* clock of the next writeback; NEVER: none */

/* execute.c, collector.c */
void execute_stage(struct sm *s);
/* Clock at which a waiting arithmetic instruction may be taken; NEVER: none waits. */
uint64_t execute_next(const struct sm *s);
void collector_init(struct sm *s);
void collector_free(struct sm *s);
/* Index of the ID_OC set of a kind of unit, in the order in which collector ports serve the sets. */
unsigned collector_input(unsigned unit);
void collector_stage(struct sm *s); /* all steps of the cycle */
/* Frees all banks; replaces the stage in a cycle without work for it. */
void collector_forget_writes(struct sm *s);
/*
 * Takes the bank of a destination of u for a write, before this cycle's first step. Returns false if the bank is
 * taken. Always succeeds for a uniform register.
 */
bool collector_write(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched);

/* issue.c and sched_*.c */
void sched_init(struct sm *s);
void issue_stage(struct sm *s);
/* Space of the record's generic address. */
NOINLINE enum space warp_generic_space(const struct sm *s, const struct warp *p, const struct rec *rec);

/* depend.c */
/* Makes the register sets large enough for register numbers below limit. */
void depend_grow(struct sm *s, uint32_t limit);
void depend_free(struct sm *s);

/* barrier.c */
/* Arrives with a warp at the barrier of the record. Returns the warps whose wait this ends. */
uint64_t barrier_arrive(struct sm *s, unsigned warp, const struct uop *u, const struct rec *r);
/* Removes an ended warp from the barriers of its block. Returns the warps that this releases. */
uint64_t barrier_warp_exit(struct sm *s, unsigned warp);

/* ldgsts.c (SM-async) */
void ldgsts_reset(struct warp *w);
/* Returns the index of the new entry. */
uint32_t ldgsts_issue(struct sm *s, unsigned warp, const struct winst *in, uint64_t lane0);
void ldgsts_close_group(struct sm *s, unsigned warp);
void ldgsts_wait(struct sm *s, unsigned warp, uint32_t n);
void ldgsts_done(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);

/* gmma.c */
void gmma_reset(struct gmma_groups *g);
void gmma_issue(struct sm *s, unsigned w, const struct uop *u);
/* Waits until at most `open` groups are open. Returns false if no more are. */
bool gmma_wait(struct sm *s, unsigned w, uint32_t open);
/* Notes the end of the warp's oldest product. Returns true if this ends the wait of the warp. */
bool gmma_done(struct sm *s, unsigned w);

/* fetch.c, decode.c */
void fetch_stage(struct sm *s); /* decode and fetch, fetch_steps times; reaps finished warps */
/* Takes an instruction reply, outside the SM's cycle. */
void fetch_fill(struct sm *s, uint32_t req, uint64_t now);

static inline uint64_t sm_min_clock(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif
