/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of instructions on textures and surfaces: geometry, handles, fetches; sem/texture.c, sem/surface.c. */
#ifndef SEM_TEXTURE_H
#define SEM_TEXTURE_H

#include "exec/texture.h"
#include "sem/atom.h"
#include "sem/sem.h"

/* Shape of the texture or surface that an instruction expects, and the slots of its coordinates. */
struct geometry {
	uint8_t shape; /* enum texture_shape; .1d also accepts linear memory */
	uint8_t n;     /* coordinates without the layer */
	bool layered;
	bool real;              /* coordinates of .f32 */
	bool layer_has_16_bits; /* the layer has 16 bits */
	bool has_sampler;       /* a separate sampler is given, whose handle is in sampler_slot */
	uint32_t coordinate_slot[3], layer_slot, sampler_slot;
};

/* Source of the level of detail. */
enum detail {
	DETAIL_BASE,  /* the first level, with any bias */
	DETAIL_ZERO,  /* the number 0 */
	DETAIL_LEVEL, /* a register */
	DETAIL_GRAD,  /* gradients in registers */
	DETAIL_QUAD   /* differences in the quad of lanes */
};

/* A fetch from a texture. */
struct texture_fetch {
	struct geometry geometry;
	bool half;           /* .v2.f16x2 */
	uint8_t gather;      /* tld4: the channel + 1 */
	uint8_t detail;      /* enum detail */
	uint8_t offset_bits; /* width of an offset in texels: 4 or 6; 0: none */
	uint8_t offset_bit;  /* position of the first offset in its register, in bits */
	bool split_offset;   /* each offset has a register of its own, whose upper bits are ignored */
	uint32_t level;      /* slot of the level: .f32, or .s32 if the coordinates are .s32 */
	uint32_t offset[3];  /* slots of the offsets; [0]: of all, unless split_offset */
	uint32_t grad[2][3]; /* slots of the .f32 gradients */
};

/*
 * Texels that the lanes of a fetch have read without a check. They are checked together: convolutionTexture of the CUDA
 * samples takes 11.2 s instead of 22.4 s.
 */
enum { TEXEL_READS = 16 };
struct texel_reads {
	uint8_t n[LANES];            /* number of texels of each lane */
	uint32_t lanes[TEXEL_READS]; /* lanes that have a texel with this number */
	uint32_t bytes[TEXEL_READS]; /* size of these texels */
	uint64_t addr[TEXEL_READS][LANES];
};

/* Empties *r for the lanes of a fetch. */
static inline void texture_start_reads(struct texel_reads *r)
{
	memset(r->n, 0, sizeof(r->n));
	memset(r->lanes, 0, sizeof(r->lanes));
}
/* Checks the reads if checks are on, and changes w->addr. Returns false if the launch has failed. */
bool texture_check_reads(struct warp *w, const struct op *o, const struct texel_reads *r);
/*
 * Fetches for a lane from the texture with the handle in w->addr[lane], and sets w->addr[lane] to the address of the
 * first texel. Returns false if the launch has failed. The caller checks the reads.
 */
bool texture_fetch_lane(struct warp *w, const struct op *o, const struct texture_fetch *x, unsigned lane,
	uint32_t v[4], struct texel_reads *reads);

/* Returns two channels as f16, the first in the lower half. */
uint32_t texture_pack_halves(const uint32_t v[2]);

enum outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };

/* An access to a surface; o->bytes times o->n is its size. */
struct surface_access {
	struct geometry geometry;
	uint8_t outside; /* enum outside */
	bool formatted;
	bool typed; /* reduction of 32 bits, which is signed if the texels are */
	enum atom atom;
	enum type type;
};

/*
 * Sets *t to the surface with the handle in w->addr[lane], and *at to the host address that the coordinates name, or to
 * NULL if they are outside and nothing is accessed. Sets w->addr[lane] to the address. Returns false if the launch has
 * failed.
 */
bool surface_find(struct warp *w, const struct op *o, const struct surface_access *x, unsigned lane,
	bool write, const struct texture **t, uint8_t **at);
/* Applies the reduction of x to a lane's texel with operand v. Returns false if the launch has failed. */
bool surface_reduce(struct warp *w, const struct op *o, const struct surface_access *x, unsigned lane, u64 v);

/* Sets *g to the shape that a suffix such as ".2d" names. Returns false if no suffix names one that is executed. */
bool geometry_find(const struct stmt *in, struct geometry *g);
/*
 * Binds the memory operand "[handle, sampler, {coordinates}]": sets o->a, o->imm and g. Only textures can have a
 * sampler, which may be absent. Returns 0, or -1 with the fault set.
 */
int geometry_bind(
	struct bind *b, struct op *o, const struct operand *at, struct geometry *g, enum type coordinate);
/*
 * Returns the texture or surface with the handle in w->addr[lane]; NULL if the launch has failed. g: its expected
 * geometry; NULL: any.
 */
const struct texture *geometry_find_texture(
	struct warp *w, const struct op *o, const struct geometry *g, unsigned lane, bool surface);

#endif
