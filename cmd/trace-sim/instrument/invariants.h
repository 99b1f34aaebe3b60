/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks in builds with -DCHECK_INVARIANTS (make check-invariants). After every step of the GPU, each mask
 * and count that is derived from other state is recomputed and compared. The first difference ends the
 * program.
 */
#ifndef INVARIANTS_H
#define INVARIANTS_H

#include <stdbool.h>
#include <stdint.h>

struct cache;
struct gpu;
struct memory;
struct net;
struct sm;

/*
 * Prints the name of the invariant, the unit, the part and both values, and aborts. The meaning of `unit` and
 * `part` depends on the invariant.
 */
_Noreturn void invariant_broken(const char *name, uint32_t unit, uint32_t part, uint64_t is, uint64_t should);

static inline void invariant(const char *name, uint32_t unit, uint32_t part, uint64_t is, uint64_t should)
{
	if (is != should)
		invariant_broken(name, unit, part, is, should);
}

/*
 * With `all`, the functions also check the lines of caches. This is slow. A check now and then suffices,
 * because a wrong line remains wrong.
 */
void gpu_check_invariants(const struct gpu *g);
void sm_check_invariants(const struct sm *s);
void core_check_invariants(const struct sm *s);
void ldst_check_invariants(const struct sm *s, bool all);
void cache_check_invariants(const struct cache *c, uint32_t unit, bool all); /* c may be NULL */
void net_check_invariants(const struct net *n);
void memory_check_invariants(const struct memory *m, bool all);

#endif
