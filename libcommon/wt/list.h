/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a list that kernels use. */
#ifndef WT_LIST_H
#define WT_LIST_H

#include "handle.h"
#include "klist.h"
#include "trace.h"

struct wt_list {
	struct wt_handle h;
	struct klist k;
	struct isa *isa;
	struct code *code;
	struct wt_command *command;         /* commands in the order of k.cmd */
	struct wt_instruction *instruction; /* parallel to the instructions of code */
	uint32_t n_instructions, cap_instructions;
	void (*warn)(void *ctx, const struct wt_error *w);
	void *warn_ctx;
	struct wt_kernel *open; /* open kernels, newest first */
	bool once;              /* the list is from a descriptor, so a kernel file can be opened only once */
	bool taken;             /* the kernel file was already opened */
};

/* Extends l->instruction to all instructions of l->code. */
void wt_list_update(struct wt_list *l);
/* Callback for trace_options.warn of the list's kernels. */
void wt_list_warn(void *list, const struct fault *f);

#endif
