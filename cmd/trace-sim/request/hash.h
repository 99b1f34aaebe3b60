/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index functions, which caches, banks of the L1D, banks of DRAM and the address decoder share. Always true:
 * they depend on the address alone.
 */
#ifndef HASH_H
#define HASH_H

#include "params.h"

uint32_t hash_index(enum set_index function, uint64_t addr, uint32_t n, uint32_t lo_log2);
uint32_t hash_ipoly(uint64_t high, uint32_t index, uint32_t n); /* n is a power of two up to HASH_IPOLY_MAX */

#endif
