/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The global memory of a GPU: the heap, whose buffers programs and kernels allocate, and static variables. The
 * addresses at which state spaces begin. The functions are in memory.c.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "lang/lang.h"

#define STATIC_BASE   0x100u
#define STATIC_LIMIT  0x1f880000u
#define LOCAL_BASE    0x1f880000u
#define SHARED_BASE   0xbf880000u
#define PARAM_BASE    0x1f870000u /* generic addresses of kernel parameters, after all static variables */
#define HEAP_BASE     0xc0000000u
#define SHARED_WINDOW 0x18000u
#define PROGRAM_BASE  0xf0000000u /* address of the first function */
#define LOCAL_MAX     (512u << 10)

struct buffer {
	const char *name;
	uint64_t addr, size;
	bool live;
	uint32_t allocated_by; /* 1 + index of the call by which a kernel allocated it; 0: not allocated by a kernel */
	bool host;             /* managed or pinned memory, which the host may write */
	/* digest.c: time at which `sum`, the sum of the hashes of its chunks, was computed; 0: never */
	uint32_t summed;
	uint64_t sum[2];
};

/* A call by which a kernel allocates buffers. */
struct allocating_call {
	struct place at;
	char *text; /* kernel and instruction, for messages */
};

/* Name of the buffer with the conditions of graphs. */
#define MEMORY_CONDITIONS "graph conditions"

struct memory {
	uint8_t *heap, *statics;
	uint64_t heap_bytes; /* allocated */
	uint64_t heap_cap;   /* reserved */
	uint64_t static_bytes;
	struct buffer *buffer; /* buffers in ascending order of addresses */
	uint32_t n_buffers, cap_buffers;
	struct allocating_call *allocating;
	uint32_t n_allocating, cap_allocating;
	uint8_t *unset; /* marks of uninitialised bytes of the heap (unset.h); NULL: all are initialised */
	uint16_t *unset_count; /* for each page of the heap, the number of its uninitialised bytes (unset.h) */
	bool has_threads;      /* a launch so far was executed by several threads; it may have paused */
	bool may_have_unset;   /* some bytes of the heap may be uninitialised */
	struct spare_marks *spare_marks;
	struct digests *digests; /* hashes of parts of the memory (digest.h); NULL: not used */
	pthread_mutex_t lock;
};

/* Makes an empty memory with space for heap_cap bytes of buffers. */
void memory_open(struct memory *m, uint64_t heap_cap);
void memory_free(struct memory *m);
/* Allocates a buffer as cudaMalloc does. Returns its address, or 0 if memory is exhausted. */
uint64_t memory_allocate_buffer(struct memory *m, const char *name, uint64_t bytes);

/*
 * Notes that a kernel allocated the newest buffer by the call at a place. text: kernel and instruction, for messages.
 */
void memory_note_allocating_call(struct memory *m, struct place at, const char *text);
/* Marks heap bytes as uninitialised, so that a read by a kernel is reported. */
void memory_mark_unset(struct memory *m, uint64_t addr, uint64_t bytes);
/* Marks heap bytes as initialised. */
void memory_mark_set(struct memory *m, uint64_t addr, uint64_t bytes);
/* Marks the whole heap as initialised: stores of a launch without checks are unknown. */
void memory_mark_all_set(struct memory *m);
/*
 * Reports allocations of kernels that were not freed, once per place: as errors if `finding` is set, else as warnings.
 * Returns the number of allocations.
 */
uint64_t memory_report_leaks(const struct memory *m, bool finding);
/* Creates the static variables of the program with their initial values. */
void memory_add_statics(struct memory *m, const struct program *p);
/* Returns the host address of n bytes of global or static memory, or NULL if they are not all in one region. */
static inline uint8_t *memory_host_address(const struct memory *m, uint64_t addr, uint64_t n)
{
	if (addr >= HEAP_BASE)
		return addr - HEAP_BASE <= m->heap_bytes && m->heap_bytes - (addr - HEAP_BASE) >= n
			       ? m->heap + (addr - HEAP_BASE)
			       : NULL;
	return addr <= m->static_bytes && m->static_bytes - addr >= n && addr >= STATIC_BASE
		       ? m->statics + addr
		       : NULL;
}
/* Returns the buffer or variable that contains addr, or the nearest one below it, or NULL if there is none. */
const struct buffer *memory_nearest_buffer(const struct memory *m, uint64_t addr);

#endif
