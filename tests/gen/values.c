/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the trace of the recipe for stores with their values, in the form of a fork of the tracer. It has one
 * kernel for each kind of values.
 */
#include "gen.h"

static uint32_t float_bits(float f)
{
	union {
		float f;
		uint32_t u;
	} v = {f};

	return v.u;
}

enum {
	VALUE_FLOAT_RAMP,
	VALUE_FLOAT_STEP,
	VALUE_INDEX,
	VALUE_SMALL,
	VALUE_CONSTANT,
	VALUE_UNIT,
	VALUE_RANDOM,
	N_VALUES
};

static uint32_t value_of(struct gen *g, unsigned kind, uint32_t i)
{
	switch (kind) {
	case VALUE_FLOAT_RAMP: return float_bits((float)i * 0.5f);
	case VALUE_FLOAT_STEP: return float_bits(1.0f + (float)(i % 1024) * 0.001f);
	case VALUE_INDEX: return 3 * i + 7;
	case VALUE_SMALL: return gen_random(g, 1000);
	case VALUE_CONSTANT: return 0x40400000;
	case VALUE_UNIT: return float_bits((float)gen_random(g, 1u << 24) / 16777216.0f);
	default: return gen_random(g, UINT32_MAX);
	}
}

static void write_values_kernel(struct gen *g, unsigned kind)
{
	static const char *const type[N_VALUES] = {"F32", "F32", "I32", "I32", "I32", "F32", "I32"};
	static const char *const name[N_VALUES] = {
		"float_ramp", "float_step", "index", "small", "constant", "unit", "random"};
	struct kernel_shape k = {name[kind], 4 * g->scale, 128, 0, 16, 70, 0};

	gen_kernel(g, k);
	for (unsigned tb = 0; tb < k.grid; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < 4; w++) {
			gen_warp(g, w);
			for (unsigned n = 0; n < 4; n++) {
				uint32_t first = (tb * 4 + w) * 128 + 32 * n, v[2][32],
					 m = n == 3 ? 0x0fffff0f : FULL;

				for (unsigned i = 0; i < 64; i++)
					v[i / 32][i % 32] = value_of(g, kind, first + i % 32);
				gen_op(g, FULL, "R5", "FADD", "R4 R4", 0);
				gen_mem_stride(g, m, "", n == 1 ? "STG.E.64" : "STG.E", "R2 R4",
					n == 1 ? 8 : 4, GLOBAL_BASE + 4ull * first, n == 1 ? 8 : 4);
				gen_values(g, m, type[kind], n == 1 ? 2 : 1, v);
			}
			gen_exit(g, FULL);
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
}

void gen_stored_values(struct gen *g)
{
	for (unsigned kind = 0; kind < N_VALUES; kind++)
		write_values_kernel(g, kind);
}
