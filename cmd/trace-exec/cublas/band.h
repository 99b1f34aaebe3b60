/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cuBLAS functions of banded and packed matrices, whose lengths have type INT and whose names NAME() makes. band.c
 * includes this file twice, once for each length. A complex number is two numbers of `type`.
 */

/* Defines the functions of all precisions. */
#define BANDS(L, type, code) \
	API(int, NAME(cublas##L##gbmv_v2), struct cublas_handle *h, int op, INT m, INT n, INT below, \
		INT above, const type *alpha, const type *a, INT pitch, const type *x, INT step_x, \
		const type *beta, type *y, INT step_y) \
	{ \
		return run_gbmv( \
			h, code, op, m, n, below, above, alpha, a, pitch, x, step_x, beta, y, step_y); \
	} \
	API(int, NAME(cublas##L##tbmv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		INT k, const type *a, INT pitch, type *x, INT step) \
	{ \
		return run_tbmv(h, code, uplo, op, diag, n, k, a, pitch, x, step); \
	} \
	API(int, NAME(cublas##L##tbsv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		INT k, const type *a, INT pitch, type *x, INT step) \
	{ \
		return run_tbsv(h, code, uplo, op, diag, n, k, a, pitch, x, step); \
	} \
	API(int, NAME(cublas##L##tpmv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		const type *a, type *x, INT step) \
	{ \
		return run_tpmv(h, code, uplo, op, diag, n, a, x, step, false); \
	} \
	API(int, NAME(cublas##L##tpsv_v2), struct cublas_handle *h, int uplo, int op, int diag, INT n, \
		const type *a, type *x, INT step) \
	{ \
		return run_tpmv(h, code, uplo, op, diag, n, a, x, step, true); \
	}
BANDS(S, float, TYPE_F32)
BANDS(D, double, TYPE_F64)
BANDS(C, float, TYPE_C32)
BANDS(Z, double, TYPE_C64)
#undef BANDS

/* Defines the functions of symmetric or Hermitian matrices. bands, packs: the beginnings of their names. */
#define SHAPES(bands, packs, type, code, shape) \
	API(int, NAME(bands##mv_v2), struct cublas_handle *h, int uplo, INT n, INT k, const type *alpha, \
		const type *a, INT pitch, const type *x, INT step_x, const type *beta, type *y, INT step_y) \
	{ \
		return run_sbmv(h, code, shape, uplo, n, k, alpha, a, pitch, x, step_x, beta, y, step_y); \
	} \
	API(int, NAME(packs##mv_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *a, const type *x, INT step_x, const type *beta, type *y, INT step_y) \
	{ \
		return run_spmv(h, code, shape, uplo, n, alpha, a, x, step_x, beta, y, step_y); \
	} \
	API(int, NAME(packs##r_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step, type *a) \
	{ \
		return run_spr(h, code, shape, uplo, n, alpha, x, step, x, step, a, RANK_1); \
	} \
	API(int, NAME(packs##r2_v2), struct cublas_handle *h, int uplo, INT n, const type *alpha, \
		const type *x, INT step_x, const type *y, INT step_y, type *a) \
	{ \
		return run_spr(h, code, shape, uplo, n, alpha, x, step_x, y, step_y, a, RANK_2); \
	}
SHAPES(cublasSsb, cublasSsp, float, TYPE_F32, SHAPE_SYMMETRIC)
SHAPES(cublasDsb, cublasDsp, double, TYPE_F64, SHAPE_SYMMETRIC)
SHAPES(cublasChb, cublasChp, float, TYPE_C32, SHAPE_HERMITIAN)
SHAPES(cublasZhb, cublasZhp, double, TYPE_C64, SHAPE_HERMITIAN)
#undef SHAPES
