/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gangs: the thread blocks of a CUDA cluster, which run at the same time on SMs of one group (HOPPER-cluster). They
 * have a common barrier and can access each other's shared memory (HOPPER-dsm). Only the modern core sends messages for
 * loads and stores.
 *
 * Always true: SMs affect each other only by messages, which arrive at least -core_dsm_latency cycles after they are
 * sent. While a kernel with gangs runs, all SMs run in steps of one cycle and on one thread (LAUNCH-window), so a
 * sender can put its message directly into the port of the receiver.
 */
#ifndef GANG_H
#define GANG_H

#include "sm/sm.h"

#define GANG_BLOCKS   16u /* maximum number of thread blocks of a gang */
#define GANG_WINDOW   24u /* number of address bits below the rank of a thread block */
#define GANG_MESSAGES 65536u

enum gang_kind {
	GANG_OPEN,        /* the opening of the barrier: `operand` is the mask of the waiting warps */
	GANG_READ,        /* a read for operation `op` of SM `from` */
	GANG_WRITE,       /* a write by warp `op` of SM `from` */
	GANG_STORE,       /* a write that completes `bytes` bytes on the mbarrier at `address` */
	GANG_DATA,        /* the data of a read for operation `op` */
	GANG_ACKNOWLEDGE, /* the acknowledgement of a write by warp `op` */
	GANG_COMPLETE,    /* the arrival of `operand` bytes, which complete on the mbarrier at `address` */
	GANG_BYTES,       /* the arrival of `bytes` bytes of a multicast, which occupy the data port */
	GANG_EFFECT       /* enum sync_effect `op` with the value `operand`, for the mbarrier at `address` */
};

struct gang_message {
	uint64_t arrives_at; /* value of sm.now at which the message arrives */
	uint64_t operand;
	struct sm *from; /* SM that sends the message */
	uint32_t bytes, address;
	uint32_t gang; /* gang.number of the receiver's thread block; 0: the message is for the SM */
	uint16_t op;
	uint8_t kind;   /* enum gang_kind */
	uint8_t slot;   /* slot of the receiver's thread block */
	uint8_t passes; /* number of passes over shared memory that the access takes */
};

/* Port of an SM to the network between the SMs of a group. */
struct gang_port {
	uint64_t out_free_at; /* time at which the last message has left, in 1/16 cycles of sm.now */
	uint32_t first;       /* index of the oldest message */
	uint32_t count;       /* number of messages */
	struct gang_message message[GANG_MESSAGES]; /* ring, in order of arrival time */
};

struct gang {
	struct gang *next;    /* link of the list of free gangs */
	uint32_t number;      /* number of the gang: 1, 2, ... in the order of placement */
	uint32_t blocks;      /* number of thread blocks */
	uint32_t placed;      /* number of thread blocks placed so far */
	uint32_t blocks_left; /* number of thread blocks that have not ended, placed or not */
	/* number of warps that have not ended, including warps of blocks that are not placed yet */
	uint32_t warps_running;
	uint32_t not_arrived; /* number of warps that have yet to arrive at the barrier */
	struct {
		struct sm *sm; /* SM of the thread block; NULL: not placed yet, or ended */
		uint8_t slot;
	} member[GANG_BLOCKS]; /* thread blocks, indexed by rank */
};

void gang_port_free(struct sm *s);
/* Initialises *g, gang `number`, for `blocks` thread blocks of `warps` warps each. */
void gang_init(struct gang *g, uint32_t number, uint32_t blocks, uint32_t warps);
/* Adds the thread block in a slot of s to the gang. */
void gang_add_block(struct gang *g, struct sm *s, unsigned slot);
/* Removes an ended thread block. Returns true if it was the last of its gang. */
bool gang_remove_block(struct sm *s, unsigned slot);

/* Makes warp w arrive at the barrier of its gang, at time s->now. */
void gang_arrive_at_barrier(struct sm *s, unsigned w);
/* Makes warp w wait for the barrier at which it has arrived. Returns false if the barrier has opened. */
bool gang_wait_at_barrier(struct sm *s, unsigned w);
/* Removes the ended warp w from the barrier of its gang. */
void gang_warp_exit(struct sm *s, unsigned w);

/* Returns the rank of the thread block whose shared memory has the address; if none has it, the rank of k. */
uint32_t gang_rank_of(const struct cta *k, uint64_t address);
/* Returns true if the address, used by cta k, is in shared memory of another thread block of its gang. */
bool gang_is_remote(const struct cta *k, uint64_t address);
/* Returns true if the port of s accepts another access. */
bool gang_can_send(const struct sm *s);
/* Sends the accesses of a load or store w to the thread blocks of their addresses. Returns the number of messages. */
uint32_t gang_send_accesses(struct sm *s, const struct winst *w, uint16_t op, uint32_t passes, bool write);
/* Sends the stores of a STAS or REDAS w to the thread blocks of their addresses. Returns the number of messages. */
uint32_t gang_send_stores(struct sm *s, const struct winst *w, uint32_t passes);
/*
 * Sends `bytes` bytes of a copy or store of thread block `cta` to the shared memory of the thread block with the
 * mbarrier, where they complete on it.
 */
void gang_send_copy(struct sm *s, unsigned cta, uint32_t mbarrier, uint32_t bytes);
/* Sends an effect (enum sync_effect) with value v to an mbarrier of thread block `rank` of cta's gang. */
void gang_send_effect(
	struct sm *s, unsigned cta, uint32_t rank, uint64_t mbarrier, uint32_t effect, uint32_t v);
/* Completes `bytes` on the mbarriers of the thread blocks in the mask `ranks`, after -core_multicast_latency cycles. */
void gang_complete_multicast(struct sm *s, unsigned w, uint32_t ranks, uint32_t mbarrier, uint64_t bytes);
/*
 * Writes data of a multicast to shared memory of the other thread blocks in the mask, after -core_multicast_latency
 * cycles.
 */
void gang_send_multicast_data(struct sm *s, unsigned w, uint32_t ranks, uint32_t bytes);

/* Handles the messages that are due. */
void gang_handle_messages(struct sm *s);
/* Returns the time of the next message; NEVER: none. */
static inline uint64_t gang_next_message_time(const struct sm *s)
{
	return s->port && s->port->count ? s->port->message[s->port->first].arrives_at : NEVER;
}

#endif
