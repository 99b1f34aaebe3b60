/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers two separately compiled files, and one without PTX for the device, as the device linker does.
 */
#include "cuda.h"

#define PART(n, file) \
	__asm__(".section __nv_relfatbin, \"a\"\n.balign 8\npart" #n ":\n.incbin \"" file \
		"\"\n.previous\n"); \
	extern const char part##n[]

PART(1, "user.fatbin");
PART(2, "maker.fatbin");
PART(3, "code.fatbin");

static const void *parts[] = {part1, part2, part3, NULL};
static const struct {
	int magic, version;
	const void *fatbin;
	const void *const *parts;
} linked = {0x466243b1, 2, fatbin_bytes, parts};

static char use;
static int total;

__attribute__((constructor)) static void register_linked(void)
{
	void **h = __cudaRegisterFatBinary((void *)(size_t)&linked);

	__cudaRegisterFunction(h, &use, &use, "use", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(h, (char *)&total, (char *)&total, "total", 0, sizeof(total), 0, 0);
	__cudaRegisterFatBinaryEnd(h);
}

int main(void)
{
	int got = 5;

	if (cudaMemcpyToSymbol(&total, &got, sizeof(got), 0, HOST_TO_DEVICE) ||
		launch_1d(&use, 2, 32, 0, NULL) ||
		cudaMemcpyFromSymbol(&got, &total, sizeof(got), 0, DEVICE_TO_HOST))
		puts(cudaGetErrorString(cudaGetLastError()));
	printf("%d\n", got);
	return 0;
}
