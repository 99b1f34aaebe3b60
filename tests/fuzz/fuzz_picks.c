/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for picks files: accepted picks must have the properties that picks.h guarantees. They must
 * be the same after they have been written and read again.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"
#include "picks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_picks(const struct picks *p)
{
	uint64_t kernels = 0;

	if (!p->n || !p->n_strata || !p->n_kernels)
		abort();
	for (uint32_t i = 0; i < p->n_strata; i++) {
		kernels += p->stratum[i].kernels;
		if (!p->stratum[i].picked || p->stratum[i].picked > p->stratum[i].kernels)
			abort();
	}
	if (kernels > picks_represented(p) || picks_represented(p) > p->n_all || p->n_all < p->n_kernels)
		abort();
	for (uint32_t i = 0; i < p->n; i++) {
		const struct pick *k = &p->pick[i];

		if (!(k->weight > 0) || !isfinite(k->weight) || !(k->size > 0) || !isfinite(k->size) ||
			k->stratum >= p->n_strata || !k->position || k->position > p->n_kernels ||
			(i && k->position <= k[-1].position) || picks_at(p, k->position) != k)
			abort();
	}
}

static void check_written_picks(const struct picks *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct picks q;
	struct fault f;

	if (!out)
		abort();
	picks_write_head(out, p);
	for (uint32_t i = 0; i < p->n_strata; i++) {
		picks_write_stratum(out, &p->stratum[i]);
		putc('\n', out);
	}
	for (uint32_t i = 0; i < p->n; i++)
		picks_write_pick(out, &p->pick[i], p->stratum[p->pick[i].stratum].label, "text");
	fclose(out);
	struct input *in = input_memory("again", text, n, &f);
	if (!in || picks_parse(&q, in, &f) < 0 || q.n != p->n || q.n_strata != p->n_strata ||
		memcmp(q.hash, p->hash, 16) != 0 || picks_represented(&q) != picks_represented(p))
		abort();
	picks_free(&q);
	input_close(in);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fault f = {0};
	struct input *in = input_memory("fuzz", data, size, &f);
	struct picks p;

	if (!in)
		return 0;
	if (picks_parse(&p, in, &f) == 0) {
		check_picks(&p);
		check_written_picks(&p);
	} else if (!f.id || !*f.text) {
		abort();
	}
	picks_free(&p);
	input_close(in);
	return 0;
}
