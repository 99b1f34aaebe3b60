/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Green contexts: contexts for a part of the SMs.
 *
 * The part is only a number of SMs that queries return: kernels are executed, and their traces written, as in any other
 * context. Descriptors and green contexts are never freed, so that a handle stays recognisable after its destruction.
 */
#include "arena.h"
#include "cuda/cuda.h"

/* CUdevResource. `split` is in its private part: the number of the split that made the resource; 0: none. */
struct dev_resource {
	unsigned type, split, other[22];
	unsigned n_sms, least, alignment, rest[9];
};
enum { RESOURCE_INVALID, RESOURCE_SM };

/* CUdevResourceDesc */
struct resource_set {
	struct resource_set *next;
	unsigned n_sms;
};

struct green_context {
	struct green_context *next;
	struct cuda_context *context;
	unsigned n_sms;
	bool live;
};

enum { GREEN_DEFAULT_STREAM = 1, NON_BLOCKING = 1, SPLIT_ALONE = 1, SPLIT_FLAGS = 3 };

static struct resource_set *sets;
static struct green_context *greens;
static unsigned n_splits;

/* Fills *r with n SMs. The smallest part and its alignment are those of the CUDA documentation. */
static void make_sm_resource(struct dev_resource *r, unsigned n, unsigned split)
{
	unsigned major = (unsigned)cudart.wire.major;

	*r = (struct dev_resource){.type = n ? RESOURCE_SM : RESOURCE_INVALID,
		.split = split,
		.n_sms = n,
		.least = major >= 9   ? 8
			 : major == 8 ? 4
				      : 2,
		.alignment = major >= 9 ? 8 : 2};
}

static int get_resource(struct dev_resource *to, int type, unsigned n_sms)
{
	if (!to)
		return cudaErrorInvalidValue;
	if (type != RESOURCE_SM)
		return cudaErrorInvalidResourceType;
	make_sm_resource(to, n_sms, 0);
	return cudaSuccess;
}

static struct green_context *find_green(const struct green_context *g)
{
	struct green_context *i = greens;

	while (i && i != g)
		i = i->next;
	return i && i->live ? i : NULL;
}

/* Returns the green context that a context was converted from, or NULL. */
static struct green_context *green_of_context(const struct cuda_context *c)
{
	struct green_context *i = greens;

	while (i && i->context != c)
		i = i->next;
	return i;
}

static unsigned sms_of_context(const struct cuda_context *c)
{
	const struct green_context *g = green_of_context(c ? c : cuda_current_context());

	return g ? g->n_sms : (unsigned)cudart.wire.sms;
}

DEVICE(cuDeviceGetDevResource,
	cuda_check_device(device) ? cudaErrorInvalidDevice
				  : get_resource(to, type, (unsigned)cudart.wire.sms),
	int device, struct dev_resource *to, int type)
DRIVER(cuCtxGetDevResource, get_resource(to, type, sms_of_context(c)), struct cuda_context *c,
	struct dev_resource *to, int type)
DEVICE(cuGreenCtxGetDevResource,
	find_green(g) ? get_resource(to, type, g->n_sms) : cudaErrorDeviceUninitialized,
	struct green_context *g, struct dev_resource *to, int type)

/* Divides the SMs of `from` into *n equal parts of at least `least` SMs. Sets *n to the number of parts. */
static int split_sms(struct dev_resource *to, unsigned *n, const struct dev_resource *from,
	struct dev_resource *left, unsigned flags, unsigned least)
{
	unsigned unit, size, most, i;

	if (!n || !from || flags > SPLIT_FLAGS)
		return cudaErrorInvalidValue;
	if (from->type != RESOURCE_SM)
		return cudaErrorInvalidResourceType;
	if (least > from->n_sms)
		return cudaErrorInvalidValue;
	if (from->split)
		return cudaErrorInvalidResourceConfiguration;
	unit = flags & SPLIT_ALONE ? 2 : from->alignment;
	size = (unsigned)round_up_u64(least, unit);
	if (size < (flags & SPLIT_ALONE ? unit : from->least))
		size = flags & SPLIT_ALONE ? unit : from->least;
	most = from->n_sms / size;
	if (!most)
		return cudaErrorInvalidResourceConfiguration;
	*n = !to || *n > most ? most : *n;
	if (!to)
		return cudaSuccess;
	unsigned all = from->n_sms, split = ++n_splits;
	for (i = 0; i < *n; i++)
		make_sm_resource(&to[i], size, split);
	if (left)
		make_sm_resource(left, all - *n * size, split);
	return cudaSuccess;
}
DEVICE(cuDevSmResourceSplitByCount, split_sms(to, n, from, left, flags, least), struct dev_resource *to,
	unsigned *n, const struct dev_resource *from, struct dev_resource *left, unsigned flags,
	unsigned least)

static int make_resource_set(struct resource_set **to, const struct dev_resource *r, unsigned n)
{
	unsigned sms = 0;

	if (!to || !r || !n)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		if (r[i].type != RESOURCE_SM)
			return cudaErrorInvalidResourceType;
		if (n > 1 && (!r[i].split || r[i].split != r[0].split))
			return cudaErrorInvalidResourceConfiguration;
		sms += r[i].n_sms;
	}
	pthread_mutex_lock(&cudart.lock);
	*to = xcalloc(1, sizeof(**to));
	**to = (struct resource_set){.next = sets, .n_sms = sms};
	sets = *to;
	pthread_mutex_unlock(&cudart.lock);
	return cudaSuccess;
}
DEVICE(cuDevResourceGenerateDesc, make_resource_set(to, r, n), struct resource_set **to,
	const struct dev_resource *r, unsigned n)

static int create_green(struct green_context **to, const struct resource_set *set, int device, unsigned flags)
{
	const struct resource_set *known = sets;
	struct green_context *g;

	while (known && known != set)
		known = known->next;
	if (cuda_check_device(device))
		return cudaErrorInvalidDevice;
	if (!to || !known || flags != GREEN_DEFAULT_STREAM)
		return cudaErrorInvalidValue;
	g = xcalloc(1, sizeof(*g));
	*g = (struct green_context){.context = cuda_make_context(0), .n_sms = set->n_sms, .live = true};
	pthread_mutex_lock(&cudart.lock);
	g->next = greens;
	*to = greens = g;
	pthread_mutex_unlock(&cudart.lock);
	return cudaSuccess;
}
DEVICE(cuGreenCtxCreate, create_green(to, set, device, flags), struct green_context **to,
	const struct resource_set *set, int device, unsigned flags)

static int destroy_green(struct green_context *g)
{
	if (!find_green(g))
		return cudaErrorDeviceUninitialized;
	g->live = false;
	return cuda_end_context(g->context);
}
DEVICE(cuGreenCtxDestroy, destroy_green(g), struct green_context *g)
DEVICE(cuCtxFromGreenCtx, find_green(g) ? STORED(to, g->context) : cudaErrorDeviceUninitialized,
	struct cuda_context **to, struct green_context *g)
DEVICE(cuGreenCtxGetId,
	find_green(g) ? STORED(to, cuda_context_id(g->context)) : cudaErrorDeviceUninitialized,
	struct green_context *g, unsigned long long *to)

static int create_green_stream(struct stream **to, struct green_context *g, unsigned flags, int priority)
{
	int e = !find_green(g)          ? cudaErrorDeviceUninitialized
		: flags != NON_BLOCKING ? cudaErrorInvalidValue
					: cudaStreamCreateWithPriority(to, flags, priority);

	if (!e)
		cudart_set_stream_context(*to, g->context);
	return e;
}
DEVICE(cuGreenCtxStreamCreate, create_green_stream(to, g, flags, priority), struct stream **to,
	struct green_context *g, unsigned flags, int priority)
STREAM(cuStreamGetGreenCtx,
	cudart_stream_number(s) < 0 ? cudaErrorInvalidResourceHandle
				    : STORED(to, green_of_context(cuda_stream_context(s))),
	struct stream *s, struct green_context **to)
/* Stores the green context of a stream and the primary context, or else no green context and the stream's context. */
static int get_stream_contexts(const struct stream *s, struct cuda_context **to, struct green_context **green)
{
	const uintptr_t per_thread = 2;

	if (cudart_stream_number(s) < 0 || (uintptr_t)s == per_thread)
		return cudaErrorInvalidResourceHandle;
	if (!to || !green)
		return cudaErrorInvalidValue;
	*green = green_of_context(cuda_stream_context(s));
	*to = *green ? cuda_primary_context() : cuda_stream_context(s);
	return cudaSuccess;
}
STREAM_TOO(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz, get_stream_contexts(s, to, green), struct stream *s,
	struct cuda_context **to, struct green_context **green)
DEVICE(cuGreenCtxRecordEvent, cuda_record_context_event(event, find_green(g), "cuGreenCtxRecordEvent"),
	struct green_context *g, struct event *event)
DEVICE(cuGreenCtxWaitEvent, cuda_wait_context_event(event, find_green(g), "cuGreenCtxWaitEvent"),
	struct green_context *g, const struct event *event)
