/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Initial values, without addresses, of the textures and the surface that fuzz targets place in the buffer of
 * their kernels.
 */
#ifndef FUZZ_IMAGES_H
#define FUZZ_IMAGES_H

#include "exec/texture.h"

#define IMAGE_2D \
	{ \
		.shape = TEXTURE_2D, .width = 9, .height = 7, .levels = 4, .normalized = true, \
		.kind = TEXEL_FLOAT, .bits = 32, .channels = 2, .sampler = { \
			.linear = true, \
			.mip_linear = true, \
			.lod = {0, 9} \
		} \
	}
#define IMAGE_3D \
	{ \
		.shape = TEXTURE_3D, .width = 5, .height = 4, .depth = 3, .kind = TEXEL_SIGNED, .bits = 32, \
		.channels = 4, .surface = true \
	}
#define IMAGE_1D \
	{ \
		.shape = TEXTURE_1D, .width = 11, .layers = 3, .layered = true, .kind = TEXEL_UNSIGNED, \
		.bits = 16, .channels = 1, .sampler = { \
			.mode = {TEXTURE_BORDER} \
		} \
	}
#define IMAGE_CUBE \
	{ \
		.shape = TEXTURE_CUBE, .width = 8, .height = 8, .layers = 6, .levels = 3, \
		.normalized = true, .read_float = true, .bits = 8, .channels = 4, .sampler = { \
			.lod = {0.5F, 2}, \
			.bias = 1 \
		} \
	}

#endif
