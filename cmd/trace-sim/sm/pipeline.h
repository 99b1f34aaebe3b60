/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the instructions of the selected warps of an SM through the stages, for the pipeline log (--pipeline).
 *
 * After each cycle that the SM runs, the state of the SM (buffers, operand collectors, units, load/store unit) is
 * compared with the stages known before. Cycles in which the SM sleeps do not change this state. Issues and ends are
 * reported by the hooks of the event log. The simulation does not read the data of this module, so results are the same
 * with and without a log.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "instrument/kanata.h"
#include "sm/sm.h"

/* An instruction of a warp from its fetch to its end. */
struct pipe_inst {
	struct pipe_inst *next;    /* next younger instruction of the warp, or next free element */
	uint64_t lane0;            /* LDGSTS: address of lane 0 */
	uint64_t next_stage_at;    /* first cycle in which the next stage can begin */
	uint64_t end;              /* cycle in which the instruction ends; 0: not known */
	uint64_t producer;         /* log number of the awaited instruction; KANATA_HIDDEN: none */
	uint32_t handle;           /* handle in the log */
	uint32_t index;            /* number of the instruction's record in the warp */
	uint32_t code;             /* handle of the static instruction */
	uint32_t last_observation; /* number of the last observation that found the instruction in a stage */
	uint16_t inst;             /* handle of the instruction's winst; WINST_NONE: none */
	uint8_t stage;             /* enum stage */
	bool decoded, issued;
};

struct sm_pipeline {
	struct kanata *log;
	uint64_t warps;                      /* mask of the selected warp slots */
	uint32_t observations;               /* number of observed cycles */
	uint32_t n_used;                     /* number of elements of pool that were ever used */
	struct pipe_inst *pool;              /* PIPE_MAX elements */
	struct pipe_inst *free;              /* list of freed instructions */
	struct pipe_inst *oldest[MAX_WARPS]; /* oldest instruction, by slot */
	struct pipe_inst **by_inst;          /* instructions in flight, indexed by winst handle */
};

#define PIPE_OFF __attribute__((cold, noinline))

/* Returns NULL if the filter selects no warp of this SM. */
struct sm_pipeline *pipeline_new(struct kanata *log, const struct filter *only, unsigned sm);
void pipeline_free(struct sm_pipeline *p);

/* Observes the pipeline. Called after each cycle of an SM with a pipeline log. */
PIPE_OFF void pipeline_observe(struct sm *s);
/* Notes the issue of an instruction. */
PIPE_OFF void pipeline_note_issue(struct sm *s, uint16_t inst);
/* Notes that an arithmetic unit writes back the result of an instruction. */
PIPE_OFF void pipeline_note_writeback(struct sm *s, uint16_t inst);
/* Notes the end of the last access of an instruction of warp w. lane0: address of lane 0 of an LDGSTS. */
PIPE_OFF void pipeline_note_memdone(struct sm *s, unsigned w, uint32_t pc, uint64_t lane0);

/*
 * core/pipeline.c: functions of the same kind for the modern core. t: clock of the issue; inst: WINST_NONE for an
 * instruction of fixed latency.
 */
PIPE_OFF void core_pipeline_observe(struct sm *s);
PIPE_OFF void core_pipeline_issue(struct sm *s, unsigned w, uint64_t t, uint16_t inst);
PIPE_OFF void core_pipeline_complete(struct sm *s, uint16_t inst);

/* ---- parts that both cores use ----------------------------------------------------------------- */

/* Adds the instruction of record `index` of warp w to the log, in the fetch stage. */
struct pipe_inst *pipeline_begin_inst(struct sm *s, unsigned w, uint32_t index);
/* Returns the instruction of record `index` of warp w if it is in the log and has not issued, else NULL. */
struct pipe_inst *pipeline_find_inst(const struct sm *s, unsigned w, uint32_t index);
/* Moves an instruction to a stage in a cycle, or in the first later cycle that its earlier stages allow. */
void pipeline_enter_stage(struct sm *s, struct pipe_inst *i, enum stage stage, uint64_t cycle);
/* Marks an instruction as issued in a cycle. */
void pipeline_mark_issued(struct sm *s, struct pipe_inst *i, uint16_t inst, uint64_t cycle);
/* Ends an instruction with one cycle of writeback. */
void pipeline_end_with_writeback(struct sm *s, struct pipe_inst *i, uint64_t cycle);
/* Frees the instructions of warp w that have ended. With `all`, ends the others first and frees them, too. */
void pipeline_free_ended(struct sm *s, unsigned w, bool all);
/*
 * Sets the producer of i to `by`, unless `by` is NULL. Returns STAGE_WAIT_MEMORY if the awaited result comes from
 * memory (`memory`), else STAGE_WAIT_RESULT.
 */
enum stage pipeline_set_producer(struct sm *s, struct pipe_inst *i, const struct pipe_inst *by, bool memory);

#endif
