/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the trace of machine code in the format of Accel-Sim's tracer: version 5, or version 6 for kernels of sm_90
 * and later with asynchronous instructions. A packed stream gets records.
 *
 * The constant part of the lines of an instruction, all columns except mask and addresses, is made once, before the
 * first launch of its kernel is recorded: as text, or for a packed stream as numbers. Always true: a line names the
 * same operands as the tracer. The first operand is the result if it is a general register; if it is a predicate, the
 * line has no result. An address is named by its register. Constants, predicates, special registers and operands after
 * the fifth are left out. Only version 6 names uniform registers; it also has a second immediate and the values of
 * registers.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/recording.h"
#include "inlining.h"
#include "machine/code.h"
#include "pack.h"

#define OPERANDS_TRACED  5u
#define SOURCES_VERSION6 4u
#define VALUES_BYTES     (OPERANDS_TRACED * (LANES * 9 + 8)) /* maximum bytes of the values of a line */

typedef bool column_fn(struct warp *w, const struct op *o, int lane);

struct machine_text {
	char *pc;   /* part of a line such as "0010 " */
	char *rest; /* part of a line such as " 1 R4 LDG.E 1 R2 " */
	uint16_t n_pc, n_rest;
	uint8_t width;
	uint64_t window; /* base of the window, which is added to addresses */
	char end[56];    /* immediates and end of the line: " 0 \n" */
	uint8_t n_end;
	bool has_text_columns; /* in a packed stream, true if the execution writes all columns after the mask as text */
	column_fn *column; /* function that writes the columns of a copy; NULL: the instruction is not a copy */
	/* slots of the registers whose values the line has; UNIFORM_VALUE marks uniform registers */
	uint8_t n_values;
	uint32_t value[OPERANDS_TRACED];
};
#define UNIFORM_VALUE      0x80000000u
#define VALUES_WORD        "Val" /* word that precedes the register values of a line */
#define VALUES_WORD_LENGTH 3u

void trace_free(struct machine_code *c)
{
	free(c->text);
	if (c->packed)
		pack_code_free(c->packed);
	free(c->packed);
}

/* Registers that a line names, the result first. */
struct traced {
	struct {
		uint8_t reg;
		bool uniform;
	} operand[OPERANDS_TRACED];
	unsigned n, results;
};

static bool opcode_begins(const struct sass_inst *in, const char *word)
{
	return in->row && !strncmp(in->row->name, word, strlen(word));
}

/* Adds the register that operand a names, if any; a uniform register only in version 6. */
static void trace_operand(
	struct traced *t, const struct sass_inst *in, const struct sass_arg *a, bool version6)
{
	bool uniform = version6 && (a->kind == SASS_UREG || a->kind == SASS_GDESC);
	uint8_t reg = a->reg;

	if (a->kind == SASS_MEM && version6 && opcode_begins(in, "U"))
		return;
	if (a->kind == SASS_MEM && version6 && opcode_begins(in, "SYNCS") && reg == SASS_ZERO) {
		/* the base is the first source, because readers expect the value in the second */
		uniform = true;
		reg = a->ureg;
	} else if (a->kind != SASS_REG && !uniform && (a->kind != SASS_MEM || a->flags & SASS_NO_REG)) {
		return;
	}
	t->operand[t->n].uniform = uniform;
	t->operand[t->n++].reg = reg;
}

/*
 * Returns true if operand i is a carry that is not used, which only the text of sm_100 and later has. It is not
 * counted, so that the third source of IADD3 is among the traced operands on all architectures.
 */
static bool is_unused_carry(const struct sass_inst *in, unsigned i)
{
	const struct sass_arg *a = &in->arg[i];

	return in->sm >= 100 && i < in->n_results && (a->kind == SASS_PRED || a->kind == SASS_UPRED) &&
	       a->reg == 7 && in->row && strstr(in->row->name, "IADD3");
}

static struct traced trace_operands(const struct sass_inst *in, bool version6)
{
	struct traced t = {.n = 0};

	for (unsigned i = 0, left = OPERANDS_TRACED; i < in->n_args && left; i++) {
		const struct sass_arg *a = &in->arg[i];

		if (is_unused_carry(in, i))
			continue;
		left--;
		trace_operand(&t, in, a, version6);
		if (!i && t.n && a->kind != SASS_MEM &&
			(in->n_results || (version6 && opcode_begins(in, "BAR"))))
			t.results = 1;
	}
	if (version6 && t.n > t.results + SOURCES_VERSION6)
		t.n = t.results + SOURCES_VERSION6;
	return t;
}

/* Returns immediate number n, counted from 0; 0 if there is none. */
static int64_t traced_immediate(const struct sass_inst *in, unsigned n)
{
	for (unsigned i = 0, left = OPERANDS_TRACED; i < in->n_args && left; i++) {
		const struct sass_arg *a = &in->arg[i];

		if (is_unused_carry(in, i))
			continue;
		left--;
		if ((a->kind != SASS_INT && a->kind != SASS_TARGET) || n--)
			continue;
		return a->kind == SASS_INT && a->value > INT32_MAX && a->value <= UINT32_MAX
			       ? (int32_t)a->value
			       : a->value;
	}
	return 0;
}

/* Returns the number of register i. URZ has the highest number of its architecture. */
static uint8_t traced_register(const struct traced *t, unsigned i, unsigned sm)
{
	return t->operand[i].uniform && t->operand[i].reg == SASS_ZERO && sm < 100 ? 63 : t->operand[i].reg;
}

/* Writes a blank and the name of register i. */
static char *put_register(char *p, const struct traced *t, unsigned i, unsigned sm)
{
	*p++ = ' ';
	if (t->operand[i].uniform)
		*p++ = 'U';
	*p++ = 'R';
	return text_put_number(p, traced_register(t, i, sm));
}

static column_fn *find_column(const struct sass_inst *in)
{
	static const char *const tensor[] = {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"};

	if (opcode_begins(in, "UBLK"))
		return column_write_bulk;
	for (unsigned i = 0; i < sizeof(tensor) / sizeof(tensor[0]); i++)
		if (opcode_begins(in, tensor[i]))
			return column_write_tensor;
	return NULL;
}

static void find_value_registers(struct machine_text *t, const struct sass_inst *in, const struct traced *x)
{
	bool has = opcode_begins(in, "SYNCS") || opcode_begins(in, "BAR") || opcode_begins(in, "HGMMA");

	for (unsigned i = 0; has && i < x->n; i++) {
		uint32_t at = x->operand[i].reg * VECTOR;

		if (x->operand[i].reg == SASS_ZERO)
			at = FRAME_ZERO;
		else
			at += x->operand[i].uniform ? FRAME_UR : FRAME_R;
		t->value[t->n_values++] = at | (x->operand[i].uniform ? UNIFORM_VALUE : 0);
	}
}

/* Finds how the lines of version 6 differ from those of version 5. */
static void find_version6_parts(struct machine_text *t, const struct sass_inst *in, const struct traced *x)
{
	if (opcode_begins(in, "SYNCS") || opcode_begins(in, "ARRIVES"))
		t->width = 8;
	if (opcode_begins(in, "STAS") || opcode_begins(in, "REDAS"))
		t->window = 0; /* the upper half of the address is the address of the mbarrier */
	t->column = find_column(in);
	t->has_text_columns = t->column || (in->row && strstr(in->row->name, "GMMA"));
	find_value_registers(t, in, x);
}

/* Writes the column of a GMMA instruction that is 1 if the instruction ends a group. */
static char *put_group_end(char *p, const struct sass_inst *in)
{
	bool ends_group = false;

	for (unsigned i = 0; i < in->n_args; i++)
		ends_group |= in->arg[i].kind == SASS_NAME && in->arg[i].bank == SASS_NAME_GSB0;
	*p++ = ends_group ? '1' : '0';
	*p++ = ' ';
	return p;
}

/* Makes the parts of the text of an instruction's lines. */
static void make_line_text(struct machine_text *t, const struct sass_inst *in, const struct traced *x,
	const char *opcode, struct arena *arena, bool version6)
{
	char text[SASS_TEXT_MAX + 80], *p = text_put_hex(text, in->pc, 4);

	*p++ = ' ';
	t->n_pc = (uint16_t)(p - text);
	*p = ' ';
	p = text_put_number(p + 1, x->results);
	if (x->results)
		p = put_register(p, x, 0, in->sm);
	*p++ = ' ';
	p = stpcpy(p, opcode);
	*p++ = ' ';
	p = text_put_number(p, x->n - x->results);
	for (unsigned i = x->results; i < x->n; i++)
		p = put_register(p, x, i, in->sm);
	*p++ = ' ';
	*t->end = ' ';
	char *end = text_put_number(t->end + 1, traced_immediate(in, 0));
	*end++ = ' ';
	if (version6) {
		if (in->row && strstr(in->row->name, "GMMA"))
			p = put_group_end(p, in);
		end = text_put_number(end, traced_immediate(in, 1));
		end = stpcpy(end, t->n_values ? " " VALUES_WORD : " NoVal \n");
	} else {
		*end++ = '\n';
	}
	t->n_end = (uint8_t)(end - t->end);
	t->n_rest = (uint16_t)(p - text - t->n_pc);
	t->pc = arena_alloc(arena, (size_t)(p - text), 1);
	memcpy(t->pc, text, (size_t)(p - text));
	t->rest = t->pc + t->n_pc;
}

/* Sets out to the columns of an instruction's lines, without the opcode. Returns false if it has no such columns. */
static bool make_columns(struct pack_inst *out, const struct machine_text *t, const struct sass_inst *in,
	const struct traced *x, bool version6)
{
	*out = (struct pack_inst){.pc = in->pc,
		.width = t->width,
		.open = t->n_values && !t->has_text_columns,
		.columns = 1,
		.n_results = (uint8_t)x->results,
		.n_sources = (uint8_t)(x->n - x->results),
		.n_imms = version6 ? 2 : 1,
		.end = version6 && !t->n_values ? PACK_END_NO_VALUES : PACK_END_BLANK};
	for (unsigned i = 0; i < x->n; i++) {
		out->reg[i] = traced_register(x, i, in->sm);
		out->kind[i] = x->operand[i].uniform;
	}
	for (unsigned i = 0; i < out->n_imms; i++) {
		out->imm[i] = traced_immediate(in, i);
		if (out->imm[i] <= -PACK_IMM_END || out->imm[i] >= PACK_IMM_END)
			return false;
	}
	return !t->has_text_columns;
}

/* Adds the constant text of an instruction's lines to the static code of packed streams. */
static void add_packed_text(
	struct pack_code *code, uint32_t *cap, struct pack_inst *x, const struct machine_text *t)
{
	char digits[24];
	const size_t n = (size_t)(text_put_number(digits, t->width) - digits);
	/* omit the blank and the newline, or the word that the text of an execution begins with */
	const unsigned middle = t->n_rest - 1u, end = t->n_end - (t->n_values ? VALUES_WORD_LENGTH : 1u);

	*x = (struct pack_inst){.pc = x->pc,
		.width = t->width,
		.text = (uint32_t)code->n_text,
		.text_len = (uint16_t)(middle + n),
		.end_len = (uint16_t)end,
		.open = x->open};
	grow(&code->text, cap, (uint32_t)(code->n_text + middle + n + end), 1);
	char *p = code->text + code->n_text;
	memcpy(p, t->rest + 1, middle);
	memcpy(p + middle, digits, n);
	memcpy(p + middle + n, t->end, end);
	code->n_text += middle + n + end;
}

/* State of make_static_lines(). */
struct static_lines {
	struct sass_opcode_texts *opcode_texts;
	struct arena *arena;
	struct pack_code *packed; /* static code of packed streams; NULL: the lines are written as text */
	uint32_t cap;
	bool version6;
};

/* Finds the constant part of the lines of instruction i, as text or as columns of a packed stream. */
static void make_static_line(struct static_lines *s, struct machine_text *t, const struct sass_inst *in,
	const struct op *o, uint32_t i)
{
	const struct traced x = trace_operands(in, s->version6);
	char opcode[SASS_TEXT_MAX];
	const size_t n = sass_opcode_text_known(s->opcode_texts, in, opcode);

	t->width = (uint8_t)(o->memory ? sass_access_bytes(in, opcode) : 0);
	t->window = o->space == SP_SHARED ? SHARED_WINDOW_BASE : o->space == SP_LOCAL ? LOCAL_WINDOW_BASE : 0;
	if (s->version6)
		find_version6_parts(t, in, &x);
	if (!s->packed) {
		make_line_text(t, in, &x, opcode, s->arena, s->version6);
		return;
	}
	struct pack_inst *p = &s->packed->inst[i];
	if (!make_columns(p, t, in, &x, s->version6)) {
		make_line_text(t, in, &x, opcode, s->arena, s->version6);
		add_packed_text(s->packed, &s->cap, p, t);
		return;
	}
	p->text = (uint32_t)s->packed->n_text;
	p->text_len = (uint16_t)n;
	grow(&s->packed->text, &s->cap, (uint32_t)(p->text + n), 1);
	memcpy(s->packed->text + p->text, opcode, n);
	s->packed->n_text += n;
}

/* Returns true if only version 6 can describe the instruction. */
static bool is_asynchronous(const struct sass_inst *in)
{
	static const char *const word[] = {"SYNCS", "ARRIVES", "STAS", "REDAS", "UBLK", "UTMA"};

	for (unsigned i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (opcode_begins(in, word[i]))
			return true;
	return in->row && strstr(in->row->name, "GMMA");
}

#define ASYNCHRONOUS 6u /* version of lines of kernels with asynchronous instructions */

static unsigned line_version(struct machine_code *c)
{
	if (!c->version)
		c->version = 5;
	else
		return c->version;
	for (uint32_t i = 0; i < c->n && c->sm >= 90; i++)
		if (is_asynchronous(&c->inst[i]))
			c->version = ASYNCHRONOUS;
	return c->version;
}

record_fn *machine_record_function(const struct func *f, bool packed)
{
	if (!packed)
		return machine_record;
	return line_version(f->machine_code) == ASYNCHRONOUS ? machine_record_packed_6
							     : machine_record_packed;
}

/* Finds the accesses whose records follow from earlier ones. */
static void find_same_bases(const struct grid *g, struct machine_code *c)
{
	uint8_t *recorded = xmalloc(c->n + 1u);
	struct op *op = &g->code->op[g->launch->kernel->first_pc];

	for (uint32_t i = 0; i < c->n; i++)
		recorded[i] = c->text[i].width || c->text[i].has_text_columns || c->text[i].n_values;
	c->stretch = same_base_find_stretches(g->code, op, recorded, c->n, &c->moved);
	free(recorded);
	for (uint32_t i = 0; i < c->n; i++)
		op[i].stretch = op[i].memory && c->stretch[i].n;
}

static void make_static_lines(const struct grid *g, struct machine_code *c)
{
	const struct func *f = g->launch->kernel;
	struct static_lines s = {.opcode_texts = xmalloc(sizeof(*s.opcode_texts)),
		.arena = &c->module->module->arena,
		.version6 = line_version(c) == ASYNCHRONOUS};

	sass_opcode_texts_clear(s.opcode_texts);
	if (g->record != machine_record) {
		s.packed = c->packed = xcalloc(1, sizeof(*c->packed));
		c->packed->n = c->n;
		c->packed->inst = xcalloc(c->n + 1u, sizeof(*c->packed->inst));
	}
	c->text = xcalloc(c->n + 1u, sizeof(*c->text));
	for (uint32_t i = 0; i < c->n; i++)
		make_static_line(&s, &c->text[i], &c->inst[i], &g->code->op[f->first_pc + i], i);
	free(s.opcode_texts);
	find_same_bases(g, c);
	for (uint32_t i = 0; i < c->n && c->module->image->lines; i++) {
		const char *file = NULL;
		uint32_t pc, function = link_function_of_inst(c, i, &pc),
			     line = sass_image_line(c->module->image, function, pc, &file);

		source_lines_add(&c->lines, c->inst[i].pc, file, line);
	}
	c->text[c->n] = (struct machine_text){.pc = "", .rest = "", .n_end = 0};
}

void machine_header(FILE *out, const struct grid *g, const struct occupancy *k)
{
	const struct func *f = g->launch->kernel;
	struct machine_code *c = f->machine_code;
	/* bytes reserved for the system, which the tracer leaves out of the size */
	uint32_t reserved = f->shared_end - machine_shared_bytes(f);

	if (!c->text)
		make_static_lines(g, c);
	text_write_machine_header(out, g, g->shared_bytes - reserved,
		k->regs > c->kernel->registers ? k->regs : c->kernel->registers, c->sm, line_version(c),
		&c->lines);
}

void machine_put_block_lines(char text[BLOCK_LINES], const struct cta *c)
{
	*text = '\0';
	if (line_version(c->grid->launch->kernel->machine_code) == ASYNCHRONOUS)
		machine_put_cluster_lines(text, c);
}

void machine_put_cluster_lines(char text[BLOCK_LINES], const struct cta *c)
{
	const uint32_t *n = c->grid->cluster;

	snprintf(text, BLOCK_LINES, "cluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n",
		c->id[0] / n[0], c->id[1] / n[1], c->id[2] / n[2], c->id[0] % n[0], c->id[1] % n[1],
		c->id[2] % n[2], c->rank);
}

LANE_FN static void add_window_base(uint64_t *to, const uint64_t *a, uint64_t window)
{
	EACH_LANE (i)
		to[i] = a[i] + window;
}

static const uint64_t *window_addresses(const struct warp *w, uint64_t window, uint64_t storage[LANES])
{
	if (!window)
		return w->addr;
	add_window_base(storage, w->addr, window);
	return storage;
}

/* Writes the values of registers: one word if all lanes have the same, else the words of all lanes. */
static char *write_register_values(char *p, const struct warp *w, const struct machine_text *t)
{
	for (unsigned i = 0; i < t->n_values; i++) {
		const uint32_t *v = REG(uint32_t, w, t->value[i] & ~UNIFORM_VALUE);
		bool same = t->value[i] & UNIFORM_VALUE || !memcmp(v, v + 1, (LANES - 1) * sizeof(*v));

		p = stpcpy(p, same ? " 1" : " 32");
		v += t->value[i] & UNIFORM_VALUE ? uniform_lane(w) : 0;
		for (unsigned k = 0; k < (same ? 1 : LANES); k++) {
			*p++ = ' ';
			p = text_put_mask(p, v[k]);
		}
	}
	return stpcpy(p, " \n");
}

/* Writes width and addresses, or the columns of a copy. */
static char *write_memory_columns(
	struct warp *w, const struct op *o, const struct machine_text *t, char *p, uint32_t exec)
{
	uint64_t storage[LANES];

	if (t->column) {
		w->out.n = (size_t)(p - w->out.p);
		t->column(w, o, exec ? (int)bit_lowest32(exec) : -1);
		text_reserve(&w->out, TRACE_LINE_ROOM);
		return w->out.p + w->out.n;
	}
	p = text_put_number(p, t->width);
	return t->width ? text_put_addresses(p, window_addresses(w, t->window, storage), exec) : p;
}

void machine_record(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct func *f = o->func;
	const struct machine_text *t = &f->machine_code->text[pc - f->first_pc];
	struct text *out = &w->out;
	char *p;

	exec = o->flow == MF_UNIFORM && exec ? issue : exec;
	text_reserve(out, TRACE_LINE_ROOM + VALUES_BYTES);
	p = out->p + out->n;
	memcpy(p, t->pc, t->n_pc);
	p = text_put_mask(p + t->n_pc, exec);
	memcpy(p, t->rest, t->n_rest);
	p = write_memory_columns(w, o, t, p + t->n_rest, exec);
	memcpy(p, t->end, t->n_end);
	p += t->n_end;
	if (t->n_values)
		p = write_register_values(p, w, t);
	out->n = (size_t)(p - out->p);
	w->lines++;
}

/* ---- records of a packed stream ---- */

/* Records an access whose lanes have consecutive addresses. */
static NOINLINE void record_adjacent(
	struct warp *w, const struct op *o, const struct machine_text *t, uint32_t id, uint32_t exec)
{
	const bool several = exec & (exec - 1);

	w->adjacent = false;
	recording_add_line(&w->packed, id, exec, exec ? w->addr[bit_lowest32(exec)] + t->window : 0,
		several ? o->bytes : 0);
}

void machine_record_packed(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct func *f = o->func;
	const struct machine_text *t = &f->machine_code->text[pc - f->first_pc];
	const uint32_t id = pc - f->first_pc;

	exec = o->flow == MF_UNIFORM && exec ? issue : exec;
	if (!t->width)
		recording_extend_run(&w->packed, id, exec);
	else if (!w->adjacent)
		recording_add_access(&w->packed, id, exec, w->addr, t->window);
	else
		record_adjacent(w, o, t, id, exec);
}

void machine_record_packed_6(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	const struct func *f = o->func;
	const struct machine_code *c = f->machine_code;
	const uint32_t id = pc - f->first_pc;
	const struct machine_text *t = &c->text[id];
	struct text *out = &w->out;
	const size_t from = out->n;

	if (!t->has_text_columns && !t->n_values) {
		machine_record_packed(w, o, pc, issue, exec);
		return;
	}
	exec = o->flow == MF_UNIFORM && exec ? issue : exec;
	text_reserve(out, TRACE_LINE_ROOM + VALUES_BYTES);
	char *p = out->p + from;
	if (t->has_text_columns) {
		memcpy(p, t->rest + 1, t->n_rest - 1u);
		p = write_memory_columns(w, o, t, p + t->n_rest - 1, exec);
		memcpy(p, t->end, t->n_end);
		p += t->n_end - !t->n_values; /* without the newline */
	} else {
		p = stpcpy(p, VALUES_WORD);
	}
	if (t->n_values)
		p = write_register_values(p, w, t) - 1;
	out->n = (size_t)(p - out->p);
	if (t->has_text_columns || !t->width)
		recording_add_text(
			&w->packed, t->has_text_columns ? id + c->n : id, exec, (uint32_t)(out->n - from));
	else
		recording_add_access_and_text(
			&w->packed, id, exec, w->addr, t->window, (uint32_t)(out->n - from));
}

struct pack_code machine_pack_code(const struct func *f)
{
	const struct pack_code *c = f->machine_code->packed;
	struct pack_code copy = {.n = c->n, .n_text = c->n_text};

	copy.inst = xmalloc((c->n + 1u) * sizeof(*copy.inst));
	copy.text = xmalloc(c->n_text + 1);
	memcpy(copy.inst, c->inst, (c->n + 1u) * sizeof(*copy.inst));
	if (c->n_text)
		memcpy(copy.text, c->text, c->n_text);
	return copy;
}
