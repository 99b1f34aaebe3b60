/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that execute one function; see crew.h. */
#include "crew.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "arena.h"

struct crew {
	unsigned n;         /* number of threads that were started */
	pthread_t thread[]; /* threads that were started */
};

unsigned crew_processors(unsigned most)
{
	cpu_set_t set;
	unsigned n = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);

	return n < most ? n : most;
}

struct crew *crew_start(unsigned n, void *(*fn)(void *ctx), void *ctx)
{
	struct crew *c = xcalloc(1, sizeof(*c) + n * sizeof(*c->thread));

	while (c->n < n && !pthread_create(&c->thread[c->n], NULL, fn, ctx))
		c->n++;
	return c;
}

unsigned crew_size(const struct crew *c) { return c->n; }

void crew_join(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		pthread_join(c->thread[i], NULL);
	free(c);
}
