/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of replacement policies, by enum replacement; its rows are those of arch/replace.def. */
#include "replace.h"

const struct replacement_policy *const replace_policies[N_REPLACEMENTS] = {
#define REPLACE(name, letter) [REPLACE_##name] = &replace_##name,
#include "arch/replace.def"
#undef REPLACE
};
