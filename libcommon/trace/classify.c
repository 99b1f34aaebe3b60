/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Row, class, kind and width of an instruction of machine code, from the table of opcodes.
 *
 * Always true: this file prints nothing and rejects nothing. The class of an opcode without a row is guessed from its
 * name, and the return value indicates this. code.c prints the warnings.
 */
#include "code.h"

static enum isa_kind kind_of_row(const struct isa_op *op, enum isa_arch arch, enum isa_class class)
{
	enum isa_kind k = op ? (enum isa_kind)op->kind : KIND_PLAIN;
	if (k == KIND_PLAIN && (class == CLASS_LOAD || class == CLASS_STORE))
		return KIND_MEM_OTHER;
	if (arch == ARCH_KEPLER && (k == KIND_LD || k == KIND_ST)) /* SM-inst-6 */
		return k == KIND_LD ? KIND_LDG : KIND_STG;
	return k;
}

bool code_classify(struct inst *i, const struct isa *isa, const char *opcode, size_t n)
{
	enum isa_arch arch = (enum isa_arch)i->arch;
	int row = isa_find(isa, opcode, n);
	const struct isa_op *op = isa_row(isa, row);
	enum isa_class class = op ? (enum isa_class)op->class[arch] : CLASS_NONE;
	bool known = class != CLASS_NONE;

	if (!known)
		class = isa_guess(isa, arch, opcode, n);
	i->row = known ? (uint16_t)row : 0xffff;
	i->class = (uint8_t) class;
	i->kind = (uint8_t)kind_of_row(op, arch, class);
	i->half_rate = op && op->half_rate;
	i->size = (uint16_t)isa_width(opcode, n);
	return known;
}
