/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of textures and surfaces in the driver's layout. */
#ifndef CUDA_TEXTURE_H
#define CUDA_TEXTURE_H

#include "cuda/cuda.h"
#include "cudart/texture.h"

/* CUDA_RESOURCE_DESC */
struct cuda_resource {
	int type; /* enum resource_type */
	union {
		struct array *array;
		struct mipmap *mipmap;
		struct {
			uint64_t base;
			unsigned format, channels;
			/* width, height: size in texels; linear memory has only a width, in bytes */
			size_t width, height, pitch;
		} memory;
		int reserved[32];
	} data;
	unsigned flags;
};

/* CUDA_TEXTURE_DESC */
struct cuda_sampler {
	int mode[3], filter;
	unsigned flags, anisotropy;
	int mip_filter;
	float mip[3], border[4];
	int reserved[12];
};
enum {
	SAMPLER_INTEGER = 1, /* integers are read unchanged, not scaled to [0, 1] */
	SAMPLER_NORMALIZED = 2,
	SAMPLER_SRGB = 16,
	SAMPLER_PLAIN_TRILINEAR = 32,
	SAMPLER_SEAMLESS = 64
};

/* array.c: create a texture and a surface. Return 0 or a status. */
int cuda_create_texture(
	uint64_t *to, const struct cuda_resource *r, const struct cuda_sampler *s, const void *view);
int cuda_create_surface(uint64_t *to, const struct cuda_resource *r);

#endif
