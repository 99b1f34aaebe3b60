/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a replacement policy is. The tag array tells it of each present line of a row that comes, goes or
 * changes between the two classes (0; 1: modified, where a write ratio can protect it), and asks it for
 * victims; reserved lines are its own affair: the tag array counts them (struct tag_row), and the policy
 * passes over them.
 *
 * A policy keeps what it likes in row.kept, line.kept and line.stamp, which are all 0 at first; row.kept is 0
 * again when a row is emptied. tag.c sets line.stamp at an allocation, right before enter.
 */
#ifndef CACHE_REPLACE_H
#define CACHE_REPLACE_H

#include "tag.h"

struct replacement_policy {
	void (*enter)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*leave)(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot);
	void (*touch)(struct tags *t, uint32_t slot, uint32_t now); /* a present line in range was accessed */
	/*
	 * A line of this row without a reserved sector; with modified_too one of either class, else of class
	 * 0. There is one, and no line of the row is invalid.
	 */
	uint32_t (*victim)(const struct tags *t, const struct tag_row *row, bool modified_too);
};

#define REPLACE(name, letter) extern const struct replacement_policy replace_##name;
#include "arch/replace.def"
#undef REPLACE
extern const struct replacement_policy *const replace_policies[N_REPLACEMENTS];

#endif
