// SPDX-License-Identifier: BSD-2-Clause
// Asynchronous instructions of compute capability 9.0 as functions, and the layout of tiles, for the five examples.
//
// A tile has 64 columns of half precision in groups of 8 rows and 8 columns (128 bytes, rows of 16 bytes). The groups of 8
// rows follow each other by columns: this is the layout of wgmma without swizzle, so that one bulk copy loads a tile.
#ifndef HOPPER_CUH
#define HOPPER_CUH

#include <cuda_fp16.h>

#define TILE   64                     // rows and columns of a tile
#define TILE_B (TILE * TILE * 2)      // its bytes
#define GROUPS (TILE / 8)             // groups of 8 columns

// Index of an element in a tile.
__host__ __device__ static inline int tile_at(int row, int column)
{
	return ((row / 8 * GROUPS + column / 8) * 8 + row % 8) * 8 + column % 8;
}

__device__ static inline unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// ---- mbarriers

__device__ static inline void mbarrier_init(unsigned long long *b, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(b)), "r"(arrivals) : "memory");
}

// Makes initialised barriers visible to copies and to the other blocks of the cluster.
__device__ static inline void mbarrier_publish()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void mbarrier_expect(unsigned long long *b, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_at(b)), "r"(bytes)
		     : "memory");
}

__device__ static inline void mbarrier_arrive(unsigned long long *b)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(b)) : "memory");
}

// Arrives at the barrier at the same place in block `rank` of the cluster.
__device__ static inline void mbarrier_arrive_at(unsigned long long *b, unsigned rank)
{
	asm volatile("{ .reg .b32 a;\n mapa.shared::cluster.u32 a, %0, %1;\n"
		     " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" ::"r"(shared_at(b)),
		"r"(rank)
		: "memory");
}

// Waits until the phase of this parity is over.
__device__ static inline void mbarrier_wait(unsigned long long *b, unsigned parity)
{
	asm volatile("{ .reg .pred p;\nwait_%=:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
		     " @!p bra wait_%=;\n}" ::"r"(shared_at(b)),
		"r"(parity)
		: "memory");
}

// ---- copies

__device__ static inline void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     shared_at(to)),
		"l"(from), "r"(bytes), "r"(shared_at(b))
		: "memory");
}

// The same to all blocks of the cluster in the mask.
__device__ static inline void bulk_load_many(
	void *to, const void *from, unsigned bytes, unsigned long long *b, unsigned short mask)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
		     " [%0], [%1], %2, [%3], %4;" ::"r"(shared_at(to)),
		"l"(from), "r"(bytes), "r"(shared_at(b)), "h"(mask)
		: "memory");
}

__device__ static inline void bulk_store(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_at(from)),
		"r"(bytes)
		: "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int open> __device__ static inline void bulk_store_wait()
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(open) : "memory");
}

// Orders writes to shared memory before copies from there.
__device__ static inline void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- clusters

__device__ static inline unsigned cluster_rank()
{
	unsigned r;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	return r;
}

__device__ static inline void cluster_sync()
{
	asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- products

// Descriptor of 16 columns of a tile, from column 16 * step on.
__device__ static inline unsigned long long tile_descriptor(const void *tile, int step)
{
	unsigned long long start = (shared_at(tile) + 256u * step) >> 4 & 0x3fff;

	return start | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(128 * GROUPS >> 4) << 32;
}

__device__ static inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ static inline void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int open> __device__ static inline void products_wait()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(open) : "memory");
}

#define SUMS_8(d, i) \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
		"+f"(d[i + 7])
#define SUMS_NAMES \
	"{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28," \
	"%29,%30,%31}"

// d (64 x 64, 32 registers a thread) = or += A (64 x 16) times B (64 rows of 16 columns, transposed).
__device__ static inline void product(float *d, unsigned long long a, unsigned long long b, int add)
{
	asm volatile("{ .reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS_NAMES ", %32, %33, p, 1, 1, 0, 0;\n}"
		     : SUMS_8(d, 0), SUMS_8(d, 8), SUMS_8(d, 16), SUMS_8(d, 24)
		     : "l"(a), "l"(b), "r"(add));
}

// The same with A in registers.
__device__ static inline void product_of(float *d, const unsigned *a, unsigned long long b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS_NAMES
		     ", {%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
		     : SUMS_8(d, 0), SUMS_8(d, 8), SUMS_8(d, 16), SUMS_8(d, 24)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Row and column of sum i of a thread in the product.
__device__ static inline int sum_row(int i) { return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8; }
__device__ static inline int sum_column(int i) { return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2; }

// ---- checks

// Ends the launch with an error if a value is not as expected.
__device__ static inline void expect_near(float found, float wanted)
{
	if (!(fabsf(found - wanted) <= 2e-3f * (1 + fabsf(wanted))))
		asm volatile("trap;");
}

#endif
