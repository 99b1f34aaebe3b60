/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing with several threads: pieces of text, the blocks made from them, and a queue of both. Internal to
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
#define PIECE_SLACK 4096u /* bytes by which the columns of a piece may exceed its text */

/* Encoded form of a piece. */
struct encoded {
	struct census census;
	struct buf head, stored, table,
		body; /* body: the piece as a string; empty: the piece is not a body */
	struct buf col[N_COLUMNS];
};

/* Piece of a kernel's text. */
struct piece {
	struct buf text;
	struct parsed *records; /* thread blocks that are not in the text; NULL: all are in the text */
	uint32_t kernel;
	bool begins, ends; /* the piece begins, or ends, its kernel */
	bool part,
		kept; /* part: some of the piece became records; kept: some non-blank text is stored as text */
	bool no_hash;  /* the kernel has no hash because some of it was given as records */
	bool lines;    /* with begins: the header's "-code" lines may be stored as numbers (lines.h) */
	bool relative; /* constants are relative to areas */
	uint64_t bytes, first_block; /* bytes: with ends, the text of the whole kernel */
	unsigned char hash[16];
	struct header_facts facts;
	size_t header;        /* bytes of the header in the text */
	uint64_t size;        /* bytes of the piece as text */
	uint64_t digest[2];   /* hash of the records */
	const uint8_t *codes; /* with begins: machine code of its function, owned by the writer, or NULL */
	uint32_t n_codes;     /* number of instructions with control codes */
	struct origin *same;  /* earlier piece that it repeats; NULL: none */
	struct origin *
		origin; /* entry that later pieces refer to in order to repeat this piece; NULL if it cannot be repeated */
	struct origin *related;  /* piece of which it may become a patch, or NULL */
	struct header_state ids; /* id and stream, if begins is true */
	struct buf stripped;     /* with begins and origin: the header without id and stream */
	struct encoded *e;       /* NULL: the piece repeats another */
};

/* A block while it is packed: its pieces, then its bytes. */
struct job {
	struct job *next;
	struct piece **piece;
	uint32_t n, cap, started, encoded;
	bool closed, gathering, gathered, finished;
	bool words;                /* metadata are compressed with the dictionary of PTX */
	struct buf col[N_COLUMNS]; /* columns gathered from the pieces, then compressed to frames in parallel */
	struct frames frames;
	unsigned frames_begun, frames_done;
	struct buf list;   /* metadata of the list, in the first block */
	uint32_t n_bodies; /* number of bodies that the block defines */
	bool shared;       /* some piece refers to a body */
	bool relative;     /* numbers of bodies are relative to the prediction */
	bool plain; /* the stream has only this block, so that older readers can read it unless it is shared */
	struct origin *gone; /* bodies to which no later block refers */
	struct buf out;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct crew *crew; /* threads that execute jobs, as the caller does, too */
	bool stop;
	int level;
	struct isa *isa;
	struct share *share;
	struct job *first, *last;
	uint32_t waiting, most; /* waiting: number of pieces that are not encoded; most: its limit */
	struct parsed *spare[SPARE_MAX];
	struct buf text[SPARE_MAX];
	uint32_t n_spare, n_text;
};

struct queue *queue_new(unsigned threads, int level);
void queue_free(struct queue *q);
void *queue_worker(void *queue);
struct parsed *queue_take_parsed(struct queue *q); /* returns an empty struct for the records of a piece */
void queue_return_parsed(struct queue *q, struct parsed *p); /* gives the struct back to the queue */
struct buf queue_take_text(struct queue *q); /* returns an empty buffer, with reused memory if possible */
void queue_return_text(struct queue *q, struct buf *b); /* gives the buffer back to the queue */
/* Appends a job. The caller adds pieces to it and then closes it. */
struct job *queue_append_job(struct queue *q);
void queue_add_piece(struct queue *q, struct job *j, struct piece *c);
void queue_close(struct queue *q, struct job *j);
/* Waits until the piece of the origin is encoded. Reports whether pieces may repeat it. */
bool queue_may_repeat(struct queue *q, const struct origin *o);
/*
 * Returns the oldest job if it is finished, else NULL. With wait it waits for the job, and returns NULL only if no
 * job is closed.
 */
struct job *queue_remove_oldest(struct queue *q, bool wait);
void job_free(struct queue *q, struct job *j);

#endif
