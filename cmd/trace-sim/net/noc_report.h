/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of a network of routers, for the text and the JSON form of --net-report. */
#ifndef NOC_REPORT_H
#define NOC_REPORT_H

#include <stdio.h>
#include "net/noc.h"

/* Number of flits that an output has sent in a subnet. */
uint64_t noc_output_flits(const struct noc *n, unsigned subnet, uint32_t port);
/* Number of flits that have crossed the channel of an output in both subnets. */
uint64_t noc_channel_flits(const struct noc *n, uint32_t port);

#endif
