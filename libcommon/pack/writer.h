/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a writer of packed streams. Internal to libcommon. */
#ifndef PACK_WRITER_H
#define PACK_WRITER_H

#include <xxhash.h>
#include "bits.h"
#include "diag.h"
#include "pack.h"
#include "control.h"
#include "cubin.h"
#include "job.h"
#include "records.h"

struct block_entry {
	uint64_t size;   /* size of the block */
	uint64_t kernel; /* number of the first kernel of the block */
	/* 1 + number of thread blocks of the kernel before the block; 0: the block begins the kernel. */
	uint64_t blocks_before;
	uint64_t bodies; /* number of bodies that the block defines */
};

struct pack_writer {
	FILE *out;
	FILE *spool; /* file of the blocks while the list is unknown; NULL: the list was written first */
	struct queue *queue;
	struct job *job;            /* block that is being filled */
	uint64_t text;              /* bytes of text in the block */
	uint64_t bytes_left;        /* bytes left for columns */
	struct buf list;            /* metadata of the list, until the first block */
	struct buf picks;           /* text of the picks; empty: there are none */
	const struct cubins *codes; /* functions whose control codes are stored; NULL: none */
	uint32_t n_coded;           /* number of instructions of the kernel's function */
	struct directory directory;
	struct buf index_directory; /* bytes of the directory in the index; empty: none, or not yet known */
	bool has_several_blocks; /* true if the stream has several blocks: kernels are then unknown at the first */
	bool started;            /* true after magic and version were written */
	bool allows_bodies;      /* true if the version allows pieces to refer to bodies */
	bool has_relative_bodies; /* true if the version has PACK_RELATIVE */
	struct buf missing;       /* metadata of missing kernels of the list; empty: none */
	uint64_t name;            /* hash of the name of the current kernel */
	struct header_state ids;  /* id and stream of the last kernel */
	/*
	 * Whether a kernel has begun, and whether the first kernel is from PTX. In a stream of PTX, "-code" lines are
	 * numbers and the PTX dictionary is used.
	 */
	bool has_kernel, lines;
	bool allows_streams; /* true if the version has PACK_VALUED */
	bool has_values;     /* may_have_values of the first kernel; the dictionary is then that of Hopper */
	struct block_entry *entry;
	uint32_t n_entries, cap_entries;
	uint32_t kernel;
	struct buf kernel_text; /* text of the kernel that is not yet in a piece */
	size_t limit;           /* size of `kernel_text` at which the next piece is cut, in bytes */
	uint64_t bytes;         /* size of the kernel so far */
	uint64_t blocks;        /* thread blocks of the kernel so far */
	struct header_facts facts;
	bool kernel_begun;     /* true between begin and end of a kernel */
	struct parsed *filled; /* piece of a kernel that is given as records; NULL: none */
	uint64_t filled_text;  /* number of bytes of its thread blocks as text */
	struct records records;
	uint64_t code_hash; /* hash of the static code of the records */
	bool no_hash;
	uint32_t reported; /* on_text() was called for all kernels with lower numbers that needed it */
	void (*on_text)(void *ctx, uint32_t kernel);
	void *ctx;
	XXH3_state_t *hash;
};

/* write.c */
/* Writes a frame to the stream, or to the spool while the list is unknown. Returns its size. */
uint64_t write_frame(struct pack_writer *w, uint8_t type, const struct buf *b);
/* Returns the block that is being filled, after it has begun one if there is none. */
struct job *write_current_job(struct pack_writer *w);
/* Closes the block that is being filled, and writes finished blocks. wait: all blocks. */
void write_end_job(struct pack_writer *w, bool wait);

#endif
