/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel traces: header, then one thread block at a time, as decoded records.
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

#define CODE_MAX (1u << 22) /* limit of distinct instructions of a run; a large application has 10^5 */

struct code; /* all distinct static instructions of a run; handles stay valid */

struct code *code_new(const struct isa *isa); /* returns an empty table; isa must outlive it */
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
	uint32_t first, count; /* the records of the warp in tblock.rec */
	uint64_t line;         /* line of the first record, for messages; one line for each record */
};

/* Position of a thread block in its cluster, from lines of format version 6; zeros if the trace has none. */
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

/* Returns the lanes for which a PTX instruction with ptx_inst.issue_mask issued, a superset of mask. */
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
	uint16_t width;         /* bytes per element */
	uint64_t bytes;         /* bytes in and out of bounds */
	uint64_t out_of_bounds; /* bytes out of bounds, which are in no run */
	uint32_t n_runs;
	const uint64_t *run; /* runs of elements, read by copy_run_at() */
};

/* Sets *c to the columns of a bulk copy. Returns false if the record's line has none. Valid as long as tb. */
bool rec_copy(const struct tblock *tb, const struct rec *r, const struct inst *i, struct bulk_copy *c);
struct copy_run copy_run_at(const struct bulk_copy *c, uint32_t run);
/* Returns the number of registers whose values the record's line has; 0 unless the instruction is SYNCS or BAR. */
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
	char *name; /* text of the header line "-kernel name" */
	uint32_t id;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* thread blocks of a cluster; zeros if the header has none */
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
	bool slice; /* cut from a larger grid, so missing thread blocks are not a fault */
};

struct cubins;
struct trace;

/* Text line of a record. */
struct trace_line {
	uint64_t line;    /* number of the line in the file */
	const char *text; /* len bytes, without the line's end */
	size_t len;
	uint32_t warp;
	bool tail; /* each line has unread words after the columns */
};

/*
 * Callbacks for linters. fault() is called for faults after which reading can continue, and returns true to
 * continue; thread blocks may then lack warps and records. Raw traces (not grouped by thread block and warp) can be
 * read, too: record() is called for each record with its thread block in tb, and trace_next() returns 0. A failed
 * call with f->id NULL has already passed its faults to fault().
 */
struct trace_watch {
	bool (*fault)(void *ctx, const struct fault *f);
	void (*record)(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *l);
	void *ctx;
};

/* Form of the instruction lines; prefix and imms are -1 until a line was read. */
struct trace_shape {
	enum line_dialect dialect;
	int prefix; /* number of columns before the PC */
	int imms;   /* number of immediates */
	bool raw;
};

struct trace_options {
	struct code *code;
	bool strict;    /* opcodes without a row cause a fault instead of a warning */
	bool hash;      /* the text hash and the checksum are computed */
	bool fragments; /* missing warps have 0 records and line 0 instead of being a fault */
	/* Callback for warnings; NULL: diag_warn(). */
	void (*warn)(void *ctx, const struct fault *f);
	void *ctx;
	const struct trace_watch *watch; /* NULL: reading ends at the first fault */
};

/* Opens a kernel file and reads its header. Returns NULL and sets *f on failure. */
struct trace *trace_open(const char *path, const struct trace_options *o, struct fault *f);
/* Opens an input like trace_open(); the trace then owns it. */
struct trace *trace_open_input(struct input *in, const struct trace_options *o, struct fault *f);
const struct kernel_header *trace_header(const struct trace *t);

/*
 * Returns the registers that the PTX instruction at pc reads as operands, without guard and address registers, and
 * sets *n to their number (0 if there is no instruction). Valid until the trace is closed.
 */
const uint16_t *trace_ptx_operands(const struct trace *t, uint32_t pc, unsigned *n);
/* Returns the opcode of the PTX instruction at pc, *n bytes; NULL if the code has no instruction there. */
const char *trace_ptx_opcode(const struct trace *t, uint32_t pc, size_t *n);
const char *trace_path(const struct trace *t);
/* Returns the name of a source file by its number in the header; NULL if there is none. */
const char *trace_source(const struct trace *t, uint32_t file);
/* Reports whether the header has the source lines of machine code by PC. */
bool trace_has_lines(const struct trace *t);
/*
 * Returns the function of the kernel from a packed stream with control codes; NULL if there is none. Its machine
 * code has only the fields of control_decode(). Valid as long as the trace.
 */
const struct cubins *trace_codes(const struct trace *t);
struct trace_shape trace_shape(const struct trace *t);
/* Warp whose lines are being read; UINT32_MAX: none. */
uint32_t trace_warp(const struct trace *t);

/* Reads the next thread block into tb, reusing its arrays. Returns 1, 0 at the end, or -1 and sets *f. */
int trace_next(struct trace *t, struct tblock *tb, struct fault *f);
/*
 * Moves to thread block number `block`, in file order from 0, which trace_next() then reads. In packed kernels the
 * thread blocks before it are not decoded; line numbers are then unknown (0 in warps and faults). tb is used for
 * reading. Returns 1; 0 if the block is before the current position, so the kernel must be opened again; or -1 and
 * sets *f.
 */
int trace_seek(struct trace *t, uint64_t block, struct tblock *tb, struct fault *f);
/*
 * Checks the input after the last thread block of the grid: only blank lines and ends of thread blocks may follow,
 * and a compressed stream must be complete. Returns 0, or -1 and sets *f.
 */
int trace_finish(struct trace *t, struct fault *f);
/* Sets out to the XXH3-128 of the kernel's text as the tracer wrote it; valid after trace_finish(). */
void trace_hash(const struct trace *t, unsigned char out[16]);
/*
 * Returns a checksum of the records of trace_next(): contents of static instructions, masks and addresses. It is
 * equal for text and packed streams.
 */
uint64_t trace_checksum(const struct trace *t);
void trace_close(struct trace *t);

/* Number of thread blocks of a cluster; 1 if the header has none. */
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

/* Returns the space of a generic access from the address of its first active lane (SM-inst-7, quirk Q1-9). */
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
