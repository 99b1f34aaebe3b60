/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing side by side: pieces of text, the blocks that they make, and a queue of both. Internal to
 * libcommon.
 */
#ifndef PACK_JOB_H
#define PACK_JOB_H

#include <pthread.h>
#include "directory.h"
#include "share.h"
#include "stream.h"

#define THREADS_MAX 64u
#define SPARE_MAX   16u
#define PIECE_SLACK 4096u /* bytes that the columns of a piece may have more than its text */

/* A piece once it is encoded. */
struct encoded {
	struct census census;
	struct buf head, stored, table, body; /* body: its string; empty: it is none */
	struct buf col[N_COLUMNS];
};

/* A run of a kernel's text. */
struct piece {
	struct buf text;
	struct parsed *records; /* its thread blocks, which the text has not; NULL: it has */
	uint32_t kernel;
	bool begins, ends;           /* of a kernel */
	bool part, kept;             /* some of it is records; some is text that is not blank */
	bool no_hash;                /* of a kernel of which not all is text */
	bool lines;                  /* begins: code lines may be numbers */
	uint64_t bytes, first_block; /* ends: text of the whole kernel */
	unsigned char hash[16];
	struct header_facts facts;
	size_t header;          /* bytes of text that are header */
	const uint8_t *codes;   /* begins: machine code of its function, or NULL; who makes pieces keeps it */
	uint32_t n_codes;       /* instructions */
	struct origin *same;    /* the earlier piece that it repeats; NULL: none */
	struct origin *origin;  /* as which later pieces may repeat it; NULL: they may not */
	struct origin *related; /* a piece that it may be a patch of, or NULL */
	struct header_state ids; /* begins: id and stream */
	struct buf stripped;     /* begins: the header without them; with origin */
	struct encoded *e;       /* NULL: it repeats another */
};

/* A block: its pieces, then its bytes. */
struct job {
	struct job *next;
	struct piece **piece;
	uint32_t n, cap, started, encoded;
	bool closed, gathering, gathered, finished;
	bool words;                /* metadata begin from the dictionary of PTX */
	struct buf col[N_COLUMNS]; /* gathered from the pieces, then compressed to frames side by side */
	struct frames frames;
	unsigned frames_begun, frames_done;
	struct buf list;     /* metadata of the list, in the first */
	uint32_t n_bodies;   /* bodies that it defines */
	bool shared;         /* some piece refers to a body */
	bool plain;          /* it is the only block, and older readers can read it unless it is shared */
	struct origin *gone; /* bodies that later blocks do not refer to */
	struct buf out;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t change;
	pthread_t thread[THREADS_MAX];
	unsigned n_threads;
	bool stop;
	int level;
	struct isa *isa;
	struct share *share;
	struct job *first, *last;
	uint32_t waiting, most; /* pieces not encoded */
	struct parsed *spare[SPARE_MAX];
	struct buf text[SPARE_MAX];
	uint32_t n_spare, n_text;
};

struct queue *queue_new(unsigned threads, int level);
void queue_free(struct queue *q);
void *queue_worker(void *queue);
struct parsed *queue_parsed(struct queue *q);         /* empty, for the records of a piece */
struct buf queue_text(struct queue *q);               /* an empty buffer that text was in before */
void queue_keep_text(struct queue *q, struct buf *b); /* gives one back */
/* A new job after all others; give it pieces, then close it. */
struct job *queue_job(struct queue *q);
void queue_piece(struct queue *q, struct job *j, struct piece *c);
void queue_close(struct queue *q, struct job *j);
/* Waits until the piece of the origin is encoded. Returns whether the origin may be repeated. */
bool queue_repeats(struct queue *q, const struct origin *o);
/* The oldest job if it is finished; wait: when it is, NULL: there is none that is closed. */
struct job *queue_take(struct queue *q, bool wait);
void job_free(struct queue *q, struct job *j);

#endif
