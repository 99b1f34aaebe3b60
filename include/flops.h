/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic operations of an instruction of machine code or PTX, for roofline plots. A multiply-add counts twice.
 * Moves, conversions, comparisons and special functions do not count.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include <stdint.h>

/* Kinds of operations: FLOP_KIND(name). Tensor units execute the kinds from tensor_fp16 on. */
#define FLOP_KINDS(X) \
	X(fp16) \
	X(fp32) \
	X(fp64) \
	X(tensor_fp16) \
	X(tensor_bf16) \
	X(tensor_tf32) \
	X(tensor_fp8) X(tensor_fp64) X(tensor_int8) X(tensor_int4) X(tensor_b1)

enum flop_kind {
#define FLOP_KIND(name) FLOP_##name,
	FLOP_KINDS(FLOP_KIND)
#undef FLOP_KIND
		N_FLOP_KINDS
};

struct flops {
	enum flop_kind kind; /* kind of the operations; N_FLOP_KINDS: not arithmetic */
	uint32_t per_lane;   /* number of operations per active lane */
	uint32_t per_warp;   /* number of operations per warp, for tensor instructions */
};

extern const char *const flop_kind_names[N_FLOP_KINDS];

/* Returns the arithmetic operations of the instruction with that full opcode ("FFMA.FTZ", "fma.rn.f32"). */
struct flops flops_of(const char *opcode);

#endif
