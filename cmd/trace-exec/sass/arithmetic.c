/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the operands of arithmetic instructions, whose form says where the operands b and c are. */
#include "sass/fields.h"

/* Returns the number of bits that a uniform register's number has. */
static unsigned uniform_number_bits(const struct sass_inst *in) { return in->sm >= 100 ? 8 : 6; }

uint8_t reading_uniform_number(struct reading *r, unsigned at)
{
	unsigned n = uniform_number_bits(r->inst), v = (unsigned)reading_field(r, at, n);

	return v == (1u << n) - 1 ? SASS_ZERO : (uint8_t)v;
}

struct sass_arg reading_register(struct reading *r, unsigned at)
{
	return (struct sass_arg){.kind = SASS_REG, .reg = (uint8_t)reading_field(r, at, 8)};
}

struct sass_arg reading_uniform_register(struct reading *r, unsigned at)
{
	return (struct sass_arg){.kind = SASS_UREG, .reg = reading_uniform_number(r, at)};
}

void reading_reuse(struct reading *r, struct sass_arg *a, unsigned slot)
{
	if (a->kind == SASS_REG && sass_bits(r->inst->word, 122 + slot, 1))
		a->flags |= SASS_REUSE;
}

struct sass_arg reading_immediate(struct reading *r, char form)
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

struct sass_arg reading_constant(struct reading *r, bool bindless)
{
	struct sass_arg a = {.kind = SASS_CONST,
		.reg = SASS_ZERO,
		.flags = SASS_NO_UREG,
		.value = (int64_t)reading_field(r, 38, 16)};

	if (bindless)
		a.ureg = reading_uniform_number(r, 32), a.flags = SASS_BINDLESS;
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
	case 1: return in->row->uniform ? reading_uniform_register(r, 32) : reading_register(r, 32);
	case 2:
	case 4: return reading_immediate(r, t->immediate);
	case 3:
	case 5: return reading_constant(r, bit_91);
	default: return reading_uniform_register(r, 32);
	}
}

static struct sass_arg operand_in_high_word(struct reading *r)
{
	return r->inst->row->uniform ? reading_uniform_register(r, 64) : reading_register(r, 64);
}

/* Sets the selected halves of an operand of 16-bit numbers from the 2 bits starting at `at`. */
static void read_half_selection(struct reading *r, bool is_b, struct sass_arg *a, unsigned at)
{
	a->flags |= r->inst->row->base == 0x35 ? 0 : SASS_HALF;
	a->select = (uint8_t)reading_field(r, at, 2);
	if (r->inst->row->base == 0x31 && is_b && a->kind == SASS_REG && a->select == SASS_WHOLE &&
		(r->inst->form == 1 || r->inst->form == 2) && reading_bit(r, 86))
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

void reading_signs(struct reading *r, const struct arg_token *t, struct sass_arg *a, unsigned negative,
	unsigned absolute)
{
	if (t->negative_at != ABSENT)
		negative = t->negative_at;
	if ((t->negative || t->complement) && reading_bit(r, negative)) {
		a->flags |= SASS_NEG;
		if (t->complement || (t->complement_if != ABSENT && reading_bit(r, t->complement_if)))
			a->flags |= SASS_NOT;
	}
	if (t->absolute && reading_bit(r, t->absolute_at != ABSENT ? t->absolute_at : absolute))
		a->flags |= SASS_ABS;
}

static void read_suffix(struct reading *r, const struct arg_token *t, struct sass_arg *a)
{
	if (t->suffix == 'S')
		a->select = SASS_SIGN;
	else if (t->suffix == 'R' || t->suffix == 'C')
		a->select = t->suffix == 'R' ? SASS_ROW : SASS_COLUMN;
	else if (t->suffix == 'L')
		a->select = reading_bit(r, t->first_bit) ? SASS_COLUMN : SASS_ROW;
}

struct sass_arg reading_a(struct reading *r, const struct arg_token *t)
{
	struct sass_arg a = r->inst->row->uniform ? reading_uniform_register(r, 24) : reading_register(r, 24);

	reading_signs(r, t, &a, 72, 73);
	reading_reuse(r, &a, 0);
	if (t->selects_half)
		read_half_selection(r, false, &a, 74);
	read_suffix(r, t, &a);
	return a;
}

/* Returns operand b (is_b), c or x, which is in bits 32 .. 63. */
static struct sass_arg low_word_arg(struct reading *r, const struct arg_token *t, bool is_b)
{
	bool sign = true;
	struct sass_arg a = operand_in_low_word(r, t, &sign);

	if (sign)
		reading_signs(r, t, &a, 63, 62);
	reading_reuse(r, &a, is_b ? 1 : 2);
	if (t->selects_half && sign)
		read_half_selection(r, is_b, &a, 60);
	if (t->part_at != ABSENT && sign)
		read_register_part(r, t, &a);
	read_suffix(r, t, &a);
	return a;
}

/* Returns operand b (is_b) or c, which is in bits 64 .. 71. */
static struct sass_arg high_word_arg(struct reading *r, const struct arg_token *t, bool is_b)
{
	struct sass_arg a = operand_in_high_word(r);

	if (!t->sign_in_low_word_only)
		reading_signs(r, t, &a, t->selects_half ? 84 : 75, t->selects_half ? 83 : 74);
	reading_reuse(r, &a, is_b ? 1 : 2);
	if (t->selects_half)
		read_half_selection(r, is_b, &a, r->inst->row->base == 0x47 ? 76 : 81);
	read_suffix(r, t, &a);
	return a;
}

/* Returns true if c, and not b, is in bits 32 .. 63. */
static bool is_c_in_low_word(const struct sass_inst *in)
{
	return in->form == 2 || in->form == 3 || in->form == 7;
}

struct sass_arg reading_b(struct reading *r, const struct arg_token *t)
{
	return is_c_in_low_word(r->inst) ? high_word_arg(r, t, true) : low_word_arg(r, t, true);
}

struct sass_arg reading_c(struct reading *r, const struct arg_token *t)
{
	return is_c_in_low_word(r->inst) ? low_word_arg(r, t, false) : high_word_arg(r, t, false);
}

struct sass_arg reading_x(struct reading *r, const struct arg_token *t) { return low_word_arg(r, t, false); }

void reading_add_pack(struct reading *r, const struct arg_token *t)
{
	static const struct arg_token plain = {NO_ATTRIBUTES}, f32 = {NO_ATTRIBUTES, .immediate = 'f'},
				      signed_f32 = {NO_ATTRIBUTES, .negative = true, .immediate = 'f'};
	bool merge = reading_bit(r, 78) || reading_bit(r, 81),
	     unpack = reading_bit(r, 89) && !reading_bit(r, 86);
	/* bit 75 is .RELU, so b has a sign only if it is in bits 32-63 */
	struct sass_arg of[3] = {reading_a(r, &plain),
		reading_b(r, is_c_in_low_word(r->inst) ? &f32 : &signed_f32), reading_c(r, &plain)};

	(void)t;
	for (unsigned i = 0; i < 3; i++) {
		/* the text of sm_80 and sm_86 omits operand a if c is merged */
		bool shown = i == 0 ? !unpack && !(merge && r->inst->sm < 89) : i == 1 || (merge && !unpack);

		if (unpack && reading_bit(r, 88))
			of[i].select = SASS_HIGH;
		if (shown)
			reading_add(r, of[i]);
	}
}
