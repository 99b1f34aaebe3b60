/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on the current token for all parts of the parser: report a fault, move past the token, look its
 * name up, declare its name.
 *
 * Always true: only the first fault is reported; after it the parser does not move.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lang/parser.h"

/* ---- faults and tokens ---- */

bool parser_bad(struct parser *p, const struct token *t, const char *id, const char *fmt, ...)
{
	char text[240];
	va_list args;

	if (p->failed)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fault_set(p->fault, (struct place){p->module->path, t->line, t->col}, id, "%s", text);
	p->failed = true;
	return false;
}

static const char *write_token_text(char *out, unsigned cap, const struct token *t)
{
	char quoted[80];

	if (t->kind == TOK_END)
		return "the end of the file";
	diag_quote(quoted, sizeof(quoted), t->start, t->n);
	snprintf(out, cap, "'%s%s'", t->kind == TOK_DOT ? "." : "", quoted);
	return out;
}

bool parser_unexpected(struct parser *p, const char *expected)
{
	char found[100];

	return parser_bad(p, &p->token, "syntax", "unexpected %s (expected %s)",
		write_token_text(found, sizeof(found), &p->token), expected);
}

bool parser_next(struct parser *p)
{
	if (p->failed)
		return false;
	p->token = p->next_token;
	if (lex_token(&p->lexer, &p->next_token, p->fault)) {
		p->failed = true;
		return false;
	}
	return true;
}

bool parser_at_punct(const struct parser *p, char c)
{
	return p->token.kind == TOK_PUNCT && p->token.punct == c;
}

static bool token_is(const struct token *t, const char *s)
{
	return strlen(s) == t->n && !memcmp(t->start, s, t->n);
}

bool parser_at_word(const struct parser *p, const char *dotted)
{
	return p->token.kind == TOK_DOT && token_is(&p->token, dotted);
}

bool parser_take_punct(struct parser *p, char c)
{
	char expected[4] = {'\'', c, '\'', 0};

	return parser_at_punct(p, c) ? parser_next(p) : parser_unexpected(p, expected);
}

char *parser_take_name(struct parser *p, const char *expected)
{
	if (p->failed || p->token.kind != TOK_NAME) {
		parser_unexpected(p, expected);
		return NULL;
	}
	char *s = arena_strndup(&p->module->arena, p->token.start, p->token.n);
	return parser_next(p) ? s : NULL;
}

/* ---- names ---- */

static struct symbol *find_register_range(const struct scope *s, const char *name, uint32_t n)
{
	uint32_t digits = 0;
	uint64_t number = 0;

	while (digits < n && digits < 9 && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9')
		digits++;
	for (uint32_t d = digits; d > 0; d--) {
		if (name[n - d] == '0' && d > 1)
			continue;
		struct symbol *sym = scope_find(s, name, n - d);

		number = 0;
		for (uint32_t i = n - d; i < n; i++)
			number = number * 10 + (uint64_t)(name[i] - '0');
		if (sym && sym->kind == SYM_REG && sym->is_range && number < sym->n_regs)
			return sym;
	}
	return NULL;
}

struct symbol *parser_look_up(struct parser *p, const char *name, uint32_t n)
{
	for (const struct scope *s = p->scope; s; s = s->parent) {
		struct symbol *sym = scope_find(s, name, n);

		if (!sym || (sym->kind == SYM_REG && sym->is_range))
			sym = find_register_range(s, name, n);
		if (sym && sym->kind == SYM_REG && !s->parent && p->func)
			return decl_adopt_register(p, sym, &p->token);
		if (sym)
			return sym;
	}
	return NULL;
}

struct symbol *parser_new_symbol(struct parser *p, enum sym_kind kind, const struct token *name)
{
	struct symbol *old = scope_find(p->scope, name->start, name->n);
	char text[100];

	if (old && !(kind == SYM_FUNC && old->kind == SYM_FUNC) && !(old->kind == kind && old->external)) {
		parser_bad(p, name, "name-twice", "%s is already declared at line %u",
			write_token_text(text, sizeof(text), name), old->line);
		return NULL;
	}
	if (old)
		return old;
	struct symbol *sym = arena_alloc(&p->module->arena, 1, sizeof(*sym));
	sym->name = arena_strndup(&p->module->arena, name->start, name->n);
	sym->kind = (uint8_t)kind;
	sym->line = name->line;
	sym->col = name->col;
	scope_add(p->scope, sym, &p->module->arena);
	return sym;
}
