/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: a recursive parser writes code for a stack interpreter. Always true: the code never pops from an empty
 * stack, and the stack needs at most one entry per operation; depth and length are bounded, so parser and interpreter
 * terminate.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "expr.h"
#include "num.h"

enum expr_op {
	OP_NUMBER,
	OP_NAME,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_NEG,
	OP_MIN,
	OP_MAX,
	OP_SQRT,
	OP_LOG,
	OP_ABS
};

struct expr_step {
	enum expr_op op;
	double number;
	uint32_t name; /* index of a name */
};

struct expr {
	struct expr_step *code; /* steps of the stack interpreter */
	char **name;            /* distinct names */
	uint32_t n, cap, n_names, cap_names;
	double *stack; /* values; as large as the code */
};

struct expr_parser {
	struct expr *expr;      /* expression that is being parsed */
	const char *text;       /* start of the text */
	const char *next;       /* current position */
	const char *place_name; /* name in the places of faults */
	uint32_t col;           /* column of the start of the text */
	unsigned depth;         /* depth of nested parentheses and functions */
	struct fault *fault;
};

static int syntax_fault(struct expr_parser *p, const char *expected)
{
	struct place at = {.file = p->place_name, .col = p->col + (uint32_t)(p->next - p->text)};
	char q[40];

	if (!*p->next)
		return fault_set(p->fault, at, "expression", "unexpected end of the expression (expected %s)",
			expected);
	return fault_set(p->fault, at, "expression", "unexpected '%s' (expected %s)",
		diag_quote(q, sizeof(q), p->next, strnlen(p->next, 16)), expected);
}

static void skip_space(struct expr_parser *p)
{
	while (*p->next == ' ' || *p->next == '\t')
		p->next++;
}

static void append_step(struct expr_parser *p, enum expr_op op, double number, uint32_t name)
{
	struct expr *e = p->expr;

	grow(&e->code, &e->cap, e->n + 1, sizeof(*e->code));
	e->code[e->n++] = (struct expr_step){op, number, name};
}

static void append_name_step(struct expr_parser *p, const char *s, size_t n)
{
	struct expr *e = p->expr;
	uint32_t i = 0;

	while (i < e->n_names && (strncmp(e->name[i], s, n) || e->name[i][n]))
		i++;
	if (i == e->n_names) {
		grow(&e->name, &e->cap_names, i + 1, sizeof(*e->name));
		e->name[e->n_names++] = xstrndup(s, n);
	}
	append_step(p, OP_NAME, 0, i);
}

static int parse_sum(struct expr_parser *p);

static const struct {
	const char *name;
	enum expr_op op;
	bool is_variadic; /* whether the function takes several arguments */
} functions[] = {
	{"min", OP_MIN, true},
	{"max", OP_MAX, true},
	{"sqrt", OP_SQRT, false},
	{"log", OP_LOG, false},
	{"abs", OP_ABS, false},
};

/* Parses the arguments of a function. p->next is after the opening parenthesis. */
static int parse_call(struct expr_parser *p, enum expr_op op, bool many)
{
	if (parse_sum(p) < 0)
		return -1;
	for (skip_space(p); many && *p->next == ','; skip_space(p)) {
		p->next++;
		if (parse_sum(p) < 0)
			return -1;
		append_step(p, op, 0, 0);
	}
	if (*p->next != ')')
		return syntax_fault(p, many ? "',' or ')'" : "')'");
	p->next++;
	if (!many)
		append_step(p, op, 0, 0);
	return 0;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	for (;;) {
		if (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.') {
			n++;
		} else if (s[n] == '[' && strchr(s + n, ']')) {
			n += (size_t)(strchr(s + n, ']') - (s + n)) + 1;
		} else {
			return n;
		}
	}
}

static int parse_name_or_call(struct expr_parser *p)
{
	const char *s = p->next;
	size_t n = name_length(s);

	p->next += n;
	skip_space(p);
	if (*p->next != '(') {
		append_name_step(p, s, n);
		return 0;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strlen(functions[i].name) == n && !strncmp(functions[i].name, s, n)) {
			p->next++;
			return parse_call(p, functions[i].op, functions[i].is_variadic);
		}
	}
	p->next = s;
	return syntax_fault(p, "one of the functions min, max, sqrt, log, abs");
}

static int parse_quoted(struct expr_parser *p)
{
	const char *s = p->next + 1, *end = strchr(s, '"');

	if (!end || end == s)
		return syntax_fault(p, "a name between double quotes");
	append_name_step(p, s, (size_t)(end - s));
	p->next = end + 1;
	return 0;
}

static int parse_real(struct expr_parser *p)
{
	double v;

	if (*p->next == '0' && (p->next[1] == 'x' || p->next[1] == 'X'))
		return syntax_fault(p, "a decimal number");
	if (num_real(&p->next, &v) != NUM_GOOD)
		return syntax_fault(p, "a number");
	append_step(p, OP_NUMBER, v, 0);
	return 0;
}

static int parse_group(struct expr_parser *p)
{
	p->next++;
	if (parse_sum(p) < 0)
		return -1;
	skip_space(p);
	if (*p->next != ')')
		return syntax_fault(p, "')'");
	p->next++;
	return 0;
}

static int parse_signed_value(struct expr_parser *p)
{
	bool negative = false;

	for (skip_space(p); *p->next == '-' || *p->next == '+'; skip_space(p))
		negative ^= *p->next++ == '-';
	if (*p->next == '('                                           ? parse_group(p)
		: *p->next == '"'                                     ? parse_quoted(p)
		: isdigit((unsigned char)*p->next) || *p->next == '.' ? parse_real(p)
		: isalpha((unsigned char)*p->next) || *p->next == '_'
			? parse_name_or_call(p)
			: syntax_fault(p, "a number, a name or '('"))
		return -1;
	if (negative)
		append_step(p, OP_NEG, 0, 0);
	return 0;
}

static int parse_product(struct expr_parser *p)
{
	if (parse_signed_value(p) < 0)
		return -1;
	for (skip_space(p); *p->next == '*' || *p->next == '/'; skip_space(p)) {
		enum expr_op op = *p->next++ == '*' ? OP_MUL : OP_DIV;

		if (parse_signed_value(p) < 0)
			return -1;
		append_step(p, op, 0, 0);
	}
	return 0;
}

static int parse_sum(struct expr_parser *p)
{
	if (++p->depth > EXPR_DEPTH)
		return syntax_fault(p, "at most 64 nested parentheses");
	if (parse_product(p) < 0)
		return -1;
	for (skip_space(p); *p->next == '+' || *p->next == '-'; skip_space(p)) {
		enum expr_op op = *p->next++ == '+' ? OP_ADD : OP_SUB;

		if (parse_product(p) < 0)
			return -1;
		append_step(p, op, 0, 0);
	}
	p->depth--;
	return 0;
}

struct expr *expr_parse(const char *text, const char *what, uint32_t col, struct fault *f)
{
	struct expr_parser p = {.expr = xcalloc(1, sizeof(*p.expr)),
		.text = text,
		.next = text,
		.place_name = what,
		.col = col,
		.fault = f};
	int status;

	if (strlen(text) > EXPR_MAX)
		status = fault_set(f, (struct place){.file = what}, "expression",
			"expression of %zu bytes (expected at most %d)", strlen(text), EXPR_MAX);
	else
		status = parse_sum(&p);
	if (!status && *p.next)
		status = syntax_fault(&p, "an operator or the end of the expression");
	if (status) {
		expr_free(p.expr);
		return NULL;
	}
	p.expr->stack = xcalloc(p.expr->n, sizeof(double));
	return p.expr;
}

static double apply_operator(enum expr_op op, double a, double b)
{
	switch (op) {
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV: return b != 0 ? a / b : (double)NAN;
	case OP_MIN: return isnan(a) || isnan(b) ? (double)NAN : a < b ? a : b;
	case OP_MAX: return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
	case OP_NEG: return -a;
	case OP_SQRT: return a >= 0 ? sqrt(a) : (double)NAN;
	case OP_LOG: return a > 0 ? log(a) : (double)NAN;
	case OP_ABS: return fabs(a);
	default: return (double)NAN;
	}
}

double expr_value(const struct expr *e, double (*lookup)(void *ctx, const char *name), void *ctx)
{
	uint32_t top = 0;

	for (uint32_t i = 0; i < e->n; i++) {
		const struct expr_step *c = &e->code[i];
		bool two = (c->op >= OP_ADD && c->op <= OP_DIV) || c->op == OP_MIN || c->op == OP_MAX;

		if (c->op == OP_NUMBER)
			e->stack[top++] = c->number;
		else if (c->op == OP_NAME)
			e->stack[top++] = lookup(ctx, e->name[c->name]);
		else if (two) {
			top--;
			e->stack[top - 1] = apply_operator(c->op, e->stack[top - 1], e->stack[top]);
		} else {
			e->stack[top - 1] = apply_operator(c->op, e->stack[top - 1], 0);
		}
	}
	return isfinite(e->stack[0]) ? e->stack[0] : (double)NAN;
}

size_t expr_names(const struct expr *e) { return e->n_names; }

const char *expr_name(const struct expr *e, size_t i) { return e->name[i]; }

void expr_free(struct expr *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->n_names; i++)
		free(e->name[i]);
	free(e->name);
	free(e->code);
	free(e->stack);
	free(e);
}
