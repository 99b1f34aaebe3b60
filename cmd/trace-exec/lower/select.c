/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code selection: the machine instructions of a function with their registers.
 *
 * A machine instruction can have one constant operand; a memory access or matrix product has none. A MOV
 * loads further constants into registers: at the first use in a block, or at the start of the function if the
 * use is in a loop. The elements of a vector are in consecutive registers, with moves where needed.
 */
#include <stdlib.h>
#include <string.h>
#include "lower/async.h"

#define CONSTANTS 16u

struct held_constant { /* a constant in a register */
	const struct symbol *sym;
	uint64_t value;
	uint32_t reg; /* a constant PTX register; UINT32_MAX: a literal */
	uint32_t item;
	uint32_t last_use; /* PTX instruction that used the constant last */
};

struct selection {
	struct lower_code *code;
	const struct plan *plan;
	struct fault *fault;
	struct held_constant block_constants[CONSTANTS];
	struct held_constant function_constants[CONSTANTS]; /* constants loaded at the start of the function */
	uint32_t n_block_constants, n_function_constants, block;
	uint32_t current; /* current PTX instruction */
	uint32_t temp[TEMPS];
	/* operands: the results, then the sources other than addresses */
	const struct operand *operand[OPERANDS_MAX];
	const struct operand *address[2];
	unsigned n_operands, n_results;
};

/* ---- registers ---- */

static uint32_t add_code_item(struct lower_code *c, unsigned size)
{
	grow(&c->item, &c->cap_items, c->n_items + 1, sizeof(*c->item));
	c->item[c->n_items] = (struct lower_item){UINT32_MAX, 0, (uint16_t)size, 0};
	return c->n_items++;
}

static uint32_t item_of_register(struct selection *s, uint32_t reg)
{
	struct lower_value *v = &s->plan->value[reg];

	if (v->item == UINT32_MAX)
		v->item = add_code_item(s->code, v->size);
	return REF(v->item, v->offset);
}

static struct machine_inst *emit_inst(struct selection *s, const char *opcode, uint32_t dst)
{
	struct lower_code *c = s->code;
	struct machine_inst *m;

	grow(&c->inst, &c->cap_insts, c->n_insts + 1, sizeof(*c->inst));
	m = &c->inst[c->n_insts++];
	*m = (struct machine_inst){.dst = dst};
	snprintf(m->opcode, sizeof(m->opcode), "%s", opcode);
	return m;
}

static void add_source(struct machine_inst *m, uint32_t ref)
{
	if (ref != NO_REF && m->n_src < STEP_SOURCES)
		m->src[m->n_src++] = ref;
}

static void emit_move(struct selection *s, uint32_t to, uint32_t from)
{
	add_source(emit_inst(s, "MOV", to), from);
}

/* ---- constants ---- */

static bool is_same_constant(const struct held_constant *a, const struct held_constant *b)
{
	return a->reg == b->reg && a->value == b->value && a->sym == b->sym;
}

/*
 * Returns an entry for a new constant of the block: a free one, or the least recently used one if all are in
 * use.
 */
static struct held_constant *new_held_constant(struct selection *s)
{
	struct held_constant *oldest = s->block_constants;

	if (s->n_block_constants < CONSTANTS)
		return &s->block_constants[s->n_block_constants++];
	for (unsigned i = 1; i < CONSTANTS; i++)
		if (s->block_constants[i].last_use < oldest->last_use)
			oldest = &s->block_constants[i];
	return oldest;
}

/* Returns a register with the constant. Loads it if no register of the block or of the function has it. */
static uint32_t materialise_constant(struct selection *s, const struct operand *o, unsigned size)
{
	struct held_constant h = {o->kind == O_REG ? NULL : o->sym, o->kind == O_REG ? 0 : (uint64_t)o->value,
		o->kind == O_REG ? plan_original_register(s->plan, o->reg) : UINT32_MAX, 0, s->current};

	for (uint32_t i = 0; i < s->n_function_constants; i++)
		if (is_same_constant(&s->function_constants[i], &h))
			return REF(s->function_constants[i].item, 0);
	for (uint32_t i = 0; i < s->n_block_constants; i++)
		if (is_same_constant(&s->block_constants[i], &h)) {
			s->block_constants[i].last_use = s->current;
			return REF(s->block_constants[i].item, 0);
		}
	h.item = add_code_item(s->code, size);
	for (unsigned k = 0; k < size; k++)
		emit_inst(s, "MOV", REF(h.item, k));
	*new_held_constant(s) = h;
	return REF(h.item, 0);
}

static bool is_constant(const struct selection *s, const struct operand *o)
{
	return o->kind == O_FLOAT || o->kind == O_SYM || o->kind == O_INT ||
	       (o->kind == O_REG &&
		       s->plan->value[plan_original_register(s->plan, o->reg)].kind == VALUE_CONST);
}

/* Returns true if the operand is zero, which needs no constant because the register RZ is zero. */
static bool is_zero(const struct operand *o) { return (o->kind == O_INT || o->kind == O_FLOAT) && !o->value; }

/* ---- registers of steps ---- */

static uint32_t register_of_half(struct selection *s, uint32_t reg, unsigned half)
{
	uint32_t root = plan_original_register(s->plan, reg);
	const struct lower_value *v = &s->plan->value[root];

	if (v->kind != VALUE_REG || (half != WHOLE && half >= s->plan->value[reg].size))
		return NO_REF;
	return item_of_register(s, root) + (half == WHOLE ? 0 : half);
}

/* Returns the register of the first element if all elements are in consecutive registers, else NO_REF. */
static uint32_t contiguous_base(struct selection *s, const struct operand *o)
{
	uint32_t first = NO_REF, next = NO_REF;

	for (unsigned k = 0; k < o->n; k++) {
		const struct operand *e = &o->elem[k];
		uint32_t ref = e->kind == O_REG ? register_of_half(s, e->reg, WHOLE) : NO_REF;

		if (ref == NO_REF || (k && ref != next))
			return NO_REF;
		first = k ? first : ref;
		next = ref + s->plan->value[plan_original_register(s->plan, e->reg)].size;
	}
	return first;
}

/* Puts the elements of a vector into one item, if none of them has an item yet. */
static void coalesce_vector(struct selection *s, const struct operand *o)
{
	unsigned size = 0, n = o->n;
	uint32_t item;

	for (unsigned k = 0; k < n; k++) {
		const struct operand *e = &o->elem[k];
		const struct lower_value *v =
			e->kind == O_REG ? &s->plan->value[plan_original_register(s->plan, e->reg)] : NULL;

		if (!v || v->kind != VALUE_REG || v->item != UINT32_MAX)
			return;
		for (unsigned j = 0; j < k; j++)
			if (plan_original_register(s->plan, o->elem[j].reg) ==
				plan_original_register(s->plan, e->reg))
				return;
		size += v->size;
	}
	if (size < 2 || size > 128)
		return;
	item = add_code_item(s->code, size);
	size = 0;
	for (unsigned k = 0; k < n; k++) {
		struct lower_value *v = &s->plan->value[plan_original_register(s->plan, o->elem[k].reg)];

		v->item = item;
		v->offset = size;
		size += v->size;
	}
}

/*
 * Returns true if o is a vector in consecutive registers. Pairs of results, parameter lists and operands of mov
 * are not.
 */
static bool is_contiguous_vector(const struct stmt *in, const struct operand *o)
{
	return o->kind == O_VEC && o->n > 1 && !o->is_pair && !o->list && in->opcode != I_mov;
}

static uint32_t add_vector_item(struct selection *s, const struct operand *o)
{
	unsigned size = 0;

	for (unsigned k = 0; k < o->n; k++)
		size += o->elem[k].kind == O_REG ? s->plan->value[o->elem[k].reg].size : 1;
	return REF(add_code_item(s->code, size > 128 ? 128 : size), 0);
}

static uint32_t gather_source_vector(struct selection *s, const struct operand *o)
{
	uint32_t ref = contiguous_base(s, o), at;

	if (ref != NO_REF)
		return ref;
	at = ref = add_vector_item(s, o);
	for (unsigned k = 0; k < o->n; k++) {
		const struct operand *e = &o->elem[k];

		emit_move(s, at, e->kind == O_REG ? register_of_half(s, e->reg, WHOLE) : NO_REF);
		at += e->kind == O_REG ? s->plan->value[e->reg].size : 1;
	}
	return ref;
}

static void move_to_result_vector(struct selection *s, const struct operand *o, uint32_t from)
{
	for (unsigned k = 0; k < o->n; k++) {
		const struct operand *e = &o->elem[k];

		if (e->kind == O_REG && s->plan->value[e->reg].uses)
			emit_move(s, register_of_half(s, e->reg, WHOLE), from);
		from += e->kind == O_REG ? s->plan->value[e->reg].size : 1;
	}
}

static const struct operand *vector_element(const struct operand *o, unsigned half, unsigned *rest)
{
	*rest = half;
	while (o && (o->kind == O_VEC || (o->kind == O_ADDR && o->n))) {
		if (!o->n || (half != WHOLE && half >= o->n))
			return NULL;
		o = &o->elem[half == WHOLE ? 0 : half];
		*rest = WHOLE;
		half = WHOLE;
	}
	return o;
}

static const struct operand *part_operand(const struct selection *s, struct lower_part part)
{
	unsigned k = part.kind == PART_SOURCE ? s->n_results + part.index : part.index;

	if (part.kind == PART_ADDRESS)
		return s->address[part.index];
	return k < s->n_operands && (part.kind != PART_RESULT || s->n_results) ? s->operand[k] : NULL;
}

/*
 * Rules for the constant operands of an instruction. At most one operand is a constant; a parameter has
 * priority over a literal.
 */
struct constant_slots {
	bool registers; /* constants must be in registers */
	bool literals;  /* the instruction may have several literals */
	bool bank;      /* some source is a parameter */
	bool taken;     /* the constant operand is used */
};

static bool take_constant_slot(struct constant_slots *r, const struct operand *o)
{
	if (r->literals && o->kind != O_REG)
		return true;
	if (r->registers || r->taken || (r->bank && o->kind != O_REG))
		return false;
	return r->taken = true;
}

/* Returns the register of an address or source, or NO_REF if it needs none. */
static uint32_t register_of_source(struct selection *s, struct lower_part part, struct constant_slots *slots)
{
	const struct operand *o = part_operand(s, part);
	unsigned rest;

	if (part.kind == PART_TEMP) {
		if (s->temp[part.index] == UINT32_MAX)
			s->temp[part.index] = add_code_item(s->code, part.index < TEMPS / 2 ? 1 : 2);
		return REF(s->temp[part.index], part.half == WHOLE ? 0 : part.half);
	}
	if (part.kind == PART_RESULT && o && o->kind == O_VEC && part.half == WHOLE)
		return contiguous_base(s, o);
	if (o && part.half == WHOLE && is_contiguous_vector(&s->plan->func->inst[s->current], o))
		return gather_source_vector(s, o);
	o = o ? vector_element(o, part.half, &rest) : NULL;
	if (o && o->kind == O_ADDR && o->reg != UINT32_MAX) {
		const struct operand base = {.kind = O_REG, .reg = o->reg};

		if (!is_constant(s, &base))
			return register_of_half(s, o->reg, WHOLE);
		return materialise_constant(s, &base, s->plan->value[o->reg].size);
	}
	if (!o || o->kind == O_ADDR || is_zero(o))
		return NO_REF;
	if (is_constant(s, o)) {
		unsigned size = o->kind == O_REG ? s->plan->value[o->reg].size : rest == WHOLE ? 1 : 2;

		if ((rest != WHOLE && rest >= size) || take_constant_slot(slots, o))
			return NO_REF;
		return materialise_constant(s, o, size) + (rest == WHOLE ? 0 : rest);
	}
	return o->kind == O_REG ? register_of_half(s, o->reg, rest) : NO_REF;
}

static uint32_t register_of_result(struct selection *s, struct lower_part part, uint32_t *vector)
{
	const struct operand *o = part_operand(s, part);
	unsigned rest;

	*vector = NO_REF;
	if (part.kind == PART_TEMP)
		return register_of_source(s, part, NULL);
	if (part.kind != PART_RESULT || !o)
		return NO_REF;
	if (part.half == WHOLE && is_contiguous_vector(&s->plan->func->inst[s->current], o)) {
		uint32_t ref = contiguous_base(s, o);

		if (ref == NO_REF)
			*vector = ref = add_vector_item(s, o);
		return ref;
	}
	o = vector_element(o, part.half, &rest);
	return o && o->kind == O_REG && s->plan->value[o->reg].uses ? register_of_half(s, o->reg, rest)
								    : NO_REF;
}

/* ---- opcodes ---- */

static const char *width_suffix(const struct op *o, unsigned bytes)
{
	if (bytes == 1)
		return o->is_signed ? ".S8" : ".U8";
	if (bytes == 2)
		return o->is_signed ? ".S16" : ".U16";
	return bytes >= 16 ? ".128" : bytes >= 8 ? ".64" : "";
}

static const char *atomic_suffix(const struct stmt *in)
{
	static const enum modifier m[] = {
		M_ADD, M_MIN, M_MAX, M_INC, M_DEC, M_AND, M_OR, M_XOR, M_EXCH, M_CAS};
	static const char *const text[] = {
		".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".CAS"};

	for (unsigned i = 0; i < sizeof(m) / sizeof(*m); i++)
		if (stmt_has(in, m[i]))
			return text[i];
	return "";
}

/* Returns the number of bytes that a lane accesses, at most 16 in a machine instruction. */
static unsigned access_bytes(const struct stmt *in, const struct op *o)
{
	unsigned bytes = o->bytes;

	if (in->opcode != I_ldmatrix && in->opcode != I_cp && in->opcode != I_tex && o->n > 1)
		bytes *= o->n;
	if (in->opcode == I_wmma)
		bytes = 16;
	return bytes > 8 ? 16 : bytes;
}

#define OPCODE_ROOM 48u

static void write_opcode_text(
	char to[OPCODE_ROOM], const char *opcode, const struct stmt *in, const struct op *o, unsigned bytes)
{
	char *p = to;

	for (; *opcode && p < to + OPCODE_ROOM - 8; opcode++)
		if (*opcode == '$') {
			async_write_suffixes(p, (size_t)(to + OPCODE_ROOM - p), in, o);
			p += strlen(p);
		} else if (*opcode == '@')
			p = stpcpy(p, atomic_suffix(in));
		else if (*opcode == '%')
			p = stpcpy(p, width_suffix(o, bytes));
		else
			*p++ = *opcode;
	*p = '\0';
}

static struct constant_slots constant_slots_of(const struct selection *s, const struct lower_step *step)
{
	bool shfl = !strncmp(step->opcode, "SHFL", 4);
	struct constant_slots r = {.registers = step->access || shfl ||
						strstr(step->opcode, "MMA") == step->opcode + 1 ||
						!strncmp(step->opcode, "TEX", 3),
		.literals = shfl};

	for (unsigned k = 0; k < step->n_src; k++) {
		const struct operand *o = part_operand(s, step->src[k]);

		r.bank |= o && o->kind == O_REG && is_constant(s, o);
	}
	return r;
}

static void emit_step(struct selection *s, const struct lower_step *step)
{
	const struct stmt *in = &s->plan->func->inst[s->current];
	const struct op *o = &s->plan->code->op[s->plan->func->first_pc + s->current];
	uint32_t src[STEP_SOURCES] = {0}, dst, vector;
	struct constant_slots slots = constant_slots_of(s, step);
	const struct operand *wide = s->plan->widened_results[s->current];
	unsigned bytes = wide ? 4u * wide->n : access_bytes(in, o);
	struct machine_inst *m;
	char opcode[OPCODE_ROOM];

	dst = register_of_result(s, step->dst, &vector);
	if (in->opcode == I_mov && dst == NO_REF && step->dst.kind == PART_RESULT)
		return;
	for (unsigned k = 0; k < step->n_src; k++)
		src[k] = register_of_source(s, step->src[k], &slots);
	write_opcode_text(opcode, step->opcode, in, o, bytes);
	for (unsigned n = 0; n < step->times; n++) {
		m = emit_inst(s, opcode, dst);
		for (unsigned k = 0; k < step->n_src; k++)
			add_source(m, src[k]);
		m->access = step->access && o->memory;
		m->bytes = (uint8_t)bytes;
		m->shift = s->plan->shift[s->current];
		m->ends_group = in->opcode == I_wgmma && async_ends_group(s->plan->func, s->current);
		if (step->immediate && in->n_operands && in->operand[0].kind == O_INT)
			m->immediate = (int32_t)in->operand[0].value;
		if (step->immediate && in->n_operands > 1 && in->operand[1].kind == O_INT)
			m->immediate2 = (int32_t)in->operand[1].value;
	}
	if (vector != NO_REF)
		move_to_result_vector(s, part_operand(s, step->dst), vector);
}

/* ---- instructions ---- */

static void set_part_operands(struct selection *s, const struct stmt *in)
{
	unsigned addresses = 0;

	s->n_operands = 0;
	s->n_results = stmt_count_results(in);
	s->address[0] = s->address[1] = NULL;
	for (unsigned k = 0; k < in->n_operands; k++)
		if (k >= s->n_results && in->operand[k].kind == O_ADDR) {
			if (addresses < 2)
				s->address[addresses++] = &in->operand[k];
		} else {
			s->operand[s->n_operands++] = &in->operand[k];
		}
	if (s->plan->widened_results[s->current])
		s->operand[0] = s->plan->widened_results[s->current];
	for (unsigned t = 0; t < TEMPS; t++)
		s->temp[t] = UINT32_MAX;
}

/*
 * Sets the operands of a fused pair: the sources of the first instruction, the other addend of the second, the
 * result of the second.
 */
static void set_fused_operands(struct selection *s, const struct stmt *first, const struct stmt *second)
{
	unsigned other =
		second->operand[1].kind == O_REG && second->operand[1].reg == first->operand[0].reg ? 2 : 1;

	set_part_operands(s, second);
	s->operand[1] = &first->operand[1];
	s->operand[2] = &first->operand[2];
	s->operand[3] = &second->operand[other];
	s->n_operands = 4;
}

static int report_missing_row(struct selection *s, const struct stmt *in)
{
	return fault_set(s->fault, stmt_place(s->plan->func, in), "sass-lacks",
		"'%s' has no instruction on a GPU of binary version %u (choose another with -g, or --as ptx)",
		in->text, s->plan->binary);
}

static int select_inst(struct selection *s)
{
	const struct plan *p = s->plan;
	const struct stmt *in = &p->func->inst[s->current];
	struct inst_facts q = plan_gather_facts(p, s->current);
	const char *sequence = p->sequence[s->current];
	struct lower_step step;

	if (p->block[s->current] != s->block)
		s->n_block_constants = 0;
	s->block = p->block[s->current];
	if (p->action[s->current] == ACT_GONE)
		return 0;
	if (p->action[s->current] == ACT_FUSED)
		set_fused_operands(s, &p->func->inst[p->producer[s->current]], in);
	else
		set_part_operands(s, in);
	if (p->action[s->current] == ACT_ROW && !(sequence = rows_find_sequence(&q)))
		return report_missing_row(s, in);
	while (rows_take_step(&sequence, &step))
		emit_step(s, &step);
	return 0;
}

/* Loads the constants that loops need into registers at the start of the function. */
static void load_loop_constants(struct selection *s)
{
	struct lower_code *c = s->code;
	struct selection dry = *s;
	struct lower_code trial = {0};

	dry.code = &trial;
	for (dry.current = 0; dry.current < s->plan->func->n_insts; dry.current++) {
		bool loop = s->plan->in_loop[dry.current];

		dry.n_block_constants = 0;
		if (!loop || select_inst(&dry))
			continue;
		for (uint32_t i = 0; i < dry.n_block_constants && s->n_function_constants < CONSTANTS; i++) {
			unsigned size = trial.item[dry.block_constants[i].item].size;

			dry.block_constants[i].item = add_code_item(c, size);
			for (unsigned k = 0; k < size; k++)
				emit_inst(s, "MOV", REF(dry.block_constants[i].item, k));
			s->function_constants[s->n_function_constants++] = dry.block_constants[i];
			dry.function_constants[dry.n_function_constants++] = dry.block_constants[i];
		}
	}
	free(trial.inst);
	free(trial.item);
	for (uint32_t r = 0; r < s->plan->func->n_regs; r++)
		s->plan->value[r].item = UINT32_MAX;
}

/*
 * Emits the first instructions of a kernel. They set the stack pointer (an item without registers of its own)
 * and, since Ampere, the descriptor of global memory.
 */
static void emit_kernel_start(struct selection *s)
{
	const struct func *f = s->plan->func;

	emit_inst(s, "MOV", REF(add_code_item(s->code, 0), 0));
	for (uint32_t i = 0; i < f->n_insts && s->plan->binary >= 80; i++) {
		const struct op *o = &s->plan->code->op[f->first_pc + i];

		if (o->memory && (o->space == SP_GLOBAL || o->space == SP_GENERIC)) {
			emit_inst(s, "ULDC.64", NO_REF);
			break;
		}
	}
}

int select_code(struct lower_code *c, const struct plan *p, struct fault *f)
{
	struct selection s = {.code = c, .plan = p, .fault = f};

	*c = (struct lower_code){.start = xcalloc(p->func->n_insts + 1u, sizeof(*c->start))};
	if (p->func->entry)
		emit_kernel_start(&s);
	load_loop_constants(&s);
	for (uint32_t i = 0; i < p->func->n_insts; i++) {
		if (p->widened_results[i])
			coalesce_vector(&s, p->widened_results[i]);
		for (unsigned k = 0; k < p->func->inst[i].n_operands; k++)
			if (p->action[i] != ACT_GONE &&
				is_contiguous_vector(&p->func->inst[i], &p->func->inst[i].operand[k]))
				coalesce_vector(&s, &p->func->inst[i].operand[k]);
	}
	s.block = UINT32_MAX;
	for (s.current = 0; s.current < p->func->n_insts; s.current++) {
		c->start[s.current] = s.current ? c->n_insts : 0;
		if (select_inst(&s))
			return -1;
	}
	c->start[s.current] = c->n_insts;
	return 0;
}
