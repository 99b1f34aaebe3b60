/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles of textures and surfaces in machine code. */
#ifndef MACHINE_TEXTURE_H
#define MACHINE_TEXTURE_H

#include "exec/check.h"
#include "machine/code.h"
#include "sem/texture.h"

/*
 * Sets the slot of the handle in a uniform register or a constant bank. unused: value of bits 48-55 on sm_100 and later
 * if they name no operand. Returns false if the instruction has an operand after the handle.
 */
bool texture_bind_handle(struct mbind *b, uint32_t *slot, unsigned unused);
/*
 * Execute the extern functions that fetch with gradients. The handle is in R4. The coordinates begin at R8, with the
 * layer first, and the first gradient at R12. The second gradient is in local memory at R1, and offsets follow it after
 * 16 bytes. Results are in R5 to R8, pairs of f16 in R5 and R6.
 */
op_fn texture_gradients_3d, texture_gradients_3d_offset, texture_gradients_cube,
	texture_gradients_cube_layers;
op_fn texture_gradients_half_3d, texture_gradients_half_3d_offset, texture_gradients_half_cube,
	texture_gradients_half_cube_layers;

#endif
