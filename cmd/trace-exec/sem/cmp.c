/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons and choices: setp set selp slct.
 *
 * Each type has one function, which compares 32 lanes and returns a bit mask for each of less, equal and
 * unordered. The relation of the suffix is combined from these masks. Always true: .ftz compares subnormals
 * as zeros.
 */
#include <float.h>
#include <math.h>
#include "sem/sem.h"

struct order {
	u32 less, equal, unordered;
};

typedef struct order order_fn(const void *a, const void *b);

#define ORDER(name, T) \
	LANE_FN static struct order name(const void *pa, const void *pb) \
	{ \
		const T *a = pa, *b = pb; \
		u32 less = 0, equal = 0; \
		for (unsigned i = 0; i < LANES; i++) { \
			less |= (u32)(a[i] < b[i]) << i; \
			equal |= (u32)(a[i] == b[i]) << i; \
		} \
		return (struct order){less, equal, 0}; \
	}
ORDER(order_u16, u16)
ORDER(order_s16, s16)
ORDER(order_u32, u32)
ORDER(order_s32, s32)
ORDER(order_u64, u64)
ORDER(order_s64, s64)

#define ORDER_FLOAT(name, T, V) \
	LANE_FN static struct order name(const void *pa, const void *pb) \
	{ \
		const T *a = pa, *b = pb; \
		u32 less = 0, equal = 0, un = 0; \
		for (unsigned i = 0; i < LANES; i++) { \
			V(x, a[i]) \
			V(y, b[i]) \
			less |= (u32)(x < y) << i; \
			equal |= (u32)(x == y) << i; \
			un |= (u32)(x != x || y != y) << i; \
		} \
		return (struct order){less, equal, un}; \
	}
#define PLAIN32(x, v) float x = v;
#define FTZ32(x, v)   float x = fabsf(v) < FLT_MIN ? 0 : v;
#define PLAIN64(x, v) double x = v;
#define HALF(x, v)    double x = small_value(v, SMALL_F16);
#define FTZ16(x, v)   double x = fabs(small_value(v, SMALL_F16)) < 0x1p-14 ? 0 : small_value(v, SMALL_F16);
#define BHALF(x, v)   double x = small_value(v, SMALL_BF16);
ORDER_FLOAT(order_f32, float, PLAIN32)
ORDER_FLOAT(order_ftz32, float, FTZ32)
ORDER_FLOAT(order_f64, double, PLAIN64)
ORDER_FLOAT(order_f16, u16, HALF)
ORDER_FLOAT(order_ftz16, u16, FTZ16)
ORDER_FLOAT(order_bf16, u16, BHALF)
static order_fn *const order_functions[N_TYPES] = {
	[T_U16] = order_u16,
	[T_S16] = order_s16,
	[T_B16] = order_u16,
	[T_U32] = order_u32,
	[T_S32] = order_s32,
	[T_B32] = order_u32,
	[T_U64] = order_u64,
	[T_S64] = order_s64,
	[T_B64] = order_u64,
	[T_F32] = order_f32,
	[T_F64] = order_f64,
	[T_F16] = order_f16,
	[T_BF16] = order_bf16,
};

/* Outcomes (less, equal, unordered) for which each relation is true. */
enum { IS_LESS = 1, IS_EQUAL = 2, IS_GREATER = 4, IS_UNORDERED = 8 };
static const struct {
	enum modifier modifier;
	uint8_t outcomes;
} relation[] = {
	{M_EQ, IS_EQUAL},
	{M_NE, IS_LESS | IS_GREATER},
	{M_LT, IS_LESS},
	{M_LE, IS_LESS | IS_EQUAL},
	{M_GT, IS_GREATER},
	{M_GE, IS_GREATER | IS_EQUAL},
	{M_LO, IS_LESS},
	{M_LS, IS_LESS | IS_EQUAL},
	{M_HI, IS_GREATER},
	{M_HS, IS_GREATER | IS_EQUAL},
	{M_EQU, IS_EQUAL | IS_UNORDERED},
	{M_NEU, IS_LESS | IS_GREATER | IS_UNORDERED},
	{M_LTU, IS_LESS | IS_UNORDERED},
	{M_LEU, IS_LESS | IS_EQUAL | IS_UNORDERED},
	{M_GTU, IS_GREATER | IS_UNORDERED},
	{M_GEU, IS_GREATER | IS_EQUAL | IS_UNORDERED},
	{M_NUM, IS_LESS | IS_EQUAL | IS_GREATER},
	{M_ISNAN, IS_UNORDERED},
};

static u32 select_true_lanes(const struct order *r, unsigned is)
{
	return (is & IS_LESS ? r->less : 0) | (is & IS_EQUAL ? r->equal : 0) |
	       (is & IS_UNORDERED ? r->unordered : 0) |
	       (is & IS_GREATER ? ~(r->less | r->equal | r->unordered) : 0);
}

enum { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };

static u32 combine_predicates(unsigned how, u32 v, u32 q)
{
	return how == BOOL_AND ? v & q : how == BOOL_OR ? v | q : how ? v ^ q : v;
}

static u32 compare_lanes(const struct warp *w, const struct op *o)
{
	order_fn *const *fn = (order_fn *const *)(const void *)&o->imm;
	struct order r = (*fn)(w->frame + o->a, w->frame + o->b);

	return select_true_lanes(&r, o->n);
}

static void execute_setp(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *p = &PRED(w, o->d);

	*p = (*p & ~m) | (compare_lanes(w, o) & m);
}

/* Executes setp with destination p|q, or with a third predicate. */
static void execute_setp_combined(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v = compare_lanes(w, o), c = PRED(w, o->c) ^ o->x->aux[0];
	u32 *p = &PRED(w, o->d), *q = &PRED(w, o->x->slot[0]);
	u32 first = combine_predicates(o->mode, v, c), second = combine_predicates(o->mode, ~v, c);

	*p = (*p & ~m) | (first & m);
	*q = (*q & ~m) | (second & m);
}

/* Splits a register of f16x2 into the low halves of all lanes (for p) and the high halves (for q). */
static void split_halves(const struct warp *w, uint32_t slot, u16 *lo, u16 *hi)
{
	const u32 *r = REG(u32, w, slot);

	for (unsigned i = 0; i < LANES; i++) {
		lo[i] = (u16)r[i];
		hi[i] = (u16)(r[i] >> 16);
	}
}

static void compare_halves(const struct warp *w, const struct op *o, u32 v[2])
{
	order_fn *const *fn = (order_fn *const *)(const void *)&o->imm;
	u16 a[2][LANES], b[2][LANES];

	split_halves(w, o->a, a[0], a[1]);
	split_halves(w, o->b, b[0], b[1]);
	for (unsigned k = 0; k < 2; k++) {
		struct order r = (*fn)(a[k], b[k]);

		v[k] = select_true_lanes(&r, o->n);
	}
}

static void execute_setp_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v[2], c = PRED(w, o->c) ^ o->x->aux[0];
	u32 *p = &PRED(w, o->d), *q = &PRED(w, o->x->slot[0]);

	compare_halves(w, o, v);
	*p = (*p & ~m) | (combine_predicates(o->mode, v[0], c) & m);
	*q = (*q & ~m) | (combine_predicates(o->mode, v[1], c) & m);
}

static void execute_set(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v = combine_predicates(o->mode, compare_lanes(w, o), PRED(w, o->c) ^ o->x->aux[0]);

	FOR_BITS32 (i, m) {
		bool t = v >> i & 1;

		if (o->reg_bytes == 2)
			REG(u16, w, o->d)[i] = t ? (u16)o->x->aux[1] : 0;
		else
			REG(u32, w, o->d)[i] = t ? o->x->aux[1] : 0;
	}
}

static void execute_set_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v[2], c = PRED(w, o->c) ^ o->x->aux[0];

	compare_halves(w, o, v);
	v[0] = combine_predicates(o->mode, v[0], c);
	v[1] = combine_predicates(o->mode, v[1], c);
	FOR_BITS32 (i, m)
		REG(u32, w, o->d)
	[i] = (v[0] >> i & 1 ? o->x->aux[1] & 0xffff : 0) | (v[1] >> i & 1 ? o->x->aux[1] << 16 : 0);
}

/* Binds the sources a and b, which are the operands `first` and first + 1, the relation and the third predicate. */
static int bind_compare(struct bind *b, struct op *o, enum type t, unsigned first)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct ext *x = bind_ext(b, o);
	enum type each = t == T_F16X2 ? T_F16 : t == T_BF16X2 ? T_BF16 : t;
	bool ftz = stmt_has(in, M_FTZ);
	order_fn *fn = ftz && each == T_F32   ? order_ftz32
		       : ftz && each == T_F16 ? order_ftz16
					      : order_functions[each];
	unsigned n = 0;

	o->mode = stmt_has(in, M_AND)   ? BOOL_AND
		  : stmt_has(in, M_OR)  ? BOOL_OR
		  : stmt_has(in, M_XOR) ? BOOL_XOR
					: BOOL_NONE;
	if (bind_operands(b, first + 2 + (o->mode ? 1 : 0), first + 2 + (o->mode ? 1 : 0)))
		return -1;
	for (unsigned i = 0; i < sizeof(relation) / sizeof(relation[0]); i++)
		if (stmt_has(in, relation[i].modifier)) {
			o->n = relation[i].outcomes;
			n++;
		}
	if (!fn || n != 1)
		return bind_fault(b, NULL, "types",
			"%s (expected one comparison and a type that it supports)", in->text);
	memcpy(&o->imm, &fn, sizeof(fn));
	o->a = bind_src(b, &k[first], t);
	o->b = bind_src(b, &k[first + 1], t);
	o->c = 0;
	x->aux[0] = 0;
	if (o->mode) {
		struct operand c = k[first + 2];

		x->aux[0] = c.inverted ? ALL_LANES : 0;
		c.inverted = false;
		o->c = bind_src(b, &c, T_PRED);
	}
	return o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}

int bind_setp(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	enum type t = (enum type)b->stmt->type[0];
	bool pair = t == T_F16X2 || t == T_BF16X2, two;

	if (bind_types(b, 1) || bind_compare(b, o, t, 1))
		return -1;
	two = k[0].kind == O_VEC && k[0].is_pair;
	if (pair && !two)
		return bind_fault(
			b, &k[0], "operand", "packed comparison has one destination (expected p|q)");
	if ((o->d = bind_dst(b, two ? &k[0].elem[0] : &k[0], 1)) == UINT32_MAX)
		return -1;
	if ((o->x->slot[0] = two ? bind_dst(b, &k[0].elem[1], 1) : bind_scratch(b, 0)) == UINT32_MAX)
		return -1;
	o->execute = pair ? execute_setp_pair : two || o->mode ? execute_setp_combined : execute_setp;
	return 0;
}

int bind_set(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;

	if (bind_types(b, 2))
		return -1;
	enum type d = (enum type)b->stmt->type[0], t = (enum type)b->stmt->type[1];
	bool pair = (t == T_F16X2 || t == T_BF16X2) && types[d].bits == 32;
	if (bind_compare(b, o, t, 1) || (o->d = bind_dst(b, &k[0], types[d].bits)) == UINT32_MAX)
		return -1;
	if (types[d].bits != 32 && types[d].bits != 16)
		return bind_fault(b, NULL, "types", "%s (expected a result of 16 or 32 bits)", b->stmt->text);
	o->reg_bytes = (uint8_t)(types[d].bits / 8);
	o->x->aux[1] = d == T_F32      ? 0x3f800000u
		       : d == T_F16X2  ? 0x3c003c00u
		       : d == T_BF16X2 ? 0x3f803f80u
		       : d == T_F16    ? 0x3c00u
		       : d == T_BF16   ? 0x3f80u
				       : 0xffffffffu;
	o->execute = pair ? execute_set_pair : execute_set;
	return 0;
}

/* ---- choices ---- */

#define SELECT(name, T) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		const T *a = REG(T, w, o->a), *b = REG(T, w, o->b); \
		u32 p = PRED(w, o->c) ^ (u32)o->imm; \
		T *d = REG(T, w, o->d); \
		EACH_LANE (i) { \
			T r = p >> i & 1 ? a[i] : b[i]; \
			d[i] = m >> i & 1 ? r : d[i]; \
		} \
	}
SELECT(selp_16, u16)
SELECT(selp_32, u32)
SELECT(selp_64, u64)

int bind_selp(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	enum type t = (enum type)b->stmt->type[0];
	unsigned bits = types[t].bits;
	struct operand c;

	if (bind_types(b, 1) || bind_operands(b, 4, 4))
		return -1;
	o->execute = bits == 16 ? selp_16 : bits == 32 ? selp_32 : bits == 64 ? selp_64 : NULL;
	if (!o->execute)
		return bind_plain(b, o, NULL, t, NULL, 0);
	c = k[3];
	o->imm = c.inverted ? ALL_LANES : 0;
	c.inverted = false;
	o->d = bind_dst(b, &k[0], bits);
	o->a = bind_src(b, &k[1], t);
	o->b = bind_src(b, &k[2], t);
	o->c = bind_src(b, &c, T_PRED);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}

static inline bool at_least_zero(float v, bool ftz) { return ftz && fabsf(v) < FLT_MIN ? true : v >= 0; }
#define SLCT(bits) \
	LANE_OP3(slct_##bits##_s, u##bits, u##bits, u##bits, s32, c >= 0 ? a : b) \
	LANE_OP3(slct_##bits##_f, u##bits, u##bits, u##bits, float, at_least_zero(c, o->mode) ? a : b)
SLCT(16)
SLCT(32)
SLCT(64)

int bind_slct(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0], c = (enum type)b->stmt->type[1];
	unsigned bits = types[t].bits;
	bool f = c == T_F32;

	if (bind_types(b, 2))
		return -1;
	o->mode = stmt_has(b->stmt, M_FTZ);
	return BIND(b, o,
		!f && c != T_S32 ? NULL
		: bits == 16     ? f ? slct_16_f : slct_16_s
		: bits == 32     ? f ? slct_32_f : slct_32_s
		: bits == 64     ? f ? slct_64_f : slct_64_s
				 : NULL,
		t, t, t, c);
}
