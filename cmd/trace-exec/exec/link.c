/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linking of modules to a program: definitions of names in other modules, PCs, initial values that are
 * addresses. place.c sets the addresses of variables.
 *
 * Always true: PCs are dense over all functions with bodies, in the order in which the bodies end; a name
 * agrees with its definition in another module in kind, space, size and parameters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/call.h"

static struct place symbol_place(const struct module *m, const struct symbol *s)
{
	return (struct place){m->path, s->line, s->col};
}

/* ---- definitions of names ---- */

/* A definition that is visible to other modules, and its module. */
struct link_name {
	struct symbol *sym;
	const struct module *module;
};

static bool is_visible_definition(const struct symbol *s)
{
	return (s->kind == SYM_VAR || s->kind == SYM_FUNC) && s->visible &&
	       ((s->defined && !s->external) || s->alias);
}

/* Sets the fault of name a, which disagrees with b: its definition, or another definition of the name. */
static int link_fault(const struct link_name *a, const struct link_name *b, struct fault *f,
	const char *found, const char *expected)
{
	char quoted[80];

	diag_quote(quoted, sizeof(quoted), a->sym->name, strlen(a->sym->name));
	return fault_set(f, symbol_place(a->module, a->sym), "link", "'%s' %s (expected %s, as in %s:%u:%u)",
		quoted, found, expected, b->module->path, b->sym->line, b->sym->col);
}

/* Checks that a name agrees with its definition `to`. */
static int check_definition_agrees(const struct link_name *a, const struct link_name *to, struct fault *f)
{
	const struct symbol *s = a->sym, *d = to->sym;
	char found[60], expected[60];

	if (s->kind != d->kind)
		return link_fault(a, to, f, s->kind == SYM_FUNC ? "is a function" : "is a variable",
			d->kind == SYM_FUNC ? "a function" : "a variable");
	if (s->kind == SYM_FUNC)
		return !s->func || !d->func || func_has_same_signature(s->func, d->func)
			       ? 0
			       : link_fault(a, to, f, "has different parameters or results", "the same");
	snprintf(found, sizeof(found), "is in .%s", space_name[s->space]);
	snprintf(expected, sizeof(expected), ".%s", space_name[d->space]);
	if (s->space != d->space)
		return link_fault(a, to, f, found, expected);
	if (s->type != d->type && (types[s->type].kind == K_OPAQUE || types[d->type].kind == K_OPAQUE)) {
		snprintf(found, sizeof(found), "has type .%s", types[s->type].name);
		snprintf(expected, sizeof(expected), ".%s", types[d->type].name);
		return link_fault(a, to, f, found, expected);
	}
	if (s->unsized || s->size == d->size || (s->common && (d->common || s->size < d->size)))
		return 0;
	snprintf(found, sizeof(found), "has %llu bytes", (unsigned long long)s->size);
	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)d->size);
	return link_fault(a, to, f, found, expected);
}

/*
 * Sets *best to the definition that is used: one that is neither .weak nor .common; the larger of two common
 * ones, or the one with values; the first of two weak ones. Returns -1 if the definitions conflict.
 */
static int choose_definition(struct link_name *best, const struct link_name *other, struct fault *f)
{
	const struct symbol *a = best->sym, *b = other->sym;

	if (!a->weak && !a->common && !b->weak && !b->common)
		return link_fault(other, best, f, "is already defined", "one definition, or .weak");
	if (a->common && b->common) {
		const struct link_name *least = a->size < b->size ? best : other;

		if ((a->init || a->fixup) && (b->init || b->fixup))
			return link_fault(other, best, f, "is initialised again", "initial values once");
		if (a->size != b->size && (least->sym->init || least->sym->fixup))
			return link_fault(least, least == best ? other : best, f,
				"has initial values but is smaller than elsewhere", "the size");
		if (a->size < b->size || (a->size == b->size && (b->init || b->fixup)))
			*best = *other;
	} else if ((a->weak && !b->weak) || (a->common && !b->weak && !b->common)) {
		*best = *other;
	}
	return 0;
}

/*
 * Finds the definition of a name among the modules of a group. Returns 1 with *best set, 0 if there is none, or
 * -1 with the fault set.
 */
static int find_definition(const struct program *p, const struct module *group, const char *name,
	struct link_name *best, struct fault *f)
{
	int found = 0;

	for (uint32_t i = 0; i < p->n_modules; i++) {
		const struct module *m = p->module[i];
		struct link_name d = {NULL, m};

		if (m->group != group || !(d.sym = scope_find(m->scope, name, (uint32_t)strlen(name))) ||
			!is_visible_definition(d.sym))
			continue;
		if (!found)
			*best = d;
		else if (choose_definition(best, &d, f))
			return -1;
		found = 1;
	}
	return found;
}

/*
 * Links a name to a definition in another module if its own module has no definition, or one that can be
 * replaced.
 */
static int link_symbol(const struct program *p, const struct module *m, struct symbol *s, struct fault *f)
{
	struct link_name a = {s, m}, best;
	bool func = s->kind == SYM_FUNC, wants = !s->defined || s->external;

	if ((!func && s->kind != SYM_VAR) || s->alias || (!wants && !s->visible))
		return 0;
	if (func && wants && call_find_built_in(s->name))
		return 0;
	if (!func && s->space == SP_SHARED && s->unsized)
		return 0; /* the launch's dynamic shared memory */
	int found = find_definition(p, m->group, s->name, &best, f);
	if (found < 0)
		return -1;
	if (!found && !func)
		return fault_set(f, symbol_place(m, s), "extern",
			".extern variable '%s' is not defined by any module", s->name);
	if (!found || best.sym == s)
		return 0;
	if (check_definition_agrees(&a, &best, f))
		return -1;
	if (best.sym->align < s->align)
		best.sym->align = s->align;
	s->def = best.sym->alias ? best.sym->def : best.sym;
	s->external = true;
	return 0;
}

/* Checks that the target of an alias is a function of the same module that has a body and is not weak. */
static int check_alias(const struct module *m, struct symbol *s, struct fault *f)
{
	struct link_name a = {s, m}, to = {s->def, m};

	if (!s->def->func || !s->def->func->has_body || s->def->weak)
		return link_fault(
			&a, &to, f, "is the alias of a function without a body of its own", "a body");
	return check_definition_agrees(&a, &to, f);
}

static int link_names(const struct program *p, const struct module *m, struct fault *f)
{
	for (uint32_t h = 0; h < m->scope->n_chains; h++)
		for (struct symbol *s = m->scope->chain[h]; s; s = s->next)
			if (s->alias ? check_alias(m, s, f) : link_symbol(p, m, s, f))
				return -1;
	for (uint32_t i = 0; i < m->n_funcs; i++)
		for (uint32_t k = 0; k < m->func[i]->n_vars; k++)
			if (m->func[i]->var[k]->external && link_symbol(p, m, m->func[i]->var[k], f))
				return -1;
	return 0;
}

/*
 * Checks that the kernels of a group, visible or not, have different names, because kernels are launched by
 * name.
 */
static int check_kernels(const struct program *p, const struct module *group, struct fault *f)
{
	for (uint32_t i = 0; i < p->n_modules; i++)
		for (uint32_t k = 0; k < p->module[i]->n_funcs; k++) {
			struct symbol *s = p->module[i]->func[k]->sym;
			struct link_name a = {s, p->module[i]};

			if (p->module[i]->group != group || !p->module[i]->func[k]->entry)
				continue;
			for (uint32_t n = 0; n < i; n++) {
				struct link_name b = {
					scope_find(p->module[n]->scope, s->name, (uint32_t)strlen(s->name)),
					p->module[n]};

				if (p->module[n]->group == group && b.sym && b.sym->func &&
					b.sym->func->entry && sym_definition(b.sym) != sym_definition(s))
					return link_fault(
						&a, &b, f, "is already a kernel", "one kernel of this name");
			}
		}
	return 0;
}

/* Links the new modules with each other. They become a group. */
static int link_group(struct program *p, struct fault *f)
{
	uint32_t first = 0;

	while (first < p->n_modules && p->module[first]->group)
		first++;
	if (first == p->n_modules)
		return 0;
	const struct module *group = p->module[first];
	for (uint32_t i = first; i < p->n_modules; i++)
		p->module[i]->group = p->module[i]->group ? p->module[i]->group : group;
	for (uint32_t i = first; i < p->n_modules; i++)
		if (p->module[i]->group == group && link_names(p, p->module[i], f))
			return -1;
	return check_kernels(p, group, f);
}

/* ---- initial values that are addresses ---- */

static int apply_fixups(const struct module *m, struct symbol *v, struct fault *f)
{
	for (struct fixup *x = v->fixup; x; x = x->next) {
		struct symbol *s = sym_definition(x->sym);
		bool func = s->kind == SYM_FUNC;

		if (func && !(s->func && s->func->has_body))
			return fault_set(f, (struct place){m->path, x->line, x->col}, "initialiser",
				"function '%s' in initial values is not defined by any module", s->name);
		uint64_t a = func ? PROGRAM_BASE + 8ull * s->func->first_pc : s->addr;

		a = (a + (uint64_t)x->addend) >> x->address_shift;
		memcpy(v->init + x->offset, &a, x->bytes > 8 ? 8 : x->bytes);
	}
	return 0;
}

static int apply_all_fixups(const struct program *p, struct fault *f)
{
	for (uint32_t i = 0; i < p->n_modules; i++) {
		const struct module *m = p->module[i];

		for (uint32_t k = 0; k < m->n_vars; k++)
			if (apply_fixups(m, m->var[k], f))
				return -1;
		for (uint32_t k = 0; k < m->n_funcs; k++)
			for (uint32_t j = 0; j < m->func[k]->n_vars; j++)
				if (apply_fixups(m, m->func[k]->var[j], f))
					return -1;
	}
	return 0;
}

/* ---- bodies ---- */

/* Returns true if the symbol is a label of instruction `at`, or a list that contains a label of this instruction. */
static bool is_label_of(const struct symbol *s, uint32_t at)
{
	bool found = s && s->kind == SYM_LABEL && s->label_inst == at;

	for (uint32_t i = 0; s && s->kind == SYM_TARGETS && i < s->n_targets; i++)
		found |= s->target[i]->kind == SYM_LABEL && s->target[i]->label_inst == at;
	return found;
}

/* Adds a ret to a body that can run off its end, so that the program counter never leaves its function. */
static void end_body_with_ret(struct func *fn)
{
	const struct stmt *last = fn->n_insts ? &fn->inst[fn->n_insts - 1] : NULL;
	bool ends = last && !last->guard &&
		    (last->opcode == I_ret || last->opcode == I_exit || last->opcode == I_bra ||
			    last->opcode == I_trap);
	static const char text[] = "ret";
	uint32_t line = last ? last->line : fn->line, col = last ? last->col : fn->col;

	for (uint32_t i = 0; ends && i < fn->n_insts; i++)
		for (uint32_t k = 0; k < fn->inst[i].n_operands; k++)
			ends &= !is_label_of(fn->inst[i].operand[k].sym, fn->n_insts);
	if (ends)
		return;
	grow(&fn->inst, &fn->cap_insts, fn->n_insts + 1, sizeof(*fn->inst));
	fn->inst[fn->n_insts++] = (struct stmt){.opcode = I_ret, .line = line, .col = col, .text = text};
}

void program_add_module(struct program *p, struct module *m)
{
	grow(&p->module, &p->cap_modules, p->n_modules + 1, sizeof(*p->module));
	p->module[p->n_modules++] = m;
}

int program_link(struct program *p, struct fault *f)
{
	p->n_funcs = p->n_insts = 0;
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct module *m = p->module[i];

		for (uint32_t k = 0; k < m->n_funcs; k++) {
			struct func *fn = m->func[k];

			if (!fn->machine)
				end_body_with_ret(fn);
			fn->first_pc = p->n_insts;
			p->n_insts += fn->n_insts;
			if (!fn->machine)
				flow_find_meeting_points(fn);
			grow(&p->func, &p->cap_funcs, p->n_funcs + 1, sizeof(*p->func));
			fn->number = p->n_funcs;
			p->func[p->n_funcs++] = fn;
		}
	}
	return link_group(p, f) || place_statics(p, f) || place_shared(p, f) || apply_all_fixups(p, f) ? -1
												       : 0;
}

struct func *program_kernel(const struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (p->func[i]->entry && !strcmp(p->func[i]->name, name))
			return sym_definition(p->func[i]->sym)->func;
	return NULL;
}

struct symbol *program_variable(const struct program *p, const char *name, unsigned *several)
{
	struct symbol *found = NULL;

	*several = 0;
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct symbol *s = scope_find(p->module[i]->scope, name, (uint32_t)strlen(name));

		if (!s || s->kind != SYM_VAR || s->external ||
			(s->space != SP_GLOBAL && s->space != SP_CONST) || (found && found->visible))
			continue;
		*several = s->visible ? 1 : *several + 1;
		found = s;
	}
	return found;
}

void program_free(struct program *p)
{
	for (uint32_t i = 0; i < p->n_modules; i++)
		module_free(p->module[i]);
	free(p->module);
	free(p->func);
	memset(p, 0, sizeof(*p));
}

struct place stmt_place(const struct func *f, const struct stmt *in)
{
	return (struct place){f->module->path, in->line, in->col};
}
