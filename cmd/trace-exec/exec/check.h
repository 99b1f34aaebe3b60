/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of memory accesses and barriers.
 *
 * Accesses outside of all memory always end the launch. All other checks are made only when checks are on.
 */
#ifndef CHECK_H
#define CHECK_H

#include "exec/exec.h"

struct access_range; /* lanes.h */
struct unset_read;   /* undefined.h */

/* Fails the launch because the lane's access to addr in `space` is out of bounds. */
void checker_report_outside(struct warp *w, const struct op *o, uint32_t lane, enum state_space space,
	uint64_t addr, uint64_t bytes);
/*
 * The two functions check an access of the lanes of m before it is made. Each lane accesses `bytes` bytes at
 * address w->addr and host address `at`. They return false if the launch has failed.
 */
bool check_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at);
bool check_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at);
/*
 * Checks the bytes that a lane of a bulk copy accesses, at host address `at` in `space`. Returns false if the
 * launch has failed.
 */
bool check_lane_span(struct warp *w, const struct op *o, enum state_space space, unsigned lane,
	uint64_t bytes, uint8_t *at, bool write);
/* Returns true if the op is atomic. Accesses of atomic ops do not race. */
static inline bool is_atomic_access(const struct op *o)
{
	return o->stmt->opcode == I_atom || o->stmt->opcode == I_red ||
	       (o->stmt->opcode == I_cp && stmt_has(o->stmt, M_REDUCE));
}
/* Returns true if the access orders other accesses, as volatile ones do. */
static inline bool is_ordered_access(const struct op *o)
{
	return stmt_has(o->stmt, M_VOLATILE) || stmt_has(o->stmt, M_RELAXED) ||
	       stmt_has(o->stmt, M_ACQUIRE) || stmt_has(o->stmt, M_RELEASE);
}
/* Returns true if the result in memory depends on the bytes that were there before: all atomics except exchanges. */
static inline bool does_atomic_read(const struct op *o)
{
	return (o->stmt->opcode == I_atom || o->stmt->opcode == I_red) && !stmt_has(o->stmt, M_EXCH);
}
/*
 * Returns true if machine code accesses the aligned word that contains the object of a narrower atomic, and changes
 * only the object (machine/narrow.c).
 */
static inline bool is_word_of_narrow_atomic(const struct op *o)
{
	return o->func->machine && o->stmt->n_types && o->stmt->type[0] == T_B16;
}
/* Returns the noun for the op's access in messages. */
const char *checker_access_noun(const struct op *o);
#define POSITION_MAX 120u /* bytes of position_text() */
#define LINES_MAX    700u /* bytes of position_instruction_text() */
#define KERNEL_MAX   136u /* bytes of position_kernel_text() */
/*
 * Writes the line of a PTX instruction, or the PC of machine code, and its line in the source file of the function. If
 * the instruction was inlined from another file, this is the line of the call.
 */
void position_text(const struct op *o, char *out, size_t cap);
/*
 * Writes a comma and the source line of the instruction, and the lines of the calls by which it was inlined. Writes
 * nothing if the code does not name them. Returns the length.
 */
size_t position_lines_text(const struct op *o, char *out, size_t cap);
/*
 * Writes the source lines as position_lines_text(), then the instruction of machine code. A message about PTX begins
 * with the instruction's place in the PTX.
 */
void position_instruction_text(const struct op *o, char *out, size_t cap);
/* Writes "kernel NAME": the name in the source if it is known. Truncates a long name. */
void position_kernel_text(const struct func *kernel, char out[KERNEL_MAX]);
/* Marks bytes as initialised if they are in the heap. */
void checker_mark_heap_initialised(const struct memory *m, const uint8_t *at, uint64_t bytes);
/* Marks a byte as uninitialised if it is in the heap. */
void checker_mark_heap_uninitialised(const struct memory *m, const uint8_t *at);
/*
 * Checks an access of lanes to shared memory, which covers n spans. Each lane accesses `bytes` bytes at host
 * address `at`. Returns false if the launch has failed.
 */
bool check_shared_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, uint8_t *const *at, bool write);
/* Like check_shared_access(), for an atomic op. It reports uninitialised bytes, and never a race. */
void check_shared_atomic(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, uint8_t *const *at);
/* Checks that a warp arrives at a barrier with all live lanes. Returns false if the launch has failed. */
bool check_divergence(struct warp *w, const struct op *o, uint32_t exec);
/* Notes that the thread block has completed a barrier. */
void checker_note_barrier(struct cta *c);

/* Marks all shared memory of a starting thread block as uninitialised. */
void checker_start_cta(struct cta *c);
void checker_free_cta(struct cta *c);
/* Marks bytes of shared or global memory as written, after a write that is not a store. */
void checker_mark_written(struct cta *c, const uint8_t *at, uint64_t bytes);

/* Returns true if a host address is in the shared memory of a block of the cluster. */
bool checker_is_shared(const struct cta *c, const uint8_t *at);
/*
 * Marks a byte of shared or global memory as not written: its value is undefined. read: the read by op o that the value
 * comes from.
 */
void checker_mark_unwritten(
	const struct cta *c, const uint8_t *at, const struct op *o, const struct unset_read *read);

/* Marks bytes of shared memory as the target of a copy that is in flight (in_flight) or has completed. */
void checker_mark_in_flight(struct cta *c, const uint8_t *at, uint64_t bytes, bool in_flight);

/* ---- flight.c: copies of cp.async ---- */

/* Notes the copies of the lanes of m, of `bytes` bytes each, to host addresses of shared memory. */
void flight_begin(struct warp *w, uint32_t m, uint64_t bytes, uint8_t *const *to);
/* Closes the current group of copies of each lane of m. */
void flight_commit(struct warp *w, uint32_t m);
/* Completes all groups of the lanes except the newest `groups`. */
void flight_wait(struct warp *w, uint32_t m, uint32_t groups);
/* Discards the cp.async copies of the block's warps. */
void flight_reset(struct cta *c);
void flight_free(struct cta *c);

/* ---- bulk_flight.c: bulk and tensor copies ---- */

/* States of bytes of shared memory that bulk or tensor copies in flight write or read. */
enum { SHARED_BULK_WRITES = 4, SHARED_BULK_READS = 8 };
/* Gives bytes of shared memory a state that copies in flight cause, or takes it from them. */
void checker_mark_bulk(struct cta *c, const uint8_t *at, uint64_t bytes, uint8_t state, bool in_flight);
/* Returns the states of the bytes of the block's shared memory; NULL if there are no copies in flight. */
const uint8_t *checker_bulk_states(const struct cta *c);
/* Notes a copy that writes bytes of shared memory and completes bytes of the mbarrier. */
void bulk_flight_begin_write(struct warp *w, uint8_t *to, uint64_t bytes, const uint8_t *mbarrier);
/* Notes a store or reduction (st.async, red.async) that writes bytes and completes bytes of the mbarrier. */
void bulk_flight_begin_store(struct warp *w, uint8_t *to, uint64_t bytes, const uint8_t *mbarrier);
/* Notes a copy of a lane that reads bytes of shared memory. mbarrier: as above; NULL: a copy of a bulk group. */
void bulk_flight_begin_read(
	struct warp *w, unsigned lane, uint8_t *from, uint64_t bytes, const uint8_t *mbarrier);
/* Notes that a phase of the mbarrier is over. */
void bulk_flight_end_phase(const struct cta *c, const uint8_t *mbarrier);
/* Completes the copies of phases of the mbarrier that are over: a thread has waited successfully for one. */
void bulk_flight_pass_wait(struct cta *c, const uint8_t *mbarrier);
/* Ends the current bulk group of each lane of m. */
void bulk_flight_commit(struct warp *w, uint32_t m);
/* Completes the reads of all bulk groups of the lanes except the newest `groups`. */
void bulk_flight_wait(struct warp *w, uint32_t m, uint32_t groups);
/*
 * Reports an access to bytes at offset `off` of the block's shared memory which copies in flight write, or which they
 * read and the access writes.
 */
void bulk_flight_report(struct warp *w, const struct op *o, uint32_t lane, const struct cta *owner,
	uint32_t off, uint64_t bytes, bool write);
/* Returns true if copies of the block's cluster are in flight. */
bool bulk_flight_is_any(const struct cta *c);
/* Discards the copies of the cluster. */
void bulk_flight_reset(struct cluster *c);
void bulk_flight_free(struct cluster *c);

/* ---- marks.c: marks of races that later launches use again ---- */

#define WARP_REGION 256u /* words of memory whose marks of warps are allocated together */
#define MARKED_LINE 8u   /* words of memory that have one mark if all have the same; a power of two */

/* Marks of the parts of a line that differ (race_lines.c), as one or more elements of 16 bytes. */
union line_array {
	uint64_t mark[2];
	uint16_t inst[8];
};
#define LINE_ARRAYS_MAX INT32_MAX /* largest number of elements of all arrays */

enum marks_kind {
	MARKS_OF_LINES, /* accesses of thread blocks: two marks per line, then arrays of lines */
	MARKS_OF_WARPS /* accesses of the warps of one block: for each region of words, the place of its marks */
};
/*
 * Returns the number of words of memory for which marks are allocated. It is a multiple of MARKED_LINE and WARP_REGION.
 */
uint64_t marks_round_up(uint64_t words);
/*
 * Returns marks of a memory with this number of words. In marks of earlier launches all numbers are at most *last,
 * which is then set to the highest number in them; else the marks are zeroed, and *last is 0.
 */
void *marks_take(struct memory *m, enum marks_kind kind, uint64_t words, uint64_t *last);
/*
 * Keeps marks for later launches. last: the highest number in the marks; arrays: number of elements of arrays in use.
 */
void marks_return(
	struct memory *m, enum marks_kind kind, uint64_t words, uint64_t last, void *marks, uint64_t arrays);
void marks_free(struct memory *m);

/* ---- races on global memory between thread blocks and between warps of a block; race.c, race_warps.c ---- */

/* Discards the accesses of the warps of a starting block. */
void race_start_cta(struct cta *c);
void race_free_cta(struct cta *c);
/* Notes that the warps of the block completed a barrier or may have communicated. */
void race_start_epoch(struct cta *c);
/* Reports a race between warps of a block when the block is delivered. */
void race_report_warps(struct cta *c);
/* Bytes of global memory, counted from the first word: the byte `end` is the first one after them. */
struct race_range {
	uint64_t from, end;
};
/* Notes an access to n ranges by the warp whose number is self - 1. */
void race_note_warp(struct warp_marks *x, uint32_t inst, uint32_t self, const struct race_range *s,
	unsigned n, bool write);
/* Sets *heap to the number of words of buffers, and *words to the number of words of all memory. */
void race_count_words(const struct grid *g, uint64_t *heap, uint64_t *words);
/* Starts the search for races in a launch. */
void race_start(struct grid *g);
/* Ends the search for races. Reports a race of thread blocks if the launch is good. */
void race_report(struct grid *g, bool good);
/* Notes an access to words at n > 0 offsets, `words` words each, by the warp whose number is self - 1. */
void race_note_words(struct warp_marks *x, uint32_t inst, uint32_t self, const uint64_t *off, unsigned n,
	unsigned words, bool write);
/*
 * Notes an access of lanes to pieces of 1, 2, 4, 8 or 16 bytes at n offsets in the heap, the highest of which is
 * `highest`. They are aligned; the access is neither atomic nor ordered.
 */
void race_check_pieces(struct warp *w, const struct op *o, const uint64_t *off, unsigned n, uint64_t bytes,
	uint64_t highest, bool write);
/* Notes an access of lanes, of `bytes` bytes each, which covers n spans. */
void race_check_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, bool write);

/* ---- lanes of a store that write different values to one address; clash.c ---- */

/* Checks a store of the lanes of m before it is executed. at: host address of each lane's access. */
void clash_check_store(struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at);
/* Reports a clash of a block when the block is delivered. */
void clash_report(const struct cta *c);
/* Returns true if the lane's store leaves the bytes at host address `at` unchanged. */
bool clash_is_store_redundant(const struct warp *w, const struct op *o, uint32_t lane, const uint8_t *at);

#endif
