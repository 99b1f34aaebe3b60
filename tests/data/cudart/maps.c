/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests tensor maps that the program encodes with functions of the driver, whose addresses the runtime
 * returns.
 */
#include <stdint.h>
#include "wants.h"

typedef int encode(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,
	const uint32_t *, int, int, int, int);
typedef int encode_pixels(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const int *,
	const int *, unsigned, unsigned, const uint32_t *, int, int, int, int);
int cudaGetDriverEntryPoint(const char *, void *, unsigned long long, int *);
int cudaGetDriverEntryPointByVersion(const char *, void *, unsigned, unsigned long long, int *);

enum { U8, WORD = 2, F32 = 7, WIDTH = 16, HEIGHT = 8 };

static char take;

__attribute__((constructor)) static void register_take(void)
{
	void **h = __cudaRegisterFatBinary(&wrapper);

	__cudaRegisterFunction(h, &take, &take, "take", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(h);
}

static const uint64_t dim[5] = {WIDTH, HEIGHT, 4, 4, 4}, stride[4] = {WIDTH * 4, 512, 2048, 8192},
		      uneven[4] = {60}, none[4] = {0};
static const uint32_t box[5] = {4, 4, 1, 1, 1}, one[5] = {1, 1, 1, 1, 1}, tall[5] = {4, 8, 1, 1, 1},
		      two[5] = {1, 2, 1, 1, 1};

/* Tests that elements outside the tensor are 0. */
static void test_tiles(encode *tiled, unsigned *tensor)
{
	static _Alignas(64) char map[128];
	unsigned got[16], x = WIDTH - 2, y = 3;
	void *d;

	IS(0, tiled(map, WORD, 2, tensor, dim, stride, box, one, 0, 0, 2, 0));
	IS(0, cudaMalloc(&d, sizeof(got)));
	IS(0, launch_1d(&take, 1, 16, 0, (void *[]){map, &d, &x, &y}));
	IS(0, cudaMemcpy(got, d, sizeof(got), DEVICE_TO_HOST));
	for (unsigned i = 0; i < 16; i++)
		IS((int)(i % 4 < 2 ? (y + i / 4) * WIDTH + x + i % 4 : 0), (int)got[i]);
	IS(0, tiled(map, WORD, 2, tensor, dim, stride, tall, two, 0, 0, 0, 0));
	IS(0, launch_1d(&take, 1, 16, 0, (void *[]){map, &d, &x, &y}));
	IS(0, cudaMemcpy(got, d, sizeof(got), DEVICE_TO_HOST));
	for (unsigned i = 0; i < 16; i++) {
		unsigned row = y + i / 4 * 2;

		IS((int)(i % 4 < 2 && row < HEIGHT ? row * WIDTH + x + i % 4 : 0), (int)got[i]);
	}
	IS(0, cudaFree(d));
	IS(1, tiled(NULL, WORD, 2, tensor, dim, stride, box, one, 0, 0, 0, 0));
	IS(0, tiled(map, WORD, 2, NULL, dim, none, box, one, 0, 0, 0,
		      0)); /* kernels set the address and the stride */
	IS(1, tiled(map, 99, 2, tensor, dim, stride, box, one, 0, 0, 0, 0));
	IS(1, tiled(map, WORD, 6, tensor, dim, stride, box, one, 0, 0, 0, 0));
	IS(1, tiled(map, WORD, 2, (char *)tensor + 4, dim, stride, box, one, 0, 0, 0, 0));
	IS(1, tiled(map, WORD, 2, tensor, dim, uneven, box, one, 0, 0, 0, 0));
	IS(1, tiled(map, WORD, 2, tensor, dim, NULL, box, one, 0, 0, 0, 0));
	IS(1, tiled(map, WORD, 2, tensor, dim, stride, box, one, 0, 0, 0, 1));
	IS(0, tiled(map, F32, 5, tensor, dim, stride, box, one, 0, 1, 0, 1));
	IS(1, tiled(map, 16, 2, tensor, dim, stride, box, one, 0, 0, 0, 0));
	IS(801, tiled(map, WORD, 2, tensor, dim, stride, box, one, 0, 4, 0, 0));
	IS(801, tiled(map, WORD, 3, tensor, dim, stride, box, one, 1, 0, 0, 0));
}

static void test_pixels(encode_pixels *pixels, unsigned *tensor)
{
	static const int low[3] = {-1, -1, -1}, high[3] = {-1, -1, -1}, far[3] = {0, 128, 0};
	static _Alignas(64) char map[128];

	IS(0, pixels(map, WORD, 4, tensor, dim, stride, low, high, 4, 9, one, 0, 0, 0, 0));
	IS(1, pixels(map, WORD, 2, tensor, dim, stride, low, high, 4, 9, one, 0, 0, 0, 0));
	IS(1, pixels(map, WORD, 4, tensor, dim, stride, far, high, 4, 9, one, 0, 0, 0, 0));
	IS(1, pixels(map, WORD, 4, tensor, dim, stride, low, high, 257, 9, one, 0, 0, 0, 0));
	IS(0, pixels(map, WORD, 4, tensor, dim, stride, low, high, 4, 9, two, 0, 0, 0, 0));
}

int main(void)
{
	unsigned all[WIDTH * HEIGHT], *tensor;
	void *f = NULL;
	int found = 9;

	for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
		all[i] = i;
	IS(0, cudaMalloc((void **)&tensor, sizeof(all)));
	IS(0, cudaMemcpy(tensor, all, sizeof(all), HOST_TO_DEVICE));
	IS(0, cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, 0, &found));
	IS(0, found);
	if (f)
		test_tiles((encode *)f, tensor);
	IS(0, cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", &f, 0, NULL));
	if (f)
		test_pixels((encode_pixels *)f, tensor);
	IS(1, cudaGetDriverEntryPoint(NULL, &f, 0, NULL));
	IS(801, cudaGetDriverEntryPoint("cuAbsent", &f, 0, &found));
	IS(1, found);
	IS(1, !f);
	IS(0, cudaFree(tensor));
	return bad;
}
