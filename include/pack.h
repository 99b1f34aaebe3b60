/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed streams (trace-pack(5)): a kernel list and all its kernels in one checked, seekable file.
 *
 * The writer takes each kernel as text, in pieces of any size, or as records. The reader returns the list, the text
 * of kernels or of some of their thread blocks, or opens kernels as struct trace without converting them to text. A
 * stream that cannot seek is read in order or copied to a temporary file first.
 */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "diag.h"
#include "klist.h"
#include "tally.h"
#include "trace.h"

struct cubins;

/* ---- writing ---- */

struct pack_writer;

/*
 * Levels of the writer. PACK_FAST trains the models of addresses and control flow on fewer warps and compresses each
 * column once; PACK_BEST tries every compressor on each column.
 */
enum { PACK_FAST = 1, PACK_DEFAULT = 3, PACK_BEST = 19 };
/* Returns a writer to out. level is one of these levels. */
struct pack_writer *pack_writer_new(FILE *out, int level, unsigned threads);
/* Returns true if a list of n bytes fits into a stream. */
bool pack_list_fits(size_t n);
/*
 * Writes the list's text, which must fit, and its file name. Called first, or last after pack_list_last(). name is
 * NULL if there is no list file; text is then the kernels' file names, one per line.
 */
void pack_write_list(struct pack_writer *w, const char *name, const char *text, size_t n);
/*
 * Marks n > 0 kernels of the list as missing from the stream. Called before pack_write_list(). kernel[] is their
 * ascending numbers, from 0, in the order in which the list first names its kernels.
 */
void pack_write_missing(struct pack_writer *w, const uint32_t *kernel, uint32_t n);
/*
 * Announces that pack_write_list() will be called last, before pack_writer_close(). Called first. Until the list is
 * known, a stream of several blocks stores them in a temporary file.
 */
void pack_list_last(struct pack_writer *w);
/* Writes picks for the list as text of trace-picks(5). Called before the first kernel. */
void pack_write_picks(struct pack_writer *w, const char *text, size_t n);
/*
 * Sets the functions whose control codes are stored with the kernels of the same name and compute capability. Called
 * before the first kernel. codes must outlive the writer; functions may be added to it meanwhile.
 */
void pack_set_codes(struct pack_writer *w, const struct cubins *codes);
/* Returns the number of instructions of the last written kernel whose control codes were stored. */
uint32_t pack_coded_insts(const struct pack_writer *w);
/* Begins a kernel. Kernels are written in the order in which the list first names them, without missing kernels. */
void pack_begin_kernel(struct pack_writer *w);
void pack_add_text(struct pack_writer *w, const void *bytes, size_t n);
/* Ends a kernel. Sets hash (16 bytes, or NULL) to the XXH3-128 of the kernel's text. */
void pack_end_kernel(struct pack_writer *w, unsigned char *hash);
#define PACK_REGISTERS 5u
#define PACK_IMMS      2u
#define PACK_IMM_END   INT64_C(1000000000000000) /* absolute value from which on an immediate is text */
/* Text at the end of a line, after its last immediate: nothing, " " or " NoVal ". */
enum pack_end { PACK_END_NONE, PACK_END_BLANK, PACK_END_NO_VALUES };
/*
 * An instruction of a kernel that is written as records instead of text. The calls between pack_begin_kernel() and
 * pack_end_kernel() are then pack_begin_records() instead of pack_add_text(), and pack_block() for each thread block.
 * pack_end_kernel() leaves hash unchanged. The stream unpacks to the header and the lines of the records.
 */
struct pack_inst {
	uint32_t pc;
	uint32_t width; /* size of the access per lane in bytes; 0: the lines have no addresses */
	/*
	 * Constant text of its lines, as an offset in pack_code.text: the text_len bytes starting at `text` follow the
	 * mask and a blank, and the next end_len bytes follow the addresses. text_len 0: the lines have only the
	 * width.
	 */
	uint32_t text;
	uint16_t text_len, end_len;
	uint8_t open; /* 1: text of each execution follows the constant text at the end of the line; 0: none does */
	/*
	 * 1: the constant text is given as columns of machine code, for which the packer needs no text. `text` and
	 * text_len are the opcode, end_len is 0, and the next fields are the other columns. 0: it is given as text.
	 */
	uint8_t columns;
	uint8_t n_results, n_sources, n_imms;
	uint8_t end;                  /* after the immediates, enum pack_end */
	uint8_t reg[PACK_REGISTERS];  /* numbers of the registers, results first */
	uint8_t kind[PACK_REGISTERS]; /* of each register: 0 R, 1 UR, 2 P, 3 UP */
	int64_t imm[PACK_IMMS];       /* more than -PACK_IMM_END and less than PACK_IMM_END */
};
struct pack_code { /* static code of a kernel with records */
	struct pack_inst *inst;
	uint32_t n;    /* number of instructions */
	char *text;    /* constant texts of the instructions */
	size_t n_text; /* bytes */
};
/* Returns true if the texts of all instructions are within the text of the code, and their columns are valid. */
bool pack_code_good(const struct pack_code *c);
/* Frees the arrays of the code. */
static inline void pack_code_free(struct pack_code *c)
{
	free(c->inst);
	free(c->text);
	*c = (struct pack_code){NULL, 0, NULL, 0};
}
/* These records have no lists of differences, so ADDR_MOVED can have the value of ADDR_DELTA. */
enum { ADDR_MOVED = ADDR_DELTA };
/*
 * Run of n > 0 consecutive instructions id, id + 1, ... that the lanes of mask execute. id is an index into
 * pack_code.inst. If pack_code.n was added to it, the lines have further columns, and everything after the mask is
 * text. A run never starts with an instruction that would extend the previous run, so warps with equal behaviour have
 * equal runs.
 */
struct pack_run {
	uint32_t id;   /* id of the first instruction */
	uint32_t n;    /* number of instructions */
	uint32_t mask; /* active lanes */
};
/* Addresses and text that one instruction in a run adds to its constant text. Only open instructions have both. */
struct pack_payload {
	/*
	 * Addresses: index into word << 2 | kind, or 0 if the lines have none. ADDR_STRIDE: base and stride of 32
	 * bits from each lane to the next, active or not; also for one lane or none, with 0 in unused words.
	 * ADDR_LIST: a word for each lane of mask, for other addresses. ADDR_MOVED: an addend, then the distance in
	 * words back to a list for the same mask.
	 */
	uint32_t addr;
	uint32_t text_len; /* number of bytes of text */
};
struct pack_warp {
	const struct pack_run *run;
	const struct pack_payload *payload;
	const uint64_t *word; /* address data of the warp */
	const char *text;     /* texts of the elements of payload[], in order */
	uint32_t n_runs;      /* number of elements of run */
	uint32_t n_payloads;  /* number of elements of payload */
	uint32_t n_words;     /* number of elements of word */
	size_t n_text;        /* number of bytes of text */
};
/*
 * Begins the records of a kernel. header is the text of its header, including the last newline. code must outlive the
 * kernel.
 */
void pack_begin_records(struct pack_writer *w, const char *header, size_t n, const struct pack_code *code);
/*
 * Returns true if the payloads of the warp are those of its runs, and their addresses and texts are within its words
 * and its text. The runs must name instructions of the kernel.
 */
bool pack_warp_good(const struct pack_writer *w, const struct pack_warp *warp);
/*
 * Writes warps 0, 1, ... of thread block id. lines: whole lines that follow its id, such as "cluster rank = 0".
 * Everything is copied.
 */
void pack_block(struct pack_writer *w, const uint32_t id[3], const char *lines, const struct pack_warp *warp,
	uint32_t n_warps);
/*
 * Sets a callback for kernels with a part that is not a regular trace and is kept as text. It is called once for each
 * such kernel, with the kernel's number from 0.
 */
void pack_on_text(struct pack_writer *w, void (*on_text)(void *ctx, uint32_t kernel), void *ctx);
/* Writes the index and the end marker, and frees the writer. */
void pack_writer_close(struct pack_writer *w);
/* Frees the writer of a stream that is given up, which lacks its end then. A kernel may be unfinished. */
void pack_writer_discard(struct pack_writer *w);

/* ---- reading ---- */

struct pack;

/* Returns true if the file begins like a packed stream; false for "-" and unreadable files. */
bool pack_has_signature(const char *path);
/*
 * Opens a stream; path "-": standard input. Returns NULL and sets *f if it is not a packed stream, has a newer
 * version, or is damaged or truncated.
 */
struct pack *pack_open(const char *path, struct fault *f);
/* Opens n bytes in memory like pack_open(). The bytes must outlive the pack. */
struct pack *pack_open_memory(const char *name, const void *bytes, size_t n, struct fault *f);
/* Opens an input at its first byte like pack_open(), through a copy in a temporary file. The caller keeps in. */
struct pack *pack_open_copy(struct input *in, struct fault *f);
/* Returns true if the next bytes of the input begin a packed stream. Does not consume them. */
bool pack_input_begins(struct input *in);
/*
 * Opens an input like pack_open_copy() but without a copy, for callers that read the kernels in order: reading an
 * earlier kernel is a fault. On success the pack owns the input.
 */
struct pack *pack_open_forward(struct input *in, struct fault *f);
void pack_close(struct pack *p);

/* The texts that these functions return are valid until the pack is closed. */
const char *pack_path(const struct pack *p); /* returns the path in the form of input_name() */
/* Returns NULL if the stream was made without a list file. */
const char *pack_list_name(const struct pack *p);
const char *pack_list_text(const struct pack *p, size_t *n);
uint32_t pack_kernels(const struct pack *p);
/* Returns the number of kernels in the list that the stream lacks. */
uint32_t pack_missing_count(const struct pack *p);
const char *pack_picks(const struct pack *p); /* returns the picks as text; NULL: there are none */
bool pack_has_codes(const struct pack *p);    /* reports whether kernels may have control codes */
uint64_t pack_bytes(const struct pack *p);    /* returns the size of the stream */

struct pack_kernel {
	uint64_t text;   /* size of the unpacked text in bytes */
	uint64_t insts;  /* warp instructions */
	uint64_t blocks; /* thread blocks */
	uint64_t stored; /* number of bytes that are stored as text */
	char *name;      /* text of the line "-kernel name", "" without one; the caller frees it */
	uint32_t grid[3], block[3];
	uint64_t stream; /* id of the CUDA stream */
	uint32_t codes;  /* number of instructions with stored control codes */
	bool is_slice;   /* true if the kernel was cut from a larger grid */
};

/* Describes a kernel without unpacking it. Returns 0, or -1 and sets *f. */
int pack_kernel(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct fault *f);

/*
 * Returns true if the stream has a directory, with which pack_tally() unpacks nothing. The directory is at the end,
 * so streams from a pipe cannot use it.
 */
bool pack_has_directory(const struct pack *p);
/*
 * Reads the description and the counts of a kernel from the directory. Returns 1 after setting *t and *k except text,
 * stored and slice; 0 if the directory lacks the kernel; -1 and sets *f if the directory is damaged.
 */
int pack_tally(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct tally *t, struct fault *f);

/*
 * Adds the function of the kernel to `to`, unless `to` has a function with that name. Its machine code has only the
 * fields of struct control_code. Returns 1, 0 if the kernel has no function, or -1 and sets *f.
 */
int pack_codes(struct pack *p, uint32_t kernel, struct cubins *to, struct fault *f);

/*
 * Passes the kernel's text with the thread blocks first to last (in file order, from 0) to write(), which returns
 * false to stop. A mark in the header indicates omitted blocks. Returns 0, or -1 and sets *f.
 */
int pack_pass_text(struct pack *p, uint32_t kernel, uint64_t first, uint64_t last,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f);
/* Checks every byte of the stream. Returns 0, or -1 and sets *f with the place. */
int pack_verify(struct pack *p, struct fault *f);

/*
 * Reads the list like klist_read(). A kernel's path is the stream's name and the kernel's name. The caller sets
 * k->pack, which klist_open() needs.
 */
int pack_read_klist(struct pack *p, struct klist *k, struct fault *f);
/*
 * Opens the stream in *in, which is at its first byte. A seekable file is opened through a new descriptor. Other
 * input is read in order, and the pack takes it over (sets *in to NULL).
 */
struct pack *pack_open_input(struct input **in, struct fault *f);
/* Returns the number of the kernel with that name in the list; -1 if there is none. */
int64_t pack_find_kernel(const struct pack *p, const char *name);
/* Returns true if the list has the kernel but the stream does not. */
bool pack_lacks_kernel(const struct pack *p, const char *name);
/*
 * Decodes the block with the start of the kernel, and keeps it until another block is read. Reading the kernel
 * reports any fault.
 */
void pack_prepare(struct pack *p, uint32_t kernel);
/* Opens a kernel like trace_open(). */
struct trace *pack_open_trace(
	struct pack *p, uint32_t kernel, const struct trace_options *o, struct fault *f);

#endif
