/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel traces: header, then one thread block at a time, as decoded records.
 *
 * Always true of a thread block: every warp of the block is present (possibly with 0 records); a record's
 * inst is a handle into the run's struct code, which has each distinct static instruction once; an address
 * list has an address for each lane that needs one. Memory is that of one thread block plus the distinct
 * instructions, for any file size. File order of thread blocks is schedule order. Grouped text and packed
 * streams give the same records.
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

#define CODE_MAX (1u << 22) /* limit of distinct instructions of a run; a large application has 10^5 */

struct code; /* all distinct static instructions of a run; handles stay valid */

struct code *code_new(const struct isa *isa); /* empty; isa must outlive it */
void code_free(struct code *c);
uint64_t code_serial(const struct code *c); /* number that is unique in the process, from 1 */
uint32_t code_count(const struct code *c);  /* number of handles, which start at 0 */
const struct inst *code_at(const struct code *c, uint32_t handle);

/* ---- thread blocks ------------------------------------------------------------------------ */

enum addr_kind { ADDR_NONE, ADDR_STRIDE, ADDR_DELTA, ADDR_LIST };

/* Dynamic warp instruction; rec_addresses() expands its addresses. */
struct rec {
	uint32_t inst; /* handle into struct code */
	uint32_t mask; /* active lanes */
	uint32_t addr; /* word index << 2 | enum addr_kind; 0: neither addresses nor other words */
};

struct warp_recs {
	uint32_t first, count; /* range of tblock.rec */
	uint64_t line;         /* line of the first record, for messages; one line for each record */
};

/* Place of a thread block in its cluster, from the lines of version 6; zeros where the trace has none. */
struct cluster_place {
	bool known;
	uint32_t id[3];  /* coordinates of the cluster in the grid */
	uint32_t cta[3]; /* coordinates of the thread block in the cluster */
	uint32_t rank;
};

struct tblock {
	uint32_t x, y, z; /* coordinates as written; the model ignores them */
	uint32_t n_warps, n_recs, n_words;
	uint32_t n_unknown; /* records of opcodes without a row */
	struct cluster_place cluster;
	struct warp_recs *warp;
	struct rec *rec;
	/*
	 * Address data, after the issue mask (PTX) and extra columns. STRIDE: base, stride. DELTA: base, then an int32
	 * for each further active lane, two in a word, the lower half first. LIST: a word for each active lane.
	 */
	uint64_t *word;
	uint32_t cap_warps, cap_recs, cap_words;
};

void tblock_free(struct tblock *tb); /* frees the arrays; a zeroed tblock is empty */

/* Lanes for which a PTX instruction with ptx_inst.issue_mask issued; includes those in mask. */
static inline uint32_t rec_issue_mask(const struct tblock *tb, const struct rec *r)
{
	return (uint32_t)tb->word[(r->addr >> 2) - 1];
}

/*
 * Expands the 32 lane addresses of a record; inactive lanes and lanes that the encoding omits are 0
 * (kernel-trace(5): a stride run ends at the first inactive lane after its start).
 */
void rec_addresses(const struct tblock *tb, const struct rec *r, uint64_t lane[32]);

/* Rows of a bulk copy in global memory: row i has `bytes` bytes from base + i * pitch on. */
struct copy_run {
	uint64_t base;
	int64_t pitch;
	uint32_t bytes, rows;
};

/* Columns of a bulk copy. */
struct bulk_copy {
	uint32_t mbarrier; /* lower half of the barrier's address; 0: none */
	bool multicast;
	uint16_t mask;          /* thread blocks of the cluster that a multicast reaches, by rank; else 0 */
	uint16_t width;         /* bytes of an element */
	uint64_t bytes;         /* bytes in and out of bounds */
	uint64_t out_of_bounds; /* bytes out of bounds, which no run has */
	uint32_t n_runs;
	const uint64_t *run; /* copy_run_at() */
};

/* Sets *c to the columns of a bulk copy. Returns false if the record's line has none. Valid as long as tb. */
bool rec_copy(const struct tblock *tb, const struct rec *r, const struct inst *i, struct bulk_copy *c);
struct copy_run copy_run_at(const struct bulk_copy *c, uint32_t run);
/* Returns the number of registers whose values the record's line has: SYNCS and BAR only, else 0. */
unsigned rec_values(const struct tblock *tb, const struct rec *r, const struct inst *i);
/*
 * Sets *v to the value of a lane in register number reg of the line's values: the destination, if there is one, then
 * the sources. Returns false if the line does not have it.
 */
bool rec_value(const struct tblock *tb, const struct rec *r, const struct inst *i, unsigned reg,
	unsigned lane, uint32_t *v);

/* ---- kernels -------------------------------------------------------------------------------- */

#define CLUSTER_BLOCKS_MAX 16u

struct kernel_header {
	char *name; /* "-kernel name" */
	uint32_t id;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* thread blocks of a cluster; zeros where the header does not say */
	uint32_t shmem_bytes, nregs;
	uint64_t stream;
	uint64_t shmem_base, local_base;
	int binary_version, tracer_version;
	enum isa_arch arch;
	bool lineinfo;
	enum line_dialect dialect;
	bool ptx;           /* trace from PTX; arch is unused */
	uint32_t code_end;  /* PTX: end of the code; instructions have 8 bytes */
	uint32_t registers; /* PTX: limit of the register numbers */
	uint32_t dynamic_shmem;
	bool slice; /* cut from a larger grid: missing thread blocks are no fault */
};

struct cubins;
struct trace;

/* Line of a record. */
struct trace_line {
	uint64_t line;    /* number of the line in the file */
	const char *text; /* len bytes, without the line's end */
	size_t len;
	uint32_t warp;
	bool tail; /* unread words follow the columns */
};

/*
 * Callbacks for linters. fault() gets faults after which reading can continue, and returns true to continue.
 * Thread blocks may then lack warps and records, and raw traces (not grouped by thread block and warp) are
 * read too: record() gets each record with its thread block in tb, and trace_next returns 0. A failed call
 * with f->id NULL has already reported its faults to fault().
 */
struct trace_watch {
	bool (*fault)(void *ctx, const struct fault *f);
	void (*record)(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *l);
	void *ctx;
};

/* Shape of the instruction lines; -1: no line was read. */
struct trace_shape {
	enum line_dialect dialect;
	int prefix; /* columns before the PC */
	int imms;   /* immediates */
	bool raw;
};

struct trace_options {
	struct code *code;
	bool strict;    /* opcodes without a row are a fault instead of a warning */
	bool hash;      /* text hash and checksum are computed */
	bool fragments; /* missing warps have 0 records and line 0 instead of being a fault */
	/* Callback for warnings; NULL: diag_warn(). */
	void (*warn)(void *ctx, const struct fault *f);
	void *ctx;
	const struct trace_watch *watch; /* NULL: reading ends at the first fault */
};

/* Opens a kernel file and reads its header. NULL and *f on failure. */
struct trace *trace_open(const char *path, const struct trace_options *o, struct fault *f);
/* The same for an input, which the trace then owns. */
struct trace *trace_over(struct input *in, const struct trace_options *o, struct fault *f);
const struct kernel_header *trace_header(const struct trace *t);

/*
 * Registers that the PTX instruction at pc reads as operands, without guard and address registers; *n is
 * their number, 0 without an instruction. Valid until the trace is closed.
 */
const uint16_t *trace_ptx_operands(const struct trace *t, uint32_t pc, unsigned *n);
/* Opcode of that instruction, n bytes; NULL: the code has no such instruction. */
const char *trace_ptx_opcode(const struct trace *t, uint32_t pc, size_t *n);
const char *trace_path(const struct trace *t);
/* Name of a source file of the header, by number; NULL: none. */
const char *trace_source(const struct trace *t, uint32_t file);
/* Tests whether the header gives source lines of machine code by PC. */
bool trace_has_lines(const struct trace *t);
/*
 * Function of the kernel from a packed stream with control codes; NULL: none. Its machine code has only the
 * fields of control_decode(). Valid as long as the trace.
 */
const struct cubins *trace_codes(const struct trace *t);
struct trace_shape trace_shape(const struct trace *t);
/* Warp whose lines are being read; UINT32_MAX: none. */
uint32_t trace_warp(const struct trace *t);

/* Reads the next thread block into tb, whose arrays are reused. 1: read, 0: end, -1: fault. */
int trace_next(struct trace *t, struct tblock *tb, struct fault *f);
/*
 * Moves to thread block number `block`, in file order from 0, which trace_next() then reads. Packed kernels are
 * not read up to it; lines are then unknown, 0 in warps and faults. tb is used for reading. 1: done; 0: the
 * block is before the position and the kernel must be opened again; -1 and *f.
 */
int trace_seek(struct trace *t, uint64_t block, struct tblock *tb, struct fault *f);
/*
 * Checks the input after the last block of the grid: only blank lines and block ends may follow, and a
 * compressed stream must end regularly. 0, or -1 and *f.
 */
int trace_finish(struct trace *t, struct fault *f);
/* XXH3-128 of the kernel's text as the tracer wrote it (16 bytes), valid after trace_finish. */
void trace_hash(const struct trace *t, unsigned char out[16]);
/*
 * Checksum of the records of trace_next(): contents of static instructions, masks and addresses. Equal for
 * text and packed streams.
 */
uint64_t trace_checksum(const struct trace *t);
void trace_close(struct trace *t);

/* Number of thread blocks of a cluster; 1 where the header does not say. */
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

/* Space of a generic access by the first active lane (SM-inst-7, quirk Q1-9). */
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
