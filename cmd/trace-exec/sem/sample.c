/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps coordinates to texel numbers, faces of cubes and mip levels, as a sampler specifies.
 *
 * Weights are multiples of 1/256 from 0 to 1, rounded to the nearest.
 *
 * Always true: wrap and mirror act as clamp on coordinates that are not normalised. A NaN coordinate or level
 * of detail is 0. A level of detail is shifted by the bias, then clamped by the sampler, then to the existing
 * levels. Between two equally near levels, the one with fewer texels is chosen.
 */
#include <math.h>
#include "sem/sample.h"

static int64_t wrap_texel(int64_t i, uint32_t n, enum texture_mode mode)
{
	if (i >= 0 && i < n)
		return i;
	switch (mode) {
	case TEXTURE_BORDER: return SAMPLE_OUTSIDE;
	case TEXTURE_WRAP: return (i % n + n) % n;
	default: return i < 0 ? 0 : n - 1;
	}
}

struct axis sample_axis(double x, uint32_t n, enum texture_mode mode, bool linear, bool normalized)
{
	struct axis a = {.weight = 0};
	double most = 1e9, low;

	x = x == x ? x : 0;
	if (normalized) {
		low = floor(x);
		if (mode == TEXTURE_WRAP)
			x = low == x ? 0 : x - low;
		else if (mode == TEXTURE_MIRROR)
			x = fmod(low, 2) != 0 ? 1 - (x - low) : x - low;
		x = x == x ? x * n : 0;
	} else if (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR) {
		mode = TEXTURE_CLAMP;
	}
	x = x < -most ? -most : x > most ? most : x;
	x -= linear ? 0.5 : 0;
	low = floor(x);
	a.texel[0] = wrap_texel((int64_t)low, n, mode);
	a.texel[1] = wrap_texel((int64_t)low + 1, n, mode);
	if (linear)
		a.weight = (unsigned)lrint((x - low) * SAMPLE_WHOLE);
	return a;
}

struct axis sample_axis_int(int64_t x, uint32_t n, enum texture_mode mode)
{
	return (struct axis){
		{wrap_texel(x, n, mode == TEXTURE_BORDER ? mode : TEXTURE_CLAMP), SAMPLE_OUTSIDE}, 0};
}

/* ---- cubes ---- */

/*
 * The cube face of a direction: indices of the coordinates along its axis (main), across and down, and signs.
 */
struct face {
	uint8_t number, main, across, down;
	double sign_across, sign_down;
};

static struct face cube_face(const double v[3])
{
	double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);

	if (x >= y && x >= z)
		return v[0] < 0 ? (struct face){1, 0, 2, 1, 1, -1} : (struct face){0, 0, 2, 1, -1, -1};
	if (y >= z)
		return v[1] < 0 ? (struct face){3, 1, 0, 2, 1, -1} : (struct face){2, 1, 0, 2, 1, 1};
	return v[2] < 0 ? (struct face){5, 2, 0, 1, -1, -1} : (struct face){4, 2, 0, 1, 1, -1};
}

uint32_t sample_face(const double v[3], double at[2])
{
	struct face f = cube_face(v);
	double m = fabs(v[f.main]);

	at[0] = (f.sign_across * v[f.across] / m + 1) / 2;
	at[1] = (f.sign_down * v[f.down] / m + 1) / 2;
	return f.number;
}

void sample_face_gradient(const double v[3], const double d[3], double at[2])
{
	struct face f = cube_face(v);
	double m = fabs(v[f.main]), dm = v[f.main] < 0 ? -d[f.main] : d[f.main];

	at[0] = f.sign_across * (d[f.across] * m - v[f.across] * dm) / (2 * m * m);
	at[1] = f.sign_down * (d[f.down] * m - v[f.down] * dm) / (2 * m * m);
}

/* ---- levels ---- */

struct depth sample_depth(const struct sampler *s, unsigned levels, double lod)
{
	double most = levels - 1, low;
	struct depth d = {.weight = 0};

	lod = lod == lod ? lod : 0;
	lod += (double)s->bias;
	lod = lod < (double)s->lod[1] ? lod : (double)s->lod[1];
	lod = lod > (double)s->lod[0] ? lod : (double)s->lod[0];
	lod = lod > 0 ? lod < most ? lod : most : 0;
	low = floor(s->mip_linear ? lod : lod + 0.5);
	d.level[0] = (unsigned)low;
	d.level[1] = d.level[0] + (d.level[0] + 1 < levels);
	if (s->mip_linear)
		d.weight = (unsigned)lrint((lod - low) * SAMPLE_WHOLE);
	return d;
}

double sample_lod(const double d[2][3], unsigned n)
{
	double most = 0;

	for (unsigned i = 0; i < 2; i++) {
		double sum = 0;

		for (unsigned k = 0; k < n; k++)
			sum += d[i][k] * d[i][k];
		most = sum > most ? sum : most;
	}
	return log2(most) / 2;
}
