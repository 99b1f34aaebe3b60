/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules: directives at module scope, heads of functions.
 *
 * Always true: a function declared earlier and defined later is one symbol; functions are in the module's
 * list in the order in which their bodies end. Debug sections are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "input.h"
#include "lang/parser.h"

#define TEXT_MAX (256u << 20)

/* ---- heads of functions ---- */

bool parse_params(struct parser *p, bool entry, struct symbol ***out, uint32_t *n)
{
	struct symbol *list[512];

	*n = 0;
	if (!parser_take_punct(p, '('))
		return false;
	while (!parser_at_punct(p, ')')) {
		if (*n && !parser_take_punct(p, ','))
			return false;
		if (*n == 512)
			return parser_bad(
				p, &p->token, "params", "too many parameters (expected at most 512)");
		if (parser_at_punct(p, '.') || !(list[*n] = decl_parse_param(p, entry)))
			return parser_unexpected(p, "a parameter");
		++*n;
	}
	*out = arena_alloc(&p->module->arena, *n ? *n : 1, sizeof(**out));
	memcpy(*out, list, *n * sizeof(**out));
	return parser_next(p);
}

static bool have_same_params(struct symbol *const *a, struct symbol *const *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned bits = types[a[i]->type].bits * (a[i]->vec ? a[i]->vec : 1u);

		if (a[i]->kind != b[i]->kind ||
			(a[i]->kind == SYM_REG
					? bits != types[b[i]->type].bits * (b[i]->vec ? b[i]->vec : 1u)
					: a[i]->size != b[i]->size && !a[i]->unsized && !b[i]->unsized))
			return false;
	}
	return true;
}

bool func_has_same_signature(const struct func *a, const struct func *b)
{
	return a->entry == b->entry && a->n_params == b->n_params && a->n_rets == b->n_rets &&
	       have_same_params(a->param, b->param, a->n_params) &&
	       have_same_params(a->ret, b->ret, a->n_rets);
}

/* Parses up to n numbers, as in ".maxntid 256, 1, 1". */
static bool take_directive_numbers(struct parser *p, uint32_t *v, unsigned n)
{
	int64_t x;

	for (unsigned i = 0; i < n; i++) {
		if (!constant_take_number(p, &x))
			return false;
		if (x < 0 || x > UINT32_MAX)
			return parser_unexpected(p, "a number that fits");
		v[i] = (uint32_t)x;
		if (i + 1 < n && !parser_at_punct(p, ','))
			break;
		if (i + 1 < n && !parser_next(p))
			return false;
	}
	return true;
}

static bool skip_directive_values(struct parser *p)
{
	while (p->token.kind == TOK_INT || p->token.kind == TOK_TEXT || p->token.kind == TOK_NAME ||
		parser_at_punct(p, ',') || parser_at_punct(p, '(') || parser_at_punct(p, ')'))
		if (!parser_next(p))
			return false;
	return true;
}

/* Returns the row of the current token if it is a directive of module scope, or NULL. */
static const struct directive_row *directive_at(const struct parser *p);

/* Returns true if the current token is one of the n words. */
static bool is_at_one_of(const struct parser *p, const char *const *word, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (parser_at_word(p, word[i]))
			return true;
	return false;
}

/* Parses .maxntid, .reqntid or .reqnctapercluster: up to three numbers from 1 to `most`; absent ones are 1. */
static bool parse_dimensions(struct parser *p, uint32_t v[3], uint32_t most, const char *expected)
{
	v[0] = v[1] = v[2] = 1;
	if (!parser_next(p) || !take_directive_numbers(p, v, 3))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!v[i] || v[i] > most)
			return parser_unexpected(p, expected);
	return true;
}

/* Parses a directive with one number. */
static bool parse_directive_number(struct parser *p, uint32_t *v)
{
	return parser_next(p) && take_directive_numbers(p, v, 1);
}

/* Parses a directive without values, which sets *flag. */
static bool parse_directive_flag(struct parser *p, bool *flag)
{
	*flag = true;
	return parser_next(p);
}

/* Skips a directive with its values and a semicolon after them. */
static bool skip_directive(struct parser *p)
{
	return parser_next(p) && skip_directive_values(p) && (!parser_at_punct(p, ';') || parser_next(p));
}

/* Parses one directive between the head of a function and its body. Sets *done if it belongs to the module instead. */
static bool parse_performance_directive(struct parser *p, struct func *fn, bool *done)
{
	static const char *const ignored[] = {"maxnreg", "maxnctapersm", "abi_preserve",
		"abi_preserve_control"},
				 *const skipped[] = {"pragma", "attribute", "unified"};
	const char *above_0 = "numbers above 0 before it";
	uint32_t number;

	if (parser_at_word(p, "maxntid"))
		return parse_dimensions(p, fn->maxntid, UINT32_MAX, above_0);
	if (parser_at_word(p, "reqntid"))
		return parse_dimensions(p, fn->reqntid, UINT32_MAX, above_0);
	if (parser_at_word(p, "reqnctapercluster"))
		return parse_dimensions(
			p, fn->cluster, CLUSTER_MAX, "clusters of 1 to 16 thread blocks before it");
	if (parser_at_word(p, "minnctapersm"))
		return parse_directive_number(p, &fn->minnctapersm);
	if (parser_at_word(p, "maxclusterrank"))
		return parse_directive_number(p, &fn->max_cluster);
	if (is_at_one_of(p, ignored, sizeof(ignored) / sizeof(*ignored)))
		return parse_directive_number(p, &number);
	if (parser_at_word(p, "noreturn"))
		return parse_directive_flag(p, &fn->noreturn);
	if (parser_at_word(p, "explicitcluster"))
		return parse_directive_flag(p, &fn->explicit_cluster);
	if (is_at_one_of(p, skipped, sizeof(skipped) / sizeof(*skipped)))
		return skip_directive(p);
	*done = !fn->entry && directive_at(p);
	return *done || parser_unexpected(p, "a directive of a function, '{' or ';'");
}

static bool parse_performance_directives(struct parser *p, struct func *fn)
{
	bool done = false;

	while (!done && p->token.kind == TOK_DOT)
		if (!parse_performance_directive(p, fn, &done))
			return false;
	return true;
}

static void add_func(struct module *m, struct func *fn)
{
	grow(&m->func, &m->cap_funcs, m->n_funcs + 1, sizeof(*m->func));
	m->func[m->n_funcs++] = fn;
}

/* Sets the offsets of kernel parameters: consecutive, each aligned to its .align or its size. */
static bool set_param_offsets(struct parser *p, struct func *fn)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < fn->n_params; i++) {
		struct symbol *s = fn->param[i];

		at = (at + s->align - 1) / s->align * s->align;
		s->addr = at;
		at += s->size;
		if (at > 65536)
			return parser_bad(p, &(struct token){.line = s->line, .col = s->col}, "params",
				"parameters too large (expected at most 65536 bytes together)");
	}
	fn->param_bytes = (uint32_t)at;
	return true;
}

/* Parses "(results) name" and sets fn->sym; a second body is a fault. */
static bool parse_function_head(struct parser *p, struct func *fn, struct linkage l)
{
	struct scope *outer = p->scope;
	bool good;

	while (parser_at_word(p, "attribute"))
		if (!parser_next(p) || !skip_directive_values(p))
			return false;
	p->scope = fn->scope;
	good = !(parser_at_punct(p, '(') && !fn->entry) || parse_params(p, false, &fn->ret, &fn->n_rets);
	p->scope = outer;
	if (!good)
		return false;
	struct token name = p->token;
	if (name.kind != TOK_NAME)
		return parser_unexpected(p, "the name of a function");
	fn->line = name.line;
	fn->col = name.col;
	if (!(fn->sym = parser_new_symbol(p, SYM_FUNC, &name)) || !parser_next(p))
		return false;
	fn->name = fn->sym->name;
	if (fn->sym->func && fn->sym->func->has_body && !l.external && !parser_at_punct(p, ';') &&
		!parser_at_punct(p, '('))
		return parser_bad(p, &name, "name-twice", "function '%s' already has a body", fn->name);
	return true;
}

/* Parses "{ body }" or ";". Early compilers wrote declarations without ";" before the next directive. */
static bool parse_function_tail(struct parser *p, struct func *fn)
{
	struct symbol *sym = fn->sym;

	if (!parser_at_punct(p, '{')) {
		if (!(directive_at(p) && !fn->entry) && !parser_take_punct(p, ';'))
			return false;
		if (!sym->func)
			sym->func = fn;
		sym->external = !sym->func->has_body;
		return true;
	}
	if (sym->func && sym->func->has_body)
		return parser_bad(p, &p->token, "name-twice", "function '%s' already has a body", sym->name);
	if (sym->func && !func_has_same_signature(sym->func, fn))
		return parser_bad(p, &(struct token){.line = fn->line, .col = fn->col}, "name-twice",
			"function '%s' differs in parameters or results from its declaration at line %u",
			sym->name, sym->func->line);
	fn->has_body = sym->defined = true;
	sym->external = false;
	sym->func = fn;
	bool good = parser_next(p) && stmt_parse_body(p);
	add_func(p->module, fn);
	return good;
}

static bool parse_function(struct parser *p, struct linkage l, bool entry)
{
	struct scope *outer = p->scope;
	struct func *fn = arena_alloc(&p->module->arena, 1, sizeof(*fn));
	bool good;

	fn->module = p->module;
	fn->link = p->module->all_funcs;
	p->module->all_funcs = fn;
	fn->entry = entry;
	fn->scope = arena_alloc(&p->module->arena, 1, sizeof(*fn->scope));
	fn->scope->parent = outer;
	p->func = fn;
	if (!parse_function_head(p, fn, l))
		return false;
	p->scope = fn->scope;
	good = !parser_at_punct(p, '(') || parse_params(p, entry, &fn->param, &fn->n_params);
	good = good && parse_performance_directives(p, fn) && (!entry || set_param_offsets(p, fn)) &&
	       parse_function_tail(p, fn);
	fn->sym->visible |= l.visible;
	fn->sym->weak |= l.weak;
	p->scope = outer;
	p->func = NULL;
	return good;
}

/* ---- directives of the module ---- */

static bool parse_version(struct parser *p)
{
	double v;

	if (p->token.kind != TOK_F64)
		return parser_unexpected(p, "a version such as 8.4");
	memcpy(&v, &p->token.value, 8);
	if (!(v >= 1.0) || v >= 10.0)
		return parser_bad(p, &p->token, "version", "PTX version %.1f (expected 1.0 to 9.9)", v);
	p->module->version = (uint32_t)(v * 10 + 0.5);
	return parser_next(p);
}

static bool parse_target(struct parser *p)
{
	for (bool first = true;; first = false) {
		char name[32];
		unsigned sm;
		char suffix = 0, rest = 0;

		if (p->token.kind != TOK_NAME)
			return parser_unexpected(p, "a target such as sm_80");
		snprintf(
			name, sizeof(name), "%.*s", (int)(p->token.n < 31 ? p->token.n : 31), p->token.start);
		int n = sscanf(name, "sm_%3u%c%c", &sm, &suffix, &rest);
		if (n >= 1 && n <= 2 && (n == 1 || suffix == 'a' || suffix == 'f')) {
			p->module->target = sm;
			p->module->arch_specific = n == 2;
			p->module->target_line = p->token.line;
			p->module->target_col = p->token.col;
		} else if (first ||
			   (strcmp(name, "debug") && strcmp(name, "texmode_unified") &&
				   strcmp(name, "texmode_independent") && strcmp(name, "map_f64_to_f32"))) {
			return parser_unexpected(p, "a target such as sm_80");
		}
		if (!parser_next(p))
			return false;
		if (!parser_at_punct(p, ','))
			return true;
		if (!parser_next(p))
			return false;
	}
}

static bool parse_file(struct parser *p)
{
	uint64_t number = p->token.value;

	if (p->token.kind != TOK_INT || number > 65535)
		return parser_unexpected(p, "a file's number up to 65535");
	if (!parser_next(p))
		return false;
	if (p->token.kind != TOK_TEXT)
		return parser_unexpected(p, "a file's name in quotes");
	struct module *m = p->module;
	if (number >= m->n_files) {
		uint32_t n = (uint32_t)number + 1;

		grow(&m->file, &m->cap_files, n, sizeof(*m->file));
		memset(m->file + m->n_files, 0, (n - m->n_files) * sizeof(*m->file));
		m->n_files = n;
	}
	m->file[number] = arena_strndup(&m->arena, p->token.start, p->token.n);
	return parser_next(p) && skip_directive_values(p);
}

/* Skips ".section .debug_info { ... }". */
static bool skip_section(struct parser *p)
{
	unsigned depth = 0;

	while (!parser_at_punct(p, '{'))
		if (p->token.kind == TOK_END || !parser_next(p))
			return p->failed ? false : parser_unexpected(p, "'{'");
	do {
		depth += parser_at_punct(p, '{');
		depth -= parser_at_punct(p, '}');
		if (p->token.kind == TOK_END)
			return parser_unexpected(p, "'}'");
		if (!parser_next(p))
			return false;
	} while (depth);
	return true;
}

static bool parse_alias(struct parser *p)
{
	struct token name = p->token, of;
	struct symbol *a, *b;

	if (p->token.kind != TOK_NAME || !parser_next(p) || !parser_take_punct(p, ','))
		return parser_unexpected(p, "two names of functions");
	of = p->token;
	a = parser_look_up(p, name.start, name.n);
	b = p->token.kind == TOK_NAME ? parser_look_up(p, of.start, of.n) : NULL;
	if (!a || !b || a->kind != SYM_FUNC || b->kind != SYM_FUNC || a == b || b->def)
		return parser_unexpected(p, "the name of a declared function");
	a->def = b;
	a->alias = true;
	return parser_next(p) && parser_take_punct(p, ';');
}

static bool take_linkage(struct parser *p, struct linkage *l)
{
	for (;;) {
		if (parser_at_word(p, "visible"))
			l->visible = true;
		else if (parser_at_word(p, "extern"))
			l->external = true;
		else if (parser_at_word(p, "weak"))
			l->weak = l->visible = true;
		else if (parser_at_word(p, "common"))
			l->visible = l->common = true;
		else
			return true;
		if (!parser_next(p))
			return false;
	}
}

static bool parse_address_size(struct parser *p)
{
	if (p->token.kind != TOK_INT || (p->token.value != 32 && p->token.value != 64))
		return parser_unexpected(p, "32 or 64");
	p->module->address_bytes = (uint8_t)(p->token.value / 8);
	return parser_next(p);
}

static bool parse_pragma(struct parser *p) { return skip_directive_values(p) && parser_take_punct(p, ';'); }

/* Directives of module scope: functions, variables, and D_PLAIN, which have no linkage. */
enum directive { D_ENTRY, D_FUNC, D_VARIABLE, D_PLAIN, D_LINKAGE };
static const struct directive_row {
	const char *word;
	enum directive kind;
	enum state_space space;
	bool (*parse)(struct parser *); /* parses the rest of the directive, after its name */
} directives[] = {
	{"visible", D_LINKAGE, SP_NONE, NULL},
	{"extern", D_LINKAGE, SP_NONE, NULL},
	{"weak", D_LINKAGE, SP_NONE, NULL},
	{"common", D_LINKAGE, SP_NONE, NULL},
	{"entry", D_ENTRY, SP_NONE, NULL},
	{"func", D_FUNC, SP_NONE, NULL},
	{"global", D_VARIABLE, SP_GLOBAL, NULL},
	{"const", D_VARIABLE, SP_CONST, NULL},
	{"shared", D_VARIABLE, SP_SHARED, NULL},
	{"local", D_VARIABLE, SP_LOCAL, NULL},
	{"tex", D_PLAIN, SP_NONE, decl_textures},
	{"reg", D_PLAIN, SP_NONE, decl_module_registers},
	{"version", D_PLAIN, SP_NONE, parse_version},
	{"target", D_PLAIN, SP_NONE, parse_target},
	{"address_size", D_PLAIN, SP_NONE, parse_address_size},
	{"file", D_PLAIN, SP_NONE, parse_file},
	{"loc", D_PLAIN, SP_NONE, loc_parse},
	{"section", D_PLAIN, SP_NONE, skip_section},
	{"pragma", D_PLAIN, SP_NONE, parse_pragma},
	{"alias", D_PLAIN, SP_NONE, parse_alias},
};

static const struct directive_row *directive_at(const struct parser *p)
{
	for (unsigned i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (parser_at_word(p, directives[i].word))
			return &directives[i];
	return NULL;
}

static bool parse_directive(struct parser *p)
{
	struct linkage l = {0};

	if (!take_linkage(p, &l))
		return false;
	const struct directive_row *d = directive_at(p);
	if (!d)
		return parser_unexpected(
			p, p->token.kind == TOK_DOT ? "a directive of a module" : "a directive");
	if (d->kind == D_PLAIN && (l.visible || l.external || l.weak))
		return parser_unexpected(p, "a function or a variable");
	if (l.common && d->space != SP_GLOBAL)
		return parser_unexpected(p, "a .global variable after .common");
	if (!parser_next(p))
		return false;
	switch (d->kind) {
	case D_ENTRY: return parse_function(p, l, true);
	case D_FUNC: return parse_function(p, l, false);
	case D_VARIABLE: return decl_variables(p, d->space, l);
	default: return d->parse(p);
	}
}

/* ---- reading ---- */

static struct module *parse_text(struct module *m, struct fault *f)
{
	struct parser p = {.module = m, .fault = f};
	XXH128_hash_t h = XXH3_128bits(m->text, m->n_text);

	m->hash[0] = h.high64;
	m->hash[1] = h.low64;
	m->address_bytes = 8;
	m->scope = p.scope = arena_alloc(&m->arena, 1, sizeof(*m->scope));
	p.lexer = (struct lexer){m->path, m->text, m->text + m->n_text, m->text, 1};
	bool good = true;
	if (lex_token(&p.lexer, &p.next_token, f))
		good = false;
	good = good && parser_next(&p);
	if (good && !parser_at_word(&p, "version"))
		good = parser_unexpected(&p, ".version");
	while (good && p.token.kind != TOK_END)
		good = parse_directive(&p);
	if (good && !m->target)
		good = parser_bad(&p, &p.token, "target", "no .target (expected a target such as sm_80)");
	free(p.list);
	if (good)
		return m;
	module_free(m);
	return NULL;
}

struct module *module_read_text(const char *name, const void *text, size_t n, struct fault *f)
{
	struct module *m = xcalloc(1, sizeof(*m));

	m->path = diag_keep(name);
	m->text = xmalloc(n + 1);
	memcpy(m->text, text, n);
	m->text[n] = '\0';
	m->n_text = n;
	return parse_text(m, f);
}

struct module *module_read(const char *path, struct fault *f)
{
	struct input *in = input_open(path, f);
	const char *bytes;
	char *text = NULL;
	size_t n = 0, cap = 0;
	long got;

	if (!in)
		return NULL;
	const char *name = diag_keep(input_name(in));
	while ((got = input_window(in, 1, &bytes, f)) > 0) {
		if (n + (size_t)got > TEXT_MAX) {
			got = fault_set(f, (struct place){name, 0, 0}, "too-long",
				"PTX text too large (expected at most %u MiB)", TEXT_MAX >> 20);
			break;
		}
		if (n + (size_t)got + 1 > cap)
			text = xrealloc(text, cap = 2 * (n + (size_t)got) + 1, 1);
		memcpy(text + n, bytes, (size_t)got);
		n += (size_t)got;
		input_consume(in, (size_t)got, 0);
	}
	input_close(in);
	if (got < 0) {
		free(text);
		return NULL;
	}
	struct module *m = xcalloc(1, sizeof(*m));
	m->path = name;
	m->text = text ? text : xcalloc(1, 1);
	m->text[n] = '\0';
	m->n_text = n;
	return parse_text(m, f);
}

void module_free(struct module *m)
{
	for (struct func *fn = m->all_funcs; fn; fn = fn->link) {
		free(fn->reg);
		free(fn->inst);
		free(fn->var);
		free(fn->rpc);
		free(fn->reported);
	}
	if (m->module_scope)
		free(m->module_scope->reg);
	if (m->machine)
		m->machine_free(m->machine);
	free(m->func);
	free(m->var);
	free(m->shared);
	free(m->file);
	free(m->loc);
	free(m->text);
	arena_free(&m->arena);
	free(m);
}
