/* SPDX-License-Identifier: BSD-2-Clause */
/* Suffixes newer than their instruction, and the PTX version and target that a statement needs. */
#include <stdio.h>
#include <string.h>
#include "lang/lang.h"

#define NEED(op, word, version, target, letter) {I_##op, version, target, letter, word},
const struct need younger[] = {
#include "lang/needs.def"
};
#undef NEED
_Static_assert(N_NEEDS <= sizeof(((struct module *)0)->warned_needs), "each is warned of once a module");

const struct need *need_find(enum opcode op, const char *word, size_t n)
{
	for (unsigned i = 0; i < N_NEEDS; i++)
		if (younger[i].opcode == op && strlen(younger[i].word) == n &&
			!memcmp(younger[i].word, word, n))
			return &younger[i];
	return NULL;
}

void need_write_words(const struct need *n, char *out, size_t cap)
{
	snprintf(out, cap, "PTX %u.%u and sm_%u%.*s", n->version / 10u, n->version % 10u, n->target,
		n->letter != 0, &n->letter);
}

const char *need_write_text(const struct stmt *in, const char *text, char *out, size_t cap)
{
	const struct opcode_row *row = &opcodes[in->opcode];
	struct need all = {.version = row->version, .target = row->target};

	*out = '\0';
	for (const char *s = strchr(text, '.'); s; s = strchr(s, '.')) {
		const struct need *one;

		s++;
		one = need_find((enum opcode)in->opcode, s, strcspn(s, "."));
		if (one && one->version >= all.version)
			all = *one;
	}
	if (all.target)
		need_write_words(&all, out, cap);
	return out;
}
