/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel traces: the header, then one thread block at a time as decoded records.
 *
 * Always true of a thread block: every warp of the block is present (possibly with 0 records); a record's inst is a
 * handle into the run's struct code, which has each distinct static instruction once; an address list has an address
 * for each lane that needs one. Memory is bounded by one thread block and the distinct instructions, for any file
 * size. Thread blocks are scheduled in file order. Grouped text and packed streams give the same records.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "columns.h"
#include "diag.h"
#include "input.h"
#include "inst.h"

/* ---- static instructions ------------------------------------------------------------------ */

/* Largest number of distinct instructions in a run; a large application has 10^5. */
#define CODE_MAX (1u << 22)

struct code; /* all distinct static instructions of a run; handles remain valid */

struct code *code_new(const struct isa *isa); /* returns an empty table; isa must outlive it */
void code_free(struct code *c);
uint64_t code_serial(const struct code *c); /* returns a positive number that is unique in the process */
uint32_t code_count(const struct code *c);  /* returns the number of handles, which start at 0 */
const struct inst *code_at(const struct code *c, uint32_t handle);

/* ---- thread blocks ------------------------------------------------------------------------ */

enum addr_kind { ADDR_NONE, ADDR_STRIDE, ADDR_DELTA, ADDR_LIST };

/* Execution of an instruction by a warp; rec_addresses() expands its addresses. */
struct rec {
	uint32_t inst; /* handle into struct code */
	uint32_t mask; /* active lanes */
	uint32_t addr; /* word index << 2 | enum addr_kind; 0: the record has no words */
};

struct warp_recs {
	uint32_t first_rec; /* index of the warp's first record in tblock.rec */
	uint32_t n_recs;    /* number of records of the warp */
	uint64_t line;      /* line number of the first record, for messages; each record is one line */
};

/* Position of a thread block in its cluster, from lines of format version 6; all 0 if the trace has none. */
struct cluster_place {
	bool is_known;   /* whether the trace has the position */
	uint32_t id[3];  /* coordinates of the cluster in the grid */
	uint32_t cta[3]; /* coordinates of the thread block in the cluster */
	uint32_t rank;   /* number of the thread block in its cluster */
};

struct tblock {
	uint32_t x, y, z;   /* coordinates as written; the model ignores them */
	uint32_t n_warps;   /* number of elements of warp */
	uint32_t n_recs;    /* number of elements of rec */
	uint32_t n_words;   /* number of elements of word */
	uint32_t n_unknown; /* number of records whose opcode has no row */
	struct cluster_place cluster;
	struct warp_recs *warp; /* records of each warp */
	struct rec *rec;        /* records of all warps, in order */
	/*
	 * Address data of all records. The issue mask (PTX) and extra columns of a record precede its address data.
	 * STRIDE: base, stride. DELTA: base, then an int32 for each further active lane, two in a word, the lower
	 * half first. LIST: a word for each active lane.
	 */
	uint64_t *word;
	uint32_t cap_warps, cap_recs, cap_words;
};

void tblock_free(struct tblock *tb); /* frees the arrays; a zeroed tblock is empty */

/* Returns the lanes with which a PTX instruction that has ptx_inst.issue_mask was issued: a superset of mask. */
static inline uint32_t rec_issue_mask(const struct tblock *tb, const struct rec *r)
{
	return (uint32_t)tb->word[(r->addr >> 2) - 1];
}

/*
 * Expands the 32 lane addresses of a record. Inactive lanes, and lanes that the encoding omits, get 0
 * (kernel-trace(5): a stride run ends at the first inactive lane after its start).
 */
void rec_addresses(const struct tblock *tb, const struct rec *r, uint64_t lane[32]);

/* Rows of a bulk copy in global memory: row i is the `bytes` bytes starting at base + i * pitch. */
struct copy_run {
	uint64_t base;  /* address of the first row */
	int64_t pitch;  /* distance of two rows in bytes */
	uint32_t bytes; /* size of a row in bytes */
	uint32_t rows;  /* number of rows */
};

/* Columns of a bulk copy. */
struct bulk_copy {
	uint32_t mbarrier; /* lower half of the mbarrier's address; 0: none */
	bool multicast;    /* whether several thread blocks get the data */
	uint16_t mask;     /* ranks of the thread blocks of the cluster that a multicast reaches; else 0 */
	uint16_t width;    /* size of an element in bytes */
	uint64_t bytes;    /* number of bytes in and out of bounds */
	uint64_t out_of_bounds; /* number of bytes out of bounds, which are in no run */
	uint32_t n_runs;        /* number of runs */
	const uint64_t *run;    /* runs of elements, for copy_run_at() */
};

/* Sets *c to the columns of a bulk copy, valid until tb changes. Returns false if the record's line has none. */
bool rec_copy(const struct tblock *tb, const struct rec *r, const struct inst *i, struct bulk_copy *c);
struct copy_run copy_run_at(const struct bulk_copy *c, uint32_t run);
/* Returns the number of registers whose values are in the record's line; 0 unless the instruction is SYNCS or BAR. */
unsigned rec_values(const struct tblock *tb, const struct rec *r, const struct inst *i);
/*
 * Sets *v to the value of a lane in register number reg of the line's values. The destination, if there is one, is
 * the first register, then come the sources. Returns false if the line does not have the value.
 */
bool rec_value(const struct tblock *tb, const struct rec *r, const struct inst *i, unsigned reg,
	unsigned lane, uint32_t *v);

/* ---- kernels -------------------------------------------------------------------------------- */

#define CLUSTER_BLOCKS_MAX 16u

struct kernel_header {
	char *name; /* text of the header line "-kernel name" */
	uint32_t id;
	uint32_t grid[3], block[3];
	uint32_t cluster[3];  /* size of a cluster in thread blocks; all 0: the header has none */
	uint32_t shmem_bytes; /* bytes of shared memory */
	uint32_t nregs;       /* number of registers of a thread */
	uint64_t stream;
	uint64_t shmem_base; /* start address of the window of shared memory */
	uint64_t local_base; /* start address of the window of local memory */
	int binary_version, tracer_version;
	enum isa_arch arch;
	bool lineinfo; /* whether lines have the source line as a column */
	enum line_dialect dialect;
	bool ptx;           /* true for a trace from PTX; arch is then unused */
	uint32_t code_end;  /* PTX: address of the end of the code; instructions have 8 bytes */
	uint32_t registers; /* PTX: first number above the registers */
	uint32_t dynamic_shmem;
	/* true if the kernel may start before the end of the kernel before it in its stream (HOPPER-pdl) */
	bool programmatic;
	bool is_slice; /* true if cut from a larger grid: missing thread blocks are no fault */
};

struct cubins;
struct trace;

/* Text line of a record. */
struct trace_line {
	uint64_t line;    /* number of the line in the file */
	const char *text; /* text of len bytes, without the line's end */
	size_t len;       /* number of bytes of text */
	uint32_t warp;    /* number of the warp in its thread block */
	bool has_tail;    /* true if the lines have more words than the columns */
};

/*
 * Callbacks for linters. fault() is called for faults after which reading can continue, and returns true to continue.
 * Thread blocks may then lack warps and records. Raw traces (not grouped by thread block and warp) can be read, too:
 * record() is called for each record with its thread block in tb, and trace_next() returns 0. A failed call with
 * f->id NULL has already passed its faults to fault().
 */
struct trace_watch {
	bool (*fault)(void *ctx, const struct fault *f);
	void (*record)(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *l);
	void *ctx; /* argument of the callbacks */
};

/* Form of the instruction lines. prefix_columns and imms are -1 until a line was read. */
struct trace_shape {
	enum line_dialect dialect;
	int prefix_columns; /* number of columns before the PC */
	int imms;           /* number of immediates */
	bool is_raw;        /* true for a raw trace, which is not grouped */
};

struct trace_options {
	struct code *code;         /* table for the static instructions */
	bool strict;               /* true if an opcode without a row is a fault instead of a warning */
	bool computes_hash;        /* true to compute the text hash and the checksum */
	bool allows_missing_warps; /* true if missing warps are no fault; they get 0 records and line 0 */
	void (*warn)(void *ctx, const struct fault *f); /* callback for warnings; NULL: diag_warn() */
	void *ctx;                                      /* argument of warn() */
	const struct trace_watch *watch; /* callbacks for linters; NULL: reading ends at the first fault */
};

/* Opens a kernel file and reads its header. Returns NULL and sets *f on failure. */
struct trace *trace_open(const char *path, const struct trace_options *o, struct fault *f);
/* Opens an input like trace_open(). The trace then owns the input. */
struct trace *trace_open_input(struct input *in, const struct trace_options *o, struct fault *f);
const struct kernel_header *trace_header(const struct trace *t);

/*
 * Returns the registers that the PTX instruction at pc reads as operands. Guard and address registers are not among
 * them. Sets *n to their number (0 if there is no instruction). The registers are valid until the trace is closed.
 */
const uint16_t *trace_ptx_operands(const struct trace *t, uint32_t pc, unsigned *n);
/*
 * Returns the opcode of the PTX instruction at pc and sets *n to its length; NULL if the code has no instruction
 * there.
 */
const char *trace_ptx_opcode(const struct trace *t, uint32_t pc, size_t *n);
const char *trace_path(const struct trace *t);
/* Returns the name of a source file by its number in the header; NULL if there is none. */
const char *trace_source(const struct trace *t, uint32_t file);
/* Returns true if the header has a source line for each PC of machine code. */
bool trace_has_lines(const struct trace *t);
/*
 * Returns the function of the kernel, from a packed stream with control codes; NULL if there is none. Its machine
 * code has only the fields of control_decode(). It is valid until the trace is closed.
 */
const struct cubins *trace_codes(const struct trace *t);
struct trace_shape trace_shape(const struct trace *t);
/* Returns the number of the warp whose lines are being read; UINT32_MAX: none. */
uint32_t trace_warp(const struct trace *t);

/* Reads the next thread block into tb, reusing its arrays. Returns 1, 0 at the end, or -1 and sets *f. */
int trace_next(struct trace *t, struct tblock *tb, struct fault *f);
/*
 * Moves to thread block number `block`, in file order from 0. trace_next() then reads it. In packed kernels the
 * thread blocks before it are not decoded, and line numbers are then unknown (0 in warps and faults). tb is a buffer.
 * Returns 1; 0 if the block is before the current position, so that the kernel must be opened again; or -1 and sets
 * *f.
 */
int trace_seek(struct trace *t, uint64_t block, struct tblock *tb, struct fault *f);
/*
 * Checks the input after the last thread block of the grid. Only blank lines and ends of thread blocks may follow,
 * and a compressed stream must be complete. Returns 0, or -1 and sets *f.
 */
int trace_finish(struct trace *t, struct fault *f);
/* Sets out to the XXH3-128 of the kernel's text as the tracer wrote it. Valid after trace_finish(). */
void trace_hash(const struct trace *t, unsigned char out[16]);
/*
 * Returns a checksum over the static instructions, masks and addresses of the records that trace_next() returned. It
 * is equal for text and packed streams.
 */
uint64_t trace_checksum(const struct trace *t);
void trace_close(struct trace *t);

/* Returns the number of thread blocks of a cluster; 1 if the header has none. */
static inline uint32_t kernel_cluster_blocks(const struct kernel_header *k)
{
	return k->cluster[0] ? k->cluster[0] * k->cluster[1] * k->cluster[2] : 1;
}
static inline uint32_t kernel_threads(const struct kernel_header *k)
{
	return k->block[0] * k->block[1] * k->block[2];
}
static inline uint32_t kernel_warps(const struct kernel_header *k) { return (kernel_threads(k) + 31) / 32; }
static inline uint64_t kernel_blocks(const struct kernel_header *k)
{
	return (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
}

/* Returns the space of a generic access, from the address of its first active lane (SM-inst-7, quirk Q1-9). */
static inline enum space kernel_generic_space(const struct kernel_header *k, uint64_t first_active_address)
{
	uint64_t a = first_active_address;

	if (!k->shmem_base || !k->local_base)
		return SPACE_SHARED;
	if (k->shmem_base <= a && a < k->local_base)
		return SPACE_SHARED;
	if (k->local_base <= a && a - k->local_base < 16384)
		return SPACE_LOCAL;
	return SPACE_GLOBAL;
}

#endif
