/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Match of a trace with a function of a cubin: compares the code at a PC with the instruction traced there.
 *
 * Always true: an opcode number is bound to the stem of the first instruction with that number. So no list of opcodes
 * is needed, and a number that occurs only once always matches.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "sass.h"

#define OPCODES 4096u

struct cubin_join {
	const struct cubin_function *function; /* function whose code is compared */
	const char *bound[OPCODES]; /* opcode text of the first instruction with each opcode number */
};

struct cubin_join *cubin_join_new(const struct cubin_function *f)
{
	struct cubin_join *j = xcalloc(1, sizeof(*j));

	j->function = f;
	return j;
}

void cubin_join_free(struct cubin_join *j) { free(j); }

static bool have_equal_stems(const char *a, const char *b)
{
	size_t n = sass_stem(a, strlen(a));

	return n == sass_stem(b, strlen(b)) && !memcmp(a, b, n);
}

enum cubin_match cubin_join_compare(struct cubin_join *j, uint32_t pc, const char *opcode, const char **bound)
{
	struct control_code code;

	if (pc % 16 || pc >= j->function->bytes)
		return CUBIN_NO_CODE;
	control_decode(&code, j->function->code + pc);
	if (!j->bound[code.opcode])
		j->bound[code.opcode] = opcode;
	*bound = j->bound[code.opcode];
	return have_equal_stems(*bound, opcode) ? CUBIN_MATCHES : CUBIN_OTHER_OPCODE;
}
