/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bit operations: logic on words and predicates, shifts, fields, permutations, counts.
 *
 * Always true: shift amounts of shl and shr are clamped to the width. A predicate is a word with a bit per lane.
 */
#include "sem/sem.h"

#define BITS2(name, expr) \
	LANE_OP2(name##_16, u16, u16, u16, expr) \
	LANE_OP2(name##_32, u32, u32, u32, expr) \
	LANE_OP2(name##_64, u64, u64, u64, expr) \
	static void name##_pred(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		u32 a = PRED(w, o->a), b = PRED(w, o->b), *d = &PRED(w, o->d); \
		*d = (*d & ~m) | ((expr)&m); \
	}
BITS2(and, a &b)
BITS2(or, a | b)
BITS2(xor, a ^ b)
LANE_OP1(not_16, u16, u16, ~a)
LANE_OP1(not_32, u32, u32, ~a)
LANE_OP1(not_64, u64, u64, ~a)
LANE_OP1(cnot_16, u16, u16, !a)
LANE_OP1(cnot_32, u32, u32, !a)
LANE_OP1(cnot_64, u64, u64, !a)
static void not_pred(struct warp *w, const struct op *o, uint32_t m)
{
	u32 a = PRED(w, o->a), *d = &PRED(w, o->d);

	*d = (*d & ~m) | (~a & m);
}

static op_fn *function_by_bits(enum type t, op_fn *f16, op_fn *f32, op_fn *f64, op_fn *pred)
{
	return t == T_B16 ? f16 : t == T_B32 ? f32 : t == T_B64 ? f64 : t == T_PRED ? pred : NULL;
}

int bind_logic(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	switch (b->stmt->opcode) {
	case I_and: return BIND(b, o, function_by_bits(t, and_16, and_32, and_64, and_pred), t, t, t);
	case I_or: return BIND(b, o, function_by_bits(t, or_16, or_32, or_64, or_pred), t, t, t);
	case I_xor: return BIND(b, o, function_by_bits(t, xor_16, xor_32, xor_64, xor_pred), t, t, t);
	case I_not: return BIND(b, o, function_by_bits(t, not_16, not_32, not_64, not_pred), t, t);
	default: return BIND(b, o, function_by_bits(t, cnot_16, cnot_32, cnot_64, NULL), t, t);
	}
}

LANE_OP2(shl_16, u16, u16, u32, b > 15 ? 0 : (u32)a << b)
LANE_OP2(shl_32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))
LANE_OP2(shl_64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))
LANE_OP2(shr_u16, u16, u16, u32, b > 15 ? 0 : (u32)a >> b)
LANE_OP2(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))
LANE_OP2(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))
LANE_OP2(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))
LANE_OP2(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))
LANE_OP2(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))

int bind_shift(struct bind *b, struct op *o)
{
	static op_fn *const right[N_TYPES] = {[T_B16] = shr_u16,
		[T_U16] = shr_u16,
		[T_S16] = shr_s16,
		[T_B32] = shr_u32,
		[T_U32] = shr_u32,
		[T_S32] = shr_s32,
		[T_B64] = shr_u64,
		[T_U64] = shr_u64,
		[T_S64] = shr_s64};
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	return BIND(b, o,
		b->stmt->opcode == I_shr ? right[t] : function_by_bits(t, shl_16, shl_32, shl_64, NULL), t, t,
		T_U32);
}

LANE_OP3(shf_l_wrap, u32, u32, u32, u32, ((u64)b << 32 | a) << (c & 31) >> 32)
LANE_OP3(shf_r_wrap, u32, u32, u32, u32, ((u64)b << 32 | a) >> (c & 31))
LANE_OP3(shf_l_clamp, u32, u32, u32, u32, ((u64)b << 32 | a) << (c > 32 ? 32 : c) >> 32)
LANE_OP3(shf_r_clamp, u32, u32, u32, u32, ((u64)b << 32 | a) >> (c > 32 ? 32 : c))

int bind_shf(struct bind *b, struct op *o)
{
	bool left = stmt_has(b->stmt, M_L), wrap = stmt_has(b->stmt, M_WRAP);

	if (bind_types(b, 1))
		return -1;
	return BIND(b, o,
		b->stmt->type[0] != T_B32 ? NULL
		: left                    ? wrap ? shf_l_wrap : shf_l_clamp
		: wrap                    ? shf_r_wrap
					  : shf_r_clamp,
		T_B32, T_B32, T_B32, T_U32);
}

/* ---- counts and positions of bits ---- */

static inline u32 reverse32(u32 v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}
LANE_OP1(popc_32, u32, u32, __builtin_popcount(a))
LANE_OP1(popc_64, u32, u64, __builtin_popcountll(a))
LANE_OP1(clz_32, u32, u32, a ? __builtin_clz(a) : 32)
LANE_OP1(clz_64, u32, u64, a ? __builtin_clzll(a) : 64)
LANE_OP1(brev_32, u32, u32, reverse32(a))
LANE_OP1(brev_64, u64, u64, (u64)reverse32((u32)a) << 32 | reverse32((u32)(a >> 32)))
#define FIND(name, T, S, bits, clz) \
	static inline u32 name##_of(T v, bool amount) \
	{ \
		return v ? amount ? (u32)clz(v) : bits - 1 - (u32)clz(v) : ~0u; \
	} \
	LANE_OP1(name##_u, u32, T, name##_of(a, false)) \
	LANE_OP1(name##_s, u32, S, name##_of((T)(a < 0 ? ~a : a), false)) \
	LANE_OP1(name##_amount_u, u32, T, name##_of(a, true)) \
	LANE_OP1(name##_amount_s, u32, S, name##_of((T)(a < 0 ? ~a : a), true))
FIND(find32, u32, s32, 32u, __builtin_clz)
FIND(find64, u64, s64, 64u, __builtin_clzll)

int bind_count(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool amount = stmt_has(b->stmt, M_SHIFTAMT);

	if (bind_types(b, 1))
		return -1;
	switch (b->stmt->opcode) {
	case I_popc: return BIND(b, o, function_by_bits(t, NULL, popc_32, popc_64, NULL), T_U32, t);
	case I_clz: return BIND(b, o, function_by_bits(t, NULL, clz_32, clz_64, NULL), T_U32, t);
	case I_brev: return BIND(b, o, function_by_bits(t, NULL, brev_32, brev_64, NULL), t, t);
	default:
		return BIND(b, o,
			t == T_U32   ? amount ? find32_amount_u : find32_u
			: t == T_S32 ? amount ? find32_amount_s : find32_s
			: t == T_U64 ? amount ? find64_amount_u : find64_u
			: t == T_S64 ? amount ? find64_amount_s : find64_s
				     : NULL,
			T_U32, t);
	}
}

/*
 * Returns the position of the n-th set bit at or above base (n > 0), at or below it (n < 0), or base (n = 0);
 * ~0 if there is none.
 */
static u32 nth_set_bit(u32 mask, u32 base, s32 n)
{
	base &= 31;
	if (!n)
		return mask >> base & 1 ? base : ~0u;
	for (s32 i = (s32)base; i >= 0 && i<32; i += n> 0 ? 1 : -1)
		if (mask >> i & 1 && (n += n > 0 ? -1 : 1) == 0)
			return (u32)i;
	return ~0u;
}
LANE_EACH3(fns, u32, u32, u32, s32, nth_set_bit(a, b, c))
int bind_fns(struct bind *b, struct op *o)
{
	return bind_types(b, 1)
		       ? -1
		       : BIND(b, o, b->stmt->type[0] == T_B32 ? fns : NULL, T_B32, T_B32, T_B32, T_S32);
}

/* ---- fields ---- */

static inline u64 field_mask(u32 len) { return len > 63 ? UINT64_MAX : (1ull << len) - 1; }
/* Returns len bits of v from pos up. A signed field that ends outside of v repeats the top bit. */
static inline u64 extract_field(u64 v, u32 pos, u32 len, unsigned bits, bool is_signed)
{
	pos &= 255;
	len &= 255;
	if (!len)
		return 0;
	u64 x = pos < bits ? (bits == 32 ? (u32)v : v) >> pos & field_mask(len) : 0;
	u32 top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
	u32 have = pos < bits ? len < bits - pos ? len : bits - pos : 0;

	if (is_signed && v >> top & 1)
		x |= ~field_mask(have);
	return x;
}
LANE_OP3(bfe_u32, u32, u32, u32, u32, extract_field(a, b, c, 32, false))
LANE_OP3(bfe_s32, u32, u32, u32, u32, extract_field(a, b, c, 32, true))
LANE_OP3(bfe_u64, u64, u64, u32, u32, extract_field(a, b, c, 64, false))
LANE_OP3(bfe_s64, u64, u64, u32, u32, extract_field(a, b, c, 64, true))

int bind_bfe(struct bind *b, struct op *o)
{
	static op_fn *const fn[N_TYPES] = {
		[T_U32] = bfe_u32, [T_S32] = bfe_s32, [T_U64] = bfe_u64, [T_S64] = bfe_s64};
	enum type t = (enum type)b->stmt->type[0];

	return bind_types(b, 1) ? -1 : BIND(b, o, fn[t], t, t, T_U32, T_U32);
}

#define INSERT(name, T, bits) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		const T *a = REG(T, w, o->a), *b = REG(T, w, o->b); \
		const u32 *c = REG(u32, w, o->c), *e = REG(u32, w, (uint32_t)o->imm); \
		T *d = REG(T, w, o->d); \
		FOR_BITS32 (i, m) { \
			u32 pos = c[i] & 255, len = e[i] & 255; \
			T mask = pos < bits ? (T)((T)field_mask(len) << pos) : 0; \
			d[i] = (T)((b[i] & ~mask) | ((pos < bits ? (T)(a[i] << pos) : 0) & mask)); \
		} \
	}
INSERT(bfi_32, u32, 32)
INSERT(bfi_64, u64, 64)

int bind_bfi(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	enum type t = (enum type)b->stmt->type[0];
	uint32_t e;

	if (bind_types(b, 1) || bind_operands(b, 5, 5))
		return -1;
	o->execute = function_by_bits(t, NULL, bfi_32, bfi_64, NULL);
	if (!o->execute)
		return bind_plain(b, o, NULL, t, NULL, 0);
	o->d = bind_dst(b, &k[0], types[t].bits);
	o->a = bind_src(b, &k[1], t);
	o->b = bind_src(b, &k[2], t);
	o->c = bind_src(b, &k[3], T_U32);
	o->imm = e = bind_src(b, &k[4], T_U32);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ||
			       e == UINT32_MAX
		       ? -1
		       : 0;
}

static inline u32 make_bit_mask(u32 pos, u32 len, bool clamp)
{
	if (!clamp) {
		pos &= 31;
		len &= 31;
	}
	return pos > 31 || !len ? 0 : (u32)(field_mask(len > 32 ? 32 : len) << pos);
}
LANE_OP2(bmsk_clamp, u32, u32, u32, make_bit_mask(a, b, true))
LANE_OP2(bmsk_wrap, u32, u32, u32, make_bit_mask(a, b, false))
static inline u32 extend_low_bits(u32 v, u32 n, bool clamp, bool is_signed)
{
	n = clamp ? n : n & 31;
	if (n >= 32)
		return v;
	if (!n)
		return 0;
	return is_signed ? (u32)((s32)(v << (32 - n)) >> (32 - n)) : v & (u32)field_mask(n);
}
LANE_OP2(szext_u_clamp, u32, u32, u32, extend_low_bits(a, b, true, false))
LANE_OP2(szext_s_clamp, u32, u32, u32, extend_low_bits(a, b, true, true))
LANE_OP2(szext_u_wrap, u32, u32, u32, extend_low_bits(a, b, false, false))
LANE_OP2(szext_s_wrap, u32, u32, u32, extend_low_bits(a, b, false, true))

int bind_bmsk(struct bind *b, struct op *o)
{
	bool clamp = stmt_has(b->stmt, M_CLAMP), s = b->stmt->type[0] == T_S32;

	if (bind_types(b, 1))
		return -1;
	if (b->stmt->opcode == I_bmsk)
		return BIND(b, o, clamp ? bmsk_clamp : bmsk_wrap, T_B32, T_B32, T_B32);
	return BIND(b, o,
		clamp ? s ? szext_s_clamp : szext_u_clamp
		: s   ? szext_s_wrap
		      : szext_u_wrap,
		T_B32, T_B32, T_U32);
}

/* ---- bytes ---- */

static inline u32 permute_word(u32 a, u32 b, u32 sel)
{
	u64 v = (u64)b << 32 | a;
	u32 r = 0;

	for (unsigned i = 0; i < 4; i++) {
		u32 s = sel >> 4 * i, x = (u32)(v >> 8 * (s & 7)) & 255;

		r |= (s & 8 ? x & 128 ? 255u : 0 : x) << 8 * i;
	}
	return r;
}
static const u16 prmt_modes[6][4] = {
	/* selectors by mode and the two low bits of c */
	{0x3210, 0x4321, 0x5432, 0x6543},
	{0x5670, 0x6701, 0x7012, 0x0123},
	{0x0000, 0x1111, 0x2222, 0x3333},
	{0x3210, 0x3211, 0x3222, 0x3333},
	{0x0000, 0x1110, 0x2210, 0x3210},
	{0x1010, 0x3232, 0x1010, 0x3232},
};
LANE_OP3(prmt, u32, u32, u32, u32, permute_word(a, b, c))
LANE_EACH3(prmt_mode, u32, u32, u32, u32, permute_word(a, b, prmt_modes[o->mode][c & 3]))

int bind_prmt(struct bind *b, struct op *o)
{
	static const enum modifier mode[6] = {M_F4E, M_B4E, M_RC8, M_ECL, M_ECR, M_RC16};

	for (unsigned i = 0; i < 6; i++)
		if (stmt_has(b->stmt, mode[i])) {
			o->mode = (uint8_t)i;
			return BIND(b, o, prmt_mode, T_B32, T_B32, T_B32, T_B32);
		}
	return bind_types(b, 1)
		       ? -1
		       : BIND(b, o, b->stmt->type[0] == T_B32 ? prmt : NULL, T_B32, T_B32, T_B32, T_B32);
}

/* ---- lop3: any function of three bits ---- */

static inline u32 compute_lop3(u32 a, u32 b, u32 c, u32 lut)
{
	u32 r = 0;

	r |= lut & 1 ? ~a & ~b & ~c : 0;
	r |= lut & 2 ? ~a & ~b & c : 0;
	r |= lut & 4 ? ~a & b & ~c : 0;
	r |= lut & 8 ? ~a & b & c : 0;
	r |= lut & 16 ? a & ~b & ~c : 0;
	r |= lut & 32 ? a & ~b & c : 0;
	r |= lut & 64 ? a & b & ~c : 0;
	r |= lut & 128 ? a & b & c : 0;
	return r;
}
LANE_OP3(lop3, u32, u32, u32, u32, compute_lop3(a, b, c, (u32)o->imm))

/* Executes lop3.BoolOp d|p: p = (result != 0) BoolOp q. */
static void lop3_pred(struct warp *w, const struct op *o, uint32_t m)
{
	struct op plain = *o;
	u32 any = 0, q = PRED(w, o->x->slot[1]), *p = &PRED(w, o->x->slot[0]);

	lop3(w, &plain, m);
	for (unsigned i = 0; i < LANES; i++)
		any |= (u32)(REG(u32, w, o->d)[i] != 0) << i;
	any = o->mode ? any & q : any | q;
	*p = (*p & ~m) | (any & m);
}

int bind_lop3(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	bool with_pred = stmt_has(b->stmt, M_AND) || stmt_has(b->stmt, M_OR);

	if (bind_types(b, 1) || bind_operands(b, with_pred ? 6 : 5, with_pred ? 6 : 5))
		return -1;
	if (k[4].kind != O_INT || k[4].value < 0 || k[4].value > 255)
		return bind_fault(b, &k[4], "immediate",
			"invalid lookup table of lop3 (expected a number from 0 to 255)");
	o->imm = k[4].value;
	o->execute = lop3;
	const struct operand *d = &k[0];
	if (with_pred) {
		struct ext *x = bind_ext(b, o);

		if (!k[0].is_pair)
			return bind_fault(b, &k[0], "operand", "one destination (expected d|p)");
		o->execute = lop3_pred;
		o->mode = stmt_has(b->stmt, M_AND);
		d = &k[0].elem[0];
		if ((x->slot[0] = bind_dst(b, &k[0].elem[1], 1)) == UINT32_MAX ||
			(x->slot[1] = bind_src(b, &k[5], T_PRED)) == UINT32_MAX)
			return -1;
	}
	o->d = bind_dst(b, d, 32);
	o->a = bind_src(b, &k[1], T_B32);
	o->b = bind_src(b, &k[2], T_B32);
	o->c = bind_src(b, &k[3], T_B32);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}
