/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instantiates the functions of calls.h twice, with lengths of 32 and 64 bits. Matrices are stored column by
 * column.
 */
#include "cublas/general.h"

enum { OP_NONE, OP_TRANSPOSE, OP_CONJUGATE_TRANSPOSE, OP_CONJUGATE };
enum {
	COMPUTE_16F = 64,
	COMPUTE_16F_LAST = 65,
	COMPUTE_64F = 70,
	COMPUTE_64F_LAST = 71,
	COMPUTE_32I = 72,
	COMPUTE_32I_LAST = 73
};

/*
 * Describes a matrix with `pitch` elements from one column to the next. A transposing `op` swaps the two
 * strides.
 */
static struct cublas_operand make_matrix_operand(
	const void *base, int type, int op, int64_t pitch, int64_t batches)
{
	bool straight = op == OP_NONE || op == OP_CONJUGATE;

	return (struct cublas_operand){.base = (uintptr_t)base,
		.row_stride = straight ? 1 : pitch,
		.column_stride = straight ? pitch : 1,
		.batch_stride = batches,
		.type = type};
}

static struct cublas_operand make_vector_operand(const void *base, int type, int64_t n, int64_t step)
{
	uint64_t first = step < 0 ? (uint64_t)((1 - n) * step) * cublas_type_bytes(type) : 0;

	return (struct cublas_operand){.base = (uintptr_t)base + first, .row_stride = step, .type = type};
}

/* Returns the type of the sum for a compute type. Half-precision sums are computed in single precision. */
static int sum_type_of(int compute)
{
	return compute >= COMPUTE_64F && compute <= COMPUTE_64F_LAST   ? TYPE_F64
	       : compute >= COMPUTE_32I && compute <= COMPUTE_32I_LAST ? TYPE_S32
								       : TYPE_F32;
}

static bool is_half_compute(int compute) { return compute == COMPUTE_16F || compute == COMPUTE_16F_LAST; }

/* Operands of a product and their pitches, as in the arguments of cublasGemmEx. */
struct gemm {
	struct cublas_handle *h;
	int op_a, op_b;
	int64_t m, n, k;
	const void *alpha, *a, *b, *beta;
	void *c;
	int type_a, type_b, type_c;
	int64_t pitch_a, pitch_b, pitch_c, batch_stride_a, batch_stride_b, batch_stride_c, batches;
	int sum;
	bool half, pointers;
};

static struct cublas_view general_view(const struct cublas_operand *o, int op)
{
	return (struct cublas_view){.base = o->base,
		.row = o->row_stride,
		.column = o->column_stride,
		.batch = o->batch_stride,
		.conjugate = op >= OP_CONJUGATE_TRANSPOSE};
}

/* Multiplies complex matrices. */
static int run_complex_product(struct cublas_handle *h, const struct cublas_product *p, int op_a, int op_b)
{
	struct cublas_general g = {.a = general_view(&p->a, op_a),
		.b = general_view(&p->b, op_b),
		.c = general_view(&p->c, OP_NONE),
		.d = general_view(&p->d, OP_NONE),
		.m = p->m,
		.n = p->n,
		.k = p->k,
		.batches = p->batches,
		.alpha = p->alpha,
		.beta = p->beta,
		.type = p->a.type,
		.pointers = p->pointers};

	if (!p->alpha || !p->beta)
		return CUBLAS_INVALID_VALUE;
	if (p->b.type != p->a.type || p->d.type != p->a.type ||
		p->scalar != (p->a.type == TYPE_C64 ? TYPE_F64 : TYPE_F32))
		return cublas_unsupported("cublas product", "these types");
	return cublas_general_run(h, &g);
}

static bool is_gemm_valid(const struct gemm *g)
{
	int64_t rows_a = g->op_a == OP_NONE ? g->m : g->k, rows_b = g->op_b == OP_NONE ? g->k : g->n;

	return g->op_a >= OP_NONE && g->op_a <= OP_CONJUGATE && g->op_b >= OP_NONE &&
	       g->op_b <= OP_CONJUGATE && g->pitch_a >= (rows_a > 1 ? rows_a : 1) &&
	       g->pitch_b >= (rows_b > 1 ? rows_b : 1) && g->pitch_c >= (g->m > 1 ? g->m : 1);
}

static int run_gemm(const struct gemm *g)
{
	struct cublas_product p = {.m = g->m,
		.n = g->n,
		.k = g->k,
		.batches = g->batches,
		.alpha = g->alpha,
		.beta = g->beta,
		.pointers = g->pointers,
		.scalar = g->sum,
		.half_scalars = g->half ? TYPE_F16 : TYPE_NONE,
		.epilogue = EPILOGUE_NONE};

	if (!g->h)
		return CUBLAS_NOT_INITIALIZED;
	if (!is_gemm_valid(g))
		return CUBLAS_INVALID_VALUE;
	p.scalars_on_device = g->h->scalars_on_device;
	p.a = make_matrix_operand(g->a, g->type_a, g->op_a, g->pitch_a, g->batch_stride_a);
	p.b = make_matrix_operand(g->b, g->type_b, g->op_b, g->pitch_b, g->batch_stride_b);
	p.c = p.d = make_matrix_operand(g->c, g->type_c, OP_NONE, g->pitch_c, g->batch_stride_c);
	return cublas_is_complex(g->type_a) ? run_complex_product(g->h, &p, g->op_a, g->op_b)
					    : cublas_multiply(g->h, &p);
}

struct gemv {
	struct cublas_handle *h;
	int op, type;
	int64_t m, n;
	const void *alpha, *a, *x, *beta;
	void *y;
	int64_t pitch, step_x, step_y, batch_stride_a, batch_stride_x, batch_stride_y, batches;
	bool pointers;
};

/* Computes y = alpha * op(A) * x + beta * y as a product with one column. */
static int run_gemv(const struct gemv *g)
{
	int64_t rows = g->op == OP_NONE ? g->m : g->n, columns = g->op == OP_NONE ? g->n : g->m;
	struct cublas_product p = {.m = rows,
		.n = 1,
		.k = columns,
		.batches = g->batches,
		.alpha = g->alpha,
		.beta = g->beta,
		.scalar = cublas_is_double(g->type) ? TYPE_F64 : TYPE_F32,
		.pointers = g->pointers,
		.half_scalars = TYPE_NONE,
		.epilogue = EPILOGUE_NONE};

	if (!g->h)
		return CUBLAS_NOT_INITIALIZED;
	if (g->pointers && (g->step_x < 0 || g->step_y < 0))
		return cublas_unsupported("cublas gemvBatched", "a negative step");
	if (g->op < OP_NONE || g->op > OP_CONJUGATE || !g->step_x || !g->step_y ||
		g->pitch < (g->m > 1 ? g->m : 1))
		return CUBLAS_INVALID_VALUE;
	p.scalars_on_device = g->h->scalars_on_device;
	p.a = make_matrix_operand(g->a, g->type, g->op, g->pitch, g->batch_stride_a);
	p.b = make_vector_operand(g->x, g->type, columns, g->step_x);
	p.b.batch_stride = g->batch_stride_x;
	p.c = make_vector_operand(g->y, g->type, rows, g->step_y);
	p.c.batch_stride = g->batch_stride_y;
	p.d = p.c;
	return cublas_is_complex(g->type) ? run_complex_product(g->h, &p, g->op, OP_NONE)
					  : cublas_multiply(g->h, &p);
}

/* Computes A = alpha * x * y^T + A as a product whose inner dimension is 1. */
static int run_ger(struct cublas_handle *h, int64_t m, int64_t n, const void *alpha, int type, const void *x,
	int64_t step_x, const void *y, int64_t step_y, void *a, int64_t pitch)
{
	static const double one = 1;
	static const float single = 1;
	struct cublas_product p = {.m = m,
		.n = n,
		.k = 1,
		.batches = 1,
		.alpha = alpha,
		.beta = type == TYPE_F64 ? (const void *)&one : (const void *)&single,
		.scalar = type,
		.half_scalars = TYPE_NONE,
		.epilogue = EPILOGUE_NONE};

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!step_x || !step_y || pitch < (m > 1 ? m : 1))
		return CUBLAS_INVALID_VALUE;
	if (h->scalars_on_device)
		return cublas_unsupported("cublasSger", "alpha on the device");
	p.a = make_vector_operand(x, type, m, step_x);
	p.b = (struct cublas_operand){
		.base = make_vector_operand(y, type, n, step_y).base, .column_stride = step_y, .type = type};
	p.c = p.d = make_matrix_operand(a, type, OP_NONE, pitch, 0);
	return cublas_multiply(h, &p);
}

#define INT        int
#define NAME(name) name
#include "cublas/calls.h"
#undef INT
#undef NAME
#define INT        int64_t
#define NAME(name) name##_64
#include "cublas/calls.h"
