/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads a file of code with calls of the driver. Launches its kernel with the 64 numbers from 0 to 63 and a
 * limit of 30. Prints the registers of a thread, the blocks that fit on an SM, and the result for each number.
 * argv[1] is the file, and argv[2] is the name of the kernel.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *),
	cuModuleLoadFatBinary(void **, const void *), cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuLibraryLoadData(void **, const void *, void *, void *, unsigned, void *, void *, unsigned);
int cuLinkCreate_v2(unsigned, const int *, void **, void **), cuLinkDestroy(void *);
int cuLinkAddData_v2(void *, int, const void *, size_t, const char *, unsigned, const int *, void **);
int cuLinkComplete(void *, void **, size_t *);
int cuLibraryLoadFromFile(void **, const char *, void *, void *, unsigned, void *, void *, unsigned);
int cuLibraryGetKernel(void **, void *, const char *), cuLibraryUnload(void *);
int cuFuncGetAttribute(int *, int, void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	void **, void **);

enum { N = 64, REGISTERS = 4, PTX_VERSION, BINARY_VERSION };

static int prints_versions; /* prints the compute capabilities of the kernel's PTX and machine code */

static void *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *bytes = calloc(1, 1 << 20);

	if (!f || !fread(bytes, 1, (1 << 20) - 1, f))
		exit(3);
	fclose(f);
	return bytes;
}

static int launch(void *kernel)
{
	int in[N], out[N], limit = 30, regs = 0, fit = 0, e;
	uint64_t a, o;

	for (int i = 0; i < N; i++)
		in[i] = i;
	e = cuMemAlloc_v2(&a, sizeof(in)) || cuMemAlloc_v2(&o, sizeof(out)) ||
	    cuMemcpyHtoD_v2(a, in, sizeof(in)) || cuFuncGetAttribute(&regs, REGISTERS, kernel) ||
	    cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, N, 0) ||
	    cuLaunchKernel(kernel, 1, 1, 1, N, 1, 1, 0, NULL, (void *[]){&a, &o, &limit}, NULL) ||
	    cuMemcpyDtoH_v2(out, o, sizeof(out)) || cuMemFree_v2(a) || cuMemFree_v2(o);
	if (e)
		return e;
	if (prints_versions) {
		if (cuFuncGetAttribute(&regs, PTX_VERSION, kernel) ||
			cuFuncGetAttribute(&fit, BINARY_VERSION, kernel))
			return 1;
		printf("PTX %d, binary %d\n", regs, fit);
		return 0;
	}
	printf("%d registers, %d blocks:", regs, fit);
	for (int i = 0; i < N; i++)
		printf(" %d", out[i]);
	putchar('\n');
	return 0;
}

static void show(const char *call, int e, void **module, const char *name, int library)
{
	void *kernel;

	printf("%s %d ", call, e);
	if (!e)
		e = (library ? cuLibraryGetKernel : cuModuleGetFunction)(&kernel, *module, name) ||
		    launch(kernel) || (library ? cuLibraryUnload : cuModuleUnload)(*module);
	if (e)
		puts("nothing");
}

/* Links one input of machine code, so that the result equals the input. */
static int linked_module(void **m, const void *bytes)
{
	enum { CUBIN, SIZE = (1 << 20) - 1 };
	void *link, *code;
	size_t n;
	int e = cuLinkCreate_v2(0, NULL, NULL, &link);

	if (!e)
		e = cuLinkAddData_v2(link, CUBIN, bytes, SIZE, NULL, 0, NULL, NULL);
	if (!e)
		e = cuLinkComplete(link, &code, &n);
	if (!e)
		e = cuModuleLoadData(m, code);
	return e || cuLinkDestroy(link);
}

int main(int argc, char **argv)
{
	void *context, *m = NULL, *bytes;

	if (argc < 3 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 3;
	bytes = read_file(argv[1]);
	prints_versions = argc > 3 && !strcmp(argv[3], "versions");
	show("cuModuleLoad", cuModuleLoad(&m, argv[1]), &m, argv[2], 0);
	show("cuLibraryLoadFromFile", cuLibraryLoadFromFile(&m, argv[1], NULL, NULL, 0, NULL, NULL, 0), &m,
		argv[2], 1);
	/* with a third argument, loads only the file, whose headers may refer to bytes after its end */
	if (argc > 3)
		return 0;
	show("cuModuleLoadData", cuModuleLoadData(&m, bytes), &m, argv[2], 0);
	show("cuModuleLoadFatBinary", cuModuleLoadFatBinary(&m, bytes), &m, argv[2], 0);
	show("cuLibraryLoadData", cuLibraryLoadData(&m, bytes, NULL, NULL, 0, NULL, NULL, 0), &m, argv[2], 1);
	show("cuLinkComplete", linked_module(&m, bytes), &m, argv[2], 0);
	free(bytes);
	return 0;
}
