/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The team of threads. See threads.h for what is always true.
 *
 * A phase is a number: thread 0 raises it, the others run the work when they see it and store it in their
 * `done`. Between two phases of a loaded machine there are a few microseconds, less than falling asleep and
 * being woken takes; so a thread looks SPINS times before it sleeps. What one thread writes in a loop has a
 * cache line of its own.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include "arena.h"
#include "diag.h"
#include "threads.h"

#define SPINS 4000		/* about 100 microseconds */
/*
 * Waiting that long means that somebody else needs the processor that a thread would run on: it is given
 * away, and so many phases are done alone, twice as many each time.
 */
#define SPINS_TO_YIELD 4000
#define REST_MIN 1024u
#define REST_MAX 65536u

struct worker {
	_Alignas(CACHE_LINE) _Atomic uint64_t done;	/* last phase this thread has finished */
	_Atomic unsigned place;				/* team_at() */
	pthread_t thread;
	struct team *team;
	unsigned index;
};

struct team {
	_Alignas(CACHE_LINE) _Atomic uint64_t phase;
	void (*work)(void *ctx, unsigned thread);
	void *ctx;
	_Atomic bool quit;
	_Alignas(CACHE_LINE) _Atomic unsigned awake;	/* threads besides 0 that spin or work */
	bool started;
	unsigned n;
	unsigned rest, next_rest;			/* phases to do alone, and the next time */
	uint64_t calls;					/* raised to wake all; guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct worker worker[MAX_THREADS];
};

_Thread_local unsigned thread_index;
static _Thread_local struct worker *me;	/* NULL outside phases */

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

unsigned team_size(unsigned n)
{
	const char *text = getenv("WARPTOOLS_CPUS");
	unsigned long cpus = text ? strtoul(text, NULL, 10) : 0;
	cpu_set_t set;

	if (!cpus && !sched_getaffinity(0, sizeof set, &set))
		cpus = (unsigned long)CPU_COUNT(&set);
	if (!cpus)
		cpus = 1;
	if (n > cpus)
		n = (unsigned)cpus;
	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

struct team *team_new(unsigned threads)
{
	struct team *t = reserve(1, sizeof *t);

	t->n = threads;
	t->next_rest = REST_MIN;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	for (unsigned i = 0; i < threads; i++) {
		t->worker[i].team = t;
		t->worker[i].index = i;
	}
	return t;
}

/* Until a phase after seen, or the end; false: the end. */
static bool next_phase(struct team *t, uint64_t seen)
{
	for (;;) {
		uint64_t calls;

		for (unsigned i = 0; i < SPINS; i++) {
			if (atomic_load_explicit(&t->phase, memory_order_acquire) != seen)
				return !atomic_load(&t->quit);
			relax();
		}
		pthread_mutex_lock(&t->lock);
		calls = t->calls;
		atomic_fetch_sub(&t->awake, 1);
		/* A phase begun before it was known that this thread sleeps has not been waited for. */
		while (calls == t->calls && atomic_load(&t->phase) == seen)
			pthread_cond_wait(&t->wake, &t->lock);
		atomic_fetch_add(&t->awake, 1);
		pthread_mutex_unlock(&t->lock);
	}
}

static void run_part(struct worker *w)
{
	struct team *t = w->team;

	me = w;
	t->work(t->ctx, w->index);
	me = NULL;
	atomic_store_explicit(&w->place, UINT_MAX, memory_order_release);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct team *t = w->team;
	uint64_t seen = 0;

	thread_index = w->index;
	atomic_fetch_add(&t->awake, 1);
	while (next_phase(t, seen)) {
		seen = atomic_load_explicit(&t->phase, memory_order_relaxed);
		run_part(w);
		atomic_store_explicit(&w->done, seen, memory_order_release);
	}
	return NULL;
}

static void call_all(struct team *t)
{
	pthread_mutex_lock(&t->lock);
	t->calls++;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
}

/* Signals are for thread 0. */
static void start(struct team *t)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 1; i < t->n; i++) {
		error = pthread_create(&t->worker[i].thread, NULL, worker_main, &t->worker[i]);
		if (error)
			die("cannot start thread %u of %u (error %d), wanted fewer with -j", i + 1, t->n, error);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	t->started = true;
}

/* Can all start at once? */
static bool ready(struct team *t)
{
	if (t->rest) {
		t->rest--;
		return false;
	}
	if (atomic_load_explicit(&t->awake, memory_order_relaxed) == t->n - 1)
		return true;
	if (t->started)
		call_all(t);
	else
		start(t);
	return false;
}

static void wait_for(struct team *t, struct worker *w, uint64_t phase)
{
	unsigned n = 0;

	for (; atomic_load_explicit(&w->done, memory_order_acquire) != phase; n++)
		if (n < SPINS_TO_YIELD)
			relax();
		else
			sched_yield();
	if (n >= SPINS_TO_YIELD && !t->rest) {
		t->rest = t->next_rest;
		if (t->next_rest < REST_MAX)
			t->next_rest *= 2;
	}
}

void team_run(struct team *t, void (*work)(void *ctx, unsigned thread), void *ctx)
{
	uint64_t phase = atomic_load_explicit(&t->phase, memory_order_relaxed) + 1;

	t->work = work;
	t->ctx = ctx;
	for (unsigned i = 0; i < t->n; i++)
		atomic_store_explicit(&t->worker[i].place, 0, memory_order_relaxed);
	atomic_store(&t->phase, phase);
	if (atomic_load(&t->awake) != t->n - 1)
		call_all(t);	/* one fell asleep since ready() */
	run_part(&t->worker[0]);
	for (unsigned i = 1; i < t->n; i++)
		wait_for(t, &t->worker[i], phase);
}

void team_at(unsigned place)
{
	if (me)
		atomic_store_explicit(&me->place, place, memory_order_release);
}

void team_turn(void)
{
	struct team *t = me ? me->team : NULL;

	for (unsigned i = 0; t && i < t->n; i++)
		while (atomic_load_explicit(&t->worker[i].place, memory_order_acquire) < me->place)
			sched_yield();
}

/* ---- choosing -------------------------------------------------------------------------------- */

enum { SETTLED, TRY_ALONE, TRY_SHARED };	/* a zeroed choice starts to try */

#define TRY_PHASES 32u
#define WARM_PHASES 8u 		/* of these: until data has moved to the caches of its threads, not timed */
#define SETTLED_PHASES 1536u

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void next_state(struct team_choice *c)
{
	bool share;

	switch (c->state) {
	case SETTLED:
		*c = (struct team_choice){.state = TRY_ALONE, .left = TRY_PHASES};
		break;
	case TRY_ALONE:
		c->state = TRY_SHARED;
		c->left = TRY_PHASES;
		break;
	default:	/* time for the same work; what gains next to nothing leaves the processors to others */
		share = 1.05 * (double)c->ns[1] * (double)c->work[0] < (double)c->ns[0] * (double)c->work[1];
		*c = (struct team_choice){.state = SETTLED, .left = SETTLED_PHASES, .share = share};
	}
}

bool team_choose(struct team *t, struct team_choice *c)
{
	if (!c->left)
		next_state(c);
	c->timed = false;
	if (c->state == SETTLED) {
		c->left--;
		return c->share && ready(t);
	}
	if (c->state == TRY_SHARED && !ready(t))
		return false;
	c->share = c->state == TRY_SHARED;
	c->timed = --c->left < TRY_PHASES - WARM_PHASES;
	if (c->timed)
		c->start = clock_ns();
	return c->share;
}

void team_chosen(struct team_choice *c, uint32_t work)
{
	if (!c->timed)
		return;
	c->ns[c->share] += clock_ns() - c->start;
	c->work[c->share] += work;
}

void team_delete(struct team *t)
{
	if (!t)
		return;
	if (t->started) {
		atomic_store(&t->quit, true);
		atomic_fetch_add(&t->phase, 1);
		call_all(t);
		for (unsigned i = 1; i < t->n; i++)
			pthread_join(t->worker[i].thread, NULL);
	}
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	reserve_free(t, 1, sizeof *t);
}
