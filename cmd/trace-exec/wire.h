/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protocol between trace-exec --run and the library that it preloads in place of the program's CUDA runtime:
 * settings in one environment variable, results through a pipe.
 *
 * Always true: only one process of the program may send messages: the process that has taken the token, a byte
 * in a second pipe. WIRE_DONE is the last message; a run without it has failed. Copies and kernels are sent in
 * the order in which the program makes them.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#define WIRE_ENV          "TRACE_PTX_RUN"
#define WIRE_ENV_KERNELS  "TRACE_PTX_KERNELS"  /* value of --kernels; unset: all kernels are traced */
#define WIRE_ENV_LAUNCHES "TRACE_PTX_LAUNCHES" /* value of --launches; unset: all launches are traced */

/* Settings: words "name=number" in WIRE_ENV; a missing one is 0. "gpu=NAME" is the last word. */
#define WIRE_FIELDS(F) \
	F(fd)     /* descriptor of the pipe */ \
	F(token)  /* descriptor of the token's pipe */ \
	F(trace)  /* send copies and traces of kernels */ \
	F(packed) /* send thread blocks as records, not as text, if the launch has records */ \
	F(check) \
	F(limit) /* largest number of warp instructions in a launch */ \
	F(jobs)  /* number of threads that execute thread blocks */ \
	F(order) /* always execute thread blocks one after another */ \
	F(stack) /* enum stack_kind */ \
	F(strict_races) \
	F(every_launch) /* execute every launch, also one that repeats an earlier one */ \
	F(leaks)        /* memory that is not freed is an error */ \
	F(quiet) \
	F(code)   /* enum code_kind: kind of code to execute */ \
	F(binary) /* binary version of the trace's code for --as sass; 0: PTX */ \
	F(major) \
	F(minor) /* compute capability */ \
	F(sms) \
	F(threads)      /* threads resident on an SM */ \
	F(ctas)         /* thread blocks resident on an SM */ \
	F(regs)         /* registers of an SM */ \
	F(shared)       /* bytes of shared memory of an SM */ \
	F(shared_block) /* largest shared memory of a thread block */ \
	F(clock_khz) F(memory_khz) F(bus_bits) F(l2_bytes) F(memory_bytes)

struct wire {
#define F(name) uint64_t name;
	WIRE_FIELDS(F)
#undef F
	char gpu[64];
};

enum wire_kind {
	WIRE_COPY = 1, /* a line of the list, without its newline */
	WIRE_KERNEL,   /* file name of the next kernel, whose data follow */
	WIRE_DATA,     /* text of the current kernel */
	WIRE_PART,     /* start of the body of the next WIRE_CODE or WIRE_BLOCK */
	/*
	 * First message of a kernel with records: u64 n, u64 bytes, struct pack_inst[n], that many bytes of constant
	 * text, text of the header.
	 */
	WIRE_CODE,
	WIRE_BLOCK,  /* records of the next thread block: struct wire_block and the parts that it names */
	WIRE_FAILED, /* a kernel failed; the message has been printed */
	WIRE_FOUND, /* a finding (uninitialised read, race, leak), which was printed; the trace is complete */
	WIRE_DONE   /* struct wire_totals */
};

struct wire_head {
	uint32_t kind;  /* enum wire_kind */
	uint32_t bytes; /* size of the body, which follows */
};
#define WIRE_MOST (1u << 20) /* largest size of a body */

/* Totals of a run. */
struct wire_totals {
	uint64_t thread_insts, warp_insts; /* executed instructions */
	uint64_t launches;                 /* launches of kernels */
	uint64_t chosen;                   /* launches that --kernels and --launches choose */
	uint64_t repeats; /* launches that were not executed because they repeat an earlier one */
};

/*
 * Start of a block. It is followed by n_warps of struct wire_warp, by the lines after the block's id and, for each
 * warp, by its words, payloads, runs and text. Each array is padded to a multiple of 8 bytes.
 */
struct wire_block {
	uint32_t id[3];
	uint32_t n_warps;
	uint64_t n_lines; /* bytes of the lines, with a 0 at the end */
};
struct wire_warp {
	uint32_t n_runs, n_payloads, n_words, unused;
	uint64_t n_text;
};

#endif
