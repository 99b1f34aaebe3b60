/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps, 128-byte arguments of kernels. PTX does not define their format; this one is our own.
 * Dimension 0 is contiguous; strides are in bytes, from dimension 1 on.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdint.h>

#define TENSOR_MAGIC 0x70616d74u
#define TENSOR_RANK  5

struct tensor_map {
	uint32_t magic;
	uint8_t rank;
	uint8_t bytes; /* bytes of an element */
	uint8_t span;  /* bytes of the swizzle: 0, 32, 64 or 128 */
	uint8_t fill_nan;
	uint64_t addr, dim[TENSOR_RANK], stride[TENSOR_RANK - 1];
	uint32_t box[TENSOR_RANK];
	/* im2col: corners of the pixels, from dimension 1 on */
	int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
	uint16_t pixels;   /* pixels of a column of im2col; 0: tiles */
	uint16_t channels; /* channels of a pixel */
	uint8_t type;      /* enum type of the elements */
	uint8_t reserved;
	uint16_t steps; /* 3 bits per dimension: the step minus 1; see tensor_step */
};

_Static_assert(sizeof(struct tensor_map) == 128, "a tensor map is an argument of 128 bytes");

/* Returns the step between elements of dimension d of a box, or between pixels of im2col. */
static inline unsigned tensor_step(const struct tensor_map *m, unsigned d)
{
	return (m->steps >> 3 * d & 7u) + 1;
}

/* Returns the error in the sizes or alignments of a map; NULL if there is none. */
const char *tensor_map_error(const struct tensor_map *m);

#endif
