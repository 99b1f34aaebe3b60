/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles by which processes share memory and events. A program gets handles of its own memory and events. As with the
 * real driver, the process that made a handle of memory cannot open it. Handles of other processes are rejected by
 * name, because each process has a GPU of its own.
 */
#include <string.h>
#include <unistd.h>
#include "cudart/cudart.h"

enum { PEER_ACCESS_FLAG = 1, MEMORY_MARK = 0x4d435049, EVENT_MARK = 0x45435049 };

static void make_ipc_handle(struct ipc_handle *to, uint32_t mark, uint64_t object)
{
	memset(to, 0, sizeof(*to));
	to->mark = mark;
	to->process = getpid();
	to->object = object;
}

/* Makes a handle of the whole allocation, which must be memory of cudaMalloc() or a similar function. */
API(int, cudaIpcGetMemHandle, struct ipc_handle *to, void *p)
{
	int e = cudart_enter(true);
	const struct grant *g = cudart_find_grant((uintptr_t)p);

	if (!e && (!to || !g || g->kind != GRANT_DEVICE || g->is_variable || g->from_graph_node || g->pool ||
			  cudart_is_reserved(g->addr, 1)))
		e = cudaErrorInvalidValue;
	if (!e)
		make_ipc_handle(to, MEMORY_MARK, g->addr);
	return cudart_leave(e);
}

API(int, cudaIpcOpenMemHandle, void **to, struct ipc_handle handle, unsigned flags)
{
	int e = cudart_enter(true);

	if (!e && (!to || flags != PEER_ACCESS_FLAG || handle.mark != MEMORY_MARK))
		e = cudaErrorInvalidValue;
	if (!e)
		e = handle.process == getpid() ? cudaErrorDeviceUninitialized
					       : cudart_unsupported("cudaIpcOpenMemHandle", NULL);
	return cudart_leave(e);
}

/* Rejects every address, because no handle was opened. */
API(int, cudaIpcCloseMemHandle, void *p)
{
	int e = cudart_enter(true);

	(void)p;
	return cudart_leave(e ? e : cudaErrorInvalidValue);
}

API(int, cudaIpcGetEventHandle, struct ipc_handle *to, struct event *event)
{
	int e = cudart_enter(true);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e && !cudart_is_shared_event(event))
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		make_ipc_handle(to, EVENT_MARK, (uintptr_t)event);
	return cudart_leave(e);
}

API(int, cudaIpcOpenEventHandle, struct event **to, struct ipc_handle handle)
{
	int e = cudart_enter(true);

	if (!e && (!to || handle.mark != EVENT_MARK))
		e = cudaErrorInvalidValue;
	if (!e)
		e = cudart_unsupported("cudaIpcOpenEventHandle",
			handle.process == getpid() ? "an event of the same process" : NULL);
	return cudart_leave(e);
}
