/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the table of methods, and the partitions by name and by cuts, which several methods use.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pick.h"
#include "table.h"

#define MOST_DEEP 24 /* maximum depth of nested cuts */

const struct method methods[] = {
#define METHOD(name, fn, reading, size, help) {#name, fn, reading, size, help},
#include "methods.def"
#undef METHOD
};
const size_t n_methods = sizeof(methods) / sizeof(methods[0]);

const struct method *method_find(const char *name)
{
	for (size_t i = 0; i < n_methods; i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

double method_size(const struct method *m, const struct pick_kernel *k)
{
	switch (m->size) {
	case SIZE_INSTS: return k->insts ? (double)k->insts : 1;
	case SIZE_TIME: return k->time;
	default: return 1;
	}
}

static uint64_t key_of_kernel(const struct pick_kernel *k, bool per_stream)
{
	return table_hash(k->name, strlen(k->name)) + (per_stream ? k->stream * 0x9e3779b97f4a7c15u : 0);
}

static bool have_same_name(const struct pick_kernel *a, const struct pick_kernel *b, bool per_stream)
{
	return !strcmp(a->name, b->name) && (!per_stream || a->stream == b->stream);
}

uint32_t method_by_name(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	struct table t = {0};
	uint32_t *first = NULL, cap = 0, n = 0; /* for each group, its first kernel */

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		uint64_t key = key_of_kernel(&a->kernel[i], w->per_stream);

		of[i] = n;
		FOR_TABLE (entry, &t, key)
			if (have_same_name(&a->kernel[i], &a->kernel[first[entry.number]], w->per_stream)) {
				of[i] = entry.number;
				break;
			}
		if (of[i] < n)
			continue;
		grow(&first, &cap, n + 1, sizeof(*first));
		table_add(&t, key, n);
		first[n++] = i;
	}
	table_free(&t);
	free(first);
	return n;
}

int method_rank_order(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void split_stratum(
	const struct ranked *r, uint32_t n, uint32_t *of, uint32_t *n_strata, cut_fn *cut, unsigned deep)
{
	uint32_t at = deep < MOST_DEEP ? cut(r, n) : 0;

	if (at) {
		split_stratum(r, at, of, n_strata, cut, deep + 1);
		split_stratum(r + at, n - at, of, n_strata, cut, deep + 1);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		of[r[i].number] = *n_strata;
	++*n_strata;
}

uint32_t method_split_strata(const struct app *a, uint32_t *of, uint32_t n, value_fn *value, cut_fn *cut)
{
	struct ranked *r = xmalloc(a->n_kernels * sizeof(*r));
	uint32_t *end = xcalloc(n + 1, sizeof(*end)), n_strata = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++)
		end[of[i] + 1]++;
	for (uint32_t g = 0; g < n; g++)
		end[g + 1] += end[g];
	for (uint32_t i = 0; i < a->n_kernels; i++) /* end[g] moves from the start to the end of group g */
		r[end[of[i]]++] = (struct ranked){value(&a->kernel[i]), i};
	for (uint32_t g = 0, at = 0; g < n; at = end[g++]) {
		qsort(r + at, end[g] - at, sizeof(*r), method_rank_order);
		split_stratum(r + at, end[g] - at, of, &n_strata, cut, 0);
	}
	free(end);
	free(r);
	return n_strata;
}
