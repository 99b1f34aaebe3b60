/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints findings, one per line, in the order of the input, and counts them by rule.
 *
 * Always true: at most `limit` findings of a rule are printed for each file; all are counted. Findings of a
 * rule that is off are neither printed nor counted. Lines and columns are counted from 1; an unknown one is
 * reported as 1.
 */
#ifndef REPORT_H
#define REPORT_H

#include "diag.h"
#include "record.h"
#include "rules.h"

struct report {
	FILE *out;
	struct record_writer *json; /* writer of JSON records; NULL for text */
	/* level of each rule; the last element is for faults whose id has no rule */
	enum lint_level level[N_RULES + 1];
	uint64_t count[N_RULES + 1];      /* number of findings of the run, by rule */
	uint32_t printed[N_RULES + 1];    /* number of printed findings of this file, by rule */
	uint64_t suppressed[N_RULES + 1]; /* number of suppressed findings of this file, by rule */
	uint32_t limit; /* maximum number of printed findings per rule and file; 0 means no limit */
	bool werror;
	uint64_t files, kernels, insts;
};

/* Sets the levels to those in the table of rules. The caller sets `out` and `json`. */
void report_init(struct report *r);
/* Sets the levels of --for accel-sim. */
void report_set_accel_sim_levels(struct report *r);
static inline bool report_is_rule_on(const struct report *r, enum rule_name n)
{
	return r->level[n] != LEVEL_OFF;
}
void report_fault(struct report *r, const struct fault *f);
void report_at(struct report *r, enum rule_name n, struct place at, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Counts a finding without printing it. */
void report_count_only(struct report *r, enum rule_name n);
/* Prints the number of suppressed findings of a file. */
void report_file_end(struct report *r, const char *file);
uint64_t report_count_of_level(const struct report *r, enum lint_level level);
/* Prints the summary unless `quiet` is set. */
void report_end(struct report *r, bool quiet);

#endif
