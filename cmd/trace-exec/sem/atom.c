/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomics: atom and red of every type, on global, shared and generic addresses.
 *
 * Always true: the lanes of a warp execute in ascending order. Scope and ordering suffixes have no effect, because
 * all threads see every store at once. A lock serialises thread blocks on several host threads. A sum of f32
 * in global memory flushes subnormal operands and results to zeros of the same sign; a sum in shared memory
 * does not.
 */
#include <math.h>
#include "exec/check.h"
#include "lang/ieee.h"
#include "sem/async.h"
#include "sem/atom.h"

/* Returns the bits of f, with the canonical NaN for all NaNs. */
static u64 canonical_f32_bits(float f) { return ieee_f32_bits(ieee_canonical_f32(f)); }

static u16 compute_small_atom(enum atom a, enum small f, u16 x, u16 y)
{
	double p = small_value(x, f), q = small_value(y, f);

	if (a == ATOM_ADD)
		return (u16)small_of_double(small_fma_to_odd(p, 1, q), f, ROUND_RN, false);
	if (p != p || q != q)
		return p != p && q != q ? 0x7fff : p != p ? y : x;
	if (p == q)
		return a == ATOM_MIN ? x | y : x & y; /* -0 is less than +0 */
	return (p < q) == (a == ATOM_MIN) ? x : y;
}

static u64 compute_float_atom(enum atom a, enum type t, u64 x, u64 y)
{
	if (t == T_F64)
		return a == ATOM_ADD ? ieee_f64_bits(ieee_add_f64(ieee_f64(x), ieee_f64(y)))
				     : ieee_f64_bits(a == ATOM_MIN ? fmin(ieee_f64(x), ieee_f64(y))
								   : fmax(ieee_f64(x), ieee_f64(y)));
	if (t == T_F32)
		return a == ATOM_ADD ? canonical_f32_bits(ieee_f32((u32)x) + ieee_f32((u32)y))
				     : canonical_f32_bits(
					       a == ATOM_MIN ? fminf(ieee_f32((u32)x), ieee_f32((u32)y))
							     : fmaxf(ieee_f32((u32)x), ieee_f32((u32)y)));
	enum small f = t == T_BF16 || t == T_BF16X2 ? SMALL_BF16 : SMALL_F16;
	u64 lo = compute_small_atom(a, f, (u16)x, (u16)y);
	return t == T_F16 || t == T_BF16
		       ? lo
		       : lo | (u64)compute_small_atom(a, f, (u16)(x >> 16), (u16)(y >> 16)) << 16;
}

static bool atom_is_less(enum type t, u64 x, u64 y)
{
	return t == T_S32                 ? (s32)x < (s32)y
	       : t == T_S64               ? (s64)x < (s64)y
	       : t == T_U64 || t == T_B64 ? x < y
					  : (u32)x < (u32)y;
}

u64 atom_new_value(enum atom a, enum type t, u64 old, u64 b, u64 c)
{
	if (a < ATOM_INC && types[t].kind == K_FLOAT)
		return compute_float_atom(a, t, old, b);
	switch (a) {
	case ATOM_ADD: return old + b;
	case ATOM_MIN: return atom_is_less(t, b, old) ? b : old;
	case ATOM_MAX: return atom_is_less(t, old, b) ? b : old;
	case ATOM_INC: return (u32)old >= (u32)b ? 0 : old + 1;
	case ATOM_DEC: return !(u32)old || (u32)old > (u32)b ? b : old - 1;
	case ATOM_AND: return old & b;
	case ATOM_OR: return old | b;
	case ATOM_XOR: return old ^ b;
	case ATOM_EXCH: return b;
	default: return old == b ? c : old;
	}
}

static u64 read_lane_operand(const struct warp *w, uint32_t slot, unsigned bytes, unsigned i)
{
	return bytes == 2 ? REG(u16, w, slot)[i] : bytes == 4 ? REG(u32, w, slot)[i] : REG(u64, w, slot)[i];
}

static u64 flush_f32(u64 v) { return v & 0x7f800000 ? v : v & 0x80000000u; }

u64 atom_global_value(enum atom a, enum type t, u64 old, u64 b, u64 c)
{
	return a == ATOM_ADD && t == T_F32 ? flush_f32(compute_float_atom(a, t, flush_f32(old), flush_f32(b)))
					   : atom_new_value(a, t, old, b, c);
}

/* Executes an operation on an element of type T for the lanes of m in turn. Stores the old elements in `before`. */
#define EACH_ELEMENT(T, expr) \
	FOR_BITS32 (i, m) { \
		T old, b = pb[i], v; \
		memcpy(&old, at[i], sizeof(T)); \
		v = (expr); \
		memcpy(at[i], &v, sizeof(T)); \
		before[i] = old; \
		changed |= old ^ v; \
	}

u32 atom_apply_to_words(u32 *before, const u32 *pb, const u32 *pc, uint32_t m, uint8_t *const *at,
	enum atom a, enum type t, bool flush)
{
	bool is_signed = t == T_S32;
	u32 changed = 0;

	switch (a) {
	case ATOM_ADD:
		if (t == T_F32 && flush)
			EACH_ELEMENT(u32, (u32)atom_global_value(ATOM_ADD, T_F32, old, b, 0))
		else if (t == T_F32)
			EACH_ELEMENT(u32, (u32)canonical_f32_bits(ieee_f32(old) + ieee_f32(b)))
		else
			EACH_ELEMENT(u32, old + b)
		break;
	case ATOM_MIN: EACH_ELEMENT(u32, (is_signed ? (s32)b < (s32)old : b < old) ? b : old) break;
	case ATOM_MAX: EACH_ELEMENT(u32, (is_signed ? (s32)b > (s32)old : b > old) ? b : old) break;
	case ATOM_AND: EACH_ELEMENT(u32, old & b) break;
	case ATOM_OR: EACH_ELEMENT(u32, old | b) break;
	case ATOM_XOR: EACH_ELEMENT(u32, old ^ b) break;
	case ATOM_CAS: EACH_ELEMENT(u32, old == b ? pc[i] : old) break;
	default: EACH_ELEMENT(u32, b) /* ATOM_EXCH */
	}
	return changed;
}

bool atom_apply_to_pairs(
	u64 *before, const u64 *pb, const u64 *pc, uint32_t m, uint8_t *const *at, enum atom a, enum type t)
{
	bool is_signed = t == T_S64;
	u64 changed = 0;

	switch (a) {
	case ATOM_ADD:
		if (t == T_F64)
			EACH_ELEMENT(u64, ieee_f64_bits(ieee_add_f64(ieee_f64(old), ieee_f64(b))))
		else
			EACH_ELEMENT(u64, old + b)
		break;
	case ATOM_MIN: EACH_ELEMENT(u64, (is_signed ? (s64)b < (s64)old : b < old) ? b : old) break;
	case ATOM_MAX: EACH_ELEMENT(u64, (is_signed ? (s64)b > (s64)old : b > old) ? b : old) break;
	case ATOM_AND: EACH_ELEMENT(u64, old & b) break;
	case ATOM_OR: EACH_ELEMENT(u64, old | b) break;
	case ATOM_XOR: EACH_ELEMENT(u64, old ^ b) break;
	case ATOM_CAS: EACH_ELEMENT(u64, old == b ? pc[i] : old) break;
	default: EACH_ELEMENT(u64, b) /* ATOM_EXCH */
	}
	return changed;
}

bool atom_is_applied_to_lanes(enum atom a, enum type t)
{
	if (a == ATOM_INC || a == ATOM_DEC)
		return false;
	switch (t) {
	case T_U32:
	case T_S32:
	case T_B32:
	case T_U64:
	case T_S64:
	case T_B64: return true;
	case T_F32:
	case T_F64: return a == ATOM_ADD;
	default: return false;
	}
}

bool atom_is_in_shared(const struct warp *w, const uint8_t *at)
{
	const struct cluster *c = w->cta->cluster;

	for (uint32_t i = 0; i < c->n; i++)
		if ((uintptr_t)at - (uintptr_t)c->cta[i]->shared < c->cta[i]->shared_bytes)
			return true;
	return false;
}

static void execute_atom(struct warp *w, const struct op *o, uint32_t m)
{
	bool locked = w->grid->n_threads > 1 && o->space != SP_SHARED;
	bool changed = w->changed;
	struct ext *x = o->x;
	bool sum_f32 = x->aux[0] == ATOM_ADD && x->aux[1] == T_F32 && o->space != SP_SHARED;
	uint8_t *at[LANES];

	if (!mem_write(w, o, m, (uint64_t)o->bytes * o->n, at))
		return;
	if (locked)
		pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < o->n; k++) {
			u64 old = 0, v, b = read_lane_operand(w, x->slot[8 + k], o->reg_bytes, i),
			    c = x->aux[0] == ATOM_CAS ? read_lane_operand(w, o->c, o->reg_bytes, i) : 0;

			memcpy(&old, at[i] + k * o->bytes, o->bytes);
			v = (sum_f32 && !atom_is_in_shared(w, at[i]) ? atom_global_value : atom_new_value)(
				(enum atom)x->aux[0], (enum type)x->aux[1], old, b, c);
			changed |= memcmp(at[i] + k * o->bytes, &v, o->bytes) != 0;
			memcpy(at[i] + k * o->bytes, &v, o->bytes);
			if (o->is_signed)
				continue; /* red: the old value is unused */
			if (o->reg_bytes == 2)
				REG(u16, w, x->slot[k])[i] = (u16)old;
			else if (o->reg_bytes == 4)
				REG(u32, w, x->slot[k])[i] = (u32)old;
			else
				REG(u64, w, x->slot[k])[i] = old;
		}
	if (locked)
		pthread_mutex_unlock(&w->mem->lock);
	w->changed = changed;
}

/* Like execute_atom(), for one element of 32 or 64 bits in each lane. */
static void execute_atom_in_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	bool locked = w->grid->n_threads > 1 && o->space != SP_SHARED, changed = w->changed;
	const struct ext *x = o->x;
	enum atom a = (enum atom)x->aux[0];
	enum type t = (enum type)x->aux[1];
	uint32_t to = x->slot[0], from = x->slot[8];
	uint8_t *at[LANES];
	u64 unused[LANES];

	if (!mem_write(w, o, m, o->bytes, at))
		return;
	if (locked)
		pthread_mutex_lock(&w->mem->lock);
	if (o->bytes == 4)
		changed |= atom_apply_to_words(o->is_signed ? (u32 *)unused : REG(u32, w, to),
			REG(u32, w, from), REG(u32, w, o->c), m, at, a, t, o->space == SP_GLOBAL);
	else
		changed |= atom_apply_to_pairs(o->is_signed ? unused : REG(u64, w, to), REG(u64, w, from),
			REG(u64, w, o->c), m, at, a, t);
	if (locked)
		pthread_mutex_unlock(&w->mem->lock);
	w->changed = changed;
}

/* Returns true if execute_atom_in_lanes() can execute the op. */
static bool has_atom_in_lanes(const struct op *o)
{
	enum type t = (enum type)o->x->aux[1];

	return o->n == 1 && !(t == T_F32 && o->space == SP_GENERIC) &&
	       atom_is_applied_to_lanes((enum atom)o->x->aux[0], t);
}

/* Executes exch and cas of 128 bits. */
static void execute_atom_128(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!mem_write(w, o, m, 16, at))
		return;
	pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m) {
		const u64 *b = REG(u64, w, o->x->slot[8]), *c = REG(u64, w, o->c);
		u64 old[2], want[2] = {b[i], b[i + LANES]}, put[2] = {c[i], c[i + LANES]};

		memcpy(old, at[i], 16);
		if (o->x->aux[0] == ATOM_EXCH)
			memcpy(at[i], want, 16);
		else if (!memcmp(old, want, 16))
			memcpy(at[i], put, 16);
		if (!o->is_signed) {
			REG(u64, w, o->x->slot[0])[i] = old[0];
			REG(u64, w, o->x->slot[0])[i + LANES] = old[1];
		}
	}
	pthread_mutex_unlock(&w->mem->lock);
}

static const struct {
	enum modifier modifier;
	enum atom atom;
} operations[] = {
	{M_ADD, ATOM_ADD},
	{M_MIN, ATOM_MIN},
	{M_MAX, ATOM_MAX},
	{M_INC, ATOM_INC},
	{M_DEC, ATOM_DEC},
	{M_AND, ATOM_AND},
	{M_OR, ATOM_OR},
	{M_XOR, ATOM_XOR},
	{M_EXCH, ATOM_EXCH},
	{M_CAS, ATOM_CAS},
};

bool atom_is_supported(enum atom a, enum type t)
{
	unsigned bits = types[t].bits;

	if (types[t].kind == K_FLOAT)
		return a <= ATOM_MAX && types[t].bits >= 16 && t != T_TF32 && t != T_F32X2;
	if (a == ATOM_INC || a == ATOM_DEC)
		return t == T_U32;
	if (a <= ATOM_MAX)
		return (bits == 32 || bits == 64) && types[t].kind != K_PRED;
	if (a <= ATOM_XOR)
		return bits == 32 || bits == 64;
	return bits >= 16 && types[t].kind != K_PRED && types[t].kind != K_OPAQUE;
}

bool atom_is_supported_async(enum atom a, enum type t, bool global)
{
	bool whole = t == T_U32 || t == T_S32, half = t == T_F16 || t == T_BF16;

	switch (a) {
	case ATOM_ADD: return whole || t == T_U64 || (global && (half || t == T_F32 || t == T_F64));
	case ATOM_MIN:
	case ATOM_MAX: return whole || (global && (half || t == T_U64 || t == T_S64));
	case ATOM_INC:
	case ATOM_DEC: return t == T_U32;
	case ATOM_AND:
	case ATOM_OR:
	case ATOM_XOR: return t == T_B32 || (global && t == T_B64);
	default: return false;
	}
}

/* Binds source s and destination d (NULL: none): single registers, or vectors of o->n. */
static int bind_atom_values(
	struct bind *b, struct op *o, const struct operand *s, const struct operand *d, enum type t)
{
	unsigned n = o->n;

	if (n > 1 && (s->kind != O_VEC || s->n != n || (d && (d->kind != O_VEC || d->n != n))))
		return bind_fault(b, s, "operand", "not a vector of %u elements (expected {..})", n);
	for (unsigned e = 0; e < n; e++) {
		o->x->slot[8 + e] = bind_src(b, n > 1 ? &s->elem[e] : s, t);
		o->x->slot[e] = d ? bind_dst(b, n > 1 ? &d->elem[e] : d, types[t].bits) : 0;
		if (o->x->slot[8 + e] == UINT32_MAX || o->x->slot[e] == UINT32_MAX)
			return -1;
	}
	o->c = o->x->slot[8];
	return 0;
}

bool atom_find_operation(const struct stmt *in, enum type t, enum atom *a)
{
	unsigned found = 0;

	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (stmt_has(in, operations[i].modifier)) {
			*a = operations[i].atom;
			found++;
		}
	return found == 1 && (t == T_NONE || atom_is_supported(*a, t));
}

uint32_t atom_order_bits(enum atom a, enum type t)
{
	bool counts = a >= ATOM_EXCH || a == ATOM_INC || a == ATOM_DEC;

	return counts || (types[t].kind == K_FLOAT && a == ATOM_ADD) ? (uint32_t)ORDER_SHOWS : 1u << a;
}

int bind_atom(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	bool red = in->opcode == I_red;
	unsigned first = red ? 0 : 1;
	enum type t = (enum type)in->type[0];
	struct ext *x = bind_ext(b, o);
	enum atom a = ATOM_ADD;

	if (stmt_has(in, M_ASYNC))
		return bind_store_async(b, o);
	if (bind_types(b, 1))
		return -1;
	if (!atom_find_operation(in, t, &a))
		return bind_fault(b, NULL, "types", "%s (expected one operation and a type that it supports)",
			in->text);
	unsigned count = first + 2 + (a == ATOM_CAS);
	if (bind_operands(b, count, count + stmt_has(in, M_L2__CACHE_HINT)) ||
		mem_bind_space(b, o, &k[first], true))
		return -1;
	if (o->space != SP_GLOBAL && o->space != SP_SHARED && o->space != SP_GENERIC)
		return bind_fault(b, &k[first], "space", "atomic on .%s (expected .global or .shared)",
			space_name[o->space]);
	x->aux[0] = a;
	x->aux[1] = t;
	o->memory = 1;
	o->bytes = o->reg_bytes = (uint8_t)(types[t].bits / 8);
	o->n = stmt_has(in, M_V2) ? 2 : stmt_has(in, M_V4) ? 4 : stmt_has(in, M_V8) ? 8 : 1;
	o->is_signed = red || k[0].kind == O_NULL;
	o->execute = types[t].bits == 128   ? execute_atom_128
		     : has_atom_in_lanes(o) ? execute_atom_in_lanes
					    : execute_atom;
	if (bind_atom_values(b, o, &k[first + 1], red ? NULL : &k[0], t))
		return -1;
	if (a == ATOM_CAS && (o->c = bind_src(b, &k[first + 2], t)) == UINT32_MAX)
		return -1;
	if (o->space != SP_SHARED)
		b->frame->order |= o->is_signed ? atom_order_bits(a, t) : ORDER_SHOWS | ORDER_CLAIM;
	return 0;
}
