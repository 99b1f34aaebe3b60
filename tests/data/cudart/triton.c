/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and launches a kernel with the calls of Triton's launcher. argv[1] is the file triton.ptx. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, WARPS = 4, SHARED = 512 };
enum { MAX_DYNAMIC_SHARED = 8, SHARED_BYTES = 1, SHARED_OPTIN = 97 };

struct config {
	unsigned grid[3], block[3], shared;
	void *stream, *attribute;
	unsigned n_attributes;
};

int cuInit(unsigned), cuDeviceGet(int *, int), cuDeviceGetAttribute(int *, int, int);
int cuDevicePrimaryCtxRetain(void **, int), cuCtxGetCurrent(void **), cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuFuncGetAttribute(int *, int, void *), cuFuncSetAttribute(void *, int, int);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t),
	cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t), cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *);
int cuGetErrorString(int, const char **), cuPointerGetAttribute(void *, int, uint64_t);

static void check(int status)
{
	const char *text = "";

	if (!status)
		return;
	cuGetErrorString(status, &text);
	printf("error %d: %s\n", status, text);
	exit(1);
}

/* The launcher gets this function from the driver when it needs it for the first time. */
static int launch(const struct config *c, void *f, void **args)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY);
	int (*call)(const struct config *, void *, void **, void **);

	*(void **)&call = library ? dlsym(library, "cuLaunchKernelEx") : NULL;
	return call ? call(c, f, args, NULL) : 1;
}

static void *load(const char *path)
{
	static char text[1 << 14];
	FILE *f = fopen(path, "rb");
	void *module, *kernel;
	int optin, bytes;

	if (!f || !fread(text, 1, sizeof(text) - 1, f))
		exit(3);
	fclose(f);
	check(cuModuleLoadData(&module, text));
	check(cuModuleGetFunction(&kernel, module, "add_kernel"));
	check(cuDeviceGetAttribute(&optin, SHARED_OPTIN, 0));
	check(cuFuncGetAttribute(&bytes, SHARED_BYTES, kernel));
	check(cuFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, optin - bytes));
	return kernel;
}

int main(int argc, char **argv)
{
	static float a[N], b[N], c[N];
	uint64_t d[3], none = 0;
	void *context, *stream, *kernel;
	int device, n = N, wrong = 0;
	void *args[] = {&d[0], &d[1], &d[2], &n, &none, &none};

	check(cuInit(0));
	check(cuDeviceGet(&device, 0));
	check(cuCtxGetCurrent(&context));
	if (!context) {
		check(cuDevicePrimaryCtxRetain(&context, device));
		check(cuCtxSetCurrent(context));
	}
	kernel = load(argc > 1 ? argv[1] : "");
	check(cuStreamCreate(&stream, 1));
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = .5f;
	}
	for (int i = 0; i < 3; i++)
		check(cuMemAlloc_v2(&d[i], sizeof(a)));
	check(cuMemcpyHtoD_v2(d[0], a, sizeof(a)));
	check(cuMemcpyHtoD_v2(d[1], b, sizeof(b)));
	for (int i = 0; i < 2; i++)
		check(cuPointerGetAttribute(&d[i], 3, d[i]));
	check(launch(&(struct config){{(N + 127) / 128, 1, 1}, {32 * WARPS, 1, 1}, SHARED, stream, NULL, 0},
		kernel, args));
	check(cuMemcpyDtoH_v2(c, d[2], sizeof(c)));
	for (int i = 0; i < N; i++)
		wrong += c[i] != (float)i + .5f;
	for (int i = 0; i < 3; i++)
		check(cuMemFree_v2(d[i]));
	check(cuStreamDestroy_v2(stream));
	printf("%d of %d elements are wrong\n", wrong, N);
	return wrong != 0;
}
