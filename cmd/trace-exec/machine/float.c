/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * f32 and f64: FADD FMUL FFMA DADD DMUL DFMA, choices, minima, FCHK.
 *
 * Always true: absolute value, negation and .FTZ are applied to sources before the operation. A NaN result of f32 is
 * 0x7fffffff. A NaN result of f64 is the host's, as for PTX: it has the sign and the payload
 * of an operand that is NaN. FFMA and DFMA round once, after the sum.
 */
#include <fenv.h>
#include <math.h>
#include "inlining.h"
#include "machine/code.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define FTZ   1u
#define SAT   2u
#define FMZ   4u
#define ROUND 24u /* bits 3 and 4: rounding */
#define FRN   0u
#define FRM   8u
#define FRP   16u
#define FRZ   24u

static inline float saturate_f32(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }

static void set_rounding(unsigned how)
{
	fesetround((how & ROUND) == FRZ ? FE_TOWARDZERO : (how & ROUND) == FRM ? FE_DOWNWARD : FE_UPWARD);
}

/* Loads a source of all lanes, and applies absolute value, negation and flushing of subnormals. */
LANE_FN static void load_signed(float *to, const u32 *from, bool abs, bool neg, bool ftz)
{
	u32 n = abs ? 0x7fffffff : ~0u, x = neg ? 0x80000000 : 0;

	for (unsigned i = 0; i < LANES; i++)
		to[i] = ieee_f32(ieee_flush_f32_bits((from[i] & n) ^ x, ftz));
}

LANE_FN static void store_rounded(struct warp *w, const struct op *o, uint32_t m, const float *r)
{
	float *d = REG(float, w, o->d);
	bool sat = o->n & SAT, ftz = o->n & FTZ;

	for (unsigned i = 0; i < LANES; i++) {
		float v = ieee_canonical_f32(r[i]);

		v = sat ? saturate_f32(v) : v;
		v = ieee_f32(ieee_flush_f32_bits(ieee_f32_bits(v), ftz));
		d[i] = m >> i & 1 ? v : d[i];
	}
}

/* ---- instructions with no modifiers except signs ---- */

LANE_OP2(fadd_plain, float, float, float, ieee_canonical_f32(a + b))
LANE_OP2(fmul_plain, float, float, float, ieee_canonical_f32(a *b))
LANE_OP3(ffma_plain, float, float, float, float, ieee_canonical_f32(__builtin_fmaf(a, b, c)))

/* ---- instructions with any modifiers ---- */

typedef void f32_fn(float *r, const float *a, const float *b, const float *c);
static NOINLINE void add_f32_lanes(float *r, const float *a, const float *b, const float *c)
{
	(void)c;
	for (unsigned i = 0; i < LANES; i++)
		r[i] = a[i] + b[i];
}
static NOINLINE void multiply_f32_lanes(float *r, const float *a, const float *b, const float *c)
{
	(void)c;
	for (unsigned i = 0; i < LANES; i++)
		r[i] = a[i] * b[i];
}
LANE_FN static NOINLINE void fma_f32_lanes(float *r, const float *a, const float *b, const float *c)
{
	for (unsigned i = 0; i < LANES; i++)
		r[i] = __builtin_fmaf(a[i], b[i], c[i]);
}

static void compute_f32_lanes(struct warp *w, const struct op *o, uint32_t m, f32_fn *fn)
{
	float a[LANES], b[LANES], c[LANES], r[LANES];
	bool ftz = o->n & FTZ;

	load_signed(a, REG(u32, w, o->a), o->mode & ABS_A, o->mode & NEG_A, ftz);
	load_signed(b, REG(u32, w, o->b), o->mode & ABS_B, o->mode & NEG_B, ftz);
	load_signed(c, REG(u32, w, o->c), o->mode & ABS_C, o->mode & NEG_C, ftz);
	if (o->n & ROUND)
		set_rounding(o->n);
	fn(r, a, b, c);
	if (o->n & ROUND)
		fesetround(FE_TONEAREST);
	for (unsigned i = 0; o->n & FMZ && i < LANES; i++)
		if (a[i] == 0 || b[i] == 0)
			r[i] = fn == fma_f32_lanes ? 0.0f + c[i] : 0.0f;
	for (unsigned i = 0; o->imm && i < LANES; i++)
		r[i] *= ieee_f32((u32)o->imm);
	store_rounded(w, o, m, r);
}
static void fadd_any(struct warp *w, const struct op *o, uint32_t m)
{
	compute_f32_lanes(w, o, m, add_f32_lanes);
}
static void fmul_any(struct warp *w, const struct op *o, uint32_t m)
{
	compute_f32_lanes(w, o, m, multiply_f32_lanes);
}
static void ffma_any(struct warp *w, const struct op *o, uint32_t m)
{
	compute_f32_lanes(w, o, m, fma_f32_lanes);
}

/* Sets o->n from the modifier bits that f32 instructions have in common. */
static void bind_f32_modes(const struct mbind *b, struct op *o, bool fmz)
{
	static const uint8_t round[4] = {FRN, FRM, FRP, FRZ};

	o->n = (uint8_t)((bit(b, 80) ? FTZ : 0) | (bit(b, 77) ? SAT : 0) | (fmz && bit(b, 76) ? FMZ : 0) |
			 round[field(b, 78, 2)]);
}

/* Moves the second operand from c to b in the swapped forms, or in all forms if `always`. */
static void bind_second_operand(const struct mbind *b, struct op *o, bool always)
{
	unsigned signs = o->mode;

	if (!mbind_is_swapped(b) && !always) {
		o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
		return;
	}
	o->b = o->c;
	o->mode = (uint8_t)((signs & (NEG_A | ABS_A)) | (signs & NEG_C ? NEG_B : 0) |
			    (signs & ABS_C ? ABS_B : 0));
}

int mbind_fadd(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_second_operand(b, o, b->uniform);
	o->c = FRAME_ZERO;
	bind_f32_modes(b, o, false);
	if (bit(b, 81) && b->code->sm >= 100)
		return mixed_bind(b, o, false);
	machine_set_function(o, o->n || o->mode ? fadd_any : fadd_plain);
	return 0;
}

int mbind_fmul(struct mbind *b, struct op *o)
{
	static const float scale[8] = {0, 0.125f, 0.25f, 0.5f, 1, 2, 4, 8};
	unsigned s = (unsigned)field(b, 84, 3);

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	if (mbind_has_constant_c(b))
		bind_second_operand(b, o, false);
	o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
	o->c = FRAME_ZERO;
	bind_f32_modes(b, o, true);
	o->imm = s == 4 ? 0 : (int64_t)ieee_f32_bits(scale[s]);
	machine_set_function(o, o->n || o->mode || o->imm ? fmul_any : fmul_plain);
	return 0;
}

int mbind_ffma(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_f32_modes(b, o, true);
	if (bit(b, 81) && b->code->sm >= 100)
		return mixed_bind(b, o, true);
	machine_set_function(o, o->n || o->mode ? ffma_any : ffma_plain);
	return 0;
}

/*
 * Executes FSWZADD. Each lane of a quad has two bits of o->imm, the first lane the highest: 0 adds, 1 subtracts a from
 * b, 2 subtracts b from a, 3 returns b. The instruction's text has two letters per lane, one per operand: P, N or Z.
 */
static void add_by_quad(struct warp *w, const struct op *o, uint32_t m)
{
	float a[LANES], b[LANES], r[LANES];
	bool ftz = o->n & FTZ;

	load_signed(a, REG(u32, w, o->a), false, false, ftz);
	load_signed(b, REG(u32, w, o->b), false, false, ftz);
	if (o->n & ROUND)
		set_rounding(o->n);
	for (unsigned i = 0; i < LANES; i++) {
		unsigned how = (unsigned)o->imm >> (6 - 2 * (i % 4)) & 3;

		r[i] = how == 0 ? a[i] + b[i] : how == 1 ? b[i] - a[i] : how == 2 ? a[i] - b[i] : b[i];
	}
	if (o->n & ROUND)
		fesetround(FE_TONEAREST);
	store_rounded(w, o, m, r);
}

int mbind_fswzadd(struct mbind *b, struct op *o)
{
	bind_f32_modes(b, o, false);
	o->n &= (uint8_t)~SAT; /* this bit is .NDV here: the lanes of a quad do not diverge */
	o->d = mbind_dst(b, 16, 1);
	o->a = mbind_reg(b, 24, 1);
	o->b = mbind_reg(b, 64, 1);
	o->imm = (int64_t)field(b, 32, 8);
	machine_set_function(o, add_by_quad);
	return 0;
}

/* ---- f64 ---- */

static inline double f64_of(const u32 *p, unsigned i) { return ieee_f64(p[i] | (u64)p[i + LANES] << 32); }

static inline double f64_with_signs(const u32 *p, unsigned i, u64 n, u64 x)
{
	return ieee_f64(((p[i] | (u64)p[i + LANES] << 32) & n) ^ x);
}

/* Operand number k in lane i. */
#define F64_PLAIN(p, k) f64_of(p, i)
#define F64_SIGNS(p, k) f64_with_signs(p, i, n[k], x[k])

/* Computes expr of the operands a, b and c in all lanes. */
#define F64_LANES(operand, expr) \
	EACH_LANE (i) { \
		double a = operand(pa, 0), b = operand(pb, 1), c = operand(pc, 2); \
		(void)c; \
		u64 r = ieee_f64_bits(expr); \
		d[i] = (u32)r; \
		d[i + LANES] = (u32)(r >> 32); \
	}

/*
 * Defines an operation on doubles for all lanes: name_plain() for operands without changes of signs, name_signs() for
 * operands of which n[] keeps bits and x[] inverts bits.
 */
#define F64_OP(name, expr) \
	LANE_FN static NOINLINE void name##_plain(u32 *d, const u32 *pa, const u32 *pb, const u32 *pc) \
	{ \
		F64_LANES(F64_PLAIN, expr); \
	} \
	LANE_FN static NOINLINE void name##_signs( \
		u32 *d, const u32 *pa, const u32 *pb, const u32 *pc, const u64 *n, const u64 *x) \
	{ \
		F64_LANES(F64_SIGNS, expr); \
	} \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		compute_f64_lanes(w, o, m, name##_plain, name##_signs); \
	}

/* Copies a register of 64 bits in the lanes of m. */
LANE_FN static void copy_double(u32 *d, const u32 *from, uint32_t m)
{
	EACH_LANE (i) {
		d[i] = m >> i & 1 ? from[i] : d[i];
		d[i + LANES] = m >> i & 1 ? from[i + LANES] : d[i + LANES];
	}
}

typedef void f64_plain_fn(u32 *d, const u32 *pa, const u32 *pb, const u32 *pc);
typedef void f64_signs_fn(u32 *d, const u32 *pa, const u32 *pb, const u32 *pc, const u64 *n, const u64 *x);

static void compute_with_signs(struct warp *w, const struct op *o, u32 *d, f64_signs_fn *fn)
{
	const u64 sign = 1ull << 63;
	u64 n[3], x[3];

	for (unsigned k = 0; k < 3; k++) {
		n[k] = o->mode >> 2 * k & ABS_A ? ~sign : ~0ull;
		x[k] = o->mode >> 2 * k & NEG_A ? sign : 0;
	}
	fn(d, REG(u32, w, o->a), REG(u32, w, o->b), REG(u32, w, o->c), n, x);
}

static ALWAYS_INLINE void compute_f64_lanes(
	struct warp *w, const struct op *o, uint32_t m, f64_plain_fn *plain, f64_signs_fn *signs)
{
	u32 part[2 * LANES], *d = m == ALL_LANES ? REG(u32, w, o->d) : part;

	if (o->n & ROUND)
		set_rounding(o->n);
	if (o->mode)
		compute_with_signs(w, o, d, signs);
	else
		plain(d, REG(u32, w, o->a), REG(u32, w, o->b), REG(u32, w, o->c));
	if (o->n & ROUND)
		fesetround(FE_TONEAREST);
	if (d == part)
		copy_double(REG(u32, w, o->d), part, m);
}
F64_OP(dadd, ieee_add_f64(a, b))
F64_OP(dmul, ieee_mul_f64(a, b))
F64_OP(dfma, ieee_fma_f64(a, b, c))

static int bind_doubles(struct mbind *b, struct op *o)
{
	static const uint8_t round[4] = {FRN, FRM, FRP, FRZ};

	if (mbind_forms(b, o, WIDE_A | WIDE_B | WIDE_C | WIDE_D | F64_IMMEDIATE))
		return -1;
	o->n = round[field(b, 78, 2)];
	return 0;
}

int mbind_dadd(struct mbind *b, struct op *o)
{
	if (bind_doubles(b, o))
		return -1;
	bind_second_operand(b, o, true);
	o->c = FRAME_ZERO;
	machine_set_function(o, dadd);
	return b->inst->form == FORM_IMM || b->inst->form == FORM_CONST || b->inst->form == FORM_UREG
		       ? mbind_refuse(b, "form of operands")
		       : 0;
}

int mbind_dmul(struct mbind *b, struct op *o)
{
	if (bind_doubles(b, o))
		return -1;
	if (mbind_has_constant_c(b))
		bind_second_operand(b, o, false);
	o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
	o->c = FRAME_ZERO;
	machine_set_function(o, dmul);
	return 0;
}

int mbind_dfma(struct mbind *b, struct op *o)
{
	if (bind_doubles(b, o))
		return -1;
	machine_set_function(o, dfma);
	return 0;
}

/* ---- choices ---- */

MACHINE_OP2(fsel_word, u32 p = first_pred_source(w, o); u32 na = o->mode & ABS_A ? 0x7fffffff : ~0u;
	    u32 nb = o->mode & ABS_B ? 0x7fffffff : ~0u; u32 xa = o->mode & NEG_A ? 0x80000000 : 0;
	    u32 xb = o->mode & NEG_B ? 0x80000000 : 0; bool ftz = o->n;
	    , p >> i & 1 ? ieee_flush_f32_bits((a & na) ^ xa, ftz) : ieee_flush_f32_bits((b & nb) ^ xb, ftz))

int mbind_fsel(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_second_operand(b, o, false);
	o->n = bit(b, 80);
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, fsel_word);
	return 0;
}

static inline u32 choose_f32(u32 x, u32 y, bool least, bool nan, bool xorsign)
{
	float a = ieee_f32(x), b = ieee_f32(y);
	bool an = a != a, bn = b != b;

	if (an || bn)
		return (an && bn) || nan ? 0x7fffffffu : an ? y : x;
	if (xorsign) {
		float fa = fabsf(a), fb = fabsf(b);

		return (((fa < fb) == least ? x : y) & 0x7fffffffu) | ((x ^ y) & 0x80000000u);
	}
	if (a == b)
		return least ? x | y : x & y;
	return (a < b) == least ? x : y;
}

static u32 source_bits(const struct op *o, const u32 *p, unsigned i, unsigned k)
{
	u32 v = p[i];

	v = o->mode >> 2 * k & ABS_A ? v & 0x7fffffff : v;
	v = o->mode >> 2 * k & NEG_A ? v ^ 0x80000000 : v;
	return ieee_flush_f32_bits(v, o->n & 1);
}

/* Executes FMNMX. Bits of o->n: 1 .FTZ, 2 .NAN, 4 .XORSIGN. */
static void execute_fmnmx(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b),
	    p = first_pred_source(w, o);

	FOR_BITS32 (i, m)
		d[i] = choose_f32(
			source_bits(o, pa, i, 0), source_bits(o, pb, i, 1), p >> i & 1, o->n & 2, o->n & 4);
}

static void execute_fmnmx3(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c),
	    p = first_pred_source(w, o);

	FOR_BITS32 (i, m) {
		u32 x = choose_f32(
			source_bits(o, pa, i, 0), source_bits(o, pb, i, 1), p >> i & 1, o->n & 2, false);

		d[i] = choose_f32(x, source_bits(o, pc, i, 2), p >> i & 1, o->n & 2, false);
	}
}

int mbind_fmnmx(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_second_operand(b, o, false);
	o->n = (uint8_t)(bit(b, 80) | bit(b, 81) << 1 | bit(b, 82) << 2);
	if (bit(b, 82)) /* .XORSIGN uses the signs of the registers, before any negation or absolute value */
		o->mode &= (uint8_t) ~(ABS_A | ABS_B);
	o->imm = mbind_pred(b, 87, b->uniform);
	machine_set_function(o, execute_fmnmx);
	return 0;
}

int mbind_fmnmx3(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->n = (uint8_t)(bit(b, 80) | bit(b, 81) << 1);
	o->imm = mbind_pred(b, 87, false);
	machine_set_function(o, execute_fmnmx3);
	return 0;
}

/* ---- FCHK ---- */

/* Returns true if the fast division a / b gives a wrong result. */
static bool needs_slow_division(u32 a, u32 b)
{
	s32 ea = (s32)(a >> 23 & 255), eb = (s32)(b >> 23 & 255);

	return (ea == 0) | (ea == 255) | (eb == 0) | (eb == 255) | (ea - eb >= 126) | (eb - ea >= 126) |
	       (eb >= 253) | (ea <= 24);
}

LANE_FN static void execute_fchk(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b);
	u32 p = 0;

	EACH_LANE (i)
		p |= (u32)needs_slow_division(a[i], b[i]) << i;
	set_pred(w, PDST1(o), m, p);
}

int mbind_fchk(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	bind_second_operand(b, o, false);
	o->d = FRAME_SINK;
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, execute_fchk);
	return 0;
}
