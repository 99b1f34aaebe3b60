/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the arguments of an instruction by the format string of its row (opcodes.def has the grammar).
 *
 * Always true: an argument's kind, registers and bank are in range for any encoding.
 */
#include <ctype.h>
#include <string.h>
#include "sass/fields.h"

/* Returns the number of bits that a uniform register's number has. */
static unsigned uniform_number_bits(const struct sass_inst *in) { return in->sm >= 100 ? 8 : 6; }

static uint8_t read_uniform(struct reading *r, unsigned at)
{
	unsigned n = uniform_number_bits(r->inst), v = (unsigned)reading_field(r, at, n);

	return v == (1u << n) - 1 ? SASS_ZERO : (uint8_t)v;
}

static struct sass_arg register_arg(struct reading *r, unsigned at)
{
	return (struct sass_arg){.kind = SASS_REG, .reg = (uint8_t)reading_field(r, at, 8)};
}

static struct sass_arg uniform_arg(struct reading *r, unsigned at)
{
	return (struct sass_arg){.kind = SASS_UREG, .reg = read_uniform(r, at)};
}

/* Sets the reuse flag of a register if bit 122 + slot is set. */
static void read_reuse(struct reading *r, struct sass_arg *a, unsigned slot)
{
	if (a->kind == SASS_REG && sass_bits(r->inst->word, 122 + slot, 1))
		a->flags |= SASS_REUSE;
}

/* Returns the immediate in bits 32 .. 63. form: its type in the row. */
static struct sass_arg immediate_arg(struct reading *r, char form)
{
	uint64_t v = reading_field(r, 32, 32);
	struct sass_arg a = {.kind = SASS_INT, .value = (int64_t)v};

	/* the immediate of RCP64H and RSQ64H is the upper word of a double */
	if (form == 'm')
		form = sass_bits(r->inst->word, 74, 4) == 6 || sass_bits(r->inst->word, 74, 4) == 7 ? 'd'
												    : 'f';
	if (form == 'e')
		form = sass_bits(r->inst->word, 84, 2) == 3 ? 'd' : 'f';
	switch (form) {
	case 'i': a.value = (int32_t)v, a.flags = SASS_SIGNED; break;
	case 'f': a.kind = SASS_F32; break;
	case 'd': a.kind = SASS_F64, a.value = (int64_t)(v << 32); break;
	case 'h': a.kind = SASS_HALVES; break;
	}
	return a;
}

static struct sass_arg constant_arg(struct reading *r, bool bindless)
{
	struct sass_arg a = {.kind = SASS_CONST,
		.reg = SASS_ZERO,
		.flags = SASS_NO_UREG,
		.value = (int64_t)reading_field(r, 38, 16)};

	if (bindless)
		a.ureg = read_uniform(r, 32), a.flags = SASS_BINDLESS;
	else
		a.bank = (uint8_t)reading_field(r, 54, 5);
	return a;
}

/* Returns the operand in bits 32 .. 63 of an arithmetic form. *sign: bits 62 and 63 are signs, not an immediate. */
static struct sass_arg operand_in_low_word(struct reading *r, const struct arg_token *t, bool *sign)
{
	const struct sass_inst *in = r->inst;
	bool bit_91 = in->row->bit_91 == 2 && sass_bits(in->word, 91, 1);

	*sign = in->form != 2 && in->form != 4;
	switch (in->form) {
	case 1: return in->row->uniform ? uniform_arg(r, 32) : register_arg(r, 32);
	case 2:
	case 4: return immediate_arg(r, t->immediate);
	case 3:
	case 5: return constant_arg(r, bit_91);
	default: return uniform_arg(r, 32);
	}
}

static struct sass_arg operand_in_high_word(struct reading *r)
{
	return r->inst->row->uniform ? uniform_arg(r, 64) : register_arg(r, 64);
}

static bool read_bit(struct reading *r, unsigned at) { return at < 128 && reading_field(r, at, 1); }

/* Sets the selected halves of an operand of 16-bit numbers from the 2 bits from `at` on. */
static void read_half_selection(struct reading *r, const struct arg_token *t, struct sass_arg *a, unsigned at)
{
	a->flags |= r->inst->row->base == 0x35 ? 0 : SASS_HALF;
	a->select = (uint8_t)reading_field(r, at, 2);
	if (r->inst->row->base == 0x31 && t->kind[0] == 'b' && a->kind == SASS_REG &&
		a->select == SASS_WHOLE && (r->inst->form == 1 || r->inst->form == 2) && read_bit(r, 86))
		a->select = SASS_LOW_NEGATED;
}

/* Sets the part of a register that a conversion reads. It depends on the source's size (0 8 bits, 1 16, 2 32, 3 64). */
static void read_register_part(struct reading *r, const struct arg_token *t, struct sass_arg *a)
{
	unsigned size = t->part_at == 84 ? (unsigned)reading_field(r, 84, 2) : 1,
		 part = (unsigned)reading_field(r, 60, 2);

	if (t->part_at == 72) /* source of MUFU, 16 bits unless the format is 0 */
		size = reading_field(r, 72, 2) ? 1 : 2;
	if (part && size == 0)
		a->select = (uint8_t)(SASS_BYTE_1 + part - 1);
	else if (part && size == 1)
		a->select = SASS_HIGH;
}

static void read_signs(struct reading *r, const struct arg_token *t, struct sass_arg *a, unsigned negative,
	unsigned absolute)
{
	if (t->negative_at != ABSENT)
		negative = t->negative_at;
	if ((t->negative || t->complement) && read_bit(r, negative)) {
		a->flags |= SASS_NEG;
		if (t->complement || (t->complement_if != ABSENT && read_bit(r, t->complement_if)))
			a->flags |= SASS_NOT;
	}
	if (t->absolute && read_bit(r, t->absolute_at != ABSENT ? t->absolute_at : absolute))
		a->flags |= SASS_ABS;
}

static void read_suffix(struct reading *r, const struct arg_token *t, struct sass_arg *a)
{
	if (t->suffix == 'S')
		a->select = SASS_SIGN;
	else if (t->suffix == 'R' || t->suffix == 'C')
		a->select = t->suffix == 'R' ? SASS_ROW : SASS_COLUMN;
	else if (t->suffix == 'L')
		a->select = read_bit(r, t->first_bit) ? SASS_COLUMN : SASS_ROW;
}

/* Returns operand a, b, c or x of an arithmetic row. */
static struct sass_arg arithmetic_arg(struct reading *r, const struct arg_token *t)
{
	unsigned form = r->inst->form;
	bool swapped = form == 2 || form == 3 || form == 7, sign = true;
	char kind = t->kind[0];
	struct sass_arg a;

	if (kind == 'a') {
		a = r->inst->row->uniform ? uniform_arg(r, 24) : register_arg(r, 24);
		read_signs(r, t, &a, 72, 73);
		read_reuse(r, &a, 0);
		if (t->selects_half)
			read_half_selection(r, t, &a, 74);
	} else if (kind == 'x' || (kind == 'b') != swapped) {
		a = operand_in_low_word(r, t, &sign);
		if (sign)
			read_signs(r, t, &a, 63, 62);
		read_reuse(r, &a, kind == 'b' ? 1 : 2);
		if (t->selects_half && sign)
			read_half_selection(r, t, &a, 60);
		if (t->part_at != ABSENT && sign)
			read_register_part(r, t, &a);
	} else {
		a = operand_in_high_word(r);
		if (!t->sign_in_low_word_only)
			read_signs(r, t, &a, t->selects_half ? 84 : 75, t->selects_half ? 83 : 74);
		read_reuse(r, &a, kind == 'c' ? 2 : 1);
		if (t->selects_half)
			read_half_selection(r, t, &a, r->inst->row->base == 0x47 ? 76 : 81);
	}
	read_suffix(r, t, &a);
	return a;
}

static struct sass_arg predicate_arg(struct reading *r, const struct arg_token *t, enum sass_kind kind)
{
	struct sass_arg a = {.kind = (uint8_t)kind, .reg = (uint8_t)reading_field(r, t->first_bit, 3)};

	if (t->not_at != ABSENT && read_bit(r, t->not_at))
		a.flags |= SASS_NOT;
	return a;
}

static struct sass_arg address_arg(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = {.kind = SASS_MEM, .flags = SASS_NO_UREG, .scale = 1};
	unsigned uniform = t->uniform_at != ABSENT ? t->uniform_at : t->next_uniform_at;

	if (t->width)
		a.value = reading_signed(r, t->first_bit, t->width) * (1 << t->shift);
	if (t->kind[1] == 'U') /* the address has no register */
		a.reg = SASS_ZERO;
	else
		a.reg = (uint8_t)reading_field(r, t->reg_at != ABSENT ? t->reg_at : 24, 8);
	if (t->wide_at != ABSENT)
		a.flags |= read_bit(r, t->wide_at) ? SASS_WIDE : SASS_U32;
	if (t->desc_at != ABSENT && read_bit(r, t->desc_at))
		a.flags |= SASS_DESC;
	if (t->uniform_at != ABSENT || (uniform != ABSENT && a.flags & SASS_DESC)) {
		a.ureg = read_uniform(r, uniform);
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

/* Returns the constant of LDC (with an index register) or ULDC (with a uniform index register). */
static struct sass_arg load_constant_arg(struct reading *r, const char *kind)
{
	struct sass_arg a = {.kind = SASS_CONST,
		.reg = SASS_ZERO,
		.flags = SASS_NO_UREG,
		.bank = (uint8_t)reading_field(r, 54, 5)};

	if (!strcmp(kind, "KL")) { /* sm_100 and later: a wider offset */
		a.ureg = read_uniform(r, 24);
		a.flags = a.ureg == SASS_ZERO ? SASS_NO_UREG : 0;
		a.value = (int64_t)reading_field(r, 37, 17);
		if (!a.value)
			a.flags = 0;
		return a;
	}
	if (!strcmp(kind, "KR"))
		a.reg = (uint8_t)reading_field(r, 24, 8);
	if (!strcmp(kind, "KU")) {
		a.ureg = read_uniform(r, 24);
		a.flags = 0;
	}
	a.value = a.reg != SASS_ZERO || !(a.flags & SASS_NO_UREG) ? reading_signed(r, 38, 16)
								  : (int64_t)reading_field(r, 38, 16);
	if (!strcmp(kind, "KR") && a.reg == SASS_ZERO && !a.value)
		a.flags |= SASS_SHOWN;
	return a;
}

/*
 * Returns the offset of a branch in bytes. Bits 34 .. 81 contain it in units of 4 bytes. On sm_90 and later its
 * 8 low bits are in bits 16 .. 23, and the others from bit 34 on.
 */
static int64_t branch_offset(struct reading *r, bool narrow)
{
	uint64_t high = (uint64_t)reading_signed(r, 34, narrow ? 30 : 48);

	if (!narrow && r->inst->sm >= 90)
		high = high << 8 | reading_field(r, 16, 8);
	return (int64_t)(high << 2);
}

static struct sass_arg target_arg(struct reading *r, const char *kind)
{
	struct sass_arg a = {.kind = SASS_TARGET, .value = branch_offset(r, !strcmp(kind, "TS"))};
	bool absolute = !strcmp(kind, "TA") || (!strcmp(kind, "TRET") && read_bit(r, 85));

	if (!strcmp(kind, "TL")) /* the offset skips bits 16 .. 23, which contain a register */
		a.value = (int64_t)((uint64_t)reading_signed(r, 34, 48) << 8 | reading_field(r, 24, 8));
	if (!strcmp(kind, "TR"))
		a.flags = SASS_OFFSET;
	else if (!absolute)
		a.value = (int64_t)((uint64_t)a.value + r->inst->pc + SASS_BYTES);
	return a;
}

static struct sass_arg number_arg(struct reading *r, unsigned at, unsigned n)
{
	return (struct sass_arg){.kind = SASS_INT, .value = (int64_t)reading_field(r, at, n)};
}

static void add_arg(struct reading *r, struct sass_arg a)
{
	if (r->inst->n_args < SASS_ARGS_MAX)
		r->inst->arg[r->inst->n_args++] = a;
}

static struct sass_arg name_arg(enum sass_name name, int64_t value)
{
	return (struct sass_arg){.kind = SASS_NAME, .value = value, .bank = (uint8_t)name};
}

/* Adds the predicates of the carries that are used, and of those before them; from sm_100 on always both. */
static void add_carry_predicates(struct reading *r, const struct arg_token *t, enum sass_kind kind)
{
	struct arg_token second = {.first_bit = t->first_bit + 3, .not_at = ABSENT},
			 first = {.first_bit = t->first_bit, .not_at = ABSENT};
	struct sass_arg a = predicate_arg(r, &first, kind), b = predicate_arg(r, &second, kind);
	const bool both = r->inst->sm >= 100 || b.reg != 7;

	if (both || a.reg != 7)
		add_arg(r, a);
	if (both)
		add_arg(r, b);
}

/* Adds the operand of BAR after the number: the predicate of a reduction. */
static void add_bar_args(struct reading *r)
{
	struct arg_token t = {.first_bit = 87, .not_at = 90};

	if (reading_field(r, 77, 2) == 2)
		add_arg(r, predicate_arg(r, &t, SASS_PRED));
}

static void add_cache_args(struct reading *r)
{
	struct arg_token t = {.first_bit = 32,
		.width = 32,
		.reg_at = ABSENT,
		.uniform_at = ABSENT,
		.next_uniform_at = ABSENT,
		.wide_at = ABSENT,
		.desc_at = ABSENT,
		.scale_at = ABSENT};
	unsigned op = (unsigned)reading_field(r, 87, 4);

	if (op != 4 && (op < 7 || op > 9)) /* the other operations act on all lines of the cache */
		add_arg(r, address_arg(r, &t));
}

static void add_depbar_args(struct reading *r)
{
	unsigned list = (unsigned)reading_field(r, 32, 6);

	if (reading_field(r, 47, 1)) {
		add_arg(r,
			(struct sass_arg){.kind = SASS_COUNTER, .value = (int64_t)reading_field(r, 44, 3)});
		add_arg(r, number_arg(r, 38, 6));
	}
	if (list)
		add_arg(r, (struct sass_arg){.kind = SASS_COUNTER, .flags = SASS_HALF, .value = list});
}

/* Adds the operands of F2FP. Bit 78 adds the third operand. Unpacking has only b, whose half bit 88 selects. */
static void add_pack_args(struct reading *r)
{
	bool merge = read_bit(r, 78) || read_bit(r, 81), unpack = read_bit(r, 89) && !read_bit(r, 86);
	/* bit 75 is .RELU, so b has a sign only if it is in bits 32-63 */
	bool swapped = r->inst->form == 2 || r->inst->form == 3 || r->inst->form == 7;
	const char *of[3] = {"a", swapped ? "b:f" : "b-:f", "c"};

	for (unsigned i = 0; i < 3; i++) {
		struct arg_token t;

		/* the text of sm_80 and sm_86 omits operand a if c is merged */
		bool shown = i == 0 ? !unpack && !(merge && r->inst->sm < 89) : i == 1 || (merge && !unpack);

		sass_token_parse(&t, of[i], of[i] + strlen(of[i]));
		struct sass_arg a = arithmetic_arg(r, &t);

		if (unpack && read_bit(r, 88))
			a.select = SASS_HIGH;
		if (shown)
			add_arg(r, a);
	}
}

/* Returns the descriptor of the matrices of a warpgroup instruction: of A and B, or (GB) of B. */
static struct sass_arg matrix_arg(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = {.kind = SASS_GDESC, .reg = read_uniform(r, t->first_bit)};

	if (t->kind[1] == 'D')
		a.value |= (read_bit(r, 72) ? SASS_NEG_A : 0) | (read_bit(r, 61) ? SASS_TRANSPOSED_A : 0);
	a.value |= (read_bit(r, 63) ? SASS_NEG_B : 0) | (read_bit(r, 62) ? SASS_TRANSPOSED_B : 0);
	return a;
}

/* Adds the arguments of a kind that has its own function. Returns false for any other kind. */
static bool add_special_arg(struct reading *r, const struct arg_token *t)
{
	const char *k = t->kind;

	if (!strcmp(k, "PP") || !strcmp(k, "UPP"))
		add_carry_predicates(r, t, *k == 'U' ? SASS_UPRED : SASS_PRED);
	else if (!strcmp(k, "CC"))
		add_cache_args(r);
	else if (!strcmp(k, "DEP"))
		add_depbar_args(r);
	else if (!strcmp(k, "GSB")) {
		if (reading_field(r, 84, 3) != 7)
			add_arg(r, name_arg(SASS_NAME_GSB0, (int64_t)reading_field(r, 84, 3)));
	} else if (!strcmp(k, "GROUP")) {
		add_arg(r, name_arg(SASS_NAME_GSB0, 0));
	} else if (!strcmp(k, "LANES")) { /* words of a 256-bit load that are read; not printed if all are */
		unsigned mask = (unsigned)(reading_field(r, 57, 7) | reading_field(r, 72, 1) << 7);

		if (mask != 255)
			add_arg(r, (struct sass_arg){.kind = SASS_INT, .value = mask});
	} else if (!strcmp(k, "PR"))
		add_arg(r, name_arg(SASS_NAME_PR, 0));
	else if (!strcmp(k, "UPR"))
		add_arg(r, name_arg(SASS_NAME_UPR, 0));
	else if (!strcmp(k, "SWZ"))
		add_arg(r, name_arg(SASS_NAME_SIGNS, (int64_t)reading_field(r, 32, 8)));
	else if (!strcmp(k, "LUT"))
		add_arg(r,
			(struct sass_arg){.kind = SASS_INT,
				.value = (int64_t)(reading_field(r, 72, 5) << 3 | reading_field(r, 64, 3))});
	else
		return false;
	return true;
}

/* Returns how operand A, B or C of two f32 is selected: a pair of registers, or one register twice. */
static enum sass_select read_pair_select(struct reading *r, char operand)
{
	unsigned at = operand == 'A' ? 81 : operand == 'B' ? 87 : 84;
	bool np = operand != 'B' && read_bit(r, at + 2), swapped = read_bit(r, at);

	if (read_bit(r, at + 1))
		return swapped ? SASS_PAIR_INVALID : np ? SASS_F32_NP : SASS_F32_OF_HALVES;
	return swapped ? np ? SASS_NP_SWAPPED : SASS_SWAPPED : np ? SASS_NP_PAIR : SASS_PAIR;
}

/* Returns the vector register of kind d, R, RB, RE, or RXA, RXB or RXC: a pair of f32, operand a, b or c. */
static struct sass_arg read_register_arg(struct reading *r, const struct arg_token *t)
{
	const char *k = t->kind;
	struct sass_arg a = register_arg(r, *k == 'd' ? 16 : t->first_bit);

	if (t->reuse_slot != ABSENT)
		read_reuse(r, &a, t->reuse_slot);
	if (k[1] == 'E') /* metadata of a sparse matrix */
		a.flags |= read_bit(r, 50) ? SASS_REUSE : 0;
	if (k[1] == 'B' && reading_field(r, 76, 2))
		a.select = (uint8_t)(SASS_BYTE_1 + reading_field(r, 76, 2) - 1);
	if (t->negative)
		read_signs(r, t, &a, ABSENT, ABSENT);
	if (k[1] == 'X')
		a.select = (uint8_t)read_pair_select(r, k[2]);
	return a;
}

/* Returns the argument of a kind that begins with U or u: a uniform register, descriptor or uniform predicate. */
static struct sass_arg read_uniform_arg(struct reading *r, const struct arg_token *t)
{
	const char *k = t->kind;
	struct sass_arg a;

	if (!strcmp(k, "UP") || !strcmp(k, "UPI")) {
		a = predicate_arg(r, t, SASS_UPRED);
		if (k[2])
			a.reg = (uint8_t)(7 - a.reg);
		return a;
	}
	if (!strcmp(k, "UD"))
		return (struct sass_arg){.kind = SASS_DESCRIPTOR, .reg = read_uniform(r, t->first_bit)};
	if (!strcmp(k, "US"))
		return (struct sass_arg){.kind = SASS_UREG,
			.reg = (uint8_t)(reading_field(r, 60, 3) | reading_field(r, 73, 5) << 3)};
	a = uniform_arg(r, *k == 'u' ? 16 : t->first_bit);
	if (t->negative)
		read_signs(r, t, &a, ABSENT, ABSENT);
	if (k[1] == 'X')
		a.select = (uint8_t)read_pair_select(r, k[2]);
	if ((!strcmp(k, "UN") && read_bit(r, 30)) || (!strcmp(k, "UC") && read_bit(r, 72)))
		a.flags |= SASS_NEG | SASS_NOT;
	return a;
}

/* Returns the predicate of kind P, PI or PL. */
static struct sass_arg read_predicate_arg(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a =
		predicate_arg(r, t, t->kind[1] == 'L' && read_bit(r, 67) ? SASS_UPRED : SASS_PRED);

	if (t->kind[1] == 'I')
		a.reg = (uint8_t)(7 - a.reg);
	return a;
}

static struct sass_arg read_number_arg(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a;

	if (!strcmp(t->kind, "RM"))
		return number_arg(r, 32, 32);
	a = number_arg(r, t->first_bit, t->width);
	if (!strcmp(t->kind, "S"))
		a.value = reading_signed(r, t->first_bit, t->width), a.flags = SASS_SIGNED;
	return a;
}

static struct sass_arg read_plain_arg(struct reading *r, const struct arg_token *t)
{
	const char *k = t->kind;

	if (strchr("abcx", *k) && !k[1])
		return arithmetic_arg(r, t);
	if (!strcmp(k, "d") || !strcmp(k, "R") ||
		(*k == 'R' && k[1] && strchr("EBX", k[1]) && (k[1] == 'X' || !k[2])))
		return read_register_arg(r, t);
	if (*k == 'U' || *k == 'u')
		return read_uniform_arg(r, t);
	if (*k == 'P')
		return read_predicate_arg(r, t);
	if (*k == 'G')
		return matrix_arg(r, t);
	if (*k == 'M')
		return address_arg(r, t);
	if (*k == 'K')
		return k[1] ? load_constant_arg(r, k) : constant_arg(r, false);
	if (!strcmp(k, "F"))
		return immediate_arg(r, 'f');
	if (!strcmp(k, "TQ") || !strcmp(k, "DIM"))
		return name_arg(*k == 'T' ? SASS_NAME_QUERY : SASS_NAME_DIMENSION,
			(int64_t)reading_field(r, t->first_bit, t->width));
	if (*k == 'T')
		return target_arg(r, k);
	if (!strcmp(k, "RPC"))
		return name_arg(SASS_NAME_RPC, read_bit(r, t->first_bit));
	if (!strcmp(k, "A")) /* coordinates: an address without an offset */
		return (struct sass_arg){.kind = SASS_MEM,
			.flags = SASS_NO_UREG,
			.reg = (uint8_t)reading_field(r, t->first_bit, 8),
			.scale = 1};
	if (!strcmp(k, "B"))
		return (struct sass_arg){
			.kind = SASS_BARRIER, .reg = (uint8_t)reading_field(r, t->first_bit, 4)};
	if (!strcmp(k, "BS"))
		return (struct sass_arg){
			.kind = SASS_STATE, .value = (int64_t)reading_field(r, t->first_bit, 5)};
	if (!strcmp(k, "SR"))
		return (struct sass_arg){
			.kind = SASS_SPECIAL, .value = (int64_t)reading_field(r, t->first_bit, t->width)};
	return read_number_arg(r, t);
}

/* Returns true if an optional argument is left out of the text. */
static bool is_arg_hidden(const struct sass_inst *in, const struct arg_token *t, const struct sass_arg *a)
{
	if (!strcmp(t->kind, "RM")) /* all predicates */
		return a->value == (in->sm >= 80 ? 0xff : 0x7f) || a->value == 0xff;
	switch (a->kind) {
	case SASS_PRED:
	case SASS_UPRED: return a->reg == 7 && !(a->flags & SASS_NOT);
	case SASS_REG:
	case SASS_UREG: return a->reg == SASS_ZERO;
	default: return a->value == (int64_t)t->hidden;
	}
}

/* Decodes one token: its conditions, then its argument. */
static void decode_arg_token(struct reading *r, const char *p, const char *end)
{
	struct arg_token t;
	bool shown = true;

	while (*p == '^') {
		bool clear = *++p == '!';

		p += clear;
		shown &= (reading_field(r, sass_token_number(&p), 1) != 0) != clear;
	}
	if (*p == '=') {
		if (p[1] == 'b')
			add_bar_args(r);
		else
			add_pack_args(r);
		return;
	}
	sass_token_parse(&t, p, end);
	if (!shown || add_special_arg(r, &t)) {
		if (!shown)
			read_plain_arg(r, &t); /* marks the bits of an argument that is not shown */
		return;
	}
	struct sass_arg a = read_plain_arg(r, &t);

	if (!t.optional || !is_arg_hidden(r->inst, &t, &a))
		add_arg(r, a);
}

void reading_args(struct reading *r)
{
	const char *text = r->inst->row->operands, *p;
	size_t n;

	r->inst->n_args = r->inst->n_results = 0;
	while ((p = sass_token_next(&text, &n))) {
		if (*p == ';') {
			r->inst->n_results = r->inst->n_args;
			continue;
		}
		decode_arg_token(r, p, p + n);
	}
}
