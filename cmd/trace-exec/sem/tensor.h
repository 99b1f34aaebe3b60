/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps, 128-byte arguments of kernels; sem/tensor_map.c. Dimension 0 is contiguous; strides are in bytes, from
 * dimension 1 on.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_RANK      5
#define TENSOR_MAP_BYTES 128u

/* The contents of a tensor map. */
struct tensor_map {
	uint8_t rank;
	uint8_t element; /* index into tensor_elements[] */
	uint8_t span;    /* bytes of the swizzle: 0, 32, 64 or 128 */
	bool fill_nan;
	bool unknown; /* the map has an interleaved layout or a swizzle that is not supported */
	uint64_t addr, dim[TENSOR_RANK], stride[TENSOR_RANK - 1];
	uint32_t box[TENSOR_RANK];
	/* im2col: corners of the pixels, from dimension 1 on */
	int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
	uint16_t pixels;           /* pixels of a column of im2col; 0: tiles */
	uint16_t channels;         /* channels of a pixel */
	uint8_t step[TENSOR_RANK]; /* steps between elements of a box, or between pixels of im2col: 1 to 8 */
};

/* Types of elements. The index is the number of the type in a map and in tensormap.replace. */
#define TENSOR_ELEMENTS 16u
#define TENSOR_TF32     11u
struct tensor_element {
	uint8_t type;           /* enum type; T_NONE: elements of 4 or 6 bits, which are copied in groups */
	uint8_t driver_type;    /* number of the type in the driver's interface */
	uint8_t group_elements; /* number of elements that are copied together */
	uint8_t bytes;          /* bytes of a group in global memory */
	uint8_t group_shared_bytes; /* bytes of a group in shared memory, where zeros may follow it */
	bool flush;                 /* loads replace subnormal numbers by zero of the same sign */
	bool to_tf32;               /* loads round to tf32, to nearest even */
};
extern const struct tensor_element tensor_elements[TENSOR_ELEMENTS];

/* Returns the element type of a map. */
static inline const struct tensor_element *tensor_element(const struct tensor_map *m)
{
	return &tensor_elements[m->element % TENSOR_ELEMENTS];
}
/* Returns the first index in tensor_elements[] with this type; TENSOR_ELEMENTS if there is none. */
unsigned tensor_element_of_type(unsigned type);

/* Writes a map that has no error to 128 bytes, and reads it. */
void tensor_map_pack(uint8_t to[TENSOR_MAP_BYTES], const struct tensor_map *m);
void tensor_map_unpack(struct tensor_map *m, const uint8_t from[TENSOR_MAP_BYTES]);
/* Returns the error in the sizes or alignments of a map; NULL if there is none. */
const char *tensor_map_error(const struct tensor_map *m);

/* Parts of a map that kernels can replace. */
enum tensor_field {
	TENSOR_ADDRESS,
	TENSOR_RANK_LESS_1,
	TENSOR_ELEMENT,
	TENSOR_INTERLEAVE,
	TENSOR_SWIZZLE,
	TENSOR_FILL,
	TENSOR_ATOMICITY,
	TENSOR_STRIDE, /* the fields from TENSOR_STRIDE on have a value for each dimension */
	TENSOR_DIM,
	TENSOR_STEP,
	TENSOR_BOX,
	N_TENSOR_FIELDS
};
/* Sets a field of a map of 128 bytes. ord: index of the dimension; for a stride, minus 1. */
void tensor_field_set(uint8_t map[TENSOR_MAP_BYTES], enum tensor_field f, unsigned ord, uint64_t v);
/* Returns the number of values of a field. */
unsigned tensor_field_values(enum tensor_field f);
/* Returns the offset in a map of the word that contains a field. */
unsigned tensor_field_offset(enum tensor_field f, unsigned ord);

#endif
