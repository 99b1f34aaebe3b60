/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations: registers, variables of every state space, parameters.
 *
 * Always true: registers of a function are numbered in the order of their declaration; a variable's size is
 * known unless it is an unsized .extern; local variables and the .param variables of a function are in its
 * frame in the order of declaration, .local ones padded, .param ones aligned. Static and shared variables get
 * their addresses when modules are linked.
 */
#include <string.h>
#include "bits.h"
#include "lang/parser.h"

struct spec {
	enum type type;
	unsigned vec;
	uint64_t align;
	bool align_given;
};

/* Parses ".align N". The current token is "align". */
static bool take_alignment(struct parser *p, struct spec *s)
{
	int64_t v;

	if (!parser_next(p) || !constant_take_number(p, &v))
		return false;
	if (v < 1 || v > 4096 || !is_pow2((uint64_t)v))
		return parser_unexpected(p, "an alignment that is a power of 2 up to 4096 before it");
	s->align = (uint64_t)v;
	s->align_given = true;
	return true;
}

/* Skips ".attribute(...)". The current token is "attribute". */
static bool skip_attribute(struct parser *p)
{
	if (!parser_next(p) || !parser_take_punct(p, '('))
		return false;
	while (!parser_at_punct(p, ')'))
		if (p->token.kind == TOK_END || !parser_next(p))
			return p->failed ? false : parser_unexpected(p, "')'");
	return parser_next(p);
}

/* Returns true if the current token is a word of a pointer parameter, which has no effect. */
static bool is_at_pointer_word(const struct parser *p)
{
	static const char *const words[] = {"ptr", "global", "shared", "const", "local", "generic", "param"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (parser_at_word(p, words[i]))
			return true;
	return false;
}

/* Parses the current word, which is a part of the type of a variable or parameter. */
static bool take_type_word(struct parser *p, struct spec *s)
{
	enum type type = type_find(p->token.start, p->token.n);

	if (type && s->type)
		return parser_unexpected(p, "one type");
	if (type) {
		s->type = type;
		return parser_next(p);
	}
	if (parser_at_word(p, "v2") || parser_at_word(p, "v4") || parser_at_word(p, "v8")) {
		s->vec = (unsigned)(p->token.start[1] - '0');
		return parser_next(p);
	}
	if (parser_at_word(p, "align"))
		return take_alignment(p, s);
	if (parser_at_word(p, "attribute"))
		return skip_attribute(p);
	return is_at_pointer_word(p) ? parser_next(p) : parser_unexpected(p, "a type, .align or .v4");
}

static bool take_type_spec(struct parser *p, struct spec *s)
{
	*s = (struct spec){0};
	while (p->token.kind == TOK_DOT)
		if (!take_type_word(p, s))
			return false;
	return s->type || parser_unexpected(p, "a type");
}

/* Parses "[4][2]" after a name: *elems is the product; [] sets it to 0 and *unsized to true. */
static bool take_dimensions(struct parser *p, uint64_t *elems, bool *unsized)
{
	int64_t v;

	*elems = 1;
	*unsized = false;
	p->n_dims = 0;
	for (bool first = true; parser_at_punct(p, '['); first = false) {
		if (p->n_dims + 1 == DIMS_MAX)
			return parser_unexpected(p, "at most 8 dimensions");
		if (!parser_next(p))
			return false;
		if (first && parser_at_punct(p, ']')) {
			p->dim[p->n_dims++] = 0;
			*unsized = true;
		} else {
			struct token at = p->token;

			if (!constant_take_whole(p, &v))
				return false;
			if (v < 0 || (v && *elems > VARIABLE_MAX / (uint64_t)v))
				return parser_bad(p, &at, "array",
					"array dimension of %lld elements (expected an array of at most 4 GiB)",
					(long long)v);
			*elems *= (uint64_t)v;
			p->dim[p->n_dims++] = (uint64_t)v;
		}
		if (!parser_take_punct(p, ']'))
			return false;
	}
	return true;
}

static void add_variable_to_owner(struct parser *p, struct symbol *s)
{
	if (p->func) {
		grow(&p->func->var, &p->func->cap_vars, p->func->n_vars + 1, sizeof(*p->func->var));
		p->func->var[p->func->n_vars++] = s;
		s->owner = p->func;
	} else {
		grow(&p->module->var, &p->module->cap_vars, p->module->n_vars + 1, sizeof(*p->module->var));
		p->module->var[p->module->n_vars++] = s;
	}
}

static void add_shared_variable(struct module *m, struct symbol *s)
{
	grow(&m->shared, &m->cap_shared, m->n_shared + 1, sizeof(*m->shared));
	m->shared[m->n_shared++] = s;
}

static struct symbol *decl_reg_range(
	struct parser *p, enum type type, unsigned vec, const struct token *name, uint64_t count, bool range)
{
	struct func *fn = p->func;
	uint64_t regs = count * (vec ? vec : 1);
	struct symbol *s;

	if (types[type].kind == K_OPAQUE) {
		parser_bad(p, name, "type", "register of type .%s (expected a variable)", types[type].name);
		return NULL;
	}
	if (fn->n_regs + regs > REGS_PER_FUNC) {
		parser_bad(p, name, "registers", "too many registers in a function (expected at most %u)",
			REGS_PER_FUNC);
		return NULL;
	}
	if (!(s = parser_new_symbol(p, SYM_REG, name)))
		return NULL;
	s->type = (uint8_t)type;
	s->space = SP_REG;
	s->vec = (uint8_t)vec;
	s->is_range = range;
	s->first_reg = fn->n_regs;
	s->n_regs = (uint32_t)count;
	grow(&fn->reg, &fn->cap_regs, fn->n_regs + (uint32_t)regs, sizeof(*fn->reg));
	for (uint64_t i = 0; i < regs; i++)
		fn->reg[fn->n_regs++] =
			(struct reg){s->name, range ? (uint32_t)i : UINT32_MAX, (uint8_t)type, 0};
	return s;
}

static bool declare_registers(struct parser *p)
{
	struct spec s;
	int64_t count;

	if (!take_type_spec(p, &s))
		return false;
	do {
		struct token name = p->token;
		bool range = false;

		if (p->token.kind != TOK_NAME)
			return parser_unexpected(p, "the name of a register");
		count = 1;
		if (!parser_next(p))
			return false;
		if (parser_at_punct(p, '<')) {
			if (!parser_next(p) || !constant_take_number(p, &count))
				return false;
			if (count < 1 || count > REGS_PER_FUNC)
				return parser_bad(p, &name, "registers", "%lld registers (expected 1 to %u)",
					(long long)count, REGS_PER_FUNC);
			if (!parser_take_punct(p, '>'))
				return false;
			range = true;
		}
		if (!decl_reg_range(p, s.type, s.vec, &name, (uint64_t)count, range))
			return false;
		if (!parser_at_punct(p, ','))
			break;
	} while (parser_next(p));
	return parser_take_punct(p, ';');
}

bool decl_module_registers(struct parser *p)
{
	if (!p->module->module_scope)
		p->module->module_scope = arena_alloc(&p->module->arena, 1, sizeof(*p->module->module_scope));
	p->func = p->module->module_scope;
	bool good = declare_registers(p);
	p->func = NULL;
	return good;
}

struct symbol *decl_adopt_register(struct parser *p, struct symbol *s, const struct token *used)
{
	struct token name = {
		.start = s->name, .n = (uint32_t)strlen(s->name), .line = s->line, .col = s->col};
	struct scope *inner = p->scope;

	if (s->owner && s->owner != p->func && !(s->owner->entry && p->func->entry)) {
		parser_bad(p, used, "registers",
			"register '%s' of module scope is also used by function %s (only kernels may share it)",
			s->name, s->owner->name);
		return NULL;
	}
	s->owner = p->func;
	p->scope = p->func->scope;
	s = decl_reg_range(p, (enum type)s->type, s->vec, &name, s->n_regs, s->is_range);
	p->scope = inner;
	return s;
}

/* Sets the address of a .local or .param variable in its function's frame. */
static void place_variable_in_frame(struct func *fn, struct symbol *v)
{
	uint32_t at = (fn->local_bytes + v->align - 1) / v->align * v->align;

	v->addr = v->space == SP_LOCAL ? sym_place_address(v, fn->local_bytes) : at;
	fn->local_bytes = (uint32_t)(v->addr + v->size);
	if (fn->local_align < v->align)
		fn->local_align = v->align;
}

static bool check_variable_size(struct parser *p, const struct token *name, const struct symbol *v)
{
	uint64_t most = v->space == SP_SHARED                          ? 1u << 20
			: v->space == SP_LOCAL || v->space == SP_PARAM ? 1u << 20
								       : VARIABLE_MAX;

	if (v->size > most)
		return parser_bad(p, name, "array", ".%s variable of %llu bytes (expected at most %llu)",
			space_name[v->space], (unsigned long long)v->size, (unsigned long long)most);
	if (p->func && p->func->local_bytes > 1u << 20)
		return parser_bad(p, name, "local-memory",
			"too much local memory in a function (expected at most 1 MiB)");
	return true;
}

/* Sets type, alignment and size of a variable whose name and dimensions have been read. */
static void set_variable_type(
	struct symbol *v, const struct spec *s, enum state_space space, uint64_t elems, bool unsized)
{
	uint64_t each = types[s->type].bits / 8u * (s->vec ? s->vec : 1u);

	v->space = (uint8_t)space;
	v->type = (uint8_t)s->type;
	v->vec = (uint8_t)s->vec;
	v->align = (uint32_t)(s->align_given ? s->align : each);
	v->unsized = unsized;
	v->elems = elems;
	v->size = unsized ? 0 : each * elems;
}

/* Checks that v agrees with its earlier .extern declaration, old. */
static bool matches_extern_declaration(
	struct parser *p, const struct token *name, const struct symbol *old, const struct symbol *v)
{
	bool opaque = types[old->type].kind == K_OPAQUE || types[v->type].kind == K_OPAQUE;

	return !old->space ||
	       (old->space == v->space && (old->unsized || v->unsized || old->size == v->size) &&
		       (!opaque || old->type == v->type)) ||
	       parser_bad(p, name, "name-twice",
		       "'%s' differs in space, type or size from its declaration at line %u", v->name,
		       old->line);
}

/* Sets the linkage of a variable, and checks that its size and its initial value agree with it. */
static bool link_variable(struct parser *p, const struct token *name, struct symbol *v, struct linkage l)
{
	bool has_value = parser_at_punct(p, '=');

	v->external = l.external;
	v->visible |= l.visible;
	v->weak |= l.weak;
	v->common |= l.common;
	v->defined |= !l.external;
	if (v->unsized && !l.external && !has_value)
		return parser_bad(
			p, name, "array", "array '%s' without size (expected a size, or .extern)", v->name);
	if (!check_variable_size(p, name, v))
		return false;
	if (has_value &&
		(v->space == SP_SHARED || v->space == SP_LOCAL || v->space == SP_PARAM || l.external))
		return parser_unexpected(
			p, "';', because only .global and .const variables have initial values");
	return true;
}

/* Adds a variable to its function or module, and places it, unless the linker does. old: its earlier declaration. */
static void place_variable(struct parser *p, struct symbol *v, const struct symbol *old, bool unsized)
{
	if (!old->space)
		add_variable_to_owner(p, v);
	if (v->space == SP_SHARED && !unsized && (!old->space || old->unsized))
		add_shared_variable(p->module, v);
	if (p->func && (v->space == SP_LOCAL || v->space == SP_PARAM))
		place_variable_in_frame(p->func, v);
}

/* Parses one variable of a declaration: its name, dimensions and value. */
static bool declare_variable(struct parser *p, const struct spec *s, enum state_space space, struct linkage l)
{
	struct token name = p->token;
	struct symbol *v;
	uint64_t elems;
	bool unsized;

	if (p->token.kind != TOK_NAME)
		return parser_unexpected(p, "the name of a variable");
	if (!(v = parser_new_symbol(p, SYM_VAR, &name)) || !parser_next(p) ||
		!take_dimensions(p, &elems, &unsized))
		return false;
	const struct symbol old = *v;
	set_variable_type(v, s, space, elems, unsized);
	if (!matches_extern_declaration(p, &name, &old, v) || !link_variable(p, &name, v, l))
		return false;
	if (s->vec)
		p->dim[p->n_dims++] = s->vec;
	if (parser_at_punct(p, '=') && (!parser_next(p) || !init_parse_variable(p, v)))
		return false;
	place_variable(p, v, &old, unsized);
	return check_variable_size(p, &name, v);
}

static bool declare_variables(
	struct parser *p, const struct spec *s, enum state_space space, struct linkage l)
{
	do {
		if (!declare_variable(p, s, space, l))
			return false;
		if (!parser_at_punct(p, ','))
			break;
	} while (parser_next(p));
	return parser_take_punct(p, ';');
}

bool decl_variables(struct parser *p, enum state_space space, struct linkage l)
{
	struct spec s;

	if (space == SP_REG)
		return declare_registers(p);
	if (parser_at_punct(p, '[')) { /* ".const[2]": an old notation of constant banks */
		int64_t bank;

		if (!parser_next(p) || !constant_take_number(p, &bank) || !parser_take_punct(p, ']'))
			return false;
	}
	if (!take_type_spec(p, &s))
		return false;
	if (types[s.type].bits < 8)
		return parser_unexpected(p, "a type of whole bytes before it");
	return declare_variables(p, &s, space, l);
}

bool decl_textures(struct parser *p)
{
	struct spec s;

	if (!take_type_spec(p, &s))
		return false;
	s.type = T_TEXREF;
	return declare_variables(p, &s, SP_GLOBAL, (struct linkage){0});
}

/* Returns the parameter's symbol. "_" in a prototype is not a name, so several parameters may have it. */
static struct symbol *new_named_param(
	struct parser *p, const struct spec *s, bool reg, const struct token *name)
{
	struct scope apart = {.parent = NULL}, *scope = p->scope;
	struct symbol *v;

	if (name->n == 1 && *name->start == '_')
		p->scope = &apart;
	v = reg ? decl_reg_range(p, s->type, s->vec, name, 1, false) : parser_new_symbol(p, SYM_VAR, name);
	p->scope = scope;
	return v;
}

struct symbol *decl_parse_param(struct parser *p, bool entry)
{
	struct spec s;
	struct symbol *v;
	struct token name;
	uint64_t elems;
	bool unsized, reg = parser_at_word(p, "reg");

	if ((!reg && !parser_at_word(p, "param")) || (entry && reg)) {
		parser_unexpected(p, entry ? ".param" : ".param or .reg");
		return NULL;
	}
	if (!parser_next(p) || !take_type_spec(p, &s))
		return NULL;
	name = p->token;
	if (p->token.kind != TOK_NAME) {
		parser_unexpected(p, "the name of a parameter");
		return NULL;
	}
	if (reg)
		return parser_next(p) ? new_named_param(p, &s, true, &name) : NULL;
	if (types[s.type].bits < 8) {
		parser_unexpected(p, "a type of whole bytes before it");
		return NULL;
	}
	v = new_named_param(p, &s, false, &name);
	if (!v || !parser_next(p) || !take_dimensions(p, &elems, &unsized))
		return NULL;
	if (elems > 65536) {
		parser_bad(p, &name, "params", "parameter too large (expected at most 65536 bytes)");
		return NULL;
	}
	set_variable_type(v, &s, SP_PARAM, elems, unsized);
	v->owner = p->func;
	v->defined = true;
	v->line = name.line;
	v->col = name.col;
	if (!entry && p->func)
		place_variable_in_frame(p->func, v);
	if (!check_variable_size(p, &name, v))
		return NULL;
	return v;
}
