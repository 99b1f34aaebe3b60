/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer arithmetic: add sub mul mad div rem min max abs neg sad mul24 mad24, with carry, dot products.
 *
 * Always true: results wrap. As on hardware, a division by zero returns all ones, and its remainder is the
 * dividend. The most negative number divided by -1 is itself. The carry is a register that .cc writes and
 * addc, subc and madc read: a vector of words in the frame, one vector per function. A subtraction adds the complement
 * and 1, so its carry is 1 if nothing was borrowed; compiled code reads it with addc.
 */
#include "exec/operands.h"
#include "sem/sem.h"

int bind_plain(struct bind *b, struct op *o, op_fn *fn, enum type d, const enum type *s, unsigned n)
{
	uint32_t *slot[3] = {&o->a, &o->b, &o->c};
	const struct operand *k = b->stmt->operand;

	if (!fn)
		return bind_fault(
			b, NULL, "types", "%s (expected types that the instruction supports)", b->stmt->text);
	if (bind_operands(b, n + 1, n + 1))
		return -1;
	o->execute = fn;
	for (unsigned i = 0; i < n; i++)
		if ((*slot[i] = bind_src(b, &k[i + 1], s[i])) == UINT32_MAX)
			return -1;
	return (o->d = bind_dst(b, &k[0], types[d].bits)) == UINT32_MAX ? -1 : 0;
}

#define WIDTHS2(name, expr) \
	LANE_OP2(name##_16, u16, u16, u16, expr) \
	LANE_OP2(name##_32, u32, u32, u32, expr) LANE_OP2(name##_64, u64, u64, u64, expr)
#define BY_WIDTH(name) \
	{ \
		[T_U16] = name##_16, [T_S16] = name##_16, [T_U32] = name##_32, [T_S32] = name##_32, \
		[T_U64] = name##_64, [T_S64] = name##_64 \
	}
#define BY_TYPE(name) \
	{ \
		[T_U16] = name##_u16, [T_S16] = name##_s16, [T_U32] = name##_u32, [T_S32] = name##_s32, \
		[T_U64] = name##_u64, [T_S64] = name##_s64 \
	}
#define TYPES2(kind, name, expr) \
	kind(name##_u16, u16, u16, u16, expr) kind(name##_s16, s16, s16, s16, expr) \
		kind(name##_u32, u32, u32, u32, expr) kind(name##_s32, s32, s32, s32, expr) \
			kind(name##_u64, u64, u64, u64, expr) kind(name##_s64, s64, s64, s64, expr)

WIDTHS2(add, a + b)
WIDTHS2(sub, a - b)
WIDTHS2(mul, (u64)a *(u64)b)
TYPES2(LANE_OP2, lesser, a < b ? a : b)
TYPES2(LANE_OP2, greater, a > b ? a : b)
LANE_OP2(div_u16, u16, u16, u16, b ? a / b : 0xffff)
LANE_EACH2(div_u32, u32, u32, u32, b ? a / b : ~0u)
LANE_EACH2(div_u64, u64, u64, u64, b ? a / b : ~0ull)
LANE_OP2(rem_u16, u16, u16, u16, b ? a % b : a)
LANE_EACH2(rem_u32, u32, u32, u32, b ? a % b : a)
LANE_EACH2(rem_u64, u64, u64, u64, b ? a % b : a)
LANE_EACH2(div_s16, s16, s16, s16, b ? a / b : -1)
LANE_EACH2(div_s32, s32, s32, s32, !b ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b)
LANE_EACH2(div_s64, s64, s64, s64, !b ? -1 : b == -1 ? (s64)(0ull - (u64)a) : a / b)
LANE_EACH2(rem_s16, s16, s16, s16, b ? a % b : a)
LANE_EACH2(rem_s32, s32, s32, s32, !b ? a : b == -1 ? 0 : a % b)
LANE_EACH2(rem_s64, s64, s64, s64, !b ? a : b == -1 ? 0 : a % b)
LANE_OP2(add_sat, s32, s32, s32,
	(s64)a + b > INT32_MAX   ? INT32_MAX
	: (s64)a + b < INT32_MIN ? INT32_MIN
				 : (s64)a + b)
LANE_OP2(sub_sat, s32, s32, s32,
	(s64)a - b > INT32_MAX   ? INT32_MAX
	: (s64)a - b < INT32_MIN ? INT32_MIN
				 : (s64)a - b)
LANE_OP2(min_relu_s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
LANE_OP2(max_relu_s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))
LANE_OP1(abs_s16, u16, s16, a < 0 ? -a : a)
LANE_OP1(abs_s32, u32, s32, a < 0 ? 0u - (u32)a : (u32)a)
LANE_OP1(abs_s64, u64, s64, a < 0 ? 0ull - (u64)a : (u64)a)
LANE_OP1(neg_16, u16, u16, 0u - a)
LANE_OP1(neg_32, u32, u32, 0u - a)
LANE_OP1(neg_64, u64, u64, 0ull - a)

/* ---- pairs of 16 bits ---- */

static inline u32 pack_halves(u32 lo, u32 hi) { return (lo & 0xffff) | hi << 16; }
#define PAIR_OP(name, T, expr) \
	static inline u32 name##_half(T a, T b) { return (u16)(expr); } \
	LANE_OP2(name, u32, u32, u32, \
		pack_halves(name##_half((T)a, (T)b), name##_half((T)(a >> 16), (T)(b >> 16))))
PAIR_OP(add_x2, u16, a + b)
PAIR_OP(sub_x2, u16, a - b)
PAIR_OP(min_u16x2, u16, a < b ? a : b)
PAIR_OP(max_u16x2, u16, a > b ? a : b)
PAIR_OP(min_s16x2, s16, a < b ? a : b)
PAIR_OP(max_s16x2, s16, a > b ? a : b)
PAIR_OP(min_relu_s16x2, s16, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PAIR_OP(max_relu_s16x2, s16, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* ---- with carry ---- */

/* Bits of o->mode: write the carry, read it, subtract. A lane's carry is the lowest bit of its word in frame->carry. */
enum { CARRY_OUT = 2, CARRY_IN = 4, CARRY_SUB = 8 };

/* Returns the slot of the carry, which an op with these bits of o->mode reads or writes. */
static uint32_t slot_of_carry_flag(struct bind *b, unsigned mode)
{
	if (!b->frame->carry)
		b->frame->carry = bind_scratch(b, 8);
	if (mode & CARRY_IN)
		operands_add(b->code, b->frame->carry, 8, OPERAND_SOURCE);
	if (mode & CARRY_OUT)
		operands_add(b->code, b->frame->carry, 8, OPERAND_RESULT);
	return b->frame->carry;
}

#define CARRY_ADD(name, T, W) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		T *d = REG(T, w, o->d); \
		const T *a = REG(T, w, o->a), *b = REG(T, w, o->b); \
		u64 *carry = REG(u64, w, o->c); \
		FOR_BITS32 (i, m) { \
			u64 in = o->mode & CARRY_IN ? carry[i] & 1 : (o->mode & CARRY_SUB) != 0; \
			W r = (W)a[i] + (T)(o->mode & CARRY_SUB ? ~b[i] : b[i]) + in; \
			d[i] = (T)r; \
			if (o->mode & CARRY_OUT) \
				carry[i] = (u64)(r >> (sizeof(T) * 8)) & 1; \
		} \
	}
CARRY_ADD(carry_add_32, u32, u64)
CARRY_ADD(carry_add_64, u64, u128)

static int bind_carry(struct bind *b, struct op *o, unsigned mode)
{
	enum type t = (enum type)b->stmt->type[0];
	unsigned bits = types[t].bits;

	if (bind_types(b, 1))
		return -1;
	o->mode = (uint8_t)(mode | (stmt_has(b->stmt, M_CC) ? CARRY_OUT : 0));
	o->c = slot_of_carry_flag(b, o->mode);
	uint32_t carry = o->c;
	int r = BIND(b, o,
		types[t].kind == K_FLOAT || bits < 32 ? NULL
		: bits == 32                          ? carry_add_32
						      : carry_add_64,
		t, t, t);
	o->c = carry;
	return r;
}

int bind_addc(struct bind *b, struct op *o) { return bind_carry(b, o, CARRY_IN); }
int bind_subc(struct bind *b, struct op *o) { return bind_carry(b, o, CARRY_IN | CARRY_SUB); }

#define CARRY_MAD(name, T, S, W, SW) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		T *d = REG(T, w, o->d); \
		const T *a = REG(T, w, o->a), *b = REG(T, w, o->b), *c = REG(T, w, o->c); \
		u64 *carry = REG(u64, w, (uint32_t)o->imm); \
		FOR_BITS32 (i, m) { \
			u64 in = o->mode & CARRY_IN ? carry[i] & 1 : 0; \
			W p = o->is_signed ? (W)((SW)(S)a[i] * (SW)(S)b[i]) : (W)a[i] * b[i]; \
			W r = (W)(T)(o->n ? p >> (sizeof(T) * 8) : p) + c[i] + in; \
			d[i] = (T)r; \
			if (o->mode & CARRY_OUT) \
				carry[i] = (u64)(r >> (sizeof(T) * 8)) & 1; \
		} \
	}
CARRY_MAD(carry_mad_32, u32, s32, u64, s64)
CARRY_MAD(carry_mad_64, u64, s64, u128, s128)

static int bind_carry_mad(struct bind *b, struct op *o, unsigned mode)
{
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	o->mode = (uint8_t)(mode | (stmt_has(b->stmt, M_CC) ? CARRY_OUT : 0));
	o->n = stmt_has(b->stmt, M_HI);
	o->is_signed = types[t].kind == K_SINT;
	o->imm = slot_of_carry_flag(b, o->mode);
	return BIND(b, o,
		types[t].bits == 32   ? carry_mad_32
		: types[t].bits == 64 ? carry_mad_64
				      : NULL,
		t, t, t, t);
}

int bind_madc(struct bind *b, struct op *o) { return bind_carry_mad(b, o, CARRY_IN); }

/* ---- products ---- */

LANE_OP2(mul_hi_u16, u16, u16, u16, (u32)a *b >> 16)
LANE_OP2(mul_hi_s16, s16, s16, s16, (s32)a *b >> 16)
LANE_OP2(mul_hi_u32, u32, u32, u32, (u64)a *b >> 32)
LANE_OP2(mul_hi_s32, s32, s32, s32, (s64)a *b >> 32)
LANE_OP2(mul_hi_u64, u64, u64, u64, (u128)a *b >> 64)
LANE_OP2(mul_hi_s64, s64, s64, s64, (s128)a *b >> 64)
LANE_OP2(mul_wide_u16, u32, u16, u16, (u32)a *b)
LANE_OP2(mul_wide_s16, s32, s16, s16, (s32)a *b)
LANE_OP2(mul_wide_u32, u64, u32, u32, (u64)a *b)
LANE_OP2(mul_wide_s32, s64, s32, s32, (s64)a *b)
LANE_OP3(mad_16, u16, u16, u16, u16, (u32)a *b + c)
LANE_OP3(mad_32, u32, u32, u32, u32, a *b + c)
LANE_OP3(mad_64, u64, u64, u64, u64, a *b + c)
LANE_OP3(mad_hi_u16, u16, u16, u16, u16, ((u32)a * b >> 16) + c)
LANE_OP3(mad_hi_s16, u16, s16, s16, u16, (u32)((s32)a *b >> 16) + c)
LANE_OP3(mad_hi_u32, u32, u32, u32, u32, (u32)((u64)a *b >> 32) + c)
LANE_OP3(mad_hi_s32, u32, s32, s32, u32, (u32)((s64)a *b >> 32) + c)
LANE_OP3(mad_hi_u64, u64, u64, u64, u64, (u64)((u128)a *b >> 64) + c)
LANE_OP3(mad_hi_s64, u64, s64, s64, u64, (u64)((s128)a *b >> 64) + c)
LANE_OP3(mad_wide_u16, u32, u16, u16, u32, (u32)a *b + c)
LANE_OP3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a *b) + c)
LANE_OP3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
LANE_OP3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *b) + c)

static inline s64 clamp32(s64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }
LANE_OP3(mad_hi_sat, s32, s32, s32, s32, clamp32(((s64)a * b >> 32) + c))

static inline s64 s24(u32 v) { return (s32)(v << 8) >> 8; }
static inline u64 low_24_bits(u32 v) { return v & 0xffffff; }
LANE_OP2(mul24_lo_u32, u32, u32, u32, low_24_bits(a) * low_24_bits(b))
LANE_OP2(mul24_lo_s32, u32, u32, u32, s24(a) * s24(b))
LANE_OP2(mul24_hi_u32, u32, u32, u32, low_24_bits(a) * low_24_bits(b) >> 16)
LANE_OP2(mul24_hi_s32, u32, u32, u32, s24(a) * s24(b) >> 16)
LANE_OP3(mad24_lo_u32, u32, u32, u32, u32, low_24_bits(a) * low_24_bits(b) + c)
LANE_OP3(mad24_lo_s32, u32, u32, u32, u32, (u64)(s24(a) * s24(b)) + c)
LANE_OP3(mad24_hi_u32, u32, u32, u32, u32, (low_24_bits(a) * low_24_bits(b) >> 16) + c)
LANE_OP3(mad24_hi_s32, u32, u32, u32, u32, (u64)(s24(a) * s24(b) >> 16) + c)
LANE_OP3(mad24_hi_sat, s32, u32, u32, s32, clamp32((s24(a) * s24(b) >> 16) + c))

static enum type double_width_type(enum type t)
{
	return t == T_U16 ? T_U32 : t == T_S16 ? T_S32 : t == T_U32 ? T_U64 : t == T_S32 ? T_S64 : T_NONE;
}

int bind_mul_int(struct bind *b, struct op *o)
{
	static op_fn *const lo[N_TYPES] = BY_WIDTH(mul), *const hi[N_TYPES] = BY_TYPE(mul_hi),
			    *const wide[N_TYPES] = {[T_U16] = mul_wide_u16,
				    [T_S16] = mul_wide_s16,
				    [T_U32] = mul_wide_u32,
				    [T_S32] = mul_wide_s32};
	enum type t = (enum type)b->stmt->type[0];

	if (stmt_has(b->stmt, M_WIDE))
		return BIND(b, o, wide[t], double_width_type(t), t, t);
	return BIND(b, o, stmt_has(b->stmt, M_HI) ? hi[t] : stmt_has(b->stmt, M_LO) ? lo[t] : NULL, t, t, t);
}

int bind_mad_int(struct bind *b, struct op *o)
{
	static op_fn *const lo[N_TYPES] = BY_WIDTH(mad), *const hi[N_TYPES] = BY_TYPE(mad_hi),
			    *const wide[N_TYPES] = {[T_U16] = mad_wide_u16,
				    [T_S16] = mad_wide_s16,
				    [T_U32] = mad_wide_u32,
				    [T_S32] = mad_wide_s32};
	enum type t = (enum type)b->stmt->type[0];

	if (stmt_has(b->stmt, M_CC))
		return bind_carry_mad(b, o, 0);
	if (stmt_has(b->stmt, M_WIDE))
		return BIND(b, o, wide[t], double_width_type(t), t, t, double_width_type(t));
	if (stmt_has(b->stmt, M_SAT))
		return BIND(b, o, t == T_S32 && stmt_has(b->stmt, M_HI) ? mad_hi_sat : NULL, t, t, t, t);
	return BIND(b, o,
		stmt_has(b->stmt, M_HI)   ? hi[t]
		: stmt_has(b->stmt, M_LO) ? lo[t]
					  : NULL,
		t, t, t, t);
}

int bind_mul24(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool s = t == T_S32, hi = stmt_has(b->stmt, M_HI);

	return BIND(b, o,
		!s && t != T_U32 ? NULL
		: hi             ? s ? mul24_hi_s32 : mul24_hi_u32
		: s              ? mul24_lo_s32
				 : mul24_lo_u32,
		t, t, t);
}

int bind_mad24(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool s = t == T_S32, hi = stmt_has(b->stmt, M_HI);

	if (stmt_has(b->stmt, M_SAT))
		return BIND(b, o, s && hi ? mad24_hi_sat : NULL, t, t, t, t);
	return BIND(b, o,
		!s && t != T_U32 ? NULL
		: hi             ? s ? mad24_hi_s32 : mad24_hi_u32
		: s              ? mad24_lo_s32
				 : mad24_lo_u32,
		t, t, t, t);
}

/* ---- other operations ---- */

int bind_add_int(struct bind *b, struct op *o)
{
	static op_fn *const add[N_TYPES] = BY_WIDTH(add);
	enum type t = (enum type)b->stmt->type[0];

	if (stmt_has(b->stmt, M_CC))
		return bind_carry(b, o, 0);
	return BIND(b, o,
		t == T_U16X2 || t == T_S16X2 ? add_x2
		: !stmt_has(b->stmt, M_SAT)  ? add[t]
		: t == T_S32                 ? add_sat
					     : NULL,
		t, t, t);
}

int bind_sub_int(struct bind *b, struct op *o)
{
	static op_fn *const sub[N_TYPES] = BY_WIDTH(sub);
	enum type t = (enum type)b->stmt->type[0];

	if (stmt_has(b->stmt, M_CC))
		return bind_carry(b, o, CARRY_SUB);
	return BIND(b, o,
		t == T_U16X2 || t == T_S16X2 ? sub_x2
		: !stmt_has(b->stmt, M_SAT)  ? sub[t]
		: t == T_S32                 ? sub_sat
					     : NULL,
		t, t, t);
}

int bind_div_int(struct bind *b, struct op *o)
{
	static op_fn *const div[N_TYPES] = BY_TYPE(div), *const rem[N_TYPES] = BY_TYPE(rem);
	enum type t = (enum type)b->stmt->type[0];

	return BIND(b, o, b->stmt->opcode == I_rem ? rem[t] : div[t], t, t, t);
}

int bind_rem(struct bind *b, struct op *o) { return bind_types(b, 1) ? -1 : bind_div_int(b, o); }

int bind_minmax_int(struct bind *b, struct op *o)
{
	static op_fn *const min[N_TYPES] = {[T_U16] = lesser_u16,
		[T_S16] = lesser_s16,
		[T_U32] = lesser_u32,
		[T_S32] = lesser_s32,
		[T_U64] = lesser_u64,
		[T_S64] = lesser_s64,
		[T_U16X2] = min_u16x2,
		[T_S16X2] = min_s16x2};
	static op_fn *const max[N_TYPES] = {[T_U16] = greater_u16,
		[T_S16] = greater_s16,
		[T_U32] = greater_u32,
		[T_S32] = greater_s32,
		[T_U64] = greater_u64,
		[T_S64] = greater_s64,
		[T_U16X2] = max_u16x2,
		[T_S16X2] = max_s16x2};
	enum type t = (enum type)b->stmt->type[0];
	bool low = b->stmt->opcode == I_min;

	if (stmt_has(b->stmt, M_RELU))
		return BIND(b, o,
			t == T_S32     ? low ? min_relu_s32 : max_relu_s32
			: t == T_S16X2 ? low ? min_relu_s16x2 : max_relu_s16x2
				       : NULL,
			t, t, t);
	return BIND(b, o, low ? min[t] : max[t], t, t, t);
}

int bind_absneg_int(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool neg = b->stmt->opcode == I_neg;

	return BIND(b, o,
		t == T_S16   ? neg ? neg_16 : abs_s16
		: t == T_S32 ? neg ? neg_32 : abs_s32
		: t == T_S64 ? neg ? neg_64 : abs_s64
			     : NULL,
		t, t);
}

#define SAD(name, T, U) LANE_OP3(name, U, T, T, U, (U)(c + (a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b))))
SAD(sad_u16, u16, u16)
SAD(sad_s16, s16, u16)
SAD(sad_u32, u32, u32)
SAD(sad_s32, s32, u32)
SAD(sad_u64, u64, u64)
SAD(sad_s64, s64, u64)

int bind_sad(struct bind *b, struct op *o)
{
	static op_fn *const sad[N_TYPES] = BY_TYPE(sad);
	enum type t = (enum type)b->stmt->type[0];

	return bind_types(b, 1) ? -1 : BIND(b, o, sad[t], t, t, t, t);
}

/* ---- dot products of bytes; bits of o->mode: a is signed, b is signed, the high half of b ---- */

enum { DOT_A = 2, DOT_B = 4, DOT_HI = 8 };
static inline s32 dot_byte(u32 v, unsigned k, bool is_signed)
{
	u32 x = v >> 8 * k & 0xff;

	return is_signed ? (s8)x : (s32)x;
}
static inline u32 dot_product_4(u32 a, u32 b, u32 c, unsigned mode)
{
	for (unsigned k = 0; k < 4; k++)
		c += (u32)(dot_byte(a, k, mode & DOT_A) * dot_byte(b, k, mode & DOT_B));
	return c;
}
static inline u32 dot_product_2(u32 a, u32 b, u32 c, unsigned mode)
{
	for (unsigned k = 0; k < 2; k++) {
		u32 h = a >> 16 * k & 0xffff;
		s32 x = mode & DOT_A ? (s16)h : (s32)h;

		c += (u32)x * (u32)dot_byte(b, k + (mode & DOT_HI ? 2 : 0), mode & DOT_B);
	}
	return c;
}
LANE_OP3(dp4a, u32, u32, u32, u32, dot_product_4(a, b, c, o->mode))
LANE_OP3(dp2a, u32, u32, u32, u32, dot_product_2(a, b, c, o->mode))

int bind_dot(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;

	if (bind_types(b, 2))
		return -1;
	for (unsigned i = 0; i < 2; i++)
		if (in->type[i] != T_U32 && in->type[i] != T_S32)
			return bind_fault(b, NULL, "types", "%s (expected .u32 or .s32 twice)", in->text);
	o->mode = (uint8_t)((in->type[0] == T_S32 ? DOT_A : 0) | (in->type[1] == T_S32 ? DOT_B : 0) |
			    (stmt_has(in, M_HI) ? DOT_HI : 0));
	return BIND(b, o, in->opcode == I_dp4a ? dp4a : dp2a, T_B32, T_B32, T_B32, T_B32);
}
