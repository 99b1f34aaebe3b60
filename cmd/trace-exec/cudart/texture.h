/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of textures and surfaces in the runtime's layout. */
#ifndef CUDART_TEXTURE_H
#define CUDART_TEXTURE_H

#include "cudart/cudart.h"

enum resource_type { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };

struct resource {
	int type;
	union {
		struct array *array;
		struct mipmap *mipmap;
		struct {
			char *base;
			struct channels channels;
			/* width, height: size in texels; linear memory has only a width, in bytes */
			size_t width, height, pitch;
		} memory;
		int reserved[32];
	} data;
	unsigned flags;
};

struct texture_description {
	int mode[3], filter, normalized_float, srgb;
	float border[4];
	int normalized;
	unsigned anisotropy;
	int mip_filter;
	float mip[3];
	int plain_trilinear,
		seamless_cube; /* seamless_cube: exists since release 12, and in functions of version 2 */
};

int cudaCreateTextureObject_v2(
	uint64_t *to, const struct resource *r, const struct texture_description *s, const void *view);
int cudaCreateSurfaceObject(uint64_t *to, const struct resource *r);
int cudaDestroyTextureObject(uint64_t handle), cudaDestroySurfaceObject(uint64_t handle);
int cudaGetTextureObjectResourceDesc(struct resource *to, uint64_t handle);
int cudaGetSurfaceObjectResourceDesc(struct resource *to, uint64_t handle);
int cudaGetTextureObjectTextureDesc_v2(struct texture_description *to, uint64_t handle);

#endif
