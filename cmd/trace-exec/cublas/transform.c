/* SPDX-License-Identifier: BSD-2-Clause */
/* cublasLt: alpha * op(A) + beta * op(B), by which a program changes the order of a matrix's elements. */
#include "cublas/lt.h"

struct lt_transform {
	int32_t scale, pointer_mode, op_a, op_b;
};
#define A(number, member) \
	{ \
		number, offsetof(struct lt_transform, member), sizeof(((struct lt_transform *)0)->member) \
	}
static const struct lt_attribute transform_attributes[] = {
	A(0, scale), A(1, pointer_mode), A(2, op_a), A(3, op_b)};
#undef A

OBJECT(MatrixTransformDesc, lt_transform, transform_attributes)

API(int, cublasLtMatrixTransformDescCreate, struct lt_transform **to, int scale)
{
	struct lt_transform *x = to ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return to ? CUBLAS_ALLOC_FAILED : CUBLAS_INVALID_VALUE;
	x->scale = scale;
	*to = x;
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatrixTransformDescInit_internal, struct lt_transform *x, size_t n, int scale)
{
	if (!x || n < sizeof(*x))
		return CUBLAS_INVALID_VALUE;
	*x = (struct lt_transform){.scale = scale};
	return CUBLAS_SUCCESS;
}

/* Returns the part of the description that is not supported, or NULL. Layouts may be NULL. */
static const char *find_unsupported_transform(
	const struct lt_transform *x, const struct lt_layout *const *layout)
{
	const char *what;

	for (unsigned i = 0; i < 3; i++)
		if (layout[i] && (what = cublas_lt_unsupported(layout[i])))
			return what;
	for (unsigned i = 0; i < 3; i++)
		if (layout[i] && layout[i]->batch_mode)
			return "addresses of batches";
	if (x->op_a < 0 || x->op_a > 2 || x->op_b < 0 || x->op_b > 2)
		return "this operation on a matrix";
	if (x->pointer_mode > 1)
		return "alpha as a vector";
	if (x->scale != TYPE_F32 && x->scale != TYPE_F64 && x->scale != TYPE_F16 && x->scale != TYPE_S32)
		return "this type of scalars";
	return NULL;
}

/*
 * Sets *to to an operand of d's rows and columns. A NULL layout is that of a matrix that is not read. Returns a status.
 */
static int set_transform_operand(struct cublas_operand *to, const void *base, const struct lt_layout *l,
	const struct lt_layout *d, int op)
{
	if (!l) {
		*to = (struct cublas_operand){.type = (int)d->type};
		return base ? CUBLAS_INVALID_VALUE : CUBLAS_SUCCESS;
	}
	if ((op ? l->columns : l->rows) != d->rows || (op ? l->rows : l->columns) != d->columns ||
		l->batches != d->batches || !cublas_lt_is_pitch_valid(l))
		return CUBLAS_INVALID_VALUE;
	*to = cublas_lt_operand((uintptr_t)base, l, op);
	return CUBLAS_SUCCESS;
}

/* Returns true if a scalar of the host is 0. */
static bool is_zero_scalar(const void *scalar, int type)
{
	switch (type) {
	case TYPE_F64: return *(const double *)scalar == 0;
	case TYPE_F16: return !(*(const uint16_t *)scalar & 0x7fff);
	case TYPE_S32: return *(const int32_t *)scalar == 0;
	default: return *(const float *)scalar == 0;
	}
}

API(int, cublasLtMatrixTransform, struct cublas_handle *h, const struct lt_transform *x, const void *alpha,
	const void *a, const struct lt_layout *layout_a, const void *beta, const void *b,
	const struct lt_layout *layout_b, void *c, const struct lt_layout *layout_c, void *stream)
{
	const struct lt_layout *layout[] = {layout_a, layout_b, layout_c};
	static const uint64_t zero;
	struct cublas_product p;
	struct cublas_handle on;
	const char *what;
	int e;

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (!x || !c || !layout_c || (a && !alpha) || (b && !beta))
		return CUBLAS_INVALID_VALUE;
	what = find_unsupported_transform(x, layout);
	if (what)
		return cublas_unsupported("cublasLtMatrixTransform", what);
	p = (struct cublas_product){.m = (int64_t)layout_c->rows,
		.n = (int64_t)layout_c->columns,
		.k = 1,
		.batches = layout_c->batches,
		.alpha = alpha ? alpha : &zero,
		.beta = beta ? beta : &zero,
		.scalars_on_device = x->pointer_mode == 1,
		.scalar = x->scale == TYPE_F16 ? TYPE_F32 : x->scale,
		.half_scalars = x->scale == TYPE_F16 ? TYPE_F16 : TYPE_NONE,
		.epilogue = EPILOGUE_NONE,
		.bias_type = TYPE_NONE,
		.without_b = true};
	/* A matrix that is not there has a scalar of 0, which the kernel reads if it is on the device. */
	if (!p.scalars_on_device &&
		((!a && !is_zero_scalar(p.alpha, x->scale)) || (!b && !is_zero_scalar(p.beta, x->scale))))
		return CUBLAS_INVALID_VALUE;
	if (p.scalars_on_device && (!alpha || !beta))
		return CUBLAS_INVALID_VALUE;
	e = set_transform_operand(&p.a, a, layout_a, layout_c, x->op_a);
	e = e ? e : set_transform_operand(&p.c, b, layout_b, layout_c, x->op_b);
	e = e ? e : set_transform_operand(&p.d, c, layout_c, layout_c, 0);
	if (e)
		return e;
	p.b.type = p.a.type;
	on = *h;
	on.stream = stream;
	return cublas_multiply(&on, &p);
}
