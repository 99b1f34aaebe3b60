/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 128 bytes of a tensor map.
 *
 * PTX does not define them, but compiled code does: ptxas translates tensormap.replace into stores to the bits of the
 * field. The fields that kernels can replace are at these bits. Other fields, which are those of im2col, are at bits
 * that compiled code does not access; their places are our own.
 */
#include <string.h>
#include "lang/lang.h"
#include "sem/tensor.h"

/* Place of a field: its first bit in the map, number of bits, distance of the values of successive dimensions. */
static const struct field_place {
	uint16_t at;
	uint8_t bits, distance, values;
	bool less_one; /* the map contains the value minus 1 */
} fields[N_TENSOR_FIELDS] = {
	[TENSOR_ADDRESS] = {0, 64, 0, 1, false},
	[TENSOR_RANK_LESS_1] = {68, 3, 0, 1, false},
	[TENSOR_ELEMENT] = {71, 4, 0, 1, false},
	[TENSOR_INTERLEAVE] = {75, 2, 0, 1, false},
	[TENSOR_SWIZZLE] = {77, 2, 0, 1, false},
	[TENSOR_FILL] = {79, 1, 0, 1, false},
	[TENSOR_ATOMICITY] = {83, 3, 0, 1, false},
	[TENSOR_STRIDE] = {96, 32, 32, TENSOR_RANK - 1, false}, /* bits 4 to 35 of the stride */
	[TENSOR_DIM] = {256, 32, 32, TENSOR_RANK, true},
	[TENSOR_STEP] = {416, 3, 3, TENSOR_RANK, true},
	[TENSOR_BOX] = {440, 8, 8, TENSOR_RANK, true},
};
#define STRIDE_HIGH  224u /* first bit of bits 36 to 39 of the strides; 4 bits for each */
#define WIDE_SWIZZLE 86u  /* bit of a swizzle of 96 bytes */
#define IM2COL_AT    64u  /* first byte of the fields of im2col */

const struct tensor_element tensor_elements[TENSOR_ELEMENTS] = {
	{T_U8, 0, 1, 1, 1, false, false}, {T_U16, 1, 1, 2, 2, false, false},
	{T_U32, 2, 1, 4, 4, false, false}, {T_S32, 3, 1, 4, 4, false, false},
	{T_U64, 4, 1, 8, 8, false, false}, {T_S64, 5, 1, 8, 8, false, false},
	{T_F16, 6, 1, 2, 2, false, false}, {T_F32, 7, 1, 4, 4, false, false},
	{T_F32, 10, 1, 4, 4, true, false}, {T_F64, 8, 1, 8, 8, false, false},
	{T_BF16, 9, 1, 2, 2, false, false}, {T_F32, 11, 1, 4, 4, false, true},
	{T_F32, 12, 1, 4, 4, true, true}, {T_NONE, 13, 2, 1, 1, false, false}, /* pairs of 4 bits */
	{T_NONE, 14, 16, 8, 16, false, false},                                 /* 16 elements of 4 bits */
	{T_NONE, 15, 16, 12, 16, false, false},                                /* 16 elements of 6 bits */
};

/* The fields of im2col in a map. */
struct im2col_bytes {
	int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
	uint16_t pixels, channels;
};

unsigned tensor_element_of_type(unsigned type)
{
	unsigned i = 0;

	while (i < TENSOR_ELEMENTS && tensor_elements[i].type != type)
		i++;
	return i;
}

unsigned tensor_field_values(enum tensor_field f) { return fields[f].values; }

unsigned tensor_field_offset(enum tensor_field f, unsigned ord)
{
	return (fields[f].at + ord * fields[f].distance) / 32 * 4;
}

/* ---- bits ---- */

/* Sets bits of the map that do not cross a multiple of 32. */
static void set_map_bits(uint8_t *map, unsigned at, unsigned bits, uint32_t v)
{
	uint32_t word, mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

	memcpy(&word, map + at / 32 * 4, 4);
	word = (word & ~(mask << at % 32)) | (v & mask) << at % 32;
	memcpy(map + at / 32 * 4, &word, 4);
}

static uint32_t get_map_bits(const uint8_t *map, unsigned at, unsigned bits)
{
	uint32_t word;

	memcpy(&word, map + at / 32 * 4, 4);
	return bits == 32 ? word : word >> at % 32 & ((1u << bits) - 1);
}

void tensor_field_set(uint8_t map[TENSOR_MAP_BYTES], enum tensor_field f, unsigned ord, uint64_t v)
{
	const struct field_place *p = &fields[f];
	unsigned at = p->at + ord * p->distance;

	if (f == TENSOR_ADDRESS) {
		memcpy(map, &v, sizeof(v));
		return;
	}
	if (f == TENSOR_STRIDE) {
		set_map_bits(map, STRIDE_HIGH + 4 * ord, 4, (uint32_t)(v >> 36));
		v >>= 4;
	}
	if (f == TENSOR_SWIZZLE)
		set_map_bits(map, WIDE_SWIZZLE, 1, v > 3);
	set_map_bits(map, at, p->bits, (uint32_t)(v - p->less_one));
}

static uint64_t get_tensor_field(const uint8_t *map, enum tensor_field f, unsigned ord)
{
	const struct field_place *p = &fields[f];
	uint64_t v;

	if (f == TENSOR_ADDRESS) {
		memcpy(&v, map, sizeof(v));
		return v;
	}
	v = get_map_bits(map, p->at + ord * p->distance, p->bits);
	if (f == TENSOR_STRIDE)
		v = v << 4 | (uint64_t)get_map_bits(map, STRIDE_HIGH + 4 * ord, 4) << 36;
	return v + p->less_one;
}

/* ---- maps ---- */

void tensor_map_pack(uint8_t to[TENSOR_MAP_BYTES], const struct tensor_map *m)
{
	struct im2col_bytes x = {.pixels = m->pixels, .channels = m->channels};

	memset(to, 0, TENSOR_MAP_BYTES);
	tensor_field_set(to, TENSOR_ADDRESS, 0, m->addr);
	tensor_field_set(to, TENSOR_RANK_LESS_1, 0, m->rank - 1u);
	tensor_field_set(to, TENSOR_ELEMENT, 0, m->element);
	tensor_field_set(to, TENSOR_SWIZZLE, 0, m->span >= 128 ? 3 : m->span / 32);
	tensor_field_set(to, TENSOR_FILL, 0, m->fill_nan);
	for (unsigned d = 0; d < m->rank; d++) {
		tensor_field_set(to, TENSOR_DIM, d, m->dim[d]);
		tensor_field_set(to, TENSOR_STEP, d, m->step[d]);
		tensor_field_set(to, TENSOR_BOX, d, m->pixels ? 1 : m->box[d]);
		if (d)
			tensor_field_set(to, TENSOR_STRIDE, d - 1, m->stride[d - 1]);
	}
	memcpy(x.lower, m->lower, sizeof(x.lower));
	memcpy(x.upper, m->upper, sizeof(x.upper));
	memcpy(to + IM2COL_AT, &x, sizeof(x));
}

void tensor_map_unpack(struct tensor_map *m, const uint8_t from[TENSOR_MAP_BYTES])
{
	struct im2col_bytes x;
	unsigned swizzle = (unsigned)get_tensor_field(from, TENSOR_SWIZZLE, 0);

	memcpy(&x, from + IM2COL_AT, sizeof(x));
	*m = (struct tensor_map){.addr = get_tensor_field(from, TENSOR_ADDRESS, 0),
		.rank = (uint8_t)(get_tensor_field(from, TENSOR_RANK_LESS_1, 0) + 1),
		.element = (uint8_t)get_tensor_field(from, TENSOR_ELEMENT, 0),
		.span = (uint8_t)(swizzle ? 16u << swizzle : 0),
		.fill_nan = get_tensor_field(from, TENSOR_FILL, 0) != 0,
		.unknown = get_tensor_field(from, TENSOR_INTERLEAVE, 0) ||
			   get_map_bits(from, WIDE_SWIZZLE, 1) || get_tensor_field(from, TENSOR_ATOMICITY, 0),
		.pixels = x.pixels,
		.channels = x.channels};
	for (unsigned d = 0; d < m->rank && d < TENSOR_RANK; d++) {
		m->dim[d] = get_tensor_field(from, TENSOR_DIM, d);
		m->step[d] = (uint8_t)get_tensor_field(from, TENSOR_STEP, d);
		m->box[d] = (uint32_t)get_tensor_field(from, TENSOR_BOX, d);
		if (d)
			m->stride[d - 1] = get_tensor_field(from, TENSOR_STRIDE, d - 1);
	}
	memcpy(m->lower, x.lower, sizeof(x.lower));
	memcpy(m->upper, x.upper, sizeof(x.upper));
}

/* Returns the error in the corners, pixels or steps of an im2col map; NULL if there is none. */
static const char *im2col_map_error(const struct tensor_map *m)
{
	int most = m->rank == 3 ? 1 << 15 : m->rank == 4 ? 1 << 7 : 1 << 4;

	if (m->rank < 3 || m->pixels > 1024 || !m->channels || m->channels > 256)
		return "more than 1024 pixels of im2col, 256 channels, or fewer than 3 dimensions";
	for (unsigned d = 1; d + 1 < m->rank; d++) {
		int low = m->lower[d - 1], high = m->upper[d - 1];

		if (low < -most || low >= most || high < -most || high >= most)
			return "corners of im2col that need more than 16, 8 or 5 signed bits, for 3, 4 or 5 dimensions";
		if ((int64_t)m->dim[d] + high <= low)
			return "corners of im2col without a pixel between them";
	}
	return m->step[m->rank - 1] == 1 ? NULL : "steps along the last dimension of im2col";
}

const char *tensor_map_error(const struct tensor_map *m)
{
	if (!m->rank || m->rank > TENSOR_RANK)
		return "no tensor map";
	if (m->unknown)
		return "an interleaved layout, or a swizzle that is not supported";
	const struct tensor_element *e = tensor_element(m);
	uint64_t width = m->pixels ? m->channels : m->box[0],
		 inner = width / e->group_elements * e->group_shared_bytes;

	if (width % e->group_elements || m->dim[0] % e->group_elements)
		return "a box or a first dimension that ends in a group of elements";
	for (unsigned d = 0; d < m->rank; d++) {
		if (!m->dim[d] || m->dim[d] > 1ull << 32)
			return "a dimension of 0 or above 2^32 elements";
		if (!m->pixels && (!m->box[d] || m->box[d] > 256))
			return "a box of 0 or more than 256 elements in a dimension";
		if (!m->step[d] || m->step[d] > 8)
			return "steps that are not 1 to 8";
		if (d && (m->stride[d - 1] % 16 || m->stride[d - 1] >> 40))
			return "a stride that is not a multiple of 16 bytes below 2^40";
	}
	if (m->step[0] != 1)
		return "steps along the first dimension";
	if (m->addr % 16 || inner % 16)
		return "an address, or innermost bytes of the box, that are not a multiple of 16";
	if (m->span && (inner > m->span || (m->span != 32 && m->span != 64 && m->span != 128)))
		return "a box whose innermost bytes are more than the swizzle's";
	return m->pixels ? im2col_map_error(m) : NULL;
}
