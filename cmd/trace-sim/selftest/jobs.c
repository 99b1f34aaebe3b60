/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs jobs in several processes (jobs.h). Workers take job numbers from shared memory and store results
 * there.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arena.h"
#include "diag.h"
#include "selftest/jobs.h"

struct shared {
	_Atomic uint32_t next;
	double result[];
};

static void run_worker(struct shared *s, uint32_t n, double (*work)(void *ctx, uint32_t i), void *ctx)
{
	uint32_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < n)
		s->result[i] = work(ctx, i);
}

/* Waits for all workers. Returns false if one has failed. */
static bool wait_for_workers(const pid_t *child, unsigned n)
{
	bool good = true;

	for (unsigned i = 0; i < n; i++) {
		int status;

		while (waitpid(child[i], &status, 0) < 0)
			if (errno != EINTR)
				die_errno("cannot wait for a process");
		good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	return good;
}

void jobs_run(
	uint32_t n, unsigned processes, double (*work)(void *ctx, uint32_t i), void *ctx, double *result)
{
	size_t size = sizeof(struct shared) + n * sizeof(double);
	struct shared *s;
	pid_t *child;

	if (processes > n)
		processes = n;
	if (processes < 2) {
		for (uint32_t i = 0; i < n; i++)
			result[i] = work(ctx, i);
		return;
	}
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		die_errno("cannot map memory for %u figures", n);
	atomic_init(&s->next, 0);
	child = xcalloc(processes, sizeof(*child));
	fflush(NULL);
	for (unsigned i = 0; i < processes; i++) {
		child[i] = fork();
		if (child[i] < 0)
			die_errno("cannot fork");
		if (!child[i]) {
			run_worker(s, n, work, ctx);
			_exit(0);
		}
	}
	if (!wait_for_workers(child, processes))
		exit(EXIT_TROUBLE);
	memcpy(result, s->result, n * sizeof(double));
	free(child);
	munmap(s, size);
}
