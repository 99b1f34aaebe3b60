/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit of one SM (trace-sim-lsu(7)). Files: ldst.c (cycle, entry, retirement), writeback.c
 * (write-back, responses), l1.c (latency queues), readonly.c (constants, textures), pend.c (outstanding
 * accesses), coalesce.c (access generation), fit.c (rejected accesses), inject.c (towards the network).
 *
 * Time inside the unit is in steps: step = clock * ldst_steps + i. Shifting queues of the hardware are FIFOs
 * with entry times: an entry put into an L-slot queue at step t is at slot 0 from step t + L. Accesses are
 * generated when the instruction enters DISP, since they depend on nothing that changes after issue.
 */
#ifndef LDST_H
#define LDST_H

#include "sm/sm.h"

/* One generated access (LSU-gen-2). Lists are consumed from the back. */
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
 * coalesce.c: generates the accesses of instruction w in the original's order, none in shared space. Ends the
 * run at the trace line of an access that the model cannot make (misaligned local ...).
 */
void coalesce(struct sm *s, const struct winst *w, struct access_list *out);
uint32_t ldst_sectors(const struct access_list *l);                   /* sectors of all accesses */
uint32_t coalesce_shared_passes(struct sm *s, const struct winst *w); /* 1 to 32 */
/*
 * Translates a local address (LSU-local) into up to 8 word addresses and returns their number; 0 if the thread
 * is beyond the memory that the GPU gives to threads. addr and size satisfy LSU-local-2.
 */
unsigned coalesce_local(
	const struct sm *s, unsigned warp, unsigned lane, uint64_t addr, unsigned size, uint64_t out[8]);

struct ldst *ldst_new(struct sm *s);
void ldst_delete(struct ldst *l);
void ldst_cycle(struct sm *s);              /* runs the steps of a cycle */
bool ldst_can_accept(const struct sm *s);   /* DISP empty */
void ldst_accept(struct sm *s, uint16_t w); /* LSU-accept */
bool ldst_response_full(const struct sm *s);
void ldst_push_response(struct sm *s, uint32_t req);
/* Clock of the unit's next run: s->clock + 1 while it has work; NEVER: only a reply wakes it. */
uint64_t ldst_next(const struct sm *s);
/* Brings counters up to the SM's clock, including cycles in which the unit did not run. */
void ldst_count_idle(struct sm *s);
/* Returns true while the instruction in DISP has passes through shared memory left. */
bool ldst_passes_left(const struct sm *s);
void ldst_registers(
	struct sm *s, uint32_t limit); /* makes tables large enough for register numbers below limit */
void ldst_use_tma(struct sm *s);       /* creates the unit of bulk copies */
void ldst_read_only(struct sm *s);     /* creates the constant and texture caches */
struct cache *ldst_l1c(const struct sm *s),
	*ldst_l1t(const struct sm *s);      /* NULL: missing, or not created yet */
struct cache *ldst_l1d(const struct sm *s); /* NULL: none */
void ldst_invalidate_l1d(struct sm *s);
/* Outstanding loads of a warp by register, for the deadlock report. */
uint32_t ldst_pending(const struct sm *s, unsigned warp, unsigned reg);

/* inject.c: test for space and push towards the network with all counters (LSU-inject). */
bool inject_can_push(struct sm *s, const struct req *r, bool bypass);
bool inject_can_push_bytes(struct sm *s, uint32_t bytes, bool write);
void inject(struct sm *s, uint32_t req);

#endif
