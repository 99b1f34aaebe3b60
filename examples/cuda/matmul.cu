// SPDX-License-Identifier: BSD-2-Clause
// Product of two square matrices, with tiles of 16 by 16 in shared memory.   usage: matmul [N, a multiple of 16]
#include <cmath>
#include <vector>
#include "common.h"

#define TILE 16

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
	float sum = 0;

	for (int t = 0; t < n; t += TILE) {
		ta[y][x] = a[row * n + t + x];
		tb[y][x] = b[(t + y) * n + col];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 64;
	size_t all = (size_t)n * n;
	std::vector<float> a(all), b(all), c(all);
	Random ra(1), rb(2);
	bool good = n % TILE == 0;

	for (size_t i = 0; i < all; i++) {
		a[i] = ra.real();
		b[i] = rb.real();
	}
	float *da = on_device(a.data(), all), *db = on_device(b.data(), all), *dc = on_device<float>(nullptr, all);
	matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
	CHECK(cudaDeviceSynchronize());
	to_host(c.data(), dc, all);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int k = 0; k < n; k++)
				sum = fmaf(a[i * n + k], b[k * n + j], sum);
			good = good && c[i * n + j] == sum;
		}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	return verdict("matmul", good);
}
