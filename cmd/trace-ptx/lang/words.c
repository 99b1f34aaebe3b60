/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a row of ptx.def, and whether the suffixes of a statement go together and with its types.
 *
 * Always true: a statement that words_fit passed has no suffix that its instruction would leave out of account for its
 * type, one of each choice that must be made, and at most one of each that may.
 */
#include <stdio.h>
#include <string.h>
#include "lang/lang.h"

static size_t word_length(const char *s) { return strcspn(s, " |/"); }

bool words_allow(enum opcode op, enum modifier m)
{
	const char *w = opcodes[op].words, *name = modifier_name[m];

	while (*(w += strspn(w, " |/"))) {
		size_t n = *w == '[' ? strcspn(w, "]") + 1 : word_length(w);

		if (*w != '[' && !strncmp(w, name, n) && !name[n])
			return true;
		w += n;
	}
	return false;
}

/* The types behind '[' have t among them, or are none. */
static bool lists_type(const char *s, enum type t)
{
	const char *name = types[t].name;
	bool any = *s == ']';

	for (; *s != ']'; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ]");

		any |= t && !strncmp(s, name, n) && !name[n];
		s += n;
	}
	return any;
}

/* The words at *w that are joined by *how, '|' or '/': how many of them the statement has; left loses them. */
static unsigned take_joined(const char **w, const struct stmt *in, uint64_t *left, char *how)
{
	unsigned found = 0;

	for (*how = ' ';; *how = *(*w)++) {
		size_t n = word_length(*w);
		enum modifier m = modifier_find(*w, (uint32_t)n);

		found += has(in, m);
		left[m / 64] &= ~(1ull << (m % 64));
		*w += n;
		if (**w != '|' && **w != '/')
			return found;
	}
}

bool words_fit(const struct stmt *in, const char *text, char *why, size_t cap)
{
	const char *w = opcodes[in->op].words;
	enum type t = in->n_types ? (enum type)in->type[in->n_types - 1] : T_NONE;
	uint64_t left[(N_MODIFIERS + 63) / 64];
	bool applies = true;

	if (*w == '*')
		return true;
	memcpy(left, in->mod, sizeof(left));
	while (*(w += strspn(w, " "))) {
		const char *first = w;
		char how;

		if (*w == '[') {
			applies = lists_type(w + 1, t);
			w += strcspn(w, "]") + 1;
		} else if (!applies) {
			w += strcspn(w, " ");
		} else {
			unsigned n = take_joined(&w, in, left, &how);

			if ((how == '|' && n != 1) || (how == '/' && n > 1)) {
				snprintf(why, cap, "found %u of .%.*s in %s, wanted %s", n, (int)(w - first),
					first, text, how == '|' ? "one" : "at most one");
				return false;
			}
		}
	}
	for (unsigned m = 0; m < N_MODIFIERS; m++)
		if (left[m / 64] >> (m % 64) & 1) {
			snprintf(why, cap, "found suffix .%s in %s, wanted it with a type that it goes with",
				modifier_name[m], text);
			return false;
		}
	return true;
}
