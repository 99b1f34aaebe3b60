/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read-ahead; see readahead.h for the invariants.
 *
 * A thread holds the mutex `reader` while it reads a block, which may take as long as a window. The queue has its own
 * mutex, so removing a block from the queue never waits for a reader. `needs_block` is read without a lock: a stale
 * value only costs a lookup or a short delay.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "arena.h"
#include "readahead.h"

#define QUEUE_BLOCKS 256u
#define QUEUE_BYTES  ((size_t)24 << 20)

/* A thread block in the queue, with the fault and the warnings that occurred while it was read. */
struct queued_block {
	struct tblock tb;
	struct fault fault; /* fault of the read; valid if result is -1 */
	int result;         /* result of trace_next() */
	uint32_t codes;     /* number of static instructions that are known after the block was read */
	struct fault *warning;
	uint32_t n_warnings, cap_warnings;
};

struct readahead {
	pthread_mutex_t reader;   /* guards the trace and the first free slot */
	pthread_mutex_t lock;     /* guards the other fields; taken after `reader` */
	_Atomic bool needs_block; /* copy of `filling` that is read without a lock */
	struct code *code;
	struct trace *trace;          /* trace that is read ahead; NULL: none */
	bool filling;                 /* true while blocks are read, until the queue is full */
	bool ended;                   /* true if the last block, or a fault, is in the queue */
	struct queued_block *reading; /* entry that receives warnings; NULL: print them */
	uint32_t first, n;
	size_t bytes;
	struct queued_block slot[QUEUE_BLOCKS];
};

struct readahead *readahead_new(struct code *code)
{
	struct readahead *a = reserve(1, sizeof(*a));

	a->code = code;
	pthread_mutex_init(&a->reader, NULL);
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void readahead_delete(struct readahead *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < QUEUE_BLOCKS; i++) {
		tblock_free(&a->slot[i].tb);
		free(a->slot[i].warning);
	}
	pthread_mutex_destroy(&a->lock);
	pthread_mutex_destroy(&a->reader);
	reserve_free(a, 1, sizeof(*a));
}

static void queue_warning(void *ctx, const struct fault *f)
{
	struct readahead *a = ctx;
	struct queued_block *w = a->reading;

	if (!w) {
		diag_warn(f->place, "%s", f->text);
		return;
	}
	grow(&w->warning, &w->cap_warnings, w->n_warnings + 1, sizeof(*w->warning));
	w->warning[w->n_warnings++] = *f;
}

void readahead_queue_warnings(struct readahead *a, struct trace_options *o)
{
	o->warn = queue_warning;
	o->ctx = a;
}

static size_t tblock_bytes(const struct tblock *tb)
{
	return (size_t)tb->n_recs * sizeof(*tb->rec) + (size_t)tb->n_words * sizeof(*tb->word);
}

/*
 * Updates `filling` and `needs_block`. Filling starts when the queue is less than half full, and continues until it is
 * full. With fewer switches between reading and simulating, more data remains in the host's caches.
 */
static void update_filling(struct readahead *a)
{
	if (!a->trace || a->ended || a->n == QUEUE_BLOCKS || a->bytes >= QUEUE_BYTES)
		a->filling = false;
	else if (a->n < QUEUE_BLOCKS / 2 && a->bytes < QUEUE_BYTES / 2)
		a->filling = true;
	atomic_store_explicit(&a->needs_block, a->filling, memory_order_relaxed);
}

/* Returns the slot for the next block; NULL: the queue needs no block. Removing blocks does not change the slot. */
static struct queued_block *slot_to_fill(struct readahead *a)
{
	struct queued_block *w = NULL;

	pthread_mutex_lock(&a->lock);
	update_filling(a);
	if (a->filling)
		w = &a->slot[(a->first + a->n) % QUEUE_BLOCKS];
	pthread_mutex_unlock(&a->lock);
	return w;
}

/* Reads a block into the queue. Returns false if the queue needs no block. The caller holds `reader`. */
static bool read_queued_block(struct readahead *a)
{
	struct queued_block *w = slot_to_fill(a);

	if (!w)
		return false;
	a->reading = w;
	w->n_warnings = 0;
	w->result = trace_next(a->trace, &w->tb, &w->fault);
	w->codes = code_count(a->code);
	a->reading = NULL;
	pthread_mutex_lock(&a->lock);
	a->ended = w->result != 1;
	a->bytes += w->result == 1 ? tblock_bytes(&w->tb) : 0;
	a->n++;
	update_filling(a);
	pthread_mutex_unlock(&a->lock);
	return true;
}

bool readahead_step(void *ctx)
{
	struct readahead *a = ctx;
	bool reads;

	if (!atomic_load_explicit(&a->needs_block, memory_order_relaxed) || pthread_mutex_trylock(&a->reader))
		return false;
	reads = read_queued_block(a);
	pthread_mutex_unlock(&a->reader);
	return reads;
}

/*
 * Moves the first block of the queue to *tb, and prints its warnings. The queue keeps the old arrays of *tb for reuse.
 */
static int dequeue_block(struct readahead *a, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	struct queued_block *w = &a->slot[a->first];
	struct tblock old = *tb;

	for (uint32_t i = 0; i < w->n_warnings; i++)
		diag_warn(w->warning[i].place, "%s", w->warning[i].text);
	*codes = w->codes;
	if (w->result != 1) {
		*f = w->fault;
		return w->result;
	}
	a->bytes -= tblock_bytes(&w->tb);
	*tb = w->tb;
	w->tb = old;
	a->first = (a->first + 1) % QUEUE_BLOCKS;
	a->n--;
	return 1;
}

/*
 * Removes a block of t from the queue, and sets *r to the result of trace_next(). Returns false if the queue has no
 * block of t.
 */
static bool remove_queued_block(struct readahead *a, const struct trace *t, struct tblock *tb,
	uint32_t *codes, struct fault *f, int *r)
{
	bool queued;

	pthread_mutex_lock(&a->lock);
	queued = a->trace == t && a->n;
	if (queued) {
		*r = dequeue_block(a, tb, codes, f);
		update_filling(a);
	}
	pthread_mutex_unlock(&a->lock);
	return queued;
}

/* Reads a block directly, while the queue is empty. The caller holds `reader`. */
static int read_unqueued_block(
	struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	int r = trace_next(t, tb, f);

	*codes = code_count(a->code);
	pthread_mutex_lock(&a->lock);
	if (!a->trace)
		a->trace = t;
	if (a->trace == t)
		a->ended = r != 1;
	update_filling(a);
	pthread_mutex_unlock(&a->lock);
	return r;
}

int readahead_next(struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	int r;

	if (remove_queued_block(a, t, tb, codes, f, &r))
		return r;
	pthread_mutex_lock(&a->reader);
	if (!remove_queued_block(a, t, tb, codes, f, &r))
		r = read_unqueued_block(a, t, tb, codes, f);
	pthread_mutex_unlock(&a->reader);
	return r;
}

static uint32_t longest_warp(const struct queued_block *w, uint32_t warps)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; w->result == 1 && i < warps && i < w->tb.n_warps; i++)
		if (w->tb.warp[i].n_recs > longest)
			longest = w->tb.warp[i].n_recs;
	return longest;
}

/*
 * Returns the first block of the queue if it belongs to t, else NULL. Called only by the thread that removes blocks
 * from the queue.
 */
static const struct queued_block *first_queued_block(struct readahead *a, const struct trace *t)
{
	const struct queued_block *w;

	pthread_mutex_lock(&a->lock);
	w = a->trace == t && a->n ? &a->slot[a->first] : NULL;
	pthread_mutex_unlock(&a->lock);
	return w;
}

uint32_t readahead_longest_warp(struct readahead *a, const struct trace *t, uint32_t warps)
{
	const struct queued_block *w = first_queued_block(a, t);

	if (!w) {
		pthread_mutex_lock(&a->reader);
		w = first_queued_block(a, t);
		if (!w && a->trace == t && read_queued_block(a))
			w = first_queued_block(a, t);
		pthread_mutex_unlock(&a->reader);
	}
	return w ? longest_warp(w, warps) : 0;
}

void readahead_stop(struct readahead *a, const struct trace *t)
{
	pthread_mutex_lock(&a->reader);
	pthread_mutex_lock(&a->lock);
	if (a->trace == t) {
		a->trace = NULL;
		a->ended = false;
		a->n = 0;
		a->bytes = 0;
		update_filling(a);
	}
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&a->reader);
}
