/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of general products, triangular solutions and vectors (blas.h), with lengths of 32 and 64 bits. Matrices
 * are stored column by column.
 */
#include "cublas/views.h"

/* Arguments of a function with matrices a, b and c of m by n elements. */
struct blas {
	struct cublas_handle *h;
	int type;
	enum cublas_shape shape;
	int side, uplo, op, diag;
	int64_t m, n, k;
	const void *alpha, *a, *b, *beta;
	void *c;
	int64_t pitch_a, pitch_b, pitch_c;
};

/* ---- sums and diagonal products ---- */

static int run_geam(struct cublas_handle *h, int type, int op_a, int op_b, int64_t m, int64_t n,
	const void *alpha, const void *a, int64_t pitch_a, const void *beta, const void *b, int64_t pitch_b,
	void *c, int64_t pitch_c)
{
	struct cublas_general g = {
		.m = m, .n = n, .k = 1, .batches = 1, .alpha = alpha, .beta = beta, .type = type};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !beta || op_a < OP_NONE || op_a > OP_CONJUGATE || op_b < OP_NONE ||
		op_b > OP_CONJUGATE || is_short_pitch(pitch_a, op_a == OP_NONE ? m : n) ||
		is_short_pitch(pitch_b, op_b == OP_NONE ? m : n) || is_short_pitch(pitch_c, m) ||
		(a == c && op_a) || (b == c && op_b))
		return CUBLAS_INVALID_VALUE;
	g.a = matrix_view(a, op_a, pitch_a);
	g.a.other = g.a.column; /* the column of the result takes the place of the inner dimension */
	g.c = matrix_view(b, op_b, pitch_b);
	g.d = matrix_view(c, OP_NONE, pitch_c);
	g.b_is_one = true;
	return cublas_general_run(h, &g);
}

static int run_dgmm(struct cublas_handle *h, int type, int side, int64_t m, int64_t n, const void *a,
	int64_t pitch_a, const void *x, int64_t step, void *c, int64_t pitch_c)
{
	struct cublas_general g = {.m = m, .n = n, .k = 1, .batches = 1, .type = type, .no_beta = true};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if ((side != SIDE_LEFT && side != SIDE_RIGHT) || is_short_pitch(pitch_a, m) ||
		is_short_pitch(pitch_c, m))
		return CUBLAS_INVALID_VALUE;
	g.a = matrix_view(a, OP_NONE, pitch_a);
	g.a.other = pitch_a;
	g.b = vector_view(x, type, side == SIDE_LEFT ? m : n, step);
	if (side == SIDE_LEFT)
		g.b.other = step;
	else
		g.b.column = step;
	g.b.row = 0;
	g.c = g.d = matrix_view(c, OP_NONE, pitch_c);
	return cublas_general_run(h, &g);
}

/* ---- products ---- */

static int run_symm(const struct blas *x)
{
	int64_t order = x->side == SIDE_LEFT ? x->m : x->n;
	struct cublas_general g = {.m = x->m,
		.n = x->n,
		.k = order,
		.batches = 1,
		.alpha = x->alpha,
		.beta = x->beta,
		.type = x->type};
	struct cublas_view a = matrix_view(x->a, OP_NONE, x->pitch_a);

	if (!x->h)
		return CUBLAS_NOT_INITIALIZED;
	if (!x->alpha || !x->beta || (x->side != SIDE_LEFT && x->side != SIDE_RIGHT) ||
		(x->uplo != FILL_LOWER && x->uplo != FILL_UPPER) || is_short_pitch(x->pitch_a, order) ||
		is_short_pitch(x->pitch_b, x->m) || is_short_pitch(x->pitch_c, x->m))
		return CUBLAS_INVALID_VALUE;
	a.shape = x->shape;
	a.upper = x->uplo == FILL_UPPER;
	g.a = x->side == SIDE_LEFT ? a : matrix_view(x->b, OP_NONE, x->pitch_b);
	g.b = x->side == SIDE_LEFT ? matrix_view(x->b, OP_NONE, x->pitch_b) : a;
	g.c = g.d = matrix_view(x->c, OP_NONE, x->pitch_c);
	return cublas_general_run(x->h, &g);
}

/* Updates a triangle of c. A Hermitian update has a real beta, and that with one matrix a real alpha. */
static int run_syrk(const struct blas *x, enum rank_update rank)
{
	bool hermitian = x->shape == SHAPE_HERMITIAN, complex = cublas_is_complex(x->type),
	     last = rank != RANK_2;
	int other = hermitian ? OP_CONJUGATE_TRANSPOSE : OP_TRANSPOSE,
	    back = x->op == OP_NONE ? other : OP_NONE;
	int64_t rows = x->op == OP_NONE ? x->n : x->k;
	struct cublas_general g = {.m = x->n,
		.n = x->n,
		.k = x->k,
		.batches = 1,
		.alpha = x->alpha,
		.beta = x->beta,
		.type = x->type,
		.real_alpha = hermitian && rank == RANK_1,
		.real_beta = hermitian,
		.real_diagonal = hermitian && last,
		.triangle = triangle_of(x->uplo)};
	int e;

	if (!x->h)
		return CUBLAS_NOT_INITIALIZED;
	if (!x->alpha || !x->beta || (x->uplo != FILL_LOWER && x->uplo != FILL_UPPER) ||
		(x->op != OP_NONE && x->op != other && (complex || x->op != OP_CONJUGATE_TRANSPOSE)) ||
		is_short_pitch(x->pitch_a, rows) || is_short_pitch(x->pitch_b, rows) ||
		is_short_pitch(x->pitch_c, x->n))
		return CUBLAS_INVALID_VALUE;
	g.a = matrix_view(x->a, x->op, x->pitch_a);
	g.b = matrix_view(x->b, back, x->pitch_b);
	g.c = g.d = matrix_view(x->c, OP_NONE, x->pitch_c);
	e = cublas_general_run(x->h, &g);
	if (e || last)
		return e;
	g.a = matrix_view(x->b, x->op, x->pitch_b);
	g.b = matrix_view(x->a, back, x->pitch_a);
	g.beta = NULL;
	g.conjugate_alpha = g.real_diagonal = hermitian;
	return cublas_general_run(x->h, &g);
}

int cublas_symv(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *a, int64_t pitch, const void *x, int64_t step_x, const void *beta,
	void *y, int64_t step_y)
{
	struct cublas_general g = {
		.m = n, .n = 1, .k = n, .batches = 1, .alpha = alpha, .beta = beta, .type = type};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !beta || !step_x || !step_y || (uplo != FILL_LOWER && uplo != FILL_UPPER) ||
		is_short_pitch(pitch, n))
		return CUBLAS_INVALID_VALUE;
	g.a = matrix_view(a, OP_NONE, pitch);
	g.a.shape = shape;
	g.a.upper = uplo == FILL_UPPER;
	g.b = vector_view(x, type, n, step_x);
	g.c = g.d = vector_view(y, type, n, step_y);
	return cublas_general_run(h, &g);
}

int cublas_syr(struct cublas_handle *h, int type, enum cublas_shape shape, int uplo, int64_t n,
	const void *alpha, const void *x, int64_t step_x, const void *y, int64_t step_y, void *a,
	int64_t pitch, enum rank_update rank)
{
	bool hermitian = shape == SHAPE_HERMITIAN;
	struct cublas_general g = {.m = n,
		.n = n,
		.k = 1,
		.batches = 1,
		.alpha = alpha,
		.type = type,
		.real_alpha = hermitian && rank == RANK_1,
		.real_diagonal = hermitian && rank == RANK_1,
		.triangle = triangle_of(uplo)};
	int e;

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !step_x || !step_y || (uplo != FILL_LOWER && uplo != FILL_UPPER) ||
		is_short_pitch(pitch, n))
		return CUBLAS_INVALID_VALUE;
	g.a = vector_view(x, type, n, step_x);
	g.b = transposed_view(vector_view(y, type, n, step_y));
	g.b.conjugate = hermitian;
	g.c = g.d = matrix_view(a, OP_NONE, pitch);
	e = cublas_general_run(h, &g);
	if (e || rank != RANK_2)
		return e;
	g.a = vector_view(y, type, n, step_y);
	g.b = transposed_view(vector_view(x, type, n, step_x));
	g.b.conjugate = g.conjugate_alpha = g.real_diagonal = hermitian;
	return cublas_general_run(h, &g);
}

static int run_complex_ger(struct cublas_handle *h, int type, int64_t m, int64_t n, const void *alpha,
	const void *x, int64_t step_x, const void *y, int64_t step_y, void *a, int64_t pitch, bool conjugate)
{
	struct cublas_general g = {.m = m, .n = n, .k = 1, .batches = 1, .alpha = alpha, .type = type};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!alpha || !step_x || !step_y || is_short_pitch(pitch, m))
		return CUBLAS_INVALID_VALUE;
	g.a = vector_view(x, type, m, step_x);
	g.b = transposed_view(vector_view(y, type, n, step_y));
	g.b.conjugate = conjugate;
	g.c = g.d = matrix_view(a, OP_NONE, pitch);
	return cublas_general_run(h, &g);
}

/* ---- triangular matrices ---- */

int cublas_run_in_place(struct cublas_handle *h, struct cublas_general *g)
{
	struct cublas_general copy = {.m = g->m,
		.n = g->n,
		.k = 1,
		.batches = 1,
		.type = g->type,
		.b_is_one = true,
		.no_beta = true};
	void *p;
	int e;

	if (g->m <= 0 || g->n <= 0)
		return cublas_general_run(h, g);
	if (cudaMalloc(&p, (size_t)g->m * (size_t)g->n * cublas_type_bytes(g->type)))
		return CUBLAS_ALLOC_FAILED;
	copy.a = matrix_view(p, OP_NONE, g->m);
	copy.a.other = g->m;
	copy.c = copy.d = g->d;
	g->c = g->d = matrix_view(p, OP_NONE, g->m);
	e = cublas_general_run(h, g);
	if (!e)
		e = cublas_general_run(h, &copy);
	return cudaFree(p) && !e ? CUBLAS_EXECUTION_FAILED : e;
}

static int run_trmm(const struct blas *x)
{
	int64_t order = x->side == SIDE_LEFT ? x->m : x->n;
	struct cublas_general g = {.m = x->m,
		.n = x->n,
		.k = order,
		.batches = 1,
		.alpha = x->alpha,
		.type = x->type,
		.no_beta = true};
	struct cublas_view a = triangular_view(x->a, x->pitch_a, x->uplo, x->op, x->diag),
			   b = matrix_view(x->b, OP_NONE, x->pitch_b);

	if (!x->h)
		return CUBLAS_NOT_INITIALIZED;
	if (!x->alpha || (x->side != SIDE_LEFT && x->side != SIDE_RIGHT) ||
		!are_triangular_modes(x->uplo, x->op, x->diag) || x->m < 0 || x->n < 0 ||
		is_short_pitch(x->pitch_a, order) || is_short_pitch(x->pitch_b, x->m) ||
		is_short_pitch(x->pitch_c, x->m) || (x->b == x->c && x->pitch_b != x->pitch_c))
		return CUBLAS_INVALID_VALUE;
	g.a = x->side == SIDE_LEFT ? a : b;
	g.b = x->side == SIDE_LEFT ? b : a;
	g.c = g.d = matrix_view(x->c, OP_NONE, x->pitch_c);
	return x->b == x->c ? cublas_run_in_place(x->h, &g) : cublas_general_run(x->h, &g);
}

/* Solves op(A) X = alpha B, or X op(A) = alpha B as the transposed system. */
static int run_trsm(const struct blas *x, int64_t batches, bool pointers)
{
	int64_t order = x->side == SIDE_LEFT ? x->m : x->n;
	struct cublas_triangular t = {.n = order,
		.columns = x->side == SIDE_LEFT ? x->n : x->m,
		.batches = batches,
		.alpha = x->alpha,
		.type = x->type,
		.pointers = pointers};

	if (!x->h)
		return CUBLAS_NOT_INITIALIZED;
	if (!x->alpha || (x->side != SIDE_LEFT && x->side != SIDE_RIGHT) ||
		!are_triangular_modes(x->uplo, x->op, x->diag) || x->m < 0 || x->n < 0 || batches < 0 ||
		is_short_pitch(x->pitch_a, order) || is_short_pitch(x->pitch_b, x->m))
		return CUBLAS_INVALID_VALUE;
	t.a = triangular_view(x->a, x->pitch_a, x->uplo, x->op, x->diag);
	t.b = matrix_view(x->b, OP_NONE, x->pitch_b);
	if (x->side == SIDE_RIGHT) {
		t.a = transposed_view(t.a);
		t.a.upper = !t.a.upper;
		t.b = transposed_view(t.b);
	}
	return cublas_triangular_solve(x->h, &t);
}

int cublas_trsv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, const void *a,
	int64_t pitch, void *x, int64_t step)
{
	struct cublas_triangular t = {.n = n, .columns = 1, .batches = 1, .type = type};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (n < 0 || !step || !are_triangular_modes(uplo, op, diag) || is_short_pitch(pitch, n))
		return CUBLAS_INVALID_VALUE;
	t.a = triangular_view(a, pitch, uplo, op, diag);
	t.b = vector_view(x, type, n, step);
	return cublas_triangular_solve(h, &t);
}

int cublas_trmv(struct cublas_handle *h, int type, int uplo, int op, int diag, int64_t n, const void *a,
	int64_t pitch, void *x, int64_t step)
{
	struct cublas_general g = {.m = n, .n = 1, .k = n, .batches = 1, .type = type, .no_beta = true};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (n < 0 || !step || !are_triangular_modes(uplo, op, diag) || is_short_pitch(pitch, n))
		return CUBLAS_INVALID_VALUE;
	g.a = triangular_view(a, pitch, uplo, op, diag);
	g.b = g.c = g.d = vector_view(x, type, n, step);
	return cublas_run_in_place(h, &g);
}

/* ---- vectors ---- */

/* Computes y = alpha * x + y, or y = alpha * x. A NULL alpha means 1. */
static int run_complex_add(struct cublas_handle *h, int type, int64_t n, const void *alpha, bool real_alpha,
	const void *x, int64_t step_x, void *y, int64_t step_y, bool add)
{
	struct cublas_general g = {.m = n > 0 ? n : 0,
		.n = 1,
		.k = 1,
		.batches = 1,
		.alpha = alpha,
		.type = type,
		.real_alpha = real_alpha,
		.no_beta = !add,
		.b_is_one = true};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	g.a = vector_view(x, type, n, step_x);
	g.c = g.d = vector_view(y, type, n, step_y);
	return cublas_general_run(h, &g);
}

static int run_complex_dot(struct cublas_handle *h, int type, int64_t n, const void *x, int64_t step_x,
	const void *y, int64_t step_y, void *result, bool conjugate)
{
	struct cublas_general g = {
		.m = 1, .n = 1, .k = n > 0 ? n : 0, .batches = 1, .type = type, .no_beta = true};
	uint64_t at;
	int e;

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	e = cublas_result_begin(h, result, &at);
	if (e)
		return e;
	g.a = transposed_view(vector_view(x, type, n, step_x));
	g.a.conjugate = conjugate;
	g.b = vector_view(y, type, n, step_y);
	g.c = g.d = (struct cublas_view){.base = at};
	return cublas_result_end(h, cublas_general_run(h, &g), result, cublas_type_bytes(type));
}

/* Sums the parts of a dense complex vector as a real vector of twice the length. */
static int run_complex_norm(struct cublas_handle *h, int type, int64_t n, const void *x, int64_t step,
	void *result, enum cublas_sum what)
{
	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (n > 1 && step > 1)
		return cublas_unsupported("cublas sum of a complex vector", "a step");
	return cublas_sum(h, what, step > 0 ? 2 * n : 0, type, (uintptr_t)x, 1, 0, 0, result);
}

/*
 * Swaps two vectors, or rotates them by h[]. A complex vector is rotated as one of its real and one of imaginary parts.
 */
static int run_rotation(struct cublas_handle *h, int type, int64_t n, void *x, int64_t step_x, void *y,
	int64_t step_y, const double by[4])
{
	unsigned parts = cublas_is_complex(type) ? 2 : 1;
	int real = cublas_is_double(type) ? TYPE_F64 : TYPE_F32, e = 0;
	size_t bytes = cublas_type_bytes(real);
	struct cublas_rotation r = {
		.n = n, .step_x = step_x * parts, .step_y = step_y * parts, .type = real, .swap = !by};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	for (unsigned i = 0; by && i < 4; i++)
		r.h[i] = by[i];
	for (unsigned i = 0; !e && i < parts; i++) {
		r.x = vector_view(x, type, n, step_x).base + i * bytes;
		r.y = vector_view(y, type, n, step_y).base + i * bytes;
		e = cublas_rotate(h, &r);
	}
	return e;
}

static double scalar_value(const void *p, bool two, unsigned i)
{
	return two ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

/* Sets angle[] to the cosine and the real part of the sine, doubles if `two`, else floats. Returns a status. */
static int read_angle(const struct cublas_handle *h, bool two, const void *c, const void *s, double angle[2])
{
	if (!h || !c || !s)
		return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED;
	if (h->scalars_on_device)
		return cublas_unsupported("cublas rotation", "scalars on the device");
	angle[0] = scalar_value(c, two, 0);
	angle[1] = scalar_value(s, two, 0);
	return CUBLAS_SUCCESS;
}

/* Rotates by a cosine and a sine of type `real`. */
static int run_rot(struct cublas_handle *h, int type, int real, int64_t n, void *x, int64_t step_x, void *y,
	int64_t step_y, const void *c, const void *s)
{
	double angle[2] = {0};
	int e = read_angle(h, real == TYPE_F64, c, s, angle);

	return e ? e
		 : run_rotation(h, type, n, x, step_x, y, step_y,
			   (double[]){angle[0], angle[1], -angle[1], angle[0]});
}

/* Rotates complex vectors by a real cosine and a complex sine. */
static int run_complex_rot(struct cublas_handle *h, int type, int64_t n, void *x, int64_t step_x, void *y,
	int64_t step_y, const void *c, const void *s)
{
	bool two = type == TYPE_C64;
	double angle[2] = {0};
	int e = read_angle(h, two, c, s, angle);

	if (e)
		return e;
	return cublas_rotate(h, &(struct cublas_rotation){.n = n,
					.x = vector_view(x, type, n, step_x).base,
					.y = vector_view(y, type, n, step_y).base,
					.step_x = step_x,
					.step_y = step_y,
					.h = {angle[0], angle[1], -angle[1], angle[0]},
					.imaginary = scalar_value(s, two, 1),
					.type = type});
}

/* Rotates by a matrix. p has a flag and the elements h11, h21, h12 and h22; some elements follow from the flag. */
static int run_rotm(struct cublas_handle *h, int type, int64_t n, void *x, int64_t step_x, void *y,
	int64_t step_y, const void *p)
{
	bool two = type == TYPE_F64;

	if (!h || !p)
		return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED;
	if (h->scalars_on_device)
		return cublas_unsupported("cublas rotation", "scalars on the device");
	double flag = scalar_value(p, two, 0), by[4] = {scalar_value(p, two, 1), scalar_value(p, two, 3),
						       scalar_value(p, two, 2), scalar_value(p, two, 4)};

	if (flag == -2)
		return CUBLAS_SUCCESS;
	if (flag == 0)
		by[0] = by[3] = 1;
	if (flag == 1)
		by[1] = 1, by[2] = -1;
	return run_rotation(h, type, n, x, step_x, y, step_y, by);
}

/* ---- vectors whose types are arguments ---- */

/*
 * Tests whether a function of vectors is executed for the types: alpha has the type of the computation, which is
 * TYPE_F32 for vectors of half precision and else the type of the vectors.
 */
static bool are_vector_types(int alpha, int x, int y, int compute)
{
	bool half = x == TYPE_F16 || x == TYPE_BF16;

	return (half || x == TYPE_F32 || x == TYPE_F64 || cublas_is_complex(x)) && x == y &&
	       compute == (half ? TYPE_F32 : x) && alpha == compute;
}

/* Computes y = alpha * x + y, or y = alpha * x, for vectors of any type. A NULL alpha means 1. */
static int run_typed_add(struct cublas_handle *h, int type, int64_t n, const void *alpha, const void *x,
	int64_t step_x, void *y, int64_t step_y, bool add)
{
	return !h ? CUBLAS_NOT_INITIALIZED
	       : cublas_is_complex(type)
		       ? run_complex_add(h, type, n, alpha, false, x, step_x, y, step_y, add)
		       : cublas_add(h, n, alpha, type, (uintptr_t)x, step_x, (uintptr_t)y, step_y, add);
}

static int run_typed_dot(struct cublas_handle *h, int type, int64_t n, const void *x, int64_t step_x,
	const void *y, int64_t step_y, void *result, bool conjugate)
{
	return !h ? CUBLAS_NOT_INITIALIZED
	       : cublas_is_complex(type)
		       ? run_complex_dot(h, type, n, x, step_x, y, step_y, result, conjugate)
		       : cublas_sum(h, SUM_PRODUCTS, n, type, (uintptr_t)x, step_x, (uintptr_t)y, step_y,
				 result);
}

/* Sums the magnitudes or squares of a vector of any type. The sum is real. */
static int run_typed_norm(struct cublas_handle *h, int type, int64_t n, const void *x, int64_t step,
	void *result, enum cublas_sum what)
{
	int real = type == TYPE_C64 ? TYPE_F64 : TYPE_F32;

	return !h ? CUBLAS_NOT_INITIALIZED
	       : cublas_is_complex(type)
		       ? run_complex_norm(h, real, n, x, step, result, what)
		       : cublas_sum(h, what, step > 0 ? n : 0, type, (uintptr_t)x, step, 0, 0, result);
}

#define INT        int
#define NAME(name) name
#include "cublas/blas.h"
#undef INT
#undef NAME
#define INT        int64_t
#define NAME(name) name##_64
#include "cublas/blas.h"
