/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weighted figures; see weighted.h.
 *
 * Within a stratum the picks are a random sample. A pick's weight is the size of the stratum divided by the size of
 * its picks, so a total is a ratio estimate. Its variance is the variance of the residuals of the values from the
 * stratum's rate times their sizes, with the finite population correction. The variance of a rate is the variance of
 * its linear part.
 *
 * Two picks that happen to be equal suggest a stratum without variation. Student's t does not correct that, because
 * most strata are skewed: a few kernels differ, and few samples contain them. Therefore a second interval uses a
 * normal model: the conjugate prior of its variance is the spread that was expected when the picks were made, with
 * the weight of one pick. The expected spread may also be too small, so the result is the larger interval. Sums have
 * Satterthwaite's degrees of freedom.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "weighted.h"
#include "weighted_int.h"

double weighted_total(const struct picks *p, const double *y)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->n; i++)
		sum += p->pick[i].weight * y[i];
	return sum;
}

double weighted_student(double freedom)
{
	static const double at[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
	uint32_t n = sizeof(at) / sizeof(at[0]), low = (uint32_t)freedom;

	if (freedom <= 1)
		return at[0];
	if (low >= n)
		return 1.96 + 2.372 / freedom + 2.82 / (freedom * freedom);
	return at[low - 1] + (at[low] - at[low - 1]) * (freedom - low);
}

struct sample {
	double y;       /* sum of values */
	double x;       /* sum of sizes */
	double squares; /* sum of squares */
	double weight;  /* weight of a pick */
};

static struct sample *sums_by_stratum(const struct picks *p, const double *y)
{
	struct sample *s = xcalloc(p->n_strata + 1, sizeof(*s));

	for (uint32_t i = 0; i < p->n; i++) {
		struct sample *of = &s[p->pick[i].stratum];

		of->y += y[i];
		of->x += p->pick[i].size;
		of->weight = p->pick[i].weight;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		struct sample *of = &s[p->pick[i].stratum];
		double d = y[i] - of->y / of->x * p->pick[i].size;

		of->squares += d * d;
	}
	return s;
}

/* Variance: the sum of its parts, and a sum from which its degrees of freedom follow. */
struct variance {
	double sum;     /* sum of the parts */
	double squares; /* sum of the squared parts, each divided by its degrees of freedom */
};

static void add_variance(struct variance *v, double part, double freedom)
{
	v->sum += part;
	v->squares += part * part / freedom;
}

static double half_interval_of_sum(const struct variance *v)
{
	return v->sum > 0 ? weighted_student(v->sum * v->sum / v->squares) * sqrt(v->sum) : 0;
}

double weighted_half_interval(const struct weighted *w, const double *y)
{
	const struct picks *p = w->picks;
	struct sample *s = sums_by_stratum(p, y);
	struct variance own = {0}, expected = {0};
	double freedom, of_slope = weighted_slope_variance(w, y, &freedom);
	bool known = true;

	for (uint32_t i = 0; i < p->n_strata; i++) {
		double n = p->stratum[i].picked, all = p->stratum[i].kernels, mean = s[i].y / n;
		double prior = p->stratum[i].spread * mean;
		double by = s[i].weight * s[i].weight * n * (1 - n / all);

		if (n >= all)
			continue;
		known &= n >= 2;
		add_variance(&own, by * s[i].squares / (n - 1), n - 1);
		add_variance(&expected, by * (s[i].squares + prior * prior) / n, n);
	}
	free(s);
	if (of_slope > 0) {
		add_variance(&own, of_slope, freedom);
		add_variance(&expected, of_slope, freedom);
	}
	return known ? fmax(half_interval_of_sum(&own), half_interval_of_sum(&expected)) : (double)NAN;
}

/* ---- a run ------------------------------------------------------------------------------------ */

double *weighted_values(const struct weighted *w, uint32_t column)
{
	return w->value + (size_t)column * w->picks->n;
}

/* Returns the pick of a kernel. If a log has no positions, its kernels are the picks in order. */
static const struct pick *find_pick_of_kernel(
	const struct picks *p, const struct store_kernel *k, uint32_t number)
{
	if (k->position)
		return picks_at(p, k->position);
	return number < p->n ? &p->pick[number] : NULL;
}

/* Checks that the run used these picks. The picks file may have been replaced since the run. */
static int check_same_picks(
	const struct store *s, const struct picks *p, const struct store_run *run, struct fault *f)
{
	char hash[PICKS_HASH_TEXT];

	picks_hash(p, hash);
	if (!run->picks || !strcmp(store_word(s, run->picks), hash))
		return 0;
	return fault_set(f, (struct place){diag_keep(store_word(s, run->name)), 0, 0}, "picks-run",
		"the run used picks other than %s (their hashes differ)", p->path);
}

/* Copies the run's totals, because store_load_figures() reuses its buffer. */
static void copy_run_totals(struct weighted *w, const struct store_run *run)
{
	const struct store_kernel *t = run->total ? &w->store->total[run->total - 1] : NULL;

	if (!t)
		return;
	w->total = xmalloc(((size_t)t->n + 1) * sizeof(*w->total));
	memcpy(w->total, store_load_figures(w->store, t), t->n * sizeof(*w->total));
	w->n_total = t->n;
}

double weighted_run_total(const struct weighted *w, const char *name)
{
	uint32_t column = store_find_column(w->store, name);

	for (uint32_t i = 0; i < w->n_total; i++)
		if (w->total[i].column == column)
			return w->total[i].value.real;
	return 0;
}

struct weighted *weighted_new(struct store *s, const struct picks *p, const struct store_run *run,
	const struct store_kernel *kernel, uint32_t n_kernels, struct fault *f)
{
	if (check_same_picks(s, p, run, f) < 0)
		return NULL;
	struct weighted *w = xcalloc(1, sizeof(*w));
	bool *met = xcalloc(p->n, sizeof(*met));
	size_t cells = ((size_t)s->n_columns + 1) * p->n;

	*w = (struct weighted){.store = s, .picks = p, .value = xmalloc(cells * sizeof(double))};
	w->name = xcalloc(p->n, sizeof(*w->name));
	for (size_t i = 0; i < cells; i++)
		w->value[i] = (double)NAN;
	for (uint32_t i = 0; i < n_kernels; i++) {
		const struct pick *k = find_pick_of_kernel(p, &kernel[i], i);
		const struct store_value *v = k ? store_load_figures(s, &kernel[i]) : NULL;

		for (uint32_t j = 0; k && j < kernel[i].n; j++)
			weighted_values(w, v[j].column)[k - p->pick] = v[j].value.real;
		if (k) {
			met[k - p->pick] = true;
			w->name[k - p->pick] = kernel[i].name;
		}
	}
	uint32_t lost = 0;
	while (lost < p->n && met[lost])
		lost++;
	free(met);
	if (lost == p->n) {
		copy_run_totals(w, run);
		w->cold = n_kernels + weighted_run_total(w, "warmed_kernels") < picks_represented(p);
		weighted_prepare_regression(w);
		return w;
	}
	fault_set(f, (struct place){diag_keep(store_word(s, run->name)), 0, 0}, "picks-run",
		/* NOLINTNEXTLINE: pick has n elements, and `lost` is less */
		"the run lacks kernel %u, which %s picks", p->pick[lost].position, p->path);
	weighted_free(w);
	return NULL;
}

void weighted_free(struct weighted *w)
{
	if (w) {
		free(w->value);
		free(w->missed);
		free(w->missed_stray);
		free(w->name);
		free(w->total);
	}
	free(w);
}

/* ---- omitted kernels --------------------------------------------------------------------------- */

/*
 * Figures that a run with --warm also counts for omitted kernels, because it applies their accesses to the cache
 * tags. Misses are rare and occur in few kernels of a stratum, mostly in the first ones, so estimates from picks are
 * poor.
 */
static const struct {
	const char *figure, *left_out; /* figure, and its count for omitted kernels */
} warmed_figures[] = {
	{MISSES, "warmed_L2_misses"},
	{"dram_read_bytes", "warmed_dram_read_bytes"},
	{"dram_write_bytes", "warmed_dram_write_bytes"},
};

bool weighted_needs(const char *figure)
{
	static const char *const cold[] = {MISSES, "gpu_sim_cycle", "averagemflatency", "maxmflatency"};

	for (size_t i = 0; i < sizeof(cold) / sizeof(*cold); i++)
		if (!strcmp(figure, cold[i]))
			return true;
	return !strncmp(figure, "warmed_", 7);
}

/*
 * Sets *sum to the exact sum over all kernels of the list, simulated and omitted. Returns false if the run did not
 * count both. A run counts the omitted kernels of the whole list, not of a part.
 */
static bool find_exact_total(const struct weighted *w, uint32_t column, const double *y, double *sum)
{
	const char *name = w->store->column[column].name;
	size_t i = 0, n = sizeof(warmed_figures) / sizeof(warmed_figures[0]);
	double left_out = weighted_run_total(w, "warmed_kernels");

	while (i < n && strcmp(warmed_figures[i].figure, name) != 0)
		i++;
	if (i == n || left_out == 0 || w->picks->n_part ||
		left_out + w->picks->n != picks_represented(w->picks))
		return false;
	*sum = weighted_run_total(w, warmed_figures[i].left_out);
	for (uint32_t k = 0; k < w->picks->n; k++)
		*sum += y[k];
	return true;
}

/* Returns the total of a column. Sets *estimated if it is an estimate from picks, with a confidence interval. */
static double estimate_total(const struct weighted *w, uint32_t column, const double *y, bool *estimated)
{
	double sum;

	*estimated = !find_exact_total(w, column, y, &sum);
	return *estimated ? weighted_regressed_total(w, y) : sum;
}

/* ---- figures ---------------------------------------------------------------------------------- */

/*
 * Sets y[pick] to the values of a counter; a sparse counter that is absent is 0. Returns false if a pick lacks the
 * counter.
 */
static bool set_counter_values(const struct weighted *w, uint32_t column, double *y)
{
	const struct figure *about = w->store->column[column].description;

	memcpy(y, weighted_values(w, column), w->picks->n * sizeof(*y));
	for (uint32_t i = 0; i < w->picks->n; i++)
		if (isnan(y[i])) {
			if (!about || !about->sparse)
				return false;
			y[i] = 0;
		}
	return true;
}

/* Estimates the rate of two totals. Its linear part at a pick is (a - rate * b) / total of b. */
static bool estimate_rate(const struct weighted *w, const char *num, const char *den, double *value,
	double *stray, bool *bounded)
{
	bool above, under;
	uint32_t a = store_find_column(w->store, num), b = store_find_column(w->store, den);
	double *below, total;

	if (a == w->store->n_columns || b == w->store->n_columns)
		return false;
	below = xmalloc(w->picks->n * sizeof(*below));
	bool good = set_counter_values(w, a, stray) && set_counter_values(w, b, below) &&
		    (total = estimate_total(w, b, below, &under)) != 0;
	if (good) {
		*value = estimate_total(w, a, stray, &above) / total;
		*bounded = above && under;
		for (uint32_t i = 0; i < w->picks->n; i++)
			stray[i] = (stray[i] - *value * below[i]) / total;
	}
	free(below);
	return good;
}

/* Estimates a rate over time whose parts are not recorded, by weighting the picks by their cycles. */
static bool estimate_rate_in_time(const struct weighted *w, double *value, double *stray)
{
	uint32_t cycles = store_find_column(w->store, "gpu_sim_cycle");
	const double *c = weighted_values(w, cycles);
	double total;

	if (cycles == w->store->n_columns)
		return false;
	for (uint32_t i = 0; i < w->picks->n; i++)
		stray[i] *= c[i];
	total = weighted_regressed_total(w, c);
	if (!(total > 0))
		return false;
	*value = weighted_regressed_total(w, stray) / total;
	for (uint32_t i = 0; i < w->picks->n; i++)
		stray[i] = (stray[i] - *value * c[i]) / total;
	return true;
}

static bool is_rate_in_time(const struct figure *f)
{
	return f && f->kind == FIGURE_INTERVAL && (strchr(f->unit, '/') || !strcmp(f->unit, "percent"));
}

static bool find_maximum_of_picks(const struct weighted *w, uint32_t column, double *value, double *stray)
{
	if (!set_counter_values(w, column, stray))
		return false;
	*value = stray[0];
	for (uint32_t i = 0; i < w->picks->n; i++) {
		*value = stray[i] > *value ? stray[i] : *value;
		stray[i] = 0;
	}
	return true;
}

static bool estimate_figure(
	const struct weighted *w, uint32_t column, double *value, double *stray, bool *bounded)
{
	const struct store_column *c = &w->store->column[column];
	enum figure_kind kind = c->description ? c->description->kind : FIGURE_COUNTER;
	char num[256], den[256];

	*bounded = kind != FIGURE_MAX && kind != FIGURE_TOTAL;
	if (!*bounded)
		return find_maximum_of_picks(w, column, value, stray);
	if (c->description && *c->description->formula)
		return results_formula(c->description, c->name, num, den, sizeof(num)) &&
		       estimate_rate(w, num, den, value, stray, bounded);
	if (kind == FIGURE_RATIO || !set_counter_values(w, column, stray))
		return false;
	if (is_rate_in_time(c->description))
		return estimate_rate_in_time(w, value, stray);
	*value = estimate_total(w, column, stray, bounded);
	return true;
}

bool weighted_figure(const struct weighted *w, uint32_t column, double *value, double *stray, bool *bounded)
{
	if (!estimate_figure(w, column, value, stray, bounded))
		return false;
	if (*bounded)
		weighted_subtract_regression(w, stray);
	return true;
}

/* ---- cold caches ------------------------------------------------------------------------------ */

/*
 * Sets *rate to the value per size of the picks without L2 misses in the stratum of pick i; if there are none, of the
 * picks without L2 misses of its kernel name. Returns false if there are none of these, either.
 */
static bool rate_without_misses(
	const struct weighted *w, const double *misses, const double *stray, uint32_t i, double *rate)
{
	for (int by_name = 0; by_name < 2; by_name++) {
		double y = 0, x = 0;

		for (uint32_t k = 0; k < w->picks->n; k++) {
			bool same = by_name ? w->name[k] == w->name[i]
					    : w->picks->pick[k].stratum == w->picks->pick[i].stratum;

			if (same && !(misses[k] > 0)) {
				y += stray[k];
				x += w->picks->pick[k].size;
			}
		}
		*rate = x > 0 ? y / x : 0;
		if (x > 0)
			return true;
	}
	return false;
}

/*
 * Returns the smallest value above 0 of a figure over the picks, or if `largest` is set, the largest; NaN if there is
 * none.
 */
static double extreme_over_picks(const struct weighted *w, const char *name, bool largest)
{
	uint32_t column = store_find_column(w->store, name);
	double found = (double)NAN;

	for (uint32_t i = 0; column < w->store->n_columns && i < w->picks->n; i++) {
		double y = weighted_values(w, column)[i];

		if (y > 0)
			found = largest ? fmax(found, y) : fmin(found, y);
	}
	return found;
}

/*
 * Returns the share of the cycles of pick i that would be saved if each wait for DRAM were only a wait for the L2.
 */
static double share_of_dram_waits(const struct weighted *w, uint32_t i)
{
	uint32_t column = store_find_column(w->store, "gpu_sim_cycle");
	double hit = extreme_over_picks(w, "averagemflatency", false),
	       miss = extreme_over_picks(w, "maxmflatency", true);

	if (column == w->store->n_columns || isnan(hit) || !(miss >= hit))
		return (double)NAN;
	return (1 - hit / miss) *
	       (1 - extreme_over_picks(w, "gpu_sim_cycle", false) / weighted_values(w, column)[i]);
}

/* Returns the part of the value of pick i that cold caches may have caused; NaN if unknown. */
static double loss_with_cold_caches(
	const struct weighted *w, const double *misses, const double *stray, uint32_t i)
{
	double rate;

	if (!(misses[i] > 0))
		return 0;
	if (rate_without_misses(w, misses, stray, i, &rate))
		return stray[i] - rate * w->picks->pick[i].size;
	return stray[i] * share_of_dram_waits(w, i);
}

bool weighted_cold_widths(const struct weighted *w, const double *stray, double *below, double *above)
{
	uint32_t column = store_find_column(w->store, MISSES);
	double *misses;
	bool known;

	*below = *above = 0;
	if (!w->cold)
		return true;
	misses = xcalloc(w->picks->n, sizeof(*misses));
	known = column < w->store->n_columns && set_counter_values(w, column, misses);
	for (uint32_t i = 0; known && i < w->picks->n; i++) {
		double loss = w->picks->pick[i].weight * loss_with_cold_caches(w, misses, stray, i);

		known = !isnan(loss);
		*(loss > 0 ? below : above) += fabs(loss);
	}
	free(misses);
	return known;
}
