/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cuBLAS functions whose lengths have type INT and whose names NAME() makes. calls.c includes this file twice,
 * once for each length.
 */

#define GEMM(name, type, code, halves) \
	API(int, NAME(name), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, code, code, \
			code, pitch_a, pitch_b, pitch_c, 0, 0, 0, 1, \
			cublas_is_double(code) ? TYPE_F64 : TYPE_F32, halves, false}); \
	}
GEMM(cublasSgemm_v2, float, TYPE_F32, false)
GEMM(cublasDgemm_v2, double, TYPE_F64, false)
GEMM(cublasHgemm, uint16_t, TYPE_F16, true)
GEMM(cublasCgemm_v2, float, TYPE_C32, false)
GEMM(cublasZgemm_v2, double, TYPE_C64, false)
GEMM(cublasCgemm3m, float, TYPE_C32, false)
GEMM(cublasZgemm3m, double, TYPE_C64, false)
#undef GEMM

#define GEMM(name, type, code, halves) \
	API(int, NAME(name), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, long long batch_stride_a, const type *b, \
		INT pitch_b, long long batch_stride_b, const type *beta, type *c, INT pitch_c, \
		long long batch_stride_c, INT batches) \
	{ \
		return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, code, code, \
			code, pitch_a, pitch_b, pitch_c, batch_stride_a, batch_stride_b, batch_stride_c, \
			batches, cublas_is_double(code) ? TYPE_F64 : TYPE_F32, halves, false}); \
	}
GEMM(cublasSgemmStridedBatched, float, TYPE_F32, false)
GEMM(cublasDgemmStridedBatched, double, TYPE_F64, false)
GEMM(cublasHgemmStridedBatched, uint16_t, TYPE_F16, true)
GEMM(cublasCgemmStridedBatched, float, TYPE_C32, false)
GEMM(cublasZgemmStridedBatched, double, TYPE_C64, false)
GEMM(cublasCgemm3mStridedBatched, float, TYPE_C32, false)
#undef GEMM

#define GEMM(name, type, code, halves) \
	API(int, NAME(name), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k, \
		const type *alpha, const type *const *a, INT pitch_a, const type *const *b, INT pitch_b, \
		const type *beta, type *const *c, INT pitch_c, INT batches) \
	{ \
		return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, \
			(void *)(uintptr_t)c, code, code, code, pitch_a, pitch_b, pitch_c, 0, 0, 0, batches, \
			cublas_is_double(code) ? TYPE_F64 : TYPE_F32, halves, true}); \
	}
GEMM(cublasSgemmBatched, float, TYPE_F32, false)
GEMM(cublasDgemmBatched, double, TYPE_F64, false)
GEMM(cublasHgemmBatched, uint16_t, TYPE_F16, true)
GEMM(cublasCgemmBatched, float, TYPE_C32, false)
GEMM(cublasZgemmBatched, double, TYPE_C64, false)
GEMM(cublasCgemm3mBatched, float, TYPE_C32, false)
#undef GEMM

API(int, NAME(cublasGemmEx), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k,
	const void *alpha, const void *a, int type_a, INT pitch_a, const void *b, int type_b, INT pitch_b,
	const void *beta, void *c, int type_c, INT pitch_c, int compute, int algorithm)
{
	(void)algorithm;
	return run_gemm(
		&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, type_a, type_b, type_c, pitch_a,
			pitch_b, pitch_c, 0, 0, 0, 1, sum_type_of(compute), is_half_compute(compute), false});
}

API(int, NAME(cublasGemmStridedBatchedEx), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k,
	const void *alpha, const void *a, int type_a, INT pitch_a, long long batch_stride_a, const void *b,
	int type_b, INT pitch_b, long long batch_stride_b, const void *beta, void *c, int type_c, INT pitch_c,
	long long batch_stride_c, INT batches, int compute, int algorithm)
{
	(void)algorithm;
	return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, type_a, type_b, type_c,
		pitch_a, pitch_b, pitch_c, batch_stride_a, batch_stride_b, batch_stride_c, batches,
		sum_type_of(compute), is_half_compute(compute), false});
}

API(int, NAME(cublasGemmBatchedEx), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k,
	const void *alpha, const void *const *a, int type_a, INT pitch_a, const void *const *b, int type_b,
	INT pitch_b, const void *beta, void *const *c, int type_c, INT pitch_c, INT batches, int compute,
	int algorithm)
{
	(void)algorithm;
	return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, (void *)(uintptr_t)c,
		type_a, type_b, type_c, pitch_a, pitch_b, pitch_c, 0, 0, 0, batches, sum_type_of(compute),
		is_half_compute(compute), true});
}

/* Arguments of a product in groups. Arrays have an element for each group; a, b and c are pointers of all matrices. */
struct NAME(gemm_groups) {
	const int *op_a, *op_b;
	const INT *m, *n, *k, *pitch_a, *pitch_b, *pitch_c;
	const void *alpha, *beta;
	const void *const *a, *const *b;
	void *const *c;
	INT n_groups;
	const INT *size; /* number of products of each group */
};

/* Runs the groups one after the other. `common` has the members of struct gemm that are equal in all groups. */
static int NAME(run_gemm_groups)(const struct gemm *common, const struct NAME(gemm_groups) * x)
{
	size_t bytes = common->half ? 2 : cublas_type_bytes(common->sum);
	int e = x->n_groups < 0 ? CUBLAS_INVALID_VALUE : CUBLAS_SUCCESS;

	if (!common->h)
		return CUBLAS_NOT_INITIALIZED;
	for (int run = 0; run < 2; run++) { /* all groups are checked before the first one is run */
		size_t first = 0;

		for (INT i = 0; !e && i < x->n_groups; first += (size_t)x->size[i++]) {
			struct gemm g = *common;

			g.op_a = x->op_a[i], g.op_b = x->op_b[i];
			g.m = x->m[i], g.n = x->n[i], g.k = x->k[i];
			g.alpha = (const char *)x->alpha + (size_t)i * bytes;
			g.beta = (const char *)x->beta + (size_t)i * bytes;
			g.a = x->a + first, g.b = x->b + first;
			g.c = (void *)(uintptr_t)(x->c + first);
			g.pitch_a = x->pitch_a[i], g.pitch_b = x->pitch_b[i], g.pitch_c = x->pitch_c[i];
			g.batches = x->size[i];
			g.pointers = true;
			if (g.m < 0 || g.n < 0 || g.k < 0 || g.batches < 0 || !is_gemm_valid(&g))
				e = CUBLAS_INVALID_VALUE;
			else if (run)
				e = run_gemm(&g);
		}
	}
	return e;
}

#define GROUPS(L, type, code) \
	API(int, NAME(cublas##L##gemmGroupedBatched), struct cublas_handle *h, const int *op_a, \
		const int *op_b, const INT *m, const INT *n, const INT *k, const type *alpha, \
		const type *const *a, const INT *pitch_a, const type *const *b, const INT *pitch_b, \
		const type *beta, type *const *c, const INT *pitch_c, INT n_groups, const INT *size) \
	{ \
		return NAME(run_gemm_groups)( \
			&(struct gemm){.h = h, .type_a = code, .type_b = code, .type_c = code, .sum = code}, \
			&(struct NAME(gemm_groups)){op_a, op_b, m, n, k, pitch_a, pitch_b, pitch_c, alpha, \
				beta, (const void *const *)a, (const void *const *)b, (void *const *)c, \
				n_groups, size}); \
	}
GROUPS(S, float, TYPE_F32)
GROUPS(D, double, TYPE_F64)
#undef GROUPS

API(int, NAME(cublasGemmGroupedBatchedEx), struct cublas_handle *h, const int *op_a, const int *op_b,
	const INT *m, const INT *n, const INT *k, const void *alpha, const void *const *a, int type_a,
	const INT *pitch_a, const void *const *b, int type_b, const INT *pitch_b, const void *beta,
	void *const *c, int type_c, const INT *pitch_c, INT n_groups, const INT *size, int compute)
{
	return NAME(run_gemm_groups)(&(struct gemm){.h = h,
					     .type_a = type_a,
					     .type_b = type_b,
					     .type_c = type_c,
					     .sum = sum_type_of(compute),
					     .half = is_half_compute(compute)},
		&(struct NAME(gemm_groups)){op_a, op_b, m, n, k, pitch_a, pitch_b, pitch_c, alpha, beta, a, b,
			c, n_groups, size});
}

API(int, NAME(cublasSgemmEx), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k,
	const float *alpha, const void *a, int type_a, INT pitch_a, const void *b, int type_b, INT pitch_b,
	const float *beta, void *c, int type_c, INT pitch_c)
{
	return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, type_a, type_b, type_c,
		pitch_a, pitch_b, pitch_c, 0, 0, 0, 1, TYPE_F32, false, false});
}

/* Defines the matrix-vector products of one precision. */
#define GEMV(L, type, code) \
	API(int, NAME(cublas##L##gemv_v2), struct cublas_handle *h, int op, INT m, INT n, const type *alpha, \
		const type *a, INT pitch, const type *x, INT step_x, const type *beta, type *y, INT step_y) \
	{ \
		return run_gemv(&(struct gemv){ \
			h, op, code, m, n, alpha, a, x, beta, y, pitch, step_x, step_y, 0, 0, 0, 1, false}); \
	} \
	API(int, NAME(cublas##L##gemvStridedBatched), struct cublas_handle *h, int op, INT m, INT n, \
		const type *alpha, const type *a, INT pitch, long long batch_stride_a, const type *x, \
		INT step_x, long long batch_stride_x, const type *beta, type *y, INT step_y, \
		long long batch_stride_y, INT batches) \
	{ \
		return run_gemv(&(struct gemv){h, op, code, m, n, alpha, a, x, beta, y, pitch, step_x, \
			step_y, batch_stride_a, batch_stride_x, batch_stride_y, batches, false}); \
	} \
	API(int, NAME(cublas##L##gemvBatched), struct cublas_handle *h, int op, INT m, INT n, \
		const type *alpha, const type *const *a, INT pitch, const type *const *x, INT step_x, \
		const type *beta, type *const *y, INT step_y, INT batches) \
	{ \
		return run_gemv(&(struct gemv){h, op, code, m, n, alpha, a, x, beta, (void *)(uintptr_t)y, \
			pitch, step_x, step_y, 0, 0, 0, batches, true}); \
	}
GEMV(S, float, TYPE_F32)
GEMV(D, double, TYPE_F64)
GEMV(C, float, TYPE_C32)
GEMV(Z, double, TYPE_C64)
#undef GEMV

/* Defines the vector functions of one precision. */
#define VECTORS(L, type, code) \
	API(int, NAME(cublas##L##ger_v2), struct cublas_handle *h, INT m, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a, INT pitch) \
	{ \
		return run_ger(h, m, n, alpha, code, x, step_x, y, step_y, a, pitch); \
	} \
	API(int, NAME(cublas##L##axpy_v2), struct cublas_handle *h, INT n, const type *alpha, const type *x, \
		INT step_x, type *y, INT step_y) \
	{ \
		if (!h || !alpha) \
			return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED; \
		return cublas_add(h, n, alpha, code, (uintptr_t)x, step_x, (uintptr_t)y, step_y, 1); \
	} \
	API(int, NAME(cublas##L##scal_v2), struct cublas_handle *h, INT n, const type *alpha, type *x, \
		INT step_x) \
	{ \
		if (!h || !alpha) \
			return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED; \
		return cublas_add( \
			h, step_x > 0 ? n : 0, alpha, code, (uintptr_t)x, step_x, (uintptr_t)x, step_x, 0); \
	} \
	API(int, NAME(cublas##L##copy_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		type *y, INT step_y) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		return cublas_add(h, n, NULL, code, (uintptr_t)x, step_x, (uintptr_t)y, step_y, 0); \
	} \
	API(int, NAME(cublas##L##dot_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		const type *y, INT step_y, type *result) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		return cublas_sum( \
			h, SUM_PRODUCTS, n, code, (uintptr_t)x, step_x, (uintptr_t)y, step_y, result); \
	} \
	API(int, NAME(cublas##L##nrm2_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		type *result) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		return cublas_sum( \
			h, SUM_SQUARES, step_x > 0 ? n : 0, code, (uintptr_t)x, step_x, 0, 0, result); \
	} \
	API(int, NAME(cublas##L##asum_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		type *result) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		return cublas_sum( \
			h, SUM_MAGNITUDES, step_x > 0 ? n : 0, code, (uintptr_t)x, step_x, 0, 0, result); \
	}

VECTORS(S, float, TYPE_F32)
VECTORS(D, double, TYPE_F64)
#undef VECTORS

/* Complex products whose arguments name the types of the matrices. */
#define GEMM(name) \
	API(int, NAME(name), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, INT k, \
		const float *alpha, const void *a, int type_a, INT pitch_a, const void *b, int type_b, \
		INT pitch_b, const float *beta, void *c, int type_c, INT pitch_c) \
	{ \
		if (type_a != TYPE_C32) \
			return cublas_unsupported(#name, "these types"); \
		return run_gemm(&(struct gemm){h, op_a, op_b, m, n, k, alpha, a, b, beta, c, type_a, type_b, \
			type_c, pitch_a, pitch_b, pitch_c, 0, 0, 0, 1, TYPE_F32, false, false}); \
	}
GEMM(cublasCgemmEx)
GEMM(cublasCgemm3mEx)
#undef GEMM
