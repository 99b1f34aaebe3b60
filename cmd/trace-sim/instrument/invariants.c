/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports an invariant that does not hold; see invariants.h. The file is empty in builds without the checks. */
#ifdef CHECK_INVARIANTS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "instrument/invariants.h"

_Noreturn void invariant_broken(const char *name, uint32_t unit, uint32_t part, uint64_t is, uint64_t should)
{
	fprintf(stderr, "invariant %s of %u/%u does not hold: %#" PRIx64 " (expected %#" PRIx64 ")\n", name,
		unit, part, is, should);
	abort();
}

#endif
