/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit's state, shared by the files of this room only (LSU-state).
 *
 * Always true:
 *  - Steps count the unit's own cycles: step = clock * ldst_steps + i, i < ldst_steps.
 *  - due is the SM clock at which something can happen again. Between two runs of the unit nothing changes
 *    but the L1D's port counters and, while DISP waits for its shared memory passes, the stall counters.
 *  - An entry of SP or of an L1 latency queue can be taken from step `due` on; due steps rise along a queue.
 *    A queue of L slots that shift towards 0 once a step, closing gaps, is free at its top exactly when
 *    fewer than L entries are in it and none was put in during the step.
 *  - pend and the LDGSTS table hold no entry for what has nothing outstanding: 0 and absent mean the same.
 */
#ifndef LDST_INT_H
#define LDST_INT_H

#include "lsu/ldst.h"

struct timed {
	uint64_t due;
	uint32_t what;
}; /* request or winst handle */

FIFO(timed_fifo, struct timed)

/* NEXTWB: what a register-file write needs of the instruction. */
struct write_back {
	uint64_t lane0;
	uint32_t code, mask;
	uint8_t warp, sched;
	uint8_t granted; /* destinations whose bank was granted, a prefix */
	bool full, shared;
};

enum disp_kind {
	DISP_EMPTY,
	DISP_PASS,   /* nothing to hand out: retires in its first step */
	DISP_SHARED, /* conflict passes until step passes_end */
	DISP_READ,   /* accesses to the constant or texture cache */
	DISP_L1,     /* accesses to the latency queues */
	DISP_BYPASS  /* accesses to the network */
};

/* LDGSTS under way (LSU-state-2). quirk Q3-32: pc and lane 0's address are cut to 32 bits. */
struct ldgsts_count {
	uint64_t key;
	uint32_t warp, count;
};

struct ldst {
	uint64_t due;
	uint64_t counted;        /* clock up to which cycles have been counted */
	uint64_t step;           /* of the cycle being run */
	struct cache *l1c, *l1t; /* NULL: none, or none yet (readonly.c) */
	bool readonly;           /* one of them is there */
	struct cache *l1d;       /* NULL: none */
	uint32_t nextg;          /* returned request that bypassed the L1D */
	bool draining;           /* the L1D has a ready request */
	bool decode_early;       /* addresses are decoded when a request is made, not when it leaves */
	bool sector_mshr;        /* stores are acknowledged by sector */
	bool l2_splits;          /* requests of more than 32 bytes are answered in pieces */
	uint8_t arb;             /* client that is looked at first */
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
	uint32_t pend_stride;        /* register numbers are below */
	struct ldgsts_count *ldgsts; /* open addressing */
	uint32_t ldgsts_cap, ldgsts_n;
	struct req like;        /* what the requests of the instruction in DISP have alike */
	struct access_list acc; /* of that instruction */
};

/* pend.c */
static inline uint16_t *pend_of(const struct ldst *l, unsigned warp, unsigned reg)
{
	return &l->pend[warp * l->pend_stride + reg];
}
void pend_add(struct sm *s, const struct uop *u, unsigned warp, uint32_t n, uint64_t lane0);
bool pend_any(const struct sm *s, const struct uop *u, unsigned warp);
/* An access of a load that was a hit: counted, nothing is released. */
void pend_hit(struct sm *s, const struct uop *u, unsigned warp);
/*
 * One access of a load is back. How many registers have nothing outstanding any more; whether the LDGSTS has.
 */
unsigned pend_registers_done(struct sm *s, const struct uop *u, unsigned warp);
bool pend_ldgsts_done(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
uint32_t pend_ldgsts(const struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
void pend_store_acks(struct sm *s, unsigned warp, uint32_t k);

/* writeback.c */
void ldst_write_back(struct sm *s, struct ldst *l);
void ldst_response(struct sm *s); /* at most one, and only the head; there is one */

/* ldst.c: after the unit's cycle, what due becomes. */
uint64_t ldst_next_due(const struct sm *s, const struct ldst *l);

/* What both cores share: counters of an instruction that the unit takes; the end of a held-back write. */
void ldst_count_entry(struct sm *s, const struct winst *w);
void ldst_free_parent_write(struct sm *s, const struct req *r);

/* writeback.c: the clients of the write-back register */
enum client { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONST, CLIENT_GLOBAL, CLIENT_L1D, N_CLIENTS };

/* readonly.c */
/* One access a line, ascending; none where there is no cache to ask. */
void readonly_lines(struct sm *s, const struct winst *w, struct access_list *out);
enum stall_reason readonly_issue_access(struct sm *s); /* one access */
void readonly_step(struct sm *s);                  /* the caches' own cycles */
bool readonly_moves(const struct ldst *l);         /* they have something to do without news */
unsigned readonly_waiting(const struct ldst *l);   /* which of the two clients have something, by bit */
uint32_t readonly_pop(struct ldst *l, enum client c);
bool readonly_response(struct sm *s, uint32_t req); /* false: it must wait */

/* l1.c */
void l1_cache_step(struct sm *s, struct cache *c);
void l1_queue_step(struct sm *s, struct ldst *l); /* a head may be due */
enum stall_reason l1_issue_accesses(struct sm *s);
/* An instruction is about to hand out its accesses, each in a request. */
void ldst_prepare_requests(struct sm *s, uint16_t inst, uint64_t lane0);
uint32_t ldst_make_request(struct sm *s, const struct access *a);
uint32_t ldst_store_acks_of(const struct ldst *l, uint32_t bytes);

static inline struct req *ldst_req(const struct sm *s, uint32_t handle) { return &s->reqs->at[handle]; }

/* fit.c: of a machine with core_params.unfit; l->acc is what w asks for. */
void fit_check(const struct sm *s, const struct winst *w, bool to_l1);
/* Ends the run: the L1 refused r for ever. */
_Noreturn void fit_never(const struct sm *s, const struct req *r, enum cache_never why);

#endif
