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
/* Finds the first of the n words that names a trace, and prints the positions and file names of its kernels. */
void complete_kernels(FILE *out, char *const *word, int n);
/*
 * Prints words for the programs that read results. Kind "figures": the names and families of trace-stats(5). Kind
 * "runs": finds the first of the n words that names a result, and prints the positions and names of its kernels.
 */
void complete_results(FILE *out, const char *kind, char *const *word, int n);

#endif
