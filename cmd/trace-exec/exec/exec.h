/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Execution: what an instruction becomes, warps, thread blocks, memory.
 *
 * A warp's registers are a frame: for each register that is used a vector of 32 lanes (predicates: one word,
 * a bit a lane), for each constant and special register one, too, filled when the frame is opened; so every
 * operand of an op is an offset from the frame's start. An op is executed for the lanes of a mask at once.
 * 128-bit registers are two vectors of 64 bits, the low halves first.
 *
 *   link.c     modules to a program             call.c     functions
 *   place.c    where variables lie              text.c     words of trace lines
 *   exec.c     one warp until it waits or ends  stack.c    where its lanes are
 *   cta.c      thread blocks and barriers       cluster.c  thread blocks that run together
 *   grid.c     a launch
 *   memory.c   address spaces                   check.c    what is wrong with an access
 *   flight.c   copies that are under way
 *   race.c     thread blocks that race          lanes.h    loops over the lanes of a warp
 *   print.c    printf and texts              texture.h  textures and surfaces
 *
 * What ops do, by family, and how an instruction becomes one is in sem/.
 *
 * Always true: a thread block touches nothing of another outside of its cluster but global memory; an op that
 * fails calls exec_fail once, and the launch ends.
 */
#ifndef EXEC_H
#define EXEC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "bits.h"
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

/* What few ops need. */
struct ext {
	uint32_t slot[40]; /* elements of vectors, in operand order */
	uint8_t bytes[40]; /* width of the register in the slot */
	uint8_t n_dst, n_src;
	uint32_t *target; /* FLOW_BRX: instruction numbers */
	uint32_t n_targets;
	struct call_site *site; /* call.h */
	struct matrix *matrix;  /* sem/mma.h */
	void *family;           /* what the ops of one family know: sem/video.c, sem/tensor.c */
	const struct stmt *in;
	uint64_t value[4];
	uint32_t aux[8];
};

struct op {
	op_fn *fn;
	uint32_t d, a, b, c;           /* offsets in the frame */
	uint32_t guard, guard_not;     /* offset of the predicate; exclusive or with it */
	uint32_t target, rpc;          /* instruction numbers in the program; rpc UINT32_MAX: none */
	uint8_t flow, space, bytes, n; /* of a memory access: element's bytes, elements */
	uint8_t reg_bytes, is_signed, memory,
		mode;     /* memory: the record has addresses; mode: the family's own */
	uint8_t is_param; /* SP_LOCAL: the address is an offset in the running function's frame */
	int64_t imm;
	struct ext *x;
	const struct stmt *in;
	const struct func *func;
};

/* ---- linking; place.c ---- */

/*
 * Addresses of .global and .const variables, and of local ones of no function; of shared ones, when functions
 * have their numbers and names their definitions. 0, or -1 with the fault set.
 */
int place_statics(struct program *p, struct fault *f);
int place_shared(struct program *p, struct fault *f);

/* ---- binding ---- */

struct frame_init {
	uint32_t slot;
	uint8_t bytes, sreg;
	uint64_t value;
}; /* sreg 0: the value in every lane */
/*
 * value + first dynamic shared address of the launch; value
 * + where the function's frame begins in local memory
 */
enum { INIT_DYN_SHARED = N_SREGS, INIT_LOCAL };

struct frame {
	uint32_t bytes; /* of registers and constants */
	struct frame_init *init;
	uint32_t n_init, cap_init;
	uint32_t carry; /* of .cc; 0: not used */
	uint32_t order; /* what of the function the order of thread blocks may show in; ORDER_* */
};

/*
 * Bits of frame.order: an atomic of global memory for each
 * operation (by its number), and what stands for itself.
 */
enum {
	ORDER_SHOWS = 1 << 30, /* old values are used, sums are rounded, prints, device malloc */
	ORDER_FENCE = 1 << 29  /* blocks tell each other something: fences, volatile and ordered accesses */
};

struct bound_code {
	const struct program *prog;
	struct op *op;        /* by instruction number */
	struct frame *frame;  /* by function, as program->func */
	uint32_t *owner;      /* function's number, by instruction */
	uint32_t local_bytes; /* of a thread: frames of the deepest chain of calls */
	bool recursive;
	bool uses_malloc;
	struct reg_sum *sum; /* registers plus constants as sources, by instruction: sem/sum.c */
	uint32_t n_sums, cap_sums;
	struct arena arena;
};

struct bind {
	struct bound_code *code;
	const struct program *prog;
	struct func *fn;
	const struct stmt *in;
	struct frame *frame;
	struct fault *fault;
};

/* Everything of a linked program. 0, or -1 and *f naming what is not executable. */
int bind_program(struct bound_code *c, const struct program *p, struct fault *f);
void bind_free(struct bound_code *c);

/* For the bindings of families (sem_*.c). All return -1 (or UINT32_MAX for slots) with the fault set. */
int bind_fault(const struct bind *b, const struct operand *at, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int bind_operands(const struct bind *b, unsigned least, unsigned most);
int bind_types(const struct bind *b, unsigned n);
/* Not executable, with what it would need. */
int bind_refuse(const struct bind *b, const char *needs);
/* Bits 1: a predicate; O_NULL: a sink. */
uint32_t bind_dst(struct bind *b, const struct operand *o, unsigned bits);
uint32_t bind_src(struct bind *b, const struct operand *o,
	enum type type); /* registers of the type's width, or constants */
/* A register of any integer width, narrow or wide; its bytes in *bytes. Constants get the type's width. */
uint32_t bind_src_any(struct bind *b, const struct operand *o, enum type type, uint8_t *bytes);
uint32_t bind_dst_any(struct bind *b, const struct operand *o, unsigned least, uint8_t *bytes);
uint32_t bind_const(struct bind *b, uint64_t value, unsigned bytes); /* bytes 0: a predicate */
uint32_t bind_scratch(struct bind *b, unsigned bytes);
unsigned bind_bits(const struct bind *b, const struct operand *o); /* of a register; 0: not a register */
struct ext *bind_ext(struct bind *b, struct op *o);
/* "[reg+imm]" or "[sym+imm]" of space: o->a and o->imm. */
int bind_address(struct bind *b, struct op *o, const struct operand *at, enum state_space space);
enum state_space bind_space(const struct bind *b); /* from the suffix; SP_GENERIC when there is none */

/* ---- memory ---- */

#define STATIC_BASE   0x100u
#define STATIC_LIMIT  0x1f880000u
#define LOCAL_BASE    0x1f880000u
#define SHARED_BASE   0xbf880000u
#define PARAM_BASE    0x1f870000u /* generic addresses of kernel parameters: behind all static variables */
#define HEAP_BASE     0xc0000000u
#define SHARED_WINDOW 0x18000u
#define PROGRAM_BASE  0xf0000000u /* of function addresses */
#define LOCAL_MAX     (512u << 10)

struct buffer {
	const char *name;
	uint64_t addr, size;
	bool live;
	struct place by; /* of the call that a kernel allocated it with; elsewhere: no line */
	bool host;       /* managed or pinned memory, which the host may write */
};

struct memory {
	uint8_t *heap, *statics;
	uint64_t heap_bytes, heap_cap, static_bytes; /* heap: handed out, reserved */
	struct buffer *buffer;                       /* by address */
	uint32_t n_buffers, cap_buffers;
	uint8_t *unset; /* a byte for each of the heap: 1: nobody wrote it; NULL: none is */
	int ones;       /* a file of ones, and 1; 0: none */
	pthread_mutex_t lock;
};

void memory_open(struct memory *m, uint64_t heap_cap);
void memory_free(struct memory *m);
/* As cudaMalloc: the address. 0: no room. */
uint64_t memory_alloc(struct memory *m, const char *name, uint64_t bytes);
/*
 * Heap bytes that nobody has written, to be found when a
 * kernel reads them; that have been written by other means.
 */
void memory_unset(struct memory *m, uint64_t addr, uint64_t bytes);
void memory_set(struct memory *m, uint64_t addr, uint64_t bytes);
/* What kernels allocated and did not free is told, place by place: their number. */
uint64_t memory_leaks(const struct memory *m, bool finding);
/* Static variables of the program, with their initial values. */
void memory_statics(struct memory *m, const struct program *p);
/* Host address of n bytes of global or static memory; NULL when they are not all in one region. */
static inline uint8_t *memory_at(const struct memory *m, uint64_t addr, uint64_t n)
{
	if (addr >= HEAP_BASE)
		return addr - HEAP_BASE <= m->heap_bytes && m->heap_bytes - (addr - HEAP_BASE) >= n
			       ? m->heap + (addr - HEAP_BASE)
			       : NULL;
	return addr <= m->static_bytes && m->static_bytes - addr >= n && addr >= STATIC_BASE
		       ? m->statics + addr
		       : NULL;
}
/* The buffer or variable that holds addr, or the nearest below it; NULL: none. */
const struct buffer *memory_near(const struct memory *m, uint64_t addr);

/* ---- launches ---- */

#define THREADS_MAX 64u
/* Scheduling of the lanes of a warp that diverge; STACK_TARGET: STACK_VOLTA for modules for sm_70 and later. */
enum stack_kind { STACK_TARGET, STACK_SIMT, STACK_VOLTA };
struct options {
	bool check, order; /* order: CTAs one after another, always */
	bool strict_races; /* warps that store the same value to shared memory race, too */
	uint8_t stack;     /* enum stack_kind */
	unsigned threads;
	uint64_t limit; /* warp instructions of a launch */
};

#define WORKSPACE_BYTES 64u
struct launch {
	const struct func *kernel;
	uint32_t grid[3], block[3], dyn_shared, stream, id;
	uint32_t cluster[3];  /* 0: as the kernel has it, or 1 */
	const uint8_t *param; /* param_bytes of the kernel */
	uint64_t workspace; /* cooperative: zeros where its blocks count each other, WORKSPACE_BYTES; or 0 */
};

struct lower;

/* What ptxas says of a kernel; 0: no limit. */
struct occupancy {
	uint32_t regs, shared;
};

struct warp;
/* Keeps what was executed: issue, the lanes for which it was issued, and exec, those that executed. */
typedef void record_fn(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec);

struct grid {
	const struct bound_code *code;
	struct memory *mem;
	const struct options *opt;
	const struct launch *l;
	uint32_t kernel; /* function's number */
	uint32_t threads, warps, shared_static, shared_bytes;
	uint32_t cluster[3], cluster_size; /* CTAs; 1 without clusters */
	const struct textures *textures;   /* that the kernel may use */
	uint64_t warp_insts, thread_insts; /* of the CTAs that have ended, in order */
	atomic_uint_fast64_t failed;       /* number of the lowest CTA that failed; UINT64_MAX: none */
	pthread_mutex_t lock;              /* of fault and printing */
	struct fault fault;                /* of that CTA */
	bool found;                        /* something is wrong that ends nothing, in a CTA that has ended */
	uint32_t order;                    /* of the kernel and what it calls */
	bool independent;                  /* groups of diverged lanes take turns */
	unsigned at_once;                  /* CTAs that may run */
	struct race *race;                 /* race.c; NULL: not looked for */
	record_fn *record;                 /* NULL: nothing is kept */
	const struct lower *lower; /* the code of a trace as machine code (lower/lower.h); NULL: as PTX */
	FILE *print;               /* of printf */
};

/* Where lanes are. */
struct entry {
	uint32_t pc, mask, rpc;
};
struct call {
	uint32_t base;                    /* stack entries below the call's */
	uint32_t live, exec, func, local; /* of the caller; exec: lanes that were called */
	size_t frame_at;
	const struct op *op;
};

/* Runs for the packed form: see trace_out.c. */
struct pack_run;
struct pack_more;
struct recording {
	struct pack_run *run; /* n of the last one is not set: it reaches up to next */
	struct pack_more *more;
	uint64_t *word;
	uint32_t next, mask; /* the instruction that the last run goes on with, if it is for the same lanes */
	uint32_t n_runs, n_more, n_words, cap_runs, cap_more, cap_words;
	struct {
		uint32_t at;    /* in word[] */
		uint64_t range; /* from its first address to its last */
	} list[4];              /* the last ones of all lanes */
	uint32_t n_lists;
};
#define NO_RUN UINT32_MAX /* next before the first */

#define FINDINGS_MAX 8u /* of a thread block */

struct cta;
struct warp {
	uint8_t *frame;
	struct cta *cta;
	const struct grid *g;
	uint8_t *local;                    /* of lane 0; lanes are local_stride apart */
	uint32_t local_stride, local_base; /* base: offset of the running function's frame */
	struct memory *mem;
	uint32_t live, ended;  /* of the running call; of the warp */
	uint32_t index, lanes; /* in the CTA; lanes that exist */
	struct entry *stack;
	uint32_t depth, cap;
	struct call *call;
	uint32_t n_calls, cap_calls;
	uint8_t *frames;
	size_t frames_cap, frame_at;
	uint32_t func;
	uint8_t state, barrier;
	uint32_t cluster_arrived,
		cluster_over;     /* lanes at barrier.cluster; those that need not wait for it */
	bool changed;             /* memory: a store, or an atomic that put another value */
	uint8_t stop;             /* WARP_STOP: the launch has failed; WARP_YIELD: let others go first */
	const struct op *waiting; /* FLOW_BAR not yet met */
	uint32_t wait_mask;
	uint32_t missed, ahead;     /* lanes that others named and did not find; those others: sem/warp.c */
	uint32_t parked, parked_id; /* lanes that wait at a barrier for others of the warp: stack_gather */
	uint64_t insts, thread_insts;
	/* the access made last */
	uint64_t addr[LANES];
	uint8_t space;   /* of a generic access: of its last lane */
	struct text out; /* lines; of packed records the text that some have */
	struct recording packed;
	uint64_t lines;
	struct flights *async; /* flight.c; NULL: nothing was under way yet */
};

enum { WARP_STOP = 1, WARP_YIELD = 2 };
enum warp_state { WARP_READY, WARP_BARRIER, WARP_CLUSTER, WARP_DONE };

struct barrier {
	uint32_t arrived, expected, all, any, popc;
	bool counted;
};

struct cta {
	struct grid *g;
	uint32_t id[3];
	uint64_t number;
	uint8_t *shared;
	uint32_t shared_bytes;
	uint8_t *local;
	uint32_t local_stride;
	struct warp *warp;
	uint32_t n_warps, n_done;
	struct barrier barrier[16];
	struct cluster *cluster;
	uint32_t rank;         /* in the cluster */
	void *check;           /* check.c */
	struct within *within; /* race.c; NULL: not looked for */
	struct clash {
		const struct op *op; /* NULL: none was found */
		uint64_t place;
		uint32_t warp;
		uint8_t lane, other;
		bool shared;
	} clash; /* clash.c */
	struct finding {
		const struct op *op;
		struct fault fault;
	} finding[FINDINGS_MAX]; /* faults that do not end the launch: races, one a place; of the others the first */
	uint32_t n_findings;
	void *product; /* sem/product.c: the matrices in hand */
	uint64_t clock;
};

/*
 * CTAs that run together: they see each other's shared memory. Its addresses in .shared::cluster (and behind
 * SHARED_BASE) are those of the CTA itself below CLUSTER_STRIDE, and those of rank r from (r + 1) *
 * CLUSTER_STRIDE on.
 */
#define CLUSTER_STRIDE 0x40000u
struct cluster {
	struct cta **cta; /* by rank */
	uint32_t n;
	uint32_t arrived; /* lanes, at barrier.cluster */
	uint64_t number;
	uint32_t quiet,
		watch_at; /* rounds in which no memory changed; the round in which to look for loops */
	bool changed;     /* memory, since the cluster went on */
};
enum cluster_state { CLUSTER_DONE, CLUSTER_FAILED, CLUSTER_STUCK };
struct cluster *cluster_new(struct grid *g);
void cluster_free(struct cluster *c);
/* barrier.cluster.arrive. */
void cluster_arrive(struct warp *w, const struct op *o, uint32_t m);
/* barrier.cluster.wait. true: the warp goes on at once. */
bool cluster_wait(struct warp *w, const struct op *o, uint32_t m);
void cluster_start(struct cluster *c, uint64_t number);
/*
 * Go on until the end, a failure, or until all that do not
 * wait go round in loops that nothing but others can end.
 */
enum cluster_state cluster_go(struct cluster *c);
/* The launch fails: nothing can free a cluster that is stuck. */
void cluster_deadlock(struct cluster *c);
/* Coordinates of the CTA with a number: clusters one after another, within one by rank. */
void grid_block(const struct grid *g, uint64_t number, uint32_t id[3]);

/* One CTA's room, used for one after another. */
struct cta *cta_new(struct grid *g);
void cta_free(struct cta *c);
void cta_start(struct cta *c, uint64_t number);
/* A turn of each warp that is ready. false: none was. */
bool cta_turn(struct cta *c);
/* Nothing moves any more: name who waits for what. */
void cta_deadlock(struct cta *c);
/*
 * What follows from the launch and its kernel: threads, warps, shared memory, clusters. Before anything else.
 */
void grid_prepare(struct grid *g);
/*
 * All CTAs, several at once where that cannot show; done (NULL: nothing) is called for each in order, by one
 * thread at a time. false: g->fault says why.
 */
bool grid_run(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx);

/* Until the warp waits, ends, fails or has executed quantum instructions. */
void exec_warp(struct warp *w, uint64_t quantum);
/*
 * Goes on until the warp is in a state in which it was, no memory having changed meanwhile: true, it goes
 * round for ever unless others change what it reads. false: anything else happened, or nothing in 65536
 * instructions.
 */
bool exec_spins(struct warp *w);
/* Open the frame of function func above the running one. */
void exec_open_frame(struct warp *w, uint32_t func);
void exec_set_sregs(struct warp *w, const struct frame *f);
/* The launch fails here, in the lowest lane of mask. */
void exec_fail(struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/*
 * Keeps a fault that does not end the launch, to be printed when the CTA is delivered: a race once a place, the
 * first of all others once a kernel.
 */
void exec_find(struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
void exec_found(const struct cta *c);
uint64_t exec_sreg(const struct warp *w, unsigned sreg, unsigned lane);
/* thread (x,y,z) of a lane */
void exec_thread(const struct warp *w, unsigned lane, uint32_t tid[3]);

void stack_start(struct warp *w, uint32_t pc);
/* The lanes of another group run next, each in its turn; groups of callers wait. Their number. */
uint32_t stack_rotate(struct warp *w);
/* Lanes that wait at a meeting point go on without those they wait for. false: none does. */
bool stack_release(struct warp *w);
/* Whether lanes of a warp may come to the barrier one group after another. */
bool stack_gathers(const struct warp *w, const struct op *o);
/*
 * The lanes of exec, of those in mask, come to a barrier where others of the warp are wanted, too. true: all
 * that live are there, it is executed; false: they wait, others go on or the launch has failed.
 */
bool stack_gather(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/* Arrive at barrier id; see cta.c. true: the warp goes on at once. */
bool cta_arrive(struct warp *w, const struct op *o, uint32_t exec);
void cta_ended(struct cta *c);
/* The launch fails for the limit on instructions, where the block's first living warp stands. */
void cta_over_limit(struct cta *c);
/* CTAs from here on need not go on: one of a lower number, or this one, has failed. */
static inline bool grid_failed(struct grid *g, uint64_t cta) { return atomic_load(&g->failed) <= cta; }

/* Addresses of the lanes of exec to w->addr. */
static inline void exec_addresses(struct warp *w, const struct op *o)
{
	const uint64_t *a = (const uint64_t *)(const void *)(w->frame + o->a);
	uint64_t imm = (uint64_t)o->imm;

	if (o->mode & 1) { /* a 32-bit address register */
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
