/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares functions of cuBLAS whose arguments name the types, and functions that make rotations, with loops on the host.
 * Prints a line for each difference.
 */
#include "matrices.h"

/* Returns the number of the current type, or of the type of its parts, in cudaDataType. */
static int code(void) { return is_complex() ? type + 2 : type; }
static int real_code(void) { return type & 1; }

static double real_result(const void *p) { return type & 1 ? *(const double *)p : (double)*(const float *)p; }

static void test_additions(void)
{
	const int t = code();

	begin();
	for (int i = 0; i < N; i++)
		want[i] += alpha * a[2 * i];
	end("AxpyEx", named("cublasAxpyEx")(h, N, alpha_bytes, t, da, t, 2, dc, t, 1, t), dc);
	begin();
	for (int i = 0; i < N; i++)
		want[2 * i] *= alpha;
	end("ScalEx", named("cublasScalEx")(h, N, alpha_bytes, t, dc, t, 2, t), dc);
	begin();
	for (int i = 0; i < N; i++)
		want[N - 1 - i] = a[i];
	end("CopyEx", named("cublasCopyEx")(h, N, da, t, 1, dc, t, -1), dc);
	begin();
	for (int i = 0; i < N; i++)
		want[3 * i] = b[i];
	end("SwapEx", named("cublasSwapEx")(h, N, db, t, 1, dc, t, 3), dc);
	expect("AxpyEx types", named("cublasAxpyEx")(h, N, alpha_bytes, t, da, t, 2, dc, 10, 1, t), 15);
}

static void test_sums(void)
{
	const int t = code(), real = real_code();
	char result[16];
	z sum = 0, conjugates = 0;
	double squares = 0, magnitudes = 0;

	begin();
	for (int i = 0; i < M; i++) {
		sum += a[i] * b[2 * i];
		conjugates += conj(a[i]) * b[2 * i];
		squares += creal(a[i] * conj(a[i]));
		magnitudes += fabs(creal(a[i])) + fabs(cimag(a[i]));
	}
	expect("DotEx", named("cublasDotEx")(h, M, da, t, 1, db, t, 2, result, t, t), 0);
	if (cabs(get(result, 0) - sum) > 1e-4)
		fail("DotEx", 0, get(result, 0), sum);
	expect("DotcEx", named("cublasDotcEx")(h, M, da, t, 1, db, t, 2, result, t, t), 0);
	if (cabs(get(result, 0) - conjugates) > 1e-4)
		fail("DotcEx", 0, get(result, 0), conjugates);
	expect("Nrm2Ex", named("cublasNrm2Ex")(h, M, da, t, 1, result, real, real), 0);
	if (fabs(real_result(result) - sqrt(squares)) > 1e-4)
		fail("Nrm2Ex", 0, real_result(result), sqrt(squares));
	expect("AsumEx", named("cublasAsumEx")(h, M, da, t, 1, result, real, real), 0);
	if (fabs(real_result(result) - magnitudes) > 1e-4)
		fail("AsumEx", 0, real_result(result), magnitudes);
}

static void test_rotations(void)
{
	const float cosine = .6f, sine = .8f, p[5] = {-1, 2, 3, 4, 5};
	const double wide_cosine = .6, wide_sine = .8, wide_p[5] = {-1, 2, 3, 4, 5};
	const int t = code(), real = real_code();

	begin();
	for (int i = 0; i < N; i++)
		want[i] = .6 * c[i] + .8 * b[2 * i];
	end("RotEx",
		named("cublasRotEx")(h, N, dc, t, 1, db, t, 2, real ? (const void *)&wide_cosine : &cosine,
			real ? (const void *)&wide_sine : &sine, real, t),
		dc);
	if (is_complex()) {
		const float complex_sine[] = {.48f, -.64f};
		const double wide_sines[] = {.48, -.64};
		const void *sines = real ? (const void *)wide_sines : complex_sine;
		const void *cosines = real ? (const void *)&wide_cosine : &cosine;

		begin();
		for (int i = 0; i < N; i++)
			want[N - 1 - i] = .6 * c[N - 1 - i] + (.48 - .64 * I) * b[2 * i];
		end("rot of x", named("cublas%crot_v2")(h, N, dc, -1, db, 2, cosines, sines), dc);
		begin();
		for (int i = 0; i < N; i++)
			want[2 * i] = .6 * c[2 * i] - (.48 + .64 * I) * b[i];
		end("rot of y", named("cublas%crot_v2")(h, N, db, 1, dc, 2, cosines, sines), dc);
	}
	begin();
	for (int i = 0; i < N; i++)
		want[i] = 3 * b[i] + 5 * c[i];
	if (!is_complex())
		end("RotmEx",
			named("cublasRotmEx")(
				h, N, db, t, 1, dc, t, 1, real ? (const void *)wide_p : p, t, t),
			dc);
}

static void test_updates(void)
{
	static const char *const names[2][2] = {
		{"cublasCsyrkEx", "cublasCsyrk3mEx"}, {"cublasCherkEx", "cublasCherk3mEx"}};

	for (int way = 0; way < 4; way++) {
		bool hermitian = way & 1;
		z factor = hermitian ? creal(alpha) : alpha, rest = hermitian ? creal(beta) : beta;

		begin();
		for (int j = 0; j < N; j++)
			for (int i = j; i < N; i++) {
				z sum = 0, old = c[i + j * LDC];

				for (int k = 0; k < K; k++)
					sum += a[i + k * LDA] *
					       (hermitian ? conj(a[j + k * LDA]) : a[j + k * LDA]);
				sum = factor * sum + rest * old;
				want[i + j * LDC] = hermitian && i == j ? creal(sum) : sum;
			}
		end("update",
			named(names[hermitian][way >> 1])(
				h, 0, 0, N, K, alpha_bytes, da, 4, LDA, beta_bytes, dc, 4, LDC),
			dc);
	}
}

static void test_complex_rotation(void)
{
	static const z of_a[] = {3 + 4 * I, 0, -2 * I, 0}, of_b[] = {1 - 2 * I, 2 + I, 0, 0};
	char x[16], y[16], cosine[16], sine[16];

	for (int i = 0; i < 4; i++) {
		put(x, 0, of_a[i]);
		put(y, 0, of_b[i]);
		expect("rotg", named("cublas%crotg_v2")(h, x, y, cosine, sine), 0);
		z s = get(sine, 0), r = real_result(cosine) * of_a[i] + s * of_b[i],
		  zero = real_result(cosine) * of_b[i] - conj(s) * of_a[i];

		if (cabs(r - get(x, 0)) + cabs(zero) > 1e-5)
			fail("rotg", i, get(x, 0), r);
	}
}

static void test_real_rotation(void)
{
	static const double of_a[] = {3, 0, -2, 0, 1}, of_b[] = {4, 5, 1, 0, -7};
	char x[16], y[16], cosine[16], sine[16];

	for (int i = 0; i < 5; i++) {
		put(x, 0, of_a[i]);
		put(y, 0, of_b[i]);
		expect("RotgEx", named("cublasRotgEx")(h, x, y, type, cosine, sine, type, type), 0);
		double r = real_result(cosine) * of_a[i] + real_result(sine) * of_b[i],
		       zero = real_result(cosine) * of_b[i] - real_result(sine) * of_a[i];

		if (fabs(r - real_result(x)) + fabs(zero) + fabs(fabs(r) - hypot(of_a[i], of_b[i])) > 1e-5)
			fail("RotgEx", i, real_result(x), r);
	}
}

static double part_of(const void *p, int i)
{
	return type & 1 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

/*
 * Tests the modified rotation of two scalars, also with named types. Compares the flag, the lengths, and the element that
 * becomes zero.
 */
static void test_modified(bool typed, double d1, double d2, double x, double y, double flag)
{
	char of_d1[8], of_d2[8], of_x[8], of_y[8], p[40] = {0};
	double m[4], length = d1 * x * x + d2 * y * y;

	put(of_d1, 0, d1);
	put(of_d2, 0, d2);
	put(of_x, 0, x);
	put(of_y, 0, y);
	if (typed)
		expect("RotmgEx",
			named("cublasRotmgEx")(
				h, of_d1, type, of_d2, type, of_x, type, of_y, type, p, type, type),
			0);
	else
		expect("rotmg", named("cublas%crotmg_v2")(h, of_d1, of_d2, of_x, of_y, p), 0);
	if (part_of(p, 0) != flag)
		fail("rotmg flag", 0, part_of(p, 0), flag);
	if (flag == -2)
		return;
	m[0] = flag == 0 ? 1 : part_of(p, 1), m[1] = flag == 1 ? -1 : part_of(p, 2);
	m[2] = flag == 1 ? 1 : part_of(p, 3), m[3] = flag == 0 ? 1 : part_of(p, 4);
	if (d1 < 0) {
		if (m[0] != 0 || m[1] != 0 || part_of(of_x, 0) != 0)
			fail("rotmg without a rotation", 0, m[0], 0);
		return;
	}
	double made = part_of(of_d1, 0) * part_of(of_x, 0) * part_of(of_x, 0);

	if (fabs(m[0] * x + m[2] * y - part_of(of_x, 0)) > 1e-4 * fabs(part_of(of_x, 0)) ||
		fabs(m[1] * x + m[3] * y) > 1e-5 * fabs(m[1] * x) || fabs(made - length) > 1e-4 * length)
		fail("rotmg", 0, made, length);
}

int main(void)
{
	cublasCreate_v2(&h);
	cudaMalloc(&da, SIZE * 16);
	cudaMalloc(&db, SIZE * 16);
	cudaMalloc(&dc, SIZE * 16);
	for (type = 0; type < 4; type++) {
		set_operands();
		test_additions();
		test_sums();
		test_rotations();
		if (is_complex()) {
			test_complex_rotation();
			if (type == 2)
				test_updates();
			continue;
		}
		test_real_rotation();
		for (int typed = 0; typed < 2; typed++) {
			test_modified(typed, 2, 3, 4, 1, 0);
			test_modified(typed, 2, 3, 1, 4, 1);
			test_modified(typed, 2, 3, 4, 0, -2);
			test_modified(typed, -1, 3, 4, 1, -1);
			test_modified(typed, 1e-9, 3e-9, 4, 1, -1);
			test_modified(typed, 1e9, 1e-9, 4, 1, -1);
		}
	}
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	cublasDestroy_v2(h);
	return bad;
}
