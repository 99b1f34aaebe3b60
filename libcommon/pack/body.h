/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies: pieces of kernels, each as one string, so that a later piece can be stored as a reference to a body or as
 * differences from it. Internal to libcommon.
 *
 * body.c converts a piece to a string and back, patch.c a string to differences from another one. order.c predicts
 * the order of bodies. share.c has the writer's bodies, bodies.c the reader's bodies.
 *
 * Words: the body of a piece is the piece without the id, the CUDA stream, the hash and the control codes of its
 * kernel. Bodies are numbered in the order of their first occurrence in the stream. A body is written whole, or as a
 * patch of a whole body, its root. So reading a piece requires at most two bodies.
 */
#ifndef PACK_BODY_H
#define PACK_BODY_H

#include "format.h"

/* Returns the size of the largest string that may become a body, for a piece of n bytes of text. */
static inline uint64_t body_size_max(uint64_t n) { return 2048 + n / 16; }

/* Limit of the sum of body_size_max() over the bodies to which the writer may refer. */
#define BODIES_WRITTEN (16u << 20)
/* Number of bytes of bodies that a reader keeps; at least twice BODIES_WRITTEN. */
#define BODIES_READ (48u << 20)

struct body_parts {
	unsigned flags; /* set of PIECE_BEGINS, PIECE_ENDS, PIECE_PART and PIECE_STORED */
	/* PIECE_BEGINS: text of the header without id and stream; otherwise the position in the kernel. */
	struct cur header;
	struct cur table;           /* tables of the part */
	struct cur stored;          /* blank text after the part */
	uint64_t text_bytes;        /* PIECE_ENDS: number of bytes of the kernel's text without its header */
	struct cur col[COL_STORED]; /* columns starting at number 1 */
	struct cur columns;         /* bytes of all columns in order, set by body_split() */
};

void body_join(struct buf *out, const struct body_parts *b);
/* Splits the string into parts. Returns false if it is damaged. */
bool body_split(struct body_parts *b, const uint8_t *s, size_t n);

/* ---- patch.c ---- */

struct patch {
	/*
	 * Number of entries as a varint; for each entry, the numbers of bytes to copy, to skip and to insert as
	 * varints.
	 */
	struct buf ops;   /* changes, as varints */
	struct buf fresh; /* bytes to insert */
};
/* Sets p to the differences from a to b. Returns false if p would need more than `most` bytes. */
bool patch_make(struct patch *p, const struct buf *a, const struct buf *b, size_t most);
/*
 * Reads a patch from the two columns and appends its bytes to p, unless p is NULL. Returns false if it is damaged.
 */
bool patch_read(struct cur *ops, struct cur *fresh, struct patch *p);
/* Applies the patch to the string a and appends the result to out. Returns false if the patch is damaged. */
bool patch_apply(struct buf *out, const struct patch *p, const uint8_t *a, size_t n);
void patch_free(struct patch *p);

/* ---- order.c ---- */

/*
 * Bodies of the shared pieces of a block, in order. An application repeats its launches in each iteration, so the
 * prediction follows an earlier sequence of the same bodies. It continues with that sequence if one body differs.
 */
struct body_order {
	uint32_t *body;       /* number of the body of each piece */
	uint32_t *last_piece; /* number, plus 1, of the last piece with a body in each slot */
	uint32_t n;
	uint32_t cap;
	uint32_t predicted_piece; /* piece whose body is predicted next */
	unsigned missed;          /* number of wrong predictions in a row */
};
/* Returns the predicted next body; NONE if there is no prediction. */
uint32_t order_predict(const struct body_order *o);
/* Appends the body. once: the body is new and must not be predicted from this position. */
void order_add(struct body_order *o, uint32_t body, bool once);
void order_free(struct body_order *o);

#endif
