/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: allocation, pools, copies, fills, arrays, attributes of addresses. */
#include <string.h>
#include "cuda/cuda.h"

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

/* ---- allocation ---- */

/* Allocates memory. Unlike the runtime, the driver rejects a size of 0. */
static int allocate_driver_memory(uint64_t *to, size_t n)
{
	void *p = NULL;
	int e = to && n ? cudaMalloc(&p, n) : cudaErrorInvalidValue;

	return e ? e : STORED(to, (uintptr_t)p);
}
DRIVER(cuMemAlloc_v2, allocate_driver_memory(to, n), uint64_t *to, size_t n)
DRIVER(cuMemFree_v2, cudaFree(cuda_address(addr)), uint64_t addr)

static int allocate_rows(uint64_t *to, size_t *pitch, size_t width, size_t height, unsigned unit)
{
	void *p = NULL;
	bool good = to && pitch && width && height && (unit == 4 || unit == 8 || unit == 16);
	int e = good ? cudaMallocPitch(&p, pitch, width, height) : cudaErrorInvalidValue;

	return e ? e : STORED(to, (uintptr_t)p);
}
DRIVER(cuMemAllocPitch_v2, allocate_rows(to, pitch, width, height, unit), uint64_t *to, size_t *pitch,
	size_t width, size_t height, unsigned unit)
DRIVER(cuMemAllocHost_v2, n ? cudaHostAlloc(to, n, 0) : cudaErrorInvalidValue, void **to, size_t n)
ALSO(cuMemAllocHost, cuMemAllocHost_v2);
DRIVER(cuMemHostAlloc, n ? cudaHostAlloc(to, n, flags) : cudaErrorInvalidValue, void **to, size_t n,
	unsigned flags)
DRIVER(cuMemFreeHost, cudaFreeHost(p), void *p)
DRIVER(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer((void **)to, p, flags), uint64_t *to, void *p,
	unsigned flags)
DRIVER(cuMemHostGetFlags, cudaHostGetFlags(to, p), unsigned *to, void *p)
DRIVER(cuMemHostRegister_v2, cudaHostRegister(p, n, flags), void *p, size_t n, unsigned flags)
ALSO(cuMemHostRegister, cuMemHostRegister_v2);
DRIVER(cuMemHostUnregister, cudaHostUnregister(p), void *p)

static int allocate_managed(uint64_t *to, size_t n, unsigned flags)
{
	void *p = NULL;
	int e = to && n ? cudaMallocManaged(&p, n, flags) : cudaErrorInvalidValue;

	return e ? e : STORED(to, (uintptr_t)p);
}
DRIVER(cuMemAllocManaged, allocate_managed(to, n, flags), uint64_t *to, size_t n, unsigned flags)
DRIVER(cuMemGetInfo_v2, cudaMemGetInfo(unused, all), size_t *unused, size_t *all)

static int find_range(uint64_t *start, size_t *bytes, uint64_t addr)
{
	int e = cudart_enter(false);
	const struct grant *g = cudart_find_grant(addr);

	if (!e && !g)
		e = cudaErrorSymbolNotFound;
	if (!e && start)
		*start = g->addr;
	if (!e && bytes)
		*bytes = g->bytes;
	cudart_leave(cudaSuccess);
	return e;
}
DRIVER(cuMemGetAddressRange_v2, find_range(start, bytes, addr), uint64_t *start, size_t *bytes, uint64_t addr)

/* ---- pools ---- */

STREAM_TOO(cuMemAllocAsync, cuMemAllocAsync_ptsz,
	n ? cudaMallocAsync((void **)to, n, s) : cudaErrorInvalidValue, uint64_t *to, size_t n,
	struct stream *s)
STREAM_TOO(cuMemFreeAsync, cuMemFreeAsync_ptsz, cudaFreeAsync(cuda_address(addr), s), uint64_t addr,
	struct stream *s)
STREAM_TOO(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz,
	n ? cudaMallocFromPoolAsync((void **)to, n, p, s) : cudaErrorInvalidValue, uint64_t *to, size_t n,
	struct pool *p, struct stream *s)
DEVICE(cuMemPoolCreate, cudaMemPoolCreate(to, properties), struct pool **to, const void *properties)
DEVICE(cuMemPoolDestroy, cudaMemPoolDestroy(p), struct pool *p)
DEVICE(cuMemPoolSetAttribute, cudaMemPoolSetAttribute(p, attribute, value), struct pool *p, int attribute,
	void *value)
DEVICE(cuMemPoolGetAttribute, cudaMemPoolGetAttribute(p, attribute, value), struct pool *p, int attribute,
	void *value)
DEVICE(cuMemPoolTrimTo, cudaMemPoolTrimTo(p, keep), struct pool *p, size_t keep)
DEVICE(cuMemPoolSetAccess, cudaMemPoolSetAccess(p, access, n), struct pool *p, const void *access, size_t n)
DEVICE(cuMemPoolGetAccess, cudaMemPoolGetAccess(flags, p, place), int *flags, struct pool *p,
	const void *place)
DEVICE(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool(to, place, type), struct pool **to, const void *place,
	int type)
DEVICE(cuMemGetMemPool, cudaMemGetMemPool(to, place, type), struct pool **to, const void *place, int type)
DEVICE(cuMemSetMemPool, cudaMemSetMemPool(place, type, p), const void *place, int type, struct pool *p)
DEVICE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool(to, device), struct pool **to, int device)
DEVICE(cuDeviceGetMemPool, cudaDeviceGetMemPool(to, device), struct pool **to, int device)
DEVICE(cuDeviceSetMemPool, cudaDeviceSetMemPool(device, p), int device, struct pool *p)

/* ---- managed memory ---- */

enum { ON_DEVICE = 1, ON_HOST };

/*
 * Returns the location that a device number means; -1 is the host. Before release 12.2 functions took such
 * numbers.
 */
static struct memory_location make_device_location(int device)
{
	return (struct memory_location){device < 0 ? ON_HOST : ON_DEVICE, device < 0 ? 0 : device};
}
STREAM_TOO(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz,
	cudaMemPrefetchAsync_v2(cuda_address(addr), n, make_device_location(device), 0, s), uint64_t addr,
	size_t n, int device, struct stream *s)
STREAM_TOO(cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz,
	cudaMemPrefetchAsync_v2(cuda_address(addr), n, l, flags, s), uint64_t addr, size_t n,
	struct memory_location l, unsigned flags, struct stream *s)
DRIVER(cuMemAdvise, cudaMemAdvise_v2(cuda_address(addr), n, advice, make_device_location(device)),
	uint64_t addr, size_t n, int advice, int device)
DRIVER(cuMemAdvise_v2, cudaMemAdvise_v2(cuda_address(addr), n, advice, l), uint64_t addr, size_t n,
	int advice, struct memory_location l)
DRIVER(cuMemRangeGetAttribute, cudaMemRangeGetAttribute(to, bytes, attribute, cuda_address(addr), n), int *to,
	size_t bytes, int attribute, uint64_t addr, size_t n)
DRIVER(cuMemRangeGetAttributes,
	cudaMemRangeGetAttributes(to, bytes, attribute, n_attributes, cuda_address(addr), n), int **to,
	const size_t *bytes, const int *attribute, size_t n_attributes, uint64_t addr, size_t n)
STREAM_TOO(cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz,
	cudaStreamAttachMemAsync(s, cuda_address(addr), n, flags), struct stream *s, uint64_t addr, size_t n,
	unsigned flags)

/* ---- copies ---- */

DRIVER_TOO(cuMemcpy, cuMemcpy_ptds, cudaMemcpy(cuda_address(to), cuda_address(from), n, BY_ADDRESS),
	uint64_t to, uint64_t from, size_t n)
STREAM_TOO(cuMemcpyAsync, cuMemcpyAsync_ptsz,
	cudaMemcpyAsync(cuda_address(to), cuda_address(from), n, BY_ADDRESS, s), uint64_t to, uint64_t from,
	size_t n, struct stream *s)
DRIVER_TOO(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds, cudaMemcpy(cuda_address(to), from, n, HOST_TO_DEVICE),
	uint64_t to, const void *from, size_t n)
DRIVER_TOO(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds, cudaMemcpy(to, cuda_address(from), n, DEVICE_TO_HOST),
	void *to, uint64_t from, size_t n)
DRIVER_TOO(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds,
	cudaMemcpy(cuda_address(to), cuda_address(from), n, DEVICE_TO_DEVICE), uint64_t to, uint64_t from,
	size_t n)
STREAM_TOO(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz,
	cudaMemcpyAsync(cuda_address(to), from, n, HOST_TO_DEVICE, s), uint64_t to, const void *from,
	size_t n, struct stream *s)
STREAM_TOO(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz,
	cudaMemcpyAsync(to, cuda_address(from), n, DEVICE_TO_HOST, s), void *to, uint64_t from, size_t n,
	struct stream *s)
STREAM_TOO(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz,
	cudaMemcpyAsync(cuda_address(to), cuda_address(from), n, DEVICE_TO_DEVICE, s), uint64_t to,
	uint64_t from, size_t n, struct stream *s)
/* A copy between contexts is a plain copy: all contexts belong to one device. */
DRIVER_TOO(cuMemcpyPeer, cuMemcpyPeer_ptds,
	((void)c, (void)d, cudaMemcpy(cuda_address(to), cuda_address(from), n, DEVICE_TO_DEVICE)),
	uint64_t to, const struct cuda_context *c, uint64_t from, const struct cuda_context *d, size_t n)
STREAM_TOO(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz,
	((void)c, (void)d, cudaMemcpyAsync(cuda_address(to), cuda_address(from), n, DEVICE_TO_DEVICE, s)),
	uint64_t to, const struct cuda_context *c, uint64_t from, const struct cuda_context *d, size_t n,
	struct stream *s)

/* Sets one end of the runtime's structure. unit: bytes of a texel if either end is an array, else 1. */
static int convert_copy_end(const struct cuda_copy_end *c, const struct cuda_copy_3d *whole, size_t unit,
	const struct array **array, struct position *p, struct pitched *at)
{
	size_t width = c->x + whole->width;

	if (c->kind < KIND_HOST || c->kind > KIND_UNIFIED || c->level)
		return cudaErrorInvalidValue;
	*p = (struct position){c->kind == KIND_ARRAY ? c->x / unit : c->x, c->y, c->z};
	if (c->kind == KIND_ARRAY) {
		*array = c->array;
		return c->x % unit ? cudaErrorInvalidValue : cudaSuccess;
	}
	*at = (struct pitched){c->kind == KIND_HOST ? c->host : cuda_address(c->device),
		c->pitch ? c->pitch : width, width, c->height ? c->height : c->y + whole->height};
	return cudaSuccess;
}

int cuda_convert_copy(struct copy_3d *to, const struct cuda_copy_3d *c)
{
	size_t unit;
	int e;

	if (!c)
		return cudaErrorInvalidValue;
	unit = c->target.kind == KIND_ARRAY   ? cudart_array_texel_bytes(c->target.array)
	       : c->source.kind == KIND_ARRAY ? cudart_array_texel_bytes(c->source.array)
					      : 1;
	if (!unit || c->width % unit)
		return cudaErrorInvalidValue;
	*to = (struct copy_3d){.extent = {c->width / unit, c->height, c->depth}, .kind = BY_ADDRESS};
	e = convert_copy_end(&c->source, c, unit, &to->source_array, &to->source_position, &to->source);
	return e ? e
		 : convert_copy_end(
			   &c->target, c, unit, &to->target_array, &to->target_position, &to->target);
}

int cuda_copy_box(const struct cuda_copy_3d *c, struct stream *s)
{
	struct copy_3d p;
	int e = cuda_convert_copy(&p, c);

	return e ? e : cudaMemcpy3DAsync(&p, s);
}
DRIVER_TOO(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds, cuda_copy_box(c, NULL), const struct cuda_copy_3d *c)
STREAM_TOO(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz, cuda_copy_box(c, s), const struct cuda_copy_3d *c,
	struct stream *s)
/* A copy between two contexts. Its structure has the contexts in place of the reserved members. */
ALSO(cuMemcpy3DPeer, cuMemcpy3D_v2);
ALSO(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);
ALSO(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
ALSO(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);

/* CUDA_MEMCPY2D */
struct copy_2d_end {
	size_t x, y;
	unsigned kind;
	char *host;
	uint64_t device;
	struct array *array;
	size_t pitch;
};
struct cuda_copy_2d {
	struct copy_2d_end source, target;
	size_t width, height;
};

static struct cuda_copy_end convert_2d_copy_end(const struct copy_2d_end *c)
{
	return (struct cuda_copy_end){.x = c->x,
		.y = c->y,
		.kind = c->kind,
		.host = c->host,
		.device = c->device,
		.array = c->array,
		.pitch = c->pitch};
}

static int copy_driver_rows(const struct cuda_copy_2d *c, struct stream *s)
{
	struct cuda_copy_3d box;

	if (!c)
		return cudaErrorInvalidValue;
	box = (struct cuda_copy_3d){
		convert_2d_copy_end(&c->source), convert_2d_copy_end(&c->target), c->width, c->height, 1};
	return cuda_copy_box(&box, s);
}
DRIVER_TOO(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, copy_driver_rows(c, NULL), const struct cuda_copy_2d *c)
ALSO(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALSO(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);
STREAM_TOO(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz, copy_driver_rows(c, s), const struct cuda_copy_2d *c,
	struct stream *s)

/* ---- fills ---- */

/* Fills rows with elements of `unit` bytes. */
static int fill(uint64_t to, size_t pitch, unsigned value, unsigned unit, size_t width, size_t height,
	struct stream *s)
{
	struct fill_2d f = {cuda_address(to), pitch, value, unit, width, height};

	return to % unit || (height > 1 && pitch % unit) || width > SIZE_MAX / 8
		       ? cudaErrorInvalidValue
		       : work_run_fill_on_stream(&f, s);
}

#define FILL(bits, type) \
	DRIVER_TOO(cuMemsetD##bits##_v2, cuMemsetD##bits##_v2_ptds, \
		fill(to, n *(bits / 8), value, bits / 8, n, 1, NULL), uint64_t to, type value, size_t n) \
	STREAM_TOO(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz, \
		fill(to, n *(bits / 8), value, bits / 8, n, 1, s), uint64_t to, type value, size_t n, \
		struct stream *s) \
	DRIVER_TOO(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##_v2_ptds, \
		fill(to, pitch, value, bits / 8, width, height, NULL), uint64_t to, size_t pitch, \
		type value, size_t width, size_t height) \
	STREAM_TOO(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz, \
		fill(to, pitch, value, bits / 8, width, height, s), uint64_t to, size_t pitch, type value, \
		size_t width, size_t height, struct stream *s)

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)

/* ---- attributes of addresses ---- */

enum {
	POINTER_CONTEXT = 1,
	POINTER_KIND,
	POINTER_DEVICE,
	POINTER_HOST,
	POINTER_SYNC = 6,
	POINTER_ID,
	POINTER_MANAGED,
	POINTER_ORDINAL,
	POINTER_SHAREABLE,
	POINTER_START,
	POINTER_BYTES,
	POINTER_MAPPED,
	POINTER_HANDLES,
	POINTER_DIRECT,
	POINTER_ACCESS,
	POINTER_POOL,
	POINTER_MAPPING_BYTES,
	POINTER_MAPPING_START,
	POINTER_BLOCK,
	POINTER_DECOMPRESS
};

/* Stores an attribute of an address, in the size that the driver documents for it. */
static int store_pointer_attribute(void *to, int attribute, const struct grant *g, uint64_t addr)
{
	bool host = g->kind != GRANT_DEVICE;

	switch (attribute) {
	case POINTER_CONTEXT: memcpy(to, &g->context, sizeof(g->context)); break;
	case POINTER_KIND: *(unsigned *)to = g->kind == GRANT_PINNED ? KIND_HOST : KIND_DEVICE; break;
	case POINTER_DEVICE: memcpy(to, &addr, sizeof(addr)); break;
	case POINTER_HOST:
		if (!host)
			return cudaErrorInvalidValue;
		memcpy(to, &addr, sizeof(addr));
		break;
	case POINTER_ID:
	case POINTER_BLOCK:
	case POINTER_MAPPING_START:
	case POINTER_START: memcpy(to, &g->addr, sizeof(g->addr)); break;
	case POINTER_MAPPING_BYTES:
	case POINTER_BYTES: memcpy(to, &g->bytes, sizeof(g->bytes)); break;
	case POINTER_ORDINAL: *(int *)to = 0; break;
	case POINTER_MANAGED: *(unsigned *)to = g->kind == GRANT_MANAGED; break;
	case POINTER_MAPPED: *(unsigned *)to = 1; break;
	case POINTER_SYNC:
	case POINTER_SHAREABLE:
	case POINTER_DECOMPRESS:
	case POINTER_DIRECT: *(unsigned *)to = 0; break;
	case POINTER_HANDLES: memset(to, 0, 8); break;
	case POINTER_ACCESS: *(int *)to = 3; break;
	case POINTER_POOL: memcpy(to, &g->pool, sizeof(g->pool)); break;
	default: return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

static int get_pointer_attribute(void *to, int attribute, uint64_t addr)
{
	int e = cudart_enter(false);
	const struct grant *g = cudart_find_grant(addr);

	if (!e)
		e = to && g ? store_pointer_attribute(to, attribute, g, addr) : cudaErrorInvalidValue;
	cudart_leave(cudaSuccess);
	return e;
}
DRIVER(cuPointerGetAttribute, get_pointer_attribute(to, attribute, addr), void *to, int attribute,
	uint64_t addr)

/* Stores `n` attributes of an address; 0 for an address that the driver did not allocate. */
static int get_attributes(unsigned n, const int *attribute, void **to, uint64_t addr)
{
	if (!n || !attribute || !to)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if (to[i] && get_pointer_attribute(to[i], attribute[i], addr))
			memset(to[i], 0,
				attribute[i] == POINTER_CONTEXT || attribute[i] == POINTER_DEVICE ||
						attribute[i] == POINTER_HOST
					? 8
					: 4);
	return cudaSuccess;
}
DRIVER(cuPointerGetAttributes, get_attributes(n, attribute, to, addr), unsigned n, const int *attribute,
	void **to, uint64_t addr)
