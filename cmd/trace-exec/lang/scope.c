/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: a hash table for each scope. A range of registers (%r<10>) is one name, its prefix. Words, types and
 * opcodes are found by binary search in sorted tables that are built on first use.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "lang/lang.h"

static uint32_t hash_name(const char *s, uint32_t n)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h ^ h >> 15;
}

struct symbol *scope_find(const struct scope *s, const char *name, uint32_t n)
{
	struct symbol *sym = s->n_chains ? s->chain[hash_name(name, n) & (s->n_chains - 1)] : NULL;

	while (sym && (strncmp(sym->name, name, n) || sym->name[n]))
		sym = sym->next;
	return sym;
}

static void scope_insert_symbol(struct scope *s, struct symbol *sym)
{
	uint32_t hash = hash_name(sym->name, (uint32_t)strlen(sym->name));
	struct symbol **chain = &s->chain[hash & (s->n_chains - 1)];

	sym->next = *chain;
	*chain = sym;
}

static void scope_grow(struct scope *s, struct arena *a)
{
	struct scope old = *s;

	s->n_chains = old.n_chains ? 4 * old.n_chains : 16;
	s->chain = arena_alloc(a, s->n_chains, sizeof(struct symbol *));
	for (uint32_t i = 0; i < old.n_chains; i++)
		for (struct symbol *sym = old.chain[i], *next; sym; sym = next) {
			next = sym->next;
			scope_insert_symbol(s, sym);
		}
}

void scope_add(struct scope *s, struct symbol *sym, struct arena *a)
{
	if (s->n_names++ >= s->n_chains)
		scope_grow(s, a);
	scope_insert_symbol(s, sym);
}

/* ---- tables ---- */

#define T(id, name, bits, kind) [T_##id] = {name, bits, K_##kind},
const struct type_row types[N_TYPES] = {
	[T_NONE] = {"", 0, K_BITS},
#include "lang/types.def"
};
#undef T

#define M(id, word) [M_##id] = word,
const char *const modifier_name[N_MODIFIERS] = {
#include "lang/words.def"
};
#undef M

#define S(id, name, bits) [S_##id] = {name, bits},
const struct sreg_row sregs[N_SREGS] = {
#include "lang/sregs.def"
};
#undef S

const char *const space_name[N_STATE_SPACES] = {
	"", "reg", "global", "const", "shared", "local", "param", "generic"};

/* Entry of a sorted table: a name and its index in the original table. */
struct scope_entry {
	const char *name;
	uint16_t index;
};
static struct scope_entry by_opcode[N_OPCODES], by_word[N_MODIFIERS], by_type[N_TYPES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int compare_scope_names(const void *a, const void *b)
{
	return strcmp(((const struct scope_entry *)a)->name, ((const struct scope_entry *)b)->name);
}

static void sort_name_tables(void)
{
	for (unsigned i = 0; i < N_OPCODES; i++)
		by_opcode[i] = (struct scope_entry){i ? opcodes[i].name : "", (uint16_t)i};
	for (unsigned i = 0; i < N_MODIFIERS; i++)
		by_word[i] = (struct scope_entry){i ? modifier_name[i] : "", (uint16_t)i};
	for (unsigned i = 0; i < N_TYPES; i++)
		by_type[i] = (struct scope_entry){types[i].name, (uint16_t)i};
	qsort(by_opcode, N_OPCODES, sizeof(struct scope_entry), compare_scope_names);
	qsort(by_word, N_MODIFIERS, sizeof(struct scope_entry), compare_scope_names);
	qsort(by_type, N_TYPES, sizeof(struct scope_entry), compare_scope_names);
}

static unsigned find_in_sorted_names(const struct scope_entry *e, unsigned count, const char *s, uint32_t n)
{
	unsigned low = 1, high = count; /* the empty name is the first and is not a word */

	pthread_once(&once, sort_name_tables);
	while (low < high) {
		unsigned mid = (low + high) / 2;
		int c = strncmp(e[mid].name, s, n);

		if (!c && e[mid].name[n])
			c = 1;
		if (!c)
			return e[mid].index;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

enum opcode opcode_find(const char *s, uint32_t n)
{
	return (enum opcode)find_in_sorted_names(by_opcode, N_OPCODES, s, n);
}
enum modifier modifier_find(const char *s, uint32_t n)
{
	return (enum modifier)find_in_sorted_names(by_word, N_MODIFIERS, s, n);
}
enum type type_find(const char *s, uint32_t n)
{
	return (enum type)find_in_sorted_names(by_type, N_TYPES, s, n);
}
