/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device: one, with the figures of the GPU configuration that trace-ptx was given.
 *
 * Always true: a property that the configuration has no figure for is 0; the layout of cudaDeviceProp is that
 * of the runtime that the program was linked with.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cudart/graph.h"

#define ATTRIBUTE_LAST 148
#define RELEASE        13 /* whose interface is meant when the program does not say */

/* A block's shared memory without asking for more. */
static uint64_t block_bytes(const struct wire *w)
{
	return w->shared_block < 49152 ? w->shared_block : 49152;
}

static int find_release(struct dl_phdr_info *info, size_t n, void *found)
{
	static const char name[] = "libcudart.so.";
	const char *slash = strrchr(info->dlpi_name, '/'), *s = slash ? slash + 1 : info->dlpi_name;

	(void)n;
	if (strncmp(s, name, sizeof(name) - 1))
		return 0;
	*(int *)found = atoi(s + sizeof(name) - 1);
	return 1;
}

static int release(void)
{
	static int found;

	if (!found && !dl_iterate_phdr(find_release, &found))
		found = RELEASE;
	return found;
}

static void properties(char *out, int at_release)
{
	const struct wire *w = &cudart.wire;
	size_t at = 0;

#define P(type, count, since, until, value) \
	if ((!(since) || at_release >= (since)) && (!(until) || at_release <= (until))) { \
		type v = (type)(value); \
\
		at = (at + sizeof(v) - 1) / sizeof(v) * sizeof(v); \
		memset(out + at, 0, sizeof(v) * (count)); \
		memcpy(out + at, &v, sizeof(v)); \
		at += sizeof(v) * (count); \
	}
#include "cudart/properties.def"
#undef P
	snprintf(out, 256, "%s", w->gpu);
}

static int judge_device(int device)
{
	int e = cudart_enter(false);

	return e ? e : device ? cudaErrorInvalidDevice : cudaSuccess;
}

API(int, cudaGetDeviceProperties, void *to, int device)
{
	int e = judge_device(device);

	if (!e)
		properties(to, release());
	return cudart_leave(e);
}

API(int, cudaGetDeviceProperties_v2, void *to, int device)
{
	int e = judge_device(device);

	if (!e)
		properties(to, 12);
	return cudart_leave(e);
}

API(int, cudaDeviceGetAttribute, int *to, int attribute, int device)
{
	const struct wire *w = &cudart.wire;
	int e = judge_device(device);
	uint64_t v = 0;

	if (!e && (!to || attribute < 1 || attribute > ATTRIBUTE_LAST))
		e = cudaErrorInvalidValue;
	switch (attribute) {
#define A(number, value) \
	case number: \
		v = value; \
		break;
#include "cudart/attributes.def"
#undef A
	default: break;
	}
	if (!e)
		*to = v > INT32_MAX ? INT32_MAX : (int)v;
	return cudart_leave(e);
}

API(int, cudaGetDeviceCount, int *n)
{
	int e = cudart_enter(false);

	if (!e)
		*n = 1;
	return cudart_leave(e);
}

API(int, cudaGetDevice, int *device)
{
	int e = cudart_enter(false);

	if (!e)
		*device = 0;
	return cudart_leave(e);
}

API(int, cudaSetDevice, int device) { return cudart_leave(judge_device(device)); }

API(int, cudaInitDevice, int device) { return cudart_leave(judge_device(device)); }

API(int, cudaChooseDevice, int *device, const void *wanted)
{
	(void)wanted;
	return cudaGetDevice(device);
}

API(int, cudaSetValidDevices, int *list, int n)
{
	int e = cudart_enter(false);

	return cudart_leave(e ? e : !n || (list && !list[0]) ? cudaSuccess : cudaErrorInvalidDevice);
}

API(int, cudaGetDeviceFlags, unsigned *flags)
{
	int e = cudart_enter(false);

	if (!e)
		*flags = 0;
	return cudart_leave(e);
}

API(int, cudaSetDeviceFlags, unsigned flags)
{
	(void)flags;
	return cudart_leave(cudart_enter(false));
}

API(int, cudaDeviceSynchronize, void)
{
	int e = cudart_enter(true);

	return cudart_leave(e ? e : capture_forbids());
}
ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);

/* Everything the program was given ends here. */
API(int, cudaDeviceReset, void)
{
	int e = cudart_enter(true);
	int cudaFree(void *), cudaFreeHost(void *);

	for (uint32_t i = 0; !e && i < cudart.n_grants; i++)
		if (cudart.grant[i].live && cudart.grant[i].kind == GRANT_PINNED)
			cudaFreeHost((void *)(uintptr_t)cudart.grant[i].addr);
		else if (cudart.grant[i].live)
			cudaFree((void *)(uintptr_t)cudart.grant[i].addr);
	return cudart_leave(e);
}
ALSO(cudaThreadExit, cudaDeviceReset);

API(int, cudaRuntimeGetVersion, int *version)
{
	int e = cudart_enter(false);

	if (!e)
		*version = release() * 1000;
	return cudart_leave(e);
}
ALSO(cudaDriverGetVersion, cudaRuntimeGetVersion);

API(int, cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
	int e = judge_device(device);

	if (!e && peer)
		e = cudaErrorInvalidDevice;
	if (!e)
		*can = 0;
	return cudart_leave(e);
}

API(int, cudaDeviceGetPCIBusId, char *to, int n, int device)
{
	int e = judge_device(device);

	if (!e)
		snprintf(to, (size_t)n, "0000:00:00.0");
	return cudart_leave(e);
}

API(int, cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
	int e = cudart_enter(false);

	if (!e && least)
		*least = 0;
	if (!e && greatest)
		*greatest = -5;
	return cudart_leave(e);
}

/* ---- limits and preferences: taken, and without effect ---- */

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, N_LIMITS };
static size_t limit[N_LIMITS] = {1024, 1 << 20, 8 << 20};

API(int, cudaDeviceGetLimit, size_t *to, int which)
{
	int e = cudart_enter(false);

	if (!e && (which < 0 || which >= N_LIMITS))
		e = cudaErrorUnsupportedLimit;
	if (!e)
		*to = limit[which];
	return cudart_leave(e);
}

API(int, cudaDeviceSetLimit, int which, size_t value)
{
	int e = cudart_enter(false);

	if (!e && (which < 0 || which >= N_LIMITS))
		e = cudaErrorUnsupportedLimit;
	if (!e)
		limit[which] = value;
	return cudart_leave(e);
}

API(int, cudaDeviceGetCacheConfig, int *to)
{
	int e = cudart_enter(false);

	if (!e)
		*to = 0;
	return cudart_leave(e);
}
ALSO(cudaDeviceGetSharedMemConfig, cudaDeviceGetCacheConfig);

API(int, cudaDeviceSetCacheConfig, int to)
{
	(void)to;
	return cudart_leave(cudart_enter(false));
}
ALSO(cudaDeviceSetSharedMemConfig, cudaDeviceSetCacheConfig);

struct channel_format {
	int x, y, z, w, kind;
};

API(struct channel_format, cudaCreateChannelDesc, int x, int y, int z, int w, int kind)
{
	return (struct channel_format){x, y, z, w, kind};
}

API(int, cudaProfilerStart, void) { return cudart_leave(cudart_enter(false)); }
ALSO(cudaProfilerStop, cudaProfilerStart);
ALSO(cudaCtxResetPersistingL2Cache, cudaProfilerStart);
