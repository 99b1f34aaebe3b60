/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of figures that the caller of results_next() sees; made by list.c, asked for by read.c. */
#ifndef RESULTS_LIST_H
#define RESULTS_LIST_H

#include "read_int.h"

void list_kernel(struct results *r); /* of the record at hand; adds it to the run's totals */
void list_end(struct results *r);    /* of an end record */
void list_totals(struct results *r); /* of the run so far, from its kernels */

#endif
