/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for shell completion of option values; the words() functions of the programs print them with these functions.
 * Each line is a word, a tab and its meaning. Unreadable input gives no words and no messages, because the user is
 * still typing.
 */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdio.h>

/* Prints "NAME=" and the help text of every configuration option. */
void complete_options(FILE *out);
/* Prints the positions and file names of the kernels of a trace: the first of the n words that names one. */
void complete_kernels(FILE *out, char *const *word, int n);
/*
 * Prints words for the programs that read results. Kind "figures": the names and families of trace-stats(5). Kind
 * "runs": the positions and names of the kernels of a result, the first of the n words that names one.
 */
void complete_results(FILE *out, const char *kind, char *const *word, int n);

#endif
