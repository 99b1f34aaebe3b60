/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures and surfaces: handles, formats, texels as numbers.
 *
 * Always true: channels that the format lacks read as 0, alpha as 1. An integer read as floating point is
 * divided by the greatest number of its width. The least signed number reads as -1, too.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "exec/exec.h"
#include "lang/ieee.h"
#include "lang/small.h"

static uint64_t level_bytes(const struct texture *t)
{
	uint64_t planes = (uint64_t)t->depth * t->layers;

	return (planes - 1) * t->slice_pitch + (t->height - 1) * t->pitch +
	       (uint64_t)t->width * texture_texel_bytes(t);
}

struct texture texture_level(const struct texture *t, unsigned n)
{
	struct texture l = *t;

	for (l.levels = 1; n > 0; n--) {
		l.addr += (uint64_t)l.depth * l.layers * l.slice_pitch;
		l.width = l.width > 1 ? l.width / 2 : 1;
		l.height = l.height > 1 ? l.height / 2 : 1;
		l.depth = l.depth > 1 ? l.depth / 2 : 1;
		l.pitch = (uint64_t)l.width * texture_texel_bytes(t);
		l.slice_pitch = l.pitch * l.height;
	}
	return l;
}

uint64_t texture_total_bytes(const struct texture *t)
{
	struct texture last = texture_level(t, t->levels - 1u);

	return last.addr - t->addr + level_bytes(&last);
}

unsigned texture_largest_levels(const struct texture *t)
{
	uint32_t most = t->width > t->height ? t->width : t->height;
	unsigned n = 0;

	for (most = most > t->depth ? most : t->depth; most; most /= 2)
		n++;
	return n;
}

void texture_set_defaults(struct texture *t)
{
	t->height = t->height ? t->height : 1;
	t->depth = t->depth ? t->depth : 1;
	t->layers = t->layers ? t->layers : 1;
	t->levels = t->levels ? t->levels : 1;
	t->pitch = t->pitch ? t->pitch : (uint64_t)t->width * texture_texel_bytes(t);
	t->slice_pitch = t->slice_pitch ? t->slice_pitch : t->pitch * t->height;
}

const char *texture_find_fault(const struct texture *t, uint64_t bytes)
{
	uint32_t each = texture_texel_bytes(t);

	if (!t->width || t->width > 1u << 28 || t->height > 1u << 17 || t->depth > 1u << 15 ||
		t->layers > 1u << 15)
		return "a dimension of 0 or more than a texture can have";
	if (t->shape == TEXTURE_CUBE && (t->width != t->height || t->layers % 6))
		return "a cube whose faces are not six squares";
	if (t->pitch % each || t->pitch < (uint64_t)t->width * each || t->pitch >> 40 || t->slice_pitch >> 44)
		return "rows that overlap or hold parts of texels";
	if (t->slice_pitch % each || t->slice_pitch < t->pitch * t->height)
		return "planes that overlap or hold parts of texels";
	if (t->addr % each)
		return "texels at an address that is not a multiple of their size";
	if (t->levels > texture_largest_levels(t))
		return "more levels than it takes to reach a single texel";
	if (t->levels > 1 &&
		(t->pitch != (uint64_t)t->width * each || t->slice_pitch != t->pitch * t->height))
		return "levels whose rows or planes are not dense";
	if (t->levels > 1 && !t->normalized && !t->surface)
		return "levels without normalised coordinates";
	if (t->sampler.linear && !texture_reads_float(t))
		return "a linear filter over texels that are read as integers";
	if (t->read_float && (t->kind == TEXEL_FLOAT || t->bits == 32))
		return "texels other than integers of 8 or 16 bits to be read as floating point";
	if (texture_total_bytes(t) > bytes)
		return "more texels than the memory has";
	return NULL;
}

bool texture_set_format(struct texture *t, const char *name)
{
	static const char kinds[] = {[TEXEL_SIGNED] = 's', [TEXEL_UNSIGNED] = 'u', [TEXEL_FLOAT] = 'f'};
	char *end;

	for (t->kind = 0; t->kind < sizeof(kinds) && kinds[t->kind] != *name; t->kind++)
		;
	if (t->kind == sizeof(kinds) || name[1] < '1' || name[1] > '9')
		return false;
	unsigned long bits = strtoul(name + 1, &end, 10), channels = 1;
	if (*end == 'x' && end[1] >= '1' && end[1] <= '9')
		channels = strtoul(end + 1, &end, 10);
	t->bits = (uint8_t)bits;
	t->channels = (uint8_t)channels;
	return !*end && (bits == 8 || bits == 16 || bits == 32) && (t->kind != TEXEL_FLOAT || bits > 8) &&
	       (channels == 1 || channels == 2 || channels == 4);
}

uint64_t texture_add(struct textures *all, const struct texture *t)
{
	grow(&all->texture, &all->cap, all->n + 1, sizeof(*all->texture));
	all->texture[all->n] = *t;
	return TEXTURE_HANDLE + all->n++;
}

const struct texture *texture_find(const struct textures *all, const struct memory *m, uint64_t handle)
{
	const uint8_t *at = handle < STATIC_LIMIT ? memory_host_address(m, handle, 8) : NULL;

	if (at)
		memcpy(&handle, at, 8);
	handle -= TEXTURE_HANDLE;
	return handle < all->n && all->texture[handle].width ? &all->texture[handle] : NULL;
}

bool texture_find_sampler(
	const struct textures *all, const struct memory *m, uint64_t handle, struct sampler *to)
{
	const uint8_t *at = handle < STATIC_LIMIT ? memory_host_address(m, handle, 8) : NULL;
	const struct texture *t;

	if (at)
		memcpy(&handle, at, 8);
	if (handle >> SAMPLER_BITS == SAMPLER_FIXED >> SAMPLER_BITS) {
		*to = (struct sampler){.linear = handle >> SAMPLER_LINEAR & 1,
			.unnormalized = handle >> SAMPLER_UNNORMALIZED & 1,
			.lod = {0, TEXTURE_LEVELS}};
		for (unsigned d = 0; d < 3; d++)
			to->mode[d] = handle >> 2 * d & 3;
		return true;
	}
	t = texture_find(all, m, handle);
	if (!t || t->shape != TEXTURE_SAMPLER)
		return false;
	*to = t->sampler;
	return true;
}

/* ---- texels ---- */

static uint32_t read_channel(const struct texture *t, uint32_t v)
{
	unsigned rest = 32u - t->bits;
	int32_t wide = (int32_t)(v << rest) >> rest;

	if (t->kind == TEXEL_FLOAT)
		return t->bits == 16 ? ieee_f32_bits((float)small_value(v, SMALL_F16)) : v;
	if (!t->read_float)
		return t->kind == TEXEL_SIGNED ? (uint32_t)wide : v;
	if (t->kind == TEXEL_UNSIGNED)
		return ieee_f32_bits((float)((double)v / (double)((1u << t->bits) - 1)));
	double most = (double)((1u << (t->bits - 1)) - 1);
	return ieee_f32_bits((float)(wide < -(int32_t)most ? -1.0 : wide / most));
}

void texture_read_texel(const struct texture *t, const uint8_t *at, uint32_t out[4])
{
	unsigned bytes = t->bits / 8u;

	out[0] = out[1] = out[2] = 0;
	out[3] = texture_reads_float(t) ? 0x3f800000u : 1;
	for (unsigned c = 0; c < t->channels; c++) {
		uint32_t v = 0;

		memcpy(&v, at + c * bytes, bytes);
		out[c] = read_channel(t, v);
	}
}

void texture_write_texel(const struct texture *t, uint8_t *at, const uint32_t in[4])
{
	unsigned bytes = t->bits / 8u;

	for (unsigned c = 0; c < t->channels; c++) {
		uint32_t v = in[c];

		if (t->kind == TEXEL_FLOAT && t->bits == 16)
			v = small_of_double((double)ieee_f32(v), SMALL_F16, ROUND_RN, false);
		memcpy(at + c * bytes, &v, bytes);
	}
}

void texture_read_border(const struct texture *t, const struct sampler *s, uint32_t out[4])
{
	for (unsigned c = 0; c < 4; c++)
		out[c] = texture_reads_float(t) ? ieee_f32_bits(s->border[c])
						: (uint32_t)(int64_t)s->border[c];
}
