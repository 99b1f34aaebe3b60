/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files of the trace reader share: text window, header, instruction lines. Internal to
 * libcommon.
 *
 *   trace.c      thread blocks: text between #BEGIN_TB and #END_TB, ids, counts, the end
 *   header.c     the lines before the first thread block
 *   text.c       the window over the input, line numbers, the text hash, small parsers
 *   columns.def  the columns of instruction lines and the dialects; columns.c finds one in a line
 *   source.c     source files and lines of the header
 *   line.c       one instruction line, in any dialect, token by token
 *   extra.c      columns that few instructions have: columns of bulk copies, values of registers
 *   ptx_code.c   the code of traces from PTX, in the header
 *   ptx_line.c   the instruction lines of traces from PTX
 *   raw.c        ungrouped traces, line by line, only for a watcher
 *   fast.c       instruction lines that repeat an earlier line, found by PC and compared
 *   echo.c       warps that repeat an earlier warp, compared in long pieces of text
 *   digits.h     hexadecimal numbers, for fast.c and echo.c
 *   addr.c       conversion of address lists to and from their words
 *   checksum.c   the checksum of decoded thread blocks
 *   lanes.c      loops over the lanes of a warp, also for packed streams
 */
#ifndef TRACE_IN_H
#define TRACE_IN_H

#include <xxhash.h>
#include "arena.h"
#include "code.h"
#include "columns.h"

#define ADDR_WORDS 34 /* largest number of words of a record */

/* A static instruction in the spelling of this kernel's text. */
struct seen {
	uint64_t head;      /* text of the PC and a blank */
	uint64_t head_bits; /* mask of the bits of `head` in use */
	uint64_t mask_text; /* text of the last mask */
	uint32_t mask;      /* value of the last mask */
	uint32_t follow;    /* number + 1 of the entry that last followed this one; 0: none */
	uint32_t pc;
	uint32_t next; /* entry + 1 of the next entry in the slot; 0: none */
	uint32_t handle;
	uint32_t lineno;
	uint32_t mid;  /* offset in text[] of the text from the mask's end to the width, or to the newline */
	uint32_t tail; /* offset in text[] of the text from the end of the addresses to the newline */
	uint16_t mid_len, tail_len; /* in bytes */
	uint8_t head_len;
	bool quick; /* head and mask_text are known; of the flags, only has_addr or ends_with_word is set */
	bool has_addr;
	bool open_end;       /* true if any text may follow the word at the end of the tail */
	bool needs_addr;     /* true if the line lacks addresses that active lanes need */
	bool unknown;        /* true if the opcode has no row */
	bool ends_with_word; /* true if the line ends with a word */
	bool issue;          /* PTX: true if " i:" and a mask precede the tail */
};

struct seen_table {
	struct seen *entry; /* entries of the table */
	uint32_t n, cap;
	char *text;
	uint32_t n_text, cap_text;
	uint32_t *slot; /* index + 1 of the newest entry, by PC */
	uint32_t n_slots;
	uint32_t last; /* entry + 1 of the line that was read last */
};

/* Warps whose text echo.c keeps to compare it with later warps. */
struct echoes {
	struct echo *warp; /* kept warps by warp number, n_warps entries; NULL: none so far */
	uint32_t n_warps;
	uint32_t n_text; /* number of characters in all kept texts */
	/* The warp that is being read. */
	struct echo *now;           /* entry of the warp; NULL: its text is neither compared nor kept */
	bool keeping;               /* true if the text of the warp is kept, false if it is compared */
	uint32_t n_different_lines; /* number of lines that differed */
	uint32_t first_word;        /* words of the thread block before the warp */
};

/* Numbers of columns in the first instruction line, which every other line must have; -1: unknown. */
struct dialect {
	enum line_dialect form; /* dialect of the lines */
	int prefix_columns;     /* number of columns before the PC: 0, 1, 4, 5, 11, ... */
	int imms;               /* number of immediates after the addresses: 0, 1 or 2 */
	bool has_lineno;        /* true if the last prefix column is a source line */
	bool block_ids;         /* true if prefix columns 1 to 4 are the thread block and the warp */
};

/* Set of thread block ids: one bit per id, in pages that are allocated when needed. */
struct id_set {
	uint64_t **page; /* pages, or NULL */
	uint64_t n_pages;
};

struct trace {
	struct trace_options options; /* options of the caller */
	struct input *in;
	const char *name;
	struct kernel_header header; /* header of the kernel */
	struct dialect dialect;      /* column counts of the lines */

	/* The window: [position, end) is not consumed; [base, position) is consumed but not yet released. */
	const char *base, *position, *end;
	uint64_t line;      /* line number at `position` */
	uint64_t base_line; /* line number at base */
	bool is_last;       /* true if the input has no text after `end` */

	uint64_t blocks;        /* number of thread blocks returned so far */
	struct id_set ids;      /* thread blocks that were read */
	struct seen_table seen; /* table of earlier lines, for fast.c */
	struct echoes echoes;
	uint64_t unknown_recs; /* number of records whose opcode has no row */

	/* The thread block that is being read. */
	uint32_t id[3];
	uint32_t warp;         /* number of the current warp; UINT32_MAX: none so far */
	uint32_t want_insts;   /* expected number of instructions */
	uint32_t n_insts_read; /* number of instructions read */
	bool has_id, has_insts;

	/* State after faults (struct trace_watch); all false without a watcher. */
	uint32_t bad_lines; /* number of lines of the current warp that were skipped */
	bool stray;         /* true if the current warp is not in the block */
	bool uncounted;     /* true if the current warp's count is unknown, or is wrong and was reported */
	bool skips_lines;   /* true while lines up to the next expected one are skipped */
	bool block_begun;   /* true after the #BEGIN_TB of the next block was read */
	bool loose_grid;    /* true if there are more blocks than the grid has, so that ids are not checked */
	bool end_reported;  /* true after the end was reached and reported */
	bool probing;       /* true while a line is parsed as another dialect, as a trial */
	bool raw;           /* true for a raw trace, which is not grouped */
	bool tail;          /* value of trace_line.tail for the last line */

	struct ptx_code *ptx;    /* code of the header; NULL: the header has none */
	struct sources *sources; /* source files and lines of the header; NULL: the header has none */

	struct packed *packed;            /* state of a kernel from a packed stream, else NULL */
	bool columns_are_records;         /* true if the packed columns contain records instead of text */
	const unsigned char *stored_hash; /* hash that the stream contains */

	XXH3_state_t *hash;
	uint64_t checksum; /* checksum of the thread blocks so far */
	bool finished;
	bool only_slow;  /* true if line.c parses every line, for tests */
	bool no_newline; /* true if the last line has no newline */
};

/* Passes a fault to the watcher. Returns true if reading continues. */
static inline bool trace_report_fault(const struct trace *t, const struct fault *f)
{
	return t->options.watch && t->options.watch->fault(t->options.watch->ctx, f);
}

/* Passes the last record of tb to the watcher. no is the number of its line. */
static inline void trace_report_record(
	const struct trace *t, const struct tblock *tb, const char *line, size_t len, uint64_t no)
{
	struct trace_line l = {no, line, len, t->warp, t->tail};
	t->options.watch->record(t->options.watch->ctx, tb, &tb->rec[tb->n_recs - 1], &l);
}

/* ---- trace.c, also for pack/trace.c ---- */

/* Starts an empty thread block without warps. */
void trace_begin_block(struct trace *t, struct tblock *tb);
/* Checks that a thread block is in the grid and did not occur before. Returns 0, or -1. */
int trace_claim_block(struct trace *t, const uint64_t id[3], struct fault *f);
/* Returns 0, or -1 if a warp is missing. */
int trace_check_warps(struct trace *t, const struct tblock *tb, struct fault *f);

/* ---- block_line.c ---- */

/* Parses "name = a,b,..." with n numbers into v. Returns 0 or -1. */
int trace_parse_values(struct trace *t, const char *line, size_t len, const char *name, unsigned n,
	uint64_t *v, struct fault *f);
/* Reads a line about a cluster, core or other placement. */
int trace_read_placement(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f);

/* ---- pack/trace.c ---- */

int packed_next(struct trace *t, struct tblock *tb, struct fault *f);
/*
 * Moves to the piece with thread block `block`. Returns 1 and sets t->blocks, 0 if the kernel must be read from its
 * start, or -1.
 */
int packed_seek(struct trace *t, uint64_t block, struct fault *f);
int packed_finish(struct trace *t, struct fault *f); /* returns 1 if there are more thread blocks */
const struct cubins *packed_kernel_cubins(const struct packed *k);
void packed_close(struct packed *k);

/* ---- text.c ---- */

/* Buffers at least n bytes starting at t->position, or the rest of the input. Returns 0 or -1. */
int text_fill(struct trace *t, size_t n, struct fault *f);
/*
 * Sets *line and *len to the line at t->position, without its end. Does not change t->position. Returns 1, 0 at the end
 * of the input, or -1.
 */
int text_line(struct trace *t, const char **line, size_t *len, struct fault *f);
/* Moves t->position past the line that text_line() returned. */
void text_next(struct trace *t, const char *line_end);
/* Hashes the consumed text and releases it. */
void text_release(struct trace *t);
struct place text_place(const struct trace *t, const char *line, const char *at);

struct tok {
	const char *s; /* start of the word */
	size_t n;      /* number of bytes of the word */
};
/* Returns the next blank-separated word in [*s, end) and moves *s past it. n is 0 if there is none. */
struct tok tok_next(const char **s, const char *end);
bool tok_is(struct tok w, const char *word);
bool tok_parse_u64(struct tok w, uint64_t *v); /* parses a decimal number */
bool tok_parse_hex(struct tok w, uint64_t *v); /* parses a hexadecimal number, with or without 0x */
bool tok_parse_i64(struct tok w, int64_t *v);  /* parses a decimal number with an optional sign */

static inline bool is_space(char c) { return line_blank(c); }

/* ---- header.c ---- */
int header_read(struct trace *t, struct fault *f);

/* ---- source.c ---- */

/* Stores the name of source file `number`. Ignores a line without number or name. */
void source_add_file(struct trace *t, struct tok number, struct tok name);
/* Reads a header line "-line PC = FILE,LINE". value is the text after '='. Returns 0, or -1. */
int source_add_line(struct trace *t, struct tok pc, struct tok value, struct place at, struct fault *f);
/* Sets the source file of d from its PC. Also sets the source line of d unless the instruction line has one. */
void source_set_by_pc(const struct trace *t, struct draft *d);
/* Returns the hash of the header's "-file" and "-line" lines; 0 if there are none. */
uint64_t source_hash(const struct trace *t);
void source_free(struct sources *s);

/* ---- line.c ---- */
/* Parses an instruction line and appends it to tb. Returns 0 or -1. */
int line_parse(
	struct trace *t, struct tblock *tb, uint32_t lanes, const char *line, size_t len, struct fault *f);

/* ---- ptx_code.c ---- */

#define PTX_REGISTER_MAX 65535u
#define PTX_CODE_MAX     (1u << 28) /* largest size of the code of a kernel in bytes */

/* A line "-code" of the header. number is its registers in the order of struct inst and struct ptx_inst. */
struct ptx_static {
	uint32_t pc, file, lineno;
	const char *text; /* text of the line from the opcode on */
	size_t text_len, opcode_len;
	struct place opcode_place; /* position of the opcode in the header */
	const uint16_t *number;
	uint8_t n_dst, n_src, n_operands, n_bank_dst, n_bank_src;
	uint8_t barrier, barrier_warps;
	bool barrier_known, ends;
	struct ptx_form form;
};

/* Reads one "-code" line into t->ptx. The text from p to end follows "-code". Returns 0, or -1. */
int ptx_code_line(struct trace *t, const char *line, const char *p, const char *end, struct fault *f);
/* Returns the instruction at pc; NULL if there is none. */
const struct ptx_static *ptx_code_at(const struct ptx_code *c, uint64_t pc);
/* Returns the highest PC; 0 without code. */
uint32_t ptx_code_last(const struct ptx_code *c);
uint64_t ptx_code_hash(const struct ptx_code *c); /* returns the hash of all lines; 0 without code */
void ptx_code_free(struct ptx_code *c);
/* Parses "ID" or "ID,THREADS". Sets *warps to 0 if the barrier waits for all warps of the block. */
bool ptx_barrier(struct tok w, uint8_t *id, uint8_t *warps);

/* ---- raw.c ---- */
/* Returns true if the line belongs to a raw trace. */
bool raw_is_line(const struct trace *t, const char *line, size_t len);
/* Reads all lines up to the end of the input. Returns 0 or -1. */
int raw_read(struct trace *t, struct tblock *tb, struct fault *f);

/* ---- fast.c ---- */
/*
 * Reads lines of the current warp, up to want_insts, while they repeat earlier lines. Returns 0, or -1 if the input
 * fails.
 */
int fast_read_lines(struct trace *t, struct tblock *tb, uint32_t lanes, struct fault *f);
/*
 * A parsed line to remember. head is the text of the PC, mid the text from the end of the mask to the end of the
 * width, and tail the text from the end of the addresses to the newline or, with open_end, to the end of a word that
 * any text may follow. Without addresses, tail is NULL and mid extends to the end.
 */
struct seen_line {
	uint32_t pc, handle, lineno;
	const char *head, *mid, *mid_end, *tail, *tail_end;
	bool has_addr, open_end, needs_addr, word, issue;
};
void seen_add(struct trace *t, const struct seen_line *l);
void seen_free(struct seen_table *s);

/* ---- echo.c ---- */
/* Begin and end a warp. Its want_insts lines are read between the two calls. */
void echo_begin(struct trace *t, const struct tblock *tb);
void echo_end(struct trace *t, const struct tblock *tb);
/*
 * Reads lines of the current warp as long as they equal the kept lines. At least 64 bytes at t->p must be readable.
 */
void echo_read_lines(struct trace *t, struct tblock *tb);
void echo_note_difference(struct trace *t); /* records that the line at t->p differed from the kept line */
/* Keeps the text from line to end for the entry. The line's record and words are the last ones of tb. */
void echo_keep(struct trace *t, const struct tblock *tb, const char *line, const char *end, uint32_t entry);
void echo_free(struct echoes *s);

/* ---- addr.c ---- */
enum { MODE_LIST, MODE_STRIDE, MODE_DELTA };
/*
 * Append addresses to the words of tb: a list of n active lanes, a base and a stride, or a base and deltas. Return
 * the value for rec.addr.
 */
uint32_t addr_list(struct tblock *tb, const uint64_t *a, unsigned n);
uint32_t addr_stride(struct tblock *tb, uint64_t base, int64_t stride);
uint32_t addr_delta(struct tblock *tb, uint64_t base, const int64_t *delta, unsigned n_deltas);

/* ---- extra.c ---- */
/* Returns true if lines with this opcode have values that the reader keeps. */
bool extra_has_values(const char *opcode, size_t n);
/* Returns the words of the record's extra columns and sets *n to their number. inst.extra must not be EXTRA_NONE. */
const uint64_t *extra_words(const struct tblock *tb, const struct rec *r, uint32_t *n);

/* ---- checksum.c ---- */
/* Returns the checksum `sum` with a thread block added. */
uint64_t checksum_block(uint64_t sum, const struct code *code, const struct tblock *tb, bool ptx);

static inline void addr_reserve(struct tblock *tb)
{
	if (tb->cap_words - tb->n_words < ADDR_WORDS)
		grow(&tb->word, &tb->cap_words, tb->n_words + ADDR_WORDS, sizeof(tb->word[0]));
}

static inline void rec_reserve(struct tblock *tb)
{
	if (tb->n_recs == tb->cap_recs)
		grow(&tb->rec, &tb->cap_recs, tb->n_recs + 1, sizeof(tb->rec[0]));
}

#endif
