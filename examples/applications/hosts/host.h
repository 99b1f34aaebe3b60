/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the host programs in this directory: numbers on the command line, and device buffers. */
#ifndef HOST_H
#define HOST_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

/* Returns the number after an option. Ends the program if the option is missing. */
static int option(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return atoi(argv[i + 1]);
	fprintf(stderr, "%s: %s is missing\n", argv[0], name);
	exit(2);
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

/* Returns an uninitialised device buffer of n elements. */
template <typename T> static T *device_buffer(size_t n)
{
	T *p;

	check(cudaMalloc((void **)&p, n * sizeof(T)));
	return p;
}

/* Returns a device buffer of n elements with values that the host copies to it. */
template <typename T> static T *device_input(size_t n)
{
	std::vector<T> host(n);
	T *p = device_buffer<T>(n);

	for (size_t i = 0; i < n; i++)
		host[i] = (T)(i % 97);
	check(cudaMemcpy(p, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

/* Waits for the kernels, copies a result back, and returns the status of the program. */
template <typename T> static int finish(const T *result, size_t n)
{
	std::vector<T> host(n);

	check(cudaGetLastError());
	check(cudaMemcpy(host.data(), result, n * sizeof(T), cudaMemcpyDeviceToHost));
	return 0;
}

#endif
