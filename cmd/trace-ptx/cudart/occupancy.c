/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a kernel, and how many of its blocks fit on an SM.
 *
 * Always true: blocks are limited by threads, blocks, registers (in fours a thread, threads in whole warps)
 * and shared memory of the SM, as trace-sim limits them; registers are known only where machine code stands
 * beside the PTX.
 */
#include <string.h>
#include "cudart/cudart.h"

struct attributes {
	size_t shared, constant, local;
	int threads, regs, ptx, binary, cache, dynamic_most, carveout;
};

static int judge_kernel(const void *host, struct kernel **k)
{
	int e = cudart_enter(false);

	if (!e)
		*k = cudart_kernel(host, &e);
	return e;
}

API(int, cudaFuncGetAttributes, struct attributes *to, const void *host)
{
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e) {
		const struct func *f = k->func;
		uint32_t most = f->maxntid[0] * f->maxntid[1] * f->maxntid[2];
		uint32_t fit = k->regs ? (uint32_t)(cudart.wire.regs / k->regs / 32 * 32) : 1024;

		*to = (struct attributes){.shared = k->shared,
			.local = f->local_bytes,
			.threads = (int)(most         ? most
					 : fit < 1024 ? fit
						      : 1024),
			.regs = (int)k->regs,
			.ptx = (int)f->module->target,
			.binary = (int)(10 * cudart.wire.major + cudart.wire.minor),
			.dynamic_most = k->dynamic_most >= 0 ? k->dynamic_most : 49152 - (int)k->shared};
	}
	return cudart_leave(e);
}

enum { DYNAMIC_SHARED = 8, CARVEOUT = 9 };

API(int, cudaFuncSetAttribute, const void *host, int attribute, int value)
{
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e && (attribute < DYNAMIC_SHARED || attribute > 15))
		e = cudaErrorInvalidValue;
	if (!e && attribute == DYNAMIC_SHARED) {
		if (value < 0 || k->shared + (uint64_t)value > cudart.wire.shared_block)
			e = cudaErrorInvalidValue;
		else
			k->dynamic_most = value;
	}
	return cudart_leave(e);
}
ALSO(cudaKernelSetAttributeForDevice, cudaFuncSetAttribute);

API(int, cudaFuncSetCacheConfig, const void *host, int config)
{
	struct kernel *k;

	(void)config;
	return cudart_leave(judge_kernel(host, &k));
}
ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

API(int, cudaFuncGetName, const char **to, const void *host)
{
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e)
		*to = k->name;
	return cudart_leave(e);
}

API(int, cudaFuncGetParamInfo, const void *host, size_t i, size_t *offset, size_t *size)
{
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e && i >= k->func->n_params)
		e = cudaErrorInvalidValue;
	if (!e) {
		*offset = k->func->param[i]->addr;
		if (size)
			*size = k->func->param[i]->size;
	}
	return cudart_leave(e);
}

/* ---- occupancy ---- */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

API(int, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *to, const void *host, int threads,
	size_t dynamic)
{
	const struct wire *w = &cudart.wire;
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e && (!to || threads <= 0))
		e = cudaErrorInvalidValue;
	if (!e) {
		uint64_t lanes = ((uint64_t)threads + 31) / 32 * 32, n = least(w->ctas, w->threads / lanes);
		uint64_t shared = k->shared + dynamic, regs = (k->regs + 3u) / 4 * 4;

		n = regs ? least(n, w->regs / (lanes * regs)) : n;
		n = shared ? least(n, w->shared / shared) : n;
		*to = threads > 1024 || shared > w->shared_block ? 0 : (int)n;
	}
	return cudart_leave(e);
}

API(int, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *to, const void *host, int threads,
	size_t dynamic, unsigned flags)
{
	(void)flags;
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, host, threads, dynamic);
}

API(int, cudaOccupancyAvailableDynamicSMemPerBlock, size_t *to, const void *host, int blocks, int threads)
{
	const struct wire *w = &cudart.wire;
	struct kernel *k = NULL;
	int e = judge_kernel(host, &k);

	if (!e && (!to || blocks <= 0 || threads <= 0))
		e = cudaErrorInvalidValue;
	if (!e) {
		uint64_t each = least(w->shared / (unsigned)blocks, w->shared_block);

		*to = each > k->shared ? each - k->shared : 0;
	}
	return cudart_leave(e);
}
