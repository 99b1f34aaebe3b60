/* SPDX-License-Identifier: BSD-2-Clause */
/* Givens rotations, made from scalars of the host. No kernel is launched. */
#include <math.h>
#include "cublas/cublas.h"

/* Returns the status that scalars at p, of which none may be NULL, end a function with. */
static int check_host_scalars(
	const struct cublas_handle *h, const char *function, const void *const *p, unsigned n)
{
	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	for (unsigned i = 0; i < n; i++)
		if (!p[i])
			return CUBLAS_INVALID_VALUE;
	return h->scalars_on_device ? cublas_unsupported(function, "scalars on the device") : CUBLAS_SUCCESS;
}

/*
 * Makes a rotation that turns (a, b) to (r, 0): a becomes r, and b the number from which the rotation can be
 * made again.
 */
#define GIVENS(name, type, magnitude, root) \
	API(int, name, struct cublas_handle *h, type *a, type *b, type *c, type *s) \
	{ \
		type x, y, r; \
		int e = check_host_scalars(h, #name, (const void *const[]){a, b, c, s}, 4); \
		if (e) \
			return e; \
		x = *a, y = *b; \
		r = root(x, y); \
		if ((magnitude(x) > magnitude(y) ? x : y) < 0) \
			r = -r; \
		*c = r != 0 ? x / r : 1; \
		*s = r != 0 ? y / r : 0; \
		*a = r; \
		*b = magnitude(x) > magnitude(y) || r == 0 ? *s : *c != 0 ? 1 / *c : 1; \
		return CUBLAS_SUCCESS; \
	}
GIVENS(cublasSrotg_v2, float, fabsf, hypotf)
GIVENS(cublasDrotg_v2, double, fabs, hypot)
#undef GIVENS

/* Makes a rotation that turns the complex (a, b) to (r, 0). The cosine is real, and a becomes r. */
#define GIVENS(name, type, root) \
	API(int, name, struct cublas_handle *h, type *a, const type *b, type *c, type *s) \
	{ \
		type of_a, of_b, norm, x, y; \
		int e = check_host_scalars(h, #name, (const void *const[]){a, b, c, s}, 4); \
		if (e) \
			return e; \
		of_a = root(a[0], a[1]), of_b = root(b[0], b[1]); \
		norm = root(of_a, of_b); \
		*c = norm > 0 ? of_a / norm : 1; \
		x = of_a > 0 ? a[0] / of_a : 1, y = of_a > 0 ? a[1] / of_a : 0; \
		s[0] = norm > 0 ? (x * b[0] + y * b[1]) / norm : 0; \
		s[1] = norm > 0 ? (y * b[0] - x * b[1]) / norm : 0; \
		a[0] = x * norm, a[1] = y * norm; \
		return CUBLAS_SUCCESS; \
	}
GIVENS(cublasCrotg_v2, float, hypotf)
GIVENS(cublasZrotg_v2, double, hypot)
#undef GIVENS

/* A modified rotation: a matrix with the elements h11, h21, h12 and h22. Some elements follow from the flag. */
struct modified {
	double flag, h11, h21, h12, h22, d1, d2, x;
};

/* The modified rotation that changes nothing. */
static const struct modified no_rotation = {.flag = -1};

/* Makes h11, h21, h12 and h22 explicit. */
static void make_elements_explicit(struct modified *m)
{
	if (m->flag == 0)
		m->h11 = m->h22 = 1;
	if (m->flag == 1)
		m->h12 = 1, m->h21 = -1;
	m->flag = -1;
}

/* Multiplies d by 4096 * 4096 or its inverse until it is between the two. Changes one row of the matrix accordingly. */
static void scale_row(struct modified *m, double *d, double *first, double *second, double *x)
{
	while (*d != 0 && (fabs(*d) <= 0x1p-24 || fabs(*d) >= 0x1p24)) {
		double by = fabs(*d) <= 0x1p-24 ? 0x1p12 : 0x1p-12;

		make_elements_explicit(m);
		*d *= by * by;
		*first /= by;
		*second /= by;
		if (x)
			*x /= by;
	}
}

/* Makes the modified rotation that turns (sqrt(d1) x, sqrt(d2) y) to (r, 0). Changes d1, d2 and x accordingly. */
static void make_modified_rotation(struct modified *m, double y)
{
	double p1 = m->d1 * m->x, p2 = m->d2 * y, q1 = p1 * m->x, q2 = p2 * y, u;

	if (m->d1 < 0) {
		*m = no_rotation;
		return;
	}
	if (p2 == 0) {
		m->flag = -2;
		return;
	}
	m->flag = fabs(q1) > fabs(q2) ? 0 : 1;
	if (m->flag == 0) {
		m->h21 = -y / m->x;
		m->h12 = p2 / p1;
		u = 1 - m->h12 * m->h21;
		m->d1 /= u;
		m->d2 /= u;
		m->x *= u;
	} else {
		m->h11 = p1 / p2;
		m->h22 = m->x / y;
		u = 1 + m->h11 * m->h22;
		double d = m->d2 / u;
		m->d2 = m->d1 / u;
		m->d1 = d;
		m->x = y * u;
	}
	if (!(u > 0) || (m->flag == 1 && q2 < 0))
		*m = no_rotation;
	scale_row(m, &m->d1, &m->h11, &m->h12, &m->x);
	scale_row(m, &m->d2, &m->h21, &m->h22, NULL);
}

#define MODIFIED(name, type) \
	API(int, name, struct cublas_handle *h, type *d1, type *d2, type *x, const type *y, type *p) \
	{ \
		struct modified m; \
		int e = check_host_scalars(h, #name, (const void *const[]){d1, d2, x, y, p}, 5); \
		if (e) \
			return e; \
		m = (struct modified){0, p[1], p[2], p[3], p[4], *d1, *d2, *x}; \
		make_modified_rotation(&m, *y); \
		p[0] = (type)m.flag; \
		if (m.flag == -2) \
			return CUBLAS_SUCCESS; \
		*d1 = (type)m.d1, *d2 = (type)m.d2, *x = (type)m.x; \
		p[1] = (type)m.h11, p[2] = (type)m.h21, p[3] = (type)m.h12, p[4] = (type)m.h22; \
		return CUBLAS_SUCCESS; \
	}
MODIFIED(cublasSrotmg_v2, float)
MODIFIED(cublasDrotmg_v2, double)
#undef MODIFIED

/* ---- functions whose arguments name the types ---- */

API(int, cublasRotgEx, struct cublas_handle *h, void *a, void *b, int type, void *c, void *s,
	int type_scalars, int compute)
{
	if (type != type_scalars || type != compute || (type != TYPE_F32 && type != TYPE_F64))
		return cublas_unsupported(
			"cublasRotgEx", cublas_is_complex(type) ? "complex types" : "these types");
	return type == TYPE_F64 ? cublasDrotg_v2(h, a, b, c, s) : cublasSrotg_v2(h, a, b, c, s);
}

API(int, cublasRotmgEx, struct cublas_handle *h, void *d1, int type_d1, void *d2, int type_d2, void *x,
	int type_x, const void *y, int type_y, void *p, int type_p, int compute)
{
	if (type_d1 != compute || type_d2 != compute || type_x != compute || type_y != compute ||
		type_p != compute || (compute != TYPE_F32 && compute != TYPE_F64))
		return cublas_unsupported("cublasRotmgEx", "these types");
	return compute == TYPE_F64 ? cublasDrotmg_v2(h, d1, d2, x, y, p)
				   : cublasSrotmg_v2(h, d1, d2, x, y, p);
}
