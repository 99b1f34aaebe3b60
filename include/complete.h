/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that a shell may complete an option's value with; a program's cli_words hands them on. One a line, a tab and
 * what the word stands for behind it. What cannot be read gives none: completing must not disturb.
 */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdio.h>

/* "NAME=" of every configuration option, with its help. */
void complete_options(FILE *out);
/* Names and families of figures, as trace-stats(5) has them. */
void complete_figures(FILE *out);
/* Positions of the kernels in the first of n words that names a trace, with the names of their files. */
void complete_kernels(FILE *out, char *const *word, int n);
/* Positions of the kernels in the first of n words that names a result, with their names. */
void complete_runs(FILE *out, char *const *word, int n);

#endif
