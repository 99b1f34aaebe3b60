/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the trace with the control codes from --cubin or, without the option, with the codes that are
 * packed with the kernel.
 *
 * Always true: instructions are matched with the function's code in trace order, as in trace-sim (cubin.h).
 * The first thread block alone decides whether trace-sim uses the control codes.
 */
#include <string.h>
#include "cubin.h"
#include "lint.h"

bool lint_cubins(struct lint *l, const char *const *path, uint32_t n)
{
	struct fault f;
	bool good = true;

	if (n)
		l->cubins = cubins_new();
	for (uint32_t i = 0; i < n; i++) {
		if (cubins_add(l->cubins, path[i], &f) == 0)
			continue;
		if (!strcmp(f.id, CUBINS_NONE)) /* the rule "cubin" covers both faults */
			f.id = "cubin";
		report_fault(l->rep, &f);
		good = false;
	}
	if (!good) { /* findings from an incomplete set would be wrong */
		cubins_free(l->cubins);
		l->cubins = NULL;
	}
	return good;
}

void lint_cubin_kernel(struct lint *l)
{
	const struct cubins *in[] = {l->cubins, trace_codes(l->trace)};
	const struct cubin_function *f = NULL;
	unsigned sm = (unsigned)l->head->binary_version;

	l->compared = l->mismatches = 0;
	if (l->head->ptx)
		return;
	for (unsigned i = 0; i < 2 && !f; i++)
		if (in[i])
			f = cubins_find(in[i], l->head->name, sm);
	if (f)
		l->join = cubin_join_new(f);
	else if (l->cubins)
		report_at(l->rep, RULE_CUBIN_FUNCTION, (struct place){.file = trace_path(l->trace)},
			"no function %.200s for sm_%u in the files of --cubin", l->head->name, sm);
}

void lint_cubin_inst(struct lint *l, const struct inst *in, const struct trace_line *line)
{
	const char *bound = "";
	enum cubin_match got = cubin_join_compare(l->join, in->pc, in->opcode, &bound);
	char shown[64];

	if (!l->first_block_done) {
		l->compared++;
		l->mismatches += got != CUBIN_MATCHES;
	}
	if (got == CUBIN_NO_CODE)
		report_at(l->rep, RULE_CUBIN_PC, lint_place(l, line, COLUMN_PC),
			"PC %04x is beyond the instructions of the function", in->pc);
	else if (got == CUBIN_OTHER_OPCODE)
		report_at(l->rep, RULE_CUBIN_OPCODE, lint_place(l, line, COLUMN_OPCODE),
			"opcode '%.60s', but the function has the opcode of '%s'", in->opcode,
			diag_quote(shown, sizeof(shown), bound, strlen(bound)));
}

void lint_cubin_finish_kernel(struct lint *l)
{
	if (l->mismatches)
		report_at(l->rep, RULE_CUBIN_SHARE, (struct place){.file = trace_path(l->trace)},
			"only %u of %u instructions of the first thread block match the function",
			l->compared - l->mismatches, l->compared);
	cubin_join_free(l->join);
	l->join = NULL;
}
