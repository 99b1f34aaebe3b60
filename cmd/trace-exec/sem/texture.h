/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of instructions on textures and surfaces: geometry, handles, coordinates; sem/texture.c. */
#ifndef SEM_TEXTURE_H
#define SEM_TEXTURE_H

#include "exec/texture.h"
#include "sem/sem.h"

/* Shape of the texture or surface that an instruction expects, and the slots of its coordinates. */
struct geometry {
	uint8_t shape;      /* enum texture_shape; .1d also accepts linear memory */
	uint8_t n;          /* coordinates without the layer */
	bool layered, real; /* real: coordinates of .f32 */
	bool sampled;       /* a separate sampler is given, whose handle is in slot sampler */
	uint32_t slot[3], layer, sampler;
};

/* Reads the shape from a suffix as ".2d". false: none that is executed. */
bool geometry_find(const struct stmt *in, struct geometry *g);
/*
 * Binds the memory operand "[handle, sampler, {coordinates}]": o->a, o->imm and g. Only textures can have a
 * sampler, which may be absent. 0, or -1 with the fault set.
 */
int geometry_bind(
	struct bind *b, struct op *o, const struct operand *at, struct geometry *g, enum type coordinate);
/*
 * Returns the texture or surface of a lane by the handle in w->addr. g: its expected geometry; NULL: any.
 * NULL: the launch has failed.
 */
const struct texture *geometry_texture(
	struct warp *w, const struct op *o, const struct geometry *g, unsigned lane, bool surface);
/* Finds the sampler of a lane and checks that it fits t. false: the launch has failed. */
bool geometry_sampler(struct warp *w, const struct op *o, const struct geometry *g, const struct texture *t,
	unsigned lane, struct sampler *to);

#endif
