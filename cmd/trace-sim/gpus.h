/* SPDX-License-Identifier: BSD-2-Clause */
/* --list-gpus. Used by main.c. */
#ifndef GPUS_H
#define GPUS_H

#include <stdio.h>

/* Prints a table of the shipped configurations. Ends the program if one cannot be read. */
void gpus_list(FILE *out);

struct gpuconf;
/* Prints one warning for all options without effect that are set. */
void gpus_warn_idle_options(const struct gpuconf *c);

#endif
