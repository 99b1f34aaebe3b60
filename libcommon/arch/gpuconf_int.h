/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between gpuconf.c and gpuconf_read.c. */
#ifndef GPUCONF_INT_H
#define GPUCONF_INT_H

#include "gpuconf.h"

#define CONF_TOKEN_MAX 4095 /* largest number of bytes of an option name or value */

/* Checks text against the row of option id and assigns it to the option. Returns 0, or -1 and sets *f. */
int conf_set(struct gpuconf *c, enum conf_id id, const char *text, struct place at, struct fault *f);
/* Sets the fault of an unknown option with the nearest known name. Returns -1. */
int conf_unknown(const char *name, struct place at, struct fault *f);
/*
 * Returns path relative to the directory of base, allocated in arena a. Returns path itself if it is absolute or base
 * has no directory part.
 */
const char *conf_relative_path(struct arena *a, const char *base, const char *path);

#endif
