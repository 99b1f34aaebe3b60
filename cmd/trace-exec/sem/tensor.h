/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps, as a kernel gets them: 128 bytes of our own form, for PTX leaves the bytes open. Dimension 0
 * lies closest; strides are in bytes, from dimension 1 on.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdint.h>

#define TENSOR_MAGIC 0x70616d74u
#define TENSOR_RANK  5

struct tensor_map {
	uint32_t magic;
	uint8_t rank, bytes, span, fill_nan; /* bytes: of an element; span of the swizzle: 0, 32, 64, 128 */
	uint64_t addr, dim[TENSOR_RANK], stride[TENSOR_RANK - 1];
	uint32_t box[TENSOR_RANK];
	int16_t lower[TENSOR_RANK - 2],
		upper[TENSOR_RANK - 2]; /* im2col: corners of the pixels, from dimension 1 on */
	uint16_t pixels, channels;      /* of a column, of a pixel; pixels 0: tiles */
	uint8_t type, reserved;         /* enum type of the elements */
	uint16_t steps;                 /* 3 bits a dimension: less 1; see tensor_step */
};

_Static_assert(sizeof(struct tensor_map) == 128, "a tensor map is an argument of 128 bytes");

/* Step between elements of dimension d in a box, or between pixels of im2col. */
static inline unsigned tensor_step(const struct tensor_map *m, unsigned d)
{
	return (m->steps >> 3 * d & 7u) + 1;
}

/* NULL, or what is wrong with the map: sizes, alignments. */
const char *tensor_map_error(const struct tensor_map *m);

#endif
