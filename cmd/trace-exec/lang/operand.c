/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operands of instructions: registers, numbers, addresses, vectors, lists and names.
 *
 * Always true: an operand is stored as written. Its names are looked up in the innermost scope that has them;
 * the name of a branch target that is not defined yet is left to stmt.c. Elements of a list are pushed on the
 * parser's list, and moved to permanent memory when the list is complete. The binding of the opcode checks
 * number and kind of the operands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/parser.h"

static bool token_is_name(const struct token *t, const char *s)
{
	return t->kind == TOK_NAME && t->n == strlen(s) && !memcmp(t->start, s, t->n);
}

void operand_add_to_list(struct parser *p, const struct operand *o)
{
	grow(&p->list, &p->cap_list, p->n_list + 1, sizeof(*p->list));
	p->list[p->n_list++] = *o;
}

struct operand *operand_keep_list(struct parser *p, uint32_t first)
{
	uint32_t n = p->n_list - first;
	struct operand *kept = arena_alloc(&p->module->arena, n ? n : 1, sizeof(*kept));

	if (n)
		memcpy(kept, p->list + first, n * sizeof(*kept));
	p->n_list = first;
	return kept;
}

static bool parse_operand_list(
	struct parser *p, struct operand *o, const struct stmt *in, char close, unsigned depth)
{
	uint32_t first = p->n_list;
	struct operand elem;

	o->kind = O_VEC;
	while (!parser_at_punct(p, close)) {
		if (p->n_list > first && !parser_take_punct(p, ','))
			return false;
		if (p->n_list - first == 128)
			return parser_unexpected(p, "at most 128 elements");
		if (!operand_parse(p, &elem, in, depth + 1))
			return false;
		operand_add_to_list(p, &elem);
	}
	o->n = (uint8_t)(p->n_list - first);
	o->elem = operand_keep_list(p, first);
	return parser_next(p);
}

static enum sreg find_sreg(const char *name, uint32_t n)
{
	for (unsigned i = 1; i < N_SREGS; i++)
		if (strlen(sregs[i].name) == n && !memcmp(sregs[i].name, name, n))
			return (enum sreg)i;
	return S_NONE;
}

/*
 * Returns the special register at the current token, such as "%laneid", or "%tid" followed by ".x". Sets *taken
 * to whether its name has two tokens.
 */
static enum sreg sreg_at(const struct parser *p, bool *taken)
{
	char name[40];

	*taken = p->next_token.kind == TOK_DOT && p->next_token.n == 1;
	if (p->token.n > 30)
		return S_NONE;
	int n = snprintf(name, sizeof(name), "%.*s", (int)p->token.n, p->token.start);
	if (*taken)
		n = snprintf(name, sizeof(name), "%.*s.%c", (int)p->token.n, p->token.start,
			p->next_token.start[0]);
	return find_sreg(name, (uint32_t)n);
}

uint32_t operand_register_number(const struct symbol *s, const struct token *t)
{
	uint32_t v = 0;

	for (uint32_t i = (uint32_t)strlen(s->name); s->is_range && i < t->n; i++)
		v = v * 10 + (uint32_t)(t->start[i] - '0');
	return s->first_reg + v * (s->vec ? s->vec : 1u);
}

static bool parse_register(struct parser *p, struct operand *o, struct symbol *s)
{
	uint32_t reg = operand_register_number(s, &p->token);

	if (s->vec && p->next_token.kind != TOK_DOT) {
		o->kind = O_VEC;
		o->n = s->vec;
		o->elem = arena_alloc(&p->module->arena, s->vec, sizeof(*o->elem));
		for (unsigned i = 0; i < s->vec; i++)
			o->elem[i] = (struct operand){
				.kind = O_REG, .reg = reg + i, .line = o->line, .col = o->col};
		return parser_next(p);
	}
	o->kind = O_REG;
	o->reg = reg;
	if (!parser_next(p))
		return false;
	if (s->vec) {
		const char *names = "xyzwrgba",
			   *at = p->token.n == 1 ? strchr(names, p->token.start[0]) : NULL;
		unsigned i = at && *at ? (unsigned)(at - names) & 3 : 99;

		if (i >= s->vec)
			return parser_unexpected(p, "an element of the vector such as .x");
		o->reg += i;
		return parser_next(p);
	}
	if (p->token.kind == TOK_DOT && p->token.n < 6) {
		o->letters = p->token.start;
		o->n_letters = (uint8_t)p->token.n;
		return parser_next(p);
	}
	return true;
}

/* Parses the constant that is added to a name, if there is one. Its sign begins an expression. */
static bool take_offset(struct parser *p, int64_t *v)
{
	return !(parser_at_punct(p, '+') || parser_at_punct(p, '-')) || constant_take_whole(p, v);
}

static bool parse_name(struct parser *p, struct operand *o, const struct stmt *in)
{
	bool taken;
	struct token t = p->token;
	struct symbol *s = parser_look_up(p, t.start, t.n);
	enum sreg sreg;
	char shown[80];

	if (token_is_name(&t, "_") && !s) {
		o->kind = O_NULL;
		return parser_next(p);
	}
	if (in->opcode == I_bra && !(s && s->kind == SYM_LABEL && s == scope_find(p->scope, t.start, t.n))) {
		/* a later label of this block has precedence over those of enclosing blocks */
		o->kind = O_LABEL;
		return parser_next(p);
	}
	if (s && s->kind == SYM_REG)
		return parse_register(p, o, s);
	if (!s && (sreg = sreg_at(p, &taken))) {
		o->kind = O_SREG;
		o->sreg = (uint8_t)sreg;
		return parser_next(p) && (!taken || parser_next(p));
	}
	if (!s) {
		diag_quote(shown, sizeof(shown), t.start, t.n);
		return parser_bad(p, &t, "name-unknown", "unknown name '%s'", shown);
	}
	o->kind = s->kind == SYM_LABEL ? O_LABEL : O_SYM;
	o->sym = s;
	if (!parser_next(p))
		return false;
	return s->kind != SYM_VAR || take_offset(p, &o->value);
}

/* Parses "[base+offset]", "[number]", "[texture, {x, y}]" or "[map, {x, y}, offsets]". */
static bool parse_address(struct parser *p, struct operand *o, const struct stmt *in, unsigned depth)
{
	struct operand base = {0}, elem;
	uint32_t first = p->n_list;

	o->kind = O_ADDR;
	o->reg = UINT32_MAX;
	if (p->token.kind == TOK_NAME) {
		if (!parse_name(p, &base, in))
			return false;
		if (base.kind == O_REG)
			o->reg = base.reg;
		else if (base.kind == O_SYM && base.sym->kind == SYM_VAR)
			o->sym = base.sym;
		else
			return parser_unexpected(p, "a register or a variable as address before it");
		o->value = base.value;
		if (base.kind == O_REG && !take_offset(p, &o->value))
			return false;
	} else if (!constant_take_whole(p, &o->value)) {
		return false;
	}
	while (parser_at_punct(p, ',')) {
		if (p->n_list - first == 8)
			return parser_unexpected(p, "']'");
		if (!parser_next(p) || !operand_parse(p, &elem, in, depth + 1))
			return false;
		operand_add_to_list(p, &elem);
	}
	o->n = (uint8_t)(p->n_list - first);
	o->elem = o->n ? operand_keep_list(p, first) : NULL;
	return parser_take_punct(p, ']');
}

/* Parses a constant expression, or a 0f literal, which keeps all its bits, even of a NaN. */
static bool parse_number_operand(struct parser *p, struct operand *o)
{
	struct constant c;

	if (p->token.kind == TOK_F32) {
		o->kind = O_FLOAT;
		o->single = true;
		o->value = (int64_t)(p->token.value ^ (o->minus ? 0x80000000u : 0));
		o->minus = false;
		return parser_next(p);
	}
	if (!constant_take_expression(p, &c))
		return false;
	o->kind = c.kind == CONST_REAL ? O_FLOAT : O_INT;
	o->value = (int64_t)c.bits;
	return true;
}

bool operand_parse(struct parser *p, struct operand *o, const struct stmt *in, unsigned depth)
{
	*o = (struct operand){.line = p->token.line, .col = p->token.col};
	if (depth > 4)
		return parser_unexpected(p, "an operand without further nested lists");
	if (parser_at_punct(p, '[')) {
		if (!parser_next(p) || !parse_address(p, o, in, depth))
			return false;
		return true;
	}
	if (parser_at_punct(p, '{'))
		return parser_next(p) && parse_operand_list(p, o, in, '}', depth);
	if (parser_at_punct(p, '(') && in->opcode == I_call) {
		o->list = true;
		return parser_next(p) && parse_operand_list(p, o, in, ')', depth);
	}
	if (parser_at_punct(p, '!') && p->next_token.kind == TOK_NAME) {
		o->inverted = true;
		if (!parser_next(p))
			return false;
	} else if (parser_at_punct(p, '-') &&
		   (p->next_token.kind == TOK_NAME || p->next_token.kind == TOK_F32)) {
		o->minus = true;
		if (!parser_next(p))
			return false;
	}
	if (p->token.kind != TOK_NAME)
		return parse_number_operand(p, o);
	if (!parse_name(p, o, in) || (o->kind == O_REG && !o->letters && !take_offset(p, &o->value)))
		return false;
	if (parser_at_punct(p, '|')) { /* a|b: two destinations */
		struct operand *both = arena_alloc(&p->module->arena, 2, sizeof(*both));

		both[0] = *o;
		if (!parser_next(p) || !operand_parse(p, &both[1], in, depth + 1))
			return false;
		o->kind = O_VEC;
		o->is_pair = true;
		o->n = 2;
		o->elem = both;
	}
	return true;
}

unsigned stmt_count_results(const struct stmt *in)
{
	switch (in->opcode) {
	case I_bra:
	case I_brx:
	case I_ret:
	case I_exit:
	case I_st:
	case I_red:
	case I_sust:
	case I_sured:
	case I_membar:
	case I_fence:
	case I_prefetch:
	case I_prefetchu:
	case I_nanosleep:
	case I_trap:
	case I_brkpt:
	case I_pmevent:
	case I_discard:
	case I_applypriority:
	case I_cp:
	case I_setmaxnreg:
	case I_griddepcontrol:
	case I_stmatrix: return 0;
	case I_call: return in->n_operands > 1 && in->operand[0].list && !in->operand[1].list;
	case I_wmma: return !stmt_has(in, M_STORE);
	case I_mbarrier: return in->n_operands && in->operand[0].kind != O_ADDR;
	case I_bar:
	case I_barrier: return stmt_has(in, M_RED);
	default: return in->n_operands > 0;
	}
}
