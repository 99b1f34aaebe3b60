/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the channel, sub partition, bank and row of an address by the address mapping of the configuration (MEM-addr).
 * Always true: equal addresses have equal results.
 */
#ifndef ADDRDEC_H
#define ADDRDEC_H

#include "params.h"
#include "request/req.h"

struct addrdec;

struct addrdec *addrdec_new(const struct params *p);
void addrdec_delete(struct addrdec *d);
/*
 * Sets channel, sub, bank and row of r from r->addr. quirk Q4-25: RANDOM (index 4) draws when an address is decoded
 * first, in the order of the calls.
 */
void addrdec_decode_request(struct addrdec *d, struct req *r);
/* Returns the sub partition that addrdec_decode_request() sets for a request of a cluster. */
uint32_t addrdec_sub_for_cluster(struct addrdec *d, uint64_t addr, uint32_t cluster);
/* Return the side of a cluster, and the home side of an address, in an L2 of two sides. */
uint32_t addrdec_cluster_side(const struct addrdec *d, uint32_t cluster);
uint32_t addrdec_home_side(const struct addrdec *d, uint64_t addr);
/* Returns true if all bytes of a line of 128 bytes have the same sub partition. */
bool addrdec_line_has_one_slice(const struct addrdec *d);
/* Returns the sub partition of an address, on the home side of the address. */
uint32_t addrdec_home_sub_partition(struct addrdec *d, uint64_t addr);
/* Returns the address within its sub partition (MEM-addr-8). */
uint64_t addrdec_partition_address(const struct addrdec *d, uint64_t addr);
/* Returns true if indexing is RANDOM. Each request must then be decoded as soon as it is made. */
bool addrdec_is_random(const struct addrdec *d);

#endif
