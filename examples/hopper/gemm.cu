// SPDX-License-Identifier: BSD-2-Clause
// C = A times B transposed by warpgroups, with tiles in a ring of 2, 3 or 4 stages. A and B are stored in tiles
// (hopper.cuh), a row of tiles after another; C by rows.
#include "hopper.cuh"

template <int stages> __device__ static void gemm(const __half *a, const __half *b, float *c, int n, int k)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ unsigned long long full[stages];
	char *tile_a = shared, *tile_b = shared + stages * TILE_B;
	int tiles = k / TILE, row = blockIdx.y, column = blockIdx.x;
	float sum[32];

	if (threadIdx.x == 0) {
		for (int s = 0; s < stages; s++)
			mbarrier_init(&full[s], 1);
		mbarrier_publish();
	}
	__syncthreads();
	for (int t = 0; t < tiles + stages - 1; t++) {
		int done = t - (stages - 1), s = t % stages;

		if (t < tiles && threadIdx.x == 0) {
			mbarrier_expect(&full[s], 2 * TILE_B);
			bulk_load(tile_a + s * TILE_B, a + ((size_t)row * tiles + t) * TILE * TILE, TILE_B, &full[s]);
			bulk_load(tile_b + s * TILE_B, b + ((size_t)column * tiles + t) * TILE * TILE, TILE_B, &full[s]);
		}
		if (done < 0)
			continue;
		s = done % stages;
		mbarrier_wait(&full[s], done / stages & 1);
		products_begin();
#pragma unroll
		for (int step = 0; step < TILE / 16; step++)
			product(sum, tile_descriptor(tile_a + s * TILE_B, step), tile_descriptor(tile_b + s * TILE_B, step),
				done || step);
		products_commit();
		products_wait<0>();
		__syncthreads(); // all have read the stage
	}
	for (int i = 0; i < 32; i++)
		c[(size_t)(row * TILE + sum_row(i)) * n + column * TILE + sum_column(i)] = sum[i];
}

extern "C" __global__ void gemm2(const __half *a, const __half *b, float *c, int n, int k) { gemm<2>(a, b, c, n, k); }
extern "C" __global__ void gemm3(const __half *a, const __half *b, float *c, int n, int k) { gemm<3>(a, b, c, n, k); }
extern "C" __global__ void gemm4(const __half *a, const __half *b, float *c, int n, int k) { gemm<4>(a, b, c, n, k); }

extern "C" __global__ void check_gemm(const __half *a, const __half *b, const float *c, int n, int k)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x, tiles = k / TILE;
	float sum = 0;

	for (int i = 0; i < k; i++)
		sum += __half2float(a[((size_t)(row / TILE) * tiles + i / TILE) * TILE * TILE + tile_at(row % TILE, i % TILE)]) *
		       __half2float(
			       b[((size_t)(column / TILE) * tiles + i / TILE) * TILE * TILE + tile_at(column % TILE, i % TILE)]);
	expect_near(c[(size_t)row * n + column], sum);
}
