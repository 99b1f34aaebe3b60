/* SPDX-License-Identifier: BSD-2-Clause */
/* Raises faults; see catch.h. */
#include "threads/catch.h"

_Thread_local struct catcher *catch_here;

void catch_raise_fault(const struct fault *f)
{
	if (!catch_here)
		die_fault(f);
	catch_here->fault = *f;
	longjmp(catch_here->out, 1);
}
