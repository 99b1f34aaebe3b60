/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stages of warp instructions for the pipeline log (--pipeline): follows the chosen warps of an SM.
 *
 * After each cycle that the SM runs, its state is compared with the state known from before: buffers, operand
 * collectors, units, the load/store unit. Cycles that the SM sleeps through change nothing of it. Issues and ends are
 * reported at the places of the event log. The simulation reads nothing of it: results are the same with and without a
 * log.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "instrument/kanata.h"
#include "sm/sm.h"

/* An instruction of a warp from its fetch to its end. */
struct pipe_inst {
	struct pipe_inst *next; /* next younger one of its warp, or next of the free list */
	uint64_t lane0;         /* LDGSTS: address of lane 0 */
	uint64_t earliest;      /* cycle before which its next stage cannot begin */
	uint64_t end;           /* cycle of its end; 0: not known */
	uint64_t producer;      /* number of the instruction that it waits for; KANATA_HIDDEN: none */
	uint32_t handle;        /* handle in the log */
	uint32_t index;         /* number among the warp's records */
	uint32_t code;          /* handle of the instruction */
	uint32_t seen;          /* number of the observation that saw it last */
	uint16_t inst;          /* handle of its winst; WINST_NONE: none */
	uint8_t stage;          /* enum stage */
	bool decoded, issued;
};

struct sm_pipeline {
	struct kanata *log;
	uint64_t warps;                     /* chosen slots */
	uint32_t observations;              /* number of observed cycles */
	uint32_t made;                      /* used elements of pool */
	struct pipe_inst *pool;             /* PIPE_MAX */
	struct pipe_inst *free;             /* list of freed instructions */
	struct pipe_inst *first[MAX_WARPS]; /* oldest instruction, by slot */
	struct pipe_inst **by_inst;         /* by winst handle */
};

#define PIPE_OFF __attribute__((cold, noinline))

/* Returns NULL if the choice has no warp of this SM. */
struct sm_pipeline *pipeline_new(struct kanata *log, const struct filter *only, unsigned sm);
void pipeline_free(struct sm_pipeline *p);

/* Called after each cycle of an SM with a pipeline log. */
PIPE_OFF void pipeline_observe(struct sm *s);
/* Notes the issue of an instruction. */
PIPE_OFF void pipeline_issue(struct sm *s, uint16_t inst);
/* Notes that the result of an instruction leaves an arithmetic unit. */
PIPE_OFF void pipeline_writeback(struct sm *s, uint16_t inst);
/* Notes the end of the last access of an instruction of warp w. lane0: address of lane 0, of an LDGSTS. */
PIPE_OFF void pipeline_memdone(struct sm *s, unsigned w, uint32_t pc, uint64_t lane0);

/* core/pipeline.c: the same for the modern core. t: clock of the issue; inst: WINST_NONE with a fixed end. */
PIPE_OFF void core_pipeline_observe(struct sm *s);
PIPE_OFF void core_pipeline_issue(struct sm *s, unsigned w, uint64_t t, uint16_t inst);
PIPE_OFF void core_pipeline_complete(struct sm *s, uint16_t inst);

/* ---- parts that both cores use ----------------------------------------------------------------- */

/* Begins the instruction of record `index` of warp w with its fetch. */
struct pipe_inst *pipeline_begin(struct sm *s, unsigned w, uint32_t index);
/* Finds the instruction of a record that has not issued; NULL: none. */
struct pipe_inst *pipeline_find(const struct sm *s, unsigned w, uint32_t index);
/* Begins a stage in a cycle, or when the earlier stages allow it. */
void pipeline_enter(struct sm *s, struct pipe_inst *i, enum stage stage, uint64_t cycle);
/* Marks an instruction as issued in a cycle. */
void pipeline_issued(struct sm *s, struct pipe_inst *i, uint16_t inst, uint64_t cycle);
/* Ends an instruction with a cycle of writeback. */
void pipeline_write_back(struct sm *s, struct pipe_inst *i, uint64_t cycle);
/* Ends an instruction without writeback. */
void pipeline_retire(struct sm *s, struct pipe_inst *i, uint64_t cycle, bool flushed);
/* Releases the instructions of warp w that have ended; with `all` it also ends the others. */
void pipeline_release(struct sm *s, unsigned w, bool all);
/*
 * Sets the producer of i, if there is one. Returns WAIT_MEMORY or WAIT_RESULT; by is the producer or NULL, memory
 * whether its result comes from memory.
 */
enum stage pipeline_waits_for(struct sm *s, struct pipe_inst *i, const struct pipe_inst *by, bool memory);

#endif
