/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Products of matrices of any kind: full, symmetric, Hermitian or triangular, real or complex. Sums of matrices,
 * diagonal products and rank updates are products, too; a triangle of the result may be all that is written.
 *
 * One thread computes each element. Real products of full matrices use cublas_multiply() instead.
 */
#ifndef CUBLAS_GENERAL_H
#define CUBLAS_GENERAL_H

#include "cublas/cublas.h"

enum cublas_shape { SHAPE_FULL, SHAPE_SYMMETRIC, SHAPE_HERMITIAN, SHAPE_TRIANGULAR };
enum cublas_triangle { TRIANGLE_NONE, TRIANGLE_LOWER, TRIANGLE_UPPER };

/*
 * An operand. Element (i, j) is at base + i * row + j * column + other * (the third index of the loop); strides are in
 * elements. A symmetric, Hermitian or triangular operand has values in one triangle, which includes the diagonal.
 */
struct cublas_view {
	uint64_t base; /* address of element 0, or of an array of one address per batch */
	int64_t row, column, other, batch;
	enum cublas_shape shape;
	bool upper, unit, conjugate;
};

/*
 * d = alpha * a * b + beta * c, where a has m by k elements and b has k by n. alpha and beta point to scalars, which
 * are complex if the type is, or to device memory; NULL means 1.
 */
struct cublas_general {
	struct cublas_view a, b, c, d;
	int64_t m, n, k, batches;
	const void *alpha, *beta;
	int type;                      /* TYPE_F32, TYPE_F64, TYPE_C32 or TYPE_C64 */
	bool real_alpha;               /* alpha is real though the type is complex */
	bool real_beta;                /* beta is real though the type is complex */
	bool conjugate_alpha;          /* use the conjugate of alpha */
	bool no_beta;                  /* beta is 0 */
	bool b_is_one;                 /* b is 1 and has no base */
	bool pointers;                 /* bases are of arrays of addresses */
	bool real_diagonal;            /* the diagonal of d is real */
	enum cublas_triangle triangle; /* part of d that is written */
	bool band;     /* true if a has values only in `below` and `above` diagonals and the main one */
	int64_t below; /* number of diagonals of a band below the main one */
	int64_t above; /* number of diagonals of a band above the main one */
	bool packed_c; /* the triangle of c is stored column by column, without the other */
	bool packed_d; /* the triangle of d is stored column by column, without the other */
	bool copy;     /* d = c, even if a value is a negative zero */
};

/* Each function launches a kernel and returns a status (enum cublas_status). */
int cublas_general_run(struct cublas_handle *h, const struct cublas_general *g);

/* Solves op(A) X = alpha B for `columns` columns of B, which X replaces. a has n by n elements, and is triangular. */
struct cublas_triangular {
	struct cublas_view a, b;
	int64_t n, columns, batches;
	const void *alpha; /* NULL: 1 */
	int type;
	bool pointers;
	bool band;         /* true if a has values only in the main diagonal and in `diagonals` next to it */
	int64_t diagonals; /* number of diagonals of a band, without the main one */
};
int cublas_triangular_solve(struct cublas_handle *h, const struct cublas_triangular *t);

/*
 * Replaces x by h11 x + h12 y and y by h21 x + h22 y, or swaps the two. With a complex type, which excludes a swap, i
 * times `imaginary` is added to h12 and h21.
 */
struct cublas_rotation {
	int64_t n;
	uint64_t x, y;
	int64_t step_x, step_y;
	double h[4]; /* h11, h12, h21, h22 */
	double imaginary;
	int type;
	bool swap;
};
int cublas_rotate(struct cublas_handle *h, const struct cublas_rotation *r);
/* Stores the number, from 1 on, of the first element with the greatest or least magnitude, in 4 or 8 bytes at `to`. */
int cublas_extreme(struct cublas_handle *h, int64_t n, int type, uint64_t x, int64_t step, bool least,
	void *to, size_t bytes);

/*
 * Launches kernel `name`, whose parameter is a structure. text: its lines for the real and complex types (general.c),
 * or NULL for the kernel of matrix products. Returns a status.
 */
int cublas_launch_lines(struct cublas_handle *h, const char *name, const char *text, int type,
	const unsigned grid[3], unsigned block_x, unsigned block_y, void *parameters);

#endif
