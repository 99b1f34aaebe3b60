/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons: ISETP, FSETP, FSET, DSETP. The first result is the comparison, the second its opposite, each
 * combined with a predicate.
 *
 * Always true: a float comparison is combined from masks of lanes that are less, equal and unordered.
 */
#include "machine/code.h"

enum { BOOL_AND, BOOL_OR, BOOL_XOR };

static u32 combine_bool(unsigned how, u32 v, u32 p)
{
	return how == BOOL_AND ? v & p : how == BOOL_OR ? v | p : v ^ p;
}

/* Sets both predicate results from the comparison v. */
static void set_compare_results(struct warp *w, const struct op *o, uint32_t m, u32 v)
{
	u32 p = first_pred_source(w, o);

	set_pred(w, PDST1(o), m, combine_bool(o->n, v, p));
	if (PDST2(o) != FRAME_PSINK)
		set_pred(w, PDST2(o), m, combine_bool(o->n, ~v, p));
}

/* ---- integers ---- */

#define COMPARE(name, T, test) \
	LANE_FN static u32 name(const u32 *a, const u32 *b) \
	{ \
		u32 r = 0; \
		for (unsigned i = 0; i < LANES; i++) \
			r |= (u32)((T)a[i] test(T) b[i]) << i; \
		return r; \
	}
COMPARE(lanes_less_signed, s32, <)
COMPARE(lanes_less_unsigned, u32, <)
COMPARE(lanes_equal, u32, ==)

typedef u32 compare_fn(const u32 *a, const u32 *b);

/* Define a function for ISETP. o->mode 1: the test is inverted. The operands of .GT and .LE have been swapped. */
#define ISETP(name, test) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		u32 v = test(REG(u32, w, o->a), REG(u32, w, o->b)); \
		set_compare_results(w, o, m, o->mode & 1 ? ~v : v); \
	}
ISETP(isetp_signed, lanes_less_signed)
ISETP(isetp_unsigned, lanes_less_unsigned)
ISETP(isetp_equal, lanes_equal)

static void isetp_constant(struct warp *w, const struct op *o, uint32_t m)
{
	set_compare_results(w, o, m, o->mode & 1 ? ALL_LANES : 0);
}

enum { ICMP_F, ICMP_LT, ICMP_EQ, ICMP_LE, ICMP_GT, ICMP_NE, ICMP_GE, ICMP_T };

/* Executes ISETP.EX: compares upper words. The second source predicate is the comparison of the lower words. */
static void isetp_extended(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b);
	u32 equal = lanes_equal(a, b), low = second_pred_source(w, o), v;
	u32 less = o->is_signed ? lanes_less_signed(a, b) : lanes_less_unsigned(a, b);

	switch (o->bytes) {
	case ICMP_LT:
	case ICMP_LE: v = less | (equal & low); break;
	case ICMP_GT:
	case ICMP_GE: v = (~less & ~equal) | (equal & low); break;
	case ICMP_EQ: v = equal & low; break;
	case ICMP_NE: v = ~equal | low; break;
	default: v = o->bytes == ICMP_T ? ALL_LANES : 0;
	}
	set_compare_results(w, o, m, v);
}

/* Executes ISETP on pairs of registers (sm_110 and later). */
static void isetp_pairs(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);
	u64 flip = o->is_signed ? 1ull << 63 : 0;
	u32 less = 0, equal = 0, v;

	for (unsigned i = 0; i < LANES; i++) {
		u64 a = (pa[i] | (u64)pa[i + LANES] << 32) ^ flip,
		    b = (pb[i] | (u64)pb[i + LANES] << 32) ^ flip;

		less |= (u32)(a < b) << i;
		equal |= (u32)(a == b) << i;
	}
	switch (o->bytes) {
	case ICMP_LT: v = less; break;
	case ICMP_LE: v = less | equal; break;
	case ICMP_GT: v = ~(less | equal); break;
	case ICMP_GE: v = ~less; break;
	case ICMP_EQ: v = equal; break;
	case ICMP_NE: v = ~equal; break;
	default: v = o->bytes == ICMP_T ? ALL_LANES : 0;
	}
	set_compare_results(w, o, m, v);
}

int mbind_isetp(struct mbind *b, struct op *o)
{
	bool pairs = b->code->sm >= 110 && bit(b, 80);
	unsigned cmp = (unsigned)field(b, 76, 3);
	bool is_signed = bit(b, 73);

	if (mbind_two_sources(
		    b, o, TWO_OPERANDS | (pairs ? WIDE_A | WIDE_B | WIDE_C | SIGNED_IMMEDIATE : WIDE_NONE)))
		return -1;
	if (pairs && bit(b, 72))
		return mbind_refuse(b, ".EX of 64 bits");
	o->mode = 0;
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	o->n = (uint8_t)field(b, 74, 2);
	o->imm = mbind_pred(b, 87, b->uniform) | mbind_pred(b, 68, b->uniform) << 32;
	o->is_signed = is_signed;
	o->bytes = (uint8_t)cmp;
	if (pairs) {
		machine_set_function(o, isetp_pairs);
		return 0;
	}
	if (bit(b, 72)) {
		machine_set_function(o, isetp_extended);
		return 0;
	}
	if (cmp == ICMP_GT || cmp == ICMP_LE) {
		uint32_t t = o->a;

		o->a = o->b;
		o->b = t;
	}
	o->mode = cmp == ICMP_LE || cmp == ICMP_GE || cmp == ICMP_NE || cmp == ICMP_T;
	machine_set_function(o, cmp == ICMP_F || cmp == ICMP_T     ? isetp_constant
				: cmp == ICMP_EQ || cmp == ICMP_NE ? isetp_equal
				: is_signed                        ? isetp_signed
								   : isetp_unsigned);
	return 0;
}

/* ---- floating point ---- */

enum { IS_LESS = 1, IS_EQUAL = 2, IS_GREATER = 4, IS_UNORDERED = 8 };

struct lane_order {
	u32 less, equal, unordered;
};

/* Outcomes for which a comparison is true, by the number of the comparison. */
static const uint8_t true_outcomes[16] = {0, IS_LESS, IS_EQUAL, IS_LESS | IS_EQUAL, IS_GREATER,
	IS_LESS | IS_GREATER, IS_GREATER | IS_EQUAL, IS_LESS | IS_EQUAL | IS_GREATER, IS_UNORDERED,
	IS_LESS | IS_UNORDERED, IS_EQUAL | IS_UNORDERED, IS_LESS | IS_EQUAL | IS_UNORDERED,
	IS_GREATER | IS_UNORDERED, IS_LESS | IS_GREATER | IS_UNORDERED, IS_GREATER | IS_EQUAL | IS_UNORDERED,
	15};

static u32 lanes_where_true(const struct lane_order *r, unsigned is)
{
	return (is & IS_LESS ? r->less : 0) | (is & IS_EQUAL ? r->equal : 0) |
	       (is & IS_UNORDERED ? r->unordered : 0) |
	       (is & IS_GREATER ? ~(r->less | r->equal | r->unordered) : 0);
}

LANE_FN static struct lane_order compare_float_lanes(const u32 *pa, const u32 *pb, unsigned mode, bool ftz)
{
	u32 na = mode & ABS_A ? 0x7fffffff : ~0u, nb = mode & ABS_B ? 0x7fffffff : ~0u,
	    xa = mode & NEG_A ? 0x80000000 : 0, xb = mode & NEG_B ? 0x80000000 : 0, less = 0, equal = 0,
	    un = 0;

	for (unsigned i = 0; i < LANES; i++) {
		u32 ua = (pa[i] & na) ^ xa, ub = (pb[i] & nb) ^ xb;

		ua = ftz && !(ua & 0x7f800000) ? 0 : ua;
		ub = ftz && !(ub & 0x7f800000) ? 0 : ub;
		float a = ieee_f32(ua), b = ieee_f32(ub);
		less |= (u32)(a < b) << i;
		equal |= (u32)(a == b) << i;
		un |= (u32)(a != a || b != b) << i;
	}
	return (struct lane_order){less, equal, un};
}

LANE_FN static struct lane_order compare_double_lanes(const u32 *pa, const u32 *pb, unsigned mode)
{
	u64 na = mode & ABS_A ? ~(1ull << 63) : ~0ull, nb = mode & ABS_B ? ~(1ull << 63) : ~0ull,
	    xa = mode & NEG_A ? 1ull << 63 : 0, xb = mode & NEG_B ? 1ull << 63 : 0;
	u32 less = 0, equal = 0, un = 0;

	for (unsigned i = 0; i < LANES; i++) {
		double a = ieee_f64(((pa[i] | (u64)pa[i + LANES] << 32) & na) ^ xa),
		       b = ieee_f64(((pb[i] | (u64)pb[i + LANES] << 32) & nb) ^ xb);

		less |= (u32)(a < b) << i;
		equal |= (u32)(a == b) << i;
		un |= (u32)(a != a || b != b) << i;
	}
	return (struct lane_order){less, equal, un};
}

static void execute_fsetp(struct warp *w, const struct op *o, uint32_t m)
{
	struct lane_order r = compare_float_lanes(REG(u32, w, o->a), REG(u32, w, o->b), o->mode, o->is_param);

	set_compare_results(w, o, m, lanes_where_true(&r, o->bytes));
}

/* Executes FSET: the result is 1.0 or 0. */
static void execute_fset(struct warp *w, const struct op *o, uint32_t m)
{
	struct lane_order r = compare_float_lanes(REG(u32, w, o->a), REG(u32, w, o->b), o->mode, o->is_param);
	u32 v = combine_bool(o->n, lanes_where_true(&r, o->bytes), first_pred_source(w, o)),
	    *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m)
		d[i] = v >> i & 1 ? 0x3f800000 : 0;
}

static int bind_float_compare(struct mbind *b, struct op *o)
{
	if (mbind_forms(b, o, TWO_OPERANDS))
		return -1;
	if (mbind_has_constant_c(b))
		return mbind_refuse(b, "form of operands");
	o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
	o->bytes = true_outcomes[field(b, 76, 4)];
	o->is_param = bit(b, 80);
	o->n = (uint8_t)field(b, 74, 2);
	o->imm = mbind_pred(b, 87, b->uniform);
	return 0;
}

int mbind_fsetp(struct mbind *b, struct op *o)
{
	if (bind_float_compare(b, o))
		return -1;
	o->target = mbind_pdst(b, 81, b->uniform);
	o->rpc = mbind_pdst(b, 84, b->uniform);
	o->d = FRAME_SINK;
	machine_set_function(o, execute_fsetp);
	return 0;
}

int mbind_fset(struct mbind *b, struct op *o)
{
	machine_set_function(o, execute_fset);
	return bind_float_compare(b, o);
}

static void execute_dsetp(struct warp *w, const struct op *o, uint32_t m)
{
	struct lane_order r = compare_double_lanes(REG(u32, w, o->a), REG(u32, w, o->b), o->mode);

	set_compare_results(w, o, m, lanes_where_true(&r, o->bytes));
}

/*
 * Executes DSETP.MIN and .MAX. The first result is whether a is chosen, the second whether both are NaN. -0 is
 * below +0.
 */
static void execute_dsetp_min_max(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);
	struct lane_order r = compare_double_lanes(pa, pb, o->mode);
	u32 nan_a = 0, nan_b = 0, below = 0, above = 0, first;
	unsigned na = o->mode & ABS_A ? 0 : 1, nb = o->mode & ABS_B ? 0 : 1, xa = o->mode & NEG_A ? 1 : 0,
		 xb = o->mode & NEG_B ? 1 : 0;

	for (unsigned i = 0; i < LANES; i++) {
		nan_a |= (u32)((pa[i + LANES] & 0x7fffffff) > 0x7ff00000 ||
				 ((pa[i + LANES] & 0x7fffffff) == 0x7ff00000 && pa[i]))
			 << i;
		nan_b |= (u32)((pb[i + LANES] & 0x7fffffff) > 0x7ff00000 ||
				 ((pb[i + LANES] & 0x7fffffff) == 0x7ff00000 && pb[i]))
			 << i;
		bool sign_a = (pa[i + LANES] >> 31 & na) ^ xa, sign_b = (pb[i + LANES] >> 31 & nb) ^ xb;

		below |= (u32)(sign_a > sign_b) << i;
		above |= (u32)(sign_a < sign_b) << i;
	}
	first = o->is_signed ? ~(r.less | r.equal | r.unordered) | (r.equal & above)
			     : r.less | (r.equal & below);
	set_pred(w, PDST1(o), m, (first | nan_b) & ~nan_a);
	set_pred(w, PDST2(o), m, nan_a & nan_b);
}

int mbind_dsetp(struct mbind *b, struct op *o)
{
	unsigned cmp = (unsigned)field(b, 76, 4);

	if (mbind_forms(b, o, WIDE_A | WIDE_B | WIDE_C | F64_IMMEDIATE | TWO_OPERANDS))
		return -1;
	if (mbind_is_swapped(b)) {
		unsigned signs = o->mode;

		o->b = o->c;
		o->mode = (uint8_t)((signs & (NEG_A | ABS_A)) | (signs & NEG_C ? NEG_B : 0) |
				    (signs & ABS_C ? ABS_B : 0));
	}
	o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
	o->bytes = true_outcomes[cmp];
	o->n = (uint8_t)field(b, 74, 2);
	o->is_signed = cmp == 15;
	o->imm = mbind_pred(b, 87, false);
	o->target = mbind_pdst(b, 81, false);
	o->rpc = mbind_pdst(b, 84, false);
	o->d = FRAME_SINK;
	machine_set_function(o, cmp == 0 || cmp == 15 ? execute_dsetp_min_max : execute_dsetp);
	return 0;
}
