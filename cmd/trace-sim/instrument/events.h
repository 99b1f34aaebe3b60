/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event log (--events): one tab-separated line per event, in the order of the events. These functions are
 * called only if there is a log. A run without --events therefore only has one predictable branch per event.
 * The attribute `cold` moves the calls out of the hot code. `cycle` is the core cycle of the run; pc, address
 * and row are hexadecimal.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "instrument/filter.h"

struct events {
	FILE *out;
	bool flits;   /* true if the flits of network mode 1 are also logged */
	uint64_t now; /* cycle of the next advance of the network, for logged flits */
	struct filter
		/* filter of events; only its cycles apply to events of the L2, DRAM and the network */
		filter;
};

#define EVENT __attribute__((cold, noinline)) void

EVENT events_log_cta(struct events *e, uint64_t cycle, unsigned sm, unsigned slot, uint64_t ctaid);
EVENT events_log_issue(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc, unsigned scheduler);
EVENT events_log_writeback(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc);
EVENT events_log_memdone(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc);
EVENT events_log_request(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address,
	unsigned bytes, unsigned type, unsigned partition);
EVENT events_log_reply(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address, unsigned type);
EVENT events_log_l2(struct events *e, uint64_t cycle, unsigned partition, uint64_t address, unsigned type,
	unsigned status);
EVENT events_log_dram(
	struct events *e, uint64_t cycle, unsigned channel, const char *command, unsigned bank, uint32_t row);
/*
 * Logs a flit that enters (`in`) or leaves a subnet at a node. `packet` is the number of the packet, and
 * `flit` is the index in the packet.
 */
EVENT events_log_flit(
	struct events *e, bool in, unsigned subnet, unsigned node, uint64_t packet, unsigned flit);

#endif
