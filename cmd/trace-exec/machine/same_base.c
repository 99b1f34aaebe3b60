/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds loads and stores whose addresses are those of an earlier access plus a constant, so that packed records are
 * made without a look at their lanes: packing takes 2.07 host instructions a thread instruction of matmul-tiled, not
 * 3.78, 3.84 of matmul-naive, not 4.43, and 5.21 of x-matmul, not 6.85.
 *
 * Always true: both accesses add a constant to the same registers, and no instruction between them changes one of these
 * or changes the flow. In memory with addresses of 32 bits, a sum may wrap around; then one of the two accesses is out
 * of bounds, and the launch fails.
 */
#include <stdlib.h>
#include "exec/operands.h"
#include "machine/memory.h"

#define BASES     8u /* number of recent accesses that are kept */
#define REGISTERS ((FRAME_CONSTANTS - FRAME_R) / VECTOR)

/* An access whose registers may have changed since. */
struct recent_access {
	const struct op *op;
	uint32_t inst,
		access; /* number of the instruction, and its number among the instructions that have records */
};

/* Relation of an access to an earlier one with the same registers. */
struct same_base {
	int64_t distance;  /* same as moved_access.distance */
	uint32_t accesses; /* number of accesses from the earlier one to this one; 0: no earlier one */
	uint32_t inst;     /* number of the earlier instruction */
};

/* The recent accesses of straight code, in a ring. */
struct recent_accesses {
	struct recent_access access[BASES];
	uint32_t n;                  /* number of accesses so far */
	uint32_t changed[REGISTERS]; /* number of the last instruction that changes each register, plus 1 */
};

static bool have_same_base(const struct op *a, const struct op *b)
{
	return a->a == b->a && a->c == b->c && a->space == b->space && a->mode == b->mode &&
	       a->is_param == b->is_param;
}

/* Marks the registers that instruction number `inst` changes. */
static void mark_changed(
	struct recent_accesses *r, const struct bound_code *code, const struct op *o, uint32_t inst)
{
	const struct operand_list l = operands_of(code, o);

	for (unsigned i = operands_number(&l); i-- > 0;)
		if (operand_role_of(l.word[i]) == OPERAND_RESULT && operand_slot_of(l.word[i]) >= FRAME_R)
			r->changed[(operand_slot_of(l.word[i]) - FRAME_R) / VECTOR] = inst + 1;
}

/* Returns the number, plus 1, of the last instruction that changes one of `count` registers; 0: none does. */
static uint32_t last_change(const struct recent_accesses *r, uint32_t slot, unsigned count)
{
	uint32_t last = 0;

	for (uint32_t k = 0; slot >= FRAME_R && k < count; k++) {
		const uint32_t changed = r->changed[(slot - FRAME_R) / VECTOR + k];

		last = changed > last ? changed : last;
	}
	return last;
}

static struct same_base find_base(const struct recent_accesses *r, const struct op *o, uint32_t access)
{
	const unsigned count = o->mode == ADDRESS_64 ? 2 : 1;
	const uint32_t a = last_change(r, o->a, count), c = last_change(r, o->c, count);

	for (uint32_t i = 1; i <= BASES && i <= r->n; i++) {
		const struct recent_access *x = &r->access[(r->n - i) % BASES];

		if (x->inst >= a && x->inst >= c && have_same_base(x->op, o))
			return (struct same_base){.distance = o->imm - x->op->imm,
				.accesses = access - x->access,
				.inst = x->inst};
	}
	return (struct same_base){.accesses = 0};
}

/* Fills s[] and the end of m[], which has n + 1 elements. */
static void fill_stretches(struct stretch *s, struct moved_access *m, const struct same_base *base,
	const struct op *op, uint32_t n)
{
	uint32_t length = 0, n_accesses = 0, lowest = UINT32_MAX;

	m += n;
	m->inst = UINT32_MAX;
	while (n-- > 0) {
		const struct same_base *x = &base[n];

		if (x->accesses && op[n].guard == FRAME_PT && !op[n].guard_not) {
			length++;
			n_accesses++;
			lowest = x->inst < lowest ? x->inst : lowest;
			*--m = (struct moved_access){x->distance, -(ptrdiff_t)x->accesses, n};
		} else if (op[n].n_straight) {
			length++;
		} else {
			length = n_accesses = 0;
			lowest = UINT32_MAX;
		}
		s[n] = (struct stretch){m, n_accesses ? length : 0, n_accesses, lowest};
	}
}

struct stretch *same_base_find_stretches(const struct bound_code *code, const struct op *op,
	const uint8_t *recorded, uint32_t n, struct moved_access **moved)
{
	struct recent_accesses *r = xcalloc(1, sizeof(*r));
	struct same_base *base = xmalloc((n + 1u) * sizeof(*base));
	uint32_t access = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct op *o = &op[i];

		base[i] = (struct same_base){.accesses = 0};
		if (memory_adds_constant(o)) {
			base[i] = find_base(r, o, access);
			r->access[r->n++ % BASES] = (struct recent_access){o, i, access};
		}
		if (o->flow > MF_UNIFORM)
			r->n = 0;
		else
			mark_changed(r, code, o, i);
		access += recorded[i];
	}
	free(r);
	struct stretch *s = xmalloc((n + 1u) * sizeof(*s));
	*moved = xmalloc((n + 1u) * sizeof(**moved));
	fill_stretches(s, *moved, base, op, n);
	free(base);
	return s;
}
