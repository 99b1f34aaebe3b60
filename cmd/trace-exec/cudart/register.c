/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registration of fat binaries, kernels and variables by the code that nvcc adds to a program.
 *
 * Always true: registration happens before main() and does not start the device.
 */
#include "arena.h"
#include "cudart/cudart.h"

#define WRAPPER_MAGIC 0x466243b1

struct wrapper {
	int magic, version;
	const void *fatbin;
	/* version 2: NULL-terminated array of the fat binaries of separately compiled files */
	const void *const *parts;
};
enum { WRAPPER_LINKED = 2 };

uint64_t cudart_address_hash(const void *p) { return table_hash(&p, sizeof(p)); }

static void **add_image(const struct wrapper *w)
{
	bool good = w && w->magic == WRAPPER_MAGIC;
	void **handle = xmalloc(sizeof(*handle));

	grow(&cudart.image, &cudart.cap_images, cudart.n_images + 1, sizeof(*cudart.image));
	cudart.image[cudart.n_images] = (struct image){.bytes = good ? w->fatbin : NULL,
		.parts = good && w->version == WRAPPER_LINKED ? w->parts : NULL};
	*handle = (void *)(uintptr_t)cudart.n_images++;
	return handle;
}

uint32_t cudart_image_of_handle(void *const *handle) { return (uint32_t)(uintptr_t)*handle; }

API(void **, __cudaRegisterFatBinary, void *wrapper)
{
	void **handle;

	pthread_mutex_lock(&cudart.lock);
	handle = add_image(wrapper);
	pthread_mutex_unlock(&cudart.lock);
	return handle;
}

API(void, __cudaRegisterFatBinaryEnd, void **handle) { (void)handle; }

API(void, __cudaUnregisterFatBinary, void **handle)
{
	pthread_mutex_lock(&cudart.lock);
	cudart.image[cudart_image_of_handle(handle)].bytes = NULL;
	cudart.image[cudart_image_of_handle(handle)].parts = NULL;
	pthread_mutex_unlock(&cudart.lock);
}

API(void, __cudaRegisterFunction, void **handle, const char *host, char *device, const char *name,
	int threads, void *tid, void *bid, void *block, void *grid, int *warp)
{
	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	pthread_mutex_lock(&cudart.lock);
	grow(&cudart.kernel, &cudart.cap_kernels, cudart.n_kernels + 1, sizeof(*cudart.kernel));
	cudart.kernel[cudart.n_kernels] = (struct kernel){.host = host,
		.name = name,
		.image = cudart_image_of_handle(handle),
		.max_dynamic_shared = -1,
		.carveout = -1};
	table_add(&cudart.kernels, cudart_address_hash(host), cudart.n_kernels++);
	pthread_mutex_unlock(&cudart.lock);
}

static void add_variable(
	void **handle, const void *host, void **managed, const char *name, size_t size, bool normalized)
{
	pthread_mutex_lock(&cudart.lock);
	grow(&cudart.variable, &cudart.cap_variables, cudart.n_variables + 1, sizeof(*cudart.variable));
	cudart.variable[cudart.n_variables] =
		(struct variable){host, managed, name, cudart_image_of_handle(handle), size, normalized};
	table_add(&cudart.variables, cudart_address_hash(host), cudart.n_variables++);
	pthread_mutex_unlock(&cudart.lock);
}

API(void, __cudaRegisterVar, void **handle, char *host, char *device, const char *name, int ext, size_t size,
	int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	add_variable(handle, host, NULL, name, size, false);
}

/* host is the pointer to the managed variable, which is set when the module is loaded. */
API(void, __cudaRegisterManagedVar, void **handle, void **host, char *device, const char *name, int ext,
	size_t size, int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	add_variable(handle, host, host, name, size, false);
}

/* A texture or surface reference is a variable that contains a handle. */
API(void, __cudaRegisterTexture, void **handle, const void *host, const void **device, const char *name,
	int dim, int normalized, int ext)
{
	(void)device, (void)dim, (void)ext;
	add_variable(handle, host, NULL, name, 8, normalized);
}

API(void, __cudaRegisterSurface, void **handle, const void *host, const void **device, const char *name,
	int dim, int ext)
{
	(void)device, (void)dim, (void)ext;
	add_variable(handle, host, NULL, name, 8, false);
}

API(void, __cudaRegisterHostVar, void **handle, const char *name, void *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size;
}
