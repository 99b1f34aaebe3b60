/* SPDX-License-Identifier: BSD-2-Clause */
/* struct wt_list, which list.c and kernel.c share. */
#ifndef WT_LIST_H
#define WT_LIST_H

#include "handle.h"
#include "klist.h"
#include "trace.h"

struct wt_list {
	struct wt_handle handle;
	struct klist klist;
	struct isa *isa;                    /* opcodes for the readers */
	struct code *code;                  /* static instructions of all kernels */
	struct wt_command *command;         /* commands in the order of k.cmd */
	struct wt_instruction *instruction; /* instructions in the order of code */
	uint32_t n_instructions, cap_instructions;
	void (*warn)(void *ctx, const struct wt_error *w);
	void *warn_ctx;
	struct wt_kernel *open; /* list of open kernels, newest first */
	bool once;              /* true if from a descriptor: a kernel file can then be opened only once */
	bool taken;             /* true after the kernel file was opened */
};

/* Adds the new instructions of l->code to l->instruction. */
void wt_list_update(struct wt_list *l);
/* Callback for trace_options.warn of the list's kernels. */
void wt_list_warn(void *list, const struct fault *f);

#endif
