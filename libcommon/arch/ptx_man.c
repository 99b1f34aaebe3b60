/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of trace-sim-ptx(7): stems by rule, and, by reason, the stems that the original lacks. */
#include <string.h>
#include "ptx.h"
#include "roff.h"

static const struct man_ptx {
	const char *stem, *rule, *reason;
} man_ptx[] = {
#define PTX_OP(stem, rule, entry, kind, reason) {stem, #rule, reason},
#include "ptx-ops.def"
#undef PTX_OP
};

#define N_MAN_PTX (sizeof(man_ptx) / sizeof(man_ptx[0]))

void ptx_man_rules(FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < N_MAN_PTX; i++) {
		const char *rule = man_ptx[i].rule;
		size_t first = 0, column = 0;

		while (strcmp(man_ptx[first].rule, rule) != 0)
			first++;
		if (first != i)
			continue;
		fprintf(out, ".It Dv %s\n", rule);
		for (size_t j = i; j < N_MAN_PTX; j++)
			if (!strcmp(man_ptx[j].rule, rule))
				column = roff_words(out, column, man_ptx[j].stem);
		fputc('\n', out);
	}
	fputs(".El\n", out);
}

void ptx_man_approximated(FILE *out)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < N_MAN_PTX; i++) {
		const char *reason = man_ptx[i].reason;
		size_t first = 0;

		while (strcmp(man_ptx[first].reason, reason) != 0)
			first++;
		if (first != i || !*reason)
			continue;
		fputs(".It", out);
		for (size_t j = i; j < N_MAN_PTX; j++)
			if (!strcmp(man_ptx[j].reason, reason))
				fprintf(out, " %s", man_ptx[j].stem);
		fputc('\n', out);
		roff_text(out, reason);
	}
	fputs(".El\n", out);
}
