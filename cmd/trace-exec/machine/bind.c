/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binds machine code: a table has a row for each opcode that is executed, and operands become slots of the frame.
 *
 * Always true: an op that was bound accesses only slots inside of the frame, whatever the bits of the instruction.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/code.h"

/* ---- slots ---- */

int mbind_refuse(const struct mbind *b, const char *why)
{
	char text[SASS_TEXT_MAX];

	sass_text(b->inst, text);
	return fault_set(b->fault, (struct place){b->func->module->path, 0, 0}, "sass",
		"not executed: %s%s%s%s, PC 0x%04x of function %s", text, *why ? " (" : "", why,
		*why ? ")" : "", b->inst->pc, b->func->name);
}

/* Sets the fault that a constant of the instruction is beyond the end of its bank, and returns -1. */
static int refuse_beyond_bank(const struct mbind *b)
{
	char why[64];

	snprintf(why, sizeof(why), "byte %u of constant bank %u, which has %u bytes", b->beyond_offset,
		b->beyond_bank, machine_bank_bytes(b->code, b->beyond_bank));
	return mbind_refuse(b, why);
}

static uint32_t register_slot(struct mbind *b, uint32_t n, unsigned count)
{
	if (b->code->registers < n + count)
		b->code->registers = n + count;
	return FRAME_R + n * VECTOR;
}

/* Adds count registers to the op's list of operands. slot 0: they are constants, or a result that is discarded. */
static void list_registers(struct mbind *b, uint32_t slot, unsigned count, enum operand_role role)
{
	for (unsigned k = 0; k < count; k++)
		operands_add(b->bound, slot ? slot + k * VECTOR : 0, 4, role);
}

static uint32_t source_register_slot_of(struct mbind *b, unsigned at, unsigned count, enum operand_role role)
{
	uint32_t n = (uint32_t)field(b, at, 8), slot = n == RZ ? 0 : register_slot(b, n, count);

	list_registers(b, slot, count, role);
	return slot ? slot : FRAME_ZERO;
}

uint32_t mbind_reg(struct mbind *b, unsigned at, unsigned count)
{
	return source_register_slot_of(b, at, count, OPERAND_SOURCE);
}

uint32_t mbind_address(struct mbind *b, unsigned at, unsigned count)
{
	return source_register_slot_of(b, at, count, OPERAND_ADDRESS);
}

uint32_t mbind_dst(struct mbind *b, unsigned at, unsigned count)
{
	uint32_t n = (uint32_t)field(b, at, 8), slot = n == RZ ? 0 : register_slot(b, n, count);

	list_registers(b, slot, count, OPERAND_RESULT);
	return slot ? slot : FRAME_SINK;
}

/* Returns the number of a uniform register; UINT32_MAX for URZ. */
static uint32_t uniform_number(const struct mbind *b, unsigned at)
{
	uint32_t n = (uint32_t)field(b, at, b->code->sm >= 100 ? 8 : 6);

	return n == (b->code->sm >= 100 ? 255 : 63) ? UINT32_MAX : n;
}

/* Returns the slot of uniform register n, UINT32_MAX for URZ, as a source. */
static uint32_t uniform_slot(struct mbind *b, uint32_t n)
{
	list_registers(b, n == UINT32_MAX ? 0 : FRAME_UR + n * VECTOR, 1, OPERAND_SOURCE);
	if (n != UINT32_MAX)
		b->code->uniforms = max_u32(b->code->uniforms, n + 4);
	return n == UINT32_MAX ? FRAME_ZERO : FRAME_UR + n * VECTOR;
}

uint32_t mbind_ureg(struct mbind *b, unsigned at) { return uniform_slot(b, uniform_number(b, at)); }

uint32_t mbind_split_ureg(struct mbind *b)
{
	uint32_t n = (uint32_t)(field(b, 60, 3) | field(b, 73, 5) << 3);

	return uniform_slot(b, n == 255 ? UINT32_MAX : n);
}

uint32_t mbind_udst(struct mbind *b, unsigned at)
{
	uint32_t n = uniform_number(b, at);

	list_registers(b, n == UINT32_MAX ? 0 : FRAME_UR + n * VECTOR, 1, OPERAND_RESULT);
	if (n != UINT32_MAX)
		b->code->uniforms = max_u32(b->code->uniforms, n + 4);
	return n == UINT32_MAX ? (uint32_t)FRAME_SINK : FRAME_UR + n * VECTOR;
}

uint32_t mbind_uregs(struct mbind *b, unsigned at, unsigned count)
{
	uint32_t n = uniform_number(b, at), most = b->code->sm >= 100 ? 255 : 63;

	if (n == UINT32_MAX || n + count > most)
		return UINT32_MAX;
	b->code->uniforms = max_u32(b->code->uniforms, n + count);
	list_registers(b, FRAME_UR + n * VECTOR, count, OPERAND_SOURCE);
	return FRAME_UR + n * VECTOR;
}

static bool equals_constant(const struct machine_constant *a, uint32_t bank, uint32_t value)
{
	return a->bank == bank && a->value == value;
}

static uint64_t constant_hash(uint32_t bank, uint32_t value)
{
	return ((uint64_t)bank << 32 | value) * 0x9e3779b97f4a7c15u >> 32;
}

/* Returns the slot of `count` constants that are consecutive in the frame. Adds them if they are new. */
static uint32_t constant_slot(struct mbind *b, uint32_t bank, const uint32_t *value, unsigned count)
{
	struct machine_code *c = b->code;
	uint32_t n = c->n_constants;

	FOR_TABLE (w, &b->constants, constant_hash(bank, *value)) {
		unsigned k = 0;

		while (k < count && w.number + k < n &&
			equals_constant(&c->constant[w.number + k], bank, value[k]))
			k++;
		if (k == count)
			return FRAME_CONSTANTS + w.number * VECTOR;
	}
	grow(&c->constant, &c->cap_constants, n + count, sizeof(*c->constant));
	for (unsigned i = 0; i < count; i++) {
		table_add(&b->constants, constant_hash(bank, value[i]), c->n_constants);
		c->constant[c->n_constants++] = (struct machine_constant){bank, value[i]};
	}
	return FRAME_CONSTANTS + n * VECTOR;
}

uint32_t mbind_number(struct mbind *b, uint64_t v, unsigned count)
{
	const uint32_t word[2] = {(uint32_t)v, (uint32_t)(v >> 32)};

	return v ? constant_slot(b, BANK_NUMBER, word, count) : FRAME_ZERO;
}

bool mbind_get_known_number(const struct mbind *b, uint32_t slot, uint32_t *v)
{
	uint32_t n = (slot - FRAME_CONSTANTS) / VECTOR;
	const struct machine_constant *k = slot >= FRAME_CONSTANTS ? &b->code->constant[n] : NULL;

	*v = k ? k->value : 0;
	return k ? k->bank == BANK_NUMBER : slot == FRAME_ZERO;
}

uint32_t mbind_bank_constant(struct mbind *b, unsigned bank, uint32_t offset, unsigned count)
{
	const uint32_t word[4] = {offset, offset + 4, offset + 8, offset + 12};
	const uint32_t n = machine_bank_bytes(b->code, bank);

	for (unsigned i = 0; i < count && !b->beyond_bank_end; i++) {
		b->beyond_bank_end = word[i] >= n;
		b->beyond_bank = bank;
		b->beyond_offset = word[i];
	}
	return constant_slot(b, bank, word, count);
}

uint32_t mbind_constant(struct mbind *b, unsigned count)
{
	return mbind_bank_constant(b, (unsigned)field(b, 54, 5), (uint32_t)field(b, 38, 16), count);
}

int64_t mbind_pred(struct mbind *b, unsigned at, bool uniform)
{
	unsigned n = (unsigned)field(b, at, 3);
	uint32_t slot = n == 7 ? FRAME_PT : (uniform ? FRAME_UP : FRAME_P) + 4 * n;

	operands_add(b->bound, slot, 0, OPERAND_SOURCE);
	return slot | (int64_t)bit(b, at + 3) << 16;
}

uint32_t mbind_pdst(struct mbind *b, unsigned at, bool uniform)
{
	unsigned n = (unsigned)field(b, at, 3);
	uint32_t slot = n == 7 ? 0 : (uint32_t)(uniform ? FRAME_UP : FRAME_P) + 4 * n;

	operands_add(b->bound, slot, 0, OPERAND_RESULT);
	return slot ? slot : FRAME_PSINK;
}

/*
 * Sets o->execute in a file of its own: gcc warns if a file stores the address of a multiversioned function it defines.
 */
void machine_set_function(struct op *o, op_fn *fn) { o->execute = fn; }

void machine_execute_nothing(struct warp *w, const struct op *o, uint32_t m)
{
	(void)w;
	(void)o;
	(void)m;
}

/* ---- forms of arithmetic instructions ---- */

/* Returns the slot of an operand in bits 32-63: a register, an immediate, a constant or a uniform register. */
static uint32_t field32_slot(struct mbind *b, unsigned kind, unsigned count, unsigned wide)
{
	switch (kind) {
	case FORM_REG: return b->uniform ? mbind_ureg(b, 32) : mbind_reg(b, 32, count);
	case FORM_IMM:
		return mbind_number(b,
			wide & F64_IMMEDIATE      ? field(b, 32, 32) << 32
			: wide & SIGNED_IMMEDIATE ? (uint64_t)signed_field(b, 32, 32)
						  : field(b, 32, 32),
			count);
	case FORM_CONST: return mbind_constant(b, count);
	default: return mbind_ureg(b, 32);
	}
}

/*
 * Returns true if the instruction may have this form. Bit 91 marks a uniform register as an operand, so forms without
 * one must not have it. Instructions whose operands are all uniform may have it in any form.
 */
static bool is_form_valid(const struct mbind *b, unsigned form)
{
	bool uniform_reg = form == FORM_UREG || form == FORM_UREG_C;

	if (!form)
		return false;
	return b->uniform ? form <= FORM_IMM || form == FORM_UREG : !bit(b, 91) || uniform_reg;
}

/* Returns the modifiers of the second (of_c false) or third source: NEG_B and ABS_B, or NEG_C and ABS_C. */
static unsigned source_modifiers(bool negated, bool absolute, bool of_c)
{
	return (negated ? of_c ? NEG_C : NEG_B : 0) | (absolute ? of_c ? ABS_C : ABS_B : 0);
}

int mbind_forms(struct mbind *b, struct op *o, unsigned wide)
{
	unsigned form = b->inst->form, count_b = wide & WIDE_B ? 2 : 1, count_c = wide & WIDE_C ? 2 : 1;
	bool swapped = mbind_is_swapped(b), imm = form == FORM_IMM_C || form == FORM_IMM;
	unsigned kind = form == FORM_IMM_C     ? FORM_IMM
			: form == FORM_CONST_C ? FORM_CONST
			: form == FORM_UREG_C  ? FORM_UREG
					       : form;
	uint32_t field32, field64;

	if (!is_form_valid(b, form))
		return mbind_refuse(b, "form of operands");
	o->d = b->uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, wide & WIDE_D ? 2 : 1);
	o->a = b->uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, wide & WIDE_A ? 2 : 1);
	field32 = field32_slot(b, kind, swapped ? count_c : count_b, wide);
	if (wide & TWO_OPERANDS && !swapped)
		field64 = FRAME_ZERO;
	else
		field64 = b->uniform ? mbind_ureg(b, 64) : mbind_reg(b, 64, swapped ? count_b : count_c);
	o->b = swapped ? field64 : field32;
	o->c = swapped ? field32 : field64;
	o->mode = (uint8_t)((bit(b, 72) ? NEG_A : 0) | (bit(b, 73) ? ABS_A : 0) |
			    source_modifiers(!imm && bit(b, 63), !imm && bit(b, 62), swapped) |
			    source_modifiers(bit(b, 75), bit(b, 74), !swapped));
	return 0;
}

int mbind_two_sources(struct mbind *b, struct op *o, unsigned wide)
{
	if (mbind_forms(b, o, wide))
		return -1;
	if (mbind_has_constant_c(b))
		o->b = o->c;
	return 0;
}

/* ---- opcodes ---- */

/* Rows: number of the opcode; whether it is an operation (bits 0-8) or all 12 bits; binding. */
static const struct machine_row {
	uint16_t base;
	bool arithmetic;
	mbind_fn *bind;
	uint8_t first, last; /* lowest and highest compute capability */
} rows[] = {
#define ROW(base, bind)            {base, true, mbind_##bind, 0, 255},
#define FULL(opcode, bind)         {opcode, false, mbind_##bind, 0, 255},
#define SOME(base, bind, from, to) {base, true, mbind_##bind, from, to},
#define NEVER(opcode, reason)
#include "machine/opcodes.def"
#undef ROW
#undef FULL
#undef SOME
#undef NEVER
};

/* Returns the reason why an opcode is not executed, or "". */
static const char *refusal_reason(const struct sass_inst *in)
{
	static const struct {
		uint16_t opcode;
		const char *reason;
	} reasons[] = {
#define ROW(base, bind)
#define FULL(opcode, bind)
#define SOME(base, bind, from, to)
#define NEVER(opcode, reason) {opcode, reason},
#include "machine/opcodes.def"
#undef ROW
#undef FULL
#undef SOME
#undef NEVER
	};

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].opcode == in->opcode)
			return reasons[i].reason;
	return "";
}

#define N_BINDINGS (sizeof(rows) / sizeof(*rows))
#define BUCKETS    512u /* number of buckets of bindings, which are chosen by the lower bits of the opcode */

/* Lists of the bindings in each bucket: the first one, and for each binding the next one; N_BINDINGS: none. */
static uint16_t first_binding[BUCKETS], next_binding[N_BINDINGS];
static pthread_once_t bindings_sorted = PTHREAD_ONCE_INIT;

static void sort_bindings(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		first_binding[i] = N_BINDINGS;
	for (size_t i = N_BINDINGS; i-- > 0;) {
		uint16_t *first = &first_binding[rows[i].base % BUCKETS];

		next_binding[i] = *first;
		*first = (uint16_t)i;
	}
}

/* Returns the number of the row that binds an instruction; N_BINDINGS if there is none. */
static size_t find_binding(const struct sass_inst *in)
{
	pthread_once(&bindings_sorted, sort_bindings);
	for (size_t i = first_binding[in->row->base % BUCKETS]; i < N_BINDINGS; i = next_binding[i])
		if (rows[i].arithmetic == in->row->arithmetic && rows[i].base == in->row->base &&
			in->sm >= rows[i].first && in->sm <= rows[i].last)
			return i;
	return N_BINDINGS;
}

/* Returns how the instructions of a binding treat undefined sources, which is looked up once per binding. */
static enum value_class value_class_of(size_t binding)
{
	static _Atomic uint8_t known[N_BINDINGS]; /* class + 1; 0: not looked up yet */

	if (!known[binding])
		known[binding] = (uint8_t)(machine_value_class(rows[binding].bind) + 1);
	return known[binding] - 1u;
}

bool machine_executes(const struct sass_inst *in) { return in->row && find_binding(in) < N_BINDINGS; }

bool machine_is_flow(const struct sass_inst *in)
{
	size_t i = find_binding(in);
	mbind_fn *bind = i < N_BINDINGS ? rows[i].bind : NULL;

	return bind == mbind_flow || bind == mbind_bmov || bind == mbind_cluster_wait;
}

static int bind_instruction(struct mbind *b, struct op *o, const struct stmt *in)
{
	size_t binding = b->inst->row ? find_binding(b->inst) : N_BINDINGS;
	int64_t guard = mbind_pred(b, 12, b->uniform);
	uint64_t rest[2];

	*o = (struct op){.stmt = in,
		.func = b->func,
		.inst = (uint32_t)(o - b->bound->op),
		.target = FRAME_PSINK,
		.rpc = FRAME_PSINK,
		.d = FRAME_SINK};
	o->a = o->b = o->c = FRAME_ZERO;
	o->guard = (uint32_t)guard & 0xffff;
	o->guard_not = guard >> 16 & 1 ? ALL_LANES : 0;
	if (binding == N_BINDINGS)
		return mbind_refuse(b, refusal_reason(b->inst));
	if (sass_unused_bits(b->inst, rest))
		return mbind_refuse(b, "bits whose meaning is unknown");
	operands_begin(b->bound);
	b->beyond_bank_end = false;
	if (rows[binding].bind(b, o))
		return -1;
	if (b->beyond_bank_end)
		return refuse_beyond_bank(b);
	machine_classify(b, rows[binding].bind, value_class_of(binding), o);
	if (b->uniform && !o->flow)
		o->flow = MF_UNIFORM;
	return 0;
}

/* Finds the stretches of plain code. The last op is none. */
static void find_plain_ops(struct op *op, uint32_t n)
{
	while (n-- > 0) {
		const uint16_t after = op[n + 1].n_straight;
		const bool plain = op[n].flow <= MF_UNIFORM && !op[n].memory && op[n].guard == FRAME_PT &&
				   !op[n].guard_not;

		op[n].n_straight = (uint16_t)(plain ? after + (after < UINT16_MAX) : 0);
	}
}

/* Binds each instruction of a function. Returns -1 with the fault set if one is not executed. */
static int bind_instructions(struct mbind *b, struct op *op)
{
	struct machine_code *c = b->code;

	c->n_constants = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		b->inst = &c->inst[i];
		b->index = i;
		b->uniform = b->inst->row && b->inst->row->uniform;
		if (bind_instruction(b, &op[i], &b->func->inst[i]))
			return -1;
	}
	return 0;
}

int machine_bind(struct bound_code *bound, struct func *fn, struct fault *f)
{
	struct machine_code *c = fn->machine_code;
	struct mbind b = {.bound = bound, .func = fn, .code = c, .fault = f};
	struct op *op = bound->op + fn->first_pc;
	int e = bind_instructions(&b, op);

	table_free(&b.constants);
	if (e)
		return -1;
	op[c->n] = (struct op){.stmt = &fn->inst[c->n], .func = fn, .flow = MF_END};
	find_plain_ops(op, c->n);
	poll_mark_loads(bound, fn);
	narrow_mark_words(bound, fn);
	bound->frame[fn->number].reserved = frame_find_reserved(c);
	bound->frame[fn->number].bytes = FRAME_CONSTANTS + c->n_constants * VECTOR;
	return 0;
}
