/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer's bodies: pieces that later pieces may repeat. Internal to libcommon.
 *
 * The thread that cuts text into pieces finds repetitions and decides from the text alone which bodies are kept. The
 * thread that gathers blocks in order decides which bodies are patches.
 */
#ifndef PACK_SHARE_H
#define PACK_SHARE_H

#include "body.h"
#include "directory.h"

/* A piece that does not repeat another one. */
struct origin {
	uint64_t key[2];      /* hash of the piece's text without id and stream, or of its records */
	bool has_key;         /* false if the first piece of records of its kernel was not hashed */
	uint64_t near_hash;   /* hash of the kernel's name and grid */
	uint64_t far_hash;    /* hash of the name alone */
	struct origin *newer; /* origin that was used later */
	struct origin *older; /* origin that was used earlier */
	struct origin *by_key, *by_near, *by_far; /* next origin in the slot of each table */
	uint64_t weight;                          /* body_size_max() of the body's text */
	bool encoded;                             /* true if the piece is encoded */
	bool may_be_body;                         /* true if the piece may be a body */
	uint32_t body;                            /* number of its body; NONE: it is not a body */
	struct origin *root;                      /* origin of which this one is a patch; NULL: it is whole */
	unsigned holders;  /* number of references from the origin itself and from its patches */
	struct buf string; /* bytes of a complete body */
	struct census census;
	uint64_t body_hash[2];    /* hash of the body's bytes, if it may be compared with a twin */
	struct origin *next_gone; /* next origin of a list that is to be freed */
};

/*
 * The C library takes tables of this size from the system, which clears only the pages that are used: 98 thousand host
 * instructions a writer less than with 4096 slots.
 */
#define ORIGIN_SLOTS 8192u

struct share {
	struct origin *key[ORIGIN_SLOTS], *near[ORIGIN_SLOTS], *far[ORIGIN_SLOTS];
	struct origin *newest; /* origin that was used last */
	struct origin *oldest; /* origin that was used first */
	uint64_t weight;       /* sum of all weights */
	uint64_t seed;         /* seed of the hashes */
	uint32_t n_bodies;     /* number of bodies in the blocks that were gathered */
};

/* Text that identifies a piece. */
struct share_text {
	const struct buf *header; /* header without id and stream */
	const uint8_t *text;      /* text after the header */
	size_t n;                 /* number of bytes of text */
	uint64_t text_bytes; /* number of bytes of the kernel without its header; 0 if the kernel continues */
	uint64_t first_block;
	bool begins, lines;
};

struct share *share_new(void);
void share_free(struct share *s);
void share_key(const struct share *s, const struct share_text *t, uint64_t key[2]);
/* Returns the origin with this key and marks it as most recently used; NULL if there is none. */
struct origin *share_find(struct share *s, const uint64_t key[2]);
/* Returns the newest origin of a kernel with the same name and grid, or NULL. */
struct origin *share_find_near(const struct share *s, uint64_t near);
/* Returns the origin without a key among `newest` and the origins of the same kernel just before it, or NULL. */
struct origin *share_find_twin(struct origin *newest);
/*
 * Adds an origin; key NULL: it has none. If there are too many, moves the least recently used ones to the list *gone,
 * which next_gone links. Sets *related to an origin of the same kernel, or NULL.
 */
struct origin *share_add(struct share *s, const uint64_t key[2], uint64_t near, uint64_t far, uint64_t weight,
	struct origin **related, struct origin **gone);
/*
 * Makes the origin the next body and takes over the string. Returns true and sets *p to a patch if the body is a
 * patch of related or of the root of related.
 */
bool share_make_body(struct share *s, struct origin *o, struct origin *related, struct buf *string,
	struct patch *p, bool whole);
/* Makes the origin refer to the body of its twin, which has the same bytes. */
void share_use_body(struct origin *o, struct origin *twin);
/* Releases one reference to the origin. */
void share_release(struct origin *o);

#endif
