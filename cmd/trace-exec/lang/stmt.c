/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of functions: blocks, labels, directives and instructions; operand.c has their operands.
 *
 * Always true: an instruction's suffixes are types, and words of words.def that its row of ptx.def allows. A
 * label may be used before its definition; it is resolved at the end of its block or of an enclosing one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/parser.h"

/* ---- label names ---- */

static void add_pending_name(
	struct parser *p, const struct token *name, struct operand *o, struct symbol **slot)
{
	struct pending_label *w = arena_alloc(&p->module->arena, 1, sizeof(*w));

	*w = (struct pending_label){p->block->pending, o, slot,
		arena_strndup(&p->module->arena, name->start, name->n), name->line, name->col};
	p->block->pending = w;
}

static void open_block(struct parser *p, struct block *b)
{
	struct scope *s = p->scope;

	if (p->block) {
		s = arena_alloc(&p->module->arena, 1, sizeof(*s));
		s->parent = p->scope;
	}
	*b = (struct block){p->block, s, NULL};
	p->scope = s;
	p->block = b;
}

static bool close_block(struct parser *p)
{
	struct block *b = p->block;

	while (b->pending) {
		struct pending_label *w = b->pending;
		struct symbol *s = scope_find(b->scope, w->name, (uint32_t)strlen(w->name));

		b->pending = w->next;
		if (s && (s->kind == SYM_LABEL || (w->slot && s->kind == SYM_FUNC))) {
			if (w->operand)
				w->operand->sym = s;
			else
				*w->slot = s;
		} else if (b->parent) {
			w->next = b->parent->pending;
			b->parent->pending = w;
		} else if (w->slot && (s = parser_look_up(p, w->name, (uint32_t)strlen(w->name))) &&
			   s->kind == SYM_FUNC) {
			*w->slot = s;
		} else {
			char shown[80];

			diag_quote(shown, sizeof(shown), w->name, strlen(w->name));
			return parser_bad(p, &(struct token){.line = w->line, .col = w->col}, "label-unknown",
				"unknown label '%s' (expected a label of this function)", shown);
		}
	}
	p->scope = b->parent ? b->scope->parent : b->scope;
	p->block = b->parent;
	return true;
}

/* ---- instructions ---- */

static struct stmt *new_inst(struct parser *p)
{
	struct func *fn = p->func;
	struct stmt *in;

	grow(&fn->inst, &fn->cap_insts, fn->n_insts + 1, sizeof(*fn->inst));
	in = &fn->inst[fn->n_insts];
	memset(in, 0, sizeof(*in));
	in->loc_file = p->loc_file;
	in->loc_line = p->loc_line;
	in->loc = p->loc;
	return in;
}

static bool parse_guard(struct parser *p, struct stmt *in)
{
	if (!parser_next(p))
		return false;
	if (parser_at_punct(p, '!')) {
		in->guard_not = true;
		if (!parser_next(p))
			return false;
	}
	struct symbol *s = p->token.kind == TOK_NAME ? parser_look_up(p, p->token.start, p->token.n) : NULL;
	if (!s || s->kind != SYM_REG || s->type != T_PRED)
		return parser_unexpected(p, "a predicate register");
	in->guard = operand_register_number(s, &p->token) + 1;
	return parser_next(p);
}

static bool report_unknown_suffix(struct parser *p, const struct stmt *in)
{
	const struct need *need = need_find((enum opcode)in->opcode, p->token.start, p->token.n);
	char shown[80], when[40];

	diag_quote(shown, sizeof(shown), p->token.start, p->token.n);
	if (!need)
		return parser_bad(p, &p->token, "suffix", "unknown suffix .%s (expected a suffix of %s)",
			shown, opcodes[in->opcode].name);
	need_write_words(need, when, sizeof(when));
	return parser_bad(p, &p->token, "suffix", "suffix .%s of %s is not supported (introduced with %s)",
		shown, opcodes[in->opcode].name, when);
}

/*
 * Checks that a suffix that is part of the name precedes all others. before: first other suffix that was read.
 */
static bool check_suffix_order(
	struct parser *p, const struct stmt *in, enum modifier m, const struct token *before)
{
	if (!words_is_in_name((enum opcode)in->opcode, m) || !before->n)
		return true;
	return parser_bad(p, &p->token, "suffix-order", "suffix .%s after .%.*s (expected %s.%s)",
		modifier_name[m], (int)before->n, before->start, opcodes[in->opcode].name, modifier_name[m]);
}

static bool take_suffix(struct parser *p, struct stmt *in, struct token *before)
{
	enum type type = type_find(p->token.start, p->token.n);
	enum modifier m = type ? M_NONE : modifier_find(p->token.start, p->token.n);

	if (type && in->n_types == TYPES_MAX)
		return parser_unexpected(p, "at most 5 types");
	if (type) {
		in->type[in->n_types++] = (uint8_t)type;
	} else if (m && words_allow_modifier((enum opcode)in->opcode, m)) {
		if (!check_suffix_order(p, in, m, before))
			return false;
		stmt_add(in, m);
	} else if (in->opcode == I_wgmma && p->token.n > 4 && !memcmp(p->token.start, "m64n", 4)) {
		; /* a shape, which the binding reads from the text */
	} else if (*opcodes[in->opcode].words !=
		   '*') { /* '*' allows any suffix: the binding rejects the instruction */
		return report_unknown_suffix(p, in);
	}
	if (!before->n && (!m || !words_is_in_name((enum opcode)in->opcode, m)))
		*before = p->token;
	return true;
}

static bool parse_suffixes(struct parser *p, struct stmt *in, char *text, size_t cap)
{
	size_t len = strlen(text);
	struct token before = {.n = 0};
	char why[240];

	in->mod_col = p->token.col;
	while (p->token.kind == TOK_DOT) {
		if (!take_suffix(p, in, &before))
			return false;
		if (len + p->token.n + 2 > cap)
			return parser_unexpected(p, "fewer suffixes");
		text[len++] = '.';
		memcpy(text + len, p->token.start, p->token.n);
		len += p->token.n;
		text[len] = '\0';
		if (!parser_next(p))
			return false;
	}
	if (words_are_allowed(in, text, why, sizeof(why)))
		return true;
	struct token at = {.line = in->line, .col = in->mod_col};
	return parser_bad(p, &at, "suffix", "%s", why);
}

static void warn_newer_than_module(
	struct parser *p, const struct stmt *in, const char *what, const char *word, const struct need *need)
{
	diag_warn((struct place){p->module->path, in->line, in->col},
		"%s%s in a module of version %u.%u for sm_%u (expected at least %u.%u and sm_%u%.*s)", what,
		word, p->module->version / 10, p->module->version % 10, p->module->target,
		need->version / 10u, need->version % 10u, need->target, need->letter != 0, &need->letter);
}

/*
 * Warns of an instruction that is newer than the module's version or target, once per module and opcode. The
 * instruction is executed nevertheless.
 */
static void warn_new_opcode(struct parser *p, const struct stmt *in)
{
	const struct opcode_row *row = &opcodes[in->opcode];

	if (p->module->reported_newer[in->opcode / 64] >> (in->opcode % 64) & 1)
		return;
	p->module->reported_newer[in->opcode / 64] |= 1ull << (in->opcode % 64);
	warn_newer_than_module(
		p, in, row->name, "", &(struct need){.version = row->version, .target = row->target});
}

static void warn_needed_version(struct parser *p, const struct stmt *in, const char *word, size_t n)
{
	const struct need *need = need_find((enum opcode)in->opcode, word, n);
	char shown[80];

	if (!need || p->module->warned_needs[need - younger] ||
		(need->version <= p->module->version && need->target <= p->module->target &&
			(!need->letter || p->module->arch_specific)))
		return;
	p->module->warned_needs[need - younger] = true;
	snprintf(shown, sizeof(shown), "%s%s", strchr(need->word, ' ') ? " with " : ".", need->word);
	warn_newer_than_module(p, in, opcodes[in->opcode].name, shown, need);
}

/* Warns of suffixes and forms of a statement that are newer than the module's version or target. */
static void warn_needed_versions(struct parser *p, const struct stmt *in)
{
	for (const char *s = strchr(in->text, '.'); s; s = strchr(s, '.')) {
		s++;
		warn_needed_version(p, in, s, strcspn(s, "."));
	}
	if (in->n_types == 2)
		warn_needed_version(p, in, "2 types", 7);
	if (in->n_operands == 4)
		warn_needed_version(p, in, "3 sources", 9);
}

static bool parse_operands(struct parser *p, struct stmt *in)
{
	struct token target = p->token;
	struct operand one;

	p->n_list = 0;
	while (!parser_at_punct(p, ';')) {
		if (p->n_list && !parser_take_punct(p, ','))
			return false;
		if (p->n_list == OPERANDS_MAX)
			return parser_unexpected(p, "';'");
		target = p->token;
		if (!operand_parse(p, &one, in, 0))
			return false;
		operand_add_to_list(p, &one);
	}
	in->n_operands = (uint8_t)p->n_list;
	in->operand = operand_keep_list(p, 0);
	if (in->n_operands == 1 && in->opcode == I_bra && in->operand[0].kind == O_LABEL &&
		!in->operand[0].sym)
		add_pending_name(p, &target, &in->operand[0], NULL);
	return true;
}

static bool parse_inst(struct parser *p)
{
	struct stmt *in = new_inst(p);
	char text[160], shown[80];

	if (parser_at_punct(p, '@') && !parse_guard(p, in))
		return false;
	if (p->token.kind != TOK_NAME)
		return parser_unexpected(p, "an instruction");
	in->line = p->token.line;
	in->col = p->token.col;
	in->opcode = (uint16_t)opcode_find(p->token.start, p->token.n);
	if (!in->opcode) {
		diag_quote(shown, sizeof(shown), p->token.start, p->token.n);
		return parser_bad(
			p, &p->token, "opcode-unknown", "unknown or unsupported instruction '%s'", shown);
	}
	snprintf(text, sizeof(text), "%s", opcodes[in->opcode].name);
	if (!parser_next(p) || !parse_suffixes(p, in, text, sizeof(text)))
		return false;
	const struct opcode_row *row = &opcodes[in->opcode];

	if (row->version > p->module->version || row->target > p->module->target)
		warn_new_opcode(p, in);
	in->text = arena_strndup(&p->module->arena, text, strlen(text));
	if (!parse_operands(p, in))
		return false;
	warn_needed_versions(p, in);
	p->func->n_insts++;
	return parser_next(p);
}

/* ---- labels and the tables and prototypes after them ---- */

static bool parse_targets(struct parser *p, struct symbol *s)
{
	uint32_t n = 0;

	do {
		if (n == TARGETS_MAX || p->token.kind != TOK_NAME)
			return parser_unexpected(
				p, n == TARGETS_MAX ? "at most 65536 targets" : "a label or a function");
		add_pending_name(p, &p->token, NULL, NULL);
		n++;
		if (!parser_next(p))
			return false;
	} while (parser_at_punct(p, ',') && parser_next(p));
	s->kind = SYM_TARGETS;
	s->n_targets = n;
	s->target = arena_alloc(&p->module->arena, n, sizeof(*s->target));
	/* the pending list is newest first: it begins with the last target */
	struct pending_label *w = p->block->pending;
	for (uint32_t i = n; i-- > 0; w = w->next)
		w->slot = &s->target[i];
	return parser_take_punct(p, ';');
}

static bool parse_prototype(struct parser *p, struct symbol *s)
{
	struct func *fn = arena_alloc(&p->module->arena, 1, sizeof(*fn)), *outer = p->func;
	struct scope *inner = arena_alloc(&p->module->arena, 1, sizeof(*inner)), *scope = p->scope;
	bool good;

	s->kind = SYM_PROTO;
	s->func = fn;
	fn->module = p->module;
	fn->name = s->name;
	p->func = fn;
	p->scope = inner;
	good = !parser_at_punct(p, '(') || parse_params(p, false, &fn->ret, &fn->n_rets);
	good = good && parser_take_name(p, "'_'") &&
	       (!parser_at_punct(p, '(') || parse_params(p, false, &fn->param, &fn->n_params));
	while (good && (parser_at_word(p, "noreturn") || parser_at_word(p, "abi_preserve") ||
			       p->token.kind == TOK_INT))
		good = parser_next(p);
	free(fn->reg);
	fn->reg = NULL;
	p->func = outer;
	p->scope = scope;
	return good && parser_take_punct(p, ';');
}

static bool parse_label(struct parser *p)
{
	struct symbol *s = parser_new_symbol(p, SYM_LABEL, &p->token);

	if (!s || !parser_next(p) || !parser_next(p))
		return false;
	s->label_inst = p->func->n_insts;
	s->defined = true;
	if (parser_at_word(p, "branchtargets") || parser_at_word(p, "calltargets"))
		return parser_next(p) && parse_targets(p, s);
	if (parser_at_word(p, "callprototype"))
		return parser_next(p) && parse_prototype(p, s);
	return true;
}

static bool parse_declaration(struct parser *p)
{
	static const struct {
		const char *word;
		enum state_space space;
	} spaces[] = {
		{"reg", SP_REG},
		{"shared", SP_SHARED},
		{"local", SP_LOCAL},
		{"param", SP_PARAM},
		{"global", SP_GLOBAL},
		{"const", SP_CONST},
	};
	struct linkage l = {0};

	if (parser_at_word(p, "loc"))
		return parser_next(p) && loc_parse(p);
	if (parser_at_word(p, "pragma")) {
		while (!parser_at_punct(p, ';'))
			if (p->token.kind == TOK_END || !parser_next(p))
				return p->failed ? false : parser_unexpected(p, "';'");
		return parser_next(p);
	}
	if (parser_at_word(p, "extern")) {
		l.external = true;
		if (!parser_next(p))
			return false;
	}
	for (unsigned i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (parser_at_word(p, spaces[i].word))
			return parser_next(p) && decl_variables(p, spaces[i].space, l);
	return parser_unexpected(p, "a declaration or an instruction");
}

static bool parse_statements(struct parser *p)
{
	struct block block;

	if (++p->depth > DEPTH_MAX)
		return parser_unexpected(p, "blocks nested no deeper than 200");
	open_block(p, &block);
	while (!parser_at_punct(p, '}')) {
		bool good;

		if (parser_at_punct(p, '{'))
			good = parser_next(p) && parse_statements(p);
		else if (parser_at_punct(p, ';'))
			good = parser_next(p);
		else if (p->token.kind == TOK_DOT)
			good = parse_declaration(p);
		else if (p->token.kind == TOK_NAME && p->next_token.kind == TOK_PUNCT &&
			 p->next_token.punct == ':')
			good = parse_label(p);
		else
			good = p->token.kind == TOK_END ? parser_unexpected(p, "'}'") : parse_inst(p);
		if (!good)
			return false;
	}
	p->depth--;
	return close_block(p) && parser_next(p);
}

bool stmt_parse_body(struct parser *p)
{
	p->block = NULL;
	p->loc_file = p->loc_line = p->loc = 0;
	p->func->first_loc = p->module->n_locs;
	return parse_statements(p);
}
