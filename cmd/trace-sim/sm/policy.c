/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of warp scheduler policies, by enum sched_id; its rows are those of arch/sched.def. */
#include "scheduler.h"

const struct sched_policy *const sched_policies[N_SCHEDS] = {
#define SCHED(name, argument, greedy, form) [SCHED_##name] = &sched_##name,
#include "arch/sched.def"
#undef SCHED
};
