// SPDX-License-Identifier: BSD-2-Clause
// Functions of the five programs: checked calls, and the random numbers of launch files (trace-launch(5)), so that a
// program and its launch file process the same values.
#ifndef COMMON_H
#define COMMON_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
			exit(1); \
		} \
	} while (0)

struct Random {
	unsigned long long state;
	explicit Random(unsigned long long seed) : state(seed) {}
	unsigned long long step() { return state = state * 6364136223846793005ull + 1442695040888963407ull; }
	unsigned integer() { return (unsigned)(step() >> 32); }
	float real() { return (float)(step() >> 40) * 0x1p-24f; }
};

template <typename T> T *on_device(const T *host, size_t n)
{
	T *device;

	CHECK(cudaMalloc(&device, n * sizeof(T)));
	if (host)
		CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
	else
		CHECK(cudaMemset(device, 0, n * sizeof(T)));
	return device;
}

template <typename T> void to_host(T *host, const T *device, size_t n)
{
	CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
}

// Prints the last line of a program, its name and whether the result is right. Returns the exit status.
static inline int verdict(const char *name, bool good)
{
	printf("%s: %s\n", name, good ? "right" : "WRONG");
	return good ? 0 : 1;
}

#endif
