/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls: locations of arguments and results at a call; built-in functions. */
#ifndef CALL_H
#define CALL_H

#include "exec/exec.h"

enum argument_kind { ARG_NONE, ARG_REG, ARG_PARAM, ARG_VALUE };

struct argument {
	uint8_t kind;          /* enum argument_kind */
	uint8_t n;             /* ARG_REG: number of registers */
	uint32_t slot[4];      /* ARG_REG, ARG_VALUE: offsets in the caller's frame */
	uint32_t param_offset; /* ARG_PARAM: offset in the caller's local frame */
	uint32_t bytes;
};

struct call_site {
	const struct func *proto;   /* prototype if the call is through a register */
	struct func *const *target; /* functions that the call may enter; n_targets 0: any */
	uint32_t n_targets;
	struct argument *ret, *arg;
	uint32_t n_rets, n_args;
};

/* A running call. Lanes that return wait until the last lane of the call has returned. */
struct call_frame {
	uint32_t base;       /* number of stack entries below the entries of the call */
	uint32_t live;       /* live lanes of the caller */
	uint32_t exec;       /* lanes that made the call */
	uint32_t func;       /* function number of the caller */
	uint32_t local_base; /* local_base of the caller */
	size_t frame_at;     /* frame_at of the caller */
	const struct op *op;
	uint32_t dynamic_end[LANES]; /* dynamic_end of the caller; set only if bound_code.allocates_local */
};

/* Forms of the instructions bar and barrier, stored in o->n of their ops. */
enum { BAR_SYNC, BAR_ARRIVE, BAR_AND, BAR_OR, BAR_POPC };

/* Returns the end of the frame of the running function in local memory. */
uint32_t call_frame_end(const struct warp *w);
/* Returns the end of a lane's local memory that the running function and its callers use. */
static inline uint32_t call_local_end(const struct warp *w, unsigned lane)
{
	return w->dynamic_end[lane] ? w->dynamic_end[lane] : call_frame_end(w);
}
/* Enters function number func with the lanes of exec. */
void call_enter(struct warp *w, const struct op *o, uint32_t func, uint32_t exec);
/* Leaves the running function, from which all lanes have returned, and copies its results. */
void call_leave(struct warp *w);
/*
 * Copies the results of the running function to its caller, which made the call c, for the lanes of mask, and frees the
 * local memory that the function has allocated in these lanes.
 */
void call_copy_results(struct warp *w, const struct call_frame *c, uint32_t mask);
/* Continues the caller, which made the call c, without its results. */
void call_return_to_caller(struct warp *w, const struct call_frame *c);
/* Returns true if a call through a register may call f. */
bool call_may_enter(const struct call_site *s, const struct func *f);
/*
 * Sets on[f] for every function f that function n may call, directly or not. All elements must be 0 at the
 * call. A call through a register may call every function.
 */
void call_find_reachable(const struct bound_code *c, uint32_t n, uint8_t *on);
/*
 * Allocates n bytes for malloc of a kernel, with the memory's lock held. Returns the address, or 0 if memory is
 * exhausted.
 */
uint64_t call_malloc(struct warp *w, const struct op *o, uint64_t n);
/*
 * Frees the memory at `a` for a lane; 0 is allowed. Fails the warp and returns false if malloc did not return
 * `a`.
 */
bool call_free(struct warp *w, const struct op *o, unsigned lane, uint64_t a);
/*
 * Fails the lanes of m with an assertion. `text` and `file` are addresses of strings in the memory of the
 * lowest lane.
 */
void call_fail_assert(
	struct warp *w, const struct op *o, uint32_t m, uint64_t text, uint64_t file, unsigned line);
/* Sets a graph condition for a lane. Fails the lane if `handle` is not the handle of a condition. */
void call_set_condition(struct warp *w, const struct op *o, unsigned lane, uint64_t handle, uint32_t value);
/* A function that the executor implements. */
struct call_built_in {
	const char *name;
	op_fn *execute;
	uint32_t n_params; /* number of parameters that the function reads */
	uint32_t order;    /* effects that depend on the order of thread blocks (ORDER_*) */
	bool allocates;
};
/* Returns the built-in function of this name, or NULL if the executor does not implement it. */
const struct call_built_in *call_find_built_in(const char *name);

#endif
