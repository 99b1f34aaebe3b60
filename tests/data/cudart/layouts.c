/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares transforms of cublasLt, products of matrices in tiles, and complex and FP8 products with loops on the host.
 * Prints a line for each difference. With an argument, only calls a function with descriptions that are not supported.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
int cublasLtCreate(void **), cublasLtDestroy(void *);
int cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescDestroy(void *),
	cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t),
	cublasLtMatrixLayoutDestroy(void *),
	cublasLtMatrixLayoutSetAttribute(void *, int, const void *, size_t);
int cublasLtMatrixTransformDescCreate(void **, int), cublasLtMatrixTransformDescDestroy(void *),
	cublasLtMatrixTransformDescSetAttribute(void *, int, const void *, size_t),
	cublasLtMatrixTransformDescGetAttribute(void *, int, void *, size_t, size_t *);
int cublasLtMatrixTransform(void *, void *, const void *, const void *, void *, const void *, const void *,
	void *, void *, void *, void *);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *,
	const void *, void *, void *, void *, const void *, void *, size_t, void *);

enum { F32, F64, F16, S8, S32 = 10, BF16 = 14, E4M3 = 28, E5M2 = 29 };
enum { COLUMNS, ROWS, COL32, COL4_4R2_8C, COL32_2R_4R4, ORDERS };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72 };
enum { M = 37, N = 43, K = 70, SIZE = 8192, BATCHES = 2, TO_DEVICE = 1, TO_HOST };

static int bad;

static void expect_number(double got, double expected, int line, long at)
{
	if (got == expected)
		return;
	if (bad++ < 20)
		printf("%d: %ld: %g, expected %g\n", line, at, got, expected);
}
#define IS(expected, got)    expect_number(got, expected, __LINE__, -1)
#define AT(i, expected, got) expect_number(got, expected, __LINE__, i)

static void *lt, *da, *db, *dc, *scalars;

/* Returns the pitch of a matrix, which is larger than necessary if its order has no tiles. */
static long pitch_of(int order, long rows, long columns)
{
	switch (order) {
	case COLUMNS: return rows + 3;
	case ROWS: return columns + 2;
	case COL32: return 32 * rows;
	case COL4_4R2_8C: return 32 * ((rows + 7) / 8 * 8);
	default: return 32 * ((rows + 31) / 32 * 32);
	}
}

/* Returns the index of an element in memory. */
static long index_of(int order, long rows, long columns, long row, long column)
{
	long pitch = pitch_of(order, rows, columns), group = column / 32 * pitch, c = column % 32;

	switch (order) {
	case COLUMNS: return row + column * pitch;
	case ROWS: return row * pitch + column;
	case COL32: return group + row * 32 + c;
	case COL4_4R2_8C: /* tiles of 8 rows: 4 even rows, 4 odd ones; of each, 4 columns lie together */
		return group + row / 8 * 256 + row % 2 * 128 + c / 4 * 16 + row % 8 / 2 * 4 + c % 4;
	default: return group + row / 32 * 1024 + (((row % 8) / 2 * 4 + row % 32 / 8) * 2 + row % 2) * 32 + c;
	}
}

static size_t bytes_of(int type)
{
	return type == F64 ? 8 : type == F32 || type == S32 ? 4 : type == S8 ? 1 : 2;
}

static double half_value(uint16_t bits)
{
	return ldexp(1024 + (bits & 1023), (bits >> 10 & 31) - 25) * (bits >> 15 ? -1 : 1);
}

/* Stores a number that every type can represent. */
static void put_number(void *to, int type, long i, int v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	switch (type) {
	case F32: ((float *)to)[i] = f; break;
	case F64: ((double *)to)[i] = v; break;
	case S8: ((int8_t *)to)[i] = (int8_t)v; break;
	case S32: ((int32_t *)to)[i] = v; break;
	case BF16: ((uint16_t *)to)[i] = (uint16_t)(bits >> 16); break;
	default:
		((uint16_t *)to)[i] =
			v ? (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 13) - (112 << 10)) % 0x8000) : 0;
	}
}

static double get_number(const void *from, int type, long i)
{
	uint32_t bits;
	float f;

	switch (type) {
	case F32: return ((const float *)from)[i];
	case F64: return ((const double *)from)[i];
	case S8: return ((const int8_t *)from)[i];
	case S32: return ((const int32_t *)from)[i];
	case BF16:
		bits = (uint32_t)((const uint16_t *)from)[i] << 16;
		memcpy(&f, &bits, 4);
		return f;
	default: return ((const uint16_t *)from)[i] & 0x7fff ? half_value(((const uint16_t *)from)[i]) : 0;
	}
}

static void *layout_of(int type, int order, long rows, long columns)
{
	void *l;

	IS(0, cublasLtMatrixLayoutCreate(&l, type, rows, columns, pitch_of(order, rows, columns)));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 1, &order, sizeof(order)));
	return l;
}

/* Returns element (i, j) of test matrix `which`. */
static int element(int which, long i, long j) { return (int)((i * 7 + j * 3 + which * 5) % 23 - 11); }

static char host[SIZE * 8];

/* Writes a test matrix to the device. Memory between its elements has the value of a guard. */
static void write_matrix(void *to, int which, int type, int order, long rows, long columns)
{
	for (long i = 0; i < SIZE; i++)
		put_number(host, type, i, 99);
	for (long i = 0; i < rows; i++)
		for (long j = 0; j < columns; j++)
			put_number(host, type, index_of(order, rows, columns, i, j), element(which, i, j));
	cudaMemcpy(to, host, SIZE * bytes_of(type), TO_DEVICE);
}

/* Tests 2 op(A) - 3 op(B), or, if a scalar is 0, without reading the matrix. */
static void test_transform(int type, int scale, const int order[3], const int op[2], int on_device, int alone)
{
	double wide[2] = {2, alone ? 0 : -3};
	float single[2] = {2, alone ? 0 : -3};
	uint16_t half[2] = {0x4000, alone ? 0 : 0xc200};
	int32_t integer[2] = {2, alone ? 0 : -3};
	char *s = (char *)(scale == F64   ? (void *)wide
			   : scale == F16 ? (void *)half
			   : scale == S32 ? (void *)integer
					  : single);
	size_t n = bytes_of(scale), left = 0;
	void *x, *la = layout_of(type, order[0], op[0] ? N : M, op[0] ? M : N),
		 *lb = layout_of(type, order[1], op[1] ? N : M, op[1] ? M : N),
		 *lc = layout_of(type, order[2], M, N);

	write_matrix(da, 0, type, order[0], op[0] ? N : M, op[0] ? M : N);
	write_matrix(db, 1, type, order[1], op[1] ? N : M, op[1] ? M : N);
	write_matrix(dc, 2, type, order[2], M, N);
	IS(0, cublasLtMatrixTransformDescCreate(&x, scale));
	IS(0, cublasLtMatrixTransformDescSetAttribute(x, 1, &on_device, 4));
	IS(0, cublasLtMatrixTransformDescSetAttribute(x, 2, &op[0], 4));
	IS(0, cublasLtMatrixTransformDescSetAttribute(x, 3, &op[1], 4));
	if (on_device)
		s = memcpy(host, s, 2 * n), cudaMemcpy(scalars, s, 2 * n, TO_DEVICE), s = scalars;
	IS(0, cublasLtMatrixTransform(
		      lt, x, s, da, la, s + n, alone ? NULL : db, alone ? NULL : lb, dc, lc, NULL));
	cudaMemcpy(host, dc, SIZE * bytes_of(type), TO_HOST);
	for (long i = 0; i < M; i++)
		for (long j = 0; j < N; j++) {
			long at = index_of(order[2], M, N, i, j);
			double a = op[0] ? element(0, j, i) : element(0, i, j),
			       b = alone   ? 0
				   : op[1] ? element(1, j, i)
					   : element(1, i, j);

			AT(at, 2 * a - 3 * b, get_number(host, type, at));
			put_number(host, type, at, 99);
		}
	for (long i = 0; i < SIZE; i++)
		left += get_number(host, type, i) != 99;
	IS(0, (double)left);
	cublasLtMatrixTransformDescDestroy(x);
	cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc);
}

static void test_transforms(void)
{
	static const int types[][2] = {{F32, F32}, {F64, F64}, {F16, F32}, {F16, F16}, {BF16, F32}, {S8, F32},
		{S32, F32}, {S8, S32}, {S32, S32}};
	int order[3], op[2];

	for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (int i = 0; i < ORDERS; i++) {
			order[0] = i, order[1] = (int)(i + t) % ORDERS,
			order[2] = (int)(2 * i + t + 1) % ORDERS;
			op[0] = (int)(i + t) & 1, op[1] = (i >> 1 ^ (int)t) & 1;
			test_transform(types[t][0], types[t][1], order, op, i & 1, i == 2);
		}
}

/* Tests sums of products of 8-bit integers in the orders of tensor cores. */
static void test_tiled_product(int order_b)
{
	const int32_t alpha = 1, beta = 0, transposed = 1;
	void *x, *a = layout_of(S8, COL32, M, K), *b = layout_of(S8, order_b, N, K),
		 *c = layout_of(S32, COL32, M, N);

	write_matrix(da, 0, S8, COL32, M, K);
	write_matrix(db, 1, S8, order_b, N, K);
	IS(0, cublasLtMatmulDescCreate(&x, COMPUTE_32I, S32));
	IS(0, cublasLtMatmulDescSetAttribute(x, 4, &transposed, 4));
	IS(0, cublasLtMatmul(lt, x, &alpha, da, a, db, b, &beta, dc, c, dc, c, NULL, NULL, 0, NULL));
	cudaMemcpy(host, dc, SIZE * 4, TO_HOST);
	for (long i = 0; i < M; i++)
		for (long j = 0; j < N; j++) {
			int sum = 0;

			for (long k = 0; k < K; k++)
				sum += element(0, i, k) * element(1, j, k);
			AT(i + j * M, sum, ((int32_t *)host)[index_of(COL32, M, N, i, j)]);
		}
	cublasLtMatmulDescDestroy(x);
	cublasLtMatrixLayoutDestroy(a), cublasLtMatrixLayoutDestroy(b), cublasLtMatrixLayoutDestroy(c);
}

/* Returns the value of an FP8 number. */
static double fp8_value(int type, unsigned bits)
{
	int fraction = type == E4M3 ? 3 : 2, bias = type == E4M3 ? 7 : 15;
	unsigned exponent = (bits & 127) >> fraction, rest = bits & ((1u << fraction) - 1);
	double v = exponent ? ldexp((1 << fraction) + rest, (int)exponent - bias - fraction)
			    : ldexp(rest, 1 - bias - fraction);

	return bits & 128 ? -v : v;
}

/* Returns the finite FP8 number that is nearest to v, or the even one of the two nearest. */
static unsigned fp8_bits(int type, double v)
{
	unsigned most = type == E4M3 ? 0x7e : 0x7b, best = 0;

	for (unsigned i = 1; i <= most; i++) {
		double was = fabs(fabs(v) - fp8_value(type, best)), is = fabs(fabs(v) - fp8_value(type, i));

		if (is < was || (is == was && !(i & 1)))
			best = i;
	}
	return best | (signbit(v) ? 128u : 0);
}

/* Tests D = scale (2 scale_a scale_b A^T B + C / 2) of FP8 types. */
static void test_fp8(int type_a, int type_b, int type_d, double scale_d)
{
	const float alpha = 2, beta = .5f, scales[] = {.5f, 4, 1, (float)scale_d, -1};
	const int transposed = 1;
	const int8_t fast = 1;
	uint8_t *a = (uint8_t *)host, *b = a + M * K, *d = b + K * N;
	float *c = (float *)(host + 2 * SIZE), largest = 0, got;
	void *x, *la, *lb, *lc, *ld, *dd;
	char *ds;

	cudaMalloc((void **)&ds, sizeof(scales));
	cudaMalloc(&dd, M * N);
	cudaMemcpy(ds, scales, sizeof(scales), TO_DEVICE);
	for (int i = 0; i < M * K; i++)
		a[i] = (uint8_t)(i * 37 % 0x58 + (i % 3 ? 0 : 128));
	for (int i = 0; i < K * N; i++)
		b[i] = (uint8_t)(i * 29 % 0x48 + (i % 5 ? 0 : 128));
	for (int i = 0; i < M * N; i++)
		c[i] = (float)(i % 13 - 6);
	cudaMemcpy(da, a, M * K, TO_DEVICE), cudaMemcpy(db, b, K * N, TO_DEVICE),
		cudaMemcpy(dc, c, M * N * 4, TO_DEVICE);
	IS(0, cublasLtMatmulDescCreate(&x, COMPUTE_32F, F32));
	IS(0, cublasLtMatmulDescSetAttribute(x, 3, &transposed, 4));
	IS(0, cublasLtMatmulDescSetAttribute(x, 25, &fast, 1));
	for (int i = 0; i < 5; i++) {
		char *at = ds + 4 * i;

		if (i != 2) /* c is not of FP8 */
			IS(0, cublasLtMatmulDescSetAttribute(x, 17 + i, &at, sizeof(at)));
	}
	IS(0, cublasLtMatrixLayoutCreate(&la, type_a, K, M, K)),
		IS(0, cublasLtMatrixLayoutCreate(&lb, type_b, K, N, K));
	IS(0, cublasLtMatrixLayoutCreate(&lc, F32, M, N, M)),
		IS(0, cublasLtMatrixLayoutCreate(&ld, type_d, M, N, M));
	IS(0, cublasLtMatmul(lt, x, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld, NULL, NULL, 0, NULL));
	cudaMemcpy(d, dd, M * N, TO_HOST);
	for (int i = 0; i < M * N; i++) {
		float sum = 0, v;

		for (int k = 0; k < K; k++)
			sum = fmaf((float)fp8_value(type_a, a[i % M * K + k]),
				(float)fp8_value(type_b, b[i / M * K + k]), sum);
		v = fmaf(c[i], .5f, sum * 4);
		largest = fmaxf(largest, fabsf(v));
		AT(i, fp8_bits(type_d, v * (float)scale_d), d[i]);
	}
	cudaMemcpy(&got, ds + 16, 4, TO_HOST);
	IS(largest, got);
	cudaFree(ds), cudaFree(dd);
	cublasLtMatmulDescDestroy(x);
	cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc);
	cublasLtMatrixLayoutDestroy(ld);
}

/* A complex matrix: type of the parts, planes instead of pairs, operation (2: conjugate transposed). */
struct complex_matrix {
	int part, planar, op;
	long rows, columns;
};

/* Returns the index of a part among the parts of the matrix. The imaginary plane is before the real one. */
static long part_index(const struct complex_matrix *x, long batch, long row, long column, int imaginary)
{
	long n = x->rows * x->columns, at = row + column * x->rows + batch * n;

	return x->planar ? at + (imaginary ? 0 : BATCHES * n) : 2 * at + imaginary;
}

static int part_value(int which, long batch, long row, long column, int imaginary)
{
	return (int)((row * 5 + column * 3 + batch + which * 2 + imaginary * 7) % 9 - 4);
}

static void *complex_layout(const struct complex_matrix *x)
{
	static const int types[] = {[F32] = 4, [F64] = 5, [F16] = 6};
	const int64_t n = x->rows * x->columns,
		      plane = x->planar ? -BATCHES * n * (int64_t)bytes_of(x->part) : 0;
	const int batches = BATCHES;
	void *l;

	IS(0, cublasLtMatrixLayoutCreate(&l, types[x->part], x->rows, x->columns, x->rows));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 5, &batches, 4));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 6, &n, 8));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 7, &plane, 8));
	return l;
}

static void write_complex(void *to, int which, const struct complex_matrix *x)
{
	for (long b = 0; b < BATCHES; b++)
		for (long i = 0; i < x->rows * x->columns; i++)
			for (int part = 0; part < 2; part++)
				put_number(host, x->part, part_index(x, b, i % x->rows, i / x->rows, part),
					part_value(which, b, i % x->rows, i / x->rows, part));
	cudaMemcpy(to, host, BATCHES * 2 * x->rows * x->columns * bytes_of(x->part), TO_DEVICE);
}

/* Returns an element of an operand of the product. */
static double complex operand_element(int which, const struct complex_matrix *x, long batch, long i, long j)
{
	long row = x->op ? j : i, column = x->op ? i : j;
	double complex v =
		part_value(which, batch, row, column, 0) + I * part_value(which, batch, row, column, 1);

	return x->op == 2 ? conj(v) : v;
}

/* Tests D = (2 + i) op(A) op(B) + (1 - i) C. */
static void test_complex(const struct complex_matrix x[3], int on_device)
{
	const int wide = x[0].part == F64, c_part = x[2].part;
	const float single[] = {2, 1, 1, -1};
	const double numbers[] = {2, 1, 1, -1};
	const size_t bytes = wide ? sizeof(double) : sizeof(float);
	const char *s = wide ? (const char *)numbers : (const char *)single;
	const long m = x[2].rows, n = x[2].columns, k = x[0].op ? x[0].rows : x[0].columns;
	void *at[] = {da, db, dc}, *l[3], *d;

	for (int i = 0; i < 3; i++) {
		write_complex(at[i], i, &x[i]);
		l[i] = complex_layout(&x[i]);
		/* the address is that of the first real part */
		at[i] = (char *)at[i] + part_index(&x[i], 0, 0, 0, 0) * (long)bytes_of(x[i].part);
	}
	IS(0, cublasLtMatmulDescCreate(&d, wide ? COMPUTE_64F : COMPUTE_32F, wide ? 5 : 4));
	IS(0, cublasLtMatmulDescSetAttribute(d, 2, &on_device, 4));
	IS(0, cublasLtMatmulDescSetAttribute(d, 3, &x[0].op, 4));
	IS(0, cublasLtMatmulDescSetAttribute(d, 4, &x[1].op, 4));
	if (on_device)
		cudaMemcpy(scalars, s, 4 * bytes, TO_DEVICE), s = scalars;
	IS(0, cublasLtMatmul(lt, d, s, at[0], l[0], at[1], l[1], s + 2 * bytes, at[2], l[2], at[2], l[2],
		      NULL, NULL, 0, NULL));
	cudaMemcpy(host, dc, (size_t)(BATCHES * 2 * m * n) * bytes_of(c_part), TO_HOST);
	for (long i = 0; i < BATCHES * m * n; i++) {
		long b = i / (m * n), row = i % m, column = i / m % n;
		double complex sum = 0;

		for (long j = 0; j < k; j++)
			sum += operand_element(0, &x[0], b, row, j) * operand_element(1, &x[1], b, j, column);
		sum = (2 + I) * sum + (1 - I) * operand_element(2, &x[2], b, row, column);
		AT(i, creal(sum), get_number(host, c_part, part_index(&x[2], b, row, column, 0)));
		AT(i, cimag(sum), get_number(host, c_part, part_index(&x[2], b, row, column, 1)));
	}
	cublasLtMatmulDescDestroy(d);
	for (int i = 0; i < 3; i++)
		cublasLtMatrixLayoutDestroy(l[i]);
}

static void test_complex_products(void)
{
	enum { m = 19, n = 17, k = 11 };
	static const struct complex_matrix cases[][3] = {
		{{F16, 1, 0, m, k}, {F16, 1, 0, k, n}, {F16, 1, 0, m, n}},
		{{F16, 1, 2, k, m}, {F16, 1, 1, n, k}, {F32, 1, 0, m, n}},
		{{F32, 0, 1, k, m}, {F32, 0, 2, n, k}, {F32, 0, 0, m, n}},
		{{F64, 0, 0, m, k}, {F64, 1, 2, n, k}, {F64, 0, 0, m, n}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_complex(cases[i], i & 1);
}

/* Calls functions with descriptions that are not supported. */
static void test_refusals(const char *what)
{
	const float alpha = 1, beta = 0;
	const int order = 9, relu = 2, blocks = 2;
	const int64_t plane = 64;
	void *x, *y, *l = layout_of(F32, COLUMNS, M, N),
		     *square = layout_of(!strcmp(what, "complex") ? 4 : F32, COLUMNS, 4, 4),
		     *eight = layout_of(E4M3, COLUMNS, 4, 4), *wide = layout_of(F64, COLUMNS, M, N);

	IS(0, cublasLtMatrixTransformDescCreate(&x, F32));
	IS(0, cublasLtMatmulDescCreate(&y, COMPUTE_32F, F32));
	if (!strcmp(what, "order"))
		IS(0, cublasLtMatrixLayoutSetAttribute(l, 1, &order, 4));
	if (!strcmp(what, "plane"))
		IS(0, cublasLtMatrixLayoutSetAttribute(l, 7, &plane, 8));
	if (!strcmp(what, "scale"))
		IS(0, cublasLtMatmulDescSetAttribute(y, 17, &da, sizeof(da)));
	if (!strcmp(what, "complex"))
		IS(0, cublasLtMatmulDescSetAttribute(y, 7, &relu, 4));
	if (!strcmp(what, "blocks"))
		IS(0, cublasLtMatmulDescSetAttribute(y, 31, &blocks, 4));
	if (!strcmp(what, "complex") || !strcmp(what, "blocks") || !strcmp(what, "scale") ||
		!strcmp(what, "fp8"))
		IS(15, cublasLtMatmul(lt, y, &alpha, da, what[0] == 'f' ? eight : square, da,
			       what[0] == 'f' ? eight : square, &beta, db, square, db, square, NULL, NULL, 0,
			       NULL));
	else
		IS(15, cublasLtMatrixTransform(lt, x, &alpha, da, !strcmp(what, "types") ? wide : l, &beta,
			       NULL, NULL, dc, l, NULL));
}

/* Tests a product of batches whose addresses are in memory of the device, in reverse order. */
static void test_addresses(void)
{
	enum { n = 5 };
	const float alpha = 1, beta = 0;
	const int batches = BATCHES, mode = 1;
	char *addresses[3][BATCHES], *at;
	void *x, *l, *all[] = {da, db, dc};
	float *out = (float *)host;

	for (int i = 0; i < 3; i++)
		for (int b = 0; b < BATCHES; b++)
			addresses[i][b] = (char *)all[i] + (BATCHES - 1 - b) * n * n * (long)sizeof(float);
	for (int i = 0; i < BATCHES * n * n; i++)
		out[i] = (float)element(0, i, 0);
	cudaMemcpy(da, host, BATCHES * n * n * sizeof(float), TO_DEVICE);
	cudaMemcpy(db, host, BATCHES * n * n * sizeof(float), TO_DEVICE);
	cudaMalloc((void **)&at, sizeof(addresses));
	cudaMemcpy(at, addresses, sizeof(addresses), TO_DEVICE);
	IS(0, cublasLtMatmulDescCreate(&x, COMPUTE_32F, F32));
	IS(0, cublasLtMatrixLayoutCreate(&l, F32, n, n, n));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 5, &batches, 4));
	IS(0, cublasLtMatrixLayoutSetAttribute(l, 8, &mode, 4));
	IS(0, cublasLtMatmul(lt, x, &alpha, at, l, at + sizeof(addresses[0]), l, &beta,
		      at + 2 * sizeof(addresses[0]), l, at + 2 * sizeof(addresses[0]), l, NULL, NULL, 0,
		      NULL));
	cudaMemcpy(host, dc, BATCHES * n * n * sizeof(float), TO_HOST);
	for (int i = 0; i < BATCHES * n * n; i++) {
		int first = i / (n * n) * n * n, sum = 0;

		for (int k = 0; k < n; k++)
			sum += element(0, first + i % n + k * n, 0) *
			       element(0, first + k + i % (n * n) / n * n, 0);
		AT(i, sum, out[i]);
	}
	cudaFree(at);
	cublasLtMatmulDescDestroy(x), cublasLtMatrixLayoutDestroy(l);
}

static void test_invalid(void)
{
	const float alpha = 1, beta = 0;
	void *x, *l = layout_of(F32, COLUMNS, M, N), *other = layout_of(F32, COLUMNS, N, M), *narrow;
	int order = COL4_4R2_8C, op = 7;
	size_t written;

	IS(0, cublasLtMatrixTransformDescCreate(&x, F32));
	IS(0, cublasLtMatrixTransformDescGetAttribute(x, 2, &op, sizeof(op), &written));
	IS(0, op), IS(4, (double)written);
	IS(7, cublasLtMatrixTransform(lt, x, &alpha, da, other, &beta, NULL, NULL, dc, l, NULL));
	IS(7, cublasLtMatrixTransform(lt, x, &alpha, da, NULL, &beta, NULL, NULL, dc, l, NULL));
	IS(7, cublasLtMatrixTransform(lt, x, &alpha, da, l, &alpha, NULL, NULL, dc, l, NULL));
	IS(7, cublasLtMatrixTransform(lt, x, &alpha, da, l, NULL, db, l, dc, l, NULL));
	IS(1, cublasLtMatrixTransform(NULL, x, &alpha, da, l, &beta, NULL, NULL, dc, l, NULL));
	IS(0, cublasLtMatrixLayoutCreate(&narrow, F32, M, N, 32 * M));
	IS(0, cublasLtMatrixLayoutSetAttribute(narrow, 1, &order, 4));
	IS(7, cublasLtMatrixTransform(lt, x, &alpha, da, l, &beta, NULL, NULL, dc, narrow, NULL));
}

int main(int argc, char **argv)
{
	cudaMalloc(&da, SIZE * 8), cudaMalloc(&db, SIZE * 8), cudaMalloc(&dc, SIZE * 8),
		cudaMalloc(&scalars, 64);
	IS(0, cublasLtCreate(&lt));
	if (argc > 1) {
		test_refusals(argv[1]);
	} else {
		test_transforms();
		test_tiled_product(COL4_4R2_8C);
		test_tiled_product(COL32_2R_4R4);
		test_fp8(E4M3, E4M3, E4M3, .0625);
		test_fp8(E5M2, E4M3, E5M2, 64);
		test_complex_products();
		test_addresses();
		test_invalid();
	}
	cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(scalars);
	IS(0, cublasLtDestroy(lt));
	return bad ? 1 : 0;
}
