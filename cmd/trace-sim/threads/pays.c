/* SPDX-License-Identifier: BSD-2-Clause */
/* Trying whether threads pay. See pays.h for what is always true. */
#include <string.h>
#include <time.h>
#include "pays.h"

/* Threads that save less than a twentieth of the time are a processor that others could use. */
#define WORTHWHILE 0.95

bool pays_shared(const struct pays *p)
{
	bool other = p->at >= PAYS_TRIED && p->at < 2 * PAYS_TRIED;

	return p->alone == other;
}

static void judge(struct pays *p)
{
	bool alone = p->ns[1] * (double)p->work[0] > WORTHWHILE * p->ns[0] * (double)p->work[1];
	uint32_t period = p->period ? p->period : PAYS_PERIOD;

	if (alone != p->alone)
		period = PAYS_PERIOD;
	else if (period < PAYS_LONGEST)
		period *= 2;
	p->alone = alone;
	p->period = period;
}

void pays_took(struct pays *p, uint64_t work, double ns)
{
	bool shared = pays_shared(p);

	if (p->at < 2 * PAYS_TRIED && p->at % PAYS_TRIED) {
		p->ns[shared] += ns;
		p->work[shared] += work;
	}
	if (++p->at == 2 * PAYS_TRIED)
		judge(p);
	if (p->at >= 2 * PAYS_TRIED && p->at >= p->period) {
		p->at = 0;
		memset(p->ns, 0, sizeof(p->ns));
		memset(p->work, 0, sizeof(p->work));
	}
}

double pays_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
