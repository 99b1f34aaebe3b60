/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of figures that results_next() returns. list.c builds it for read.c. */
#ifndef RESULTS_LIST_H
#define RESULTS_LIST_H

#include "read_int.h"

/* Lists the figures of the current kernel record and adds them to the run's totals. */
void list_kernel_record(struct results *r);
void list_end_record(struct results *r); /* lists the figures of an "end" or "interval" record */
void list_run_totals(struct results *r); /* lists the totals of the run's kernels so far */

#endif
