/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations shared by the files of the trace reader: text window, header, instruction lines. Internal to
 * libcommon.
 *
 *   trace.c      thread blocks: text between #BEGIN_TB and #END_TB, ids, counts, the end
 *   header.c     the lines before the first thread block
 *   text.c       the window over the input, line numbers, the text hash, small parsers
 *   columns.def  the columns of instruction lines and the dialects; columns.c finds one in a line
 *   source.c     source files and lines of the header
 *   line.c       one instruction line, in any dialect, token by token
 *   extra.c      columns that few instructions have: those of bulk copies, values of registers
 *   ptx_code.c   the code of traces from PTX, in the header; ptx_line.c  their instruction lines
 *   raw.c        ungrouped traces, line by line, for a watcher
 *   fast.c       instruction lines that were read before, found by PC and compared
 *   echo.c       whole warps that were read before, compared in stretches of text
 *   digits.h     hexadecimal numbers, for both
 *   addr.c       address lists in and out of their words
 *   checksum.c   the checksum of decoded thread blocks
 *   lanes.c      loops over the lanes of a warp, also for packed streams
 */
#ifndef TRACE_IN_H
#define TRACE_IN_H

#include <xxhash.h>
#include "arena.h"
#include "code.h"
#include "columns.h"

#define ADDR_WORDS 34 /* most words of one record */

/* A static instruction as this kernel's text wrote it. */
struct seen {
	uint64_t head, head_bits; /* text of the PC and the blank after it, and a mask of its bits */
	uint64_t mask_text;       /* text of the last mask */
	uint32_t mask;
	uint32_t follow;   /* entry + 1 that followed it last time, 0: none */
	uint32_t pc, next; /* next + 1 of the same slot, 0: none */
	uint32_t handle;
	uint32_t lineno;
	uint32_t mid;  /* text[]: from the mask's end to the width, or to the newline */
	uint32_t tail; /* text[]: from the end of the addresses to the newline */
	uint16_t mid_len, tail_len;
	uint8_t head_len;
	bool quick; /* head and mask_text are known, and no other flag than has_addr and word is set */
	bool has_addr;
	bool open_end;   /* any text may follow the word at the end of the tail */
	bool needs_addr; /* no addresses although active lanes need them */
	bool unknown;    /* the opcode has no row */
	bool word;       /* the line ends with a word */
	bool issue;      /* PTX: " i:" and a mask precede the tail */
};

struct seen_table {
	struct seen *e;
	uint32_t n, cap;
	char *text;
	uint32_t n_text, cap_text;
	uint32_t *slot; /* by PC: index + 1 of the newest entry */
	uint32_t n_slots;
	uint32_t last; /* entry + 1 of the line read last */
};

/* Warps kept: echo.c. */
struct echoes {
	struct echo *warp; /* by number, n_warps; NULL: none yet */
	uint32_t n_warps;
	uint32_t n_text; /* characters of all kept texts */
	/* the warp being read */
	struct echo *now; /* NULL: nothing is compared and nothing kept */
	bool keeping;     /* the text is kept; else it is compared */
	uint32_t missed;  /* lines that differed */
	uint32_t first_word;
};

/* Column counts of the first instruction line, which every other line must have; -1: unknown. */
struct dialect {
	enum line_dialect form;
	int prefix;     /* columns before the PC: 0, 1, 4, 5, 11, ... */
	int imms;       /* immediates after the addresses: 0, 1 or 2 */
	bool lineno;    /* the last prefix column is a source line */
	bool block_ids; /* prefix columns 1 to 4 are the thread block and the warp */
};

/* Thread block ids met: a bit each, in pages that exist once touched. */
struct id_set {
	uint64_t **page;
	uint64_t n_pages;
};

struct trace {
	struct trace_options o;
	struct input *in;
	const char *name;
	struct kernel_header h;
	struct dialect d;

	/* the window: text [p, end) is there and not consumed; [base, p) is consumed but not yet taken */
	const char *base, *p, *end;
	uint64_t line, base_line; /* line numbers at p and at base */
	bool last;                /* the input ends at end */

	uint64_t blocks; /* thread blocks handed out */
	struct id_set ids;
	struct seen_table seen;
	struct echoes echoes;
	uint64_t unknown_recs;

	/* the thread block being read */
	uint32_t id[3];
	uint32_t warp; /* current warp, UINT32_MAX: none yet */
	uint32_t want_insts, got_insts;
	bool has_id, has_insts;

	/* continuing after faults (struct trace_watch); all false without a watcher */
	uint32_t bad_lines; /* lines of the current warp that were skipped */
	bool stray;         /* the current warp is not in the block */
	bool uncounted;     /* the current warp's count is unknown, or wrong and reported */
	bool passing;       /* lines are skipped up to the next expected one */
	bool begun;         /* the #BEGIN_TB of the next block was read */
	bool loose_grid;    /* more blocks than the grid: ids are not checked */
	bool over;          /* the end was reached and reported */
	bool probing;       /* a line is tried as one of another dialect */
	bool raw;           /* the trace is not grouped */
	bool tail;          /* struct trace_line's, of the line read last */

	struct ptx_code *ptx;    /* NULL: the header has no code */
	struct sources *sources; /* NULL: the header has no source files and lines */

	struct packed *packed;            /* the kernel comes from a packed stream */
	bool columns;                     /* the columns hold records, not text */
	const unsigned char *stored_hash; /* found in the stream */

	XXH3_state_t *hash;
	uint64_t checksum; /* checksum of the thread blocks so far */
	bool finished;
	bool only_slow;  /* for tests: line.c reads every line */
	bool no_newline; /* the last line has none */
};

/* Gives a fault to the watcher. True: continue after it. */
static inline bool trace_report_fault(const struct trace *t, const struct fault *f)
{
	return t->o.watch && t->o.watch->fault(t->o.watch->ctx, f);
}

/* Gives the watcher the record appended last, whose line has number no. */
static inline void trace_give(
	const struct trace *t, const struct tblock *tb, const char *line, size_t len, uint64_t no)
{
	struct trace_line l = {no, line, len, t->warp, t->tail};
	t->o.watch->record(t->o.watch->ctx, tb, &tb->rec[tb->n_recs - 1], &l);
}

/* ---- trace.c, for pack/trace.c too ---- */

void trace_begin(struct trace *t, struct tblock *tb); /* an empty block, all warps absent */
/* Checks that a thread block is in the grid and new. Returns 0, or -1. */
int trace_claim(struct trace *t, const uint64_t id[3], struct fault *f);
int trace_check_warps(
	struct trace *t, const struct tblock *tb, struct fault *f); /* fails if a warp is absent */

/* ---- block_line.c ---- */

/* Parses "name = a,b,..." with n numbers. Returns 0 or -1. */
int trace_values(struct trace *t, const char *line, size_t len, const char *name, unsigned n, uint64_t *v,
	struct fault *f);
/* Reads a cluster or core line. */
int trace_placement(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f);

/* ---- pack/trace.c ---- */

int packed_next(struct trace *t, struct tblock *tb, struct fault *f);
/* Moves to the piece with thread block `block`. 1: at t->blocks; 0: the kernel must be read from its start; -1. */
int packed_seek(struct trace *t, uint64_t block, struct fault *f);
int packed_finish(struct trace *t, struct fault *f); /* 1: there are more thread blocks */
const struct cubins *packed_codes(const struct packed *k);
void packed_close(struct packed *k);

/* ---- text.c ---- */

/* Buffers at least n bytes from p on, or the rest of the input. Returns 0 or -1. */
int text_fill(struct trace *t, size_t n, struct fault *f);
/* Returns the line at p, without its end; p stays. 1; 0: end of the input; -1: failure. */
int text_line(struct trace *t, const char **line, size_t *len, struct fault *f);
/* Moves past the line at p, which text_line() returned. */
void text_next(struct trace *t, const char *line_end);
/* Hashes the consumed text and releases it to the input. */
void text_take(struct trace *t);
struct place text_place(const struct trace *t, const char *line, const char *at);

struct tok {
	const char *s;
	size_t n;
};
/* Returns the next blank-separated word in [*s, end), with n 0 if there is none. Moves *s after it. */
struct tok tok_next(const char **s, const char *end);
bool tok_is(struct tok w, const char *word);
bool tok_u64(struct tok w, uint64_t *v); /* decimal */
bool tok_hex(struct tok w, uint64_t *v); /* Reads a hexadecimal number with or without 0x. */
bool tok_i64(struct tok w, int64_t *v);  /* decimal with sign */

static inline bool is_space(char c) { return line_blank(c); }

/* ---- header.c ---- */
int header_read(struct trace *t, struct fault *f);

/* ---- source.c ---- */

/* Keeps the name of source file `number`. A line without number or name is ignored. */
void source_file(struct trace *t, struct tok number, struct tok name);
/* Reads a header line "-line PC = FILE,LINE", whose text `value` is. Returns 0, or -1. */
int source_line(struct trace *t, struct tok pc, struct tok value, struct place at, struct fault *f);
/* Sets the source file of a draft of machine code by its PC, and the line where its own line has none. */
void source_of_pc(const struct trace *t, struct draft *d);
/* Hash of the header's lines of files and lines; 0: it has none. */
uint64_t source_hash(const struct trace *t);
void source_free(struct sources *s);

/* ---- line.c ---- */
/* Parses an instruction line and appends it to tb. Returns 0 or -1. */
int line_parse(
	struct trace *t, struct tblock *tb, uint32_t lanes, const char *line, size_t len, struct fault *f);

/* ---- ptx_code.c ---- */

#define PTX_REGISTER_MAX 65535u
#define PTX_CODE_MAX     (1u << 28) /* bytes of all code */

/* A line "-code" of the header. number: registers as struct inst and struct ptx_inst have them. */
struct ptx_static {
	uint32_t pc, file, lineno;
	const char *text; /* text from the opcode on */
	size_t text_len, opcode_len;
	struct place opcode_place; /* position of the opcode in the header */
	const uint16_t *number;
	uint8_t n_dst, n_src, n_operands, n_bank_dst, n_bank_src;
	uint8_t barrier, barrier_warps;
	bool barrier_known, ends;
	struct ptx_form form;
};

/* Reads one line, from after "-code" (p) to end, into t->ptx. Returns 0, or -1. */
int ptx_code_line(struct trace *t, const char *line, const char *p, const char *end, struct fault *f);
const struct ptx_static *ptx_code_at(const struct ptx_code *c, uint64_t pc); /* NULL: none */
uint32_t ptx_code_last(const struct ptx_code *c);                            /* the highest PC, 0: no code */
uint64_t ptx_code_hash(const struct ptx_code *c); /* hash of all lines, 0: no code */
void ptx_code_free(struct ptx_code *c);
/* Parses "ID" or "ID,THREADS"; warps 0: all of the block. */
bool ptx_barrier(struct tok w, uint8_t *id, uint8_t *warps);

/* ---- raw.c ---- */
/* Returns whether the line is a line of a raw trace. */
bool raw_line(const struct trace *t, const char *line, size_t len);
/* Reads all lines to the end of the input. Returns 0 or -1. */
int raw_read(struct trace *t, struct tblock *tb, struct fault *f);

/* ---- fast.c ---- */
/*
 * Reads lines of the current warp while they were met before, up to want_insts. 0, or -1 when the input
 * fails.
 */
int fast_lines(struct trace *t, struct tblock *tb, uint32_t lanes, struct fault *f);
/*
 * A parsed line to remember: head is where the PC begins; mid reaches from after the mask to after the
 * width, tail from there after the addresses (NULL: no addresses, mid is all) to the newline, or, with
 * open_end, to after a word after which anything may follow.
 */
struct seen_line {
	uint32_t pc, handle, lineno;
	const char *head, *mid, *mid_end, *tail, *tail_end;
	bool has_addr, open_end, needs_addr, word, issue;
};
void seen_add(struct trace *t, const struct seen_line *l);
void seen_free(struct seen_table *s);

/* ---- echo.c ---- */
/* Begins and ends a warp; its want_insts lines are between the two calls. */
void echo_begin(struct trace *t, const struct tblock *tb);
void echo_end(struct trace *t, const struct tblock *tb);
/* Reads lines of the current warp while they equal the kept ones. Text is readable for 64 bytes at t->p. */
void echo_lines(struct trace *t, struct tblock *tb);
void echo_missed(struct trace *t); /* the line at t->p was another */
/* Keeps the line from line to end for the entry; its record and words are the last of tb. */
void echo_keep(struct trace *t, const struct tblock *tb, const char *line, const char *end, uint32_t entry);
void echo_free(struct echoes *s);

/* ---- addr.c ---- */
enum { MODE_LIST, MODE_STRIDE, MODE_DELTA };
/* Addresses of n active lanes, base and stride, or base and deltas, as words of tb: the record's addr. */
uint32_t addr_list(struct tblock *tb, const uint64_t *a, unsigned n);
uint32_t addr_stride(struct tblock *tb, uint64_t base, int64_t stride);
uint32_t addr_delta(struct tblock *tb, uint64_t base, const int64_t *delta, unsigned n_deltas);

/* ---- extra.c ---- */
/* Reports whether the values in lines of this opcode are kept. */
bool extra_has_values(const char *opcode, size_t n);
/* Returns the words of the record's extra columns and sets their number; inst.extra is not EXTRA_NONE. */
const uint64_t *extra_words(const struct tblock *tb, const struct rec *r, uint32_t *n);

/* ---- checksum.c ---- */
/* Checksum of a thread block, starting from sum. */
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
