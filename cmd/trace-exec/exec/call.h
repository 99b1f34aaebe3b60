/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls: where arguments and results lie at a place that calls; functions that the executor itself has. */
#ifndef CALL_H
#define CALL_H

#include "exec/exec.h"

enum argument_kind { ARG_NONE, ARG_REG, ARG_PARAM, ARG_VALUE };

struct argument {
	uint8_t kind, n;
	uint32_t slot[4];   /* ARG_REG, ARG_VALUE: of the caller's frame */
	uint32_t at, bytes; /* at: ARG_PARAM: in the caller's local frame */
};

struct call_site {
	const struct func *proto;   /* of a call through a register */
	struct func *const *target; /* that it may call; n_targets 0: any */
	uint32_t n_targets;
	struct argument *ret, *arg;
	uint32_t n_rets, n_args;
};

/* bar and barrier: o->n */
enum { BAR_SYNC, BAR_ARRIVE, BAR_AND, BAR_OR, BAR_POPC };

/* Enter function number func with the lanes of exec; results come back when all of them have returned. */
void call_enter(struct warp *w, const struct op *o, uint32_t func, uint32_t exec);
void call_leave(struct warp *w);
/* Whether a call through a register may be of f. */
bool call_may(const struct call_site *s, const struct func *f);
/*
 * Sets on[f] (program->func, zeros before) for every function that n may reach; all that a register may call.
 */
void call_reach(const struct bound_code *c, uint32_t n, uint8_t *on);
/* A function that the executor itself has. */
struct call_built_in {
	const char *name;
	op_fn *fn;
	uint32_t n_params; /* that it reads */
};
/* vprintf, malloc, free, __assertfail; NULL: no such function. */
const struct call_built_in *call_built_in(const char *name);

#endif
