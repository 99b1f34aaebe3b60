/* SPDX-License-Identifier: BSD-2-Clause */
/* What meshes (noc_mesh.c) and tori (noc_torus.c) share. */
#ifndef NOC_CUBE_H
#define NOC_CUBE_H

#include "net/noc.h"

/* k routers in each of n dimensions, each line closed; latency of channels as they are long on a chip. */
void noc_cube_plan(struct noc_builder *b, const struct icnt *c, uint32_t latency);

#endif
