/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures and surfaces: memory that is read by coordinates, and how.
 *
 * A texture is texels in global memory, row by row, and the sampler that reads them; a surface is the texels
 * alone. A kernel knows either by its handle: a number that is no address, or the address of a .texref or
 * .surfref variable, in which the handle stands. A sampler has a handle, too, when it is apart from textures
 * (.samplerref): it is a texture without texels, or stands in the handle itself where PTX text says what it
 * does.
 *
 * The mip levels of a texture lie one behind the other, dense, each with half of the texels of the one before
 * along every dimension (but 1 at least), layers and faces all in each.
 *
 * Always true: every texel of every level of a texture that texture_wrong passed lies within its bytes from
 * addr on.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct memory;
struct symbol;

enum texture_shape { TEXTURE_LINEAR, TEXTURE_1D, TEXTURE_2D, TEXTURE_3D, TEXTURE_CUBE, TEXTURE_SAMPLER };
enum texture_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER }; /* as CUDA numbers them */

struct sampler {
	bool linear, mip_linear; /* filters within a level and between two; else the nearest is taken */
	bool unnormalized;       /* of a sampler apart: coordinates count texels, whatever the texture says */
	uint8_t mode[3];         /* texture_mode of each dimension */
	float border[4];
	float lod[2], bias; /* least and most level of detail; what is added before */
};

struct texture {
	uint64_t addr, pitch,
		slice; /* of the first texel; bytes from row to row, from plane or layer to the next */
	uint32_t width, height, depth,
		layers; /* texels of level 0; 1 where there is none such; a cube's layers: faces */
	uint8_t shape, kind, bits, channels, /* bits of a channel: 8, 16, 32; channels: 1, 2, 4 */
		levels;
	bool layered, normalized, read_float, surface; /* read_float: integers as 0..1 or -1..1 */
	struct sampler sampler;                        /* a surface has none */
};

struct textures {
	struct texture *texture; /* by number; of width 0: destroyed */
	uint32_t n, cap;
};

/* Handle of texture number i. */
#define TEXTURE_HANDLE 0x7e78000000000000ull
#define TEXTURE_LEVELS 29u /* most that a texture can have */

static inline uint32_t texture_bytes(const struct texture *t) { return t->bits / 8u * t->channels; }
/* Bytes from addr to behind the last texel of the last level. */
uint64_t texture_span(const struct texture *t);
/* Level n, below t->levels, as a texture of one level. */
struct texture texture_level(const struct texture *t, unsigned n);
/* Levels down to the one with one texel. */
unsigned texture_levels_most(const struct texture *t);
/* Lengths that the fields leave at 0 (width only must be given) are set as if texels were dense. */
void texture_complete(struct texture *t);
/* NULL, or what the texture is that none can be; bytes: of memory from addr on. */
const char *texture_wrong(const struct texture *t, uint64_t bytes);
/* "u8", "f16x4": kind, bits and channels. false: no format. */
bool texture_format(struct texture *t, const char *name);
/* A new handle. */
uint64_t texture_add(struct textures *all, const struct texture *t);
/* What a handle, or the address of a variable that holds one, stands for. NULL: nothing. */
const struct texture *texture_find(const struct textures *all, const struct memory *m, uint64_t handle);
/* The sampler that a handle, or the address of a variable that holds one, stands for. false: none. */
bool texture_sampler(const struct textures *all, const struct memory *m, uint64_t handle, struct sampler *to);

/* The address of a texel; layer: of a layered texture, the face of a cube, else 0. All within the texture. */
static inline uint64_t texture_at(const struct texture *t, uint32_t x, uint32_t y, uint32_t z, uint32_t layer)
{
	return t->addr + (uint64_t)(z + layer) * t->slice + (uint64_t)y * t->pitch +
	       (uint64_t)x * texture_bytes(t);
}

/* A texel as a fetch returns it without a filter: 32 bits each of red, green, blue, alpha. */
void texture_texel(const struct texture *t, const uint8_t *at, uint32_t out[4]);
/* The texel of four numbers, as a formatted store writes it: cut to the channels' bits. */
void texture_put(const struct texture *t, uint8_t *at, const uint32_t in[4]);
/* What is read outside of the texture in mode border. */
void texture_border(const struct texture *t, const struct sampler *s, uint32_t out[4]);
/* true: a fetch returns floating point, so that it may be filtered. */
static inline bool texture_real(const struct texture *t) { return t->kind == TEXEL_FLOAT || t->read_float; }

#endif
