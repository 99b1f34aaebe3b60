/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do threads pay? Whether a second processor is there, and how much of it, no system tells in time: one that
 * is shared with another machine looks idle. So both ways are tried, and the times decide.
 *
 * Work comes in stretches, alike enough that time for an amount of it can be compared. A period begins with
 * PAYS_TRIED stretches in the way found better so far and as many in the other one; the rest goes the better
 * way. Periods get longer while the answer stays. Nothing that is computed may depend on it.
 */
#ifndef PAYS_H
#define PAYS_H

#include <stdbool.h>
#include <stdint.h>

#define PAYS_TRIED   4u    /* the first of them is not counted: threads wake up, caches change hands */
#define PAYS_PERIOD  64u   /* the first one, in stretches: milliseconds of a loaded machine */
#define PAYS_LONGEST 1024u /* less than a hundredth of what trying may cost */

/* Zeroed: threads pay, until tried. */
struct pays {
	bool alone;       /* one thread is better */
	uint32_t at;      /* stretches of the period done */
	uint32_t period;  /* 0: PAYS_PERIOD */
	double ns[2];     /* in this period's trial: with one thread, with all */
	uint64_t work[2]; /* what was done in it */
};

/* Are threads to share the next stretch? */
bool pays_shared(const struct pays *p);
/* It is over: it was so much work, in any unit, and took that long. */
void pays_took(struct pays *p, uint64_t work, double ns);
/* Of a clock that only goes on. */
double pays_clock(void);

#endif
