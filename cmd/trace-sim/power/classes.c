/* SPDX-License-Identifier: BSD-2-Clause */
/* Power class and operand class of machine instructions (POWER-class). */
#include "meter.h"
#include <stdlib.h>

static const struct class_row {
	const char *stem;
	uint8_t unit;
} class_rows[] = {
#define POWER_CLASS(stem, counter) {#stem, POWER_##counter - POWER_UNIT_FIRST},
#include "classes.def"
#undef POWER_CLASS
};
#define N_CLASS_ROWS (sizeof(class_rows) / sizeof(*class_rows))

#define UNIT_OF(counter) (POWER_##counter - POWER_UNIT_FIRST)

static int compare_class_stem(const void *key, const void *row)
{
	return strcmp(key, ((const struct class_row *)row)->stem);
}

static unsigned class_of_stem(const char *stem)
{
	const struct class_row *r =
		bsearch(stem, class_rows, N_CLASS_ROWS, sizeof(*class_rows), compare_class_stem);

	return r ? r->unit : POWER_NO_UNIT;
}

/*
 * Applies the exceptions of POWER-class-2. quirk Q7-7: IMAD and MUFU with any other suffix are a
 * multiplication and a sine.
 */
static unsigned class_exception_of(const char *opcode, unsigned unit)
{
	static const struct {
		const char *opcode;
		uint8_t unit;
	} rows[] = {{"IMAD.MOV", UNIT_OF(INT_ACC)}, {"IMAD.IADD", UNIT_OF(INT_ACC)},
		{"MUFU.EX2", UNIT_OF(FP_EXP_ACC)}, {"MUFU.RCP", UNIT_OF(FP_EXP_ACC)},
		{"MUFU.RSQ", UNIT_OF(FP_SQRT_ACC)}, {"MUFU.LG2", UNIT_OF(FP_LG_ACC)}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].opcode, opcode))
			return rows[i].unit;
	return unit;
}

/* Returns true if the operand class is FP (POWER-class-3). */
static bool is_floating(enum isa_class class, unsigned unit)
{
	switch (class) {
	case CLASS_SP:
	case CLASS_SFU:
	case CLASS_DP:
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_SPEC2:
	case CLASS_SPEC3: return true;
	case CLASS_ALU: return unit == UNIT_OF(FPU_ACC) || unit == UNIT_OF(TEX_ACC) || unit == POWER_NO_UNIT;
	default: return false;
	}
}

void power_op_make(struct power_op *op, const struct inst *in, unsigned reads)
{
	size_t n = strcspn(in->opcode, ".");
	char stem[32] = "";
	unsigned unit;

	if (n < sizeof(stem))
		memcpy(stem, in->opcode, n);
	unit = class_of_stem(stem);
	*op = (struct power_op){.unit = (uint8_t)class_exception_of(in->opcode, unit),
		.reads = (uint8_t)reads,
		.floating = is_floating((enum isa_class)in->class, unit),
		.load_constant = !strcmp(stem, "LDC")};
}
