/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel traces: header, then one thread block at a time, as decoded records.
 *
 * Always true of what is handed out: every warp of the block is present (possibly with 0 records); a
 * record's inst is a handle into the run's struct code, where each distinct static instruction is held
 * once; an address list has what the mask needs. Memory is that of one thread block plus the distinct
 * instructions, whatever the file's size. File order of thread blocks is schedule order.
 * Grouped text and packed streams give the same records.
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

#define CODE_MAX (1u << 22) /* distinct instructions of a run; a large application has 10^5 */

struct code; /* all distinct static instructions of a run; handles stay valid */

struct code *code_new(const struct isa *isa); /* empty; isa is to outlive it */
void code_free(struct code *c);
uint64_t code_serial(const struct code *c); /* of this process, from 1; no other struct code ever has it */
uint32_t code_count(const struct code *c);  /* handles are 0 to this minus 1 */
const struct inst *code_at(const struct code *c, uint32_t handle);

/* ---- thread blocks ------------------------------------------------------------------------ */

enum addr_kind { ADDR_NONE, ADDR_STRIDE, ADDR_DELTA, ADDR_LIST };

/* One dynamic warp instruction. Addresses are expanded by rec_addresses(). */
struct rec {
	uint32_t inst; /* handle into struct code */
	uint32_t mask; /* active lanes */
	uint32_t addr; /* word index << 2 | enum addr_kind; 0: none */
};

struct warp_recs {
	uint32_t first, count; /* in tblock.rec */
	uint64_t line;         /* of the first record, for messages; records follow line by line */
};

struct tblock {
	uint32_t x, y, z; /* as written; the model ignores them */
	uint32_t n_warps, n_recs, n_words;
	uint32_t n_unknown; /* records of opcodes without a row */
	struct warp_recs *warp;
	struct rec *rec;
	/*
	 * Address data; of PTX, before it, the issue mask. STRIDE: base, stride. DELTA: base, then an int32
	 * for each further active lane, two in a word, the lower half first. LIST: a word for each active
	 * lane.
	 */
	uint64_t *word;
	uint32_t cap_warps, cap_recs, cap_words;
};

void tblock_free(struct tblock *tb); /* the arrays; a zeroed tblock is empty and ready */

/*
 * The lanes for which an instruction of PTX issued, where
 * ptx_inst.issue_mask is set: more than those in mask.
 */
static inline uint32_t rec_issue_mask(const struct tblock *tb, const struct rec *r)
{
	return (uint32_t)tb->word[(r->addr >> 2) - 1];
}

/*
 * All 32 lane addresses of a record; inactive lanes and lanes that the encoding leaves out are 0
 * (kernel-trace(5): a stride run ends for good at the first inactive lane).
 */
void rec_addresses(const struct tblock *tb, const struct rec *r, uint64_t lane[32]);

/* ---- kernels -------------------------------------------------------------------------------- */

struct kernel_header {
	char *name; /* "-kernel name" */
	uint32_t id;
	uint32_t grid[3], block[3];
	uint32_t shmem_bytes, nregs;
	uint64_t stream;
	uint64_t shmem_base, local_base;
	int binary_version, tracer_version;
	enum isa_arch arch;
	bool lineinfo;
	enum line_dialect dialect;
	bool ptx;           /* a trace from PTX; arch is without meaning */
	uint32_t code_end;  /* of PTX: where all code ends; instructions have 8 bytes */
	uint32_t registers; /* of PTX: all register numbers are below */
	uint32_t dynamic_shmem;
	bool slice; /* cut from a larger grid: fewer thread blocks than the grid are no fault */
};

struct cubins;
struct trace;

/* The line behind a record. */
struct trace_line {
	uint64_t line;    /* number in the file */
	const char *text; /* len bytes, without the line's end */
	size_t len;
	uint32_t warp;
	bool tail; /* a word stands at the end, and what follows it is not read */
};

/*
 * For linters: what reading meets, while the text is at hand. A fault behind which reading can go on is given
 * to fault(); true: go on. Then a thread block may lack warps and records, and a raw trace (not grouped by
 * thread block and warp) is read too: each record is given to record() with its thread block in tb, and
 * trace_next returns 0. Where a call fails and f->id is NULL, all there is to tell was given to fault().
 */
struct trace_watch {
	bool (*fault)(void *ctx, const struct fault *f);
	void (*record)(void *ctx, const struct tblock *tb, const struct rec *r, const struct trace_line *l);
	void *ctx;
};

/* What the instruction lines look like; -1: none was read. */
struct trace_shape {
	enum line_dialect dialect;
	int prefix; /* columns before the PC */
	int imms;   /* immediates */
	bool raw;
};

struct trace_options {
	struct code *code;
	bool strict;    /* an opcode without a row is a fault instead of a warning */
	bool hash;      /* compute the text hash and the checksum */
	bool fragments; /* a warp that a thread block lacks has 0 records and line 0 instead of a fault */
	/* Warnings: called with the place; NULL prints them with diag_warn. */
	void (*warn)(void *ctx, const struct fault *f);
	void *ctx;
	const struct trace_watch *watch; /* NULL: the first fault ends the reading */
};

/* Open a kernel file and read its header. NULL and *f on failure. */
struct trace *trace_open(const char *path, const struct trace_options *o, struct fault *f);
/* The same over an input that the trace then owns. */
struct trace *trace_over(struct input *in, const struct trace_options *o, struct fault *f);
const struct kernel_header *trace_header(const struct trace *t);

/*
 * Of a trace from PTX: the n registers that the instruction at pc in its code reads as operands, by which
 * guard and address are not meant; n is 0 where there is none. They are valid until the trace is closed.
 */
const uint16_t *trace_ptx_operands(const struct trace *t, uint32_t pc, unsigned *n);
/* The opcode of that instruction, n bytes; NULL: there is none. */
const char *trace_ptx_opcode(const struct trace *t, uint32_t pc, size_t *n);
const char *trace_path(const struct trace *t);
/*
 * The kernel's function, where a packed stream has its control codes, as long as the trace: machine code of
 * which only what control_decode() reads is there. NULL: none.
 */
const struct cubins *trace_codes(const struct trace *t);
struct trace_shape trace_shape(const struct trace *t);
/* The warp whose lines are being read, UINT32_MAX when there is none. */
uint32_t trace_warp(const struct trace *t);

/* Next thread block into tb (its arrays are reused). 1: read, 0: no more, -1: fault. */
int trace_next(struct trace *t, struct tblock *tb, struct fault *f);
/*
 * After the last block of the grid: 0 when nothing but blank lines and block ends follow, else -1.
 * Also checks that the compressed stream ends as it should.
 */
int trace_finish(struct trace *t, struct fault *f);
/* XXH3-128 of the kernel's text as the tracer wrote it (16 bytes), valid after trace_finish. */
void trace_hash(const struct trace *t, unsigned char out[16]);
/*
 * Checksum of what trace_next() has handed out: content of static instructions, masks and addresses. Equal for
 * text and packed streams.
 */
uint64_t trace_checksum(const struct trace *t);
void trace_close(struct trace *t);

static inline uint32_t kernel_threads(const struct kernel_header *k)
{
	return k->block[0] * k->block[1] * k->block[2];
}
static inline uint32_t kernel_warps(const struct kernel_header *k) { return (kernel_threads(k) + 31) / 32; }
static inline uint64_t kernel_blocks(const struct kernel_header *k)
{
	return (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
}

/*
 * Space of a generic access by the first active lane
 * (SM-inst-7, quirk Q1-9); also the cache operator follows.
 */
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
