/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texture and surface objects, and the references that older programs bind.
 *
 * An object is a handle of the executor. A reference is a variable of the module; binding it stores a handle in
 * it. Always true: a description with a feature that the executor lacks is rejected; a destroyed handle is
 * invalid.
 */
#include <string.h>
#include "arena.h"
#include "cudart/texture.h"

#define DESCRIPTION_11 offsetof(struct texture_description, seamless_cube)

static struct {
	struct resource *resource; /* resource of each texture, by texture number */
	struct texture_description *description;
	uint32_t cap_resources, cap_descriptions;
} objects;

/* ---- textures from descriptions ---- */

static int set_texture_to_memory(struct texture *t, const struct resource *r)
{
	size_t bytes;
	int e = cudart_set_channels(t, &r->data.memory.channels);

	if (e)
		return e;
	t->shape = r->type == RESOURCE_PITCH ? TEXTURE_2D : TEXTURE_LINEAR;
	t->addr = (uintptr_t)r->data.memory.base;
	bytes = r->data.memory.width;
	if (r->type == RESOURCE_PITCH) {
		if (bytes > 1u << 17 || r->data.memory.height > 1u << 17 || !r->data.memory.height)
			return cudaErrorInvalidValue;
		t->width = (uint32_t)bytes;
		t->height = (uint32_t)r->data.memory.height;
		t->pitch = r->data.memory.pitch;
		bytes = t->pitch * (t->height - 1) + (size_t)t->width * texture_texel_bytes(t);
	} else {
		t->width = bytes / texture_texel_bytes(t) > 1u << 28
				   ? 1u << 28
				   : (uint32_t)(bytes / texture_texel_bytes(t));
	}
	texture_set_defaults(t);
	return !cudart_is_device_memory(r->data.memory.base) ||
			       !cudart_host_address(r->data.memory.base, bytes)
		       ? cudaErrorInvalidValue
	       : texture_find_fault(t, bytes) ? cudaErrorInvalidValue
					      : cudaSuccess;
}

static int set_texture_to_resource(struct texture *t, const struct resource *r)
{
	const struct texture *form;

	if (r->type == RESOURCE_LINEAR || r->type == RESOURCE_PITCH)
		return set_texture_to_memory(t, r);
	if (r->type != RESOURCE_ARRAY && r->type != RESOURCE_MIPMAP)
		return cudaErrorInvalidValue;
	form = r->type == RESOURCE_ARRAY ? cudart_array_texture(r->data.array)
					 : cudart_mipmap_texture(r->data.mipmap);
	if (!form)
		return cudaErrorInvalidResourceHandle;
	*t = *form;
	return cudaSuccess;
}

static int set_texture_sampler(struct texture *t, const struct texture_description *s)
{
	if (s->srgb || s->seamless_cube)
		return cudart_unsupported("cudaCreateTextureObject", "sRGB or a seamless cube");
	for (unsigned i = 0; i < 3; i++) {
		if (s->mode[i] < TEXTURE_WRAP || s->mode[i] > TEXTURE_BORDER)
			return cudaErrorInvalidValue;
		t->sampler.mode[i] = (uint8_t)s->mode[i];
	}
	t->sampler.linear = s->filter && t->shape != TEXTURE_LINEAR;
	t->normalized = s->normalized && t->shape != TEXTURE_LINEAR;
	t->read_float = s->normalized_float && t->kind != TEXEL_FLOAT;
	memcpy(t->sampler.border, s->border, sizeof(t->sampler.border));
	t->sampler.mip_linear = s->mip_filter;
	t->sampler.bias = s->mip[0];
	t->sampler.lod[0] = s->mip[1];
	t->sampler.lod[1] = s->mip[2];
	if (t->levels > 1 && s->anisotropy > 1)
		return cudart_unsupported("cudaCreateTextureObject", "anisotropy over several levels");
	if (t->levels > 1 && !t->normalized)
		return cudaErrorInvalidValue;
	if (t->read_float && t->bits == 32)
		return cudaErrorInvalidNormSetting;
	return t->sampler.linear && !texture_reads_float(t) ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

static uint64_t add_texture_object(
	const struct texture *t, const struct resource *r, const struct texture_description *s)
{
	uint64_t handle = texture_add(&cudart.textures, t);
	uint32_t n = cudart.textures.n;

	grow(&objects.resource, &objects.cap_resources, n, sizeof(*objects.resource));
	grow(&objects.description, &objects.cap_descriptions, n, sizeof(*objects.description));
	objects.resource[n - 1] = *r;
	objects.description[n - 1] = s ? *s : (struct texture_description){.filter = 0};
	return handle;
}

/* ---- objects ---- */

static int create_texture(uint64_t *to, const struct resource *r, const struct texture_description *given,
	size_t bytes, const void *view)
{
	struct texture t = {.width = 0};
	struct texture_description s = {.filter = 0};
	int e = cudart_enter(false);

	if (!e && (!to || !r || !given))
		e = cudaErrorInvalidValue;
	if (!e && view)
		e = cudart_unsupported("cudaCreateTextureObject", "a view of a resource");
	if (!e)
		memcpy(&s, given, bytes);
	if (!e && !(e = set_texture_to_resource(&t, r)) && !(e = set_texture_sampler(&t, &s)))
		*to = add_texture_object(&t, r, &s);
	return cudart_leave(e);
}

API(int, cudaCreateTextureObject, uint64_t *to, const struct resource *r, const struct texture_description *s,
	const void *view)
{
	return create_texture(to, r, s, cudart_runtime_release() < 12 ? DESCRIPTION_11 : sizeof(*s), view);
}

API(int, cudaCreateTextureObject_v2, uint64_t *to, const struct resource *r,
	const struct texture_description *s, const void *view)
{
	return create_texture(to, r, s, sizeof(*s), view);
}

API(int, cudaCreateSurfaceObject, uint64_t *to, const struct resource *r)
{
	struct texture t = {.width = 0};
	int e = cudart_enter(false);

	if (!e && (!to || !r || r->type != RESOURCE_ARRAY))
		e = cudaErrorInvalidValue;
	if (!e && !(e = set_texture_to_resource(&t, r))) {
		t.surface = true;
		if (t.shape == TEXTURE_CUBE) { /* the faces of a cube are layers */
			t.shape = TEXTURE_2D;
			t.layered = true;
		}
		*to = add_texture_object(&t, r, NULL);
	}
	return cudart_leave(e);
}

/* Returns the texture or, if `surface` is set, the surface of a handle. Returns NULL if there is none. */
static struct texture *find_texture_object(uint64_t handle, bool surface)
{
	uint64_t i = handle - TEXTURE_HANDLE;
	struct texture *t = i < cudart.textures.n ? &cudart.textures.texture[i] : NULL;

	return t && t->width && t->surface == surface ? t : NULL;
}

static int destroy_texture_object(uint64_t handle, bool surface)
{
	int e = cudart_enter(true);
	struct texture *t = find_texture_object(handle, surface);

	if (!e && handle && !t)
		e = cudaErrorInvalidValue;
	if (!e && t)
		t->width = 0;
	return cudart_leave(e);
}

API(int, cudaDestroyTextureObject, uint64_t handle) { return destroy_texture_object(handle, false); }
API(int, cudaDestroySurfaceObject, uint64_t handle) { return destroy_texture_object(handle, true); }

static int get_object_resource(struct resource *to, uint64_t handle, bool surface)
{
	int e = cudart_enter(false);

	if (!e && (!to || !find_texture_object(handle, surface)))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = objects.resource[handle - TEXTURE_HANDLE];
	return cudart_leave(e);
}

API(int, cudaGetTextureObjectResourceDesc, struct resource *to, uint64_t handle)
{
	return get_object_resource(to, handle, false);
}
API(int, cudaGetSurfaceObjectResourceDesc, struct resource *to, uint64_t handle)
{
	return get_object_resource(to, handle, true);
}

static int get_object_description(struct texture_description *to, uint64_t handle, size_t bytes)
{
	int e = cudart_enter(false);

	if (!e && (!to || !find_texture_object(handle, false)))
		e = cudaErrorInvalidValue;
	if (!e)
		memcpy(to, &objects.description[handle - TEXTURE_HANDLE], bytes);
	return cudart_leave(e);
}

API(int, cudaGetTextureObjectTextureDesc, struct texture_description *to, uint64_t handle)
{
	return get_object_description(
		to, handle, cudart_runtime_release() < 12 ? DESCRIPTION_11 : sizeof(*to));
}

API(int, cudaGetTextureObjectTextureDesc_v2, struct texture_description *to, uint64_t handle)
{
	return get_object_description(to, handle, sizeof(*to));
}

API(int, cudaDeviceGetTexture1DLinearMaxWidth, size_t *to, const struct channels *c, int device)
{
	struct texture t = {.width = 0};
	int e = cudart_enter(false);

	if (!e && device)
		e = cudaErrorInvalidDevice;
	if (!e && !(e = to && c ? cudart_set_channels(&t, c) : cudaErrorInvalidValue))
		*to = (size_t)1 << 28;
	return cudart_leave(e);
}

/* texture references, in runtimes up to release 11 */

struct reference {
	int normalized, filter, mode[3];
	struct channels channels;
	int srgb;
};

/* Makes a texture and stores its handle in the reference's variable. */
static int bind_texture_reference(const struct reference *ref, const struct resource *r)
{
	const struct variable *v = cudart_variable_of_host(ref);
	struct texture_description s = {.filter = 0};
	struct texture t = {.width = 0};
	uint64_t addr, handle;
	size_t size;
	int e;

	if (!v || cudart_find_symbol(ref, &addr, &size))
		return cudaErrorInvalidTexture;
	s.filter = ref->filter;
	s.normalized = ref->normalized;
	s.normalized_float = v->normalized;
	s.srgb = ref->srgb;
	memcpy(s.mode, ref->mode, sizeof(s.mode));
	if ((e = set_texture_to_resource(&t, r)) || (e = set_texture_sampler(&t, &s)))
		return e;
	handle = add_texture_object(&t, r, &s);
	memcpy(cudart.mem.statics + addr, &handle, sizeof(handle));
	return cudaSuccess;
}

API(int, cudaBindTexture, size_t *offset, const struct reference *ref, const void *base,
	const struct channels *c, size_t bytes)
{
	struct resource r = {.type = RESOURCE_LINEAR};
	int e = cudart_enter(true);

	if (!e && (!ref || !c))
		e = cudaErrorInvalidValue;
	if (!e) {
		const struct grant *g = cudart_find_grant((uintptr_t)base);
		size_t left = g ? g->bytes - ((uintptr_t)base - g->addr) : 0;

		r.data.memory.base = (char *)(uintptr_t)base;
		r.data.memory.channels = *c;
		r.data.memory.width = bytes < left ? bytes : left;
		e = bind_texture_reference(ref, &r);
	}
	if (!e && offset)
		*offset = 0;
	return cudart_leave(e);
}

API(int, cudaBindTexture2D, size_t *offset, const struct reference *ref, const void *base,
	const struct channels *c, size_t width, size_t height, size_t pitch)
{
	struct resource r = {.type = RESOURCE_PITCH};
	int e = cudart_enter(true);

	if (!e && (!ref || !c))
		e = cudaErrorInvalidValue;
	if (!e) {
		r.data.memory.base = (char *)(uintptr_t)base;
		r.data.memory.channels = *c;
		r.data.memory.width = width;
		r.data.memory.height = height;
		r.data.memory.pitch = pitch;
		e = bind_texture_reference(ref, &r);
	}
	if (!e && offset)
		*offset = 0;
	return cudart_leave(e);
}

API(int, cudaBindTextureToArray, const struct reference *ref, struct array *a, const struct channels *c)
{
	struct resource r = {.type = RESOURCE_ARRAY, .data.array = a};
	int e = cudart_enter(true);

	(void)c;
	return cudart_leave(e ? e : ref ? bind_texture_reference(ref, &r) : cudaErrorInvalidValue);
}

API(int, cudaBindTextureToMipmappedArray, const struct reference *ref, struct mipmap *m,
	const struct channels *c)
{
	struct resource r = {.type = RESOURCE_MIPMAP, .data.mipmap = m};
	int e = cudart_enter(true);

	(void)c;
	return cudart_leave(e ? e : ref ? bind_texture_reference(ref, &r) : cudaErrorInvalidValue);
}

API(int, cudaBindSurfaceToArray, const void *ref, struct array *a, const struct channels *c)
{
	struct resource r = {.type = RESOURCE_ARRAY, .data.array = a};
	struct texture t = {.width = 0};
	uint64_t addr, handle;
	size_t size;
	int e = cudart_enter(true);

	(void)c;
	if (!e && cudart_find_symbol(ref, &addr, &size))
		e = cudaErrorInvalidSurface;
	if (!e && !(e = set_texture_to_resource(&t, &r))) {
		t.surface = true;
		handle = add_texture_object(&t, &r, NULL);
		memcpy(cudart.mem.statics + addr, &handle, sizeof(handle));
	}
	return cudart_leave(e);
}

API(int, cudaUnbindTexture, const struct reference *ref)
{
	uint64_t addr;
	size_t size;
	int e = cudart_enter(true);

	if (!e && cudart_find_symbol(ref, &addr, &size))
		e = cudaErrorInvalidTexture;
	if (!e)
		memset(cudart.mem.statics + addr, 0, 8);
	return cudart_leave(e);
}

API(int, cudaGetTextureReference, const void **to, const void *symbol)
{
	int e = cudart_enter(false);

	if (!e && (!to || !cudart_variable_of_host(symbol)))
		e = cudaErrorInvalidTexture;
	if (!e)
		*to = symbol;
	return cudart_leave(e);
}
ALSO(cudaGetSurfaceReference, cudaGetTextureReference);

API(int, cudaGetTextureAlignmentOffset, size_t *offset, const void *ref)
{
	int e = cudart_enter(false);

	if (!e && (!offset || !cudart_variable_of_host(ref)))
		e = cudaErrorInvalidTexture;
	if (!e)
		*offset = 0;
	return cudart_leave(e);
}
