/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of the registers that each op reads and writes.
 *
 * Always true: all lists are in one array, and word 0 is the head of the empty list.
 */
#include <stdlib.h>
#include "exec/operands.h"

struct operand_lists {
	uint32_t *word;
	uint32_t n, cap;
	uint32_t begin;       /* index of the head of the list in the making; 0: none */
	uint32_t *list_heads; /* for each op, the index of the head of its list */
};

static void append_word(struct operand_lists *l, uint32_t word)
{
	grow(&l->word, &l->cap, l->n + 1, sizeof(*l->word));
	l->word[l->n++] = word;
}

void operands_start(struct bound_code *c, uint32_t n_ops)
{
	c->operands = xcalloc(1, sizeof(*c->operands));
	c->operands->list_heads = xcalloc(n_ops + 1u, sizeof(*c->operands->list_heads));
	append_word(c->operands, VALUE_USE << 16);
}

void operands_free(struct bound_code *c)
{
	if (c->operands) {
		free(c->operands->word);
		free(c->operands->list_heads);
	}
	free(c->operands);
}

void operands_begin(struct bound_code *c)
{
	struct operand_lists *l = c->operands;

	if (l->begin)
		l->n = l->begin;
	l->begin = l->n;
	append_word(l, 0);
}

void operands_add(struct bound_code *c, uint32_t slot, unsigned bytes, enum operand_role role)
{
	append_word(c->operands, slot >> 2 << 6 | bytes / 2 << 2 | role);
}

uint32_t *operands_pending(struct bound_code *c, unsigned *n)
{
	struct operand_lists *l = c->operands;

	*n = l->n - l->begin - 1;
	return l->word + l->begin + 1;
}

void operands_end(
	struct bound_code *c, uint32_t inst, enum value_class class, unsigned combine, bool inverted)
{
	struct operand_lists *l = c->operands;

	l->word[l->begin] =
		(l->n - l->begin - 1) | (uint32_t) class << 16 | combine << 20 | (uint32_t)inverted << 22;
	l->list_heads[inst] = l->begin;
	l->begin = 0;
}

struct operand_list operands_of(const struct bound_code *c, const struct op *o)
{
	const uint32_t *head = c->operands->word + c->operands->list_heads[o->inst];

	return (struct operand_list){*head, head + 1};
}

unsigned operands_take(const struct operand_list *l, enum operand_role role, uint32_t *word, unsigned most)
{
	unsigned n = 0;

	for (unsigned i = 0; i < operands_number(l) && n < most; i++)
		if (operand_role_of(l->word[i]) == role)
			word[n++] = l->word[i];
	return n;
}
