/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: reuse TRACE
 *
 * Prints the reuse distances of the lines (128 bytes) of global memory that each kernel accesses, as distance:count,
 * like examples/python/reuse.
 *
 * cc -o reuse reuse.c $(pkg-config --cflags --libs warptools)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warptools.h>

/*
 * `line` has the lines in the order of their last access. count[i] is the number of reuses up to the distance
 * 2^(i - 1).
 */
static uint64_t *line, count[65];
static size_t n;

static void touch(uint64_t l)
{
	size_t at = n, distance;

	while (at > 0 && line[at - 1] != l)
		at--;
	if (at == 0) {
		if (n % 1024 == 0 && !(line = realloc(line, (n + 1024) * sizeof(*line))))
			abort();
		line[n++] = l;
		return;
	}
	distance = n - at;
	count[distance < 2 ? distance : 65 - (unsigned)__builtin_clzll(distance - 1)]++;
	memmove(line + at - 1, line + at, distance * sizeof(*line));
	line[n - 1] = l;
}

int main(int argc, char **argv)
{
	struct wt_error e = {.text = "usage: reuse TRACE"};
	struct wt_list *list = argc == 2 ? wt_open(argv[1], &e) : NULL;
	int r = list ? 0 : -1;

	for (uint32_t p = 1; r == 0 && p <= wt_kernels(list); p++, n = 0) {
		struct wt_kernel *k = wt_kernel_open(list, p, &e);
		const struct wt_block *b;

		for (r = -!k; r >= 0 && (r = wt_kernel_next(k, &b, &e)) > 0;) {
			const struct wt_accesses *a = wt_kernel_accesses(k, &e);
			for (uint32_t i = 0; a && i < a->n; i++) {
				uint64_t met[WT_LANES];
				unsigned n_met = 0, m;

				for (unsigned lane = 0; a->space[i] == WT_SPACE_GLOBAL && lane < WT_LANES;
					lane++) {
					if (!(b->mask[a->instruction[i]] >> lane & 1))
						continue;
					for (m = 0; m < n_met && met[m] != a->lane[i][lane] / 128; m++)
						;
					if (m == n_met)
						touch(met[n_met++] = a->lane[i][lane] / 128);
				}
			}
		}
		if (r == 0)
			printf("%s first %zu", wt_kernel_info(k)->name, n);
		for (unsigned i = 0; r == 0 && i < 65; count[i++] = 0)
			if (count[i])
				printf(" %" PRIu64 ":%" PRIu64, i ? UINT64_C(1) << (i - 1) : 0, count[i]);
		puts("");
		wt_kernel_close(k);
	}
	if (r < 0)
		fprintf(stderr, "reuse: %s: %s\n", e.file, e.text);
	wt_close(list);
	return r < 0 ? 2 : 0;
}
