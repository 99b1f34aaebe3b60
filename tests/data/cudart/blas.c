/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares matrix products, vector functions and cublasLt with loops on the host. Prints a line for each
 * difference.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int),
	cudaDeviceSynchronize(void);
int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetPointerMode_v2(void *, int),
	cublasGetVersion_v2(void *, int *);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
	const float *, float *, int);
int cublasDgemm_v2(void *, int, int, int, int, int, const double *, const double *, int, const double *, int,
	const double *, double *, int);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int,
	int, const void *, void *, int, int, int, int);
int cublasSgemmStridedBatched(void *, int, int, int, int, int, const float *, const float *, int, long long,
	const float *, int, long long, const float *, float *, int, long long, int);
int cublasSgemmBatched(void *, int, int, int, int, int, const float *, const float *const *, int,
	const float *const *, int, const float *, float *const *, int, int);
int cublasSgemmGroupedBatched(void *, const int *, const int *, const int *, const int *, const int *,
	const float *, const float *const *, const int *, const float *const *, const int *, const float *,
	float *const *, const int *, int, const int *);
int cublasGemmGroupedBatchedEx_64(void *, const int *, const int *, const int64_t *, const int64_t *,
	const int64_t *, const void *, const void *const *, int, const int64_t *, const void *const *, int,
	const int64_t *, const void *, void *const *, int, const int64_t *, int64_t, const int64_t *, int);
int cublasSetEmulationStrategy(void *, int), cublasGetEmulationStrategy(void *, int *);
int cublasSgemv_v2(void *, int, int, int, const float *, const float *, int, const float *, int,
	const float *, float *, int);
int cublasSaxpy_v2_64(void *, int64_t, const float *, const float *, int64_t, float *, int64_t);
int cublasSscal_v2(void *, int, const float *, float *, int),
	cublasSdot_v2(void *, int, const float *, int, const float *, int, float *);
int cublasDnrm2_v2(void *, int, const double *, int, double *),
	cublasSasum_v2(void *, int, const float *, int, float *);
int cublasSger_v2(void *, int, int, const float *, const float *, int, const float *, int, float *, int);
int cublasSgetrfBatched(void *, int, float *const *, int, int *, int *, int),
	cublasSgetrsBatched(void *, int, int, int, const float *const *, int, const int *, float *const *,
		int, int *, int);
int cublasDgetrfBatched(void *, int, double *const *, int, int *, int *, int),
	cublasDgetriBatched(
		void *, int, const double *const *, int, const int *, double *const *, int, int *, int);
int cublasSetMatrix(int, int, int, const void *, int, void *, int), cublasUint8gemmBias(void);
int cublasLtCreate(void **), cublasLtDestroy(void *), cublasLtMatmulDescCreate(void **, int, int);
int cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t),
	cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmulPreferenceCreate(void **), cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *,
						     void *, void *, void *, int, void *, int *);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *,
	const void *, void *, void *, void *, const void *, void *, size_t, void *);
int cublasLtMatmulAlgoGetIds(void *, int, int, int, int, int, int, int, int *, int *),
	cublasLtMatmulAlgoInit(void *, int, int, int, int, int, int, int, void *),
	cublasLtMatmulAlgoCheck(void *, void *, void *, void *, void *, void *, const void *, void *),
	cublasLtMatmulAlgoCapGetAttribute(const void *, int, void *, size_t, size_t *),
	cublasLtMatmulAlgoConfigGetAttribute(const void *, int, void *, size_t, size_t *),
	cublasLtMatmulAlgoConfigSetAttribute(void *, int, const void *, size_t);
int cublasLtMatmulDescDestroy(void *), cublasLtMatrixLayoutDestroy(void *),
	cublasLtMatmulPreferenceDestroy(void *);

enum {
	M = 19,
	N = 33,
	K = 21,
	BATCHES = 2,
	F32 = 0,
	BF16 = 14,
	S8 = 3,
	S32 = 10,
	COMPUTE_32F = 68,
	COMPUTE_32I = 72
};

static int bad;

static void expect_value(double got, double expected, int line)
{
	if (fabs(got - expected) <= 1e-3 * (1 + fabs(expected)))
		return;
	bad = 1;
	printf("%d: %g, expected %g\n", line, got, expected);
}
#define IS(expected, got) expect_value(got, expected, __LINE__)

static float a[BATCHES * M * K], b[BATCHES * K * N], c[BATCHES * M * N], got[BATCHES * M * N];
static float *da, *db, *dc;
static void *h;

static float product(const float *x, int row_x, int column_x, const float *y, int row_y, int column_y)
{
	float sum = 0;

	for (int k = 0; k < K; k++)
		sum += x[row_x + k * column_x] * y[row_y * k + column_y];
	return sum;
}

static void reset(void) { cudaMemcpy(dc, c, sizeof(c), 1); }

static void test_gemm(void)
{
	const float alpha = 2, beta = .5f, zero = 0;
	float *scalars;
	const float *pa[BATCHES] = {da, da + M * K}, *pb[BATCHES] = {db, db + K * N};
	float *pc[BATCHES] = {dc, dc + M * N}, **dp;

	reset();
	IS(0, cublasSgemm_v2(h, 0, 0, M, N, K, &alpha, da, M, db, K, &beta, dc, M));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M * N; i++)
		IS(2 * product(a, i % M, M, b, 1, i / M * K) + .5 * c[i], got[i]);
	reset(); /* if transposed, a is K by M and b is N by K */
	IS(0, cublasSgemm_v2(h, 1, 1, M, N, K, &alpha, da, K, db, N, &zero, dc, M));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M * N; i++)
		IS(2 * product(a, i % M * K, 1, b, N, i / M), got[i]);
	reset();
	IS(0, cublasSgemmStridedBatched(
		      h, 0, 0, M, N, K, &alpha, da, M, M * K, db, K, K * N, &beta, dc, M, M * N, BATCHES));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < BATCHES * M * N; i++) {
		int z = i / (M * N), j = i % (M * N);

		IS(2 * product(a + z * M * K, j % M, M, b + z * K * N, 1, j / M * K) + .5 * c[i], got[i]);
	}
	reset();
	cudaMalloc((void **)&dp, 6 * sizeof(*dp));
	cudaMemcpy(dp, pa, sizeof(pa), 1);
	cudaMemcpy(dp + 2, pb, sizeof(pb), 1);
	cudaMemcpy(dp + 4, pc, sizeof(pc), 1);
	IS(0, cublasSgemmBatched(h, 0, 0, M, N, K, &alpha, (const float *const *)dp, M,
		      (const float *const *)(dp + 2), K, &beta, dp + 4, M, BATCHES));
	cudaMemcpy(got, dc, sizeof(got), 2);
	IS(2 * product(a + M * K, 3, M, b + K * N, 1, 4 * K) + .5 * c[M * N + 3 + 4 * M],
		got[M * N + 3 + 4 * M]);
	cudaFree(dp);
	/* alpha and beta are in device memory */
	reset();
	cudaMalloc((void **)&scalars, 8);
	cudaMemcpy(scalars, (float[]){2, .5f}, 8, 1);
	IS(0, cublasSetPointerMode_v2(h, 1));
	IS(0, cublasSgemm_v2(h, 0, 0, M, N, K, scalars, da, M, db, K, scalars + 1, dc, M));
	IS(0, cublasSetPointerMode_v2(h, 0));
	cudaMemcpy(got, dc, sizeof(got), 2);
	IS(2 * product(a, 5, M, b, 1, 6 * K) + .5 * c[5 + 6 * M], got[5 + 6 * M]);
	cudaFree(scalars);
	IS(7, cublasSgemm_v2(h, 0, 0, M, N, K, &alpha, da, M - 1, db, K, &beta, dc, M));
	IS(1, cublasSgemm_v2(NULL, 0, 0, M, N, K, &alpha, da, M, db, K, &beta, dc, M));
	IS(15, cublasUint8gemmBias());
}

/* Tests two groups: a product, and a product of another size with a transposed matrix. */
static void test_groups(void)
{
	enum { M2 = 7, N2 = 9 };
	const float alpha[] = {2, 3}, beta[] = {.5f, 0};
	const int op_a[] = {0, 1}, op_b[] = {0, 0}, m[] = {M, M2}, n[] = {N, N2}, k[] = {K, K},
		  pitch_a[] = {M, K}, pitch_b[] = {K, K}, pitch_c[] = {M, M2}, size[] = {1, 1};
	const int64_t wide_m = M, wide_n = N, wide_k = K, pairs = 2;
	const float *pa[BATCHES] = {da, da + M * K}, *pb[BATCHES] = {db, db + K * N};
	float *pc[BATCHES] = {dc, dc + M * N}, **dp;
	int strategy = 0, bad[] = {M, M2 - 1};

	IS(0, cublasSetEmulationStrategy(h, 2));
	IS(0, cublasGetEmulationStrategy(h, &strategy));
	IS(2, strategy);
	cudaMalloc((void **)&dp, 6 * sizeof(*dp));
	cudaMemcpy(dp, pa, sizeof(pa), 1);
	cudaMemcpy(dp + 2, pb, sizeof(pb), 1);
	cudaMemcpy(dp + 4, pc, sizeof(pc), 1);
	const float *const *ga = (const float *const *)dp, *const *gb = ga + 2;

	reset();
	IS(7, cublasSgemmGroupedBatched(
		      h, op_a, op_b, m, n, k, alpha, ga, pitch_a, gb, pitch_b, beta, dp + 4, bad, 2, size));
	IS(0, cublasSgemmGroupedBatched(h, op_a, op_b, m, n, k, alpha, ga, pitch_a, gb, pitch_b, beta, dp + 4,
		      pitch_c, 2, size));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M * N; i++)
		IS(2 * product(a, i % M, M, b, 1, i / M * K) + .5 * c[i], got[i]);
	for (int i = 0; i < M2 * N2; i++)
		IS(3 * product(a + M * K, i % M2 * K, 1, b + K * N, 1, i / M2 * K), got[M * N + i]);
	IS(c[M * N + M2 * N2], got[M * N + M2 * N2]);
	/* one group of two products */
	reset();
	IS(0, cublasGemmGroupedBatchedEx_64(h, op_a, op_b, &wide_m, &wide_n, &wide_k, alpha,
		      (const void *const *)ga, F32, &wide_m, (const void *const *)gb, F32, &wide_k, beta,
		      (void *const *)(dp + 4), F32, &wide_m, 1, &pairs, COMPUTE_32F));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < BATCHES * M * N; i++) {
		int z = i / (M * N), j = i % (M * N);

		IS(2 * product(a + z * M * K, j % M, M, b + z * K * N, 1, j / M * K) + .5 * c[i], got[i]);
	}
	cudaFree(dp);
}

static uint16_t bfloat(float f)
{
	uint32_t w;

	memcpy(&w, &f, 4);
	return (uint16_t)(w >> 16);
}

static void test_types(void)
{
	static uint16_t x[M * K], y[K * N];
	static int8_t s[M * K], t[K * N];
	static int32_t sum[M * N];
	const float alpha = 1, beta = 0;
	const int one = 1, none = 0;

	for (int i = 0; i < K * N; i++) {
		x[i % (M * K)] = bfloat((float)(i % (M * K) % 5));
		y[i] = bfloat((float)(i % 3) - 1);
		s[i % (M * K)] = (int8_t)(i % (M * K) % 5 - 2);
		t[i] = (int8_t)(i % 7);
	}
	cudaMemcpy(da, x, sizeof(x), 1);
	cudaMemcpy(db, y, sizeof(y), 1);
	IS(0, cublasGemmEx(h, 0, 0, M, N, K, &alpha, da, BF16, M, db, BF16, K, &beta, dc, F32, M, COMPUTE_32F,
		      -1));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M * N; i++) {
		double w = 0;

		for (int k = 0; k < K; k++)
			w += (i % M + k * M) % 5 * ((k + i / M * K) % 3 - 1.);
		IS(w, got[i]);
	}
	cudaMemcpy(da, s, sizeof(s), 1);
	cudaMemcpy(db, t, sizeof(t), 1);
	IS(0, cublasGemmEx(h, 0, 0, M, N, K, &one, da, S8, M, db, S8, K, &none, dc, S32, M, COMPUTE_32I, -1));
	cudaMemcpy(sum, dc, sizeof(sum), 2);
	for (int i = 0; i < M * N; i++) {
		int w = 0;

		for (int k = 0; k < K; k++)
			w += s[i % M + k * M] * t[k + i / M * K];
		IS(w, sum[i]);
	}
	cudaMemcpy(da, a, sizeof(a), 1);
	cudaMemcpy(db, b, sizeof(b), 1);
}

static void test_vectors(void)
{
	const float alpha = 3, beta = 1;
	float one = 0, w = 0, s = 0;
	double root = 0, d[8], squares = 0;
	double *dd;

	reset(); /* y = 3 a x + y, with every second element of x */
	IS(0, cublasSgemv_v2(h, 0, M, K, &alpha, da, M, db, 2, &beta, dc, 1));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M; i++)
		IS(3 * product(a, i, M, b, 2, 0) + c[i], got[i]);
	reset();
	IS(0, cublasSger_v2(h, M, N, &alpha, da, 1, db, 1, dc, M));
	cudaMemcpy(got, dc, sizeof(got), 2);
	IS(3 * a[4] * b[7] + c[4 + 7 * M], got[4 + 7 * M]);
	reset();
	IS(0, cublasSaxpy_v2_64(h, 300, &alpha, da, 1, dc, -1)); /* backwards */
	cudaMemcpy(got, dc, sizeof(got), 2);
	IS(3 * a[0] + c[299], got[299]);
	IS(0, cublasSscal_v2(h, 10, &alpha, dc, 2));
	cudaMemcpy(got + 1, dc, 8, 2);
	IS(3 * (3 * a[299] + c[0]), got[1]);
	for (int i = 0; i < 333; i++) {
		w += a[i] * b[i];
		s += fabsf(a[i]);
	}
	IS(0, cublasSdot_v2(h, 333, da, 1, db, 1, &one));
	IS(w, one);
	IS(0, cublasSasum_v2(h, 333, da, 1, &one));
	IS(s, one);
	for (int i = 0; i < 8; i++) {
		d[i] = i;
		squares += i * i;
	}
	cudaMalloc((void **)&dd, sizeof(d));
	cudaMemcpy(dd, d, sizeof(d), 1);
	IS(0, cublasDnrm2_v2(h, 8, dd, 1, &root));
	IS(sqrt(squares), root);
	cudaFree(dd);
}

/* Builds an algorithm for the product of x and y that o describes, like programs that try all algorithms. */
static void test_algorithm(void *lt, void *o, void *x, void *y, void *z)
{
	struct {
		uint64_t algorithm[8];
		size_t workspace;
		int state;
		float waves;
		int reserved[4];
	} checked = {.state = 99};
	uint64_t algorithm[8];
	int ids[4] = {-1}, n = 0, tile = 0, splits = 2, got_splits = 0, id = 9;
	size_t size = 1;

	IS(0, cublasLtMatmulAlgoGetIds(lt, COMPUTE_32F, F32, F32, F32, F32, F32, 4, ids, &n));
	IS(1, n);
	IS(0, cublasLtMatmulAlgoInit(lt, COMPUTE_32F, F32, F32, F32, F32, F32, ids[0], algorithm));
	IS(0, cublasLtMatmulAlgoCapGetAttribute(algorithm, 6, NULL, 0, &size)); /* tiles */
	IS(4, size);
	IS(0, cublasLtMatmulAlgoCapGetAttribute(algorithm, 6, &tile, 4, NULL));
	IS(5, tile);
	IS(0, cublasLtMatmulAlgoCapGetAttribute(algorithm, 13, NULL, 0, &size)); /* stages */
	IS(0, size);
	IS(7, cublasLtMatmulAlgoCapGetAttribute(algorithm, 99, &tile, 4, NULL));
	IS(0, cublasLtMatmulAlgoConfigSetAttribute(algorithm, 2, &splits, 4));
	IS(0, cublasLtMatmulAlgoConfigGetAttribute(algorithm, 2, &got_splits, 4, NULL));
	IS(2, got_splits);
	IS(7, cublasLtMatmulAlgoConfigSetAttribute(algorithm, 0, &id, 4));
	IS(0, cublasLtMatmulAlgoCheck(lt, o, x, y, z, z, algorithm, &checked));
	IS(0, checked.state);
	IS(0, checked.workspace);
	IS(0, memcmp(checked.algorithm, algorithm, sizeof(algorithm)));
	IS(7, cublasLtMatmulAlgoCheck(lt, o, y, x, z, z, algorithm, &checked));
}

static void test_lt(void)
{
	const float alpha = 1, beta = 0;
	const int transposed = 1, gelu_bias = 36, row_order = 1;
	void *lt, *o, *x, *y, *z, *preference;
	struct {
		uint64_t algorithm[8], workspace;
		int state;
		float waves;
		int reserved[4];
	} choice;
	float *bias;
	int n = 0;

	IS(0, cublasLtCreate(&lt));
	IS(0, cublasLtMatmulDescCreate(&o, COMPUTE_32F, F32));
	IS(0, cublasLtMatmulDescSetAttribute(o, 3, &transposed, sizeof(transposed)));
	IS(7, cublasLtMatmulDescSetAttribute(o, 3, &transposed, 1));
	IS(0, cublasLtMatmulDescSetAttribute(o, 7, &gelu_bias, sizeof(gelu_bias)));
	cudaMalloc((void **)&bias, M * sizeof(*bias));
	cudaMemcpy(bias, c, M * sizeof(*bias), 1);
	IS(0, cublasLtMatmulDescSetAttribute(o, 8, &bias, sizeof(bias)));
	IS(0, cublasLtMatrixLayoutCreate(&x, F32, K, M, K));
	IS(0, cublasLtMatrixLayoutCreate(&y, F32, K, N, K));
	IS(0, cublasLtMatrixLayoutCreate(&z, F32, M, N, M));
	IS(0, cublasLtMatmulPreferenceCreate(&preference));
	IS(0, cublasLtMatmulAlgoGetHeuristic(lt, o, x, y, z, z, preference, 1, &choice, &n));
	IS(1, n);
	test_algorithm(lt, o, x, y, z);
	IS(0, cublasLtMatmul(lt, o, &alpha, da, x, db, y, &beta, dc, z, dc, z, &choice, NULL, 0, NULL));
	cudaMemcpy(got, dc, sizeof(got), 2);
	for (int i = 0; i < M * N; i++) {
		double w = product(a, i % M * K, 1, b, 1, i / M * K) + c[i % M];

		IS(.5 * w * (1 + tanh(.7978845608 * (w + .044715 * w * w * w))), got[i]);
	}
	(void)row_order;
	cudaFree(bias);
	IS(0, cublasLtMatrixLayoutDestroy(x));
	IS(0, cublasLtMatrixLayoutDestroy(y));
	IS(0, cublasLtMatrixLayoutDestroy(z));
	IS(0, cublasLtMatmulPreferenceDestroy(preference));
	IS(0, cublasLtMatmulDescDestroy(o));
	IS(0, cublasLtDestroy(lt));
}

enum { ORDER = 5, PITCH = 7, RIGHT_SIDES = 3 };

/* Returns element (i, j) of the matrix of a batch. The first diagonal element is 0, so rows must be swapped. */
static double element(int batch, int i, int j)
{
	if (i == j)
		return i ? 15 : 0;
	return (i * 3 + j * 5 + batch) % 7;
}

/* Copies n addresses of parts of `bytes` bytes, from `base` on, to the device. */
static void *device_addresses(const void *base, size_t bytes, int n)
{
	const char *at[BATCHES];
	void *p;

	for (int i = 0; i < n; i++)
		at[i] = (const char *)base + (size_t)i * bytes;
	cudaMalloc(&p, sizeof(at));
	cudaMemcpy(p, at, (size_t)n * sizeof(*at), 1);
	return p;
}

/* Solves systems with several right sides. */
static void test_solutions(void)
{
	float x[BATCHES][ORDER * PITCH] = {{0}}, y[BATCHES][RIGHT_SIDES * PITCH] = {{0}}, *dx, *dy;
	int *pivots, *info, results[BATCHES], host_info = 9;

	for (int k = 0; k < BATCHES * ORDER * ORDER; k++)
		x[k / ORDER / ORDER][k % ORDER * PITCH + k / ORDER % ORDER] =
			(float)element(k / ORDER / ORDER, k / ORDER % ORDER, k % ORDER);
	for (int k = 0; k < BATCHES * ORDER * RIGHT_SIDES; k++)
		y[k / ORDER / RIGHT_SIDES][k / ORDER % RIGHT_SIDES * PITCH + k % ORDER] = (float)(k % 4);
	cudaMalloc((void **)&dx, sizeof(x));
	cudaMalloc((void **)&dy, sizeof(y));
	cudaMalloc((void **)&pivots, BATCHES * ORDER * sizeof(int));
	cudaMalloc((void **)&info, sizeof(results));
	cudaMemcpy(dx, x, sizeof(x), 1);
	cudaMemcpy(dy, y, sizeof(y), 1);
	void *ax = device_addresses(dx, sizeof(*x), BATCHES), *ay = device_addresses(dy, sizeof(*y), BATCHES);

	IS(0, cublasSgetrfBatched(h, ORDER, ax, PITCH, pivots, info, BATCHES));
	IS(0, cublasSgetrsBatched(
		      h, 0, ORDER, RIGHT_SIDES, ax, PITCH, pivots, ay, PITCH, &host_info, BATCHES));
	IS(0, host_info);
	cudaMemcpy(results, info, sizeof(results), 2);
	cudaMemcpy(y, dy, sizeof(y), 2);
	for (int k = 0; k < BATCHES * ORDER * RIGHT_SIDES; k++) {
		double sum = 0;

		for (int j = 0; j < ORDER; j++)
			sum += element(k / ORDER / RIGHT_SIDES, k % ORDER, j) *
			       (double)y[k / ORDER / RIGHT_SIDES][k / ORDER % RIGHT_SIDES * PITCH + j];
		IS(k % 4 + 1, sum + 1);
	}
	IS(0, results[0] + results[1]);
	IS(7, cublasSgetrfBatched(h, ORDER, ax, ORDER - 1, pivots, info, BATCHES));
	cudaFree(dx);
	cudaFree(dy);
	cudaFree(pivots);
	cudaFree(info);
	cudaFree(ax);
	cudaFree(ay);
}

/* Inverts a matrix without pivots, and factors a singular one. */
static void test_inverses(void)
{
	double x[BATCHES][4] = {{4, 1, 2, 3}, {1, 2, 2, 4}}, y[4], *dx, *dy;
	int *info, results[BATCHES];

	cudaMalloc((void **)&dx, sizeof(x));
	cudaMalloc((void **)&dy, sizeof(x));
	cudaMalloc((void **)&info, sizeof(results));
	cudaMemcpy(dx, x, sizeof(x), 1);
	void *ax = device_addresses(dx, sizeof(*x), BATCHES), *ay = device_addresses(dy, sizeof(*x), BATCHES);

	IS(0, cublasDgetrfBatched(h, 2, ax, 2, NULL, info, BATCHES));
	cudaMemcpy(results, info, sizeof(results), 2);
	IS(0, results[0]);
	IS(2, results[1]);
	IS(0, cublasDgetriBatched(h, 2, ax, 2, NULL, ay, 2, info, 1));
	cudaMemcpy(y, dy, sizeof(y), 2);
	IS(.3, y[0]);
	IS(-.1, y[1]);
	IS(-.2, y[2]);
	IS(.4, y[3]);
	cudaFree(dx);
	cudaFree(dy);
	cudaFree(info);
	cudaFree(ax);
	cudaFree(ay);
}

int main(void)
{
	int version = 0;

	for (int i = 0; i < BATCHES * K * N; i++)
		b[i] = (float)(i % 13) - 5;
	for (int i = 0; i < BATCHES * M * K; i++)
		a[i] = (float)(i % 11) * .25f - 1;
	for (int i = 0; i < BATCHES * M * N; i++)
		c[i] = (float)(i % 7) * .5f;
	IS(0, cublasCreate_v2(&h));
	IS(0, cublasGetVersion_v2(h, &version));
	IS(130000, version);
	IS(0, cudaMalloc((void **)&da, sizeof(a)));
	IS(0, cudaMalloc((void **)&db, sizeof(b)));
	IS(0, cudaMalloc((void **)&dc, sizeof(c)));
	IS(0, cublasSetMatrix(M, K * BATCHES, sizeof(*a), a, M, da, M));
	cudaMemcpy(db, b, sizeof(b), 1);
	test_gemm();
	test_groups();
	test_types();
	test_vectors();
	test_lt();
	test_solutions();
	test_inverses();
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	IS(0, cublasDestroy_v2(h));
	return bad;
}
