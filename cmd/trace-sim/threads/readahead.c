/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading ahead. See readahead.h for what is always true.
 *
 * Who reads holds `reader` from the first byte of a block to the last, which takes as long as a window of some
 * machines; what waits has a lock of its own, so who takes a block that waits never waits for one that is
 * read. `hungry` may be looked at without it and may be wrong, which costs a look or a little time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "arena.h"
#include "readahead.h"

#define WAITING       256u
#define WAITING_BYTES ((size_t)24 << 20)

/* A block that waits, with what reading it met. */
struct waiting {
	struct tblock tb;
	struct fault fault; /* where result is -1 */
	int result;         /* of trace_next() */
	uint32_t codes;
	struct fault *warning;
	uint32_t n_warnings, cap_warnings;
};

struct readahead {
	pthread_mutex_t reader; /* the trace, and the slot behind those that wait */
	pthread_mutex_t lock;   /* all else; taken behind `reader`, by who takes both */
	_Atomic bool hungry;    /* there is something to read and room for it */
	struct code *code;
	struct trace *trace; /* that is read ahead; NULL: none */
	bool filling;
	bool ended;              /* its last block, or a fault, is among those that wait */
	struct waiting *reading; /* whose warnings are met now; NULL: they are told at once */
	uint32_t first, n;
	size_t bytes;
	struct waiting slot[WAITING];
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
	for (uint32_t i = 0; i < WAITING; i++) {
		tblock_free(&a->slot[i].tb);
		free(a->slot[i].warning);
	}
	pthread_mutex_destroy(&a->lock);
	pthread_mutex_destroy(&a->reader);
	reserve_free(a, 1, sizeof(*a));
}

static void on_warning(void *ctx, const struct fault *f)
{
	struct readahead *a = ctx;
	struct waiting *w = a->reading;

	if (!w) {
		diag_warn(f->at, "%s", f->text);
		return;
	}
	grow(&w->warning, &w->cap_warnings, w->n_warnings + 1, sizeof(*w->warning));
	w->warning[w->n_warnings++] = *f;
}

void readahead_watch(struct readahead *a, struct trace_options *o)
{
	o->warn = on_warning;
	o->ctx = a;
}

static size_t size_of(const struct tblock *tb)
{
	return (size_t)tb->n_recs * sizeof(*tb->rec) + (size_t)tb->n_words * sizeof(*tb->word);
}

/*
 * Once less than half of what may wait waits, it is read until it is all there: while a thread reads, another
 * has to do its part of the phases, and the data that this takes to the other's caches should not go to and
 * fro.
 */
static void set_hungry(struct readahead *a)
{
	if (!a->trace || a->ended || a->n == WAITING || a->bytes >= WAITING_BYTES)
		a->filling = false;
	else if (a->n < WAITING / 2 && a->bytes < WAITING_BYTES / 2)
		a->filling = true;
	atomic_store_explicit(&a->hungry, a->filling, memory_order_relaxed);
}

/* The slot to read into, NULL: there is nothing to read, or no room. Taking blocks leaves it where it is. */
static struct waiting *to_fill(struct readahead *a)
{
	struct waiting *w = NULL;

	pthread_mutex_lock(&a->lock);
	set_hungry(a);
	if (a->filling)
		w = &a->slot[(a->first + a->n) % WAITING];
	pthread_mutex_unlock(&a->lock);
	return w;
}

/* By who has `reader`. */
static bool read_one(struct readahead *a)
{
	struct waiting *w = to_fill(a);

	if (!w)
		return false;
	a->reading = w;
	w->n_warnings = 0;
	w->result = trace_next(a->trace, &w->tb, &w->fault);
	w->codes = code_count(a->code);
	a->reading = NULL;
	pthread_mutex_lock(&a->lock);
	a->ended = w->result != 1;
	a->bytes += w->result == 1 ? size_of(&w->tb) : 0;
	a->n++;
	set_hungry(a);
	pthread_mutex_unlock(&a->lock);
	return true;
}

bool readahead_step(void *ctx)
{
	struct readahead *a = ctx;
	bool reads;

	if (!atomic_load_explicit(&a->hungry, memory_order_relaxed) || pthread_mutex_trylock(&a->reader))
		return false;
	reads = read_one(a);
	pthread_mutex_unlock(&a->reader);
	return reads;
}

/* The first that waits; its arrays change places with those of tb. */
static int hand_out(struct readahead *a, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	struct waiting *w = &a->slot[a->first];
	struct tblock old = *tb;

	for (uint32_t i = 0; i < w->n_warnings; i++)
		diag_warn(w->warning[i].at, "%s", w->warning[i].text);
	*codes = w->codes;
	if (w->result != 1) {
		*f = w->fault;
		return w->result;
	}
	a->bytes -= size_of(&w->tb);
	*tb = w->tb;
	w->tb = old;
	a->first = (a->first + 1) % WAITING;
	a->n--;
	return 1;
}

/* One that waits, if it is of t; *r as of trace_next(). */
static bool take(struct readahead *a, const struct trace *t, struct tblock *tb, uint32_t *codes,
	struct fault *f, int *r)
{
	bool waits;

	pthread_mutex_lock(&a->lock);
	waits = a->trace == t && a->n;
	if (waits) {
		*r = hand_out(a, tb, codes, f);
		set_hungry(a);
	}
	pthread_mutex_unlock(&a->lock);
	return waits;
}

/* By who has `reader`, when none waits. */
static int read_at_once(
	struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	int r = trace_next(t, tb, f);

	*codes = code_count(a->code);
	pthread_mutex_lock(&a->lock);
	if (!a->trace)
		a->trace = t;
	if (a->trace == t)
		a->ended = r != 1;
	set_hungry(a);
	pthread_mutex_unlock(&a->lock);
	return r;
}

int readahead_next(struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	int r;

	if (take(a, t, tb, codes, f, &r))
		return r;
	pthread_mutex_lock(&a->reader);
	if (!take(a, t, tb, codes, f, &r))
		r = read_at_once(a, t, tb, codes, f);
	pthread_mutex_unlock(&a->reader);
	return r;
}

static uint32_t longest_of(const struct waiting *w, uint32_t warps)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; w->result == 1 && i < warps && i < w->tb.n_warps; i++)
		if (w->tb.warp[i].count > longest)
			longest = w->tb.warp[i].count;
	return longest;
}

/* The first that waits, if it is of t; NULL: none does. Only who takes may ask. */
static const struct waiting *first_of(struct readahead *a, const struct trace *t)
{
	const struct waiting *w;

	pthread_mutex_lock(&a->lock);
	w = a->trace == t && a->n ? &a->slot[a->first] : NULL;
	pthread_mutex_unlock(&a->lock);
	return w;
}

uint32_t readahead_peek(struct readahead *a, const struct trace *t, uint32_t warps)
{
	const struct waiting *w = first_of(a, t);

	if (!w) {
		pthread_mutex_lock(&a->reader);
		w = first_of(a, t);
		if (!w && a->trace == t && read_one(a))
			w = first_of(a, t);
		pthread_mutex_unlock(&a->reader);
	}
	return w ? longest_of(w, warps) : 0;
}

void readahead_forget(struct readahead *a, const struct trace *t)
{
	pthread_mutex_lock(&a->reader);
	pthread_mutex_lock(&a->lock);
	if (a->trace == t) {
		a->trace = NULL;
		a->ended = false;
		a->n = 0;
		a->bytes = 0;
		set_hungry(a);
	}
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&a->reader);
}
