/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of methods, and the partition by name and by cuts that several are.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pick.h"
#include "table.h"

#define MOST_DEEP 24 /* cuts one inside the other */

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

static uint64_t key_of(const struct pick_kernel *k, bool per_stream)
{
	return table_hash(k->name, strlen(k->name)) + (per_stream ? k->stream * 0x9e3779b97f4a7c15u : 0);
}

static bool same(const struct pick_kernel *a, const struct pick_kernel *b, bool per_stream)
{
	return !strcmp(a->name, b->name) && (!per_stream || a->stream == b->stream);
}

/* The kernels of each name in the order of the list, names in the order in which they first come. */
struct name_groups {
	uint32_t *first, *last; /* by group: kernels */
	uint32_t *next;         /* by kernel: the next of its group, UINT32_MAX: none */
	uint32_t n, cap;
};

static void groups_by_name(struct name_groups *g, const struct app *a, bool per_stream)
{
	struct table t = {0};
	uint32_t cap_last = 0;

	*g = (struct name_groups){.next = xmalloc(a->n * sizeof(uint32_t))};
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t key = key_of(&a->kernel[i], per_stream);
		uint32_t at = g->n;

		g->next[i] = UINT32_MAX;
		FOR_TABLE (w, &t, key)
			if (same(&a->kernel[i], &a->kernel[g->first[w.number]], per_stream)) {
				at = w.number;
				break;
			}
		if (at == g->n) {
			grow(&g->first, &g->cap, g->n + 1, sizeof(uint32_t));
			grow(&g->last, &cap_last, g->n + 1, sizeof(uint32_t));
			table_add(&t, key, g->n);
			g->first[g->n++] = i;
		} else {
			g->next[g->last[at]] = i;
		}
		g->last[at] = i;
	}
	table_free(&t);
}

static void groups_free(struct name_groups *g)
{
	free(g->first);
	free(g->next);
	free(g->last);
}

int ranked_order(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void split(
	const struct ranked *r, uint32_t n, uint32_t *of, uint32_t *n_strata, cut_fn *cut, unsigned deep)
{
	uint32_t at = deep < MOST_DEEP ? cut(r, n) : 0;

	if (at) {
		split(r, at, of, n_strata, cut, deep + 1);
		split(r + at, n - at, of, n_strata, cut, deep + 1);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		of[r[i].number] = *n_strata;
	++*n_strata;
}

uint32_t method_cuts(const struct app *a, const struct wish *w, uint32_t *of, value_fn *value, cut_fn *cut)
{
	struct ranked *r = xmalloc(a->n * sizeof(*r));
	struct name_groups g;
	uint32_t n_strata = 0;

	groups_by_name(&g, a, w->per_stream);
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t n = 0;

		for (uint32_t k = g.first[i]; k != UINT32_MAX; k = g.next[k])
			r[n++] = (struct ranked){value(&a->kernel[k]), k};
		qsort(r, n, sizeof(*r), ranked_order);
		split(r, n, of, &n_strata, cut, 0);
	}
	groups_free(&g);
	free(r);
	return n_strata;
}
