/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer moves, sums with carries and products, of the vector and the uniform datapath.
 *
 * Always true: a negated operand is added as its complement plus 1, in 33 bits, so that x - 0 has a carry. With .X only
 * the complement is added.
 */
#include "machine/code.h"

/* ---- moves ---- */

LANE_OP1(move_word, u32, u32, a)

/* Executes MOV for the lanes of a mask of four bits, which applies to each quad. */
static void move_in_quads(struct warp *w, const struct op *o, uint32_t m)
{
	move_word(w, o, m & 0x11111111u * o->n);
}

static void move_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *a = REG(u32, w, o->a);

	FOR_BITS32 (i, m) {
		u32 high = a[i + LANES];

		d[i] = a[i];
		d[i + LANES] = high;
	}
}

int mbind_mov(struct mbind *b, struct op *o)
{
	bool wide = b->code->sm >= 110 && bit(b, 80);

	if (mbind_forms(b, o, wide ? WIDE_B | WIDE_C | WIDE_D : WIDE_NONE))
		return -1;
	o->a = mbind_is_swapped(b) ? o->c : o->b;
	o->n = b->uniform || wide ? 15 : (uint8_t)field(b, 72, 4);
	machine_set_function(o, wide ? move_pair : o->n == 15 ? move_word : move_in_quads);
	return 0;
}

/* RPCMOV: to and from Rpc, which the compiler uses as two more registers. */
int mbind_move_return(struct mbind *b, struct op *o)
{
	bool wide = b->inst->opcode == 0x354;
	uint32_t part = FRAME_RETURN + (bit(b, 31) && !wide ? VECTOR : 0);

	o->a = b->inst->opcode == 0x353 ? part : mbind_reg(b, 32, wide ? 2 : 1);
	o->d = b->inst->opcode == 0x353 ? mbind_dst(b, 16, 1) : part;
	machine_set_function(o, wide ? move_pair : move_word);
	return 0;
}

int mbind_umov(struct mbind *b, struct op *o)
{
	bool wide = b->inst->opcode == 0xc82 && b->code->sm >= 100 && bit(b, 80);

	o->d = mbind_udst(b, 16);
	o->a = b->inst->opcode == 0x882 ? mbind_number(b, field(b, 32, 32), 1) : mbind_ureg(b, 32);
	machine_set_function(o, wide ? move_pair : move_word);
	return 0;
}

/* Binds a move of the 64-bit number in bits 24-87. */
int mbind_mov64(struct mbind *b, struct op *o)
{
	o->d = b->uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 2);
	o->a = mbind_number(b, field(b, 24, 40) | field(b, 64, 24) << 40, 2);
	machine_set_function(o, move_pair);
	return 0;
}

/*
 * Binds LEPC and ULEPC. The result is the address of its target, or its own address, for the computation of return
 * addresses.
 */
int mbind_lepc(struct mbind *b, struct op *o)
{
	const struct sass_arg *target = b->inst->n_args > 1 ? &b->inst->arg[1] : NULL;

	o->d = b->uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 2);
	o->a = mbind_number(b, target ? (uint64_t)target->value : b->inst->pc, 2);
	machine_set_function(o, move_pair);
	return 0;
}

static void select_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *a = REG(u32, w, o->a), *b = REG(u32, w, o->b),
	    p = first_pred_source(w, o);

	FOR_BITS32 (i, m) {
		const u32 *from = p >> i & 1 ? a : b;
		u32 high = from[i + LANES];

		d[i] = from[i];
		d[i + LANES] = high;
	}
}

/* Binds SEL of 64 bits. The second source is a pair of registers, or a signed number of 33 bits. */
int mbind_sel64(struct mbind *b, struct op *o)
{
	o->d = b->uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 2);
	o->a = b->uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, 2);
	if (b->inst->opcode == 0x407 || b->inst->opcode == 0x487)
		o->b = mbind_number(b, field(b, 32, 32) | (bit(b, 64) ? 0xffffffffull << 32 : 0), 2);
	else
		o->b = b->inst->opcode == 0x607 ? mbind_reg(b, 32, 2) : mbind_ureg(b, 32);
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, select_pair);
	return 0;
}

MACHINE_OP2(select_word, u32 p = first_pred_source(w, o);, p >> i & 1 ? a : b)

int mbind_sel(struct mbind *b, struct op *o)
{
	if (mbind_two_sources(b, o, WIDE_NONE))
		return -1;
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, select_word);
	return 0;
}

/* ---- sums ---- */

#define SIGNS \
	u32 xa = o->mode & NEG_A ? ~0u : 0, xb = o->mode & NEG_B ? ~0u : 0, xc = o->mode & NEG_C ? ~0u : 0, \
	    k = o->mode & ABS_A ? 0 : (xa & 1) + (xb & 1) + (xc & 1);

/* o->mode & ABS_A: the instruction has .X. */
MACHINE_OP3(add3, SIGNS, (a ^ xa) + (b ^ xb) + (c ^ xc) + k)
MACHINE_OP3(add3_plain, , a + b + c)

/* Returns the carry out of the sum of a, b and a carry in, which is r. The carry is the highest bit. */
static ALWAYS_INLINE u32 carry_of_sum(u32 a, u32 b, u32 r) { return (a & b) | ((a | b) & ~r); }

/*
 * Adds three words. x: the instruction has .X; both: it may use or set the second predicates. Carries are computed by
 * logic, so that all vectors have elements of 32 bits: multiplications of 256-bit numbers by chains of carries take 73
 * million host instructions instead of 90 million with sums of 64 bits.
 */
static ALWAYS_INLINE void add3_with_carry(struct warp *w, const struct op *o, uint32_t m, bool x, bool both)
{
	LANE_FROM3(u32, u32, u32, u32)
	SIGNS
	const u32 p = x ? first_pred_source(w, o) : 0, q = x && both ? second_pred_source(w, o) : 0;
	u32 one = 0, two = 0;

	for (unsigned i = 0; i < LANES; i++) {
		/* A negated 0 is 2^32. k counts it as a carry out of the lower word. */
		u32 a = pa[i] ^ xa, b = pb[i] ^ xb, c = pc[i] ^ xc, e = k + (p >> i & 1) + (q >> i & 1);
		u32 ab = a + b, abc = ab + c, s = abc + e;
		u32 c1 = carry_of_sum(a, b, ab), c2 = carry_of_sum(ab, c, abc), c3 = abc & ~s;

		d[i] = m >> i & 1 ? s : d[i];
		one |= (c1 | c2 | c3) >> 31 << i;
		two |= both ? ((c1 & (c2 | c3)) | (c2 & c3)) >> 31 << i : 0;
	}
	set_pred(w, PDST1(o), m, one);
	if (both)
		set_pred(w, PDST2(o), m, two);
}
LANE_FN static void add3_carry_out(struct warp *w, const struct op *o, uint32_t m)
{
	add3_with_carry(w, o, m, false, false);
}
LANE_FN static void add3_carry_in(struct warp *w, const struct op *o, uint32_t m)
{
	add3_with_carry(w, o, m, true, false);
}
LANE_FN static void add3_carries(struct warp *w, const struct op *o, uint32_t m)
{
	add3_with_carry(w, o, m, o->mode & ABS_A, true);
}

/* The predicate source !PT, which is false in every lane. */
#define FALSE_PREDICATE (FRAME_PT | 1 << 16)

int mbind_iadd3(struct mbind *b, struct op *o)
{
	bool x = bit(b, 74);

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->mode = (uint8_t)((o->mode & (NEG_A | NEG_B | NEG_C)) | (x ? ABS_A : 0));
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	o->imm = mbind_pred(b, 87, b->uniform) | mbind_pred(b, 77, b->uniform) << 32;
	if (o->rpc != FRAME_PSINK || (x && o->imm >> 32 != FALSE_PREDICATE))
		machine_set_function(o, add3_carries);
	else if (x || o->target != FRAME_PSINK)
		machine_set_function(o, x ? add3_carry_in : add3_carry_out);
	else
		machine_set_function(o, o->mode ? add3 : add3_plain);
	return 0;
}

static void execute_iadd64(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), carry = 0, in = o->n ? first_pred_source(w, o) : 0;
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);

	FOR_BITS32 (i, m) {
		u64 a = pa[i] | (u64)pa[i + LANES] << 32, v = pb[i] | (u64)pb[i + LANES] << 32,
		    c = o->is_signed ? pc[i] | (u64)pc[i + LANES] << 32 : 0;
		/*
		 * A negated operand is added as its complement, plus 1 without .X, so that x - 0 has a carry.
		 */
		u128 one = o->n ? 0 : 1, s = in >> i & 1;

		s += o->mode & NEG_A ? ~a + one : a;
		s += o->mode & NEG_B ? ~v + one : v;
		s += o->mode & NEG_C ? ~c + one : c;
		d[i] = (u32)s;
		d[i + LANES] = (u32)(s >> 32);
		carry |= (u32)(s >> 64 != 0) << i;
	}
	set_pred(w, PDST1(o), m, carry);
}

/* Binds a sum of 64-bit numbers: UIADD3.64 of three pairs of registers, or the sum of two pairs on sm_120. */
int mbind_iadd64(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_A | WIDE_B | WIDE_C | WIDE_D | SIGNED_IMMEDIATE))
		return -1;
	machine_set_function(o, execute_iadd64);
	o->is_signed = b->inst->row->base == 0x097;
	o->mode &= NEG_A | NEG_B | NEG_C;
	if (o->is_signed) {
		o->target = mbind_pdst(b, 81, true);
		return bit(b, 74) ? mbind_refuse(b, "carry") : 0;
	}
	if (mbind_has_constant_c(b))
		o->b = o->c;
	o->mode = (uint8_t)((bit(b, 72) ? NEG_A : 0) | (bit(b, 63) && b->inst->form != FORM_IMM ? NEG_B : 0));
	o->target = mbind_pdst(b, 81, b->uniform);
	o->n = bit(b, 74);
	o->imm = mbind_pred(b, 87, b->uniform);
	return 0;
}

/* Returns the lower word of the product of two polynomials over GF(2), and sets *high to its upper word. */
static u64 carryless_product(u64 a, u64 b, u64 *high)
{
	u64 low = 0;

	*high = 0;
	for (unsigned i = 0; i < 64; i++)
		if (a >> i & 1) {
			low ^= b << i;
			*high ^= i ? b >> (64 - i) : 0;
		}
	return low;
}

/* Executes CLMAD: half of the carryless product of a and b (o->n: the upper half), plus c without carries. */
static void execute_clmad(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d);
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);

	FOR_BITS32 (i, m) {
		u64 high,
			low = carryless_product(
				pa[i] | (u64)pa[i + LANES] << 32, pb[i] | (u64)pb[i + LANES] << 32, &high),
			r = (o->n ? high : low) ^ (pc[i] | (u64)pc[i + LANES] << 32);

		d[i] = (u32)r;
		d[i + LANES] = (u32)(r >> 32);
	}
}

int mbind_clmad(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_A | WIDE_B | WIDE_C | WIDE_D))
		return -1;
	o->n = bit(b, 77);
	machine_set_function(o, execute_clmad);
	return b->inst->form == FORM_IMM_C || b->inst->form == FORM_IMM ? mbind_refuse(b, "form of operands")
									: 0;
}

/* Adds b to a shifted to the left (hi: to the upper word of a pair shifted to the left) with carries. */
static ALWAYS_INLINE void lea_with_carry(struct warp *w, const struct op *o, uint32_t m, bool hi)
{
	LANE_FROM3(u32, u32, u32, u32)
	const unsigned s = o->n, rest = s ? 32 - s : 0;
	const u32 p = o->mode & ABS_A ? first_pred_source(w, o) : 0, low = s ? ~0u : 0,
		  sx = o->is_param ? ~0u : 0;
	const u32 na = o->mode & NEG_A ? ~0u : 0, nb = o->mode & NEG_B ? ~0u : 0,
		  k = o->mode & ABS_A ? 0 : (na & 1) + (nb & 1);
	u32 one = 0;

	for (unsigned i = 0; i < LANES; i++) {
		u32 upper = sx ? (u32)((s32)pa[i] >> 31) : pc[i],
		    shifted = hi ? upper << s | (pa[i] >> rest & low) : pa[i] << s;
		u32 a = shifted ^ na, b = pb[i] ^ nb, ab = a + b, r = ab + k + (p >> i & 1);

		d[i] = m >> i & 1 ? r : d[i];
		one |= (carry_of_sum(a, b, ab) | (ab & ~r)) >> 31 << i;
	}
	set_pred(w, PDST1(o), m, one);
}
LANE_FN static void lea_carry(struct warp *w, const struct op *o, uint32_t m)
{
	lea_with_carry(w, o, m, false);
}
LANE_FN static void lea_high_carry(struct warp *w, const struct op *o, uint32_t m)
{
	lea_with_carry(w, o, m, true);
}

/* LEA.HI without signs and carries. Rotations are compiled to it. */
MACHINE_OP3(lea_high_plain, const unsigned s = o->n; const unsigned rest = s ? 32 - s : 0;
	    const u32 low = s ? ~0u : 0;, (c << s | (a >> rest & low)) + b)
MACHINE_OP2(lea_plain, unsigned s = o->n;, (a << s) + b)

int mbind_lea(struct mbind *b, struct op *o)
{
	bool x = bit(b, 74), hi = bit(b, 80);
	unsigned form = b->inst->form;

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bool nb = form != FORM_IMM && !mbind_is_swapped(b) && bit(b, 63);
	o->mode = (uint8_t)((bit(b, 72) ? NEG_A : 0) | (nb ? NEG_B : 0) | (x ? ABS_A : 0));
	o->n = (uint8_t)field(b, 75, 5);
	o->is_param = bit(b, 73);
	o->target = mbind_pdst(b, 81, b->uniform);
	o->imm = mbind_pred(b, 87, b->uniform);
	if (!o->mode && o->target == FRAME_PSINK && !(hi && o->is_param))
		machine_set_function(o, hi ? lea_high_plain : lea_plain);
	else
		machine_set_function(o, hi ? lea_high_carry : lea_carry);
	return 0;
}

/* ---- products ---- */

MACHINE_OP3(mad_low, , a *b + c)
MACHINE_OP3(mad_low_signs, u32 xb = o->mode & NEG_B ? ~0u : 0; u32 xc = o->mode & NEG_C ? ~0u : 0;
	    u32 kb = xb & 1; u32 kc = o->mode & ABS_A ? 0 : xc & 1;
	    u32 p = o->mode & ABS_A ? first_pred_source(w, o) : 0;
	    , a *((b ^ xb) + kb) + (c ^ xc) + kc + (p >> i & 1))

int mbind_imad(struct mbind *b, struct op *o)
{
	bool x = bit(b, 74);

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	if (mbind_pdst(b, 81, b->uniform) != FRAME_PSINK)
		return mbind_refuse(b, "carry of IMAD");
	o->mode = (uint8_t)((o->mode & (NEG_B | NEG_C)) | (x ? ABS_A : 0));
	o->imm = mbind_pred(b, 87, b->uniform);
	if (o->a == FRAME_ZERO && !o->mode) { /* IMAD.MOV */
		o->a = o->c;
		machine_set_function(o, move_word);
	} else {
		machine_set_function(o, o->mode ? mad_low_signs : mad_low);
	}
	return 0;
}

/* Define a function for IMAD.WIDE (o->n is 1: writes both words) and IMAD.HI (o->n is 0: writes the upper word). */
#define MAD_WIDE(name, T, W) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(u32, u32, u32, u32) \
		u64 xc = o->mode & NEG_C ? ~0ull : 0, k = o->mode & ABS_A ? 0 : xc & 1; \
		u32 p = o->mode & ABS_A ? first_pred_source(w, o) : 0; \
		bool nb = o->mode & NEG_B; \
		u32 *high = o->n ? d + LANES : d; \
\
		for (unsigned i = 0; i < LANES; i++) { \
			u64 c = (pc[i] | (u64)pc[i + LANES] << 32) ^ xc; \
			u64 prod = (u64)((W)(T)pa[i] * (W)(T)pb[i]), \
			    r = (nb ? 0 - prod : prod) + c + k + (p >> i & 1); \
			bool on = m >> i & 1; \
\
			if (o->n) \
				d[i] = on ? (u32)r : d[i]; \
			high[i] = on ? (u32)(r >> 32) : high[i]; \
		} \
	}
MAD_WIDE(mad_wide_signed, s32, s64)
MAD_WIDE(mad_wide_unsigned, u32, u64)

#define MAD_PAIR(name, T, W) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(u32, u32, u32, u32) \
		u32 *high = d + LANES; \
		u64 r[LANES]; \
\
		EACH_LANE (i) \
			r[i] = (u64)((W)(T)pa[i] * (W)(T)pb[i]) + (pc[i] | (u64)pc[i + LANES] << 32); \
		EACH_LANE (i) \
			d[i] = m >> i & 1 ? (u32)r[i] : d[i]; \
		EACH_LANE (i) \
			high[i] = m >> i & 1 ? (u32)(r[i] >> 32) : high[i]; \
	}
MAD_PAIR(mad_pair_signed, s32, s64)
MAD_PAIR(mad_pair_unsigned, u32, u64)

/* Define functions for IMAD.WIDE and IMAD.HI with the carry out of 64 bits as predicate result. */
#define MAD_CARRY(name, T, W) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(u32, u32, u32, u32) \
		const u64 xb = o->mode & NEG_B ? ~0ull : 0, kb = xb & 1, xc = o->mode & NEG_C ? ~0ull : 0, \
			  k = o->mode & ABS_A ? 0 : xc & 1; \
		const u32 p = o->mode & ABS_A ? first_pred_source(w, o) : 0; \
		u32 *high = o->n ? d + LANES : d; \
		u64 r[LANES], carry = 0; \
\
		EACH_LANE (i) { \
			u64 a = ((u64)((W)(T)pa[i] * (W)(T)pb[i]) ^ xb) + kb, \
			    c = (pc[i] | (u64)pc[i + LANES] << 32) ^ xc; \
\
			r[i] = a + c + k + (p >> i & 1); \
			carry |= ((a & c) | ((a | c) & ~r[i])) >> 63 << i; \
		} \
		if (o->n) \
			EACH_LANE (i) \
				d[i] = m >> i & 1 ? (u32)r[i] : d[i]; \
		EACH_LANE (i) \
			high[i] = m >> i & 1 ? (u32)(r[i] >> 32) : high[i]; \
		set_pred(w, PDST1(o), m, (u32)carry); \
	}
MAD_CARRY(mad_carry_signed, s32, s64)
MAD_CARRY(mad_carry_unsigned, u32, u64)

static int bind_wide_product(struct mbind *b, struct op *o, bool low)
{
	bool x = bit(b, 74);

	if (mbind_forms(b, o, WIDE_C | (low ? WIDE_D : 0)))
		return -1;
	o->mode = (uint8_t)((o->mode & (NEG_B | NEG_C)) | (x ? ABS_A : 0));
	o->imm = mbind_pred(b, 87, b->uniform);
	o->target = mbind_pdst(b, 81, b->uniform);
	o->n = low;
	o->is_signed = bit(b, 73);
	if (b->inst->form == FORM_IMM_C) /* one word, extended by its sign if the product is signed */
		o->c = mbind_number(b, o->is_signed ? (u64)signed_field(b, 32, 32) : field(b, 32, 32), 2);
	if (o->target != FRAME_PSINK)
		machine_set_function(o, o->is_signed ? mad_carry_signed : mad_carry_unsigned);
	else if (low && !o->mode)
		machine_set_function(o, o->is_signed ? mad_pair_signed : mad_pair_unsigned);
	else
		machine_set_function(o, o->is_signed ? mad_wide_signed : mad_wide_unsigned);
	return 0;
}

int mbind_imad_wide(struct mbind *b, struct op *o) { return bind_wide_product(b, o, true); }
int mbind_imad_hi(struct mbind *b, struct op *o) { return bind_wide_product(b, o, false); }

static u32 dot_product(const struct op *o, u32 a, u32 b, u32 c)
{
	bool sa = o->mode & 1, sb = o->mode & 2;

	for (unsigned k = 0; k < (o->n ? 2u : 4u); k++) {
		s32 x, y;

		if (o->n) {
			x = sa ? (s16)(a >> 16 * k) : (s32)(a >> 16 * k & 0xffff);
			unsigned at = k + (o->is_param ? 2 : 0);
			y = sb ? (s8)(b >> 8 * at) : (s32)(b >> 8 * at & 0xff);
		} else {
			x = sa ? (s8)(a >> 8 * k) : (s32)(a >> 8 * k & 0xff);
			y = sb ? (s8)(b >> 8 * k) : (s32)(b >> 8 * k & 0xff);
		}
		c += (u32)(x * y);
	}
	return c;
}
LANE_EACH3(dot_words, u32, u32, u32, u32, dot_product(o, a, b, c))

int mbind_idp(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->mode = (uint8_t)(bit(b, 73) | bit(b, 74) << 1);
	o->n = bit(b, 76);
	o->is_param = bit(b, 77);
	machine_set_function(o, dot_words);
	return 0;
}
