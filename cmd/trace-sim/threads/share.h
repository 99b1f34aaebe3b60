/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is work worth a second thread? Used by gpu/window.c.
 *
 * Work comes in stretches, each of some parts in which threads can share it. Its size is known beforehand, in
 * a unit that takes as long in a stretch as it did in the quicker one of the two before; so it is known about
 * how long one thread would need.
 *
 * A stretch is shared that would take one thread longer than SHARE_STRETCH. A thread that has to be woken
 * comes 40 microseconds later, waking it takes the other one 10, and what it needs is not in its cache; all
 * that is to be less than a fifth of what it saves. Behind one that was shared it is awake and looks for
 * work: then SHARE_AWAKE is enough, and for a part of a stretch a few times what a cache line needs to get
 * from one to the other, to and fro: SHARE_PART.
 *
 * Always true: it is times that decide, so nothing that is computed may depend on the answers.
 */
#ifndef SHARE_H
#define SHARE_H

#include "threads/pays.h"

#define SHARE_STRETCH 500000.0 /* ns */
#define SHARE_AWAKE   100000.0
#define SHARE_PART    5000.0

/* Zeroed, but for tested: nothing is known yet. */
struct share {
	bool tested;         /* all are shared, however short (team_tested) */
	bool shared;         /* the stretch that has begun; until then the one before */
	uint64_t done;       /* so far */
	double begun;        /* the stretch, on pays_clock() */
	double pace, before; /* ns of one thread for a unit in the last stretch, in the one before it */
	/* where nobody has said how many threads */
	bool idle;     /* there was a processor for another thread, when it was last looked */
	uint32_t look; /* stretches until it is looked again */
	bool compared; /* the stretch is one of those by which it is found out whether threads pay */
	struct pays pays;
};

/*
 * A stretch of so much work begins; are threads to share it? if_idle: only on processors that nobody else
 * would use, and while it pays.
 */
bool share_begin(struct share *s, uint64_t work, unsigned threads, bool if_idle);
/* So much is done, shared or not. Is the run so long by now that stretches may be shared? No matter of time. */
void share_count(struct share *s, uint64_t work);
bool share_long(const struct share *s);
/* Is such a part of it worth it? */
bool share_part(const struct share *s, uint64_t work);
/* It is over, and was so much. */
void share_end(struct share *s, uint64_t work);

#endif
