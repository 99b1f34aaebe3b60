/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The join of a trace with a function of a cubin: is the code at a PC that of the instruction traced there?
 *
 * Always true: a number of the machine code stands for one stem, the one that it was first met with; so no
 * list of opcodes is needed, and an instruction of a number that is met once matches.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "sass.h"

#define OPCODES 4096u

struct cubin_join {
	const struct cubin_function *f;
	const char *bound[OPCODES]; /* text of the first instruction met with the number */
};

struct cubin_join *cubin_join_new(const struct cubin_function *f)
{
	struct cubin_join *j = xcalloc(1, sizeof(*j));

	j->f = f;
	return j;
}

void cubin_join_free(struct cubin_join *j) { free(j); }

static bool same_stem(const char *a, const char *b)
{
	size_t n = sass_stem(a, strlen(a));

	return n == sass_stem(b, strlen(b)) && !memcmp(a, b, n);
}

enum cubin_match cubin_join_look(struct cubin_join *j, uint32_t pc, const char *opcode, const char **bound)
{
	struct control_code code;

	if (pc % 16 || pc >= j->f->bytes)
		return CUBIN_NO_CODE;
	control_decode(&code, j->f->code + pc);
	if (!j->bound[code.opcode])
		j->bound[code.opcode] = opcode;
	*bound = j->bound[code.opcode];
	return same_stem(*bound, opcode) ? CUBIN_MATCHES : CUBIN_OTHER_OPCODE;
}
