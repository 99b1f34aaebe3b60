/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event log (--events): one tab-separated line an event, in the order in which things happen.
 * Every caller tests the pointer first; a run without --events pays one predictable branch an event. (cold:
 * the compiler keeps the calls out of the code that does so.) cycle is the total of core cycles so far; pc,
 * address and row are hexadecimal.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct events {
	FILE *out;
	bool flits;   /* flits of network mode 1 as well */
	uint64_t now; /* with flits: the cycle of the network's next advance */
};

#define EVENT __attribute__((cold, noinline)) void

EVENT events_cta(struct events *e, uint64_t cycle, unsigned sm, unsigned slot, uint64_t ctaid);
EVENT events_issue(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc, unsigned scheduler);
EVENT events_writeback(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc);
EVENT events_memdone(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc);
EVENT events_request(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address,
	unsigned bytes, unsigned type, unsigned partition);
EVENT events_reply(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address, unsigned type);
EVENT events_l2(struct events *e, uint64_t cycle, unsigned partition, uint64_t address, unsigned type,
	unsigned status);
EVENT events_dram(
	struct events *e, uint64_t cycle, unsigned channel, const char *command, unsigned bank, uint32_t row);
/* A flit enters (in) or leaves a subnet at a node; number of its packet, its own in that. */
EVENT events_flit(struct events *e, bool in, unsigned subnet, unsigned node, uint64_t packet, unsigned flit);

#endif
