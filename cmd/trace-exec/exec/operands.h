/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of the registers that each op reads and writes. The binding of an instruction makes its list; undefined.c
 * reads it.
 */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "exec/exec.h"

enum operand_role { OPERAND_SOURCE, OPERAND_ADDRESS, OPERAND_RESULT };

/* Effect of an undefined source on the results of an op. */
enum value_class {
	VALUE_PLAIN,   /* a result is undefined if a source of its lane is */
	VALUE_LOGIC,   /* each bit of a result depends on one bit of each source: tried with both values */
	VALUE_COMPARE, /* a comparison that is combined with the last source, a predicate */
	VALUE_PACK, /* the result consists of bytes of the sources; it is undefined if all of its bytes are */
	VALUE_WARP, /* the results of all lanes are undefined if a source of one lane is */
	VALUE_SHUFFLE, /* the first result is the first source of another lane */
	VALUE_PRODUCT, /* a product of matrices with 16 rows and 8 columns, or as VALUE_WARP */
	VALUE_LOAD,    /* the results are read from memory, in order */
	VALUE_LOAD_ROWS, /* result k is 8 rows of 16 bytes in memory: lanes 8 * k to 8 * k + 7 have their addresses */
	VALUE_LOAD_MATRICES, /* transposed matrices, or elements of 8 bits: an undefined row affects all lanes */
	VALUE_STORE,         /* the sources are written to memory, in order */
	VALUE_STORE_ROWS,
	VALUE_USE, /* the sources are used, and the results are defined */
	VALUE_CALL /* call.c copies the arguments */
};
/* Operator that combines a comparison with a predicate. COMBINE_NONE: no combination */
enum { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* List of an op: the head, and a word for each operand. */
struct operand_list {
	uint32_t head;
	const uint32_t *word;
};
static inline unsigned operands_number(const struct operand_list *l) { return l->head & 0xffff; }
static inline enum value_class operands_class(const struct operand_list *l)
{
	return (enum value_class)(l->head >> 16 & 15);
}
static inline unsigned operands_combination(const struct operand_list *l) { return l->head >> 20 & 3; }
static inline bool is_combination_inverted(const struct operand_list *l) { return l->head >> 22 & 1; }
/* Offset of a register in the frame. 0: the operand is not a register. */
static inline uint32_t operand_slot_of(uint32_t word) { return word >> 6 << 2; }
static inline enum operand_role operand_role_of(uint32_t word) { return (enum operand_role)(word & 3); }
/* Returns the bytes of a register in a lane. 0: a predicate. */
static inline unsigned operand_bytes_of(uint32_t word) { return (word >> 2 & 15) * 2; }

void operands_start(struct bound_code *c, uint32_t n_ops);
void operands_free(struct bound_code *c);
/* Adds an operand to the list in the making. slot 0: an operand that is not a register. bytes: 0 for a predicate. */
void operands_add(struct bound_code *c, uint32_t slot, unsigned bytes, enum operand_role role);
/* Begins a list, in place of one that was not ended. */
void operands_begin(struct bound_code *c);
/* Returns the words of the list in the making, and sets *n to their number. */
uint32_t *operands_pending(struct bound_code *c, unsigned *n);
/* Ends the list of op number `inst`. */
void operands_end(
	struct bound_code *c, uint32_t inst, enum value_class class, unsigned combine, bool inverted);
/* Sets word[] to the operands of the role, at most `most`. Returns their number. */
unsigned operands_take(const struct operand_list *l, enum operand_role role, uint32_t *word, unsigned most);
struct operand_list operands_of(const struct bound_code *c, const struct op *o);

#endif
