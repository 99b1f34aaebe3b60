/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapping of coordinates to texels by a sampler, without access to memory; sem/sample.c. */
#ifndef SEM_SAMPLE_H
#define SEM_SAMPLE_H

#include "exec/texture.h"

#define SAMPLE_OUTSIDE INT64_MIN
#define SAMPLE_WHOLE   256u

/* Two texels along one dimension, and the weight of the second in 256ths. SAMPLE_OUTSIDE: border color. */
struct axis {
	int64_t texel[2];
	unsigned weight;
};

/* Two levels, and the weight of the second in 256ths. */
struct depth {
	unsigned level[2], weight;
};

/* Maps a coordinate along a dimension of n texels. linear: two texels are weighted. */
struct axis sample_axis(double x, uint32_t n, enum texture_mode mode, bool linear, bool normalized);
/* Maps a coordinate in whole texels. Of the address modes only the border mode has an effect. */
struct axis sample_axis_int(int64_t x, uint32_t n, enum texture_mode mode);
/* Returns the face of a cube for a direction. at: position on the face, from 0 to 1. */
uint32_t sample_face(const double v[3], double at[2]);
/* Sets at[] to the gradient of the position on the face, for direction v and its change d. */
void sample_face_gradient(const double v[3], const double d[3], double at[2]);
/*
 * Returns the levels for a level of detail, which the sampler shifts and clamps. levels: number of levels of
 * the texture.
 */
struct depth sample_depth(const struct sampler *s, unsigned levels, double lod);
/* Returns the level of detail of n coordinates from their gradients d[0] and d[1], which are in texels. */
double sample_lod(const double d[2][3], unsigned n);

#endif
