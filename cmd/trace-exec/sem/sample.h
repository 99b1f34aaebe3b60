/* SPDX-License-Identifier: BSD-2-Clause */
/* Coordinates to texels: what a sampler makes of them, without any memory; sem/sample.c. */
#ifndef SEM_SAMPLE_H
#define SEM_SAMPLE_H

#include "exec/texture.h"

#define SAMPLE_OUTSIDE INT64_MIN
#define SAMPLE_WHOLE   256u

/* Along one dimension: two texels, and the second's share in 256ths. SAMPLE_OUTSIDE: of the border. */
struct axis {
	int64_t at[2];
	unsigned share;
};

/* Two levels, and the second's share in 256ths. */
struct depth {
	unsigned level[2], share;
};

/* A coordinate along a dimension of n texels; linear: two texels are weighed. */
struct axis sample_axis(double x, uint32_t n, enum texture_mode mode, bool linear, bool normalized);
/* A coordinate in whole texels: the sampler but for a border does not count. */
struct axis sample_axis_int(int64_t x, uint32_t n, enum texture_mode mode);
/* The face of a cube that a direction hits; at: where, from 0 to 1. */
uint32_t sample_face(const double v[3], double at[2]);
/* The gradient of at where a direction v changes by d. */
void sample_face_gradient(const double v[3], const double d[3], double at[2]);
/* The levels of a texture of that many for a level of detail, which the sampler shifts and bounds. */
struct depth sample_depth(const struct sampler *s, unsigned levels, double lod);
/* The level of detail of n dimensions whose coordinates change by d[0] and d[1], in texels. */
double sample_lod(const double d[2][3], unsigned n);

#endif
