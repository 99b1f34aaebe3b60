/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries of the runtime: the modules that a program loads by cudaLibraryLoadData and similar functions. */
#include "cuda/cuda.h"

struct cuda_module;
int cuLibraryLoadData(struct cuda_module **to, const void *code, const int *option, void **value, unsigned n,
	const int *more, void **values, unsigned n_more);
int cuLibraryLoadFromFile(struct cuda_module **to, const char *path, const int *option, void **value,
	unsigned n, const int *more, void **values, unsigned n_more);
int cuLibraryUnload(struct cuda_module *m);
int cuLibraryGetKernel(const void **to, const struct cuda_module *m, const char *name);
int cuLibraryGetKernelCount(unsigned *to, const struct cuda_module *m);
int cuLibraryEnumerateKernels(const void **to, unsigned n, const struct cuda_module *m);
int cuLibraryGetGlobal(uint64_t *to, size_t *bytes, const struct cuda_module *m, const char *name);

/*
 * Defines a function of the runtime that returns the status of `call`, a function of the driver. The runtime starts
 * first, so that the thread has the primary context.
 */
#define LIBRARY(name, call, ...) \
	API(int, name, __VA_ARGS__) \
	{ \
		int e = cudart_enter(false); \
\
		cudart_leave(cudaSuccess); \
		e = e ? e : (call); \
		if (e) \
			cudart_set_last_error(e); \
		return e; \
	}
LIBRARY(cudaLibraryLoadData, cuLibraryLoadData(to, code, option, value, n, more, values, n_more),
	struct cuda_module **to, const void *code, const int *option, void **value, unsigned n,
	const int *more, void **values, unsigned n_more)
LIBRARY(cudaLibraryLoadFromFile, cuLibraryLoadFromFile(to, path, option, value, n, more, values, n_more),
	struct cuda_module **to, const char *path, const int *option, void **value, unsigned n,
	const int *more, void **values, unsigned n_more)
LIBRARY(cudaLibraryUnload, cuLibraryUnload(m), struct cuda_module *m)
LIBRARY(cudaLibraryGetKernel, cuLibraryGetKernel(to, m, name), const void **to, const struct cuda_module *m,
	const char *name)
LIBRARY(cudaLibraryGetKernelCount, cuLibraryGetKernelCount(to, m), unsigned *to, const struct cuda_module *m)
LIBRARY(cudaLibraryEnumerateKernels, cuLibraryEnumerateKernels(to, n, m), const void **to, unsigned n,
	const struct cuda_module *m)
LIBRARY(cudaLibraryGetGlobal, cuLibraryGetGlobal(to, bytes, m, name), uint64_t *to, size_t *bytes,
	const struct cuda_module *m, const char *name)
