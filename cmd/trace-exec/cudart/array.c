/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays: texels in device memory, row by row, for textures and surfaces; copies to and from them.
 *
 * Always true: an array's memory is a grant like any other. The leak check reports it, and the trace's list
 * shows a copy into it with the address of its texels. The levels of a mipmapped array are arrays in one grant.
 * Sparse arrays are not supported.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/graph.h"

struct array {
	struct array *next;
	struct texture form;
	struct channels channels;
	struct extent extent; /* size in the form in which the program passed it */
	unsigned flags;
	bool level; /* a level of a mipmapped array, which is freed with that array */
};

struct mipmap {
	struct mipmap *next;
	struct texture form; /* shape of the array with all its levels */
	struct array *level[TEXTURE_LEVELS];
};

static struct mipmap *mipmaps;

static struct array *arrays;

enum {
	ARRAY_LAYERED = 1,
	ARRAY_SURFACE = 2,
	ARRAY_CUBE = 4,
	ARRAY_GATHER = 8,
	ARRAY_KNOWN = ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBE | ARRAY_GATHER
};

static const struct array *find_array(const struct array *a)
{
	const struct array *i = arrays;

	while (i && i != a)
		i = i->next;
	return i;
}

const struct texture *cudart_array_texture(const struct array *a)
{
	a = find_array(a);
	return a ? &a->form : NULL;
}

size_t cudart_array_texel_bytes(const struct array *a)
{
	a = find_array(a);
	return a ? texture_texel_bytes(&a->form) : 0;
}

int cudart_set_channels(struct texture *t, const struct channels *c)
{
	static const uint8_t kinds[] = {TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT};
	unsigned n = 0;

	if (c->kind < 0 || c->kind > 3)
		return cudart_unsupported("cudaCreateChannelDesc", "a packed or normalised format");
	while (n < 4 && c->bits[n])
		n++;
	for (unsigned i = 0; i < 4; i++)
		if (c->bits[i] != (i < n ? c->bits[0] : 0))
			return cudaErrorInvalidChannelDescriptor;
	if (c->kind == 3 || (n != 1 && n != 2 && n != 4) ||
		(c->bits[0] != 8 && c->bits[0] != 16 && c->bits[0] != 32) ||
		(c->kind == 2 && c->bits[0] == 8))
		return cudaErrorInvalidChannelDescriptor;
	t->kind = kinds[c->kind];
	t->bits = (uint8_t)c->bits[0];
	t->channels = (uint8_t)n;
	return cudaSuccess;
}

/* ---- allocation and queries ---- */

/* Sets the texture's shape and dimensions from the program's extent and flags. Returns 0 or a status. */
static int set_array_shape(struct texture *t, struct extent x, unsigned flags)
{
	if (!x.width || x.width > 1u << 28 || x.height > 1u << 17 || x.depth > 1u << 15)
		return cudaErrorInvalidValue;
	t->width = (uint32_t)x.width;
	t->height = (uint32_t)x.height;
	t->layered = flags & ARRAY_LAYERED;
	if (flags & ARRAY_CUBE) {
		if (x.width != x.height || !x.depth || x.depth % 6 || (!t->layered && x.depth != 6))
			return cudaErrorInvalidValue;
		t->shape = TEXTURE_CUBE;
		t->layers = (uint32_t)x.depth;
	} else if (t->layered) {
		t->shape = x.height ? TEXTURE_2D : TEXTURE_1D;
		t->layers = (uint32_t)x.depth;
		if (!x.depth)
			return cudaErrorInvalidValue;
	} else {
		t->shape = x.depth ? TEXTURE_3D : x.height ? TEXTURE_2D : TEXTURE_1D;
		t->depth = (uint32_t)x.depth;
		if (x.depth && !x.height)
			return cudaErrorInvalidValue;
	}
	texture_set_defaults(t);
	return cudaSuccess;
}

/* Sets the format and shape of an array or mipmapped array. Returns 0 or a status. */
static int describe_array(
	struct texture *t, const struct channels *c, struct extent x, unsigned flags, const char *what)
{
	int e;

	*t = (struct texture){.width = 0};
	if (!c)
		return cudaErrorInvalidValue;
	if (flags & ~(unsigned)ARRAY_KNOWN)
		return cudart_unsupported(what, "a sparse array, or an array of a graphics interface");
	return (e = cudart_set_channels(t, c)) ? e : set_array_shape(t, x, flags);
}

static struct array *add_array(
	const struct texture *t, const struct channels *c, struct extent x, unsigned flags)
{
	struct array *a = xcalloc(1, sizeof(*a));

	*a = (struct array){arrays, *t, *c, x, flags, false};
	return arrays = a;
}

static void remove_array(const struct array *a)
{
	for (struct array **i = &arrays; *i; i = &(*i)->next)
		if (*i == a) {
			struct array *gone = *i;

			*i = gone->next;
			free(gone);
			return;
		}
}

API(int, cudaMalloc3DArray, struct array **to, const struct channels *c, struct extent x, unsigned flags)
{
	struct texture t;
	int e = cudart_enter(true);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e && !(e = describe_array(&t, c, x, flags, "cudaMalloc3DArray")))
		e = cudart_allocate(&t.addr, texture_total_bytes(&t), GRANT_DEVICE, flags, "cudaMallocArray");
	if (!e)
		*to = add_array(&t, c, x, flags);
	return cudart_leave(e);
}

API(int, cudaMallocArray, struct array **to, const struct channels *c, size_t width, size_t height,
	unsigned flags)
{
	return cudaMalloc3DArray(to, c, (struct extent){width, height, 0}, flags);
}

API(int, cudaFreeArray, struct array *a)
{
	int e = cudart_enter(true);

	if (!e && a && (!find_array(a) || a->level))
		e = cudaErrorInvalidValue;
	if (!e && a && !(e = cudart_release(a->form.addr)))
		remove_array(a);
	return cudart_leave(e);
}

API(int, cudaArrayGetInfo, struct channels *c, struct extent *x, unsigned *flags, const struct array *a)
{
	int e = cudart_enter(false);

	if (!e && !find_array(a))
		e = cudaErrorInvalidValue;
	if (!e && c)
		*c = a->channels;
	if (!e && x)
		*x = a->extent;
	if (!e && flags)
		*flags = a->flags;
	return cudart_leave(e);
}

API(int, cudaGetChannelDesc, struct channels *c, const struct array *a)
{
	return cudaArrayGetInfo(c, NULL, NULL, a);
}

/* ---- levels ---- */

const struct texture *cudart_mipmap_texture(const struct mipmap *m)
{
	const struct mipmap *i = mipmaps;

	while (i && i != m)
		i = i->next;
	return i ? &i->form : NULL;
}

API(int, cudaMallocMipmappedArray, struct mipmap **to, const struct channels *c, struct extent x,
	unsigned levels, unsigned flags)
{
	struct texture t;
	int e = cudart_enter(true);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e && !(e = describe_array(&t, c, x, flags, "cudaMallocMipmappedArray"))) {
		unsigned most = texture_largest_levels(&t);

		t.levels = (uint8_t)(!levels ? 1 : levels < most ? levels : most);
		e = cudart_allocate(
			&t.addr, texture_total_bytes(&t), GRANT_DEVICE, flags, "cudaMallocMipmappedArray");
	}
	if (e)
		return cudart_leave(e);
	struct mipmap *m = xcalloc(1, sizeof(*m));
	m->next = mipmaps;
	m->form = t;
	mipmaps = *to = m;
	for (unsigned i = 0; i < t.levels; i++) {
		struct texture l = texture_level(&t, i);
		bool deep = t.shape == TEXTURE_3D;

		m->level[i] = add_array(&l, c,
			(struct extent){l.width, x.height ? l.height : 0, deep ? l.depth : x.depth}, flags);
		m->level[i]->level = true;
	}
	return cudart_leave(cudaSuccess);
}

API(int, cudaGetMipmappedArrayLevel, struct array **to, const struct mipmap *m, unsigned level)
{
	int e = cudart_enter(false);

	if (!e && (!to || !cudart_mipmap_texture(m) || level >= m->form.levels))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = m->level[level];
	return cudart_leave(e);
}

API(int, cudaFreeMipmappedArray, struct mipmap *m)
{
	int e = cudart_enter(true);

	if (!e && m && !cudart_mipmap_texture(m))
		e = cudaErrorInvalidValue;
	if (e || !m || (e = cudart_release(m->form.addr)))
		return cudart_leave(e);
	for (unsigned i = 0; i < m->form.levels; i++)
		remove_array(m->level[i]);
	for (struct mipmap **i = &mipmaps; *i; i = &(*i)->next)
		if (*i == m) {
			*i = m->next;
			break;
		}
	free(m);
	return cudart_leave(cudaSuccess);
}

/* ---- copies ---- */

int cudart_array_box(const struct array *a, struct position start, struct extent extent, struct pitched *out,
	size_t *slice_pitch)
{
	const struct texture *t = cudart_array_texture(a);

	if (!t)
		return cudaErrorInvalidResourceHandle;
	size_t planes = (size_t)t->depth * t->layers;
	if (start.x > t->pitch || extent.width > t->pitch - start.x || start.y > t->height ||
		extent.height > t->height - start.y || start.z > planes || extent.depth > planes - start.z)
		return cudaErrorInvalidValue;
	*out = (struct pitched){
		(char *)(uintptr_t)(t->addr + start.z * t->slice_pitch + start.y * t->pitch + start.x),
		t->pitch, t->pitch, t->height};
	*slice_pitch = t->slice_pitch;
	return cudaSuccess;
}

/* Begins a copy of an array in stream s. Returns 0 or a status. */
static int begin_array_copy_call(const struct stream *s)
{
	int e = cudart_enter(true);

	return e                              ? e
	       : cudart_stream_number(s) >= 0 ? capture_reject_call(s, "a copy of an array")
					      : cudaErrorInvalidResourceHandle;
}

/* Copies rows between an array and memory. */
static int copy_array_rows(const struct array *a, size_t x, size_t y, void *p, size_t pitch, size_t width,
	size_t height, int kind, const struct stream *s, bool to_array)
{
	int e = begin_array_copy_call(s);
	struct pitched box;
	size_t slice_pitch;

	if (!e)
		e = cudart_array_box(
			a, (struct position){x, y, 0}, (struct extent){width, height, 1}, &box, &slice_pitch);
	if (!e)
		e = to_array ? cudart_copy_rows(box.base, box.pitch, p, pitch, width, height, kind)
			     : cudart_copy_rows(p, pitch, box.base, box.pitch, width, height, kind);
	return cudart_leave(e);
}

API(int, cudaMemcpy2DToArrayAsync, struct array *to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, int kind, struct stream *s)
{
	return copy_array_rows(to, x, y, (void *)(uintptr_t)from, pitch, width, height, kind, s, true);
}
ALSO(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

API(int, cudaMemcpy2DToArray, struct array *to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, int kind)
{
	return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}
ALSO(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

API(int, cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, const struct array *from, size_t x, size_t y,
	size_t width, size_t height, int kind, struct stream *s)
{
	return copy_array_rows(from, x, y, to, pitch, width, height, kind, s, false);
}
ALSO(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

API(int, cudaMemcpy2DFromArray, void *to, size_t pitch, const struct array *from, size_t x, size_t y,
	size_t width, size_t height, int kind)
{
	return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}
ALSO(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

/* Finds n contiguous bytes from byte x, row y of an array, whose rows have no gaps. Returns 0 or a status. */
static int find_array_bytes(const struct array *a, size_t x, size_t y, size_t n, struct pitched *box)
{
	size_t slice_pitch;
	int e = cudart_array_box(a, (struct position){x, y, 0}, (struct extent){0, 0, 1}, box, &slice_pitch);

	return !e && n > box->pitch * (box->height - y) - x ? cudaErrorInvalidValue : e;
}

/* Copies n contiguous bytes to or from byte x, row y of an array. */
static int copy_array_bytes(const struct array *a, size_t x, size_t y, void *p, size_t n, int kind,
	const struct stream *s, bool to_array)
{
	int e = begin_array_copy_call(s);
	struct pitched box;

	if (!e)
		e = find_array_bytes(a, x, y, n, &box);
	if (!e)
		e = to_array ? cudart_copy_rows(box.base, n, p, n, n, 1, kind)
			     : cudart_copy_rows(p, n, box.base, n, n, 1, kind);
	return cudart_leave(e);
}

API(int, cudaMemcpyToArrayAsync, struct array *to, size_t x, size_t y, const void *from, size_t n, int kind,
	struct stream *s)
{
	return copy_array_bytes(to, x, y, (void *)(uintptr_t)from, n, kind, s, true);
}
ALSO(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

API(int, cudaMemcpyToArray, struct array *to, size_t x, size_t y, const void *from, size_t n, int kind)
{
	return copy_array_bytes(to, x, y, (void *)(uintptr_t)from, n, kind, NULL, true);
}
ALSO(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

API(int, cudaMemcpyFromArrayAsync, void *to, const struct array *from, size_t x, size_t y, size_t n, int kind,
	struct stream *s)
{
	return copy_array_bytes(from, x, y, to, n, kind, s, false);
}
ALSO(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

API(int, cudaMemcpyFromArray, void *to, const struct array *from, size_t x, size_t y, size_t n, int kind)
{
	return copy_array_bytes(from, x, y, to, n, kind, NULL, false);
}
ALSO(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

API(int, cudaMemcpyArrayToArray, struct array *to, size_t to_x, size_t to_y, const struct array *from,
	size_t x, size_t y, size_t n, int kind)
{
	int e = cudart_enter(true);
	struct pitched a, b;

	if (!e)
		e = find_array_bytes(to, to_x, to_y, n, &a);
	if (!e)
		e = find_array_bytes(from, x, y, n, &b);
	return cudart_leave(e ? e : cudart_copy_rows(a.base, n, b.base, n, n, 1, kind));
}
ALSO(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);

API(int, cudaMemcpy2DArrayToArray, struct array *to, size_t to_x, size_t to_y, const struct array *from,
	size_t x, size_t y, size_t width, size_t height, int kind)
{
	int e = cudart_enter(true);
	struct pitched a, b;
	size_t slice_pitch;

	if (!e)
		e = cudart_array_box(to, (struct position){to_x, to_y, 0}, (struct extent){width, height, 1},
			&a, &slice_pitch);
	if (!e)
		e = cudart_array_box(from, (struct position){x, y, 0}, (struct extent){width, height, 1}, &b,
			&slice_pitch);
	return cudart_leave(e ? e : cudart_copy_rows(a.base, a.pitch, b.base, b.pitch, width, height, kind));
}
ALSO(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
