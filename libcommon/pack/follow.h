/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps that follow an earlier warp of their part, their leader: both have the same runs and elements of more[], and
 * each access of one moves the lanes of the other's access by one distance. Most warps of regular kernels follow one
 * of a few leaders. Lengths, counts and encodings of a follower are then derived from those of its leader.
 * Internal to libcommon.
 */
#ifndef PACK_FOLLOW_H
#define PACK_FOLLOW_H

#include "format.h"
#include "pack.h"

/* Differences between a warp and its leader. */
struct follow {
	uint64_t digits; /* sum of the hexadecimal digits of the first addresses of the warp's accesses */
	/*
	 * True if all distances are multiples of 32 bytes (a sector), at least -FOLLOW_NEAR and less than FOLLOW_NEAR. An
	 * access then touches as many sectors as the leader's access, unless addresses wrap around 0.
	 */
	bool near;
};
#define FOLLOW_NEAR (UINT64_C(1) << 30)

/* Reports whether warps may follow w: it has runs and no text, and its words are in the order of its accesses. */
bool follow_may_lead(const struct pack_warp *w);
/* Reports whether w follows a. follow_may_lead(a) must be true. If w follows, sets *f. */
bool follow_compare(const struct pack_warp *a, const struct pack_warp *w, struct follow *f);

static inline unsigned hex_digits(uint64_t v) { return (67u - (unsigned)__builtin_clzll(v | 1)) / 4; }

/* An access of a leader whose recipe is an earlier access, shifted, or an affine recipe. */
struct follow_rule {
	uint32_t addr;               /* pack_more.addr of the access */
	uint32_t from;               /* rule of the earlier access; NONE: addresses that are 0 */
	unsigned shift;              /* number of bits to shift left */
	const struct recipe *affine; /* affine recipe in place of an earlier access, or NULL */
};

/* Rules of all accesses of some leaders. */
struct follow_rules {
	struct follow_rule *rule;
	uint32_t n, cap;
	struct follow_part {
		uint32_t first, n; /* rules of a leader; n 0: it has none */
		uint32_t block;    /* thread block of the leader, as an index of parsed.tb */
	} * of;                    /* by warp of the part */
	uint64_t *distance; /* by rule of the leader: distance of a follower's access from the leader's */
	uint32_t cap_distance;
};

void follow_rules_new(struct follow_rules *r, const struct parsed *p);
void follow_rules_free(struct follow_rules *r);
/*
 * Adds the rules of a leader of thread block `block` for which all default recipes were right. Adds none if a recipe is
 * of another kind.
 */
void follow_add_rules(struct follow_rules *r, const struct parsed *p, uint32_t block, const struct pwarp *w);
/*
 * Reports whether the leader of w has rules that also are right for w, a warp of thread block tb. If so, adds the
 * number of accesses to *n.
 */
bool follow_rules_hold(struct follow_rules *r, const struct parsed *p, const struct ptb *tb,
	const struct pwarp *w, uint64_t *n);

#endif
