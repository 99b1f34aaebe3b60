/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed traces: declarations that writer and reader share. trace-pack(5) describes the bytes. Internal to
 * libcommon.
 *
 *   limits.def  every bound of the format, for writer and reader
 *   buf.h     growing byte strings, bounded reading, numbers
 *   parse.c   text to a part: static instructions and records, exactly or not at all
 *   static.c  its static instructions, each once
 *   records.c a part from records, without text
 *   part.c    a part after parsing
 *   text.c    records to the same text
 *   tail.h    ends of lines that are kept as text: forms and numbers
 *   header.c  the header's text as a few values; lines.h the code lines of PTX
 *   control.c  control codes of functions as bytes
 *   code.c    the table of static instructions as bytes
 *   flow.h    prediction of the next instruction and lanes of a warp
 *   addr.h    address recipes; areas.h the bases of their constants
 *   learn.c   the encoder's choice of targets and guards; fit.c of recipes, affine.c of affine ones
 *   encode.c  a part to columns; decode.c columns to records
 *   body.h    pieces that refer to earlier ones
 *   directory.h  facts about kernels that need no block
 *   column.c  columns to one block of bytes and back (zstd, XXH3)
 *   stream.c  the frame of blocks; write.c the stream; job.c division of the work among threads
 *   read.c    the reader, see codec.h
 *
 * Words: a part is a run of whole thread blocks of one kernel with a table of static instructions of its own.
 * A span is a run of its thread blocks whose columns can be read alone. A block is the unit of compression,
 * checksums and the index: the parts of one or more kernels.
 */
#ifndef PACK_FORMAT_H
#define PACK_FORMAT_H

#include "buf.h"
#include "limits.h"
#include "pack.h"
#include "trace.h"

#define PACK_MAGIC "TPACK\x1a\n" /* 7 bytes before the version */
/*
 * The version is PACK_VERSION plus the flag of each feature that the stream uses, so a reader can name the
 * feature that it lacks.
 */
#define PACK_VERSION 2u  /* version without any of the following features */
#define PACK_PICKED  1u  /* the index ends with picks */
#define PACK_CODED   2u  /* kernels may have control codes */
#define PACK_COUNTED 4u  /* the index may end with a directory */
#define PACK_LINED   8u  /* headers may have code lines as numbers */
#define PACK_WORDED  16u /* metadata of blocks begin from the dictionary of PTX */
#define PACK_SHARED  32u /* pieces may refer to bodies of earlier ones; the index has their numbers */
/*
 * Constants of recipes may be relative to areas; numbers of bodies are relative to the prediction; the list has the
 * kernels that the stream lacks.
 */
#define PACK_RELATIVE 64u
#define PACK_NEWEST \
	(PACK_VERSION + PACK_PICKED + PACK_CODED + PACK_COUNTED + PACK_LINED + PACK_WORDED + PACK_SHARED + \
		PACK_RELATIVE)
#define PACK_END "KCPT" /* last 4 bytes of a stream */
#define NONE     UINT32_MAX

#define SPAN_INSTS 32768u /* instructions after which a span is closed */

enum column {
	COL_META, /* headers, tables, lengths */
	COL_GAP,  /* instructions before the next miss of the flow model */
	COL_MISS, /* the instruction that was missed */
	COL_KIND, /* outcomes of guards: 0 none, 1 all, 2 mixed */
	COL_BITS, /* lanes of mixed outcomes */
	COL_MGAP, /* memory instructions before the next one that does not follow its default recipe */
	COL_MSEL, /* recipe of such a memory instruction */
	COL_BASE, /* constants of recipes */
	COL_LOW,  /* lane numbers of gathers, byte planes */
	COL_MID,
	COL_HIGH,
	COL_DLOW, /* lane differences, byte planes */
	COL_DHIGH,
	COL_WIDE,                   /* lane differences of any size */
	COL_TEXT,                   /* texts: ends of lines, and whole lines */
	COL_BLOCKS,                 /* ids of thread blocks and warps where they are not in order */
	COL_WIDTH,                  /* byte planes of a group of numbers in texts */
	COL_VALUE,                  /* numbers of texts, eight byte planes */
	COL_STORED = COL_VALUE + 8, /* text that is no grouped trace */
	COL_CODES,                  /* control codes by PC, of functions */
	COL_BODY,                   /* numbers of bodies that pieces refer to */
	COL_KERNEL, /* ids, streams, hashes and functions of kernels whose pieces refer to bodies */
	COL_PATCH,  /* bodies as differences to other bodies: lengths */
	COL_FRESH,  /* bodies as differences to other bodies: bytes */
	N_COLUMNS
};

/* Effect of a static instruction on the flow of a warp, by the opcode's stem. */
enum ctl { CTL_NONE, CTL_BRANCH, CTL_EXIT, CTL_SET, CTL_SYNC, CTL_SETTLE, CTL_CALL, CTL_RETURN };

enum guard { GUARD_ALL, GUARD_NONE, GUARD_CODED, GUARD_LIKE, GUARD_UNLIKE };

enum { ST_MEM = 1, ST_TAIL = 2, ST_LINE = 4, ST_LIST = 8, ST_ALL = 15 }; /* ST_LIST: address mode 0 */

/* Common properties of all lines of a part. */
enum {
	STYLE_PADDED = 4,
	STYLE_BLOCK_IDS = 8,
	STYLE_LINENO = 16,
	STYLE_ODD_BLOCKS = 32,
	STYLE_UNIFORM = 64,
	STYLE_AREAS = 128,
	STYLE_DIALECT = 256 /* factor of enum line_dialect */
};

struct pstatic {
	uint32_t pc, lineno;
	uint32_t head, mid, tail; /* offsets in pcode.text; head: PC and a blank, for the parser */
	uint16_t mid_len, tail_len;
	uint8_t head_len, flags, ctl, guard, order;
	uint32_t guard_ref; /* static instruction whose mask decides; after training, its slot in flow.seen */
	uint32_t seen;      /* slot plus 1 if a guard refers to this instruction */
	uint32_t next, target; /* static instruction or NONE; while parsing: the last successor */
	uint32_t mem;          /* number among the memory instructions */
	uint64_t imm;          /* first immediate, for targets */
};

enum recipe_op { OP_ADD, OP_XOR, OP_AFFINE, OP_PLANES, OP_DELTAS, OP_MOVED, OP_ANY, OP_BASED };
#define RECIPES_MAX 6

struct recipe {
	uint8_t op;
	int8_t shift;  /* ADD: left if positive */
	uint8_t align; /* PLANES, DELTAS: low bits that are always 0 */
	uint8_t planes;
	uint32_t ref;     /* ADD, XOR, MOVED: memory instruction */
	uint64_t c;       /* constant; the smallest address */
	int64_t per[4];   /* AFFINE: for each warp, x, y, z */
	uint32_t pattern; /* AFFINE, BASED: in pcode.pattern */
};

struct pmem {
	struct recipe r[RECIPES_MAX];
	uint8_t n, first, later; /* number of recipes, the last is always OP_ANY; defaults */
	uint32_t area;           /* number of its area; unused if the part has no areas */
};

struct pcode {
	struct pstatic *s;
	uint32_t n, cap;
	struct pmem *mem;
	uint32_t n_mem;
	uint32_t n_seen;
	struct buf text;
	int64_t (*pattern)[32];
	uint32_t n_pattern, cap_pattern;
	uint64_t *area;   /* first address of each area (areas.h) */
	uint32_t n_areas; /* 0: constants are not relative to areas */
};

struct pspan {
	uint32_t blocks, insts;
	uint32_t len[N_COLUMNS];
	uint64_t at[N_COLUMNS]; /* offset in the block's columns */
};

/* Thread blocks of a kernel, before or after packing. */
struct part {
	struct pcode code;
	uint32_t style;
	uint64_t first_block; /* number of the kernel's thread blocks before the part */
	uint32_t grid[3], threads, warps;
	uint32_t n_blocks;
	uint64_t n_insts, lines;
	struct pspan *span;
	uint32_t n_spans, cap_spans;
};

static inline enum line_dialect part_dialect(const struct part *p)
{
	return (enum line_dialect)(p->style / STYLE_DIALECT);
}

/* ---- parsed parts ---- */

struct ptb {
	uint32_t id[3];
	uint32_t first_warp, n_warps;
	uint32_t extra, extra_len; /* lines between the id and the first warp: offset and length in text */
};

struct pwarp {
	uint32_t id, count;
	uint32_t first, n_runs; /* in run[] */
	uint32_t more;          /* in more[] */
	uint32_t word, text;    /* offsets in addr[] and text of the data of more[] */
	uint32_t like;          /* first warp with the same lanes, instructions and masks */
	uint32_t weight;        /* number of warps like this one */
};

struct parsed {
	struct part part;
	struct ptb *tb;
	uint32_t cap_tb;
	struct pwarp *warp;
	uint32_t n_warp, cap_warp;
	struct pack_run *run;           /* runs, with numbers by the order in which instructions were met */
	uint32_t n_run, cap_run, n_rec; /* n_rec: number of instructions in all runs */
	uint32_t warp_run;              /* first run of the warp that is being parsed */
	struct pack_more *more;         /* instructions that have addresses or text */
	uint32_t n_more, cap_more;
	uint64_t *addr;
	uint32_t n_addr, cap_addr;
	struct buf text;
	uint32_t *slot; /* static instructions by hash of their constant text */
	uint32_t n_slots;
	uint32_t *path, n_paths, n_path_slots; /* warps that differ from all earlier ones, in a hash table */
	bool style_known;
	/*
	 * Tables by number in runs, with n_met entries. met: static instruction plus 1, 0: none; NULL:
	 * numbers are those of instructions. After parsing, to: static instruction; next_more: the next
	 * number, this one included, whose instruction has an entry in more[]; n_met: none.
	 */
	uint32_t *met, n_met;
	uint32_t *to, *next_more;
	uint32_t step; /* models are chosen by the first QUICK_WARPS warps and by every step-th warp */
	bool areas;    /* constants are relative to areas */
};

/* PACK_FAST does the least work: models from some of the warps, and each column compressed once. */
#define QUICK_WARPS 4u
#define QUICK_INSTS 8192u /* approximate number of instructions in these warps */

static inline bool parsed_counts(const struct parsed *p, uint32_t warp)
{
	return warp < QUICK_WARPS || warp % p->step == 0;
}

/* ---- parse.c ---- */

/*
 * Adds the thread block at the beginning of text ("#BEGIN_TB"). Returns its length, or 0 with p unchanged if
 * text_block() would not write exactly this text.
 */
size_t parse_block(struct parsed *p, const char *text, size_t n);
/* Sets flags, ctl and imm of s from its text. Returns false if the text is not a canonical instruction. */
bool pstatic_derive(const struct part *p, struct pstatic *s);
/* Returns the opcode of the instruction, n bytes; NULL: its line is kept as text. */
const char *pstatic_opcode(const struct part *p, const struct pstatic *s, size_t *n);

/* ---- static.c ---- */
/* Numbers the memory instructions. Spellings of one instruction (mode 0 and others) share a number. */
void static_number_memory(struct pcode *c);
enum ctl ctl_of(const char *opcode, size_t n); /* Returns how an opcode changes the flow of its warp. */

/* ---- part.c ---- */
void parsed_finish(struct parsed *p); /* Orders the static instructions. */
void parsed_room(struct parsed *p);   /* Allocates the arrays that runs refer to, even if they are empty. */
void parsed_clear(struct parsed *p);  /* Empties the part and keeps its arrays. */
void parsed_free(struct parsed *p);
void part_free(struct part *p);

/* ---- text.c ---- */

struct tails; /* tail.h */

/* Input of text_block(): rec.inst are numbers of static instructions, texts come from tails. */
struct text_in {
	const struct part *part;
	const struct tblock *tb;
	const uint32_t *warp_id; /* ids of warps; NULL: 0, 1, ... */
	const char *extra;
	size_t extra_len;
	bool first; /* first thread block of the kernel, without a blank line before it */
};
bool text_block(struct buf *out, const struct text_in *in, struct tails *tails);
bool text_record(
	struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp, struct tails *tails);
/* Text of a thread block up to its first warp, text of a warp before its first record, and text of a record. */
void text_begin(struct buf *out, const struct text_in *in);
void text_warp(struct buf *out, uint32_t id, uint32_t insts);
void text_put(struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp,
	const uint8_t *text, size_t len);
void text_static(struct buf *out, const struct part *p, const struct pstatic *s);

/* ---- header.c ---- */

struct header_state {
	uint64_t id, stream;
};
/* Header fields for the flow model and the columns; zero where the header lacks them. */
struct header_facts {
	uint32_t grid[3], threads;
	int binary; /* version of the machine code; 0: absent */
	enum line_dialect dialect;
};
struct header_facts header_facts(const char *text, size_t n);
struct pack_kernel;
/*
 * Name (NULL: none; to be freed), grid, block and stream, as
 * header_facts() takes numbers, and whether it is a slice.
 */
void header_kernel(struct pack_kernel *k, const char *text, size_t n);
/* Packs a header. lines: code lines of PTX are packed as numbers where possible. */
void header_pack(struct buf *out, struct header_state *s, const char *text, size_t n, bool lines);
bool header_unpack(struct cur *in, struct header_state *s, struct buf *text, bool lines);
/*
 * Appends the text without the digits of the kernel's id and CUDA stream, and sets *s to these. A number that
 * the text lacks stays as it is in *s. Returns false if header_restore() does not restore the text; the
 * caller frees out in both cases.
 */
bool header_strip(struct buf *out, struct header_state *s, const char *text, size_t n);
/* Appends the text that was given to header_strip(). */
void header_restore(struct buf *out, const struct header_state *s, const char *text, size_t n);

/* ---- code.c ---- */
/* Limits left for the unpacked tables of a block. */
struct block_room {
	uint64_t statics, text, spans;
	bool areas; /* the stream may have areas */
};
void code_pack(struct buf *out, const struct part *p);
bool code_unpack(struct cur *in, struct part *p, struct block_room *room);

/* ---- models.c ---- */
void models_pack(struct buf *out, const struct pcode *c);
/* Reads the models, after the instructions. areas: the part has areas. */
bool models_unpack(struct cur *in, struct pcode *c, bool areas);

/* ---- learn.c, fit.c, encode.c ---- */
void pack_train_flow(struct parsed *p);
void fit_addresses(struct parsed *p);
/* Appends the columns of the part to col[], and sets its spans. */
void encode_part(struct parsed *p, struct buf col[N_COLUMNS]);
void part_pack(struct buf *out, const struct part *p);
/* Reads the position in its kernel of a part that does not begin the kernel. */
void part_place(struct cur *in, struct part *p);
bool part_unpack(struct cur *in, struct part *p, struct block_room *room, uint64_t used[N_COLUMNS]);

/* ---- decode.c ---- */
struct replay;
struct replay *replay_new(const struct part *p);
void replay_free(struct replay *r);
/* Begins span i; col[]: columns of the block. */
bool replay_span(struct replay *r, uint32_t i, const struct buf col[N_COLUMNS], uint64_t first_block);
/*
 * Next thread block of the span; record i's inst is handle[static id], or the id itself. 1, 0: no more, -1:
 * damaged. in is filled for text_block.
 */
int replay_block(struct replay *r, const uint32_t *handle, struct tblock *tb, struct text_in *in);
struct tails *replay_tails(struct replay *r);
/*
 * Makes the first thread block of a span, which was decoded without handles for inspection, usable: its texts
 * start over, and handles, if any, are inserted.
 */
void replay_looked(struct replay *r, const uint32_t *handle, struct tblock *tb);

/* ---- column.c ---- */
/* Appends the block of these columns: the bytes between its length and its checksum. words: PACK_WORDED. */
void columns_pack(struct buf *out, const struct buf col[N_COLUMNS], int level, bool words);
/* Does the same in steps. Frames 0 to FRAMES - 1 may be compressed in any order, and in parallel. */
#define FRAMES (N_COLUMNS + 1u)
struct frames {
	struct buf join, frame[N_COLUMNS + 1]; /* short columns, joined; the last frame holds them */
	bool lzma[N_COLUMNS], words;
	uint32_t used;
};
void frames_begin(struct frames *f, const struct buf col[N_COLUMNS], bool words);
void frames_compress(struct frames *f, const struct buf col[N_COLUMNS], unsigned k, int level);
void frames_end(struct buf *out, struct frames *f, const struct buf col[N_COLUMNS]);
/* Returns false if the block is damaged, with the reason in *why. */
bool columns_unpack(const uint8_t *p, size_t n, struct buf col[N_COLUMNS], bool words, const char **why);
void columns_free(struct buf col[N_COLUMNS]);
/*
 * Compresses bytes outside of blocks with the settings of metadata; decompresses n such bytes. Returns false
 * if they are damaged.
 */
void frame_pack(struct buf *out, const uint8_t *p, size_t n);
bool frame_unpack(uint8_t *to, size_t n, const uint8_t *frame, size_t n_frame);

extern const struct primer {
	const char *p;
	size_t n;
} pack_dict, pack_words; /* dict.c, ptx_dict.c */

#endif
