/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace of a program (--run): from the messages of its library to a directory or a packed stream. */
#ifndef PROGRAM_TRACE_H
#define PROGRAM_TRACE_H

#include "bytes.h"
#include "gpu.h"
#include "output.h"
#include "pack.h"
#include "run.h"

struct program_trace {
	const struct run_options *options;
	const struct gpu_choice *gpu;
	const char *program;
	struct bytes list;     /* text of the kernel list so far */
	struct bytes body;     /* body of the current message */
	struct output *kernel; /* directory: file of the current kernel; NULL: none */
	struct output *stream;
	struct pack_writer *pack; /* stream */
	/* static code of the current kernel; inst is NULL if the kernel has no records */
	struct pack_code code;
	bool kernel_begun; /* the stream has a kernel that has not ended */
};

/* Opens the output. Exits on an error, or if the output is the program or a file of the GPU. */
void program_trace_open(struct program_trace *t, const struct run_options *o, const struct gpu_choice *g,
	const char *program);
/* Each function handles one kind of message, whose body is t->body. Returns false if the message is damaged. */
void program_trace_add_copy(struct program_trace *t);
void program_trace_begin_kernel(struct program_trace *t);
void program_trace_add_text(struct program_trace *t);
bool program_trace_add_code(struct program_trace *t);
bool program_trace_add_block(struct program_trace *t);
/* Completes the trace. If good is false, removes it instead, except for the finished kernels of a directory. */
void program_trace_close(struct program_trace *t, bool good);

#endif
