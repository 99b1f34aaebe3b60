/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares functions of cuBLAS for banded and packed matrices with loops on the host, in all four precisions. Prints a
 * line for each difference. Elements that a form does not store are NaN.
 */
#include "matrices.h"

enum { BELOW = 2, ABOVE = 1, WIDE = 2, PITCH = 6, PACKED = M * (M + 1) / 2 };
static z form[SIZE]; /* the matrix in its form */
static void *df;

static void clear_form(void)
{
	for (int i = 0; i < SIZE; i++)
		form[i] = NAN;
}

/* Stores the elements of a whose distance from the diagonal is at most `below` and `above`. */
static void make_band(int rows, int columns, int below, int above)
{
	clear_form();
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			if (i - j <= below && j - i <= above)
				form[above + i - j + j * PITCH] = a[i + j * LDA];
	upload(df, form, SIZE);
}

static int packed_index(int i, int j, int upper)
{
	return upper ? i + j * (j + 1) / 2 : i + j * (2 * M - j - 1) / 2;
}

static void make_packed(const z *from, int pitch, int upper)
{
	clear_form();
	for (int j = 0; j < M; j++)
		for (int i = upper ? 0 : j; i <= (upper ? j : M - 1); i++)
			form[packed_index(i, j, upper)] = from[i + j * pitch];
	upload(df, form, SIZE);
}

static void test_general_bands(void)
{
	for (int op = 0; op < 3; op++) {
		int rows = op ? N : M, columns = op ? M : N;

		begin();
		make_band(M, N, BELOW, ABOVE);
		for (int i = 0; i < rows; i++) {
			z sum = 0;

			for (int j = 0; j < columns; j++) {
				int p = op ? j : i, q = op ? i : j;

				if (p - q <= BELOW && q - p <= ABOVE)
					sum += element(a, LDA, i, j, op) * b[2 * (columns - 1 - j)];
			}
			want[3 * i] = alpha * sum + beta * c[3 * i];
		}
		end("gbmv",
			named("cublas%cgbmv_v2")(
				h, op, M, N, BELOW, ABOVE, alpha_bytes, df, PITCH, db, -2, beta_bytes, dc, 3),
			dc);
	}
	expect("gbmv pitch",
		named("cublas%cgbmv_v2")(
			h, 0, M, N, BELOW, ABOVE, alpha_bytes, df, 3, db, 1, beta_bytes, dc, 1),
		7);
	expect("gbmv handle",
		named("cublas%cgbmv_v2")(
			NULL, 0, M, N, BELOW, ABOVE, alpha_bytes, df, PITCH, db, 1, beta_bytes, dc, 1),
		1);
}

static void test_mirrored(int upper, bool hermitian)
{
	for (int packed = 0; packed < 2; packed++) {
		int wide = packed ? M : WIDE, e;

		begin();
		for (int i = 0; i < M; i++) {
			z sum = 0;

			for (int k = 0; k < M; k++)
				if (abs(i - k) <= wide)
					sum += mirrored(a, LDA, i, k, upper, hermitian) * b[k];
			want[i] = alpha * sum + beta * c[i];
		}
		if (packed) {
			make_packed(a, LDA, upper);
			e = named(hermitian ? "cublas%chpmv_v2" : "cublas%cspmv_v2")(
				h, upper, M, alpha_bytes, df, db, 1, beta_bytes, dc, 1);
		} else {
			make_band(M, M, upper ? 0 : WIDE, upper ? WIDE : 0);
			e = named(hermitian ? "cublas%chbmv_v2" : "cublas%csbmv_v2")(
				h, upper, M, WIDE, alpha_bytes, df, PITCH, db, 1, beta_bytes, dc, 1);
		}
		end(packed ? "spmv" : "sbmv", e, dc);
	}
}

/* Updates a packed triangle with one vector and with two. */
static void test_packed_updates(int upper, bool hermitian)
{
	for (int two = 0; two < 2; two++) {
		z factor = hermitian && !two ? creal(alpha) : alpha;
		int e;

		begin();
		make_packed(c, LDC, upper);
		for (int i = 0; i < SIZE; i++)
			want[i] = -1;
		for (int j = 0; j < M; j++)
			for (int i = upper ? 0 : j; i <= (upper ? j : M - 1); i++) {
				z x = a[i], y = two ? b[2 * j] : a[j],
				  v = factor * x * (hermitian ? conj(y) : y) + c[i + j * LDC];

				if (two)
					v += hermitian ? conj(factor) * b[2 * i] * conj(a[j])
						       : factor * b[2 * i] * a[j];
				want[packed_index(i, j, upper)] = hermitian && i == j ? creal(v) : v;
			}
		for (int i = PACKED; i < SIZE; i++)
			form[i] = -1;
		upload(df, form, SIZE);
		if (two)
			e = named(hermitian ? "cublas%chpr2_v2" : "cublas%cspr2_v2")(
				h, upper, M, alpha_bytes, da, 1, db, 2, df);
		else
			e = named(hermitian ? "cublas%chpr_v2" : "cublas%cspr_v2")(
				h, upper, M, alpha_bytes, da, 1, df);
		end(two ? "spr2" : "spr", e, df);
	}
}

/* Multiplies by a triangular matrix, and solves with it, which gives the vector again. */
static void test_triangles(int upper, int unit, int op)
{
	for (int packed = 0; packed < 2; packed++) {
		int wide = packed ? M : WIDE, e;

		begin();
		for (int i = 0; i < M; i++) {
			z sum = 0;

			for (int k = 0; k < M; k++)
				if (abs(i - k) <= wide)
					sum += triangular(a, LDA, i, k, upper, op, unit) * c[2 * k];
			want[2 * i] = sum;
		}
		if (packed)
			make_packed(a, LDA, upper);
		else
			make_band(M, M, upper ? 0 : WIDE, upper ? WIDE : 0);
		e = packed ? named("cublas%ctpmv_v2")(h, upper, op, unit, M, df, dc, 2)
			   : named("cublas%ctbmv_v2")(h, upper, op, unit, M, WIDE, df, PITCH, dc, 2);
		end(packed ? "tpmv" : "tbmv", e, dc);
		for (int i = 0; i < SIZE; i++)
			want[i] = c[i];
		e = packed ? named("cublas%ctpsv_v2")(h, upper, op, unit, M, df, dc, 2)
			   : named("cublas%ctbsv_v2")(h, upper, op, unit, M, WIDE, df, PITCH, dc, 2);
		end(packed ? "tpsv" : "tbsv", e, dc);
	}
}

/* Packs and unpacks a triangle. The other triangle is not changed. */
static void test_packing(int upper)
{
	begin();
	make_packed(a, LDA, upper);
	for (int i = 0; i < M * M; i++)
		if (upper ? i % M <= i / M : i % M >= i / M)
			want[i % M + i / M * LDC] = a[i % M + i / M * LDA];
	end("tpttr", named("cublas%ctpttr")(h, upper, M, df, dc, LDC), dc);
	begin();
	for (int j = 0; j < M; j++)
		for (int i = upper ? 0 : j; i <= (upper ? j : M - 1); i++)
			want[packed_index(i, j, upper)] = a[i + j * LDA];
	end("trttp", named("cublas%ctrttp")(h, upper, M, da, LDA, dc), dc);
	expect("trttp pitch", named("cublas%ctrttp")(h, upper, M, da, M - 1, dc), 7);
	expect("tpttr fill", named("cublas%ctpttr")(h, 2, M, df, dc, LDC), 7);
}

/* Tests that a negative zero is copied, and not added to zero. */
static void test_negative_zero(void)
{
	z zero = CMPLX(-0.0, is_complex() ? -0.0 : 0);
	char got[16];

	upload(df, &zero, 1);
	expect("tpttr of one", named("cublas%ctpttr")(h, 0, 1, df, dc, 1), 0);
	cudaMemcpy(got, dc, bytes(), 2);
	expect("sign", !!signbit(creal(get(got, 0))), 1);
}

/* Tests functions with lengths of 64 bits. */
static void test_long_lengths(void)
{
	const int64_t n = M, step = 1, wide = 0, pitch = 1;

	begin();
	for (int i = 0; i < M; i++)
		want[i] = alpha * (is_complex() ? creal(a[i]) : a[i]) * b[i] + beta * c[i];
	end("sbmv_64",
		named(is_complex() ? "cublas%chbmv_v2_64" : "cublas%csbmv_v2_64")(
			h, 1, n, wide, alpha_bytes, da, pitch, db, step, beta_bytes, dc, step),
		dc);
}

int main(void)
{
	cublasCreate_v2(&h);
	cudaMalloc(&da, SIZE * 16);
	cudaMalloc(&db, SIZE * 16);
	cudaMalloc(&dc, SIZE * 16);
	cudaMalloc(&df, SIZE * 16);
	for (type = 0; type < 4; type++) {
		set_operands();
		test_general_bands();
		for (int upper = 0; upper < 2; upper++) {
			test_mirrored(upper, is_complex());
			test_packed_updates(upper, is_complex());
			test_packing(upper);
		}
		for (int way = 0; way < 12; way++)
			test_triangles(way & 1, way >> 1 & 1, way >> 2);
		test_negative_zero();
		test_long_lengths();
	}
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	cudaFree(df);
	cublasDestroy_v2(h);
	return bad;
}
