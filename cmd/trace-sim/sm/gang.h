/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gangs: the thread blocks of a cluster of CUDA, which run at the same time on SMs of one group (HOPPER-cluster). They
 * meet at a barrier of their own and access each other's shared memory (HOPPER-dsm). The modern core has both.
 *
 * Always true: SMs influence each other only by messages, which arrive -core_dsm_latency cycles after their sending at
 * the earliest. While a kernel with gangs runs, all SMs run in steps of one cycle and on one thread (LAUNCH-window),
 * so a sender puts its message into the port of the receiver itself.
 */
#ifndef GANG_H
#define GANG_H

#include "sm/sm.h"

#define GANG_BLOCKS   16u /* thread blocks of a gang */
#define GANG_WINDOW   24u /* bits of an address below the rank of a block */
#define GANG_MESSAGES 65536u

enum gang_kind {
	GANG_OPEN,        /* the barrier has opened: `what` is the mask of the warps that wait */
	GANG_READ,        /* a read for operation `op` of SM `from` */
	GANG_WRITE,       /* a write by warp `op` of SM `from` */
	GANG_STORE,       /* a write that completes `bytes` bytes on the mbarrier at `address` */
	GANG_DATA,        /* the data of a read for operation `op` */
	GANG_ACKNOWLEDGE, /* acknowledges a write by warp `op` */
	GANG_COMPLETE,    /* `what` bytes have come for the mbarrier at `address` */
	GANG_BYTES,       /* `bytes` bytes of a multicast */
	GANG_EFFECT       /* enum sync_effect `op` with the value `what` on the mbarrier at `address` */
};

struct gang_message {
	uint64_t due; /* sm.now of its arrival */
	uint64_t what;
	struct sm *from;
	uint32_t bytes, address;
	uint32_t gang; /* gang.number of the receiver's block; 0: the receiver is an SM */
	uint16_t op;
	uint8_t kind;   /* enum gang_kind */
	uint8_t slot;   /* thread block of the receiver */
	uint8_t passes; /* passes of shared memory for the access */
};

/* End of an SM on the network between the SMs of a group. */
struct gang_port {
	uint64_t out_free; /* time at which the last message has left, in 1/16 cycles of sm.now */
	uint32_t first, count;
	struct gang_message at[GANG_MESSAGES]; /* ring of received messages, by time */
};

struct gang {
	struct gang *next;     /* link of the list of free ones */
	uint32_t number;       /* 1, 2, ... in the order of placement */
	uint32_t blocks;       /* thread blocks */
	uint32_t placed, left; /* blocks placed so far; blocks that have not ended, placed or not */
	uint32_t running;      /* warps that have not ended, or whose block is not placed yet */
	uint32_t missing;      /* warps that have yet to arrive at the barrier */
	struct {
		struct sm *sm; /* NULL: not placed yet, or ended */
		uint8_t slot;
	} at[GANG_BLOCKS]; /* by rank */
};

void gang_port_free(struct sm *s);
/* Initializes *g, gang `number`, for `blocks` thread blocks of `warps` warps each. */
void gang_start(struct gang *g, uint32_t number, uint32_t blocks, uint32_t warps);
/* Adds the thread block that was placed in a slot of s. */
void gang_add(struct gang *g, struct sm *s, unsigned slot);
/* Removes an ended thread block. Returns true if it was the last of its gang. */
bool gang_leave(struct sm *s, unsigned slot);

/* Arrives with warp w at the barrier of its gang, at time s->now. */
void gang_arrive(struct sm *s, unsigned w);
/* Waits for the barrier at which w has arrived. Returns false if it has opened. */
bool gang_wait(struct sm *s, unsigned w);
void gang_warp_exit(struct sm *s, unsigned w);

/* Returns the rank in the address of a generic access of cta k; the block's own if it is not of shared memory. */
uint32_t gang_rank_of(const struct cta *k, uint64_t address);
/* Returns whether an access of cta k reaches another block's shared memory. */
bool gang_is_remote(const struct cta *k, uint64_t address);
/* Returns whether the port takes another access. */
bool gang_can_send(const struct sm *s);
/* Sends the accesses of a load or store of w to other blocks. Returns their number. */
uint32_t gang_access(struct sm *s, const struct winst *w, uint16_t op, uint32_t passes, bool write);
/* Sends the stores of a STAS or REDAS of w to the blocks of their addresses. Returns the number of messages. */
uint32_t gang_store(struct sm *s, const struct winst *w, uint32_t passes);
/* Has an effect, enum sync_effect, with value v on an mbarrier of block `rank` of the gang of cta. */
void gang_effect(struct sm *s, unsigned cta, uint32_t rank, uint64_t mbarrier, uint32_t effect, uint32_t v);
/* Completes `bytes` on the mbarriers of the blocks in the mask `ranks`, -core_multicast_latency cycles from now. */
void gang_multicast(struct sm *s, unsigned w, uint32_t ranks, uint32_t mbarrier, uint64_t bytes);
/* Writes data of a multicast to shared memory of the other blocks in the mask, at the same time. */
void gang_multicast_data(struct sm *s, unsigned w, uint32_t ranks, uint32_t bytes);

/* Handles the messages that are due. */
void gang_step(struct sm *s);
/* Time of the next message; NEVER: none. */
static inline uint64_t gang_next(const struct sm *s)
{
	return s->port && s->port->count ? s->port->at[s->port->first].due : NEVER;
}

#endif
