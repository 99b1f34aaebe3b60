/* SPDX-License-Identifier: BSD-2-Clause */
/* Is work worth a second thread? See share.h for what is always true. */
#include "threads/cpus.h"
#include "threads/share.h"
#include "threads/threads.h"

#define RUN  16384u /* units with which a run begins alone: most runs are short, and its first pages are new */
#define LOOK 64u /* stretches: a tenth of a second of a loaded machine, and tens of microseconds for a look */

/* Looked at again and again, since a run is long, and others come and go. */
static bool idle(struct share *s, unsigned threads)
{
	if (!s->look--) {
		s->idle = cpus_idle(s->idle ? 0 : threads - 1);
		s->look = LOOK - 1;
	}
	return s->idle;
}

void share_count(struct share *s, uint64_t work) { s->done += work; }
bool share_long(const struct share *s) { return s->done >= RUN; }

/* Of one of the last two stretches, as the other may have had what is seldom: blocks placed, pages new. */
static double expected(const struct share *s, uint64_t work)
{
	return (double)work * (s->pace < s->before ? s->pace : s->before);
}

static bool worth(struct share *s, uint64_t work, unsigned threads, bool if_idle)
{
	s->compared = false;
	if (s->tested)
		return true;
	if (!share_long(s) || expected(s, work) < (s->shared ? SHARE_AWAKE : SHARE_STRETCH))
		return false;
	if (!if_idle)
		return true;
	s->compared = idle(s, threads);
	return s->compared && pays_shared(&s->pays);
}

bool share_begin(struct share *s, uint64_t work, unsigned threads, bool if_idle)
{
	s->begun = pays_clock();
	s->shared = worth(s, work, threads, if_idle);
	return s->shared;
}

bool share_part(const struct share *s, uint64_t work)
{
	return s->shared && (expected(s, work) >= SHARE_PART || s->tested);
}

/* Of a stretch that was shared two threads are taken to have done half each, however many there are. */
void share_end(struct share *s, uint64_t work)
{
	double ns = pays_clock() - s->begun;

	if (s->compared)
		pays_took(&s->pays, work, ns);
	if (!work)
		return;
	s->before = s->pace;
	s->pace = (s->shared ? 2 * ns : ns) / (double)work;
}
