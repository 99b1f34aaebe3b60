/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps that follow an earlier warp of their part, their leader: both have the same runs and elements of payload[], and
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
	 * True if all distances are multiples of 32 bytes (a sector), at least -FOLLOW_NEAR and less than
	 * FOLLOW_NEAR. An access then touches as many sectors as the leader's access, unless addresses wrap around 0.
	 */
	bool near;
};
#define FOLLOW_NEAR (UINT64_C(1) << 30)

/*
 * Properties of a leader's words with which followers are compared in vectors. Only for leaders whose first addresses
 * have as many digits as all addresses near them.
 */
struct follow_words {
	uint64_t *fixed; /* by word: all bits if followers have the same word, else 0 */
	uint32_t cap;
	uint32_t *list; /* first word and number of words of each list */
	uint32_t n_lists, cap_lists;
	uint64_t digits; /* follow.digits of every follower with close addresses */
	enum { FOLLOW_UNKNOWN, FOLLOW_ONCE, FOLLOW_STEADY, FOLLOW_UNSTEADY } state;
};
void follow_words_free(struct follow_words *x);
/*
 * Returns true if w follows a, which has runs and no text. If w follows, sets *f. x: words of a, which are set when a
 * second warp is compared with a; state FOLLOW_UNKNOWN: a is a new leader.
 */
bool follow_compare(
	struct follow_words *x, const struct pack_warp *a, const struct pack_warp *w, struct follow *f);

static inline unsigned hex_digits(uint64_t v) { return (67u - (unsigned)__builtin_clzll(v | 1)) / 4; }

/* How far an access of a follower is from the leader's: by an affine recipe, or as an earlier access, shifted. */
struct follow_distance {
	const struct recipe *affine; /* affine recipe, or NULL */
	uint32_t earlier;            /* number of an earlier distance; 0: no distance */
	unsigned shift;              /* number of bits to shift left */
};

/*
 * Check of an access: the word at `word`, plus the word at `list_word` if that is another one, differ from those of the
 * leader by distance number `distance`, which is 0 if they are equal.
 */
struct follow_check {
	uint32_t word, list_word, distance;
};

/*
 * Checks of all accesses of some leaders. The checks that a word equals that of the leader are bits of equal[], which
 * is compared in vectors: packing takes 1.27 host instructions a thread instruction of matmul-tiled, not 1.34.
 */
struct follow_rules {
	struct follow_check *check;
	uint32_t n, cap;
	uint64_t *equal; /* by word of a leader: all bits if the words of followers must be equal, else 0 */
	uint32_t n_equal, cap_equal;
	struct follow_distance *distance;
	uint32_t n_distances, cap_distances;
	struct follow_part {
		uint32_t n_accesses;     /* number of accesses; 0: the leader has no rules */
		uint32_t first_check;    /* index of the leader's first check */
		uint32_t n_checks;       /* number of checks of the leader; 0: it has none */
		uint32_t n_moved;        /* number of checks with a list */
		uint32_t equal, n_equal; /* index in equal[], and number of checks there */
		uint32_t distance;       /* first distance of the leader, numbered from 1 */
		uint32_t n_distances;    /* number of distances of the leader */
		uint32_t block;          /* thread block of the leader, as an index of parsed.tb */
	} * of;                          /* rules, indexed by warp of the part */
	uint64_t *value;                 /* distances of a follower by number */
	uint32_t cap_values;
};

void follow_rules_new(struct follow_rules *r, const struct parsed *p);
void follow_rules_free(struct follow_rules *r);
/*
 * Adds the rules of a leader of thread block `block` for which all default recipes were right. Adds none if a recipe is
 * of another kind.
 */
void follow_add_rules(struct follow_rules *r, const struct parsed *p, uint32_t block, const struct pwarp *w);
/*
 * Returns true if the leader of w has rules that also are right for w, a warp of thread block tb. If so, adds the
 * number of accesses to *n.
 */
bool follow_rules_hold(struct follow_rules *r, const struct parsed *p, const struct ptb *tb,
	const struct pwarp *w, uint64_t *n);

#endif
