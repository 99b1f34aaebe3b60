/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over samples, and the samples with the highest and the lowest total power (POWER-total-2). */
#include "meter.h"

static void update_extremes(struct power_extreme *e, const struct power_sample *p)
{
	e->total = p->total;
	memcpy(e->watt, p->watt, sizeof(e->watt));
	memcpy(e->count, p->count, sizeof(e->count));
}

/*
 * Adds a sample. quirk Q7-13: the extremes of a component are its values in the samples whose total power is extreme.
 */
void power_sums_add(struct power_sums *s, const struct power_sample *p)
{
	s->n++;
	s->total += p->total;
	s->threads += p->threads;
	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		s->watt[i] += p->watt[i];
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		s->count[i] += p->count[i];
	if (p->total > s->highest.total)
		update_extremes(&s->highest, p);
	if (p->total < s->lowest.total || s->lowest.total == 0)
		update_extremes(&s->lowest, p);
}
