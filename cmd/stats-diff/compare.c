/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the figures of two kernels within the tolerances.
 *
 * Always true: a figure is compared only if both sides can have it. A sparse counter that a record omits is
 * 0. A figure that one side never has is skipped, because logs do not have all figures. An exact value equals
 * a printed value if they differ by at most one unit of the last printed digit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"

static bool is_present_value(const struct result_value *v) { return v->decimals != INT8_MAX; }

static void fill_side_cells(struct diff *d, int side, uint32_t kernel)
{
	const struct store_kernel *k = &d->store->kernel[kernel - 1];
	const struct store_value *v = store_load_figures(d->store, k);

	for (uint32_t i = 0; i < d->store->n_columns; i++)
		d->cell[side][i].decimals = INT8_MAX;
	for (uint32_t i = 0; i < k->n; i++)
		d->cell[side][v[i].column] = v[i].value;
}

/*
 * Sets *v to the value of a side, or to 0 for an omitted sparse counter. Returns false if the side has no
 * value.
 */
static bool side_value_or_zero(const struct diff *d, int side, uint32_t column, struct result_value *v)
{
	const struct figure *a = d->store->column[column].description;
	bool family = a && d->has_family[side][a - figures_table];

	*v = d->cell[side][column];
	if (is_present_value(v))
		return true;
	if (!a || !a->sparse ||
		(a->kind != FIGURE_COUNTER && a->kind != FIGURE_HISTOGRAM && a->kind != FIGURE_MAX))
		return false;
	if (!diff_has_figure(&d->side[side], d->store->column[column].name, a))
		return false;
	*v = (struct result_value){.is_whole = true, .decimals = RESULT_EXACT};
	return !d->side[side].is_log || family;
}

const struct tolerance *tolerance_of(const struct diff_options *o, const char *name)
{
	for (uint32_t i = o->n_tolerances; i--;)
		if (namelist_matches(o->tolerance[i].pattern, name))
			return &o->tolerance[i];
	return NULL;
}

/* Returns b minus a. The result is exact even for integers that are equal as doubles. */
static double value_difference(const struct result_value *a, const struct result_value *b)
{
	if (a->is_whole && b->is_whole)
		return b->count >= a->count ? (double)(b->count - a->count) : -(double)(a->count - b->count);
	return b->real - a->real;
}

/* Returns one unit of the last printed digit if only one side is exact, and 0 otherwise. */
static double printed_unit(const struct result_value *a, const struct result_value *b)
{
	int8_t places = a->decimals == RESULT_EXACT ? b->decimals : a->decimals;

	if ((a->decimals == RESULT_EXACT) == (b->decimals == RESULT_EXACT))
		return 0;
	return pow(10, -places) * (1 + 1e-9);
}

static bool is_within_tolerance_of(
	const struct diff *d, const char *name, const struct result_value *a, const struct result_value *b)
{
	const struct tolerance *t = tolerance_of(d->options, name);
	double delta = fabs(value_difference(a, b)), most = fmax(fabs(a->real), fabs(b->real));

	if (delta == 0)
		return true;
	return (t && (delta <= t->absolute || delta <= t->relative * most)) || delta <= printed_unit(a, b);
}

#define MINOR 100 /* count of a histogram entry below which the entry is small */

static void add_figure_change(struct diff *d, uint32_t column)
{
	struct change c = {.name = d->store->column[column].name};

	if (!d->seen[0][column] && !d->seen[1][column])
		return;
	for (int side = 0; side < 2; side++) {
		c.has_figure[side] = side_value_or_zero(d, side, column, &c.value[side]);
		if (!c.has_figure[side] && !d->seen[side][column])
			return;
	}
	/* a figure that only records have is not a difference between a log and a record */
	if ((!c.has_figure[0] && !c.has_figure[1]) ||
		(c.has_figure[0] != c.has_figure[1] && d->side[0].is_log != d->side[1].is_log))
		return;
	c.relative = NAN;
	c.moved = c.has_figure[0] != c.has_figure[1] ||
		  !is_within_tolerance_of(d, c.name, &c.value[0], &c.value[1]);
	if (c.has_figure[0] && c.has_figure[1]) {
		double delta = value_difference(&c.value[0], &c.value[1]);

		c.relative = delta == 0             ? 0
			     : c.value[0].real == 0 ? copysign(INFINITY, delta)
						    : delta / fabs(c.value[0].real);
	}
	c.minor = d->store->column[column].description &&
		  d->store->column[column].description->kind == FIGURE_HISTOGRAM && c.value[0].real < MINOR &&
		  c.value[1].real < MINOR;
	if (!c.moved && !d->options->all)
		return;
	grow(&d->change, &d->cap_changes, d->n_changes + 1, sizeof(*d->change));
	d->change[d->n_changes++] = c;
}

/* Returns the sort key of a change. Figures that only one side has get the largest key. */
static double change_size(const struct change *c)
{
	return isnan(c->relative) ? INFINITY : fabs(c->relative);
}

static int compare_changes(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;
	double x = change_size(a), y = change_size(b), dx, dy;

	if (a->moved != b->moved)
		return a->moved ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor ? 1 : -1;
	if (x > y || x < y)
		return x > y ? -1 : 1;
	dx = fabs(value_difference(&a->value[0], &a->value[1]));
	dy = fabs(value_difference(&b->value[0], &b->value[1]));
	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Returns true if the figure is compared. gpu_sim_cycle may be in the store just for the summary. */
static bool is_figure_compared(const struct diff_options *o, const char *name)
{
	return strcmp(name, "gpu_sim_cycle") || ((!o->select.n || namelist_find(&o->select, name) >= 0) &&
							namelist_find(&o->ignore, name) < 0);
}

uint32_t compare_pair(struct diff *d, const struct pair *p)
{
	uint32_t moved = 0;

	d->n_changes = 0;
	fill_side_cells(d, 0, p->kernel_a);
	fill_side_cells(d, 1, p->kernel_b);
	for (uint32_t i = 0; i < d->store->n_columns; i++)
		if (is_figure_compared(d->options, d->store->column[i].name))
			add_figure_change(d, i);
	if (d->n_changes)
		qsort(d->change, d->n_changes, sizeof(*d->change), compare_changes);
	while (moved < d->n_changes && d->change[moved].moved)
		moved++;
	return moved;
}
