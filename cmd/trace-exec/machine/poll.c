/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds loads of shared memory in loops that wait for a value, as `while (!flag) ;' does.
 *
 * The encoding of LDS does not show whether a load is volatile or ordered. A compiler moves any other load out of a
 * loop that writes no memory and does not change the load's address. So a load that stays there is volatile or ordered,
 * and it is treated as volatile. Code without optimisation may be an exception.
 */
#include "exec/operands.h"
#include "machine/code.h"

#define LOOP_MAX  64u /* largest number of instructions of a waiting loop */
#define SLOTS_MAX 64u /* largest number of registers and predicates whose values follow from a load */
#define CALL      0x944

/* Registers and predicates whose values follow from a load, by their offsets in the frame. */
struct followers {
	uint32_t slot[SLOTS_MAX];
	unsigned n;
};

static bool is_follower(const struct followers *f, uint32_t slot)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->slot[i] == slot)
			return true;
	return false;
}

static bool is_load(const struct bound_code *code, const struct op *o)
{
	const struct operand_list l = operands_of(code, o);

	return o->memory && operands_class(&l) == VALUE_LOAD;
}

/* Returns true if instruction o neither writes memory nor lets a thread wait or leave the function. */
static bool may_be_in_waiting_loop(
	const struct bound_code *code, const struct op *o, const struct sass_inst *in)
{
	const struct operand_list l = operands_of(code, o);

	switch (o->flow) {
	case MF_BRA: return in->opcode != CALL;
	case MF_BSSY:
	case MF_BSYNC:
	case MF_BREAK:
	case MF_WARPSYNC:
	case MF_YIELD: return true;
	default:
		return o->flow <= MF_UNIFORM && operands_class(&l) != VALUE_USE &&
		       (!o->memory || operands_class(&l) == VALUE_LOAD);
	}
}

/* Returns true if one of n instructions writes the register. */
static bool is_written_in_loop(const struct bound_code *code, const struct op *o, uint32_t n, uint32_t slot)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct operand_list l = operands_of(code, &o[i]);

		for (unsigned k = operands_number(&l); k-- > 0;)
			if (operand_role_of(l.word[k]) == OPERAND_RESULT &&
				operand_slot_of(l.word[k]) == slot)
				return true;
	}
	return false;
}

#define COPIES_MAX 4u /* largest number of instructions from a register that does not change to an address */

/*
 * Returns true if the register has the same value each time that instruction i of the loop of n instructions reads it:
 * no instruction of the loop writes it, or the last one before i computes it from such registers, as code without
 * optimisation does.
 */
static bool is_same_in_iterations(const struct bound_code *code, const struct op *o, uint32_t n, uint32_t i,
	uint32_t slot, unsigned copies)
{
	uint32_t k = i;

	while (k > 0 && o[k - 1].flow <= MF_UNIFORM && !is_written_in_loop(code, &o[k - 1], 1, slot))
		k--;
	if (!k-- || o[k].flow > MF_UNIFORM)
		return !is_written_in_loop(code, o, n, slot);

	const struct operand_list l = operands_of(code, &o[k]);
	bool same = copies && !o[k].guard && !o[k].guard_not && operands_class(&l) < VALUE_LOAD;

	for (unsigned x = operands_number(&l); same && x-- > 0;)
		same = operand_role_of(l.word[x]) == OPERAND_RESULT || !operand_slot_of(l.word[x]) ||
		       is_same_in_iterations(code, o, n, k, operand_slot_of(l.word[x]), copies - 1);
	return same;
}

/*
 * Adds the results of instruction o to f, the set of values that follow from the load, if o is the load or a source of
 * o is in f.
 */
static void add_followers(struct followers *f, const struct bound_code *code, const struct op *o, bool load)
{
	const struct operand_list l = operands_of(code, o);
	bool follows = load || is_follower(f, o->guard);

	for (unsigned k = operands_number(&l); k-- > 0;)
		follows |= operand_role_of(l.word[k]) != OPERAND_RESULT &&
			   is_follower(f, operand_slot_of(l.word[k]));
	for (unsigned k = operands_number(&l); follows && k-- > 0;)
		if (operand_role_of(l.word[k]) == OPERAND_RESULT && operand_slot_of(l.word[k]) &&
			f->n < SLOTS_MAX)
			f->slot[f->n++] = operand_slot_of(l.word[k]);
}

/* Returns true if a branch of the loop of n instructions depends on the value that instruction `load` reads. */
static bool does_load_decide(const struct bound_code *code, const struct op *o, uint32_t n, uint32_t load)
{
	struct followers f = {.n = 0};

	for (uint32_t i = 0; i < n; i++) {
		const struct op *x = &o[(load + i) % n];

		if (x->flow == MF_BRA && (is_follower(&f, x->guard) || is_follower(&f, x->imm & 0xffff)))
			return true;
		add_followers(&f, code, x, !i);
	}
	return false;
}

/* Marks the loads of a loop of n instructions, if it is a waiting loop. */
static void mark_loads_of_loop(const struct bound_code *code, struct func *fn, uint32_t first, uint32_t n)
{
	const struct op *o = code->op + fn->first_pc + first;

	for (uint32_t i = 0; i < n; i++)
		if (!may_be_in_waiting_loop(code, &o[i], &fn->machine_code->inst[first + i]))
			return;
	for (uint32_t i = 0; i < n; i++)
		if (o[i].space == SP_SHARED && is_load(code, &o[i]) &&
			is_same_in_iterations(code, o, n, i, o[i].a, COPIES_MAX) &&
			is_same_in_iterations(code, o, n, i, o[i].c, COPIES_MAX) &&
			does_load_decide(code, o, n, i))
			fn->inst[first + i].mod[M_VOLATILE / 64] |= 1ull << M_VOLATILE % 64;
}

void poll_mark_loads(const struct bound_code *code, struct func *fn)
{
	const struct op *op = code->op + fn->first_pc;

	for (uint32_t i = 0; i < fn->machine_code->n; i++) {
		uint32_t target = op[i].target - fn->first_pc;

		if (op[i].flow == MF_BRA && target <= i && i - target < LOOP_MAX)
			mark_loads_of_loop(code, fn, target, i - target + 1);
	}
}
