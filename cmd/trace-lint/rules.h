/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of rules (rules.def) and the way from a fault's id to its rule. */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stdio.h>

enum level { LEVEL_OFF, LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR, N_LEVELS };

enum rule_name {
#define RULE(name, id, level, scope, meaning, explain) RULE_##name,
#include "rules.def"
#undef RULE
	N_RULES
};

struct rule {
	const char *id;
	const char *scope;   /* "file", "list", ... what is checked */
	const char *meaning; /* one line */
	const char *explain;
	enum level level; /* unless -W says otherwise */
};

extern const struct rule rules[N_RULES];

int rule_find(const char *id); /* -1: none */
const char *level_name(enum level level);
int level_find(const char *name); /* -1: none */
void rules_list(FILE *out);
void rule_explain(FILE *out, const struct rule *r);

#endif
