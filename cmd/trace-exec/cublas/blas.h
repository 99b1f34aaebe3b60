/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cuBLAS functions of general products, solutions and vectors, whose lengths have type INT and whose names NAME()
 * makes. blas.c includes this file twice, once for each length. A complex number is two numbers of `type`.
 */

/* Defines the functions that all four precisions have. */
#define ALL(L, l, type, code) \
	API(int, NAME(cublas##L##geam), struct cublas_handle *h, int op_a, int op_b, INT m, INT n, \
		const type *alpha, const type *a, INT pitch_a, const type *beta, const type *b, INT pitch_b, \
		type *c, INT pitch_c) \
	{ \
		return run_geam(h, code, op_a, op_b, m, n, alpha, a, pitch_a, beta, b, pitch_b, c, pitch_c); \
	} \
	API(int, NAME(cublas##L##dgmm), struct cublas_handle *h, int side, INT m, INT n, const type *a, \
		INT pitch_a, const type *x, INT step, type *c, INT pitch_c) \
	{ \
		return run_dgmm(h, code, side, m, n, a, pitch_a, x, step, c, pitch_c); \
	} \
	API(int, NAME(cublas##L##symm_v2), struct cublas_handle *h, int side, int uplo, INT m, INT n, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_symm(&(struct blas){h, code, SHAPE_SYMMETRIC, side, uplo, 0, 0, m, n, 0, alpha, \
			a, b, beta, c, pitch_a, pitch_b, pitch_c}); \
	} \
	API(int, NAME(cublas##L##syrk_v2), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *beta, type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_SYMMETRIC, 0, uplo, op, 0, n, n, k, alpha, a, \
					a, beta, c, pitch_a, pitch_a, pitch_c}, \
			RANK_1); \
	} \
	API(int, NAME(cublas##L##syrkx), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_SYMMETRIC, 0, uplo, op, 0, n, n, k, alpha, a, \
					b, beta, c, pitch_a, pitch_b, pitch_c}, \
			RANK_X); \
	} \
	API(int, NAME(cublas##L##syr2k_v2), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_SYMMETRIC, 0, uplo, op, 0, n, n, k, alpha, a, \
					b, beta, c, pitch_a, pitch_b, pitch_c}, \
			RANK_2); \
	} \
	API(int, NAME(cublas##L##trmm_v2), struct cublas_handle *h, int side, int uplo, int op, int diag, \
		INT m, INT n, const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, \
		type *c, INT pitch_c) \
	{ \
		return run_trmm(&(struct blas){h, code, SHAPE_TRIANGULAR, side, uplo, op, diag, m, n, 0, \
			alpha, a, b, NULL, c, pitch_a, pitch_b, pitch_c}); \
	} \
	API(int, NAME(cublas##L##trsm_v2), struct cublas_handle *h, int side, int uplo, int op, int diag, \
		INT m, INT n, const type *alpha, const type *a, INT pitch_a, type *b, INT pitch_b) \
	{ \
		return run_trsm(&(struct blas){h, code, SHAPE_TRIANGULAR, side, uplo, op, diag, m, n, 0, \
					alpha, a, b, NULL, NULL, pitch_a, pitch_b, 0}, \
			1, false); \
	} \
	API(int, NAME(cublas##L##trsmBatched), struct cublas_handle *h, int side, int uplo, int op, \
		int diag, INT m, INT n, const type *alpha, const type *const *a, INT pitch_a, \
		type *const *b, INT pitch_b, INT batches) \
	{ \
		return run_trsm(&(struct blas){h, code, SHAPE_TRIANGULAR, side, uplo, op, diag, m, n, 0, \
					alpha, a, b, NULL, NULL, pitch_a, pitch_b, 0}, \
			batches, true); \
	} \
	API(int, NAME(cublas##L##trsv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		const type *a, INT pitch, type *x, INT step) \
	{ \
		return cublas_trsv(h, code, uplo, op, diag, n, a, pitch, x, step); \
	} \
	API(int, NAME(cublas##L##trmv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		const type *a, INT pitch, type *x, INT step) \
	{ \
		return cublas_trmv(h, code, uplo, op, diag, n, a, pitch, x, step); \
	} \
	API(int, NAME(cublas##L##symv_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *a, INT pitch, const type *x, INT step_x, const type *beta, type *y, INT step_y) \
	{ \
		return cublas_symv( \
			h, code, SHAPE_SYMMETRIC, uplo, n, alpha, a, pitch, x, step_x, beta, y, step_y); \
	} \
	API(int, NAME(cublas##L##syr_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step, type *a, INT pitch) \
	{ \
		return cublas_syr( \
			h, code, SHAPE_SYMMETRIC, uplo, n, alpha, x, step, x, step, a, pitch, RANK_1); \
	} \
	API(int, NAME(cublas##L##syr2_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a, INT pitch) \
	{ \
		return cublas_syr( \
			h, code, SHAPE_SYMMETRIC, uplo, n, alpha, x, step_x, y, step_y, a, pitch, RANK_2); \
	} \
	API(int, NAME(cublas##L##swap_v2), struct cublas_handle *h, INT n, type *x, INT step_x, type *y, \
		INT step_y) \
	{ \
		return run_rotation(h, code, n, x, step_x, y, step_y, NULL); \
	} \
	API(int, NAME(cublasI##l##amax_v2), struct cublas_handle *h, INT n, const type *x, INT step, \
		INT *result) \
	{ \
		return h ? cublas_extreme(h, n, code, (uintptr_t)x, step, false, result, sizeof(*result)) \
			 : CUBLAS_NOT_INITIALIZED; \
	} \
	API(int, NAME(cublasI##l##amin_v2), struct cublas_handle *h, INT n, const type *x, INT step, \
		INT *result) \
	{ \
		return h ? cublas_extreme(h, n, code, (uintptr_t)x, step, true, result, sizeof(*result)) \
			 : CUBLAS_NOT_INITIALIZED; \
	}
ALL(S, s, float, TYPE_F32)
ALL(D, d, double, TYPE_F64)
ALL(C, c, float, TYPE_C32)
ALL(Z, z, double, TYPE_C64)
#undef ALL

/* Defines the rotations of the two real precisions. */
#define REAL(L, type, code) \
	API(int, NAME(cublas##L##rot_v2), struct cublas_handle *h, INT n, type *x, INT step_x, type *y, \
		INT step_y, const type *c, const type *s) \
	{ \
		return run_rot(h, code, code, n, x, step_x, y, step_y, c, s); \
	} \
	API(int, NAME(cublas##L##rotm_v2), struct cublas_handle *h, INT n, type *x, INT step_x, type *y, \
		INT step_y, const type *p) \
	{ \
		return run_rotm(h, code, n, x, step_x, y, step_y, p); \
	}
REAL(S, float, TYPE_F32)
REAL(D, double, TYPE_F64)
#undef REAL

/*
 * Defines the functions of a complex precision. r, R: letters of its real precision; wide: name of the function that
 * returns a real number.
 */
#define COMPLEX(L, R, r, type, code) \
	API(int, NAME(cublas##L##hemm_v2), struct cublas_handle *h, int side, int uplo, INT m, INT n, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_symm(&(struct blas){h, code, SHAPE_HERMITIAN, side, uplo, 0, 0, m, n, 0, alpha, \
			a, b, beta, c, pitch_a, pitch_b, pitch_c}); \
	} \
	API(int, NAME(cublas##L##herk_v2), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *beta, type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_HERMITIAN, 0, uplo, op, 0, n, n, k, alpha, a, \
					a, beta, c, pitch_a, pitch_a, pitch_c}, \
			RANK_1); \
	} \
	API(int, NAME(cublas##L##herkx), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_HERMITIAN, 0, uplo, op, 0, n, n, k, alpha, a, \
					b, beta, c, pitch_a, pitch_b, pitch_c}, \
			RANK_X); \
	} \
	API(int, NAME(cublas##L##her2k_v2), struct cublas_handle *h, int uplo, int op, INT n, INT k, \
		const type *alpha, const type *a, INT pitch_a, const type *b, INT pitch_b, const type *beta, \
		type *c, INT pitch_c) \
	{ \
		return run_syrk(&(struct blas){h, code, SHAPE_HERMITIAN, 0, uplo, op, 0, n, n, k, alpha, a, \
					b, beta, c, pitch_a, pitch_b, pitch_c}, \
			RANK_2); \
	} \
	API(int, NAME(cublas##L##hemv_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *a, INT pitch, const type *x, INT step_x, const type *beta, type *y, INT step_y) \
	{ \
		return cublas_symv( \
			h, code, SHAPE_HERMITIAN, uplo, n, alpha, a, pitch, x, step_x, beta, y, step_y); \
	} \
	API(int, NAME(cublas##L##her_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step, type *a, INT pitch) \
	{ \
		return cublas_syr( \
			h, code, SHAPE_HERMITIAN, uplo, n, alpha, x, step, x, step, a, pitch, RANK_1); \
	} \
	API(int, NAME(cublas##L##her2_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a, INT pitch) \
	{ \
		return cublas_syr( \
			h, code, SHAPE_HERMITIAN, uplo, n, alpha, x, step_x, y, step_y, a, pitch, RANK_2); \
	} \
	API(int, NAME(cublas##L##geru_v2), struct cublas_handle *h, INT m, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a, INT pitch) \
	{ \
		return run_complex_ger(h, code, m, n, alpha, x, step_x, y, step_y, a, pitch, false); \
	} \
	API(int, NAME(cublas##L##gerc_v2), struct cublas_handle *h, INT m, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a, INT pitch) \
	{ \
		return run_complex_ger(h, code, m, n, alpha, x, step_x, y, step_y, a, pitch, true); \
	} \
	API(int, NAME(cublas##L##axpy_v2), struct cublas_handle *h, INT n, const type *alpha, const type *x, \
		INT step_x, type *y, INT step_y) \
	{ \
		return alpha ? run_complex_add(h, code, n, alpha, false, x, step_x, y, step_y, true) \
			     : CUBLAS_INVALID_VALUE; \
	} \
	API(int, NAME(cublas##L##scal_v2), struct cublas_handle *h, INT n, const type *alpha, type *x, \
		INT step) \
	{ \
		return alpha ? run_complex_add( \
				       h, code, step > 0 ? n : 0, alpha, false, x, step, x, step, false) \
			     : CUBLAS_INVALID_VALUE; \
	} \
	API(int, NAME(cublas##L##r##scal_v2), struct cublas_handle *h, INT n, const type *alpha, type *x, \
		INT step) \
	{ \
		return alpha ? run_complex_add( \
				       h, code, step > 0 ? n : 0, alpha, true, x, step, x, step, false) \
			     : CUBLAS_INVALID_VALUE; \
	} \
	API(int, NAME(cublas##L##copy_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		type *y, INT step_y) \
	{ \
		return run_complex_add(h, code, n, NULL, false, x, step_x, y, step_y, false); \
	} \
	API(int, NAME(cublas##L##dotu_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		const type *y, INT step_y, type *result) \
	{ \
		return run_complex_dot(h, code, n, x, step_x, y, step_y, result, false); \
	} \
	API(int, NAME(cublas##L##dotc_v2), struct cublas_handle *h, INT n, const type *x, INT step_x, \
		const type *y, INT step_y, type *result) \
	{ \
		return run_complex_dot(h, code, n, x, step_x, y, step_y, result, true); \
	} \
	API(int, NAME(cublas##L##rot_v2), struct cublas_handle *h, INT n, type *x, INT step_x, type *y, \
		INT step_y, const type *c, const type *s) \
	{ \
		return run_complex_rot(h, code, n, x, step_x, y, step_y, c, s); \
	} \
	API(int, NAME(cublas##L##r##rot_v2), struct cublas_handle *h, INT n, type *x, INT step_x, type *y, \
		INT step_y, const type *c, const type *s) \
	{ \
		return run_rot( \
			h, code, code == TYPE_C64 ? TYPE_F64 : TYPE_F32, n, x, step_x, y, step_y, c, s); \
	}
COMPLEX(C, S, s, float, TYPE_C32)
COMPLEX(Z, D, d, double, TYPE_C64)
#undef COMPLEX

/* Defines sums of the magnitudes and of the squares of complex vectors. */
#define NORM(name, type, code, what) \
	API(int, NAME(name), struct cublas_handle *h, INT n, const type *x, INT step, type *result) \
	{ \
		return run_complex_norm(h, code, n, x, step, result, what); \
	}
NORM(cublasScnrm2_v2, float, TYPE_F32, SUM_SQUARES)
NORM(cublasDznrm2_v2, double, TYPE_F64, SUM_SQUARES)
NORM(cublasScasum_v2, float, TYPE_F32, SUM_MAGNITUDES)
NORM(cublasDzasum_v2, double, TYPE_F64, SUM_MAGNITUDES)
#undef NORM

/*
 * Defines the rank updates whose arguments name the types of the matrices, which are complex and of single precision.
 */
#define UPDATE(name, run) \
	API(int, NAME(name), struct cublas_handle *h, int uplo, int op, INT n, INT k, const float *alpha, \
		const void *a, int type_a, INT pitch_a, const float *beta, void *c, int type_c, INT pitch_c) \
	{ \
		if (type_a != TYPE_C32 || type_c != TYPE_C32) \
			return cublas_unsupported(#name, "these types"); \
		return NAME(run)(h, uplo, op, n, k, alpha, a, pitch_a, beta, c, pitch_c); \
	}
UPDATE(cublasCsyrkEx, cublasCsyrk_v2)
UPDATE(cublasCsyrk3mEx, cublasCsyrk_v2)
UPDATE(cublasCherkEx, cublasCherk_v2)
UPDATE(cublasCherk3mEx, cublasCherk_v2)
#undef UPDATE

/* ---- functions of vectors whose arguments name the types ---- */

API(int, NAME(cublasAxpyEx), struct cublas_handle *h, INT n, const void *alpha, int type_alpha, const void *x,
	int type_x, INT step_x, void *y, int type_y, INT step_y, int compute)
{
	if (!are_vector_types(type_alpha, type_x, type_y, compute))
		return cublas_unsupported("cublasAxpyEx", "these types");
	return alpha ? run_typed_add(h, type_x, n, alpha, x, step_x, y, step_y, true) : CUBLAS_INVALID_VALUE;
}

API(int, NAME(cublasScalEx), struct cublas_handle *h, INT n, const void *alpha, int type_alpha, void *x,
	int type_x, INT step, int compute)
{
	if (!are_vector_types(type_alpha, type_x, type_x, compute))
		return cublas_unsupported("cublasScalEx", "these types");
	return alpha ? run_typed_add(h, type_x, step > 0 ? n : 0, alpha, x, step, x, step, false)
		     : CUBLAS_INVALID_VALUE;
}

API(int, NAME(cublasCopyEx), struct cublas_handle *h, INT n, const void *x, int type_x, INT step_x, void *y,
	int type_y, INT step_y)
{
	int compute = type_x == TYPE_F16 || type_x == TYPE_BF16 ? TYPE_F32 : type_x;

	if (!are_vector_types(compute, type_x, type_y, compute))
		return cublas_unsupported("cublasCopyEx", "these types");
	return run_typed_add(h, type_x, n, NULL, x, step_x, y, step_y, false);
}

API(int, NAME(cublasSwapEx), struct cublas_handle *h, INT n, void *x, int type_x, INT step_x, void *y,
	int type_y, INT step_y)
{
	if (!are_vector_types(type_x, type_x, type_y, type_x))
		return cublas_unsupported("cublasSwapEx", "these types");
	return run_rotation(h, type_x, n, x, step_x, y, step_y, NULL);
}

API(int, NAME(cublasRotEx), struct cublas_handle *h, INT n, void *x, int type_x, INT step_x, void *y,
	int type_y, INT step_y, const void *c, const void *s, int type_scalars, int compute)
{
	int real = cublas_is_double(type_x) ? TYPE_F64 : TYPE_F32;

	if (!are_vector_types(type_x, type_x, type_y, compute) || type_scalars != real)
		return cublas_unsupported("cublasRotEx", "these types");
	return run_rot(h, type_x, real, n, x, step_x, y, step_y, c, s);
}

API(int, NAME(cublasRotmEx), struct cublas_handle *h, INT n, void *x, int type_x, INT step_x, void *y,
	int type_y, INT step_y, const void *p, int type_p, int compute)
{
	if ((type_x != TYPE_F32 && type_x != TYPE_F64) || !are_vector_types(type_p, type_x, type_y, compute))
		return cublas_unsupported("cublasRotmEx", "these types");
	return run_rotm(h, type_x, n, x, step_x, y, step_y, p);
}

#define DOT(name, conjugate) \
	API(int, NAME(name), struct cublas_handle *h, INT n, const void *x, int type_x, INT step_x, \
		const void *y, int type_y, INT step_y, void *result, int type_result, int compute) \
	{ \
		if (!are_vector_types(compute, type_x, type_y, compute) || type_result != type_x) \
			return cublas_unsupported(#name, "these types"); \
		return run_typed_dot(h, type_x, n, x, step_x, y, step_y, result, conjugate); \
	}
DOT(cublasDotEx, false)
DOT(cublasDotcEx, true)
#undef DOT

/* The sum of a complex vector and its computation have the type of the parts. */
#define NORM(name, what) \
	API(int, NAME(name), struct cublas_handle *h, INT n, const void *x, int type_x, INT step, \
		void *result, int type_result, int compute) \
	{ \
		int real = type_x == TYPE_C32 ? TYPE_F32 : type_x == TYPE_C64 ? TYPE_F64 : type_x; \
		if (!are_vector_types(compute, real, type_result, compute)) \
			return cublas_unsupported(#name, "these types"); \
		return run_typed_norm(h, type_x, n, x, step, result, what); \
	}
NORM(cublasNrm2Ex, SUM_SQUARES)
NORM(cublasAsumEx, SUM_MAGNITUDES)
#undef NORM

#define EXTREME(name, least) \
	API(int, NAME(name), struct cublas_handle *h, INT n, const void *x, int type, INT step, INT *result) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		if (type != TYPE_F32 && type != TYPE_F64 && !cublas_is_complex(type)) \
			return cublas_unsupported(#name, "this type"); \
		return cublas_extreme(h, n, type, (uintptr_t)x, step, least, result, sizeof(*result)); \
	}
EXTREME(cublasIamaxEx, false)
EXTREME(cublasIaminEx, true)
#undef EXTREME
