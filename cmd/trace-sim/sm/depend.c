/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of dependence rules, by enum dependence_id (the rows of arch/depend.def), and memory for the
 * register sets of warps.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "depend.h"
#include "lsu/ldst.h"

const struct dependence_ops *const depend_rules[N_DEPENDENCES] = {
#define DEPENDENCE(name) [DEPENDENCE_##name] = &depend_##name,
#include "arch/depend.def"
#undef DEPENDENCE
};

/*
 * Changes the size of all register sets. The sets for machine code are in struct warp. PTX has larger register
 * numbers, for which all sets move to one allocation. Their contents are kept, because another kernel may be running.
 */
void depend_resize_register_sets(struct sm *s, uint32_t limit)
{
	uint32_t words = BITSET_WORDS(limit), had = BITSET_WORDS(s->reg_limit);
	uint64_t *to = limit > REG_LIMIT ? xcalloc((size_t)MAX_WARPS * words * 2, sizeof(*to)) : NULL,
		 *old = s->registers;

	for (unsigned w = 0; w < MAX_WARPS; w++) {
		struct warp *p = &s->warp[w];

		if (to) {
			memcpy(to + (size_t)w * words * 2, p->reserved, had * sizeof(*to));
			memcpy(to + (size_t)w * words * 2 + words, p->longop, had * sizeof(*to));
		}
		p->reserved = to ? to + (size_t)w * words * 2 : p->own_register_sets;
		p->longop = p->reserved + words;
	}
	free(old);
	s->registers = to;
	if (s->ldst)
		ldst_grow_registers(s, limit);
	s->reg_limit = limit;
}

void depend_free(struct sm *s) { free(s->registers); }
