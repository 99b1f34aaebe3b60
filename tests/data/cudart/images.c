/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arrays, textures and surfaces with the CUDA runtime. Prints a line for each wrong result or value. */
#include "textures.h"
#include "wants.h"

struct extent {
	size_t width, height, depth;
};
struct pitched {
	void *base;
	size_t pitch, width, height;
};
struct copy {
	void *from_array;
	size_t from_position[3];
	struct pitched from;
	void *to_array;
	size_t to_position[3];
	struct pitched to;
	struct extent extent;
	int kind;
};
struct reference {
	int normalized, filter, mode[3];
	struct channels channels;
	int srgb, more[20];
};

int cudaMallocArray(void **, const struct channels *, size_t, size_t, unsigned), cudaFreeArray(void *);
int cudaMalloc3DArray(void **, const struct channels *, struct extent, unsigned);
int cudaMallocMipmappedArray(void **, const struct channels *, struct extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(void **, void *, unsigned), cudaFreeMipmappedArray(void *);
int cudaArrayGetInfo(struct channels *, struct extent *, unsigned *, void *);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaMemcpyArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpy3D(const struct copy *);
int cudaCreateTextureObject(
	unsigned long long *, const struct resource *, const struct sampler *, const void *);
int cudaDestroyTextureObject(unsigned long long), cudaDestroySurfaceObject(unsigned long long);
int cudaCreateSurfaceObject(unsigned long long *, const struct resource *);
int cudaGetTextureObjectResourceDesc(struct resource *, unsigned long long);
int cudaBindTexture(size_t *, const void *, const void *, const struct channels *, size_t);
int cudaBindSurfaceToArray(const void *, void *, const struct channels *), cudaUnbindTexture(const void *);
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);

static struct reference tx, sf;
static char fetch, refer, paint, deep;

__attribute__((constructor)) static void register_images(void)
{
	void **h = __cudaRegisterFatBinary(&wrapper);

	__cudaRegisterFunction(h, &fetch, &fetch, "fetch", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &refer, &refer, "refer", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &paint, &paint, "paint", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &deep, &deep, "deep", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterTexture(h, &tx, NULL, "tx", 1, 0, 0);
	__cudaRegisterSurface(h, &sf, NULL, "sf", 2, 0);
	__cudaRegisterFatBinaryEnd(h);
}

enum { W = 7, H = 5 };
static const struct channels f32 = {32, 0, 0, 0, 2}, s32 = {32, 0, 0, 0, 0}, u8 = {8, 0, 0, 0, 1},
			     ragged = {8, 16, 0, 0, 1};
static float picture[H][W], back[H][W];

/* Tests reads with two scales: scale 1 reads the texels, and scale 0.5 also reads values between them. */
static void test_texture(void)
{
	struct sampler s = {.mode = {1, 1, 1}, .filter = 1};
	struct resource r = {.type = 0}, same;
	unsigned long long t;
	float *o, scale = 1;
	unsigned width = W;
	void *a, *b;

	for (int i = 0; i < W * H; i++)
		picture[i / W][i % W] = (float)(i * i);
	IS(0, cudaMallocArray(&a, &f32, W, H, 0));
	IS(0, cudaMallocArray(&b, &f32, W, H, 0));
	IS(20, cudaMallocArray(&b, &ragged, W, H, 0));
	IS(0, cudaMemcpy2DToArray(a, 0, 0, picture, 4 * W, 4 * W, H, HOST_TO_DEVICE));
	IS(1, cudaMemcpy2DToArray(a, 4, 0, picture, 4 * W, 4 * W, H, HOST_TO_DEVICE));
	IS(0, cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 4 * W, H, DEVICE_TO_DEVICE));
	IS(0, cudaMemcpy2DFromArray(back, 4 * W, b, 0, 0, 4 * W, H, DEVICE_TO_HOST));
	IS(0, memcmp(back, picture, sizeof(back)));
	IS(0, cudaMalloc((void **)&o, sizeof(back)));
	r.data.array = b;
	IS(0, cudaCreateTextureObject(&t, &r, &s, NULL));
	IS(0, cudaGetTextureObjectResourceDesc(&same, t));
	IS(0, same.data.array != b);
	IS(0, launch_1d(&fetch, H, W, 0, (void *[]){&t, &o, &width, &scale}));
	IS(0, cudaMemcpy(back, o, sizeof(back), DEVICE_TO_HOST));
	IS(0, memcmp(back, picture, sizeof(back)));
	scale = 0.5f;
	IS(0, launch_1d(&fetch, H, W, 0, (void *[]){&t, &o, &width, &scale}));
	IS(0, cudaMemcpy(back, o, sizeof(back), DEVICE_TO_HOST));
	/* (1.75, 1.25) is texel (1.25, 0.75): a quarter of column 2, three of row 1 */
	float want = 0.25f * (0.75f * picture[0][1] + 0.25f * picture[0][2]) +
		     0.75f * (0.75f * picture[1][1] + 0.25f * picture[1][2]);
	IS(0, back[2][3] != want);
	IS(0, cudaDestroyTextureObject(t));
	IS(1, cudaDestroyTextureObject(t));
	IS(0, cudaMemcpyArrayToArray(b, 4, 1, a, 0, 0, sizeof(back) - 4 * W - 4, DEVICE_TO_DEVICE));
	IS(1, cudaMemcpyArrayToArray(b, 8, 1, a, 0, 0, sizeof(back) - 4 * W - 4, DEVICE_TO_DEVICE));
	IS(0, cudaMemcpy2DFromArray(back, 4 * W, b, 0, 0, 4 * W, H, DEVICE_TO_HOST));
	IS(0, memcmp(&back[1][1], picture, sizeof(back) - 4 * W - 4));
	IS(0, memcmp(back, picture, 4 * W + 4));
	r.data.array = a;
	s.srgb = 1;
	IS(801, cudaCreateTextureObject(&t, &r, &s, NULL));
	r = (struct resource){.type = 2, .data.memory = {.base = o, .channels = s32, .width = sizeof(back)}};
	s = (struct sampler){.normalized_float = 1};
	IS(27, cudaCreateTextureObject(&t, &r, &s, NULL));
	r.data.memory.base = picture;
	IS(1, cudaCreateTextureObject(&t, &r, &s, NULL));
	IS(0, cudaFreeArray(a));
	IS(0, cudaFreeArray(b));
	IS(1, cudaFreeArray(b));
	IS(0, cudaFree(o));
}

/*
 * Tests levels of 8 x 4, 4 x 2 and 2 x 1 texels whose value is 10 times the level. Half way between two
 * levels, the result is the mean.
 */
static void test_levels(void)
{
	struct sampler s = {.mode = {1, 1, 1}, .normalized = 1, .mip_filter = 1, .mip = {0, 0, 9}};
	struct resource r = {.type = 1};
	unsigned long long t, surface;
	float *o, lod = 0.5f, texels[32], got[4];
	struct extent size = {8, 4, 0}, small;
	void *m, *level, *a;

	IS(0, cudaMallocMipmappedArray(&m, &f32, size, 3, 2));
	IS(1, cudaGetMipmappedArrayLevel(&level, m, 3));
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 32; k++)
			texels[k] = (float)(10 * i);
		IS(0, cudaGetMipmappedArrayLevel(&level, m, i));
		IS(0, cudaMemcpy2DToArray(
			      level, 0, 0, texels, 4 * (8 >> i), 4 * (8 >> i), 4 >> i, HOST_TO_DEVICE));
	}
	IS(0, cudaArrayGetInfo(NULL, &small, NULL, level));
	IS(2, (int)small.width);
	IS(1, (int)small.height);
	IS(1, cudaMemcpy2DToArray(level, 0, 0, texels, 8, 8, 2, HOST_TO_DEVICE));
	IS(1, cudaFreeArray(level));
	IS(0, cudaMalloc((void **)&o, sizeof(got)));
	r.data.array = m;
	IS(0, cudaCreateTextureObject(&t, &r, &s, NULL));
	IS(0, launch_1d(&deep, 1, 4, 0, (void *[]){&t, &o, &lod}));
	IS(0, cudaMemcpy(got, o, sizeof(got), DEVICE_TO_HOST));
	for (int i = 0; i < 4; i++) /* lod 0.5, 1, 1.5, and 2 after clamping */
		IS(5 * (i + 1), (int)got[i]);
	s.normalized = 0;
	IS(1, cudaCreateTextureObject(&t, &r, &s, NULL));
	s.normalized = 1;
	s.anisotropy = 8;
	IS(801, cudaCreateTextureObject(&t, &r, &s, NULL));
	r = (struct resource){.data.array = level};
	IS(0, cudaCreateSurfaceObject(&surface, &r));
	IS(0, cudaMallocMipmappedArray(&a, &f32, size, 99, 0));
	IS(0, cudaGetMipmappedArrayLevel(&level, a, 3));
	IS(1, cudaGetMipmappedArrayLevel(&level, a, 4));
	IS(1, cudaFreeMipmappedArray(level));
	IS(0, cudaFreeMipmappedArray(a));
	IS(0, cudaFreeMipmappedArray(m));
	IS(1, cudaFreeMipmappedArray(m));
	IS(400, cudaCreateSurfaceObject(&surface, &r));
	IS(0, cudaFree(o));
}

static void test_reference(void)
{
	unsigned char bytes[64];
	unsigned got[64];
	void *d, *o;

	for (int i = 0; i < 64; i++)
		bytes[i] = (unsigned char)(3 * i + 1);
	IS(0, cudaMalloc(&d, 64));
	IS(0, cudaMalloc(&o, sizeof(got)));
	IS(0, cudaMemcpy(d, bytes, 64, HOST_TO_DEVICE));
	IS(0, cudaBindTexture(NULL, &tx, d, &u8, 60));
	IS(18, cudaBindTexture(NULL, &fetch, d, &u8, 60));
	IS(0, launch_1d(&refer, 1, 64, 0, (void *[]){&o}));
	IS(0, cudaMemcpy(got, o, sizeof(got), DEVICE_TO_HOST));
	for (int i = 0; i < 64; i++)
		IS(i < 60 ? bytes[i] : 0, (int)got[i]);
	IS(0, cudaUnbindTexture(&tx));
	IS(0, cudaFree(d));
	IS(0, cudaFree(o));
}

static void test_surface(void)
{
	struct extent deep = {W, H, 3};
	struct resource r = {.type = 0};
	int got[3][H][W] = {0};
	unsigned long long s;
	unsigned is_deep = 0;
	void *a, *b;

	IS(0, cudaMallocArray(&a, &s32, W, H, 2));
	IS(0, cudaMallocArray(&b, &s32, W, H, 2));
	r.data.array = a;
	IS(0, cudaCreateSurfaceObject(&s, &r));
	IS(0, cudaBindSurfaceToArray(&sf, b, NULL));
	IS(0, launch_1d(&paint, H, W, 0, (void *[]){&s, &is_deep}));
	IS(0, cudaMemcpy2DFromArray(got[0], 4 * W, a, 0, 0, 4 * W, H, DEVICE_TO_HOST));
	IS(0, cudaMemcpy2DFromArray(got[1], 4 * W, b, 0, 0, 4 * W, H, DEVICE_TO_HOST));
	IS(406, got[0][4][6]);
	IS(203, got[1][2][3]);
	IS(0, cudaDestroySurfaceObject(s));
	IS(0, cudaFreeArray(a));
	IS(0, cudaFreeArray(b));

	memset(got, 0, sizeof(got));
	IS(0, cudaMalloc3DArray(&a, &s32, deep, 2));
	struct copy c = {.from = {got, 4 * W, W, H}, .to_array = a, .extent = deep, .kind = HOST_TO_DEVICE};
	IS(0, cudaMemcpy3D(&c));
	r.data.array = a;
	IS(0, cudaCreateSurfaceObject(&s, &r));
	is_deep = 1;
	IS(0, launch_1d(&paint, H, W, 0, (void *[]){&s, &is_deep}));
	c = (struct copy){.from_array = a,
		.from_position = {2, 1, 1},
		.to = {got, 4 * W, W, H},
		.extent = {3, 2, 2},
		.kind = DEVICE_TO_HOST};
	IS(0, cudaMemcpy3D(&c));
	IS(102, got[0][0][0]);
	IS(204, got[0][1][2]);
	IS(0, got[0][0][3]);
	IS(0, got[1][0][0]);
	c.extent.depth = 3;
	IS(1, cudaMemcpy3D(&c));
	IS(0, cudaDestroySurfaceObject(s));
	IS(0, cudaFreeArray(a));
}

int main(void)
{
	test_texture();
	test_levels();
	test_reference();
	test_surface();
	return bad;
}
