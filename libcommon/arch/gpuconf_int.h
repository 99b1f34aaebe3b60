/* SPDX-License-Identifier: BSD-2-Clause */
/* Between gpuconf.c, gpuconf_read.c and gpuconf_dump.c only. */
#ifndef GPUCONF_INT_H
#define GPUCONF_INT_H

#include "gpuconf.h"

#define CONF_TOKEN_MAX 4095 /* bytes of one option name or value */

/* Give option id the value text, checked against its row. 0, or -1 and *f. */
int conf_set(struct gpuconf *c, enum conf_id id, const char *text, struct place at, struct fault *f);
/* Fault about a name that no option has, with the nearest that one has. */
int conf_unknown(const char *name, struct place at, struct fault *f);
/* dir of base joined with path, in c's arena; path itself when it is absolute or base has no folder. */
const char *conf_relative_path(struct arena *a, const char *base, const char *path);

#endif
