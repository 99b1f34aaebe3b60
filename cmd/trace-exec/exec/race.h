/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of accesses to global memory by thread blocks: which block has written, and which has read, each byte.
 *
 * A mark is a key: the block's number + 1 + base (30 bits), the instruction (32 bits), and OTHERS if other blocks made
 * the access, too. Marks are maxima over blocks; of one block, the first access to a byte counts.
 */
#ifndef RACE_H
#define RACE_H

#include "exec/check.h"

#define RACE_BLOCK_BITS   30
#define RACE_BLOCK_SHIFT  33 /* first bit of the block's number in a mark */
#define RACE_LINE_BYTES   (4 * MARKED_LINE)
#define RACE_REGION_LINES 128u /* lines whose marks one lock protects */
#define RACE_LOCKS        64u
enum { OTHERS = 1 };

struct race {
	/*
	 * Marks of whole lines: those of writers first, then those of readers. NULL: the launch has only one block.
	 * Marks below `key_base` are those of earlier launches and count as 0. A line whose bytes differ, or some of
	 * whose bytes have no mark, has one of two other forms (race_lines.c). Thereby marks take memory only for lines
	 * that are accessed: mergeVS of HeCBench takes 9.9 s instead of 14.6 s until its 16th measurement.
	 */
	uint64_t *line_marks;
	union line_array *array;       /* marks of lines in the other two forms, in the order of allocation */
	atomic_uint_fast64_t n_arrays; /* number of elements of `array` in use */
	uint64_t buffer_words;         /* number of words of buffers */
	uint64_t words;                /* number of words of buffers, then of static variables */
	uint64_t base;                 /* blocks of the earlier launches that used the marks */
	uint64_t key_base;  /* number below all keys of this launch and above those of earlier launches */
	uint64_t split;     /* mark of the split line whose array has the number 0 */
	uint64_t all_lines; /* number of marks of one kind in line_marks */
	uint64_t blocks;    /* blocks of this launch */
	atomic_uint_fast64_t lowest;      /* lowest byte with a race; UINT64_MAX: none */
	pthread_mutex_t lock[RACE_LOCKS]; /* each lock protects the marks of some regions */
};

static inline uint64_t race_block_of_mark(uint64_t key) { return key >> RACE_BLOCK_SHIFT; }
static inline uint32_t race_inst_of_mark(uint64_t key) { return (uint32_t)(key >> 1); }

/* Positions and lengths are in bytes; position 0 is the first word of the memory. */

/* Marks an access to a range of bytes. */
void race_mark_range(struct grid *g, uint64_t key, uint64_t from, uint64_t end, bool write);
/* Marks an access to n aligned pieces that start at from[]. Each has 1, 2, 4, 8 or 16 bytes. */
void race_mark_pieces(
	struct grid *g, uint64_t key, const uint64_t *from, unsigned n, uint64_t bytes, bool write);
/* Marks an access to the bytes of a mask of one line. */
void race_mark_line(struct grid *g, uint64_t key, uint64_t line, uint32_t mask, bool write);
/* Returns the mask of n bytes of a line from byte `from` on; n > 0. */
static inline uint32_t race_mask_of_bytes(uint64_t from, uint64_t n)
{
	return UINT32_MAX >> (RACE_LINE_BYTES - n) << from;
}
/* Returns the mark of the writers, or of the readers, of a byte. */
uint64_t race_mark_of_byte(const struct race *r, uint64_t byte, bool write);

#endif
