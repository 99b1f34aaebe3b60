/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Widening: loads of two or four adjacent words of shared memory become one load. The loads must be in one
 * block, without a store in between, and the address must be known to be a multiple of their total size.
 *
 * Always true: the wide load replaces the first of the loads, and no instruction in between uses the results of
 * the others. Shared arrays are assumed to begin at multiples of 16, as assemblers place them.
 */
#include <stdlib.h>
#include "bits.h"
#include "lower/select.h"

#define WIDEST 16u /* largest size of a load in bytes */

/* Returns the largest power of two that divides the value, at most WIDEST. */
static unsigned power_of_two_divisor(uint64_t v) { return v % WIDEST ? (unsigned)(v & (0 - v)) : WIDEST; }

static unsigned alignment_of_variable(const struct symbol *s)
{
	if (!s || s->space != SP_SHARED)
		return 1;
	return s->unsized ? min_u32(power_of_two_divisor(s->align), WIDEST) : WIDEST;
}

static unsigned alignment_of_address(const struct plan *p, const struct operand *o, unsigned depth);

/* Returns the alignment of the result of instruction i. */
static unsigned alignment_of_result(const struct plan *p, uint32_t i, unsigned depth)
{
	const struct stmt *in = &p->func->inst[i];
	const struct operand *o = in->operand;
	unsigned a, b;

	if (depth > 8 || in->guard || in->n_operands < 2)
		return 1;
	a = alignment_of_address(p, &o[1], depth + 1);
	switch (in->opcode) {
	case I_mov:
	case I_cvta: return a;
	case I_add:
	case I_sub: return min_u32(a, alignment_of_address(p, &o[2], depth + 1));
	case I_shl:
		return o[2].kind != O_INT ? 1 : o[2].value < 4 ? min_u32(a << o[2].value, WIDEST) : WIDEST;
	case I_mul:
	case I_mad:
		if (stmt_has(in, M_HI))
			return 1;
		b = min_u32(a * alignment_of_address(p, &o[2], depth + 1), WIDEST);
		return in->opcode == I_mul ? b : min_u32(b, alignment_of_address(p, &o[3], depth + 1));
	default: return 1;
	}
}

static unsigned alignment_of_address(const struct plan *p, const struct operand *o, unsigned depth)
{
	uint32_t reg;

	if (o->kind == O_INT)
		return power_of_two_divisor((uint64_t)o->value);
	if (o->kind == O_SYM)
		return min_u32(power_of_two_divisor((uint64_t)o->value), alignment_of_variable(o->sym));
	if (o->kind != O_REG || o->letters)
		return 1;
	reg = o->reg;
	return p->value[reg].defs == 1 ? alignment_of_result(p, p->value[reg].def, depth) : 1;
}

/* Returns true if instruction i is a load of one word of shared memory that can be widened. */
static bool is_word_load(const struct plan *p, uint32_t i)
{
	const struct stmt *in = &p->func->inst[i];
	const struct op *o = &p->code->op[p->func->first_pc + i];
	const struct lower_value *v;

	if (in->opcode != I_ld || in->guard || p->action[i] != ACT_ROW || o->space != SP_SHARED ||
		o->bytes != 4 || o->n > 1 || in->operand[0].kind != O_REG || stmt_has(in, M_VOLATILE) ||
		in->operand[1].n)
		return false;
	v = &p->value[in->operand[0].reg];
	return v->kind == VALUE_REG && v->size == 1 && v->defs == 1;
}

/*
 * Returns the base register of an address. *offset: the constant added to it, including sums that are folded
 * into the address.
 */
static uint32_t address_base(const struct plan *p, const struct operand *at, int64_t *offset)
{
	uint32_t reg = at->reg;

	*offset = at->value;
	while (reg != UINT32_MAX && p->value[reg].kind == VALUE_SAME) {
		const struct stmt *in = &p->func->inst[p->value[reg].def];

		if (in->opcode == I_add)
			*offset += in->operand[2].value;
		if (in->opcode == I_add && in->operand[2].kind != O_INT)
			return reg;
		reg = p->value[reg].same_as;
	}
	return reg;
}

static bool ends_widening(const struct op *o)
{
	return o->flow != FLOW_NEXT || (o->memory && o->stmt->opcode != I_ld && o->stmt->opcode != I_ldu) ||
	       o->stmt->opcode == I_membar || o->stmt->opcode == I_fence || o->stmt->opcode == I_cp;
}

static bool uses_register(const struct operand *o, uint32_t reg)
{
	if ((o->kind == O_REG || o->kind == O_ADDR) && o->reg == reg)
		return true;
	for (unsigned k = 0; (o->kind == O_VEC || o->kind == O_ADDR) && k < o->n; k++)
		if (uses_register(&o->elem[k], reg))
			return true;
	return false;
}

/* Returns true if no instruction from `from` to `to` reads or writes the register. */
static bool is_unused_between(const struct plan *p, uint32_t reg, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		for (unsigned k = 0; k < p->func->inst[i].n_operands; k++)
			if (uses_register(&p->func->inst[i].operand[k], reg))
				return false;
	return true;
}

/*
 * Finds the loads of the n words in the aligned group of words that contains the word of load i. Returns true
 * if all of them are found at or after i.
 */
static bool find_adjacent_loads(const struct plan *p, uint32_t i, unsigned n, uint32_t *word)
{
	int64_t offset, other, line;
	const struct operand *at = &p->func->inst[i].operand[1];
	uint32_t base = address_base(p, at, &offset), found = 1;

	line = offset & ~(int64_t)(4 * n - 1);
	for (unsigned k = 0; k < n; k++)
		word[k] = UINT32_MAX;
	word[(offset - line) / 4] = i;
	for (uint32_t j = i + 1; j < p->func->n_insts && p->block[j] == p->block[i] && found < n; j++) {
		const struct stmt *in = &p->func->inst[j];

		if (ends_widening(&p->code->op[p->func->first_pc + j]))
			return false;
		if (!is_word_load(p, j) || in->operand[1].sym != at->sym ||
			address_base(p, &in->operand[1], &other) != base || other < line ||
			other >= line + 4 * n || (other - line) % 4 || word[(other - line) / 4] != UINT32_MAX)
			continue;
		if (!is_unused_between(p, in->operand[0].reg, i, j) ||
			(base != UINT32_MAX && !plan_keeps_value(p, base, i, j)))
			return false;
		word[(other - line) / 4] = j;
		found++;
	}
	return found == n;
}

static void make_wide_access(struct plan *p, uint32_t i, unsigned n, const uint32_t *word)
{
	struct operand *v = arena_alloc(&p->arena, 1, sizeof(*v));
	int64_t own, lowest;

	v->kind = O_VEC;
	v->n = (uint8_t)n;
	v->elem = arena_alloc(&p->arena, n, sizeof(*v));
	for (unsigned k = 0; k < n; k++) {
		v->elem[k] = p->func->inst[word[k]].operand[0];
		p->action[word[k]] = ACT_GONE;
	}
	address_base(p, &p->func->inst[i].operand[1], &own);
	address_base(p, &p->func->inst[word[0]].operand[1], &lowest);
	p->action[i] = ACT_ROW;
	p->widened_results[i] = v;
	p->shift[i] = (int32_t)(own - lowest);
}

void plan_widen_loads(struct plan *p)
{
	for (uint32_t i = 0; i < p->func->n_insts; i++) {
		const struct operand *at;
		struct operand base = {.kind = O_REG};
		unsigned alignment;
		uint32_t word[4];
		int64_t offset;

		if (!is_word_load(p, i) || p->widened_results[i])
			continue;
		at = &p->func->inst[i].operand[1];
		base.reg = address_base(p, at, &offset);
		alignment = base.reg != UINT32_MAX ? alignment_of_address(p, &base, 0)
						   : alignment_of_variable(at->sym);
		for (unsigned n = alignment / 4; n > 1; n /= 2)
			if (find_adjacent_loads(p, i, n, word)) {
				make_wide_access(p, i, n, word);
				break;
			}
	}
}
