/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From modules to a program: definitions for .extern names, addresses of static variables, PCs, initial
 * values that are addresses.
 *
 * Always true: PCs are dense over all functions with bodies, in the order in which the bodies end; .global
 * and .const variables share one counter from STATIC_BASE on, padded by their size.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"

static struct symbol *find_definition(const struct program *p, const struct symbol *s)
{
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct symbol *d = scope_find(p->module[i]->scope, s->name, (uint32_t)strlen(s->name));

		if (d && d != s && d->kind == s->kind && d->defined && !d->external && d->visible)
			return d;
	}
	return NULL;
}

/* Functions that the executor itself has (sem_call.c). */
static bool built_in(const char *name)
{
	return !strcmp(name, "vprintf") || !strcmp(name, "malloc") || !strcmp(name, "free") ||
	       !strcmp(name, "__assertfail");
}

static int find_externs(struct program *p, struct module *m, struct fault *f)
{
	for (unsigned h = 0; h < 64; h++)
		for (struct symbol *s = m->scope->slot[h]; s; s = s->next) {
			bool func = s->kind == SYM_FUNC;

			if ((!func && s->kind != SYM_VAR) || s->def || (s->defined && !s->external))
				continue;
			if (func && built_in(s->name))
				continue;
			if (!func && s->space == SP_SHARED)
				continue; /* the launch's dynamic shared memory */
			if (!(s->def = find_definition(p, s)) && !func)
				return fault_set(f, (struct place){m->path, s->line, s->col}, "extern",
					"found .extern variable '%s', wanted a module that defines it",
					s->name);
		}
	return 0;
}

static int place_statics(struct program *p, struct fault *f)
{
	uint64_t at = STATIC_BASE;

	p->local_end = 0;
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct module *m = p->module[i];
		uint32_t shared = 0;

		for (uint32_t k = 0; k < m->n_vars + m->n_funcs; k++) {
			struct symbol **list = k < m->n_vars ? &m->var[k] : m->func[k - m->n_vars]->var;
			uint32_t n = k < m->n_vars ? 1 : m->func[k - m->n_vars]->n_vars;

			for (uint32_t j = 0; j < n; j++) {
				struct symbol *v = list[j];

				if (v->space == SP_SHARED && (!v->owner || !v->owner->entry) &&
					v->addr + v->size > shared)
					shared = (uint32_t)(v->addr + v->size);
				uint64_t to = v->size && v->size < 128 && is_pow2(v->size) ? v->size : 128;

				if (v->space == SP_LOCAL && !v->owner) {
					v->addr = (p->local_end + to - 1) / to * to;
					p->local_end = (uint32_t)(v->addr + v->size);
					if (p->local_end > LOCAL_MAX / 2)
						return fault_set(f, (struct place){m->path, v->line, v->col},
							"local-memory",
							"found more than %u bytes of local variables outside of functions, wanted less",
							LOCAL_MAX / 2);
				}
				if ((v->space != SP_GLOBAL && v->space != SP_CONST) || v->external)
					continue;
				at = v->size ? (at + to - 1) / to * to : at;
				v->addr = at;
				at += v->size;
				if (at > STATIC_LIMIT - 65536)
					return fault_set(f, (struct place){m->path, v->line, v->col},
						"static-memory",
						"found more than %u bytes of static variables, wanted less",
						STATIC_LIMIT - 65536 - STATIC_BASE);
			}
		}
		if (shared > p->shared_end)
			p->shared_end = shared;
	}
	p->static_end = at;
	return 0;
}

static void fix_up(struct symbol *v)
{
	for (struct fixup *x = v->fixup; x; x = x->next) {
		struct symbol *s = sym_def(x->sym);
		uint64_t a =
			s->kind == SYM_FUNC ? s->func ? PROGRAM_BASE + 8ull * s->func->first_pc : 0 : s->addr;

		if (s->kind == SYM_VAR && s->space == SP_SHARED && x->generic)
			a += SHARED_BASE;
		a = (a + (uint64_t)x->add) >> x->shift;
		memcpy(v->init + x->offset, &a, x->bytes > 8 ? 8 : x->bytes);
	}
}

/* A body that can run off its end gets a ret there: the program counter never leaves its function. */
static void close_body(struct func *fn)
{
	const struct stmt *last = fn->n_insts ? &fn->inst[fn->n_insts - 1] : NULL;
	bool ends = last && !last->guard &&
		    (last->op == I_ret || last->op == I_exit || last->op == I_bra || last->op == I_trap);
	static const char text[] = "ret";
	struct stmt *in;

	for (uint32_t i = 0; ends && i < fn->n_insts; i++)
		for (uint32_t k = 0; k < fn->inst[i].n_operands; k++)
			if (fn->inst[i].operand[k].kind == O_LABEL && fn->inst[i].operand[k].sym &&
				fn->inst[i].operand[k].sym->at == fn->n_insts)
				ends = false;
	if (ends)
		return;
	grow(&fn->inst, &fn->cap_insts, fn->n_insts + 1, sizeof(*fn->inst));
	in = &fn->inst[fn->n_insts++];
	*in = (struct stmt){.op = I_ret,
		.line = last ? last->line : fn->line,
		.col = last ? last->col : fn->col,
		.text = text};
}

void program_add(struct program *p, struct module *m)
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

			close_body(fn);
			fn->first_pc = p->n_insts;
			p->n_insts += fn->n_insts;
			flow_meet(fn);
			grow(&p->func, &p->cap_funcs, p->n_funcs + 1, sizeof(*p->func));
			p->func[p->n_funcs++] = fn;
		}
	}
	for (uint32_t i = 0; i < p->n_modules; i++)
		if (find_externs(p, p->module[i], f))
			return -1;
	if (place_statics(p, f))
		return -1;
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct module *m = p->module[i];

		for (uint32_t k = 0; k < m->n_vars; k++)
			fix_up(m->var[k]);
		for (uint32_t k = 0; k < m->n_funcs; k++)
			for (uint32_t j = 0; j < m->func[k]->n_vars; j++)
				fix_up(m->func[k]->var[j]);
	}
	return 0;
}

struct func *program_kernel(const struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (p->func[i]->entry && !strcmp(p->func[i]->name, name))
			return p->func[i];
	return NULL;
}

struct symbol *program_variable(const struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_modules; i++) {
		struct symbol *s = scope_find(p->module[i]->scope, name, (uint32_t)strlen(name));

		if (s && s->kind == SYM_VAR && !s->external &&
			(s->space == SP_GLOBAL || s->space == SP_CONST))
			return s;
	}
	return NULL;
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
