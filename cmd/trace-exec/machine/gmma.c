/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warpgroup (HGMMA QGMMA IGMMA BGMMA), and its requests for registers (USETMAXREG).
 *
 * sem/wgmma.c computes a product when it is issued, so that WARPGROUP.DEPBAR waits only until the other warps of the
 * warpgroup have issued as many products. The flag gsb0 of a product ends a group. Always true: the descriptors of A
 * and B are two pairs of consecutive uniform registers. If A is in registers, its pair is not used.
 */
#include "exec/warpgroup.h"
#include "machine/code.h"
#include "sem/mma.h"

enum { GMMA_A = FRAME_SCRATCH, GMMA_B = GMMA_A + 2 * (int)VECTOR, GMMA_SCALE = GMMA_B + 2 * (int)VECTOR };

static u64 read_uniform_pair(const struct warp *w, uint32_t slot)
{
	const u32 *p = REG(u32, w, slot) + uniform_lane(w);

	return p[0] | (u64)p[LANES] << 32;
}

static void multiply_group(struct warp *w, const struct op *o, uint32_t m)
{
	REG(u64, w, GMMA_A)[0] = read_uniform_pair(w, o->b);
	REG(u64, w, GMMA_B)[0] = read_uniform_pair(w, o->b + 2 * VECTOR);
	PRED(w, GMMA_SCALE) = o->is_signed ? first_pred_source(w, o) : 0;
	wgmma_run(w, o, m);
	if (((const struct wgmma *)o->x->family)->ends_group)
		warpgroup_commit(w, o, m);
}

/* Returns the number of columns of an integer or bit product: 8, 16, 24, 32, then in steps of 16. */
static unsigned gmma_coarse_columns(unsigned i) { return i < 4 ? 8 * (i + 1) : 16 * (i - 1); }

/* Sets the shape and the types of a product. Returns false if the instruction's fields encode none. */
static bool find_gmma_types(const struct mbind *b, struct wgmma *x)
{
	static const enum type halves[4] = {T_F16, T_BF16, T_TF32, T_NONE};
	unsigned size = (unsigned)field(b, 53, 7), depth_of_f16[4] = {16, 8, 32, 16};

	x->d = bit(b, 75) ? T_F32 : T_F16;
	x->n = (uint16_t)(8 * ((size & 31) + 1));
	switch (b->inst->opcode & 15) {
	case 0:
		x->a = x->b = halves[field(b, 76, 2)];
		x->k = (uint16_t)depth_of_f16[size >> 5];
		break;
	case 1:
		x->d = T_S32;
		x->a = bit(b, 76) ? T_S8 : T_U8;
		x->b = bit(b, 82) ? T_S8 : T_U8;
		x->saturate = bit(b, 75);
		x->n = (uint16_t)gmma_coarse_columns(size / 3);
		x->k = (uint16_t)(32u << size % 3);
		break;
	case 2:
		x->d = T_S32;
		x->a = x->b = T_B1;
		x->popc = bit(b, 78) && bit(b, 80);
		x->n = (uint16_t)gmma_coarse_columns(size);
		x->k = 256;
		break;
	default:
		x->a = bit(b, 76) ? T_E5M2 : T_E4M3;
		x->b = bit(b, 77) ? T_E5M2 : T_E4M3;
		x->k = (uint16_t)(32u << (size >> 5 & 1));
	}
	return x->a != T_NONE && x->n <= WGMMA_N_MOST && wgmma_is_known(x);
}

static void bind_gmma_registers(struct mbind *b, struct wgmma *x)
{
	uint32_t d, a = 0;

	x->n_d = (uint16_t)(x->n / 2 / mma_elements_per_register(x->d));
	d = mbind_dst(b, 16, x->n_d);
	mbind_reg(b, 16, x->n_d); /* the accumulators are also read */
	for (unsigned i = 0; i < x->n_d; i++)
		x->slot_d[i] = d + i * VECTOR;
	if (x->in_regs)
		a = mbind_reg(b, 24, 4);
	for (unsigned i = 0; i < 4; i++)
		x->slot_a[i] = x->in_regs ? a + i * VECTOR : (uint32_t)GMMA_A;
	x->slot_b = GMMA_B;
	x->scale = GMMA_SCALE;
	if (x->sparse) {
		x->selector = (b->inst->opcode & 15) == 0 ? (uint8_t)field(b, 48, 2) : 0;
		x->slot_meta = mbind_reg(b, 40, 1);
	}
}

/*
 * Tests for a product without registers and descriptors: the compiler puts it in the place of a product that has no
 * effect, because the next one overwrites its result.
 */
static bool is_removed_product(struct mbind *b)
{
	return b->inst->opcode == 0x9f0 && field(b, 16, 8) == RZ && field(b, 64, 8) == RZ &&
	       mbind_ureg(b, 24) == FRAME_ZERO;
}

int mbind_gmma(struct mbind *b, struct op *o)
{
	struct wgmma *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	unsigned d = (unsigned)field(b, 16, 8), c = (unsigned)field(b, 64, 8),
		 p = 7 - (unsigned)field(b, 87, 3), kind = b->inst->opcode & 15;
	bool bits16 = kind == 0 && field(b, 76, 2) < 2;

	x->ends_group = field(b, 84, 3) != 7;
	if (is_removed_product(b)) {
		machine_set_function(o, x->ends_group ? warpgroup_commit : machine_execute_nothing);
		return 0;
	}
	x->sparse = kind != 2 && bit(b, 73);
	x->in_regs = b->inst->opcode >> 8 == 0xd;
	if (!find_gmma_types(b, x) || x->selector > 1)
		return mbind_refuse(b, "shape");
	x->a_minus = (kind == 0 || kind == 3) && bit(b, 72);
	x->b_minus = (kind == 0 || kind == 3) && bit(b, 63);
	x->a_trans = bits16 && !x->in_regs && bit(b, 61);
	x->b_trans = bits16 && bit(b, 62);
	bind_gmma_registers(b, x);
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->b = mbind_uregs(b, x->in_regs ? 32 : 24, 4);
	o->is_signed = c != RZ; /* the product is added to D */
	o->imm = (p == 7 ? FRAME_PT : FRAME_UP + 4 * p) | (int64_t)bit(b, 90) << 16;
	machine_set_function(o, multiply_group);
	if (d == RZ || d + x->n_d > RZ || (c != RZ && c != d) || x->selector > 1)
		return mbind_refuse(b, "registers");
	return o->b == UINT32_MAX ? mbind_refuse(b, "descriptors") : 0;
}

int mbind_warpgroup(struct mbind *b, struct op *o)
{
	o->imm = (int64_t)field(b, 72, 3);
	machine_set_function(o, bit(b, 80) ? warpgroup_wait : machine_execute_nothing);
	return 0;
}

/* USETMAXREG: the request for registers always succeeds. */
static void execute_setmaxreg(struct warp *w, const struct op *o, uint32_t m)
{
	set_pred(w, PDST1(o), m, ALL_LANES);
}

int mbind_maxreg(struct mbind *b, struct op *o)
{
	unsigned how = (unsigned)field(b, 72, 2);

	o->target = mbind_pdst(b, 81, true);
	machine_set_function(o, how == 2 ? execute_setmaxreg : machine_execute_nothing);
	return how == 1 || how == 2 ? 0 : mbind_refuse(b, "mode");
}
