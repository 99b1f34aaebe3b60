/* SPDX-License-Identifier: BSD-2-Clause */
/* Types that describe textures to the CUDA runtime. */
#include <stddef.h>

struct channels {
	int x, y, z, w, kind; /* `kind` is 0 for signed, 1 for unsigned, 2 for floating point */
};
struct resource {
	int type; /* source of the texels: 0 array, 1 mipmapped array, 2 linear memory, 3 rows with a pitch */
	union {
		void *array;
		struct {
			void *base;
			struct channels channels;
			size_t width, height, pitch;
		} memory;
		int reserved[32];
	} data;
	unsigned flags;
};
struct sampler {
	int mode[3], filter, normalized_float, srgb;
	float border[4];
	int normalized;
	unsigned anisotropy;
	int mip_filter;
	float mip[3];
	int trilinear, seamless;
};
