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
	uint64_t cycles, next_record_at, start_cycle;
	struct figures *figures_before, *figures_now;
	struct record_writer *writer;
	struct figure_choice *choice;
};

struct interval *interval_start(uint64_t cycles, struct record_writer *w, struct figure_choice *c)
{
	struct interval *n = xcalloc(1, sizeof(*n));

	*n = (struct interval){.cycles = cycles, .next_record_at = cycles, .writer = w, .choice = c};
	n->figures_before = figures_new();
	n->figures_now = figures_new();
	return n;
}

uint64_t interval_due(const struct interval *n) { return n->next_record_at; }

void interval_record(struct interval *n, struct gpu *g, const struct kernel *k)
{
	struct interval_record rec = {.first_cycle = n->start_cycle, .cycles = gpu_now(g) - n->start_cycle};
	struct figures *last = n->figures_before;

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
	figures_fill(n->figures_now, g);
	stats_interval_record(n->writer, n->choice, &rec, n->figures_before, n->figures_now);
	n->figures_before = n->figures_now;
	n->figures_now = last;
	n->start_cycle = gpu_now(g);
	n->next_record_at = n->start_cycle + n->cycles;
}

void interval_free(struct interval *n)
{
	if (!n)
		return;
	figures_free(n->figures_before);
	figures_free(n->figures_now);
	free(n);
}
