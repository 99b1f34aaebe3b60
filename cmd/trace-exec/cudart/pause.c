/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches that wait for the host or for other launches, and the work that is queued after them.
 *
 * A launch pauses if all its blocks wait and one of them waits for a write to a buffer. Its call returns, and
 * the program may write to the buffer, copy to it, or launch a kernel on another stream that writes to it. A
 * thread of the library, and calls that wait for the stream, test whether the launch can continue. Work that a
 * GPU would execute after the launch is queued.
 *
 * Always true: tasks are in the order in which the program asked for them. A task begins when no earlier task is on the
 * same stream, on a stream that waits for the other as the legacy stream does, or records the event that it waits for.
 */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include "arena.h"
#include "cudart/pause.h"

#define LOOK_NS 1000000 /* time between two tests of a launch that waits, in nanoseconds */
/* number of tests after which a launch fails, if another thread of the program may release it */
#define PATIENCE 20000u

struct task {
	struct task *next;
	struct stream *stream;
	struct begun_launch *launch; /* launch that is paused; NULL: the task's work has not begun */
	/* graph whose only node is the rest of the work; NULL: only the launch is left */
	struct cuda_graph *work;
	bool running;
};

static struct task *tasks;   /* all tasks, oldest first */
static struct task *current; /* task whose work begin_task_work() is starting */
/* where pause_queue_work() inserts the rest of that work; NULL: at the end of the list */
static struct task **place;
static bool is_watched; /* a thread runs watch_tasks() */

bool pause_has_tasks(void) { return tasks; }

static bool is_legacy_default_stream(const struct stream *s) { return (uintptr_t)s <= 1; }

/* Returns true if work on one stream waits for earlier work on the other. */
static bool are_streams_ordered(const struct stream *a, const struct stream *b)
{
	return cudart_stream_number(a) == cudart_stream_number(b) ||
	       (is_legacy_default_stream(a) && cudart_is_stream_blocking(b)) ||
	       (is_legacy_default_stream(b) && cudart_is_stream_blocking(a));
}

static const struct graph_work *work_of_task(const struct task *t)
{
	return t->work && !t->launch ? &t->work->node[0]->work : NULL;
}

static bool does_task_record_event(const struct task *t, const struct event *event)
{
	const struct graph_work *w = work_of_task(t);

	return w && w->kind == WORK_RECORD && w->event == event;
}

static bool must_task_end_before(const struct task *t, const struct task *later)
{
	const struct graph_work *w = work_of_task(later);

	return are_streams_ordered(t->stream, later->stream) ||
	       (w && w->kind == WORK_WAIT && does_task_record_event(t, w->event));
}

static bool can_task_run(const struct task *t)
{
	if (t->running)
		return false;
	for (const struct task *i = tasks; i != t; i = i->next)
		if (must_task_end_before(i, t))
			return false;
	return true;
}

static struct task *add_task(struct stream *s)
{
	struct task **at = place ? place : &tasks, *t = xcalloc(1, sizeof(*t));

	while (!place && *at)
		at = &(*at)->next;
	*t = (struct task){.next = *at, .stream = s};
	*at = t;
	if (place)
		place = &t->next;
	return t;
}

static void remove_task(struct task *t)
{
	struct task **i = &tasks;

	while (*i != t)
		i = &(*i)->next;
	*i = t->next;
	if (t->work)
		graph_copy_free(t->work);
	free(t);
}

/* Begins the work of a task. If a launch of it pauses, the rest of the work is queued before later tasks. */
static void begin_task_work(struct task *t)
{
	const struct graph_work *w = work_of_task(t);
	int e;

	t->running = true;
	if (w->kind != WORK_HOST) { /* work that a host function queues goes to the end of the list */
		current = t;
		place = &t->next;
	}
	if (w->kind == WORK_GRAPH)
		condition_reset_in_graph(w->child);
	e = work_run(w, t->stream);
	if (e && !cudart.pending)
		cudart.pending = e;
	t->running = false;
	current = NULL;
	place = NULL;
}

/* Executes a task as far as possible. Returns true if the task has ended and was removed. */
static bool run_task(struct task *t, bool pauses)
{
	if (t->launch ? !launch_continue(t->launch, pauses) : (begin_task_work(t), t->launch != NULL))
		return false;
	remove_task(t);
	return true;
}

/* Executes all tasks that can run, each as far as possible. */
static void run_ready_tasks(void)
{
	for (struct task *t = tasks; t;) {
		bool ended = can_task_run(t) && run_task(t, true);

		t = ended ? tasks : t->next;
	}
}

static struct timespec task_poll_interval(void) { return (struct timespec){.tv_nsec = LOOK_NS}; }

static void *watch_tasks(void *unused)
{
	struct timespec t = task_poll_interval();

	(void)unused;
	for (bool more = true; more;) {
		nanosleep(&t, NULL);
		pthread_mutex_lock(&cudart.lock);
		if (!cudart.broken)
			run_ready_tasks();
		more = is_watched = tasks && !cudart.broken;
		pthread_mutex_unlock(&cudart.lock);
	}
	return NULL;
}

void pause_launch(struct begun_launch *l, struct stream *s)
{
	struct task *t = current && !current->launch ? current : add_task(s);
	pthread_t thread;

	t->launch = l;
	if (is_watched || pthread_create(&thread, NULL, watch_tasks, NULL))
		return;
	pthread_detach(thread);
	is_watched = true;
}

bool pause_must_queue(const struct stream *s)
{
	for (struct task **i = &tasks; *i && i != place; i = &(*i)->next)
		if ((*i != current || current->launch) && are_streams_ordered((*i)->stream, s))
			return true;
	return false;
}

int pause_queue_work(struct stream *s, const struct graph_work *w)
{
	struct cuda_graph *g = xcalloc(1, sizeof(*g));
	struct graph_node *n;
	int e = graph_add_node(g, NULL, 0, w, &n);

	if (e)
		graph_copy_free(g);
	else
		add_task(s)->work = g;
	return e;
}

bool pause_has_event(const struct event *event)
{
	for (const struct task *t = tasks; t; t = t->next)
		if (does_task_record_event(t, event))
			return true;
	return false;
}

/* ---- waiting ---- */

/* Work that a call waits for; all queued work if both members are NULL. */
struct awaited {
	const struct stream *const *stream;
	const struct event *event;
};

static bool is_task_awaited(const struct task *t, const struct awaited *a)
{
	return a->event    ? does_task_record_event(t, a->event)
	       : a->stream ? are_streams_ordered(t->stream, *a->stream)
			   : true;
}

/* Returns the first task that must end before t can begin, or t if there is no such task. */
static struct task *first_blocking_task(struct task *t)
{
	struct task *i = tasks;

	while (i != t) {
		bool needed = must_task_end_before(i, t);

		t = needed ? i : t;
		i = needed ? tasks : i->next;
	}
	return t;
}

/* Returns the task that must end next before an awaited task can begin; NULL if no task is awaited. */
static struct task *first_awaited_task(const struct awaited *a)
{
	for (struct task *t = tasks; t; t = t->next)
		if (is_task_awaited(t, a))
			return first_blocking_task(t);
	return NULL;
}

/* Returns true if the program has another thread, which may release a launch. */
static bool has_other_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n > 3u + (unsigned)is_watched; /* entries of the directory: ".", ".." and the current thread */
}

static int wait_for_tasks(struct awaited a)
{
	struct timespec time = task_poll_interval();

	run_ready_tasks();
	for (unsigned looks = 0; first_awaited_task(&a); looks++) {
		struct task *t = first_awaited_task(&a);

		if (!t->running && (looks == PATIENCE || !has_other_threads())) {
			run_task(t, false);
		} else {
			pthread_mutex_unlock(&cudart.lock);
			nanosleep(&time, NULL);
			pthread_mutex_lock(&cudart.lock);
		}
		run_ready_tasks();
	}
	if (cudart.pending)
		cudart.broken = cudart.pending;
	cudart.pending = 0;
	return cudart.broken;
}

int pause_wait_stream(const struct stream *s)
{
	return tasks ? wait_for_tasks((struct awaited){&s, NULL}) : 0;
}

int pause_wait_event(const struct event *event)
{
	return tasks ? wait_for_tasks((struct awaited){NULL, event}) : 0;
}

int pause_wait_all(void) { return tasks ? wait_for_tasks((struct awaited){NULL, NULL}) : 0; }

void pause_report_waiting(void)
{
	char name[200];

	for (const struct task *t = tasks; t; t = t->next)
		if (t->launch) {
			launch_describe(t->launch, name, sizeof(name));
			diag_error(
				NOWHERE, "%s waits for a write to memory, but the program has ended", name);
			cudart_send(WIRE_FAILED, NULL, 0);
		}
}

/* ---- work that is recorded or queued ---- */

bool work_is_kept(const struct stream *s, int *status)
{
	return capture_blocks_work(s, status) || pause_must_queue(s);
}

int work_keep(struct stream *s, const struct graph_work *w)
{
	int e;

	return capture_blocks_work(s, &e) ? e ? e : capture_add_work(s, w) : pause_queue_work(s, w);
}
