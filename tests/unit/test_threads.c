/* SPDX-License-Identifier: BSD-2-Clause */
/* The team of threads: every slice once a phase, whoever does it; the fault of the lowest place. */
#include <unistd.h>
#include "tap.h"
#include "threads.h"

#define THREADS 4u
#define SLICES (THREADS * TEAM_SLICES)
#define PHASES 20000u

static uint32_t done[SLICES], seen[THREADS];

static void count(void *ctx, unsigned slice)
{
	const uint32_t *phase = ctx;

	/* What the phase before wrote is seen by whoever comes next. */
	if (done[slice] == *phase)
		done[slice]++;
	__atomic_fetch_add(&seen[thread_index], 1, __ATOMIC_RELAXED);
}

static void test_slices(void)
{
	struct team *t = team_new(THREADS);
	uint32_t total = 0, wrong = 0;

	while (!team_ready(t))
		;
	for (uint32_t phase = 0; phase < PHASES; phase++) {
		if (phase % 5000 == 4999)
			usleep(2000);	/* the others fall asleep */
		team_run(t, count, &phase);
		team_ready(t);
	}
	for (unsigned i = 0; i < SLICES; i++)
		wrong += done[i] != PHASES;
	for (unsigned i = 0; i < THREADS; i++)
		total += seen[i];
	ok(!wrong, "each slice has run in each phase");
	is_number(total, SLICES * PHASES, "and only once");
	team_delete(t);
}

static void test_shares(void)
{
	unsigned size[TEAM_SLICES] = {0}, before = 0, falls = 0;

	for (unsigned i = 0; i < 40; i++) {
		unsigned k = team_slice(i, 40);

		falls += k < before || k >= TEAM_SLICES;
		before = k;
		size[k]++;
	}
	is_number(falls, 0, "slices of a share follow each other");
	ok(size[0] == 20 && size[3] == 4, "the first is half of it, the last a tenth");
	ok(team_slice(0, 1) < TEAM_SLICES, "one thing has a slice");
}

static void fail(void *ctx, unsigned slice)
{
	struct fault f;

	(void)ctx;
	if (slice % 3 != 2)
		return;
	fault_set(&f, NOWHERE, "x", "slice %u", slice);
	team_fail(slice, &f);
}

static void run_failing(void *arg)
{
	struct team *t = team_new(THREADS);

	(void)arg;
	while (!team_ready(t))
		;
	team_run(t, fail, NULL);
}

static void test_faults(void)
{
	char text[400];

	ok(in_child(run_failing, NULL, text, sizeof text) == EXIT_TROUBLE, "a fault in a phase ends the program");
	is_text(text, "test_threads: slice 2\n", "with the message of the lowest place and no other");
}

int main(void)
{
	diag_init("test_threads");
	test_slices();
	test_shares();
	test_faults();
	return tap_done();
}
