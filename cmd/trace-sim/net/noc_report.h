/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of a network of routers, for the text and the JSON form of --net-report. */
#ifndef NOC_REPORT_H
#define NOC_REPORT_H

#include <stdio.h>
#include "net/noc.h"

/* Converts a number of flits to flits per cycle; 0 before the first cycle. */
double noc_flits_per_cycle(const struct noc *n, uint64_t flits);
/* Number of flits that an output has sent in a subnet. */
uint64_t noc_output_flits(const struct noc *n, unsigned subnet, uint32_t port);
/*
 * Number of flits that have crossed the channel of an output, and number that have left a router; sums over
 * both subnets.
 */
uint64_t noc_channel_flits(const struct noc *n, uint32_t port);
uint64_t noc_router_flits(const struct noc *n, uint32_t router);

#endif
