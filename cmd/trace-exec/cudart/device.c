/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of devices: there is one device, with the figures of trace-exec's GPU configuration.
 *
 * Always true: a property without a figure in the configuration is 0; cudaDeviceProp has the layout of the
 * runtime that the program was linked with.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "cudart/pause.h"

#define ATTRIBUTE_LAST 148
#define RELEASE        13 /* release of the runtime if the name of the library has none */

/* Returns the shared memory that a block can have without cudaFuncSetAttribute(). */
static uint64_t default_shared_block_bytes(const struct wire *w) { return min_u64(w->shared_block, 49152); }

/* Returns the release in a library's name, such as 12 for "libcudart.so.12", or 0 for another name. */
static int release_in_library_name(const char *path)
{
	static const char name[] = "libcudart.so.";
	const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;

	return strncmp(s, name, sizeof(name) - 1) ? 0 : atoi(s + sizeof(name) - 1);
}

/*
 * Finds the runtime's release in the name of a loaded file, or in the names of the libraries that the file
 * needs: a library that replaces an absent runtime is loaded under its own name only.
 */
static int find_library_release(struct dl_phdr_info *info, size_t n, void *found)
{
	int *release = found;

	(void)n;
	*release = release_in_library_name(info->dlpi_name);
	for (unsigned i = 0; i < info->dlpi_phnum && !*release; i++) {
		const ElfW(Dyn) *first = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				*d;
		uintptr_t names = 0;

		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (d = first; d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_STRTAB)
				names = d->d_un.d_ptr;
		/* add the base if the loader has not relocated the address */
		names += names < info->dlpi_addr ? info->dlpi_addr : 0;
		for (d = first; names && d->d_tag != DT_NULL && !*release; d++)
			if (d->d_tag == DT_NEEDED)
				*release = release_in_library_name((const char *)names + d->d_un.d_val);
	}
	return *release != 0;
}

int cudart_runtime_release(void)
{
	static int found;

	if (!found && !dl_iterate_phdr(find_library_release, &found))
		found = RELEASE;
	return found;
}

/*
 * Throughput of 32-bit floating-point arithmetic over 64-bit, from the table of arithmetic instructions in
 * the CUDA C++ Programming Guide.
 */
static uint64_t fp32_to_fp64_ratio(const struct wire *w)
{
	switch (10 * w->major + w->minor) {
	case 60:
	case 70:
	case 72:
	case 80:
	case 90:
	case 100: return 2;
	case 61:
	case 62:
	case 75: return 32;
	default: return w->major >= 8 ? 64 : 0;
	}
}

/* Returns the largest part of the L2 for persisting data: 30 MiB for the A100, else unknown. */
static uint64_t persisting_l2_bytes(const struct wire *w)
{
	return w->major == 8 && !w->minor ? 31457280 : 0;
}

static uint64_t device_attribute(int number)
{
	const struct wire *w = &cudart.wire;

	switch (number) {
#define A(n, value) \
	case n: \
		return value;
#include "cudart/attributes.def"
#undef A
	default: return 0;
	}
}

static void write_properties(char *out, int at_release)
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

static int check_device(int device)
{
	int e = cudart_enter(false);

	return e ? e : device ? cudaErrorInvalidDevice : cudaSuccess;
}

API(int, cudaGetDeviceProperties, void *to, int device)
{
	int e = check_device(device);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		write_properties(to, cudart_runtime_release());
	return cudart_leave(e);
}

API(int, cudaGetDeviceProperties_v2, void *to, int device)
{
	int e = check_device(device);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		write_properties(to, 12);
	return cudart_leave(e);
}

API(int, cudaDeviceGetAttribute, int *to, int number, int device)
{
	int e = check_device(device);

	if (!e && (!to || number < 1 || number > ATTRIBUTE_LAST))
		e = cudaErrorInvalidValue;
	if (!e) {
		uint64_t v = device_attribute(number);

		*to = v > INT32_MAX ? INT32_MAX : (int)v;
	}
	return cudart_leave(e);
}

/* Stores `value` at *to. Returns the status of the call. */
static int store_device_number(int *to, int value)
{
	int e = cudart_enter(false);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = value;
	return cudart_leave(e);
}

API(int, cudaGetDeviceCount, int *n) { return store_device_number(n, 1); }
API(int, cudaGetDevice, int *device) { return store_device_number(device, 0); }

API(int, cudaSetDevice, int device) { return cudart_leave(check_device(device)); }

API(int, cudaInitDevice, int device) { return cudart_leave(check_device(device)); }

API(int, cudaChooseDevice, int *device, const void *wanted)
{
	return store_device_number(wanted ? device : NULL, 0);
}

API(int, cudaSetValidDevices, int *list, int n)
{
	int e = cudart_enter(false);

	return cudart_leave(e ? e : !n || (list && !list[0]) ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Flags of the device; host memory is always mapped. */
enum { FLAGS_WAIT = 7, FLAGS_MAP_HOST = 8, FLAGS_KNOWN = 255 };
static unsigned device_flags;

API(int, cudaGetDeviceFlags, unsigned *flags)
{
	return store_device_number((int *)flags, (int)(device_flags | FLAGS_MAP_HOST));
}

API(int, cudaSetDeviceFlags, unsigned flags)
{
	int e = cudart_enter(false);
	unsigned wait = flags & FLAGS_WAIT;

	if (!e && (flags & ~(unsigned)FLAGS_KNOWN || wait & (wait - 1)))
		e = cudaErrorInvalidValue;
	if (!e)
		device_flags = flags;
	return cudart_leave(e);
}

API(int, cudaDeviceSynchronize, void)
{
	int e = cudart_enter(true);

	e = e ? e : capture_check_forbidden();
	return cudart_leave(e ? e : pause_wait_all());
}
ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);

/* Frees all memory of the program and resets the variables. */
API(int, cudaDeviceReset, void)
{
	int e = cudart_enter(true);
	int cudaFree(void *), cudaFreeHost(void *);

	if (!e)
		e = pause_wait_all();
	for (uint32_t i = 0; !e && i < cudart.n_grants; i++) {
		const struct grant *g = &cudart.grant[i];

		if (g->live && !g->is_variable)
			(g->kind == GRANT_PINNED ? cudaFreeHost : cudaFree)((void *)(uintptr_t)g->addr);
	}
	if (!e)
		cudart_reset_variables();
	return cudart_leave(e);
}
ALSO(cudaThreadExit, cudaDeviceReset);

API(int, cudaRuntimeGetVersion, int *version)
{
	return store_device_number(version, cudart_runtime_release() * 1000);
}
ALSO(cudaDriverGetVersion, cudaRuntimeGetVersion);

API(int, cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
	int e = check_device(device);

	if (!e && peer)
		e = cudaErrorInvalidDevice;
	if (!e && !can)
		e = cudaErrorInvalidValue;
	if (!e)
		*can = 0;
	return cudart_leave(e);
}

/* There is only one device, so no device is a peer. */
API(int, cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
	(void)peer;
	return cudart_leave((cudart_enter(false), flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice));
}

API(int, cudaDeviceDisablePeerAccess, int peer)
{
	return cudart_leave(
		(cudart_enter(false), peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled));
}

API(int, cudaDeviceGetP2PAttribute, int *to, int attribute, int device, int peer)
{
	(void)to, (void)attribute, (void)device, (void)peer;
	return cudart_leave((cudart_enter(false), cudaErrorInvalidDevice));
}

enum { BUS = 1 }; /* PCI bus; the same as in properties.def */
#define BUS_ID "0000:01:00.0"

API(int, cudaDeviceGetPCIBusId, char *to, int n, int device)
{
	int e = check_device(device);

	if (!e && (!to || n < (int)sizeof(BUS_ID)))
		e = cudaErrorInvalidValue;
	if (!e)
		memcpy(to, BUS_ID, sizeof(BUS_ID));
	return cudart_leave(e);
}

/* Finds a device by its PCI address, such as "0000:01:00.0". Domain and function may be absent. */
API(int, cudaDeviceGetByPCIBusId, int *device, const char *name)
{
	unsigned domain = 0, bus, slot, function = 0;

	if (!device || !name ||
		(sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
			(domain = 0, sscanf(name, "%x:%x.%x", &bus, &slot, &function) < 2)))
		return store_device_number(NULL, 0);
	return domain || bus != BUS || slot || function
		       ? cudart_leave((cudart_enter(false), cudaErrorInvalidDevice))
		       : store_device_number(device, 0);
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

/* ---- limits and preferences: stored; only the size of the stack has an effect ---- */

/*
 * Sizes of stack, printf buffer and heap; depth and number of launches by kernels; L2 fetch size; size of the
 * persisting L2.
 */
static size_t limit[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
#define N_LIMITS (int)(sizeof(limit) / sizeof(limit[0]))

API(int, cudaDeviceGetLimit, size_t *to, int which)
{
	int e = cudart_enter(false);

	if (!e && (which < 0 || which >= N_LIMITS))
		e = cudaErrorUnsupportedLimit;
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = limit[which];
	return cudart_leave(e);
}
ALSO(cudaThreadGetLimit, cudaDeviceGetLimit);

API(int, cudaDeviceSetLimit, int which, size_t value)
{
	int e = cudart_enter(false);

	if (!e && (which < 0 || which >= N_LIMITS))
		e = cudaErrorUnsupportedLimit;
	if (!e)
		limit[which] = value;
	return cudart_leave(e);
}
ALSO(cudaThreadSetLimit, cudaDeviceSetLimit);

size_t cudart_stack_limit(void) { return limit[0]; }

enum { PREFER_NONE, PREFER_EQUAL = 3, BANKS_OF_4 = 1, BANKS_OF_8 = 2 };
static int cache_preferred, banks = BANKS_OF_4;

API(int, cudaDeviceGetCacheConfig, int *to) { return store_device_number(to, cache_preferred); }
ALSO(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);
API(int, cudaDeviceGetSharedMemConfig, int *to) { return store_device_number(to, banks); }

API(int, cudaDeviceSetCacheConfig, int to)
{
	int e = cudart_enter(false);

	if (!e && (to < PREFER_NONE || to > PREFER_EQUAL))
		e = cudaErrorInvalidValue;
	if (!e)
		cache_preferred = to;
	return cudart_leave(e);
}
ALSO(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

/* Accepts any setting and ignores it, as a GPU does whose banks can only be 4 bytes wide. */
API(int, cudaDeviceSetSharedMemConfig, int to)
{
	int e = cudart_enter(false);

	return cudart_leave(e ? e : to < 0 || to > BANKS_OF_8 ? cudaErrorInvalidValue : cudaSuccess);
}

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
