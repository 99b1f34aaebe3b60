/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies: pieces of kernels as one string, so that a later piece is a reference to it, or a few differences.
 * Internal to libcommon.
 *
 *   body.c   a piece as a string and back
 *   patch.c  a string as differences to another one
 *   order.c  the order in which bodies come, predicted
 *   share.c  the writer's bodies; bodies.c those of the reader
 *
 * Words: the body of a piece is all of it but the id, the CUDA stream, the hash and the control codes of its
 * kernel. Bodies are numbered in the order in which the stream first has them. A body is written whole, or as
 * a patch of one that is, its root; so a kernel needs at most two others.
 */
#ifndef PACK_BODY_H
#define PACK_BODY_H

#include "format.h"

/* Returns the greatest size of a string that may be a body; n: bytes of the piece's text. */
static inline uint64_t body_most(uint64_t n) { return 2048 + n / 16; }

#define BODIES_WRITTEN \
	(16u << 20)             /* largest sum of body_most() over the bodies that the writer may refer to */
#define BODIES_READ (48u << 20) /* bytes of bodies that a reader keeps; at least twice BODIES_WRITTEN */

struct body_parts {
	unsigned flags;    /* PIECE_BEGINS, PIECE_ENDS, PIECE_PART, PIECE_STORED */
	struct cur header; /* PIECE_BEGINS: its text without id and stream; else the position in the kernel */
	struct cur table, stored;   /* tables of the part; blank text after it */
	uint64_t rest;              /* PIECE_ENDS: bytes of the kernel's text without its header */
	struct cur col[COL_STORED]; /* columns from number 1 on */
	struct cur columns;         /* after body_split(): all columns, one after another */
};

void body_join(struct buf *out, const struct body_parts *b);
/* Splits the string into parts. Returns false if it is damaged. */
bool body_split(struct body_parts *b, const uint8_t *s, size_t n);

/* ---- patch.c ---- */

struct patch {
	struct buf ops;   /* varint count; for each: varints of bytes to copy, to skip and to insert */
	struct buf fresh; /* bytes to insert */
};
/* Sets p to the differences from a to b. Returns false if they take more than `most` bytes. */
bool patch_make(struct patch *p, const struct buf *a, const struct buf *b, size_t most);
/*
 * Reads a patch from the two columns and appends its bytes to p, which may be NULL. Returns false if it is
 * damaged.
 */
bool patch_read(struct cur *ops, struct cur *fresh, struct patch *p);
/* Appends the string that the patch makes of a. Returns false if the patch is damaged. */
bool patch_apply(struct buf *out, const struct patch *p, const uint8_t *a, size_t n);
void patch_free(struct patch *p);

/* ---- order.c ---- */

/*
 * Bodies of the shared pieces of a block, in order. An application repeats its launches in each iteration, so
 * the prediction follows an earlier run of the same bodies. It continues with that run if one body differs.
 */
struct body_order {
	uint32_t *body;      /* by piece */
	uint32_t *last;      /* by slot of the body's hash: number of the last piece with the body, plus 1 */
	uint32_t n, cap, at; /* at: piece whose body is predicted next */
	unsigned missed;     /* wrong predictions in a row */
};
/* Returns the body that is predicted next; NONE: no prediction. */
uint32_t order_next(const struct body_order *o);
/* Appends the body. once: the body is new and is not predicted at this position again. */
void order_add(struct body_order *o, uint32_t body, bool once);
void order_free(struct body_order *o);

#endif
