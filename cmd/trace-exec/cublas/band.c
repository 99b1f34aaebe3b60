/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of banded and packed matrices (band.h).
 *
 * A banded matrix is stored column by column: element (i, j) of a general one is at row above + i - j of column j. In a
 * view, its next element in a row is therefore one pitch minus one further on. A packed triangle is unpacked into
 * memory of its own, and packed again after an update; the memory is freed after the kernels.
 */
#include "cublas/views.h"

static bool is_fill(int uplo) { return uplo == FILL_LOWER || uplo == FILL_UPPER; }

/* Returns the view of op(a), of a band with `above` diagonals above the main one. */
static struct cublas_view band_view(const void *a, int type, int op, int64_t pitch, int64_t above)
{
	return matrix_view((const char *)a + (uint64_t)above * cublas_type_bytes(type), op, pitch - 1);
}

static int run_gbmv(struct cublas_handle *h, int type, int op, int64_t m, int64_t n, int64_t below,
	int64_t above, const void *alpha, const void *a, int64_t pitch, const void *x, int64_t step_x,
	const void *beta, void *y, int64_t step_y)
{
	bool straight = op == OP_NONE;
	int64_t rows = straight ? m : n, columns = straight ? n : m;
	struct cublas_general g = {.m = rows,
		.n = 1,
		.k = columns,
		.batches = 1,
		.alpha = alpha,
		.beta = beta,
		.type = type,
		.band = true,
		.below = straight ? below : above,
		.above = straight ? above : below};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !beta || !step_x || !step_y || m < 0 || n < 0 || below < 0 || above < 0 ||
		op < OP_NONE || op > OP_CONJUGATE_TRANSPOSE || pitch < below + above + 1)
		return CUBLAS_INVALID_VALUE;
	g.a = band_view(a, type, op, pitch, above);
	g.b = vector_view(x, type, columns, step_x);
	g.c = g.d = vector_view(y, type, rows, step_y);
	return cublas_general_run(h, &g);
}

/*
 * Computes y = alpha a x + beta y. The matrix a is symmetric or Hermitian and has k diagonals on each side of the main
 * one.
 */
static int run_sbmv(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	int64_t k, const void *alpha, const void *a, int64_t pitch, const void *x, int64_t step_x,
	const void *beta, void *y, int64_t step_y)
{
	struct cublas_general g = {.m = n,
		.n = 1,
		.k = n,
		.batches = 1,
		.alpha = alpha,
		.beta = beta,
		.type = type,
		.band = true,
		.below = k,
		.above = k};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !beta || !step_x || !step_y || n < 0 || k < 0 || !is_fill(uplo) || pitch < k + 1)
		return CUBLAS_INVALID_VALUE;
	g.a = band_view(a, type, OP_NONE, pitch, uplo == FILL_UPPER ? k : 0);
	g.a.shape = shape;
	g.a.upper = uplo == FILL_UPPER;
	g.b = vector_view(x, type, n, step_x);
	g.c = g.d = vector_view(y, type, n, step_y);
	return cublas_general_run(h, &g);
}

static struct cublas_view triangular_band_view(
	const void *a, int type, int64_t pitch, int uplo, int op, int diag, int64_t k)
{
	struct cublas_view band = band_view(a, type, op, pitch, uplo == FILL_UPPER ? k : 0),
			   v = triangular_view(a, pitch, uplo, op, diag);

	v.base = band.base;
	v.row = band.row;
	v.column = band.column;
	return v;
}

static int run_tbmv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, int64_t k,
	const void *a, int64_t pitch, void *x, int64_t step)
{
	struct cublas_general g = {.m = n,
		.n = 1,
		.k = n,
		.batches = 1,
		.type = type,
		.no_beta = true,
		.band = true,
		.below = k,
		.above = k};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (n < 0 || k < 0 || !step || !are_triangular_modes(uplo, op, diag) || pitch < k + 1)
		return CUBLAS_INVALID_VALUE;
	g.a = triangular_band_view(a, type, pitch, uplo, op, diag, k);
	g.b = g.c = g.d = vector_view(x, type, n, step);
	return cublas_run_in_place(h, &g);
}

static int run_tbsv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, int64_t k,
	const void *a, int64_t pitch, void *x, int64_t step)
{
	struct cublas_triangular t = {
		.n = n, .columns = 1, .batches = 1, .type = type, .band = true, .diagonals = k};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (n < 0 || k < 0 || !step || !are_triangular_modes(uplo, op, diag) || pitch < k + 1)
		return CUBLAS_INVALID_VALUE;
	t.a = triangular_band_view(a, type, pitch, uplo, op, diag, k);
	t.b = vector_view(x, type, n, step);
	return cublas_triangular_solve(h, &t);
}

/* ---- packed triangles ---- */

/* Copies the triangle of an n by n matrix from or to its packed form. */
static int copy_triangle(struct cublas_handle *h, int type, int uplo, int64_t n, const void *packed,
	const void *full, int64_t pitch, bool pack)
{
	struct cublas_view from = {.base = (uintptr_t)packed}, to = matrix_view(full, OP_NONE, pitch);
	struct cublas_general g = {.m = n,
		.n = n,
		.batches = 1,
		.type = type,
		.triangle = triangle_of(uplo),
		.c = pack ? to : from,
		.d = pack ? from : to,
		.packed_c = !pack,
		.packed_d = pack,
		.copy = true};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	return n < 0 || !is_fill(uplo) || is_short_pitch(pitch, n) ? CUBLAS_INVALID_VALUE
								   : cublas_general_run(h, &g);
}

/* A packed triangle, and the memory into which it is unpacked. */
struct unpacked {
	struct cublas_handle *h;
	int type, uplo;
	int64_t n;
	const void *packed;
	void *full;
	int64_t pitch;
};

static int begin_unpacked(struct unpacked *u)
{
	u->pitch = u->n > 1 ? u->n : 1;
	u->full = NULL;
	if (!u->h)
		return CUBLAS_NOT_INITIALIZED;
	if (u->n < 0 || u->n > 65535 * 16 || !is_fill(u->uplo))
		return CUBLAS_INVALID_VALUE;
	if (cudaMalloc(&u->full, (size_t)u->pitch * (size_t)u->pitch * cublas_type_bytes(u->type)))
		return CUBLAS_ALLOC_FAILED;
	return copy_triangle(u->h, u->type, u->uplo, u->n, u->packed, u->full, u->pitch, false);
}

/* Frees the memory. If there is no error, and the triangle was changed, packs it first. */
static int end_unpacked(const struct unpacked *u, int e, bool changed)
{
	if (!e && changed)
		e = copy_triangle(u->h, u->type, u->uplo, u->n, u->packed, u->full, u->pitch, true);
	return u->full && cudaFree(u->full) && !e ? CUBLAS_EXECUTION_FAILED : e;
}

static int run_spmv(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *a, const void *x, int64_t step_x, const void *beta, void *y,
	int64_t step_y)
{
	struct unpacked u = {h, type, uplo, n, a, NULL, 0};
	int e = begin_unpacked(&u);

	if (!e)
		e = cublas_symv(h, type, shape, uplo, n, alpha, u.full, u.pitch, x, step_x, beta, y, step_y);
	return end_unpacked(&u, e, false);
}

static int run_spr(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *x, int64_t step_x, const void *y, int64_t step_y, void *a,
	enum rank_update rank)
{
	struct unpacked u = {h, type, uplo, n, a, NULL, 0};
	int e = begin_unpacked(&u);

	if (!e)
		e = cublas_syr(h, type, shape, uplo, n, alpha, x, step_x, y, step_y, u.full, u.pitch, rank);
	return end_unpacked(&u, e, true);
}

static int run_tpmv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, const void *a,
	void *x, int64_t step, bool solve)
{
	struct unpacked u = {h, type, uplo, n, a, NULL, 0};
	int e = begin_unpacked(&u);

	if (!e)
		e = solve ? cublas_trsv(h, type, uplo, op, diag, n, u.full, u.pitch, x, step)
			  : cublas_trmv(h, type, uplo, op, diag, n, u.full, u.pitch, x, step);
	return end_unpacked(&u, e, false);
}

#define COPIES(L, type, code) \
	API(int, cublas##L##tpttr, struct cublas_handle *h, int uplo, int n, const type *packed, type *a, \
		int pitch) \
	{ \
		return copy_triangle(h, code, uplo, n, packed, a, pitch, false); \
	} \
	API(int, cublas##L##trttp, struct cublas_handle *h, int uplo, int n, const type *a, int pitch, \
		type *packed) \
	{ \
		return copy_triangle(h, code, uplo, n, packed, a, pitch, true); \
	}
COPIES(S, float, TYPE_F32)
COPIES(D, double, TYPE_F64)
COPIES(C, float, TYPE_C32)
COPIES(Z, double, TYPE_C64)
#undef COPIES

#define INT        int
#define NAME(name) name
#include "cublas/band.h"
#undef INT
#undef NAME
#define INT        int64_t
#define NAME(name) name##_64
#include "cublas/band.h"
