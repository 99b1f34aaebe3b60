/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of units that run ahead of each other, which are to be told in the order of their cycles. Always
 * true: where nobody catches, a fault ends the program at once.
 */
#ifndef CATCH_H
#define CATCH_H

#include <setjmp.h>
#include "diag.h"

struct catcher {
	jmp_buf out; /* set by who catches; the fault is complete when it returns there */
	struct fault fault;
};

extern _Thread_local struct catcher *catch_here; /* of this thread; NULL: nobody catches */

/* The message that ends the program: at once, or, caught, when all have come so far and none is before it. */
_Noreturn void catch_fault(const struct fault *f);

#endif
