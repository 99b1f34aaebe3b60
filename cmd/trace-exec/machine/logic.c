/* SPDX-License-Identifier: BSD-2-Clause */
/* Logic: LOP3, PLOP3, shifts, permutation of bytes, bit fields, bit counts, saturation of integers, P2R and R2P. */
#include "machine/code.h"

/* ---- LOP3 ---- */

MACHINE_OP3(lop_and, , a &b)
MACHINE_OP3(lop_or, , a | b)
MACHINE_OP3(lop_xor, , a ^ b)
MACHINE_OP3(lop_and_or, , (a & b) | c)
MACHINE_OP3(lop_not_c, , ~c)
MACHINE_OP3(lop_not_b, , ~b)

MACHINE_OP3(lop_xor_xor, , a ^ b ^ c)

/*
 * Executes LOP3 with any truth table: each bit of o->n selects one of eight terms. c selects one of two terms in four
 * pairs, b one of two of the results, a one of the last two.
 */
#define LOP_TERM(t, i)          (0 - ((t) >> (i)&1))
#define LOP_CHOOSE(x, if0, if1) ((if0) ^ ((x) & ((if0) ^ (if1))))
MACHINE_OP3(lop_any, const u32 t = o->n; const u32 t0 = LOP_TERM(t, 0); const u32 t1 = LOP_TERM(t, 1);
	    const u32 t2 = LOP_TERM(t, 2); const u32 t3 = LOP_TERM(t, 3); const u32 t4 = LOP_TERM(t, 4);
	    const u32 t5 = LOP_TERM(t, 5); const u32 t6 = LOP_TERM(t, 6); const u32 t7 = LOP_TERM(t, 7);
	    , LOP_CHOOSE(a, LOP_CHOOSE(b, LOP_CHOOSE(c, t0, t1), LOP_CHOOSE(c, t2, t3)),
		      LOP_CHOOSE(b, LOP_CHOOSE(c, t4, t5), LOP_CHOOSE(c, t6, t7))))

static op_fn *lop_function(unsigned table)
{
	switch (table) {
	case 0xc0: return lop_and;
	case 0xfc: return lop_or;
	case 0x3c: return lop_xor;
	case 0xea: return lop_and_or;
	case 0x55: return lop_not_c;
	case 0x33: return lop_not_b;
	case 0x96: return lop_xor_xor;
	default: return lop_any;
	}
}

/* Executes LOP3 with a predicate result: whether the result is not 0, combined with the source predicate. */
static void lop_with_pred(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *d = REG(u32, w, o->d);
	u32 nonzero = 0, p = first_pred_source(w, o);

	lop_function(o->n)(w, o, m);
	for (unsigned i = 0; i < LANES; i++)
		nonzero |= (u32)(d[i] != 0) << i;
	set_pred(w, PDST1(o), m, o->is_param ? nonzero & p : nonzero | p);
}

int mbind_lop3(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->mode = 0;
	o->n = (uint8_t)field(b, 72, 8);
	o->is_param = bit(b, 80);
	o->target = mbind_pdst(b, 81, b->uniform);
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, o->target == FRAME_PSINK ? lop_function(o->n) : lop_with_pred);
	return 0;
}

/* ---- logic of predicates ---- */

static u32 apply_truth_table(unsigned t, u32 a, u32 b, u32 c)
{
	u32 r = 0;

	for (unsigned k = 0; k < 8; k++)
		if (t >> k & 1)
			r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	return r;
}

/* Executes PLOP3. o->a, o->is_param: third predicate and its inversion. o->n, o->mode: truth tables of the results. */
static void execute_plop3(struct warp *w, const struct op *o, uint32_t m)
{
	u32 a = first_pred_source(w, o), b = second_pred_source(w, o),
	    c = PRED(w, o->a) ^ (o->is_param ? ALL_LANES : 0);

	set_pred(w, PDST1(o), m, apply_truth_table(o->n, a, b, c));
	set_pred(w, PDST2(o), m, apply_truth_table(o->mode, a, b, c));
}

int mbind_plop3(struct mbind *b, struct op *o)
{
	int64_t third = mbind_pred(b, 68, b->uniform || bit(b, 67));

	o->n = (uint8_t)(field(b, 72, 5) << 3 | field(b, 64, 3));
	o->mode = (uint8_t)field(b, 16, 8);
	o->imm = mbind_pred(b, 87, b->uniform) | mbind_pred(b, 77, b->uniform) << 32;
	o->a = (uint32_t)third & 0xffff;
	o->is_param = third >> 16 & 1;
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	machine_set_function(o, execute_plop3);
	return 0;
}

static void plop3_signs(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);
	u32 a = 0, b = 0, c = 0;

	for (unsigned i = 0; i < LANES; i++) {
		a |= pa[i] >> 31 << i;
		b |= pb[i] >> 31 << i;
		c |= pc[i] >> 31 << i;
	}
	set_pred(w, PDST1(o), m, apply_truth_table(o->n, a, b, c));
	set_pred(w, PDST2(o), m, apply_truth_table(o->mode, a, b, c));
}

int mbind_plop3_signs(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->n = (uint8_t)field(b, 72, 8);
	o->mode = (uint8_t)field(b, 16, 8);
	o->d = FRAME_SINK;
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	machine_set_function(o, plop3_signs);
	return 0;
}

/* Copies predicates to byte o->n of a register. o->c: slot of the first predicate. */
static void preds_to_reg(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);

	FOR_BITS32 (i, m) {
		u32 v = 0, mask = pb[i] & 0x7f, shift = 8u * o->n;

		for (unsigned k = 0; k < 7; k++)
			v |= (PRED(w, o->c + 4 * k) >> i & 1) << k;
		/* only bits of byte o->n change */
		d[i] = (pa[i] & ~(0xffu << shift)) | ((v & mask) | (pa[i] >> shift & 0xff & ~mask)) << shift;
	}
}

/* Returns the lanes in which bit number `at` is set. */
LANE_FN static u32 lanes_with_bit(const u32 *a, unsigned at)
{
	u32 lanes = 0;

	for (unsigned i = 0; i < LANES; i++)
		lanes |= (a[i] >> at & 1) << i;
	return lanes;
}

/* Copies byte o->n of a register to the predicates of mask b, a constant. o->c: slot of the first predicate. */
static void reg_to_preds(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);

	for (unsigned k = 0; k < 7; k++)
		if (pb[0] >> k & 1)
			set_pred(w, o->c + 4 * k, m, lanes_with_bit(pa, 8u * o->n + k));
}

/* Adds the predicates of mask b to the list of operands. */
static void list_mask_predicates(struct mbind *b, const struct op *o, enum operand_role role)
{
	for (unsigned k = 0; k < 7; k++)
		if (field(b, 32, 32) >> k & 1)
			operands_add(b->bound, o->c + 4 * k, 0, role);
}

int mbind_p2r(struct mbind *b, struct op *o)
{
	o->d = b->uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 1);
	o->a = b->uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, 1);
	o->b = mbind_number(b, field(b, 32, 32), 1);
	o->c = b->uniform ? FRAME_UP : FRAME_P;
	o->n = (uint8_t)field(b, 76, 2);
	list_mask_predicates(b, o, OPERAND_SOURCE);
	machine_set_function(o, preds_to_reg);
	return 0;
}

int mbind_r2p(struct mbind *b, struct op *o)
{
	o->a = b->uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, 1);
	o->b = mbind_number(b, field(b, 32, 32), 1);
	o->c = b->uniform ? FRAME_UP : FRAME_P;
	o->n = (uint8_t)field(b, 76, 2);
	list_mask_predicates(b, o, OPERAND_RESULT);
	machine_set_function(o, reg_to_preds);
	return 0;
}

/* ---- shifts: b is the count, c the upper word ---- */

enum { SHF_S64, SHF_U64, SHF_S32, SHF_U32 };

static inline u32 funnel_shift(unsigned type, bool right, bool high, bool wrap, u32 a, u32 n, u32 c)
{
	u64 v = (u64)c << 32 | a;
	unsigned most = type < SHF_S32 ? 64 : 32;

	n = wrap ? n & (most - 1) : n > most ? most : n;
	if (type < SHF_S32) {
		u64 r = right    ? type == SHF_S64 ? (u64)((s64)v >> (n > 63 ? 63 : n))
				   : n > 63        ? 0
						   : v >> n
			: n > 63 ? 0
				 : v << n;

		return (u32)(high ? r >> 32 : r);
	}
	if (right) {
		if (!high)
			return (u32)(v >> n);
		return type == SHF_S32 ? (u32)((s32)c >> (n > 31 ? 31 : n)) : n > 31 ? 0 : c >> n;
	}
	return high ? (u32)(v << n >> 32) : n > 31 ? 0 : a << n;
}
MACHINE_OP3(shf_any, unsigned t = o->n; bool right = o->is_signed; bool h = o->is_param;
	    bool wrap = o->reg_bytes;, funnel_shift(t, right, h, wrap, a, b, c))

/*
 * The two functions compute the lower word of a shift to the right and the upper word of a shift to the left, as
 * funnel_shift() does, in 32-bit vectors. x is the word with the first bit of the result, y the word with the next
 * bits.
 */
#define SHF_COUNTS \
	const u32 most = o->n < SHF_S32 ? 64 : 32; \
	const bool wrap = o->reg_bytes;
static inline u32 shift_count(u32 n, u32 most, bool wrap)
{
	return wrap ? n & (most - 1) : n > most ? most : n;
}
static inline u32 lower_word_to_right(u32 a, u32 n, u32 c, u32 sign)
{
	u32 fill = (u32)((s32)c >> 31) & sign, x = n > 31 ? c : a, y = n > 31 ? fill : c, k = n & 31;

	return n > 63 ? fill : x >> k | y << 1 << (31 - k);
}
static inline u32 upper_word_to_left(u32 a, u32 n, u32 c)
{
	u32 x = n > 31 ? a : c, y = n > 31 ? 0 : a, k = n & 31;

	return n > 63 ? 0 : x << k | y >> 1 >> (31 - k);
}
MACHINE_OP3(shf_right_low, SHF_COUNTS const u32 sign = o->n == SHF_S64 ? ~0u : 0;
	    , lower_word_to_right(a, shift_count(b, most, wrap), c, sign))
MACHINE_OP3(shf_left_high, SHF_COUNTS, upper_word_to_left(a, shift_count(b, most, wrap), c))
MACHINE_OP3(shf_left_word, , b > 31 ? 0 : a << b)
MACHINE_OP3(shf_right_word, , b > 31 ? 0 : c >> b)
MACHINE_OP3(shf_right_signed, , (u32)((s32)c >> (b > 31 ? 31 : b)))

int mbind_shf(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->n = (uint8_t)field(b, 73, 2);
	o->reg_bytes = bit(b, 75);
	o->is_signed = bit(b, 76);
	o->is_param = bit(b, 80);
	machine_set_function(o, o->is_signed && !o->is_param   ? shf_right_low
				: !o->is_signed && o->is_param ? shf_left_high
							       : shf_any);
	if (o->n >= SHF_S32 && !o->reg_bytes) {
		if (o->is_signed && o->is_param)
			machine_set_function(o, o->n == SHF_S32 ? shf_right_signed : shf_right_word);
		else if (!o->is_signed && !o->is_param)
			machine_set_function(o, shf_left_word);
	}
	return 0;
}

/* ---- bytes and bit fields ---- */

static inline u32 permute_by_selector(unsigned mode, u32 a, u32 sel, u32 c)
{
	u64 v = (u64)c << 32 | a;
	u32 r = 0;
	static const u16 tables[7][4] = {{0}, {0x3210, 0x4321, 0x5432, 0x6543},
		{0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
		{0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210},
		{0x1010, 0x3232, 0x1010, 0x3232}};

	if (mode)
		sel = tables[mode % 7][sel & 3];
	for (unsigned k = 0; k < 4; k++) {
		u32 s = sel >> 4 * k & 15, byte = (u32)(v >> 8 * (s & 7)) & 0xff;

		if (!mode && s & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << 8 * k;
	}
	return r;
}
LANE_OP3(permute_bytes_apart, u32, u32, u32, u32, permute_by_selector(o->n, a, b, c))

LANE_FN static bool is_same_in_all_lanes(const u32 *p)
{
	u32 differ = 0;

	EACH_LANE (i)
		differ |= p[i] ^ *p;
	return !differ;
}

/*
 * Permutes bytes. Selectors are mostly constants: where all lanes have the same one, PRMT takes 4 % of the time of
 * `langford` of HeCBench instead of 29 %.
 */
LANE_FN static void permute_bytes(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b), *c = REG(u32, w, o->c), *from[4];
	u32 *d = REG(u32, w, o->d), left[4], right[4];

	if (!is_same_in_all_lanes(b)) {
		permute_bytes_apart(w, o, m);
		return;
	}
	for (unsigned k = 0; k < 4; k++) {
		u32 s = *b >> 4 * k & 15;

		from[k] = s & 4 ? c : a;
		left[k] = 24 - 8 * (s & 3);
		right[k] = s & 8 ? 31 : 24; /* bit 3: copies of the sign */
	}
	EACH_LANE (i) {
		u32 r = 0;

		for (unsigned k = 0; k < 4; k++)
			r |= ((u32)((s32)(from[k][i] << left[k]) >> right[k]) & 0xff) << 8 * k;
		d[i] = m >> i & 1 ? r : d[i];
	}
}

int mbind_prmt(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->n = (uint8_t)field(b, 72, 3);
	machine_set_function(o, o->n ? permute_bytes_apart : permute_bytes);
	return o->n > 6 ? mbind_refuse(b, "mode") : 0;
}

static inline u32 extend_bits(u32 a, u32 n, bool wrap, bool is_signed)
{
	n = wrap ? n & 31 : n > 32 ? 32 : n;
	if (n >= 32)
		return a;
	if (!n)
		return 0;
	return is_signed ? (u32)((s32)(a << (32 - n)) >> (32 - n)) : a & ((1u << n) - 1);
}
MACHINE_OP2(sgxt_word, bool wrap = o->n; bool s = o->is_signed;, extend_bits(a, b, wrap, s))

int mbind_sgxt(struct mbind *b, struct op *o)
{
	o->n = bit(b, 75);
	o->is_signed = bit(b, 73);
	machine_set_function(o, sgxt_word);
	return mbind_two_sources(b, o, WIDE_NONE);
}

static inline u32 bit_mask(u32 at, u32 n, bool wrap)
{
	at = wrap ? at & 31 : at;
	n = wrap ? n & 31 : n;
	if (at > 31)
		return 0;
	return (n > 31 ? ~0u : (1u << n) - 1) << at;
}
MACHINE_OP2(bmsk_word, bool wrap = o->n;, bit_mask(a, b, wrap))

int mbind_bmsk(struct mbind *b, struct op *o)
{
	o->n = bit(b, 75);
	machine_set_function(o, bmsk_word);
	return mbind_two_sources(b, o, WIDE_NONE);
}

/* ---- bit counts: the source is b ---- */

static inline u32 find_leading_one(u32 a, bool is_signed, bool shift)
{
	u32 v = is_signed && (s32)a < 0 ? ~a : a;

	if (!v)
		return UINT32_MAX;
	u32 at = 31 - (u32)__builtin_clz(v);
	return shift ? 31 - at : at;
}
static inline u32 reverse_bits(u32 v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}
MACHINE_OP1(flo_word, bool s = o->is_signed; bool sh = o->n; u32 x = o->mode & NEG_B ? ~0u : 0;
	    , find_leading_one(a ^ x, s, sh))
LANE_OP1(brev_word, u32, u32, reverse_bits(a))
MACHINE_OP1(popc_word, u32 x = o->mode & NEG_B ? ~0u : 0;, bit_count32(a ^ x))

static void flo_with_pred(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *d = REG(u32, w, o->d);
	u32 p = 0;

	flo_word(w, o, m);
	for (unsigned i = 0; i < LANES; i++)
		p |= (u32)(d[i] != UINT32_MAX) << i;
	set_pred(w, PDST1(o), m, p);
}

static int bind_one_source(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	if (mbind_has_constant_c(b))
		return mbind_refuse(b, "form of operands");
	o->a = o->b;
	o->mode &= NEG_B;
	return 0;
}

int mbind_flo(struct mbind *b, struct op *o)
{
	o->is_signed = bit(b, 73);
	o->n = bit(b, 74);
	if (bind_one_source(b, o))
		return -1;
	o->target = mbind_pdst(b, 81, b->uniform);
	machine_set_function(o, o->target == FRAME_PSINK || !bit(b, 81) ? flo_word : flo_with_pred);
	return 0;
}

int mbind_brev(struct mbind *b, struct op *o)
{
	machine_set_function(o, brev_word);
	return bind_one_source(b, o);
}

int mbind_popc(struct mbind *b, struct op *o)
{
	machine_set_function(o, popc_word);
	return bind_one_source(b, o);
}

/* ---- integers of fewer bits ---- */

/* Returns v saturated to a type: 0 U8, 1 S8, 2 U16, 3 S16. */
static inline u32 saturate_to(s32 v, unsigned type)
{
	static const s32 least[4] = {0, -128, 0, -32768}, most[4] = {255, 127, 65535, 32767};

	return (u32)(v < least[type] ? least[type] : v > most[type] ? most[type] : v);
}
MACHINE_OP1(i2i_word, unsigned t = o->n;, saturate_to((s32)a, t))

int mbind_i2i(struct mbind *b, struct op *o)
{
	o->n = (uint8_t)field(b, 76, 2);
	machine_set_function(o, i2i_word);
	return bind_one_source(b, o);
}

MACHINE_OP3(pack_saturated_bytes, unsigned t = o->n; unsigned half = o->is_param ? 16 : 0;
	    , c >> half << 16 | (saturate_to((s32)a, t) & 0xff) << 8 | (saturate_to((s32)b, t) & 0xff))
MACHINE_OP2(pack_saturated_halves, unsigned t = o->n;
	    , saturate_to((s32)a, t) << 16 | (saturate_to((s32)b, t) & 0xffff))

/* Packs a and b, saturated to o->bytes bits each, below the bits of c. */
MACHINE_OP3(pack_saturated_bits, unsigned k = o->bytes; s32 least = o->is_signed ? -(1 << (k - 1)) : 0;
	    s32 most = (1 << (k - o->is_signed)) - 1; u32 mask = (1u << k) - 1;
	    , c << 2 * k |
		      ((u32)((s32)a < least    ? least
			       : (s32)a > most ? most
					       : (s32)a) &
			      mask)
			      << k |
		      ((u32)((s32)b < least    ? least
			       : (s32)b > most ? most
					       : (s32)b) &
			      mask))

int mbind_i2ip(struct mbind *b, struct op *o)
{
	if (bit(b, 78)) { /* the result has elements of 4 or 2 bits */
		o->bytes = bit(b, 77) ? 4 : 2;
		o->is_signed = bit(b, 76);
		machine_set_function(o, pack_saturated_bits);
		return mbind_forms(b, o, WIDE_NONE);
	}
	o->n = (uint8_t)field(b, 76, 2);
	o->is_param = bit(b, 72); /* the packed half of c: true: the upper, false: the lower */
	machine_set_function(o, o->n > 1 ? pack_saturated_halves : pack_saturated_bytes);
	return mbind_forms(b, o, WIDE_NONE);
}
