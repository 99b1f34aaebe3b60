/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between trace-exec --run and the library that it loads in front of the program's CUDA runtime: what the
 * library is told, in one variable of the environment, and what it sends back through a pipe.
 *
 * Always true: one process of those that the program starts takes the token, a byte in a pipe of its own, and
 * with it the right to send; WIRE_DONE is the last message, and a run without it has failed. The list and the
 * kernels are sent in the order in which the program does them.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#define WIRE_ENV "TRACE_PTX_RUN"

/* "name=number", blank-separated in WIRE_ENV; what it lacks is 0. "gpu=NAME" is the last word. */
#define WIRE_FIELDS(F) \
	F(fd)    /* of the pipe */ \
	F(token) /* of the token's pipe */ \
	F(trace) /* kernels are traced, copies told */ \
	F(check) \
	F(limit) /* warp instructions of a launch */ \
	F(jobs)  /* threads that execute */ \
	F(order) /* thread blocks one after another, always */ \
	F(stack) /* enum stack_kind */ \
	F(strict_races) \
	F(leaks) /* memory that is not freed is a finding */ \
	F(quiet) \
	F(binary) /* --as sass: of the GPU whose code the trace has; 0: PTX */ \
	F(major) \
	F(minor) /* compute capability */ \
	F(sms) \
	F(threads)      /* resident on an SM */ \
	F(ctas)         /* likewise */ \
	F(regs)         /* of an SM */ \
	F(shared)       /* bytes of an SM */ \
	F(shared_block) /* most that a thread block may have */ \
	F(clock_khz) F(memory_khz) F(bus_bits) F(l2_bytes) F(memory_bytes)

struct wire {
#define F(name) uint64_t name;
	WIRE_FIELDS(F)
#undef F
	char gpu[64];
};

enum wire_kind {
	WIRE_COPY = 1, /* a line of the list, without its end */
	WIRE_KERNEL,   /* the next kernel's file name; data follow */
	WIRE_DATA,     /* of the kernel begun last */
	WIRE_FAILED,   /* a kernel failed: the message has been printed */
	WIRE_FOUND,    /* not executed, read unwritten, left behind: printed, too; the trace is whole */
	WIRE_DONE      /* u64 thread instructions, u64 warp instructions */
};

struct wire_head {
	uint32_t kind, bytes; /* of what follows */
};
#define WIRE_MOST (1u << 20) /* bytes of a message */

#endif
