/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the CUDA runtime's interface that the test programs need, and the code that nvcc adds to a
 * program: a fat binary (file FATBIN, which the assembler includes), and the registration of its kernels and
 * variables before main().
 */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
	unsigned x, y, z;
};
struct stream;
struct event;
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, struct dim3 *,
	struct dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(struct dim3, struct dim3, size_t, struct stream *);
int __cudaPopCallConfiguration(struct dim3 *, struct dim3 *, size_t *, void *);
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, struct stream *);
int cudaLaunchCooperativeKernel(const void *, struct dim3, struct dim3, void **, size_t, struct stream *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
int cudaMallocManaged(void **, size_t, unsigned), cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, struct stream *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *), cudaGetSymbolSize(size_t *, const void *);
int cudaDeviceSynchronize(void), cudaGetLastError(void), cudaPeekAtLastError(void);
int cudaGetDeviceCount(int *), cudaSetDevice(int), cudaDeviceGetAttribute(int *, int, int);
int cudaStreamCreate(struct stream **), cudaStreamDestroy(struct stream *);
int cudaStreamSynchronize(struct stream *), cudaStreamQuery(struct stream *);
int cudaEventCreate(struct event **), cudaEventDestroy(struct event *);
int cudaEventRecord(struct event *, struct stream *),
	cudaEventElapsedTime(float *, struct event *, struct event *);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaDeviceGetGraphMemAttribute(int, int, void *);
int cudaDeviceFlushGPUDirectRDMAWrites(int, int);
int cudaEventQuery(struct event *), cudaStreamWaitEvent(struct stream *, struct event *, unsigned);
int cudaMemsetAsync(void *, int, size_t, struct stream *);
int cudaMallocAsync(void **, size_t, struct stream *), cudaFreeAsync(void *, struct stream *);
int cudaMallocFromPoolAsync(void **, size_t, void *, struct stream *);
int cudaDeviceGetDefaultMemPool(void **, int), cudaDeviceGetMemPool(void **, int),
	cudaDeviceSetMemPool(int, void *);
int cudaMemPoolCreate(void **, const void *), cudaMemPoolDestroy(void *), cudaMemPoolTrimTo(void *, size_t);
int cudaMemGetDefaultMemPool(void **, const void *, int), cudaMemGetMemPool(void **, const void *, int),
	cudaMemSetMemPool(const void *, int, void *);
int cudaMemPoolSetAccess(void *, const void *, size_t), cudaMemPoolGetAccess(int *, void *, const void *);
int cudaMemPoolSetAttribute(void *, int, void *), cudaMemPoolGetAttribute(void *, int, void *);
const char *cudaGetErrorName(int), *cudaGetErrorString(int);

__asm__(".section .nv_fatbin, \"a\"\n.balign 8\nfatbin_bytes:\n.incbin \"" FATBIN "\"\n.previous\n");
extern const char fatbin_bytes[];
static struct {
	int magic, version;
	const void *fatbin, *more;
} wrapper = {0x466243b1, 1, fatbin_bytes, NULL};

/* The handles of kernels and variables are addresses in the program. */
static char add, scale, wild, odd, unknown;
static unsigned counter;
static float factor[4];

__attribute__((constructor)) static void register_all(void)
{
	void **h = __cudaRegisterFatBinary(&wrapper);

	__cudaRegisterFunction(h, &add, &add, "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &scale, &scale, "scale", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &wild, &wild, "wild", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &odd, &odd, "odd", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(h, (char *)&counter, (char *)&counter, "counter", 0, sizeof(counter), 0, 0);
	__cudaRegisterVar(h, (char *)factor, (char *)factor, "factor", 0, sizeof(factor), 1, 0);
	__cudaRegisterFatBinaryEnd(h);
}

/* Launches KERNEL<<<grid, block, shared>>>(args) as compiled code does. */
static inline int launch_1d(const void *kernel, unsigned grid, unsigned block, size_t shared, void **args)
{
	struct dim3 g = {grid, 1, 1}, b = {block, 1, 1};
	struct stream *s = NULL;

	if (__cudaPushCallConfiguration(g, b, shared, NULL))
		return -1;
	__cudaPopCallConfiguration(&g, &b, &shared, &s);
	return cudaLaunchKernel(kernel, g, b, args, shared, s);
}

#endif
