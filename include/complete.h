/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for shell completion of option values, called by the words() functions of the programs. Each line is a word,
 * a tab and its meaning. For unreadable input they print neither words nor messages, because the user is typing.
 */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdio.h>

/* Prints "NAME=" of every configuration option, with its help. */
void complete_options(FILE *out);
/* Prints the positions and file names of the kernels in the first of n words that names a trace. */
void complete_kernels(FILE *out, char *const *word, int n);
/*
 * Prints words for the programs that read results. Kind "figures": names and families of trace-stats(5). Kind
 * "runs": positions and names of the kernels in the first of n words that names a result.
 */
void complete_results(FILE *out, const char *kind, char *const *word, int n);

#endif
