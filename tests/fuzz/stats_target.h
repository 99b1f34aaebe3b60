/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Common code of the fuzz targets for results. Reads an input up to its end or a fault, and checks the
 * guarantees of results.h.
 */
#ifndef STATS_TARGET_H
#define STATS_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "results.h"

static inline void check_figures(const struct results *r, const struct result_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++) {
		const struct result_figure *g = &item->figure[i];
		const struct result_value *v = results_find(r, g->name);

		if (!g->name || strchr(g->name, '\001') || v != &g->value || !isfinite(g->value.real))
			abort();
		if (g->value.is_whole && (double)g->value.count != g->value.real)
			abort();
	}
}

static inline void read_stats(const uint8_t *data, size_t size, unsigned flags)
{
	struct fault f = {0};
	struct input *in = input_memory("fuzz", data, size, &f);
	struct results *r = in ? results_new(in, flags) : NULL;
	struct result_item item;
	uint32_t runs = 0;
	bool open = false;
	int event;

	while (r && (event = results_next(r, &item, &f)) != RESULT_END_OF_INPUT) {
		if (event < 0) {
			if (!f.id || !*f.text)
				abort();
			break;
		}
		if (event == RESULT_START ? open || item.run != ++runs : !open)
			abort();
		open = event != RESULT_DONE;
		if (event == RESULT_DONE &&
			(!item.status || (!strcmp(item.status, "cut") && !*item.cut.text)))
			abort();
		if (event == RESULT_KERNEL && (!item.kernel.name || !item.kernel.position))
			abort();
		check_figures(r, &item);
	}
	if (r && event == RESULT_END_OF_INPUT && (open || !runs))
		abort();
	results_close(r);
}

#endif
