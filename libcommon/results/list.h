/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of figures that the caller of run_next() sees; made by list.c, asked for by read.c. */
#ifndef RUN_LIST_H
#define RUN_LIST_H

#include "read_int.h"

void rr_list_kernel(struct run_reader *r); /* of the record at hand; adds it to the run's totals */
void rr_list_end(struct run_reader *r);    /* of an end record */
void rr_list_totals(struct run_reader *r); /* of the run so far, from its kernels */

#endif
