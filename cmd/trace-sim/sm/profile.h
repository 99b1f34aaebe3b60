/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution of cycles (--profile): each cycle of each warp scheduler is attributed to one reason and one
 * instruction. stats/profile_record.c makes records of the attributed cycles.
 *
 * Always true:
 *  - A cycle of a scheduler is counted once: as an issue, or for the reason of one warp that did not issue. Of the
 *    warps nearest to issuing, this is the first in the order of the policy. A ready warp is nearest, then one that
 *    waits for registers, one without an instruction, one at a barrier.
 *  - The instruction is the one that the warp waits for: the producer of a register, the barrier, the instruction
 *    whose pipeline register is full, or the instruction that is not fetched yet.
 *  - The cycles of all rows of an SM, plus sm_profile.removed_cycles, are the SM's clock times its number of
 *    schedulers. They include the cycles in which the SM sleeps. Each SM has its own rows, so SMs may run in parallel.
 *  - The simulation does not read the profile: results are the same with and without it.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include "request/req.h"
#include "sm/sm.h"

enum profile_reason {
	PROFILE_ISSUE,
	PROFILE_NO_INSTRUCTION,
	PROFILE_SCOREBOARD_MEMORY,
	PROFILE_SCOREBOARD_ARITHMETIC,
	PROFILE_BARRIER,
	PROFILE_MEMORY_BARRIER,
	PROFILE_UNIT_BUSY,
	PROFILE_COLLECTOR_FULL,
	PROFILE_LDST_QUEUE,
	PROFILE_DRAINED,
	N_PROFILE_REASONS
};

extern const char *const profile_reason_names[N_PROFILE_REASONS];

#define PROFILE_NO_CODE UINT32_MAX

/* Counters of an instruction: PROFILE_COUNT(name, unit). Each row makes a counter and a figure pc[*].NAME. */
#define PROFILE_COUNTS(X) \
	X(issues, "warp-insts") /* the second instruction of a dual issue adds no cycle */ \
	X(lanes, "thread-insts") \
	X(requests, "warp-insts") \
	X(sectors, "sectors") \
	X(l1_accesses, "accesses") \
	X(l1_hits, "accesses") \
	X(l2_accesses, "accesses") \
	X(l2_hits, "accesses") \
	X(bank_conflicts, "cycles")

enum profile_count {
#define PROFILE_COUNT(name, unit) PROFILE_##name,
	PROFILE_COUNTS(PROFILE_COUNT)
#undef PROFILE_COUNT
		N_PROFILE_COUNTS
};

struct profile_row {
	uint32_t kernel; /* uid of the kernel */
	uint32_t code;   /* handle of the instruction; PROFILE_NO_CODE: none */
	uint32_t next;   /* row of the same instruction in another kernel; 0: none */
	uint64_t n[N_PROFILE_COUNTS];
	uint64_t cycles[N_PROFILE_REASONS];
};

/*
 * Attribution of the cycles of a scheduler without an issue; row 0: not known. A new attribution would give the same
 * row while unit, warp, n_reserved, and picked_from match the state of the SM (is_attribution_valid() in profile.c).
 */
struct profile_idle {
	uint32_t row;
	uint8_t reason, unit;
	uint8_t warp;        /* warp to which the cycle is attributed */
	uint16_t n_reserved; /* number of outstanding results of the warp */
	uint32_t position;   /* number of the record at the head of the warp */
	uint64_t picked_from; /* mask of warps from which the policy picked the warp; 0: attribute each cycle */
};

/* Masks of the warps of an SM that have not ended, and of the waiting warps by cause. */
struct profile_warps {
	uint64_t running_or_waiting;
	uint64_t atomic;
	uint64_t fence;
	uint64_t barrier;
};

struct sm_profile {
	struct profile_row *row; /* rows; [0] is unused */
	uint32_t n_rows, cap_rows;
	uint32_t *first_row; /* first row of an instruction, by code + 1; 0: no row */
	uint32_t cap_first;
	struct profile_idle idle[MAX_SCHEDULERS];
	struct profile_warps warps; /* masks at the last attribution of all schedulers; valid if has_warps */
	/* true: no scheduler has issued, or been attributed on its own, since `warps` was set */
	bool has_warps;
	uint64_t sched_slots[MAX_SCHEDULERS]; /* mask of the warp slots of each scheduler */
	uint32_t uid[MAX_CTAS];               /* uid of the kernel of the thread block in each slot */
	uint32_t newest_slot;                 /* slot of the newest thread block */
	uint32_t lowest;                      /* no slot below this one has a thread block */
	uint64_t removed_cycles;              /* cycles of rows that were already written and removed */
	uint64_t cycles[N_PROFILE_REASONS];   /* cycles of the run, by reason */
	uint64_t clock;                       /* clock of the SM at the end of the last kernel */
	uint32_t last[MAX_WARPS];             /* instruction that each warp issued last */
	uint32_t *producer[MAX_WARPS];        /* instruction that produces each reserved register */
	uint32_t n_producers[MAX_WARPS];      /* number of entries of producer */
	/* modern core: last instruction that incremented each dependence counter; [7]: no counter */
	uint32_t last_incrementer[MAX_WARPS][8];
};

/* The stages of an SM call these functions if s->profile is not NULL. */
struct sm_profile *sm_profile_new(const struct core_params *c);
void sm_profile_free(struct sm_profile *p);
/* Counts the issue of warp w's head by scheduler k; second: it is the second instruction of a dual issue. */
__attribute__((noinline)) void profile_count_issue(struct sm *s, unsigned k, unsigned w, bool second);
/* Counts the issue of the instruction with handle `code` by warp w of a modern core. */
__attribute__((noinline)) void profile_count_core_issue(struct sm *s, unsigned w, uint32_t code);
/*
 * profile_set_core_reason() sets the warp and the reason (enum core_stall) of the next cycles of sub-core k without an
 * issue. profile_count_core_cycles() counts such cycles.
 */
__attribute__((noinline)) void profile_set_core_reason(struct sm *s, unsigned k, unsigned w, unsigned stall);
__attribute__((noinline)) void profile_count_core_cycles(struct sm *s, unsigned k, uint64_t cycles);
/*
 * Functions that count the memory accesses of the instruction with handle `code` of warp w. profile_count_request()
 * counts the instruction, its sectors and the cycles of its bank conflicts. profile_count_conflict() counts one cycle
 * of a conflict. profile_count_l1() counts a lookup in the L1. profile_count_l2() counts the reply of the L2 to a
 * request.
 */
__attribute__((noinline)) void profile_count_request(
	struct sm *s, unsigned w, uint32_t code, uint32_t sectors, uint32_t conflicts);
__attribute__((noinline)) void profile_count_conflict(struct sm *s, unsigned w, uint32_t code);
__attribute__((noinline)) void profile_count_l1(struct sm *s, const struct req *r, bool hit);
__attribute__((noinline)) void profile_count_l2(struct sm *s, const struct req *r);
/* Notes a new thread block of kernel `uid`. Its warps have the `warps` slots starting at slot `first`. */
void profile_place_cta(struct sm *s, unsigned cta, uint32_t uid, unsigned first, unsigned warps);

/*
 * Count a cycle without an issue, of scheduler k or of all schedulers, after they considered their warps. valid: mask
 * of the SM's warps that are not waiting and have an instruction. ready: the valid warps without a hazard. Called only
 * for policies with sm.decides_by_masks.
 */
__attribute__((noinline)) void profile_attribute_cycle(
	struct sm *s, unsigned k, uint64_t valid, uint64_t ready);
__attribute__((noinline)) void profile_attribute_all(struct sm *s, uint64_t valid, uint64_t ready);
/* Count cycles without an issue, of scheduler k or of all schedulers, in which their warps are in the same state. */
__attribute__((noinline)) void profile_count_unchanged(struct sm *s, unsigned k, uint64_t cycles);
__attribute__((noinline)) void profile_repeat_last_cycle(struct sm *s, uint64_t cycles);

/* Counts cycles with a known attribution. */
static inline void profile_count(struct sm_profile *p, const struct profile_idle *i, uint64_t cycles)
{
	p->row[i->row].cycles[i->reason] += cycles;
	p->cycles[i->reason] += cycles;
}

/* Drops the attribution of scheduler k, so that its next cycle without an issue is attributed by the SM's state. */
static inline void profile_drop_attribution(struct sm_profile *p, unsigned k)
{
	p->idle[k].row = 0;
	p->idle[k].picked_from = 0;
	p->has_warps = false;
}

/* Returns true if scheduler k had no warp at its last attribution, and nothing has changed since. */
static inline bool profile_is_still_empty(const struct sm *s, unsigned k)
{
	const struct sm_profile *p = s->profile;

	return p->idle[k].row && p->idle[k].reason == PROFILE_DRAINED &&
	       !(p->sched_slots[k] & s->live & ~s->done) && s->cta[p->lowest].kernel;
}

/* Returns true if a scheduler waits for a full stage. The full stage may be another one in each cycle. */
static inline bool profile_stage_is_full(const struct sm *s)
{
	for (unsigned k = 0; k < s->core->schedulers; k++) {
		const struct profile_idle *i = &s->profile->idle[k];

		if (!i->row || (i->reason >= PROFILE_UNIT_BUSY && i->reason <= PROFILE_LDST_QUEUE))
			return true;
	}
	return false;
}

#endif
