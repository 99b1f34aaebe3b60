/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution of cycles (--profile): each cycle of each warp scheduler is attributed to one reason and one
 * instruction. stats/profile_record.c makes records of them.
 *
 * Always true:
 *  - A scheduler's cycle is counted once: as an issue, or for the reason of one warp that did not issue. This
 * warp is
 *   the first by policy among the warps nearest to issuing (ready, then waiting for registers, then without an
 *   instruction, then at a barrier).
 *  - The instruction is the awaited one: the producer of a register, the barrier, the instruction whose
 * pipeline
 *   register is full, or the instruction that is not fetched yet.
 *  - The rows of an SM, plus cycles already taken from them, sum to its clock times its schedulers, including
 * cycles
 *   that it slept through. Each SM has its own rows, so SMs may run in parallel.
 *  - The simulation reads nothing of it: results are the same with and without a profile.
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

/* Counters of an instruction: PROFILE_COUNT(name, unit). A row is a field, and a figure pc[*].NAME. */
#define PROFILE_COUNTS(X) \
	X(issues, "warp-insts") /* the second of a dual issue has no cycle of its own */ \
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
	uint32_t kernel; /* uid */
	uint32_t code;   /* handle of the instruction, PROFILE_NO_CODE: none */
	uint32_t next;   /* row of the same instruction in another kernel, 0: none */
	uint64_t n[N_PROFILE_COUNTS];
	uint64_t cycles[N_PROFILE_REASONS];
};

/*
 * Attribution of a scheduler without an issue; row 0: not known. While the fields from `among` on are equal to the
 * state of the SM, a new attribution would give the same row (see is_attribution_valid() in profile.c).
 */
struct profile_idle {
	uint32_t row;
	uint8_t reason, unit;
	uint8_t warp;        /* warp of the row */
	uint16_t n_reserved; /* outstanding results of the warp */
	uint32_t position;   /* record at the head of the warp */
	uint64_t among; /* warps from which the policy picked the warp; 0: the attribution is valid once */
};

/* Warps of an SM that have not ended, and those of them that wait, by cause. */
struct profile_warps {
	uint64_t running_or_waiting;
	uint64_t atomic;
	uint64_t fence;
	uint64_t barrier;
};

struct sm_profile {
	struct profile_row *row; /* [0] unused */
	uint32_t n_rows, cap_rows;
	uint32_t *first, cap_first; /* by code + 1, so that [0] is for PROFILE_NO_CODE; 0: no row */
	struct profile_idle idle[MAX_SCHEDULERS];
	struct profile_warps warps;   /* warps at the last attribution of all schedulers, while has_warps */
	bool has_warps;               /* no scheduler was attributed or issued since then */
	uint64_t own[MAX_SCHEDULERS]; /* slots of each scheduler */
	uint32_t uid[MAX_CTAS];       /* kernel of the thread block in the slot */
	uint32_t placed;              /* slot of the newest thread block */
	uint32_t lowest;              /* slots below it have no thread block */
	uint64_t taken;               /* cycles of rows that were taken */
	uint64_t cycles[N_PROFILE_REASONS]; /* cycles of the run, by reason */
	uint64_t clock;                     /* clock of the SM at the end of the last kernel */
	uint32_t last[MAX_WARPS];           /* instruction issued last */
	uint32_t *producer[MAX_WARPS];      /* producer of a reserved register, by its number */
	uint32_t n_producers[MAX_WARPS];    /* number of registers with a place in producer */
	uint32_t raiser[MAX_WARPS]
		       [8]; /* modern core: last instruction that raised a dependence counter; 7: none */
};

/* Called by the stages of an SM. s->profile is not NULL. */
struct sm_profile *sm_profile_new(const struct core_params *c);
void sm_profile_free(struct sm_profile *p);
/* Counts the issue of warp w's head by scheduler k; second: the second instruction of a dual issue. */
__attribute__((noinline)) void profile_issue(struct sm *s, unsigned k, unsigned w, bool second);
/* Counts the issue of instruction code by warp w of a modern core. */
__attribute__((noinline)) void profile_core_issue(struct sm *s, unsigned w, uint32_t code);
/*
 * profile_core_idle() sets warp and reason (enum core_stall) of sub-core k from now on; profile_core_cycles()
 * counts cycles without an issue.
 */
__attribute__((noinline)) void profile_core_idle(struct sm *s, unsigned k, unsigned w, unsigned stall);
__attribute__((noinline)) void profile_core_cycles(struct sm *s, unsigned k, uint64_t cycles);
/*
 * Memory accesses of instruction code of a warp: those that a memory instruction makes (sectors) and cycles that its bank
 * conflicts take, a lookup in the L1, and the reply of the L2 to a request of the instruction.
 */
__attribute__((noinline)) void profile_request(
	struct sm *s, unsigned w, uint32_t code, uint32_t sectors, uint32_t conflicts);
__attribute__((noinline)) void profile_conflict(struct sm *s, unsigned w, uint32_t code);
__attribute__((noinline)) void profile_l1(struct sm *s, const struct req *r, bool hit);
__attribute__((noinline)) void profile_l2(struct sm *s, const struct req *r);
/* Notes a new thread block of kernel uid. Its warps have `warps` slots from slot first on. */
void profile_place(struct sm *s, unsigned cta, uint32_t uid, unsigned first, unsigned warps);

/*
 * Counts a cycle without an issue of scheduler k, or of all, which looked at their warps. valid, ready: warps of the SM
 * that are not waiting and have an instruction, and those without a hazard. The policy is one that by_masks describes.
 */
__attribute__((noinline)) void profile_look(struct sm *s, unsigned k, uint64_t valid, uint64_t ready);
__attribute__((noinline)) void profile_look_all(struct sm *s, uint64_t valid, uint64_t ready);
/* Counts cycles without an issue of scheduler k, or of all, whose state is unchanged since it looked. */
__attribute__((noinline)) void profile_idle(struct sm *s, unsigned k, uint64_t cycles);
__attribute__((noinline)) void profile_idle_all(struct sm *s, uint64_t cycles);

/* Counts cycles with a known attribution. */
static inline void profile_count(struct sm_profile *p, const struct profile_idle *i, uint64_t cycles)
{
	p->row[i->row].cycles[i->reason] += cycles;
	p->cycles[i->reason] += cycles;
}

/* Makes the next cycle without an issue of scheduler k attributed anew. */
static inline void profile_forget(struct sm_profile *p, unsigned k)
{
	p->idle[k].row = 0;
	p->idle[k].among = 0;
	p->has_warps = false;
}

/* Tests whether scheduler k was and is without a warp, with the same thread block first on the SM. */
static inline bool profile_still_drained(const struct sm *s, unsigned k)
{
	const struct sm_profile *p = s->profile;

	return p->idle[k].row && p->idle[k].reason == PROFILE_DRAINED && !(p->own[k] & s->live & ~s->done) &&
	       s->cta[p->lowest].kernel;
}

/* Tests whether the reason of a scheduler is a full stage, which may become another one without a change of the SM. */
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
