/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame around blocks and the list's lines, for writer and reader. Internal to libcommon.
 */
#ifndef PACK_STREAM_H
#define PACK_STREAM_H

#include "format.h"

enum { BLOCK_DATA = 1, BLOCK_INDEX = 2 };
enum {
	PIECE_BEGINS = 1,
	PIECE_ENDS = 2,
	PIECE_PART = 4,
	PIECE_STORED = 8,
	PIECE_HASH = 16,
	PIECE_PLAIN = 31, /* flags of a stream without control codes */
	PIECE_CODES = 32,
	PIECE_ALL = 63,
	PIECE_SHARED = 64, /* refers to a body; further flags: PIECE_BEGINS, PIECE_ENDS */
	PIECE_BODY = 128   /* the piece is a body that other pieces may refer to */
};

/* A body in its column: the predicted one, a new patch, or 1 plus its folded number relative to the predicted one. */
enum { BODY_NEXT = 0, BODY_PATCH = 1 };
/* Flags of the members that differ from the preceding kernel. Folded id, stream, hash and function follow the byte. */
enum { KERNEL_ID = 1, KERNEL_STREAM = 2, KERNEL_HASH = 4, KERNEL_CODES = 8, KERNEL_ALL = 15 };

/*
 * The hash is stored for kernels of at least this much text, or if the columns of the last piece are
 * so large that it is negligible; for other kernels it is computed on demand.
 */
#define HASH_TEXT    (4u << 20)
#define HASH_COLUMNS 4096u

uint64_t stream_sum(const void *head, size_t n_head, const void *body, size_t n_body);

/* Lines of a list: a line that equals the line before, with its first number one higher, is one byte. */
void stream_fold_list(struct buf *out, const char *text, size_t n);
bool stream_unfold_list(struct buf *out, struct cur in);
bool stream_blank(const uint8_t *s, size_t n); /* Returns whether text has only white space. */

#endif
