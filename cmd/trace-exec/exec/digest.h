/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash of global memory that is kept up to date: only chunks that may have changed since the latest hash are read
 * again.
 *
 * A chunk is an aligned part of the heap or of the static variables. Its hash depends on its address, its bytes and the
 * marks of uninitialised bytes. The hash of the memory depends on all live buffers and the chunks with their bytes, and
 * on all static variables.
 *
 * Always true: a function that changes the heap or its marks calls digest_forget() or digest_forget_all(). A launch
 * with checks calls digest_note_write() for each access that writes, and digest_end_launch() at its end. Changes of
 * static variables, and of buffers that the host may write, need no call: their chunks are always read again.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stdint.h>
#include <xxhash.h>

#define DIGEST_CHUNK 4096u

/*
 * A chunk whose number equals `change_number`, or a buffer whose number equals `buffer_change_number`, has not changed
 * since its hash was computed. The number 0 means that it may have changed.
 */
struct digests {
	uint32_t change_number, buffer_change_number;
	uint32_t *chunk_number;    /* number of each chunk of the heap, as above */
	XXH128_hash_t *of_heap;    /* hash of each chunk of the heap */
	XXH128_hash_t *of_statics; /* hash of each chunk of the static memory */
	XXH3_state_t *state;
};

struct memory;

/* Begins to keep hashes of the memory. Before that, the other functions must not be called, except the next two. */
void digest_start(struct memory *m);
/* Notes that n bytes at heap address addr, or their marks, may have changed. */
void digest_forget(struct memory *m, uint64_t addr, uint64_t n);
/* Notes that all memory may have changed. */
void digest_forget_all(struct memory *m);
/*
 * Notes that a launch writes n bytes at offset `off` of the heap, n > 0. digest_end_launch() must follow. Other threads
 * may call it at the same time. d may be NULL.
 */
static inline void digest_note_write(struct digests *d, uint64_t off, uint64_t n)
{
	for (uint64_t c = off / DIGEST_CHUNK; d && c <= (off + n - 1) / DIGEST_CHUNK; c++)
		if (__atomic_load_n(&d->chunk_number[c], __ATOMIC_RELAXED))
			__atomic_store_n(&d->chunk_number[c], 0, __ATOMIC_RELAXED);
}
/* Notes the end of a launch, or a part of it. noted: it has called digest_note_write() for all its writes. */
void digest_end_launch(struct memory *m, bool noted);
void digest_free(struct memory *m);

/*
 * Returns true if the hash contains all memory that a launch can access. A launch without checks can also access freed
 * memory and gaps between buffers.
 */
bool digest_is_complete(const struct memory *m, bool check);
/* Returns the number of bytes that digest_update() reads, or a number above `most` if it is above. */
uint64_t digest_cost(const struct memory *m, uint64_t most);

/* Called for a chunk whose hash has changed. addr: its address, of the heap or of static variables. */
typedef void digest_changed_fn(void *ctx, uint64_t addr, XXH128_hash_t hash);
/* Returns the hash of the memory. changed: called for each chunk whose hash differs from the latest one; NULL: none. */
XXH128_hash_t digest_update(struct memory *m, digest_changed_fn *changed, void *ctx);

/* Returns the bytes of a chunk, or its marks of uninitialised bytes (NULL: there are none). */
uint8_t *digest_chunk_bytes(const struct memory *m, uint64_t addr);
const uint8_t *digest_chunk_marks(const struct memory *m, uint64_t addr);
/* Sets the marks of uninitialised bytes of a chunk; marks: NULL: all are initialised. */
void digest_put_marks(struct memory *m, uint64_t addr, const uint8_t *marks);
/* Sets the hash of a chunk to that of its new contents, which the caller has stored. */
void digest_set_chunk(struct memory *m, uint64_t addr, XXH128_hash_t hash);
/* Returns true if the host may write to the chunk. */
bool digest_is_host_chunk(const struct memory *m, uint64_t addr);

#endif
