/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of the load/store unit, which the files of this directory and core/memory.c share (LSU-state).
 *
 * Always true:
 *  - Steps count the unit's own cycles: step = clock * ldst_steps + i, i < ldst_steps.
 *  - ldst.due_at is the SM clock at which the unit must run again. Between two runs only counters change: the L1D's
 *    port counters and, while DISP waits for its shared memory passes, the stall counters.
 *  - An entry of SP or of an L1 latency queue may be removed from step timed.due_at on; entries of a queue are due in
 *    the order of the queue. The modelled queue has L slots, and its entries move towards slot 0 by one slot per
 *    step, closing gaps. Its last slot is free exactly when the queue has fewer than L entries and none was added
 *    in this step.
 *  - The LDGSTS table has no entry without outstanding accesses.
 */
#ifndef LDST_INT_H
#define LDST_INT_H

#include "lsu/ldst.h"

struct timed {
	uint64_t due_at;
	uint32_t handle; /* handle of a request or of a winst */
};

FIFO(timed_fifo, struct timed)

/* NEXTWB, the write-back register: the instruction that writes to the register file. */
struct write_back {
	uint64_t lane0;
	uint32_t code, mask;
	uint8_t warp, sched;
	uint8_t granted; /* number of destinations, from the first on, that were granted their bank */
	bool is_full, is_shared;
};

enum disp_kind {
	DISP_EMPTY,
	DISP_PASS,   /* an instruction without accesses; it retires in its first step */
	DISP_SHARED, /* an access to shared memory, with passes until step passes_end */
	DISP_READ,   /* accesses to the constant or texture cache */
	DISP_L1,     /* accesses to the L1D through its latency queues */
	DISP_BYPASS, /* accesses that are sent to the network */
	DISP_BULK    /* a bulk copy */
};

/* An LDGSTS in flight (LSU-state-2). quirk Q3-32: pc and the address of lane 0 are cut to 32 bits. */
struct ldgsts_count {
	uint64_t key;
	uint32_t warp;
	uint32_t count; /* number of outstanding accesses */
};

struct ldst {
	uint64_t due_at;
	uint64_t counted_until; /* clock up to which cycles are counted */
	uint64_t step;          /* current step */
	struct cache *l1c;      /* constant cache; NULL: none, or not created yet (readonly.c) */
	struct cache *l1t;      /* texture cache; NULL: as for l1c */
	bool readonly;          /* true if the constant or the texture cache exists */
	struct cache *l1d;      /* NULL: none */
	uint32_t bypass_reply;  /* returned request that bypassed the L1D; REQ_NONE: none */
	bool draining;          /* true if the L1D has a ready request */
	bool decode_early; /* true: addresses are decoded when a request is made; false: when it is sent */
	bool sector_mshr;  /* true if stores are acknowledged sector by sector */
	bool l2_reply_is_split; /* true if the L2 replies in pieces to requests of more than 32 bytes */
	uint8_t next_client;    /* client of the write-back register with the highest priority */
	uint8_t disp;           /* enum disp_kind */
	uint16_t disp_inst;     /* winst handle of the instruction in DISP; WINST_NONE: empty */
	uint64_t passes_end;    /* DISP_SHARED: step of the last pass */
	struct write_back write_back;
	struct timed_fifo shared_pipe; /* pipeline of shared memory */
	struct ring responses;         /* response FIFO */
	/* L1 latency queues, by bank */
	struct timed_fifo *queue;
	uint64_t *last_insert_step; /* step of the last insertion into each bank's queue */
	uint64_t filled;            /* mask of the banks with entries */
	uint64_t queue_due;         /* first step in which the head of a queue may access the cache */
	uint32_t bank_shift, n_banks;
	/* outstanding accesses */
	uint16_t *pend; /* number of outstanding accesses by warp slot and register, see pend_counter_of() */
	uint32_t pend_stride;        /* upper bound of register numbers */
	struct ldgsts_count *ldgsts; /* the LDGSTS in flight, as a hash table with open addressing */
	uint32_t ldgsts_cap, ldgsts_n;
	struct req request_template; /* common fields of the requests of the instruction in DISP */
	struct access_list accesses; /* accesses that the instruction in DISP has yet to make */
	struct tma *tma;             /* NULL: the SM has had no kernel for compute capability 9.0 */
};

/* pend.c */
static inline uint16_t *pend_counter_of(const struct ldst *l, unsigned warp, unsigned reg)
{
	return &l->pend[warp * l->pend_stride + reg];
}
void pend_count_accesses(struct sm *s, const struct uop *u, unsigned warp, uint32_t n, uint64_t lane0);
bool pend_has_accesses(const struct sm *s, const struct uop *u, unsigned warp);
/* Counts an access that hit as returned. Releases no register. */
void pend_count_hit(struct sm *s, const struct uop *u, unsigned warp);
/* Counts a returned access of a load. Returns the number of registers that it has released. */
unsigned pend_count_returned(struct sm *s, const struct uop *u, unsigned warp);
/* Counts a returned access of an LDGSTS. Returns true after the last one. */
bool pend_count_ldgsts_returned(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
uint32_t pend_ldgsts_accesses(const struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0);
void pend_acknowledge_store(struct sm *s, unsigned warp, uint32_t k);

/* writeback.c */
void ldst_write_back(struct sm *s, struct ldst *l);
/* Handles the head of the response FIFO, which must not be empty. The head remains if its receiver is busy. */
void ldst_handle_response(struct sm *s);

/* ldst.c: returns the new value of due after a run of the unit. */
uint64_t ldst_compute_due(const struct sm *s, const struct ldst *l);

/* Counts an instruction that enters the load/store unit, by memory space; used by both cores. */
void ldst_count_instruction(struct sm *s, const struct winst *w);
/* Acknowledges and frees the write that waited for the fetch-on-write read r; used by both cores. */
void ldst_free_parent_write(struct sm *s, const struct req *r);

/* writeback.c: the clients of the write-back register */
enum client { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONST, CLIENT_GLOBAL, CLIENT_L1D, N_CLIENTS };

/* readonly.c */
/* Generates one access per line, in ascending order; none if there is no cache for the memory space. */
void readonly_generate_accesses(struct sm *s, const struct winst *w, struct access_list *out);
enum stall_reason readonly_issue_access(struct sm *s); /* makes one access of the instruction in DISP */
void readonly_step(struct sm *s);                      /* runs a cycle of the two caches */
/* Returns true if a read-only cache has work without a new request or reply. */
bool readonly_has_work(const struct ldst *l);
/* Returns the mask of the read-only caches, by number of the client, that have a ready request. */
unsigned readonly_ready_clients(const struct ldst *l);
uint32_t readonly_pop_ready(struct ldst *l, enum client c);
bool readonly_handle_response(struct sm *s, uint32_t req); /* returns false if the response must wait */

/* l1.c */
void l1_cache_step(struct sm *s, struct cache *c);
void l1_queue_step(struct sm *s, struct ldst *l);
enum stall_reason l1_issue_accesses(struct sm *s);
/* Sets request_template for the accesses of an instruction. */
void ldst_prepare_requests(struct sm *s, uint16_t inst, uint64_t lane0);
uint32_t ldst_make_request(struct sm *s, const struct access *a);
/* Makes the request for access *a. All other fields are those of *model. */
uint32_t ldst_make_request_like(struct sm *s, const struct req *model, const struct access *a);
uint32_t ldst_store_acks_of(const struct ldst *l, uint32_t bytes);

static inline struct req *ldst_req(const struct sm *s, uint32_t handle) { return &s->reqs->req[handle]; }

/* fit.c: checks the accesses of w in ldst.accesses; called if core_params.unfit is not 0. */
void fit_check_accesses(const struct sm *s, const struct winst *w, bool to_l1);
/* Ends the run with a message that says why the L1 will never accept r. */
_Noreturn void fit_die_rejected_access(const struct sm *s, const struct req *r, enum cache_never why);

#endif
