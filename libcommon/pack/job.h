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
#define PIECE_SLACK 4096u /* largest number of bytes by which the columns of a piece may exceed its text */

/* Encoded form of a piece. */
struct encoded {
	struct census census;
	struct buf head;
	struct buf stored;
	struct buf table;
	struct buf body;           /* the piece as a string, or empty */
	struct buf col[N_COLUMNS]; /* columns of the piece */
	bool has_streams;          /* true if the part has STYLE_STREAMS */
};

/* Piece of a kernel's text. */
struct piece {
	struct buf text;        /* text of the piece */
	struct parsed *records; /* thread blocks other than those in the text; NULL: all are in the text */
	uint32_t kernel;
	bool begins;         /* true if the piece begins its kernel */
	bool ends;           /* true if the piece ends its kernel */
	bool has_records;    /* true if text became records */
	bool is_stored_text; /* true if text is stored as text */
	bool no_hash;        /* true if the kernel has no hash, because a part of it was given as records */
	bool lines;      /* whether the "-code" lines of the header may be numbers (lines.h); needs begins */
	bool relative;   /* true if constants are relative to areas */
	bool has_values; /* true if register values are groups */
	bool allows_streams; /* true if registers of static instructions may be streams */
	uint64_t bytes;      /* size of the kernel's text if ends is set */
	uint64_t first_block;
	unsigned char hash[16];
	struct header_facts facts;
	size_t header;           /* size of the header in the text in bytes */
	uint64_t size;           /* size of the piece as text in bytes */
	uint64_t code_hash;      /* hash of the static code of the records */
	const uint8_t *codes;    /* code of the kernel's function if begins is set; not owned */
	uint32_t n_codes;        /* number of instructions with control codes */
	struct origin *repeated; /* earlier piece that this piece repeats; NULL: none */
	/* Entry to which a later piece that repeats this one refers; NULL: the piece cannot be repeated. */
	struct origin *origin;
	struct origin *related;  /* piece of which this piece may become a patch, or NULL */
	struct origin *twin;     /* earlier piece without a key, which this piece may repeat, or NULL */
	struct header_state ids; /* id and stream of the kernel if begins is set */
	struct buf stripped;     /* header without id and stream, if begins and origin are set */
	struct encoded *encoded; /* encoded form; NULL: the piece repeats another */
};

/* A block that is being packed: its pieces, then its bytes. */
struct job {
	struct job *next;
	struct piece **piece;
	uint32_t n; /* number of pieces */
	uint32_t cap;
	uint32_t started; /* number of pieces that were started */
	uint32_t encoded; /* number of pieces that were encoded */
	bool closed, gathering, gathered, finished;
	const struct primer *dict; /* dictionary of metadata */
	struct buf col[N_COLUMNS]; /* columns of all pieces, which are compressed to frames in parallel */
	struct frames frames;
	unsigned frames_begun; /* number of frames that were begun */
	unsigned frames_done;  /* number of frames that are done */
	struct buf list;       /* metadata of the list, for the first block */
	uint32_t n_bodies;     /* number of bodies that the block defines */
	bool shared;           /* true if a piece refers to a body */
	bool relative;         /* true if numbers of bodies are relative to the prediction */
	bool plain;            /* true if the stream has only this block, so that older readers read it */
	struct origin *gone_origins; /* bodies to which no later block refers */
	struct buf out;              /* bytes of the block */
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t change; /* signalled after each change of a job */
	struct crew *crew;     /* worker threads; the calling thread executes jobs too */
	bool stop;
	int level; /* level of the writer, PACK_FAST to PACK_BEST */
	struct isa *isa;
	struct share *share;             /* bodies of the stream */
	struct job *oldest, *newest;     /* oldest and newest job */
	uint32_t waiting;                /* number of pieces that are not yet encoded */
	uint32_t max_waiting;            /* limit of `waiting` */
	struct parsed *spare[SPARE_MAX]; /* empty structs for reuse */
	struct buf text[SPARE_MAX];      /* empty buffers for reuse */
	uint32_t n_spare, n_text;
};

struct queue *queue_new(unsigned threads, int level);
void queue_free(struct queue *q);
struct parsed *queue_take_parsed(struct queue *q); /* returns an empty struct for the records of a piece */
void queue_return_parsed(struct queue *q, struct parsed *p); /* returns the struct to the queue */
struct buf queue_take_text(struct queue *q); /* returns an empty buffer, with reused memory if possible */
void queue_return_text(struct queue *q, struct buf *b); /* returns the buffer to the queue */
/* Appends a job. The caller adds pieces to it and then closes it. */
struct job *queue_append_job(struct queue *q);
void queue_add_piece(struct queue *q, struct job *j, struct piece *c);
void queue_close(struct queue *q, struct job *j);
/* Waits until the piece of the origin is encoded. Returns true if pieces may repeat it. */
bool queue_may_repeat(struct queue *q, const struct origin *o);
/*
 * Returns the oldest job if it is finished, else NULL. If wait is set, waits for the job and returns NULL only if no
 * job is closed.
 */
struct job *queue_remove_oldest(struct queue *q, bool wait);
void job_free(struct queue *q, struct job *j);

#endif
