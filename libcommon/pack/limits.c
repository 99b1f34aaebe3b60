/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounds of the packed format, from limits.def. */
#include "limits.h"

struct pack_limits pack_limits = {
#define LIMIT(name, most, what) .name = (most),
#include "limits.def"
};
