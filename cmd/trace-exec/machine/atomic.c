/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomics of global, generic and shared memory: ATOM ATOMG ATOMS RED.
 *
 * Always true: the lanes of a warp execute in ascending order. A lock serialises thread blocks on several host
 * threads. A sum of f32 in global memory flushes subnormal numbers.
 */
#include <string.h>
#include "machine/memory.h"
#include "sem/atom.h"

/* Indices of x->aux. */
enum { AUX_ATOM, AUX_TYPE, AUX_WORDS, AUX_SPIN, AUX_ARRIVE };
enum { SPIN_NONE, SPIN_REGISTER, SPIN_PREDICATE };

static u64 read_atomic_operand(const u32 *p, unsigned i, unsigned bytes)
{
	return bytes == 8 ? p[i] | (u64)p[i + LANES] << 32 : p[i];
}

/*
 * The two functions copy an element of 4 or 8 bytes between memory and *v. A copy whose size is not a constant takes
 * 18 % of the time of aop (HeCBench), whose lanes add doubles by compare and swap.
 */
static void read_atomic_element(u64 *v, const uint8_t *at, unsigned bytes)
{
	*v = 0;
	if (bytes == 8)
		memcpy(v, at, 8);
	else
		memcpy(v, at, 4);
}

static void write_atomic_element(uint8_t *at, u64 v, unsigned bytes)
{
	if (bytes == 8)
		memcpy(at, &v, 8);
	else
		memcpy(at, &v, 4);
}

/* Executes the operation of a lane on element k. Returns the old value. */
static u64 apply_atomic_to_element(
	struct warp *w, const struct op *o, unsigned i, unsigned k, uint8_t *at, bool flush)
{
	const struct ext *x = o->x;
	enum atom a = (enum atom)x->aux[AUX_ATOM];
	unsigned words = o->reg_bytes / 4;
	u64 old, b = read_atomic_operand(REG(u32, w, o->b) + k * words * LANES, i, o->reg_bytes),
		 c = a == ATOM_CAS ? read_atomic_operand(REG(u32, w, x->slot[0]), i, o->reg_bytes) : 0;

	read_atomic_element(&old, at + k * o->reg_bytes, o->reg_bytes);
	u64 v = x->aux[AUX_ARRIVE] ? memory_count_arrival(old)
				   : (flush ? atom_global_value : atom_new_value)(
					     a, (enum type)x->aux[AUX_TYPE], old, b, c);
	if ((old ^ v) << (64 - 8u * o->reg_bytes)) {
		w->changed = true;
		write_atomic_element(at + k * o->reg_bytes, v, o->reg_bytes);
	}
	return old;
}

static void write_atomic_result(struct warp *w, const struct op *o, unsigned i, unsigned k, u64 old)
{
	u32 *d = REG(u32, w, o->d) + k * (o->reg_bytes / 4u) * LANES;

	if (o->x->aux[AUX_SPIN]) {
		bool swapped = old == read_atomic_operand(REG(u32, w, o->b), i, o->reg_bytes);

		if (o->x->aux[AUX_SPIN] == SPIN_REGISTER)
			old = swapped; /* the result is 1 or 0 in a register of the operands' width */
		else
			set_pred(w, PDST1(o), 1u << i, swapped ? ALL_LANES : 0);
		if (o->x->aux[AUX_SPIN] == SPIN_PREDICATE)
			return;
	}
	d[i] = (u32)old;
	if (o->reg_bytes == 8)
		d[i + LANES] = (u32)(old >> 32);
}

/*
 * Returns the lanes of m that an ATOM with a predicate result executes, and sets the predicate to them. They have
 * addresses in global memory, or in shared memory if the operation is an exchange or a compare and swap: the code
 * that the compiler emits after these handles only local memory, after the others shared and local memory.
 */
static uint32_t find_atomic_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	enum atom a = (enum atom)o->x->aux[AUX_ATOM];
	bool in_shared = a == ATOM_EXCH || a == ATOM_CAS;
	uint32_t lanes = 0;

	memory_addresses(w, o);
	FOR_BITS32 (i, m) {
		u32 window = (u32)(w->addr[i] >> 32);

		if (window == SHARED_WINDOW_BASE >> 32 ? in_shared : window != LOCAL_WINDOW_BASE >> 32)
			lanes |= 1u << i;
	}
	set_pred(w, PDST1(o), m, lanes);
	return lanes;
}

static void execute_atomic(struct warp *w, const struct op *o, uint32_t m)
{
	bool locked = w->grid->n_threads > 1 && o->space != SP_SHARED, changed = w->changed;
	uint8_t *at[LANES];

	if (o->space == SP_GENERIC && PDST1(o) != FRAME_PSINK)
		m = find_atomic_lanes(w, o, m);
	if (!m || !memory_find_hosts(w, o, m, o->bytes, at, true))
		return;
	w->changed = changed;
	if (locked)
		pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < o->x->aux[AUX_WORDS]; k++) {
			bool shared = o->space == SP_SHARED ||
				      (o->space == SP_GENERIC && atom_is_in_shared(w, at[i]));
			u64 old = apply_atomic_to_element(w, o, i, k, at[i], !shared);

			if (!o->is_signed)
				write_atomic_result(w, o, i, k, old);
		}
	if (locked)
		pthread_mutex_unlock(&w->mem->lock);
}

/*
 * Returns true if an op is an atomic operation on one element of 32 or 64 bits that execute_atomic_in_lanes() can
 * execute.
 */
static bool is_atomic_in_lanes(const struct op *o)
{
	const struct ext *x = o->x;
	enum type t = (enum type)x->aux[AUX_TYPE];

	if ((o->space == SP_GENERIC && PDST1(o) != FRAME_PSINK) || x->aux[AUX_WORDS] != 1 ||
		x->aux[AUX_ARRIVE])
		return false;
	return atom_is_applied_to_lanes((enum atom)x->aux[AUX_ATOM], t) &&
	       (t != T_F32 || o->space == SP_GLOBAL);
}

LANE_FN static void join_pairs(u64 *to, const u32 *from)
{
	EACH_LANE (i)
		to[i] = from[i] | (u64)from[i + LANES] << 32;
}

/* Copies pairs of words to registers in the lanes of m. */
LANE_FN static void split_pairs(u32 *to, const u64 *from, uint32_t m)
{
	EACH_LANE (i) {
		to[i] = m >> i & 1 ? (u32)from[i] : to[i];
		to[i + LANES] = m >> i & 1 ? (u32)(from[i] >> 32) : to[i + LANES];
	}
}

/* Executes an operation on an element of 64 bits in each lane of m. Returns true if an element has changed. */
static bool apply_atomic_to_pairs(
	struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at, uint32_t *swapped)
{
	const struct ext *x = o->x;
	enum atom a = (enum atom)x->aux[AUX_ATOM];
	u64 b[LANES], c[LANES], old[LANES];
	bool changed;

	join_pairs(b, REG(u32, w, o->b));
	if (a == ATOM_CAS)
		join_pairs(c, REG(u32, w, x->slot[0]));
	changed = atom_apply_to_pairs(old, b, c, m, at, a, (enum type)x->aux[AUX_TYPE]);
	if (x->aux[AUX_SPIN]) {
		*swapped = 0;
		FOR_BITS32 (i, m) {
			*swapped |= (uint32_t)(old[i] == b[i]) << i;
			old[i] = old[i] == b[i];
		}
	}
	if (!o->is_signed && x->aux[AUX_SPIN] != SPIN_PREDICATE)
		split_pairs(REG(u32, w, o->d), old, m);
	return changed;
}

/* Like apply_atomic_to_pairs(), for an element of 32 bits. */
static bool apply_atomic_to_words(
	struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at, uint32_t *swapped)
{
	const struct ext *x = o->x;
	const u32 *b = REG(u32, w, o->b);
	u32 old[LANES], *d = REG(u32, w, o->d), changed;
	bool direct = !x->aux[AUX_SPIN] && !o->is_signed;

	changed = atom_apply_to_words(direct ? d : old, b, REG(u32, w, x->slot[0]), m, at,
		(enum atom)x->aux[AUX_ATOM], (enum type)x->aux[AUX_TYPE], o->space == SP_GLOBAL);
	if (x->aux[AUX_SPIN]) {
		*swapped = 0;
		FOR_BITS32 (i, m)
			*swapped |= (uint32_t)(old[i] == b[i]) << i;
		if (x->aux[AUX_SPIN] == SPIN_REGISTER && !o->is_signed)
			FOR_BITS32 (i, m)
				d[i] = *swapped >> i & 1;
	}
	return changed;
}

/*
 * Like execute_atomic(), for an element of 32 or 64 bits without an address predicate. 19,000 operations of warps on
 * doubles (`atomicPerf` of HeCBench) take 16 million instructions instead of 53 million.
 */
static void execute_atomic_in_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	bool locked = w->grid->n_threads > 1 && o->space != SP_SHARED, changed = w->changed;
	uint8_t *at[LANES];
	uint32_t swapped = 0;

	if (!memory_find_hosts(w, o, m, o->bytes, at, true))
		return;
	if (locked)
		pthread_mutex_lock(&w->mem->lock);
	changed |= (o->reg_bytes == 8 ? apply_atomic_to_pairs : apply_atomic_to_words)(w, o, m, at, &swapped);
	if (locked)
		pthread_mutex_unlock(&w->mem->lock);
	if (o->x->aux[AUX_SPIN] == SPIN_PREDICATE)
		set_pred(w, PDST1(o), m, swapped);
	w->changed = changed;
}

/* Executes an exchange, or a comparison and exchange, of 128 bits. */
static void execute_wide_atomic(struct warp *w, const struct op *o, uint32_t m)
{
	bool locked = w->grid->n_threads > 1 && o->space != SP_SHARED, changed = w->changed;
	const u32 *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->x->slot[0]);
	u32 *d = REG(u32, w, o->d);
	uint8_t *at[LANES];

	if (o->space == SP_GENERIC && PDST1(o) != FRAME_PSINK)
		m = find_atomic_lanes(w, o, m);
	if (!m || !memory_find_hosts(w, o, m, o->bytes, at, true))
		return;
	if (locked)
		pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m) {
		u32 old[4], want[4], v[4];
		bool swap;

		memcpy(old, at[i], sizeof(old));
		for (unsigned k = 0; k < 4; k++) {
			want[k] = pb[i + k * LANES];
			v[k] = o->x->aux[AUX_ATOM] == ATOM_CAS ? pc[i + k * LANES] : want[k];
		}
		swap = o->x->aux[AUX_ATOM] != ATOM_CAS || !memcmp(old, want, sizeof(old));
		changed |= swap && memcmp(old, v, sizeof(old));
		memcpy(at[i], swap ? v : old, sizeof(old));
		for (unsigned k = 0; k < 4 && !o->is_signed; k++)
			d[i + k * LANES] = old[k];
	}
	w->changed = changed;
	if (locked)
		pthread_mutex_unlock(&w->mem->lock);
}

/* ---- binding ---- */

struct atomic_type {
	uint8_t type, elements;
};
static const struct atomic_type types_old[8] = {
	{T_U32, 1}, {T_S32, 1}, {T_U64, 1}, {T_F32, 1}, {T_F16X2, 1}, {T_S64, 1}, {T_F64, 1}, {T_BF16X2, 1}};
static const struct atomic_type types_whole[8] = {{T_U32, 1}, {T_S32, 1}, {T_U64, 1}, {T_S64, 1}};
static const struct atomic_type types_float[16] = {{T_F16X2, 1}, {T_F16X2, 2}, {T_F16X2, 4}, {T_BF16X2, 1},
	{T_BF16X2, 2}, {T_BF16X2, 4}, {0, 0}, {0, 0}, {0, 0}, {T_F32, 1}, {T_F32, 2}, {T_F32, 4}, {T_F32, 1},
	{T_F32, 2}, {T_F32, 4}, {T_F64, 1}};

#define TYPE_128 4u /* number of the type of 128 bits; sm_90 and later */

enum { IS_SHARED = 1, IS_RED = 2, IS_CAS = 4, IS_FLOAT = 8, IS_GENERIC = 16, IS_COUNT = 32 };

static unsigned atomic_kind_of(unsigned opcode)
{
	switch (opcode) {
	case 0x38a:
	case 0x98a: return IS_GENERIC;
	case 0xf8a: return IS_GENERIC | IS_COUNT;
	case 0x38b: return IS_GENERIC | IS_CAS;
	case 0x3a9: return IS_CAS;
	case 0x3a2:
	case 0x9a2: return IS_GENERIC | IS_FLOAT;
	case 0x3a3:
	case 0x9a3: return IS_FLOAT;
	case 0x98e: return IS_RED;
	case 0x9a6: return IS_RED | IS_FLOAT;
	case 0x38c:
	case 0x98c: return IS_SHARED;
	case 0xf8c: return IS_SHARED | IS_COUNT;
	case 0x38d:
	case 0x58d: return IS_SHARED | IS_CAS;
	default: return 0;
	}
}

/* Binds the address. The bits for 64-bit registers and descriptors differ from those of loads. */
static void bind_atomic_address(struct mbind *b, struct op *o, unsigned kind)
{
	unsigned sm = b->code->sm;
	bool with_ureg = bit(b, 91), wide = bit(b, 72), described = false;

	memory_bind_address(b, o,
		kind & IS_SHARED    ? SP_SHARED
		: kind & IS_GENERIC ? SP_GENERIC
				    : SP_GLOBAL,
		64);
	if (kind & IS_SHARED) {
		o->is_param = field(b, 78, 2) ? (uint8_t)(field(b, 78, 2) + 1) : 0;
		return;
	}
	if (with_ureg && sm >= 100) {
		/* an integer ATOM has its predicate at bit 81 and its operation at bit 90, a float its type at 76 */
		bool integer = !(kind & (IS_RED | IS_FLOAT));

		described = kind & IS_RED ? bit(b, 81) : bit(b, integer ? 76 : 63);
		wide = bit(b, integer ? 63 : 90);
		if (!(kind & IS_RED))
			o->imm = signed_field(b, 40, 23);
	} else if (with_ureg) {
		wide = kind & IS_RED ? bit(b, 90) : bit(b, 70);
		described = bit(b, 71);
	}
	o->mode = wide ? ADDRESS_64 : ADDRESS_32;
	o->a = mbind_reg(b, 24, wide ? 2 : 1);
	o->c = with_ureg && !described ? mbind_ureg(b, 64) : (uint32_t)FRAME_ZERO;
}

static bool bind_atomic_type(struct mbind *b, struct op *o, unsigned kind)
{
	unsigned sm = b->code->sm, n = (unsigned)field(b, 73, kind & IS_FLOAT ? 4 : 3);
	if (n == TYPE_128 && !(kind & IS_FLOAT) && sm >= 90) {
		o->x->aux[AUX_TYPE] = T_B128;
		o->x->aux[AUX_WORDS] = 1;
		o->reg_bytes = o->bytes = 16;
		return true;
	}
	struct atomic_type t = kind & IS_FLOAT ? types_float[n] : sm < 90 ? types_old[n] : types_whole[n];

	o->x->aux[AUX_TYPE] = t.type;
	o->x->aux[AUX_WORDS] = t.elements;
	o->reg_bytes = (uint8_t)(types[t.type].bits / 8);
	o->bytes = (uint8_t)(o->reg_bytes * t.elements);
	return t.elements;
}

static int bind_operation(struct mbind *b, struct op *o, unsigned kind)
{
	static const uint8_t operation[9] = {
		ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH};
	unsigned n = (unsigned)(kind & IS_FLOAT ? field(b, 88, 2) : field(b, 87, kind & IS_RED ? 3 : 4));

	if (kind & IS_CAS) {
		o->x->aux[AUX_ATOM] = ATOM_CAS;
		o->b = mbind_reg(b, 32, o->reg_bytes / 4u);
		o->x->slot[0] = mbind_reg(b, 64, o->reg_bytes / 4u);
		if (o->bytes == 16)
			return bit(b, 87) || b->inst->opcode == 0x58d ? mbind_refuse(b, "type") : 0;
		if (b->inst->opcode == 0x58d)
			o->x->aux[AUX_SPIN] = SPIN_PREDICATE;
		else if (bit(b, 87))
			o->x->aux[AUX_SPIN] = SPIN_REGISTER;
		return 0;
	}
	if (kind & IS_COUNT && kind & IS_SHARED && n == 9 && o->bytes == 8 && b->code->sm < 90) {
		o->x->aux[AUX_ARRIVE] = 1;
		return 0;
	}
	if (kind & IS_COUNT) {
		if (n != 10 && n != 11)
			return mbind_refuse(b, "operation");
		o->x->aux[AUX_ATOM] = ATOM_ADD;
		o->b = mbind_number(b, 1, 1);
		return 0;
	}
	if (n > 8)
		return mbind_refuse(b, "operation");
	o->x->aux[AUX_ATOM] = operation[n];
	o->b = mbind_reg(b, 32, o->bytes / 4u);
	if (o->bytes == 16 && o->reg_bytes == 16)
		return operation[n] == ATOM_EXCH ? 0 : mbind_refuse(b, "operation of this type");
	if (!atom_is_supported((enum atom)operation[n], (enum type)o->x->aux[AUX_TYPE]))
		return mbind_refuse(b, "operation of this type");
	return 0;
}

bool atomic_is_cas(const struct sass_inst *in) { return atomic_kind_of(in->opcode) & IS_CAS; }

int mbind_atom(struct mbind *b, struct op *o)
{
	unsigned kind = atomic_kind_of(b->inst->opcode);
	struct frame *frame = &b->bound->frame[b->func->number];

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	bind_atomic_address(b, o, kind);
	if (!bind_atomic_type(b, o, kind))
		return mbind_refuse(b, "type");
	if (bind_operation(b, o, kind))
		return -1;
	o->is_signed = kind & IS_RED || (field(b, 16, 8) == RZ && o->x->aux[AUX_SPIN] != SPIN_PREDICATE);
	o->d = kind & IS_RED ? (uint32_t)FRAME_SINK : mbind_dst(b, 16, o->bytes / 4u);
	o->target = mbind_pdst(b, 81, false);
	struct stmt *in = &b->func->inst[b->index];
	in->opcode = o->is_signed ? I_red : I_atom;
	if (o->x->aux[AUX_ATOM] == ATOM_EXCH)
		stmt_add(in, M_EXCH);
	machine_set_function(o, o->reg_bytes == 16      ? execute_wide_atomic
				: is_atomic_in_lanes(o) ? execute_atomic_in_lanes
							: execute_atomic);
	if (!(kind & IS_SHARED))
		frame->order |= o->is_signed ? atom_order_bits((enum atom)o->x->aux[AUX_ATOM],
						       (enum type)o->x->aux[AUX_TYPE])
					     : ORDER_SHOWS | ORDER_CLAIM;
	return 0;
}
