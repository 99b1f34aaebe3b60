/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the kernels of a list in one pass. Threads take kernels in the order of the list. Each thread has its
 * own counter and writes only the entries of its kernels, so the result does not depend on the number of
 * threads. The first fault in the order of the list is reported.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "crew.h"
#include "diag.h"
#include "pack.h"
#include "pick.h"

struct reading_job {
	struct app *app;
	const char *path;
	const struct isa *isa;
	enum pick_depth reading;
	uint32_t *cmd; /* command of each kernel */
	atomic_uint next_kernel;
	atomic_uint failed_kernel; /* first kernel that could not be read; a->n if there is none */
	struct fault fault;
	pthread_mutex_t lock;
};

static void record_first_failure(struct reading_job *j, uint32_t kernel, const struct fault *f)
{
	pthread_mutex_lock(&j->lock);
	if (kernel < atomic_load(&j->failed_kernel)) {
		j->fault = *f;
		atomic_store(&j->failed_kernel, kernel);
	}
	pthread_mutex_unlock(&j->lock);
}

static void read_features_from(struct reading_job *j, struct klist *list)
{
	struct counter *c = counter_new(j->isa, j->reading, j->app->select);
	struct fault f;

	for (uint32_t i; (i = atomic_fetch_add(&j->next_kernel, 1)) < j->app->n_kernels &&
			 i < atomic_load(&j->failed_kernel);)
		if (counter_read(c, list, j->cmd[i], &j->app->kernel[i], &f) < 0)
			record_first_failure(j, i, &f);
	counter_free(c);
}

/*
 * Reads kernels on one thread. An open packed stream has only one table of static instructions. Each thread
 * therefore opens the stream separately.
 */
static void *read_kernels_thread(void *arg)
{
	struct reading_job *j = arg;
	struct klist own;
	struct fault f;

	if (!j->app->list.pack) {
		read_features_from(j, &j->app->list);
		return NULL;
	}
	if (klist_read(&own, j->path, &f) < 0)
		record_first_failure(j, 0, &f);
	else
		read_features_from(j, &own);
	klist_free(&own);
	return NULL;
}

/*
 * Returns the number of threads to use. It is one for a pipe, whose kernels can only be read in order. It is
 * also one for a stream with a directory, because reading the directory is faster than opening the stream
 * again.
 */
static unsigned choose_thread_count(
	const struct app *a, const char *path, enum pick_depth depth, unsigned threads)
{
	if (a->list.pack &&
		(!pack_has_signature(path) || (depth <= READ_COUNTS && pack_has_directory(a->list.pack))))
		return 1;
	return threads < a->n_kernels ? threads : a->n_kernels;
}

/* Sets cmd to the commands of the selected kernels that exist, and warns about the missing ones. */
static void select_kernels(struct app *a, uint32_t *cmd)
{
	for (uint32_t i = 0; i < a->list.n_cmds; i++) {
		const struct command *c = &a->list.cmd[i];

		if (c->kind != CMD_KERNEL || !kselect_may_select(a->select, c->position))
			continue;
		if (a->skip_missing && klist_missing(&a->list, i))
			klist_skip(&a->skipped, i);
		else
			cmd[a->n_kernels++] = i;
	}
	klist_warn_skipped(&a->list, &a->skipped);
	if (!a->n_kernels && a->skipped.n)
		die_at((struct place){a->list.path, 0, 0}, "every selected kernel is missing");
}

/* Removes kernels whose names -k does not select. */
static void remove_unselected_kernels(struct app *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++)
		if (a->kernel[i].left_out)
			free(a->kernel[i].name);
		else
			a->kernel[n++] = a->kernel[i];
	a->n_kernels = n;
}

void features_read(struct app *a, const char *path, enum pick_depth reading, unsigned threads)
{
	struct reading_job j = {
		.app = a, .path = path, .reading = reading, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct isa *isa = isa_new();
	struct fault f;

	if (klist_read(&a->list, path, &f) < 0)
		die_fault(&f);
	a->n_listed = a->list.n_kernels;
	if (!a->n_listed)
		die_at((struct place){a->list.path, 0, 0}, "no kernels in the list");
	j.cmd = xmalloc(a->n_listed * sizeof(*j.cmd));
	select_kernels(a, j.cmd);
	a->kernel = xcalloc(a->n_kernels + 1, sizeof(*a->kernel));
	j.isa = isa;
	atomic_init(&j.failed_kernel, a->n_kernels);
	threads = choose_thread_count(a, path, reading, threads);
	struct crew *crew = crew_start(threads ? threads - 1 : 0, read_kernels_thread, &j);

	read_features_from(&j, &a->list);
	crew_join(crew);
	if (atomic_load(&j.failed_kernel) < a->n_kernels)
		die_fault(&j.fault);
	remove_unselected_kernels(a);
	if (!a->n_kernels)
		die_at((struct place){a->list.path, 0, 0}, "-k selects none of %u kernel%s", a->n_listed,
			a->n_listed == 1 ? "" : "s");
	kselect_warn_beyond(a->select, a->n_listed);
	free(j.cmd);
	isa_free(isa);
}

void features_free(struct app *a)
{
	for (uint32_t i = 0; i < a->n_kernels; i++)
		free(a->kernel[i].name);
	free(a->kernel);
	klist_free(&a->list);
}
