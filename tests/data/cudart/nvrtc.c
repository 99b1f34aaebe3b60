/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiles a kernel with NVRTC, and loads and launches it with the driver. Includes NVIDIA's headers of both.
 */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static const char source[] = "extern \"C\" __global__ void twice(float *a, int n)\n"
			     "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }\n";

static void check(int status)
{
	if (!status)
		return;
	printf("error %d\n", status);
	exit(1);
}

int main(void)
{
	static float a[N];
	const char *option[] = {"--gpu-architecture=compute_80"};
	nvrtcProgram program;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr d;
	CUstream stream;
	size_t size;
	char *ptx;
	int n = N, wrong = 0;
	void *args[] = {&d, &n};

	check(nvrtcCreateProgram(&program, source, "twice.cu", 0, NULL, NULL));
	check(nvrtcCompileProgram(program, 1, option));
	check(nvrtcGetPTXSize(program, &size));
	ptx = malloc(size);
	check(nvrtcGetPTX(program, ptx));
	check(nvrtcDestroyProgram(&program));
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	check(cuModuleLoadData(&module, ptx));
	free(ptx);
	check(cuModuleGetFunction(&kernel, module, "twice"));
	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < N; i++)
		a[i] = (float)i;
	check(cuMemAlloc(&d, sizeof(a)));
	check(cuMemcpyHtoD(d, a, sizeof(a)));
	check(cuLaunchKernel(kernel, (N + 255) / 256, 1, 1, 256, 1, 1, 0, stream, args, NULL));
	check(cuStreamSynchronize(stream));
	check(cuMemcpyDtoH(a, d, sizeof(a)));
	for (int i = 0; i < N; i++)
		wrong += a[i] != 2 * (float)i;
	check(cuMemFree(d));
	check(cuStreamDestroy(stream));
	check(cuModuleUnload(module));
	check(cuDevicePrimaryCtxRelease(0));
	printf("%d of %d elements are wrong\n", wrong, N);
	return wrong != 0;
}
