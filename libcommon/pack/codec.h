/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files that read packed streams share. Internal to libcommon.
 *
 * read.c reads the stream, its index and list, forward.c a stream from a pipe in order, block.c one block. out.c
 * writes the text and descriptions of kernels and verifies. bodies.c has the pieces to which later pieces refer.
 * trace.c reads kernels as struct trace; static_cache.c has the handles of their static instructions.
 */
#ifndef PACK_IN_H
#define PACK_IN_H

#include <pthread.h>
#include "pack.h"
#include "stream.h"
#include "table.h"

struct pack_entry {
	uint64_t offset;      /* offset in the stream */
	uint64_t size;        /* size in the stream */
	uint64_t first_block; /* first thread block */
	uint32_t kernel;
	bool begins;         /* true if the first piece begins the kernel */
	uint32_t first_body; /* number of the block's first body */
	uint32_t bodies;     /* number of bodies of the block */
	size_t body;         /* offset of the block's body in the frame, for a stream from a pipe */
};

struct read_piece {
	unsigned flags;          /* set of PIECE_ flags */
	uint32_t kernel;         /* number of the kernel */
	struct buf header;       /* PIECE_BEGINS: text of the header */
	struct part *part;       /* decoded part; NULL for a PIECE_SHARED in a block */
	const struct buf *col;   /* columns of the part and of stored text */
	uint32_t body;           /* PIECE_SHARED: number of the body */
	struct header_state ids; /* PIECE_SHARED: id and stream of the kernel */
	uint64_t stored;         /* offset of its text in the column COL_STORED */
	uint64_t n_stored;       /* size of its text */
	uint64_t codes;          /* PIECE_CODES: offset in the block's column of control codes */
	uint32_t n_codes;        /* number of instructions with control codes */
	uint64_t bytes;          /* PIECE_ENDS: number of bytes of the kernel's text */
	const uint8_t *hash;     /* PIECE_HASH: hash of the kernel's text */
};

struct pack_block {
	uint32_t number;
	unsigned users;            /* number of users of the block */
	struct buf col[N_COLUMNS]; /* unpacked columns */
	struct read_piece *piece;
	uint32_t n_pieces;
	uint32_t next_body; /* number of the first body of the next block */
	const uint8_t *list_name, *list, *missing;
	size_t list_name_len, list_len, missing_len;
};

struct pack {
	const char *name;
	int fd;               /* descriptor of the stream's file; -1: the stream is in memory */
	const uint8_t *bytes; /* bytes of the stream if it is in memory */
	uint64_t size;        /* size of the stream in bytes */
	struct pack_entry *entry;
	uint32_t n_entries;
	uint8_t features;            /* flags of the version, PACK_PICKED to PACK_VALUED */
	char *picks;                 /* text of trace-picks(5); NULL: none, or not yet read from a pipe */
	struct buf packed;           /* frame of the directory; empty: none, or not yet read from a pipe */
	uint64_t unpacked;           /* size of the unpacked directory in bytes */
	struct directory *directory; /* unpacked directory; NULL before its first use */
	char *list_name;             /* name of the list file; NULL: there is none */
	struct buf list;             /* text of the kernel list */
	char **kernel;               /* names of the kernels */
	uint32_t n_kernels, cap_kernels;
	struct table names; /* numbers of the kernels by name */
	char **missing;     /* names of kernels in the list that the stream lacks */
	uint32_t n_missing, cap_missing;
	struct table missing_names;
	struct pack_block *cache; /* most recently used block */
	pthread_mutex_t lock;     /* lock of the members below, the cache, users and walks */

	struct bodies *bodies;        /* bodies read so far; NULL: none */
	struct static_cache *statics; /* cache of static instructions */

	/* Stream from a pipe (forward.c), whose blocks become known as they are read. */
	struct input *input;
	struct buf *frame; /* frame of each block entry; empty: the frame was dropped */
	uint32_t cap_entries;
	uint32_t cap_frames;
	uint32_t dropped;     /* number of dropped frames */
	uint32_t next_kernel; /* number of the next block's first kernel */
	uint32_t next_body;   /* number of the next block's first body */
	bool complete;        /* true if the end was read */
	bool keep_all;        /* true if all frames are kept */
	struct walk **walk;   /* unfinished walks over blocks */
	uint32_t n_walks, cap_walks;
};

#define PACK_FIRST 8u /* size of magic and version in bytes */
int pack_check_magic(struct pack *p, const uint8_t m[PACK_FIRST], struct fault *f);
/* Reads the end of the index, after its entries. Returns false if it is damaged. */
bool pack_index_end(struct pack *p, struct cur *in);
/* Initialises p->lock. The lock is recursive, so that the pack can be closed after a trap (diag.h) left it taken. */
void pack_lock_init(struct pack *p);
int pack_read_list(struct pack *p, struct fault *f);

void static_cache_free(struct static_cache *m);

/* Reads the next entry of a stream from a pipe. Returns 1, 0 at the end, or -1. The caller must hold the lock. */
int forward_read_entry(struct pack *p, struct fault *f);
int forward_finish(struct pack *p, struct fault *f); /* checks that the stream ends */
uint8_t *forward_body(struct pack *p, uint32_t number, size_t *n, struct fault *f);

int pack_bad(const struct pack *p, uint64_t at, struct fault *f, const char *id, const char *what);
/* Computes the number of bytes and the hash of the kernel's text. Returns 0, or -1 and sets *f. */
int pack_sum_text(struct pack *p, uint32_t kernel, uint64_t *bytes, unsigned char hash[16], struct fault *f);
/*
 * Returns the body of the frame of the given type at offset `at`, after checking its sum. Sets *size to the size of
 * the frame in bytes. Returns NULL and sets *f on failure.
 */
uint8_t *pack_frame(
	const struct pack *p, uint64_t at, uint8_t type, size_t *n, uint64_t *size, struct fault *f);

struct pack_block *block_get(struct pack *p, uint32_t number, struct fault *f);
/*
 * Returns the first block with only its kernel list decoded. For a stream that is read in order, returns the whole
 * block.
 */
struct pack_block *block_get_list(struct pack *p, struct fault *f);
uint64_t block_offset(struct pack *p, uint32_t number); /* returns the offset of the block in the stream */
void block_put(struct pack *p, struct pack_block *b);
void block_free(struct pack_block *b);
/* Reads only the bodies of the block. Returns false and sets *f on failure. The caller must hold the lock. */
bool block_register(struct pack *p, uint32_t number, struct fault *f);

/* Iteration over the pieces of a kernel. */
struct walk {
	struct pack *pack; /* stream of the kernel */
	uint32_t kernel, next_block, next_piece;
	struct pack_block *block; /* block of the current piece */
	bool ended;               /* true after the last piece */
	struct read_piece
		own_piece;   /* current piece if it is PIECE_SHARED; shown is then its body, else NULL */
	struct shown *shown; /* body of the current piece, or NULL */
};
void forward_enter(struct pack *p, struct walk *w); /* the caller must hold the lock */
void forward_leave(struct pack *p, const struct walk *w);
void walk_start(struct walk *w, struct pack *p, uint32_t kernel, uint64_t first_block);
/* Sets *c to the next piece and returns 1. Returns 0 after the last piece of the kernel, or -1. */
int walk_next(struct walk *w, struct read_piece **c, struct fault *f);
void walk_end(struct walk *w);
/* Sets `to` to the control codes of the kernel that begins with piece c. Returns false if the kernel has none. */
bool pack_piece_codes(const struct pack_block *b, const struct read_piece *c, struct cubins *to);

/* Writes the whole text of a piece. Returns 0 or -1. */
int pack_piece_text(struct walk *w, const struct read_piece *c,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f);
uint32_t pack_first_entry(const struct pack *p, uint32_t kernel, uint64_t first_block);

#endif
