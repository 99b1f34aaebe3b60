/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of instructions on textures and surfaces: geometry, handles, coordinates; sem/texture.c. */
#ifndef SEM_TEXTURE_H
#define SEM_TEXTURE_H

#include "exec/texture.h"
#include "sem/sem.h"

/* What an instruction says of the texture or surface, and where its coordinates are. */
struct geometry {
	uint8_t shape;      /* enum texture_shape; .1d takes linear memory as well */
	uint8_t n;          /* coordinates without the layer */
	bool layered, real; /* real: coordinates of .f32 */
	bool sampled;       /* by a sampler apart, whose handle is in slot sampler */
	uint32_t slot[3], layer, sampler;
};

/* ".2d" and its kind. false: none that is executed. */
bool geometry_find(const struct stmt *in, struct geometry *g);
/*
 * The memory operand "[handle, sampler, {coordinates}]", the sampler of textures alone and if at all: o->a,
 * o->imm and g. 0, or -1 with the fault set.
 */
int geometry_bind(
	struct bind *b, struct op *o, const struct operand *at, struct geometry *g, enum type coordinate);
/*
 * The texture of a lane whose handle is in w->addr; of that
 * geometry unless it is NULL. NULL: the launch has failed.
 */
const struct texture *geometry_texture(
	struct warp *w, const struct op *o, const struct geometry *g, unsigned lane, bool surface);
/* The sampler of a lane, which goes with t. false: the launch has failed. */
bool geometry_sampler(struct warp *w, const struct op *o, const struct geometry *g, const struct texture *t,
	unsigned lane, struct sampler *to);

#endif
