/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets of results share: read to the end or a fault, and check what run_read.h promises. */
#ifndef STATS_TARGET_H
#define STATS_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "run_read.h"

static inline void check_figures(const struct run_reader *r, const struct run_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++) {
		const struct run_figure *g = &item->figure[i];
		const struct run_value *v = run_find(r, g->name);

		if (!g->name || strchr(g->name, '\001') || v != &g->value || !isfinite(g->value.real))
			abort();
		if (g->value.whole && (double)g->value.count != g->value.real)
			abort();
	}
}

static inline void read_stats(const uint8_t *data, size_t size, unsigned flags)
{
	struct fault f = {0};
	struct input *in = input_memory("fuzz", data, size, &f);
	struct run_reader *r = in ? run_reader_new(in, flags) : NULL;
	struct run_item item;
	uint32_t runs = 0;
	bool open = false;
	int event;

	while (r && (event = run_next(r, &item, &f)) != RUN_END_OF_INPUT) {
		if (event < 0) {
			if (!f.id || !*f.text)
				abort();
			break;
		}
		if (event == RUN_START ? open || item.run != ++runs : !open)
			abort();
		open = event != RUN_DONE;
		if (event == RUN_DONE && (!item.status || (!strcmp(item.status, "cut") && !*item.cut.text)))
			abort();
		if (event == RUN_KERNEL && (!item.kernel.name || !item.kernel.position))
			abort();
		check_figures(r, &item);
	}
	if (r && event == RUN_END_OF_INPUT && (open || !runs))
		abort();
	run_close(r);
}

#endif
