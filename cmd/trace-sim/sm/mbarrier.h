/* SPDX-License-Identifier: BSD-2-Clause */
/* mbarrier objects in shared memory (mbarrier.c), and groups of bulk copies (bulk.c). For the modules of the SM. */
#ifndef SM_MBARRIER_H
#define SM_MBARRIER_H

#include "sm/sm.h"

/* Makes the table of the mbarriers that the records of a thread block name, before the thread block starts. */
void mbarrier_make_table(struct sm *s, struct cta *c);
void mbarrier_free(struct cta *c);
/* Executes the record of an ARRIVES, or of a SYNCS other than a wait, on the mbarriers that it names. */
void mbarrier_execute(struct sm *s, unsigned cta, const struct rec *r);
/*
 * Completes bytes of a copy on the mbarrier at an address. Does nothing if there is no mbarrier. The address bits above
 * the offset in shared memory are ignored.
 */
void mbarrier_complete_bytes(struct sm *s, unsigned cta, uint32_t address, uint64_t bytes);
/* Applies an effect (enum sync_effect) with value v to the mbarrier at an address, if there is one. */
void mbarrier_apply_effect(struct sm *s, unsigned cta, uint32_t address, uint32_t effect, uint32_t v);
/*
 * Makes a warp wait for an mbarrier. The wait ends at once, or with the operation that completes the phase. Its end
 * clears the warp's bit in sync_wait. It also clears the bit in dep_wait or, in the modern core, calls
 * core_sync_phase_ended().
 */
void mbarrier_start_wait(struct sm *s, unsigned w, const struct rec *r);

/* State of the mbarrier that a warp waits for. */
struct mbarrier_view {
	uint64_t address;
	bool initialised;
	uint32_t phase;
	int64_t arrived;           /* number of arrivals in the current phase */
	int64_t expected_arrivals; /* number of arrivals that end the phase */
	int64_t bytes;             /* number of expected bytes that have not arrived */
};
/* Returns true, and sets *v, if the warp, which is in sync_wait, waits for an mbarrier. */
bool mbarrier_get_awaited(const struct sm *s, unsigned w, struct mbarrier_view *v);

/*
 * Executes an ARRIVES, which arrives when the warp's LDGSTS with numbers below `until` are done. At most SYNC_ARRIVALS
 * arrivals of a warp can wait; a further one arrives at once.
 */
void mbarrier_arrive_after_copies(struct sm *s, unsigned w, const struct rec *r, uint32_t until);
/* Notes that the warp's LDGSTS with numbers below `done` are done. */
void mbarrier_note_copies_done(struct sm *s, unsigned w, uint32_t done);

/* ---- bulk.c ---- */
void bulk_reset(struct warp_sync *y);
/* Counts an issued bulk copy in the open group of warp w. */
void bulk_count_issued(struct sm *s, unsigned w);
/* Closes the open group of warp w. A DEPBAR of the warp then waits for groups of bulk copies. */
void bulk_close_group(struct sm *s, unsigned w);
/* Makes warp w wait until at most `open` groups are open. Returns false if no wait is needed. */
bool bulk_start_wait(struct sm *s, unsigned w, uint32_t open);
/*
 * Counts a bulk copy of warp w in its group if it is a store or reduction whose data have been read from shared memory.
 * Ends a wait of the warp for groups.
 */
void bulk_note_store_read(struct sm *s, unsigned w, const struct rec *r);
/* Ends a bulk copy of warp w: completes its bytes on its mbarrier. */
void bulk_end_copy(struct sm *s, unsigned w, const struct rec *r);

#endif
