/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic operations of an instruction, for roofline plots: a multiply-add counts twice. Both machine code and PTX are
 * known. Moves, conversions, comparisons and special functions count nothing.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include <stdint.h>

/* Kinds of operations: FLOP_KIND(name). Those from tensor_fp16 on are of tensor units. */
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
	enum flop_kind kind; /* N_FLOP_KINDS: no arithmetic */
	uint32_t per_lane;   /* operations of an active lane */
	uint32_t per_warp;   /* operations of a warp, for tensor instructions */
};

extern const char *const flop_kind_names[N_FLOP_KINDS];

/* Operations of the instruction whose opcode is given in full ("FFMA.FTZ", "fma.rn.f32"). */
struct flops flops_of(const char *opcode);

#endif
