/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults in units that are simulated ahead of each other. They must be reported in the order of their cycles,
 * so a unit runs inside a handler that keeps its fault.
 */
#ifndef CATCH_H
#define CATCH_H

#include <setjmp.h>
#include "diag.h"

struct catcher {
	jmp_buf out; /* set by the handler */
	struct fault fault;
};

extern _Thread_local struct catcher *catch_here; /* handler of this thread; NULL: none */

/* Raises a fatal error. Without a handler: prints it and exits. With one: stores it there and jumps. */
_Noreturn void catch_fault(const struct fault *f);

#endif
