/* SPDX-License-Identifier: BSD-2-Clause */
/* Tensor maps. Properties that the executor does not support are rejected. */
#include <string.h>
#include "cuda/cuda.h"
#include "sem/tensor.h"

enum { SWIZZLE_LAST = 3, SWIZZLE_KNOWN = 6, INTERLEAVE_LAST = 2, PROMOTION_LAST = 3 };

/* Returns the index in tensor_elements[] of a type of the driver; TENSOR_ELEMENTS if there is none. */
static unsigned find_tensor_element(unsigned driver)
{
	unsigned i = 0;

	while (i < TENSOR_ELEMENTS && tensor_elements[i].driver_type != driver)
		i++;
	return i;
}

/* Arguments that tiled and im2col maps have in common. */
struct map_description {
	const char *function;
	unsigned type, rank;
	const void *base;
	const uint64_t *dim, *stride;
	const uint32_t *step;
	unsigned interleave, swizzle, promotion, fill;
};

static int report_unsupported_map(const struct map_description *x, const char *what)
{
	return cudart_unsupported(x->function, what);
}

/*
 * Checks a description and sets all fields except those of the box. Address and strides may be 0, as kernels can
 * replace them. Returns 0 or a status, which is the same in driver and runtime.
 */
static int describe_tensor_map(struct tensor_map *m, const struct map_description *x)
{
	unsigned element = find_tensor_element(x->type);

	if (element == TENSOR_ELEMENTS || !x->rank || x->rank > TENSOR_RANK || !x->dim ||
		(x->rank > 1 && !x->stride) || !x->step || x->interleave > INTERLEAVE_LAST ||
		x->swizzle > SWIZZLE_KNOWN || x->promotion > PROMOTION_LAST || x->fill > 1)
		return cudaErrorInvalidValue;
	if (x->interleave)
		return report_unsupported_map(x, "an interleaved layout");
	if (x->swizzle > SWIZZLE_LAST)
		return report_unsupported_map(x, "a swizzle of pieces of more than 16 bytes");
	*m = (struct tensor_map){.rank = (uint8_t)x->rank,
		.element = (uint8_t)element,
		.span = (uint8_t)(x->swizzle ? 16u << x->swizzle : 0),
		.fill_nan = x->fill,
		.addr = (uintptr_t)x->base};
	if (m->fill_nan && types[tensor_element(m)->type].kind != K_FLOAT)
		return cudaErrorInvalidValue;
	for (unsigned d = 0; d < x->rank; d++) {
		if (!x->step[d] || x->step[d] > 8 || (d && x->stride[d - 1] >> 40))
			return cudaErrorInvalidValue;
		m->dim[d] = x->dim[d];
		m->step[d] = (uint8_t)(d ? x->step[d] : 1); /* the step of the first dimension is ignored */
		if (d)
			m->stride[d - 1] = x->stride[d - 1];
	}
	return cudaSuccess;
}

/* Packs a map into *to if the map is valid and e, the status so far, is 0. Returns 0 or a status. */
static int store_tensor_map(uint8_t *to, const struct tensor_map *m, int e)
{
	if (!e && (!to || tensor_map_error(m)))
		e = cudaErrorInvalidValue;
	if (!e)
		tensor_map_pack(to, m);
	return e;
}

API(int, cuTensorMapEncodeTiled, uint8_t *to, unsigned type, unsigned rank, void *base, const uint64_t *dim,
	const uint64_t *stride, const uint32_t *box, const uint32_t *step, unsigned interleave,
	unsigned swizzle, unsigned promotion, unsigned fill)
{
	const struct map_description x = {"cuTensorMapEncodeTiled", type, rank, base, dim, stride, step,
		interleave, swizzle, promotion, fill};
	struct tensor_map m = {0};
	int e = box ? describe_tensor_map(&m, &x) : cudaErrorInvalidValue;

	for (unsigned d = 0; !e && d < rank; d++)
		m.box[d] = box[d];
	return store_tensor_map(to, &m, e);
}

/* Sets the corners of an im2col box. Their range is 16, 8 or 5 bits for rank 3, 4 or 5. */
static int set_im2col_corners(struct tensor_map *m, const int *lower, const int *upper)
{
	static const int least[] = {-32768, -128, -16};

	if (m->rank < 3 || !lower || !upper)
		return cudaErrorInvalidValue;
	for (unsigned d = 0; d + 2 < m->rank; d++) {
		int most = -least[m->rank - 3] - 1;

		if (lower[d] < -most - 1 || lower[d] > most || upper[d] < -most - 1 || upper[d] > most)
			return cudaErrorInvalidValue;
		m->lower[d] = (int16_t)lower[d];
		m->upper[d] = (int16_t)upper[d];
	}
	return cudaSuccess;
}

API(int, cuTensorMapEncodeIm2col, uint8_t *to, unsigned type, unsigned rank, void *base, const uint64_t *dim,
	const uint64_t *stride, const int *lower, const int *upper, unsigned channels, unsigned pixels,
	const uint32_t *step, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill)
{
	const struct map_description x = {"cuTensorMapEncodeIm2col", type, rank, base, dim, stride, step,
		interleave, swizzle, promotion, fill};
	struct tensor_map m = {0};
	int e = describe_tensor_map(&m, &x);

	if (!e && (!channels || channels > 256 || !pixels || pixels > 1024))
		e = cudaErrorInvalidValue;
	if (!e && !(e = set_im2col_corners(&m, lower, upper))) {
		m.channels = (uint16_t)channels;
		m.pixels = (uint16_t)pixels;
	}
	return store_tensor_map(to, &m, e);
}

API(int, cuTensorMapReplaceAddress, uint8_t *map, void *base)
{
	struct tensor_map with;

	if (!map || !base)
		return cudaErrorInvalidValue;
	tensor_map_unpack(&with, map);
	with.addr = (uintptr_t)base;
	return store_tensor_map(map, &with, cudaSuccess);
}
