/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters by SM, warp and cycle: "sm=0,warp=0-3,cycles=1000-2000". An absent part has no limits. */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define FILTER_WORDS "sm=N[-M], warp=N[-M] and cycles=N[-M], separated by commas"

struct filter {
	uint64_t sm[2], warp[2], cycles[2]; /* first and last number */
	bool active;                        /* false if everything passes the filter */
};

/*
 * Parses text into *f. Returns NULL, or a pointer to the first wrong character if the text is not a filter.
 */
const char *filter_parse(struct filter *f, const char *text);

static inline bool filter_has_cycle(const struct filter *f, uint64_t cycle)
{
	return !f->active || (cycle >= f->cycles[0] && cycle <= f->cycles[1]);
}
static inline bool filter_has_sm(const struct filter *f, uint64_t cycle, uint64_t sm)
{
	return !f->active || (filter_has_cycle(f, cycle) && sm >= f->sm[0] && sm <= f->sm[1]);
}
static inline bool filter_has_warp(const struct filter *f, uint64_t cycle, uint64_t sm, uint64_t warp)
{
	return !f->active || (filter_has_sm(f, cycle, sm) && warp >= f->warp[0] && warp <= f->warp[1]);
}

#endif
