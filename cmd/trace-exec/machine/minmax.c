/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer minima, maxima, absolute values and differences, of words, pairs, halves and bytes. */
#include "machine/code.h"

LANE_OP1(abs_word, u32, u32, (s32)a < 0 ? 0 - a : a)

int mbind_iabs(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->a = o->b;
	machine_set_function(o, abs_word);
	return mbind_has_constant_c(b) ? mbind_refuse(b, "form of operands") : 0;
}

MACHINE_OP2(min_max_signed, u32 p = first_pred_source(w, o);, ((s32)a < (s32)b) == (p >> i & 1) ? a : b)
MACHINE_OP2(min_max_unsigned, u32 p = first_pred_source(w, o);, (a < b) == (p >> i & 1) ? a : b)

int mbind_imnmx(struct mbind *b, struct op *o)
{
	machine_set_function(o, bit(b, 73) ? min_max_signed : min_max_unsigned);
	int status = mbind_two_sources(b, o, WIDE_NONE);
	o->imm = mbind_pred(b, 87, b->uniform);
	return status;
}

static void min_max_pairs(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d), p = first_pred_source(w, o);
	u64 flip = o->is_signed ? 1ull << 63 : 0;

	FOR_BITS32 (i, m) {
		u64 x = (a[i] | (u64)a[i + LANES] << 32) ^ flip, y = (b[i] | (u64)b[i + LANES] << 32) ^ flip;
		u64 v = ((x < y) == (p >> i & 1) ? x : y) ^ flip;

		d[i] = (u32)v;
		d[i + LANES] = (u32)(v >> 32);
	}
}

/* Binds the minimum or maximum of two numbers of 32 or 64 bits, of both datapaths. */
int mbind_imnmx64(struct mbind *b, struct op *o)
{
	if (!bit(b, 74))
		return mbind_imnmx(b, o);
	if (mbind_two_sources(b, o, WIDE_A | WIDE_B | WIDE_C | WIDE_D | SIGNED_IMMEDIATE))
		return -1;
	o->is_signed = bit(b, 73);
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, min_max_pairs);
	return 0;
}

enum { TYPE_U32, TYPE_S32, TYPE_U16X2, TYPE_S16X2, TYPE_U8X4, TYPE_S8X4 };

static u32 min_max_of_type(const struct op *o, bool least, u32 a, u32 b)
{
	u32 r = 0;

	switch (o->n) {
	case TYPE_U32: return (a < b) == least ? a : b;
	case TYPE_S32: r = ((s32)a < (s32)b) == least ? a : b; return o->is_param && (s32)r < 0 ? 0 : r;
	default: break;
	}
	for (unsigned k = 0; o->n >= TYPE_U8X4 && k < 32; k += 8) {
		u32 x = a >> k & 0xff, y = b >> k & 0xff;

		r |= ((o->n == TYPE_U8X4 ? x < y : (s8)x < (s8)y) == least ? x : y) << k;
	}
	for (unsigned k = 0; o->n < TYPE_U8X4 && k < 32; k += 16) {
		u32 x = a >> k & 0xffff, y = b >> k & 0xffff,
		    v = (o->n == TYPE_U16X2 ? x < y : (s16)x < (s16)y) == least ? x : y;

		r |= (o->is_param && o->n == TYPE_S16X2 && v >> 15 ? 0 : v) << k;
	}
	return r;
}

static u32 add_each_byte(u32 a, u32 b)
{
	return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
}

/* Negates each byte. */
static u32 negate_each_byte(u32 v) { return add_each_byte(~v, 0x01010101); }

static u32 add_each_half(u32 a, u32 b)
{
	return ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u));
}

static u32 negate_each_half(u32 v) { return add_each_half(~v, 0x00010001); }

LANE_EACH2(vimnmx_words, u32, u32, u32, min_max_of_type(o, first_pred_source(w, o) >> i & 1, a, b))
LANE_EACH3(vimnmx3_words, u32, u32, u32, u32,
	min_max_of_type(o, first_pred_source(w, o) >> i & 1,
		min_max_of_type(o, first_pred_source(w, o) >> i & 1, a, b), c))
LANE_EACH3(viaddmnmx_words, u32, u32, u32, u32,
	min_max_of_type(o, first_pred_source(w, o) >> i & 1,
		o->n < TYPE_U16X2 ? a + (o->mode & NEG_B ? 0 - b : b) : add_each_half(a, b), c))

/*
 * Executes a minimum or maximum of pairs of halves with predicate results: whether the lower, and the upper, half of
 * the result is that of the first source.
 */
static void vimnmx_halves_chosen(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d), p = first_pred_source(w, o), lower = 0, upper = 0;

	FOR_BITS32 (i, m) {
		u32 v = min_max_of_type(o, p >> i & 1, a[i], b[i]), differ = v ^ a[i];

		lower |= (u32) !(differ & 0xffff) << i;
		upper |= (u32) !(differ >> 16) << i;
		d[i] = v;
	}
	set_pred(w, PDST1(o), m, lower);
	set_pred(w, PDST2(o), m, upper);
}

static int bind_min_max_type(struct mbind *b, struct op *o)
{
	o->n = (uint8_t)field(b, 72, b->code->sm >= 120 ? 3 : 2);
	o->is_param = bit(b, 76); /* .RELU */
	o->imm = mbind_pred(b, 87, b->uniform);
	return o->n > TYPE_S8X4 ? mbind_refuse(b, "type") : 0;
}

int mbind_vimnmx(struct mbind *b, struct op *o)
{
	machine_set_function(o, vimnmx_words);
	if (mbind_two_sources(b, o, WIDE_NONE) || bind_min_max_type(b, o))
		return -1;
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	if (o->target == FRAME_PSINK && o->rpc == FRAME_PSINK)
		return 0;
	machine_set_function(o, vimnmx_halves_chosen);
	return (o->n == TYPE_U16X2 || o->n == TYPE_S16X2) && !o->is_param
		       ? 0
		       : mbind_refuse(b, "predicate result");
}

int mbind_vimnmx3(struct mbind *b, struct op *o)
{
	machine_set_function(o, vimnmx3_words);
	return mbind_forms(b, o, WIDE_NONE) || bind_min_max_type(b, o) ? -1 : 0;
}

int mbind_viaddmnmx(struct mbind *b, struct op *o)
{
	machine_set_function(o, viaddmnmx_words);
	return mbind_forms(b, o, WIDE_NONE) || bind_min_max_type(b, o) ? -1 : 0;
}

MACHINE_OP2(viadd_word, u32 x = o->mode & NEG_B ? ~0u : 0;, a + (b ^ x) + (x & 1))
MACHINE_OP2(viadd_minus_word, u32 x = o->mode & NEG_B ? ~0u : 0;, (b ^ x) + (x & 1) - a)
LANE_OP2(viadd_halves, u32, u32, u32, add_each_half(a, b))
MACHINE_OP2(viadd_halves_signed, bool na = o->mode & NEG_A; bool nb = o->mode & NEG_B;
	    , add_each_half(na ? negate_each_half(a) : a, nb ? negate_each_half(b) : b))
MACHINE_OP2(viadd_bytes, bool na = o->mode & NEG_A; bool nb = o->mode & NEG_B;
	    , add_each_byte(na ? negate_each_byte(a) : a, nb ? negate_each_byte(b) : b))

/* Executes VIADD.SAT: a signed sum that saturates. */
static void viadd_saturated(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m) {
		s64 x = (s32)a[i], y = (s32)b[i], v = (o->mode & NEG_A ? -x : x) + (o->mode & NEG_B ? -y : y);

		d[i] = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? 1u << 31 : (u32)v;
	}
}

int mbind_viadd(struct mbind *b, struct op *o)
{
	bool saturated = bit(b, 74);

	if (mbind_two_sources(b, o, WIDE_NONE))
		return -1;
	o->mode = (uint8_t)((bit(b, 63) && b->inst->form != FORM_IMM ? NEG_B : 0) | (bit(b, 72) ? NEG_A : 0));
	machine_set_function(o, saturated               ? viadd_saturated
				: bit(b, 75)            ? viadd_bytes
				: bit(b, 73) && o->mode ? viadd_halves_signed
				: bit(b, 73)            ? viadd_halves
				: o->mode & NEG_A       ? viadd_minus_word
							: viadd_word);
	if (saturated)
		return bit(b, 73) || bit(b, 75) || !bit(b, 80) ? mbind_refuse(b, "mode") : 0;
	return bit(b, 80) ? mbind_refuse(b, "mode") : 0;
}

MACHINE_OP3(absdiff_word, bool s = o->is_signed;
	    , (s ? ((s32)a > (s32)b ? a - b : b - a) : (a > b ? a - b : b - a)) + c)

int mbind_vabsdiff(struct mbind *b, struct op *o)
{
	o->is_signed = bit(b, 73);
	machine_set_function(o, absdiff_word);
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	return mbind_pdst(b, 81, false) == FRAME_PSINK ? 0 : mbind_refuse(b, "predicate result");
}

static u32 sum_absdiff4(const struct op *o, u32 a, u32 b, u32 c)
{
	u32 sum = 0, bytes = 0;

	for (unsigned k = 0; k < 32; k += 8) {
		s32 x = o->is_signed ? (s8)(a >> k) : (s32)(a >> k & 0xff),
		    y = o->is_signed ? (s8)(b >> k) : (s32)(b >> k & 0xff);
		u32 v = (u32)(x > y ? x - y : y - x);

		sum += v;
		bytes |= (v & 0xff) << k;
	}
	return o->n ? sum + c : bytes;
}
LANE_EACH3(absdiff4_words, u32, u32, u32, u32, sum_absdiff4(o, a, b, c))

int mbind_vabsdiff4(struct mbind *b, struct op *o)
{
	o->is_signed = bit(b, 73);
	o->n = bit(b, 75);
	machine_set_function(o, absdiff4_words);
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	return mbind_pdst(b, 81, false) == FRAME_PSINK ? 0 : mbind_refuse(b, "predicate result");
}
