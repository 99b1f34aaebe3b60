/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: printed one a line in the order in which they are met, counted by rule.
 *
 * Always true: of one rule at most `limit` findings of a file are printed, all are counted; a rule that is
 * off is neither printed nor counted. A finding's line and column count from 1; 1 stands for an unknown one.
 */
#ifndef REPORT_H
#define REPORT_H

#include "diag.h"
#include "record.h"
#include "rules.h"

struct report {
	FILE *out;
	struct record_writer *json;         /* NULL: text */
	enum lint_level level[N_RULES + 1]; /* the last one: faults whose id has no rule */
	uint64_t count[N_RULES + 1];        /* all of the run */
	uint32_t here[N_RULES + 1];         /* printed of this file */
	uint64_t more[N_RULES + 1];         /* not printed of this file */
	uint32_t limit;                     /* 0: none */
	bool werror;
	uint64_t files, kernels, insts;
};

/* Levels as in the table; out and json are the caller's to set. */
void report_init(struct report *r);
/* Levels for traces that the original is to run. */
void report_for_original(struct report *r);
static inline bool report_on(const struct report *r, enum rule_name n) { return r->level[n] != LEVEL_OFF; }
void report_fault(struct report *r, const struct fault *f);
void report_at(struct report *r, enum rule_name n, struct place at, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* One more finding of the rule, not printed. */
void report_again(struct report *r, enum rule_name n);
/* Behind the last finding of a file: how many were not printed. */
void report_file_end(struct report *r, const char *file);
uint64_t report_total(const struct report *r, enum lint_level level);
/* The last line, unless quiet. */
void report_end(struct report *r, bool quiet);

#endif
