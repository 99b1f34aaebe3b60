/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a kernel's block in Accel-Sim's log, read by log.c for read_accelsim.c. */
#ifndef RESULTS_LOG_H
#define RESULTS_LOG_H

#include "list.h"

int log_figures(struct results *r, char *line, struct fault *f); /* reads a line inside the block */
int log_host(struct results *r, char *line, struct fault *f);    /* reads a host time after the block */

#endif
