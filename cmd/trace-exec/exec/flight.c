/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of cp.async in flight: the copies of each lane until the lane has waited for them.
 *
 * The bytes are copied when cp.async is issued; the checks report uses before the wait. Always true: entries of
 * groups that a lane has waited for are removed. At FLIGHTS_MOST entries the warp is treated as if it had
 * waited for all copies.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"

#define FLIGHTS_MOST 65536u

struct flight_part {
	uint8_t *target; /* host address in shared memory */
	uint32_t group;
	uint8_t lane, bytes;
};

struct flights { /* type of w->async */
	struct flight_part *flight;
	uint32_t n, cap;
	uint32_t groups[LANES]; /* number of groups that each lane has committed */
};

void flight_begin(struct warp *w, uint32_t m, uint64_t bytes, uint8_t *const *to)
{
	struct flights *f = w->async;

	if (!f)
		f = w->async = xcalloc(1, sizeof(*f));
	if (f->n >= FLIGHTS_MOST) {
		flight_commit(w, ALL_LANES);
		flight_wait(w, ALL_LANES, 0);
	}
	FOR_BITS32 (i, m) {
		grow(&f->flight, &f->cap, f->n + 1, sizeof(*f->flight));
		f->flight[f->n++] = (struct flight_part){to[i], f->groups[i], (uint8_t)i, (uint8_t)bytes};
		checker_mark_in_flight(w->cta, to[i], bytes, true);
	}
}

void flight_commit(struct warp *w, uint32_t m)
{
	struct flights *f = w->async;

	FOR_BITS32 (i, f ? m : 0)
		f->groups[i]++;
}

void flight_wait(struct warp *w, uint32_t m, uint32_t groups)
{
	struct flights *f = w->async;
	uint32_t left = 0;

	for (uint32_t k = 0; f && k < f->n; k++) {
		const struct flight_part *x = &f->flight[k];

		if (m >> x->lane & 1 && (uint64_t)x->group + groups < f->groups[x->lane])
			checker_mark_in_flight(w->cta, x->target, x->bytes, false);
		else
			f->flight[left++] = *x;
	}
	if (f)
		f->n = left;
}

void flight_reset(struct cta *c)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct flights *f = c->warp[i].async;

		if (!f)
			continue;
		f->n = 0;
		memset(f->groups, 0, sizeof(f->groups));
	}
}

void flight_free(struct cta *c)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct flights *f = c->warp[i].async;

		if (f)
			free(f->flight);
		free(f);
		c->warp[i].async = NULL;
	}
}
