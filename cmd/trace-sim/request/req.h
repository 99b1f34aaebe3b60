/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory requests: records of the messages between an SM and DRAM (MEM-req). Used by the load/store unit, the caches,
 * the network and the memory partitions.
 *
 * A request is a 32-bit handle into one array; 0 is "none". A request has one owner at a time: the queue, MSHR entry or
 * register that holds its handle. The request has copies of the properties of its warp instruction that it needs,
 * because it may outlive the instruction, the warp and the kernel.
 *
 * The owners of a request in order, and the fields that each of them writes; other fields do not change:
 *
 *     lsu/l1.c, sm/fetch.c      make the request; request/addrdec.c sets channel, sub, bank, row
 *          |
 *     L1: MSHR                  entry[0], next; addr and size are those of the atom until the reply comes
 *          |
 *     net/                      nothing: the network's queues hold the handle
 *          |
 *     mem/subpartition.c        key: time at which it leaves the ROP or the link to the far side; next; REQ_TRACKED
 *          |                    A request larger than an atom of the L2 is split; parent of a piece is the request
 *     L2: MSHR                  entry[1], next; addr and size as for the L1
 *          |
 *     mem/partition.c           key: time at which the delay before DRAM ends; next
 *          |
 *     mem/dram*.c               pushed; key: row; next, tail, bin: lists of the requests to each row; REQ_REPLY
 *          |
 *     L2, mem/memory.c          REQ_REPLY if the L2 replies; returned: time at which it enters the network
 *          |
 *     net/                      nothing
 *          |
 *     lsu/writeback.c, L1       pieces: number of missing replies; addr and size are restored; the request is freed
 *
 * Requests that a cache makes (write-backs, allocate-reads) begin at the cache. The load/store unit frees a write when
 * it is acknowledged. A write-back is freed by its last owner.
 */
#ifndef REQ_H
#define REQ_H

#include <stdbool.h>
#include <stdint.h>

/* Access types. Statistics are printed in this order, and the event log has these numbers. */
enum acc_type {
	GLOBAL_ACC_R,
	LOCAL_ACC_R,
	CONST_ACC_R,
	TEXTURE_ACC_R,
	GLOBAL_ACC_W,
	LOCAL_ACC_W,
	L1_WRBK_ACC,
	L2_WRBK_ACC,
	INST_ACC_R,
	L1_WR_ALLOC_R,
	L2_WR_ALLOC_R,
	N_ACC_TYPES
};

enum req_flag {
	REQ_WRITE = 1 << 0, /* the type is *_ACC_W or *_WRBK_ACC; atomics are reads */
	REQ_ATOMIC = 1 << 1,
	REQ_REPLY = 1 << 2, /* the request is a reply now: READ_REPLY or WRITE_ACK */
	/* the request has no instruction: fetches, write-backs, allocate-reads, pieces */
	REQ_BLANK = 1 << 3,
	REQ_LOAD = 1 << 4,   /* the instruction counts as a load (SM-inst-6) */
	REQ_STORE = 1 << 5,  /* the instruction counts as a store */
	REQ_BYPASS = 1 << 6, /* the request bypasses the L1D (cache operator GLOBAL) */
	REQ_LDGSTS = 1 << 7,
	REQ_PIECE = 1 << 8,        /* a piece of the request `parent` (MEM-split) */
	REQ_PARENT_WRITE = 1 << 9, /* an allocate-read for which the write `parent` waits (CACHE-wmiss-4) */
	REQ_TRACKED = 1 << 10,     /* the request is in the tracker of its sub partition (MEM-reply-3) */
	REQ_AWAITED = 1 << 11,     /* the warp of the request cannot end before the reply */
	REQ_L2_MISS = 1 << 12,     /* the request missed in the L2; used only by profiles */
	REQ_BULK = 1 << 13,        /* the request belongs to the bulk copy with the number in lane0 */
	REQ_PREFETCH = 1 << 14     /* the reply has no data */
};

#define REQ_NONE 0u
#define NO_WARP  0xffu
#define NO_SM    0xffffu

/*
 * A request occupies two cache lines of the host. The memory side reads only fields of the first line. Threads use a
 * request one after another, so all its data is in this struct, not in several arrays.
 */
struct req {
	_Alignas(128) uint64_t addr; /* current address */
	uint64_t orig_addr;          /* address when the request was made */
	uint64_t bytes[2];           /* mask of accessed bytes; the bit number is the address modulo 128 */
	uint32_t next;     /* next request in a list of the owner: FIFO, free requests, MSHR entry */
	uint32_t row_tail; /* last request of the row; set in the row's oldest request in a DRAM queue */
	uint32_t next_row; /* oldest request of the next row; set in the row's oldest request in a DRAM queue */
	uint32_t key;   /* in a DRAM queue: the row; in a ROP queue: the time at which the request is ready */
	uint16_t flags; /* mask of enum req_flag */
	uint16_t size;  /* number of data bytes; for an outstanding miss, the size of its atom */
	uint16_t channel; /* DRAM channel */
	uint16_t sub;     /* sub partition, numbered over all channels */
	uint16_t cluster; /* NO_SM for requests made by an L2 */
	uint8_t bank;     /* bank before bank hashing */
	uint8_t type;     /* enum acc_type */
	uint8_t sectors;  /* mask of the accessed sectors of the line */
	uint8_t pieces;   /* number of missing replies of a request that bypassed the L1 */

	uint64_t lane0;  /* LDGSTS: address of lane 0, or 0 if it is inactive; REQ_BULK: number of the copy */
	uint32_t parent; /* handle of the divided request, or of the write that waits */
	uint32_t lanes;  /* mask of the lanes of this access */
	uint32_t inst_mask; /* mask of the active lanes of the instruction */
	uint32_t code;      /* handle of the static instruction; not valid with REQ_BLANK */
	uint32_t created;   /* lower 32 bits of the time at which the request was made */
	uint32_t returned;  /* time at which the request entered the reply network */
	uint32_t pushed;    /* time at which the request entered the DRAM channel */
	uint32_t row;
	uint16_t orig_size;
	uint16_t sm;       /* NO_SM for requests made by an L2 */
	uint16_t stream;   /* index of the stream, see gpu.h */
	uint8_t warp;      /* warp slot, or NO_WARP */
	uint8_t sched;     /* scheduler that issued the instruction; selects the result bank */
	uint32_t entry[2]; /* first request of an MSHR entry: entry in an L1, and in an L2 */
};

_Static_assert(sizeof(struct req) == 128, "two cache lines");

/*
 * Handles that a thread has freed, in two lists of at most REQ_PILE handles. Further full lists are moved to a store
 * that all threads use, because one thread may free what another one allocates. The number of a handle has no
 * observable effect.
 */
#define REQ_PILE 64u

struct req_piles {
	_Alignas(64) uint32_t head; /* head of the first list, which is linked by req.next */
	uint32_t count;             /* number of handles in the first list */
	uint32_t spare;             /* head of the second list, which is full; REQ_NONE: no second list */
	int64_t live;               /* number of requests allocated minus number freed, by this thread */
};

struct req_pool {
	struct req *req; /* requests, indexed by handle; in reserved address space; req[0] is unused */
	struct req_piles *by_thread; /* lists of freed handles, indexed by thread_index */
	uint32_t limit;
	_Alignas(64) uint32_t *store; /* heads of the full lists that any thread may take */
	uint32_t n_store;             /* number of these lists */
	uint32_t made;                /* number of handles made so far */
	bool lock;                    /* held while store, n_store or made is accessed */
};

void req_pool_init(struct req_pool *p, uint32_t limit);
void req_pool_free(struct req_pool *p);
/*
 * Allocates a zeroed request. Always succeeds, because the limit of the pool is an upper bound of the requests in all
 * queues.
 */
uint32_t req_new(struct req_pool *p);
/* Allocates a copy of a request. */
uint32_t req_copy(struct req_pool *p, const struct req *model);
void req_free(struct req_pool *p, uint32_t handle);
uint64_t req_count_live(
	const struct req_pool *p); /* returns the number of allocated requests; called between phases */

extern const char *const acc_type_names[N_ACC_TYPES];

/*
 * Return the number of bytes of the packet that carries the request, and of the packet with the reply (LSU-inject-4).
 */
static inline uint32_t req_bytes_of_request(const struct req *r)
{
	return r->flags & (REQ_WRITE | REQ_ATOMIC) ? r->size + 8u : 8u;
}
static inline uint32_t req_bytes_of_reply(const struct req *r)
{
	return r->flags & (REQ_WRITE | REQ_PREFETCH) ? 8u : r->size + 8u;
}

#endif
