/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer's bodies: pieces of which later ones may be repetitions. Internal to libcommon.
 *
 * The thread that cuts text finds repetitions and decides which bodies are kept, by text alone; the thread that
 * gathers blocks, one after another, decides which bodies are patches.
 */
#ifndef PACK_SHARE_H
#define PACK_SHARE_H

#include "body.h"
#include "directory.h"

/* A piece that is not a repetition. */
struct origin {
	uint64_t key[2];                          /* of its text, without id and stream */
	uint64_t near, far;                       /* of its kernel's name and grid, and of the name */
	struct origin *newer, *older;             /* by the last use */
	struct origin *by_key, *by_near, *by_far; /* the next one of its slot */
	uint64_t weight;                          /* body_most() of its text */
	bool encoded, good;                       /* its piece is; it may be a body */
	uint32_t body;                            /* its number; NONE: it is none */
	struct origin *root;                      /* the body that it is a patch of; NULL: it is whole */
	unsigned holders;                         /* uses of the struct: itself, patches of it */
	struct buf string;                        /* while it is whole */
	struct census census;
	struct origin *next_gone;
};

#define ORIGIN_SLOTS 4096u

struct share {
	struct origin *key[ORIGIN_SLOTS], *near[ORIGIN_SLOTS], *far[ORIGIN_SLOTS];
	struct origin *newest, *oldest;
	uint64_t weight, seed;
	uint32_t n_bodies; /* in the blocks gathered so far */
};

/* Text of a piece that identifies it. */
struct share_text {
	const struct buf *header; /* without id and stream */
	const uint8_t *text;      /* after the header */
	size_t n;
	uint64_t rest; /* bytes of the kernel without the header; 0: it continues */
	uint64_t first_block;
	bool begins, lines;
};

struct share *share_new(void);
void share_free(struct share *s);
void share_key(const struct share *s, const struct share_text *t, uint64_t key[2]);
/* The origin with this key, which counts as used now; NULL: none. */
struct origin *share_find(struct share *s, const uint64_t key[2]);
/*
 * A new origin. Origins used least recently, if there are too many, go to *gone, linked by next_gone.
 * *related: an origin of the same kernel, or NULL.
 */
struct origin *share_add(struct share *s, const uint64_t key[2], uint64_t near, uint64_t far, uint64_t weight,
	struct origin **related, struct origin **gone);
/*
 * Gives the origin the next number; string is taken. true: as a patch of related or its root, which *p is set
 * to.
 */
bool share_body(struct share *s, struct origin *o, struct origin *related, struct buf *string,
	struct patch *p, bool whole);
/* Ends one use of the struct. */
void share_release(struct origin *o);

#endif
