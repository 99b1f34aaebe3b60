/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests memory that host and device share: managed variables, which the compiler registers, hints about them,
 * and registered memory. Also tests a reset of the device.
 */
#include "wants.h"

void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
struct location {
	int type, id;
};
int cudaMemPrefetchAsync(const void *, size_t, struct location, unsigned, struct stream *);
int cudaMemAdvise(const void *, size_t, int, struct location);
int cudaStreamAttachMemAsync(struct stream *, void *, size_t, unsigned);
int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *), cudaDeviceReset(void);
int cudaHostGetDevicePointer(void **, void *, unsigned), cudaHostGetFlags(unsigned *, void *);
struct pointer {
	int type, device;
	void *on_device, *on_host;
};
int cudaPointerGetAttributes(struct pointer *, const void *);

enum { LARGE = 8 << 20 };

static int *tally, *list, plain;
static char count, large;

/* Registers all variables before their first use. */
__attribute__((constructor)) static void register_shared(void)
{
	static struct {
		int magic, version;
		const void *fatbin, *more;
	} w = {0x466243b1, 1, fatbin_bytes, NULL};
	void **h = __cudaRegisterFatBinary(&w);

	__cudaRegisterFunction(h, &count, &count, "count", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterManagedVar(h, (void **)&tally, NULL, "tally", 0, 4, 0, 0);
	__cudaRegisterManagedVar(h, (void **)&list, NULL, "list", 0, 400, 0, 0);
	__cudaRegisterVar(h, (char *)&plain, (char *)&plain, "plain", 0, 4, 0, 0);
	__cudaRegisterVar(h, &large, &large, "large", 0, LARGE, 0, 0);
	__cudaRegisterFatBinaryEnd(h);
	__cudaInitModule(h);
}

static void test_managed_variables(void)
{
	struct pointer p;
	int back[100];
	void *at;

	IS(5, *tally);
	list[2] = 40;
	IS(0, launch_1d(&count, 1, 32, 0, (void *[]){&list}));
	IS(0, cudaDeviceSynchronize());
	IS(37, *tally);
	IS(42, list[2]);
	IS(31, list[31]);
	IS(32, list[99]);
	IS(0, cudaMemcpy(back, list, sizeof(back), DEVICE_TO_HOST));
	IS(32, back[99]);
	IS(0, cudaGetSymbolAddress(&at, list)); /* the compiler passes &list[0] */
	IS(0, at != list);
	IS(0, cudaPointerGetAttributes(&p, list + 3));
	IS(3, p.type);
	IS(0, p.on_device != list + 3 || p.on_host != list + 3);
	IS(1, cudaFree(list));
}

/* Tests that host memory is never mistaken for device memory, wherever the program is loaded. */
static void test_host_memory(void)
{
	static char own[1000], back[1000];
	char *few = malloc(1000), *d;
	struct pointer p;

	for (unsigned i = 0; i < sizeof(own); i++)
		own[i] = few[i] = (char)i;
	IS(0, cudaMalloc((void **)&d, 1000));
	IS(0, cudaMemcpy(d, own, 1000, HOST_TO_DEVICE));
	IS(0, cudaMemcpy(back, d, 1000, BY_ADDRESS));
	IS(0, memcmp(own, back, 1000));
	IS(0, cudaMemset(d, 0, 1000));
	IS(0, cudaMemcpy(d, few, 1000, BY_ADDRESS));
	memset(few, 0, 1000);
	IS(0, cudaMemcpy(few, d, 1000, DEVICE_TO_HOST));
	IS(0, memcmp(own, few, 1000));
	IS(0, cudaMemcpyToSymbol(&large, own, 1000, LARGE - 1000, HOST_TO_DEVICE));
	memset(back, 0, 1000);
	IS(0, cudaMemcpyFromSymbol(back, &large, 1000, LARGE - 1000, DEVICE_TO_HOST));
	IS(0, memcmp(own, back, 1000));
	IS(0, cudaPointerGetAttributes(&p, own));
	IS(0, p.type);
	IS(0, cudaPointerGetAttributes(&p, few));
	IS(0, p.type);
	IS(0, cudaFree(d));
	free(few);
}

static void test_hints(void)
{
	struct location device = {1, 0}, host = {2, 0}, other = {1, 2};
	void *managed, *d;

	IS(0, cudaMallocManaged(&managed, 5000, 1));
	IS(0, cudaMalloc(&d, 400));
	IS(0, cudaMemPrefetchAsync(list, 400, device, 0, NULL));
	IS(0, cudaMemPrefetchAsync(managed, 5000, host, 0, NULL));
	IS(101, cudaMemPrefetchAsync(managed, 5000, other, 0, NULL));
	IS(1, cudaMemPrefetchAsync(managed, 5001, device, 0, NULL));
	IS(1, cudaMemPrefetchAsync(d, 400, device, 0, NULL));
	IS(400, cudaMemPrefetchAsync(managed, 5000, device, 0, (struct stream *)&managed));
	IS(0, cudaMemAdvise(managed, 100, 1, other));
	IS(101, cudaMemAdvise(managed, 100, 3, other));
	IS(1, cudaMemAdvise(managed, 100, 7, device));
	IS(1, cudaMemAdvise(d, 100, 1, device));
	IS(0, cudaStreamAttachMemAsync(NULL, managed, 0, 4));
	IS(1, cudaStreamAttachMemAsync(NULL, managed, 0, 3));
	IS(0, cudaFree(managed));
	IS(0, cudaFree(d));
}

static void test_registered(void)
{
	static int own[100];
	struct pointer p;
	unsigned flags = 9;
	void *d, *at;

	IS(0, cudaMalloc(&d, 400));
	IS(1, cudaMemcpy(d, own, 400, DEVICE_TO_DEVICE));
	IS(1, cudaMemcpy(d, list, 400, HOST_TO_HOST));
	IS(0, cudaMemcpy(d, list, 400, DEVICE_TO_DEVICE));
	IS(0, cudaHostRegister(own, sizeof(own), 2));
	IS(712, cudaHostRegister(own + 50, 4, 0));
	IS(712, cudaHostRegister(list, 400, 0));
	IS(1, cudaHostRegister(d, 400, 0));
	IS(1, cudaHostRegister(own, 0, 0));
	IS(0, cudaMemcpy(d, own, 400, DEVICE_TO_DEVICE));
	IS(0, cudaHostGetFlags(&flags, own + 1));
	IS(2, (int)flags);
	IS(0, cudaPointerGetAttributes(&p, own));
	IS(1, p.type);
	own[7] = 7;
	own[40] = 8;
	IS(0, cudaHostGetDevicePointer(&at, own, 0));
	own[40] = 9;
	IS(0, launch_1d(&count, 1, 32, 0, (void *[]){&at}));
	IS(0, cudaDeviceSynchronize());
	IS(14, own[7]);
	IS(9, own[40]);
	IS(0, cudaPointerGetAttributes(&p, own + 1));
	IS(1, p.on_device == (int *)at + 1);
	IS(1, cudaFreeHost(at));
	IS(713, cudaHostUnregister(own + 1));
	IS(0, cudaHostUnregister(own));
	IS(14, own[7]);
	own[40] = 10;
	IS(1, cudaMemset(at, 0, 4));
	IS(713, cudaHostUnregister(own));
	IS(0, cudaPointerGetAttributes(&p, own));
	IS(0, p.type);
	IS(1, cudaHostGetDevicePointer(&at, own, 0));
	IS(1, cudaHostGetDevicePointer(&at, d, 0));
	IS(0, cudaFree(d));
}

static void test_reset(void)
{
	int v = 0;
	void *d;

	IS(0, cudaMalloc(&d, 400));
	IS(0, cudaMemcpyFromSymbol(&v, &plain, 4, 0, DEVICE_TO_HOST));
	IS(67, v);
	IS(0, cudaDeviceReset());
	IS(1, cudaFree(d));
	IS(0, cudaMemcpyFromSymbol(&v, &plain, 4, 0, DEVICE_TO_HOST));
	IS(3, v);
	IS(5, *tally);
	IS(0, list[99]);
	IS(0, launch_1d(&count, 1, 32, 0, (void *[]){&list}));
	IS(0, cudaDeviceSynchronize());
	IS(37, *tally);
	IS(32, list[99]);
}

int main(void)
{
	test_managed_variables();
	test_host_memory();
	test_hints();
	test_registered();
	test_reset();
	return bad;
}
