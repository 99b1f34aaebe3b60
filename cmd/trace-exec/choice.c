/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choice of launches to trace and check.
 *
 * Always true: a launch is chosen if its kernel's name matches one of the patterns, and its number is in one of
 * the ranges. An empty list of patterns matches every kernel, an empty list of ranges every launch.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "choice.h"
#include "num.h"

void choice_add_kernels(struct launch_choice *c, const char *patterns)
{
	namelist_add(&c->kernels, patterns);
}

/*
 * Parses the digits at *s and moves *s after them. Returns 0 if there are none, or if the number is 0 or too
 * large.
 */
static uint32_t take_launch_number(const char **s, const char *end)
{
	uint64_t v;

	return num_digits(s, end, 10, UINT32_MAX, &v) == NUM_GOOD ? (uint32_t)v : 0;
}

const char *choice_add_launches(struct launch_choice *c, const char *ranges)
{
	for (const char *s = ranges;; s++) {
		const char *end = s + strcspn(s, ","), *item = s;
		struct launch_range r;

		r.first = r.last = take_launch_number(&s, end);
		if (r.first && s < end && *s == '-') {
			s++;
			r.last = s == end ? UINT32_MAX : take_launch_number(&s, end);
		}
		if (s != end || !r.first || r.last < r.first)
			return item;
		grow(&c->launches, &c->cap_launches, c->n_launches + 1, sizeof(*c->launches));
		c->launches[c->n_launches++] = r;
		if (!*s)
			return NULL;
	}
}

bool choice_includes_launch(const struct launch_choice *c, uint32_t number, const char *kernel)
{
	bool chosen = !c->n_launches;

	for (uint32_t i = 0; i < c->n_launches && !chosen; i++)
		chosen = number >= c->launches[i].first && number <= c->launches[i].last;
	return chosen && (!c->kernels.n || namelist_find(&c->kernels, kernel) >= 0);
}

void choice_free(struct launch_choice *c)
{
	namelist_free(&c->kernels);
	free(c->launches);
	*c = (struct launch_choice){0};
}
