/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of --list-gpus, and a warning about options without effect. Used by main.c and simulate.c. */
#ifndef GPUS_H
#define GPUS_H

#include <stdio.h>

/* Prints a table of the supplied configurations. Ends the program if one cannot be read. */
void gpus_print_list(FILE *out);

struct gpuconf;
/* Prints a warning that lists the options that are set but have no effect. */
void gpus_warn_idle_options(const struct gpuconf *c);

#endif
