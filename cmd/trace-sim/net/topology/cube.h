/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by meshes (mesh.c) and tori (torus.c). */
#ifndef CUBE_H
#define CUBE_H

#include "net/noc.h"

/*
 * Connects k routers in each of n dimensions, with each line closed to a ring. Channels have the given
 * latency, except that those that close a line or are twice as long on a chip have more.
 */
void noc_cube_plan(struct noc_builder *b, const struct icnt *c, uint32_t latency);

#endif
