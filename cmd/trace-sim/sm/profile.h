/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the cycles go (--profile): each cycle of each warp scheduler is given to one reason and one
 * instruction. stats/profile_record.c makes records of it.
 *
 * Always true:
 *  - A scheduler's cycle is counted once: as an issue, or for the reason of one warp that did not issue. That
 *    warp is among those that came farthest (ready, then waiting for registers, then without an instruction,
 *    then at a barrier), and of these the one that the policy looks at first.
 *  - The instruction is the one waited for: the producer of a register, the barrier, the instruction that
 *    finds no room, or the one that is not fetched yet.
 *  - An SM's rows and what was taken from them add up to its clock times its schedulers; so cycles that were
 *    slept through are counted, too. Each SM has rows of its own, so SMs may run in parallel.
 *  - The simulation never reads anything of this: results are the same with and without it.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
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

#define PROFILE_NO_CODE UINT32_MAX

struct profile_row {
	uint32_t kernel; /* uid */
	uint32_t code;   /* handle of the instruction, PROFILE_NO_CODE: none */
	uint32_t next;   /* row of the same instruction in another kernel, 0: none */
	uint64_t issues; /* warp instructions; the second of a dual issue has no cycle of its own */
	uint64_t cycles[N_PROFILE_REASONS];
};

/* What a scheduler that issues nothing is counted as; row 0: not known. */
struct profile_idle {
	uint32_t row;
	uint8_t reason, unit;
};

struct sm_profile {
	struct profile_row *row; /* [0] unused */
	uint32_t n_rows, cap_rows;
	uint32_t *first, cap_first; /* by code + 1, so that [0] is for PROFILE_NO_CODE; 0: no row */
	struct profile_idle idle[MAX_SCHEDULERS];
	uint64_t own[MAX_SCHEDULERS];  /* slots of each scheduler */
	uint32_t uid[MAX_CTAS];        /* kernel of the thread block in the slot */
	uint32_t placed;               /* slot of the thread block that came last */
	uint64_t taken;                /* cycles of rows that were taken */
	uint64_t clock;                /* the SM's when the last kernel finished */
	uint32_t last[MAX_WARPS];      /* instruction issued last */
	uint32_t *producer[MAX_WARPS]; /* of a reserved register, by its number */
	uint32_t reg_limit;
};

/* The stages of an SM tell what happened. s->profile is not NULL. */
struct sm_profile *sm_profile_new(const struct core_params *c);
void sm_profile_free(struct sm_profile *p);
/* Warp w's head is about to issue; second: behind another in the same cycle. */
__attribute__((cold, noinline)) void profile_issue(struct sm *s, unsigned w, bool second);
/* The same for the modern core: warp w issues instruction code. */
__attribute__((cold, noinline)) void profile_core_issue(struct sm *s, unsigned w, uint32_t code);
/*
 * Sub-core k issues nothing from now on, put down to warp w
 * and an enum core_stall; so many such cycles have passed.
 */
__attribute__((cold, noinline)) void profile_core_idle(struct sm *s, unsigned k, unsigned w, unsigned stall);
__attribute__((cold, noinline)) void profile_core_cycles(struct sm *s, unsigned k, uint64_t cycles);
/* The SM gets a thread block of kernel uid. */
void profile_place(struct sm *s, unsigned cta, uint32_t uid);

/* Scheduler k issues nothing for so many cycles, and has no news since it looked; the same of all. */
__attribute__((cold, noinline)) void profile_idle(struct sm *s, unsigned k, uint64_t cycles);
__attribute__((cold, noinline)) void profile_idle_all(struct sm *s, uint64_t cycles);

#endif
