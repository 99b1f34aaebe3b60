/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit's state, shared by the files of this directory and the memory pipeline of core/ (LSU-state).
 *
 * Always true:
 *  - Steps count the unit's own cycles: step = clock * ldst_steps + i, i < ldst_steps.
 *  - due is the SM clock at which something can happen again. Between two runs of the unit nothing changes
 *    but the L1D's port counters and, while DISP waits for its shared memory passes, the stall counters.
 *  - An entry of SP or of an L1 latency queue can be taken from step `due` on; due steps rise along a queue.
 *    A queue of L slots that shift towards 0 once a step, closing gaps, is free at its top exactly when
 *    fewer than L entries are in it and none was put in during the step.
 *  - pend and the LDGSTS table hold no entry without outstanding accesses: 0 and absent mean the same.
 */
#ifndef LDST_INT_H
#define LDST_INT_H

#include "lsu/ldst.h"

struct timed {
	uint64_t due;
	uint32_t handle; /* handle of a request or of a winst */
};

FIFO(timed_fifo, struct timed)

/* NEXTWB: the instruction of a register-file write. */
struct write_back {
	uint64_t lane0;
	uint32_t code, mask;
	uint8_t warp, sched;
	uint8_t granted; /* number of leading destinations whose bank was granted */
	bool full, shared;
};

enum disp_kind {
	DISP_EMPTY,
	DISP_PASS,   /* no accesses: retires in its first step */
	DISP_SHARED, /* conflict passes until step passes_end */
	DISP_READ,   /* accesses to the constant or texture cache */
	DISP_L1,     /* accesses to the latency queues */
	DISP_BYPASS, /* accesses to the network */
	DISP_BULK    /* a bulk copy */
};

/* LDGSTS in flight (LSU-state-2). quirk Q3-32: pc and lane 0's address are cut to 32 bits. */
struct ldgsts_count {
	uint64_t key;
	uint32_t warp, count;
};

struct ldst {
	uint64_t due;
	uint64_t counted;        /* clock up to which cycles have been counted */
	uint64_t step;           /* step of the current cycle */
	struct cache *l1c, *l1t; /* NULL: none, or none yet (readonly.c) */
	bool readonly;           /* the constant or the texture cache exists */
	struct cache *l1d;       /* NULL: none */
	uint32_t nextg;          /* returned request that bypassed the L1D */
	bool draining;           /* the L1D has a ready request */
	bool decode_early;       /* addresses are decoded when a request is made, not when it leaves */
	bool sector_mshr;        /* stores are acknowledged by sector */
	bool l2_splits;          /* requests of more than 32 bytes are answered in pieces */
	uint8_t next_client;     /* client with the highest priority */
	uint8_t disp;            /* enum disp_kind */
	uint16_t disp_inst;      /* winst handle, WINST_NONE when empty */
	uint64_t passes_end;
	struct write_back wb;
	struct timed_fifo sp;
	struct ring resp;
	/* L1 latency queues, by bank */
	struct timed_fifo *queue;
	uint64_t *last_in;  /* step of the last insertion, by bank */
	uint64_t filled;    /* banks with entries */
	uint64_t queue_due; /* no head can be taken before this step */
	uint32_t bank_shift, n_banks;
	/* outstanding accesses */
	uint16_t *pend;              /* by warp slot and register, see pend_of() */
	uint32_t pend_stride;        /* upper bound of register numbers */
	struct ldgsts_count *ldgsts; /* open addressing */
	uint32_t ldgsts_cap, ldgsts_n;
	struct req request_template; /* common fields of the requests of the instruction in DISP */
	struct access_list acc;      /* accesses of that instruction */
	struct tma *tma;             /* NULL: no kernel for compute capability 9.0 so far */
};

/* pend.c */
static inline uint16_t *pend_of(const struct ldst *l, unsigned warp, unsigned reg)
{
	return &l->pend[warp * l->pend_stride + reg];
}
void pend_add(struct sm *s, const struct uop *u, unsigned warp, uint32_t n, uint64_t lane0);
bool pend_any(const struct sm *s, const struct uop *u, unsigned warp);
/* Counts an access that hit; releases no register. */
void pend_hit(struct sm *s, const struct uop *u, unsigned warp);
/* Counts a returned access of a load. Returns the number of registers without outstanding accesses. */
unsigned pend_registers_done(struct sm *s, const struct uop *u, unsigned warp);
/* Counts a returned access of an LDGSTS. Returns whether it was the last one. */
bool pend_ldgsts_done(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
uint32_t pend_ldgsts(const struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
void pend_store_acks(struct sm *s, unsigned warp, uint32_t k);

/* writeback.c */
void ldst_write_back(struct sm *s, struct ldst *l);
void ldst_response(struct sm *s); /* takes the head of the response FIFO if it can; the FIFO is not empty */

/* ldst.c: value of due after the unit's cycle. */
uint64_t ldst_next_due(const struct sm *s, const struct ldst *l);

/* Counts an instruction that the unit takes; of both cores. */
void ldst_count_entry(struct sm *s, const struct winst *w);
/* Ends a write that a fetch-on-write read held back; of both cores. */
void ldst_free_parent_write(struct sm *s, const struct req *r);

/* writeback.c: the clients of the write-back register */
enum client { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONST, CLIENT_GLOBAL, CLIENT_L1D, N_CLIENTS };

/* readonly.c */
/* Generates one access a line, ascending; none if the cache is missing. */
void readonly_lines(struct sm *s, const struct winst *w, struct access_list *out);
enum stall_reason readonly_issue_access(struct sm *s); /* one access */
void readonly_step(struct sm *s);                      /* the caches' own cycles */
bool readonly_moves(const struct ldst *l);       /* the caches have work without a new request or reply */
unsigned readonly_waiting(const struct ldst *l); /* mask of the two clients that have something */
uint32_t readonly_pop(struct ldst *l, enum client c);
bool readonly_response(struct sm *s, uint32_t req); /* false: the response must wait */

/* l1.c */
void l1_cache_step(struct sm *s, struct cache *c);
void l1_queue_step(struct sm *s, struct ldst *l);
enum stall_reason l1_issue_accesses(struct sm *s);
/* Sets request_template for an instruction whose accesses are about to be issued. */
void ldst_prepare_requests(struct sm *s, uint16_t inst, uint64_t lane0);
uint32_t ldst_make_request(struct sm *s, const struct access *a);
/* The same with the common fields of a model. */
uint32_t ldst_request_like(struct sm *s, const struct req *model, const struct access *a);
uint32_t ldst_store_acks_of(const struct ldst *l, uint32_t bytes);

static inline struct req *ldst_req(const struct sm *s, uint32_t handle) { return &s->reqs->req[handle]; }

/* fit.c: checks the accesses in l->acc of w; needed if core_params.unfit is not 0. */
void fit_check(const struct sm *s, const struct winst *w, bool to_l1);
/* Ends the run with the reason why the L1 will never accept r. */
_Noreturn void fit_never(const struct sm *s, const struct req *r, enum cache_never why);

#endif
