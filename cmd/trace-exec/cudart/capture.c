/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stream capture: streams that record their calls as the nodes of a graph.
 *
 * A recording has a branch for each of its streams, and for each event that was recorded on one of them. A
 * branch holds the last nodes of its stream. A call on the stream becomes a node that depends on them. A stream
 * joins a recording when it waits for one of its events. Always true: a recording in which an error occurred is
 * broken, and calls on its streams fail until the program ends it.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/graph.h"

enum capture_mode { MODE_GLOBAL, MODE_THREAD, MODE_RELAXED };

struct stream_capture {
	struct stream_capture *next;
	struct cuda_graph *graph;
	const struct stream *origin;
	unsigned long long id;
	pthread_t thread;
	int mode;
	bool broken;
	bool extends;      /* the capture adds nodes to a graph that the program built */
	uint32_t n_before; /* number of nodes in the graph before the capture */
};

struct branch {
	struct branch *next;
	const void *owner; /* stream or event that the branch belongs to */
	bool is_event;
	struct stream_capture *recording; /* NULL: an event whose recording has ended */
	struct graph_node **last_nodes;
	uint32_t n_last_nodes, cap_last_nodes;
};

static struct stream_capture *recordings;
static struct branch *branches;
static unsigned long long n_recordings;
static _Thread_local int thread_mode = MODE_GLOBAL;

static struct branch *find_branch(const void *owner)
{
	for (struct branch *b = branches; b; b = b->next)
		if (b->owner == owner)
			return b;
	return NULL;
}

static struct branch *find_or_add_branch(const void *owner, bool is_event)
{
	struct branch *b = find_branch(owner);

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		*b = (struct branch){.next = branches, .owner = owner, .is_event = is_event};
		branches = b;
	}
	return b;
}

void capture_forget_owner(const void *owner)
{
	for (struct branch **i = &branches; *i; i = &(*i)->next)
		if ((*i)->owner == owner) {
			struct branch *b = *i;

			/*
			 * Streams other than the origin need no check: cudaStreamEndCapture() reports a stream
			 * that did not join.
			 */
			if (b->recording && b->recording->origin == owner)
				b->recording->broken = true;
			*i = b->next;
			free(b->last_nodes);
			free(b);
			return;
		}
}

static bool is_last_node(const struct branch *b, const struct graph_node *n)
{
	for (uint32_t i = 0; i < b->n_last_nodes; i++)
		if (b->last_nodes[i] == n)
			return true;
	return false;
}

static void append_last_node(struct branch *b, struct graph_node *n)
{
	if (is_last_node(b, n))
		return;
	grow(&b->last_nodes, &b->cap_last_nodes, b->n_last_nodes + 1, sizeof(struct graph_node *));
	b->last_nodes[b->n_last_nodes++] = n;
}

/* ---- functions for other files ---- */

static bool is_legacy_stream(const struct stream *s) { return (uintptr_t)s <= 1; }

bool capture_blocks_work(const struct stream *s, int *status)
{
	struct branch *b = find_branch(s);

	*status = cudaSuccess;
	if (!is_legacy_stream(s)) {
		if (b && b->recording && b->recording->broken)
			*status = cudaErrorStreamCaptureInvalidated;
		return b && b->recording;
	}
	/* The legacy stream waits for all blocking streams. */
	for (struct branch *i = branches; i; i = i->next)
		if (i->recording && !i->is_event && cudart_is_stream_blocking(i->owner)) {
			i->recording->broken = true;
			*status = cudaErrorStreamCaptureImplicit;
		}
	return *status;
}

int capture_break_recording(const struct stream *s)
{
	find_branch(s)->recording->broken = true;
	return cudaErrorStreamCaptureUnsupported;
}

int capture_break_all(void)
{
	for (struct stream_capture *r = recordings; r; r = r->next)
		r->broken = true;
	return recordings ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

int capture_reject_call(const struct stream *s, const char *what)
{
	int e;

	if (!capture_blocks_work(s, &e) || e)
		return e;
	find_branch(s)->recording->broken = true;
	return cudart_unsupported(what, "in a stream that records");
}

int capture_check_forbidden(void)
{
	int e = cudaSuccess;

	for (struct stream_capture *r = recordings; r; r = r->next)
		if ((r->mode == MODE_GLOBAL && thread_mode == MODE_GLOBAL) ||
			(r->mode == MODE_THREAD && thread_mode != MODE_RELAXED &&
				pthread_equal(r->thread, pthread_self()))) {
			r->broken = true;
			e = cudaErrorStreamCaptureUnsupported;
		}
	return e;
}

int capture_add_work(const struct stream *s, const struct graph_work *w)
{
	struct branch *b = find_branch(s);
	struct graph_node *n;
	int e = graph_add_node(b->recording->graph, b->last_nodes, b->n_last_nodes, w, &n);

	if (e) {
		b->recording->broken = true;
		return e;
	}
	b->n_last_nodes = 0;
	append_last_node(b, n);
	return cudaSuccess;
}

bool capture_record_event(const struct event *event, const struct stream *s, int *status)
{
	struct branch *b, *to;

	if (!capture_blocks_work(s, status)) {
		capture_forget_owner(event);
		return false;
	}
	if (*status)
		return true;
	to = find_or_add_branch(event, true);
	b = find_branch(s);
	to->recording = b->recording;
	to->n_last_nodes = 0;
	for (uint32_t i = 0; i < b->n_last_nodes; i++)
		append_last_node(to, b->last_nodes[i]);
	return true;
}

bool capture_wait_event(const struct event *event, const struct stream *s, int *status)
{
	struct branch *from = find_branch(event), *b = find_branch(s);
	bool records = capture_blocks_work(s, status);

	if (*status || (!records && !from))
		return *status || records;
	if (!from || !from->recording) {
		/* The event was recorded outside of this capture, or its capture has ended. */
		if (records)
			b->recording->broken = true;
		*status = from ? cudaErrorCapturedEvent : cudaErrorStreamCaptureIsolation;
		return true;
	}
	if (is_legacy_stream(s))
		*status = cudaErrorStreamCaptureImplicit;
	else if (records && b->recording != from->recording)
		*status = cudaErrorStreamCaptureMerge;
	if (*status) {
		from->recording->broken = true;
		return true;
	}
	b = find_or_add_branch(s, false);
	b->recording = from->recording;
	for (uint32_t i = 0; i < from->n_last_nodes; i++)
		append_last_node(b, from->last_nodes[i]);
	return true;
}

bool capture_has_event(const struct event *event) { return find_branch(event); }

/* ---- the program's calls ---- */

/*
 * Begins a capture into g, after the n nodes in `after`, or into a new graph if g is NULL. Returns 0 or a
 * status.
 */
static int begin_stream_capture(
	struct stream *s, struct cuda_graph *g, struct graph_node *const *after, size_t n, int mode)
{
	int e = cudart_enter(false);
	struct stream_capture *r;
	struct branch *b;

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (mode < MODE_GLOBAL || mode > MODE_RELAXED))
		e = cudaErrorInvalidValue;
	if (!e && is_legacy_stream(s))
		e = cudaErrorStreamCaptureUnsupported;
	if (!e && find_branch(s) && find_branch(s)->recording)
		e = cudaErrorIllegalState;
	for (size_t i = 0; i < n && !e; i++)
		if (!g || !after || !graph_has_node(g, after[i]))
			e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	r = xcalloc(1, sizeof(*r));
	*r = (struct stream_capture){recordings, g ? g : graph_new(), s, ++n_recordings, pthread_self(), mode,
		false, g != NULL, g ? g->n_nodes : 0};
	recordings = r;
	b = find_or_add_branch(s, false);
	b->recording = r;
	for (size_t i = 0; i < n; i++)
		append_last_node(b, after[i]);
	return cudart_leave(cudaSuccess);
}

API(int, cudaStreamBeginCapture, struct stream *s, int mode)
{
	return begin_stream_capture(s, NULL, NULL, 0, mode);
}
ALSO(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

/* Edge data is ignored. */
API(int, cudaStreamBeginCaptureToGraph, struct stream *s, struct cuda_graph *g,
	struct graph_node *const *after, const void *data, size_t n, int mode)
{
	(void)data;
	return graph_exists(g) ? begin_stream_capture(s, g, after, n, mode)
			       : cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
}
ALSO(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

/* Adds nodes to the last nodes of a recording stream; replaces these if flags is 1. Returns 0 or a status. */
static int change_last_nodes(const struct stream *s, struct graph_node *const *node, size_t n, unsigned flags)
{
	int e = cudart_enter(false), broken;
	struct branch *b = find_branch(s);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (flags > 1 || (n && !node)))
		e = cudaErrorInvalidValue;
	if (!e && !capture_blocks_work(s, &broken))
		e = cudaErrorIllegalState;
	else if (!e)
		e = broken;
	for (size_t i = 0; i < n && !e; i++)
		if (!graph_has_node(b->recording->graph, node[i]))
			e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	if (flags == 1)
		b->n_last_nodes = 0;
	for (size_t i = 0; i < n; i++)
		append_last_node(b, node[i]);
	return cudart_leave(cudaSuccess);
}

API(int, cudaStreamUpdateCaptureDependencies_v2, struct stream *s, struct graph_node *const *node,
	const void *data, size_t n, unsigned flags)
{
	(void)data;
	return change_last_nodes(s, node, n, flags);
}

/* Before release 13 the function has no argument for the data of edges. */
API(int, cudaStreamUpdateCaptureDependencies, struct stream *s, struct graph_node *const *node,
	uintptr_t third, size_t fourth, unsigned fifth)
{
	return cudart_runtime_release() < 13 ? change_last_nodes(s, node, third, (unsigned)fourth)
					     : change_last_nodes(s, node, fourth, fifth);
}
ALSO(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies);

/*
 * Returns true if every recorded node is a last node of the origin stream or has a later node that depends on
 * it.
 */
static bool are_branches_joined(const struct stream_capture *r, const struct branch *origin)
{
	const struct cuda_graph *g = r->graph;

	for (uint32_t i = r->n_before; i < g->n_nodes; i++) {
		bool leads = is_last_node(origin, g->node[i]);

		for (uint32_t k = i + 1; k < g->n_nodes && !leads; k++)
			for (uint32_t a = 0; a < g->node[k]->n_after; a++)
				leads |= g->node[k]->dependencies[a] == g->node[i];
		if (!leads)
			return false;
	}
	return true;
}

/* Detaches the streams of a capture. Its events stay recorded. */
static void end_recording(struct stream_capture *r)
{
	for (struct branch **i = &branches; *i;) {
		struct branch *b = *i;

		if (b->recording == r && !b->is_event) {
			*i = b->next;
			free(b->last_nodes);
			free(b);
			continue;
		}
		if (b->recording == r) {
			b->recording = NULL;
			b->n_last_nodes = 0;
		}
		i = &b->next;
	}
	for (struct stream_capture **i = &recordings; *i; i = &(*i)->next)
		if (*i == r) {
			*i = r->next;
			break;
		}
	free(r);
}

/* `to` may be NULL when the capture extends a graph of the program. */
API(int, cudaStreamEndCapture, struct stream *s, struct cuda_graph **to)
{
	int e = cudart_enter(false);
	struct branch *b = find_branch(s);
	struct stream_capture *r = b ? b->recording : NULL;

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && !to && !(r && r->extends))
		e = cudaErrorInvalidValue;
	if (!e && !r)
		e = cudaErrorIllegalState;
	if (e)
		return cudart_leave(e);
	if (to)
		*to = NULL;
	if (r->origin != s)
		e = cudaErrorStreamCaptureUnmatched;
	else if (r->mode != MODE_RELAXED && !pthread_equal(r->thread, pthread_self()))
		e = cudaErrorStreamCaptureWrongThread;
	if (e) {
		r->broken = true;
		return cudart_leave(e);
	}
	if (r->broken)
		e = cudaErrorStreamCaptureInvalidated;
	else if (!are_branches_joined(r, b))
		e = cudaErrorStreamCaptureUnjoined;
	if (e && !r->extends)
		graph_free(r->graph);
	else if (!e && to)
		*to = r->graph;
	end_recording(r);
	return cudart_leave(e);
}
ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

/* Returns the state of a stream: 0: it does not record; 1: it records; 2: its recording is broken. */
static int stream_capture_status(const struct stream *s)
{
	const struct branch *b = find_branch(s);

	return b && b->recording ? 1 + b->recording->broken : 0;
}

API(int, cudaStreamIsCapturing, struct stream *s, int *to)
{
	int e = cudart_enter(false);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = stream_capture_status(s);
	return cudart_leave(e);
}
ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

API(int, cudaStreamGetCaptureInfo_v2, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, size_t *n_last)
{
	int e = cudart_enter(false);
	const struct branch *b = find_branch(s);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	*to = stream_capture_status(s);
	if (*to && id)
		*id = b->recording->id;
	if (*to && graph)
		*graph = b->recording->graph;
	if (*to && last)
		*last = b->last_nodes;
	if (*to && n_last)
		*n_last = b->n_last_nodes;
	return cudart_leave(cudaSuccess);
}
ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);

/* Edges have no data: *data is NULL. */
API(int, cudaStreamGetCaptureInfo_v3, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, const void **data, size_t *n_last)
{
	if (data)
		*data = NULL;
	return cudaStreamGetCaptureInfo_v2(s, to, id, graph, last, n_last);
}
ALSO(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);

/* Before release 13 the function has no parameter for edge data. */
API(int, cudaStreamGetCaptureInfo, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, const void **data, size_t *n_last)
{
	return cudart_runtime_release() < 13
		       ? cudaStreamGetCaptureInfo_v2(s, to, id, NULL, NULL, NULL)
		       : cudaStreamGetCaptureInfo_v3(s, to, id, graph, last, data, n_last);
}
ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);

API(int, cudaThreadExchangeStreamCaptureMode, int *mode)
{
	int e = cudart_enter(false), before = thread_mode;

	if (!e && (!mode || *mode < MODE_GLOBAL || *mode > MODE_RELAXED))
		e = cudaErrorInvalidValue;
	if (!e) {
		thread_mode = *mode;
		*mode = before;
	}
	return cudart_leave(e);
}
