/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fatal errors in units that are simulated several cycles ahead of other units. The error of the earliest cycle
 * must be reported. So a unit runs inside a handler, which stores the error until no unit is in an earlier cycle.
 */
#ifndef CATCH_H
#define CATCH_H

#include <setjmp.h>
#include "diag.h"

struct catcher {
	jmp_buf out; /* target of the jump, which the handler sets */
	struct fault fault;
};

extern _Thread_local struct catcher *catch_here; /* current handler of this thread; NULL: none */

/* Raises a fatal error: without a handler, prints it and exits; with a handler, stores it there and jumps to it. */
_Noreturn void catch_raise_fault(const struct fault *f);

#endif
