/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of an instruction, and the strings of opcodes.def as tokens, for decode.c, args.c, modify.c and print.c.
 *
 * The strings of a row are parsed when the row is used for the first time.
 */
#ifndef SASS_FIELDS_H
#define SASS_FIELDS_H

#include "sass/sass.h"

/* ---- fields ------------------------------------------------------------------------------------- */

/* An instruction that is being decoded, and a mark for each of its bits that was read. */
struct reading {
	struct sass_inst *inst;
	uint64_t used_bits[2];
};

/* Marks bits at .. at + n - 1, 1 <= n <= 64. */
static inline void mark_used(uint64_t used[2], unsigned at, unsigned n)
{
	uint64_t mask = UINT64_MAX >> (64 - n);

	if (at >= 64)
		used[1] |= mask << (at - 64);
	else
		used[0] |= mask << at;
	if (at < 64 && at + n > 64)
		used[1] |= mask >> (64 - at);
}

/* Returns n bits from bit `at`, and marks them as used. */
static inline uint64_t reading_field(struct reading *r, unsigned at, unsigned n)
{
	mark_used(r->used_bits, at, n);
	return sass_bits(r->inst->word, at, n);
}

/* Returns n bits from bit `at`, sign-extended, and marks them as used. */
static inline int64_t reading_signed(struct reading *r, unsigned at, unsigned n)
{
	uint64_t v = reading_field(r, at, n);

	return n < 64 && v >> (n - 1) & 1 ? (int64_t)(v | ~0ull << n) : (int64_t)v;
}

/* Returns bit `at`, and marks it as used. Bits from 128 on are clear. */
static inline bool reading_bit(struct reading *r, unsigned at) { return at < 128 && reading_field(r, at, 1); }

/* ---- tokens ------------------------------------------------------------------------------------- */

#define ABSENT 255u /* attribute that a token lacks */

struct arg_token;
/* Kind of an argument: a function that returns the argument, or one that adds any number of arguments. */
struct arg_kind {
	const char *name;
	struct sass_arg (*read)(struct reading *r, const struct arg_token *t);
	void (*add)(struct reading *r, const struct arg_token *t);
};

/* An argument in the string of a row. */
struct arg_token {
	const struct arg_kind *kind;
	struct {
		uint8_t at;
		bool clear;
	} condition[2]; /* the argument exists if each of these bits is set or, with `clear`, is not set */
	uint8_t n_conditions;
	uint8_t first_bit;          /* first bit of the field */
	uint8_t width;              /* bits of the field */
	uint8_t shift;              /* the offset of an address is in units of 1 << shift bytes */
	bool sign_in_low_word_only; /* the operand has a sign only in bits 32 .. 63 */
	bool omit_zero;             /* URZ is not printed as a part of an address */
	bool optional;              /* the argument is omitted if it has its default value */
	bool negative; /* the operand can be negated, by the usual bit unless negative_at is given */
	bool absolute; /* the operand can be an absolute value, by the usual bit unless absolute_at is given */
	bool complement;   /* the operand can be complemented, by the bit that negates other operands */
	bool selects_half; /* the operand selects a half of a register, or both */
	bool narrow;       /* the operand cannot select SASS_LOW_NEGATED */
	/*
	 * positions of the bits for negation, absolute value, inversion of a predicate and part of a register
	 */
	uint8_t negative_at, absolute_at, not_at, part_at;
	uint8_t complement_if; /* if this bit is set, the bit for negation means a complement */
	/*
	 * positions of bits of an address: uniform register, or the register before it; 64-bit register;
	 * descriptor; scale; register
	 */
	uint8_t uniform_at, next_uniform_at, wide_at, desc_at, scale_at, reg_at;
	uint8_t reuse_slot; /* number of the operand in the reuse flags */
	char immediate;     /* form of an immediate; 0: unsigned */
	uint8_t hidden;     /* default value */
	char suffix;        /* R: row; C: column; L: row or column, by the bit at `first_bit` */
};

/* Initialises a token that has no attributes. */
#define NO_ATTRIBUTES \
	.negative_at = ABSENT, .absolute_at = ABSENT, .not_at = ABSENT, .part_at = ABSENT, \
	.complement_if = ABSENT, .uniform_at = ABSENT, .next_uniform_at = ABSENT, .wide_at = ABSENT, \
	.desc_at = ABSENT, .scale_at = ABSENT, .reg_at = ABSENT, .reuse_slot = ABSENT

struct sass_out;
struct words;
typedef void modifier_fn(struct sass_out *o, struct reading *r);
/* A modifier in the string of a row: a rule, a table of words or a text. With none of them its bits have no text. */
struct modifier_token {
	modifier_fn *rule;
	const struct words *words;
	const char *text;
	uint8_t text_bytes;
	uint8_t at;         /* first bit of the field; ABSENT: a text that is always printed */
	uint8_t width;      /* bits of the field */
	uint8_t second_bit; /* position of the second bit of the field; ABSENT: after the first one */
	bool clear;         /* the text is printed if the bit is clear */
};

#define TOKENS_MAX 10u

/* The strings of a row. */
struct row_tokens {
	struct arg_token arg[TOKENS_MAX];
	struct modifier_token modifier[TOKENS_MAX];
	uint8_t n_args;
	uint8_t first_source; /* number of the first argument after the results */
	uint8_t n_modifiers;
	bool has_rule;
	uint64_t modifier_bits[2]; /* bits that the modifiers depend on, without those that rules read */
};

/* Appends an argument to the instruction. */
static inline void reading_add(struct reading *r, struct sass_arg a)
{
	if (r->inst->n_args < SASS_ARGS_MAX)
		r->inst->arg[r->inst->n_args++] = a;
}
/* Decodes the arguments as the row of the instruction describes them; args.c. */
void reading_args(struct reading *r);

/* Return the register, and the uniform register, whose number is in the field at bit `at`; arithmetic.c. */
struct sass_arg reading_register(struct reading *r, unsigned at);
struct sass_arg reading_uniform_register(struct reading *r, unsigned at);
/* Returns the number of the uniform register in the field at bit `at`. */
uint8_t reading_uniform_number(struct reading *r, unsigned at);
/* Returns the immediate in bits 32 .. 63. form: its type in the row. */
struct sass_arg reading_immediate(struct reading *r, char form);
/* Returns the constant in bits 38 .. 58. bindless: its bank is in a uniform register. */
struct sass_arg reading_constant(struct reading *r, bool bindless);
/* Sets the reuse flag of a register if bit 122 + slot is set. */
void reading_reuse(struct reading *r, struct sass_arg *a, unsigned slot);
/* Sets the signs of an operand. negative, absolute: the usual bits for operands of its position. */
void reading_signs(struct reading *r, const struct arg_token *t, struct sass_arg *a, unsigned negative,
	unsigned absolute);
/* Return operand a, b, c or x of an arithmetic row. */
struct sass_arg reading_a(struct reading *r, const struct arg_token *t);
struct sass_arg reading_b(struct reading *r, const struct arg_token *t);
struct sass_arg reading_c(struct reading *r, const struct arg_token *t);
struct sass_arg reading_x(struct reading *r, const struct arg_token *t);
/* Adds the operands of F2FP. Bit 78 adds the third operand. Unpacking has only b, whose half bit 88 selects. */
void reading_add_pack(struct reading *r, const struct arg_token *t);

/* Returns the tokens of a row of opcodes.def. May be called by several threads at a time. */
const struct row_tokens *sass_row_tokens(const struct sass_row *row);
/* Parses the strings of a row; tokens.c. */
void row_tokens_parse(struct row_tokens *t, const struct sass_row *row);
/* Returns the kind of arguments with this name of n bytes; NULL if there is none; args.c. */
const struct arg_kind *arg_kind_find(const char *name, size_t n);
/* Return the rule, and the table of words, with this name of n bytes; NULL if there is none; modify.c. */
modifier_fn *modify_find_rule(const char *name, size_t n);
const struct words *words_find(const char *name, size_t n);
/* Returns the number of bits of a field that has the values of a table; modify.c. */
unsigned words_field_bits(const struct words *w);
/* Returns the decimal number at *p and advances *p past it. */
unsigned sass_token_number(const char **p);

/* ---- texts -------------------------------------------------------------------------------------- */

/* A text under construction, for print.c and modify.c. */
struct sass_out {
	char *p;
	size_t n;
};
void sass_put(struct sass_out *o, const char *text);
void sass_put_bytes(struct sass_out *o, const char *text, size_t n);
void sass_putf(struct sass_out *o, const char *form, ...) PRINTF_LIKE(2, 3);
/* Appends the opcode with its modifiers, and marks the bits that they depend on. */
void sass_put_opcode(struct sass_out *o, struct reading *r);
/* Marks the bits that the modifiers of the opcode depend on. */
void reading_mark_modifiers(struct reading *r);

#endif
