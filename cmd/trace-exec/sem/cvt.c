/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions between all scalar types; conversions of packed types are in narrow.c.
 *
 * A conversion loads its source as a 64-bit integer or a double, converts it, and stores it into a register
 * that can be wider than the type (extended by the type's sign). Always true: a NaN becomes the integer 0, or
 * the integer with only the top bit set if either type has 64 bits. A conversion from floating point or with
 * .sat clamps to the range of the destination.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include "lang/ieee.h"
#include "sem/cvt.h"
#include "sem/narrow.h"

static void unpack_cvt(const struct ext *x, struct cvt *c)
{
	*c = (struct cvt){(enum type)x->aux[0], (enum type)x->aux[1], x->bytes[0], x->bytes[1], x->aux[2] & 1,
		x->aux[2] & 2, x->aux[2] & 4, x->aux[2] & 8, (enum rounding)x->aux[3], (uint8_t)x->aux[4]};
}

/* ---- loading and storing ---- */

static u64 read_lane_bits(const void *r, unsigned bytes, unsigned i)
{
	return bytes == 2 ? ((const u16 *)r)[i] : bytes == 4 ? ((const u32 *)r)[i] : ((const u64 *)r)[i];
}

static void write_lane_bits(void *r, unsigned bytes, unsigned i, u64 v)
{
	if (bytes == 2)
		((u16 *)r)[i] = (u16)v;
	else if (bytes == 4)
		((u32 *)r)[i] = (u32)v;
	else
		((u64 *)r)[i] = v;
}

static s64 sign_extend(u64 v, unsigned bits)
{
	return bits > 63 ? (s64)v : (s64)(v << (64 - bits)) >> (64 - bits);
}
static u64 zero_extend(u64 v, unsigned bits) { return bits > 63 ? v : v & ((1ull << bits) - 1); }

static s64 load_integer_lane(const void *r, const struct cvt *c, unsigned i)
{
	unsigned bits = types[c->from_type].bits;
	u64 v = read_lane_bits(r, c->s_bytes, i);

	return types[c->from_type].kind == K_SINT ? sign_extend(v, bits) : (s64)zero_extend(v, bits);
}

static enum small small_format_of(enum type t)
{
	return t == T_F16 ? SMALL_F16 : t == T_BF16 ? SMALL_BF16 : SMALL_TF32;
}

/* Returns the product of v and 1, by which compiled code flushes subnormals: its NaN is the canonical one. */
static double widen_flushed_f32(float v)
{
	return v != v               ? (double)ieee_f32(0x7fffffff)
	       : fabsf(v) < FLT_MIN ? copysign(0, (double)v)
				    : (double)v;
}

static double load_float_lane(const void *r, const struct cvt *c, unsigned i)
{
	u64 v = read_lane_bits(r, c->s_bytes, i);
	union {
		u32 u;
		float f;
	} f = {.u = (u32)v};
	union {
		u64 u;
		double f;
	} d = {.u = v};

	if (c->from_type == T_F64)
		return d.f;
	if (c->from_type == T_F32)
		return c->ftz ? widen_flushed_f32(f.f) : (double)f.f;
	return small_value((u32)v, small_format_of(c->from_type));
}

/* Stores an integer, truncated to the bits of the type and extended by its sign or by zeros. */
static void store_integer_lane(void *r, const struct cvt *c, unsigned i, u64 v)
{
	unsigned bits = types[c->to_type].bits;

	write_lane_bits(r, c->d_bytes, i,
		types[c->to_type].kind == K_SINT ? (u64)sign_extend(v, bits) : zero_extend(v, bits));
}

void sem_set_rounding(enum rounding r)
{
	if (r != ROUND_RN)
		fesetround(r == ROUND_RZ   ? FE_TOWARDZERO
			   : r == ROUND_RM ? FE_DOWNWARD
			   : r == ROUND_RP ? FE_UPWARD
					   : FE_TONEAREST);
}

void sem_reset_rounding(enum rounding r)
{
	if (r != ROUND_RN)
		fesetround(FE_TONEAREST);
}

static u64 convert_to_float_bits(double v, const struct cvt *c)
{
	union {
		float f;
		u32 u;
	} f;
	union {
		double f;
		u64 u;
	} d = {.f = v};

	if (c->relu && !(v > 0) && v == v)
		v = 0;
	if (c->sat)
		v = v > 0 ? v < 1 ? v : 1 : 0;
	d.f = v;
	if (c->to_type == T_F64)
		return d.u;
	if (c->to_type == T_F32) {
		if (v != v)
			return 0x7fffffff;
		sem_set_rounding(c->round);
		volatile double in = v;
		f.f = (float)in;
		sem_reset_rounding(c->round);
		return c->ftz && fabsf(f.f) < FLT_MIN ? f.u & 0x80000000u : f.u;
	}
	u32 b = small_of_double(v, small_format_of(c->to_type), c->round, c->satfinite);
	return c->to_type == T_TF32 ? b << 13 : b;
}

static double round_to_integral(double v, unsigned how)
{
	switch (how) {
	case INTEGRAL_RN: return nearbyint(v);
	case INTEGRAL_RZ: return trunc(v);
	case INTEGRAL_RM: return floor(v);
	case INTEGRAL_RP: return ceil(v);
	default: return v;
	}
}

/* ---- conversions by kind ---- */

static void convert_int_to_int(struct warp *w, const struct op *o, uint32_t m)
{
	struct cvt c;

	unpack_cvt(o->x, &c);
	bool s = types[c.from_type].kind == K_SINT;
	FOR_BITS32 (i, m) {
		s64 v = load_integer_lane(w->frame + o->a, &c, i);

		if (c.sat) {
			if (s && v < type_min(c.to_type))
				v = type_min(c.to_type);
			else if (!(s && v < 0) && (u64)v > type_max(c.to_type))
				v = (s64)type_max(c.to_type);
		}
		store_integer_lane(w->frame + o->d, &c, i, (u64)v);
	}
}

static void convert_float_to_int(struct warp *w, const struct op *o, uint32_t m)
{
	struct cvt c;

	unpack_cvt(o->x, &c);
	FOR_BITS32 (i, m) {
		double v = round_to_integral(load_float_lane(w->frame + o->a, &c, i), c.integral_rounding);
		u64 r;

		if (v != v)
			r = c.from_type == T_F64 || types[c.to_type].bits == 64
				    ? 1ull << (types[c.to_type].bits - 1)
				    : 0;
		else if (v <= (double)type_min(c.to_type))
			r = (u64)type_min(c.to_type);
		else if (v >= (double)type_max(c.to_type))
			r = type_max(c.to_type);
		else
			r = v < 0 ? (u64)(s64)v : (u64)v;
		store_integer_lane(w->frame + o->d, &c, i, r);
	}
}

/* Returns a 64-bit integer as a double, rounded to odd, so that a second rounding is correct. */
static double double_rounded_to_odd(s64 v, bool is_signed)
{
	u64 a = is_signed && v < 0 ? 0 - (u64)v : (u64)v;
	unsigned over = a >> 53 ? 11 - (unsigned)__builtin_clzll(a) : 0;
	u64 kept = a >> over;

	if (kept << over != a)
		kept |= 1;
	return ldexp((double)kept, (int)over) * (is_signed && v < 0 ? -1 : 1);
}

static void convert_int_to_float(struct warp *w, const struct op *o, uint32_t m)
{
	struct cvt c;

	unpack_cvt(o->x, &c);
	bool s = types[c.from_type].kind == K_SINT;
	FOR_BITS32 (i, m) {
		s64 v = load_integer_lane(w->frame + o->a, &c, i);

		if (c.to_type == T_F64) {
			union {
				double f;
				u64 u;
			} d;

			sem_set_rounding(c.round);
			volatile s64 in = v;
			d.f = s ? (double)in : (double)(u64)in;
			sem_reset_rounding(c.round);
			if (c.sat)
				d.f = d.f > 0 ? d.f < 1 ? d.f : 1 : 0;
			write_lane_bits(w->frame + o->d, c.d_bytes, i, d.u);
		} else {
			write_lane_bits(w->frame + o->d, c.d_bytes, i,
				convert_to_float_bits(double_rounded_to_odd(v, s), &c));
		}
	}
}

/*
 * Sets *r to the result of a conversion that compiled code executes as integer instructions, which keep bits of NaNs.
 * Returns false for all others.
 */
static bool convert_bits(const struct cvt *c, u32 a, u32 *r)
{
	bool moves = c->from_type == T_BF16 && c->to_type == T_F32 && !c->ftz;

	if (moves)
		*r = a << 16;
	else if (c->round == ROUND_RNA)
		*r = c->satfinite ? cvt_finite_tf32_away(a) : cvt_tf32_away(a);
	return moves || c->round == ROUND_RNA;
}

static void convert_float_to_float(struct warp *w, const struct op *o, uint32_t m)
{
	struct cvt c;

	unpack_cvt(o->x, &c);
	FOR_BITS32 (i, m) {
		double v = round_to_integral(load_float_lane(w->frame + o->a, &c, i), c.integral_rounding);
		u32 bits;

		if (convert_bits(&c, (u32)read_lane_bits(w->frame + o->a, c.s_bytes, i), &bits)) {
			write_lane_bits(w->frame + o->d, c.d_bytes, i, bits);
			continue;
		}
		if (c.ftz && c.to_type == T_F32 && c.from_type == T_F32 && fabs(v) < (double)FLT_MIN)
			v = copysign(0, v);
		write_lane_bits(w->frame + o->d, c.d_bytes, i, convert_to_float_bits(v, &c));
	}
}

/* ---- binding ---- */

enum rounding sem_rounding_suffix(const struct stmt *in)
{
	return stmt_has(in, M_RZ)    ? ROUND_RZ
	       : stmt_has(in, M_RM)  ? ROUND_RM
	       : stmt_has(in, M_RP)  ? ROUND_RP
	       : stmt_has(in, M_RNA) ? ROUND_RNA
	       : stmt_has(in, M_RS)  ? ROUND_RS
				     : ROUND_RN;
}

static bool is_convertible(enum type t)
{
	switch (t) {
	case T_U8:
	case T_S8:
	case T_U16:
	case T_S16:
	case T_U32:
	case T_S32:
	case T_U64:
	case T_S64:
	case T_F16:
	case T_BF16:
	case T_TF32:
	case T_F32:
	case T_F64: return true;
	default: return false;
	}
}

static bool has_any_modifier(const struct stmt *in, const enum modifier *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (stmt_has(in, m[i]))
			return true;
	return false;
}

/* Returns the requirement that .sat, .relu or .satfinite violates; NULL if there is none. */
static const char *violated_clamp_rule(const struct stmt *in, enum type d, enum type s)
{
	static const enum modifier others[] = {M_RM, M_RP, M_FTZ, M_SAT};
	bool few = d == T_F16 || d == T_BF16 || d == T_TF32;

	if (stmt_has(in, M_SAT) && (d == T_BF16 || d == T_TF32 || (types[d].kind == K_FLOAT && s == T_BF16)))
		return "no .sat with .bf16 or .tf32";
	if (!stmt_has(in, M_RELU) && !stmt_has(in, M_SATFINITE))
		return NULL;
	if (!few || s != T_F32)
		return ".relu and .satfinite only from .f32 to a type of fewer bits";
	return has_any_modifier(in, others, 4)               ? ".relu and .satfinite only with .rn or .rz"
	       : stmt_has(in, M_RELU) && stmt_has(in, M_RNA) ? "no .relu with .rna"
							     : NULL;
}

/* Returns the requirement that the suffixes of a conversion violate; NULL if there is none. */
static const char *violated_suffix_rule(const struct stmt *in, enum type d, enum type s)
{
	static const enum modifier whole[] = {M_RNI, M_RZI, M_RMI, M_RPI}, near[] = {M_RN, M_RZ, M_RM, M_RP};
	bool df = types[d].kind == K_FLOAT, sf = types[s].kind == K_FLOAT,
	     rounds = has_any_modifier(in, near, 4);

	if (!is_convertible(d) || !is_convertible(s) || s == T_TF32 || (d == T_TF32 && s != T_F32))
		return "a conversion that PTX supports";
	if (has_any_modifier(in, whole, 4) && (!sf || (df && d != s)))
		return ".rni, .rzi, .rmi and .rpi to a whole number or within a type of floating point";
	if (rounds && !df && !sf)
		return "no rounding between whole numbers";
	if (rounds && df && sf && s != T_BF16 && (d == s || types[d].bits > types[s].bits))
		return "no rounding to a type that has every value";
	if (d == T_TF32 ? stmt_has(in, M_RM) || stmt_has(in, M_RP) || !(rounds || stmt_has(in, M_RNA))
			: stmt_has(in, M_RNA))
		return ".rna only to .tf32, and there .rn, .rz or .rna";
	if (stmt_has(in, M_FTZ) && ((d != T_F32 && s != T_F32) || d == T_TF32))
		return ".ftz only with .f32, and not to .tf32";
	return violated_clamp_rule(in, d, s);
}

/* Sets the fields of c from the types and the suffixes of a conversion. */
static void read_cvt_suffixes(const struct stmt *in, struct cvt *c)
{
	enum type d = (enum type)in->type[0], s = (enum type)in->type[1];

	c->to_type = d;
	c->from_type = s;
	c->integral_rounding = stmt_has(in, M_RNI)   ? INTEGRAL_RN
			       : stmt_has(in, M_RZI) ? INTEGRAL_RZ
			       : stmt_has(in, M_RMI) ? INTEGRAL_RM
			       : stmt_has(in, M_RPI) ? INTEGRAL_RP
						     : INTEGRAL_NO;
	if (types[s].kind == K_FLOAT && types[d].kind != K_FLOAT &&
		!c->integral_rounding) /* the old form of the suffixes */
		c->integral_rounding = stmt_has(in, M_RN)   ? INTEGRAL_RN
				       : stmt_has(in, M_RM) ? INTEGRAL_RM
				       : stmt_has(in, M_RP) ? INTEGRAL_RP
							    : INTEGRAL_RZ;
	c->round = sem_rounding_suffix(in);
	c->sat = stmt_has(in, M_SAT);
	c->ftz = stmt_has(in, M_FTZ);
	c->relu = stmt_has(in, M_RELU);
	c->satfinite = stmt_has(in, M_SATFINITE);
}

static void pack_cvt(struct ext *x, const struct cvt *c)
{
	x->bytes[0] = c->d_bytes;
	x->bytes[1] = c->s_bytes;
	x->aux[0] = c->to_type;
	x->aux[1] = c->from_type;
	x->aux[2] = (c->sat ? 1u : 0) | (c->ftz ? 2u : 0) | (c->relu ? 4u : 0) | (c->satfinite ? 8u : 0);
	x->aux[3] = c->round;
	x->aux[4] = c->integral_rounding;
}

int bind_cvt(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct cvt c = {0};
	const char *wanted;

	if (stmt_has(in, M_PACK))
		return bind_pack(b, o);
	if (bind_types(b, 2))
		return -1;
	if (stmt_has(in, M_RS) || narrow_is_packed_type((enum type)in->type[0]) ||
		narrow_is_packed_type((enum type)in->type[1]))
		return bind_narrow(b, o, sem_rounding_suffix(in));
	wanted = violated_suffix_rule(in, (enum type)in->type[0], (enum type)in->type[1]);
	if (wanted)
		return bind_fault(b, NULL, "suffix", "%s (expected %s)", in->text, wanted);
	if (bind_operands(b, 2, 2))
		return -1;
	read_cvt_suffixes(in, &c);
	bool d_float = types[c.to_type].kind == K_FLOAT, s_float = types[c.from_type].kind == K_FLOAT;
	o->d = bind_dst_any(b, &k[0], types[c.to_type].bits / 8, &c.d_bytes);
	o->a = bind_src_any(b, &k[1], c.from_type, &c.s_bytes);
	if (o->d == UINT32_MAX || o->a == UINT32_MAX)
		return -1;
	if (c.d_bytes > 8 || c.s_bytes > 8)
		return bind_refuse(b, "registers of at most 64 bits");
	o->execute = cvt_vector_function(&c);
	if (!o->execute)
		o->execute = d_float   ? s_float ? convert_float_to_float : convert_int_to_float
			     : s_float ? convert_float_to_int
				       : convert_int_to_int;
	pack_cvt(bind_ext(b, o), &c);
	return 0;
}
