/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of figures that results_next() returns; list.c makes it for read.c. */
#ifndef RESULTS_LIST_H
#define RESULTS_LIST_H

#include "read_int.h"

void list_kernel_record(
	struct results *r);              /* lists the current kernel record and adds it to the run's totals */
void list_end_record(struct results *r); /* lists the figures of an "end" or "interval" record */
void list_run_totals(struct results *r); /* lists the totals of the run's kernels so far */

#endif
