/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's bodies (body.h): strings and patches from the blocks that were read, and parts that were decoded from
 * them. Internal to libcommon.
 */
#ifndef PACK_BODIES_H
#define PACK_BODIES_H

#include "body.h"
#include "codec.h"

/* A body, decoded to a part and its columns. */
struct shown {
	uint32_t number;
	unsigned users;      /* number of users */
	unsigned flags;      /* flags of the piece */
	struct buf string;   /* the body as a string */
	struct cur header;   /* text of the header without id and stream */
	uint64_t text_bytes; /* number of bytes of the kernel without its header */
	struct part part;
	struct buf col[N_COLUMNS]; /* columns that point into the string */
	size_t size;               /* approximate size in memory in bytes */
};

struct bodies;

/* The caller of these functions must hold the lock of the stream. */
/* Keeps a body that a block contains as a whole. Takes over the string. */
void bodies_add(struct pack *p, uint32_t number, struct buf *string);
/* Keeps a body that is a patch of the body `root`. Takes over the patch. */
void bodies_add_patch(struct pack *p, uint32_t number, uint32_t root, struct patch *patch);
/*
 * Returns a body. Reads its block if necessary. Returns NULL and sets *f on failure. shown_release() releases the
 * body.
 */
struct shown *bodies_show(struct pack *p, uint32_t number, struct fault *f);
void shown_release(struct shown *s);
void bodies_free(struct bodies *b);

#endif
