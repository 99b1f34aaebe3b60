/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of error messages. Messages of trace-exec go to standard error, so the log is always empty, and no callback
 * is called.
 */
#include <stdio.h>
#include "cudart/cudart.h"

enum { CALLBACKS = 64 };

static const void *callback[CALLBACKS]; /* callback i has handle &callback[i] */

API(int, cudaLogsRegisterCallback, void (*call)(void *, int, char *, size_t), void *arg, const void **handle)
{
	int e = cudart_enter(false);
	unsigned i = 0;

	(void)arg;
	if (!e && (!call || !handle))
		e = cudaErrorInvalidValue;
	while (i < CALLBACKS && callback[i])
		i++;
	if (!e && i == CALLBACKS)
		e = cudaErrorMemoryAllocation;
	if (!e)
		*handle = callback[i] = &callback[i];
	return cudart_leave(e);
}

API(int, cudaLogsUnregisterCallback, const void *handle)
{
	int e = cudart_enter(false);
	unsigned i = 0;

	while (i < CALLBACKS && (!handle || callback[i] != handle))
		i++;
	if (!e && i == CALLBACKS)
		e = cudaErrorInvalidValue;
	if (!e)
		callback[i] = NULL;
	return cudart_leave(e);
}

/* Checks arguments that all functions of messages have. No flag is defined. */
static int begin_log_call(const void *required, unsigned flags)
{
	int e = cudart_enter(false);

	return e ? e : !required || flags ? cudaErrorInvalidValue : cudaSuccess;
}

API(int, cudaLogsCurrent, unsigned *to, unsigned flags)
{
	int e = begin_log_call(to, flags);

	if (!e)
		*to = 0;
	return cudart_leave(e);
}

API(int, cudaLogsDumpToFile, unsigned *from, const char *path, unsigned flags)
{
	int e = begin_log_call(path, flags);
	FILE *f = e ? NULL : fopen(path, "a");

	(void)from;
	if (!e && (!f || fclose(f)))
		e = cudaErrorInvalidValue;
	return cudart_leave(e);
}

/* Stores an empty text. *size: the size of the buffer, then the bytes written. */
API(int, cudaLogsDumpToMemory, unsigned *from, char *to, size_t *size, unsigned flags)
{
	int e = begin_log_call(size, flags);

	(void)from;
	if (!e && (!to || !*size))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = 0, *size = 0;
	return cudart_leave(e);
}
