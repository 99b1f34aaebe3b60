/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes principal components by Jacobi rotations, and clusters by k-means with seeds that are far from
 * each other.
 *
 * Always true: sums are computed in the order of the rows, so every processor with IEEE arithmetic gives the
 * same clusters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pick.h"

uint64_t linear_next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void standardise_columns(double *x, uint32_t n, uint32_t d)
{
	for (uint32_t j = 0; j < d; j++) {
		double mean = 0, var = 0;

		for (uint32_t i = 0; i < n; i++)
			mean += x[(size_t)i * d + j];
		mean /= n;
		for (uint32_t i = 0; i < n; i++) {
			double *v = &x[(size_t)i * d + j];

			*v -= mean;
			var += *v * *v;
		}
		double scale = var > 1e-12 * n ? 1 / sqrt(var / n) : 0;

		for (uint32_t i = 0; i < n; i++)
			x[(size_t)i * d + j] *= scale;
	}
}

/*
 * Rotates rows and columns p and q of a such that a[p][q] becomes 0, and rotates the same columns of v, the
 * axes.
 */
static void rotate_to_zero(double *a, double *v, uint32_t d, uint32_t p, uint32_t q)
{
	double apq = a[p * d + q], theta, t, c, s;

	if (fabs(apq) < 1e-300)
		return;
	theta = (a[q * d + q] - a[p * d + p]) / (2 * apq);
	t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	c = 1 / sqrt(t * t + 1);
	s = t * c;
	for (uint32_t i = 0; i < d; i++) {
		double x = a[i * d + p], y = a[i * d + q];

		a[i * d + p] = c * x - s * y;
		a[i * d + q] = s * x + c * y;
	}
	for (uint32_t i = 0; i < d; i++) {
		double x = a[p * d + i], y = a[q * d + i];

		a[p * d + i] = c * x - s * y;
		a[q * d + i] = s * x + c * y;
		x = v[i * d + p];
		y = v[i * d + q];
		v[i * d + p] = c * x - s * y;
		v[i * d + q] = s * x + c * y;
	}
}

/*
 * Computes the eigenvalues of the symmetric matrix a, and stores them on its diagonal. Stores the
 * eigenvectors in the columns of v.
 */
static void find_eigenvectors(double *a, double *v, uint32_t d)
{
	for (uint32_t i = 0; i < d; i++)
		for (uint32_t j = 0; j < d; j++)
			v[i * d + j] = i == j;
	for (unsigned sweep = 0; sweep < 60; sweep++) {
		double off = 0, on = 0;

		for (uint32_t i = 0; i < d; i++)
			for (uint32_t j = 0; j < d; j++)
				*(i == j ? &on : &off) += a[i * d + j] * a[i * d + j];
		if (off <= 1e-22 * on)
			break;
		for (uint32_t p = 0; p < d; p++)
			for (uint32_t q = p + 1; q < d; q++)
				rotate_to_zero(a, v, d, p, q);
	}
}

static void compute_covariance(double *a, const double *x, uint32_t n, uint32_t d)
{
	memset(a, 0, (size_t)d * d * sizeof(*a));
	for (uint32_t i = 0; i < n; i++) {
		const double *r = x + (size_t)i * d;

		for (uint32_t p = 0; p < d; p++)
			for (uint32_t q = p; q < d; q++)
				a[p * d + q] += r[p] * r[q] / n;
	}
	for (uint32_t p = 0; p < d; p++)
		for (uint32_t q = 0; q < p; q++)
			a[p * d + q] = a[q * d + p];
}

/*
 * Sets axis[] to the indices of the largest eigenvalues that together have the given share of the sum.
 * Returns their number.
 */
static uint32_t select_largest_axes(const double *a, uint32_t d, double share, uint32_t *axis)
{
	double all = 0, have = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d; i++)
		all += a[i * d + i];
	while (n < d && have < share * all) {
		uint32_t best = UINT32_MAX;

		for (uint32_t i = 0; i < d; i++) {
			bool taken = false;

			for (uint32_t j = 0; j < n; j++)
				taken |= axis[j] == i;
			if (!taken && (best == UINT32_MAX || a[i * d + i] > a[best * d + best]))
				best = i;
		}
		have += a[best * d + best];
		axis[n++] = best;
	}
	return n;
}

uint32_t linear_components(double *x, uint32_t n, uint32_t d, double share)
{
	double *a = xmalloc((size_t)d * d * sizeof(*a)), *v = xmalloc((size_t)d * d * sizeof(*v));
	double *r = xmalloc(d * sizeof(*r));
	uint32_t *axis = xmalloc(d * sizeof(*axis)), m;

	standardise_columns(x, n, d);
	compute_covariance(a, x, n, d);
	find_eigenvectors(a, v, d);
	m = select_largest_axes(a, d, share, axis);
	for (uint32_t i = 0; i < n; i++) {
		double *row = x + (size_t)i * d;

		memcpy(r, row, d * sizeof(*r));
		memset(row, 0, d * sizeof(*row));
		for (uint32_t k = 0; k < m; k++)
			for (uint32_t j = 0; j < d; j++)
				row[k] += r[j] * v[j * d + axis[k]];
	}
	free(a);
	free(v);
	free(r);
	free(axis);
	return m;
}

/* ---- k-means ------------------------------------------------------------------------------ */

/* Clusters of points. */
struct clusters {
	const struct points *points;
	uint32_t k;     /* number of clusters */
	double *centre; /* k rows of points->n_columns coordinates */
	uint32_t *of;   /* cluster of each point */
};

static const double *point_row(const struct points *p, uint32_t i) { return p->x + (size_t)i * p->stride; }

static double squared_distance(const double *a, const double *b, uint32_t d)
{
	double sum = 0;

	for (uint32_t i = 0; i < d; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/*
 * Draws c->k points as centres, or fewer if there are fewer distinct points; c->k becomes their number. After the first
 * draw, the probability of a point is proportional to its squared distance from the nearest centre.
 */
static void draw_seeds(struct clusters *c, uint64_t seed)
{
	const struct points *p = c->points;
	const uint32_t d = p->n_columns;
	double *near = xmalloc(p->n_rows * sizeof(*near));
	uint32_t at = (uint32_t)(linear_next_random(&seed) % p->n_rows), have = 0;

	for (uint32_t i = 0; i < p->n_rows; i++)
		near[i] = INFINITY;
	while (have < c->k) {
		double *centre = c->centre + (size_t)have++ * d, sum = 0, draw;

		memcpy(centre, point_row(p, at), d * sizeof(*centre));
		for (uint32_t i = 0; i < p->n_rows; i++) {
			double s = squared_distance(point_row(p, i), centre, d);

			near[i] = s < near[i] ? s : near[i];
			sum += near[i];
		}
		if (!(sum > 0)) /* every point is a centre */
			break;
		draw = (double)(linear_next_random(&seed) >> 11) * 0x1p-53 * sum;
		for (at = 0; at + 1 < p->n_rows && draw >= near[at]; at++)
			draw -= near[at];
	}
	c->k = have;
	free(near);
}

/* Assigns each point to the nearest centre. Returns the sum of the squared distances. */
static double assign_points(struct clusters *c, bool *moved)
{
	const struct points *p = c->points;
	double sum = 0;

	*moved = false;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		uint32_t best = 0;
		double least = INFINITY;

		for (uint32_t k = 0; k < c->k; k++) {
			double s = squared_distance(
				point_row(p, i), c->centre + (size_t)k * p->n_columns, p->n_columns);

			if (s < least) {
				least = s;
				best = k;
			}
		}
		*moved |= c->of[i] != best;
		c->of[i] = best;
		sum += least;
	}
	return sum;
}

/* Moves each centre to the mean of its points. */
static void move_centres(struct clusters *c)
{
	const struct points *p = c->points;
	const uint32_t d = p->n_columns;
	uint32_t *count = xcalloc(c->k, sizeof(*count));
	double *sum = xcalloc((size_t)c->k * d + 1, sizeof(*sum));

	for (uint32_t i = 0; i < p->n_rows; i++) {
		count[c->of[i]]++;
		for (uint32_t j = 0; j < d; j++)
			sum[(size_t)c->of[i] * d + j] += point_row(p, i)[j];
	}
	for (uint32_t k = 0; k < c->k; k++)
		for (uint32_t j = 0; count[k] && j < d; j++)
			c->centre[(size_t)k * d + j] = sum[(size_t)k * d + j] / count[k];
	free(count);
	free(sum);
}

double linear_kmeans(const struct points *p, uint32_t k, uint64_t seed, uint32_t *of)
{
	struct clusters c = {.points = p,
		.k = k,
		.centre = xcalloc((size_t)k * p->n_columns + 1, sizeof(*c.centre)),
		.of = of};
	double sum = 0;
	bool moved;

	if (k == 1) { /* the centre of a cluster is the mean of its points */
		memset(of, 0, p->n_rows * sizeof(*of));
		move_centres(&c);
	} else {
		draw_seeds(&c, seed);
	}
	for (unsigned i = 0; i < 100; i++) {
		sum = assign_points(&c, &moved);
		if (!moved && i)
			break;
		move_centres(&c);
	}
	free(c.centre);
	return sum;
}
