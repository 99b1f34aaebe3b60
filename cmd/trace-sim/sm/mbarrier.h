/* SPDX-License-Identifier: BSD-2-Clause */
/* Barriers in shared memory (mbarrier.c), and groups of bulk copies (bulk.c). Included by the modules of the SM. */
#ifndef SM_MBARRIER_H
#define SM_MBARRIER_H

#include "sm/sm.h"

/* Collects the barriers that the records of a thread block name, before it starts. */
void mbarrier_place(struct sm *s, struct cta *c);
void mbarrier_free(struct cta *c);
/* Executes the record of an ARRIVES, or of a SYNCS that is no wait, on the barriers that it names. */
void mbarrier_act(struct sm *s, unsigned cta, const struct rec *r);
/*
 * Completes bytes of a copy on the barrier at an address; nothing if there is none. The bits of the address above the
 * offset in shared memory do not count.
 */
void mbarrier_complete(struct sm *s, unsigned cta, uint32_t address, uint64_t bytes);
/* Has an effect, enum sync_effect, with value v on the barrier at an address; nothing if there is none. */
void mbarrier_effect(struct sm *s, unsigned cta, uint32_t address, uint32_t effect, uint32_t v);
/*
 * Tests the wait of a warp in sync_wait: it ends at once, or with the operation that completes the phase. The end
 * clears the warp's bit in sync_wait, and in dep_wait, or calls core_sync_phase_over().
 */
void mbarrier_wait(struct sm *s, unsigned w, const struct rec *r);

/* State of the barrier that a warp waits for. */
struct mbarrier_view {
	uint64_t address;
	bool valid; /* initialised */
	uint32_t phase;
	int64_t arrived, expected; /* arrivals in this phase */
	int64_t bytes;             /* expected bytes that have not come */
};
/* Returns whether the warp, which is in sync_wait, waits for an mbarrier, and sets *v. */
bool mbarrier_awaited(const struct sm *s, unsigned w, struct mbarrier_view *v);

/*
 * ARRIVES: acts when the warp's LDGSTS below number `until` are done. At most SYNC_ARRIVALS of a warp wait; further
 * ones act at once.
 */
void mbarrier_copies_arrive(struct sm *s, unsigned w, const struct rec *r, uint32_t until);
/* Notes that the warp's LDGSTS below number `done` are done. */
void mbarrier_copies_done(struct sm *s, unsigned w, uint32_t done);

/* ---- bulk.c ---- */
void bulk_reset(struct warp_sync *y);
/* Counts an issued bulk copy in the open group of warp w. */
void bulk_issue(struct sm *s, unsigned w);
/* Counts a bulk copy of warp w as done. Returns true if this ends the warp's wait for groups. */
bool bulk_done(struct sm *s, unsigned w);
/* Closes the open group of warp w. A DEPBAR of the warp then waits for groups of bulk copies. */
void bulk_close(struct sm *s, unsigned w);
/* Waits until at most `open` groups are open. Returns false if this already holds. */
bool bulk_wait(struct sm *s, unsigned w, uint32_t open);
/*
 * Ends a bulk copy of warp w: completes its bytes on its mbarrier, counts it in its group, and ends a wait of the warp
 * for groups.
 */
void bulk_copy_ends(struct sm *s, unsigned w, const struct rec *r);

#endif
