/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interval records; see interval.h. Always true: an interval begins where the previous one ended. Only two tables of
 * running values exist, the previous and the current one.
 */
#include <stdlib.h>
#include "arena.h"
#include "gpu/power_read.h"
#include "interval.h"

struct interval {
	uint64_t cycles, due, since;
	struct figures *before, *now;
	struct record_writer *w;
	struct figure_choice *choice;
};

struct interval *interval_start(uint64_t cycles, struct record_writer *w, struct figure_choice *c)
{
	struct interval *n = xcalloc(1, sizeof(*n));

	*n = (struct interval){.cycles = cycles, .due = cycles, .w = w, .choice = c};
	n->before = figures_new();
	n->now = figures_new();
	return n;
}

uint64_t interval_due(const struct interval *n) { return n->due; }

void interval_record(struct interval *n, struct gpu *g, const struct kernel *k)
{
	struct interval_record rec = {.first_cycle = n->since, .cycles = gpu_now(g) - n->since};
	struct figures *last = n->before;

	if (!rec.cycles)
		return;
	if (k) {
		rec.position = k->position;
		rec.uid = k->uid;
		rec.name = k->head->name;
	}
	gpu_sync(g);
	if (g->power)
		power_update_energies(g, false);
	figures_fill(n->now, g);
	stats_interval_record(n->w, n->choice, &rec, n->before, n->now);
	n->before = n->now;
	n->now = last;
	n->since = gpu_now(g);
	n->due = n->since + n->cycles;
}

void interval_free(struct interval *n)
{
	if (!n)
		return;
	figures_free(n->before);
	figures_free(n->now);
	free(n);
}
