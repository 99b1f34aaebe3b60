/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashes of pieces; see piece_key.c. Internal to libcommon. */
#ifndef PACK_PIECE_KEY_H
#define PACK_PIECE_KEY_H

#include "writer.h"

/*
 * Hashes the kernel's name with its grid (near), and the name alone (far). Kernels with equal hashes are probably
 * similar.
 */
void piece_key_names(struct pack_writer *w, const struct piece *c, uint64_t *near, uint64_t *far);
/* Computes the key of the piece, by which pieces that repeat it find it. */
void piece_key_compute(struct pack_writer *w, const struct piece *c, uint64_t key[2]);

#endif
