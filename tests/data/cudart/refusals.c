/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls functions of the runtime and of the driver that are rejected with a reason. usage: refusals CUBIN */
#include <stdint.h>
#include <stdio.h>

enum { NOT_SUPPORTED = 801, CUBIN = 0, PTX = 1, OBJECT = 3 };

int cudaMalloc(void **, size_t), cudaFree(void *), cudaIpcGetMemHandle(void *, void *);
int cudaMemPoolExportToShareableHandle(void *, void *, int, unsigned);
int cuIpcGetMemHandle(void *, uint64_t), cuIpcGetEventHandle(void *, void *);
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
	char handle[64];
	void *p = NULL, *link = NULL;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(code, 1, sizeof(code), f) : 0;

	if (!n || cudaMalloc(&p, 16) || cuLinkCreate_v2(0, NULL, NULL, &link))
		return 1;
	expect_refusal("cudaIpcGetMemHandle", cudaIpcGetMemHandle(handle, p));
	expect_refusal(
		"cudaMemPoolExportToShareableHandle", cudaMemPoolExportToShareableHandle(handle, p, 1, 0));
	expect_refusal("cuIpcGetMemHandle", cuIpcGetMemHandle(handle, (uintptr_t)p));
	expect_refusal("cuIpcGetEventHandle", cuIpcGetEventHandle(handle, p));
	expect_refusal("an object", cuLinkAddData_v2(link, OBJECT, code, n, NULL, 0, NULL, NULL));
	if (cuLinkAddData_v2(link, CUBIN, code, n, NULL, 0, NULL, NULL))
		return 1;
	expect_refusal("PTX", cuLinkAddData_v2(link, PTX, ptx, sizeof(ptx), NULL, 0, NULL, NULL));
	return failures || cudaFree(p);
}
