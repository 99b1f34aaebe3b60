/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory requests: one record for everything that travels between an SM and DRAM (MEM-req). Used by the
 * load/store unit, the caches, the network and the memory partitions.
 *
 * A request is a 32-bit handle into one array; 0 is "none". A request has one owner at a time: the queue,
 * MSHR entry or register that holds its handle. The request has copies of the properties of its warp
 * instruction that it needs, because it may outlive the instruction, the warp and the kernel.
 *
 * Owners of a request, in the order of its way, and the fields that each writes; other fields do not change:
 *
 *     lsu/l1.c, sm/fetch.c      make it; request/addrdec.c fills chip, sub, bank, row
 *          |
 *     L1: MSHR                  entry[0], next; addr and size are those of the atom until the reply comes
 *          |
 *     net/                      nothing: the network's queues hold the handle
 *          |
 *     mem/subpartition.c        key: time at which it leaves the ROP or the way to the far side; next; flags: REQ_TRACKED.
 *          |                    A request larger than an atom of the L2 is split here; parent of a piece is the request
 *     L2: MSHR                  entry[1], next; addr and size as above
 *          |
 *     mem/partition.c           key: time at which the delay before DRAM ends; next
 *          |
 *     mem/dram*.c               pushed; key: its row; next, tail, bin: rows and the requests to each; flags: REQ_REPLY
 *          |
 *     L2, mem/memory.c          flags: REQ_REPLY if the L2 replies; returned, when it enters the network
 *          |
 *     net/                      nothing
 *          |
 *     lsu/writeback.c, L1       pieces: missing replies; addr and size are restored; the request is freed
 *
 * Requests that a cache makes (write-backs, allocate-reads) begin at the cache. An acknowledged
 * write is freed by the load/store unit, a write-back where it ends.
 */
#ifndef REQ_H
#define REQ_H

#include <stdbool.h>
#include <stdint.h>

/* Access types, in printing order; their numbers appear in the event log. */
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
	REQ_WRITE = 1 << 0, /* *_ACC_W and *_WRBK_ACC; atomics are reads */
	REQ_ATOMIC = 1 << 1,
	REQ_REPLY = 1 << 2,  /* turned into READ_REPLY or WRITE_ACK */
	REQ_BLANK = 1 << 3,  /* without an instruction: fetches, write-backs, allocate-reads, pieces */
	REQ_LOAD = 1 << 4,   /* the instruction counts as a load (SM-inst-6) */
	REQ_STORE = 1 << 5,  /* the instruction counts as a store */
	REQ_BYPASS = 1 << 6, /* cache operator GLOBAL: not through the L1D */
	REQ_LDGSTS = 1 << 7,
	REQ_PIECE = 1 << 8,        /* parent is the request it was split from (MEM-split) */
	REQ_PARENT_WRITE = 1 << 9, /* parent is the write held by this allocate-read (CACHE-wmiss-4) */
	REQ_TRACKED = 1 << 10,     /* in the request tracker of its sub partition (MEM-reply-3) */
	REQ_AWAITED = 1 << 11,     /* the end of its warp waits for the reply */
	REQ_L2_MISS = 1 << 12,     /* the L2 had to request it; for profiles only */
	REQ_BULK = 1 << 13,        /* of the bulk copy with the number in lane0 */
	REQ_PREFETCH = 1 << 14     /* the reply has no data */
};

#define REQ_NONE 0u
#define NO_WARP  0xffu
#define NO_SM    0xffffu

/*
 * Two cache lines; the first has the fields that the memory side reads. Threads work on a request one after
 * another, so all its data are in this struct, not in other arrays by handle.
 */
struct req {
	_Alignas(128) uint64_t addr; /* current address */
	uint64_t orig_addr;          /* address when the request was made */
	uint64_t bytes[2];           /* byte mask, bit = address mod 128 */
	uint32_t next;               /* link of the owner: FIFO, list of free requests, MSHR entry */
	uint32_t tail, bin;          /* memory side: DRAM rows (dram_sched.c), ROP queues in order of time */
	uint32_t key;                /* memory side: a row, or the time when the request is ready */
	uint16_t flags;              /* enum req_flag */
	uint16_t size;               /* data bytes; the atom while it is an outstanding miss */
	uint16_t chip;               /* channel */
	uint16_t sub;                /* global sub partition */
	uint16_t cluster;            /* NO_SM for requests made by an L2 */
	uint8_t bank;                /* bank as decoded */
	uint8_t type;                /* enum acc_type */
	uint8_t sectors;             /* 4-bit sector mask */
	uint8_t pieces;              /* missing replies of a request that bypassed the L1 */

	uint64_t lane0;     /* LDGSTS: address of lane 0, 0 when inactive; REQ_BULK: number of the copy */
	uint32_t parent;    /* REQ_PIECE, REQ_PARENT_WRITE */
	uint32_t lanes;     /* lanes of this access */
	uint32_t inst_mask; /* active lanes of the whole instruction */
	uint32_t code;      /* static instruction (struct code handle); only without REQ_BLANK */
	uint32_t created;   /* now, 32 bits */
	uint32_t returned;  /* time of entry into the reply network */
	uint32_t pushed;    /* time of entry into the DRAM channel */
	uint32_t row;
	uint16_t orig_size;
	uint16_t sm;       /* NO_SM for requests made by an L2 */
	uint16_t stream;   /* index, see gpu.h */
	uint8_t warp;      /* slot, or NO_WARP */
	uint8_t sched;     /* scheduler that issued the instruction (register bank of the write) */
	uint32_t entry[2]; /* MSHR entry of an L1, of an L2, if it is the first request of the entry */
};

_Static_assert(sizeof(struct req) == 128, "two cache lines");

/*
 * A thread keeps the handles that it frees in two lists of at most REQ_PILE. Full lists go to a store that
 * all threads use, because requests move from thread to thread. The number of a handle has no observable
 * effect.
 */
#define REQ_PILE 64u

struct req_piles {
	_Alignas(64) uint32_t head, count; /* linked by req.next */
	uint32_t spare;                    /* a full list, or REQ_NONE */
	int64_t live;                      /* requests allocated minus requests freed by this thread */
};

struct req_pool {
	struct req *req;        /* reserved address space; req[0] unused */
	struct req_piles *mine; /* by thread_index */
	uint32_t limit;
	_Alignas(64) uint32_t *store; /* heads of full lists; store and made are guarded by lock */
	uint32_t n_store, made;
	bool lock;
};

void req_pool_init(struct req_pool *p, uint32_t limit);
void req_pool_free(struct req_pool *p);
/*
 * Allocates a zeroed request. Always succeeds: the limit is an upper bound of the requests that all queues
 * hold.
 */
uint32_t req_new(struct req_pool *p);
/* Allocates a copy of a request. */
uint32_t req_like(struct req_pool *p, const struct req *model);
void req_free(struct req_pool *p, uint32_t handle);
uint64_t req_live(const struct req_pool *p); /* number of allocated requests; only outside phases */

extern const char *const acc_type_names[N_ACC_TYPES];

/* Packet bytes (LSU-inject-4). */
static inline uint32_t req_bytes_out(const struct req *r)
{
	return r->flags & (REQ_WRITE | REQ_ATOMIC) ? r->size + 8u : 8u;
}
static inline uint32_t req_bytes_back(const struct req *r)
{
	return r->flags & (REQ_WRITE | REQ_PREFETCH) ? 8u : r->size + 8u;
}

#endif
