/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the thread pool: every item is processed once in each phase, also in phases with few or no
 * items and in phases after a pause.
 */
#include <unistd.h>
#include "diag.h"
#include "tap.h"
#include "threads/threads.h"

#define THREADS 4u
#define ITEMS   37u
#define PHASES  20000u

static uint32_t done[ITEMS], seen[THREADS];

static void count_item_once(void *ctx, unsigned item)
{
	const uint32_t *phase = ctx;

	/* The thread that processes the item sees the writes of the previous phase. */
	if (done[item] == *phase)
		done[item]++;
	__atomic_fetch_add(&seen[thread_index], 1, __ATOMIC_RELAXED);
}

static void test_items(void)
{
	struct threads *t = threads_new(THREADS);
	uint32_t total = 0, wrong = 0;

	for (uint32_t phase = 0; phase < PHASES; phase++) {
		if (phase % 5000 == 4999)
			usleep(2000); /* the other threads fall asleep */
		threads_run(t, count_item_once, &phase, ITEMS);
	}
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += done[i] != PHASES;
	for (unsigned i = 0; i < THREADS; i++)
		total += seen[i];
	ok(!wrong, "each item is processed in each phase");
	is_number(total, ITEMS * PHASES, "no item is processed twice in a phase");
	threads_delete(t);
}

static void note_item(void *ctx, unsigned item)
{
	__atomic_fetch_add((uint32_t *)ctx + item, 1, __ATOMIC_RELAXED);
}

static void test_few(void)
{
	struct threads *t = threads_new(THREADS);
	uint32_t times[2 * THREADS + 1] = {0}, wrong = 0;

	for (unsigned n = 0; n <= 2 * THREADS; n++)
		threads_run(t, note_item, times, n);
	for (unsigned i = 0; i <= 2 * THREADS; i++)
		wrong += times[i] != 2 * THREADS - i;
	is_number(wrong, 0, "each item is processed once in phases of none to twice as many as threads");
	threads_delete(t);
}

static void test_after_pause(void)
{
	struct threads *t = threads_new(THREADS);
	uint32_t times[ITEMS] = {0}, wrong = 0;

	for (unsigned n = 0; n < 200; n++) {
		if (n % 2)
			threads_park(t);
		if (n % 20 == 1)
			usleep(1000); /* the workers fall asleep */
		threads_run(t, note_item, times, ITEMS);
	}
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += times[i] != 200;
	is_number(wrong, 0, "each item is processed once in phases after the threads are parked");
	threads_delete(t);
}

int main(void)
{
	diag_init("test_threads");
	test_items();
	test_few();
	test_after_pause();
	return tap_done();
}
