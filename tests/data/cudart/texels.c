/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests textures and surfaces of the CUDA driver with the kernels of images.ptx (argv[1]). Prints a line for each
 * call whose result is not as expected.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver-textures.h"
#include "values.h"

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpy2D_v2(const void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	void **, void **);
int cuArray3DCreate_v2(void **, const void *), cuArrayDestroy(void *);
int cuMipmappedArrayCreate(void **, const void *, unsigned), cuMipmappedArrayDestroy(void *);
int cuMipmappedArrayGetLevel(void **, void *, unsigned);
int cuTexObjectCreate(uint64_t *, const void *, const void *, const void *), cuTexObjectDestroy(uint64_t);
int cuTexObjectGetResourceDesc(void *, uint64_t), cuTexObjectGetTextureDesc(void *, uint64_t);
int cuSurfObjectCreate(uint64_t *, const void *), cuSurfObjectDestroy(uint64_t);
int cuSurfObjectGetResourceDesc(void *, uint64_t);

enum { W = 8, H = 4, PITCH = 64 };
enum { U8 = 1, U32 = 3, FLOAT = 32, SURFACES = 2 };
enum { AS_INTEGER = 1, SRGB = 16 };

static float picture[H][W], back[H][W];
static uint64_t out;

/* Reads the texels of a texture into back[] with the kernel. */
static void fetch_texels(void *fetch, uint64_t texture)
{
	unsigned width = W;
	float scale = 1;

	memset(back, 0, sizeof(back));
	IS(0, cuLaunchKernel(
		      fetch, H, 1, 1, W, 1, 1, 0, NULL, (void *[]){&texture, &out, &width, &scale}, NULL));
	IS(0, cuMemcpyDtoH_v2(back, out, sizeof(back)));
}

static void test_array(void *fetch)
{
	struct shape shape = {W, H, 0, FLOAT, 1, 0};
	struct sampler s = {.mode = {1, 2, 3}, .filter = 1, .border = {7}}, same_sampler;
	struct resource r = {.type = 0}, same;
	struct copy c = {.from = {.kind = 1, .host = picture, .pitch = 4 * W}, .width = 4 * W, .height = H};
	uint64_t t;

	IS(0, cuArray3DCreate_v2(&r.data.array, &shape));
	c.to = (struct copy_end){.kind = 3, .array = r.data.array};
	IS(0, cuMemcpy2D_v2(&c));
	IS(1, cuTexObjectCreate(NULL, &r, &s, NULL));
	IS(801, cuTexObjectCreate(&t, &r, &s, &shape)); /* a view of the array in another format */
	s.flags = SRGB;
	IS(801, cuTexObjectCreate(&t, &r, &s, NULL));
	s.flags = 0;
	IS(0, cuTexObjectCreate(&t, &r, &s, NULL));
	fetch_texels(fetch, t);
	IS(0, memcmp(back, picture, sizeof(back)));
	IS(0, cuTexObjectGetResourceDesc(&same, t));
	IS(1, same.data.array == r.data.array);
	IS(0, cuTexObjectGetTextureDesc(&same_sampler, t));
	s.flags = AS_INTEGER; /* has no effect on floating-point texels */
	IS(0, memcmp(&same_sampler, &s, sizeof(s)));
	IS(1, cuSurfObjectDestroy(t));
	IS(0, cuTexObjectDestroy(t));
	IS(1, cuTexObjectDestroy(t));
	IS(0, cuArrayDestroy(r.data.array));
	r.type = 9;
	IS(1, cuTexObjectCreate(&t, &r, &s, NULL));
}

/*
 * Tests texels of one byte in pitched memory. They are read as fractions of 255, or as integers if there is
 * no filter.
 */
static void test_memory(void *fetch)
{
	static unsigned char bytes[H * PITCH];
	struct resource r = {.type = 3}, same;
	struct sampler s = {.mode = {1, 1, 1}};
	uint64_t t;

	for (int i = 0; i < H * PITCH; i++)
		bytes[i] = (unsigned char)i;
	IS(0, cuMemAlloc_v2(&r.data.memory.base, sizeof(bytes)));
	IS(0, cuMemcpyHtoD_v2(r.data.memory.base, bytes, sizeof(bytes)));
	r.data.memory.format = U8;
	r.data.memory.channels = 3;
	IS(1, cuTexObjectCreate(&t, &r, &s, NULL));
	r.data.memory.channels = 1;
	r.data.memory.width = W;
	r.data.memory.height = H;
	r.data.memory.pitch = PITCH;
	IS(0, cuTexObjectCreate(&t, &r, &s, NULL));
	fetch_texels(fetch, t);
	for (int i = 0; i < W * H; i++)
		IS(bytes[i / W * PITCH + i % W], back[i / W][i % W] * 255 + 0.5f);
	IS(0, cuTexObjectGetResourceDesc(&same, t));
	IS(0, memcmp(&same, &r, sizeof(r)));
	IS(0, cuTexObjectDestroy(t));
	s.flags = AS_INTEGER;
	s.filter = 1;
	IS(26, cuTexObjectCreate(&t, &r, &s, NULL));
	r.data.memory.format = 77;
	IS(801, cuTexObjectCreate(&t, &r, &s, NULL));
	IS(0, cuMemFree_v2(r.data.memory.base));
}

static const char painter[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			      ".visible .entry paint(.param .u64 s) {\n"
			      ".reg .b64 %s; .reg .b32 %x, %y, %v;\n"
			      "ld.param.u64 %s, [s]; mov.u32 %x, %tid.x; mov.u32 %y, %ctaid.x;\n"
			      "mad.lo.u32 %v, %y, 100, %x; shl.b32 %x, %x, 2;\n"
			      "sust.b.2d.b32.trap [%s, {%x, %y}], {%v}; ret; }\n";

/* Tests level 1 of a mipmapped array as a surface. */
static void test_surface(void)
{
	struct shape shape = {2 * W, 2 * H, 0, U32, 1, SURFACES};
	struct resource r = {.type = 0}, same;
	unsigned got[H][W];
	struct copy c = {.to = {.kind = 1, .host = got, .pitch = 4 * W}, .width = 4 * W, .height = H};
	struct sampler s = {.mode = {1, 1, 1}, .flags = AS_INTEGER | 2};
	void *m, *module, *paint;
	uint64_t handle;

	IS(0, cuModuleLoadData(&module, painter));
	IS(0, cuModuleGetFunction(&paint, module, "paint"));
	IS(0, cuMipmappedArrayCreate(&m, &shape, 2));
	IS(0, cuMipmappedArrayGetLevel(&r.data.array, m, 1));
	IS(1, cuMipmappedArrayGetLevel(&r.data.array, m, 2));
	IS(0, cuSurfObjectCreate(&handle, &r));
	IS(0, cuLaunchKernel(paint, H, 1, 1, W, 1, 1, 0, NULL, (void *[]){&handle}, NULL));
	c.from = (struct copy_end){.kind = 3, .array = r.data.array};
	IS(0, cuMemcpy2D_v2(&c));
	for (unsigned i = 0; i < W * H; i++)
		IS(i / W * 100 + i % W, got[i / W][i % W]);
	IS(0, cuSurfObjectGetResourceDesc(&same, handle));
	IS(1, same.data.array == r.data.array);
	IS(1, cuTexObjectDestroy(handle));
	IS(0, cuSurfObjectDestroy(handle));
	r.type = 1;
	r.data.array = m;
	IS(1, cuSurfObjectCreate(&handle, &r));
	IS(0, cuTexObjectCreate(&handle, &r, &s, NULL));
	IS(0, cuTexObjectDestroy(handle));
	IS(0, cuMipmappedArrayDestroy(m));
}

int main(int argc, char **argv)
{
	void *context, *module, *fetch;

	if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 3;
	for (int i = 0; i < W * H; i++)
		picture[i / W][i % W] = (float)(i * i);
	IS(0, cuModuleLoad(&module, argv[1]));
	IS(0, cuModuleGetFunction(&fetch, module, "fetch"));
	IS(0, cuMemAlloc_v2(&out, sizeof(back)));
	test_array(fetch);
	test_memory(fetch);
	test_surface();
	IS(0, cuMemFree_v2(out));
	return bad;
}
