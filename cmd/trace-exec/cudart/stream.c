/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams and events.
 *
 * Always true: the default streams have number 0, the others 1, 2 ... in the order of their creation. Work is
 * complete when its call returns, or queued after a launch that waits for the host (pause.c). The time between
 * two events assumes one warp instruction per cycle and SM for the warp instructions executed between them. It
 * is the same in every run; trace-sim simulates the real time.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/pause.h"

/* Attributes of a stream by the runtime's number. */
enum { HINT_WINDOW = 1, HINT_WAIT = 3, HINT_PRIORITY = 8, HINT_DOMAINS, HINT_DOMAIN, HINT_LINKS = 16 };

struct stream {
	struct stream *next;
	uint32_t number;
	unsigned flags;
	int priority;
	struct hint hint[N_HINTS];
	struct cuda_context
		*context; /* context in which the driver created the stream; NULL: the primary one */
};

struct event {
	struct event *next;
	bool recorded;
	unsigned flags;
	uint64_t time; /* warp instructions and moved lines before the event */
};

static struct stream *streams, standard;
static struct event *events;
static uint32_t n_streams;

enum { EVENT_NO_TIMING = 2, EVENT_SHARED = 4, STREAM_NOT_BLOCKING = 1, PRIORITY_MOST = -5 };

int64_t cudart_stream_number(const struct stream *s)
{
	if (cudart_is_default_stream(s))
		return 0;
	for (const struct stream *i = streams; i; i = i->next)
		if (i == s)
			return i->number;
	return -1;
}

void cudart_set_stream_context(struct stream *s, struct cuda_context *c) { s->context = c; }

struct cuda_context *cudart_stream_context(const struct stream *s) { return s->context; }

bool cudart_is_event(const struct event *e)
{
	for (const struct event *i = events; i; i = i->next)
		if (i == e)
			return true;
	return false;
}

bool cudart_is_shared_event(const struct event *e) { return cudart_is_event(e) && e->flags & EVENT_SHARED; }

/* ---- streams ---- */

bool cudart_is_stream_blocking(const struct stream *s)
{
	return (uintptr_t)s <= 2 || !(s->flags & STREAM_NOT_BLOCKING);
}

static int begin_stream_call(struct stream *s, bool wait)
{
	int e = cudart_enter(wait);

	return e ? e : cudart_stream_number(s) < 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

API(int, cudaStreamCreateWithPriority, struct stream **to, unsigned flags, int priority)
{
	int e = cudart_enter(false);

	if (!e && (!to || flags > 1))
		e = cudaErrorInvalidValue;
	if (!e) {
		*to = xcalloc(1, sizeof(**to));
		priority = priority > 0 ? 0 : priority < PRIORITY_MOST ? PRIORITY_MOST : priority;
		**to = (struct stream){
			.next = streams, .number = ++n_streams, .flags = flags, .priority = priority};
		streams = *to;
	}
	return cudart_leave(e);
}

API(int, cudaStreamCreateWithFlags, struct stream **to, unsigned flags)
{
	return cudaStreamCreateWithPriority(to, flags, 0);
}

API(int, cudaStreamCreate, struct stream **to) { return cudaStreamCreateWithPriority(to, 0, 0); }

API(int, cudaStreamDestroy, struct stream *s)
{
	int e = begin_stream_call(s, false);

	if (!e && (uintptr_t)s <= 2)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = pause_wait_stream(s);
	for (struct stream **i = &streams; !e && *i; i = &(*i)->next)
		if (*i == s) {
			*i = s->next;
			capture_forget_owner(s);
			free(s);
			break;
		}
	return cudart_leave(e);
}

/* Waiting for a recording stream is an error and breaks the recording. */
static int begin_idle_stream_call(struct stream *s)
{
	int e = begin_stream_call(s, true);

	if (!e && capture_blocks_work(s, &e) && !e)
		e = capture_break_recording(s);
	return e;
}

API(int, cudaStreamSynchronize, struct stream *s)
{
	int e = begin_idle_stream_call(s);

	return cudart_leave(e ? e : pause_wait_stream(s));
}
ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

API(int, cudaStreamQuery, struct stream *s)
{
	int e = begin_idle_stream_call(s);

	return cudart_leave(e ? e : pause_must_queue(s) ? cudaErrorNotReady : cudaSuccess);
}
ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

API(int, cudaStreamWaitEvent, struct stream *s, struct event *event, unsigned flags)
{
	int e = begin_stream_call(s, false);

	if (!e && flags > 1)
		e = cudaErrorInvalidValue;
	if (!e && !cudart_is_event(event))
		e = cudaErrorInvalidResourceHandle;
	if (!e && !capture_wait_event(event, s, &e) && pause_has_event(event))
		e = pause_queue_work(s, &(struct graph_work){.kind = WORK_WAIT, .event = event});
	return cudart_leave(e);
}
ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

/* Defines a query of a stream, which stores `value` in *answer. */
#define ANSWER(name, type, value) \
	API(int, name, struct stream *s, type *answer) \
	{ \
		int e = begin_stream_call(s, false); \
\
		if (!e && !answer) \
			e = cudaErrorInvalidValue; \
		if (!e) \
			*answer = (value); \
		return cudart_leave(e); \
	} \
	ALSO(name##_ptsz, name)

ANSWER(cudaStreamGetFlags, unsigned, cudart_is_default_stream(s) ? 0 : s->flags);
ANSWER(cudaStreamGetPriority, int, cudart_is_default_stream(s) ? 0 : s->priority);
ANSWER(cudaStreamGetId, unsigned long long, (unsigned long long)cudart_stream_number(s));
ANSWER(cudaStreamGetDevice, int, 0);
#undef ANSWER

static struct hint *find_stream_hint(struct stream *s, int id)
{
	return cudart_is_default_stream(s) ? &standard.hint[id] : &s->hint[id];
}

static int begin_hint_call(struct stream *s, int id, const void *value)
{
	int e = begin_stream_call(s, false);

	if (!e && (!value || (id != HINT_WINDOW && id != HINT_WAIT && id != HINT_LINKS &&
				     (id < HINT_PRIORITY || id > HINT_DOMAIN))))
		e = cudaErrorInvalidValue;
	return e;
}

API(int, cudaStreamSetAttribute, struct stream *s, int id, const struct hint *value)
{
	int e = begin_hint_call(s, id, value);

	if (!e && id == HINT_PRIORITY && (uintptr_t)s > 2)
		memcpy(&s->priority, value, sizeof(s->priority));
	else if (!e)
		*find_stream_hint(s, id) = *value;
	return cudart_leave(e);
}
ALSO(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

API(int, cudaStreamGetAttribute, struct stream *s, int id, struct hint *value)
{
	int e = begin_hint_call(s, id, value);

	if (!e)
		*value = *find_stream_hint(s, id);
	if (!e && id == HINT_PRIORITY && (uintptr_t)s > 2)
		memcpy(value, &s->priority, sizeof(s->priority));
	return cudart_leave(e);
}
ALSO(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

API(int, cudaStreamCopyAttributes, struct stream *to, struct stream *from)
{
	int e = begin_stream_call(to, false);

	if (!e && cudart_stream_number(from) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		memmove(find_stream_hint(to, 0), find_stream_hint(from, 0), sizeof(standard.hint));
	return cudart_leave(e);
}
ALSO(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

/* ---- events ---- */

API(int, cudaEventCreateWithFlags, struct event **to, unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && (!to || flags > 7 || (flags & EVENT_SHARED && !(flags & EVENT_NO_TIMING))))
		e = cudaErrorInvalidValue;
	if (!e) {
		*to = xcalloc(1, sizeof(**to));
		**to = (struct event){.next = events, .flags = flags};
		events = *to;
	}
	return cudart_leave(e);
}

API(int, cudaEventCreate, struct event **to) { return cudaEventCreateWithFlags(to, 0); }

static int begin_event_call(struct event *event, bool wait)
{
	int e = cudart_enter(wait);

	return e ? e : cudart_is_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

API(int, cudaEventDestroy, struct event *event)
{
	int e = begin_event_call(event, false);

	if (!e)
		e = pause_wait_event(event);
	for (struct event **i = &events; !e && *i; i = &(*i)->next)
		if (*i == event) {
			*i = event->next;
			capture_forget_owner(event);
			free(event);
			break;
		}
	return cudart_leave(e);
}

int work_record_now(struct event *event)
{
	if (!cudart_is_event(event))
		return cudaErrorInvalidResourceHandle;
	event->recorded = true;
	event->time = cudart.warp_insts + cudart.moved_lines;
	return cudaSuccess;
}

int work_record(struct event *event, struct stream *s)
{
	struct graph_work w = {.kind = WORK_RECORD, .event = event};

	if (!cudart_is_event(event) || cudart_stream_number(s) < 0)
		return cudaErrorInvalidResourceHandle;
	return pause_must_queue(s) ? pause_queue_work(s, &w) : work_record_now(event);
}

API(int, cudaEventRecordWithFlags, struct event *event, struct stream *s, unsigned flags)
{
	int e = begin_event_call(event, false);

	if (!e && flags > 1)
		e = cudaErrorInvalidValue;
	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && capture_record_event(event, s, &e))
		return cudart_leave(e);
	return cudart_leave(e ? e : work_record(event, s));
}
ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

API(int, cudaEventRecord, struct event *event, struct stream *s)
{
	return cudaEventRecordWithFlags(event, s, 0);
}
ALSO(cudaEventRecord_ptsz, cudaEventRecord);

/* Begins a call that requires a completed event. An event that was recorded into a graph is rejected. */
static int begin_completed_event_call(struct event *event)
{
	int e = begin_event_call(event, true);

	return e ? e : capture_has_event(event) ? cudaErrorCapturedEvent : cudaSuccess;
}

API(int, cudaEventSynchronize, struct event *event)
{
	int e = begin_completed_event_call(event);

	return cudart_leave(e ? e : pause_wait_event(event));
}

API(int, cudaEventQuery, struct event *event)
{
	int e = begin_completed_event_call(event);

	return cudart_leave(e ? e : pause_has_event(event) ? cudaErrorNotReady : cudaSuccess);
}

API(int, cudaEventElapsedTime, float *ms, struct event *from, struct event *to)
{
	int e = begin_completed_event_call(from);

	if (!e && !ms)
		e = cudaErrorInvalidValue;
	if (!e && capture_has_event(to))
		e = cudaErrorCapturedEvent;
	if (!e && (pause_has_event(from) || pause_has_event(to)))
		e = cudaErrorNotReady;
	if (!e && (!cudart_is_event(to) || !from->recorded || !to->recorded ||
			  from->flags & EVENT_NO_TIMING || to->flags & EVENT_NO_TIMING))
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		*ms = (float)((double)(int64_t)(to->time - from->time) /
			      (double)(cudart.wire.sms * cudart.wire.clock_khz));
	return cudart_leave(e);
}
ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
