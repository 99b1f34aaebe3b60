/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace of a lowered kernel, in the format of tracers of machine code: version 5, or version 6 for kernels with
 * asynchronous instructions.
 *
 * The text of a line without mask and addresses is written once, when the kernel is lowered. Functions follow
 * the kernel in the order of their numbers. Pascal has a control word before every three instructions.
 * Generic addresses of shared and local memory are moved to the windows that the header names.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/call.h"
#include "exec/source.h"
#include "lower/async.h"
#include "machine/machine.h"

#define RZ_NUMBER        255u
#define VALUES_ROOM      (3u * (LANES * 9 + 8)) /* largest size of the values of a line in bytes */
#define SM_REGISTERS     65536u
#define THREAD_REGISTERS 255u /* most registers of a thread */

struct text_inst {
	char pc[12]; /* part of a line such as "0010 " */
	char *rest;  /* part of a line such as " 1 R4 LDG.E 1 R2 " */
	uint8_t n_pc, bytes;
	uint16_t n_rest;
	bool access, result;
	uint8_t column; /* enum async_column */
	int32_t immediate, immediate2, shift;
};

struct lower {
	const struct bound_code *code;
	uint32_t kernel, n, cap, registers;
	unsigned binary;
	bool asynchronous; /* lines have version 6 */
	bool pooled;       /* true if warps change their number of registers (USETMAXREG) */
	struct text_inst *inst;
	uint32_t *start; /* first machine instruction of each PTX instruction of the program */
	uint32_t *end;   /* end of the machine instructions of each PTX instruction */
	struct source_lines lines;
	struct arena arena;
};

static uint64_t machine_pc_of(const struct lower *l, uint32_t i)
{
	return l->binary < 70 ? 32ull * (i / 3) + 8 * (i % 3 + 1) : 16ull * i;
}

static unsigned register_number(const struct lower_code *c, uint32_t ref)
{
	return c->item[ref >> 8].reg + (ref & 255);
}

static void write_inst_text(struct lower *l, const struct lower_code *c, const struct machine_inst *m)
{
	struct text_inst *t;
	char text[160];
	bool syncs = !strncmp(m->opcode, "SYNCS", 5);
	unsigned sources = syncs ? ASYNC_SOURCES : m->n_src;
	int n;

	grow(&l->inst, &l->cap, l->n + 1, sizeof(*l->inst));
	l->pooled |= !strncmp(m->opcode, "USETMAXREG", 10);
	t = &l->inst[l->n];
	*t = (struct text_inst){.access = m->access,
		.result = m->dst != NO_REF,
		.column = (uint8_t)async_column_of(m->opcode),
		.bytes = m->bytes,
		.immediate = m->immediate,
		.immediate2 = m->immediate2,
		.shift = m->shift};
	t->n_pc = (uint8_t)snprintf(
		t->pc, sizeof(t->pc), "%04llx ", (unsigned long long)machine_pc_of(l, l->n));
	if (m->dst == NO_REF)
		n = snprintf(text, sizeof(text), " 0 %s %u", m->opcode, sources);
	else
		n = snprintf(
			text, sizeof(text), " 1 R%u %s %u", register_number(c, m->dst), m->opcode, sources);
	for (unsigned k = 0; k < sources; k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " R%u",
			k < m->n_src ? register_number(c, m->src[k]) : RZ_NUMBER);
	text[n++] = ' ';
	if (l->asynchronous && strstr(m->opcode, "GMMA"))
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%d ", m->ends_group);
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
			source_lines_add(&l->lines, machine_pc_of(l, l->n),
				source_name_of_inst(f, &f->inst[i]), f->inst[i].loc_line);
		for (uint32_t k = c.start[i]; k < c.start[i + 1]; k++)
			write_inst_text(l, &c, &c.inst[k]);
		l->end[f->first_pc + i] = l->n;
	}
	free(c.inst);
	free(c.item);
	free(c.start);
	plan_free(&p);
	return status;
}

static bool has_async_instruction(const struct func *f)
{
	for (uint32_t i = 0; i < f->n_insts; i++)
		if (async_needs_version6(&f->inst[i]))
			return true;
	return false;
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
	call_find_reachable(c, kernel, on);
	for (uint32_t i = 0; i < prog->n_funcs && binary >= 90 && binary < 100; i++)
		l->asynchronous |= (on[i] || i == kernel) && has_async_instruction(prog->func[i]);
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
	source_lines_free(&l->lines);
	arena_free(&l->arena);
	free(l);
}

/*
 * Returns the registers of each thread. The assembler gives a kernel whose warps change their number of registers as
 * many as the thread blocks of an SM can have, so that some warps can pass registers on to others.
 */
static uint32_t thread_registers(const struct grid *g, const struct occupancy *k)
{
	const struct lower *c = g->lower;
	const struct launch *l = g->launch;
	uint32_t used = k->regs > c->registers ? k->regs : c->registers, most,
		 blocks = c->code->prog->func[c->kernel]->minnctapersm,
		 threads = (l->block[0] * l->block[1] * l->block[2] + 31) / 32 * 32;

	if (!c->pooled || k->regs || !threads)
		return used;
	most = SM_REGISTERS / threads / (blocks ? blocks : 1) / 8 * 8;
	most = most < THREAD_REGISTERS ? most : THREAD_REGISTERS;
	return used > most ? used : most;
}

void lower_write_header(FILE *out, const struct grid *g, const struct occupancy *k)
{
	const struct lower *c = g->lower;

	text_write_machine_header(out, g, g->shared_bytes, thread_registers(g, k), c->binary,
		c->asynchronous ? 6 : 5, &c->lines);
}

void lower_write_block(FILE *out, const struct cta *c)
{
	char lines[BLOCK_LINES];

	if (!c->grid->lower->asynchronous)
		return;
	machine_put_cluster_lines(lines, c);
	fputs(lines, out);
}

/*
 * Returns true if accesses of the op may be in another block of the cluster, so that its addresses have a rank.
 */
static bool may_access_other_block(const struct warp *w, const struct op *o)
{
	return w->grid->cluster_size > 1 && w->space == SP_SHARED &&
	       (o->space == SP_GENERIC || stmt_has(o->stmt, M_SHARED__CLUSTER));
}

/* Returns the addresses that a GPU would use, in w->addr or storage. */
static const uint64_t *addresses_on_gpu(
	const struct warp *w, const struct op *o, int32_t shift, uint64_t storage[LANES])
{
	bool shared = o->space == SP_GENERIC ? w->space == SP_SHARED : stmt_has(o->stmt, M_SHARED__CLUSTER);
	uint64_t base = shared                                           ? SHARED_WINDOW_BASE
			: o->space == SP_GENERIC && w->space == SP_LOCAL ? LOCAL_WINDOW_BASE
									 : 0;
	bool cluster = may_access_other_block(w, o);

	base -= (uint64_t)(int64_t)shift;
	if (!base)
		return w->addr;
	for (unsigned i = 0; i < LANES; i++)
		storage[i] = base + (cluster ? async_shared_address(w, w->addr[i]) : w->addr[i]);
	return storage;
}

/* Writes the end of a line of version 6: the immediates and the values of registers. */
static char *put_version6_end(
	char *p, struct warp *w, const struct op *o, const struct text_inst *t, uint32_t exec)
{
	*p++ = ' ';
	p = text_put_number(p, t->immediate2);
	*p++ = ' ';
	if (t->column == ASYNC_MBARRIER && o->stmt->opcode == I_mbarrier)
		p = async_put_values(p, w, o, t->result, exec);
	else
		p = stpcpy(p, "NoVal");
	return stpcpy(p, " \n");
}

/* Writes the line of an executed machine instruction. */
static void record_line(struct warp *w, const struct op *o, const struct text_inst *t, uint32_t exec)
{
	struct text *out = &w->out;
	uint64_t storage[LANES];
	char *p;

	text_reserve(out, TRACE_LINE_ROOM + VALUES_ROOM);
	p = out->p + out->n;
	memcpy(p, t->pc, t->n_pc);
	p = text_put_mask(p + t->n_pc, exec);
	memcpy(p, t->rest, t->n_rest);
	p += t->n_rest;
	if (t->column && w->grid->lower->asynchronous) {
		out->n = (size_t)(async_put_columns((enum async_column)t->column, w, o, p, exec) - out->p);
		text_reserve(out, TRACE_LINE_ROOM + VALUES_ROOM);
		p = out->p + out->n;
	} else {
		p = text_put_number(p, t->access ? t->bytes : 0);
		if (t->access)
			p = text_put_addresses(p, addresses_on_gpu(w, o, t->shift, storage), exec);
	}
	*p++ = ' ';
	p = text_put_number(p, t->immediate);
	if (w->grid->lower->asynchronous)
		p = put_version6_end(p, w, o, t, exec);
	else
		*p++ = '\n';
	out->n = (size_t)(p - out->p);
	w->lines++;
}

/* Returns true if the instruction is a copy by several lanes. Such a copy has one line per lane. */
static bool is_copy_per_lane(const struct text_inst *t, uint32_t exec)
{
	return (t->column == ASYNC_BULK || t->column == ASYNC_TENSOR) && exec & (exec - 1);
}

void lower_write_record(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct lower *l = w->grid->lower;

	(void)issue;
	for (uint32_t i = l->start[pc]; i < l->end[pc]; i++) {
		const struct text_inst *t = &l->inst[i];

		if (!l->asynchronous || !is_copy_per_lane(t, exec)) {
			record_line(w, o, t, exec);
			continue;
		}
		FOR_BITS32 (lane, exec)
			record_line(w, o, t, 1u << lane);
	}
}
