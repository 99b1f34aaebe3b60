/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the rows of ptx.def, and the check that the suffixes of a statement are compatible with each
 * other and with its types.
 *
 * A row is split into groups of words when the first statement is read. A group has single words for the same
 * types, or words joined by the same sign. Always true: in a statement that words_are_allowed() accepted, every
 * suffix has an effect for the statement's type, each required choice has exactly one word, and each optional
 * choice has at most one.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "lang/lang.h"

#define OP(id, name, fn, ver, sm, words) [I_##id] = {name, words, ver, sm},
const struct opcode_row opcodes[N_OPCODES] = {
#include "lang/ptx.def"
};
#undef OP

#define SET_WORDS  ((N_MODIFIERS + 63) / 64)
#define GROUPS_MAX 1024
#define TWO_TYPES  63 /* bit of a set of types: the form has two types */
_Static_assert(N_TYPES <= TWO_TYPES, "a set of types is a word");

struct word_group {
	uint64_t words[SET_WORDS], types;
	const char *text; /* start of the group in the text of the row */
	uint8_t length;
	char choice; /* '|': exactly one of them, '/': at most one, ' ': any */
};
static struct word_group groups[GROUPS_MAX];
static uint16_t first_group[N_OPCODES + 1];      /* first group of each row */
static uint64_t name_part[N_OPCODES][SET_WORDS]; /* for each opcode, the words after '^' */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Returns the set of types after '['. An empty list means all types. */
static uint64_t read_type_set(const char *s)
{
	uint64_t set = *s == ']' ? UINT64_MAX : 0;

	for (; *s != ']'; s += strspn(s, " ")) {
		uint32_t n = (uint32_t)strcspn(s, " ]");

		set |= 1ull << (n == 5 && !memcmp(s, "mixed", n) ? TWO_TYPES : type_find(s, n));
		s += n;
	}
	return set;
}

/* Adds the word at s, and the words joined to it, to g. Returns the length of their text. */
static size_t read_joined_words(const char *s, struct word_group *g)
{
	const char *end = s;

	for (;; g->choice = *end++) {
		uint32_t n = (uint32_t)strcspn(end, " |/");
		enum modifier m = modifier_find(end, n);

		g->words[m / 64] |= 1ull << (m % 64);
		end += n;
		if (*end != '|' && *end != '/')
			return (size_t)(end - s);
	}
}

static unsigned read_word_row(const char *s, unsigned n, uint64_t *part)
{
	uint64_t set = UINT64_MAX;
	bool open = false; /* the last group can take more single words */

	while (*(s += strspn(s, " ")) && n < GROUPS_MAX) {
		if (*s == '[') {
			set = read_type_set(s + 1);
			s += strcspn(s, "]") + 1;
			open = false;
			continue;
		}
		bool in_name = *s == '^';
		struct word_group g = {.types = set, .text = s += in_name, .choice = ' '};
		size_t length = read_joined_words(s, &g);

		for (unsigned i = 0; in_name && i < SET_WORDS; i++)
			part[i] |= g.words[i];
		g.length = (uint8_t)length;
		s += length;
		if (open && g.choice == ' ')
			for (unsigned i = 0; i < SET_WORDS; i++)
				groups[n - 1].words[i] |= g.words[i];
		else
			groups[n++] = g;
		open = g.choice == ' ';
	}
	return n;
}

static void read_word_rows(void)
{
	unsigned n = 0;

	for (unsigned op = 0; op < N_OPCODES; op++) {
		first_group[op] = (uint16_t)n;
		n = op ? read_word_row(opcodes[op].words, n, name_part[op]) : 0;
	}
	first_group[N_OPCODES] = (uint16_t)n;
}

bool words_allow_modifier(enum opcode op, enum modifier m)
{
	pthread_once(&once, read_word_rows);
	for (unsigned i = first_group[op]; i < first_group[op + 1]; i++)
		if (groups[i].words[m / 64] >> (m % 64) & 1)
			return true;
	return false;
}

bool words_is_in_name(enum opcode op, enum modifier m)
{
	pthread_once(&once, read_word_rows);
	return name_part[op][m / 64] >> (m % 64) & 1;
}

/* Removes the group's words from `left`. Returns the number of words removed. */
static unsigned take_group_words(const struct word_group *g, uint64_t *left)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SET_WORDS; i++) {
		n += (unsigned)__builtin_popcountll(left[i] & g->words[i]);
		left[i] &= ~g->words[i];
	}
	return n;
}

bool words_are_allowed(const struct stmt *in, const char *text, char *why, size_t cap)
{
	unsigned t = in->n_types ? in->type[in->n_types - 1] : T_NONE;
	uint64_t left[SET_WORDS];

	pthread_once(&once, read_word_rows);
	for (unsigned i = first_group[in->opcode]; in->n_types == 2 && i < first_group[in->opcode + 1]; i++)
		if (groups[i].types == 1ull << TWO_TYPES)
			t = TWO_TYPES;
	memcpy(left, in->mod, sizeof(left));
	for (unsigned i = first_group[in->opcode]; i < first_group[in->opcode + 1]; i++) {
		const struct word_group *g = &groups[i];
		unsigned n = g->types >> t & 1 ? take_group_words(g, left) : 1;

		if ((g->choice == '|' && n != 1) || (g->choice == '/' && n > 1)) {
			snprintf(why, cap, "%u of .%.*s in %s (expected %s)", n, g->length, g->text, text,
				g->choice == '|' ? "one" : "at most one");
			return false;
		}
	}
	for (unsigned i = 0; i < SET_WORDS; i++)
		if (left[i]) {
			unsigned m = i * 64 + (unsigned)__builtin_ctzll(left[i]);

			snprintf(why, cap, "suffix .%s does not apply to the type in %s", modifier_name[m],
				text);
			return false;
		}
	return true;
}
