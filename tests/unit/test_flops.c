/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the number of arithmetic operations per opcode of machine code and PTX. */
#include "flops.h"
#include "tap.h"

static void check_arithmetic(const char *opcode, enum flop_kind kind, uint32_t per_lane, uint32_t per_warp)
{
	struct flops f = flops_of(opcode);
	char label[100];

	snprintf(label, sizeof(label), "kind of the operations of '%s'", opcode);
	is_text(f.kind < N_FLOP_KINDS ? flop_kind_names[f.kind] : "none",
		kind < N_FLOP_KINDS ? flop_kind_names[kind] : "none", label);
	snprintf(label, sizeof(label), "operations of '%s' per lane", opcode);
	is_number(f.per_lane, per_lane, label);
	snprintf(label, sizeof(label), "operations of '%s' per warp", opcode);
	is_number(f.per_warp, per_warp, label);
}

int main(void)
{
	check_arithmetic("FFMA", FLOP_fp32, 2, 0);
	check_arithmetic("FFMA.FTZ", FLOP_fp32, 2, 0);
	check_arithmetic("FADD32I", FLOP_fp32, 1, 0);
	check_arithmetic("DFMA", FLOP_fp64, 2, 0);
	check_arithmetic("HFMA2.MMA", FLOP_fp16, 4, 0);
	check_arithmetic("HADD2.F32", N_FLOP_KINDS, 0, 0);
	check_arithmetic("IMAD", N_FLOP_KINDS, 0, 0);
	check_arithmetic("MUFU.RCP", N_FLOP_KINDS, 0, 0);
	check_arithmetic("FSETP.GT.AND", N_FLOP_KINDS, 0, 0);
	check_arithmetic("", N_FLOP_KINDS, 0, 0);
	check_arithmetic(".", N_FLOP_KINDS, 0, 0);
	/* 16 x 8 x 16 multiply-adds */
	check_arithmetic("HMMA.16816.F32", FLOP_tensor_fp16, 0, 4096);
	check_arithmetic("HMMA.16816.F32.BF16", FLOP_tensor_bf16, 0, 4096);
	check_arithmetic("HMMA.1688.F32.TF32", FLOP_tensor_tf32, 0, 2048);
	check_arithmetic("IMMA.16832.S8.S8", FLOP_tensor_int8, 0, 8192);
	check_arithmetic("DMMA.884", FLOP_tensor_fp64, 0, 512);
	/* four products of 8 x 8 x 4 in four steps, or in two steps with a 16-bit accumulator */
	check_arithmetic("HMMA.884.F32.F32.STEP0", FLOP_tensor_fp16, 0, 512);
	check_arithmetic("HMMA.884.F16.F16.STEP0", FLOP_tensor_fp16, 0, 1024);
	/* a quarter of the product of a warpgroup */
	check_arithmetic("HGMMA.64x128x16.F32", FLOP_tensor_fp16, 0, 65536);
	check_arithmetic("HGMMA.64x0x16.F32", N_FLOP_KINDS, 0, 0);
	check_arithmetic("HMMA", N_FLOP_KINDS, 0, 0);
	check_arithmetic("fma.rn.f32", FLOP_fp32, 2, 0);
	check_arithmetic("mad.lo.s32", N_FLOP_KINDS, 0, 0);
	check_arithmetic("add.rn.ftz.f32", FLOP_fp32, 1, 0);
	check_arithmetic("mul.f64", FLOP_fp64, 1, 0);
	check_arithmetic("fma.rn.f16x2", FLOP_fp16, 4, 0);
	check_arithmetic("fma.rn.bf16", FLOP_fp16, 2, 0);
	check_arithmetic("add", N_FLOP_KINDS, 0, 0);
	check_arithmetic("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", FLOP_tensor_fp16, 0, 4096);
	check_arithmetic("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", FLOP_tensor_fp16, 0, 8192);
	check_arithmetic("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", FLOP_tensor_tf32, 0, 2048);
	return tap_done();
}
