/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures and surfaces: memory that is read by coordinates.
 *
 * A texture has texels in global memory, row by row, and a sampler that reads them; a surface has only texels.
 * A kernel names either by its handle: a number that is not an address, or the address of a .texref or .surfref
 * variable that contains the handle. A sampler without a texture (.samplerref) also has a handle: it is a
 * texture without texels, or, if PTX text declares its properties, the handle itself contains them.
 *
 * The mip levels of a texture are consecutive and dense. Each has half of the previous level's texels along
 * every dimension (at least 1), and all layers and faces.
 *
 * Always true: every texel of every level of a texture that texture_find_fault() accepted is within its bytes from
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
enum texture_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER }; /* numbered as in CUDA */

struct sampler {
	bool linear;       /* linear filter within a level; otherwise the nearest texel */
	bool mip_linear;   /* linear filter between levels; otherwise the nearest level */
	bool unnormalized; /* sampler without a texture: coordinates count texels, regardless of the texture */
	uint8_t mode[3];   /* texture_mode of each dimension */
	float border[4];
	float lod[2]; /* least and greatest level of detail */
	float bias;   /* added to the level of detail */
};

struct texture {
	uint64_t addr;                 /* address of the first texel */
	uint64_t pitch;                /* bytes from row to row */
	uint64_t slice_pitch;          /* bytes from plane to plane or layer to layer */
	uint32_t width, height, depth; /* texels of level 0; 1 for a dimension that the shape lacks */
	uint32_t layers;               /* number of layers; for cubes, number of faces */
	uint8_t shape;                 /* enum texture_shape */
	uint8_t kind;                  /* enum texture_kind */
	uint8_t bits;                  /* width of a channel: 8, 16, 32 */
	uint8_t channels;              /* number of channels: 1, 2 or 4 */
	uint8_t levels;
	bool layered, normalized, surface;
	bool read_float;        /* integers are read as 0..1 or -1..1 */
	struct sampler sampler; /* not used by a surface */
};

struct textures {
	struct texture *texture; /* textures by number; width 0: destroyed */
	uint32_t n, cap;
};

/* Handle of texture number i. */
#define TEXTURE_HANDLE 0x7e78000000000000ull
#define TEXTURE_LEVELS 29u /* largest number of levels */

static inline uint32_t texture_texel_bytes(const struct texture *t) { return t->bits / 8u * t->channels; }
/* Returns the bytes from addr to the end of the last level. */
uint64_t texture_total_bytes(const struct texture *t);
/* Returns level n, below t->levels, as a texture of one level. */
struct texture texture_level(const struct texture *t, unsigned n);
/* Returns the largest number of levels, down to the level of a single texel. */
unsigned texture_largest_levels(const struct texture *t);
/*
 * Completes a texture: sets dimensions of 0 to 1 (the width must be set), and a pitch or slice pitch of 0 to that of
 * dense texels.
 */
void texture_set_defaults(struct texture *t);
/*
 * Returns a description of what is wrong with the texture, or NULL if it is valid. bytes: size of the memory
 * from addr on.
 */
const char *texture_find_fault(const struct texture *t, uint64_t bytes);
/* Sets kind, bits and channels from a name such as "u8" or "f16x4". Returns false for another name. */
bool texture_set_format(struct texture *t, const char *name);
/* Adds a texture. Returns its handle. */
uint64_t texture_add(struct textures *all, const struct texture *t);
/*
 * Returns the texture of a handle, or of the address of a variable that contains one. Returns NULL if there is
 * none.
 */
const struct texture *texture_find(const struct textures *all, const struct memory *m, uint64_t handle);
/*
 * Sets *to to the sampler of a handle, or of the address of a variable that contains one. Returns false if
 * there is none.
 */
bool texture_find_sampler(
	const struct textures *all, const struct memory *m, uint64_t handle, struct sampler *to);

/* Returns the address of a texel. layer: layer or face of a cube, else 0. The texel must exist. */
static inline uint64_t texture_texel_address(
	const struct texture *t, uint32_t x, uint32_t y, uint32_t z, uint32_t layer)
{
	return t->addr + (uint64_t)(z + layer) * t->slice_pitch + (uint64_t)y * t->pitch +
	       (uint64_t)x * texture_texel_bytes(t);
}

/* Reads a texel as a fetch without a filter returns it: 32 bits each of red, green, blue, alpha. */
void texture_read_texel(const struct texture *t, const uint8_t *at, uint32_t out[4]);
/* Writes a texel from four numbers, truncated to the width of the channels, as a formatted store does. */
void texture_write_texel(const struct texture *t, uint8_t *at, const uint32_t in[4]);
/* Sets out to the value that is read outside of the texture in border mode. */
void texture_read_border(const struct texture *t, const struct sampler *s, uint32_t out[4]);
/* Returns true if a fetch returns floating point. Only then can the filter be linear. */
static inline bool texture_reads_float(const struct texture *t)
{
	return t->kind == TEXEL_FLOAT || t->read_float;
}

#endif
