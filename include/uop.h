/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions as the pipeline sees them: the trace's struct inst joined with the configuration,
 * decoded once (SM-inst, SM-unit). A handle of struct code is also the handle of its uop. Always true: unit
 * exists in this machine (the modern core looks at units of its own); every register is < REG_LIMIT.
 */
#ifndef UOP_H
#define UOP_H

#include "diag.h"
#include "inst.h"
#include "params.h"

enum uop_flag {
	UOP_LOAD = 1 << 0,  /* "is a load": class LOAD or memory kind load */
	UOP_STORE = 1 << 1, /* "is a store"; ATOMS is both */
	UOP_ATOMIC = 1 << 2,
	UOP_BYPASS = 1 << 3, /* cache operator GLOBAL */
	UOP_LDGSTS = 1 << 4,
	UOP_LDGDEPBAR = 1 << 5,
	UOP_DEPBAR = 1 << 6,
	UOP_BARRIER = 1 << 7,
	UOP_MEMBAR = 1 << 8,
	UOP_EXIT = 1 << 9,
	UOP_ACCESS = 1 << 10, /* class LOAD or STORE: accesses are generated */
	UOP_SOME_SCHEDULERS =
		1 << 11,      /* its kind has fewer units than there are schedulers, in sub-core mode */
	UOP_PARAM = 1 << 12,  /* PTX: counted as an access to parameters */
	UOP_ARRIVE = 1 << 13, /* PTX: a barrier that is not waited for */
	UOP_ISSUE = 1 << 14,  /* PTX: records have an issue mask */
	UOP_ENDS = 1 << 15    /* PTX: lanes end */
};

struct uop {
	const uint16_t *reg; /* n_dst destinations, then n_src sources; REG_R0 + n, REG_UR0 + n */
	uint32_t pc;
	uint32_t next; /* pc of what stands behind it */
	uint32_t groups; /* DEPBAR: N; a barrier: its number, and from bit 8 on the warps it waits for, 0: all */
	/*
	 * bit i: register bank_from + i, i < 32, is read from a
	 * bank (not uniform, no repetition of an earlier one)
	 */
	uint32_t bank_src;
	uint64_t registers; /* all in reg[], by number modulo 64 */
	uint16_t latency, interval;
	uint16_t flags; /* enum uop_flag */
	uint16_t size;  /* bytes per lane */
	uint8_t n_dst, n_src;
	uint8_t n_operands; /* of the sources, the first, which the two-level scheduler asks for (SM-two-2) */
	/* in reg[]: registers whose banks are written, and those that are read */
	uint8_t bank_dst, n_bank_dst, bank_from, n_bank_src;
	uint8_t bytes; /* of the instruction itself: 8 where it is one of PTX, else 16 */
	uint8_t class; /* enum isa_class after translation (ATOM: LOAD, LDC: ALU) */
	uint8_t unit;  /* enum unit_kind */
	uint8_t space; /* enum space */
	bool narrow; /* S8 or S16, which count as 4 bytes (quirk Q1-6): its addresses need not be multiples of 4 */
};

static inline bool uop_is_ptx(const struct uop *u) { return u->bytes == 8; }

/* 0, or -1 and *f when the machine has no unit for the instruction. */
int uop_make(struct uop *u, const struct inst *in, const struct params *p, struct fault *f);

/* Banks that hold a warp's registers. */
static inline uint32_t uop_bank_span(const struct core_params *p)
{
	return p->sub_core ? p->reg_banks / p->schedulers : p->reg_banks;
}

/* What bank_src says, for any register that is read. */
bool uop_reads_bank(const struct uop *u, unsigned source);

#endif
