/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protocol between trace-exec --run and the library that it preloads in place of the program's CUDA runtime:
 * settings in one environment variable, results through a pipe.
 *
 * Always true: of the program's processes the one that takes the token, a byte in a second pipe, may send;
 * WIRE_DONE is the last message, and a run without it has failed. Copies and kernels are sent in the order in
 * which the program makes them.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#define WIRE_ENV "TRACE_PTX_RUN"

/* Settings: words "name=number" in WIRE_ENV; a missing one is 0. "gpu=NAME" is the last word. */
#define WIRE_FIELDS(F) \
	F(fd)    /* descriptor of the pipe */ \
	F(token) /* descriptor of the token's pipe */ \
	F(trace) /* send copies and traces of kernels */ \
	F(check) \
	F(limit) /* largest number of warp instructions in a launch */ \
	F(jobs)  /* threads that execute */ \
	F(order) /* thread blocks one after another, always */ \
	F(stack) /* enum stack_kind */ \
	F(strict_races) \
	F(leaks) /* memory that is not freed is an error */ \
	F(quiet) \
	F(code)   /* enum code_kind: kind of code to execute */ \
	F(binary) /* --as sass: binary version of the trace's code; 0: PTX */ \
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
	WIRE_COPY = 1, /* a line of the list, without its end */
	WIRE_KERNEL,   /* file name of the next kernel; data follow */
	WIRE_DATA,     /* text of the current kernel */
	WIRE_FAILED,   /* a kernel failed; the message has been printed */
	WIRE_FOUND, /* a finding (uninitialised read, race, leak), which was printed; the trace is complete */
	WIRE_DONE   /* u64 thread instructions, u64 warp instructions */
};

struct wire_head {
	uint32_t kind;
	uint32_t bytes; /* size of the body, which follows */
};
#define WIRE_MOST (1u << 20) /* largest size of a body */

#endif
