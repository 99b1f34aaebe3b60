/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace of a lowered kernel, in the format of tracers of machine code (version 5).
 *
 * The text of a line without mask and addresses is written once, when the kernel is lowered. Functions follow
 * the kernel in the order of their numbers. Pascal has a control word before every three instructions.
 * Generic addresses of shared and local memory are moved to the windows that the header names.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/call.h"
#include "exec/source.h"
#include "lower/select.h"

struct text_inst {
	char pc[12], *rest; /* "0010 ", " 1 R4 LDG.E 1 R2 " */
	uint8_t n_pc, bytes;
	uint16_t n_rest;
	bool access;
	int32_t immediate, shift;
};

struct lower {
	const struct bound_code *code;
	uint32_t kernel, n, cap, registers;
	unsigned binary;
	struct text_inst *inst;
	uint32_t *start; /* first machine instruction of each PTX instruction of the program */
	uint32_t *end;   /* end of the machine instructions of each PTX instruction */
	struct source_lines lines;
	struct arena arena;
};

static uint64_t pc_of(const struct lower *l, uint32_t i)
{
	return l->binary < 70 ? 32ull * (i / 3) + 8 * (i % 3 + 1) : 16ull * i;
}

static unsigned register_number(const struct lower_code *c, uint32_t ref)
{
	return c->item[ref >> 8].reg + (ref & 255);
}

static void put_inst(struct lower *l, const struct lower_code *c, const struct machine_inst *m)
{
	struct text_inst *t;
	char text[160];
	int n;

	grow(&l->inst, &l->cap, l->n + 1, sizeof(*l->inst));
	t = &l->inst[l->n];
	*t = (struct text_inst){
		.access = m->access, .bytes = m->bytes, .immediate = m->immediate, .shift = m->shift};
	t->n_pc = (uint8_t)snprintf(t->pc, sizeof(t->pc), "%04llx ", (unsigned long long)pc_of(l, l->n));
	if (m->dst == NO_REF)
		n = snprintf(text, sizeof(text), " 0 %s %u", m->opcode, m->n_src);
	else
		n = snprintf(
			text, sizeof(text), " 1 R%u %s %u", register_number(c, m->dst), m->opcode, m->n_src);
	for (unsigned k = 0; k < m->n_src; k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " R%u", register_number(c, m->src[k]));
	text[n++] = ' ';
	t->n_rest = (uint16_t)n;
	t->rest = arena_strndup(&l->arena, text, (size_t)n);
	l->n++;
}

static int lower_function(struct lower *l, const struct func *f, struct fault *fault)
{
	struct plan p;
	struct lower_code c;
	uint32_t at;
	int status;

	plan_make(&p, l->code, f, l->binary);
	status = select_code(&c, &p, fault);
	if (!status && live_allocate(&c, &p, &l->registers, &at)) {
		uint32_t i = 0;

		while (i + 1 < f->n_insts && c.start[i + 1] <= at)
			i++;
		status = fault_set(fault, stmt_place(f, &f->inst[i]), "sass-registers",
			"'%s': out of registers (--as sass does not spill)", f->name);
	}
	for (uint32_t i = 0; !status && i < f->n_insts; i++) {
		l->start[f->first_pc + i] = l->n;
		if (c.start[i] < c.start[i + 1])
			source_add(&l->lines, pc_of(l, l->n), source_of(f, &f->inst[i]), f->inst[i].loc_line);
		for (uint32_t k = c.start[i]; k < c.start[i + 1]; k++)
			put_inst(l, &c, &c.inst[k]);
		l->end[f->first_pc + i] = l->n;
	}
	free(c.inst);
	free(c.item);
	free(c.start);
	plan_free(&p);
	return status;
}

struct lower *lower_kernel(const struct bound_code *c, uint32_t kernel, unsigned binary, struct fault *f)
{
	const struct program *prog = c->prog;
	struct lower *l = xcalloc(1, sizeof(*l));
	uint8_t *on = xcalloc(prog->n_funcs, 1);
	int status;

	*l = (struct lower){.code = c, .kernel = kernel, .binary = binary};
	l->start = xcalloc(prog->n_insts + 1u, sizeof(*l->start));
	l->end = xcalloc(prog->n_insts + 1u, sizeof(*l->end));
	call_reach(c, kernel, on);
	status = lower_function(l, prog->func[kernel], f);
	for (uint32_t i = 0; i < prog->n_funcs && !status; i++)
		if (on[i] && i != kernel)
			status = lower_function(l, prog->func[i], f);
	free(on);
	if (!status)
		return l;
	lower_free(l);
	return NULL;
}

void lower_free(struct lower *l)
{
	if (!l)
		return;
	free(l->inst);
	free(l->start);
	free(l->end);
	source_free(&l->lines);
	arena_free(&l->arena);
	free(l);
}

void lower_header(FILE *out, const struct grid *g, const struct occupancy *k)
{
	const struct lower *c = g->lower;

	text_machine_header(out, g, k->regs > c->registers ? k->regs : c->registers, c->binary, 5, &c->lines);
}

/* Returns the addresses that a GPU would use, in w->addr or storage. */
static const uint64_t *machine_addresses(
	const struct warp *w, const struct op *o, int32_t shift, uint64_t storage[LANES])
{
	uint64_t base = o->space != SP_GENERIC  ? 0
			: w->space == SP_SHARED ? SHARED_WINDOW_BASE
			: w->space == SP_LOCAL  ? LOCAL_WINDOW_BASE
						: 0;

	base -= (uint64_t)(int64_t)shift;
	if (!base)
		return w->addr;
	for (unsigned i = 0; i < LANES; i++)
		storage[i] = w->addr[i] + base;
	return storage;
}

void lower_record(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct lower *l = w->g->lower;
	struct text *out = &w->out;
	uint64_t storage[LANES];

	(void)issue;
	for (uint32_t i = l->start[pc]; i < l->end[pc]; i++) {
		const struct text_inst *t = &l->inst[i];
		char *p;

		text_reserve(out, TRACE_LINE_ROOM);
		p = out->p + out->n;
		memcpy(p, t->pc, t->n_pc);
		p = text_mask(p + t->n_pc, exec);
		memcpy(p, t->rest, t->n_rest);
		p += t->n_rest;
		p = text_number(p, t->access ? t->bytes : 0);
		if (t->access)
			p = text_addresses(p, machine_addresses(w, o, t->shift, storage), exec);
		*p++ = ' ';
		p = text_number(p, t->immediate);
		*p++ = '\n';
		out->n = (size_t)(p - out->p);
		w->lines++;
	}
}
