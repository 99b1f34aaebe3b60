/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions: F2F F2I I2F I2FP FRND. The source is b.
 *
 * Always true: a value is converted by way of a double or a 64-bit integer, which holds every source exactly. An
 * integer out of range saturates. NaN becomes 0, or the least integer if the source or the result has 64 bits.
 */
#include <fenv.h>
#include <math.h>
#include "machine/half.h"
#include "sem/cvt.h"

/* Sizes of the source (o->reg_bytes) and the result (o->bytes). o->n: rounding 0 nearest, 1 down, 2 up, 3 to zero. */
enum { SIZE_8, SIZE_16, SIZE_32, SIZE_64 };
enum { CONVERT_FTZ = 1, CONVERT_BF16_TO = 2, CONVERT_BF16_FROM = 4, CONVERT_SAT = 8 };

static double read_float(const struct op *o, const u32 *p, unsigned i)
{
	u32 bits = p[i];
	double v;

	if (o->reg_bytes == SIZE_64)
		v = ieee_f64(bits | (u64)p[i + LANES] << 32);
	else if (o->reg_bytes == SIZE_32)
		v = (double)ieee_f32(
			o->space & CONVERT_FTZ && !(bits & 0x7f800000) ? bits & 0x80000000 : bits);
	else
		v = half_to_double(bits >> (o->is_param ? 16 : 0), o->space & CONVERT_BF16_FROM);
	v = o->mode & ABS_B ? fabs(v) : v;
	return o->mode & NEG_B ? -v : v;
}

static double round_to_whole(double v, unsigned how)
{
	switch (how) {
	case 0: return rint(v);
	case 1: return floor(v);
	case 2: return ceil(v);
	default: return trunc(v);
	}
}

static const enum rounding small_rounding[4] = {ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ};

void machine_set_rounding(unsigned field)
{
	static const int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

	fesetround(modes[field & 3]);
}

/* Returns v as f32, rounded in direction `how`. */
static float f32_rounded(double v, unsigned how)
{
	float f = (float)v;

	if (!how || (double)f == v || v != v)
		return f;
	if (how == 1 || (how == 3 && v > 0))
		return (double)f > v ? nextafterf(f, -INFINITY) : f;
	return (double)f < v ? nextafterf(f, INFINITY) : f;
}

/* Stores a number in the format `to`. */
static void write_float(struct warp *w, const struct op *o, unsigned i, double v, unsigned to, unsigned how)
{
	u32 *d = REG(u32, w, o->d);

	if (to == SIZE_64) {
		u64 u = ieee_f64_bits(v);

		d[i] = (u32)u;
		d[i + LANES] = (u32)(u >> 32);
	} else if (to == SIZE_32) {
		float f = f32_rounded(v, how);
		u32 u = f == f ? ieee_f32_bits(f) : 0x7fffffff;

		if (o->space & CONVERT_SAT)
			u = f > 0 ? f < 1 ? u : 0x3f800000 : 0;
		d[i] = o->space & CONVERT_FTZ && !(u & 0x7f800000) ? u & 0x80000000 : u;
	} else {
		d[i] = small_of_double(v, o->space & CONVERT_BF16_TO ? SMALL_BF16 : SMALL_F16,
			small_rounding[how & 3], false);
	}
}

static void execute_f2f(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);

	FOR_BITS32 (i, m)
		write_float(w, o, i, read_float(o, p, i), o->bytes, o->n);
}

static void execute_frnd(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);

	FOR_BITS32 (i, m)
		write_float(w, o, i, round_to_whole(read_float(o, p, i), o->n), o->bytes, 0);
}

static u64 float_to_integer(const struct op *o, double v)
{
	unsigned bits = 8u << o->bytes;
	bool wide = o->reg_bytes == SIZE_64 || o->bytes == SIZE_64;

	if (v != v)
		return wide ? 1ull << (bits - 1) : 0;
	v = round_to_whole(v, o->n);
	if (o->is_signed) {
		double least = -ldexp(1, (int)bits - 1), over = -least;

		return v < least ? (u64)(s64)least : v >= over ? (1ull << (bits - 1)) - 1 : (u64)(s64)v;
	}
	return v < 0 ? 0 : v >= ldexp(1, (int)bits) ? (bits == 64 ? UINT64_MAX : (1ull << bits) - 1) : (u64)v;
}

static void execute_f2i(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m) {
		u64 v = float_to_integer(o, read_float(o, p, i));

		d[i] = (u32)v;
		if (o->bytes == SIZE_64)
			d[i + LANES] = (u32)(v >> 32);
	}
}

/* Returns true if a double holds the integer exactly. */
static bool is_exact_in_f64(u64 v, bool is_signed)
{
	return is_signed ? (u64)((s64)v >> 53) + 1 <= 1 : !(v >> 53);
}

/*
 * Converts an integer. If a double can hold it, the rounding mode of the host stays as it is: a kernel of integer
 * divisions, each of which begins with an I2F.RP, takes 0.91 s instead of 1.39 s.
 */
static float integer_to_f32(u64 v, bool is_signed, unsigned how)
{
	volatile u64 x = v;
	float f;

	if (is_exact_in_f64(v, is_signed))
		return f32_rounded(is_signed ? (double)(s64)v : (double)v, how);
	if (how)
		machine_set_rounding(how);
	volatile float r = is_signed ? (float)(s64)x : (float)x;
	f = r;
	if (how)
		machine_set_rounding(0);
	return f;
}

static double integer_to_f64(u64 v, bool is_signed, unsigned how)
{
	volatile u64 x = v;

	if (is_exact_in_f64(v, is_signed))
		return is_signed ? (double)(s64)v : (double)v;
	if (how)
		machine_set_rounding(how);
	volatile double r = is_signed ? (double)(s64)x : (double)x;
	if (how)
		machine_set_rounding(0);
	return r;
}

/* Returns the number rounded to odd, so that a second rounding to fewer bits is correct in every direction. */
static double integer_to_odd(u64 v, bool is_signed)
{
	double r = integer_to_f64(v, is_signed, 3);
	bool exact = is_signed ? (s64)r == (s64)v : (u64)r == v;

	return exact ? r : ieee_f64(ieee_f64_bits(r) | 1);
}

/*
 * Returns the source of lane i as an integer. o->is_param: number of the byte, or of the half, in the register.
 */
static u64 read_integer(const struct op *o, const u32 *p, unsigned i)
{
	u64 v = p[i];

	switch (o->reg_bytes) {
	case SIZE_8: v = v >> 8 * o->is_param & 0xff; return o->is_signed ? (u64)(s64)(s8)v : v;
	case SIZE_16: v = v >> (o->is_param ? 16 : 0) & 0xffff; return o->is_signed ? (u64)(s64)(s16)v : v;
	case SIZE_32: return o->is_signed ? (u64)(s64)(s32)v : v;
	default: return v | (u64)p[i + LANES] << 32;
	}
}

static void execute_i2f(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m) {
		u64 v = read_integer(o, p, i);

		if (o->bytes == SIZE_32)
			d[i] = ieee_f32_bits(integer_to_f32(v, o->is_signed, o->n));
		else
			write_float(w, o, i,
				o->bytes == SIZE_64 ? integer_to_f64(v, o->is_signed, o->n)
						    : integer_to_odd(v, o->is_signed),
				o->bytes, o->n);
	}
}

MACHINE_OP1(i2f_signed, , ieee_f32_bits((float)(s32)a))
MACHINE_OP1(i2f_unsigned, , ieee_f32_bits((float)a))

/*
 * ---- all lanes at once ----
 *
 * These functions take no modifiers of the source and no .SAT, and .FTZ only where it has no effect. Floors and
 * integers of floats take 10 host instructions a thread instruction instead of 28, floats through doubles 18 instead of
 * 31, code of all conversions and of integer divisions 9 instead of 21 (tests/data/sass/integers.ptx), a loop over the
 * bytes of an image with checks 42.5 instead of 46.6.
 */

static inline u32 whole_f32_bits(float v) { return v != v ? 0x7fffffff : ieee_f32_bits(v); }

MACHINE_OP1(frnd_nearest, , whole_f32_bits(rintf(ieee_f32(a))))
MACHINE_OP1(frnd_down, , whole_f32_bits(floorf(ieee_f32(a))))
MACHINE_OP1(frnd_up, , whole_f32_bits(ceilf(ieee_f32(a))))
MACHINE_OP1(frnd_zero, , whole_f32_bits(truncf(ieee_f32(a))))

static op_fn *const frnd_f32[4] = {frnd_nearest, frnd_down, frnd_up, frnd_zero};

MACHINE_OP1(f2i_signed, , (u32)cvt_limit_f32_to_s32(ieee_f32(a)))
MACHINE_OP1(f2i_unsigned, , cvt_limit_f32_to_u32(ieee_f32(a)))

MACHINE_OP1(f2i_signed_nearest, , (u32)cvt_limit_f32_to_s32(rintf(ieee_f32(a))))
MACHINE_OP1(f2i_signed_down, , (u32)cvt_limit_f32_to_s32(floorf(ieee_f32(a))))
MACHINE_OP1(f2i_signed_up, , (u32)cvt_limit_f32_to_s32(ceilf(ieee_f32(a))))

MACHINE_OP1(f2i_unsigned_nearest, , cvt_limit_f32_to_u32(rintf(ieee_f32(a))))
MACHINE_OP1(f2i_unsigned_down, , cvt_limit_f32_to_u32(floorf(ieee_f32(a))))
MACHINE_OP1(f2i_unsigned_up, , cvt_limit_f32_to_u32(ceilf(ieee_f32(a))))

/* Conversions of f32 to u32 and s32, indexed by the rounding (o->n). */
static op_fn *const f2i_f32_u32[4] = {f2i_unsigned_nearest, f2i_unsigned_down, f2i_unsigned_up, f2i_unsigned};
static op_fn *const f2i_f32_s32[4] = {f2i_signed_nearest, f2i_signed_down, f2i_signed_up, f2i_signed};

/* Returns v as an unsigned integer of 64 bits, rounded to zero and limited to its range; 2^63 for NaN. */
static inline u64 limit_to_u64(float v)
{
	return v != v ? 1ull << 63 : !(v > 0) ? 0 : v >= 0x1p64f ? UINT64_MAX : (u64)v;
}

/* Defines the conversion of f64 to s32 and u32 with a rounding to a whole number. */
#define F2I_F64(name, round) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		const u32 *p = REG(u32, w, o->b); \
		u32 *d = REG(u32, w, o->d); \
		bool is_signed = o->is_signed; \
\
		EACH_LANE (i) { \
			double v = round(ieee_f64(p[i] | (u64)p[i + LANES] << 32)); \
			u32 u = is_signed ? (u32)cvt_limit_f64_to_s32(v) : cvt_limit_f64_to_u32(v); \
\
			d[i] = m >> i & 1 ? u : d[i]; \
		} \
	}
F2I_F64(f2i_f64_nearest, rint)
F2I_F64(f2i_f64_down, floor)
F2I_F64(f2i_f64_up, ceil)
F2I_F64(f2i_f64_zero, trunc)

/* Conversions of f64 to 32 bits, indexed by the rounding (o->n). */
static op_fn *const f2i_f64[4] = {f2i_f64_nearest, f2i_f64_down, f2i_f64_up, f2i_f64_zero};

LANE_FN static void f2i_u64(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	EACH_LANE (i) {
		u64 u = limit_to_u64(ieee_f32(p[i]));
		bool set = m >> i & 1;

		d[i] = set ? (u32)u : d[i];
		d[i + LANES] = set ? (u32)(u >> 32) : d[i + LANES];
	}
}

/* Returns the bits of v as f32, rounded up. v is 0 or at least 1 in magnitude, and in the range of f32. */
static inline u32 f32_bits_up(double v)
{
	float f = (float)v;
	u32 u = ieee_f32_bits(f);

	return !((double)f < v) ? u : v > 0 ? u + 1 : u - 1;
}

/* Returns the bits of v as f32, rounded up. */
static inline u32 f32_bits_up_of_u64(u64 v)
{
	float f = (float)v;
	bool low = f < 0x1p64f && (u64)f < v;

	return ieee_f32_bits(f) + low;
}

MACHINE_OP1(i2f_signed_up, , f32_bits_up((double)(s32)a))
MACHINE_OP1(i2f_unsigned_up, , f32_bits_up((double)a))

LANE_FN static void i2f_u64_up(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	EACH_LANE (i) {
		u32 u = f32_bits_up_of_u64(p[i] | (u64)p[i + LANES] << 32);

		d[i] = m >> i & 1 ? u : d[i];
	}
}

/* Converts integers of 8 or 16 bits, which f32 holds exactly. */
LANE_FN static void i2f_small(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);
	bool is_signed = o->is_signed;
	unsigned bits = 8u << o->reg_bytes;
	unsigned left = 32 - bits - (o->reg_bytes == SIZE_8 ? 8u * o->is_param : o->is_param ? 16u : 0);

	EACH_LANE (i) {
		u32 v = p[i] << left;
		float f = is_signed ? (float)((s32)v >> (32 - bits)) : (float)(s32)(v >> (32 - bits));

		d[i] = m >> i & 1 ? ieee_f32_bits(f) : d[i];
	}
}

/* Converts integers of 64 bits to f64, rounded to nearest. */
LANE_FN static void i2f_f64_64(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);
	bool is_signed = o->is_signed;

	EACH_LANE (i) {
		u64 v = p[i] | (u64)p[i + LANES] << 32;
		u64 u = ieee_f64_bits(is_signed ? (double)(s64)v : (double)v);
		bool set = m >> i & 1;

		d[i] = set ? (u32)u : d[i];
		d[i + LANES] = set ? (u32)(u >> 32) : d[i + LANES];
	}
}

LANE_FN static void i2f_f64(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);
	bool is_signed = o->is_signed;

	EACH_LANE (i) {
		u64 u = ieee_f64_bits(is_signed ? (double)(s32)p[i] : (double)p[i]);
		bool set = m >> i & 1;

		d[i] = set ? (u32)u : d[i];
		d[i + LANES] = set ? (u32)(u >> 32) : d[i + LANES];
	}
}

/* The registers of a double are d and the next one. */
LANE_FN static void f2f_f64_f32(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	EACH_LANE (i) {
		double v = (double)ieee_f32(p[i]);
		u64 u = ieee_f64_bits(v);
		bool set = m >> i & 1;

		d[i] = set ? (u32)u : d[i];
		d[i + LANES] = set ? (u32)(u >> 32) : d[i + LANES];
	}
}

LANE_FN static void f2f_f32_f64(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *p = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	EACH_LANE (i) {
		double v = ieee_f64(p[i] | (u64)p[i + LANES] << 32);
		u32 u = v == v ? ieee_f32_bits((float)v) : 0x7fffffff;

		d[i] = m >> i & 1 ? u : d[i];
	}
}

/* Returns true if a function for all lanes can execute a conversion. */
static bool is_plain_conversion(const struct op *o) { return !o->space && !(o->mode & (NEG_B | ABS_B)); }

/* Returns the function for all lanes of a conversion of a float to an integer, or else the one for each lane. */
static op_fn *choose_f2i(const struct op *o)
{
	bool to_zero = o->n == 3;
	bool whole = o->n == 0 || to_zero; /* .FTZ changes only results that are rounded up or down */

	if (o->mode & (NEG_B | ABS_B) || (o->space & ~CONVERT_FTZ) || (o->space && !whole))
		return execute_f2i;
	if (o->reg_bytes == SIZE_32 && o->bytes == SIZE_32)
		return (o->is_signed ? f2i_f32_s32 : f2i_f32_u32)[o->n & 3];
	if (o->reg_bytes == SIZE_64 && o->bytes == SIZE_32)
		return f2i_f64[o->n & 3];
	return to_zero && o->reg_bytes == SIZE_32 && o->bytes == SIZE_64 && !o->is_signed ? f2i_u64
											  : execute_f2i;
}

/*
 * Returns the function for all lanes of a conversion of an integer to a float, or else the one for each lane.
 * Divisions of integers begin with .RP.
 */
static op_fn *choose_i2f(const struct op *o)
{
	bool to_nearest = o->n == 0, up = o->n == 2;

	if (o->space)
		return execute_i2f;
	if (o->reg_bytes <= SIZE_16 && o->bytes == SIZE_32)
		return i2f_small;
	if (o->reg_bytes == SIZE_32 && o->bytes == SIZE_64)
		return i2f_f64;
	if (o->reg_bytes == SIZE_64 && o->bytes == SIZE_64 && to_nearest)
		return i2f_f64_64;
	if (o->reg_bytes == SIZE_32 && o->bytes == SIZE_32 && to_nearest)
		return o->is_signed ? i2f_signed : i2f_unsigned;
	if (o->reg_bytes == SIZE_32 && o->bytes == SIZE_32 && up)
		return o->is_signed ? i2f_signed_up : i2f_unsigned_up;
	if (o->reg_bytes == SIZE_64 && o->bytes == SIZE_32 && up && !o->is_signed)
		return i2f_u64_up;
	return execute_i2f;
}

static int bind_conversion(struct mbind *b, struct op *o, bool float_source)
{
	unsigned from = (unsigned)field(b, 84, 2), to = (unsigned)field(b, 75, 2);

	if (mbind_forms(b, o,
		    (from == SIZE_64 ? WIDE_B : 0) | (to == SIZE_64 ? WIDE_D : 0) |
			    (from == SIZE_64 && float_source ? F64_IMMEDIATE : 0)))
		return -1;
	if (mbind_has_constant_c(b))
		return mbind_refuse(b, "form of operands");
	o->reg_bytes = (uint8_t)from;
	o->bytes = (uint8_t)to;
	o->n = (uint8_t)field(b, 78, 2);
	o->mode &= NEG_B | ABS_B;
	o->space = bit(b, 80) ? CONVERT_FTZ : 0;
	o->is_param = b->inst->form == FORM_IMM ? 0 : (uint8_t)field(b, 60, 2);
	return 0;
}

/* Sets the format of the source to bf16, which sm_90 and later encode as size 0 and bit 86. */
static void bind_bf16_source(const struct mbind *b, struct op *o)
{
	if (o->reg_bytes == SIZE_8 && bit(b, 86)) {
		o->reg_bytes = SIZE_16;
		o->space |= CONVERT_BF16_FROM;
	}
}

/* Sets the format of the result to bf16, which sm_90 and later encode as size 0 and bit 77. */
static void bind_bf16_result(const struct mbind *b, struct op *o)
{
	if (o->bytes == SIZE_8 && bit(b, 77)) {
		o->bytes = SIZE_16;
		o->space |= CONVERT_BF16_TO;
	}
}

int mbind_f2f(struct mbind *b, struct op *o)
{
	if (bind_conversion(b, o, true))
		return -1;
	o->is_param &= 1;
	bind_bf16_source(b, o);
	bind_bf16_result(b, o);
	bool plain = is_plain_conversion(o);
	machine_set_function(o, plain && o->reg_bytes == SIZE_32 && o->bytes == SIZE_64 ? f2f_f64_f32
				: plain && !o->n && o->reg_bytes == SIZE_64 && o->bytes == SIZE_32
					? f2f_f32_f64
					: execute_f2f);
	return o->reg_bytes == SIZE_8 || o->bytes == SIZE_8 ? mbind_refuse(b, "format") : 0;
}

int mbind_frnd(struct mbind *b, struct op *o)
{
	if (bind_conversion(b, o, true))
		return -1;
	o->is_param &= 1;
	bind_bf16_source(b, o);
	bind_bf16_result(b, o);
	bool plain = is_plain_conversion(o) && o->reg_bytes == SIZE_32 && o->bytes == SIZE_32;
	o->a = o->b;
	machine_set_function(o, plain ? frnd_f32[o->n & 3] : execute_frnd);
	return o->reg_bytes == SIZE_8 || o->bytes == SIZE_8 ? mbind_refuse(b, "format") : 0;
}

int mbind_f2i(struct mbind *b, struct op *o)
{
	if (bind_conversion(b, o, true))
		return -1;
	o->is_param &= 1;
	o->is_signed = bit(b, 72);
	bind_bf16_source(b, o);
	o->a = o->b;
	machine_set_function(o, choose_f2i(o));
	return o->reg_bytes == SIZE_8 ? mbind_refuse(b, "format") : 0;
}

int mbind_i2f(struct mbind *b, struct op *o)
{
	if (bind_conversion(b, o, false))
		return -1;
	o->is_signed = bit(b, 74);
	o->mode = 0;
	bind_bf16_result(b, o);
	o->a = o->b;
	machine_set_function(o, choose_i2f(o));
	return o->bytes == SIZE_8 ? mbind_refuse(b, "format") : 0;
}

int mbind_i2fp(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->a = o->b;
	o->is_signed = bit(b, 74);
	o->n = (uint8_t)field(b, 78, 2);
	o->reg_bytes = bit(b, 84) ? SIZE_16 : SIZE_32; /* only UI2FP reads 16 bits */
	o->bytes = (uint8_t)field(b, 75, 2);
	o->mode = 0;
	bind_bf16_result(b, o);
	machine_set_function(o, o->n || o->bytes != SIZE_32 || o->reg_bytes != SIZE_32 ? execute_i2f
				: o->is_signed                                         ? i2f_signed
										       : i2f_unsigned);
	if (o->bytes != SIZE_16 && o->bytes != SIZE_32)
		return mbind_refuse(b, "format");
	return mbind_has_constant_c(b) ? mbind_refuse(b, "form of operands") : 0;
}
