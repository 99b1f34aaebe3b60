/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves of registers, vectors, addresses and special registers; cvta, isspacep.
 *
 * Always true: a special register that is constant for a warp is a vector of the frame. The clock is the
 * number of warp instructions that the CTA has executed, so it increases with every instruction.
 */
#include "sem/sem.h"

LANE_OP1(mov_16, u16, u16, a)
LANE_OP1(mov_32, u32, u32, a)
LANE_OP1(mov_64, u64, u64, a)
static void mov_128(struct warp *w, const struct op *o, uint32_t m)
{
	u64 *d = REG(u64, w, o->d);
	const u64 *a = REG(u64, w, o->a);

	FOR_BITS32 (i, m) {
		d[i] = a[i];
		d[i + LANES] = a[i + LANES];
	}
}
static void move_predicate(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = &PRED(w, o->d);

	*d = (*d & ~m) | (PRED(w, o->a) & m);
}

static void move_clock(struct warp *w, const struct op *o, uint32_t m)
{
	bool timer = o->n == S_GLOBALTIMER || o->n == S_GLOBALTIMER_LO || o->n == S_GLOBALTIMER_HI;
	u64 v = (timer ? exec_timer : exec_clock)(w, w->uncounted ? (uint64_t)(o - w->uncounted) + 1 : 0);

	switch (o->n) {
	case S_CLOCK_HI:
	case S_GLOBALTIMER_HI: v >>= 32; break;
	case S_GLOBALTIMER:
	case S_CLOCK64: break;
	default: v &= 0xffffffffu;
	}
	FOR_BITS32 (i, m) {
		if (o->reg_bytes == 8)
			REG(u64, w, o->d)[i] = v;
		else
			REG(u32, w, o->d)[i] = (u32)v;
	}
}

static u64 read_part_lane(const struct warp *w, uint32_t slot, unsigned bytes, unsigned i)
{
	return bytes == 2 ? REG(u16, w, slot)[i] : bytes == 4 ? REG(u32, w, slot)[i] : REG(u64, w, slot)[i];
}

static void write_part_lane(const struct warp *w, uint32_t slot, unsigned bytes, unsigned i, u64 v)
{
	if (bytes == 2)
		REG(u16, w, slot)[i] = (u16)v;
	else if (bytes == 4)
		REG(u32, w, slot)[i] = (u32)v;
	else
		REG(u64, w, slot)[i] = v;
}

/*
 * Packs {a, b, ...} into one register, the first element lowest. o->bytes: size of an element; o->reg_bytes: size of
 * the register.
 */
static void mov_pack(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 v[2] = {0, 0};

		for (unsigned k = 0; k < o->n; k++) {
			unsigned bit = 8 * o->bytes * k;

			v[bit / 64 % 2] |= (read_part_lane(w, o->x->slot[k], o->x->bytes[k], i) &
						   (o->bytes == 8 ? UINT64_MAX : (1ull << 8 * o->bytes) - 1))
					   << bit % 64;
		}
		if (o->reg_bytes == 16) {
			REG(u64, w, o->d)[i] = v[0];
			REG(u64, w, o->d)[i + LANES] = v[1];
		} else {
			write_part_lane(w, o->d, o->reg_bytes, i, v[0]);
		}
	}
}

static void mov_unpack(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 v[2] = {0, 0};

		if (o->reg_bytes == 16) {
			v[0] = REG(u64, w, o->a)[i];
			v[1] = REG(u64, w, o->a)[i + LANES];
		} else {
			v[0] = read_part_lane(w, o->a, o->reg_bytes, i);
		}
		for (unsigned k = 0; k < o->n; k++) {
			unsigned bit = 8 * o->bytes * k;

			write_part_lane(w, o->x->slot[k], o->x->bytes[k], i,
				v[bit / 64] >> bit % 64 &
					(o->bytes == 8 ? UINT64_MAX : (1ull << 8 * o->bytes) - 1));
		}
	}
}

static void mov_vector(struct warp *w, const struct op *o, uint32_t m)
{
	u64 v[8];

	FOR_BITS32 (i, m) {
		for (unsigned k = 0; k < o->n; k++)
			v[k] = read_part_lane(w, o->x->slot[o->n + k], o->bytes, i);
		for (unsigned k = 0; k < o->n; k++)
			write_part_lane(w, o->x->slot[k], o->bytes, i, v[k]);
	}
}

static int bind_part_registers(
	struct bind *b, struct op *o, const struct operand *vec, unsigned bits, bool dst)
{
	struct ext *x = bind_ext(b, o);
	unsigned each = vec->n ? bits / vec->n : 0;

	if (vec->n < 2 || vec->n > 8 || each * vec->n != bits || each < 8)
		return bind_fault(b, vec, "operand",
			"%u parts of %u bits (expected 2, 4 or 8 of whole bytes)", vec->n, bits);
	o->n = vec->n;
	o->bytes = (uint8_t)(each / 8);
	o->reg_bytes = (uint8_t)(bits / 8);
	for (unsigned k = 0; k < vec->n; k++) {
		enum type t = each == 8 ? T_B8 : each == 16 ? T_B16 : each == 32 ? T_B32 : T_B64;

		x->slot[k] = dst ? bind_dst_any(b, &vec->elem[k], each / 8, &x->bytes[k])
				 : bind_src_any(b, &vec->elem[k], t, &x->bytes[k]);
		if (x->slot[k] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static int bind_vector_move(struct bind *b, struct op *o, enum type t)
{
	const struct operand *k = b->stmt->operand;
	struct ext *x = bind_ext(b, o);

	if (k[0].kind != O_VEC || k[1].kind != O_VEC || k[0].n != k[1].n || k[0].n > 8 ||
		types[t].bits > 64 || types[t].bits < 16)
		return bind_fault(
			b, &k[0], "operand", "%s (expected two vectors of the same length)", b->stmt->text);
	o->execute = mov_vector;
	o->n = k[0].n;
	o->bytes = (uint8_t)(types[t].bits / 8);
	for (unsigned i = 0; i < o->n; i++) {
		x->slot[i] = bind_dst(b, &k[0].elem[i], types[t].bits);
		x->slot[o->n + i] = bind_src(b, &k[1].elem[i], t);
		if (x->slot[i] == UINT32_MAX || x->slot[o->n + i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Binds a mov that packs registers into one, as in mov.b64 d, {a, b}. */
static int bind_pack_move(struct bind *b, struct op *o, const struct operand *k, unsigned bits)
{
	o->execute = mov_pack;
	if (bind_part_registers(b, o, &k[1], bits, false))
		return -1;
	return (o->d = bind_dst(b, &k[0], bits)) == UINT32_MAX ? -1 : 0;
}

/* Binds a mov that unpacks a register into several, as in mov.b64 {d, e}, a. */
static int bind_unpack_move(struct bind *b, struct op *o, const struct operand *k, enum type t)
{
	o->execute = mov_unpack;
	if (bind_part_registers(b, o, &k[0], types[t].bits, true))
		return -1;
	return (o->a = bind_src(b, &k[1], t)) == UINT32_MAX ? -1 : 0;
}

/* Binds a mov of a special register that counts time. */
static int bind_clock(struct bind *b, struct op *o, const struct operand *k, enum type t)
{
	unsigned bits = types[t].bits;

	o->execute = move_clock;
	o->n = k[1].sreg;
	o->reg_bytes = (uint8_t)(bits / 8);
	if (bits < 32)
		return bind_plain(b, o, NULL, t, NULL, 0);
	return (o->d = bind_dst(b, &k[0], bits)) == UINT32_MAX ? -1 : 0;
}

/* Returns the function that moves one register of this width, or NULL if there is none. */
static op_fn *move_function(unsigned bits)
{
	switch (bits) {
	case 1: return move_predicate;
	case 16: return mov_16;
	case 32: return mov_32;
	case 64: return mov_64;
	case 128: return mov_128;
	default: return NULL;
	}
}

int bind_mov(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	enum type t = (enum type)b->stmt->type[0];
	unsigned bits = types[t].bits;

	if (bind_types(b, 1) || bind_operands(b, 2, 2))
		return -1;
	if (stmt_has(b->stmt, M_V2) || stmt_has(b->stmt, M_V4) || stmt_has(b->stmt, M_V8))
		return bind_vector_move(b, o, t);
	if (k[0].kind == O_VEC)
		return bind_unpack_move(b, o, k, t);
	if (k[1].kind == O_VEC)
		return bind_pack_move(b, o, k, bits);
	if (k[1].kind == O_SREG && k[1].sreg >= S_CLOCK && k[1].sreg <= S_GLOBALTIMER_HI)
		return bind_clock(b, o, k, t);
	return BIND(b, o, move_function(bits), t, t);
}

/* ---- generic addresses ---- */

LANE_OP1(cvta_32, u32, u32, a + (u32)o->imm)
LANE_OP1(cvta_64, u64, u64, a + (u64)o->imm)

static u64 window_base(enum state_space s)
{
	return s == SP_SHARED ? SHARED_BASE : s == SP_LOCAL ? LOCAL_BASE : s == SP_PARAM ? PARAM_BASE : 0;
}

int bind_cvta(struct bind *b, struct op *o)
{
	enum type t = (enum type)b->stmt->type[0];
	u64 base = window_base(bind_space(b));

	if (bind_types(b, 1))
		return -1;
	if (bind_space(b) == SP_GENERIC)
		return bind_fault(b, NULL, "suffix", "no state space in %s", b->stmt->text);
	o->imm = (int64_t)(stmt_has(b->stmt, M_TO) ? 0 - base : base);
	return BIND(b, o,
		t == T_U64   ? base ? cvta_64 : mov_64
		: t == T_U32 ? base ? cvta_32 : mov_32
			     : NULL,
		t, t);
}

static void execute_isspacep(struct warp *w, const struct op *o, uint32_t m)
{
	/* without ::cluster, .shared is only the block's own memory */
	u64 far = (u64)CLUSTER_STRIDE *
		  (stmt_has(o->stmt, M_SHARED__CLUSTER) ? w->grid->cluster_size + 1u : 1u);
	u32 r = 0, *p = &PRED(w, o->d);

	FOR_BITS32 (i, m) {
		u64 a = o->n ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
		enum state_space s = a >= HEAP_BASE || a < PARAM_BASE ? SP_GLOBAL
				     : a >= SHARED_BASE + far         ? SP_NONE
				     : a >= SHARED_BASE               ? SP_SHARED
				     : a >= LOCAL_BASE                ? SP_LOCAL
								      : SP_PARAM;

		r |= (u32)(s == o->space || (o->space == SP_CONST && s == SP_GLOBAL && a < STATIC_LIMIT))
		     << i;
	}
	*p = (*p & ~m) | r;
}

int bind_isspacep(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	uint8_t bytes = 0;

	if (bind_operands(b, 2, 2))
		return -1;
	o->execute = execute_isspacep;
	o->space = (uint8_t)bind_space(b);
	o->d = bind_dst(b, &k[0], 1);
	o->a = bind_src_any(b, &k[1], T_U32, &bytes);
	o->n = bytes == 8;
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}

/* Binds instructions whose result is 0: cache policies, and ranks in clusters of one thread block. */
int bind_zero(struct bind *b, struct op *o)
{
	enum type t = b->stmt->n_types ? (enum type)b->stmt->type[0] : T_B32;

	if (bind_operands(b, 1, 5))
		return -1;
	o->execute = types[t].bits == 64 ? mov_64 : mov_32;
	o->d = bind_dst(b, &b->stmt->operand[0], types[t].bits == 64 ? 64 : 32);
	o->a = bind_const(b, 0, types[t].bits == 64 ? 8 : 4);
	return o->d == UINT32_MAX ? -1 : 0;
}
