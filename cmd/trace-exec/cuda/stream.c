/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams, events, recording into graphs, and values in memory that streams write or wait for. */
#include <string.h>
#include "cuda/cuda.h"
#include "cudart/pause.h"

/* ---- streams ---- */

static int create_stream(struct stream **to, unsigned flags, int priority)
{
	int e = cudaStreamCreateWithPriority(to, flags, priority);

	if (!e)
		cudart_set_stream_context(*to, cuda_current_context());
	return e;
}
DRIVER(cuStreamCreate, create_stream(to, flags, 0), struct stream **to, unsigned flags)
DRIVER(cuStreamCreateWithPriority, create_stream(to, flags, priority), struct stream **to, unsigned flags,
	int priority)
STREAM(cuStreamDestroy_v2, cudaStreamDestroy(s), struct stream *s)
ALSO(cuStreamDestroy, cuStreamDestroy_v2);
STREAM_TOO(cuStreamSynchronize, cuStreamSynchronize_ptsz, cudaStreamSynchronize(s), struct stream *s)
STREAM_TOO(cuStreamQuery, cuStreamQuery_ptsz, cudaStreamQuery(s), struct stream *s)
STREAM_TOO(cuStreamWaitEvent, cuStreamWaitEvent_ptsz, cudaStreamWaitEvent(s, event, flags), struct stream *s,
	struct event *event, unsigned flags)
STREAM_TOO(cuStreamGetFlags, cuStreamGetFlags_ptsz, cudaStreamGetFlags(s, to), struct stream *s, unsigned *to)
STREAM_TOO(cuStreamGetPriority, cuStreamGetPriority_ptsz, cudaStreamGetPriority(s, to), struct stream *s,
	int *to)
STREAM_TOO(
	cuStreamGetId, cuStreamGetId_ptsz, cudaStreamGetId(s, to), struct stream *s, unsigned long long *to)
STREAM_TOO(cuStreamGetDevice, cuStreamGetDevice_ptsz, ((void)s, STORED(to, 0)), struct stream *s, int *to)
STREAM_TOO(cuStreamGetCtx, cuStreamGetCtx_ptsz,
	cudart_stream_number(s) < 0 ? cudaErrorInvalidResourceHandle : STORED(to, cuda_stream_context(s)),
	struct stream *s, struct cuda_context **to)
STREAM_TOO(cuStreamSetAttribute, cuStreamSetAttribute_ptsz, cudaStreamSetAttribute(s, id, value),
	struct stream *s, int id, const struct hint *value)
STREAM_TOO(cuStreamGetAttribute, cuStreamGetAttribute_ptsz, cudaStreamGetAttribute(s, id, value),
	struct stream *s, int id, struct hint *value)
DRIVER_TOO(cuStreamCopyAttributes, cuStreamCopyAttributes_ptsz, cudaStreamCopyAttributes(to, from),
	struct stream *to, struct stream *from)

/* ---- recording ---- */

enum { MODE_GLOBAL };

STREAM_TOO(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, cudaStreamBeginCapture(s, mode),
	struct stream *s, int mode)
STREAM_TOO(cuStreamBeginCapture, cuStreamBeginCapture_ptsz, cudaStreamBeginCapture(s, MODE_GLOBAL),
	struct stream *s)
STREAM_TOO(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz,
	cudaStreamBeginCaptureToGraph(s, g, after, data, n, mode), struct stream *s, struct cuda_graph *g,
	struct graph_node *const *after, const void *data, size_t n, int mode)
STREAM_TOO(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz,
	cudaStreamUpdateCaptureDependencies_v2(s, node, NULL, n, flags), struct stream *s,
	struct graph_node *const *node, size_t n, unsigned flags)
STREAM_TOO(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz,
	cudaStreamUpdateCaptureDependencies_v2(s, node, data, n, flags), struct stream *s,
	struct graph_node *const *node, const void *data, size_t n, unsigned flags)
STREAM_TOO(cuStreamEndCapture, cuStreamEndCapture_ptsz, cudaStreamEndCapture(s, to), struct stream *s,
	struct cuda_graph **to)
STREAM_TOO(cuStreamIsCapturing, cuStreamIsCapturing_ptsz, cudaStreamIsCapturing(s, to), struct stream *s,
	int *to)
DRIVER(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode(mode), int *mode)
STREAM_TOO(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz,
	cudaStreamGetCaptureInfo_v2(s, to, id, NULL, NULL, NULL), struct stream *s, int *to,
	unsigned long long *id)
STREAM_TOO(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz,
	cudaStreamGetCaptureInfo_v2(s, to, id, graph, last, n), struct stream *s, int *to,
	unsigned long long *id, struct cuda_graph **graph, struct graph_node *const **last, size_t *n)
STREAM_TOO(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz,
	cudaStreamGetCaptureInfo_v3(s, to, id, graph, last, data, n), struct stream *s, int *to,
	unsigned long long *id, struct cuda_graph **graph, struct graph_node *const **last, const void **data,
	size_t *n)

/* ---- events ---- */

DRIVER(cuEventCreate, cudaEventCreateWithFlags(to, flags), struct event **to, unsigned flags)
DEVICE(cuEventDestroy_v2, cudaEventDestroy(event), struct event *event)
ALSO(cuEventDestroy, cuEventDestroy_v2);
STREAM_TOO(cuEventRecord, cuEventRecord_ptsz, cudaEventRecordWithFlags(event, s, 0), struct event *event,
	struct stream *s)
STREAM_TOO(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz, cudaEventRecordWithFlags(event, s, flags),
	struct event *event, struct stream *s, unsigned flags)
DEVICE(cuEventSynchronize, cudaEventSynchronize(event), struct event *event)
DEVICE(cuEventQuery, cudaEventQuery(event), struct event *event)
DEVICE(cuEventElapsedTime, cudaEventElapsedTime(ms, from, to), float *ms, struct event *from,
	struct event *to)
ALSO(cuEventElapsedTime_v2, cuEventElapsedTime);

/*
 * Begins a call for an event and all streams of a context. All their work is done, unless a launch waits for the
 * host. Returns 0 or a status.
 */
static int begin_context_event_call(const struct event *event, bool live, const char *function)
{
	int e = cudart_enter(true);

	if (!e && !live)
		e = cudaErrorDeviceUninitialized;
	if (!e && !cudart_is_event(event))
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = capture_break_all();
	if (!e && pause_has_tasks())
		e = cudart_unsupported(function, "while a kernel waits");
	return e;
}

int cuda_record_context_event(struct event *event, bool live, const char *function)
{
	int e = begin_context_event_call(event, live, function);

	if (!e)
		e = work_record_now(event);
	cudart_leave(cudaSuccess);
	return e;
}

int cuda_wait_context_event(const struct event *event, bool live, const char *function)
{
	int e = begin_context_event_call(event, live, function);

	cudart_leave(cudaSuccess);
	return e;
}
DEVICE(cuCtxRecordEvent, cuda_record_context_event(event, cuda_is_live_context(c), "cuCtxRecordEvent"),
	const struct cuda_context *c, struct event *event)
DEVICE(cuCtxWaitEvent, cuda_wait_context_event(event, cuda_is_live_context(c), "cuCtxWaitEvent"),
	const struct cuda_context *c, const struct event *event)

/* ---- values in memory ---- */

enum wait_condition { WAIT_GREATER_EQUAL, WAIT_EQUAL, WAIT_AND, WAIT_NOR, WAIT_MASK = 3 };

/* Sets *at to the memory of a value that a stream writes or waits for. Returns 0 or a status. */
static int find_stream_value(uint8_t **at, const struct stream *s, uint64_t addr, size_t n)
{
	int e;

	if (cudart_stream_number(s) < 0)
		return cudaErrorInvalidResourceHandle;
	if ((e = capture_reject_call(s, "a value in memory")))
		return e;
	*at = addr % n || !cudart_find_grant(addr) ? NULL : cudart_host_address(cuda_address(addr), n);
	return *at ? cudaSuccess : cudaErrorInvalidValue;
}

static int write_stream_value(const struct stream *s, uint64_t addr, uint64_t value, size_t n)
{
	uint8_t *at = NULL;
	int e = cudart_enter(true);

	if (!e)
		e = find_stream_value(&at, s, addr, n);
	if (!e) {
		memcpy(at, &value, n);
		memory_mark_set(&cudart.mem, addr, n);
	}
	cudart_leave(cudaSuccess);
	return e;
}

/*
 * Waits for a value. All earlier device work has ended, so only the host could still make a false condition
 * true.
 */
static int wait_for_stream_value(
	const struct stream *s, uint64_t addr, uint64_t value, size_t n, unsigned flags)
{
	uint64_t now = 0, sign = 1ull << (8 * n - 1), mask = sign | (sign - 1);
	uint8_t *at = NULL;
	bool met = false;
	int e = cudart_enter(true);

	if (!e)
		e = find_stream_value(&at, s, addr, n);
	if (!e)
		memcpy(&now, at, n);
	switch ((enum wait_condition)(flags & WAIT_MASK)) {
	case WAIT_GREATER_EQUAL: met = !((now - value) & sign); break;
	case WAIT_EQUAL: met = now == value; break;
	case WAIT_AND: met = (now & value) != 0; break;
	case WAIT_NOR: met = (~(now | value) & mask) != 0; break;
	}
	if (!e && !met)
		e = cudart_unsupported("cuStreamWaitValue", "a value that the host writes after the call");
	cudart_leave(cudaSuccess);
	return e;
}

#define VALUE(bits) \
	STREAM_TOO(cuStreamWriteValue##bits##_v2, cuStreamWriteValue##bits##_v2_ptsz, \
		((void)flags, write_stream_value(s, addr, value, bits / 8)), struct stream *s, \
		uint64_t addr, uint##bits##_t value, unsigned flags) \
	ALSO(cuStreamWriteValue##bits, cuStreamWriteValue##bits##_v2); \
	ALSO(cuStreamWriteValue##bits##_ptsz, cuStreamWriteValue##bits##_v2); \
	STREAM_TOO(cuStreamWaitValue##bits##_v2, cuStreamWaitValue##bits##_v2_ptsz, \
		wait_for_stream_value(s, addr, value, bits / 8, flags), struct stream *s, uint64_t addr, \
		uint##bits##_t value, unsigned flags) \
	ALSO(cuStreamWaitValue##bits, cuStreamWaitValue##bits##_v2); \
	ALSO(cuStreamWaitValue##bits##_ptsz, cuStreamWaitValue##bits##_v2);

VALUE(32)
VALUE(64)

enum value_op { OP_WAIT_32 = 1, OP_WRITE_32, OP_FLUSH, OP_WAIT_64, OP_WRITE_64, OP_BARRIER };

/* CUstreamBatchMemOpParams */
struct value_call {
	int op;
	uint64_t addr, value;
	unsigned flags;
	uint64_t rest[2];
};
_Static_assert(sizeof(struct value_call) == 48, "the size of CUstreamBatchMemOpParams");

/* Writes and waits for n values in order. Returns 0, or the status of the first that fails. */
static int run_value_calls(const struct stream *s, unsigned n, const struct value_call *c, unsigned flags)
{
	int e = flags || n > 256 || (n && !c) ? cudaErrorInvalidValue : cudaSuccess;

	for (unsigned i = 0; i < n && !e; i++) {
		switch ((enum value_op)c[i].op) {
		case OP_WAIT_32:
			e = wait_for_stream_value(s, c[i].addr, (uint32_t)c[i].value, 4, c[i].flags);
			break;
		case OP_WAIT_64: e = wait_for_stream_value(s, c[i].addr, c[i].value, 8, c[i].flags); break;
		case OP_WRITE_32: e = write_stream_value(s, c[i].addr, c[i].value, 4); break;
		case OP_WRITE_64: e = write_stream_value(s, c[i].addr, c[i].value, 8); break;
		case OP_FLUSH:
		case OP_BARRIER: break; /* every write is visible at once */
		default: e = cudaErrorInvalidValue;
		}
	}
	return e;
}
STREAM_TOO(cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz, run_value_calls(s, n, c, flags),
	struct stream *s, unsigned n, const struct value_call *c, unsigned flags)
ALSO(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);
ALSO(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2);

/* ---- handles for other processes ---- */

DRIVER(cuIpcGetEventHandle, cudaIpcGetEventHandle(to, event), struct ipc_handle *to, struct event *event)
DRIVER(cuIpcOpenEventHandle, cudaIpcOpenEventHandle(to, handle), struct event **to, struct ipc_handle handle)
DRIVER(cuIpcGetMemHandle, cudaIpcGetMemHandle(to, cuda_address(addr)), struct ipc_handle *to, uint64_t addr)
DRIVER(cuIpcOpenMemHandle_v2, cudaIpcOpenMemHandle(to, handle, flags), void **to, struct ipc_handle handle,
	unsigned flags)
ALSO(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);
DRIVER(cuIpcCloseMemHandle, cudaIpcCloseMemHandle(cuda_address(addr)), uint64_t addr)
