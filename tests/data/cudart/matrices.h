/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, matrices on the host and the device, and comparisons for matrices.c, bands.c and typed.c. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetPointerMode_v2(void *, int);

typedef double complex z;
typedef int function();
enum { M = 5, N = 4, K = 3, LDA = 7, LDB = 8, LDC = 6, SIZE = 64, BATCHES = 2 };

static const char letters[] = "SDCZ";
static int type, bad; /* type: index of a letter */
static void *h;
static void *da, *db, *dc, *scalars;
static z a[SIZE], b[SIZE], c[SIZE], want[SIZE];
static z alpha, beta;

static bool is_complex(void) { return type > 1; }
static size_t bytes(void) { return (type & 1 ? 8 : 4) << is_complex(); }

static void fail(const char *what, int i, z got, z expected)
{
	bad = 1;
	printf("%c %s %d: %g%+gi, expected %g%+gi\n", letters[type], what, i, creal(got), cimag(got),
		creal(expected), cimag(expected));
}

static void put(void *to, int i, z v)
{
	switch (type) {
	case 0: ((float *)to)[i] = (float)creal(v); break;
	case 1: ((double *)to)[i] = creal(v); break;
	case 2: ((float *)to)[2 * i] = (float)creal(v), ((float *)to)[2 * i + 1] = (float)cimag(v); break;
	default: ((double *)to)[2 * i] = creal(v), ((double *)to)[2 * i + 1] = cimag(v);
	}
}

static z get(const void *from, int i)
{
	switch (type) {
	case 0: return ((const float *)from)[i];
	case 1: return ((const double *)from)[i];
	case 2: return ((const float *)from)[2 * i] + I * ((const float *)from)[2 * i + 1];
	default: return ((const double *)from)[2 * i] + I * ((const double *)from)[2 * i + 1];
	}
}

static void upload(void *to, const z *from, int n)
{
	char buffer[SIZE * 16];

	for (int i = 0; i < n; i++)
		put(buffer, i, from[i]);
	cudaMemcpy(to, buffer, (size_t)n * bytes(), 1);
}

/* Returns the function whose name has the letter of the type in place of %c. */
static function *named(const char *format)
{
	static char name[64];
	function *f;

	snprintf(name, sizeof(name), format, letters[type]);
	f = (function *)dlsym(RTLD_DEFAULT, name);
	if (!f) {
		printf("%s does not exist\n", name);
		exit(2);
	}
	return f;
}

static void begin(void)
{
	upload(da, a, SIZE);
	upload(db, b, SIZE);
	upload(dc, c, SIZE);
	for (int i = 0; i < SIZE; i++)
		want[i] = c[i];
}

/* Compares all elements of memory with want[]. */
static void end(const char *what, int status, const void *at)
{
	char buffer[SIZE * 16];

	if (status) {
		bad = 1;
		printf("%c %s: status %d\n", letters[type], what, status);
	}
	cudaMemcpy(buffer, at, SIZE * bytes(), 2);
	for (int i = 0; i < SIZE; i++)
		if (!(cabs(get(buffer, i) - want[i]) <= 1e-4 * (1 + cabs(want[i]))))
			fail(what, i, get(buffer, i), want[i]);
}

static void expect(const char *what, int status, int expected)
{
	if (status != expected)
		fail(what, -1, status, expected);
}

/* The scalars of a call. */
static char alpha_bytes[16], beta_bytes[16], none[16];

/* Sets a, b, c and the scalars to values of the current type. */
static void set_operands(void)
{
	for (int i = 0; i < SIZE; i++) {
		a[i] = i % 9 - 4.25 + I * (is_complex() ? i % 5 - 2 : 0);
		b[i] = i % 7 - 2.5 + I * (is_complex() ? i % 3 - 1 : 0);
		c[i] = i % 11 * .5 + I * (is_complex() ? i % 4 - 1.5 : 0);
	}
	alpha = 2 + (is_complex() ? I * .5 : 0);
	beta = .5 - (is_complex() ? I : 0);
	put(alpha_bytes, 0, alpha);
	put(beta_bytes, 0, beta);
}

/* ---- elements on the host ---- */

static z element(const z *x, int pitch, int i, int j, int op)
{
	z v = op == 0 ? x[i + j * pitch] : x[j + i * pitch];

	return op == 2 ? conj(v) : v;
}

static z mirrored(const z *x, int pitch, int i, int j, int upper, bool hermitian)
{
	bool stored = upper ? i <= j : i >= j;
	z v = stored ? x[i + j * pitch] : x[j + i * pitch];

	return !hermitian ? v : i == j ? creal(v) : stored ? v : conj(v);
}

static z triangular(const z *x, int pitch, int i, int j, int upper, int op, int unit)
{
	int p = op ? j : i, q = op ? i : j;

	if (p == q && unit)
		return 1;
	return (upper ? p <= q : p >= q) ? element(x, pitch, i, j, op) : 0;
}
