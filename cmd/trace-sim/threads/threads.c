/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The team of threads. See threads.h for what is always true.
 *
 * A phase is a number: thread 0 raises it, the others enter it when they see it. Thread 0 leaves a phase when
 * all items are taken, those who have entered have left, and the others are shut out, which is what a
 * worker's `state` is for. Between two phases of a loaded machine there are a few microseconds, less than
 * being woken takes; so a thread looks SPINS times before it sleeps, unless it is told to rest. What one
 * thread writes in a loop has a cache line of its own.
 */
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include "arena.h"
#include "diag.h"
#include "threads.h"

#define SPINS          2500u /* about as long as being woken takes, some 40 microseconds */
#define SPINS_TO_YIELD 2000u /* the processor that a thread runs on may be the one that the other waits for */

struct worker {
	/* 2 p: in phase p; 2 p + 1: behind it, or shut out of it */
	_Alignas(CACHE_LINE) _Atomic uint64_t state;
	pthread_t thread;
	struct team *team;
	unsigned index;
	/*
	 * Items still to be taken of those dealt to it: 32 bits of the phase, 16 of the next, 16 of the one
	 * behind the last.
	 */
	_Alignas(CACHE_LINE) _Atomic uint64_t items;
};

struct team {
	_Alignas(CACHE_LINE) _Atomic uint64_t phase;
	void (*work)(void *ctx, unsigned item);
	void *ctx;
	_Atomic bool quit;
	_Atomic bool rest;            /* fall asleep at once */
	bool (*meanwhile)(void *ctx); /* done by worker 1; NULL: nothing */
	void *meanwhile_ctx;
	_Alignas(CACHE_LINE) _Atomic unsigned awake; /* threads besides 0 that spin or work */
	_Atomic bool called;                         /* since the last one fell asleep */
	unsigned n;
	bool started;
	uint64_t calls; /* raised to wake all; guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct worker worker[MAX_THREADS];
};

#define STACK_BYTES (512u << 10)

_Thread_local unsigned thread_index;

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

unsigned threads_available(void)
{
	cpu_set_t set;
	unsigned n = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);

	return n < MAX_THREADS ? n : MAX_THREADS;
}

struct team *team_new(unsigned threads)
{
	struct team *t = reserve(1, sizeof(*t));

	t->n = threads;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	for (unsigned i = 0; i < threads; i++) {
		t->worker[i].team = t;
		t->worker[i].index = i;
	}
	return t;
}

void team_meanwhile(struct team *t, bool (*step)(void *ctx), void *ctx)
{
	t->meanwhile = step;
	t->meanwhile_ctx = ctx;
}

/* ---- a phase --------------------------------------------------------------------------------- */

static uint64_t items_of(uint64_t phase, unsigned first, unsigned end)
{
	return phase << 32 | (uint64_t)first << 16 | end;
}

/* Things that lie side by side in memory go to one thread, and to the same one each time. */
static void deal(struct team *t, uint64_t phase, unsigned n)
{
	for (unsigned i = 0; i < t->n; i++)
		atomic_store_explicit(&t->worker[i].items, items_of(phase, n * i / t->n, n * (i + 1) / t->n),
			memory_order_relaxed);
}

/* What is left of those dealt to w, in a phase that may be over. */
static void do_items(struct worker *w, uint64_t phase)
{
	struct team *t = w->team;
	uint64_t left = atomic_load_explicit(&w->items, memory_order_relaxed);

	while (left >> 32 == (uint32_t)phase && (left >> 16 & 0xffff) < (left & 0xffff))
		if (atomic_compare_exchange_weak_explicit(&w->items, &left, left + (1u << 16),
			    memory_order_relaxed, memory_order_relaxed)) {
			t->work(t->ctx, (unsigned)(left >> 16 & 0xffff));
			left = atomic_load_explicit(&w->items, memory_order_relaxed);
		}
}

/* Its own, then those that others have not begun. */
static void run_share(struct worker *w, uint64_t phase)
{
	struct team *t = w->team;

	for (unsigned i = 0; i < t->n; i++)
		do_items(&t->worker[(w->index + i) % t->n], phase);
}

/* All items are taken: wait for those that w does, or keep it out. */
static void shut_out(struct worker *w, uint64_t phase)
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
			relax();
		else
			sched_yield();
		state = atomic_load_explicit(&w->state, memory_order_acquire);
	}
}

/* ---- workers --------------------------------------------------------------------------------- */

static void sleep_until_called(struct team *t)
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

/* The next phase after seen, 0 at the end. */
static uint64_t next_phase(struct team *t, bool meanwhile, uint64_t seen)
{
	for (unsigned i = 0;; i++) {
		uint64_t phase = atomic_load_explicit(&t->phase, memory_order_acquire);

		if (atomic_load_explicit(&t->quit, memory_order_relaxed))
			return 0;
		if (phase != seen)
			return phase;
		if (meanwhile && t->meanwhile(t->meanwhile_ctx))
			i = 0;
		else if (i % SPINS == SPINS - 1 || atomic_load_explicit(&t->rest, memory_order_relaxed))
			sleep_until_called(t);
		else
			relax();
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct team *t = w->team;
	bool meanwhile = t->meanwhile && w->index == 1;
	uint64_t phase = 0;

	thread_index = w->index;
	atomic_fetch_add(&t->awake, 1);
	while ((phase = next_phase(t, meanwhile, phase)) != 0) {
		uint64_t state = atomic_load_explicit(&w->state, memory_order_relaxed);

		while (state < 2 * phase && !atomic_compare_exchange_weak_explicit(&w->state, &state,
						    2 * phase, memory_order_acq_rel, memory_order_relaxed))
			;
		if (state >= 2 * phase)
			continue;
		run_share(w, phase);
		atomic_store_explicit(&w->state, 2 * phase + 1, memory_order_release);
	}
	return NULL;
}

/*
 * Signals are for thread 0. Address space is kept small: a stack has what any program of the suite needs,
 * several times over, and threads that allocate next to nothing share the heap instead of 64 MiB each for one
 * of their own.
 */
static void start(struct team *t)
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
			die("cannot start thread %u of %u (error %d), wanted fewer with -j", i + 1, t->n,
				error);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}

static void call_all(struct team *t)
{
	pthread_mutex_lock(&t->lock);
	t->calls++;
	atomic_store(&t->called, true);
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
}

/* Those who come late find what is left of the phase. */
static void wake(struct team *t)
{
	atomic_store_explicit(&t->rest, false, memory_order_relaxed);
	if (!t->started)
		start(t);
	else if (atomic_load_explicit(&t->awake, memory_order_relaxed) < t->n - 1 &&
		 !atomic_load_explicit(&t->called, memory_order_relaxed))
		call_all(t);
}

void team_run(struct team *t, void (*work)(void *ctx, unsigned item), void *ctx, unsigned items)
{
	uint64_t phase = atomic_load_explicit(&t->phase, memory_order_relaxed) + 1;

	assert(items <= 0xffff);
	t->work = work;
	t->ctx = ctx;
	wake(t);
	deal(t, phase, items);
	atomic_store_explicit(&t->phase, phase, memory_order_release);
	run_share(&t->worker[0], phase);
	for (unsigned i = 1; i < t->n; i++)
		shut_out(&t->worker[i], phase);
}

void team_rest(struct team *t)
{
	if (!atomic_load_explicit(&t->rest, memory_order_relaxed))
		atomic_store_explicit(&t->rest, true, memory_order_relaxed);
}

void team_delete(struct team *t)
{
	if (!t)
		return;
	if (t->started) {
		atomic_store(&t->quit, true);
		call_all(t);
		for (unsigned i = 1; i < t->n; i++)
			pthread_join(t->worker[i].thread, NULL);
	}
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	reserve_free(t, 1, sizeof(*t));
}
