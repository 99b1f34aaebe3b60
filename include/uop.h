/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions for the pipeline: struct inst combined with the configuration, decoded once (SM-inst, SM-unit).
 * The handle of an instruction in struct code is also the handle of its uop. Always true: the configuration has the
 * unit (the modern core has units of its own); every register number is below REG_LIMIT.
 */
#ifndef UOP_H
#define UOP_H

#include "diag.h"
#include "inst.h"
#include "params.h"

enum uop_flag {
	UOP_LOAD = 1 << 0,  /* the class is LOAD, or the kind loads */
	UOP_STORE = 1 << 1, /* the class is STORE, or the kind stores; ATOMS is load and store */
	UOP_ATOMIC = 1 << 2,
	UOP_BYPASS = 1 << 3, /* the access bypasses the L1 (cache operator GLOBAL) */
	UOP_LDGSTS = 1 << 4,
	UOP_LDGDEPBAR = 1 << 5,
	UOP_DEPBAR = 1 << 6,
	UOP_BARRIER = 1 << 7,
	UOP_MEMBAR = 1 << 8,
	UOP_EXIT = 1 << 9,
	UOP_ACCESS = 1 << 10,          /* generates accesses: class LOAD or STORE */
	UOP_SOME_SCHEDULERS = 1 << 11, /* sub-core mode: fewer units of this kind than schedulers */
	UOP_PARAM = 1 << 12,           /* PTX: counted as an access to parameters */
	UOP_ARRIVE = 1 << 13,          /* arrives at a barrier without waiting */
	UOP_ISSUE = 1 << 14,           /* PTX: records have an issue mask */
	UOP_ENDS = 1 << 15,            /* PTX: the active lanes exit */
	UOP_GMMA = 1 << 16,            /* uop.gmma is not GMMA_NONE */
	UOP_SYNC = 1 << 17,            /* uop.sync is not SYNC_NONE */
	UOP_BULK = 1 << 18,            /* uop.bulk is not BULK_NONE */
	UOP_GANG = 1 << 19 /* waits at the barrier of the cluster or, with UOP_ARRIVE, arrives there */
};

/* Way in which an instruction synchronises (HOPPER-mbar, HOPPER-bulk, HOPPER-fence). */
enum uop_sync {
	SYNC_NONE,
	SYNC_INIT,   /* mbarrier: sets the expected number of arrivals */
	SYNC_END,    /* ends the use of an mbarrier */
	SYNC_ARRIVE, /* mbarrier: uop.groups is a set of enum sync_effect */
	SYNC_TEST,
	SYNC_WAIT,
	SYNC_COPIES, /* same as SYNC_ARRIVE after the warp's earlier LDGSTS are done */
	SYNC_STORE,  /* store to the shared memory of the cluster; completes its bytes on an mbarrier */
	SYNC_BULK,   /* bulk copy; may complete on an mbarrier */
	SYNC_BULK_STORE,
	SYNC_LAST_MBARRIER = SYNC_BULK_STORE, /* last kind that may name an mbarrier */
	SYNC_FLUSH,                           /* ends a group of bulk copies */
	SYNC_FENCE,                           /* waits for the warp's stores to shared memory */
	SYNC_BAR,     /* BAR with its number, or its number and thread count, in registers */
	SYNC_MAXREG,  /* changes the number of registers of the warp to uop.groups */
	SYNC_PREEXIT, /* lets a dependent kernel start as far as this thread block is concerned */
	SYNC_ACQBULK  /* waits for the kernels on which the kernel of the warp depends */
};

/*
 * Effects of an operation on an mbarrier. The amount of an effect with _VALUE is the value of the line's last
 * register.
 */
enum sync_effect {
	SYNC_ARRIVES = 1 << 0, /* one arrival */
	SYNC_ARRIVES_VALUE = 1 << 1,
	SYNC_DROPS = 1 << 2,   /* later phases do not expect the arrivals */
	SYNC_EXPECTS = 1 << 3, /* expects one byte */
	SYNC_EXPECTS_VALUE = 1 << 4,
	SYNC_COMPLETES = 1 << 5, /* completes one byte */
	SYNC_COMPLETES_VALUE = 1 << 6,
	SYNC_REMOTE = 1 << 7 /* the rank in the address selects the thread block with the mbarrier */
};

/* Role of an instruction in the matrix products of warpgroups (HOPPER-gmma). */
/* GMMA_LAST is a product that ends a group. */
enum uop_gmma { GMMA_NONE, GMMA_PRODUCT, GMMA_LAST, GMMA_WAIT };

/* Bulk copies (HOPPER-tma). BULK_CLUSTER: from shared memory to that of a thread block of the cluster. */
enum uop_bulk { BULK_NONE, BULK_LOAD, BULK_STORE, BULK_REDUCE, BULK_PREFETCH, BULK_CLUSTER };

struct uop {
	const uint16_t *reg; /* n_dst destinations, then n_src sources: REG_R0 + n, REG_UR0 + n */
	uint32_t pc;
	uint32_t next; /* PC of the next instruction */
	/*
	 * DEPBAR, GMMA_WAIT: the number N of groups. Barrier: its number in bits 0-7, and in the bits above the
	 * number of warps that it waits for (0: all). SYNC_ARRIVE and SYNC_COPIES: set of enum sync_effect.
	 * SYNC_MAXREG: number of registers per thread.
	 */
	uint32_t groups;
	/*
	 * Sources that are read from a bank: bit i is set for reg[bank_from + i], i < 32, unless the register is
	 * uniform or equal to an earlier source.
	 */
	uint32_t bank_src;
	/*
	 * Banks that warp 0 reads at least once, and banks that it reads at least twice: bit n for bank n % span, for
	 * all n. The masks save 3 % of the host instructions of matmul-640tb on rtx3070 over finding the bank of each
	 * source for each execution.
	 */
	uint64_t bank_reads[2];
	uint64_t registers;         /* set of the register numbers in reg[], modulo 64 */
	uint16_t latency, interval; /* in cycles */
	uint32_t flags;             /* set of enum uop_flag */
	uint16_t size;              /* size of the access of each lane in bytes */
	uint8_t n_dst;              /* number of destinations */
	uint8_t n_src;              /* number of sources */
	uint8_t n_operands;  /* number of first sources that the two-level scheduler checks (SM-two-2) */
	uint8_t bank_dst;    /* first element of reg[] whose bank is written */
	uint8_t n_bank_dst;  /* number of these elements */
	uint8_t bank_from;   /* first element of reg[] whose bank is read */
	uint8_t n_bank_src;  /* number of these elements */
	uint8_t bytes;       /* size of the instruction in bytes: 8 for PTX, else 16 */
	uint8_t class;       /* enum isa_class after translation (ATOM: LOAD, LDC: ALU) */
	uint8_t unit;        /* one of enum unit_kind */
	uint8_t space;       /* one of enum space */
	uint8_t bulk;        /* one of enum uop_bulk */
	bool has_descriptor; /* true for a bulk copy with a tensor descriptor */
	uint8_t sync;        /* one of enum uop_sync */
	uint8_t gmma;        /* one of enum uop_gmma; GMMA_WAIT waits until `groups` groups are left */
	/* span is a power of 2 up to 64, at most 32 sources, no bank is read three times */
	bool bank_reads_valid;
	bool narrow; /* S8 or S16, treated as 4 bytes wide but without alignment (quirk Q1-6) */
};

static inline bool uop_is_ptx(const struct uop *u) { return u->bytes == 8; }

/* Sets *u. Returns 0, or -1 and sets *f if the configuration has no unit for the instruction. */
int uop_make(struct uop *u, const struct inst *in, const struct params *p, struct fault *f);

/*
 * Sets flags, sync and groups of an instruction that synchronises. Part of uop_make(). Returns 0, or -1 and sets *f.
 */
int uop_sync_attributes(struct uop *u, const struct inst *in, struct fault *f);

/* Returns true if the instruction is a bulk copy from shared to global memory. */
static inline bool uop_bulk_writes(const struct uop *u)
{
	return u->bulk == BULK_STORE || u->bulk == BULK_REDUCE;
}

/* Returns the number of banks that hold a warp's registers. */
static inline uint32_t uop_bank_span(const struct core_params *p)
{
	return p->sub_core ? p->reg_banks / p->schedulers : p->reg_banks;
}

/* Returns true if source number `source` is read from a bank. Unlike bank_src, works for any number of sources. */
bool uop_reads_bank(const struct uop *u, unsigned source);

#endif
