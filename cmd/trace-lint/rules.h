/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of rules (rules.def), their levels, and the lookup by a fault's id.
 *
 * Always true: the level of a rule is determined by the effect on a run. It is "error" if trace-sim rejects
 * the input or its figures would be wrong. It is "warning" if the input is suspicious, or if the original
 * does not run it unchanged. Otherwise it is "note".
 */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stdio.h>

enum lint_level { LEVEL_OFF, LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR, N_LEVELS };

enum rule_name {
#define RULE(name, id, sim, original, scope, meaning, explain) RULE_##name,
#include "rules.def"
#undef RULE
	N_RULES
};

enum sim_consequence {
#define SIM(name, level, text) SIM_##name,
#include "rules.def"
#undef SIM
};

enum original_consequence {
#define ORIGINAL(name, level, text) ORIGINAL_##name,
#include "rules.def"
#undef ORIGINAL
};

struct rule {
	const char *id;
	const char *scope;   /* part of the input that is checked: "file", "list", ... */
	const char *meaning; /* one line */
	const char *explain;
	enum sim_consequence sim;
	enum original_consequence original;
};

extern const struct rule rules[N_RULES];

/* Returns the default level of a rule. */
enum lint_level rule_level(const struct rule *r);
/*
 * Returns the level of a rule with --for accel-sim. The level is "error" if Accel-Sim does not run the input
 * unchanged.
 */
enum lint_level rule_level_for_accel_sim(const struct rule *r);
int rule_find(const char *id); /* Returns -1 if there is no such rule. */
const char *lint_level_name(enum lint_level level);
int lint_level_find(const char *name); /* Returns -1 if there is no such level. */
void rules_print_list(FILE *out);
void rules_print_man(FILE *out);       /* prints the table of rules for trace-lint(1) */
void rules_print_man_words(FILE *out); /* prints the words of the table of --list for trace-lint(1) */
void rule_print_explanation(FILE *out, const struct rule *r);

#endif
