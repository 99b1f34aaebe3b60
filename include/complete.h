/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that a shell may complete an option's value with; a program's cli_words hands them on. One a line, a
 * tab and what the word stands for behind it. What cannot be read gives none: completing must not disturb.
 */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdio.h>

/* "NAME=" of every configuration option, with its help. */
void complete_options(FILE *out);
/* Positions of the kernels in the first of n words that names a trace, with the names of their files. */
void complete_kernels(FILE *out, char *const *word, int n);
/*
 * Of programs that read results, a cli_words. "figures": names and families, as trace-stats(5) has them.
 * "runs": positions of the kernels in the first of n words that names a result, with their names.
 */
void complete_results(FILE *out, const char *kind, char *const *word, int n);

#endif
