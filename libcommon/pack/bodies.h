/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's bodies (body.h): strings and patches from the blocks that were read, and the parts decoded from them.
 * Internal to libcommon.
 */
#ifndef PACK_BODIES_H
#define PACK_BODIES_H

#include "body.h"
#include "codec.h"

/* A body, decoded to a part and its columns. */
struct shown {
	uint32_t number;
	unsigned users, flags;
	struct buf string;
	struct cur header; /* header without id and stream */
	uint64_t rest;     /* bytes of the kernel without the header */
	struct part part;
	struct buf col[N_COLUMNS]; /* columns with the parts of the string */
	size_t size;               /* approximate bytes of memory */
};

struct bodies;

/* The caller of these functions must hold the lock of the stream. */
/* Keeps a body that a block contains as a whole. Takes over the string. */
void bodies_add(struct pack *p, uint32_t number, struct buf *string);
/* Keeps a body that is a patch of the body root. Takes over the patch. */
void bodies_add_patch(struct pack *p, uint32_t number, uint32_t root, struct patch *patch);
/*
 * Returns a body, and reads its block if necessary; returns NULL and sets *f on failure. shown_release() releases
 * it.
 */
struct shown *bodies_show(struct pack *p, uint32_t number, struct fault *f);
void shown_release(struct shown *s);
void bodies_free(struct bodies *b);

#endif
