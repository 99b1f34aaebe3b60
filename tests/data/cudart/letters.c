/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares functions of the first interface of cuBLAS, which have no handle, with those of the second one. Prints a line
 * for each difference.
 */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef float complex c;
typedef double complex z;
int cudaMemcpy(void *, const void *, size_t, int);
int cublasInit(void), cublasShutdown(void), cublasGetError(void), cublasAlloc(int, int, void **),
	cublasFree(void *), cublasSetKernelStream(void *), cublasGetVersion(int *),
	cublasSetVector(int, int, const void *, int, void *, int);
int cublasCreate_v2(void **), cublasDestroy_v2(void *);
void cublasSgemm(
	char, char, int, int, int, float, const float *, int, const float *, int, float, float *, int),
	cublasZgemm(char, char, int, int, int, z, const z *, int, const z *, int, z, z *, int),
	cublasStrmm(char, char, char, char, int, int, float, const float *, int, float *, int),
	cublasCtrsm(char, char, char, char, int, int, c, const c *, int, c *, int),
	cublasCherk(char, char, int, int, float, const c *, int, float, c *, int),
	cublasZher2k(char, char, int, int, z, const z *, int, const z *, int, double, z *, int),
	cublasDsymm(char, char, int, int, double, const double *, int, const double *, int, double, double *,
		int),
	cublasDgbmv(char, int, int, int, int, double, const double *, int, const double *, int, double,
		double *, int),
	cublasChpr(char, int, float, const c *, int, c *),
	cublasStpsv(char, char, char, int, const float *, float *, int),
	cublasZgerc(int, int, z, const z *, int, const z *, int, z *, int),
	cublasCaxpy(int, c, const c *, int, c *, int), cublasZdscal(int, double, z *, int),
	cublasZrot(int, z *, int, z *, int, double, z), cublasCrotg(c *, c, float *, c *);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
	const float *, float *, int),
	cublasZgemm_v2(void *, int, int, int, int, int, const z *, const z *, int, const z *, int, const z *,
		z *, int),
	cublasStrmm_v2(void *, int, int, int, int, int, int, const float *, const float *, int, const float *,
		int, float *, int),
	cublasCtrsm_v2(void *, int, int, int, int, int, int, const c *, const c *, int, c *, int),
	cublasCherk_v2(void *, int, int, int, int, const float *, const c *, int, const float *, c *, int),
	cublasZher2k_v2(void *, int, int, int, int, const z *, const z *, int, const z *, int, const double *,
		z *, int),
	cublasDsymm_v2(void *, int, int, int, int, const double *, const double *, int, const double *, int,
		const double *, double *, int),
	cublasDgbmv_v2(void *, int, int, int, int, int, const double *, const double *, int, const double *,
		int, const double *, double *, int),
	cublasChpr_v2(void *, int, int, const float *, const c *, int, c *),
	cublasStpsv_v2(void *, int, int, int, int, const float *, float *, int),
	cublasZgerc_v2(void *, int, int, const z *, const z *, int, const z *, int, z *, int),
	cublasCaxpy_v2(void *, int, const c *, const c *, int, c *, int),
	cublasZdscal_v2(void *, int, const double *, z *, int),
	cublasZrot_v2(void *, int, z *, int, z *, int, const double *, const z *),
	cublasCrotg_v2(void *, c *, const c *, float *, c *);
float cublasSdot(int, const float *, int, const float *, int), cublasScnrm2(int, const c *, int);
double cublasDzasum(int, const z *, int);
c cublasCdotu(int, const c *, int, const c *, int);
z cublasZdotc(int, const z *, int, const z *, int);
int cublasIcamax(int, const c *, int);
int cublasSdot_v2(void *, int, const float *, int, const float *, int, float *),
	cublasScnrm2_v2(void *, int, const c *, int, float *),
	cublasDzasum_v2(void *, int, const z *, int, double *),
	cublasCdotu_v2(void *, int, const c *, int, const c *, int, c *),
	cublasZdotc_v2(void *, int, const z *, int, const z *, int, z *),
	cublasIcamax_v2(void *, int, const c *, int, int *);

enum { N = 5, BYTES = N * N * 16 };
static void *h, *da, *db, *dc;
static unsigned char first[BYTES], second[BYTES];

/* Fills the three matrices with small numbers, in doubles or in floats. */
static void fill(int doubles)
{
	void *const to[] = {da, db, dc};

	for (int i = 0; i < 3; i++) {
		float f[BYTES / 4];
		double d[BYTES / 8];

		for (int k = 0; k < BYTES / 4; k++)
			f[k] = (float)((k * 7 + i * 5) % 11 - 4) / 4 + (float)(k % 8 == 0);
		for (int k = 0; k < BYTES / 8; k++)
			d[k] = (k * 7 + i * 5) % 11 - 4 + (k % 8 == 0);
		cudaMemcpy(to[i], doubles ? (void *)d : (void *)f, BYTES, 1);
	}
}

static void check(const char *name, const void *p, const void *q, size_t n)
{
	int e = cublasGetError();

	if (e)
		printf("%s: status %d\n", name, e);
	if (memcmp(p, q, n))
		printf("%s: the interfaces differ\n", name);
}

/* Compares the third matrix, or the second one, after a call of each interface. */
#define SAME(doubles, what, legacy, other) \
	do { \
		fill(doubles); \
		legacy; \
		cudaMemcpy(first, what, BYTES, 2); \
		fill(doubles); \
		if (other) \
			printf(#other ": failed\n"); \
		cudaMemcpy(second, what, BYTES, 2); \
		check(#legacy, first, second, BYTES); \
		fill(doubles); \
		cudaMemcpy(second, what, BYTES, 2); \
		if (!memcmp(first, second, BYTES)) \
			printf(#legacy ": changes nothing\n"); \
	} while (0)
/* Compares the results of a call of each interface. */
#define EQUAL(type, doubles, legacy, other) \
	do { \
		type p, q; \
		fill(doubles); \
		p = legacy; \
		if (other) \
			printf(#other ": failed\n"); \
		check(#legacy, &p, &q, sizeof(p)); \
		if (p == 0) \
			printf(#legacy ": 0\n"); \
	} while (0)

static void test_matrices(void)
{
	const float s = 1.5f, t = -.5f;
	const double d = 1.5, e = -.5;
	const c u = .5f - 2 * I;
	const z v = 1.5 - .5 * I, w = 2 + I;

	SAME(0, dc, cublasSgemm('N', 't', 4, 3, 5, s, da, N, db, N, t, dc, N),
		cublasSgemm_v2(h, 0, 1, 4, 3, 5, &s, da, N, db, N, &t, dc, N));
	SAME(1, dc, cublasZgemm('c', 'T', 4, 3, 5, v, da, N, db, N, w, dc, N),
		cublasZgemm_v2(h, 2, 1, 4, 3, 5, &v, da, N, db, N, &w, dc, N));
	SAME(0, db, cublasStrmm('R', 'L', 'T', 'N', 4, 5, s, da, N, db, N),
		cublasStrmm_v2(h, 1, 0, 1, 0, 4, 5, &s, da, N, db, N, db, N));
	SAME(0, db, cublasCtrsm('l', 'u', 'n', 'u', 5, 4, u, da, N, db, N),
		cublasCtrsm_v2(h, 0, 1, 0, 1, 5, 4, &u, da, N, db, N));
	SAME(0, dc, cublasCherk('U', 'C', 4, 5, s, da, N, t, dc, N),
		cublasCherk_v2(h, 1, 2, 4, 5, &s, da, N, &t, dc, N));
	SAME(1, dc, cublasZher2k('L', 'N', 4, 5, v, da, N, db, N, e, dc, N),
		cublasZher2k_v2(h, 0, 0, 4, 5, &v, da, N, db, N, &e, dc, N));
	SAME(1, dc, cublasDsymm('R', 'U', 3, 5, d, da, N, db, N, e, dc, N),
		cublasDsymm_v2(h, 1, 1, 3, 5, &d, da, N, db, N, &e, dc, N));
	SAME(1, dc, cublasDgbmv('T', 4, 5, 1, 2, d, da, N, db, 1, e, dc, 2),
		cublasDgbmv_v2(h, 1, 4, 5, 1, 2, &d, da, N, db, 1, &e, dc, 2));
	SAME(0, dc, cublasChpr('L', 5, s, da, 1, dc), cublasChpr_v2(h, 0, 5, &s, da, 1, dc));
	SAME(0, db, cublasStpsv('U', 'N', 'U', 5, da, db, 1), cublasStpsv_v2(h, 1, 0, 1, 5, da, db, 1));
	SAME(1, dc, cublasZgerc(5, 4, w, da, 1, db, 2, dc, N),
		cublasZgerc_v2(h, 5, 4, &w, da, 1, db, 2, dc, N));
}

static void test_vectors(void)
{
	const double d = 1.5, e = -.5;
	const c u = .5f - 2 * I;
	const z w = 2 + I;
	c a = 3 + 4 * I, b = a, s, t;
	float x, y;

	SAME(0, dc, cublasCaxpy(5, u, da, 2, dc, 1), cublasCaxpy_v2(h, 5, &u, da, 2, dc, 1));
	SAME(1, dc, cublasZdscal(5, e, dc, 2), cublasZdscal_v2(h, 5, &e, dc, 2));
	SAME(1, dc, cublasZrot(5, db, 1, dc, 2, d, w), cublasZrot_v2(h, 5, db, 1, dc, 2, &d, &w));
	EQUAL(float, 0, cublasSdot(5, da, 1, db, 2), cublasSdot_v2(h, 5, da, 1, db, 2, &q));
	EQUAL(float, 0, cublasScnrm2(5, da, 1), cublasScnrm2_v2(h, 5, da, 1, &q));
	EQUAL(double, 1, cublasDzasum(5, da, 1), cublasDzasum_v2(h, 5, da, 1, &q));
	EQUAL(c, 0, cublasCdotu(5, da, 1, db, 2), cublasCdotu_v2(h, 5, da, 1, db, 2, &q));
	EQUAL(z, 1, cublasZdotc(5, da, 1, db, 2), cublasZdotc_v2(h, 5, da, 1, db, 2, &q));
	EQUAL(int, 0, cublasIcamax(5, db, 1), cublasIcamax_v2(h, 5, db, 1, &q));
	cublasCrotg(&a, u, &x, &s);
	cublasCrotg_v2(h, &b, &u, &y, &t);
	if (a != b || s != t || x != y)
		printf("cublasCrotg: the interfaces differ\n");
}

static void expect(const char *what, int got, int want)
{
	if (got != want)
		printf("%s: %d, expected %d\n", what, got, want);
}

int main(void)
{
	void *p = NULL;
	int n = 0;

	expect("cublasAlloc before cublasInit", cublasAlloc(1, 4, &p), 1);
	cublasStpsv('U', 'N', 'U', 5, NULL, NULL, 1);
	expect("cublasGetError before cublasInit", cublasGetError(), 1);
	expect("cublasInit", cublasInit() | cublasInit() | cublasGetVersion(&n), 0);
	expect("cublasAlloc",
		cublasAlloc(BYTES, 1, &da) | cublasAlloc(BYTES, 1, &db) | cublasAlloc(BYTES, 1, &dc), 0);
	expect("cublasAlloc of nothing", cublasAlloc(0, 1, &p), 7);
	expect("the other functions", cublasCreate_v2(&h) | cublasSetKernelStream(NULL), 0);
	test_matrices();
	test_vectors();
	cublasSgemm('N', 'x', 1, 1, 1, 1, da, N, db, N, 0, dc, N);
	expect("cublasGetError of a wrong letter", cublasGetError(), 7);
	expect("cublasGetError again", cublasGetError(), 0);
	expect("the end",
		cublasFree(da) | cublasFree(db) | cublasFree(dc) | cublasFree(NULL) | cublasShutdown() |
			cublasDestroy_v2(h),
		0);
	expect("cublasShutdown again", cublasShutdown(), 1);
	return 0;
}
