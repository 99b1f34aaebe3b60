/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating point: add sub mul fma mad div min max abs neg sqrt rcp rsqrt, the approximations.
 *
 * Always true: fma is fused. A NaN result of f32 is the canonical NaN (0x7fffffff).
 * Rounding follows the suffix. .ftz flushes subnormal operands and results to zeros of the same sign. An
 * approximation is the correctly rounded result in f32 (in f64 for .approx.ftz.f64), within the bounds of
 * PTX; see approx.h for sine and cosine.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include "sem/approx.h"
#include "sem/half.h"
#include "sem/mixed.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* Returns a - b. Compiled code adds the negated b, so a NaN of b has the other sign in the result. */
static inline double subtract_f64(double a, double b)
{
	double r = a - b;

	return b == b || a != a ? r : ieee_f64(ieee_f64_bits(r) ^ 1ull << 63);
}

/* ---- round to nearest, without .ftz and .sat ---- */

LANE_OP2(add_f32, float, float, float, ieee_canonical_f32(a + b))
LANE_OP2(sub_f32, float, float, float, ieee_canonical_f32(a - b))
LANE_OP2(mul_f32, float, float, float, ieee_canonical_f32(a *b))
LANE_OP3(fma_f32, float, float, float, float, ieee_canonical_f32(__builtin_fmaf(a, b, c)))
LANE_OP2(add_f64, double, double, double, ieee_add_f64(a, b))
LANE_OP2(sub_f64, double, double, double, subtract_f64(a, b))
LANE_OP2(mul_f64, double, double, double, ieee_mul_f64(a, b))
LANE_OP3(fma_f64, double, double, double, double, ieee_fma_f64(a, b, c))
LANE_OP1(neg_f32, u32, u32, a << 1 > 0xff000000u ? 0x7fffffffu : a ^ 0x80000000u)
LANE_OP1(neg_f64, u64, u64, a ^ 1ull << 63)
LANE_OP1(abs_f32, u32, u32, a << 1 > 0xff000000u ? 0x7fffffffu : a & 0x7fffffffu)
LANE_OP1(abs_f64, u64, u64, a & ~(1ull << 63))

/* ---- any rounding, .ftz, .sat ---- */

static inline float flush_subnormal(float v) { return fabsf(v) < FLT_MIN ? copysignf(0, v) : v; }

static void load_f32(const struct warp *w, const struct op *o, uint32_t slot, float *v)
{
	const float *r = REG(const float, w, slot);

	for (unsigned i = 0; i < LANES; i++)
		v[i] = o->mode & MODE_FTZ ? flush_subnormal(r[i]) : r[i];
}

static void store_f32(struct warp *w, const struct op *o, uint32_t m, const float *v)
{
	float *d = REG(float, w, o->d);

	FOR_BITS32 (i, m) {
		float r = ieee_canonical_f32(v[i]);

		if (o->mode & MODE_SAT)
			r = r > 0 ? r < 1 ? r : 1 : 0;
		d[i] = o->mode & MODE_FTZ ? flush_subnormal(r) : r;
	}
}

static void store_f64(struct warp *w, const struct op *o, uint32_t m, const double *v)
{
	double *d = REG(double, w, o->d);

	FOR_BITS32 (i, m)
		d[i] = v[i];
}

static void set_host_rounding(const struct op *o)
{
	fesetround(o->mode & MODE_RZ ? FE_TOWARDZERO : o->mode & MODE_RM ? FE_DOWNWARD : FE_UPWARD);
}

/* Define a function for f32 with every mode, and one for f64 with every rounding. */
#define ROUNDED_F32(name, e32) \
	static void name##_any_f32(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		float va[LANES], vb[LANES], vc[LANES], r[LANES]; \
		load_f32(w, o, o->a, va); \
		load_f32(w, o, o->b ? o->b : o->a, vb); \
		load_f32(w, o, o->c ? o->c : o->a, vc); \
		if (o->mode & (MODE_RZ | MODE_RM | MODE_RP)) \
			set_host_rounding(o); \
		for (unsigned i = 0; i < LANES; i++) { \
			float a = va[i], b = vb[i], c = vc[i]; \
			(void)b; \
			(void)c; \
			r[i] = (e32); \
		} \
		if (o->mode & (MODE_RZ | MODE_RM | MODE_RP)) \
			fesetround(FE_TONEAREST); \
		store_f32(w, o, m, r); \
	}
#define ROUNDED(name, e32, e64) \
	ROUNDED_F32(name, e32) \
	static void name##_any_f64(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		const double *pa = REG(double, w, o->a), *pb = REG(double, w, o->b ? o->b : o->a), \
			     *pc = REG(double, w, o->c ? o->c : o->a); \
		double r[LANES] = {0}; \
		if (o->mode & (MODE_RZ | MODE_RM | MODE_RP)) \
			set_host_rounding(o); \
		FOR_BITS32 (i, m) { \
			double a = pa[i], b = pb[i], c = pc[i]; \
			(void)b; \
			(void)c; \
			r[i] = (e64); \
		} \
		if (o->mode & (MODE_RZ | MODE_RM | MODE_RP)) \
			fesetround(FE_TONEAREST); \
		store_f64(w, o, m, r); \
	}
ROUNDED(add, a + b, ieee_add_f64(a, b))
ROUNDED(sub, a - b, subtract_f64(a, b))
ROUNDED(mul, a *b, ieee_mul_f64(a, b))
ROUNDED(fma, fmaf(a, b, c), ieee_fma_f64(a, b, c))
ROUNDED(div, a / b, a / b)
/*
 * Return a / b as compiled code does: as a product with the reciprocal of b, which is 0 for the largest b. Both are
 * multiplied by 2^24 if b is subnormal, and for .full by 1/4 if b is large.
 */
static inline float div_approx(float a, float b)
{
	float scale = fabsf(b) < FLT_MIN ? 0x1p24f : 1;

	return a * scale * approx_flush(approx_rcp(b * scale));
}
static inline float div_full(float a, float b)
{
	return fabsf(b) > 0x1p126f ? div_approx(a * 0.25f, b * 0.25f) : div_approx(a, b);
}
ROUNDED_F32(div_full, div_full(a, b))
ROUNDED_F32(div_approx, div_approx(a, b))
ROUNDED(sqrt, sqrtf(a), sqrt(a))
ROUNDED(rcp, 1 / a, 1 / a)
ROUNDED(rsqrt, approx_rsqrt(a), approx_rsqrt_f64(a))

/* Functions for .approx.ftz.f64. */
LANE_EACH1(rcp_upper_f64, u64, u64, approx_upper_inverse(a, false))
LANE_EACH1(rsqrt_upper_f64, u64, u64, approx_upper_inverse(a, true))
/*
 * Functions of f32 without .ftz, computed as compiled code does. It scales subnormal operands and results, because the
 * special function unit flushes them.
 */
static inline float ex2_scaled(float a)
{
	float half = approx_ex2(a * 0.5f);

	return a < -126 ? half * half : approx_ex2(a);
}
static inline float lg2_scaled(float a)
{
	return fabsf(a) < FLT_MIN ? approx_lg2(a * 0x1p24f) - 24 : approx_lg2(a);
}
static inline float rcp_scaled(float a)
{
	return fabsf(a) > 0x1p126f ? approx_flush(approx_rcp(a * 0.25f)) * 0.25f : approx_rcp(a);
}
ROUNDED_F32(ex2, o->mode &MODE_FTZ ? approx_ex2(a) : ex2_scaled(a))
ROUNDED_F32(lg2, lg2_scaled(a))
ROUNDED_F32(rcp_approx, o->mode &MODE_FTZ ? approx_rcp(a) : rcp_scaled(a))
ROUNDED_F32(sin, approx_sin(a))
ROUNDED_F32(cos, approx_cos(a))
ROUNDED_F32(tanh, approx_tanh(a))

static int check_one_rounding(const struct bind *b)
{
	unsigned n = (unsigned)stmt_has(b->stmt, M_RN) + stmt_has(b->stmt, M_RZ) + stmt_has(b->stmt, M_RM) +
		     stmt_has(b->stmt, M_RP);

	return n > 1 ? bind_fault(b, NULL, "suffix", "%u roundings in %s (expected one)", n, b->stmt->text)
		     : 0;
}

/* ---- bindings ---- */

static bool is_integer_type(const struct bind *b)
{
	enum type t = (enum type)b->stmt->type[0];

	return types[t].kind != K_FLOAT;
}

/* Define a function for f32x2: both halves of 64 bits. */
#define PAIR_F32(name, expr) \
	static void name##_x2(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		struct { \
			float v[2]; \
		} *d = (void *)REG(u64, w, o->d); \
		const struct { \
			float v[2]; \
		} *pa = (void *)REG(u64, w, o->a), *pb = (void *)REG(u64, w, o->b), \
		  *pc = (void *)REG(u64, w, o->c ? o->c : o->a); \
		if (o->mode & (MODE_RZ | MODE_RM | MODE_RP)) \
			set_host_rounding(o); \
		FOR_BITS32 (i, m) \
			for (unsigned k = 0; k < 2; k++) { \
				float a = pa[i].v[k], b = pb[i].v[k], c = pc[i].v[k]; \
				(void)c; \
				if (o->mode & MODE_FTZ) { \
					a = flush_subnormal(a); \
					b = flush_subnormal(b); \
					c = flush_subnormal(c); \
				} \
				float r = ieee_canonical_f32(expr); \
				d[i].v[k] = o->mode & MODE_FTZ ? flush_subnormal(r) : r; \
			} \
		fesetround(FE_TONEAREST); \
	}
PAIR_F32(add, a + b)
PAIR_F32(sub, a - b)
PAIR_F32(mul, a *b)
PAIR_F32(fma, fmaf(a, b, c))

/* Binds one of fn[]: f32 and f64 without a mode, f32 and f64 with any mode, f32x2. n: number of sources. */
static int bind_float_by_type(struct bind *b, struct op *o, unsigned n, op_fn *const fn[5])
{
	enum type t = (enum type)b->stmt->type[0];
	op_fn *f;

	if (check_one_rounding(b))
		return -1;
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	f = t == T_F32     ? o->mode ? fn[2] : fn[0]
		: t == T_F64 ? o->mode ? fn[3] : fn[1]
		: t == T_F32X2 ? fn[4]
			   : NULL;
	return n == 2 ? BIND(b, o, f, t, t, t) : BIND(b, o, f, t, t, t, t);
}

/* Binds an operation of all types: of_int for integers, `small` for f16 and bf16, fn for others. */
static int bind_by_type(struct bind *b, struct op *o, int (*of_int)(struct bind *, struct op *),
	enum small_op small, op_fn *const fn[5])
{
	if (b->stmt->n_types == 2 && !is_integer_type(b) && b->stmt->opcode != I_mul)
		return bind_mixed(b, o);
	if (bind_types(b, 1))
		return -1;
	return is_integer_type(b)                          ? of_int(b, o)
	       : half_is_type((enum type)b->stmt->type[0]) ? half_bind(b, o, small, 2)
							   : bind_float_by_type(b, o, 2, fn);
}

int bind_add(struct bind *b, struct op *o)
{
	static op_fn *const fn[5] = {add_f32, add_f64, add_any_f32, add_any_f64, add_x2};

	return bind_by_type(b, o, bind_add_int, SO_ADD, fn);
}

int bind_sub(struct bind *b, struct op *o)
{
	static op_fn *const fn[5] = {sub_f32, sub_f64, sub_any_f32, sub_any_f64, sub_x2};

	return bind_by_type(b, o, bind_sub_int, SO_SUB, fn);
}

int bind_mul(struct bind *b, struct op *o)
{
	static op_fn *const fn[5] = {mul_f32, mul_f64, mul_any_f32, mul_any_f64, mul_x2};

	return bind_by_type(b, o, bind_mul_int, SO_MUL, fn);
}

int bind_fma(struct bind *b, struct op *o)
{
	static op_fn *const fn[5] = {fma_f32, fma_f64, fma_any_f32, fma_any_f64, fma_x2};

	if (b->stmt->n_types == 2 && b->stmt->opcode == I_fma)
		return bind_mixed(b, o);
	if (bind_types(b, 1))
		return -1;
	if (stmt_has(b->stmt, M_OOB))
		return bind_refuse(b, "numbers that represent elements out of bounds");
	return half_is_type((enum type)b->stmt->type[0]) ? half_bind(b, o, SO_FMA, 3)
							 : bind_float_by_type(b, o, 3, fn);
}

int bind_mad(struct bind *b, struct op *o)
{
	return is_integer_type(b) && b->stmt->n_types == 1 ? bind_mad_int(b, o) : bind_fma(b, o);
}

int bind_div(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	if (is_integer_type(b))
		return bind_div_int(b, o);
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	return check_one_rounding(b) ? -1
				     : BIND(b, o,
					       t == T_F32   ? stmt_has(b->stmt, M_APPROX) ? div_approx_any_f32
							      : stmt_has(b->stmt, M_FULL) ? div_full_any_f32
											  : div_any_f32
					       : t == T_F64 ? div_any_f64
							    : NULL,
					       t, t, t);
}

static void abs_neg_any_f32(struct warp *w, const struct op *o, uint32_t m)
{
	float v[LANES];

	load_f32(w, o, o->a, v);
	for (unsigned i = 0; i < LANES; i++)
		v[i] = ieee_canonical_f32(o->imm ? -v[i] : fabsf(v[i]));
	float *d = REG(float, w, o->d);
	FOR_BITS32 (i, m)
		d[i] = v[i];
}

int bind_absneg(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool neg = b->stmt->opcode == I_neg;

	if (bind_types(b, 1))
		return -1;
	if (is_integer_type(b))
		return bind_absneg_int(b, o);
	if (half_is_type(t))
		return half_bind(b, o, neg ? SO_NEG : SO_ABS, 1);
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	o->imm = neg;
	return BIND(b, o,
		t == T_F64   ? neg ? neg_f64 : abs_f64
		: t != T_F32 ? NULL
		: o->mode    ? abs_neg_any_f32
		: neg        ? neg_f32
			     : abs_f32,
		t, t);
}

/* Binds sqrt, rcp, rsqrt, sin, cos, lg2, ex2 and tanh. */
int bind_unary(struct bind *b, struct op *o)
{
	static op_fn *const f32[N_OPCODES] = {[I_sqrt] = sqrt_any_f32,
		[I_rcp] = rcp_any_f32,
		[I_rsqrt] = rsqrt_any_f32,
		[I_sin] = sin_any_f32,
		[I_cos] = cos_any_f32,
		[I_lg2] = lg2_any_f32,
		[I_ex2] = ex2_any_f32,
		[I_tanh] = tanh_any_f32};
	static op_fn *const f64[N_OPCODES] = {
		[I_sqrt] = sqrt_any_f64, [I_rcp] = rcp_any_f64, [I_rsqrt] = rsqrt_any_f64};
	enum type t = (enum type)b->stmt->type[0];
	unsigned op = b->stmt->opcode;

	if (bind_types(b, 1) || check_one_rounding(b))
		return -1;
	if (half_is_type(t)) {
		if (op != I_ex2 && op != I_tanh)
			return BIND(b, o, NULL, t, t);
		return half_bind(b, o, op == I_ex2 ? SO_EX2 : SO_TANH, 1);
	}
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	if (t == T_F64 && (stmt_has(b->stmt, M_FTZ) || (op == I_rcp && stmt_has(b->stmt, M_APPROX))))
		return BIND(b, o,
			!stmt_has(b->stmt, M_APPROX) || !stmt_has(b->stmt, M_FTZ) ? NULL
			: op == I_rcp                                             ? rcp_upper_f64
			: op == I_rsqrt                                           ? rsqrt_upper_f64
										  : NULL,
			t, t);
	if (t == T_F32 && op == I_rcp && stmt_has(b->stmt, M_APPROX))
		return BIND(b, o, rcp_approx_any_f32, t, t);
	return BIND(b, o, t == T_F32 ? f32[op] : t == T_F64 ? f64[op] : NULL, t, t);
}

/* ---- min and max ---- */

static inline u32 f32_min_max(u32 x, u32 y, bool max, unsigned mode, bool xorsign)
{
	union {
		u32 u;
		float f;
	} a = {.u = x}, b = {.u = y};

	if (mode & MODE_FTZ) {
		a.f = flush_subnormal(a.f);
		b.f = flush_subnormal(b.f);
	}
	bool an = a.f != a.f, bn = b.f != b.f;
	if (an || bn)
		return (an && bn) || mode & MODE_NAN ? 0x7fffffffu : an ? b.u : a.u;
	if (xorsign) {
		u32 sign = (a.u ^ b.u) & 0x80000000u;
		bool first = max ? fabsf(a.f) > fabsf(b.f) : fabsf(a.f) < fabsf(b.f);

		return ((first ? a.u : b.u) & 0x7fffffffu) | sign;
	}
	if (a.f == b.f)
		return max ? a.u & b.u : a.u | b.u;
	return (a.f < b.f) != max ? a.u : b.u;
}
LANE_OP2(min_f32, u32, u32, u32, f32_min_max(a, b, false, o->mode, o->imm))
LANE_OP2(max_f32, u32, u32, u32, f32_min_max(a, b, true, o->mode, o->imm))
/* Returns the minimum or maximum of three. keep: mask of all bits, or of all bits except the sign. */
static inline u32 f32_min_max3(u32 a, u32 b, u32 c, bool max, unsigned mode, u32 keep)
{
	return f32_min_max(f32_min_max(a & keep, b & keep, max, mode, false), c & keep, max, mode, false);
}
LANE_OP3(min3_f32, u32, u32, u32, u32, f32_min_max3(a, b, c, false, o->mode, (u32)o->imm))
LANE_OP3(max3_f32, u32, u32, u32, u32, f32_min_max3(a, b, c, true, o->mode, (u32)o->imm))

static inline u64 f64_min_max(u64 x, u64 y, bool max)
{
	union {
		u64 u;
		double f;
	} a = {.u = x}, b = {.u = y};

	if (a.f != a.f || b.f != b.f)
		return a.f != a.f && b.f != b.f ? 0x7fffffffffffffffull : a.f != a.f ? y : x;
	if (a.f == b.f)
		return max ? x & y : x | y;
	return (a.f < b.f) != max ? x : y;
}
LANE_OP2(min_f64, u64, u64, u64, f64_min_max(a, b, false))
LANE_OP2(max_f64, u64, u64, u64, f64_min_max(a, b, true))

int bind_minmax(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	bool low = b->stmt->opcode == I_min;

	if (bind_types(b, 1))
		return -1;
	if (is_integer_type(b))
		return bind_minmax_int(b, o);
	if (stmt_has(b->stmt, M_ABS) != stmt_has(b->stmt, M_XORSIGN) && b->stmt->n_operands != 4)
		return bind_fault(b, NULL, "suffix", "one of .xorsign and .abs in %s (expected both or none)",
			b->stmt->text);
	if (stmt_has(b->stmt, M_XORSIGN) && b->stmt->n_operands == 4)
		return bind_fault(b, NULL, "suffix", ".xorsign of three operands (expected two)");
	if (half_is_type(t))
		return half_bind(b, o, low ? SO_MIN : SO_MAX, 2);
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	o->imm = stmt_has(b->stmt, M_XORSIGN);
	if (b->stmt->n_operands == 4) {
		o->imm = stmt_has(b->stmt, M_ABS) ? 0x7fffffff : 0xffffffff;
		return BIND(b, o, t != T_F32 ? NULL : low ? min3_f32 : max3_f32, t, t, t, t);
	}
	return BIND(b, o,
		t == T_F32   ? low ? min_f32 : max_f32
		: t == T_F64 ? low ? min_f64 : max_f64
			     : NULL,
		t, t, t);
}

LANE_OP2(copysign_f32, u32, u32, u32, (b & 0x7fffffffu) | (a & 0x80000000u))
LANE_OP2(copysign_f64, u64, u64, u64, (b & ~(1ull << 63)) | (a & 1ull << 63))
int bind_copysign(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];

	return bind_types(b, 1) ? -1
				: BIND(b, o,
					  t == T_F32   ? copysign_f32
					  : t == T_F64 ? copysign_f64
						       : NULL,
					  t, t, t);
}

static void execute_testp(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *p = &PRED(w, o->d), r = 0;

	FOR_BITS32 (i, m) {
		double v = o->n ? REG(double, w, o->a)[i] : (double)REG(float, w, o->a)[i];
		bool sub = v != 0 && fabs(v) < (o->n ? DBL_MIN : (double)FLT_MIN), finite = isfinite(v);
		/* a zero counts as normal */
		bool is[] = {finite, !!isinf(v), v == v, v != v, finite && !sub, sub};

		r |= (u32)is[o->mode] << i;
	}
	*p = (*p & ~m) | r;
}

int bind_testp(struct bind *b, struct op *o)
{
	static const enum modifier test[6] = {
		M_FINITE, M_INFINITE, M_NUMBER, M_NOTANUMBER, M_NORMAL, M_SUBNORMAL};
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	for (unsigned i = 0; i < 6; i++)
		if (stmt_has(b->stmt, test[i]))
			o->mode = (uint8_t)i;
	o->n = t == T_F64;
	return BIND(b, o, t == T_F32 || t == T_F64 ? execute_testp : NULL, T_PRED, t);
}
