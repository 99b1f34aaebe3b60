/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by meshes (mesh.c) and tori (torus.c). */
#ifndef CUBE_H
#define CUBE_H

#include "net/noc.h"

/*
 * Connects k routers in each of n dimensions, with each line closed to a ring. latency: cycles of a channel
 * if the configuration models distances on the chip, else every channel takes 1 cycle.
 */
void noc_cube_plan(struct noc_builder *b, const struct icnt *c, uint32_t latency);

#endif
