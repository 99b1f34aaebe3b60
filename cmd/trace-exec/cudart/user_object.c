/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User objects: data of the program with a counter of references and a destructor. Graphs hold references, so
 * that the data exist as long as a graph that uses them, or an instance of it.
 *
 * Always true: a destructor runs after the call that dropped the last reference, without the lock, because it may
 * wait for a thread that calls the runtime.
 */
#include <limits.h>
#include <stdlib.h>
#include "arena.h"
#include "cudart/graph.h"

enum { FLAG_NO_SYNC = 1, FLAG_MOVE = 1 };

struct user_object {
	struct user_object *next;
	void *data;
	void (*destroy)(void *);
	uint64_t program_references; /* references of the program */
	uint64_t graph_references;   /* references of graphs */
};

static struct user_object *objects;
static struct user_object *dead; /* objects without references, whose destructors have not run */

static bool user_object_exists(const struct user_object *o)
{
	for (const struct user_object *i = objects; i; i = i->next)
		if (i == o)
			return true;
	return false;
}

static bool is_reference_count(unsigned n) { return n && n <= INT_MAX; }

/* Moves an object without references to the list of dead objects. */
static void bury_user_object(struct user_object *o)
{
	if (o->program_references || o->graph_references)
		return;
	for (struct user_object **i = &objects; *i; i = &(*i)->next)
		if (*i == o) {
			*i = o->next;
			break;
		}
	o->next = dead;
	dead = o;
}

struct user_object *user_object_take_dead(void)
{
	struct user_object *o = dead;

	dead = NULL;
	return o;
}

void user_object_destroy(struct user_object *o)
{
	while (o) {
		struct user_object *next = o->next;

		o->destroy(o->data);
		free(o);
		o = next;
	}
}

/* ---- references of graphs ---- */

static struct held_object *find_held_object(const struct cuda_graph *g, const struct user_object *o)
{
	for (uint32_t i = 0; i < g->n_held; i++)
		if (g->held_objects[i].object == o)
			return &g->held_objects[i];
	return NULL;
}

static void hold_user_object(struct cuda_graph *g, struct user_object *o, uint64_t n)
{
	struct held_object *h = find_held_object(g, o);

	if (!h) {
		grow(&g->held_objects, &g->cap_held, g->n_held + 1, sizeof(*g->held_objects));
		h = &g->held_objects[g->n_held++];
		*h = (struct held_object){.object = o};
	}
	h->references += n;
	o->graph_references += n;
}

static void drop_held_object(struct held_object *h, uint64_t n)
{
	h->references -= n;
	h->object->graph_references -= n;
	bury_user_object(h->object);
}

void user_object_copy_references(struct cuda_graph *to, const struct cuda_graph *from)
{
	for (uint32_t i = 0; i < from->n_held; i++)
		hold_user_object(to, from->held_objects[i].object, from->held_objects[i].references);
}

void user_object_drop_references(struct cuda_graph *g)
{
	for (uint32_t i = 0; i < g->n_held; i++)
		drop_held_object(&g->held_objects[i], g->held_objects[i].references);
	free(g->held_objects);
}

/* ---- the program's calls ---- */

API(int, cudaUserObjectCreate, struct user_object **to, void *data, void (*destroy)(void *), unsigned n,
	unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && (!to || !destroy || !is_reference_count(n) || flags != FLAG_NO_SYNC))
		e = cudaErrorInvalidValue;
	if (!e) {
		struct user_object *o = xcalloc(1, sizeof(*o));

		*o = (struct user_object){objects, data, destroy, n, 0};
		*to = objects = o;
	}
	return cudart_leave(e);
}

API(int, cudaUserObjectRetain, struct user_object *o, unsigned n)
{
	int e = cudart_enter(false);

	if (!e && (!user_object_exists(o) || !is_reference_count(n)))
		e = cudaErrorInvalidValue;
	if (!e)
		o->program_references += n;
	return cudart_leave(e);
}

API(int, cudaUserObjectRelease, struct user_object *o, unsigned n)
{
	int e = cudart_enter(false);

	if (!e && (!user_object_exists(o) || !is_reference_count(n) || n > o->program_references))
		e = cudaErrorInvalidValue;
	if (!e) {
		o->program_references -= n;
		bury_user_object(o);
	}
	return cudart_leave(e);
}

API(int, cudaGraphRetainUserObject, struct cuda_graph *g, struct user_object *o, unsigned n, unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && (!graph_exists(g) || !user_object_exists(o) || !is_reference_count(n) ||
			  flags > FLAG_MOVE || (flags == FLAG_MOVE && n > o->program_references)))
		e = cudaErrorInvalidValue;
	if (!e) {
		hold_user_object(g, o, n);
		o->program_references -= flags == FLAG_MOVE ? n : 0;
	}
	return cudart_leave(e);
}

API(int, cudaGraphReleaseUserObject, struct cuda_graph *g, struct user_object *o, unsigned n)
{
	int e = cudart_enter(false);
	struct held_object *h = NULL;

	if (!e && (!graph_exists(g) || !is_reference_count(n) || !(h = find_held_object(g, o)) ||
			  n > h->references))
		e = cudaErrorInvalidValue;
	if (!e) {
		drop_held_object(h, n);
		if (!h->references)
			*h = g->held_objects[--g->n_held];
	}
	return cudart_leave(e);
}
