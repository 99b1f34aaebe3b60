/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit of one SM (trace-sim-lsu(7)).
 * Files: ldst.c (cycle, entry, retirement), writeback.c (write-back, responses), l1.c (latency queues),
 * pend.c (outstanding accesses), coalesce.c (access generation), inject.c (towards the network).
 *
 * Time inside the unit is steps: step = clock * ldst_steps + i. The shifting queues of a hardware description
 * are kept as FIFOs with entry times: an entry put into an L-slot queue at step t is at slot 0 from step t +
 * L. Accesses are generated when the instruction enters DISP: they depend on nothing that changes after
 * issue.
 */
#ifndef LDST_H
#define LDST_H

#include "sm/sm.h"

/* One generated access (LSU-gen-2). Consumed from the back of the list. */
struct access {
	uint64_t addr;
	uint64_t bytes[2];
	uint32_t lanes;
	uint16_t size;
	uint8_t type; /* enum acc_type */
	uint8_t sectors;
};

#define MAX_ACCESSES 256 /* 32 lanes of 8 local words; only global pieces cross segments, one a lane */

struct access_list {
	uint64_t lane0; /* address of lane 0, 0 when it is inactive */
	uint32_t n;
	struct access at[MAX_ACCESSES];
};

/*
 * coalesce.c. The accesses of instruction w, in the original's order, none in shared space; and the passes
 * of one in shared space. Dies at the trace line on what the model cannot do (misaligned local ...).
 */
void coalesce(struct sm *s, const struct winst *w, struct access_list *out);
uint32_t coalesce_shared_passes(struct sm *s, const struct winst *w); /* 1 to 32 */
/*
 * Local address translation (LSU-local): up to 8 word addresses; returns how many, 0 when the
 * thread lies beyond the memory that the machine gives to threads. addr and size are as LSU-local-2 wants.
 */
unsigned coalesce_local(
	const struct sm *s, unsigned warp, unsigned lane, uint64_t addr, unsigned size, uint64_t out[8]);

struct ldst *ldst_new(struct sm *s);
void ldst_delete(struct ldst *l);
void ldst_cycle(struct sm *s);              /* the unit's advance(s) in execute */
bool ldst_can_accept(const struct sm *s);   /* DISP empty */
void ldst_accept(struct sm *s, uint16_t w); /* LSU-accept */
bool ldst_response_full(const struct sm *s);
void ldst_push_response(struct sm *s, uint32_t req);
/* Clock at which the unit must run next; s->clock + 1 while anything moves, NEVER: only a reply wakes it. */
uint64_t ldst_next(const struct sm *s);
/* Counters as of the SM's clock: cycles in which the unit had nothing to do are counted when it runs next. */
void ldst_count_idle(struct sm *s);
/* The instruction in DISP has not made its last pass through shared memory. */
bool ldst_passes_left(const struct sm *s);
void ldst_registers(struct sm *s, uint32_t limit); /* register numbers below limit are to come */
void ldst_read_only(struct sm *s);                 /* constant and texture caches are to be there */
struct cache *ldst_l1c(const struct sm *s), *ldst_l1t(const struct sm *s); /* NULL: none, or none yet */
struct cache *ldst_l1d(const struct sm *s);                                /* NULL: none */
void ldst_invalidate_l1d(struct sm *s);
/* Requests of a warp still out, for the deadlock report: loads by register. */
uint32_t ldst_pending(const struct sm *s, unsigned warp, unsigned reg);

/* inject.c: has_buffer and push towards the network with all counters (LSU-inject). */
bool inject_possible(struct sm *s, const struct req *r, bool bypass);
bool inject_possible_bytes(struct sm *s, uint32_t bytes, bool write);
void inject(struct sm *s, uint32_t req);

#endif
