/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether to share phases of one kind among threads: how much that gains or costs depends on the machine, on
 * who else uses it and on the phase, so both ways are timed, and the better one is used until it is looked at
 * again.
 *
 * Always true: which way is taken changes how long a run takes, never what it computes.
 */
#ifndef TUNER_H
#define TUNER_H

#include <stdbool.h>
#include <stdint.h>

uint64_t clock_ns(void); /* of a clock that never goes back */

struct tuner {                 /* zeroed: nothing is known */
	double ns[2], work[2]; /* done alone, shared: lately, older ones counting ever less */
	double settled;        /* time for a unit of work when the present way was chosen */
	uint64_t start;
	uint32_t left;   /* phases until the other way is tried, or in that trial */
	uint32_t period; /* of trials: longer while they change nothing */
	bool share, trial;
};

/* Before a phase: share it, if that can be? */
static inline bool tuner_share(const struct tuner *c) { return c->share != c->trial; }
void tuner_begin(struct tuner *c);
/* Behind it: how it was done, and the amount of work it was. */
void tuner_end(struct tuner *c, bool shared, uint32_t work);

#endif
