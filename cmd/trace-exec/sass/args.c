/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the arguments of an instruction by the tokens of its row.
 *
 * Always true: an argument's kind, registers and bank are in range for any encoding.
 */
#include <string.h>
#include "sass/fields.h"

static struct sass_arg predicate_arg(struct reading *r, const struct arg_token *t, enum sass_kind kind)
{
	struct sass_arg a = {.kind = (uint8_t)kind, .reg = (uint8_t)reading_field(r, t->first_bit, 3)};

	if (t->not_at != ABSENT && reading_bit(r, t->not_at))
		a.flags |= SASS_NOT;
	return a;
}

/* Returns an address. reg: number of its register. */
static struct sass_arg address_arg(struct reading *r, const struct arg_token *t, uint8_t reg)
{
	struct sass_arg a = {.kind = SASS_MEM, .flags = SASS_NO_UREG, .reg = reg, .scale = 1};
	unsigned uniform = t->uniform_at != ABSENT ? t->uniform_at : t->next_uniform_at;

	if (t->width)
		a.value = reading_signed(r, t->first_bit, t->width) * (1 << t->shift);
	if (t->wide_at != ABSENT)
		a.flags |= reading_bit(r, t->wide_at) ? SASS_WIDE : SASS_U32;
	if (t->desc_at != ABSENT && reading_bit(r, t->desc_at))
		a.flags |= SASS_DESC;
	if (t->uniform_at != ABSENT || (uniform != ABSENT && a.flags & SASS_DESC)) {
		a.ureg = reading_uniform_number(r, uniform);
		a.flags &= (uint16_t)~SASS_NO_UREG;
		if (t->omit_zero && a.ureg == SASS_ZERO && !(a.flags & SASS_DESC))
			a.flags |= SASS_NO_UREG;
		if (t->next_uniform_at != ABSENT && a.ureg != SASS_ZERO)
			a.ureg++;
	}
	if (t->scale_at != ABSENT) {
		static const uint8_t scales[] = {1, 4, 8, 16};

		a.scale = scales[reading_field(r, t->scale_at, 2)];
	}
	return a;
}

static struct sass_arg read_address(struct reading *r, const struct arg_token *t)
{
	return address_arg(r, t, (uint8_t)reading_field(r, t->reg_at != ABSENT ? t->reg_at : 24, 8));
}

static struct sass_arg read_address_without_register(struct reading *r, const struct arg_token *t)
{
	return address_arg(r, t, SASS_ZERO);
}

/* Returns coordinates: an address without an offset. */
static struct sass_arg read_coordinates(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){.kind = SASS_MEM,
		.flags = SASS_NO_UREG,
		.reg = (uint8_t)reading_field(r, t->first_bit, 8),
		.scale = 1};
}

static struct sass_arg read_constant(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return reading_constant(r, false);
}

/* Returns the constant of a load, without its offset. */
static struct sass_arg load_constant_arg(struct reading *r)
{
	return (struct sass_arg){.kind = SASS_CONST,
		.reg = SASS_ZERO,
		.flags = SASS_NO_UREG,
		.bank = (uint8_t)reading_field(r, 54, 5)};
}

/* Returns the constant of LDC, with an index register. */
static struct sass_arg read_indexed_constant(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = load_constant_arg(r);

	(void)t;
	a.reg = (uint8_t)reading_field(r, 24, 8);
	a.value = a.reg != SASS_ZERO ? reading_signed(r, 38, 16) : (int64_t)reading_field(r, 38, 16);
	if (a.reg == SASS_ZERO && !a.value)
		a.flags |= SASS_SHOWN;
	return a;
}

/* Returns the constant of ULDC with a uniform index register. */
static struct sass_arg read_uniform_indexed_constant(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = load_constant_arg(r);

	(void)t;
	a.ureg = reading_uniform_number(r, 24);
	a.flags = 0;
	a.value = reading_signed(r, 38, 16);
	return a;
}

/* Returns the constant of LDCU, which has a wider offset. */
static struct sass_arg read_far_constant(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = load_constant_arg(r);

	(void)t;
	a.ureg = reading_uniform_number(r, 24);
	a.value = (int64_t)reading_field(r, 37, 17);
	a.flags = a.ureg == SASS_ZERO && a.value ? SASS_NO_UREG : 0;
	return a;
}

/*
 * Returns the offset of a branch in bytes. Bits 34 .. 81 contain it in units of 4 bytes. On sm_90 and later its
 * 8 low bits are in bits 16 .. 23, and the others from bit 34 on.
 */
static int64_t branch_offset(struct reading *r)
{
	uint64_t high = (uint64_t)reading_signed(r, 34, 48);

	if (r->inst->sm >= 90)
		high = high << 8 | reading_field(r, 16, 8);
	return (int64_t)(high << 2);
}

/* Returns the target at an offset from the next instruction. */
static struct sass_arg relative_target_arg(const struct reading *r, int64_t offset)
{
	return (struct sass_arg){
		.kind = SASS_TARGET, .value = (int64_t)((uint64_t)offset + r->inst->pc + SASS_BYTES)};
}

static struct sass_arg read_target(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return relative_target_arg(r, branch_offset(r));
}

/* Returns the target of BSSY, whose offset is short. */
static struct sass_arg read_near_target(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return relative_target_arg(r, (int64_t)((uint64_t)reading_signed(r, 34, 30) << 2));
}

static struct sass_arg read_absolute_target(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return (struct sass_arg){.kind = SASS_TARGET, .value = branch_offset(r)};
}

static struct sass_arg read_return_target(struct reading *r, const struct arg_token *t)
{
	return reading_bit(r, 85) ? read_absolute_target(r, t) : read_target(r, t);
}

/* Returns the offset of a branch from the register before it. */
static struct sass_arg read_target_offset(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return (struct sass_arg){.kind = SASS_TARGET, .flags = SASS_OFFSET, .value = branch_offset(r)};
}

/* Returns the address that LEPC writes. Its offset skips bits 16 .. 23, which contain a register. */
static struct sass_arg read_lepc_target(struct reading *r, const struct arg_token *t)
{
	uint64_t high = (uint64_t)reading_signed(r, 34, 48);

	(void)t;
	return relative_target_arg(r, (int64_t)(high << 8 | reading_field(r, 24, 8)));
}

static struct sass_arg number_arg(struct reading *r, unsigned at, unsigned n)
{
	return (struct sass_arg){.kind = SASS_INT, .value = (int64_t)reading_field(r, at, n)};
}

static struct sass_arg name_arg(enum sass_name name, int64_t value)
{
	return (struct sass_arg){.kind = SASS_NAME, .value = value, .bank = (uint8_t)name};
}

/* Adds the predicates of the carries that are used, and of those before them; from sm_100 on always both. */
static void add_carry_predicates(struct reading *r, const struct arg_token *t)
{
	const enum sass_kind kind = *t->kind->name == 'U' ? SASS_UPRED : SASS_PRED;
	struct arg_token second = {NO_ATTRIBUTES, .first_bit = (uint8_t)(t->first_bit + 3)},
			 first = {NO_ATTRIBUTES, .first_bit = t->first_bit};
	struct sass_arg a = predicate_arg(r, &first, kind), b = predicate_arg(r, &second, kind);
	const bool both = r->inst->sm >= 100 || b.reg != 7;

	if (both || a.reg != 7)
		reading_add(r, a);
	if (both)
		reading_add(r, b);
}

/* Adds the operand of BAR after the number: the predicate of a reduction. */
static void add_bar_args(struct reading *r, const struct arg_token *t)
{
	static const struct arg_token predicate = {.first_bit = 87, .not_at = 90};

	(void)t;
	if (reading_field(r, 77, 2) == 2)
		reading_add(r, predicate_arg(r, &predicate, SASS_PRED));
}

static void add_cache_args(struct reading *r, const struct arg_token *t)
{
	static const struct arg_token address = {NO_ATTRIBUTES, .first_bit = 32, .width = 32};
	unsigned op = (unsigned)reading_field(r, 87, 4);

	(void)t;
	if (op != 4 && (op < 7 || op > 9)) /* the other operations act on all lines of the cache */
		reading_add(r, read_address(r, &address));
}

static void add_depbar_args(struct reading *r, const struct arg_token *t)
{
	unsigned list = (unsigned)reading_field(r, 32, 6);

	(void)t;
	if (reading_field(r, 47, 1)) {
		reading_add(r,
			(struct sass_arg){.kind = SASS_COUNTER, .value = (int64_t)reading_field(r, 44, 3)});
		reading_add(r, number_arg(r, 38, 6));
	}
	if (list)
		reading_add(r, (struct sass_arg){.kind = SASS_COUNTER, .flags = SASS_HALF, .value = list});
}

/* Adds the group of asynchronous products that an instruction ends; 7: it ends none. */
static void add_ended_group(struct reading *r, const struct arg_token *t)
{
	(void)t;
	if (reading_field(r, 84, 3) != 7)
		reading_add(r, name_arg(SASS_NAME_GSB0, (int64_t)reading_field(r, 84, 3)));
}

/* Adds the mask of the words of a 256-bit load that are read. It is not printed if all are. */
static void add_read_words(struct reading *r, const struct arg_token *t)
{
	unsigned mask = (unsigned)(reading_field(r, 57, 7) | reading_field(r, 72, 1) << 7);

	(void)t;
	if (mask != 255)
		reading_add(r, (struct sass_arg){.kind = SASS_INT, .value = mask});
}

/* ---- names -------------------------------------------------------------------------------------- */

/* Returns a name that is the same in all instructions: GROUP (gsb0), UPR or PR. */
static struct sass_arg read_fixed_name(struct reading *r, const struct arg_token *t)
{
	const char first = *t->kind->name;

	(void)r;
	return name_arg(first == 'G' ? SASS_NAME_GSB0 : first == 'U' ? SASS_NAME_UPR : SASS_NAME_PR, 0);
}

static struct sass_arg read_sign_names(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return name_arg(SASS_NAME_SIGNS, (int64_t)reading_field(r, 32, 8));
}

static struct sass_arg read_query_name(struct reading *r, const struct arg_token *t)
{
	return name_arg(SASS_NAME_QUERY, (int64_t)reading_field(r, t->first_bit, t->width));
}

static struct sass_arg read_dimension_name(struct reading *r, const struct arg_token *t)
{
	return name_arg(SASS_NAME_DIMENSION, (int64_t)reading_field(r, t->first_bit, t->width));
}

static struct sass_arg read_rpc_name(struct reading *r, const struct arg_token *t)
{
	return name_arg(SASS_NAME_RPC, reading_bit(r, t->first_bit));
}

/* ---- registers ---------------------------------------------------------------------------------- */

/* Returns the descriptor of matrix B of a warpgroup instruction. */
static struct sass_arg read_descriptor_of_b(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){.kind = SASS_GDESC,
		.reg = reading_uniform_number(r, t->first_bit),
		.value =
			(reading_bit(r, 63) ? SASS_NEG_B : 0) | (reading_bit(r, 62) ? SASS_TRANSPOSED_B : 0)};
}

/* Returns the descriptor of matrices A and B of a warpgroup instruction. */
static struct sass_arg read_descriptor_of_a_and_b(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = read_descriptor_of_b(r, t);

	a.value |= (reading_bit(r, 72) ? SASS_NEG_A : 0) | (reading_bit(r, 61) ? SASS_TRANSPOSED_A : 0);
	return a;
}

/* Returns how operand A, B or C of two f32 is selected: a pair of registers, or one register twice. */
static enum sass_select read_pair_select(struct reading *r, char operand)
{
	unsigned at = operand == 'A' ? 81 : operand == 'B' ? 87 : 84;
	bool np = operand != 'B' && reading_bit(r, at + 2), swapped = reading_bit(r, at);

	if (reading_bit(r, at + 1))
		return swapped ? SASS_PAIR_INVALID : np ? SASS_F32_NP : SASS_F32_OF_HALVES;
	return swapped ? np ? SASS_NP_SWAPPED : SASS_SWAPPED : np ? SASS_NP_PAIR : SASS_PAIR;
}

static struct sass_arg read_result(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return reading_register(r, 16);
}

static struct sass_arg read_register(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = reading_register(r, t->first_bit);

	if (t->reuse_slot != ABSENT)
		reading_reuse(r, &a, t->reuse_slot);
	if (t->negative)
		reading_signs(r, t, &a, ABSENT, ABSENT);
	return a;
}

/* Returns the metadata of a sparse matrix. */
static struct sass_arg read_metadata(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = read_register(r, t);

	a.flags |= reading_bit(r, 50) ? SASS_REUSE : 0;
	return a;
}

static struct sass_arg read_register_byte(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = read_register(r, t);

	if (reading_field(r, 76, 2))
		a.select = (uint8_t)(SASS_BYTE_1 + reading_field(r, 76, 2) - 1);
	return a;
}

static struct sass_arg read_uniform_result(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return reading_uniform_register(r, 16);
}

static struct sass_arg read_uniform_register(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = reading_uniform_register(r, t->first_bit);

	if (t->negative)
		reading_signs(r, t, &a, ABSENT, ABSENT);
	return a;
}

/* Returns a pair of f32 in registers or, if the kind begins with U, uniform registers: operand A, B or C. */
static struct sass_arg read_pair(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = *t->kind->name == 'U' ? read_uniform_register(r, t) : read_register(r, t);

	a.select = (uint8_t)read_pair_select(r, t->kind->name[2]);
	return a;
}

/* Returns the mask of BRA (UN) or ELECT (UC), a uniform register that a bit complements. */
static struct sass_arg read_mask(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = read_uniform_register(r, t);

	a.flags |= reading_bit(r, t->kind->name[1] == 'N' ? 30 : 72) ? SASS_NEG | SASS_NOT : 0;
	return a;
}

/* Returns the uniform register whose number is in two fields. */
static struct sass_arg read_split_uniform_register(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return (struct sass_arg){
		.kind = SASS_UREG, .reg = (uint8_t)(reading_field(r, 60, 3) | reading_field(r, 73, 5) << 3)};
}

static struct sass_arg read_memory_descriptor(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){.kind = SASS_DESCRIPTOR, .reg = reading_uniform_number(r, t->first_bit)};
}

static struct sass_arg read_predicate(struct reading *r, const struct arg_token *t)
{
	return predicate_arg(r, t, SASS_PRED);
}

static struct sass_arg read_uniform_predicate(struct reading *r, const struct arg_token *t)
{
	return predicate_arg(r, t, SASS_UPRED);
}

/* Returns the predicate of PLOP3, which is uniform if bit 67 is set. */
static struct sass_arg read_either_predicate(struct reading *r, const struct arg_token *t)
{
	return predicate_arg(r, t, reading_bit(r, 67) ? SASS_UPRED : SASS_PRED);
}

/* Returns a predicate whose field has 7 minus its number. */
static struct sass_arg read_reversed_predicate(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = predicate_arg(r, t, *t->kind->name == 'U' ? SASS_UPRED : SASS_PRED);

	a.reg = (uint8_t)(7 - a.reg);
	return a;
}

static struct sass_arg read_barrier(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){.kind = SASS_BARRIER, .reg = (uint8_t)reading_field(r, t->first_bit, 4)};
}

static struct sass_arg read_warp_state(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){.kind = SASS_STATE, .value = (int64_t)reading_field(r, t->first_bit, 5)};
}

static struct sass_arg read_special_register(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){
		.kind = SASS_SPECIAL, .value = (int64_t)reading_field(r, t->first_bit, t->width)};
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static struct sass_arg read_number(struct reading *r, const struct arg_token *t)
{
	return number_arg(r, t->first_bit, t->width);
}

static struct sass_arg read_signed_number(struct reading *r, const struct arg_token *t)
{
	return (struct sass_arg){
		.kind = SASS_INT, .flags = SASS_SIGNED, .value = reading_signed(r, t->first_bit, t->width)};
}

static struct sass_arg read_f32(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return reading_immediate(r, 'f');
}

/* Returns the mask of the predicates that R2P writes. */
static struct sass_arg read_predicate_mask(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return number_arg(r, 32, 32);
}

/* Returns the table of PLOP3, which is in two fields. */
static struct sass_arg read_split_table(struct reading *r, const struct arg_token *t)
{
	(void)t;
	return (struct sass_arg){
		.kind = SASS_INT, .value = (int64_t)(reading_field(r, 72, 5) << 3 | reading_field(r, 64, 3))};
}

/* ---- kinds -------------------------------------------------------------------------------------- */

static const struct arg_kind kinds[] = {
	{"d", read_result, NULL},
	{"ud", read_uniform_result, NULL},
	{"a", reading_a, NULL},
	{"b", reading_b, NULL},
	{"c", reading_c, NULL},
	{"x", reading_x, NULL},
	{"R", read_register, NULL},
	{"RB", read_register_byte, NULL},
	{"RE", read_metadata, NULL},
	{"RXA", read_pair, NULL},
	{"RXB", read_pair, NULL},
	{"RXC", read_pair, NULL},
	{"U", read_uniform_register, NULL},
	{"UN", read_mask, NULL},
	{"UC", read_mask, NULL},
	{"US", read_split_uniform_register, NULL},
	{"UXB", read_pair, NULL},
	{"UXC", read_pair, NULL},
	{"UD", read_memory_descriptor, NULL},
	{"P", read_predicate, NULL},
	{"PI", read_reversed_predicate, NULL},
	{"PL", read_either_predicate, NULL},
	{"UP", read_uniform_predicate, NULL},
	{"UPI", read_reversed_predicate, NULL},
	{"PP", NULL, add_carry_predicates},
	{"UPP", NULL, add_carry_predicates},
	{"I", read_number, NULL},
	{"W", read_number, NULL},
	{"S", read_signed_number, NULL},
	{"F", read_f32, NULL},
	{"RM", read_predicate_mask, NULL},
	{"LUT", read_split_table, NULL},
	{"M", read_address, NULL},
	{"MU", read_address_without_register, NULL},
	{"A", read_coordinates, NULL},
	{"K", read_constant, NULL},
	{"KR", read_indexed_constant, NULL},
	{"KU", read_uniform_indexed_constant, NULL},
	{"KL", read_far_constant, NULL},
	{"T", read_target, NULL},
	{"TU", read_target, NULL},
	{"TS", read_near_target, NULL},
	{"TA", read_absolute_target, NULL},
	{"TRET", read_return_target, NULL},
	{"TR", read_target_offset, NULL},
	{"TL", read_lepc_target, NULL},
	{"B", read_barrier, NULL},
	{"BS", read_warp_state, NULL},
	{"SR", read_special_register, NULL},
	{"GD", read_descriptor_of_a_and_b, NULL},
	{"GB", read_descriptor_of_b, NULL},
	{"GSB", NULL, add_ended_group},
	{"GROUP", read_fixed_name, NULL},
	{"PR", read_fixed_name, NULL},
	{"UPR", read_fixed_name, NULL},
	{"SWZ", read_sign_names, NULL},
	{"TQ", read_query_name, NULL},
	{"DIM", read_dimension_name, NULL},
	{"RPC", read_rpc_name, NULL},
	{"CC", NULL, add_cache_args},
	{"DEP", NULL, add_depbar_args},
	{"LANES", NULL, add_read_words},
	{"=bar", NULL, add_bar_args},
	{"=f2fp", NULL, reading_add_pack},
};

const struct arg_kind *arg_kind_find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].name) == n && !memcmp(kinds[i].name, name, n))
			return &kinds[i];
	return NULL;
}

/* Returns true if an optional argument is left out of the text. */
static bool is_arg_hidden(const struct sass_inst *in, const struct arg_token *t, const struct sass_arg *a)
{
	if (t->kind->read == read_predicate_mask) /* all predicates */
		return a->value == (in->sm >= 80 ? 0xff : 0x7f) || a->value == 0xff;
	switch (a->kind) {
	case SASS_PRED:
	case SASS_UPRED: return a->reg == 7 && !(a->flags & SASS_NOT);
	case SASS_REG:
	case SASS_UREG: return a->reg == SASS_ZERO;
	default: return a->value == (int64_t)t->hidden;
	}
}

/* Decodes one argument: its conditions, then its fields, also if it does not exist. This marks their bits. */
static void read_arg(struct reading *r, const struct arg_token *t)
{
	bool exists = true;

	for (unsigned i = 0; i < t->n_conditions; i++)
		exists &= reading_bit(r, t->condition[i].at) != t->condition[i].clear;
	if (t->kind->add) {
		if (exists)
			t->kind->add(r, t);
		return;
	}
	struct sass_arg a = t->kind->read(r, t);

	if (exists && (!t->optional || !is_arg_hidden(r->inst, t, &a)))
		reading_add(r, a);
}

void reading_args(struct reading *r)
{
	const struct row_tokens *t = sass_row_tokens(r->inst->row);

	r->inst->n_args = r->inst->n_results = 0;
	for (unsigned i = 0; i < t->n_args; i++) {
		read_arg(r, &t->arg[i]);
		if (i + 1 == t->first_source)
			r->inst->n_results = r->inst->n_args;
	}
}
