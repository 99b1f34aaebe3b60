/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches with the functions of the first releases, which set block, shared memory and arguments one by one.
 */
#include <string.h>
#include "arena.h"
#include "cuda/cuda.h"

enum { ARGUMENTS_MOST = 4096 }; /* largest size of a kernel's arguments in bytes */

/* Settings for the next launches of a kernel. */
struct prepared_launch {
	const void *kernel;
	struct dim block;
	unsigned shared_bytes;
	size_t n; /* size of the arguments in bytes */
	uint8_t argument[ARGUMENTS_MOST];
};

static struct prepared_launch **prepared;
static uint32_t n_prepared, cap_prepared;

/*
 * Returns the settings of a kernel, which are created at the first call. Returns NULL if `kernel` is not a
 * kernel.
 */
static struct prepared_launch *find_prepared_launch(const void *kernel)
{
	int e = cudart_enter(false);
	struct prepared_launch *l = NULL;

	if (!e && !cudart_find_kernel(kernel, &e))
		e = e ? e : cudaErrorInvalidValue;
	for (uint32_t i = 0; !e && i < n_prepared && !l; i++)
		if (prepared[i]->kernel == kernel)
			l = prepared[i];
	if (!e && !l) {
		l = xcalloc(1, sizeof(*l));
		l->kernel = kernel;
		l->block = (struct dim){1, 1, 1};
		grow(&prepared, &cap_prepared, n_prepared + 1, sizeof(*prepared));
		prepared[n_prepared++] = l;
	}
	cudart_leave(cudaSuccess);
	return l;
}

static int set_prepared_block(const void *kernel, int x, int y, int z)
{
	struct prepared_launch *l = find_prepared_launch(kernel);

	if (!l || x <= 0 || y <= 0 || z <= 0)
		return cudaErrorInvalidValue;
	l->block = (struct dim){(unsigned)x, (unsigned)y, (unsigned)z};
	return cudaSuccess;
}
DRIVER(cuFuncSetBlockShape, set_prepared_block(kernel, x, y, z), const void *kernel, int x, int y, int z)

static int set_shared(const void *kernel, unsigned n)
{
	struct prepared_launch *l = find_prepared_launch(kernel);

	return l ? (l->shared_bytes = n, cudaSuccess) : cudaErrorInvalidValue;
}
DRIVER(cuFuncSetSharedSize, set_shared(kernel, n), const void *kernel, unsigned n)

static int set_size(const void *kernel, unsigned n)
{
	struct prepared_launch *l = find_prepared_launch(kernel);

	return l && n <= ARGUMENTS_MOST ? (l->n = n, cudaSuccess) : cudaErrorInvalidValue;
}
DRIVER(cuParamSetSize, set_size(kernel, n), const void *kernel, unsigned n)

static int set_argument(const void *kernel, int at, const void *value, unsigned n)
{
	struct prepared_launch *l = find_prepared_launch(kernel);

	if (!l || !value || at < 0 || at > ARGUMENTS_MOST || n > ARGUMENTS_MOST - (unsigned)at)
		return cudaErrorInvalidValue;
	memcpy(l->argument + at, value, n);
	return cudaSuccess;
}
DRIVER(cuParamSetv, set_argument(kernel, at, value, n), const void *kernel, int at, const void *value,
	unsigned n)
DRIVER(cuParamSeti, set_argument(kernel, at, &value, sizeof(value)), const void *kernel, int at,
	unsigned value)
DRIVER(cuParamSetf, set_argument(kernel, at, &value, sizeof(value)), const void *kernel, int at, float value)

static int launch_prepared(const void *kernel, int width, int height, struct stream *s)
{
	struct prepared_launch *l = find_prepared_launch(kernel);

	if (!l || width <= 0 || height <= 0)
		return cudaErrorInvalidValue;
	return cuda_launch_kernel(kernel,
		&(struct launch_config){
			{(unsigned)width, (unsigned)height, 1}, l->block, l->shared_bytes, s, NULL, 0},
		NULL, (void *[]){(void *)1, l->argument, (void *)2, &l->n, NULL});
}
DRIVER(cuLaunch, launch_prepared(kernel, 1, 1, NULL), const void *kernel)
DRIVER(cuLaunchGrid, launch_prepared(kernel, width, height, NULL), const void *kernel, int width, int height)
STREAM(cuLaunchGridAsync, launch_prepared(kernel, width, height, s), const void *kernel, int width,
	int height, struct stream *s)
