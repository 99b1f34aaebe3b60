/* SPDX-License-Identifier: BSD-2-Clause */
/* What the forms of --net-report have in common: loads of a network of routers, both subnets added. */
#ifndef NOC_REPORT_H
#define NOC_REPORT_H

#include <stdio.h>
#include "net/noc.h"

/* Flits by cycles of the network's time; 0 before the first. */
double noc_use(const struct noc *n, uint64_t flits);
/* Flits that an output has sent in a subnet. */
uint64_t noc_sent(const struct noc *n, unsigned subnet, uint32_t port);
/* Flits that went over the channel of an output, or that left a router. */
uint64_t noc_channel_flits(const struct noc *n, uint32_t port);
uint64_t noc_router_flits(const struct noc *n, uint32_t router);

#endif
