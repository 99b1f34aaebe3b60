// SPDX-License-Identifier: BSD-2-Clause
// Attention without a matrix of scores, in the way of FlashAttention-3: a warp loads tiles of K and V, a warpgroup
// multiplies Q with K, keeps maximum and sum of each row, and multiplies the exponentials, in registers, with V. One head
// of 64 columns; V is stored transposed.
#include "hopper.cuh"

#define STAGES 2
#define SCALE  0.125f

// Largest value, or sum, of the four threads that have a row.
__device__ static float row_most(float v)
{
	v = fmaxf(v, __shfl_xor_sync(~0u, v, 1));
	return fmaxf(v, __shfl_xor_sync(~0u, v, 2));
}

__device__ static float row_sum(float v)
{
	v += __shfl_xor_sync(~0u, v, 1);
	return v + __shfl_xor_sync(~0u, v, 2);
}

// Replaces scores by exponentials, and corrects the sums so far for the new maximum.
__device__ static void soften(float *s, float *o, float *most, float *sum)
{
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float m = most[half], add = 0, by;

#pragma unroll
		for (int i = 0; i < 32; i++)
			if (i / 2 % 2 == half)
				m = fmaxf(m, s[i] * SCALE);
		m = row_most(m);
		by = __expf(most[half] - m);
#pragma unroll
		for (int i = 0; i < 32; i++)
			if (i / 2 % 2 == half) {
				s[i] = __expf(s[i] * SCALE - m);
				add += s[i];
				o[i] *= by;
			}
		most[half] = m;
		sum[half] = sum[half] * by + row_sum(add);
	}
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out, int tiles)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ unsigned long long full_q, full_k[STAGES], full_v[STAGES], empty[STAGES];
	char *tile_q = shared, *tile_k = shared + TILE_B, *tile_v = tile_k + STAGES * TILE_B;

	if (threadIdx.x == 0) {
		mbarrier_init(&full_q, 1);
		for (int s = 0; s < STAGES; s++) {
			mbarrier_init(&full_k[s], 1);
			mbarrier_init(&full_v[s], 1);
			mbarrier_init(&empty[s], 128);
		}
		mbarrier_publish();
	}
	__syncthreads();
	if (threadIdx.x >= 128) {
		if (threadIdx.x != 128)
			return;
		mbarrier_expect(&full_q, TILE_B);
		bulk_load(tile_q, q + (size_t)blockIdx.x * TILE * TILE, TILE_B, &full_q);
		for (int t = 0; t < tiles; t++) {
			int s = t % STAGES;

			mbarrier_wait(&empty[s], (t / STAGES & 1) ^ 1);
			mbarrier_expect(&full_k[s], TILE_B);
			bulk_load(tile_k + s * TILE_B, k + (size_t)t * TILE * TILE, TILE_B, &full_k[s]);
			mbarrier_expect(&full_v[s], TILE_B);
			bulk_load(tile_v + s * TILE_B, v + (size_t)t * TILE * TILE, TILE_B, &full_v[s]);
		}
		return;
	}
	float o[32] = {}, score[32], most[2] = {-1e30f, -1e30f}, sum[2] = {};

	mbarrier_wait(&full_q, 0);
	for (int t = 0; t < tiles; t++) {
		int s = t % STAGES;
		unsigned p[4][4];

		mbarrier_wait(&full_k[s], t / STAGES & 1);
		products_begin();
#pragma unroll
		for (int step = 0; step < TILE / 16; step++)
			product(score, tile_descriptor(tile_q, step), tile_descriptor(tile_k + s * TILE_B, step), step);
		products_commit();
		products_wait<0>();
		soften(score, o, most, sum);
#pragma unroll
		for (int i = 0; i < 16; i++) {
			__half2 two = __floats2half2_rn(score[2 * i], score[2 * i + 1]);

			p[i / 4][i % 4] = *(unsigned *)&two;
		}
		mbarrier_wait(&full_v[s], t / STAGES & 1);
		products_begin();
#pragma unroll
		for (int step = 0; step < TILE / 16; step++)
			product_of(o, p[step], tile_descriptor(tile_v + s * TILE_B, step));
		products_commit();
		products_wait<0>();
		mbarrier_arrive(&empty[s]);
	}
	for (int i = 0; i < 32; i++)
		out[(size_t)(blockIdx.x * TILE + sum_row(i)) * TILE + sum_column(i)] = o[i] / sum[i / 2 % 2];
}

extern "C" __global__ void check_attention(
	const __half *q, const __half *k, const __half *v, const float *out, int tiles)
{
	int row = threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
	float most = -1e30f, sum = 0, value = 0;

	q += (size_t)blockIdx.x * TILE * TILE;
	for (int pass = 0; pass < 2; pass++)
		for (int j = 0; j < tiles * TILE; j++) {
			const __half *of_k = k + (size_t)(j / TILE) * TILE * TILE, *of_v = v + (size_t)(j / TILE) * TILE * TILE;
			float s = 0, e;

			for (int i = 0; i < TILE; i++)
				s += __half2float(q[tile_at(row, i)]) * __half2float(of_k[tile_at(j % TILE, i)]);
			s *= SCALE;
			if (!pass) {
				most = fmaxf(most, s);
				continue;
			}
			e = __expf(s - most);
			sum += e;
			value += e * __half2float(of_v[tile_at(column, j % TILE)]);
		}
	expect_near(out[(size_t)(blockIdx.x * TILE + row) * TILE + column], value / sum);
}
