/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams that record what they are asked into a graph.
 *
 * A recording has branches: each stream that takes part, and each event recorded by one of them, knows the
 * nodes that come last on it. What a stream is asked becomes a node behind its last ones; a stream that waits
 * for an event takes part from then on. Always true: a recording that met an error is broken, and says so
 * until it is ended.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/graph.h"

enum capture_mode { MODE_GLOBAL, MODE_THREAD, MODE_RELAXED };

struct recording_of {
	struct recording_of *next;
	struct cuda_graph *graph;
	const struct stream *origin;
	unsigned long long id;
	pthread_t thread;
	int mode;
	bool broken;
};

struct branch {
	struct branch *next;
	const void *of; /* a stream or an event */
	bool is_event;
	struct recording_of *in; /* NULL: of an event whose recording has ended */
	struct graph_node **last;
	uint32_t n_last, cap_last;
};

static struct recording_of *recordings;
static struct branch *branches;
static unsigned long long n_recordings;
static _Thread_local int thread_mode = MODE_GLOBAL;

static struct branch *find(const void *of)
{
	for (struct branch *b = branches; b; b = b->next)
		if (b->of == of)
			return b;
	return NULL;
}

static struct branch *branch_of(const void *of, bool is_event)
{
	struct branch *b = find(of);

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		*b = (struct branch){.next = branches, .of = of, .is_event = is_event};
		branches = b;
	}
	return b;
}

void capture_forget(const void *of)
{
	for (struct branch **i = &branches; *i; i = &(*i)->next)
		if ((*i)->of == of) {
			struct branch *b = *i;

			if (b->in && !b->is_event)
				b->in->broken = true;
			*i = b->next;
			free(b->last);
			free(b);
			return;
		}
}

static bool is_last(const struct branch *b, const struct graph_node *n)
{
	for (uint32_t i = 0; i < b->n_last; i++)
		if (b->last[i] == n)
			return true;
	return false;
}

static void append(struct branch *b, struct graph_node *n)
{
	if (is_last(b, n))
		return;
	grow(&b->last, &b->cap_last, b->n_last + 1, sizeof(struct graph_node *));
	b->last[b->n_last++] = n;
}

/* ---- what the other calls ask ---- */

static bool is_legacy(const struct stream *s) { return (uintptr_t)s <= 1; }

bool capture_blocks(const struct stream *s, int *status)
{
	struct branch *b = find(s);

	*status = cudaSuccess;
	if (!is_legacy(s)) {
		if (b && b->in && b->in->broken)
			*status = cudaErrorStreamCaptureInvalidated;
		return b && b->in;
	}
	/* The legacy stream waits for all others but those that do not block. */
	for (struct branch *i = branches; i; i = i->next)
		if (i->in && !i->is_event && cudart_stream_blocks(i->of)) {
			i->in->broken = true;
			*status = cudaErrorStreamCaptureImplicit;
		}
	return *status;
}

int capture_break(const struct stream *s)
{
	find(s)->in->broken = true;
	return cudaErrorStreamCaptureUnsupported;
}

int capture_rejects(const struct stream *s, const char *what)
{
	int e;

	if (!capture_blocks(s, &e) || e)
		return e;
	find(s)->in->broken = true;
	return cudart_unsupported(what, "in a stream that records");
}

int capture_forbids(void)
{
	int e = cudaSuccess;

	for (struct recording_of *r = recordings; r; r = r->next)
		if ((r->mode == MODE_GLOBAL && thread_mode == MODE_GLOBAL) ||
			(r->mode == MODE_THREAD && thread_mode != MODE_RELAXED &&
				pthread_equal(r->thread, pthread_self()))) {
			r->broken = true;
			e = cudaErrorStreamCaptureUnsupported;
		}
	return e;
}

int capture_add(const struct stream *s, const struct graph_work *w)
{
	struct branch *b = find(s);
	struct graph_node *n;
	int e = graph_add(b->in->graph, b->last, b->n_last, w, &n);

	if (e) {
		b->in->broken = true;
		return e;
	}
	b->n_last = 0;
	append(b, n);
	return cudaSuccess;
}

bool capture_record(const struct event *event, const struct stream *s, int *status)
{
	struct branch *b, *at;

	if (!capture_blocks(s, status)) {
		capture_forget(event);
		return false;
	}
	if (*status)
		return true;
	at = branch_of(event, true);
	b = find(s);
	at->in = b->in;
	at->n_last = 0;
	for (uint32_t i = 0; i < b->n_last; i++)
		append(at, b->last[i]);
	return true;
}

bool capture_wait(const struct event *event, const struct stream *s, int *status)
{
	struct branch *at = find(event), *b = find(s);
	bool records = capture_blocks(s, status);

	if (*status || (!records && !at))
		return *status || records;
	if (!at || !at->in) {
		/* The event was recorded outside of this capture, or its capture has ended. */
		if (records)
			b->in->broken = true;
		*status = at ? cudaErrorCapturedEvent : cudaErrorStreamCaptureIsolation;
		return true;
	}
	if (is_legacy(s))
		*status = cudaErrorStreamCaptureImplicit;
	else if (records && b->in != at->in)
		*status = cudaErrorStreamCaptureMerge;
	if (*status) {
		at->in->broken = true;
		return true;
	}
	b = branch_of(s, false);
	b->in = at->in;
	for (uint32_t i = 0; i < at->n_last; i++)
		append(b, at->last[i]);
	return true;
}

bool capture_has_event(const struct event *event) { return find(event); }

/* ---- the program's calls ---- */

API(int, cudaStreamBeginCapture, struct stream *s, int mode)
{
	int e = cudart_enter(false);
	struct recording_of *r;

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (mode < MODE_GLOBAL || mode > MODE_RELAXED))
		e = cudaErrorInvalidValue;
	if (!e && is_legacy(s))
		e = cudaErrorStreamCaptureUnsupported;
	if (!e && find(s) && find(s)->in)
		e = cudaErrorIllegalState;
	if (e)
		return cudart_leave(e);
	r = xcalloc(1, sizeof(*r));
	*r = (struct recording_of){recordings, graph_new(), s, ++n_recordings, pthread_self(), mode, false};
	recordings = r;
	branch_of(s, false)->in = r;
	return cudart_leave(cudaSuccess);
}
ALSO(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

/* Does every node lead to the origin's last ones? */
static bool is_joined(const struct recording_of *r, const struct branch *origin)
{
	const struct cuda_graph *g = r->graph;

	for (uint32_t i = 0; i < g->n_nodes; i++) {
		bool leads = is_last(origin, g->node[i]);

		for (uint32_t k = i + 1; k < g->n_nodes && !leads; k++)
			for (uint32_t a = 0; a < g->node[k]->n_after; a++)
				leads |= g->node[k]->after[a] == g->node[i];
		if (!leads)
			return false;
	}
	return true;
}

/* Detaches the streams of a capture. Its events stay recorded. */
static void end(struct recording_of *r)
{
	for (struct branch **i = &branches; *i;) {
		struct branch *b = *i;

		if (b->in == r && !b->is_event) {
			*i = b->next;
			free(b->last);
			free(b);
			continue;
		}
		if (b->in == r) {
			b->in = NULL;
			b->n_last = 0;
		}
		i = &b->next;
	}
	for (struct recording_of **i = &recordings; *i; i = &(*i)->next)
		if (*i == r) {
			*i = r->next;
			break;
		}
	free(r);
}

API(int, cudaStreamEndCapture, struct stream *s, struct cuda_graph **to)
{
	int e = cudart_enter(false);
	struct branch *b = find(s);
	struct recording_of *r = b ? b->in : NULL;

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!to || !r))
		e = to ? cudaErrorIllegalState : cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
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
	else if (!is_joined(r, b))
		e = cudaErrorStreamCaptureUnjoined;
	if (e)
		graph_free(r->graph);
	else
		*to = r->graph;
	end(r);
	return cudart_leave(e);
}
ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

/* 0: it does not record; 1: it does; 2: what it recorded is broken. */
static int state(const struct stream *s)
{
	const struct branch *b = find(s);

	return b && b->in ? 1 + b->in->broken : 0;
}

API(int, cudaStreamIsCapturing, struct stream *s, int *to)
{
	int e = cudart_enter(false);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = state(s);
	return cudart_leave(e);
}
ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

API(int, cudaStreamGetCaptureInfo_v2, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, size_t *n_last)
{
	int e = cudart_enter(false);
	const struct branch *b = find(s);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	*to = state(s);
	if (*to && id)
		*id = b->in->id;
	if (*to && graph)
		*graph = b->in->graph;
	if (*to && last)
		*last = b->last;
	if (*to && n_last)
		*n_last = b->n_last;
	return cudart_leave(cudaSuccess);
}
ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);

/* Edges have no data: the program gets NULL for it. */
API(int, cudaStreamGetCaptureInfo_v3, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, const void **data, size_t *n_last)
{
	if (data)
		*data = NULL;
	return cudaStreamGetCaptureInfo_v2(s, to, id, graph, last, n_last);
}
ALSO(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);

/* Before release 13 without what stands behind the number. */
API(int, cudaStreamGetCaptureInfo, struct stream *s, int *to, unsigned long long *id,
	struct cuda_graph **graph, struct graph_node *const **last, const void **data, size_t *n_last)
{
	return cudart_runtime_release() < 13 ? cudaStreamGetCaptureInfo_v2(s, to, id, NULL, NULL, NULL)
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
