/* SPDX-License-Identifier: BSD-2-Clause */
/* Types that describe arrays, textures and copies to the CUDA driver. */
#include <stddef.h>
#include <stdint.h>

struct shape {
	size_t width, height, depth;
	unsigned format, channels, flags;
};
struct resource {
	int type; /* source of the texels: 0 array, 1 mipmapped array, 2 linear memory, 3 rows with a pitch */
	union {
		void *array;
		struct {
			uint64_t base;
			unsigned format, channels;
			size_t width, height, pitch;
		} memory;
		int reserved[32];
	} data;
	unsigned flags;
};
struct sampler {
	int mode[3], filter;
	unsigned flags, anisotropy;
	int mip_filter;
	float mip[3], border[4];
	int reserved[12];
};
struct copy_end {
	size_t x, y;
	unsigned kind; /* 1 for the host, 3 for an array */
	void *host;
	uint64_t device;
	void *array;
	size_t pitch;
};
struct copy {
	struct copy_end from, to;
	size_t width, height;
};
