/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that meshes (mesh.c) and tori (torus.c) share. */
#ifndef CUBE_H
#define CUBE_H

#include "net/noc.h"

/*
 * Connects k routers in each of n dimensions, with each line closed to a ring. A channel takes `latency`
 * cycles if the configuration models distances on the chip, and 1 cycle otherwise.
 */
void noc_cube_plan(struct noc_builder *b, const struct icnt *c, uint32_t latency);

#endif
