/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the table of rules, in the order of rules.def, and prints it. */
#include <ctype.h>
#include <string.h>
#include "roff.h"
#include "rules.h"

#define SCOPE_FILE    "file"
#define SCOPE_LIST    "list"
#define SCOPE_HEADER  "header"
#define SCOPE_BLOCK   "block"
#define SCOPE_WARP    "warp"
#define SCOPE_LINE    "line"
#define SCOPE_ADDRESS "address"
#define SCOPE_CODES   "codes"
#define SCOPE_CONFIG  "config"

const struct rule rules[N_RULES] = {
#define RULE(name, id, sim, original, scope, meaning, explain) \
	[RULE_##name] = {id, SCOPE_##scope, meaning, explain, SIM_##sim, ORIGINAL_##original},
#include "rules.def"
#undef RULE
};

struct consequence {
	const char *name, *text;
	enum lint_level level;
};

static const struct consequence on_sim[] = {
#define SIM(name, level, text) [SIM_##name] = {#name, text, LEVEL_##level},
#include "rules.def"
#undef SIM
};

static const struct consequence on_original[] = {
#define ORIGINAL(name, level, text) [ORIGINAL_##name] = {#name, text, LEVEL_##level},
#include "rules.def"
#undef ORIGINAL
};

static const char *const levels[N_LEVELS] = {"off", "note", "warning", "error"};

enum lint_level rule_level(const struct rule *r)
{
	enum lint_level sim = on_sim[r->sim].level, original = on_original[r->original].level;

	return sim > original ? sim : original;
}

enum lint_level rule_level_for_accel_sim(const struct rule *r)
{
	return on_original[r->original].level == LEVEL_WARNING ? LEVEL_ERROR : rule_level(r);
}

int rule_find(const char *id)
{
	for (int r = 0; r < N_RULES; r++)
		if (!strcmp(rules[r].id, id))
			return r;
	return -1;
}

const char *lint_level_name(enum lint_level level) { return levels[level]; }

int lint_level_find(const char *name)
{
	for (int l = 0; l < N_LEVELS; l++)
		if (!strcmp(levels[l], name))
			return l;
	return -1;
}

void rules_print_list(FILE *out)
{
	for (int r = 0; r < N_RULES; r++)
		fprintf(out, "%-22s %-8s %-8s %-8s %-9s %s\n", rules[r].id,
			lint_level_name(rule_level(&rules[r])), rules[r].scope, on_sim[rules[r].sim].name,
			on_original[rules[r].original].name, rules[r].meaning);
}

/* Prints text in lines of at most 78 bytes. */
static void print_folded(FILE *out, const char *text)
{
	size_t at = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at && at + 1 + n > 78) {
			putc('\n', out);
			at = 0;
		}
		at += (size_t)fprintf(out, "%s%.*s", at ? " " : "", (int)n, text);
		text += n + strspn(text + n, " ");
	}
	putc('\n', out);
}

void rule_print_explanation(FILE *out, const struct rule *r)
{
	fprintf(out, "%s (%s, %s): ", r->id, lint_level_name(rule_level(r)), r->scope);
	print_folded(out, r->meaning);
	fprintf(out, "\ntrace-sim %s.\nAccel-Sim %s.\n\n", on_sim[r->sim].text,
		on_original[r->original].text);
	print_folded(out, r->explain);
}

void rules_print_man(FILE *out)
{
	const char *scope = "";

	for (const struct rule *r = rules; r < rules + N_RULES; r++) {
		if (strcmp(r->scope, scope) != 0)
			fprintf(out, "%s.Ss %c%s\n.Bl -tag -width Ds\n", *scope ? ".El\n" : "",
				toupper((unsigned char)r->scope[0]), r->scope + 1);
		scope = r->scope;
		fprintf(out, ".It Cm %s Pq %s\n", r->id, lint_level_name(rule_level(r)));
		roff_sentence(out, r->meaning);
		roff_printf(out, "trace-sim %s; Accel-Sim %s.", on_sim[r->sim].text,
			on_original[r->original].text);
	}
	fputs(".El\n", out);
}

void rules_print_man_words(FILE *out)
{
	const size_t n_sim = sizeof(on_sim) / sizeof(on_sim[0]);
	const size_t n_original = sizeof(on_original) / sizeof(on_original[0]);

	for (size_t i = 0; i < n_sim; i++) {
		fprintf(out, ".It Cm %s\n", on_sim[i].name);
		roff_printf(out, "trace-sim %s", on_sim[i].text);
	}
	for (size_t i = 0; i < n_original; i++) {
		fprintf(out, ".It Cm %s\n", on_original[i].name);
		roff_printf(out, "Accel-Sim %s", on_original[i].text);
	}
}
