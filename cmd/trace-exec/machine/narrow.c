/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds atomics on 16 and 8 bits, which GPUs mostly lack. The compiler loads the aligned word that contains the object,
 * and exchanges the word by CAS until no other thread has changed it meanwhile:
 *
 *     LOP3.LUT R2, R11, 0xfffffffd, RZ, 0xc0    the address of the word
 *     LD.E R5, [R2.64]
 *     ...
 *     ATOM.E.CAS R4, [R2], R5, R4
 *
 * The word may contain bytes of other objects, and end after the buffer. The load and the CAS are marked: a buffer
 * needs to contain only a part of the word, and the load is treated as a part of the atomic, which does not race.
 */
#include "exec/operands.h"
#include "machine/code.h"

#define CODE_MAX 512u /* largest number of instructions from the address to the CAS */

#define LOP3_IMMEDIATE 0x812
#define AND_OF_SOURCES 0xc0 /* truth table of a & b */

/* Returns true if the instruction clears bits of an address that are 0 in the address of a word. */
static bool is_mask_of_word(const struct sass_inst *in)
{
	uint32_t mask = (uint32_t)(in->word[0] >> 32);

	return in->opcode == LOP3_IMMEDIATE && (mask == ~2u || mask == ~3u) &&
	       (in->word[1] >> 8 & 0xff) == AND_OF_SOURCES;
}

static bool is_written_by(const struct bound_code *code, const struct op *o, uint32_t slot)
{
	const struct operand_list l = operands_of(code, o);

	for (unsigned k = operands_number(&l); k-- > 0;)
		if (operand_role_of(l.word[k]) == OPERAND_RESULT && operand_slot_of(l.word[k]) == slot)
			return true;
	return false;
}

/* Returns the number of the instruction that gives the address of CAS i, if it masks the address; else UINT32_MAX. */
static uint32_t find_mask_of_word(
	const struct bound_code *code, const struct func *fn, const struct op *op, uint32_t i)
{
	for (uint32_t n = i; n-- > 0 && i - n < CODE_MAX;)
		if (is_written_by(code, &op[n], op[i].a))
			return is_mask_of_word(&fn->machine_code->inst[n]) ? n : UINT32_MAX;
	return UINT32_MAX;
}

static void mark_word_access(struct stmt *in)
{
	in->n_types = 1;
	in->type[0] = T_B16;
}

static bool is_load_of_word(const struct bound_code *code, const struct op *o, const struct op *cas)
{
	const struct operand_list l = operands_of(code, o);

	return o->memory && operands_class(&l) == VALUE_LOAD && o->bytes == 4 && o->a == cas->a &&
	       o->imm == cas->imm;
}

void narrow_mark_words(const struct bound_code *code, struct func *fn)
{
	const struct op *op = code->op + fn->first_pc;

	for (uint32_t i = 0; i < fn->machine_code->n; i++) {
		bool is_cas = atomic_is_cas(&fn->machine_code->inst[i]) && op[i].bytes == 4;
		uint32_t mask = is_cas ? find_mask_of_word(code, fn, op, i) : UINT32_MAX;

		if (mask == UINT32_MAX)
			continue;
		mark_word_access(&fn->inst[i]);
		for (uint32_t n = mask + 1; n < i; n++)
			if (is_load_of_word(code, &op[n], &op[i])) {
				mark_word_access(&fn->inst[n]);
				fn->inst[n].opcode = I_atom;
			}
	}
}
