/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches, attributes of kernels, occupancy. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cuda/cuda.h"

/* ---- arguments ---- */

enum { EXTRA_END, EXTRA_BUFFER, EXTRA_SIZE };

/*
 * Sets *buffer and *n from `extra`, a list of pairs: a kind and its value. Returns false if the list is
 * malformed.
 */
static bool read_extra_arguments(void **extra, uint8_t **buffer, size_t *n)
{
	*buffer = NULL;
	*n = 0;
	for (; (uintptr_t)extra[0] != EXTRA_END; extra += 2) {
		if ((uintptr_t)extra[0] == EXTRA_BUFFER)
			*buffer = extra[1];
		else if ((uintptr_t)extra[0] == EXTRA_SIZE && extra[1])
			memcpy(n, extra[1], sizeof(*n));
		else
			return false;
	}
	return *buffer;
}

int cuda_collect_arguments(const void *kernel, void **args, void **extra, void ***made)
{
	int e = cudart_enter(false);
	const struct kernel *k = e ? NULL : cudart_find_kernel(kernel, &e);
	uint8_t *buffer;
	size_t n;

	*made = NULL;
	if (!e && extra && (args || !read_extra_arguments(extra, &buffer, &n)))
		e = cudaErrorInvalidValue;
	if (!e && extra) {
		*made = xcalloc(k->func->n_params + 1u, sizeof(**made));
		for (uint32_t i = 0; i < k->func->n_params; i++) {
			const struct symbol *p = k->func->param[i];

			(*made)[i] = buffer + p->addr;
			if (p->addr > n || p->size > n - p->addr)
				e = cudaErrorInvalidValue;
		}
	}
	cudart_leave(cudaSuccess);
	return e;
}

/* ---- launches ---- */

int cuda_launch_kernel(const void *kernel, const struct launch_config *c, void **args, void **extra)
{
	void **made = NULL;
	int e = cuda_collect_arguments(kernel, args, extra, &made);

	if (!e)
		e = cudaLaunchKernelExC(c, kernel, made ? made : args);
	free(made);
	return e;
}

#define SHAPE \
	unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
		unsigned block_z
#define SHAPED \
	{grid_x, grid_y, grid_z}, { block_x, block_y, block_z }

STREAM_TOO(cuLaunchKernel, cuLaunchKernel_ptsz,
	cuda_launch_kernel(kernel, &(struct launch_config){SHAPED, shared, s, NULL, 0}, args, extra),
	const void *kernel, SHAPE, unsigned shared, struct stream *s, void **args, void **extra)

#define ATTRIBUTE_COOPERATIVE 2
STREAM_TOO(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz,
	cuda_launch_kernel(kernel,
		&(struct launch_config){SHAPED, shared, s,
			&(struct launch_attribute){.id = ATTRIBUTE_COOPERATIVE, .value.number = {1}}, 1},
		args, NULL),
	const void *kernel, SHAPE, unsigned shared, struct stream *s, void **args)

/* CUlaunchConfig */
struct cuda_config {
	struct dim grid, block;
	unsigned shared_bytes;
	struct stream *stream;
	struct launch_attribute *attribute;
	unsigned n_attributes;
};

static struct launch_config make_runtime_config(const struct cuda_config *c)
{
	return (struct launch_config){
		c->grid, c->block, c->shared_bytes, c->stream, c->attribute, c->n_attributes};
}

static int launch_by_config(const struct cuda_config *c, const void *kernel, void **args, void **extra)
{
	struct launch_config r;

	if (!c)
		return cudaErrorInvalidValue;
	r = make_runtime_config(c);
	return cuda_launch_kernel(kernel, &r, args, extra);
}
API(int, cuLaunchKernelEx, const struct cuda_config *c, const void *kernel, void **args, void **extra)
{
	int entered = cuda_enter_stream(c ? c->stream : NULL);

	return cuda_leave(entered ? entered : launch_by_config(c, kernel, args, extra));
}
ALSO(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);
STREAM_TOO(cuLaunchHostFunc, cuLaunchHostFunc_ptsz, cudaLaunchHostFunc(s, call, arg), struct stream *s,
	void (*call)(void *), void *arg)
STREAM_TOO(cuStreamAddCallback, cuStreamAddCallback_ptsz, cudaStreamAddCallback(s, call, arg, flags),
	struct stream *s, void (*call)(struct stream *, int, void *), void *arg, unsigned flags)

/* ---- attributes ---- */

/* Stores the attribute with the driver's number `number`. Returns 0 or a status. */
static int get_kernel_attribute(int *to, int number, const void *kernel)
{
	struct func_attributes a = {.threads = 0};
	int e = cudaFuncGetAttributes(&a, kernel);
	const int value[] = {a.threads, (int)a.shared_bytes, (int)a.constant_bytes, (int)a.local_bytes,
		a.regs, a.ptx_version, a.binary_version, a.cache_mode, a.max_dynamic_shared, a.carveout,
		a.cluster_needed, a.cluster[0], a.cluster[1], a.cluster[2], a.large_cluster, a.scheduling};

	if (!e && (number < 0 || number >= (int)(sizeof(value) / sizeof(value[0]))))
		e = cudaErrorInvalidValue;
	return e ? e : STORED(to, value[number]);
}
DRIVER(cuFuncGetAttribute, get_kernel_attribute(to, number, kernel), int *to, int number, const void *kernel)
DRIVER(cuKernelGetAttribute,
	cuda_check_device(device) ? cudaErrorInvalidDevice : get_kernel_attribute(to, number, kernel),
	int *to, int number, const void *kernel, int device)
DRIVER(cuFuncSetAttribute, cudaFuncSetAttribute(kernel, number, value), const void *kernel, int number,
	int value)
DRIVER(cuKernelSetAttribute,
	cuda_check_device(device) ? cudaErrorInvalidDevice : cudaFuncSetAttribute(kernel, number, value),
	int number, int value, const void *kernel, int device)
DRIVER(cuFuncSetCacheConfig, cudaFuncSetCacheConfig(kernel, config), const void *kernel, int config)
ALSO(cuFuncSetSharedMemConfig, cuFuncSetCacheConfig);
DRIVER(cuKernelSetCacheConfig,
	cuda_check_device(device) ? cudaErrorInvalidDevice : cudaFuncSetCacheConfig(kernel, config),
	const void *kernel, int config, int device)
DRIVER(cuFuncGetName, cudaFuncGetName(to, kernel), const char **to, const void *kernel)
ALSO(cuKernelGetName, cuFuncGetName);
DRIVER(cuFuncGetParamInfo, cudaFuncGetParamInfo(kernel, i, offset, size), const void *kernel, size_t i,
	size_t *offset, size_t *size)
ALSO(cuKernelGetParamInfo, cuFuncGetParamInfo);

/* Returns 0 if `kernel` is a kernel. It has been loaded with its module. */
static int check_launched_kernel(const void *kernel)
{
	const char *name;

	return cudaFuncGetName(&name, kernel);
}
DRIVER(cuFuncLoad, check_launched_kernel(kernel), const void *kernel)
DRIVER(cuFuncIsLoaded, check_launched_kernel(kernel) ? cudaErrorInvalidResourceHandle : STORED(to, 1),
	int *to, const void *kernel)

/* ---- occupancy ---- */

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor,
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, kernel, threads, dynamic), int *to,
	const void *kernel, int threads, size_t dynamic)
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	((void)flags, cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, kernel, threads, dynamic)), int *to,
	const void *kernel, int threads, size_t dynamic, unsigned flags)
DRIVER(cuOccupancyAvailableDynamicSMemPerBlock,
	cudaOccupancyAvailableDynamicSMemPerBlock(to, kernel, blocks, threads), size_t *to,
	const void *kernel, int blocks, int threads)

/*
 * Finds the block size with the most resident threads per SM: a whole number of warps, or `limit`. Sets
 * *threads to it, and *blocks to the number of such blocks that are resident on the GPU.
 */
static int find_block_size(
	int *blocks, int *threads, const void *kernel, size_t (*dynamic_of)(int), size_t dynamic, int limit)
{
	struct func_attributes a = {.threads = 0};
	int e = blocks && threads ? cudaFuncGetAttributes(&a, kernel) : cudaErrorInvalidValue, most = 0, fit;

	if (e)
		return e;
	limit = limit > 0 && limit < a.threads ? limit : a.threads;
	*threads = *blocks = 0;
	for (int n = (limit + 31) / 32 * 32; !e && n > 0; n -= 32) {
		int size = n < limit ? n : limit;

		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&fit, kernel, size, dynamic_of ? dynamic_of(size) : dynamic);
		if (!e && fit * size > most) {
			most = fit * size;
			*threads = size;
			*blocks = fit * (int)cudart.wire.sms;
		}
	}
	return e;
}
DRIVER(cuOccupancyMaxPotentialBlockSize, find_block_size(blocks, threads, kernel, dynamic_of, dynamic, limit),
	int *blocks, int *threads, const void *kernel, size_t (*dynamic_of)(int), size_t dynamic, int limit)
DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags,
	((void)flags, find_block_size(blocks, threads, kernel, dynamic_of, dynamic, limit)), int *blocks,
	int *threads, const void *kernel, size_t (*dynamic_of)(int), size_t dynamic, int limit,
	unsigned flags)

static int count_clusters(int *to, const void *kernel, const struct cuda_config *c, bool largest)
{
	struct launch_config r;

	if (!c)
		return cudaErrorInvalidValue;
	r = make_runtime_config(c);
	return largest ? cudaOccupancyMaxPotentialClusterSize(to, kernel, &r)
		       : cudaOccupancyMaxActiveClusters(to, kernel, &r);
}
DRIVER(cuOccupancyMaxActiveClusters, count_clusters(to, kernel, c, false), int *to, const void *kernel,
	const struct cuda_config *c)
DRIVER(cuOccupancyMaxPotentialClusterSize, count_clusters(to, kernel, c, true), int *to, const void *kernel,
	const struct cuda_config *c)
