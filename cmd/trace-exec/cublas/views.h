/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of BLAS functions as views of operands (general.h), and the functions that band.c shares with blas.c. */
#ifndef CUBLAS_VIEWS_H
#define CUBLAS_VIEWS_H

#include "cublas/general.h"

int cudaMalloc(void **to, size_t n), cudaFree(void *p);

enum { SIDE_LEFT, SIDE_RIGHT };
enum { FILL_LOWER, FILL_UPPER };
enum { OP_NONE, OP_TRANSPOSE, OP_CONJUGATE_TRANSPOSE, OP_CONJUGATE };
/* Updates of a triangle: with a and itself, with a and b, with a and b and the reverse. */
enum rank_update { RANK_1, RANK_X, RANK_2 };

static inline bool is_short_pitch(int64_t pitch, int64_t rows) { return pitch < (rows > 1 ? rows : 1); }

/* Returns the view of a matrix. A transposing `op` swaps the two strides. */
static inline struct cublas_view matrix_view(const void *base, int op, int64_t pitch)
{
	bool straight = op == OP_NONE || op == OP_CONJUGATE;

	return (struct cublas_view){.base = (uintptr_t)base,
		.row = straight ? 1 : pitch,
		.column = straight ? pitch : 1,
		.conjugate = op >= OP_CONJUGATE_TRANSPOSE};
}

/* Returns the view of a vector as a column. With a negative step, the first element is the last one in memory. */
static inline struct cublas_view vector_view(const void *base, int type, int64_t n, int64_t step)
{
	uint64_t first = step < 0 ? (uint64_t)((1 - n) * step) * cublas_type_bytes(type) : 0;

	return (struct cublas_view){.base = (uintptr_t)base + first, .row = step};
}

static inline struct cublas_view transposed_view(struct cublas_view v)
{
	int64_t row = v.row;

	v.row = v.column;
	v.column = row;
	return v;
}

static inline enum cublas_triangle triangle_of(int uplo)
{
	return uplo == FILL_LOWER ? TRIANGLE_LOWER : TRIANGLE_UPPER;
}

/* Returns op(a), a triangular matrix. */
static inline struct cublas_view triangular_view(const void *a, int64_t pitch, int uplo, int op, int diag)
{
	struct cublas_view v = matrix_view(a, op, pitch);

	v.shape = SHAPE_TRIANGULAR;
	v.upper = (uplo == FILL_UPPER) == (op == OP_NONE);
	v.unit = diag;
	return v;
}

static inline bool are_triangular_modes(int uplo, int op, int diag)
{
	return (uplo == FILL_LOWER || uplo == FILL_UPPER) && op >= OP_NONE && op <= OP_CONJUGATE_TRANSPOSE &&
	       (diag == 0 || diag == 1);
}

/*
 * Runs a product whose result may replace one of its operands. The result is written to temporary memory first, which
 * is freed after the kernels.
 */
int cublas_run_in_place(struct cublas_handle *h, struct cublas_general *g);

/* Computes y = alpha a x + beta y, where a is symmetric or Hermitian. */
int cublas_symv(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *a, int64_t pitch, const void *x, int64_t step_x, const void *beta,
	void *y, int64_t step_y);
/* Adds a rank update to a triangle of a. */
int cublas_syr(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *x, int64_t step_x, const void *y, int64_t step_y, void *a,
	int64_t pitch, enum rank_update rank);
/* Replace x by op(a) x, or by the solution y of op(a) y = x. The matrix a is triangular. */
int cublas_trmv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, const void *a,
	int64_t pitch, void *x, int64_t step);
int cublas_trsv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, const void *a,
	int64_t pitch, void *x, int64_t step);

#endif
