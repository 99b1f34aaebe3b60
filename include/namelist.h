/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of name patterns: "gpu_sim_cycle,gpu_ipc,L2_*". * matches any text, ? matches one character; brackets match
 * themselves, so dram[3].n_act needs no quoting.
 */
#ifndef NAMELIST_H
#define NAMELIST_H

#include <stdbool.h>
#include <stddef.h>

struct namelist {
	char **pattern;
	size_t n; /* number of patterns */
};

/* Creates a list from comma-separated names; ignores empty items. */
void namelist_add(struct namelist *l, const char *text);
/* Returns the index of the first pattern that matches, or -1. */
long namelist_find(const struct namelist *l, const char *name);
bool namelist_matches(const char *pattern, const char *name);
void namelist_free(struct namelist *l);

#endif
