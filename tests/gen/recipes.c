/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recipes. Each writes a trace for one part of the model. Loops have few iterations, so that the golden
 * file with the figures remains readable. For benchmarks, tracegen -n increases the number of iterations.
 */
#include "gen.h"

static unsigned warps_of(unsigned block) { return (block + 31) / 32; }

/* Writes a kernel: calls body() for every warp of every block, and ends each warp with an EXIT. */
static void write_recipe_kernel(struct gen *g, struct kernel_shape k,
	void (*body)(struct gen *g, unsigned tb, unsigned warp, uint32_t lanes))
{
	gen_kernel(g, k);
	for (unsigned tb = 0; tb < k.grid; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < warps_of(k.block); w++) {
			gen_warp(g, w);
			body(g, tb, w, gen_lanes(g, w));
			gen_exit(g, gen_lanes(g, w));
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
}

static uint64_t address_of_word(unsigned tb, unsigned warp, unsigned i, unsigned bytes)
{
	return GLOBAL_BASE + ((uint64_t)tb * 32 + warp) * 4096 + (uint64_t)i * bytes;
}

/* Writes a kernel that computes c[i] = a[i] + b[i]. */
static void write_vecadd_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	uint64_t i = ((uint64_t)tb * g->block_threads + 32u * warp) * 4;

	gen_op(g, m, "R1", "IMAD.MOV.U32", "R255 R255", 0);
	gen_op(g, m, "R6", "S2R", "", 0);
	gen_op(g, m, "R3", "S2R", "", 0);
	gen_op(g, m, "R6", "IMAD", "R6 R3", 0);
	gen_op(g, m, "R2", "IMAD.WIDE", "R6 R7", 0);
	gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4, GLOBAL_BASE + i, 4);
	gen_mem_stride(g, m, "R5", "LDG.E", "R2", 4, GLOBAL_BASE + 0x100000 + i, 4);
	gen_op(g, m, "R9", "FADD", "R4 R5", 0);
	gen_mem_stride(g, m, "", "STG.E", "R2 R9", 4, GLOBAL_BASE + 0x200000 + i, 4);
}

static void vecadd(struct gen *g)
{
	gen_memcpy(g, GLOBAL_BASE, 16384);
	write_recipe_kernel(
		g, (struct kernel_shape){"vecadd", 8 * g->scale, 256, 0, 16, 80, 0}, write_vecadd_warp);
}

/* Writes two kernels after copies to the device: an addition, then a reduction in shared memory. */
static void write_reduce_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	uint64_t s = SHARED_BASE + 128u * warp;

	gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4,
		GLOBAL_BASE + 0x200000 + ((uint64_t)tb * 256 + 32u * warp) * 4, 4);
	gen_mem_stride(g, m, "", "STS", "R3 R4", 4, s, 4);
	for (unsigned half = 128; half >= 32; half /= 2) {
		gen_op(g, m, "", "BAR.SYNC", "", 0);
		if (32 * warp < half) {
			gen_mem_stride(g, m, "R5", "LDS", "R3", 4, s + 4 * half, 4);
			gen_op(g, m, "R4", "FADD", "R4 R5", 0);
			gen_mem_stride(g, m, "", "STS", "R3 R4", 4, s, 4);
		}
	}
	if (!warp)
		gen_mem_stride(
			g, 1, "", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "R8 R4", 4, GLOBAL_BASE + 0x300000, 4);
}

static void example(struct gen *g)
{
	gen_memcpy(g, GLOBAL_BASE, 8192);
	gen_memcpy(g, GLOBAL_BASE + 0x100000, 8192);
	write_recipe_kernel(g,
		(struct kernel_shape){"vector_add(float*, float*, float*)", 8, 256, 0, 16, 80, 0},
		write_vecadd_warp);
	write_recipe_kernel(g, (struct kernel_shape){"reduce(float*, float*)", 8, 256, 1024, 18, 80, 0},
		write_reduce_warp);
}

static void reduce(struct gen *g)
{
	write_recipe_kernel(
		g, (struct kernel_shape){"reduce", 6 * g->scale, 256, 1024, 18, 70, 0}, write_reduce_warp);
}

/* Writes independent and dependent arithmetic on every unit, with random registers and masks. */
static void write_alu_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	static const char *const op[] = {"FFMA", "FADD", "IADD3", "IMAD", "MUFU.RCP", "DFMA",
		"HMMA.884.F32.F32.STEP0", "HADD2", "HFMA2", "MOV", "BRA", "SHF.L.U32", "I2F"};

	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 40 * g->scale; i++) {
		char dst[8], src[32];
		uint32_t mask = gen_random(g, 4) ? m : m & (gen_random(g, 0xffff) * 65537u);

		/*
		 * Each random number is drawn in its own statement, because compilers evaluate arguments in
		 * any order.
		 */
		snprintf(dst, sizeof(dst), "R%u", gen_random(g, 12));
		unsigned c = gen_random(g, 24), b = gen_random(g, 12), a = gen_random(g, 12);

		snprintf(src, sizeof(src), "R%u R%u R%u", a, b, c);
		gen_op(g, mask, dst, op[gen_random(g, sizeof(op) / sizeof(*op))], src, 0);
	}
}

static void alu(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"alu", 6, 192, 0, 32, 70, 0}, write_alu_warp);
}

static void alu_pascal(struct gen *g)
{
	static const char *const op[] = {"FFMA", "XMAD", "MUFU.EX2", "DADD", "IADD", "LOP", "BRA"};

	gen_kernel(g, (struct kernel_shape){"alu_pascal", 4, 128, 0, 32, 61, 0});
	for (unsigned tb = 0; tb < 4; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < 4; w++) {
			gen_warp(g, w);
			for (unsigned i = 0; i < 30 * g->scale; i++) {
				char dst[8], src[32];

				snprintf(dst, sizeof(dst), "R%u", gen_random(g, 16));
				unsigned b = gen_random(g, 16), a = gen_random(g, 16);

				snprintf(src, sizeof(src), "R%u R%u", a, b);
				gen_op(g, FULL, dst, op[gen_random(g, sizeof(op) / sizeof(*op))], src, 0);
			}
			gen_mem_stride(g, FULL, "R4", "LDG.E", "R2", 4, address_of_word(tb, w, 0, 4), 4);
			gen_op(g, FULL, "R5", "FADD", "R4 R4", 0);
			gen_mem_stride(g, FULL, "", "STG.E", "R2 R5", 4, address_of_word(tb, w, 512, 4), 4);
			gen_exit(g, FULL);
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
}

/* Writes streaming loads and stores of several widths. */
static void write_stream_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	static const struct {
		const char *load, *store;
		unsigned bytes;
	} w[] = {{"LDG.E.U8", "STG.E.U8", 1}, {"LDG.E.U16", "STG.E.U16", 2}, {"LDG.E", "STG.E", 4},
		{"LDG.E.64", "STG.E.64", 8}, {"LDG.E.128", "STG.E.128", 16}};

	for (unsigned i = 0; i < 4 * g->scale; i++) {
		unsigned k = (i + warp) % 5, b = w[k].bytes;
		uint64_t a = address_of_word(tb, warp, i % 8, 512);

		gen_mem_stride(g, m, "R4", w[k].load, "R2", b, a, b);
		gen_op(g, m, "R8", "FFMA", "R4 R4 R8", 0);
		gen_mem_stride(g, m, "", w[k].store, "R2 R8", b, a + 0x400000, b);
	}
}

static void stream(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"stream", 10, 256, 0, 32, 70, 0}, write_stream_warp);
}

/* Writes random gathers and scatters with holes in the mask. */
static void write_gather_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	uint64_t lane[32];

	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 5 * g->scale; i++) {
		uint32_t mask = m & ~(1u << gen_random(g, 32)) & ~(1u << gen_random(g, 32));

		for (unsigned l = 0; l < 32; l++)
			lane[l] = GLOBAL_BASE + 4ull * gen_random(g, 1u << 16);
		gen_mem(g, mask, "R4", "LDG.E", "R2", 4, lane);
		gen_op(g, mask, "R5", "IADD3", "R4 R5 R6", 0);
		if (i % 3 == 2)
			gen_mem(g, mask, "", "STG.E", "R2 R5", 4, lane);
	}
}

static void gather(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"gather", 8, 128, 0, 24, 70, 0}, write_gather_warp);
}

/* Writes warps that all load the same few lines: MSHR merges, then hits. */
static void write_reuse_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 6 * g->scale; i++) {
		gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4, GLOBAL_BASE + 128ull * (i % 3), 4);
		gen_op(g, m, "R5", "FADD", "R4 R5", 0);
	}
}

static void reuse(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"reuse", 4, 256, 0, 16, 70, 0}, write_reuse_warp);
}

/* Writes accesses to shared memory: conflicts by stride, broadcast, widths, and atomics. */
static void write_shared_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	static const int stride[] = {4, 8, 64, 128, 0, 16};

	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 6 * g->scale; i++) {
		gen_mem_stride(g, m, "R4", "LDS", "R2", 4, SHARED_BASE + 4 * (i % 4), stride[i % 6]);
		gen_op(g, m, "R5", "FADD", "R4 R5", 0);
		gen_mem_stride(g, m, "", "STS.64", "R2 R4", 8, SHARED_BASE, 8);
	}
	gen_mem_stride(g, m, "R6", "ATOMS.ADD", "R2 R5", 4, SHARED_BASE, 4);
	gen_op(g, m, "R7", "IADD3", "R6 R5 R7", 0);
}

static void shared(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"shared", 6, 128, 8192, 24, 70, 0}, write_shared_warp);
}

/* Writes barriers that some warps never reach because they have exited. */
static void write_barrier_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	unsigned rounds = warp % 3 == 2 ? 1 : 4;

	(void)tb;
	for (unsigned i = 0; i < rounds * g->scale; i++) {
		gen_op(g, m, "R4", warp & 1 ? "MUFU.SIN" : "FADD", "R4 R5", 0);
		gen_op(g, m, "R4", "FADD", "R4 R5", 0);
		gen_op(g, m, "", "BAR.SYNC", "", 0);
	}
}

static void barrier(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"barrier", 4, 224, 0, 16, 75, 0}, write_barrier_warp);
}

/* Writes memory barriers between loads and stores. */
static void write_membar_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	for (unsigned i = 0; i < 3 * g->scale; i++) {
		gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4, address_of_word(tb, warp, i, 128), 4);
		gen_op(g, m, "", "MEMBAR.SC.GPU", "", 0);
		gen_mem_stride(g, m, "", "STG.E", "R2 R3", 4, address_of_word(tb, warp, i, 128), 4);
		gen_op(g, m, "", "MEMBAR.SC.GPU", "", 0);
	}
}

static void membar(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"membar", 4, 96, 0, 16, 70, 0}, write_membar_warp);
}

/* Writes global atomics on one word, a line and random words, with and without a result. */
static void write_atomics_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	uint64_t lane[32];

	for (unsigned l = 0; l < 32; l++)
		lane[l] = GLOBAL_BASE + 4ull * gen_random(g, 256);
	gen_mem_stride(g, m & 0xf, "R4", "ATOMG.E.ADD.STRONG.GPU", "R2 R3", 4, GLOBAL_BASE, 0);
	gen_op(g, m, "R5", "IADD3", "R4 R5 R6", 0);
	gen_mem_stride(g, m, "R4", "ATOMG.E.ADD.STRONG.GPU", "R2 R3", 4, address_of_word(tb, warp, 0, 4), 4);
	gen_op(g, m, "R5", "IADD3", "R4 R5 R6", 0);
	gen_mem(g, m, "", "RED.E.ADD.STRONG.GPU", "R2 R3", 4, lane);
	gen_op(g, m, "R5", "IADD3", "R4 R5 R6", 0);
}

static void atomics(struct gen *g)
{
	write_recipe_kernel(
		g, (struct kernel_shape){"atomics", 3 * g->scale, 64, 0, 16, 70, 0}, write_atomics_warp);
}

/* Writes local, generic and bypassing accesses. */
static void write_spaces_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	gen_mem_stride(g, m, "", "STL", "R1 R4", 4, 0x10, 0);
	gen_mem_stride(g, m, "R4", "LDL.64", "R1", 8, 0x20, 0);
	gen_mem_stride(g, m, "R6", "LDL.U8", "R1", 1, 0x31, 0);
	gen_mem_stride(g, m, "R8", "LD.E", "R2", 4, SHARED_BASE + 64, 4);
	gen_mem_stride(g, m, "R9", "LD.E", "R2", 4, LOCAL_BASE + 64, 0);
	gen_mem_stride(g, m, "R10", "LD.E.64", "R2", 8, address_of_word(tb, warp, 0, 8), 8);
	gen_mem_stride(g, m, "", "ST.E", "R2 R10", 4, address_of_word(tb, warp, 4, 8), 4);
	gen_mem_stride(g, m, "R12", "LDG.E.STRONG.GPU", "R2", 4, address_of_word(tb, warp, 0, 8), 4);
	gen_op(g, m, "R13", "FADD", "R12 R10", 0);
	gen_mem_stride(g, m, "R14", "LDG.E.128", "R2", 16, address_of_word(tb, warp, 0, 4) + 20, 16);
	gen_op(g, m, "R13", "LDC", "R14", 0);
}

static void spaces(struct gen *g)
{
	write_recipe_kernel(
		g, (struct kernel_shape){"spaces", 5 * g->scale, 96, 4096, 32, 70, 0}, write_spaces_warp);
}

/* Writes groups of asynchronous copies, for which DEPBAR waits. */
static void write_ldgsts_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	for (unsigned i = 0; i < 3 * g->scale; i++) {
		gen_mem_stride(g, m, "", "LDGSTS.E.BYPASS.LTC128B.128", "R2 R4", 16,
			address_of_word(tb, warp, i, 512), 16);
		gen_op(g, m, "", "LDGDEPBAR", "", 0);
	}
	for (unsigned left = 3; left-- > 0;) {
		gen_op(g, m, "", "DEPBAR.LE", "", left);
		gen_mem_stride(g, m, "R8", "LDSM.16.M88.4", "R4", 16, SHARED_BASE, 16);
		gen_op(g, m, "R12", "HMMA.16816.F32", "R8 R10 R12", 0);
	}
}

static void ldgsts(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"ldgsts", 6, 128, 16384, 40, 80, 0}, write_ldgsts_warp);
}

/* Writes code without loops, with a jump, that is long enough to miss in the instruction cache. */
static void write_icache_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 48 * g->scale; i++) {
		gen_op(g, m, "R4", "FADD", "R5 R6", 0);
		if (i == 20) {
			gen_op(g, m, "", "BRA", "", 0);
			g->pc += 4096;
		}
	}
}

static void icache(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"icache", 4, 64, 0, 16, 70, 0}, write_icache_warp);
}

/* Writes warps with different ends: divergent exits, an instruction after the last EXIT, an empty mask. */
static void ends(struct gen *g)
{
	gen_kernel(g, (struct kernel_shape){"ends", 3, 80, 0, 16, 80, 0});
	for (unsigned tb = 0; tb < 3; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < 3; w++) {
			uint32_t m = gen_lanes(g, w);

			gen_warp(g, w);
			gen_op(g, m, "R1", "FADD", "R2 R3", 0);
			gen_exit(g, m & 0x0f0f0f0f);
			gen_op(g, 0, "R4", "FADD", "R1 R1", 0);
			gen_op(g, m & 0xf0f0f0f0, "R4", "FADD", "R1 R1", 0);
			gen_exit(g, m & 0xf0f0f0f0);
			if (w != 1)
				gen_op(g, 0, "R5", "NOP", "", 0);
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
}

/* Writes four kernels in two streams. The last two read the data that the first two have written. */
static void streams(struct gen *g)
{
	for (unsigned k = 0; k < 4; k++) {
		gen_memcpy(g, 0x10000000 + 0x1000 * k, 4096);
		write_recipe_kernel(g,
			(struct kernel_shape){k < 2 ? "write" : "read", 6, 128, k * 2048, 20, 86, k % 2},
			write_vecadd_warp);
	}
}

/* Writes opcodes of the uniform datapath and of textures. */
static void write_uniform_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	(void)tb;
	(void)warp;
	for (unsigned i = 0; i < 6 * g->scale; i++) {
		gen_op(g, m, "", "ULDC.64", "", 0);
		gen_op(g, m, "R4", "TEX.SCR.LL", "R5", 0);
		gen_op(g, m, "R5", "SHFL.IDX", "R4 R5", 0);
		gen_op(g, m, "R6", "HMMA.16816.F32", "R4 R5 R6", 0);
	}
}

static void uniform(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"uniform", 4, 128, 0, 24, 86, 0}, write_uniform_warp);
}

/* Writes a Kepler kernel, which has another opcode table. Its LD and ST are global. */
static void write_kepler_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	for (unsigned i = 0; i < 4 * g->scale; i++) {
		gen_mem_stride(g, m, "R4", "LD.E", "R2", 4, address_of_word(tb, warp, i, 128), 4);
		gen_op(g, m, "R5", "FFMA", "R4 R5 R6", 0);
		gen_op(g, m, "R6", "IMAD", "R5 R6 R7", 0);
		gen_op(g, m, "R7", "DFMA", "R6 R7 R8", 0);
		gen_mem_stride(g, m, "", "ST.E", "R2 R5", 4, address_of_word(tb, warp, i, 128) + 0x100000, 4);
	}
}

static void kepler(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"kepler", 20, 192, 0, 24, 35, 0}, write_kepler_warp);
}

/* Writes a tiled matrix product: loads, shared memory, barriers, multiply-adds. */
static void write_gemm_warp(struct gen *g, unsigned tb, unsigned warp, uint32_t m)
{
	for (unsigned t = 0; t < 2 * g->scale; t++) {
		gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4, address_of_word(tb / 4, warp, t, 128), 4);
		gen_mem_stride(g, m, "R5", "LDG.E", "R3", 4, address_of_word(tb % 4 + 64, warp, t, 128), 4);
		gen_mem_stride(g, m, "", "STS", "R6 R4", 4, SHARED_BASE + 128u * warp, 4);
		gen_mem_stride(g, m, "", "STS", "R6 R5", 4, SHARED_BASE + 4096 + 128u * warp, 4);
		gen_op(g, m, "", "BAR.SYNC", "", 0);
		for (unsigned k = 0; k < 8; k++) {
			gen_mem_stride(g, m, "R8", "LDS.128", "R7", 16, SHARED_BASE + 128u * k, 0);
			gen_mem_stride(g, m, "R12", "LDS", "R7", 4, SHARED_BASE + 4096 + 128u * k, 4);
			gen_op(g, m, "R16", "FFMA", "R8 R12 R16", 0);
			gen_op(g, m, "R17", "FFMA", "R9 R12 R17", 0);
		}
		gen_op(g, m, "", "BAR.SYNC", "", 0);
	}
	gen_mem_stride(g, m, "", "STG.E", "R2 R16", 4, address_of_word(tb + 128, warp, 0, 128), 4);
}

static void gemm(struct gen *g)
{
	write_recipe_kernel(g, (struct kernel_shape){"gemm", 16, 256, 8192, 40, 86, 0}, write_gemm_warp);
}

/*
 * Writes an application with 40 launches times the scale: phases with different kernels, growing sizes, and
 * occasional outliers.
 */
static void write_launch_warp(
	struct gen *g, unsigned tb, unsigned warp, uint32_t m, unsigned kind, unsigned rounds)
{
	uint64_t lane[32];

	for (unsigned i = 0; i < rounds; i++) {
		if (kind == 0) {
			gen_mem_stride(g, m, "R4", "LDG.E", "R2", 4, address_of_word(tb, warp, i, 128), 4);
			gen_op(g, m, "R5", "FFMA", "R4 R4 R5", 0);
			gen_mem_stride(g, m, "", "STG.E", "R2 R5", 4,
				address_of_word(tb, warp, i, 128) + 0x800000, 4);
		} else if (kind == 1) {
			gen_mem_stride(g, m, "R8", "LDS", "R7", 4, SHARED_BASE + 128u * (i % 8), 4);
			gen_op(g, m, "R16", "FFMA", "R8 R12 R16", 0);
			gen_op(g, m, "R17", "FFMA", "R8 R13 R17", 0);
		} else if (kind == 2) {
			for (unsigned l = 0; l < 32; l++)
				lane[l] = GLOBAL_BASE + 4ull * gen_random(g, 1u << 14);
			gen_mem(g, m, "R4", "LDG.E", "R2", 4, lane);
			gen_op(g, m, "R5", "IADD3", "R4 R5 R6", 0);
		} else {
			gen_op(g, m, "R4", "MUFU.EX2", "R4", 0);
			gen_op(g, m, "R5", "FADD", "R4 R5", 0);
		}
	}
}

static void write_one_launch(struct gen *g, unsigned kind, unsigned blocks, unsigned rounds)
{
	static const char *const name[] = {"axpy", "gemm", "gather", "softmax"};

	gen_kernel(g, (struct kernel_shape){name[kind], blocks, 64, kind == 1 ? 4096 : 0, 24, 80, 0});
	for (unsigned tb = 0; tb < blocks; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < 2; w++) {
			gen_warp(g, w);
			write_launch_warp(g, tb, w, FULL, kind, rounds);
			gen_exit(g, FULL);
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
}

static void launches(struct gen *g)
{
	unsigned n = 40 * g->scale;

	for (unsigned i = 0; i < n; i++) {
		unsigned phase = 3 * i / n, kind = phase == 1 && i % 2 ? 2
						   : i % 4 == 3        ? 1
						   : phase == 2        ? 3
								       : 0;
		unsigned blocks = 4 + 24 * i / n + gen_random(g, 3), rounds = 4 + gen_random(g, 3);

		write_one_launch(g, kind, gen_random(g, 50) ? blocks : 8 * blocks, rounds);
	}
}

const struct gen_recipe recipes[] = {
	{"alu", "every arithmetic unit, random registers and masks (Volta)", alu},
	{"alu-pascal", "arithmetic and a load for a GPU without sub-cores (Pascal)", alu_pascal},
	{"archive",
		"100 launches times the scale, of -k kinds of kernels, a sixth with moved buffers (Ampere)",
		gen_archive},
	{"atomics", "global atomics with and without result (Volta)", atomics},
	{"barrier", "barriers that some warps never reach (Turing)", barrier},
	{"ends", "divergent exits, an instruction after the last exit, partial warps (Ampere)", ends},
	{"example", "vector addition and reduction, the example of README.md (Ampere)", example},
	{"gather", "random gathers and scatters with holes in the mask (Volta)", gather},
	{"gemm", "tiled matrix product (Ampere)", gemm},
	{"icache", "code without loops that misses in the instruction cache (Volta)", icache},
	{"kepler", "Kepler opcodes", kepler},
	{"launches", "40 launches times the scale: phases, growing sizes, outliers (Ampere)", launches},
	{"ldgsts", "asynchronous copies, LDSM and HMMA (Ampere)", ldgsts},
	{"membar", "memory barriers between loads and stores (Volta)", membar},
	{"reduce", "reduction through shared memory with a final RED (Volta)", reduce},
	{"reuse", "loads of the same lines by all warps (Volta)", reuse},
	{"shared", "shared-memory conflicts and atomics (Volta)", shared},
	{"spaces", "local, generic and bypassing accesses (Volta)", spaces},
	{"stream", "streaming loads and stores of all widths (Volta)", stream},
	{"streams", "four kernels in two streams with copies (Ampere)", streams},
	{"uniform", "uniform datapath, texture, tensor (Ampere)", uniform},
	{"values", "stores with their values, seven kinds of numbers (Volta)", gen_stored_values},
	{"vecadd", "vector addition (Ampere)", vecadd},
};
const unsigned n_recipes = sizeof(recipes) / sizeof(*recipes);
