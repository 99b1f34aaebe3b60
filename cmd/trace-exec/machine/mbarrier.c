/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mbarriers (SYNCS, ARRIVES), and stores and reductions that complete bytes of an mbarrier (STAS, REDAS).
 *
 * sem/mbarrier.c changes the state of an mbarrier, which has the layout of GPUs. Always true: the lanes execute one
 * after another, in ascending order. An arrival may name an mbarrier of another block of the cluster; all other
 * operations name an mbarrier of their own block. mbarriers of sm_80 to sm_89 have another layout
 * (memory_count_arrival()), and atomics change them.
 */
#include "exec/check.h"
#include "machine/memory.h"
#include "sem/async.h"

/* Modes of an arrival (o->n). A precedes the number of arrivals, T the number of bytes; R is the register's value. */
enum { ARRIVE_A1TR, ARRIVE_A1T0, ARRIVE_A0T1, ARRIVE_A0TR, ARRIVE_A0TX, ARRIVE_ART0 };

static struct mbarrier_change mbarrier_change_of_op(const struct op *o, u32 v)
{
	struct mbarrier_change x = {.drop = o->is_signed};

	switch (o->n) {
	case ARRIVE_A1TR: x.bytes = v; break;
	case ARRIVE_A0T1: x.bytes = 1; break;
	case ARRIVE_A0TR: x.bytes = v; break;
	case ARRIVE_A0TX: x.bytes = -(int64_t)v; break;
	default: break;
	}
	x.arrives = o->n == ARRIVE_A1TR || o->n == ARRIVE_A1T0 || o->n == ARRIVE_ART0;
	x.arrivals = o->n == ARRIVE_ART0 ? v : 1;
	return x;
}

static void execute_arrive(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	const u32 *b = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);

	if (!memory_find_hosts(w, o, m, 8, at, false))
		return;
	FOR_BITS32 (i, m) {
		struct mbarrier_change x = mbarrier_change_of_op(o, b[i]);
		uint64_t old;

		if (!async_change_mbarrier(w, o, i, at[i], &x, &old))
			return;
		checker_mark_written(w->cta, at[i], 8);
		d[i] = (u32)old;
		d[i + LANES] = (u32)(old >> 32);
	}
}

/* Restricts the instruction to mbarriers of its own block. */
static void restrict_to_own_block(struct mbind *b)
{
	struct stmt *in = &b->func->inst[b->index];

	in->mod[M_SHARED__CLUSTER / 64] &= ~(1ull << M_SHARED__CLUSTER % 64);
}

int mbind_arrive(struct mbind *b, struct op *o)
{
	unsigned mode = (unsigned)field(b, 84, 3), result = (unsigned)field(b, 73, 2);

	memory_bind_address(b, o, SP_SHARED, 64);
	o->bytes = 8;
	o->n = (uint8_t)mode;
	o->is_signed = bit(b, 75); /* .OPTOUT */
	o->b = mbind_reg(b, 32, 1);
	o->d = mbind_dst(b, 16, 2);
	machine_set_function(o, execute_arrive);
	if (mode > ARRIVE_ART0)
		return mbind_refuse(b, "mode");
	return result == 1 || result == 3 ? mbind_refuse(b, "kind of result") : 0;
}

/* Sets the predicate result to whether the phase with the parity in bit 31 of register b is over. */
static void execute_phase_test(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	const u32 *b = REG(u32, w, o->b);
	u32 over = 0;

	if (!memory_find_hosts(w, o, m, 8, at, false))
		return;
	w->mbarrier_wait.failed = false;
	FOR_BITS32 (i, m) {
		bool lane_over;

		if (!async_test_phase(w, o, i, at[i], b[i] >> 31, &lane_over))
			return;
		over |= (u32)lane_over << i;
	}
	set_pred(w, PDST1(o), m, over);
	if (over != m)
		w->stop |= WARP_YIELD;
	checker_note_barrier(w->cta);
}

int mbind_phase(struct mbind *b, struct op *o)
{
	memory_bind_address(b, o, SP_SHARED, 64);
	restrict_to_own_block(b);
	o->bytes = 8;
	o->b = mbind_reg(b, 32, 1);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, execute_phase_test);
	return 0;
}

/* Exchanges the 64-bit word at an address in a uniform register. Compiled code initialises an mbarrier in this way. */
static void execute_mbarrier_init(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = uniform_lane(w);
	const u32 *b = REG(u32, w, o->b) + lane;
	u32 *d = REG(u32, w, o->d), old[2], v[2] = {b[0], b[LANES]};
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, 1u << lane, 8, at, true))
		return;
	if (w->addr[lane] % 8) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"mbarrier at byte %llu of .shared (expected a multiple of 8)",
			(unsigned long long)w->addr[lane]);
		return;
	}
	memcpy(old, at[lane], 8);
	memcpy(at[lane], v, 8);
	checker_mark_written(w->cta, at[lane], 8);
	FOR_BITS32 (i, m) {
		d[i] = old[0];
		d[i + LANES] = old[1];
		w->addr[i] = w->addr[lane];
	}
}

int mbind_mbarrier_init(struct mbind *b, struct op *o)
{
	memory_bind_address(b, o, SP_SHARED, 24);
	restrict_to_own_block(b);
	o->a = FRAME_ZERO;
	o->bytes = 8;
	o->b = mbind_ureg(b, 32);
	o->d = mbind_udst(b, 16);
	b->func->inst[b->index].opcode = I_mbarrier;
	machine_set_function(o, execute_mbarrier_init);
	return bit(b, 72) ? 0 : mbind_refuse(b, "exchange of 32 bits");
}

/* Executes SYNCS.CCTL.IV, after which the memory is not an mbarrier. */
static void clear_mbarriers(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, m, 8, at, true))
		return;
	FOR_BITS32 (i, m)
		memset(at[i], 0, 8);
}

/*
 * SYNCS.CCTL.IVALL, the form without a uniform register, makes the mbarrier unit read memory again after code has
 * stored an mbarrier's word. It does nothing here, because the word in memory is the mbarrier.
 */
int mbind_mbarrier_inval(struct mbind *b, struct op *o)
{
	if (!bit(b, 91))
		return mbind_nothing(b, o);
	memory_bind_address(b, o, SP_SHARED, 64);
	restrict_to_own_block(b);
	o->bytes = 8;
	b->func->inst[b->index].opcode = I_mbarrier;
	machine_set_function(o, clear_mbarriers);
	return 0;
}

/*
 * Executes ARRIVES.LDGSTSBAR after the copies of the lanes: an arrival (.ARVCNT), or the completion of the byte that
 * SYNCS.ARRIVE.A0T1 added (.TRANSCNT).
 */
static void execute_arrive_after_copies(struct warp *w, const struct op *o, uint32_t m)
{
	const struct mbarrier_change x = {
		.arrives = o->n == 1, .arrivals = o->n == 1, .bytes = o->n == 1 ? 0 : -1};
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, m, 8, at, false))
		return;
	flight_commit(w, m);
	flight_wait(w, m, 0);
	FOR_BITS32 (i, m) {
		uint64_t old;

		if (!async_change_mbarrier(w, o, i, at[i], &x, &old))
			return;
		checker_mark_written(w->cta, at[i], 8);
	}
}

/* Executes ARRIVES.LDGSTSBAR on sm_80 to sm_89: an arrival after the copies of the lanes. */
static void copies_arrive_sm_80(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, m, 8, at, true))
		return;
	flight_commit(w, m);
	flight_wait(w, m, 0);
	FOR_BITS32 (i, m) {
		u64 v;

		memcpy(&v, at[i], 8);
		v = memory_count_arrival(v);
		memcpy(at[i], &v, 8);
		w->changed = true;
	}
}

int mbind_copies_arrive(struct mbind *b, struct op *o)
{
	memory_bind_address(b, o, SP_SHARED, 64);
	restrict_to_own_block(b);
	o->bytes = 8;
	o->n = (uint8_t)field(b, b->code->sm >= 100 ? 76 : 70, 2); /* 1: .ARVCNT; 2: .TRANSCNT */
	machine_set_function(o, b->code->sm < 90 ? copies_arrive_sm_80 : execute_arrive_after_copies);
	if (b->code->sm < 90)
		return o->n ? mbind_refuse(b, "mode") : 0;
	return o->n == 1 || o->n == 2 ? 0 : mbind_refuse(b, "mode");
}

/* ---- stores and reductions that complete bytes of an mbarrier ---- */

enum {
	STORE_TO = FRAME_SCRATCH,
	STORE_BAR = STORE_TO + 2 * (int)VECTOR,
	STORE_VALUE = STORE_BAR + 2 * (int)VECTOR
};

/* Executes STAS or REDAS. The lower word of the address pair is the destination, the upper word the mbarrier. */
static void execute_store_async(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *v = REG(u32, w, o->d);
	u32 add = REG(u32, w, o->c)[uniform_lane(w)] + (u32)o->imm;
	u64 *to = REG(u64, w, STORE_TO), *bar = REG(u64, w, STORE_BAR);

	FOR_BITS32 (i, m) {
		to[i] = memory_shared_offset(w, a[i] + add);
		bar[i] = memory_shared_offset(w, a[i + LANES]);
		if (o->bytes == 8)
			REG(u64, w, STORE_VALUE)[i] = v[i] | (u64)v[i + LANES] << 32;
	}
	bulk_execute_store_async(w, o, m);
	FOR_BITS32 (i, m)
		/* the trace shows the mbarrier and the address */
		w->addr[i] = (a[i] + add) | (u64)a[i + LANES] << 32;
}

int mbind_store_async(struct mbind *b, struct op *o)
{
	static const enum type types_of_reduction[4] = {T_U32, T_S32, T_U64, T_NONE};
	struct store_async *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	bool reduce = b->inst->opcode == 0xdbe;
	unsigned size = (unsigned)field(b, 73, 3), words = reduce                   ? 1
							   : size >= 4 && size <= 6 ? 1u << (size - 4)
										    : 0;

	memory_bind_address(b, o, SP_SHARED, 64);
	x->reduce = reduce;
	x->atom = (enum atom)field(b, 87, 3);
	x->type = reduce && size < 3 ? memory_reduction_type(x->atom, types_of_reduction[size]) : T_U32;
	if (!words || !bit(b, reduce ? 72 : 90) ||
		(reduce && (size > 2 || !atom_is_supported_async(x->atom, x->type, false))))
		return mbind_refuse(b, "operation");
	x->target = (struct address){STORE_TO, 0, 0, SP_SHARED};
	x->mbarrier = (struct address){STORE_BAR, 0, 0, SP_SHARED};
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->a = mbind_reg(b, 24, 2);
	o->mode = 0;
	o->bytes = reduce && size == 2 ? 8 : 4;
	o->n = (uint8_t)words;
	o->d = mbind_reg(b, 32, o->bytes == 8 ? 2 : words);
	for (unsigned k = 0; k < words; k++) {
		o->x->slot[k] = o->bytes == 8 ? (uint32_t)STORE_VALUE : o->d + k * VECTOR;
		o->x->bytes[k] = 4;
	}
	b->func->inst[b->index].opcode = reduce ? I_red : I_st;
	stmt_add(&b->func->inst[b->index], M_ASYNC);
	machine_set_function(o, execute_store_async);
	return 0;
}
