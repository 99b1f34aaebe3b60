// SPDX-License-Identifier: BSD-2-Clause
// Copy by the tensor memory accelerator: bulk loads into a ring of shared memory, bulk stores from there.
#include "hopper.cuh"

#define SLOTS 4
#define PIECE 4096

extern "C" __global__ void copy(const char *in, char *out, int pieces)
{
	__shared__ __align__(128) char ring[SLOTS][PIECE];
	__shared__ unsigned long long full[SLOTS];

	if (threadIdx.x)
		return;
	for (int s = 0; s < SLOTS; s++)
		mbarrier_init(&full[s], 1);
	mbarrier_publish();
	in += (size_t)blockIdx.x * pieces * PIECE;
	out += (size_t)blockIdx.x * pieces * PIECE;
	for (int i = 0; i < pieces + SLOTS - 1; i++) {
		int s = i % SLOTS, done = i - (SLOTS - 1);

		if (i < pieces) {
			bulk_store_wait<0>(); // the slot's earlier piece has been read
			mbarrier_expect(&full[s], PIECE);
			bulk_load(ring[s], in + (size_t)i * PIECE, PIECE, &full[s]);
		}
		if (done >= 0) {
			mbarrier_wait(&full[done % SLOTS], done / SLOTS & 1);
			bulk_store(out + (size_t)done * PIECE, ring[done % SLOTS], PIECE);
		}
	}
	bulk_store_wait<0>();
}

extern "C" __global__ void check_copy(const unsigned *in, const unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (in[i] != out[i])
		asm volatile("trap;");
}
