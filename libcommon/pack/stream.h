/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of blocks and packing of the list's lines, for writer and reader. Internal to libcommon. */
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
	PIECE_SHARED = 64, /* the piece refers to a body; further flags are PIECE_BEGINS and PIECE_ENDS */
	PIECE_BODY = 128   /* the piece is a body that other pieces may refer to */
};

/*
 * Values in the column of bodies: the predicted body, a new patch, or 1 plus the folded difference of the body's
 * number and the predicted one.
 */
enum { BODY_NEXT = 0, BODY_PATCH = 1 };
/*
 * Flags of the fields that differ from the preceding kernel. These fields follow the byte of flags: folded id,
 * stream, hash, function.
 */
enum { KERNEL_ID = 1, KERNEL_STREAM = 2, KERNEL_HASH = 4, KERNEL_CODES = 8, KERNEL_ALL = 15 };

/*
 * A kernel's hash is stored if the kernel has at least HASH_TEXT bytes of text, or if the columns of its last piece
 * are so large that the hash is negligible; otherwise it is computed on demand.
 */
#define HASH_TEXT    (4u << 20)
#define HASH_COLUMNS 4096u

/* Returns the checksum of a frame: the hash of its head and its body. */
uint64_t stream_sum(const void *head, size_t n_head, const void *body, size_t n_body);

/*
 * Pack and unpack the lines of a list. A line that equals the previous line with its first number increased by one is
 * a single byte.
 */
void stream_fold_list(struct buf *out, const char *text, size_t n);
bool stream_unfold_list(struct buf *out, struct cur in);
bool stream_is_blank(const uint8_t *s, size_t n); /* reports whether text has only white space */

#endif
