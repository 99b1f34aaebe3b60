/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes of kernels, and the number of resident blocks of an SM.
 *
 * Always true: threads, blocks, registers and shared memory of the SM limit the number of blocks, by the rules of the
 * CUDA occupancy calculator. Registers are known only if the fat binary has machine code.
 */
#include <string.h>
#include "bits.h"
#include "cudart/cudart.h"
#include "machine/machine.h"

/* Returns the number of bytes of constants of the kernel's module. */
static size_t constant_bytes_of_kernel(const struct func *f)
{
	const struct module *m = f->module;
	size_t n = 0;

	for (uint32_t i = 0; i < m->n_vars; i++)
		if (m->var[i]->space == SP_CONST && !m->var[i]->external)
			n += m->var[i]->size;
	return n;
}

static int find_kernel_of_call(const void *host, struct kernel **k)
{
	int e = cudart_enter(false);

	if (!e)
		*k = cudart_find_kernel(host, &e);
	return e;
}

API(int, cudaFuncGetAttributes, struct func_attributes *to, const void *host)
{
	struct kernel *k = NULL;
	int e = find_kernel_of_call(host, &k);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e) {
		const struct func *f = k->func;
		const uint32_t *cluster = f->cluster[0] ? f->cluster : k->cluster;
		uint32_t most = f->maxntid[0] * f->maxntid[1] * f->maxntid[2];
		uint32_t fit = k->regs ? (uint32_t)(cudart.wire.regs / k->regs / 32 * 32) : 1024;

		struct func_attributes a = {.shared_bytes = k->shared_bytes,
			.constant_bytes = constant_bytes_of_kernel(f),
			.local_bytes = f->local_bytes,
			.threads = (int)(most         ? most
					 : fit < 1024 ? fit
						      : 1024),
			.regs = (int)k->regs,
			.ptx_version = (int)(f->machine ? machine_ptx_target(f) : f->module->target),
			.binary_version = (int)(f->machine ? f->module->target
							   : 10 * cudart.wire.major + cudart.wire.minor),
			.max_dynamic_shared = k->max_dynamic_shared >= 0 ? k->max_dynamic_shared
									 : 49152 - (int)k->shared_bytes,
			.carveout = k->carveout,
			.cluster_needed = f->cluster[0] || k->cluster_needed,
			.cluster = {(int)cluster[0], (int)cluster[1], (int)cluster[2]},
			.scheduling = k->scheduling,
			.large_cluster = k->large_cluster};
		memcpy(to, &a,
			cudart_runtime_release() < 12 ? offsetof(struct func_attributes, cluster_needed)
						      : sizeof(a));
	}
	return cudart_leave(e);
}

enum {
	DYNAMIC_SHARED = 8,
	CARVEOUT,
	CLUSTER_NEEDED,
	CLUSTER_WIDTH,
	CLUSTER_DEPTH = CLUSTER_WIDTH + 2,
	LARGE_CLUSTER,
	SCHEDULING
};

/* Sets an attribute of a kernel. A cluster that the kernel's code declares cannot be changed. */
static int set_kernel_attribute(struct kernel *k, int attribute, int value)
{
	if (value < -(attribute == CARVEOUT))
		return cudaErrorInvalidValue;
	switch (attribute) {
	case DYNAMIC_SHARED:
		if (k->shared_bytes + (uint64_t)value > cudart.wire.shared_block)
			return cudaErrorInvalidValue;
		k->max_dynamic_shared = value;
		break;
	case CARVEOUT:
		if (value > 100)
			return cudaErrorInvalidValue;
		k->carveout = value;
		break;
	case CLUSTER_NEEDED: k->cluster_needed = value; break;
	case LARGE_CLUSTER: k->large_cluster = value; break;
	case SCHEDULING: k->scheduling = value; break;
	default:
		if (attribute < CLUSTER_WIDTH || attribute > CLUSTER_DEPTH)
			return cudaErrorInvalidValue;
		if (k->func->cluster[0])
			return cudaErrorNotPermitted;
		k->cluster[attribute - CLUSTER_WIDTH] = (uint32_t)value;
	}
	return cudaSuccess;
}

API(int, cudaFuncSetAttribute, const void *host, int attribute, int value)
{
	struct kernel *k = NULL;
	int e = find_kernel_of_call(host, &k);

	return cudart_leave(e ? e : set_kernel_attribute(k, attribute, value));
}
ALSO(cudaKernelSetAttributeForDevice, cudaFuncSetAttribute);

API(int, cudaFuncSetCacheConfig, const void *host, int config)
{
	struct kernel *k;
	int e = find_kernel_of_call(host, &k);

	return cudart_leave(e ? e : config < 0 || config > 3 ? cudaErrorInvalidValue : cudaSuccess);
}
ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

API(int, cudaFuncGetName, const char **to, const void *host)
{
	struct kernel *k = NULL;
	int e = find_kernel_of_call(host, &k);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = k->name;
	return cudart_leave(e);
}

API(int, cudaFuncGetParamInfo, const void *host, size_t i, size_t *offset, size_t *size)
{
	struct kernel *k = NULL;
	int e = find_kernel_of_call(host, &k);

	if (!e && (!offset || i >= k->func->n_params))
		e = cudaErrorInvalidValue;
	if (!e) {
		*offset = k->func->param[i]->addr;
		if (size)
			*size = k->func->param[i]->size;
	}
	return cudart_leave(e);
}

/* ---- occupancy ---- */

#define SUB_CORES     4u   /* number per SM; each has an equal part of the registers */
#define REGISTER_UNIT 256u /* the registers of a warp are allocated in multiples of this number */

static uint64_t shared_unit(void) { return grid_shared_unit((uint32_t)cudart.wire.major * 10); }

/* Returns the number of bytes of shared memory that the system reserves in each block. */
static uint64_t reserved_shared_bytes(void) { return cudart.wire.shared - cudart.wire.shared_block; }

/* Returns the number of warps for which the SM has registers. */
static uint64_t warps_by_registers(uint64_t regs)
{
	uint64_t of_warp = round_up_u64(regs * 32, REGISTER_UNIT);

	return cudart.wire.regs / SUB_CORES / of_warp * SUB_CORES;
}

uint64_t cudart_blocks_of_sm(const struct kernel *k, uint64_t threads, uint64_t dynamic)
{
	const struct wire *w = &cudart.wire;
	uint64_t warps = (threads + 31) / 32, shared = k->shared_bytes + dynamic,
		 allocated = round_up_u64(shared + reserved_shared_bytes(), shared_unit());
	uint64_t n = min_u64(w->ctas, warps ? w->threads / (32 * warps) : 0);

	n = k->regs && warps ? min_u64(n, warps_by_registers(k->regs) / warps) : n;
	n = allocated ? min_u64(n, w->shared / allocated) : n;
	return threads > 1024 || shared > w->shared_block ? 0 : n;
}

API(int, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *to, const void *host, int threads,
	size_t dynamic)
{
	struct kernel *k = NULL;
	int e = find_kernel_of_call(host, &k);

	if (!e && (!to || threads <= 0))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = (int)cudart_blocks_of_sm(k, (unsigned)threads, dynamic);
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
	int e = find_kernel_of_call(host, &k);

	if (!e && (!to || blocks <= 0 || threads <= 0))
		e = cudaErrorInvalidValue;
	if (!e) {
		uint64_t each = w->shared / (unsigned)blocks / shared_unit() * shared_unit(),
			 used = k->shared_bytes + reserved_shared_bytes();

		*to = each > used ? each - used : 0;
	}
	return cudart_leave(e);
}
