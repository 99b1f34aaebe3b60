/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choosing by name: "gpu_sim_cycle,gpu_ipc,L2_*". * stands for any text, ? for one character; brackets are
 * themselves, so that dram[3].n_act needs no quoting here.
 */
#ifndef NAMELIST_H
#define NAMELIST_H

#include <stdbool.h>
#include <stddef.h>

struct namelist {
	char **pattern;
	size_t n;
};

void namelist_add(struct namelist *l, const char *text); /* comma-separated; empty items are left out */
long namelist_find(const struct namelist *l, const char *name); /* the first item that matches, or -1 */
bool namelist_matches(const char *pattern, const char *name);
void namelist_free(struct namelist *l);

#endif
