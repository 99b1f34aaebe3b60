/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit of one SM (trace-sim-lsu(7)). Files: ldst.c (cycle, entry, retirement), writeback.c
 * (write-back, responses), l1.c (latency queues), readonly.c (constants, textures), pend.c (outstanding
 * accesses), coalesce.c (access generation), fit.c (rejected accesses), inject.c (towards the network).
 *
 * Time inside the unit is in steps: step = clock * ldst_steps + i. Shifting queues of the hardware are modelled by
 * FIFOs of entries with due times: an entry that is put into a queue of L slots at step t is at slot 0 from step t + L
 * on. Accesses are generated when the instruction enters DISP, because they do not depend on any later state.
 */
#ifndef LDST_H
#define LDST_H

#include "sm/sm.h"

/* One generated access (LSU-gen-2). The accesses of a list are made from the end of the list. */
struct access {
	uint64_t addr;
	uint64_t bytes[2];
	uint32_t lanes;
	uint16_t size;
	uint8_t type; /* enum acc_type */
	uint8_t sectors;
};

/* 32 lanes of 8 local words each; a global access has at most 2 segments per lane */
#define MAX_ACCESSES 256

struct access_list {
	uint64_t lane0; /* address of lane 0; 0 if it is inactive */
	uint32_t n;
	struct access access[MAX_ACCESSES];
};

/*
 * coalesce.c: generates the accesses of instruction w, in the original's order; for shared memory, none. Ends the run
 * at the trace line of an access that the model does not support, such as a misaligned access to local memory.
 */
void coalesce(struct sm *s, const struct winst *w, struct access_list *out);
/* Returns the number of sectors of all accesses. */
uint32_t ldst_count_sectors(const struct access_list *l);
/* Returns the number of passes of a shared memory instruction, 1 to 32. */
uint32_t coalesce_count_shared_passes(struct sm *s, const struct winst *w);

struct ldst *ldst_new(struct sm *s);
void ldst_delete(struct ldst *l);
void ldst_cycle(struct sm *s);              /* runs the steps of a cycle */
bool ldst_can_accept(const struct sm *s);   /* returns true if DISP is empty */
void ldst_accept(struct sm *s, uint16_t w); /* puts instruction w into DISP (LSU-accept) */
bool ldst_is_response_fifo_full(const struct sm *s);
void ldst_push_response(struct sm *s, uint32_t req);
/* Returns the clock of the unit's next run: s->clock + 1 while it has work; NEVER: only a reply wakes it. */
uint64_t ldst_next_clock(const struct sm *s);
/* Brings the counters up to date, including the cycles in which the unit did not run. */
void ldst_count_idle_cycles(struct sm *s);
/* Returns true while the instruction in DISP has passes through shared memory left. */
bool ldst_has_passes_left(const struct sm *s);
/* Makes tables large enough for register numbers below `limit`. */
void ldst_grow_registers(struct sm *s, uint32_t limit);
void ldst_create_tma(struct sm *s); /* creates the TMA if there is none */
/* Creates the constant and texture caches if there are none. */
void ldst_create_readonly_caches(struct sm *s);
/* Returns the constant cache; NULL: none, or not created yet. */
struct cache *ldst_l1c(const struct sm *s);
/* Returns the texture cache; NULL: none, or not created yet. */
struct cache *ldst_l1t(const struct sm *s);
struct cache *ldst_l1d(const struct sm *s); /* returns the L1 data cache; NULL: none */
void ldst_invalidate_l1d(struct sm *s);
/* Returns the number of outstanding accesses for a register of a warp, for the deadlock report. */
uint32_t ldst_outstanding_accesses(const struct sm *s, unsigned warp, unsigned reg);

/* inject.c: test for free space in the network, and push into it with all counters (LSU-inject). */
bool inject_can_push(struct sm *s, const struct req *r, bool bypass);
bool inject_can_push_bytes(struct sm *s, uint32_t bytes, bool write);
void inject(struct sm *s, uint32_t req);

#endif
