/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes calls of the runtime and of the driver that are rejected with a reason. usage: refusals CUBIN */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { NOT_SUPPORTED = 801, CUBIN = 0, PTX = 1, OBJECT = 3, NO_TIMING = 2, INTERPROCESS = 4 };

struct handle {
	int32_t mark, process;
	char rest[56];
};
int cudaMalloc(void **, size_t), cudaFree(void *), cudaIpcGetMemHandle(struct handle *, void *),
	cudaIpcOpenMemHandle(void **, struct handle, unsigned);
int cudaEventCreateWithFlags(void **, unsigned);
int cudaHostRegister(void *, size_t, unsigned), cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaMemPoolExportToShareableHandle(void *, void *, int, unsigned);
int cuIpcGetEventHandle(struct handle *, void *), cuIpcOpenEventHandle(void **, struct handle);
int cuLinkCreate_v2(unsigned, const int *, void **, void **);
int cuLinkAddData_v2(void *, int, const void *, size_t, const char *, unsigned, const int *, void **);

static int failures;

static void expect_refusal(const char *function, int status)
{
	if (status == NOT_SUPPORTED)
		return;
	printf("%s: %d\n", function, status);
	failures++;
}

int main(int argc, char **argv)
{
	static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
	static char code[65536];
	struct handle memory, of_event;
	char handle[64];
	void *p = NULL, *link = NULL, *event = NULL, *shared, *q;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(code, 1, sizeof(code), f) : 0;

	if (!n || cudaMalloc(&p, 16) || cuLinkCreate_v2(0, NULL, NULL, &link) ||
		cudaEventCreateWithFlags(&event, NO_TIMING | INTERPROCESS))
		return 1;
	if (cudaIpcGetMemHandle(&memory, p) || cuIpcGetEventHandle(&of_event, event))
		return 1;
	expect_refusal("cuIpcOpenEventHandle", cuIpcOpenEventHandle(&event, of_event));
	memory.process++;
	of_event.process++;
	expect_refusal("cudaIpcOpenMemHandle", cudaIpcOpenMemHandle(&p, memory, 1));
	expect_refusal("cuIpcOpenEventHandle", cuIpcOpenEventHandle(&event, of_event));
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || cudaHostRegister(shared, 4096, 0))
		return 1;
	expect_refusal("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&q, shared, 0));
	expect_refusal(
		"cudaMemPoolExportToShareableHandle", cudaMemPoolExportToShareableHandle(handle, p, 1, 0));
	expect_refusal("an object", cuLinkAddData_v2(link, OBJECT, code, n, NULL, 0, NULL, NULL));
	if (cuLinkAddData_v2(link, CUBIN, code, n, NULL, 0, NULL, NULL))
		return 1;
	expect_refusal("PTX", cuLinkAddData_v2(link, PTX, ptx, sizeof(ptx), NULL, 0, NULL, NULL));
	return failures || cudaFree(p);
}
