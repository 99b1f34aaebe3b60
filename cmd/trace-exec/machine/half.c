/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of f16 or bf16: HADD2 HMUL2 HFMA2 HSET2 HSETP2 HMNMX2, packing of f32 (F2FP, F2IP).
 *
 * Always true: an operation is computed with more bits and rounded once. A NaN result is 0x7fff. The two numbers of an
 * operand are both halves of a register, an f32 twice, the low half twice, or the high half twice.
 */
#include <math.h>
#include <string.h>
#include "exec/halves.h"
#include "machine/half.h"

enum { HALF_FTZ = 1, HALF_SAT = 2, HALF_FMZ = 4, HALF_RELU = 8, HALF_BF16 = 16, HALF_F32 = 32 };
enum { HALF_ADD, HALF_MUL, HALF_FMA };

enum { SELECT_SWAPPED = 4 }; /* .H0_NH1: the upper half negated, then the lower half */

/*
 * Sets to[] to the two numbers of an operand. select: 2 bits of the instruction, or SELECT_SWAPPED. signs: NEG_A and
 * ABS_A. An f32 operand (select 1) is rounded to f16 towards zero: compilers use it for this conversion.
 */
static void read_half_operand(double to[2], u32 bits, unsigned select, unsigned signs, unsigned modes)
{
	bool bf = modes & HALF_BF16;

	for (unsigned k = 0; k < 2; k++) {
		bool upper = select == 3 || (!select && k) || (select == SELECT_SWAPPED && !k);
		double v =
			select == 1 ? (double)ieee_f32(bits) : half_to_double(bits >> (upper ? 16 : 0), bf);

		if (select == 1 && !bf)
			v = small_value(small_of_double(v, SMALL_F16, ROUND_RZ, false), SMALL_F16);
		v = signs & ABS_A ? fabs(v) : v;
		v = !!(signs & NEG_A) != (select == SELECT_SWAPPED && !k) ? -v : v;
		if (modes & HALF_FTZ && fabs(v) < (bf ? 0x1p-126 : 0x1p-14))
			v = copysign(0, v);
		to[k] = v;
	}
}

static double compute_half(unsigned how, double a, double b, double c, unsigned modes)
{
	double r;

	if (how == HALF_ADD)
		return small_fma_to_odd(a, 1, b);
	if (modes & HALF_FMZ && (a == 0 || b == 0))
		r = 0;
	else if (how == HALF_MUL)
		return a * b;
	else
		return small_fma_to_odd(a, b, c);
	return how == HALF_FMA ? r + c : r;
}

static u32 round_half_result(double r, unsigned modes)
{
	bool bf = modes & HALF_BF16;

	if (r != r)
		return modes & HALF_SAT ? 0 : 0x7fff;
	if (modes & HALF_SAT)
		r = r > 0 ? r < 1 ? r : 1 : 0;
	if (modes & HALF_RELU && !(r > 0))
		r = 0;
	u32 h = half_from_double(r, bf);
	if (modes & HALF_FTZ && fabs(half_to_double(h, bf)) < (bf ? 0x1p-126 : 0x1p-14))
		h &= 0x8000;
	return h;
}

/* Returns the result of a lane. o->n: operation; o->imm: modes; o->x->aux[]: choice of halves of a, b and c. */
static u32 compute_half2_lane(const struct op *o, u32 bits_a, u32 bits_b, u32 bits_c)
{
	const u32 *select = o->x->aux;
	unsigned modes = (unsigned)o->imm;
	double a[2], b[2], c[2] = {0, 0};

	read_half_operand(a, bits_a, select[0], o->mode & 3u, modes);
	read_half_operand(b, bits_b, select[1], o->mode >> 2 & 3u, modes);
	if (o->n == HALF_FMA)
		read_half_operand(c, bits_c, select[2], o->mode >> 4 & 3u, modes);
	double r0 = compute_half(o->n, a[0], b[0], c[0], modes);
	if (modes & HALF_F32) {
		float f = (float)r0;

		if (modes & HALF_SAT)
			f = f > 0 ? f < 1 ? f : 1 : 0;
		return f == f ? ieee_f32_bits(f) : 0x7fffffff;
	}
	double r1 = compute_half(o->n, a[1], b[1], c[1], modes);
	return round_half_result(r0, modes) | round_half_result(r1, modes) << 16;
}

static void execute_half2(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);

	FOR_BITS32 (i, m)
		d[i] = compute_half2_lane(o, pa[i], pb[i], pc[i]);
}

/* Executes an instruction without modes. o->x->family says which half of a, b and c each half of the result reads. */
static void execute_half2_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	static const uint8_t ops[] = {
		[HALF_ADD] = HALVES_ADD, [HALF_MUL] = HALVES_MUL, [HALF_FMA] = HALVES_FMA};
	const struct half_source(*how)[3] = o->x->family;
	const u32 *source[3] = {REG(u32, w, o->a), REG(u32, w, o->b), REG(u32, w, o->c)};
	u32 *d = REG(u32, w, o->d), half[2][LANES];

	for (unsigned k = 0; k < 2; k++)
		if (!halves_compute(half[k], ops[o->n], o->imm & HALF_BF16, source, how[k])) {
			execute_half2(w, o, m);
			return;
		}
	EACH_LANE (i)
		d[i] = m >> i & 1 ? half[0][i] | half[1][i] << 16 : d[i];
}

/* Returns the first number of a pair as f32. It has no branches, so that loops over lanes become vectors. */
static ALWAYS_INLINE float half_source_f32(u32 bits, struct half_source how, bool bf16)
{
	u32 h = (bits >> how.shift & how.keep) ^ how.flip, magnitude = (h & 0x7fff) << 13;
	u32 normal = magnitude + EXPONENT_BIAS + (magnitude >= 31u << 23 ? EXPONENT_BIAS : 0);
	u32 small = ieee_f32_bits(ieee_f32(magnitude + LEAST_NORMAL) - 0x1p-14f);
	u32 is_small = (u32)((s32)(magnitude - (1u << 23)) >> 31);

	return ieee_f32(bf16 ? h << 16 : (small & is_small) | (normal & ~is_small) | (h & 0x8000) << 16);
}

/* Adds the first numbers of two pairs in f32. */
static ALWAYS_INLINE void add_halves(struct warp *w, const struct op *o, uint32_t m, bool bf16)
{
	const struct half_source(*how)[3] = o->x->family, of_a = how[0][0], of_b = how[0][1];
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	EACH_LANE (i) {
		float f = half_source_f32(pa[i], of_a, bf16) + half_source_f32(pb[i], of_b, bf16);
		u32 bits = ieee_f32_bits(f), r = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;

		d[i] = m >> i & 1 ? r : d[i];
	}
}

/*
 * Compilers convert f16 to f32 by a sum with -0. The sums of bgmv of HeCBench (2 tokens, hidden size 512, repeat 1)
 * take 3.6 million host instructions instead of the 21.7 million of a loop with branches.
 */
LANE_FN static void add_f16_to_f32(struct warp *w, const struct op *o, uint32_t m)
{
	add_halves(w, o, m, false);
}
LANE_FN static void add_bf16_to_f32(struct warp *w, const struct op *o, uint32_t m)
{
	add_halves(w, o, m, true);
}

/* Chooses the function that executes an operation of pairs. */
static void choose_half2_function(struct mbind *b, struct op *o)
{
	struct half_source(*how)[3] = arena_alloc(&b->bound->arena, 2, sizeof(*how));
	const u32 *select = o->x->aux;

	for (unsigned j = 0; j < 3; j++)
		for (unsigned k = 0; k < 2; k++) {
			bool upper =
				select[j] == 3 || (!select[j] && k) || (select[j] == SELECT_SWAPPED && !k);
			unsigned signs = (unsigned)o->mode >> 2 * j & 3u;
			bool negative = !!(signs & NEG_A) != (select[j] == SELECT_SWAPPED && !k);

			how[k][j] = (struct half_source){
				upper ? 16 : 0, signs & ABS_A ? 0x7fff : 0xffff, negative ? 0x8000 : 0};
		}
	bool halves = select[0] != 1 && select[1] != 1 && (o->n != HALF_FMA || select[2] != 1);
	int64_t modes = (int64_t)o->imm & ~HALF_BF16;
	o->x->family = how;
	if (halves && modes == HALF_F32 && o->n == HALF_ADD)
		machine_set_function(o, o->imm & HALF_BF16 ? add_bf16_to_f32 : add_f16_to_f32);
	else
		machine_set_function(o, halves && !modes ? execute_half2_lanes : execute_half2);
}

LANE_OP1(half2_constant, u32, u32, a)

/*
 * Binds an instruction as a move if all its sources are known numbers, because the assembler loads constants by
 * HFMA2 of RZ.
 */
static void fold_half2(struct mbind *b, struct op *o)
{
	u32 v[3];

	if (mbind_get_known_number(b, o->a, &v[0]) && mbind_get_known_number(b, o->b, &v[1]) &&
		mbind_get_known_number(b, o->c, &v[2])) {
		o->a = mbind_number(b, compute_half2_lane(o, v[0], v[1], v[2]), 1);
		machine_set_function(o, half2_constant);
	}
}

/* Sets the signs and the choice of halves of each operand. second: b is in bits 32-63 in every form. */
static void bind_half_operands(struct mbind *b, struct op *o, bool second, bool selects)
{
	unsigned form = b->inst->form;
	bool imm = form == FORM_IMM_C || form == FORM_IMM, swapped = !second && mbind_is_swapped(b);
	unsigned signs_b = imm ? 0 : (unsigned)(bit(b, 63) | bit(b, 62) << 1),
		 signs_c = (unsigned)(bit(b, 84) | bit(b, 83) << 1),
		 h32 = imm ? 0 : (unsigned)field(b, 60, 2), h64 = (unsigned)field(b, 81, 2);

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->mode = (uint8_t)((bit(b, 72) ? NEG_A : 0) | (bit(b, 73) ? ABS_A : 0) |
			    (swapped ? signs_c : signs_b) << 2 |
			    (second ? 0 : (swapped ? signs_b : signs_c) << 4));
	if (!selects)
		return;
	o->x->aux[0] = (u32)field(b, 74, 2);
	o->x->aux[1] = swapped ? h64 : h32;
	o->x->aux[2] = second ? 0 : swapped ? h32 : h64;
}

int mbind_half2(struct mbind *b, struct op *o)
{
	unsigned base = b->inst->row->base;
	bool add = base == 0x030, mul = base == 0x032, mma = base == 0x035;

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	if (add && mbind_is_swapped(b))
		o->b = o->c;
	if (mul && mbind_is_swapped(b))
		return mbind_refuse(b, "form of operands");
	bind_half_operands(b, o, add || mul, !mma);
	if (base == 0x031 && b->inst->form <= FORM_IMM_C && !o->x->aux[1] && bit(b, 86))
		o->x->aux[1] = SELECT_SWAPPED;
	o->n = add ? HALF_ADD : mul ? HALF_MUL : HALF_FMA;
	o->imm = (bit(b, 80) ? HALF_FTZ : 0) | (bit(b, 77) ? HALF_SAT : 0) | (bit(b, 85) ? HALF_BF16 : 0) |
		 (bit(b, 78) ? HALF_F32 : 0);
	if (!add)
		o->imm |= (bit(b, 76) ? HALF_FMZ : 0) | (bit(b, 79) ? HALF_RELU : 0);
	if (!add && bit(b, 78))
		return mbind_refuse(b, "f32 result");
	if (base == 0x031 && bit(b, 76) && bit(b, 80)) /* fma.oob of PTX */
		return mbind_refuse(b, "numbers that represent elements out of bounds");
	choose_half2_function(b, o);
	fold_half2(b, o);
	return 0;
}

/* ---- comparisons ---- */

static bool is_half_comparison_true(unsigned cmp, double a, double b)
{
	static const uint8_t outcomes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	unsigned is = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;

	return outcomes[cmp] & is;
}

static u32 combine_half_bool(unsigned how, u32 v, u32 p)
{
	return how == 0 ? v & p : how == 1 ? v | p : v ^ p;
}

/*
 * Executes HSET2, or HSETP2 if o->is_signed. o->n: comparison. o->reg_bytes: combination with the source predicate.
 * o->is_param: .H_AND of HSETP2, .BF of HSET2.
 */
static void execute_half_set(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b),
	    p = first_pred_source(w, o), v[2] = {0, 0};
	unsigned modes = o->bytes;

	FOR_BITS32 (i, m) {
		double a[2], b[2];

		read_half_operand(a, pa[i], o->x->aux[0], o->mode & 3u, modes);
		read_half_operand(b, pb[i], o->x->aux[1], o->mode >> 2 & 3u, modes);
		for (unsigned k = 0; k < 2; k++)
			v[k] |= (u32)is_half_comparison_true(o->n, a[k], b[k]) << i;
	}
	if (o->is_signed && o->is_param) {
		set_pred(w, PDST1(o), m, combine_half_bool(o->reg_bytes, v[0] & v[1], p));
		set_pred(w, PDST2(o), m, combine_half_bool(o->reg_bytes, ~(v[0] & v[1]), p));
		return;
	}
	for (unsigned k = 0; k < 2; k++)
		v[k] = combine_half_bool(o->reg_bytes, v[k], p);
	if (o->is_signed) {
		set_pred(w, PDST1(o), m, v[0]);
		set_pred(w, PDST2(o), m, v[1]);
		return;
	}
	u32 one = !o->is_param ? 0xffff : modes & HALF_BF16 ? 0x3f80 : 0x3c00;
	FOR_BITS32 (i, m)
		d[i] = (v[0] >> i & 1 ? one : 0) | (v[1] >> i & 1 ? one : 0) << 16;
}

int mbind_half_set(struct mbind *b, struct op *o)
{
	bool setp = b->inst->row->base == 0x034;

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	if (mbind_is_swapped(b))
		o->b = o->c;
	bind_half_operands(b, o, true, true);
	o->n = (uint8_t)field(b, 76, 4);
	o->reg_bytes = (uint8_t)field(b, 69, 2);
	o->is_param = bit(b, 71);
	o->is_signed = setp;
	o->bytes = (uint8_t)((bit(b, 80) ? HALF_FTZ : 0) | (bit(b, 65) ? HALF_BF16 : 0));
	o->imm = mbind_pred(b, 87, false);
	if (setp) {
		o->target = mbind_pdst(b, 81, false);
		o->rpc = mbind_pdst(b, 84, false);
		o->d = FRAME_SINK;
	}
	machine_set_function(o, execute_half_set);
	return 0;
}

/* ---- minima ---- */

static u32 choose_half(double a, double b, bool least, const struct op *o)
{
	bool bf = o->bytes & HALF_BF16;
	u32 x = half_from_double(a, bf), y = half_from_double(b, bf);

	if (a != a || b != b)
		return (a != a && b != b) || o->n & 1 ? 0x7fff : a != a ? y : x;
	if (o->n & 2)
		return (((fabs(a) < fabs(b)) == least ? x : y) & 0x7fff) | ((x ^ y) & 0x8000);
	if (a == b)
		return least ? x | y : x & y;
	return (a < b) == least ? x : y;
}

static void execute_hmnmx2(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b),
	    p = first_pred_source(w, o);

	FOR_BITS32 (i, m) {
		double a[2], b[2];

		read_half_operand(a, pa[i], o->x->aux[0], o->mode & 3u, o->bytes);
		read_half_operand(b, pb[i], o->x->aux[1], o->mode >> 2 & 3u, o->bytes);
		d[i] = choose_half(a[0], b[0], p >> i & 1, o) | choose_half(a[1], b[1], p >> i & 1, o) << 16;
	}
}

int mbind_hmnmx2(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_half_operands(b, o, true, true);
	o->n = (uint8_t)(bit(b, 81) | bit(b, 82) << 1);
	if (bit(b, 82)) /* .XORSIGN uses the signs of the registers, before any negation or absolute value */
		o->mode &= (uint8_t) ~(ABS_A | ABS_B);
	o->bytes = (uint8_t)((bit(b, 80) ? HALF_FTZ : 0) | (bit(b, 85) ? HALF_BF16 : 0));
	o->imm = mbind_pred(b, 87, false);
	machine_set_function(o, execute_hmnmx2);
	return mbind_has_constant_c(b) ? mbind_refuse(b, "form of operands") : 0;
}

static void execute_vhmnmx(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *source[3] = {REG(u32, w, o->a), REG(u32, w, o->b), REG(u32, w, o->c)},
	    p = first_pred_source(w, o);
	bool bf = o->bytes & HALF_BF16;

	FOR_BITS32 (i, m) {
		double v[3][2];
		u32 half[2];

		for (unsigned k = 0; k < 3; k++)
			read_half_operand(v[k], source[k][i], o->x->aux[k], o->mode >> 2 * k & 3u, o->bytes);
		for (unsigned k = 0; k < 2; k++) {
			half[k] = choose_half(v[0][k], v[1][k], p >> i & 1, o);
			half[k] = choose_half(half_to_double(half[k], bf), v[2][k], p >> i & 1, o);
		}
		d[i] = half[0] | half[1] << 16;
	}
}

/* Binds VHMNMX: the minimum or maximum of three numbers. */
int mbind_vhmnmx(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_half_operands(b, o, false, true);
	o->x->aux[2] = (u32)field(b, 76, 2);
	o->n = bit(b, 81);
	o->bytes = (uint8_t)((bit(b, 80) ? HALF_FTZ : 0) | (bit(b, 85) ? HALF_BF16 : 0));
	o->imm = mbind_pred(b, 87, false);
	machine_set_function(o, execute_vhmnmx);
	return bit(b, 82) || mbind_is_swapped(b) ? mbind_refuse(b, "form of operands") : 0;
}

/* ---- packing of bytes ---- */

static u32 round_f32_to_byte(const struct op *o, u32 bits)
{
	double v = (double)ieee_f32(bits), least = o->is_signed ? -128 : 0, most = o->is_signed ? 127 : 255;

	switch (o->n) {
	case 0: v = rint(v); break;
	case 1: v = floor(v); break;
	case 2: v = ceil(v); break;
	default: v = trunc(v);
	}
	if (v != v || (o->is_param && v < 0))
		return 0;
	return (u32)(s32)(v < least ? least : v > most ? most : v) & 0xff;
}

static void execute_f2ip(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);

	FOR_BITS32 (i, m)
		d[i] = pc[i] << 16 | round_f32_to_byte(o, pa[i]) << 8 | round_f32_to_byte(o, pb[i]);
}

int mbind_f2ip(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->is_signed = bit(b, 76);
	o->is_param = bit(b, 75);
	o->n = (uint8_t)field(b, 78, 2);
	machine_set_function(o, execute_f2ip);
	return 0;
}
