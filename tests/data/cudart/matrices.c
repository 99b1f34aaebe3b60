/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares functions of cuBLAS with loops on the host, in all four precisions: sums, products and updates of symmetric,
 * Hermitian and triangular matrices, solutions, rotations, and complex products. Prints a line for each difference.
 */
#include "matrices.h"

static void test_sums(void)
{
	for (int op = 0; op < 9; op++) {
		begin();
		for (int i = 0; i < N * N; i++)
			want[i % N + i / N * LDC] = alpha * element(a, LDA, i % N, i / N, op % 3) +
						    beta * element(b, LDB, i % N, i / N, op / 3);
		end("geam",
			named("cublas%cgeam")(
				h, op % 3, op / 3, N, N, alpha_bytes, da, LDA, beta_bytes, db, LDB, dc, LDC),
			dc);
	}
	for (int side = 0; side < 2; side++) {
		begin();
		for (int i = 0; i < M * N; i++)
			want[i % M + i / M * LDC] = a[i % M + i / M * LDA] * b[2 * (side ? i / M : i % M)];
		end("dgmm", named("cublas%cdgmm")(h, side, M, N, da, LDA, db, 2, dc, LDC), dc);
	}
	begin(); /* a scalar of 0: the operand is not read */
	for (int i = 0; i < M * N; i++)
		want[i % M + i / M * LDC] = alpha * a[i % M + i / M * LDA];
	end("geam of one", named("cublas%cgeam")(h, 0, 0, M, N, alpha_bytes, da, LDA, none, NULL, M, dc, LDC),
		dc);
	end("geam of the other",
		named("cublas%cgeam")(h, 0, 0, M, N, none, NULL, M, alpha_bytes, da, LDA, dc, LDC), dc);
	expect("geam pitch",
		named("cublas%cgeam")(h, 0, 0, M, N, alpha_bytes, da, M - 1, beta_bytes, db, LDB, dc, LDC),
		7);
	expect("geam in place",
		named("cublas%cgeam")(h, 1, 0, N, N, alpha_bytes, dc, LDC, beta_bytes, db, LDB, dc, LDC), 7);
	expect("no handle",
		named("cublas%cgeam")(NULL, 0, 0, M, N, alpha_bytes, da, LDA, beta_bytes, db, LDB, dc, LDC),
		1);
}

static void test_symmetric(bool hermitian)
{
	for (int way = 0; way < 4; way++) {
		int side = way & 1, upper = way >> 1;

		begin();
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				z sum = 0;

				for (int k = 0; k < (side ? N : M); k++)
					sum += side ? b[i + k * LDB] *
							       mirrored(a, LDA, k, j, upper, hermitian)
						    : mirrored(a, LDA, i, k, upper, hermitian) *
							       b[k + j * LDB];
				want[i + j * LDC] = alpha * sum + beta * c[i + j * LDC];
			}
		end("symm",
			named(hermitian ? "cublas%chemm_v2" : "cublas%csymm_v2")(
				h, side, upper, M, N, alpha_bytes, da, LDA, db, LDB, beta_bytes, dc, LDC),
			dc);
		begin();
		for (int i = 0; i < M; i++) {
			z sum = 0;

			for (int k = 0; k < M; k++)
				sum += mirrored(a, LDA, i, k, upper, hermitian) * b[2 * (M - 1 - k)];
			want[i] = alpha * sum + beta * c[i];
		}
		end("symv",
			named(hermitian ? "cublas%chemv_v2" : "cublas%csymv_v2")(
				h, upper, M, alpha_bytes, da, LDA, db, -2, beta_bytes, dc, 1),
			dc);
	}
}

/* Returns a rank update of element (i, j): kind 0 with a, kind 1 with a and b, kind 2 with both orders of a and b. */
static z update(int i, int j, int op, int kind, bool hermitian, z factor)
{
	z sum = 0;

	for (int k = 0; k < K; k++) {
		z ai = element(a, LDA, i, k, op), aj = element(a, LDA, j, k, op),
		  bi = element(b, LDB, i, k, op), bj = element(b, LDB, j, k, op);

		if (kind == 0)
			sum += factor * ai * (hermitian ? conj(aj) : aj);
		else
			sum += factor * ai * (hermitian ? conj(bj) : bj);
		if (kind == 2)
			sum += (hermitian ? conj(factor) * bi * conj(aj) : factor * bi * aj);
	}
	return sum;
}

static void test_updates(bool hermitian)
{
	static const char *const names[2][3] = {{"cublas%csyrk_v2", "cublas%csyrkx", "cublas%csyr2k_v2"},
		{"cublas%cherk_v2", "cublas%cherkx", "cublas%cher2k_v2"}};

	for (int way = 0; way < 12; way++) {
		int kind = way % 3, upper = way / 3 & 1, op = way < 6 ? 0 : hermitian ? 2 : 1, e;
		z factor = hermitian && !kind ? creal(alpha) : alpha, rest = hermitian ? creal(beta) : beta;
		function *f = named(names[hermitian][kind]);

		begin();
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				z v = update(i, j, op, kind, hermitian, factor) + rest * c[i + j * LDC];

				if (upper ? i <= j : i >= j)
					want[i + j * LDC] = hermitian && i == j ? creal(v) : v;
			}
		if (hermitian && kind == 1) /* only the product with its own conjugate has a real diagonal */
			for (int i = 0; i < N; i++)
				want[i * LDC + i] =
					creal(update(i, i, op, 1, true, factor) + rest * c[i + i * LDC]);
		if (kind)
			e = f(h, upper, op, N, K, alpha_bytes, da, LDA, db, LDB, beta_bytes, dc, LDC);
		else
			e = f(h, upper, op, N, K, alpha_bytes, da, LDA, beta_bytes, dc, LDC);
		end(names[hermitian][kind], e, dc);
	}
	for (int upper = 0; upper < 2; upper++)
		for (int two = 0; two < 2; two++) {
			z factor = hermitian && !two ? creal(alpha) : alpha;
			int e;

			begin();
			for (int i = 0; i < N; i++)
				for (int j = 0; j < N; j++) {
					z x = a[i], y = two ? b[2 * j] : a[j],
					  v = factor * x * (hermitian ? conj(y) : y) + c[i + j * LDC];

					if (two)
						v += (hermitian ? conj(factor) * b[2 * i] * conj(a[j])
								: factor * b[2 * i] * a[j]);
					if (upper ? i <= j : i >= j)
						want[i + j * LDC] = hermitian && i == j ? creal(v) : v;
				}
			if (two)
				e = named(hermitian ? "cublas%cher2_v2" : "cublas%csyr2_v2")(
					h, upper, N, alpha_bytes, da, 1, db, 2, dc, LDC);
			else
				e = named(hermitian ? "cublas%cher_v2" : "cublas%csyr_v2")(
					h, upper, N, alpha_bytes, da, 1, dc, LDC);
			end("syr", e, dc);
		}
}

static void test_triangular(int side, int upper, int op, int unit)
{
	int order = side ? N : M;

	begin();
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			z sum = 0;

			for (int k = 0; k < order; k++)
				sum += side ? b[i + k * LDB] * triangular(a, LDA, k, j, upper, op, unit)
					    : triangular(a, LDA, i, k, upper, op, unit) * b[k + j * LDB];
			want[i + j * LDC] = alpha * sum;
		}
	end("trmm",
		named("cublas%ctrmm_v2")(
			h, side, upper, op, unit, M, N, alpha_bytes, da, LDA, db, LDB, dc, LDC),
		dc);
	/* the solution of that product is b again; both in place */
	for (int i = 0; i < SIZE; i++)
		want[i] = b[i];
	for (int i = 0; i < M * N; i++)
		want[i % M + i / M * LDB] *= alpha * alpha;
	expect("trmm in place",
		named("cublas%ctrmm_v2")(
			h, side, upper, op, unit, M, N, alpha_bytes, da, LDA, db, LDB, db, LDB),
		0);
	end("trsm", named("cublas%ctrsm_v2")(h, side, upper, op, unit, M, N, alpha_bytes, da, LDA, db, LDB),
		db);
	if (side)
		return;
	for (int i = 0; i < SIZE; i++)
		want[i] = c[i];
	upload(dc, c, SIZE);
	expect("trmv", named("cublas%ctrmv_v2")(h, upper, op, unit, M, da, LDA, dc, -2), 0);
	end("trsv", named("cublas%ctrsv_v2")(h, upper, op, unit, M, da, LDA, dc, -2), dc);
}

/* Solves systems whose addresses are in device memory, and multiplies such matrices by vectors. */
static void test_batches(void)
{
	void *addresses[3 * BATCHES], *dp;

	for (int i = 0; i < BATCHES; i++) {
		addresses[i] = (char *)da + (size_t)i * bytes();
		addresses[BATCHES + i] = (char *)db + (size_t)(32 * i) * bytes();
		addresses[2 * BATCHES + i] = (char *)dc + (size_t)(32 * i) * bytes();
	}
	cudaMalloc(&dp, sizeof(addresses));
	cudaMemcpy(dp, addresses, sizeof(addresses), 1);
	void **p = dp;

	begin();
	for (int i = 0; i < SIZE; i++)
		want[i] = b[i];
	for (int batch = 0; batch < BATCHES; batch++)
		for (int j = 0; j < 2; j++)
			for (int i = 0; i < K; i++) {
				z v = alpha * b[32 * batch + i + j * LDB];

				for (int k = 0; k < i; k++)
					v -= a[batch + i + k * LDA] * want[32 * batch + k + j * LDB];
				want[32 * batch + i + j * LDB] = v / a[batch + i + i * LDA];
			}
	end("trsmBatched",
		named("cublas%ctrsmBatched")(
			h, 0, 0, 0, 0, K, 2, alpha_bytes, p, LDA, p + BATCHES, LDB, BATCHES),
		db);
	begin();
	for (int batch = 0; batch < BATCHES; batch++)
		for (int i = 0; i < N; i++) {
			z sum = 0;

			for (int k = 0; k < K; k++)
				sum += element(a + batch, LDA, i, k, 2) * b[32 * batch + 2 * k];
			want[32 * batch + i] = alpha * sum + beta * c[32 * batch + i];
		}
	end("gemvBatched",
		named("cublas%cgemvBatched")(h, 2, K, N, alpha_bytes, p, LDA, p + BATCHES, 2, beta_bytes,
			p + 2 * BATCHES, 1, BATCHES),
		dc);
	cudaFree(dp);
}

static void test_vectors(void)
{
	begin();
	for (int i = 0; i < N; i++)
		want[2 * i] = b[N - 1 - i];
	end("swap", named("cublas%cswap_v2")(h, N, dc, 2, db, -1), dc);
}

/* Tests the search for the first greatest and the first least of more elements than a block has threads. */
static void test_extremes(void)
{
	static const char *const names[4] = {
		"cublasIsam%s_v2", "cublasIdam%s_v2", "cublasIcam%s_v2", "cublasIzam%s_v2"};
	enum { LENGTH = 700 };
	char name[32], *buffer = malloc(LENGTH * 16);
	void *d;

	for (int i = 0; i < LENGTH; i++)
		put(buffer, i, i == 300 || i == 555 ? -9 : i == 411 || i == 412 ? .5 : 3 + I * (i % 2));
	cudaMalloc(&d, LENGTH * bytes());
	cudaMemcpy(d, buffer, LENGTH * bytes(), 1);
	for (int least = 0; least < 2; least++) {
		int place = 0;

		snprintf(name, sizeof(name), names[type], least ? "in" : "ax");
		expect(name, ((function *)dlsym(RTLD_DEFAULT, name))(h, LENGTH, d, 1, &place), 0);
		expect(name, place, least ? 412 : 301);
		expect(name, ((function *)dlsym(RTLD_DEFAULT, name))(h, 0, d, 1, &place), 0);
		expect(name, place, 0);
	}
	cudaFree(d);
	free(buffer);
}

static void test_real(void)
{
	char x[16], y[16], cosine_made[16], sine_made[16];
	const float cosine = .6f, sine = .8f, p[5] = {-1, 2, 3, 4, 5};
	const double wide_cosine = .6, wide_sine = .8, wide_p[5] = {-1, 2, 3, 4, 5};

	begin();
	for (int i = 0; i < N; i++)
		want[i] = .6 * c[i] + .8 * b[2 * i];
	end("rot",
		named("cublas%crot_v2")(h, N, dc, 1, db, 2, type ? (const void *)&wide_cosine : &cosine,
			type ? (const void *)&wide_sine : &sine),
		dc);
	begin();
	for (int i = 0; i < N; i++)
		want[i] = 3 * b[i] + 5 * c[i];
	put(x, 0, 3);
	put(y, 0, -4);
	expect("rotg", named("cublas%crotg_v2")(h, x, y, cosine_made, sine_made), 0);
	if (cabs(get(x, 0) + 5) + cabs(get(cosine_made, 0) + .6) + cabs(get(sine_made, 0) - .8) +
			cabs(get(y, 0) + 1 / .6) >
		1e-5)
		fail("rotg", 0, get(x, 0), -5);
	end("rotm", named("cublas%crotm_v2")(h, N, db, 1, dc, 1, type ? (const void *)wide_p : p), dc);
}

/* Stores addresses of parts of a matrix, 32 elements from each other, in device memory. */
static void *addresses_of(void *base)
{
	void *at[BATCHES], *p;

	for (int i = 0; i < BATCHES; i++)
		at[i] = (char *)base + (size_t)(32 * i) * bytes();
	cudaMalloc(&p, sizeof(at));
	cudaMemcpy(p, at, sizeof(at), 1);
	return p;
}

/* Tests least squares: the residual is orthogonal to the columns of a, and R^T R of the QR factors equals a^T a. */
static void test_least_squares(void)
{
	void *pa = addresses_of(da), *pb = addresses_of(db), *pc = addresses_of(dc), *results;
	char found[SIZE * 16];
	int numbers[BATCHES] = {9, 9}, info = 9;

	cudaMalloc(&results, sizeof(numbers));
	begin();
	expect("gels", named("cublas%cgelsBatched")(h, 0, M, K, 2, pa, M, pb, LDB, &info, results, BATCHES),
		0);
	cudaMemcpy(numbers, results, sizeof(numbers), 2);
	expect("gels info", info + numbers[0] + numbers[1], 0);
	cudaMemcpy(found, db, SIZE * bytes(), 2);
	for (int k = 0; k < BATCHES * 2 * K; k++) {
		const z *x = a + k / (2 * K) * 32, *y = b + k / (2 * K) * 32;
		int column = k / K % 2;
		double sum = 0;

		for (int i = 0; i < M; i++) {
			double rest = creal(y[i + column * LDB]);

			for (int j = 0; j < K; j++)
				rest -= creal(x[i + j * M]) *
					creal(get(found, k / (2 * K) * 32 + j + column * LDB));
			sum += rest * creal(x[i + k % K * M]);
		}
		if (!(fabs(sum) < 1e-3))
			fail("gels", k, sum, 0);
	}
	begin();
	expect("geqrf", named("cublas%cgeqrfBatched")(h, M, K, pa, M, pc, &info, BATCHES), 0);
	cudaMemcpy(found, da, SIZE * bytes(), 2);
	for (int k = 0; k < K * K; k++) {
		double squares = 0, factors = 0;
		int i = k % K, j = k / K;

		for (int r = 0; r < M; r++)
			squares += creal(a[r + i * M] * a[r + j * M]);
		for (int r = 0; r <= i && r <= j; r++)
			factors += creal(get(found, r + i * M) * get(found, r + j * M));
		if (!(fabs(squares - factors) < 1e-3))
			fail("geqrf", k, factors, squares);
	}
	for (int i = 0; i < SIZE; i++)
		want[i] = 0;
	upload(da, want, SIZE);
	expect("gels", named("cublas%cgelsBatched")(h, 0, M, K, 2, pa, M, pb, LDB, &info, results, BATCHES),
		0);
	cudaMemcpy(numbers, results, sizeof(numbers), 2);
	expect("gels of zeros", numbers[1], 1);
	expect("gels pitch",
		named("cublas%cgelsBatched")(h, 0, M, K, 2, pa, K, pb, LDB, &info, results, BATCHES), 7);
	cudaFree(results);
	cudaFree(pa);
	cudaFree(pb);
	cudaFree(pc);
}

/* Tests that the product of a matrix and its inverse is the identity. */
static void test_inverses(void)
{
	void *pa = addresses_of(da), *pb = addresses_of(db), *results;
	char found[SIZE * 16];
	int numbers[BATCHES] = {9, 9};
	z x[SIZE];

	cudaMalloc(&results, sizeof(numbers));
	begin();
	for (int i = 0; i < SIZE; i++)
		x[i] = a[i] + (i % 32 % (M + 1) ? 0 : 20);
	upload(da, x, SIZE);
	expect("matinv", named("cublas%cmatinvBatched")(h, N, pa, M, pb, LDB, results, BATCHES), 0);
	cudaMemcpy(numbers, results, sizeof(numbers), 2);
	expect("matinv info", numbers[0] + numbers[1], 0);
	cudaMemcpy(found, db, SIZE * bytes(), 2);
	for (int k = 0; k < BATCHES * N * N; k++) {
		int batch = k / (N * N), i = k % N, j = k / N % N;
		double sum = 0;

		for (int r = 0; r < N; r++)
			sum += creal(x[32 * batch + i + r * M]) * creal(get(found, 32 * batch + r + j * LDB));
		if (!(fabs(sum - (i == j)) < 1e-3))
			fail("matinv", k, sum, i == j);
	}
	for (int i = 0; i < SIZE; i++)
		want[i] = x[i];
	end("matinv leaves a", 0, da);
	expect("matinv size", named("cublas%cmatinvBatched")(h, 33, pa, 33, pb, 33, results, BATCHES), 7);
	cudaFree(results);
	cudaFree(pa);
	cudaFree(pb);
}

/* Returns a real number of the precision of the type. */
static double real_result(const void *p) { return type & 1 ? *(const double *)p : (double)*(const float *)p; }

static void test_complex_products(void)
{
	for (int op = 0; op < 9; op++) {
		begin();
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				z v = 0;

				for (int k = 0; k < K; k++)
					v += element(a, LDA, i, k, op % 3) * element(b, LDB, k, j, op / 3);
				want[i + j * LDC] = alpha * v + beta * c[i + j * LDC];
			}
		end("gemm",
			named(op & 1 ? "cublas%cgemm3m" : "cublas%cgemm_v2")(h, op % 3, op / 3, N, N, K,
				alpha_bytes, da, LDA, db, LDB, beta_bytes, dc, LDC),
			dc);
	}
	for (int conjugate = 0; conjugate < 2; conjugate++) {
		begin();
		for (int i = 0; i < M * N; i++)
			want[i % M + i / M * LDC] +=
				alpha * a[i % M] * (conjugate ? conj(b[2 * (i / M)]) : b[2 * (i / M)]);
		end("ger",
			named(conjugate ? "cublas%cgerc_v2" : "cublas%cgeru_v2")(
				h, M, N, alpha_bytes, da, 1, db, 2, dc, LDC),
			dc);
	}
}

static void test_complex_vectors(void)
{
	char result[16], real[16];
	z sum = 0, conjugates = 0;
	double squares = 0, magnitudes = 0;

	begin();
	for (int i = 0; i < N; i++)
		want[i] += alpha * a[2 * i];
	end("axpy", named("cublas%caxpy_v2")(h, N, alpha_bytes, da, 2, dc, 1), dc);
	for (int i = 0; i < N; i++)
		want[i] *= alpha;
	end("scal", named("cublas%cscal_v2")(h, N, alpha_bytes, dc, 1), dc);
	for (int i = 0; i < N; i++)
		want[i] *= creal(alpha);
	end("real scal", named(type == 2 ? "cublas%csscal_v2" : "cublas%cdscal_v2")(h, N, alpha_bytes, dc, 1),
		dc);
	for (int i = 0; i < M; i++) {
		want[i] = a[i];
		sum += a[i] * b[2 * i];
		conjugates += conj(a[i]) * b[2 * i];
		squares += creal(a[i] * conj(a[i]));
		magnitudes += fabs(creal(a[i])) + fabs(cimag(a[i]));
	}
	end("copy", named("cublas%ccopy_v2")(h, M, da, 1, dc, 1), dc);
	expect("dotu", named("cublas%cdotu_v2")(h, M, da, 1, db, 2, result), 0);
	if (cabs(get(result, 0) - sum) > 1e-4)
		fail("dotu", 0, get(result, 0), sum);
	expect("dotc", named("cublas%cdotc_v2")(h, M, da, 1, db, 2, result), 0);
	if (cabs(get(result, 0) - conjugates) > 1e-4)
		fail("dotc", 0, get(result, 0), conjugates);
	expect("nrm2", named(type == 2 ? "cublasScnrm2_v2" : "cublasDznrm2_v2")(h, M, da, 1, real), 0);
	if (fabs(real_result(real) - sqrt(squares)) > 1e-4)
		fail("nrm2", 0, real_result(real), sqrt(squares));
	expect("asum", named(type == 2 ? "cublasScasum_v2" : "cublasDzasum_v2")(h, M, da, 1, real), 0);
	if (fabs(real_result(real) - magnitudes) > 1e-4)
		fail("asum", 0, real_result(real), magnitudes);
}

int main(void)
{
	srand(3);
	cublasCreate_v2(&h);
	cudaMalloc(&da, SIZE * 16);
	cudaMalloc(&db, SIZE * 16);
	cudaMalloc(&dc, SIZE * 16);
	cudaMalloc(&scalars, 32);
	for (type = 0; type < 4; type++) {
		set_operands();
		test_sums();
		test_symmetric(false);
		test_updates(false);
		for (int way = 0; way < 24; way++)
			test_triangular(way & 1, way >> 1 & 1, way >> 3, way >> 2 & 1);
		test_batches();
		test_vectors();
		test_extremes();
		if (is_complex()) {
			test_symmetric(true);
			test_updates(true);
			test_complex_products();
			test_complex_vectors();
		} else {
			test_real();
			test_least_squares();
			test_inverses();
		}
	}
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	cudaFree(scalars);
	cublasDestroy_v2(h);
	return bad;
}
