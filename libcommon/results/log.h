/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of the lines of a kernel's block in Accel-Sim's log, for read_accelsim.c. */
#ifndef RESULTS_LOG_H
#define RESULTS_LOG_H

#include "list.h"

int log_read_line(struct results *r, char *line, struct fault *f); /* reads a line inside the block */
/* Reads a line with the host's time after the block. */
int log_read_host_line(struct results *r, char *line, struct fault *f);

#endif
