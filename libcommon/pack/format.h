/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed traces: declarations that writer and reader share. trace-pack(5) describes the bytes. Internal to
 * libcommon.
 *
 *   limits.def   all bounds of the format, for writer and reader
 *   buf.h        growing byte strings, reading within bounds, numbers
 *   parse.c      conversion of text to a part; accepts only text that it reproduces exactly
 *   static.c     the distinct static instructions of a part
 *   records.c    conversion of records to a part, without text
 *   constant.h   constant texts of instructions that are given as columns
 *   follow.h     warps that differ from an earlier warp only in the first addresses of accesses
 *   part.c       completion of a part after parsing
 *   text.c       conversion of records to the same text
 *   tail.h       ends of lines that are kept as text: forms and numbers (tail_form.c: splitting and joining)
 *   values.h     groups of register values in these texts
 *   registers.h  registers of static instructions as streams
 *   header.c     packing of the header's text as a few values
 *   lines.h      packing of the "-code" lines of PTX
 *   control.c    packing of control codes of functions
 *   code.c       packing of the table of static instructions
 *   flow.h       prediction of the next instruction and lanes of a warp
 *   addr.h       address recipes
 *   areas.h      bases of the constants of recipes
 *   learn.c      the encoder's choice of targets and guards
 *   fit.c        the encoder's choice of recipes
 *   affine.c     the encoder's choice of affine recipes
 *   encode.c     conversion of a part to columns
 *   decode.c     conversion of columns to records
 *   body.h       pieces that refer to earlier pieces
 *   directory.h  descriptions of kernels, readable without their blocks
 *   column.c     conversion of columns to the bytes of a block and back (zstd, XXH3)
 *   dict.c       preset dictionaries of metadata; also ptx_dict.c and hopper_dict.c
 *   stream.c     frames of blocks
 *   write.c      the writer of streams
 *   job.c        division of the writer's work among threads
 *   read.c       the reader; see codec.h
 *
 * Words: a part is a run of whole thread blocks of one kernel with its own table of static instructions. A span is a
 * run of thread blocks of a part whose columns can be read independently. A block is the unit of compression,
 * checksums and the index: the parts of one or more kernels.
 */
#ifndef PACK_FORMAT_H
#define PACK_FORMAT_H

#include "buf.h"
#include "limits.h"
#include "pack.h"
#include "trace.h"

#define PACK_MAGIC "TPACK\x1a\n" /* first 7 bytes of a stream; the version follows */
/*
 * The version is PACK_VERSION plus the flag of each feature that the stream uses. A reader can thus report the
 * feature that it lacks.
 */
#define PACK_VERSION 2u  /* version of a stream without the following features */
#define PACK_PICKED  1u  /* the index ends with the picks */
#define PACK_CODED   2u  /* kernels may have control codes */
#define PACK_COUNTED 4u  /* the index may end with a directory */
#define PACK_LINED   8u  /* "-code" lines of headers may be stored as numbers */
#define PACK_WORDED  16u /* metadata of blocks begin from the dictionary of PTX; with PACK_VALUED, of Hopper */
#define PACK_SHARED  32u /* pieces may refer to bodies of earlier pieces; the index has their numbers */
/*
 * Constants of recipes may be relative to areas; numbers of bodies are relative to the prediction; the stream
 * records which kernels of the list it lacks.
 */
#define PACK_RELATIVE 64u
/*
 * Parts may have STYLE_STREAMS and STYLE_VALUES. With PACK_WORDED, metadata of blocks begin from the dictionary of
 * Hopper, with PACK_LINED from the common dictionary. Requires exactly one of the two, so that no change of one bit of
 * the version selects another dictionary.
 */
#define PACK_VALUED 128u
#define PACK_NEWEST \
	(PACK_VERSION + PACK_PICKED + PACK_CODED + PACK_COUNTED + PACK_WORDED + PACK_SHARED + \
		PACK_RELATIVE + PACK_VALUED)
#define PACK_END "KCPT" /* last 4 bytes of a stream */
#define NONE     UINT32_MAX

#define SPAN_INSTS 32768u /* number of instructions after which a span ends */

enum column {
	COL_META, /* headers, tables and lengths */
	COL_GAP,  /* numbers of instructions before the next miss of the flow model */
	COL_MISS, /* instructions that were executed at a miss */
	COL_KIND, /* outcomes of guards: 0 none, 1 all, 2 mixed */
	COL_BITS, /* masks of lanes with mixed outcomes */
	COL_MGAP, /* numbers of memory instructions before the next one that does not use its default recipe */
	COL_MSEL, /* recipes of the memory instructions that do not use their default recipe */
	COL_BASE, /* constants of recipes */
	COL_LOW,  /* lane numbers of gathers, as byte planes */
	COL_MID,
	COL_HIGH,
	COL_DLOW, /* lane differences as byte planes */
	COL_DHIGH,
	COL_WIDE,                   /* lane differences of any size */
	COL_TEXT,                   /* texts: ends of lines, and whole lines */
	COL_BLOCKS,                 /* ids of thread blocks and warps that are not in order */
	COL_WIDTH,                  /* byte planes of groups of numbers in texts */
	COL_VALUE,                  /* numbers in texts, as eight byte planes */
	COL_STORED = COL_VALUE + 8, /* text that is not a grouped trace */
	COL_CODES,                  /* control codes of functions, by PC */
	COL_BODY,                   /* numbers of the bodies to which pieces refer */
	COL_KERNEL, /* ids, streams, hashes and functions of kernels with pieces that refer to bodies */
	COL_PATCH,  /* patches of bodies: lengths */
	COL_FRESH,  /* patches of bodies: inserted bytes */
	N_COLUMNS
};

/* Effect of a static instruction on the flow of a warp. The stem of the opcode determines it. */
enum ctl { CTL_NONE, CTL_BRANCH, CTL_EXIT, CTL_SET, CTL_SYNC, CTL_SETTLE, CTL_CALL, CTL_RETURN };

enum guard { GUARD_ALL, GUARD_NONE, GUARD_CODED, GUARD_LIKE, GUARD_UNLIKE };

enum { ST_MEM = 1, ST_TAIL = 2, ST_LINE = 4, ST_LIST = 8, ST_ALL = 15 }; /* ST_LIST is address mode 0 */

/* Common properties of all lines of a part. */
enum {
	STYLE_STREAMS = 1, /* registers of static instructions are streams (registers.h) */
	STYLE_VALUES = 2,  /* register values in texts are groups (values.h) */
	STYLE_PADDED = 4,
	STYLE_BLOCK_IDS = 8,
	STYLE_LINENO = 16,
	STYLE_ODD_BLOCKS = 32,
	STYLE_UNIFORM = 64,
	STYLE_AREAS = 128,
	STYLE_DIALECT = 256 /* factor of enum line_dialect in a style */
};

struct pstatic {
	uint32_t pc, lineno; /* PC and source line */
	uint32_t head;       /* offset in pcode.text of the PC and a blank, for the parser */
	uint32_t mid, tail;  /* offsets in pcode.text */
	uint16_t mid_len, tail_len;
	uint16_t opcode;     /* offset of the opcode from mid */
	uint16_t opcode_len; /* length of the opcode; 0: the line is stored as text */
	uint8_t head_len, flags, ctl, guard, order;
	/*
	 * Static instruction whose mask the guard follows. After training, the slot of that instruction in
	 * guard_mask[].
	 */
	uint32_t guard_ref;
	uint32_t guard_slot; /* slot plus 1 of this instruction, if a guard refers to it; else 0 */
	uint32_t next;       /* next static instruction or NONE; while parsing, the last successor */
	uint32_t target;     /* target of the branch, or NONE */
	uint32_t mem;        /* index among the memory instructions */
	uint32_t form;       /* writer: number of the line's form, plus 1; 0: it has none */
	uint64_t imm;        /* first immediate, for branch targets */
};

enum recipe_op { OP_ADD, OP_XOR, OP_AFFINE, OP_PLANES, OP_DELTAS, OP_MOVED, OP_ANY, OP_BASED };
#define RECIPES_MAX 6

struct recipe {
	uint8_t op;        /* one of enum recipe_op */
	int8_t shift;      /* ADD: number of bits to shift left, or right if negative */
	uint8_t align;     /* PLANES, DELTAS: number of low bits that are always 0 */
	uint8_t planes;    /* number of byte planes */
	uint32_t ref;      /* ADD, XOR and MOVED: memory instruction to which the recipe refers */
	uint64_t constant; /* constant, or the smallest address */
	int64_t steps[4];  /* AFFINE: steps for the warp, x, y and z */
	uint32_t pattern;  /* AFFINE and BASED: index in pcode.pattern */
};

struct pmem {
	struct recipe recipe[RECIPES_MAX]; /* recipes, the last one OP_ANY */
	/* Number of recipes, the last of which is always OP_ANY; default recipes of first and later executions. */
	uint8_t n_recipes, first_default, later_default;
	uint32_t area; /* number of the instruction's area; unused if the part has no areas */
};

struct pcode {
	struct pstatic *statics; /* static instructions by number */
	uint32_t n_statics;      /* number of static instructions */
	uint32_t cap_statics;    /* number of allocated static instructions */
	struct pmem *mem;        /* recipes of each memory instruction */
	uint32_t n_mem;          /* number of memory instructions */
	uint32_t n_guard_slots;  /* number of slots of guards in guard_mask[] */
	struct buf text;         /* constant texts of the lines */
	int64_t (*pattern)[32];  /* patterns of recipes, by lane */
	uint32_t n_pattern, cap_pattern;
	uint64_t *area;             /* first address of each area (areas.h) */
	uint32_t n_areas;           /* number of areas; 0: constants are not relative to areas */
	struct code_tables *tables; /* writer: tables of the instructions; NULL: there are none */
};

struct pspan {
	uint32_t blocks;            /* number of thread blocks */
	uint32_t insts;             /* number of instructions */
	uint32_t len[N_COLUMNS];    /* number of bytes in each column */
	uint64_t offset[N_COLUMNS]; /* offsets in the block's columns */
};

/* Thread blocks of a kernel, before or after packing. */
struct part {
	struct pcode code;
	uint32_t style;       /* set of STYLE_ flags, and the dialect */
	uint64_t first_block; /* number of thread blocks of the kernel before the part */
	uint32_t grid[3];     /* size of the grid */
	uint32_t threads;     /* threads of a thread block */
	uint32_t warps;       /* warps of a thread block */
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
	uint32_t extra, extra_len; /* in text: the lines between the id and the first warp */
};

struct pwarp {
	uint32_t id;            /* number of the warp */
	uint32_t count;         /* number of instructions of the warp */
	uint32_t first_run;     /* index of the first run in run[] */
	uint32_t n_runs;        /* number of runs */
	uint32_t first_payload; /* index of the warp's first element in payload[] */
	uint32_t word;          /* offset in addr[] of the addresses of these elements */
	uint32_t text;          /* offset in text of the texts of these elements */
	uint32_t first_alike;   /* first warp with the same lanes, instructions and masks */
	uint32_t weight;        /* number of warps that equal this one */
	/* Warp that this one follows (follow.h) and whose runs and elements of payload[] it shares, plus 1; 0: none. */
	uint32_t leader;
	uint32_t followers; /* number of warps that follow this one */
	uint32_t near; /* number of followers that are near (struct follow); in a follower: 1 if it is near, else 0 */
	uint32_t n_payloads,
		n_words; /* numbers of elements of payload[] and addr[], for warps from records */
};

struct parsed {
	struct part part;
	struct ptb *tb; /* thread blocks of the part */
	uint32_t cap_tb;
	struct pwarp *warp; /* warps of all thread blocks */
	uint32_t n_warp, cap_warp;
	struct pack_run *run; /* runs; their numbers follow the order in which instructions first occur */
	uint32_t n_run;
	uint32_t cap_run;
	uint32_t n_rec;               /* number of instructions in all runs */
	uint32_t warp_run;            /* first run of the warp that is being parsed */
	struct pack_payload *payload; /* instructions with addresses or text */
	uint32_t n_payloads, cap_payloads;
	uint32_t n_shared_payloads; /* elements of payload[] that followers share with their leaders */
	uint64_t *addr;             /* address data of all warps */
	uint32_t n_addr, cap_addr;
	struct buf text; /* texts of payload[] */
	uint32_t *slot;  /* hash table of static instructions by their constant text */
	uint32_t n_slots;
	uint32_t *path;        /* hash table of warps that differ from all earlier warps */
	uint32_t n_paths;      /* number of paths */
	uint32_t n_path_slots; /* number of slots of the table */
	bool style_known;      /* whether the style of the lines was found */
	/*
	 * Tables with n_met entries, indexed by the numbers in runs. met_static is the static instruction plus 1 (0:
	 * none), or NULL if the numbers are static instructions. After parsing, static_of is the static instruction,
	 * and next_payload is this or the next number whose instruction has an element in payload[] (n_met: none).
	 */
	uint32_t *met_static, n_met;
	uint32_t *static_of, *next_payload;
	/* Columns of each static instruction, in the order of their addition. NULL: no instruction has columns. */
	struct pack_inst *columns;
	uint32_t cap_columns;
	uint32_t step; /* the models are trained on the first warps and every step-th one */
	bool areas;    /* true if constants are relative to areas */
};

/* Loops over the numbers i in run `run` of part p whose instructions have a payload, and advances `payload`. */
#define FOR_PAYLOADS(i, payload, p, run) \
	for (uint32_t i = (p)->next_payload[(run)->id]; i < (run)->id + (run)->n; \
		i = (p)->next_payload[i + 1], (payload)++)

/* Sampling of warps with PACK_FAST, which trains the models on some of the warps and compresses each column once. */
#define QUICK_WARPS 4u
#define QUICK_INSTS 2048u /* approximate number of instructions in the warps that train the models */

static inline bool parsed_counts(const struct parsed *p, uint32_t warp)
{
	return warp < QUICK_WARPS || warp % p->step == 0;
}

/* ---- parse.c ---- */

/*
 * Adds the thread block at the beginning of text ("#BEGIN_TB"). Returns its length. Returns 0 and leaves p unchanged
 * if text_append_block() would not reproduce exactly this text.
 */
size_t parse_block(struct parsed *p, const char *text, size_t n);
/* Sets flags, ctl and imm of s from its text. Returns false if the text is not a canonical instruction. */
bool pstatic_derive(const struct part *p, struct pstatic *s);
/* Returns the opcode of the instruction and sets *n to its length; NULL if its line is stored as text. */
const char *pstatic_opcode(const struct part *p, const struct pstatic *s, size_t *n);

/* ---- static.c ---- */
/* Numbers the memory instructions. Different spellings of an instruction (mode 0 and others) share a number. */
void static_number_memory(struct pcode *c);
/* Returns the effect of an opcode on the flow of its warp. */
enum ctl static_control_of(const char *opcode, size_t n);

/* ---- part.c ---- */
void parsed_finish(struct parsed *p); /* sorts the static instructions */
/* Returns true if thread blocks are not in the order of their ids, or have warps other than 0, 1, ... */
bool parsed_has_odd_blocks(const struct parsed *p);
void parsed_reserve(struct parsed *p); /* allocates the arrays to which runs refer, even empty ones */
void parsed_clear(struct parsed *p);   /* empties the part but keeps its arrays */
void parsed_free(struct parsed *p);
void part_free(struct part *p);

/* ---- text.c ---- */

struct tails; /* defined in tail.h */

/* Input of text_append_block(). rec.inst is the number of a static instruction. The texts are in tails. */
struct text_in {
	const struct part *part;
	const struct tblock *tb;
	const uint32_t *warp_id; /* ids of warps; NULL: 0, 1, ... */
	const char *extra;
	size_t extra_len;
	bool begins_kernel; /* true for the kernel's first thread block, which no blank line precedes */
};
bool text_append_block(struct buf *out, const struct text_in *in, struct tails *tails);
bool text_append_record(
	struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp, struct tails *tails);
/* Append the text of a thread block up to its first warp, of a warp up to its first record, and of a record. */
void text_append_block_head(struct buf *out, const struct text_in *in);
void text_append_warp_head(struct buf *out, uint32_t id, uint32_t insts);
void text_put(struct buf *out, const struct text_in *in, const struct rec *r, uint32_t warp,
	const uint8_t *text, size_t len);
void text_append_static(struct buf *out, const struct part *p, const struct pstatic *s);
/* Appends v in decimal. */
void text_append_number(struct buf *out, uint64_t v);
/* Appends a blank and the name of a register. kind: 0 to 3 for R, UR, P, UP. */
void text_append_register(struct buf *out, unsigned kind, unsigned number);
/* Returns the number of thread blocks that end in the text. */
uint64_t text_count_blocks(const char *text, size_t n);

/* ---- header.c ---- */

struct header_state {
	uint64_t id, stream;
};
/* Header fields that the flow model and the columns need. A field that the header lacks is 0. */
struct header_facts {
	uint32_t grid[3], threads;
	int binary;           /* version of the machine code; 0: the header has none */
	bool may_have_values; /* true if lines may have register values, or if the kernel is of Hopper or a later GPU */
	enum line_dialect dialect;
};
struct header_facts header_facts(const char *text, size_t n);
struct pack_kernel;
/*
 * Sets the name, grid, block, stream and slice of k from a header's text. The name is NULL if there is none; the
 * caller frees it.
 */
void header_kernel(struct pack_kernel *k, const char *text, size_t n);
/* Packs a header. lines: "-code" lines of PTX are packed as numbers if possible. */
void header_pack(struct buf *out, struct header_state *s, const char *text, size_t n, bool lines);
bool header_unpack(struct cur *in, struct header_state *s, struct buf *text, bool lines);
/*
 * Appends the text without the digits of the kernel's id and CUDA stream, and sets *s to these numbers. Numbers that
 * the text lacks do not change in *s. Returns false if header_restore() would not restore the text. The caller frees
 * out in both cases.
 */
bool header_strip(struct buf *out, struct header_state *s, const char *text, size_t n);
/* Reverses header_strip(): appends the original text. */
void header_restore(struct buf *out, const struct header_state *s, const char *text, size_t n);

/* ---- code.c ---- */
/* Limits for the tables of a block that are not yet unpacked. */
struct block_remaining {
	uint64_t statics, text, spans;
	bool allows_areas;  /* true if the stream may have areas */
	bool allows_values; /* true if parts may have STYLE_STREAMS and STYLE_VALUES */
};
/*
 * Adds a static instruction of the part to its tables, in the order of the numbers, and sets its fields that follow
 * from its text, or from its columns if x is not NULL. before: the instruction before it, or NULL.
 */
void code_add_static(
	struct part *p, struct pstatic *s, const struct pstatic *before, const struct pack_inst *x);
/* Returns the number of forms in the tables. */
uint32_t code_form_count(const struct pcode *c);
void code_tables_free(struct code_tables *x);
void code_pack(struct buf *out, const struct part *p);
bool code_unpack(struct cur *in, struct part *p, struct block_remaining *remaining);

/* ---- models.c ---- */
void models_pack(struct buf *out, const struct pcode *c);
/* Reads the models. Called after the instructions were read. areas: the part has areas. */
bool models_unpack(struct cur *in, struct pcode *c, bool areas);

/* ---- learn.c, fit.c, encode.c ---- */
void pack_train_flow(struct parsed *p);
/*
 * Chooses the recipes of addresses. sample: examines only some of the warps if their addresses are regular. Returns
 * whether the default recipes were right in all warps that it examined; then nothing is known of other recipes.
 */
bool fit_addresses(struct parsed *p, bool sample);
/* Writes the columns of the part to col[], which is empty, and sets the part's spans. */
void encode_part(struct parsed *p, struct buf col[N_COLUMNS]);
void part_pack(struct buf *out, const struct part *p);
/* Reads the position of a part in its kernel, for a part that does not begin the kernel. */
void part_read_position(struct cur *in, struct part *p);
bool part_unpack(struct cur *in, struct part *p, struct block_remaining *remaining, uint64_t used[N_COLUMNS]);

/* ---- decode.c ---- */
struct replay;
struct replay *replay_new(const struct part *p);
void replay_free(struct replay *r);
/* Begins span i. col[] is the columns of the block. */
bool replay_begin_span(struct replay *r, uint32_t i, const struct buf col[N_COLUMNS], uint64_t first_block);
/*
 * Reads the next thread block of the span. rec.inst is set to handle[static id], or to the id itself if handle is
 * NULL. Sets *in for text_append_block(). Returns 1, 0 at the end of the span, or -1 if the data are damaged.
 */
int replay_block(struct replay *r, const uint32_t *handle, struct tblock *tb, struct text_in *in);
struct tails *replay_tails(struct replay *r);
/*
 * Prepares the first thread block of a span for use, after it was decoded for inspection without handles. Restarts
 * its texts and inserts the handles, if any.
 */
void replay_reset_inspected(struct replay *r, const uint32_t *handle, struct tblock *tb);

/* ---- column.c ---- */
/* A preset dictionary of metadata. */
struct primer {
	const char *p;
	size_t n;
	size_t joined_text; /* a column of texts below this size in bytes shares the frame of the metadata */
};
extern const struct primer pack_dict;   /* dict.c */
extern const struct primer pack_words;  /* ptx_dict.c: with PACK_WORDED */
extern const struct primer pack_hopper; /* hopper_dict.c: with PACK_VALUED */

/* Appends the body of a block with these columns, without its length and its checksum. dict: for metadata. */
void columns_pack(struct buf *out, const struct buf col[N_COLUMNS], int level, const struct primer *dict);
/* Do the same as columns_pack() in steps. Frames 0 to FRAMES - 1 may be compressed in any order and in parallel. */
#define FRAMES (N_COLUMNS + 1u)
struct frames {
	struct buf join;                 /* joined short columns, which are in the last frame */
	struct buf frame[N_COLUMNS + 1]; /* frame of each column */
	bool lzma[N_COLUMNS];            /* by column: LZMA2 is used */
	const struct primer *dict;       /* dictionary of the last frame */
	uint32_t used_frames;            /* set of frames that have bytes */
};
void frames_begin(struct frames *f, const struct buf col[N_COLUMNS], const struct primer *dict);
void frames_compress(struct frames *f, const struct buf col[N_COLUMNS], unsigned k, int level);
void frames_end(struct buf *out, struct frames *f, const struct buf col[N_COLUMNS]);
/* Unpacks a block. Returns false and sets *why to the reason if it is damaged. */
bool columns_unpack(
	const uint8_t *p, size_t n, struct buf col[N_COLUMNS], const struct primer *dict, const char **why);
void columns_free(struct buf col[N_COLUMNS]);
/*
 * Compress and decompress bytes outside of blocks with the settings of metadata. n is the number of decompressed
 * bytes. frame_unpack() returns false if the frame is damaged.
 */
void frame_pack(struct buf *out, const uint8_t *p, size_t n);
bool frame_unpack(uint8_t *to, size_t n, const uint8_t *frame, size_t n_frame);

#endif
