/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of an instruction and tokens of the strings of opcodes.def, for decode.c and print.c. */
#ifndef SASS_FIELDS_H
#define SASS_FIELDS_H

#include "sass/sass.h"

/* An instruction that is being decoded, and a mark for each of its bits that was read. */
struct reading {
	struct sass_inst *inst;
	uint64_t used_bits[2];
};

/* Returns n bits from bit `at`, and marks them as used. */
uint64_t reading_field(struct reading *r, unsigned at, unsigned n);
/* Returns n bits from bit `at`, sign-extended, and marks them as used. */
int64_t reading_signed(struct reading *r, unsigned at, unsigned n);
/*
 * Returns the next token of a string, separated by blanks, and sets *n to its length; NULL at the end. Advances
 * *text past the token.
 */
const char *sass_token_next(const char **text, size_t *n);
/* Returns the decimal number at *p and advances *p past it. */
unsigned sass_token_number(const char **p);
/* Attributes of a token of the arguments. ABSENT: the token lacks the attribute. */
struct arg_token {
	char kind[8];
	unsigned first_bit;         /* first bit of the field */
	unsigned width;             /* bits of the field */
	unsigned shift;             /* the offset of an address is in units of 1 << shift bytes */
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
	unsigned negative_at, absolute_at, not_at, part_at;
	unsigned complement_if; /* if this bit is set, the bit for negation means a complement */
	/*
	 * positions of bits of an address: uniform register, or the register before it; 64-bit register;
	 * descriptor; scale; register
	 */
	unsigned uniform_at, next_uniform_at, wide_at, desc_at, scale_at, reg_at;
	unsigned reuse_slot; /* number of the operand in the reuse flags */
	char immediate;      /* form of an immediate; 0: unsigned */
	unsigned hidden;     /* default value */
	char suffix;         /* R: row; C: column; L: row or column, by the bit at `first_bit` */
};

#define ABSENT 255u

/* Parses the token from p to end. */
void sass_token_parse(struct arg_token *t, const char *p, const char *end);
/* Decodes the arguments as the row of the instruction describes them. */
void reading_args(struct reading *r);

/* A text under construction, for print.c and modify.c. */
struct sass_out {
	char *p;
	size_t n;
};
void sass_put(struct sass_out *o, const char *text);
void sass_put_bytes(struct sass_out *o, const char *text, size_t n);
void sass_putf(struct sass_out *o, const char *form, ...) PRINTF_LIKE(2, 3);
/* Appends the opcode with its modifiers. */
void sass_put_opcode(struct sass_out *o, struct reading *r);

#endif
