/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The team of threads: every item once a phase, whoever does it; phases of few items, and of none; those
 * behind a rest. Whether they pay, and what is worth sharing, by made-up times.
 */
#include <stdlib.h>
#include <unistd.h>
#include "diag.h"
#include "tap.h"
#include "threads/pays.h"
#include "threads/share.h"
#include "threads/threads.h"

#define THREADS 4u
#define ITEMS   37u
#define PHASES  20000u

static uint32_t done[ITEMS], seen[THREADS];

static void count(void *ctx, unsigned item)
{
	const uint32_t *phase = ctx;

	/* What the phase before wrote is seen by whoever comes next. */
	if (done[item] == *phase)
		done[item]++;
	__atomic_fetch_add(&seen[thread_index], 1, __ATOMIC_RELAXED);
}

static void test_items(void)
{
	struct team *t = team_new(THREADS);
	uint32_t total = 0, wrong = 0;

	for (uint32_t phase = 0; phase < PHASES; phase++) {
		if (phase % 5000 == 4999)
			usleep(2000); /* the others fall asleep */
		team_run(t, count, &phase, ITEMS);
	}
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += done[i] != PHASES;
	for (unsigned i = 0; i < THREADS; i++)
		total += seen[i];
	ok(!wrong, "each item is done in each phase");
	is_number(total, ITEMS * PHASES, "and only once");
	team_delete(t);
}

static void note(void *ctx, unsigned item)
{
	__atomic_fetch_add((uint32_t *)ctx + item, 1, __ATOMIC_RELAXED);
}

static void test_few(void)
{
	struct team *t = team_new(THREADS);
	uint32_t times[2 * THREADS + 1] = {0}, wrong = 0;

	for (unsigned n = 0; n <= 2 * THREADS; n++)
		team_run(t, note, times, n);
	for (unsigned i = 0; i <= 2 * THREADS; i++)
		wrong += times[i] != 2 * THREADS - i;
	is_number(
		wrong, 0, "no items, fewer than threads, one more: each once, before anybody is waited for");
	team_delete(t);
}

static void test_rest(void)
{
	struct team *t = team_new(THREADS);
	uint32_t times[ITEMS] = {0}, wrong = 0;

	for (unsigned n = 0; n < 200; n++) {
		if (n % 2)
			team_rest(t);
		if (n % 20 == 1)
			usleep(1000); /* they do */
		team_run(t, note, times, ITEMS);
	}
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += times[i] != 200;
	is_number(wrong, 0, "those who rest come back, or are not missed");
	team_delete(t);
}

/*
 * n stretches, of any lengths, that take 10 ns a piece of work with one thread: how many of them were shared.
 */
static uint32_t shared_of(struct pays *p, uint32_t n, double shared_ns)
{
	uint32_t shared = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t work = 50 + i * 37 % 100;
		bool now = pays_shared(p);

		shared += now;
		pays_took(p, work, (double)work * (now ? shared_ns : 10));
	}
	return shared;
}

static void test_pays(void)
{
	struct pays p = {0};
	const uint32_t tried = PAYS_TRIED, first = PAYS_PERIOD;

	is_number(shared_of(&p, 2 * first, 6), 2 * first - tried, "threads that pay are used but in a trial");
	is_number(shared_of(&p, 4 * first, 6), 4 * first - tried, "trials get rare while the answer stays");
	p = (struct pays){0};
	is_number(shared_of(&p, first, 12), tried, "threads that do not pay are given up after a trial");
	is_number(shared_of(&p, 2 * first, 9.8), tried, "and so are those that hardly do");
	shared_of(&p, PAYS_LONGEST, 6);
	ok(shared_of(&p, PAYS_LONGEST, 6) > PAYS_LONGEST * 8 / 10, "until they pay again");
}

static void test_share(void)
{
	const uint64_t us = 1000; /* units of 1 ns */
	struct share s = {0};

	unsetenv("WARPTOOLS_CPUS");
	ok(!share_begin(&s, 10000 * us, 2, false), "a run begins alone");
	share_end(&s, 10000 * us);
	ok(s.pace > 0, "and shows how fast it is");
	s.pace = s.before = 1;
	ok(!share_long(&s) && !share_begin(&s, 1000 * us, 2, false), "it goes on alone until it is long");
	share_count(&s, 10000 * us);
	ok(share_begin(&s, 1000 * us, 2, false), "what one thread has a millisecond to do with is shared");
	ok(share_part(&s, 20 * us) && !share_part(&s, us), "but for its smallest parts");
	ok(!share_begin(&s, 50 * us, 2, false), "what it is done with soon is not");
	ok(!share_part(&s, 20 * us), "nor is any part of that");
	s.before = 0.001;
	ok(!share_begin(&s, 1000 * us, 2, false), "nor what the last stretch alone was slow for");
	share_end(&s, 0);
	ok(s.pace > 0.5 && s.pace < 1.5, "from nothing nothing is learnt");
}

int main(void)
{
	diag_init("test_threads");
	test_items();
	test_few();
	test_rest();
	test_pays();
	test_share();
	return tap_done();
}
