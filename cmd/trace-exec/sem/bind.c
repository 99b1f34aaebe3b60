/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts instructions to ops. Registers become offsets in the frame, constants become vectors, and the
 * binding of the opcode (its row in ptx.def) selects the function that executes it.
 *
 * Always true after bind_program: every op has its function, every offset is in the frame, and every operand
 * has the width that the function reads. An instruction that has wrong operands or suffixes, or that is not
 * executed, is a fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/ieee.h"
#include "exec/operands.h"
#include "sem/sem.h"
#include "sem/sum.h"

#define FRAME_MAX (64u << 20)

#define OP(id, name, fn, ver, sm, words) [I_##id] = fn,
static int (*const bindings[N_OPCODES])(struct bind *b, struct op *o) = {
#include "lang/ptx.def"
};
#undef OP

/* ---- faults ---- */

int bind_fault(const struct bind *b, const struct operand *at, const char *id, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	struct place where = stmt_place(b->func, b->stmt);
	if (at) {
		where.line = at->line;
		where.col = at->col;
	}
	return fault_set(b->fault, where, id, "%s", text);
}

int bind_refuse(const struct bind *b, const char *needs)
{
	char when[40];

	need_write_text(b->stmt, b->stmt->text, when, sizeof(when));
	return bind_fault(b, NULL, "not-executed", "%s is not executed: it needs %s%s%s", b->stmt->text,
		needs, *when ? ", " : "", when);
}

/* Sets the fault that a known instruction is not executed, with the feature that the executor lacks. */
int bind_refused(struct bind *b, struct op *o)
{
	static const struct {
		enum opcode op;
		const char *needs;
	} known[] = {
		{I_tcgen05, "tensor memory and the tensor cores of the fifth generation"},
		{I_multimem, "memory that several devices share"},
	};
	unsigned i = 0;

	(void)o;
	while (known[i].op != b->stmt->opcode)
		i++;
	return bind_refuse(b, known[i].needs);
}

int bind_operands(const struct bind *b, unsigned least, unsigned most)
{
	unsigned n = b->stmt->n_operands;

	if (n < least || n > most)
		return bind_fault(b, NULL, "operands",
			least == most ? "%u operand%s of %s (expected %u)"
				      : "%u operand%s of %s (expected %u to %u)",
			n, n == 1 ? "" : "s", b->stmt->text, least, most);
	return 0;
}

int bind_types(const struct bind *b, unsigned n)
{
	if (b->stmt->n_types != n)
		return bind_fault(b, NULL, "types", "%u type%s in %s (expected %u)", b->stmt->n_types,
			b->stmt->n_types == 1 ? "" : "s", b->stmt->text, n);
	return 0;
}

/* ---- slots of the frame ---- */

static uint32_t reserve_frame_slot(struct bind *b, unsigned bytes)
{
	struct frame *f = b->frame;
	unsigned size = bytes ? (bytes < 2 ? 2 : bytes) * LANES : 4, align = size < 64 ? 4 : 64;
	uint32_t slot = (f->bytes + align - 1) / align * align;

	f->bytes = slot + size;
	return slot;
}

uint32_t bind_scratch(struct bind *b, unsigned bytes) { return reserve_frame_slot(b, bytes); }

/* Returns the size of a register in bytes; 0 for a predicate. */
static unsigned reg_width(const struct func *fn, uint32_t reg)
{
	unsigned bits = types[fn->reg[reg].type].bits;

	return bits == 1 ? 0 : bits <= 16 ? 2 : bits / 8;
}

static uint32_t reg_slot(struct bind *b, uint32_t reg)
{
	struct reg *r = &b->func->reg[reg];

	if (!r->slot)
		r->slot = reserve_frame_slot(b, reg_width(b->func, reg));
	return r->slot;
}

unsigned bind_bits(const struct bind *b, const struct operand *o)
{
	return o->kind == O_REG ? types[b->func->reg[o->reg].type].bits : 0;
}

static uint32_t add_frame_init(struct bind *b, uint64_t value, unsigned bytes, unsigned sreg)
{
	struct frame *f = b->frame;

	for (uint32_t i = 0; i < f->n_init && f->n_init < 64; i++)
		if (f->init[i].value == value && f->init[i].bytes == bytes && f->init[i].sreg == sreg)
			return f->init[i].slot;
	for (uint32_t i = f->n_init > 64 ? f->n_init - 64 : f->n_init; i < f->n_init; i++)
		if (f->init[i].value == value && f->init[i].bytes == bytes && f->init[i].sreg == sreg)
			return f->init[i].slot;
	grow(&f->init, &f->cap_init, f->n_init + 1, sizeof(*f->init));
	f->init[f->n_init] =
		(struct frame_init){reserve_frame_slot(b, bytes), (uint8_t)bytes, (uint8_t)sreg, value};
	return f->init[f->n_init++].slot;
}

uint32_t bind_const(struct bind *b, uint64_t value, unsigned bytes)
{
	return add_frame_init(b, value, bytes, 0);
}

static double immediate_value(const struct operand *o)
{
	return o->single ? (double)ieee_f32((uint32_t)o->value) : ieee_f64((uint64_t)o->value);
}

/* Converts an immediate to the bits of the type. */
static int convert_immediate(const struct bind *b, const struct operand *o, enum type type, uint64_t *v)
{
	unsigned bits = types[type].bits;
	double d;

	if (o->kind == O_INT) {
		*v = (uint64_t)o->value;
		if (types[type].kind != K_FLOAT || type == T_F16 || type == T_BF16 || type == T_F16X2 ||
			type == T_BF16X2)
			return 0;
		d = (double)o->value;
	} else if (types[type].kind == K_UINT || types[type].kind == K_SINT) {
		return bind_fault(b, o, "immediate", "floating-point number (expected one of type .%s)",
			types[type].name);
	} else if (o->single && bits == 32) {
		*v = (uint32_t)o->value;
		return 0;
	} else {
		d = immediate_value(o);
	}
	if (bits == 64) {
		*v = ieee_f64_bits(d);
	} else if (bits == 32) {
		*v = ieee_f32_bits((float)d);
	} else {
		return bind_fault(b, o, "immediate", "floating-point number (expected one of type .%s)",
			types[type].name);
	}
	return 0;
}

static const char *describe_operand(const struct bind *b, const struct operand *o, char *out, size_t cap)
{
	if (o->kind == O_REG) {
		const struct reg *r = &b->func->reg[o->reg];
		char number[16] = "", quoted[60];

		if (r->number != UINT32_MAX)
			snprintf(number, sizeof(number), "%u", r->number);
		diag_quote(quoted, sizeof(quoted), r->name, strlen(r->name));
		snprintf(out, cap, "register %s%s of type .%s", quoted, number, types[r->type].name);
	} else {
		static const char *const kinds[] = {"nothing", "a register", "a number", "a number", "a name",
			"a special register", "an address", "a list", "a label", "_"};

		snprintf(out, cap, "%s", kinds[o->kind]);
	}
	return out;
}

static uint32_t fault_bad_operand(const struct bind *b, const struct operand *o, const char *wanted)
{
	char text[120];

	bind_fault(b, o, "operand", "%s (expected %s)", describe_operand(b, o, text, sizeof(text)), wanted);
	return UINT32_MAX;
}

static uint32_t fault_bad_width(const struct bind *b, const struct operand *o, unsigned bits)
{
	char wanted[40];

	snprintf(wanted, sizeof(wanted), bits == 1 ? "a predicate" : "a register of %u bits", bits);
	return fault_bad_operand(b, o, wanted);
}

/* Returns the slot of a source register, or of its sum with a constant. */
static uint32_t source_register_slot(struct bind *b, const struct operand *o)
{
	unsigned bytes = reg_width(b->func, o->reg);
	uint32_t slot = reg_slot(b, o->reg);

	operands_add(b->code, slot, bytes, OPERAND_SOURCE);
	if (!o->value)
		return slot;
	if (!bytes || bytes > 8 || types[b->func->reg[o->reg].type].kind == K_FLOAT)
		return fault_bad_operand(b, o, "an integer register of at most 64 bits before '+' or '-'");
	return sum_slot(b, o, slot, bytes);
}

static uint32_t result_register_slot(struct bind *b, const struct operand *o, unsigned bytes)
{
	uint32_t slot = reg_slot(b, o->reg);

	operands_add(b->code, slot, bytes, OPERAND_RESULT);
	return slot;
}

uint32_t bind_dst(struct bind *b, const struct operand *o, unsigned bits)
{
	unsigned bytes = bits == 1 ? 0 : bits <= 16 ? 2 : bits / 8;

	if (o->kind == O_NULL) {
		operands_add(b->code, 0, bytes, OPERAND_RESULT);
		return reserve_frame_slot(b, bytes);
	}
	if (o->kind != O_REG || o->letters)
		return fault_bad_operand(b, o, o->letters ? "a whole register" : "a register");
	if (reg_width(b->func, o->reg) != bytes)
		return fault_bad_width(b, o, bits);
	return result_register_slot(b, o, bytes);
}

uint32_t bind_dst_any(struct bind *b, const struct operand *o, unsigned least, uint8_t *bytes)
{
	unsigned width;

	if (o->kind == O_NULL) {
		*bytes = (uint8_t)(least < 2 ? 2 : least);
		operands_add(b->code, 0, *bytes, OPERAND_RESULT);
		return reserve_frame_slot(b, *bytes);
	}
	if (o->kind != O_REG)
		return fault_bad_operand(b, o, "a register");
	width = reg_width(b->func, o->reg);
	if (!width || width < least)
		return fault_bad_width(b, o, least * 8);
	*bytes = (uint8_t)width;
	return result_register_slot(b, o, width);
}

/* Returns INIT_DYN_SHARED or INIT_LOCAL if a variable's address is relative to that base; 0 if it is absolute. */
static unsigned address_init_kind(const struct bind *b, const struct symbol *s)
{
	bool kernel_param = s->space == SP_PARAM && b->func->entry && s->owner == b->func;

	for (uint32_t i = 0; kernel_param && i < b->func->n_vars; i++)
		kernel_param = b->func->var[i] != s;
	return s->space == SP_SHARED && s->unsized ? INIT_DYN_SHARED
	       : (s->space == SP_LOCAL && s->owner) || (s->space == SP_PARAM && !kernel_param) ? INIT_LOCAL
											       : 0;
}

static uint32_t symbol_address_slot(struct bind *b, const struct operand *o, unsigned bytes)
{
	struct symbol *s = sym_definition(o->sym);

	if (s->kind == SYM_FUNC) {
		if (!s->func || !s->func->has_body)
			return fault_bad_operand(b, o, "a function with a body");
		return add_frame_init(b, PROGRAM_BASE + 8ull * s->func->first_pc, bytes, 0);
	}
	if (s->kind != SYM_VAR)
		return fault_bad_operand(b, o, "a variable or a function");
	return add_frame_init(b, (s->addr + (uint64_t)o->value) & (bytes == 4 ? 0xffffffffu : UINT64_MAX),
		bytes, address_init_kind(b, s));
}

static bool is_clock(enum sreg s)
{
	return s == S_CLOCK || s == S_CLOCK_HI || s == S_CLOCK64 || s == S_GLOBALTIMER ||
	       s == S_GLOBALTIMER_LO || s == S_GLOBALTIMER_HI;
}

static uint32_t operand_slot(struct bind *b, const struct operand *o, enum type type, unsigned bytes)
{
	uint64_t v = 0;

	switch (o->kind) {
	case O_REG: return source_register_slot(b, o);
	case O_INT:
	case O_FLOAT:
		if (convert_immediate(b, o, type, &v))
			return UINT32_MAX;
		if (!bytes)
			v = v ? ALL_LANES : 0;
		else if (bytes < 8)
			v &= (1ull << 8 * bytes) - 1;
		return add_frame_init(b, v, bytes, 0);
	case O_SREG:
		if (is_clock((enum sreg)o->sreg))
			return fault_bad_operand(b, o, "a register: only mov reads the clock");
		if (o->sreg >= S_RESERVED_SMEM_BEGIN && o->sreg <= S_RESERVED_SMEM_1)
			b->frame->reserved = RESERVED_LAST;
		return add_frame_init(b, 0, bytes, o->sreg);
	case O_SYM:
		if (bytes < 4)
			return fault_bad_operand(b, o, "a number or a register");
		return symbol_address_slot(b, o, bytes);
	default: return fault_bad_operand(b, o, "a register or a number");
	}
}

uint32_t bind_src(struct bind *b, const struct operand *o, enum type type)
{
	unsigned bits = types[type].bits, bytes = bits == 1 ? 0 : bits <= 16 ? 2 : bits / 8;

	if (o->kind == O_REG && reg_width(b->func, o->reg) != bytes)
		return fault_bad_width(b, o, bits);
	if (o->inverted || o->letters || (o->minus && o->kind != O_INT))
		return fault_bad_operand(b, o,
			o->letters    ? "a whole register"
			: o->inverted ? "one without '!'"
				      : "one without '-'");
	if (!bytes && (o->kind == O_SREG ? sregs[o->sreg].bits != 1 : o->kind != O_REG && o->kind != O_INT))
		return fault_bad_operand(b, o, "a predicate");
	if (o->kind != O_REG)
		operands_add(b->code, 0, bytes, OPERAND_SOURCE);
	return operand_slot(b, o, type, bytes);
}

uint32_t bind_src_any(struct bind *b, const struct operand *o, enum type type, uint8_t *bytes)
{
	unsigned least = types[type].bits < 16 ? 1 : types[type].bits / 8;

	if (o->kind != O_REG) {
		*bytes = (uint8_t)(least < 2 ? 2 : least);
		return bind_src(b, o, type);
	}
	unsigned width = reg_width(b->func, o->reg);
	if (!width || width < least)
		return fault_bad_width(b, o, types[type].bits);
	*bytes = (uint8_t)width;
	return source_register_slot(b, o);
}

struct ext *bind_ext(struct bind *b, struct op *o)
{
	if (!o->x)
		o->x = arena_alloc(&b->code->arena, 1, sizeof(*o->x));
	o->x->stmt = b->stmt;
	return o->x;
}

/* ---- addresses ---- */

enum state_space bind_space(const struct bind *b)
{
	const struct stmt *in = b->stmt;

	return stmt_has(in, M_GLOBAL)  ? SP_GLOBAL
	       : stmt_has(in, M_CONST) ? SP_CONST
	       : stmt_has(in, M_LOCAL) ? SP_LOCAL
	       : stmt_has(in, M_SHARED) || stmt_has(in, M_SHARED__CTA) || stmt_has(in, M_SHARED__CLUSTER)
		       ? SP_SHARED
	       : stmt_has(in, M_PARAM) || stmt_has(in, M_PARAM__ENTRY) || stmt_has(in, M_PARAM__FUNC)
		       ? SP_PARAM
		       : SP_GENERIC;
}

/* Returns the generic address of the start of the space of variable s. */
static uint64_t generic_base(const struct symbol *s)
{
	return s->space == SP_SHARED  ? SHARED_BASE
	       : s->space == SP_LOCAL ? LOCAL_BASE
	       : s->space == SP_PARAM ? (s->owner && s->owner->entry ? PARAM_BASE : LOCAL_BASE)
				      : 0;
}

int bind_address(struct bind *b, struct op *o, const struct operand *at, enum state_space space)
{
	if (at->kind != O_ADDR || at->n)
		return fault_bad_operand(b, at, "an address in [ ]") ? -1 : -1;
	o->imm = at->value;
	o->mode &= (uint8_t)~1u;
	if (at->sym) {
		const struct symbol *s = sym_definition(at->sym);
		uint64_t base = s->addr + (space == SP_GENERIC ? generic_base(s) : 0);
		unsigned move = address_init_kind(b, s);

		if (space != SP_GENERIC && move == INIT_LOCAL)
			move = 0; /* the access adds the start of the frame */
		if (s->kind != SYM_VAR)
			return bind_fault(b, at, "operand", "'%s' (expected a variable)", s->name);
		if (space != SP_GENERIC && s->space != space && !(space == SP_CONST && s->space == SP_GLOBAL))
			return bind_fault(b, at, "space", ".%s variable '%s' (expected one in .%s)",
				space_name[s->space], s->name, space_name[space]);
		o->a = add_frame_init(b, move ? base : 0, 8, move);
		if (!move)
			o->imm = (int64_t)(base + (uint64_t)at->value);
		return 0;
	}
	if (at->reg == UINT32_MAX) {
		o->a = add_frame_init(b, 0, 8, 0);
		return 0;
	}
	unsigned width = reg_width(b->func, at->reg);
	if (width != 4 && width != 8) {
		struct operand reg = {.kind = O_REG, .reg = at->reg, .line = at->line, .col = at->col};

		return fault_bad_operand(b, &reg, "an address of 32 or 64 bits") ? -1 : -1;
	}
	o->mode |= width == 4;
	o->a = reg_slot(b, at->reg);
	operands_add(b->code, o->a, width, OPERAND_ADDRESS);
	return 0;
}

/* ---- programs ---- */

static int bind_inst(struct bind *b, struct op *o, const struct stmt *in, uint32_t n)
{
	o->stmt = b->stmt = in;
	o->func = b->func;
	o->guard = 0;
	o->guard_not = 0;
	o->target = UINT32_MAX;
	o->rpc = b->func->rpc[n] == UINT32_MAX ? UINT32_MAX : b->func->first_pc + b->func->rpc[n];
	if (in->guard) {
		o->guard = reg_slot(b, in->guard - 1);
		o->guard_not = in->guard_not ? ALL_LANES : 0;
	}
	uint32_t first_sum = b->code->n_sums;
	operands_begin(b->code);
	if (bindings[in->opcode](b, o) || sum_finish(b, o, first_sum))
		return -1;
	classify_operands(b, o);
	if (b->frame->bytes > FRAME_MAX)
		return bind_fault(
			b, NULL, "registers", "more than %u MiB of registers for a warp", FRAME_MAX >> 20);
	return 0;
}

static int bind_func(struct bound_code *c, uint32_t n, struct fault *f)
{
	struct func *fn = c->prog->func[n];
	struct bind b = {c, c->prog, fn, NULL, &c->frame[n], f};

	for (uint32_t i = 0; i < fn->n_insts; i++)
		c->owner[fn->first_pc + i] = n;
	if (fn->machine)
		return fn->machine->bind(c, fn, f);
	b.frame->bytes = 64; /* offset 0 is a predicate that is true, not a register */
	for (uint32_t i = 0; i < fn->n_insts; i++)
		if (bind_inst(&b, &c->op[fn->first_pc + i], &fn->inst[i], i))
			return -1;
	b.frame->bytes = (b.frame->bytes + 63) / 64 * 64;
	for (uint32_t i = fn->n_insts, after = 0; i--;) {
		struct op *o = &c->op[fn->first_pc + i];

		after = o->flow == FLOW_NEXT ? after + 1 : 0;
		o->n_straight = (uint16_t)(after < UINT16_MAX ? after : UINT16_MAX);
	}
	return 0;
}

/*
 * Returns the bytes of local memory that function n and its calls need at most. on[]: marks that detect recursion.
 * known[]: results for functions that were visited.
 */
static uint32_t deepest_local_bytes(
	struct bound_code *c, uint32_t n, uint8_t *on, uint32_t *known, unsigned depth)
{
	const struct func *fn = c->prog->func[n];
	uint32_t most = 0;

	if (on[n] == 2)
		return known[n];
	if (on[n] == 1 || depth > 1000) {
		c->recursive = true;
		return 0;
	}
	on[n] = 1;
	for (uint32_t i = 0; i < fn->n_insts; i++) {
		const struct op *o = &c->op[fn->first_pc + i];
		uint32_t below = 0;

		if (o->flow == FLOW_CALL)
			below = deepest_local_bytes(c, c->owner[o->target], on, known, depth + 1);
		else if (o->flow == FLOW_CALL_REG)
			c->recursive = true;
		most = max_u32(below, most);
	}
	on[n] = 2;
	return known[n] = fn->local_bytes + (fn->local_align ? fn->local_align - 1 : 0) + most;
}

int bind_program(struct bound_code *c, const struct program *p, struct fault *f)
{
	memset(c, 0, sizeof(*c));
	c->prog = p;
	c->op = xcalloc(p->n_insts ? p->n_insts : 1, sizeof(*c->op));
	c->owner = xcalloc(p->n_insts ? p->n_insts : 1, sizeof(*c->owner));
	operands_start(c, p->n_insts);
	c->frame = xcalloc(p->n_funcs ? p->n_funcs : 1, sizeof(*c->frame));
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (bind_func(c, i, f)) {
			bind_free(c);
			return -1;
		}
	for (uint32_t i = 0; i < p->n_insts; i++)
		c->op[i].inst = i;
	uint8_t *on = xcalloc(p->n_funcs ? p->n_funcs : 1, 1);
	uint32_t *known = xcalloc(p->n_funcs ? p->n_funcs : 1, sizeof(*known));
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		uint32_t n = deepest_local_bytes(c, i, on, known, 0);

		c->local_bytes = max_u32(n, c->local_bytes);
	}
	if (c->allocates_local)
		c->local_bytes = LOCAL_MAX;
	else if (c->recursive)
		c->local_bytes = c->local_bytes < LOCAL_MAX / 16 ? LOCAL_MAX / 16 : LOCAL_MAX;
	c->local_bytes += p->local_end;
	free(on);
	free(known);
	return 0;
}

void bind_free(struct bound_code *c)
{
	for (uint32_t i = 0; c->frame && i < c->prog->n_funcs; i++)
		free(c->frame[i].init);
	free(c->op);
	free(c->owner);
	free(c->frame);
	free(c->sum);
	operands_free(c);
	arena_free(&c->arena);
	memset(c, 0, sizeof(*c));
}
