/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the end record of --isolate. Always true: totals are sums over all records. A resumed run therefore
 * has the same totals.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "isolate.h"

struct spool_cursor {
	const struct spool *records;
	uint64_t offset; /* offset in bytes of the next byte to read */
};

static size_t read_spool_bytes(void *ctx, void *buf, size_t n)
{
	struct spool_cursor *g = ctx;
	ssize_t got;

	do
		got = pread(g->records->fd, buf, n, (off_t)g->offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		die_errno("cannot read a temporary file");
	g->offset += (uint64_t)got;
	return (size_t)got;
}

/* Sums of the "gpu_tot_" figures over all kernels. In a record, these figures cover a single kernel. */
struct totals {
	uint64_t insts, cycles, ctas;
};

static uint64_t *find_total_of_figure(struct totals *t, const char *name)
{
	if (!strcmp(name, "gpu_tot_sim_insn"))
		return &t->insts;
	if (!strcmp(name, "gpu_tot_sim_cycle"))
		return &t->cycles;
	return strcmp(name, "gpu_tot_issued_cta") ? NULL : &t->ctas;
}

static void add_totals(struct totals *t, const struct result_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++) {
		uint64_t *to = find_total_of_figure(t, item->figure[i].name);

		if (to)
			*to += item->figure[i].value.count;
	}
}

/*
 * Copies to `to` the figures of the end record that are meaningful for several separate GPUs. Returns their
 * number.
 */
static uint32_t collect_total_figures(
	struct result_figure *to, const struct result_item *item, struct totals *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < item->n_figures; i++) {
		struct result_figure f = item->figure[i];
		uint64_t *total = find_total_of_figure(t, f.name);

		if (total) {
			f.value.count = *total;
			f.value.is_whole = true;
		} else if (!strcmp(f.name, "gpu_tot_ipc")) {
			f.value.is_whole = false;
			f.value.real = t->cycles ? (double)t->insts / (double)t->cycles : (double)NAN;
		} else if (f.description && f.description->kind == FIGURE_TOTAL) {
			continue;
		}
		to[n++] = f;
	}
	return n;
}

void isolate_write_end(struct run *r, const struct spool *records, uint32_t done)
{
	struct spool_cursor all = {.records = records};
	struct results *reader = results_new(input_generated("result", read_spool_bytes, &all), 0);
	struct totals totals = {0};
	struct result_figure *figure;
	XXH128_canonical_t hash;
	struct result_item item;
	struct fault f;
	int event;

	while ((event = results_next(reader, &item, &f)) != RESULT_DONE) {
		if (event <= 0)
			die_fault(&f);
		if (event == RESULT_KERNEL)
			add_totals(&totals, &item);
	}
	figure = xcalloc(item.n_figures + 1u, sizeof(*figure));
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(r->hash));
	stats_sums_record(r->writer, r->choice, r->status, r->limit, done, hash.digest, figure,
		collect_total_figures(figure, &item, &totals));
	free(figure);
	results_close(reader);
}
