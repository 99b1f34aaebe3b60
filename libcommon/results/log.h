/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of a block of Accel-Sim's log: log.c reads them for read_accelsim.c. */
#ifndef RUN_LOG_H
#define RUN_LOG_H

#include "list.h"

int rr_log_figures(struct run_reader *r, char *line, struct fault *f); /* a line inside the block */
int rr_log_host(struct run_reader *r, char *line, struct fault *f);    /* behind it: host times */

#endif
