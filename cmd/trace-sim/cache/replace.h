/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of replacement policies. A present line is in one of two classes: class 1 has the modified lines in a cache
 * with a write ratio, class 0 all other lines. The tag array calls the policy when a line of a row becomes present,
 * becomes invalid or changes its class, and to choose victims. The policy must not choose a line with a reserved
 * sector; struct tag_row has the number of the other lines.
 *
 * A policy may use row.policy_state, line.policy_state and line.stamp, which are initially 0. row.policy_state is set
 * to 0 when a row is emptied. tag.c sets line.stamp to the time of an allocation before it calls enter().
 */
#ifndef CACHE_REPLACE_H
#define CACHE_REPLACE_H

#include "tag.h"

struct replacement_policy {
	void (*enter)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*leave)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*touch)(
		struct tags *t, uint32_t slot, uint32_t now); /* notes an access to a present line of a row */
	/*
	 * Returns the slot of the line of the row to evict: one without a reserved sector, and of class 0 unless
	 * modified_too is set. The row must have such a line and no invalid line.
	 */
	uint32_t (*victim)(const struct tags *t, const struct tag_row *row, bool modified_too);
};

#define REPLACE(name, letter) extern const struct replacement_policy replace_##name;
#include "arch/replace.def"
#undef REPLACE
extern const struct replacement_policy *const replace_policies[N_REPLACEMENTS];

#endif
