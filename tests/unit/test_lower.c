/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of lower.def: its opcodes must exist on the architectures, and each PTX instruction must have a
 * row.
 */
#include <string.h>
#include "isa.h"
#include "lower/lower.h"
#include "tap.h"

static const unsigned binaries[] = {60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 120};

struct row_search {
	const struct isa *isa;
	enum isa_arch arch;
	const char *name; /* name of a PTX instruction; NULL to check opcodes */
	unsigned rows, unknown;
};

static void check_lowered_row(void *ctx, const char *words, const char *opcode)
{
	struct row_search *l = ctx;
	char text[64];
	size_t n = strcspn(words, " "), stem;
	int row;

	if (l->name) {
		snprintf(text, sizeof(text), "%.*s|", (int)n, words);
		for (char *p = strtok(text, "|"); p; p = strtok(NULL, "|"))
			l->rows += !strcmp(p, l->name);
		return;
	}
	stem = strcspn(opcode, ".%@$");
	row = isa_find(l->isa, opcode, stem);
	l->rows++;
	if (row >= 0 && isa_row(l->isa, row)->class[l->arch] != CLASS_NONE)
		return;
	printf("# %s: %s is unknown to %s\n", words, opcode, isa_arch_name(l->arch));
	l->unknown++;
}

static void test_opcodes(void)
{
	struct isa *isa = isa_new();

	for (unsigned i = 0; i < sizeof(binaries) / sizeof(*binaries); i++) {
		struct row_search l = {isa, (enum isa_arch)isa_arch_of((int)binaries[i]), NULL, 0, 0};

		lower_each_opcode(binaries[i], check_lowered_row, &l);
		ok(l.rows > 300 && !l.unknown, "binary version %u has all %u opcodes of its rows",
			binaries[i], l.rows);
	}
	isa_free(isa);
}

/*
 * Tests that every instruction that can be executed has a row for Hopper, on which all these instructions
 * exist.
 */
static void test_instructions(void)
{
	unsigned without = 0;

	for (unsigned op = I_NONE + 1; op < N_OPCODES; op++) {
		struct row_search l = {NULL, ARCH_HOPPER, opcodes[op].name, 0, 0};

		lower_each_opcode(90, check_lowered_row, &l);
		if (!l.rows && strcmp(opcodes[op].words, "*")) {
			printf("# %s has no row\n", opcodes[op].name);
			without++;
		}
	}
	ok(!without, "every PTX instruction that trace-exec executes has a row");
}

int main(void)
{
	test_opcodes();
	test_instructions();
	return tap_done();
}
