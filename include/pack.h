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
 * Levels of the writer. PACK_FAST trains the models of addresses and flow on fewer warps and compresses each
 * column once; PACK_BEST tries every compressor on each column.
 */
enum { PACK_FAST = 1, PACK_DEFAULT = 3, PACK_BEST = 19 };
/* Returns a writer to out at one of these levels. */
struct pack_writer *pack_writer_new(FILE *out, int level, unsigned threads);
/* Reports whether a list of n bytes fits into a stream. */
bool pack_list_fits(size_t n);
/*
 * Writes the list's text, which must fit, and its file name. Called first, or last after pack_list_last(). name
 * NULL: there is no list file, and text is the kernels' file names, one per line.
 */
void pack_write_list(struct pack_writer *w, const char *name, const char *text, size_t n);
/*
 * Marks n > 0 kernels of the list as missing from the stream; called before pack_write_list(). kernel: their ascending
 * numbers, from 0, in the order in which the list first names its kernels.
 */
void pack_write_missing(struct pack_writer *w, const uint32_t *kernel, uint32_t n);
/*
 * Announces that pack_write_list() is called last, before pack_writer_close(). Called first. Until the list is known,
 * a stream of several blocks stores them in a temporary file.
 */
void pack_list_last(struct pack_writer *w);
/* Writes picks for the list as text of trace-picks(5); called before the first kernel. */
void pack_write_picks(struct pack_writer *w, const char *text, size_t n);
/*
 * Sets the functions whose control codes are stored with the kernels of the same name and compute capability;
 * called before the first kernel. codes must outlive the writer; functions may be added to it meanwhile.
 */
void pack_set_codes(struct pack_writer *w, const struct cubins *codes);
/* Number of instructions whose control codes were stored with the kernel that was written last. */
uint32_t pack_coded_insts(const struct pack_writer *w);
/* Begins a kernel. Kernels that are not missing are written in the order in which the list first names them. */
void pack_begin_kernel(struct pack_writer *w);
void pack_add_text(struct pack_writer *w, const void *bytes, size_t n);
/* Ends a kernel. hash (16 bytes, or NULL) is set to the XXH3-128 of the kernel's text. */
void pack_end_kernel(struct pack_writer *w, unsigned char *hash);
/*
 * Kernels can be written as records instead of text: pack_begin_records() instead of pack_add_text(), then
 * pack_block() for each thread block, between pack_begin_kernel() and pack_end_kernel(), which then leaves hash
 * unchanged. The stream unpacks to the header and the lines of the records.
 */
struct pack_inst {
	uint32_t pc;
	uint32_t width; /* bytes per lane; 0: lines without addresses */
	/*
	 * The constant text of its lines in pack_code.text: text_len bytes from `text` on follow the mask and a
	 * blank, end_len bytes after these follow the addresses. text_len 0: the width is all.
	 */
	uint32_t text;
	uint16_t text_len, end_len;
};
struct pack_code { /* static code of a kernel with records */
	struct pack_inst *inst;
	uint32_t n;
	char *text;
	size_t n_text; /* bytes */
};
/* Tests whether the texts of all instructions are within the text of the code. */
bool pack_code_good(const struct pack_code *c);
/* Frees the arrays of the code. */
static inline void pack_code_free(struct pack_code *c)
{
	free(c->inst);
	free(c->text);
	*c = (struct pack_code){NULL, 0, NULL, 0};
}
enum { ADDR_MOVED = ADDR_DELTA }; /* records have no lists of differences */
/*
 * Run of n > 0 consecutive instructions id, id + 1, ... executed by the lanes of mask. id is an index into
 * pack_code.inst; id + pack_code.n: the lines have further columns, and everything after the mask is text. A
 * run never starts with an instruction that would extend the previous run, so warps with equal behaviour have
 * equal runs.
 */
struct pack_run {
	uint32_t id, n, mask;
};
/* Addresses or text of one instruction in a run. */
struct pack_more {
	/*
	 * Without text: index into word << 2 | kind. ADDR_STRIDE: base and stride, for a mask without holes and a
	 * stride of 32 bits; also for one lane or none, with 0 in unused words. ADDR_LIST: a word for each lane of
	 * mask. ADDR_MOVED: an addend, then the distance in words back to a list for the same mask.
	 */
	uint32_t addr;
	uint32_t text_len; /* number of bytes of text */
};
struct pack_warp {
	const struct pack_run *run;
	const struct pack_more *more;
	const uint64_t *word;
	const char *text; /* texts of more[] in order */
	uint32_t n_runs, n_more, n_words;
	size_t n_text; /* number of bytes in text */
};
/*
 * Begins the records of a kernel. header: the header's text, including its last newline; code: which
 * must outlive the kernel.
 */
void pack_begin_records(struct pack_writer *w, const char *header, size_t n, const struct pack_code *code);
/* Writes warps 0, 1, ... of thread block id; everything is copied. */
void pack_block(struct pack_writer *w, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/*
 * Sets a callback, which is called once for each kernel (number from 0) with a part that is not a regular trace and
 * is kept as text.
 */
void pack_on_text(struct pack_writer *w, void (*on_text)(void *ctx, uint32_t kernel), void *ctx);
/* Writes the index and the end marker, and frees the writer. */
void pack_writer_close(struct pack_writer *w);

/* ---- reading ---- */

struct pack;

/* Reports whether the file begins like a packed stream; false for "-" and unreadable files. */
bool pack_has_signature(const char *path);
/*
 * Opens a stream; path "-": standard input. Returns NULL and sets *f if it is not a packed stream, has a newer
 * version, or is damaged or truncated.
 */
struct pack *pack_open(const char *path, struct fault *f);
/* Opens n bytes in memory like pack_open(). They must outlive the pack. */
struct pack *pack_open_memory(const char *name, const void *bytes, size_t n, struct fault *f);
/* Opens an input at its first byte like pack_open(), through a copy in a temporary file; the caller keeps in. */
struct pack *pack_open_copy(struct input *in, struct fault *f);
/* Reports whether the next bytes of the input begin a packed stream; consumes nothing. */
bool pack_input_begins(struct input *in);
/*
 * Opens an input like pack_open_copy() but without a copy, for callers that read the kernels in order: going back is a
 * fault. On success the pack owns the input.
 */
struct pack *pack_open_forward(struct input *in, struct fault *f);
void pack_close(struct pack *p);

/* The returned texts are valid as long as the pack. */
const char *pack_path(const struct pack *p);      /* returns the path in the form of input_name() */
const char *pack_list_name(const struct pack *p); /* NULL if the stream was made without a list file */
const char *pack_list_text(const struct pack *p, size_t *n);
uint32_t pack_kernels(const struct pack *p);
uint32_t pack_missing_count(const struct pack *p); /* number of kernels in the list that the stream lacks */
const char *pack_name(const struct pack *p, uint32_t kernel); /* returns the kernel's file name in the list */
const char *pack_picks(const struct pack *p); /* returns the picks as text; NULL: there are none */
bool pack_has_codes(const struct pack *p);    /* true: kernels may have control codes */
uint64_t pack_bytes(const struct pack *p);    /* returns the size of the stream */

struct pack_kernel {
	uint64_t text;   /* bytes of unpacked text */
	uint64_t insts;  /* warp instructions */
	uint64_t blocks; /* thread blocks */
	uint64_t stored; /* bytes that are stored as text */
	char *name;      /* "-kernel name", "" without one; freed by the caller */
	uint32_t grid[3], block[3];
	uint64_t stream; /* id of the CUDA stream */
	uint32_t codes;  /* number of instructions with stored control codes */
	bool slice;      /* the kernel was cut from a larger grid */
};

/* Describes a kernel without unpacking it. Returns 0, or -1 and sets *f. */
int pack_kernel(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct fault *f);

/*
 * Reports whether the stream has a directory, with which pack_tally() unpacks nothing. The directory is at
 * the end, so it is not used for streams from a pipe.
 */
bool pack_has_directory(const struct pack *p);
/*
 * Describes a kernel and its counts from the directory. Returns 1 after setting *t and *k except text, stored and
 * slice; 0 if the directory lacks the kernel; -1 and sets *f if the directory is damaged.
 */
int pack_tally(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct tally *t, struct fault *f);

/*
 * Adds the function of the kernel to `to`, unless `to` has one of that name. Its machine code has only the fields of
 * struct control_code. Returns 1, 0 if the kernel has no function, or -1 and sets *f.
 */
int pack_codes(struct pack *p, uint32_t kernel, struct cubins *to, struct fault *f);

/*
 * Passes the kernel's text with the thread blocks first to last (in file order, from 0) to write(), which returns
 * false to stop. A mark in the header indicates omitted blocks. Returns 0, or -1 and sets *f.
 */
int pack_text(struct pack *p, uint32_t kernel, uint64_t first, uint64_t last,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f);
/* Checks every byte of the stream. Returns 0, or -1 and sets *f with the place. */
int pack_verify(struct pack *p, struct fault *f);

/*
 * Reads the list like klist_read(); the path of a kernel is the stream's name and the kernel's name. The caller sets
 * k->pack, which klist_open() needs.
 */
int pack_read_klist(struct pack *p, struct klist *k, struct fault *f);
/*
 * Opens the stream in *in, which is at its first byte. A seekable file is opened through a new descriptor; another
 * input is read in order, and the pack takes it over (sets *in to NULL).
 */
struct pack *pack_open_input(struct input **in, struct fault *f);
/* Returns the number of the kernel with that name in the list; -1 if there is none. */
int64_t pack_find_kernel(const struct pack *p, const char *name);
/* Reports whether the list names the kernel and the stream lacks it. */
bool pack_lacks_kernel(const struct pack *p, const char *name);
/*
 * Decodes the block with the start of the kernel, which is kept until another block is read. A fault is reported
 * when the kernel is read.
 */
void pack_prepare(struct pack *p, uint32_t kernel);
/* Opens a kernel like trace_open(). */
struct trace *pack_open_trace(
	struct pack *p, uint32_t kernel, const struct trace_options *o, struct fault *f);

#endif
