/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first interface of cuBLAS (cublas.h): functions without a handle, whose modes are letters, whose scalars are
 * values, and whose statuses cublasGetError() returns. Each calls the function of the second interface with one handle
 * of the process.
 */
#include <complex.h>
#include "cublas/cublas.h"

int cublasCreate_v2(struct cublas_handle **to), cublasDestroy_v2(struct cublas_handle *h),
	cublasGetVersion_v2(struct cublas_handle *h, int *to),
	cublasSetStream_v2(struct cublas_handle *h, void *stream);
int cuMemAlloc_v2(uint64_t *to, size_t n), cuMemFree_v2(uint64_t addr);

static struct {
	struct cublas_handle *handle; /* NULL before cublasInit() */
	int status;                   /* status of the last function that failed */
} legacy;

static void record_legacy_status(int status)
{
	if (status)
		legacy.status = status;
}

/* ---- modes: letters to the numbers of the second interface; -1, which is invalid there, for another letter ---- */

static int number_of_letter(char letter, const char *letters)
{
	for (int i = 0; letters[i]; i++)
		if ((letter | 32) == letters[i])
			return i;
	return -1;
}

static int legacy_op(char letter) { return number_of_letter(letter, "ntc"); }
static int legacy_uplo(char letter) { return number_of_letter(letter, "lu"); }
static int legacy_side(char letter) { return number_of_letter(letter, "lr"); }
static int legacy_diag(char letter) { return number_of_letter(letter, "nu"); }

/* ---- the library, memory ---- */

API(int, cublasInit, void) { return legacy.handle ? CUBLAS_SUCCESS : cublasCreate_v2(&legacy.handle); }

API(int, cublasShutdown, void)
{
	int e = cublasDestroy_v2(legacy.handle);

	legacy.handle = NULL;
	return e;
}

API(int, cublasGetError, void)
{
	int status = legacy.status;

	legacy.status = CUBLAS_SUCCESS;
	return status;
}

API(int, cublasGetVersion, int *to) { return cublasGetVersion_v2(legacy.handle, to); }

API(int, cublasAlloc, int n, int bytes, void **to)
{
	uint64_t addr = 0;

	if (!legacy.handle)
		return CUBLAS_NOT_INITIALIZED;
	if (n <= 0 || bytes <= 0 || !to)
		return CUBLAS_INVALID_VALUE;
	if (cuMemAlloc_v2(&addr, (size_t)n * (size_t)bytes))
		return CUBLAS_ALLOC_FAILED;
	*to = (void *)(uintptr_t)addr;
	return CUBLAS_SUCCESS;
}

API(int, cublasFree, void *p)
{
	if (!legacy.handle)
		return CUBLAS_NOT_INITIALIZED;
	return p && cuMemFree_v2((uintptr_t)p) ? CUBLAS_INVALID_VALUE : CUBLAS_SUCCESS;
}

API(int, cublasSetKernelStream, void *stream) { return cublasSetStream_v2(legacy.handle, stream); }

/* ---- calls ---- */

#define LIST(...) __VA_ARGS__
/* Address of a scalar, for parameters that point to a real number or to the parts of a complex one. */
#define AT(scalar) ((const void *)&(scalar))

/*
 * Defines the function `name`, which has no handle and calls name##_v2. types: parameter types of name##_v2 after the
 * handle; params: parameters of `name`; both in parentheses. The arguments of the call follow.
 */
#define CALL(name, types, params, ...) \
	int name##_v2(struct cublas_handle *, LIST types); \
	API(void, name, LIST params) { record_legacy_status(name##_v2(legacy.handle, __VA_ARGS__)); }

/* Defines a function without a handle that returns a result of type `type`, whose parts have type R. */
#define RESULT(name, type, R, types, params, ...) \
	int name##_v2(struct cublas_handle *, LIST types, R *); \
	API(type, name, LIST params) \
	{ \
		type result = 0; \
		record_legacy_status(name##_v2(legacy.handle, __VA_ARGS__, (void *)&result)); \
		return result; \
	}

/* Defines functions of vectors. */
#define VECTORS(L, l, R, T) \
	CALL(cublas##L##scal, (int, const R *, R *, int), (int n, T alpha, R *x, int step), n, AT(alpha), x, \
		step) \
	CALL(cublas##L##axpy, (int, const R *, const R *, int, R *, int), \
		(int n, T alpha, const R *x, int step_x, R *y, int step_y), n, AT(alpha), x, step_x, y, \
		step_y) \
	CALL(cublas##L##copy, (int, const R *, int, R *, int), \
		(int n, const R *x, int step_x, R *y, int step_y), n, x, step_x, y, step_y) \
	CALL(cublas##L##swap, (int, R *, int, R *, int), (int n, R *x, int step_x, R *y, int step_y), n, x, \
		step_x, y, step_y) \
	RESULT(cublasI##l##amax, int, int, (int, const R *, int), (int n, const R *x, int step), n, x, step) \
	RESULT(cublasI##l##amin, int, int, (int, const R *, int), (int n, const R *x, int step), n, x, step)

/* Defines products and solutions of one vector with triangular matrices in each form. */
#define TRIANGULAR(L, R) \
	CALL(cublas##L##trmv, (int, int, int, int, const R *, int, R *, int), \
		(char uplo, char op, char diag, int n, const R *a, int pitch, R *x, int step), \
		legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), n, a, pitch, x, step) \
	CALL(cublas##L##trsv, (int, int, int, int, const R *, int, R *, int), \
		(char uplo, char op, char diag, int n, const R *a, int pitch, R *x, int step), \
		legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), n, a, pitch, x, step) \
	CALL(cublas##L##tbmv, (int, int, int, int, int, const R *, int, R *, int), \
		(char uplo, char op, char diag, int n, int k, const R *a, int pitch, R *x, int step), \
		legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), n, k, a, pitch, x, step) \
	CALL(cublas##L##tbsv, (int, int, int, int, int, const R *, int, R *, int), \
		(char uplo, char op, char diag, int n, int k, const R *a, int pitch, R *x, int step), \
		legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), n, k, a, pitch, x, step) \
	CALL(cublas##L##tpmv, (int, int, int, int, const R *, R *, int), \
		(char uplo, char op, char diag, int n, const R *a, R *x, int step), legacy_uplo(uplo), \
		legacy_op(op), legacy_diag(diag), n, a, x, step) \
	CALL(cublas##L##tpsv, (int, int, int, int, const R *, R *, int), \
		(char uplo, char op, char diag, int n, const R *a, R *x, int step), legacy_uplo(uplo), \
		legacy_op(op), legacy_diag(diag), n, a, x, step)

/* Defines solutions and products of triangular matrices. The result of trmm replaces b. */
#define TRIANGULAR_MATRICES(L, R, T) \
	CALL(cublas##L##trsm, (int, int, int, int, int, int, const R *, const R *, int, R *, int), \
		(char side, char uplo, char op, char diag, int m, int n, T alpha, const R *a, int pitch_a, \
			R *b, int pitch_b), \
		legacy_side(side), legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), m, n, AT(alpha), a, \
		pitch_a, b, pitch_b) \
	CALL(cublas##L##trmm, \
		(int, int, int, int, int, int, const R *, const R *, int, const R *, int, R *, int), \
		(char side, char uplo, char op, char diag, int m, int n, T alpha, const R *a, int pitch_a, \
			R *b, int pitch_b), \
		legacy_side(side), legacy_uplo(uplo), legacy_op(op), legacy_diag(diag), m, n, AT(alpha), a, \
		pitch_a, b, pitch_b, b, pitch_b)

/* Defines products of a full or banded matrix and a vector. */
#define MATRIX_VECTOR(L, R, T) \
	CALL(cublas##L##gemv, \
		(int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char op, int m, int n, T alpha, const R *a, int pitch, const R *x, int step_x, T beta, \
			R *y, int step_y), \
		legacy_op(op), m, n, AT(alpha), a, pitch, x, step_x, AT(beta), y, step_y) \
	CALL(cublas##L##gbmv, \
		(int, int, int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char op, int m, int n, int below, int above, T alpha, const R *a, int pitch, const R *x, \
			int step_x, T beta, R *y, int step_y), \
		legacy_op(op), m, n, below, above, AT(alpha), a, pitch, x, step_x, AT(beta), y, step_y)

/* Defines the product of matrices that are symmetric, or Hermitian. */
#define ONE_SIDED(name, R, T) \
	CALL(name, (int, int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char side, char uplo, int m, int n, T alpha, const R *a, int pitch_a, const R *b, \
			int pitch_b, T beta, R *c, int pitch_c), \
		legacy_side(side), legacy_uplo(uplo), m, n, AT(alpha), a, pitch_a, b, pitch_b, AT(beta), c, \
		pitch_c)

/* Defines updates by a matrix and by two matrices. A, B: types of their alpha; C: type of beta. */
#define UPDATES(name1, name2, R, A, B, C) \
	CALL(name1, (int, int, int, int, const R *, const R *, int, const R *, R *, int), \
		(char uplo, char op, int n, int k, A alpha, const R *a, int pitch_a, C beta, R *c, \
			int pitch_c), \
		legacy_uplo(uplo), legacy_op(op), n, k, AT(alpha), a, pitch_a, AT(beta), c, pitch_c) \
	CALL(name2, (int, int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char uplo, char op, int n, int k, B alpha, const R *a, int pitch_a, const R *b, \
			int pitch_b, C beta, R *c, int pitch_c), \
		legacy_uplo(uplo), legacy_op(op), n, k, AT(alpha), a, pitch_a, b, pitch_b, AT(beta), c, \
		pitch_c)

/* Defines products and updates of matrices. */
#define MATRICES(L, R, T) \
	CALL(cublas##L##gemm, \
		(int, int, int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char op_a, char op_b, int m, int n, int k, T alpha, const R *a, int pitch_a, const R *b, \
			int pitch_b, T beta, R *c, int pitch_c), \
		legacy_op(op_a), legacy_op(op_b), m, n, k, AT(alpha), a, pitch_a, b, pitch_b, AT(beta), c, \
		pitch_c) \
	ONE_SIDED(cublas##L##symm, R, T) \
	UPDATES(cublas##L##syrk, cublas##L##syr2k, R, T, T, T)

/* Defines the functions that all precisions have. R: type of a part of a number; T: type of a number. */
#define ALL(L, l, R, T) \
	VECTORS(L, l, R, T) \
	TRIANGULAR(L, R) \
	TRIANGULAR_MATRICES(L, R, T) \
	MATRIX_VECTOR(L, R, T) \
	MATRICES(L, R, T)
ALL(S, s, float, float)
ALL(D, d, double, double)
ALL(C, c, float, float complex)
ALL(Z, z, double, double complex)

/* Defines an outer product of two vectors. */
#define OUTER(name, R, T) \
	CALL(name, (int, int, const R *, const R *, int, const R *, int, R *, int), \
		(int m, int n, T alpha, const R *x, int step_x, const R *y, int step_y, R *a, int pitch), m, \
		n, AT(alpha), x, step_x, y, step_y, a, pitch)

/*
 * Defines products and updates of symmetric or Hermitian matrices. full, band, packed: beginnings of the names; T1:
 * type of alpha in updates by one vector.
 */
#define SHAPES(full, band, packed, R, T, T1) \
	CALL(full##mv, (int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char uplo, int n, T alpha, const R *a, int pitch, const R *x, int step_x, T beta, R *y, \
			int step_y), \
		legacy_uplo(uplo), n, AT(alpha), a, pitch, x, step_x, AT(beta), y, step_y) \
	CALL(band##mv, (int, int, int, const R *, const R *, int, const R *, int, const R *, R *, int), \
		(char uplo, int n, int k, T alpha, const R *a, int pitch, const R *x, int step_x, T beta, \
			R *y, int step_y), \
		legacy_uplo(uplo), n, k, AT(alpha), a, pitch, x, step_x, AT(beta), y, step_y) \
	CALL(packed##mv, (int, int, const R *, const R *, const R *, int, const R *, R *, int), \
		(char uplo, int n, T alpha, const R *a, const R *x, int step_x, T beta, R *y, int step_y), \
		legacy_uplo(uplo), n, AT(alpha), a, x, step_x, AT(beta), y, step_y) \
	CALL(packed##r, (int, int, const R *, const R *, int, R *), \
		(char uplo, int n, T1 alpha, const R *x, int step, R *a), legacy_uplo(uplo), n, AT(alpha), \
		x, step, a) \
	CALL(packed##r2, (int, int, const R *, const R *, int, const R *, int, R *), \
		(char uplo, int n, T alpha, const R *x, int step_x, const R *y, int step_y, R *a), \
		legacy_uplo(uplo), n, AT(alpha), x, step_x, y, step_y, a)

/* Defines updates of symmetric or Hermitian matrices by one vector, with an alpha of type T1, and by two. */
#define VECTOR_UPDATES(name, R, T, T1) \
	CALL(name, (int, int, const R *, const R *, int, R *, int), \
		(char uplo, int n, T1 alpha, const R *x, int step, R *a, int pitch), legacy_uplo(uplo), n, \
		AT(alpha), x, step, a, pitch) \
	CALL(name##2, (int, int, const R *, const R *, int, const R *, int, R *, int), \
		(char uplo, int n, T alpha, const R *x, int step_x, const R *y, int step_y, R *a, \
			int pitch), \
		legacy_uplo(uplo), n, AT(alpha), x, step_x, y, step_y, a, pitch)

/* Defines a rotation with a cosine of type R and a sine of type T. */
#define ROTATION(name, R, T) \
	CALL(name, (int, R *, int, R *, int, const R *, const R *), \
		(int n, R *x, int step_x, R *y, int step_y, R cosine, T sine), n, x, step_x, y, step_y, \
		&cosine, AT(sine))

/* Defines a result of one vector, and one of two vectors. */
#define NORM(name, R) RESULT(name, R, R, (int, const R *, int), (int n, const R *x, int step), n, x, step)
#define DOT(name, R, T) \
	RESULT(name, T, R, (int, const R *, int, const R *, int), \
		(int n, const R *x, int step_x, const R *y, int step_y), n, x, step_x, y, step_y)

/* Defines the functions of a real precision. */
#define REAL(L, R) \
	DOT(cublas##L##dot, R, R) \
	NORM(cublas##L##nrm2, R) \
	NORM(cublas##L##asum, R) \
	OUTER(cublas##L##ger, R, R) \
	SHAPES(cublas##L##sy, cublas##L##sb, cublas##L##sp, R, R, R) \
	VECTOR_UPDATES(cublas##L##syr, R, R, R) \
	ROTATION(cublas##L##rot, R, R) \
	CALL(cublas##L##rotg, (R *, R *, R *, R *), (R * a, R * b, R * cosine, R * sine), a, b, cosine, \
		sine) \
	CALL(cublas##L##rotm, (int, R *, int, R *, int, const R *), \
		(int n, R *x, int step_x, R *y, int step_y, const R *p), n, x, step_x, y, step_y, p) \
	CALL(cublas##L##rotmg, (R *, R *, R *, const R *, R *), (R * d1, R * d2, R * x, const R *y, R *p), \
		d1, d2, x, y, p)
REAL(S, float)
REAL(D, double)

/*
 * Defines the functions of a complex precision. r: letter of the real precision; P: beginning of the names of functions
 * with real results.
 */
#define COMPLEX(L, r, P, R, T) \
	DOT(cublas##L##dotu, R, T) \
	DOT(cublas##L##dotc, R, T) \
	NORM(cublas##P##nrm2, R) \
	NORM(cublas##P##asum, R) \
	CALL(cublas##L##r##scal, (int, const R *, R *, int), (int n, R alpha, R *x, int step), n, &alpha, x, \
		step) \
	OUTER(cublas##L##geru, R, T) \
	OUTER(cublas##L##gerc, R, T) \
	SHAPES(cublas##L##he, cublas##L##hb, cublas##L##hp, R, T, R) \
	VECTOR_UPDATES(cublas##L##her, R, T, R) \
	ONE_SIDED(cublas##L##hemm, R, T) \
	UPDATES(cublas##L##herk, cublas##L##her2k, R, R, T, R) \
	ROTATION(cublas##L##rot, R, T) \
	ROTATION(cublas##L##r##rot, R, R) \
	CALL(cublas##L##rotg, (R *, const R *, R *, R *), (R * a, T b, R * cosine, R * sine), a, AT(b), \
		cosine, sine)
COMPLEX(C, s, Sc, float, float complex)
COMPLEX(Z, d, Dz, double, double complex)
