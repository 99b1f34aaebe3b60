/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the files of lower/: see lower.h. */
#ifndef SELECT_H
#define SELECT_H

#include "lower/lower.h"

/* ---- rows.c ---- */

enum part_kind { PART_NONE, PART_RESULT, PART_SOURCE, PART_ADDRESS, PART_TEMP };
#define WHOLE        255u
#define TEMPS        8u /* t u v w T U V W */
#define STEP_SOURCES 4u

struct lower_part {
	uint8_t kind, index, half; /* half: 0, 1 or WHOLE */
};

struct lower_step {
	char opcode[48]; /* with % and @ */
	struct lower_part dst, src[STEP_SOURCES];
	uint8_t n_src;
	uint16_t times;
	bool access, immediate;
};

/* Facts about an instruction that rows test, besides its words. */
struct facts {
	const struct stmt *in;
	const struct op *op;
	unsigned binary;
	bool unused, entry;
};

/* The sequence of an instruction; NULL: the GPU has none. */
const char *rows_find(const struct facts *q);
/* The sequence for two; NULL: none. multiple: the first's result may have several such users. */
const char *rows_fuse(const struct facts *first, const struct facts *second, bool *multiple);
/* Reads the step at *at and moves *at after it. false: there is none. */
bool rows_step(const char **at, struct lower_step *s);

/* ---- values.c ---- */

enum value_kind { VALUE_REG, VALUE_PRED, VALUE_CONST, VALUE_SAME };

struct lower_value {
	uint32_t defs, uses, address_uses, chosen; /* chosen: uses that would take it in */
	uint32_t at, last;                         /* its (last) definition, its last use */
	uint32_t of;                               /* VALUE_SAME: the register it is, or its lower half */
	uint32_t item, offset;                     /* select.c */
	uint8_t kind, size;                        /* size: registers */
	bool scattered, guarded; /* used outside of the block that defines it; defined under a guard */
};

enum act { ACT_ROW, ACT_GONE, ACT_FUSED };

struct plan {
	const struct bound_code *code;
	const struct func *f;
	unsigned binary;
	struct lower_value *value;  /* by register */
	uint8_t *act;               /* by instruction */
	uint32_t *producer, *block; /* ACT_FUSED: the first of the two; block's number */
	const char **sequence;      /* ACT_FUSED */
	uint32_t *loop_end;         /* of a loop that begins with the instruction: its last one; else 0 */
	bool *in_loop;
	const struct operand **wide; /* the results of a load in the place of several; NULL: one */
	int32_t *shift;              /* bytes from its lowest address to its own */
	struct arena arena;
};

void plan_make(struct plan *p, const struct bound_code *c, const struct func *f, unsigned binary);
void plan_free(struct plan *p);
/* Follows copies. */
uint32_t plan_root(const struct plan *p, uint32_t reg);
struct facts plan_facts(const struct plan *p, uint32_t i);

/* Does the register hold from instruction `from' to instruction `to' what it held at `from'? */
bool plan_holds(const struct plan *p, uint32_t reg, uint32_t from, uint32_t to);

/* widen.c */
void plan_widen(struct plan *p);

/* ---- live.c ---- */

#define NO_REF            UINT32_MAX
#define REF(item, offset) ((item) << 8 | (offset))

struct lower_item {           /* consecutive registers */
	uint32_t first, last; /* of the function's instructions, as they become */
	uint16_t size, reg;
};

struct machine_inst {
	char opcode[48];
	uint32_t dst, src[STEP_SOURCES];
	uint8_t n_src, bytes;
	bool access;
	int32_t immediate, shift; /* shift: of the address that was executed above that of the access */
};

struct lower_code {
	struct machine_inst *inst;
	struct lower_item *item;
	uint32_t n_insts, cap_insts, n_items, cap_items;
	uint32_t *start; /* by PTX instruction of the function, and the end */
};

/*
 * Registers for all items, and the highest in *most. -1 and *at: nothing is left for the item of that
 * instruction.
 */
int live_allocate(struct lower_code *c, const struct plan *p, uint32_t *most, uint32_t *at);

/* ---- select.c ---- */

/* 0, or -1 and *f. */
int select_code(struct lower_code *c, const struct plan *p, struct fault *f);

#endif
