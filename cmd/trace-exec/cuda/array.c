/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays, textures and surfaces of the driver. The objects are the runtime's; only their descriptions differ.
 */
#include <string.h>
#include "cuda/cuda.h"
#include "cuda/texture.h"

/* ---- arrays ---- */

struct array_description {
	size_t width, height, depth;
	unsigned format, channels, flags;
};
enum { FORMAT_U8 = 1, FORMAT_U32 = 3, FORMAT_S8 = 8, FORMAT_S32 = 10, FORMAT_HALF = 16, FORMAT_FLOAT = 32 };
enum { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT };

/* Sets *to to the runtime's description of `n` channels in a format of the driver. Returns 0 or a status. */
static int convert_channels(struct channels *to, unsigned format, unsigned n, const char *function)
{
	int bits, kind;

	if (format >= FORMAT_U8 && format <= FORMAT_U32) {
		bits = 8 << (format - FORMAT_U8);
		kind = CHANNEL_UNSIGNED;
	} else if (format >= FORMAT_S8 && format <= FORMAT_S32) {
		bits = 8 << (format - FORMAT_S8);
		kind = CHANNEL_SIGNED;
	} else if (format == FORMAT_HALF || format == FORMAT_FLOAT) {
		bits = (int)format;
		kind = CHANNEL_FLOAT;
	} else {
		return cudart_unsupported(function, "a packed or compressed format");
	}
	if (n != 1 && n != 2 && n != 4)
		return cudaErrorInvalidValue;
	*to = (struct channels){.kind = kind};
	for (unsigned i = 0; i < n; i++)
		to->bits[i] = bits;
	return cudaSuccess;
}

static int create_array(struct array **to, const struct array_description *d)
{
	struct channels c;
	int e = d ? convert_channels(&c, d->format, d->channels, "cuArrayCreate") : cudaErrorInvalidValue;

	return e ? e : cudaMalloc3DArray(to, &c, (struct extent){d->width, d->height, d->depth}, d->flags);
}
DRIVER(cuArray3DCreate_v2, create_array(to, d), struct array **to, const struct array_description *d)

struct array_description_2d {
	size_t width, height;
	unsigned format, channels;
};
static int create_array_2d(struct array **to, const struct array_description_2d *d)
{
	struct array_description all;

	if (!d)
		return cudaErrorInvalidValue;
	all = (struct array_description){d->width, d->height, 0, d->format, d->channels, 0};
	return create_array(to, &all);
}
DRIVER(cuArrayCreate_v2, create_array_2d(to, d), struct array **to, const struct array_description_2d *d)
DRIVER(cuArrayDestroy, cudaFreeArray(a), struct array *a)

/* Sets *format to the driver's format of the channels *c, and *n to their number. Returns 0 or a status. */
static void convert_format(unsigned *format, unsigned *n, const struct channels *c)
{
	static const unsigned first[] = {
		[CHANNEL_SIGNED] = FORMAT_S8, [CHANNEL_UNSIGNED] = FORMAT_U8, [CHANNEL_FLOAT] = 0};

	for (*n = 0; *n < 4 && c->bits[*n]; ++*n)
		;
	*format = c->kind == CHANNEL_FLOAT ? (unsigned)c->bits[0]
					   : first[c->kind] + (c->bits[0] == 16) + 2u * (c->bits[0] == 32);
}

static int describe_driver_array(struct array_description *to, const struct array *a)
{
	struct channels c;
	struct extent x;
	unsigned flags, format, n;
	int e = to ? cudaArrayGetInfo(&c, &x, &flags, a) : cudaErrorInvalidValue;

	if (e)
		return e;
	convert_format(&format, &n, &c);
	*to = (struct array_description){x.width, x.height, x.depth, format, n, flags};
	return cudaSuccess;
}
DRIVER(cuArray3DGetDescriptor_v2, describe_driver_array(to, a), struct array_description *to,
	const struct array *a)

static int describe_array_2d(struct array_description_2d *to, const struct array *a)
{
	struct array_description all;
	int e = to ? describe_driver_array(&all, a) : cudaErrorInvalidValue;

	if (!e)
		*to = (struct array_description_2d){all.width, all.height, all.format, all.channels};
	return e;
}
DRIVER(cuArrayGetDescriptor_v2, describe_array_2d(to, a), struct array_description_2d *to,
	const struct array *a)

static int create_mipmap(struct mipmap **to, const struct array_description *d, unsigned levels)
{
	struct channels c;
	int e = d ? convert_channels(&c, d->format, d->channels, "cuMipmappedArrayCreate")
		  : cudaErrorInvalidValue;

	return e ? e
		 : cudaMallocMipmappedArray(
			   to, &c, (struct extent){d->width, d->height, d->depth}, levels, d->flags);
}
DRIVER(cuMipmappedArrayCreate, create_mipmap(to, d, levels), struct mipmap **to,
	const struct array_description *d, unsigned levels)
DRIVER(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel(to, m, level), struct array **to,
	struct mipmap *m, unsigned level)
DRIVER(cuMipmappedArrayDestroy, cudaFreeMipmappedArray(m), struct mipmap *m)

/* ---- textures and surfaces ---- */

static bool is_memory_resource(int type) { return type == RESOURCE_LINEAR || type == RESOURCE_PITCH; }

/*
 * Converts *r to the runtime's structure *to, and sets *c to the channels of its texels. Returns 0 or a status.
 */
static int convert_resource(struct resource *to, struct channels *c, const struct cuda_resource *r)
{
	struct extent x;
	unsigned flags;
	int e = cudaSuccess;

	*to = (struct resource){.type = r->type, .flags = r->flags};
	*c = (struct channels){.kind = CHANNEL_FLOAT};
	if (!is_memory_resource(r->type)) {
		struct array *texels = r->data.array;

		to->data.array = texels; /* also sets data.mipmap: both are members of one union */
		e = r->type == RESOURCE_MIPMAP  ? cudaGetMipmappedArrayLevel(&texels, r->data.mipmap, 0)
		    : r->type == RESOURCE_ARRAY ? cudaSuccess
						: cudaErrorInvalidValue;
		return e ? e : cudaArrayGetInfo(c, &x, &flags, texels);
	}
	e = convert_channels(c, r->data.memory.format, r->data.memory.channels, "cuTexObjectCreate");
	to->data.memory.base = cuda_address(r->data.memory.base);
	to->data.memory.channels = *c;
	to->data.memory.width = r->data.memory.width;
	if (r->type == RESOURCE_PITCH) {
		to->data.memory.height = r->data.memory.height;
		to->data.memory.pitch = r->data.memory.pitch;
	}
	return e;
}

int cuda_create_texture(
	uint64_t *to, const struct cuda_resource *r, const struct cuda_sampler *s, const void *view)
{
	struct texture_description d;
	struct resource resource;
	struct channels c;
	int e;

	if (!to || !r || !s)
		return cudaErrorInvalidValue;
	if (view)
		return cudart_unsupported("cuTexObjectCreate", "a view of a resource");
	e = convert_resource(&resource, &c, r);
	if (e)
		return e;
	d = (struct texture_description){.filter = s->filter,
		.normalized_float =
			!(s->flags & SAMPLER_INTEGER) && c.kind != CHANNEL_FLOAT && c.bits[0] < 32,
		.srgb = !!(s->flags & SAMPLER_SRGB),
		.normalized = !!(s->flags & SAMPLER_NORMALIZED),
		.anisotropy = s->anisotropy,
		.mip_filter = s->mip_filter,
		.plain_trilinear = !!(s->flags & SAMPLER_PLAIN_TRILINEAR),
		.seamless_cube = !!(s->flags & SAMPLER_SEAMLESS)};
	memcpy(d.mode, s->mode, sizeof(d.mode));
	memcpy(d.border, s->border, sizeof(d.border));
	memcpy(d.mip, s->mip, sizeof(d.mip));
	return cudaCreateTextureObject_v2(to, &resource, &d, NULL);
}
DRIVER(cuTexObjectCreate, cuda_create_texture(to, r, s, view), uint64_t *to, const struct cuda_resource *r,
	const struct cuda_sampler *s, const void *view)
DRIVER(cuTexObjectDestroy, cudaDestroyTextureObject(handle), uint64_t handle)

int cuda_create_surface(uint64_t *to, const struct cuda_resource *r)
{
	struct resource resource;
	struct channels c;
	int e = to && r && r->type == RESOURCE_ARRAY ? convert_resource(&resource, &c, r)
						     : cudaErrorInvalidValue;

	return e ? e : cudaCreateSurfaceObject(to, &resource);
}
DRIVER(cuSurfObjectCreate, cuda_create_surface(to, r), uint64_t *to, const struct cuda_resource *r)
DRIVER(cuSurfObjectDestroy, cudaDestroySurfaceObject(handle), uint64_t handle)

/* Converts *r to the driver's structure. e: status of the call that set *r; returned if it is not 0. */
static int convert_to_cuda_resource(struct cuda_resource *to, const struct resource *r, int e)
{
	if (e || !to)
		return e ? e : cudaErrorInvalidValue;
	*to = (struct cuda_resource){.type = r->type, .flags = r->flags};
	if (!is_memory_resource(r->type)) {
		to->data.array = r->data.array;
		return cudaSuccess;
	}
	to->data.memory.base = (uintptr_t)r->data.memory.base;
	convert_format(&to->data.memory.format, &to->data.memory.channels, &r->data.memory.channels);
	to->data.memory.width = r->data.memory.width;
	to->data.memory.height = r->data.memory.height;
	to->data.memory.pitch = r->data.memory.pitch;
	return cudaSuccess;
}

static int get_texture_resource(struct cuda_resource *to, uint64_t handle)
{
	struct resource r;

	return convert_to_cuda_resource(to, &r, cudaGetTextureObjectResourceDesc(&r, handle));
}
DRIVER(cuTexObjectGetResourceDesc, get_texture_resource(to, handle), struct cuda_resource *to,
	uint64_t handle)

static int get_surface_resource(struct cuda_resource *to, uint64_t handle)
{
	struct resource r;

	return convert_to_cuda_resource(to, &r, cudaGetSurfaceObjectResourceDesc(&r, handle));
}
DRIVER(cuSurfObjectGetResourceDesc, get_surface_resource(to, handle), struct cuda_resource *to,
	uint64_t handle)

static int get_sampler(struct cuda_sampler *to, uint64_t handle)
{
	struct texture_description d;
	int e = to ? cudaGetTextureObjectTextureDesc_v2(&d, handle) : cudaErrorInvalidValue;

	if (e)
		return e;
	*to = (struct cuda_sampler){.filter = d.filter,
		.flags = (d.normalized_float ? 0u : SAMPLER_INTEGER) |
			 (d.normalized ? SAMPLER_NORMALIZED : 0u) |
			 (d.plain_trilinear ? SAMPLER_PLAIN_TRILINEAR : 0u),
		.anisotropy = d.anisotropy,
		.mip_filter = d.mip_filter};
	memcpy(to->mode, d.mode, sizeof(d.mode));
	memcpy(to->border, d.border, sizeof(d.border));
	memcpy(to->mip, d.mip, sizeof(d.mip));
	return cudaSuccess;
}
DRIVER(cuTexObjectGetTextureDesc, get_sampler(to, handle), struct cuda_sampler *to, uint64_t handle)
