/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of opcodes of trace-sim-sm(7). Opcodes with the same classes on all architectures share one entry. */
#include <ctype.h>
#include <string.h>
#include "isa.h"
#include "roff.h"

static void print_arch(FILE *out, const char *before, int arch)
{
	const char *name = isa_arch_name((enum isa_arch)arch);

	fprintf(out, "%s%c%s", before, toupper((unsigned char)name[0]), name + 1);
}

/* Prints the classes of an opcode as "SP, Kepler to Volta; ALU, Ampere and later". */
static void print_classes(FILE *out, const uint8_t class[N_ARCHS])
{
	const char *separator = "";

	for (int last, i = 0; i < N_ARCHS; i = last + 1) {
		for (last = i; last + 1 < N_ARCHS && class[last + 1] == class[i]; last++)
			;
		if (class[i] == CLASS_NONE)
			continue;
		fprintf(out, "%s%s", separator, isa_class_name((enum isa_class) class[i]));
		separator = "; ";
		if (i == 0 && last == N_ARCHS - 1)
			continue;
		print_arch(out, ", ", i);
		if (last == N_ARCHS - 1 && last > i)
			fputs(" and later", out);
		else if (last > i)
			print_arch(out, last > i + 1 ? " to " : ", ", last);
	}
}

static bool equal_classes(const struct isa_op *a, const struct isa_op *b)
{
	return !memcmp(a->class, b->class, sizeof(a->class));
}

/* Returns the index of the first row that has the same classes as row i. */
static int first_row_with_classes(const struct isa *isa, int i)
{
	int first = 0;

	while (!equal_classes(isa_row(isa, first), isa_row(isa, i)))
		first++;
	return first;
}

void isa_man(FILE *out)
{
	struct isa *isa = isa_new();
	int n = isa_rows(isa);

	fputs(".Bl -tag -width Ds\n", out);
	for (int i = 0; i < n; i++) {
		const struct isa_op *op = isa_row(isa, i);
		size_t column = 0;

		if (first_row_with_classes(isa, i) != i)
			continue;
		fputs(".It ", out);
		print_classes(out, op->class);
		fputc('\n', out);
		for (int j = i; j < n; j++)
			if (equal_classes(op, isa_row(isa, j)))
				column = roff_words(out, column, isa_row(isa, j)->stem);
		fputc('\n', out);
	}
	fputs(".El\n", out);
	isa_free(isa);
}
