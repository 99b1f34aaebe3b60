/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of a block of Accel-Sim's log: log.c reads them for read_accelsim.c. */
#ifndef RESULTS_LOG_H
#define RESULTS_LOG_H

#include "list.h"

int log_figures(struct results *r, char *line, struct fault *f); /* a line inside the block */
int log_host(struct results *r, char *line, struct fault *f);    /* behind it: host times */

#endif
