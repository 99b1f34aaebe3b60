/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pool of threads; see threads.h for the invariants.
 *
 * Phases have numbers. Thread 0 increments the number, and the other threads enter the phase when they see the new
 * number. Thread 0 leaves a phase when no items are left, all threads that have entered the phase have left it, and all
 * others are locked out (worker.state). The time between two phases is often a few microseconds, less than that of a
 * wake-up. So a thread spins SPINS times before it sleeps, unless it is parked. Data that a thread writes in a loop has
 * its own cache line.
 */
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "threads.h"

/* number of spins before a thread sleeps; about 40 microseconds, the time of a wake-up */
#define SPINS 2500u
/* number of spins before a thread yields, because both threads may share a processor */
#define SPINS_TO_YIELD 2000u

struct worker {
	/* 2 * p: the worker is in phase p; 2 * p + 1: it has left phase p, or is locked out */
	_Alignas(CACHE_LINE) _Atomic uint64_t state;
	pthread_t thread;
	struct threads *pool;
	unsigned index;
	/*
	 * Items of the worker's range that no thread has started. The word has the phase in 32 bits, the first item in
	 * 16 bits, and the end in 16 bits.
	 */
	_Alignas(CACHE_LINE) _Atomic uint64_t items;
};

struct threads {
	_Alignas(CACHE_LINE) _Atomic uint64_t phase;
	void (*work)(void *ctx, unsigned item);
	void *ctx;
	_Atomic bool quit;
	_Atomic bool parked;          /* true if idle threads sleep without spinning */
	bool (*idle_work)(void *ctx); /* idle work of worker 1, see threads_set_idle_work(); NULL: none */
	void *idle_ctx;
	_Alignas(
		CACHE_LINE) _Atomic unsigned awake; /* number of threads, other than thread 0, that spin or work */
	_Atomic bool called; /* true if all workers have been woken since the last one fell asleep */
	unsigned n;
	bool started;
	uint64_t calls; /* incremented to wake all threads; guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct worker worker[MAX_THREADS];
};

#define STACK_BYTES (512u << 10)

_Thread_local unsigned thread_index;

static inline void pause_spinning(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

struct threads *threads_new(unsigned threads)
{
	struct threads *t = reserve(1, sizeof(*t));

	t->n = threads;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	for (unsigned i = 0; i < threads; i++) {
		t->worker[i].pool = t;
		t->worker[i].index = i;
	}
	return t;
}

void threads_set_idle_work(struct threads *t, bool (*step)(void *ctx), void *ctx)
{
	t->idle_work = step;
	t->idle_ctx = ctx;
}

/* ---- a phase --------------------------------------------------------------------------------- */

static uint64_t pack_item_range(uint64_t phase, unsigned first, unsigned end)
{
	return phase << 32 | (uint64_t)first << 16 | end;
}

/* Assigns equal ranges of items to the threads, so that items next to each other are run by the same thread. */
static void assign_ranges(struct threads *t, uint64_t phase, unsigned n)
{
	for (unsigned i = 0; i < t->n; i++)
		atomic_store_explicit(&t->worker[i].items,
			pack_item_range(phase, n * i / t->n, n * (i + 1) / t->n), memory_order_relaxed);
}

/* Runs the items that are left in the range of w. The phase may have ended; then no item is left. */
static void run_items_of_range(struct worker *w, uint64_t phase)
{
	struct threads *t = w->pool;
	uint64_t left = atomic_load_explicit(&w->items, memory_order_relaxed);

	while (left >> 32 == (uint32_t)phase && (left >> 16 & 0xffff) < (left & 0xffff))
		if (atomic_compare_exchange_weak_explicit(&w->items, &left, left + (1u << 16),
			    memory_order_relaxed, memory_order_relaxed)) {
			t->work(t->ctx, (unsigned)(left >> 16 & 0xffff));
			left = atomic_load_explicit(&w->items, memory_order_relaxed);
		}
}

/* Runs the items of the range of w, then the items that are left in other ranges. */
static void run_worker_phase(struct worker *w, uint64_t phase)
{
	struct threads *t = w->pool;

	for (unsigned i = 0; i < t->n; i++)
		run_items_of_range(&t->worker[(w->index + i) % t->n], phase);
}

/* Locks w out of a phase without items left, if w has not entered it; otherwise waits until w has left it. */
static void lock_out_of_phase(struct worker *w, uint64_t phase)
{
	uint64_t state = atomic_load_explicit(&w->state, memory_order_acquire);

	for (unsigned n = 0; state != 2 * phase + 1; n++) {
		if (state < 2 * phase) {
			if (atomic_compare_exchange_weak_explicit(&w->state, &state, 2 * phase + 1,
				    memory_order_acq_rel, memory_order_acquire))
				return;
			continue;
		}
		if (n < SPINS_TO_YIELD)
			pause_spinning();
		else
			sched_yield();
		state = atomic_load_explicit(&w->state, memory_order_acquire);
	}
}

/* ---- workers --------------------------------------------------------------------------------- */

static void sleep_until_called(struct threads *t)
{
	uint64_t calls;

	pthread_mutex_lock(&t->lock);
	calls = t->calls;
	atomic_fetch_sub(&t->awake, 1);
	atomic_store(&t->called, false);
	while (calls == t->calls && !atomic_load(&t->quit))
		pthread_cond_wait(&t->wake, &t->lock);
	atomic_fetch_add(&t->awake, 1);
	pthread_mutex_unlock(&t->lock);
}

/* Waits for a phase other than `last`, and returns its number; 0: the pool is being deleted. */
static uint64_t wait_for_next_phase(struct threads *t, bool has_idle_work, uint64_t last)
{
	for (unsigned i = 0;; i++) {
		uint64_t phase = atomic_load_explicit(&t->phase, memory_order_acquire);

		if (atomic_load_explicit(&t->quit, memory_order_relaxed))
			return 0;
		if (phase != last)
			return phase;
		if (has_idle_work && t->idle_work(t->idle_ctx))
			i = 0;
		else if (i % SPINS == SPINS - 1 || atomic_load_explicit(&t->parked, memory_order_relaxed))
			sleep_until_called(t);
		else
			pause_spinning();
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct threads *t = w->pool;
	bool has_idle_work = t->idle_work && w->index == 1;
	uint64_t phase = 0;

	thread_index = w->index;
	atomic_fetch_add(&t->awake, 1);
	while ((phase = wait_for_next_phase(t, has_idle_work, phase)) != 0) {
		uint64_t state = atomic_load_explicit(&w->state, memory_order_relaxed);

		while (state < 2 * phase && !atomic_compare_exchange_weak_explicit(&w->state, &state,
						    2 * phase, memory_order_acq_rel, memory_order_relaxed))
			;
		if (state >= 2 * phase)
			continue;
		run_worker_phase(w, phase);
		atomic_store_explicit(&w->state, 2 * phase + 1, memory_order_release);
	}
	return NULL;
}

/*
 * Starts the threads. Thread 0 receives all signals. To save address space, stacks are small, and the threads share one
 * heap instead of reserving 64 MiB each.
 */
static void start_threads(struct threads *t)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int error;

#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);

	t->started = true;
	atomic_store(&t->called, true);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 1; i < t->n; i++) {
		error = pthread_create(&t->worker[i].thread, &attr, worker_main, &t->worker[i]);
		if (error)
			die("cannot start thread %u of %u: %s", i + 1, t->n, strerror(error));
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}

static void wake_workers(struct threads *t)
{
	pthread_mutex_lock(&t->lock);
	t->calls++;
	atomic_store(&t->called, true);
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
}

/* Starts or wakes the threads without waiting for them: a late thread runs the items that are left. */
static void ensure_workers_awake(struct threads *t)
{
	atomic_store_explicit(&t->parked, false, memory_order_relaxed);
	if (!t->started)
		start_threads(t);
	else if (atomic_load_explicit(&t->awake, memory_order_relaxed) < t->n - 1 &&
		 !atomic_load_explicit(&t->called, memory_order_relaxed))
		wake_workers(t);
}

void threads_run(struct threads *t, void (*work)(void *ctx, unsigned item), void *ctx, unsigned items)
{
	uint64_t phase = atomic_load_explicit(&t->phase, memory_order_relaxed) + 1;

	assert(items <= 0xffff);
	t->work = work;
	t->ctx = ctx;
	ensure_workers_awake(t);
	assign_ranges(t, phase, items);
	atomic_store_explicit(&t->phase, phase, memory_order_release);
	run_worker_phase(&t->worker[0], phase);
	for (unsigned i = 1; i < t->n; i++)
		lock_out_of_phase(&t->worker[i], phase);
}

void threads_park(struct threads *t)
{
	if (!atomic_load_explicit(&t->parked, memory_order_relaxed))
		atomic_store_explicit(&t->parked, true, memory_order_relaxed);
}

void threads_delete(struct threads *t)
{
	if (!t)
		return;
	if (t->started) {
		atomic_store(&t->quit, true);
		wake_workers(t);
		for (unsigned i = 1; i < t->n; i++)
			pthread_join(t->worker[i].thread, NULL);
	}
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	reserve_free(t, 1, sizeof(*t));
}
