/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texture and surface references: variables of a module that name a texture or a surface.
 *
 * Always true: the variable of a reference has the handle of an object that was made of the reference's resource and
 * settings, or 0 if they make no valid object. References are never freed, so that a handle stays recognisable.
 */
#include <string.h>
#include "arena.h"
#include "cuda/texture.h"

struct texture_reference {
	struct texture_reference *next;
	uint64_t variable; /* address of the variable; 0: the program created the reference */
	bool surface, bound;
	uint64_t object; /* 0: none */
	struct cuda_resource resource;
	struct cuda_sampler sampler;
	unsigned format;   /* format of linear memory */
	unsigned channels; /* number of channels of linear memory */
};

enum {
	MODE_CLAMP = 1,
	MODES_MOST = 3,
	FILTERS_MOST = 1,
	DIMENSIONS = 3,
	FORMAT_DEFAULT = 0x20, /* float */
	OVERRIDE_FORMAT = 1
};

static struct texture_reference *references;

static bool is_texture_reference(const struct texture_reference *t, bool surface)
{
	for (const struct texture_reference *i = references; i; i = i->next)
		if (i == t)
			return t->surface == surface;
	return false;
}

static struct texture_reference *add_texture_reference(uint64_t variable, bool surface)
{
	struct texture_reference *t = xcalloc(1, sizeof(*t));

	*t = (struct texture_reference){.next = references,
		.variable = variable,
		.surface = surface,
		.sampler.mode = {MODE_CLAMP, MODE_CLAMP, MODE_CLAMP},
		.format = FORMAT_DEFAULT,
		.channels = 1};
	return references = t;
}

/* Finds the reference of a variable of the module, which has the type `type`. Returns 0 or a status. */
static int find_module_reference(
	struct texture_reference **to, const struct cuda_module *m, const char *name, enum type type)
{
	const struct symbol *v;
	struct texture_reference *t = references;
	int e = to ? cuda_find_variable(&v, m, name) : cudaErrorInvalidValue;

	if (e)
		return e;
	if (v->type != type)
		return cudaErrorSymbolNotFound;
	while (t && t->variable != v->addr)
		t = t->next;
	*to = t ? t : add_texture_reference(v->addr, type == T_SURFREF);
	return cudaSuccess;
}
DRIVER(cuModuleGetTexRef, find_module_reference(to, m, name, T_TEXREF), struct texture_reference **to,
	const struct cuda_module *m, const char *name)
DRIVER(cuModuleGetSurfRef, find_module_reference(to, m, name, T_SURFREF), struct texture_reference **to,
	const struct cuda_module *m, const char *name)
DRIVER(cuTexRefCreate, STORED(to, add_texture_reference(0, false)), struct texture_reference **to)
DRIVER(cuTexRefDestroy, is_texture_reference(t, false) && !t->variable ? cudaSuccess : cudaErrorInvalidValue,
	const struct texture_reference *t)

/* Creates a new object for a reference and stores its handle in the variable. Returns 0 or a status. */
static int renew_reference_object(struct texture_reference *t)
{
	uint64_t old = t->object;
	int e;

	if (!t->bound || !t->variable)
		return cudaSuccess;
	t->object = 0;
	e = t->surface ? cuda_create_surface(&t->object, &t->resource)
		       : cuda_create_texture(&t->object, &t->resource, &t->sampler, NULL);
	if (old)
		e = t->surface ? (cudaDestroySurfaceObject(old), e) : (cudaDestroyTextureObject(old), e);
	cudart_enter(false);
	memcpy(cudart.mem.statics + t->variable, &t->object, sizeof(t->object));
	cudart_leave(cudaSuccess);
	return e == cudaErrorNotSupported ? e : cudaSuccess;
}

/* ---- resources ---- */

static int bind_reference(struct texture_reference *t, const struct cuda_resource *r)
{
	t->resource = *r;
	t->bound = true;
	return renew_reference_object(t);
}

static int bind_reference_array(struct texture_reference *t, struct array *a, unsigned flags, bool surface)
{
	if (!is_texture_reference(t, surface) || !cudart_array_texture(a) ||
		flags != (surface ? 0 : OVERRIDE_FORMAT))
		return cudaErrorInvalidValue;
	return bind_reference(t, &(struct cuda_resource){.type = RESOURCE_ARRAY, .data.array = a});
}
DRIVER(cuTexRefSetArray, bind_reference_array(t, a, flags, false), struct texture_reference *t,
	struct array *a, unsigned flags)
DRIVER(cuSurfRefSetArray, bind_reference_array(t, a, flags, true), struct texture_reference *t,
	struct array *a, unsigned flags)

static int bind_reference_mipmap(struct texture_reference *t, struct mipmap *m, unsigned flags)
{
	if (!is_texture_reference(t, false) || !cudart_mipmap_texture(m) || flags != OVERRIDE_FORMAT)
		return cudaErrorInvalidValue;
	return bind_reference(t, &(struct cuda_resource){.type = RESOURCE_MIPMAP, .data.mipmap = m});
}
DRIVER(cuTexRefSetMipmappedArray, bind_reference_mipmap(t, m, flags), struct texture_reference *t,
	struct mipmap *m, unsigned flags)

static int bind_reference_memory(size_t *offset, struct texture_reference *t, uint64_t base, size_t bytes)
{
	if (!is_texture_reference(t, false) || !cudart_find_grant(base))
		return cudaErrorInvalidValue;
	if (offset)
		*offset = 0;
	return bind_reference(t, &(struct cuda_resource){.type = RESOURCE_LINEAR,
					 .data.memory = {base, t->format, t->channels, bytes, 0, 0}});
}
DRIVER(cuTexRefSetAddress_v2, bind_reference_memory(offset, t, base, bytes), size_t *offset,
	struct texture_reference *t, uint64_t base, size_t bytes)

/* CUDA_ARRAY_DESCRIPTOR */
struct plane_description {
	size_t width, height;
	unsigned format, channels;
};

static int bind_reference_rows(
	struct texture_reference *t, const struct plane_description *d, uint64_t base, size_t pitch)
{
	if (!is_texture_reference(t, false) || !d || !cudart_find_grant(base))
		return cudaErrorInvalidValue;
	return bind_reference(
		t, &(struct cuda_resource){.type = RESOURCE_PITCH,
			   .data.memory = {base, d->format, d->channels, d->width, d->height, pitch}});
}
DRIVER(cuTexRefSetAddress2D_v2, bind_reference_rows(t, d, base, pitch), struct texture_reference *t,
	const struct plane_description *d, uint64_t base, size_t pitch)
ALSO(cuTexRefSetAddress2D_v3, cuTexRefSetAddress2D_v2);

/* Returns true if t is a reference that is bound to a resource of this type. */
static bool is_reference_bound(const struct texture_reference *t, bool surface, int type)
{
	return is_texture_reference(t, surface) && t->bound && t->resource.type == type;
}
DRIVER(cuTexRefGetArray,
	is_reference_bound(t, false, RESOURCE_ARRAY) ? STORED(to, t->resource.data.array)
						     : cudaErrorInvalidValue,
	struct array **to, const struct texture_reference *t)
DRIVER(cuSurfRefGetArray,
	is_reference_bound(t, true, RESOURCE_ARRAY) ? STORED(to, t->resource.data.array)
						    : cudaErrorInvalidValue,
	struct array **to, const struct texture_reference *t)
DRIVER(cuTexRefGetMipmappedArray,
	is_reference_bound(t, false, RESOURCE_MIPMAP) ? STORED(to, t->resource.data.mipmap)
						      : cudaErrorInvalidValue,
	struct mipmap **to, const struct texture_reference *t)
DRIVER(cuTexRefGetAddress_v2,
	is_reference_bound(t, false, RESOURCE_LINEAR) || is_reference_bound(t, false, RESOURCE_PITCH)
		? STORED(to, t->resource.data.memory.base)
		: cudaErrorInvalidValue,
	uint64_t *to, const struct texture_reference *t)

/* ---- settings ---- */

/* Defines cuTexRefSet`name`, which sets settings with `store` if `valid`, and renews the object. */
#define SETTING(name, valid, store, ...) \
	DRIVER(cuTexRefSet##name, \
		is_texture_reference(t, false) && (valid) ? (store, renew_reference_object(t)) \
							  : cudaErrorInvalidValue, \
		struct texture_reference * t, __VA_ARGS__)
/* Defines cuTexRefGet`name`, which stores `value` at `to`. */
#define GETTING(name, value, to_type) \
	DRIVER(cuTexRefGet##name, \
		is_texture_reference(t, false) ? STORED(to, value) : cudaErrorInvalidValue, to_type *to, \
		const struct texture_reference *t)

SETTING(AddressMode, i >= 0 && i < DIMENSIONS && mode >= 0 && mode <= MODES_MOST, t->sampler.mode[i] = mode,
	int i, int mode)
DRIVER(cuTexRefGetAddressMode,
	is_texture_reference(t, false) && i >= 0 && i < DIMENSIONS ? STORED(to, t->sampler.mode[i])
								   : cudaErrorInvalidValue,
	int *to, const struct texture_reference *t, int i)
SETTING(FilterMode, mode >= 0 && mode <= FILTERS_MOST, t->sampler.filter = mode, int mode)
GETTING(FilterMode, t->sampler.filter, int)
SETTING(Flags, true, t->sampler.flags = flags, unsigned flags)
GETTING(Flags, t->sampler.flags, unsigned)
SETTING(MaxAnisotropy, true, t->sampler.anisotropy = n, unsigned n)
GETTING(MaxAnisotropy, (int)t->sampler.anisotropy, int)
SETTING(MipmapFilterMode, mode >= 0 && mode <= FILTERS_MOST, t->sampler.mip_filter = mode, int mode)
GETTING(MipmapFilterMode, t->sampler.mip_filter, int)
SETTING(MipmapLevelBias, true, t->sampler.mip[0] = bias, float bias)
GETTING(MipmapLevelBias, t->sampler.mip[0], float)
SETTING(MipmapLevelClamp, true, (t->sampler.mip[1] = least, t->sampler.mip[2] = most), float least,
	float most)
SETTING(BorderColor, color, memcpy(t->sampler.border, color, sizeof(t->sampler.border)), const float *color)
SETTING(Format, channels == 1 || channels == 2 || channels == 4, (t->format = format, t->channels = channels),
	unsigned format, unsigned channels)

DRIVER(cuTexRefGetMipmapLevelClamp,
	is_texture_reference(t, false) && least
		? (*least = t->sampler.mip[1], STORED(most, t->sampler.mip[2]))
		: cudaErrorInvalidValue,
	float *least, float *most, const struct texture_reference *t)
DRIVER(cuTexRefGetBorderColor,
	is_texture_reference(t, false) && to ? (memcpy(to, t->sampler.border, sizeof(t->sampler.border)), 0)
					     : cudaErrorInvalidValue,
	float *to, const struct texture_reference *t)
DRIVER(cuTexRefGetFormat,
	is_texture_reference(t, false) && format ? (*format = t->format, STORED(channels, (int)t->channels))
						 : cudaErrorInvalidValue,
	unsigned *format, int *channels, const struct texture_reference *t)
/* Kernels use the textures of all references of their module, so the call only checks its arguments. */
DRIVER(cuParamSetTexRef,
	((void)kernel, unit == -1 && is_texture_reference(t, false) ? cudaSuccess : cudaErrorInvalidValue),
	const void *kernel, int unit, const struct texture_reference *t)
