/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack of a warp; see stack.c. The functions leave the warp ready at its next instruction, or done.
 */
#ifndef STACK_H
#define STACK_H

#include "exec/call.h"

/* Continues the running lanes at pc. */
void stack_continue_at(struct warp *w, uint32_t pc);
/* Executes a branch at pc. The lanes of exec, a part of mask, take it. */
void stack_branch(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
void stack_branch_table(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/* Pushes the first entry of a call: the lanes of exec at pc. */
void stack_call(struct warp *w, uint32_t pc, uint32_t exec);
/*
 * Makes the lanes of mask execute pc again. At the call all lanes are at pc + 1, where they continue together
 * afterwards.
 */
void stack_execute_again(struct warp *w, uint32_t pc, uint32_t mask);
/* Removes lanes that have ended or returned. */
void stack_remove_ended(struct warp *w);

#endif
