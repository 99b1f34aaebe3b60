/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds with -DCHECK_INVARIANTS (make check-invariants): after every step of the machine each mask and count
 * that follows from other state is made anew from that state and compared. The first that differs ends the
 * program, by name.
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

/* What differs, where (unit numbers of the room at hand), and both values. */
_Noreturn void invariant_broken(const char *name, uint32_t unit, uint32_t part, uint64_t is, uint64_t should);

static inline void invariant(const char *name, uint32_t unit, uint32_t part, uint64_t is, uint64_t should)
{
	if (is != should)
		invariant_broken(name, unit, part, is, should);
}

/*
 * all: what takes time, too, the lines of caches; it is
 * looked at now and then, as what is wrong there stays so.
 */
void gpu_invariants(const struct gpu *g);
void sm_invariants(const struct sm *s);
void core_invariants(const struct sm *s);
void ldst_invariants(const struct sm *s, bool all);
void cache_invariants(const struct cache *c, uint32_t unit, bool all); /* c: NULL: nothing to do */
void net_invariants(const struct net *n);
void memory_invariants(const struct memory *m, bool all);

#endif
