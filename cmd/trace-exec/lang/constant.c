/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constant expressions: numbers, the operators of C on them, casts to .s64 and .u64.
 *
 * Always true, as in PTX: a number is a signed integer of 64 bits, an unsigned one if it has a U or does not
 * fit, or a double. One unsigned operand makes an operation unsigned, one real operand makes it real. A
 * comparison gives 0 or 1; a shift has the type of its left side. 0f literals denote bits and cannot be part of
 * an expression. Shifts by 64 or more leave only the sign; PTX does not define their result.
 */
#include <math.h>
#include <string.h>
#include "lang/ieee.h"
#include "lang/parser.h"

#define DEPTH 32u

enum operation { ADD, SUB, MUL, DIV, MOD, SHL, SHR, LT, GT, LE, GE, EQ, NE, AND, XOR, OR, LAND, LOR };

/*
 * An operator of two characters precedes the operator that is its first character, because the first match is
 * used.
 */
static const struct {
	char text[3];
	uint8_t precedence; /* operators of higher precedence bind more tightly */
	uint8_t operation;
	bool whole; /* requires whole numbers */
} operators[] = {
	{"||", 1, LOR, false},
	{"&&", 2, LAND, false},
	{"==", 6, EQ, false},
	{"!=", 6, NE, false},
	{"<<", 8, SHL, true},
	{">>", 8, SHR, true},
	{"<=", 7, LE, false},
	{">=", 7, GE, false},
	{"|", 3, OR, true},
	{"^", 4, XOR, true},
	{"&", 5, AND, true},
	{"<", 7, LT, false},
	{">", 7, GT, false},
	{"+", 9, ADD, false},
	{"-", 9, SUB, false},
	{"*", 10, MUL, false},
	{"/", 10, DIV, false},
	{"%", 10, MOD, true},
};
#define N_OPERATORS (sizeof(operators) / sizeof(operators[0]))

double constant_to_double(const struct constant *c)
{
	return c->kind == CONST_REAL     ? ieee_f64(c->bits)
	       : c->kind == CONST_SIGNED ? (double)(int64_t)c->bits
					 : (double)c->bits;
}

static struct constant real_constant(double d) { return (struct constant){CONST_REAL, ieee_f64_bits(d)}; }

static struct constant truth_constant(bool b) { return (struct constant){CONST_SIGNED, b}; }

static bool constant_is_true(const struct constant *c)
{
	return c->kind == CONST_REAL ? constant_to_double(c) != 0 : c->bits != 0;
}

static bool compare_reals(enum operation op, double a, double b)
{
	switch (op) {
	case LT: return a < b;
	case GT: return a > b;
	case LE: return a <= b;
	case GE: return a >= b;
	case EQ: return !(a < b || a > b) && !isnan(a) && !isnan(b);
	default: return a < b || a > b || isnan(a) || isnan(b);
	}
}

static struct constant compute_real_operation(enum operation op, double a, double b)
{
	switch (op) {
	case ADD: return real_constant(a + b);
	case SUB: return real_constant(a - b);
	case MUL: return real_constant(a * b);
	case DIV: return real_constant(a / b);
	default: return truth_constant(compare_reals(op, a, b));
	}
}

/*
 * Returns the quotient or remainder; b is not 0. If the least number is divided by -1, the quotient is the
 * least number and the remainder 0.
 */
static uint64_t divide_constants(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
	if (!is_signed)
		return remainder ? a % b : a / b;
	if (b == UINT64_MAX)
		return remainder ? 0 : 0 - a;
	return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_constant_right(uint64_t a, uint64_t n, bool is_signed)
{
	uint64_t sign = is_signed && a >> 63 ? UINT64_MAX : 0;

	return n >= 64 ? sign : n ? a >> n | sign << (64 - n) : a;
}

static struct constant compute_whole_operation(enum operation op, struct constant a, struct constant b)
{
	bool is_signed = a.kind == CONST_SIGNED && b.kind == CONST_SIGNED;
	uint64_t x = a.bits, y = b.bits, turn = is_signed ? 1ull << 63 : 0;
	enum constant_kind kind = is_signed ? CONST_SIGNED : CONST_UNSIGNED;

	switch (op) {
	case ADD: return (struct constant){kind, x + y};
	case SUB: return (struct constant){kind, x - y};
	case MUL: return (struct constant){kind, x * y};
	case DIV:
	case MOD: return (struct constant){kind, divide_constants(x, y, is_signed, op == MOD)};
	case SHL: return (struct constant){a.kind, y < 64 ? x << y : 0};
	case SHR: return (struct constant){a.kind, shift_constant_right(x, y, a.kind == CONST_SIGNED)};
	case AND: return (struct constant){kind, x & y};
	case XOR: return (struct constant){kind, x ^ y};
	case OR: return (struct constant){kind, x | y};
	case LT: return truth_constant((x ^ turn) < (y ^ turn));
	case GT: return truth_constant((x ^ turn) > (y ^ turn));
	case LE: return truth_constant((x ^ turn) <= (y ^ turn));
	case GE: return truth_constant((x ^ turn) >= (y ^ turn));
	case EQ: return truth_constant(x == y);
	default: return truth_constant(x != y);
	}
}

/* Returns the operator that begins at the current token, of one or two tokens; N_OPERATORS: none. */
static unsigned operator_at(const struct parser *p)
{
	const struct token *a = &p->next_token;
	bool two = a->kind == TOK_PUNCT && a->start == p->token.start + 1;

	for (unsigned i = 0; p->token.kind == TOK_PUNCT && i < N_OPERATORS; i++)
		if (operators[i].text[0] == p->token.punct &&
			(!operators[i].text[1] || (two && operators[i].text[1] == a->punct)))
			return i;
	return N_OPERATORS;
}

static bool parse_constant_expression(struct parser *p, struct constant *c, unsigned above, unsigned depth);

/* Parses, after "(", a cast ".s64) term" or an expression in brackets. */
static bool parse_constant_bracket(struct parser *p, struct constant *c, unsigned depth);

static bool parse_constant_term(struct parser *p, struct constant *c, unsigned depth)
{
	struct token t = p->token;

	*c = (struct constant){0};
	if (depth > DEPTH)
		return parser_unexpected(p, "an expression that nests less deeply");
	if (parser_at_punct(p, '-') || parser_at_punct(p, '+') || parser_at_punct(p, '~') ||
		parser_at_punct(p, '!')) {
		if (!parser_next(p) || !parse_constant_term(p, c, depth + 1))
			return false;
		if (t.punct == '~' && c->kind == CONST_REAL)
			return parser_bad(p, &t, "expression",
				"'~' of a floating-point number (expected a whole number)");
		if (t.punct == '-')
			*c = c->kind == CONST_REAL ? real_constant(-constant_to_double(c))
						   : (struct constant){c->kind, 0 - c->bits};
		else if (t.punct == '~')
			c->bits = ~c->bits;
		else if (t.punct == '!')
			*c = truth_constant(!constant_is_true(c));
		return true;
	}
	if (parser_at_punct(p, '('))
		return parser_next(p) && parse_constant_bracket(p, c, depth);
	if (t.kind != TOK_INT && t.kind != TOK_F64)
		return parser_unexpected(p, "a number");
	*c = (struct constant){CONST_SIGNED, t.value};
	if (t.kind == TOK_F64)
		c->kind = CONST_REAL;
	else if (t.value >> 63 || t.start[t.n - 1] == 'U' || t.start[t.n - 1] == 'u')
		c->kind = CONST_UNSIGNED;
	return parser_next(p);
}

static bool parse_constant_bracket(struct parser *p, struct constant *c, unsigned depth)
{
	bool to_signed = parser_at_word(p, "s64");

	if (!to_signed && !parser_at_word(p, "u64"))
		return parse_constant_expression(p, c, 0, depth + 1) && parser_take_punct(p, ')');
	if (!parser_next(p) || !parser_take_punct(p, ')') || !parse_constant_term(p, c, depth + 1))
		return false;
	if (c->kind == CONST_REAL) {
		double d = constant_to_double(c), most = to_signed ? 0x1p63 : 0x1p64;

		if (!(d > -0x1p63 && d < most))
			return parser_unexpected(p, "a number that fits before it");
		c->bits = d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d;
	}
	c->kind = to_signed ? CONST_SIGNED : CONST_UNSIGNED;
	return true;
}

static bool apply_constant_operator(
	struct parser *p, const struct token *at, unsigned which, struct constant *a, struct constant b)
{
	enum operation op = (enum operation)operators[which].operation;
	bool is_real = a->kind == CONST_REAL || b.kind == CONST_REAL;

	if (op == LAND || op == LOR) {
		*a = truth_constant(op == LAND ? constant_is_true(a) && constant_is_true(&b)
					       : constant_is_true(a) || constant_is_true(&b));
		return true;
	}
	if (is_real && operators[which].whole)
		return parser_bad(p, at, "expression",
			"'%s' of a floating-point number (expected whole numbers)", operators[which].text);
	if (!is_real && (op == DIV || op == MOD) && !b.bits)
		return parser_bad(p, at, "expression", "division by 0");
	*a = is_real ? compute_real_operation(op, constant_to_double(a), constant_to_double(&b))
		     : compute_whole_operation(op, *a, b);
	return true;
}

/* Parses "? b : c" after the condition *c. This operator has the lowest precedence. */
static bool parse_conditional(struct parser *p, struct constant *c, unsigned depth)
{
	struct constant yes, no;

	if (!parser_next(p) || !parse_constant_expression(p, &yes, 0, depth + 1) ||
		!parser_take_punct(p, ':') || !parse_constant_expression(p, &no, 0, depth + 1))
		return false;
	*c = constant_is_true(c) ? yes : no;
	return true;
}

/* Parses a term, then the operators whose precedence is greater than `above` with their operands. */
static bool parse_constant_expression(struct parser *p, struct constant *c, unsigned above, unsigned depth)
{
	struct constant b;
	unsigned i;

	if (!parse_constant_term(p, c, depth))
		return false;
	while ((i = operator_at(p)) < N_OPERATORS && operators[i].precedence > above) {
		struct token at = p->token;

		if (!parser_next(p) || (operators[i].text[1] && !parser_next(p)) ||
			!parse_constant_expression(p, &b, operators[i].precedence, depth + 1) ||
			!apply_constant_operator(p, &at, i, c, b))
			return false;
	}
	return above || !parser_at_punct(p, '?') || parse_conditional(p, c, depth);
}

bool constant_take_expression(struct parser *p, struct constant *c)
{
	return parse_constant_expression(p, c, 0, 0);
}

static bool take_whole_value(struct parser *p, const struct token *at, const struct constant *c, int64_t *v)
{
	*v = (int64_t)c->bits;
	return c->kind != CONST_REAL || parser_bad(p, at, "syntax", "real number (expected a whole number)");
}

bool constant_take_whole(struct parser *p, int64_t *v)
{
	struct token at = p->token;
	struct constant c;

	*v = 0;
	return parse_constant_expression(p, &c, 0, 0) && take_whole_value(p, &at, &c, v);
}

bool constant_take_number(struct parser *p, int64_t *v)
{
	struct token at = p->token;
	struct constant c;

	*v = 0;
	return parse_constant_term(p, &c, 0) && take_whole_value(p, &at, &c, v);
}
