/* SPDX-License-Identifier: BSD-2-Clause */
/* The team of threads: every slice once a phase, whoever does it; the fault of the lowest place. */
#include <unistd.h>
#include "tap.h"
#include "team/threads.h"

#define THREADS 4u
#define SLICES  (THREADS * TEAM_SLICES)
#define PHASES  20000u

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
			usleep(2000); /* the others fall asleep */
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
	unsigned size[SLICES] = {0}, begun = 0, beyond = 0;

	for (unsigned i = 0, before = SLICES; i < 160; i++) {
		unsigned s = team_slice(i, 160, THREADS);

		if (s >= SLICES) {
			beyond++;
			continue;
		}
		begun += s != before;
		before = s;
		size[s]++;
	}
	is_number(beyond, 0, "each thing has a slice");
	is_number(begun, SLICES, "things of a slice lie side by side");
	ok(size[0] == 20 && size[4] == 20 && size[3] == 4,
		"the first of a thread is half of its share, the last a tenth");
	for (unsigned n = 1; n < 100; n++)
		for (unsigned i = 0; i < n; i++)
			beyond += team_slice(i, n, THREADS) >= SLICES;
	is_number(beyond, 0, "however few things there are");
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

	ok(in_child(run_failing, NULL, text, sizeof text) == EXIT_TROUBLE,
		"a fault in a phase ends the program");
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
