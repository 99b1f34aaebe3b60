/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX instructions without machine code: loads of parameters and constants, reads of special registers that
 * are constants in machine code, copies, conversions of pointers to global memory, sums of an address and a
 * constant, unused results; and pairs of instructions that are fused into one.
 *
 * Always true: a register replaces another, or its computation moves to its user, only if no write in between
 * changes the value.
 */
#include <stdlib.h>
#include <string.h>
#include "lower/select.h"

/* ---- operands ---- */

static void count_definition(struct plan *p, const struct operand *o, uint32_t i)
{
	if (o->kind == O_REG) {
		struct lower_value *v = &p->value[o->reg];

		v->defs++;
		v->def = i;
		v->guarded |= p->func->inst[i].guard != 0;
	}
	for (unsigned k = 0; o->kind == O_VEC && k < o->n; k++)
		count_definition(p, &o->elem[k], i);
}

static void count_reg_use(struct plan *p, uint32_t reg, uint32_t i, bool address)
{
	struct lower_value *v = &p->value[reg];

	v->uses++;
	v->address_uses += address;
	v->last_use = i;
}

static void count_operand_use(struct plan *p, const struct operand *o, uint32_t i)
{
	if (o->kind == O_REG)
		count_reg_use(p, o->reg, i, false);
	if (o->kind == O_ADDR && o->reg != UINT32_MAX)
		count_reg_use(p, o->reg, i, true);
	for (unsigned k = 0; (o->kind == O_VEC || o->kind == O_ADDR) && k < o->n; k++)
		count_operand_use(p, &o->elem[k], i);
}

/*
 * Marks registers that are used before their definition or in another block. Must be called after all
 * definitions have been counted.
 */
static void mark_scattered_use(struct plan *p, const struct operand *o, uint32_t i)
{
	if (o->kind == O_REG || (o->kind == O_ADDR && o->reg != UINT32_MAX)) {
		struct lower_value *v = &p->value[o->reg];

		v->used_outside_block |= p->block[i] != p->block[v->def] || i <= v->def;
	}
	for (unsigned k = 0; (o->kind == O_VEC || o->kind == O_ADDR) && k < o->n; k++)
		mark_scattered_use(p, &o->elem[k], i);
}

static void count_uses_and_definitions(struct plan *p)
{
	const struct func *f = p->func;

	for (uint32_t i = 0; i < f->n_insts; i++) {
		const struct stmt *in = &f->inst[i];
		unsigned results = stmt_count_results(in);

		for (unsigned k = 0; k < in->n_operands; k++)
			if (k < results)
				count_definition(p, &in->operand[k], i);
			else
				count_operand_use(p, &in->operand[k], i);
		if (in->guard)
			count_reg_use(p, in->guard - 1, i, false);
	}
	for (uint32_t i = 0; i < f->n_insts; i++)
		for (unsigned k = stmt_count_results(&f->inst[i]); k < f->inst[i].n_operands; k++)
			mark_scattered_use(p, &f->inst[i].operand[k], i);
}

/* ---- blocks and loops ---- */

static void mark_jump_target(struct plan *p, uint8_t *leader, uint32_t from, const struct symbol *label)
{
	uint32_t to;

	if (!label || label->kind != SYM_LABEL || label->label_inst >= p->func->n_insts)
		return;
	to = label->label_inst;
	leader[to] = 1;
	if (to > from)
		return;
	if (p->loop_end[to] < from)
		p->loop_end[to] = from;
	for (uint32_t i = to; i <= from; i++)
		p->in_loop[i] = true;
}

static void find_basic_blocks(struct plan *p)
{
	const struct func *f = p->func;
	uint8_t *leader = xcalloc(f->n_insts + 1u, 1);

	for (uint32_t i = 0; i < f->n_insts; i++) {
		const struct stmt *in = &f->inst[i];

		for (unsigned k = 0; k < in->n_operands && (in->opcode == I_bra || in->opcode == I_brx);
			k++) {
			struct symbol *s = in->operand[k].sym;

			mark_jump_target(p, leader, i, s);
			for (uint32_t t = 0; s && s->kind == SYM_TARGETS && t < s->n_targets; t++)
				mark_jump_target(p, leader, i, s->target[t]);
		}
		if (p->code->op[f->first_pc + i].flow != FLOW_NEXT)
			leader[i + 1] = 1;
	}
	for (uint32_t i = 0, b = 0; i < f->n_insts; i++)
		p->block[i] = b += leader[i];
	free(leader);
}

/* ---- registers that replace others ---- */

uint32_t plan_original_register(const struct plan *p, uint32_t reg)
{
	while (p->value[reg].kind == VALUE_SAME)
		reg = p->value[reg].same_as;
	return reg;
}

bool plan_keeps_value(const struct plan *p, uint32_t reg, uint32_t from, uint32_t to)
{
	const struct lower_value *v = &p->value[reg];

	if (v->kind == VALUE_CONST || (v->defs <= 1 && !v->guarded))
		return true;
	if (p->block[from] != p->block[to])
		return false;
	for (uint32_t i = from; i < to; i++) {
		const struct stmt *in = &p->func->inst[i];

		for (unsigned k = 0; k < stmt_count_results(in); k++) {
			const struct operand *o = &in->operand[k];

			if (o->kind == O_VEC || (o->kind == O_REG && o->reg == reg))
				return false;
		}
	}
	return true;
}

static bool is_constant_sreg(unsigned s)
{
	return (s >= S_NTID_X && s <= S_NTID_Z) || (s >= S_NCTAID_X && s <= S_NCTAID_Z) || s == S_WARP_SZ ||
	       s == S_DYNAMIC_SMEM || s == S_TOTAL_SMEM || s >= S_ENVREG0;
}

/*
 * Replaces the result of instruction i by register reg, if possible. A copy of a register to itself needs no
 * instruction.
 */
static bool alias_result(struct plan *p, uint32_t i, uint32_t reg)
{
	struct lower_value *v = &p->value[p->func->inst[i].operand[0].reg];
	uint32_t root = plan_original_register(p, reg);

	if (&p->value[root] == v)
		return true;
	if (p->value[root].kind == VALUE_PRED || p->value[root].size < v->size)
		return false;
	if (p->value[root].kind != VALUE_CONST && (p->value[root].defs > 1 || p->value[root].guarded) &&
		(v->used_outside_block || !plan_keeps_value(p, root, i + 1, v->last_use)))
		return false;
	if (p->value[root].kind == VALUE_CONST) {
		v->kind = VALUE_CONST;
		return true;
	}
	v->kind = VALUE_SAME;
	v->same_as = root;
	return true;
}

static bool make_value_constant(struct lower_value *v)
{
	v->kind = VALUE_CONST;
	return true;
}

static bool is_literal(const struct operand *o)
{
	return o->kind == O_INT || o->kind == O_FLOAT || o->kind == O_SYM ||
	       (o->kind == O_SREG && is_constant_sreg(o->sreg));
}

static bool needs_no_move(struct plan *p, uint32_t i, struct lower_value *v)
{
	const struct stmt *in = &p->func->inst[i];
	const struct operand *s = &in->operand[1];

	if (is_literal(s))
		return make_value_constant(v);
	if (s->kind != O_REG || s->letters)
		return false;
	if (in->opcode == I_mov)
		return p->value[plan_original_register(p, s->reg)].size == v->size &&
		       alias_result(p, i, s->reg);
	if (in->opcode == I_cvta)
		return (p->value[plan_original_register(p, s->reg)].kind == VALUE_CONST ||
			       stmt_has(in, M_GLOBAL) || stmt_has(in, M_CONST) || stmt_has(in, M_PARAM)) &&
		       alias_result(p, i, s->reg);
	/* A cvt that takes the lower half of a register, or keeps all its bits, needs no move. */
	return in->n_types == 2 && types[in->type[0]].bits == 32 && types[in->type[1]].bits >= 32 &&
	       types[in->type[0]].kind != K_FLOAT && types[in->type[1]].kind != K_FLOAT &&
	       !stmt_has(in, M_SAT) && alias_result(p, i, s->reg);
}

/* Returns true if instruction i, the only definition of v, needs no machine instruction. */
static bool needs_no_instruction(struct plan *p, uint32_t i, struct lower_value *v)
{
	const struct stmt *in = &p->func->inst[i];
	const struct op *o = &p->code->op[p->func->first_pc + i];
	const struct operand *s = in->n_operands > 1 ? &in->operand[1] : NULL;

	switch (in->opcode) {
	case I_ld:
		return s && s->kind == O_ADDR && s->reg == UINT32_MAX && !o->is_param &&
		       (o->space == SP_PARAM || o->space == SP_CONST) && make_value_constant(v);
	case I_mov:
	case I_cvta:
	case I_cvt: return s && needs_no_move(p, i, v);
	case I_add: /* sum of an address and a constant */
		return in->n_operands == 3 && s->kind == O_REG && is_literal(&in->operand[2]) && v->uses &&
		       v->uses == v->address_uses && alias_result(p, i, s->reg);
	default: return false;
	}
}

static bool is_result_unused(const struct plan *p, const struct operand *o)
{
	if (o->kind == O_REG)
		return !p->value[o->reg].uses;
	for (unsigned k = 0; o->kind == O_VEC && k < o->n; k++)
		if (!is_result_unused(p, &o->elem[k]))
			return false;
	return o->kind == O_VEC || o->kind == O_NULL;
}

struct inst_facts plan_gather_facts(const struct plan *p, uint32_t i)
{
	const struct stmt *in = &p->func->inst[i];

	return (struct inst_facts){.stmt = in,
		.op = &p->code->op[p->func->first_pc + i],
		.binary = p->binary,
		.unused = !stmt_count_results(in) || is_result_unused(p, &in->operand[0]),
		.entry = p->func->entry};
}

/* Returns true if the instruction has no effect and an unused result. */
static bool is_inst_dead(const struct plan *p, uint32_t i)
{
	struct inst_facts q = plan_gather_facts(p, i);

	return stmt_count_results(q.stmt) && q.unused && q.op->flow == FLOW_NEXT && !q.op->memory &&
	       q.stmt->opcode != I_mbarrier && q.stmt->opcode != I_wgmma && q.stmt->opcode != I_mma;
}

static void mark_omitted_instructions(struct plan *p)
{
	for (uint32_t i = 0; i < p->func->n_insts; i++) {
		const struct stmt *in = &p->func->inst[i];
		struct lower_value *v = stmt_count_results(in) && in->operand[0].kind == O_REG
						? &p->value[in->operand[0].reg]
						: NULL;

		if (is_inst_dead(p, i) || (v && v->kind == VALUE_REG && v->defs == 1 && !in->guard &&
						  needs_no_instruction(p, i, v)))
			p->action[i] = ACT_GONE;
	}
}

/* ---- fused pairs ---- */

/*
 * Returns the instruction that computes operand k of instruction i and can be fused with it, or UINT32_MAX if
 * there is none.
 */
static uint32_t find_fusable_producer(const struct plan *p, uint32_t i, unsigned k, const char **sequence)
{
	const struct operand *o = &p->func->inst[i].operand[k];
	const struct lower_value *v = o->kind == O_REG ? &p->value[o->reg] : NULL;
	bool multiple;
	struct inst_facts q[2];

	if (!v || v->kind != VALUE_REG || v->defs != 1 || v->guarded || p->action[v->def] != ACT_ROW)
		return UINT32_MAX;
	q[0] = plan_gather_facts(p, v->def);
	q[1] = plan_gather_facts(p, i);
	*sequence = rows_find_fused_sequence(&q[0], &q[1], &multiple);
	if (!*sequence || (v->uses > 1 && !multiple))
		return UINT32_MAX;
	for (unsigned n = 1; n < q[0].stmt->n_operands; n++)
		if (q[0].stmt->operand[n].kind == O_REG &&
			!plan_keeps_value(p, plan_original_register(p, q[0].stmt->operand[n].reg), v->def, i))
			return UINT32_MAX;
	return v->def;
}

static bool is_sum_or_logic(const struct stmt *in)
{
	return in->n_operands == 3 &&
	       (in->opcode == I_add || in->opcode == I_and || in->opcode == I_or || in->opcode == I_xor);
}

static void find_fused_pairs(struct plan *p)
{
	const struct func *f = p->func;
	const char *sequence = NULL;

	for (uint32_t i = 0; i < f->n_insts; i++)
		for (unsigned k = 1; is_sum_or_logic(&f->inst[i]) && p->action[i] == ACT_ROW && k < 3; k++) {
			p->producer[i] = find_fusable_producer(p, i, k, &sequence);
			if (p->producer[i] == UINT32_MAX)
				continue;
			p->value[f->inst[i].operand[k].reg].fused_uses++;
			p->sequence[i] = sequence;
			break;
		}
	for (uint32_t i = 0; i < f->n_insts; i++) {
		const struct lower_value *v;

		if (!p->sequence[i])
			continue;
		v = &p->value[f->inst[p->producer[i]].operand[0].reg];
		/* Three instructions are never fused, so the producer must not be fused itself. */
		if (v->fused_uses == v->uses && p->action[p->producer[i]] != ACT_FUSED) {
			p->action[i] = ACT_FUSED;
			p->action[p->producer[i]] = ACT_GONE;
		}
	}
}

void plan_make(struct plan *p, const struct bound_code *c, const struct func *f, unsigned binary)
{
	uint32_t n = f->n_insts + 1;

	*p = (struct plan){.code = c, .func = f, .binary = binary};
	p->value = xcalloc(f->n_regs + 1u, sizeof(*p->value));
	p->action = xcalloc(n, 1);
	p->producer = xcalloc(n, sizeof(*p->producer));
	p->block = xcalloc(n, sizeof(*p->block));
	p->sequence = xcalloc(n, sizeof(*p->sequence));
	p->loop_end = xcalloc(n, sizeof(*p->loop_end));
	p->in_loop = xcalloc(n, sizeof(*p->in_loop));
	p->widened_results = xcalloc(n, sizeof(*p->widened_results));
	p->shift = xcalloc(n, sizeof(*p->shift));
	for (uint32_t r = 0; r < f->n_regs; r++) {
		unsigned bits = types[f->reg[r].type].bits;

		p->value[r].kind = f->reg[r].type == T_PRED ? VALUE_PRED : VALUE_REG;
		p->value[r].size = (uint8_t)(bits <= 32 ? 1 : bits / 32);
		p->value[r].item = UINT32_MAX;
	}
	find_basic_blocks(p);
	count_uses_and_definitions(p);
	mark_omitted_instructions(p);
	find_fused_pairs(p);
	plan_widen_loads(p);
}

void plan_free(struct plan *p)
{
	free(p->value);
	free(p->action);
	free(p->producer);
	free(p->block);
	free(p->sequence);
	free(p->loop_end);
	free(p->in_loop);
	free(p->widened_results);
	free(p->shift);
	arena_free(&p->arena);
}
