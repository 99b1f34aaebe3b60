/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index functions, used for sets of caches, banks of the L1D, banks of DRAM and partitions. Always true: the result
 * depends on the address alone.
 */
#ifndef HASH_H
#define HASH_H

#include "params.h"

/* Returns the index, below n, of an address; the lowest lo_log2 bits are the offset. */
uint32_t hash_index(enum set_index function, uint64_t addr, uint32_t n, uint32_t lo_log2);
/*
 * Returns the result of IPOLY for `index`, the index bits of an address, and `high`, the bits above them. n is a power
 * of two up to HASH_IPOLY_MAX.
 */
uint32_t hash_ipoly(uint64_t high, uint32_t index, uint32_t n);

#endif
