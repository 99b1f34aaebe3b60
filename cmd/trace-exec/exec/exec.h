/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Execution: ops (bound instructions), warps, thread blocks, memory.
 *
 * A warp's registers are a frame: a vector of 32 lanes for each register that is used (predicates: a word with a
 * bit per lane), and for each constant and special register, filled when the frame is opened. Every operand of an
 * op is therefore an offset from the frame's start. An op is executed for the lanes of a mask at once.
 * 128-bit registers are two vectors of 64 bits, the low halves first.
 *
 *   link.c     linking of modules               call.c     calls of functions
 *   place.c    addresses of variables           text.c     words of trace lines
 *   exec.c     one warp until it waits or ends  stack.c    the SIMT stack
 *   cta.c      thread blocks and barriers       cluster.c  thread block clusters
 *   grid.c     a launch                         memory.h   global memory
 *   check.c    checks of accesses and barriers  shared.c   checks of shared memory
 *   race.c     races on global memory           clash.c    different values from lanes of one store
 *   flight.c   copies in flight                undefined.c undefined registers
 *   bulk_flight.c  bulk and tensor copies in flight
 *   shadow.c   states of shared memory
 *   operands.c operands of ops                 park.c     calls whose lanes wait for other lanes
 *   lanes.h    loops over the lanes of a warp  print.c    printf
 *   texture.h  textures and surfaces           spin.c     loops that wait for a write
 *   digest.c   hashes of global memory        unset.c    marks of uninitialised bytes of the heap
 *   product.c  undefined results of products   race_lines.c   marks of races on lines of memory
 *   warpgroup.c  warps that execute matrix products together
 *
 * The effects of ops, by family, and the binding of instructions to ops are in sem/. Always true: thread blocks of
 * different clusters share only global memory; an op that fails calls exec_fail once, and the launch ends.
 */
#ifndef EXEC_H
#define EXEC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "bits.h"
#include "inlining.h"
#include "exec/memory.h"
#include "exec/texture.h"
#include "lang/lang.h"
#include "exec/text.h"

#define LANES     32u
#define ALL_LANES 0xffffffffu

struct op;
struct warp;
typedef void op_fn(struct warp *w, const struct op *o, uint32_t exec);

enum flow_kind {
	FLOW_NEXT,
	FLOW_BRA,
	FLOW_BRX,
	FLOW_CALL,
	FLOW_CALL_REG,
	FLOW_RET,
	FLOW_EXIT,
	FLOW_BAR,
	FLOW_WAIT
};

/* Data that only some ops need. */
struct ext {
	uint32_t slot[40]; /* frame offsets of vector elements, in operand order */
	uint8_t bytes[40]; /* width of the register in each slot */
	uint8_t n_dst, n_src;
	uint32_t *target; /* FLOW_BRX: instruction numbers of the targets */
	uint32_t n_targets;
	struct call_site *site; /* call.h */
	struct matrix *matrix;  /* sem/mma.h */
	void *family;           /* data of one family of ops: sem/video.c, sem/tensor.c */
	const struct stmt *stmt;
	uint64_t value[4];
	uint32_t aux[8];
};

struct op {
	op_fn *execute;
	uint32_t d, a, b, c; /* offsets in the frame */
	uint32_t guard;      /* offset of the guard predicate */
	uint32_t guard_not;  /* mask that is XORed with the guard predicate */
	uint32_t target;     /* number of the target instruction in the program */
	uint32_t rpc;        /* number of the instruction where diverged lanes meet; UINT32_MAX: none */
	uint8_t flow, space;
	uint8_t bytes; /* size of the elements of a memory access */
	uint8_t n;     /* number of the elements of a memory access */
	uint8_t reg_bytes, is_signed;
	uint8_t memory; /* trace records of the op have addresses */
	uint8_t mode;   /* mode of the op, whose meaning depends on the family */
	uint8_t is_param; /* PTX, SP_LOCAL: the address is an offset in the running function's frame (op_uses_frame) */
	uint8_t stretch; /* packed records: the op is an access that begins a stretch (machine/same_base.c) */
	uint16_t n_straight; /* number of ops of straight (PTX) or plain code (machine/run.c) from this one on */
	uint32_t inst;       /* number of the instruction in the program, which copies of the op keep */
	int64_t imm;
	struct ext *x;
	const struct stmt *stmt;
	const struct func *func;
};
/* Returns true if is_param has its meaning of PTX. Machine code uses it for other properties, such as scales. */
static inline bool op_uses_frame(const struct op *o) { return o->is_param && !o->func->machine; }

/* ---- linking; place.c ---- */

/* Sets the addresses of variables of module scope that are not shared. Returns 0, or -1 with the fault set. */
int place_statics(struct program *p, struct fault *f);
/* Sets the addresses of shared variables. Function numbers and the definitions of names must be set before. */
int place_shared(struct program *p, struct fault *f);

/* ---- binding ---- */

struct frame_init {
	uint32_t slot;
	uint8_t bytes, sreg;
	uint64_t value;
}; /* if sreg is 0, `value` is the value of every lane */
/* INIT_DYN_SHARED, INIT_LOCAL: `value` is an offset from dynamic shared memory, or from the local frame. */
enum { INIT_DYN_SHARED = N_SREGS, INIT_LOCAL };

struct frame {
	uint32_t bytes; /* size of registers and constants */
	struct frame_init *init;
	uint32_t n_init, cap_init;
	uint32_t carry; /* slot of the carry of .cc; 0: not used */
	uint32_t order; /* effects of the function that depend on the order of thread blocks (ORDER_*) */
	/* place of the reserved shared memory in the CTA's, RESERVED_LAST or RESERVED_FIRST; 0: not used */
	uint8_t reserved;
};
enum { RESERVED_LAST = 1, RESERVED_FIRST };
#define RESERVED_SHARED 1024u /* bytes of shared memory of each block that are reserved for the system */

/* Bits of frame.order. Each of the lower bits represents one atomic operation on global memory. */
enum {
	ORDER_SHOWS = 1 << 30, /* effects that show the order: old values, rounded sums, printing, malloc */
	ORDER_FENCE = 1 << 29, /* fences, volatile and ordered accesses, by which blocks may communicate */
	ORDER_CLAIM = 1 << 28  /* uses of old values of atomics, by which blocks may claim work */
};

struct bound_code {
	const struct program *prog;
	struct op *op;        /* ops by instruction number */
	struct frame *frame;  /* frames by function number */
	uint32_t *owner;      /* number of the function of each instruction */
	uint32_t local_bytes; /* local memory of a thread: frames of the deepest chain of calls */
	bool recursive;
	bool uses_malloc;
	bool allocates_local; /* a function executes alloca */
	struct reg_sum *sum;  /* sources of the form register + constant, by instruction: sem/sum.c */
	uint32_t n_sums, cap_sums;
	struct operand_lists *operands; /* operands.h */
	struct arena arena;
};

/* Returns the op of the program that `o` is or is a copy of: handlers copy an op to compute a second address. */
static inline const struct op *bound_original(const struct bound_code *c, const struct op *o)
{
	return &c->op[o->inst];
}

struct bind {
	struct bound_code *code;
	const struct program *prog;
	struct func *func;
	const struct stmt *stmt;
	struct frame *frame;
	struct fault *fault;
};

/* Binds all instructions of a linked program. Returns 0, or -1 with *f about the first unsupported one. */
int bind_program(struct bound_code *c, const struct program *p, struct fault *f);
void bind_free(struct bound_code *c);

/*
 * Helpers for sem/, which binds the families of instructions. On failure they set the fault and return -1
 * (UINT32_MAX for slots).
 */
int bind_fault(const struct bind *b, const struct operand *at, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int bind_operands(const struct bind *b, unsigned least, unsigned most);
int bind_types(const struct bind *b, unsigned n);
/* Reports the instruction as not supported. needs: the PTX version and target that it requires. */
int bind_refuse(const struct bind *b, const char *needs);
/* Returns the slot of a destination of `bits` bits (1: a predicate), or of a sink if the operand is O_NULL. */
uint32_t bind_dst(struct bind *b, const struct operand *o, unsigned bits);
/* Returns the slot of a source: a register of the type's width, or a constant. */
uint32_t bind_src(struct bind *b, const struct operand *o, enum type type);
/* Binds a source, a register of any integer width, like bind_src(). Sets *bytes to its width. */
uint32_t bind_src_any(struct bind *b, const struct operand *o, enum type type, uint8_t *bytes);
uint32_t bind_dst_any(struct bind *b, const struct operand *o, unsigned least, uint8_t *bytes);
/* Returns the slot of a constant. bytes: its size; 0: a predicate. */
uint32_t bind_const(struct bind *b, uint64_t value, unsigned bytes);
uint32_t bind_scratch(struct bind *b, unsigned bytes);
/* Returns the width of a register, or 0 if the operand is not a register. */
unsigned bind_bits(const struct bind *b, const struct operand *o);
struct ext *bind_ext(struct bind *b, struct op *o);
/* Sets o->a and o->imm from an address "[reg+imm]" or "[sym+imm]" in `space`. */
int bind_address(struct bind *b, struct op *o, const struct operand *at, enum state_space space);
/* Returns the state space of the suffix, or SP_GENERIC if there is none. */
enum state_space bind_space(const struct bind *b);

/* ---- launches ---- */

#define THREADS_MAX 64u
/* Scheduling of diverged lanes. STACK_TARGET: STACK_VOLTA for modules for sm_70 and later, else STACK_SIMT. */
enum stack_kind { STACK_TARGET, STACK_SIMT, STACK_VOLTA };
struct options {
	bool check;
	bool order;        /* always execute CTAs one after another */
	bool strict_races; /* report also races of warps that store the same value to shared memory */
	uint8_t stack;     /* enum stack_kind */
	unsigned threads;
	uint64_t limit; /* largest number of warp instructions in a launch */
};

#define WORKSPACE_BYTES 64u
struct launch {
	const struct func *kernel;
	uint32_t grid[3], block[3], dyn_shared, stream, id;
	uint32_t cluster[3]; /* size in CTAs; 0: as the kernel declares, else 1 */
	bool programmatic; /* the kernel may start before the end of the one before it; only the trace shows this */
	const uint8_t *param; /* parameter block of kernel->param_bytes bytes */
	uint64_t workspace;   /* cooperative: address of WORKSPACE_BYTES zeros for grid barriers; 0: none */
};

struct lower;
struct grid;

/* Functions of machine/ that execute functions of machine code in a program. */
struct machine_execution {
	/* Binds the function's instructions. Returns 0, or -1 with *f about the first unsupported one. */
	int (*bind)(struct bound_code *c, struct func *fn, struct fault *f);
	/* The two functions set and free the data that the warps of a launch share: g->bank0. */
	void (*open)(struct grid *g);
	void (*close)(struct grid *g);
	/* Sets up the registers of the warp, and makes its lanes ready at the first instruction. */
	void (*start)(struct warp *w);
	/* Executes the warp until it waits, ends, fails or has executed quantum instructions. */
	void (*run)(struct warp *w, uint64_t quantum);
	/* Selects the next group of lanes that can run. Returns the number of groups that can run. */
	uint32_t (*rotate)(struct warp *w);
	/* Writes ", PC: instruction" for messages. */
	void (*describe)(const struct op *o, char *out, size_t cap);
	/* loc_positions() of machine code. */
	unsigned (*positions)(const struct op *o, struct place *out, unsigned most);
	/* Lets lanes that wait for lanes that can run continue without them. Returns false if there are none. */
	bool (*release)(struct warp *w);
	/* Lets groups of lanes that wait at a barrier of the cluster continue. */
	void (*end_cluster_wait)(struct warp *w);
	uint8_t uniform; /* op.flow of instructions that are executed once for the warp */
};

/* Resources of a kernel as ptxas reports them; 0: no limit. */
struct occupancy {
	uint32_t regs, shared_bytes;
};

/* Records an executed instruction. issue: lanes for which it was issued; exec: lanes that executed it. */
typedef void record_fn(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec);

struct grid {
	const struct bound_code *code;
	struct memory *mem;
	const struct options *options;
	const struct launch *launch;
	uint32_t kernel; /* function number */
	uint32_t threads, warps, shared_static, shared_bytes;
	/* bytes of shared memory of a CTA: shared_bytes, and reserved ones if the kernel uses them */
	uint32_t shared_window;
	uint32_t reserved_at;              /* offset of the reserved bytes; UINT32_MAX: not used */
	uint32_t cluster[3];               /* CTAs of a cluster in each dimension */
	uint32_t cluster_size;             /* CTAs of a cluster; 1 without clusters */
	const struct textures *textures;   /* textures that the kernel may use */
	uint64_t warp_insts;               /* number of warp instructions of the delivered CTAs */
	uint64_t thread_insts;             /* number of thread instructions of the delivered CTAs */
	uint64_t timer;                    /* %globaltimer at the start of each CTA */
	atomic_uint_fast64_t first_failed; /* number of the lowest CTA that has failed; UINT64_MAX: none */
	pthread_mutex_t lock;              /* protects fault and printing */
	struct fault fault;                /* fault of CTA `first_failed` */
	bool has_finding;                  /* a delivered CTA has a finding that does not end the launch */
	bool has_outside_effect;           /* a delivered CTA has an effect outside of memory (struct cta) */
	bool reads_timer;                  /* a delivered CTA read %globaltimer */
	uint32_t order;                    /* ORDER_* of the kernel and the functions that it calls */
	uint64_t n_resident;               /* number of CTAs that the GPU executes at once; 0: unknown */
	uint64_t cluster_turn;     /* number of warp instructions after which another cluster continues */
	uint64_t warp_turn;        /* number of instructions that a warp executes before the next warp */
	bool independent;          /* groups of diverged lanes take turns */
	unsigned n_threads;        /* number of threads that execute CTAs */
	struct race *race;         /* state of the search for races (race.c); NULL: no search */
	record_fn *record;         /* function that records instructions; NULL: no trace */
	const struct lower *lower; /* machine code of the trace (lower/lower.h); NULL: PTX */
	const struct machine_execution *machine; /* the kernel is machine code; NULL: PTX */
	uint8_t *bank0; /* constant bank 0 of the kernel: launch values and parameters */
	uint32_t bank0_bytes;
	uint32_t param_at; /* offset of the parameters in bank 0, aligned; 0: PTX */
	FILE *print;       /* output of printf */
};

/* Entry of a SIMT stack: a group of lanes, or, if rpc is RPC_PARKED, the lanes of parked call number pc (park.c). */
struct stack_entry {
	uint32_t pc, mask, rpc;
};
#define RPC_PARKED (UINT32_MAX - 1)

/* Recorded instructions of a packed trace; trace_out.c. */
struct recording {
	/* Recorded runs. The last one ends before `next`; its member n is not yet set. */
	struct pack_run *run;
	struct pack_payload *payload;
	uint64_t *word;
	uint32_t next;           /* instruction that continues the last run */
	uint32_t last_run_mask;  /* lanes of the last run */
	uint32_t last_run_start; /* first instruction of the last run */
	uint32_t capacity;       /* number of accesses for which word[] and payload[] have space at least */
	uint32_t n_runs, n_payloads, n_words, cap_runs, cap_payloads, cap_words;
	struct {
		uint32_t first_word;   /* index in word[] */
		uint64_t address_span; /* last address of the list minus the first */
	} list[4];                     /* most recent address lists, each with the addresses of all lanes */
	uint32_t n_lists;
};
#define NO_RUN UINT32_MAX /* value of next before the first run */

#define FINDINGS_MAX 8u /* largest number of findings of a thread block */

/* A wait for an mbarrier whose phase was not complete. */
struct mbarrier_wait {
	bool failed;       /* the last wait of the warp failed; the other fields describe it */
	uint64_t offset;   /* address of the mbarrier in shared memory */
	uint64_t arrivals; /* number of arrivals that the phase lacks */
	int64_t bytes;     /* number of bytes that the phase lacks; negative: bytes beyond those expected */
	uint64_t insts;    /* value of the warp's insts */
};

struct warp {
	uint8_t *frame;
	struct cta *cta;
	const struct grid *grid;
	uint8_t *local; /* local memory of lane 0; each further lane's begins local_stride bytes later */
	uint32_t local_stride;
	uint32_t local_base;         /* offset of the running function's frame */
	uint32_t dynamic_end[LANES]; /* end of the memory that alloca gave the running function; 0: none */
	struct memory *mem;
	uint32_t live;  /* live lanes of the running call */
	uint32_t ended; /* lanes that have ended */
	uint32_t index; /* number of the warp in the CTA */
	uint32_t lanes; /* lanes that have a thread */
	struct stack_entry *stack;
	uint32_t depth, cap;
	struct call_frame *call;
	uint32_t n_calls, cap_calls;
	struct parked_calls *parked; /* parked calls (park.c); NULL: none so far */
	uint8_t *frames;
	size_t frames_cap, frame_at;
	uint32_t func;
	uint8_t state;               /* enum warp_state */
	uint8_t barrier;             /* number of the barrier at which the warp waits */
	uint32_t cluster_arrived;    /* lanes that have arrived at barrier.cluster */
	uint32_t cluster_phase_over; /* lanes whose phase of barrier.cluster is over */
	bool changed;       /* memory was changed by a store, or by an atomic that wrote another value */
	bool changed_local; /* local memory was changed; other lanes cannot wait for that */
	bool frozen;        /* the warp's clocks read frozen_clock */
	bool timed;         /* the warp has read a clock */
	uint8_t clock_reads; /* number of times that the warp has read a clock in this turn, at most CLOCK_READS */
	uint64_t frozen_clock;
	uint8_t stop;                       /* WARP_STOP and others */
	struct mbarrier_wait mbarrier_wait; /* the last wait for an mbarrier */
	uint64_t products;                  /* number of products of its warpgroup that the warp has issued */
	bool leaves_warpgroup;              /* the warp does not wait for the other warps of its warpgroup */
	const struct op *waiting;           /* barrier at which the warp waits */
	uint32_t wait_mask;
	/* lanes in the mask of a .sync instruction that have not reached it yet (sem/warp.c) */
	uint32_t awaited_sync_lanes;
	uint32_t early_sync_lanes; /* lanes that executed the .sync instruction */
	uint32_t barrier_waiting_lanes; /* lanes that wait at a barrier while other lanes of the warp run: stack.c */
	uint32_t cluster_waiting_lanes; /* lanes of barrier_waiting_lanes that wait at barrier.cluster */
	uint64_t switched_at;           /* value of insts when stack_switch_call() was called last */
	/* value of insts when lanes last converged, or were released although others had not arrived */
	uint64_t released_at;
	uint32_t waiting_barrier_id; /* number of the barrier at which parked lanes wait */
	uint64_t insts, thread_insts;
	/* first op of the straight code that `insts` does not count yet; NULL: none */
	const struct op *uncounted;
	uint64_t addr[LANES]; /* addresses of the last access */
	uint8_t space;        /* space of the last generic access, in its last lane */
	bool adjacent; /* the lanes of the last access are known to be consecutive; its record clears this */
	struct text out; /* trace lines, or, for a packed stream, the text of the records that have text */
	struct recording packed;
	uint64_t lines;              /* number of instructions in the trace of the warp */
	struct flights *async;       /* copies in flight (flight.c); NULL: none so far */
	struct undefined *undefined; /* undefined registers (undefined.c); NULL: none so far */
	uint32_t n_undefined;        /* number of registers that are undefined in some lane */
};

/* WARP_STOP: the launch has failed; WARP_YIELD: other groups run first; WARP_UNDEFINED: a register is undefined */
enum { WARP_STOP = 1, WARP_YIELD = 2, WARP_UNDEFINED = 4 };
/* WARP_PRODUCTS: the warp waits until the other warps of its warpgroup have issued as many products */
enum warp_state { WARP_READY, WARP_BARRIER, WARP_CLUSTER, WARP_PRODUCTS, WARP_DONE };

struct barrier {
	uint32_t arrived, expected, and_result, or_result, n_true;
	bool counted;
};
struct cta {
	struct grid *grid;
	uint32_t id[3];
	uint64_t number;
	uint8_t *shared;
	uint32_t shared_bytes;
	uint8_t *local;
	uint32_t local_stride;
	struct warp *warp;
	uint32_t n_warps; /* number of warps */
	uint32_t n_done;  /* number of warps that have ended */
	struct barrier barrier[16];
	struct cluster *cluster;
	uint32_t rank;                       /* rank in the cluster */
	void *check;                         /* check.c */
	struct warp_marks *warp_marks;       /* state of the search for races (race.c); NULL: no search */
	struct product_reads *product_reads; /* reads by products of warpgroups (warpgroup.c); NULL: none */
	struct clash {
		const struct op *op; /* op of the store; NULL: no clash */
		uint64_t place;
		uint32_t warp;
		uint8_t lane, other_lane;
		bool is_shared;
	} clash; /* clash.c */
	struct finding {
		const struct op *op;
		struct fault fault;
	} finding[FINDINGS_MAX]; /* faults that do not end the launch: a race and a read per place, one other fault */
	uint32_t n_findings;
	void *product; /* operands of a matrix product: sem/product.c */
	uint64_t clock;
	bool has_outside_effect; /* it printed, allocated, freed, or read the number of the launch */
	bool reads_timer;        /* it read %globaltimer */
};

/*
 * CTAs that run together and can access each other's shared memory. In the address space .shared::cluster, and
 * at generic addresses starting at SHARED_BASE, the offsets below CLUSTER_STRIDE belong to the CTA's own memory,
 * and the offsets from (r + 1) * CLUSTER_STRIDE on belong to the memory of rank r.
 */
#define CLUSTER_STRIDE 0x40000u
struct cluster {
	struct cta **cta; /* CTAs of the cluster by rank */
	uint32_t n;
	uint32_t arrived; /* number of lanes that have arrived at barrier.cluster */
	uint64_t number;
	uint32_t unchanged_rounds; /* number of rounds since memory changed last */
	uint32_t watch_from_round; /* value of unchanged_rounds at which to look for endless loops */
	bool changed;              /* memory was changed during the last cluster_run() */
	bool timed;                /* a spinning warp reads a clock */
	uint64_t idle_ns;          /* nanoseconds by which the clocks have advanced while all warps waited */
	uint64_t idle_step_ns;     /* next step by which the clocks advance */
	bool has_idled;            /* the clocks have advanced since the last cluster_run() */
	struct bulk_flights
		*bulk_flights; /* bulk and tensor copies in flight (bulk_flight.c); NULL: none so far */
};
enum cluster_state { CLUSTER_DONE, CLUSTER_FAILED, CLUSTER_STUCK, CLUSTER_READY };
struct cluster *cluster_new(struct grid *g);
void cluster_free(struct cluster *c);
/* Executes barrier.cluster.arrive for the lanes of m. */
void cluster_arrive(struct warp *w, const struct op *o, uint32_t m);
/* Executes barrier.cluster.wait for the lanes of m. Returns true if the warp continues at once. */
bool cluster_wait(struct warp *w, const struct op *o, uint32_t m);
/* Returns true if all lanes of m have arrived at barrier.cluster, and other lanes of the cluster have not. */
bool cluster_must_wait(struct warp *w, uint32_t m);
/* Makes the warp, some of whose groups of lanes are at barrier.cluster.wait, wait because no other group can run. */
void cluster_wait_in_groups(struct warp *w, const struct op *o);
void cluster_start(struct cluster *c, uint64_t number);
/* Executes the cluster until it ends or fails, until all its warps wait or spin, or to the end of its turn. */
enum cluster_state cluster_run(struct cluster *c);
/*
 * Advances the clocks of a stuck cluster that reads one, so that a timed wait ends. Returns false if the
 * cluster reads no clock, or if the clocks have advanced by more than half an hour.
 */
bool cluster_advance_clocks(struct cluster *c);
/* Returns true if a warp of a stuck cluster waits for a write to a buffer, by the host or another launch. */
bool cluster_waits_for_write(const struct cluster *c);
/* Returns true if a stuck cluster still waits. Executes each warp until it spins. */
bool cluster_still_waits(struct cluster *c);
/* Fails the launch because a cluster is stuck. */
void cluster_fail_deadlock(struct cluster *c);
/* Sets id to the coordinates of a CTA: CTAs are numbered cluster by cluster, within a cluster by rank. */
void grid_block_id(const struct grid *g, uint64_t number, uint32_t id[3]);

/* Allocates a CTA, which can be started many times. */
struct cta *cta_new(struct grid *g);
void cta_free(struct cta *c);
void cta_start(struct cta *c, uint64_t number);
/* Executes a turn of each warp that is ready. Returns false if none was. */
bool cta_execute_turn(struct cta *c);
/* Returns true if a warp that spins has accessed a buffer. */
bool cta_waits_for_write(const struct cta *c);
/* Fails the launch because the CTA is stuck, and reports a warp that waits. */
void cta_fail_deadlock(struct cta *c);
/* Sets the members that follow from the launch and its kernel, such as threads and warps. Must be called first. */
void grid_prepare(struct grid *g);
uint32_t grid_shared_unit(uint32_t sm); /* bytes; the shared memory of a block is a multiple */
/* Returns the value of a special register that is the same in all threads of a launch. */
uint64_t grid_sreg_value(const struct grid *g, unsigned sreg);
/*
 * Executes all CTAs, several at once if their order has no effect. Calls done, unless it is NULL, for each CTA in
 * order, from one thread at a time. Returns false with g->fault set on failure.
 */
bool grid_run(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx);

/*
 * Execute a launch in steps. grid_continue() executes the CTAs to their end. If pauses is true, it also returns when
 * all CTAs wait and at least one of them waits until the host or another launch writes a buffer. grid_end() frees the
 * grid's data at any time.
 */
enum grid_state { GRID_DONE, GRID_FAILED, GRID_PAUSED };
struct grid_team *grid_begin(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx);
enum grid_state grid_continue(struct grid_team *t, bool pauses);
void grid_end(struct grid_team *t);

/* Executes the warp until it waits, ends, fails or has executed quantum instructions. */
void exec_warp(struct warp *w, uint64_t quantum);
/* Opens the frame of function func above the running one. */
void exec_open_frame(struct warp *w, uint32_t func);
/* Fails the launch at o, in the lowest lane of mask. */
void exec_fail(struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/*
 * Returns true if the finding at an op needs no text, because the block has noted it, or because it was printed for
 * another block. Notes it in the latter case.
 */
bool exec_is_finding_known(struct warp *w, const struct op *o, const char *id);
/*
 * Keeps a finding, which does not end the launch, until the CTA is delivered: one race and one read per place, and only
 * the first finding of any other kind.
 */
void exec_note_finding(struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt,
	...) PRINTF_LIKE(5, 6);
/* Prints the findings of a CTA. Called in the order of the CTAs, when the CTA is delivered (grid.c). */
void exec_print_findings(const struct cta *c);
uint64_t exec_sreg_value(const struct warp *w, unsigned sreg, unsigned lane);
/*
 * Returns %clock64 of the warp. A warp instruction of the CTA takes one cycle and one nanosecond. uncounted: number of
 * instructions that the warp has executed, including the one that reads the clock, but w->insts does not contain.
 */
uint64_t exec_clock(struct warp *w, uint64_t uncounted);
/* Returns %globaltimer. uncounted: as for exec_clock(). */
uint64_t exec_timer(struct warp *w, uint64_t uncounted);
/* Returns true if a special register may differ between the lanes of a warp. */
static inline bool exec_sreg_differs(unsigned sreg)
{
	return (sreg >= S_TID_X && sreg <= S_TID_Z) || sreg == S_LANEID ||
	       (sreg >= S_LANEMASK_EQ && sreg <= S_LANEMASK_GE);
}
/* Sets tid to the thread (x,y,z) of a lane. */
void exec_thread_id(const struct warp *w, unsigned lane, uint32_t tid[3]);

/* Executes bar or barrier for the lanes of exec. Returns true if the warp continues at once. */
bool cta_arrive_barrier(struct warp *w, const struct op *o, uint32_t exec);
/* Counts a warp that has ended. */
void cta_count_ended_warp(struct cta *c);
/* Fails the launch because of --limit, at the instruction of the block's first live warp. */
void cta_fail_over_limit(struct cta *c);
/* Returns true if this CTA or one of a lower number has failed. */
static inline bool grid_failed(struct grid *g, uint64_t cta) { return atomic_load(&g->first_failed) <= cta; }

/* Computes the addresses of all lanes into w->addr. */
static ALWAYS_INLINE void exec_compute_addresses(struct warp *w, const struct op *o)
{
	const uint64_t *a = (const uint64_t *)(const void *)(w->frame + o->a);
	uint64_t imm = (uint64_t)o->imm;

	if (o->mode & 1) { /* the address register has 32 bits */
		const uint32_t *s = (const uint32_t *)(const void *)(w->frame + o->a);

		for (unsigned i = 0; i < LANES; i++)
			w->addr[i] = (uint32_t)(s[i] + (uint32_t)imm);
	} else {
		for (unsigned i = 0; i < LANES; i++)
			w->addr[i] = a[i] + imm;
	}
}

#define REG(T, w, slot) ((T *)(void *)((w)->frame + (slot)))
#define PRED(w, slot)   (*REG(uint32_t, w, slot))

#endif
