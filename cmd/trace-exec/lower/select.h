/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the files of lower/: see lower.h. */
#ifndef SELECT_H
#define SELECT_H

#include "lower/lower.h"

/* ---- rows.c ---- */

enum part_kind { PART_NONE, PART_RESULT, PART_SOURCE, PART_ADDRESS, PART_TEMP };
#define WHOLE        255u
#define TEMPS        8u /* temporary registers: t u v w of 32 bits, T U V W of 64 bits */
#define STEP_SOURCES 4u

struct lower_part {
	uint8_t kind;
	uint8_t index;
	uint8_t half; /* 0, 1 or WHOLE */
};

struct lower_step {
	char opcode[48]; /* opcode with the placeholders % and @ */
	struct lower_part dst, src[STEP_SOURCES];
	uint8_t n_src;
	uint16_t times;
	bool access, immediate;
};

/* Facts about an instruction that the words of rows test. */
struct inst_facts {
	const struct stmt *stmt;
	const struct op *op;
	unsigned binary;
	bool unused, entry;
};

/* Returns the sequence of an instruction, or NULL if the GPU has none. */
const char *rows_find_sequence(const struct inst_facts *q);
/*
 * Returns the sequence of a fused pair, or NULL if there is none. Sets *multiple to whether the first
 * instruction may be fused with each of several second instructions.
 */
const char *rows_find_fused_sequence(
	const struct inst_facts *first, const struct inst_facts *second, bool *multiple);
/* Reads the step at *at and moves *at after it. Returns false if no step is left. */
bool rows_take_step(const char **at, struct lower_step *s);

/* ---- values.c ---- */

enum value_kind { VALUE_REG, VALUE_PRED, VALUE_CONST, VALUE_SAME };

struct lower_value {
	uint32_t defs, uses, address_uses;
	uint32_t fused_uses;   /* number of uses in pairs that could be fused */
	uint32_t def;          /* instruction of the value's last definition */
	uint32_t last_use;     /* instruction of the value's last use */
	uint32_t same_as;      /* VALUE_SAME: the register that the value equals, or whose lower half it is */
	uint32_t item, offset; /* select.c */
	uint8_t kind;
	uint8_t size;            /* number of registers */
	bool used_outside_block; /* the value is used outside of the block that defines it */
	bool guarded;            /* the value is defined under a guard */
};

enum plan_action { ACT_ROW, ACT_GONE, ACT_FUSED };

struct plan {
	const struct bound_code *code;
	const struct func *func;
	unsigned binary;
	struct lower_value *value; /* values by the number of their register */
	uint8_t *action;           /* enum plan_action of each instruction */
	uint32_t *producer;        /* ACT_FUSED: the first instruction of the pair */
	uint32_t *block;           /* number of the basic block */
	const char **sequence;     /* ACT_FUSED */
	uint32_t *loop_end;        /* last instruction of a loop that begins here; 0: no loop begins here */
	bool *in_loop;
	const struct operand **widened_results; /* the results of a widened load; NULL: not widened */
	int32_t *shift; /* bytes from the lowest address of a widened load to the load's own address */
	struct arena arena;
};

void plan_make(struct plan *p, const struct bound_code *c, const struct func *f, unsigned binary);
void plan_free(struct plan *p);
/* Returns the register that reg is a copy of, directly or through other copies, or reg itself. */
uint32_t plan_original_register(const struct plan *p, uint32_t reg);
struct inst_facts plan_gather_facts(const struct plan *p, uint32_t i);

/* Returns true if the value of the register is the same at instructions `from` and `to`. */
bool plan_keeps_value(const struct plan *p, uint32_t reg, uint32_t from, uint32_t to);

/* widen.c */
void plan_widen_loads(struct plan *p);

/* ---- live.c ---- */

#define NO_REF            UINT32_MAX
#define REF(item, offset) ((item) << 8 | (offset))

struct lower_item {          /* consecutive registers */
	uint32_t first_inst; /* first machine instruction of the item's live range */
	uint32_t last_inst;  /* last machine instruction of the item's live range */
	uint16_t size, reg;
};

struct machine_inst {
	char opcode[48];
	uint32_t dst, src[STEP_SOURCES];
	uint8_t n_src, bytes;
	bool access;
	bool ends_group; /* a product that ends a group */
	int32_t immediate;
	int32_t immediate2;
	int32_t shift; /* executed address minus the address of the access */
};

struct lower_code {
	struct machine_inst *inst;
	struct lower_item *item;
	uint32_t n_insts, cap_insts, n_items, cap_items;
	uint32_t *start; /* first machine instruction of each PTX instruction of the function, then the end */
};

/*
 * Allocates registers for all items and raises *most to the number of registers in use. Returns -1 if no
 * register is free for the item that begins at machine instruction *at.
 */
int live_allocate(struct lower_code *c, const struct plan *p, uint32_t *most, uint32_t *at);

/* ---- select.c ---- */

/* Selects the machine instructions of p->func. Returns 0, or -1 with *f set. */
int select_code(struct lower_code *c, const struct plan *p, struct fault *f);

#endif
