/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of a register and a constant as sources, such as "temp + 1", which the assembler accepts.
 *
 * Each sum has a scratch slot in the frame. The function of an instruction with sums is sum_execute(), which fills the
 * slots and calls the instruction's own function. Sums are rare, so they are in a separate table in the order
 * of their instructions. Always true: an instruction that changes the flow has no sum.
 */
#include <stdlib.h>
#include "sem/sum.h"

struct reg_sum {
	uint32_t inst; /* instruction number in the program */
	uint32_t slot, from_slot;
	uint8_t bytes;
	uint64_t value;
	op_fn *execute; /* the instruction's own function */
};

uint32_t sum_slot(struct bind *b, const struct operand *o, uint32_t from, unsigned bytes)
{
	struct bound_code *c = b->code;
	uint32_t slot = bind_scratch(b, bytes);

	grow(&c->sum, &c->cap_sums, c->n_sums + 1, sizeof(*c->sum));
	c->sum[c->n_sums++] = (struct reg_sum){b->func->first_pc + (uint32_t)(b->stmt - b->func->inst), slot,
		from, (uint8_t)bytes, (uint64_t)o->value, NULL};
	return slot;
}

static const struct reg_sum *first_sum_of_inst(const struct bound_code *c, uint32_t inst)
{
	uint32_t low = 0, high = c->n_sums;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (c->sum[middle].inst < inst)
			low = middle + 1;
		else
			high = middle;
	}
	return &c->sum[low];
}

static void sum_execute(struct warp *w, const struct op *o, uint32_t m)
{
	const struct bound_code *c = w->grid->code;
	const struct reg_sum *first = first_sum_of_inst(c, o->inst);

	for (const struct reg_sum *s = first; s < c->sum + c->n_sums && s->inst == first->inst; s++)
		for (unsigned i = 0; i < LANES; i++)
			switch (s->bytes) {
			case 2:
				REG(uint16_t, w, s->slot)
				[i] = (uint16_t)(REG(uint16_t, w, s->from_slot)[i] + s->value);
				break;
			case 4:
				REG(uint32_t, w, s->slot)
				[i] = REG(uint32_t, w, s->from_slot)[i] + (uint32_t)s->value;
				break;
			default: REG(uint64_t, w, s->slot)[i] = REG(uint64_t, w, s->from_slot)[i] + s->value;
			}
	first->execute(w, o, m);
}

static const struct operand *last_unused_sum(const struct operand *o, unsigned n, unsigned *sums)
{
	const struct operand *last = NULL;

	for (unsigned i = 0; i < n; i++) {
		const struct operand *inner = o[i].kind == O_VEC || o[i].kind == O_ADDR
						      ? last_unused_sum(o[i].elem, o[i].n, sums)
						      : NULL;

		if (o[i].kind == O_REG && o[i].value) {
			++*sums;
			inner = &o[i];
		}
		last = inner ? inner : last;
	}
	return last;
}

int sum_finish(struct bind *b, struct op *o, uint32_t first)
{
	struct bound_code *c = b->code;
	unsigned sums = 0;
	const struct operand *last = last_unused_sum(b->stmt->operand, b->stmt->n_operands, &sums);

	if (sums != c->n_sums - first || (sums && o->flow != FLOW_NEXT))
		return bind_fault(b, last, "operand", "register plus a constant (expected a register)");
	if (sums) {
		c->sum[first].execute = o->execute;
		o->execute = sum_execute;
	}
	return 0;
}
