/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Initialisation, the device, and contexts.
 *
 * Each thread has a stack of contexts; the top is current. A thread whose stack is empty has the primary context
 * if it has called the runtime. Contexts are never freed, so that a handle stays recognisable after its destruction.
 */
#include <string.h>
#include "arena.h"
#include "cuda/cuda.h"

#define STACK_MOST  64u
#define API_VERSION 13000

struct cuda_context {
	struct cuda_context *next;
	unsigned long long id;
	unsigned flags;
	uint32_t users; /* number of users of the primary context: retain calls minus release calls */
	bool live;
};

enum { FLAGS_MOST = 0xff, PRIMARY_ID = 1 };

static bool initialized;
static struct cuda_context primary = {.id = PRIMARY_ID, .live = true}, *contexts = &primary;
static unsigned long long n_contexts = PRIMARY_ID;
static _Thread_local struct cuda_context *stack[STACK_MOST];
static _Thread_local unsigned depth;
static _Thread_local int last_error;  /* last error of the runtime before the call */
static _Thread_local bool was_active; /* cudart_thread_active before the call */

static bool is_context(const struct cuda_context *c)
{
	for (const struct cuda_context *i = contexts; i; i = i->next)
		if (i == c)
			return true;
	return false;
}

bool cuda_is_live_context(const struct cuda_context *c) { return is_context(c) && c->live; }

struct cuda_context *cuda_current_context(void)
{
	return depth ? stack[depth - 1] : cudart_thread_active ? &primary : NULL;
}

/* Lets the runtime note the context of an allocation; runs before the program. */
__attribute__((constructor)) static void offer_current_context(void)
{
	cudart_current_context = cuda_current_context;
}

/* Saves the runtime's state for cuda_leave(). Fails before cuInit() unless the runtime has started. */
int cuda_enter_device(void)
{
	was_active = cudart_thread_active;
	last_error = cudart_exchange_last_error(cudaSuccess);
	return initialized || cudart.started ? cudaSuccess : cudaErrorInitializationError;
}

int cuda_enter(void)
{
	int e = cuda_enter_device();
	const struct cuda_context *c = cuda_current_context();

	if (e)
		return e;
	return !c ? cudaErrorDeviceUninitialized : c->live ? cudaSuccess : cudaErrorContextIsDestroyed;
}

struct cuda_context *cuda_stream_context(const struct stream *s)
{
	struct cuda_context *c =
		cudart_is_default_stream(s) ? cuda_current_context() : cudart_stream_context(s);

	return c ? c : &primary;
}

int cuda_enter_stream(const struct stream *s)
{
	return cudart_is_default_stream(s) ? cuda_enter() : cuda_enter_device();
}

/*
 * Returns the driver's code for a status of the runtime. Codes that the driver lacks are replaced; all others
 * are the same.
 */
static int to_driver_status(int status)
{
	switch (status) {
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidMemcpyDirection:
	case cudaErrorInvalidChannelDescriptor: return cudaErrorInvalidValue;
	case cudaErrorInvalidDeviceFunction: return cudaErrorInvalidResourceHandle;
	case cudaErrorInvalidSymbol: return cudaErrorSymbolNotFound;
	default: return status;
	}
}

int cuda_leave(int status)
{
	cudart_exchange_last_error(last_error);
	cudart_thread_active = was_active;
	return to_driver_status(status);
}

int cuda_check_device(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }

/* ---- initialisation and the device ---- */

API(int, cuInit, unsigned flags)
{
	bool active = cudart_thread_active;
	int e;

	if (flags)
		return cudaErrorInvalidValue;
	e = cudart_enter(false);
	initialized |= !e;
	pthread_mutex_unlock(&cudart.lock);
	cudart_thread_active = active;
	return e;
}

API(int, cuDriverGetVersion, int *to) { return STORED(to, API_VERSION); }

DEVICE(cuDeviceGet, cuda_check_device(n) ? cudaErrorInvalidDevice : STORED(to, 0), int *to, int n)
DEVICE(cuDeviceGetCount, STORED(to, 1), int *to)

static int copy_name(char *to, int n)
{
	if (!to || n <= 0)
		return cudaErrorInvalidValue;
	snprintf(to, (size_t)n, "%s", cudart.wire.gpu);
	return cudaSuccess;
}
DEVICE(cuDeviceGetName, cuda_check_device(device) ? cudaErrorInvalidDevice : copy_name(to, n), char *to,
	int n, int device)

/* Zeroes the device's identifier: the device has no serial number. */
static int clear_bytes(void *to, size_t n)
{
	if (!to)
		return cudaErrorInvalidValue;
	memset(to, 0, n);
	return cudaSuccess;
}
DEVICE(cuDeviceGetUuid, cuda_check_device(device) ? cudaErrorInvalidDevice : clear_bytes(to, 16), void *to,
	int device)
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid);

DEVICE(cuDeviceTotalMem_v2,
	cuda_check_device(device) ? cudaErrorInvalidDevice : STORED(to, (size_t)cudart.wire.memory_bytes),
	size_t *to, int device)

/* Attribute 102: virtual memory management is supported. Only the driver has this attribute. */
enum { VIRTUAL_MEMORY = 102 };
DEVICE(cuDeviceGetAttribute,
	number == VIRTUAL_MEMORY && !device ? STORED(to, 1) : cudaDeviceGetAttribute(to, number, device),
	int *to, int number, int device)

static int get_capability(int *major, int *minor, int device)
{
	if (cuda_check_device(device))
		return cudaErrorInvalidDevice;
	if (!major || !minor)
		return cudaErrorInvalidValue;
	*major = (int)cudart.wire.major;
	*minor = (int)cudart.wire.minor;
	return cudaSuccess;
}
DEVICE(cuDeviceComputeCapability, get_capability(major, minor, device), int *major, int *minor, int device)

struct cuda_properties {
	int threads, block[3], grid[3], shared, constant, warp, pitch, regs, clock, texture;
};

static int get_device_properties(struct cuda_properties *to, int device)
{
	static const int number[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	int value[sizeof(number) / sizeof(number[0])], e = to ? cudaSuccess : cudaErrorInvalidValue;

	for (unsigned i = 0; !e && i < sizeof(number) / sizeof(number[0]); i++)
		e = cudaDeviceGetAttribute(&value[i], number[i], device);
	if (!e)
		memcpy(to, value, sizeof(value));
	return e;
}
DEVICE(cuDeviceGetProperties, get_device_properties(to, device), struct cuda_properties *to, int device)
DEVICE(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId(to, n, device), char *to, int n, int device)
DEVICE(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId(to, name), int *to, const char *name)
DEVICE(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer(to, device, peer), int *to, int device, int peer)
DEVICE(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute(to, attribute, device, peer), int *to,
	int attribute, int device, int peer)

/* ---- the primary context ---- */

struct cuda_context *cuda_primary_context(void) { return &primary; }

static int retain_primary(struct cuda_context **to, int device)
{
	int e = cuda_check_device(device);

	if (!e)
		e = STORED(to, &primary);
	primary.users += !e;
	return e;
}
DEVICE(cuDevicePrimaryCtxRetain, retain_primary(to, device), struct cuda_context **to, int device)

static bool is_other_context_live(const struct cuda_context *than)
{
	for (const struct cuda_context *i = contexts; i; i = i->next)
		if (i != than && i->live && (i != &primary || i->users || cudart_thread_active))
			return true;
	return false;
}

static int release_primary_context(int device)
{
	if (cuda_check_device(device) || !primary.users)
		return device ? cudaErrorInvalidDevice : cudaErrorDeviceUninitialized;
	return --primary.users || is_other_context_live(&primary) || was_active ? cudaSuccess
										: cudaDeviceReset();
}
DEVICE(cuDevicePrimaryCtxRelease, release_primary_context(device), int device)
ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);

DEVICE(cuDevicePrimaryCtxReset, cuda_check_device(device) ? cudaErrorInvalidDevice : cudaDeviceReset(),
	int device)
ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);

static int set_primary_flags(int device, unsigned flags)
{
	if (cuda_check_device(device) || flags > FLAGS_MOST)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	primary.flags = flags;
	return cudaSuccess;
}
DEVICE(cuDevicePrimaryCtxSetFlags, set_primary_flags(device, flags), int device, unsigned flags)
ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

static int get_primary_state(int device, unsigned *flags, int *active)
{
	if (cuda_check_device(device) || !flags || !active)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*flags = primary.flags;
	*active = primary.users || was_active;
	return cudaSuccess;
}
DEVICE(cuDevicePrimaryCtxGetState, get_primary_state(device, flags, active), int device, unsigned *flags,
	int *active)

/* ---- contexts ---- */

static int push_context(struct cuda_context *c)
{
	if (!is_context(c))
		return cudaErrorDeviceUninitialized;
	if (!c->live)
		return cudaErrorContextIsDestroyed;
	if (depth == STACK_MOST)
		return cudaErrorInvalidValue;
	stack[depth++] = c;
	return cudaSuccess;
}

struct cuda_context *cuda_make_context(unsigned flags)
{
	struct cuda_context *c = xcalloc(1, sizeof(*c));

	pthread_mutex_lock(&cudart.lock);
	*c = (struct cuda_context){.next = contexts, .id = ++n_contexts, .flags = flags, .live = true};
	contexts = c;
	pthread_mutex_unlock(&cudart.lock);
	return c;
}

unsigned long long cuda_context_id(const struct cuda_context *c) { return c->id; }

static int create_context(struct cuda_context **to, unsigned flags, int device)
{
	if (cuda_check_device(device) || !to || flags > FLAGS_MOST)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	return push_context(*to = cuda_make_context(flags));
}
DEVICE(cuCtxCreate_v2, create_context(to, flags, device), struct cuda_context **to, unsigned flags,
	int device)
ALSO(cuCtxCreate, cuCtxCreate_v2);
/* The affinity parameters have no effect. */
DEVICE(cuCtxCreate_v3, ((void)params, (void)n, create_context(to, flags, device)), struct cuda_context **to,
	const void *params, int n, unsigned flags, int device)
DEVICE(cuCtxCreate_v4, ((void)params, create_context(to, flags, device)), struct cuda_context **to,
	const void *params, unsigned flags, int device)

static int pop_context(struct cuda_context **to)
{
	if (!depth)
		return cudaErrorDeviceUninitialized;
	depth--;
	if (to)
		*to = stack[depth];
	return cudaSuccess;
}

int cuda_end_context(struct cuda_context *c)
{
	if (!is_context(c) || c == &primary)
		return cudaErrorDeviceUninitialized;
	if (!c->live)
		return cudaErrorContextIsDestroyed;
	if (depth && stack[depth - 1] == c)
		pop_context(NULL);
	c->live = false;
	return is_other_context_live(c) || was_active ? cudaSuccess : cudaDeviceReset();
}
DEVICE(cuCtxDestroy_v2, cuda_end_context(c), struct cuda_context *c)
ALSO(cuCtxDestroy, cuCtxDestroy_v2);
ALSO(cuCtxDetach, cuCtxDestroy_v2);

DEVICE(cuCtxPushCurrent_v2, push_context(c), struct cuda_context *c)
ALSO(cuCtxPushCurrent, cuCtxPushCurrent_v2);
DEVICE(cuCtxPopCurrent_v2, pop_context(to), struct cuda_context **to)
ALSO(cuCtxPopCurrent, cuCtxPopCurrent_v2);

/* Replaces the top of the stack; NULL removes it. */
static int set_current_context(struct cuda_context *c)
{
	if (c && !is_context(c))
		return cudaErrorDeviceUninitialized;
	if (c && !c->live)
		return cudaErrorContextIsDestroyed;
	depth -= depth > 0;
	if (!c)
		was_active = false;
	return c ? push_context(c) : cudaSuccess;
}
DEVICE(cuCtxSetCurrent, set_current_context(c), struct cuda_context *c)
DEVICE(cuCtxGetCurrent, STORED(to, cuda_current_context()), struct cuda_context **to)
DRIVER(cuCtxGetDevice, STORED(to, 0), int *to)
DRIVER(cuCtxGetFlags, STORED(to, cuda_current_context()->flags), unsigned *to)

static int set_context_flags(unsigned flags)
{
	if (flags > FLAGS_MOST)
		return cudaErrorInvalidValue;
	cuda_current_context()->flags = flags;
	return cudaSuccess;
}
DRIVER(cuCtxSetFlags, set_context_flags(flags), unsigned flags)

/*
 * Returns the context that a query names, or the current one if the query names NULL. Returns NULL if there is
 * none.
 */
static const struct cuda_context *queried_context(const struct cuda_context *c)
{
	return !c ? cuda_current_context() : is_context(c) && c->live ? c : NULL;
}
DEVICE(cuCtxGetId, queried_context(c) ? STORED(to, queried_context(c)->id) : cudaErrorDeviceUninitialized,
	struct cuda_context *c, unsigned long long *to)
DEVICE(cuCtxGetApiVersion, queried_context(c) ? STORED(to, API_VERSION) : cudaErrorDeviceUninitialized,
	struct cuda_context *c, unsigned *to)

DEVICE(cuCtxGetDevice_v2, queried_context(c) ? STORED(to, 0) : cudaErrorDeviceUninitialized, int *to,
	struct cuda_context *c)

DRIVER(cuCtxSynchronize, cudaDeviceSynchronize(), void)
DEVICE(cuCtxSynchronize_v2, queried_context(c) ? cudaDeviceSynchronize() : cudaErrorDeviceUninitialized,
	struct cuda_context *c)
DRIVER(cuCtxSetLimit, cudaDeviceSetLimit(which, value), int which, size_t value)
DRIVER(cuCtxGetLimit, cudaDeviceGetLimit(to, which), size_t *to, int which)
DRIVER(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig(to), int *to)
DRIVER(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig(value), int value)
DRIVER(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig(to), int *to)
DRIVER(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig(value), int value)
DRIVER(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange(least, greatest), int *least,
	int *greatest)
DRIVER(cuCtxResetPersistingL2Cache, cudaSuccess, void)
DRIVER(cuProfilerStart, cudaSuccess, void)
DRIVER(cuProfilerStop, cudaSuccess, void)
DEVICE(cuLogsRegisterCallback, cudaLogsRegisterCallback(call, arg, handle),
	void (*call)(void *, int, char *, size_t), void *arg, const void **handle)
DEVICE(cuLogsUnregisterCallback, cudaLogsUnregisterCallback(handle), const void *handle)
DEVICE(cuLogsCurrent, cudaLogsCurrent(to, flags), unsigned *to, unsigned flags)
DEVICE(cuLogsDumpToFile, cudaLogsDumpToFile(from, path, flags), unsigned *from, const char *path,
	unsigned flags)
DEVICE(cuLogsDumpToMemory, cudaLogsDumpToMemory(from, to, size, flags), unsigned *from, char *to,
	size_t *size, unsigned flags)
/* There is only one device, so no device is a peer. */
DRIVER(cuCtxEnablePeerAccess, ((void)c, (void)flags, cudaErrorInvalidDevice), struct cuda_context *c,
	unsigned flags)
DRIVER(cuCtxDisablePeerAccess, ((void)c, cudaErrorPeerAccessNotEnabled), struct cuda_context *c)
