/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches kernels that wait for writes to memory.
 *
 * usage: waits [host|device|release|copy|answer|stack|time|end]
 *   host, device  the pinned or device memory is never written
 *   release       the host writes the memory after it has launched more work
 *   copy          a copy on another stream writes the device memory
 *   answer        the host waits for the kernel's answer without a call
 *   stack         as answer, in variables of the host that it registered
 *   time          the kernel waits for a given time
 *   end           the program ends before the kernel
 */
#include <stdbool.h>
#include "cuda.h"

int cudaStreamCreateWithFlags(struct stream **, unsigned);
int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *),
	cudaHostGetDevicePointer(void **, void *, unsigned);

static volatile unsigned *flag;

static void check(const char *what, int status, int expected)
{
	if (status != expected)
		printf("%s: status %d (expected %d)\n", what, status, expected);
}

/* Launches more work after a kernel that waits, and then releases the kernel. */
static void release(void *first)
{
	unsigned from[3] = {1, 2, 3}, to[3] = {0};
	struct stream *other;
	struct event *done, *free_event;
	void *device;

	check("malloc", cudaMalloc(&device, 64) || cudaMemset(device, 0, 64), 0);
	check("create", cudaStreamCreate(&other) || cudaEventCreate(&done) || cudaEventCreate(&free_event),
		0);
	check("launch", launch_1d(&add, 1, 32, 0, (void *[]){&first}), 0);
	check("query", cudaStreamQuery(NULL), 600);
	check("query of a stream that waits for the legacy one", cudaStreamQuery(other), 600);
	check("copy", cudaMemcpyAsync(device, from, sizeof(from), HOST_TO_DEVICE, NULL), 0);
	check("launch after", launch_1d(&scale, 1, 32, 0, (void *[]){&device}), 0);
	check("record", cudaEventRecord(done, NULL) || cudaStreamWaitEvent(other, done, 0), 0);
	check("copy back", cudaMemcpyAsync(to, device, sizeof(to), DEVICE_TO_HOST, other), 0);
	check("event", cudaEventQuery(done), 600);
	printf("before: %u\n", to[2]);
	flag[1] = 1;
	check("synchronize", cudaStreamSynchronize(other), 0);
	check("event", cudaEventQuery(done), 0);
	printf("after: %u\n", to[2]);
	cudaFree(device);
	cudaEventDestroy(done);
	cudaEventDestroy(free_event);
	cudaStreamDestroy(other);
}

/* Starts a kernel that waits for device memory, and releases it by a copy on another stream. */
static void copy(void *device)
{
	unsigned one[4] = {1, 1, 1, 1};
	struct stream *waits, *copies;

	check("create", cudaStreamCreateWithFlags(&waits, 1) || cudaStreamCreateWithFlags(&copies, 1), 0);
	check("launch",
		cudaLaunchKernel(&scale, (struct dim3){1, 1, 1}, (struct dim3){32, 1, 1}, (void *[]){&device},
			0, waits),
		0);
	check("query", cudaStreamQuery(waits), 600);
	check("copy", cudaMemcpyAsync(device, one, sizeof(one), HOST_TO_DEVICE, copies), 0);
	check("synchronize", cudaStreamSynchronize(waits), 0);
	check("copy back", cudaMemcpy(one, device, sizeof(one), DEVICE_TO_HOST), 0);
	printf("copied: %u\n", one[2]);
	cudaStreamDestroy(waits);
	cudaStreamDestroy(copies);
}

/*
 * Waits for the answer of a kernel in registered variables on the stack, two ranges in one page. They keep their values
 * when the registration ends.
 */
static void answer_on_stack(void)
{
	volatile unsigned on_stack[16] = {0}, more[4] = {5, 6, 7, 8};
	void *device, *of_more;

	check("register",
		cudaHostRegister((void *)on_stack, sizeof(on_stack), 2) ||
			cudaHostRegister((void *)more, sizeof(more), 2),
		0);
	check("addresses",
		cudaHostGetDevicePointer(&device, (void *)on_stack, 0) ||
			cudaHostGetDevicePointer(&of_more, (void *)(more + 1), 0),
		0);
	check("launch", launch_1d(&scale, 1, 32, 0, (void *[]){&device}), 0);
	check("query", cudaStreamQuery(NULL), 600);
	on_stack[1] = 41;
	while (!on_stack[2])
		;
	check("copy", cudaMemcpy(of_more, (void *)(more + 2), 4, HOST_TO_HOST), 0);
	check("unregister", cudaHostUnregister((void *)on_stack) || cudaHostUnregister((void *)more), 0);
	printf("answer: %u, more: %u\n", on_stack[2], more[1]);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "device";
	bool on_device = !strcmp(mode, "device") || !strcmp(mode, "copy");
	void *memory;

	if (!on_device ? cudaMallocHost(&memory, 64) : cudaMalloc(&memory, 64) || cudaMemset(memory, 0, 64))
		return 3;
	flag = memory;
	if (!on_device)
		memset(memory, 0, 64);
	if (!strcmp(mode, "release"))
		release(memory);
	else if (!strcmp(mode, "copy"))
		copy(memory);
	else if (!strcmp(mode, "stack"))
		answer_on_stack();
	else if (!strcmp(mode, "time"))
		launch_1d(&wild, 2, 32, 0, (void *[]){&memory});
	else
		launch_1d(strcmp(mode, "answer") ? &add : &scale, 1, 32, 0, (void *[]){&memory});
	if (!strcmp(mode, "answer")) {
		flag[1] = 41;
		while (!flag[2])
			;
		printf("answer: %u\n", flag[2]);
	}
	if (!strcmp(mode, "end"))
		return 0;
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	if (!strcmp(mode, "time"))
		printf("ended by time: %u\n", flag[3]);
	if (!on_device)
		cudaFreeHost(memory);
	else
		cudaFree(memory);
	return 0;
}
