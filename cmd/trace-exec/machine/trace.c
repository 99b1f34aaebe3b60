/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of machine code, in the format of tracers of machine code (version 5).
 *
 * The text of a line without mask and addresses is written once for each instruction, before the first launch of its
 * kernel is recorded. Always true: a line names the operands as the tracer does: the first is the result if it is a
 * general register; a predicate in its place makes the line one without result; addresses of memory give their
 * register; constants, predicates, uniform and special registers give nothing; operands after the fifth are left out.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/code.h"

#define OPERANDS_TRACED 5u

struct machine_text {
	char *pc, *rest; /* "0010 ", " 1 R4 LDG.E 1 R2 " */
	uint16_t n_pc, n_rest;
	uint8_t width;
	uint64_t window; /* added to addresses: base of the window */
	char end[24];    /* " 0 " and the end of the line: the immediate */
	uint8_t n_end;
};

void trace_free(struct machine_text *t) { free(t); }

/* Returns the number of a general register that operand a names; -1: none. */
static int traced_register(const struct sass_arg *a)
{
	if (a->kind == SASS_REG)
		return a->reg;
	if (a->kind == SASS_MEM && !(a->flags & SASS_NO_REG))
		return a->reg;
	return -1;
}

static int64_t traced_immediate(const struct sass_inst *in)
{
	for (unsigned i = 0; i < in->n_args && i < OPERANDS_TRACED; i++) {
		const struct sass_arg *a = &in->arg[i];

		if (a->kind == SASS_INT || a->kind == SASS_TARGET)
			return a->kind == SASS_INT && a->value > INT32_MAX && a->value <= UINT32_MAX
				       ? (int32_t)a->value
				       : a->value;
	}
	return 0;
}

static void make_text(
	struct machine_text *t, const struct sass_inst *in, const struct op *o, struct arena *arena)
{
	char opcode[SASS_TEXT_MAX], text[SASS_TEXT_MAX + 64];
	int n, sources[OPERANDS_TRACED], dst = -1;
	unsigned n_src = 0;

	sass_opcode_text(in, opcode);
	for (unsigned i = 0; i < in->n_args && i < OPERANDS_TRACED; i++) {
		int reg = traced_register(&in->arg[i]);

		if (reg < 0)
			continue;
		if (!i && in->arg[0].kind == SASS_REG && in->n_results)
			dst = reg;
		else
			sources[n_src++] = reg;
	}
	n = snprintf(text, sizeof(text), "%04x ", in->pc);
	t->pc = arena_strndup(arena, text, (size_t)n);
	t->n_pc = (uint16_t)n;
	if (dst >= 0)
		n = snprintf(text, sizeof(text), " 1 R%d %s %u", dst, opcode, n_src);
	else
		n = snprintf(text, sizeof(text), " 0 %s %u", opcode, n_src);
	for (unsigned i = 0; i < n_src; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " R%d", sources[i]);
	text[n++] = ' ';
	t->rest = arena_strndup(arena, text, (size_t)n);
	t->n_rest = (uint16_t)n;
	t->width = (uint8_t)(o->memory ? sass_width(in) : 0);
	t->window = o->space == SP_SHARED ? SHARED_WINDOW_BASE : o->space == SP_LOCAL ? LOCAL_WINDOW_BASE : 0;
	t->n_end = (uint8_t)snprintf(t->end, sizeof(t->end), " %lld \n", (long long)traced_immediate(in));
}

static void make_texts(const struct grid *g, struct machine_code *c)
{
	const struct func *f = g->l->kernel;

	c->text = xcalloc(c->n + 1u, sizeof(*c->text));
	for (uint32_t i = 0; i < c->n; i++)
		make_text(&c->text[i], &c->inst[i], &g->code->op[f->first_pc + i], &c->module->module->arena);
	for (uint32_t i = 0; i < c->n; i++) {
		const char *file = NULL;
		uint32_t line = sass_image_line(c->module->image,
			(uint32_t)(c->kernel - c->module->image->function), c->inst[i].pc, &file);

		source_add(&c->lines, c->inst[i].pc, file, line);
	}
	c->text[c->n] = (struct machine_text){.pc = "", .rest = "", .n_end = 0};
}

void machine_header(FILE *out, const struct grid *g, const struct occupancy *k)
{
	struct machine_code *c = g->l->kernel->machine_code;

	text_prepare();
	if (!c->text)
		make_texts(g, c);
	text_machine_header(
		out, g, k->regs > c->kernel->registers ? k->regs : c->kernel->registers, c->sm, &c->lines);
}

static const uint64_t *window_addresses(const struct warp *w, uint64_t window, uint64_t storage[LANES])
{
	if (!window)
		return w->addr;
	for (unsigned i = 0; i < LANES; i++)
		storage[i] = w->addr[i] + window;
	return storage;
}

void machine_record(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct func *f = o->func;
	const struct machine_text *t = &f->machine_code->text[pc - f->first_pc];
	struct text *out = &w->out;
	uint64_t storage[LANES];
	char *p;

	exec = o->flow == MF_UNIFORM && exec ? issue : exec;
	text_reserve(out, TRACE_LINE_ROOM);
	p = out->p + out->n;
	memcpy(p, t->pc, t->n_pc);
	p = text_mask(p + t->n_pc, exec);
	memcpy(p, t->rest, t->n_rest);
	p += t->n_rest;
	p = text_number(p, t->width);
	if (t->width)
		p = text_addresses(p, window_addresses(w, t->window, storage), exec);
	memcpy(p, t->end, t->n_end);
	p += t->n_end;
	out->n = (size_t)(p - out->p);
	w->lines++;
}
