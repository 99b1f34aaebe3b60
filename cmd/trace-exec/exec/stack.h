/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack of a warp; see stack.c. All of them leave the warp ready at its next instruction, or done.
 */
#ifndef STACK_H
#define STACK_H

#include "exec/call.h"

/* The running lanes go on at pc together. */
void stack_next(struct warp *w, uint32_t pc);
/* Branches at pc: of the lanes in mask those of exec take it. */
void stack_branch(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
void stack_branch_table(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/* A call's own entry: the lanes of exec at pc. */
void stack_call(struct warp *w, uint32_t pc, uint32_t exec);
/* The lanes of mask, which stand at pc + 1 with the rest, are to execute pc once more before all go on. */
void stack_again(struct warp *w, uint32_t pc, uint32_t mask);
/* After lanes have ended or returned. */
void stack_settle(struct warp *w);

#endif
