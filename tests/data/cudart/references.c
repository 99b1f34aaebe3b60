/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests texture and surface references of the CUDA driver with the kernels of images.ptx (argv[1]) and one of its own.
 * Prints a line for each call whose result is not as expected.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "driver-textures.h"
#include "values.h"

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetTexRef(void **, void *, const char *), cuModuleGetSurfRef(void **, void *, const char *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpyHtoA_v2(void *, size_t, const void *, size_t), cuMemcpy2D_v2(const void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	void **, void **);
int cuArray3DCreate_v2(void **, const void *), cuArrayCreate_v2(void **, const void *),
	cuArrayDestroy(void *);
int cuSurfObjectCreate(uint64_t *, const void *), cuSurfObjectDestroy(uint64_t);
int cuTexRefCreate(void **), cuTexRefDestroy(void *);
int cuTexRefSetArray(void *, void *, unsigned), cuTexRefGetArray(void **, void *);
int cuTexRefSetAddress_v2(size_t *, void *, uint64_t, size_t), cuTexRefGetAddress_v2(uint64_t *, void *);
int cuTexRefSetAddress2D_v3(void *, const void *, uint64_t, size_t);
int cuTexRefSetFormat(void *, unsigned, unsigned), cuTexRefGetFormat(unsigned *, int *, void *);
int cuTexRefSetAddressMode(void *, int, int), cuTexRefGetAddressMode(int *, void *, int);
int cuTexRefSetFilterMode(void *, int), cuTexRefGetFilterMode(int *, void *);
int cuTexRefSetFlags(void *, unsigned), cuTexRefGetFlags(unsigned *, void *);
int cuTexRefSetBorderColor(void *, const float *), cuTexRefGetBorderColor(float *, void *);
int cuTexRefSetMipmapLevelClamp(void *, float, float), cuTexRefGetMipmapLevelClamp(float *, float *, void *);
int cuSurfRefSetArray(void *, void *, unsigned), cuSurfRefGetArray(void **, void *);
int cuParamSetTexRef(void *, int, void *);

enum { W = 8, H = 4, U8 = 1, U32 = 3, FLOAT = 32, OVERRIDE = 1, AS_INTEGER = 1, SURFACES = 2, BORDER = 3 };

struct plane {
	size_t width, height;
	unsigned format, channels;
};

/* o[y][x] = the texture at (x + 1, y + 0.5): between texels x and x + 1 */
static const char between[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			      ".global .texref plane;\n.global .b32 number;\n"
			      ".visible .entry between(.param .u64 o)\n{\n"
			      ".reg .b32 %r<3>;\n.reg .f32 %f<6>;\n.reg .b64 %rd<3>;\n"
			      "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
			      "cvt.rn.f32.u32 %f0, %r0;\ncvt.rn.f32.u32 %f1, %r1;\n"
			      "add.f32 %f0, %f0, 0f3F800000;\nadd.f32 %f1, %f1, 0f3F000000;\n"
			      "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [plane, {%f0, %f1}];\n"
			      "mad.lo.u32 %r2, %r1, 8, %r0;\nmad.wide.u32 %rd1, %r2, 4, %rd0;\n"
			      "st.global.f32 [%rd1], %f2;\nret;\n}\n";

static float picture[H][W], seen[H][W];
static uint64_t out;

static void look(void *kernel)
{
	IS(0, cuLaunchKernel(kernel, H, 1, 1, W, 1, 1, 0, NULL, (void *[]){&out}, NULL));
	IS(0, cuMemcpyDtoH_v2(seen, out, sizeof(seen)));
}

static void *plane_reference(void **kernel)
{
	void *module, *t, *same;

	IS(0, cuModuleLoadData(&module, between));
	IS(0, cuModuleGetFunction(kernel, module, "between"));
	IS(500, cuModuleGetTexRef(&t, module, "absent"));
	IS(500, cuModuleGetTexRef(&t, module, "number"));
	IS(500, cuModuleGetSurfRef(&t, module, "plane"));
	IS(0, cuModuleGetTexRef(&t, module, "plane"));
	IS(0, cuModuleGetTexRef(&same, module, "plane"));
	IS(1, same == t);
	return t;
}

static void test_planes(void)
{
	struct copy c = {.from = {.kind = 1, .host = picture, .pitch = 4 * W},
		.to.kind = 3,
		.width = 4 * W,
		.height = H};
	void *kernel, *t = plane_reference(&kernel), *a, *bound;
	float low, high;
	uint64_t rows;
	int n;

	IS(0, cuArrayCreate_v2(&a, &(struct plane){W, H, FLOAT, 1}));
	c.to.array = a;
	IS(0, cuMemcpy2D_v2(&c));
	IS(1, cuTexRefGetArray(&bound, t));
	IS(1, cuTexRefSetArray(t, a, 0));
	IS(0, cuTexRefSetArray(t, a, OVERRIDE));
	IS(0, cuTexRefGetArray(&bound, t));
	IS(1, bound == a);
	IS(0, cuParamSetTexRef(kernel, -1, t));
	look(kernel); /* the nearest texel, and the last one again after the edge */
	IS(1, seen[2][3] == picture[2][4] && seen[1][7] == picture[1][7]);
	IS(0, cuTexRefSetFilterMode(t, 1));
	IS(1, cuTexRefSetFilterMode(t, 2));
	look(kernel);
	IS(1, seen[2][3] == (picture[2][3] + picture[2][4]) / 2);
	IS(0, cuTexRefSetAddressMode(t, 0, BORDER));
	IS(1, cuTexRefSetAddressMode(t, 3, BORDER));
	IS(0, cuTexRefSetBorderColor(t, (float[4]){8}));
	look(kernel);
	IS(1, seen[1][7] == (picture[1][7] + 8) / 2);
	IS(0, cuTexRefGetAddressMode(&n, t, 0));
	IS(BORDER, n);
	IS(0, cuTexRefSetMipmapLevelClamp(t, 1, 2));
	IS(0, cuTexRefGetMipmapLevelClamp(&low, &high, t));
	IS(3, low + high);

	IS(0, cuMemAlloc_v2(&rows, 512 * H));
	for (size_t i = 0; i < H; i++)
		IS(0, cuMemcpyHtoD_v2(rows + 512 * i, picture[H - 1 - i], 4 * W));
	IS(0, cuTexRefSetAddress2D_v3(t, &(struct plane){W, H, FLOAT, 1}, rows, 512));
	look(kernel);
	IS(1, seen[2][3] == (picture[1][3] + picture[1][4]) / 2);
	IS(1, cuTexRefGetArray(&bound, t));
	IS(0, cuArrayDestroy(a));
	IS(0, cuMemFree_v2(rows));
}

static void test_line(void *module)
{
	static unsigned char bytes[64];
	unsigned words[64], flags, format;
	void *refer, *t, *made;
	uint64_t d, o, at;
	size_t offset = 7;
	int n;

	for (int i = 0; i < 64; i++)
		bytes[i] = (unsigned char)(200 - i);
	IS(0, cuMemAlloc_v2(&d, sizeof(bytes)));
	IS(0, cuMemAlloc_v2(&o, sizeof(words)));
	IS(0, cuMemcpyHtoD_v2(d, bytes, sizeof(bytes)));
	IS(0, cuModuleGetFunction(&refer, module, "refer"));
	IS(0, cuModuleGetTexRef(&t, module, "tx"));
	IS(0, cuTexRefSetFormat(t, U8, 1));
	IS(1, cuTexRefSetFormat(t, U8, 3));
	IS(0, cuTexRefGetFormat(&format, &n, t));
	IS(U8, format);
	IS(0, cuTexRefSetFlags(t, AS_INTEGER));
	IS(0, cuTexRefGetFlags(&flags, t));
	IS(AS_INTEGER, flags);
	IS(1, cuTexRefSetAddress_v2(&offset, t, 64, 60));
	IS(0, cuTexRefSetAddress_v2(&offset, t, d, 60));
	IS(0, offset);
	IS(0, cuTexRefGetAddress_v2(&at, t));
	IS(1, at == d);
	IS(0, cuLaunchKernel(refer, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&o}, NULL));
	IS(0, cuMemcpyDtoH_v2(words, o, sizeof(words)));
	for (int i = 0; i < 64; i++)
		IS(i < 60 ? 200 - i : 0, words[i]);
	IS(1, cuTexRefDestroy(t));
	IS(0, cuTexRefCreate(&made));
	IS(0, cuTexRefSetAddress_v2(NULL, made, d, 8));
	IS(0, cuTexRefDestroy(made));
	IS(0, cuMemFree_v2(d));
	IS(0, cuMemFree_v2(o));
}

static void test_surface(void *module)
{
	struct shape shape = {W, H, 0, U32, 1, SURFACES};
	struct resource r = {0};
	unsigned deep = 0, words[W];
	void *paint, *s, *a, *bound;
	uint64_t object;

	IS(0, cuArray3DCreate_v2(&r.data.array, &shape));
	IS(0, cuArray3DCreate_v2(&a, &shape));
	IS(0, cuSurfObjectCreate(&object, &r));
	IS(0, cuModuleGetFunction(&paint, module, "paint"));
	IS(0, cuModuleGetSurfRef(&s, module, "sf"));
	IS(1, cuSurfRefGetArray(&bound, s));
	IS(1, cuTexRefSetArray(s, a, OVERRIDE));
	IS(0, cuSurfRefSetArray(s, a, 0));
	IS(0, cuSurfRefGetArray(&bound, s));
	IS(1, bound == a);
	IS(0, cuLaunchKernel(paint, H, 1, 1, W, 1, 1, 0, NULL, (void *[]){&object, &deep}, NULL));
	struct copy c = {.from = {.y = 2, .kind = 3, .array = a},
		.to = {.kind = 1, .host = words, .pitch = 4 * W},
		.width = 4 * W,
		.height = 1};
	IS(0, cuMemcpy2D_v2(&c));
	IS(205, words[5]);
	IS(0, cuSurfObjectDestroy(object));
	IS(0, cuArrayDestroy(a));
	IS(0, cuArrayDestroy(r.data.array));
}

int main(int argc, char **argv)
{
	void *context, *module;

	if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 3;
	for (int i = 0; i < W * H; i++)
		picture[i / W][i % W] = (float)(i * i);
	IS(0, cuModuleLoad(&module, argv[1]));
	IS(0, cuMemAlloc_v2(&out, sizeof(seen)));
	test_planes();
	test_line(module);
	test_surface(module);
	IS(0, cuMemFree_v2(out));
	return bad;
}
