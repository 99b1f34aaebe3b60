/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of static instructions: readers of traces turn the static part of a line into a handle. Internal to
 * libcommon.
 */
#ifndef CODE_H
#define CODE_H

#include "trace.h"

/* Fields that only traces from PTX have. Bank numbers follow the registers in reg[] of the draft. */
struct ptx_draft {
	struct ptx_form form;
	const char *text; /* line in the header, from the opcode on */
	size_t text_len;
	unsigned n_bank_dst; /* number of destinations with bank numbers */
	unsigned n_bank_src; /* number of sources with bank numbers */
	uint8_t n_operands, barrier, barrier_warps;
	bool issue_mask, ends;
	unsigned size; /* bytes accessed per lane */
};

/* Static fields of a line, before the opcode is looked up. */
struct draft {
	const char *opcode;
	size_t opcode_len;
	const char *file; /* name of the source file, which code_intern() copies; NULL: unknown */
	uint64_t imm;     /* first immediate; 0 if the line has none */
	uint64_t imm2;    /* second immediate; 0 if the line has none */
	uint32_t pc, lineno, file_number;
	unsigned n_dst; /* number of destinations, at most 255 */
	unsigned n_src; /* number of sources, at most 255 */
	enum isa_arch arch;
	bool has_addr;
	uint8_t commit;              /* one of enum inst_commit */
	uint8_t extra;               /* one of enum inst_extra */
	bool two_imms;               /* true for a BAR of a dialect with two immediates */
	const struct ptx_draft *ptx; /* fields of an instruction from PTX; NULL: machine code */
	uint16_t reg[2 * 255];       /* registers: destinations, then sources */
};

/* Place of an opcode, and the options for warnings and strictness. */
struct code_place {
	const struct trace_options *options;
	struct place place;
};

/* Returns the hash of an instruction's content. Equal instructions have equal hashes in every struct code. */
uint64_t code_hash(const struct code *c, uint32_t handle);
/* Returns the handle of the instruction, or -1 and sets *f. The function is thread-safe. */
int64_t code_intern(struct code *c, const struct draft *d, const struct code_place *where, struct fault *f);
/*
 * Sets row, class, kind, half_rate and size of an opcode of machine code from the table, for i->arch. Returns false
 * if the architecture lacks the opcode, so that the class is a guess.
 */
bool code_classify(struct inst *i, const struct isa *isa, const char *opcode, size_t n);
/* Returns true if the part of the opcode before the first '.' is the stem. */
bool code_has_stem(const char *opcode, size_t n, const char *stem);
/*
 * Returns true if instructions of a kind access memory in the load/store unit. Their active lanes then need
 * addresses.
 */
static inline bool code_kind_has_addresses(unsigned kind) { return kind >= KIND_LDG && kind <= KIND_ST; }

#endif
