/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channel, sub partition, bank and row of an address (MEM-addr), by the address mapping of the
 * configuration. Always true: equal addresses have equal results.
 */
#ifndef ADDRDEC_H
#define ADDRDEC_H

#include "params.h"
#include "request/req.h"

struct addrdec;

struct addrdec *addrdec_new(const struct params *p);
void addrdec_delete(struct addrdec *d);
/*
 * Fills chip, sub, bank and row of r from r->addr. quirk Q4-25: RANDOM (index 4) draws at first touch, in
 * call order.
 */
void addrdec_request(struct addrdec *d, struct req *r);
/* Sub partition of an address for a cluster: what addrdec_request() finds. */
uint32_t addrdec_slice(struct addrdec *d, uint64_t addr, uint32_t cluster);
/* With l2_sides: the side of a cluster, and the side on which an address is at home. */
uint32_t addrdec_side(const struct addrdec *d, uint32_t cluster);
uint32_t addrdec_home(const struct addrdec *d, uint64_t addr);
/* Returns whether all bytes of a line of 128 bytes have the same sub partition. */
bool addrdec_lines_whole(const struct addrdec *d);
uint32_t addrdec_sub(struct addrdec *d, uint64_t addr);                     /* sub partition of an address */
uint64_t addrdec_partition_address(const struct addrdec *d, uint64_t addr); /* MEM-addr-8 */
bool addrdec_draws(const struct addrdec *d); /* RANDOM: every constructed request must be decoded at once */

#endif
