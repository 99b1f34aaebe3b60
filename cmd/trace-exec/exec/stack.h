/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack of a warp; see stack.c. The functions leave the warp ready at its next instruction, or done.
 */
#ifndef STACK_H
#define STACK_H

#include "exec/call.h"

void stack_start(struct warp *w, uint32_t pc);
/* Selects the next group of lanes, round robin; groups of callers wait. Returns the number of groups. */
uint32_t stack_switch_group(struct warp *w);
/* Selects the next group of lanes in each call, round robin, so that groups of different calls take turns. */
void stack_switch_call(struct warp *w);
/*
 * Selects a group of lanes that can run and has a lane other than those of `tried`, in any call. If there is none,
 * selects any group that can run and returns false.
 */
bool stack_select_other(struct warp *w, uint32_t tried);
/*
 * Lets lanes that wait at a meeting point, or for the return of others, continue without the others. Returns false if
 * there are none.
 */
bool stack_release_waiting(struct warp *w);
/* Returns true if groups of lanes of a warp may arrive at the barrier one after another. */
bool stack_must_gather(const struct warp *w, const struct op *o);
/*
 * Executes the arrival of the lanes of exec, a part of mask, at a barrier that also needs the other lanes of
 * the warp. Returns true if all live lanes have arrived and the barrier is executed, false if they wait or the
 * launch has failed.
 */
bool stack_gather(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/*
 * Makes the lanes of exec, a part of mask, wait at barrier.cluster.wait while other lanes of the warp run. They execute
 * it again after the phase. Returns true if they need not wait, or if all lanes wait together.
 */
bool stack_wait_for_cluster(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/* Continues the running lanes at pc. */
void stack_continue_at(struct warp *w, uint32_t pc);
/* Executes a branch at pc for the lanes of mask. The lanes of exec, a subset, take it. */
void stack_branch(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
void stack_branch_table(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/*
 * Makes the running lanes continue at pc after a call that is about to be entered. If pc is their meeting point, the
 * entry below already waits there.
 */
void stack_return_to(struct warp *w, uint32_t pc);
/* Pushes the first entry of a call: the lanes of exec at pc. */
void stack_call(struct warp *w, uint32_t pc, uint32_t exec);
/*
 * Makes the lanes of mask execute pc again. At the call all lanes are at pc + 1, where they continue together
 * afterwards.
 */
void stack_execute_again(struct warp *w, uint32_t pc, uint32_t mask);
void stack_push_entry(struct warp *w, uint32_t pc, uint32_t mask, uint32_t rpc);
/*
 * Moves groups of lanes in the n entries of a call past the barrier at which they wait. live: live lanes of the call;
 * above: its lanes that are not in these entries. Returns the number of entries that remain.
 */
uint32_t stack_pass_barrier(struct stack_entry *e, uint32_t n, uint32_t live, uint32_t above);
/* Removes lanes that have ended or returned. */
void stack_remove_ended(struct warp *w);

#endif
