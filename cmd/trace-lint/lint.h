/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State shared by the checks: the run, the kernel being read, the warps of the current thread block.
 *
 *   lint_list.c    operands: lists, directories, single kernels
 *   lint_header.c  a kernel's header
 *   lint_block.c   a kernel from its first to its last thread block; raw traces
 *   lint_inst.c    static instructions, each once for each kernel
 *   lint_warp.c    records: EXIT, barriers, groups
 *   lint_addr.c    addresses of a record
 *   lint_sync.c    numbered barriers, mbarriers and multicasts of version 6
 *   lint_config.c  configurations, and kernels that they cannot run
 *   lint_cubin.c   control codes that differ from the trace
 *
 * Always true: a check sees each record once, with its line, and keeps only the state of its warp. Memory grows
 * with the warps of one thread block (of a raw trace: all warps) and with the distinct instructions.
 */
#ifndef LINT_H
#define LINT_H

#include "gpuconf.h"
#include "klist.h"
#include "report.h"
#include "trace.h"

struct params;

enum fact_flag {
	FACT_KNOWN = 1 << 0,
	FACT_EXIT = 1 << 1,
	FACT_BARRIER = 1 << 2,
	FACT_GROUP = 1 << 3,
	FACT_DEPBAR = 1 << 4,
	FACT_ADDRESS = 1 << 5,
	FACT_LOAD = 1 << 6,
	FACT_NARROW = 1 << 7, /* accesses fewer than 4 bytes per lane, which the model treats as 4 bytes */
	FACT_SYNC = 1 << 8    /* uses barriers or bulk copies of version 6 */
};

enum place_kind { PLACE_NONE, PLACE_GLOBAL, PLACE_GENERIC, PLACE_SHARED, PLACE_LOCAL };

/* Properties of a static instruction that the checks need. */
struct fact {
	uint16_t flags;                         /* enum fact_flag */
	uint8_t place;                          /* enum place_kind */
	uint8_t width;                          /* bytes per lane that the hardware accesses */
	uint32_t reported[(N_RULES + 31) / 32]; /* set of the rules with a printed finding */
};

struct lint_warp {
	uint64_t line;   /* line number of the warp's last record */
	uint32_t lanes;  /* set of the lanes that exist */
	uint32_t exited; /* set of the lanes that have executed EXIT */
	uint32_t groups; /* number of groups of copies that were closed */
	bool damaged;    /* true if lines were lost; only the remaining records are then checked */
	bool has_records;
};

/* In a cluster, the bits above the offset in an address of shared memory are the rank of the thread block. */
#define SHARED_OFFSET_BITS 24u
#define SHARED_OFFSET_MASK ((1u << SHARED_OFFSET_BITS) - 1)
#define MAX_RANKS          16u

/* Addresses from `start` to `end` - 1. */
struct copied_range {
	uint64_t start, end;
};

struct raw_warps;
struct lint_sync;

struct lint {
	struct report *rep;
	const struct isa *isa;
	const struct params *params; /* parameters of the configuration; NULL without a configuration */
	bool power;                  /* true if the configuration requests power */
	bool skip_missing;           /* --skip-missing */
	struct copied_range *copy;   /* addresses written by the copies before this kernel in the list */
	uint32_t n_copies, cap_copies, last_copy;

	struct cubins *cubins; /* control codes from the files of --cubin; NULL if there are none */

	/* the kernel */
	struct code *code;
	struct trace *trace; /* trace of the kernel; NULL while the trace is being opened */
	const char *path;
	const struct kernel_header *head;
	struct fact *fact;
	uint32_t cap_facts;
	bool has_imm;           /* true if lines have immediates */
	bool are_columns_known; /* true if the columns of the lines are known */
	bool order_reported, window_reported, line_tail_reported, order_dependent_reported;
	uint64_t last_block_number; /* number of the thread block read last, plus 1 */
	struct cubin_join *join;    /* the kernel's function in a cubin; NULL if there is none */
	uint32_t compared;          /* number of instructions compared with the cubin */
	uint32_t max_regs;          /* number of registers that a thread may have; 0: unknown */
	uint32_t mismatches;        /* number of compared instructions that differ from the cubin */
	bool first_block_done;

	/* state of the current thread block */
	struct tblock block;
	struct lint_warp *warp;    /* warps of a grouped thread block */
	struct lint_warp *current; /* warp of the last record */
	struct lint_warp stray;    /* common state of all warps whose number is too large */
	uint32_t n_warps, cap_warps, current_number;
	uint32_t (*bars)[32]; /* number of BARs of each warp and lane */
	bool has_barriers;    /* true if a BAR was counted */
	bool records_seen;
	struct lint_sync *sync; /* barriers of the kernel */
	struct raw_warps *raw;
};

/* ---- lint_power.c ---- */
/* Checks the files of the power model if the configuration requests power. */
void lint_power(struct report *rep, const struct gpuconf *c);
/* Checks that the interval between power samples suits a kernel of `insts` warp instructions. */
void lint_power_kernel(struct lint *l, uint64_t insts);

/* ---- lint_list.c ---- */
/* Checks the list, the directory or the kernel that an operand names. Returns false if it cannot be read. */
bool lint_operand(struct lint *l, const char *path);

/* ---- lint_header.c ---- */
void lint_header(struct lint *l);
/* Checks that the tracer version in the header matches the columns of the first line read. */
void lint_columns(struct lint *l);

/* ---- lint_block.c ---- */
/*
 * Reads and checks the kernel of command cmd in list k, or the kernel at `path` if k is NULL. Returns false
 * and sets *f if it cannot be opened.
 */
bool lint_kernel(struct lint *l, struct klist *k, uint32_t cmd, const char *path, struct fault *f);
struct lint_warp *lint_warp_of(struct lint *l, const struct tblock *tb, uint32_t warp);
void lint_free(struct lint *l);

/* ---- lint_inst.c ---- */
void lint_inst(struct lint *l, uint32_t handle, const struct trace_line *line);
/* Returns the start of a column of an instruction line. */
struct place lint_place(const struct lint *l, const struct trace_line *line, enum line_column column);
/*
 * Returns true for the first finding of the rule for this instruction, which the caller reports. Later
 * findings are only counted.
 */
bool lint_is_first_finding(struct lint *l, uint32_t handle, enum rule_name rule);

/* ---- lint_warp.c ---- */
void lint_record(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *line);
void lint_end_all_warps(struct lint *l); /* Checks a thread block after all of its warps have ended. */
void lint_end_warp(struct lint *l, uint32_t number, const struct lint_warp *w);

/* ---- lint_addr.c ---- */
void lint_addresses(
	struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line);

/* ---- lint_sync.c ---- */
/* Discards the barriers of the previous kernel. */
void lint_sync_kernel(struct lint *l);
void lint_sync(struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line);
/* Records that lines of the kernel were lost. Sums over the kernel are then not checked. */
void lint_sync_note_lost_lines(struct lint *l);
void lint_sync_end(struct lint *l);
void lint_sync_free(struct lint *l);

/* ---- lint_cubin.c ---- */
/* Reads n files of control codes. If a file cannot be read, reports a finding and returns false. */
bool lint_cubins(struct lint *l, const char *const *path, uint32_t n);
void lint_cubin_kernel(struct lint *l);
void lint_cubin_inst(struct lint *l, const struct inst *in, const struct trace_line *line);
void lint_cubin_finish_kernel(struct lint *l);

/* ---- lint_config.c ---- */
struct config_args {
	const char **file, **define;
	bool *shipped;
	uint32_t n_files, n_defines;
};
/*
 * Reads the configuration. Returns NULL if findings were reported. Sets *unreadable if a file could not be
 * read.
 */
struct params *lint_config(
	struct report *rep, struct gpuconf *c, const struct config_args *a, bool *unreadable);
void lint_config_kernel(struct lint *l);
void lint_config_inst(struct lint *l, uint32_t handle, const struct trace_line *line);

#endif
