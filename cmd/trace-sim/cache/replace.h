/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of replacement policies. The tag array calls the policy for each present line of a row that is
 * added, removed or changes between the two classes (0; 1: modified and protectable by a write ratio), and to
 * choose victims. The tag array counts lines with reserved sectors itself (struct tag_row); the policy skips
 * them.
 *
 * A policy may use row.kept, line.kept and line.stamp, all initially 0. row.kept is set to 0 when a row is
 * emptied. tag.c sets line.stamp at an allocation, before enter().
 */
#ifndef CACHE_REPLACE_H
#define CACHE_REPLACE_H

#include "tag.h"

struct replacement_policy {
	void (*enter)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*leave)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*touch)(struct tags *t, uint32_t slot, uint32_t now); /* a present line in range was accessed */
	/*
	 * Returns a line of this row without a reserved sector, of either class with modified_too, else of
	 * class 0. There is one, and no line of the row is invalid.
	 */
	uint32_t (*victim)(const struct tags *t, const struct tag_row *row, bool modified_too);
};

#define REPLACE(name, letter) extern const struct replacement_policy replace_##name;
#include "arch/replace.def"
#undef REPLACE
extern const struct replacement_policy *const replace_policies[N_REPLACEMENTS];

#endif
