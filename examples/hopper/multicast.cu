// SPDX-License-Identifier: BSD-2-Clause
// The product of gemm.cu with specialised warps and clusters of two blocks, which need the same tile of B: each block
// loads half of it for both. Warps 0 to 3 multiply, a thread of warp 4 loads.
#include "hopper.cuh"

#define STAGES 3
#define BLOCKS 2

extern "C" __global__ void __cluster_dims__(1, BLOCKS, 1)
	gemm_multicast(const __half *a, const __half *b, float *c, int n, int k)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	char *tile_a = shared, *tile_b = shared + STAGES * TILE_B;
	int tiles = k / TILE, row = blockIdx.y, column = blockIdx.x;
	unsigned rank = cluster_rank();

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			mbarrier_init(&full[s], 1);
			mbarrier_init(&empty[s], BLOCKS);
		}
		mbarrier_publish();
	}
	cluster_sync();
	if (threadIdx.x / 32 == 4) {
		for (int t = 0; t < tiles && threadIdx.x % 32 == 0; t++) {
			int s = t % STAGES, half = rank * (TILE_B / BLOCKS);

			mbarrier_wait(&empty[s], (t / STAGES & 1) ^ 1);
			mbarrier_expect(&full[s], 2 * TILE_B);
			bulk_load(tile_a + s * TILE_B, a + ((size_t)row * tiles + t) * TILE * TILE, TILE_B, &full[s]);
			bulk_load_many(tile_b + s * TILE_B + half,
				(const char *)(b + ((size_t)column * tiles + t) * TILE * TILE) + half, TILE_B / BLOCKS,
				&full[s], (1 << BLOCKS) - 1);
		}
	} else {
		float sum[32];

		for (int t = 0; t < tiles; t++) {
			int s = t % STAGES;

			mbarrier_wait(&full[s], t / STAGES & 1);
			products_begin();
#pragma unroll
			for (int step = 0; step < TILE / 16; step++)
				product(sum, tile_descriptor(tile_a + s * TILE_B, step),
					tile_descriptor(tile_b + s * TILE_B, step), t || step);
			products_commit();
			products_wait<0>();
			asm volatile("bar.sync 1, 128;" ::: "memory");
			if (threadIdx.x < BLOCKS)
				mbarrier_arrive_at(&empty[s], threadIdx.x);
		}
		for (int i = 0; i < 32; i++)
			c[(size_t)(row * TILE + sum_row(i)) * n + column * TILE + sum_column(i)] = sum[i];
	}
	cluster_sync(); // no block ends while others load into it
}
