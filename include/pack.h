/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed streams (trace-pack(5)): a kernel list and all its kernels in one checked, seekable file.
 *
 * Writing takes each kernel as text, in any pieces, or as records. Reading gives the list, the text of
 * kernels or of some of their thread blocks, or kernels as struct trace without text in between. A stream
 * that cannot be sought is read in order, or first copied to a temporary file.
 */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"
#include "klist.h"
#include "tally.h"
#include "trace.h"

struct cubins;

/* ---- writing ---- */

struct pack_writer;

/* level: of zstd, 1 to 19; at 1 and 2 addresses and flow are learnt from a part of the warps, too. */
struct pack_writer *pack_writer_new(FILE *out, int level, unsigned threads);
/* Can a stream hold a list of n bytes? */
bool pack_list_fits(size_t n);
/*
 * First of all: the list's text, which fits, and its file's name. name NULL: there was no list file, text is
 * the kernels' file names, one a line.
 */
void pack_put_list(struct pack_writer *w, const char *name, const char *text, size_t n);
/* Before the first kernel: picks, as text of trace-picks(5), for the list of the stream. */
void pack_put_picks(struct pack_writer *w, const char *text, size_t n);
/*
 * Before the first kernel: functions, to be had as long as the writer; more may be added. The control codes
 * of the one that has a kernel's name and machine are stored with it.
 */
void pack_put_codes(struct pack_writer *w, const struct cubins *codes);
/* Instructions whose control codes were stored with the kernel that ended last; 0: none. */
uint32_t pack_coded(const struct pack_writer *w);
/* The kernels in the order in which the list first names them. */
void pack_begin(struct pack_writer *w);
void pack_feed(struct pack_writer *w, const void *bytes, size_t n);
/* hash (16 bytes, or NULL) gets the XXH3-128 of the kernel's text. */
void pack_end(struct pack_writer *w, unsigned char *hash);
/*
 * A kernel of traces from PTX whose records are at hand, without its text: between pack_begin and pack_end
 * (whose hash is left alone) pack_records in place of pack_feed, then pack_block for each thread block. The
 * stream unpacks to the header and the lines that say what the records do.
 */
struct pack_inst {
	uint32_t pc, width; /* width 0: its lines have no addresses */
};
enum { ADDR_MOVED = ADDR_DELTA }; /* there are no lists of differences */
/*
 * A run: instructions id, id + 1, ..., n of them and not 0, executed one after another by the lanes of mask. id
 * is the number in inst; n_inst more: their lines have other columns, too, and all behind the mask is text. No
 * run begins with what the one before it could go on with: warps that do the same have the same runs.
 */
struct pack_run {
	uint32_t id, n, mask;
};
/* Of each instruction in runs whose lines have addresses or text. */
struct pack_more {
	/*
	 * Without text. In words: index << 2 | ADDR_STRIDE (base, stride: of lanes without a hole in mask, if
	 * it fits 32 bits; always of one lane and of none, the words that are not needed being 0), ADDR_LIST
	 * (a word for each lane of mask) or ADDR_MOVED (what to add, then by how many words the list lies
	 * before these two: one of all lanes, as mask).
	 */
	uint32_t addr;
	uint32_t text_len;
};
struct pack_warp {
	const struct pack_run *run;
	const struct pack_more *more;
	const uint64_t *word;
	const char *text; /* of more[], one after another */
	uint32_t n_runs, n_more, n_words;
	size_t n_text; /* bytes */
};
/* header: up to the newline of its last line; inst, which outlives the kernel: the static code. */
void pack_records(
	struct pack_writer *w, const char *header, size_t n, const struct pack_inst *inst, uint32_t n_inst);
/* Warps 0, 1, ... of thread block id; everything is copied. */
void pack_block(struct pack_writer *w, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/*
 * on_text: some of the kernel (from 0) is kept as plain text because it is no regular trace. Once for each.
 */
void pack_on_text(struct pack_writer *w, void (*on_text)(void *ctx, uint32_t kernel), void *ctx);
/* Index and end marker. */
void pack_writer_close(struct pack_writer *w);

/* ---- reading ---- */

struct pack;

/* Does the file begin as a packed stream? false for "-" and what cannot be opened. */
bool pack_is(const char *path);
/* path "-" is standard input. NULL and *f: no packed stream, newer version, damaged or truncated. */
struct pack *pack_open(const char *path, struct fault *f);
/* The same over bytes in memory that outlive it. */
struct pack *pack_memory(const char *name, const void *bytes, size_t n, struct fault *f);
/* The same from an input at its first byte, copied to a temporary file; in stays the caller's. */
struct pack *pack_over(struct input *in, struct fault *f);
/* Do the next bytes of the input begin a packed stream? Nothing is consumed. */
bool pack_begins(struct input *in);
/*
 * The same without a copy, for who takes the kernels in their order: going back is a fault. The pack owns the
 * input when it is returned.
 */
struct pack *pack_forward(struct input *in, struct fault *f);
void pack_close(struct pack *p);

/* What a pack says lives as long as it does. */
const char *pack_path(const struct pack *p);      /* as input_name() has it */
const char *pack_list_name(const struct pack *p); /* NULL: there was no list file */
const char *pack_list_text(const struct pack *p, size_t *n);
uint32_t pack_kernels(const struct pack *p);
const char *pack_name(const struct pack *p, uint32_t kernel); /* as the list has it */
const char *pack_picks(const struct pack *p);                 /* text; NULL: none */
bool pack_has_codes(const struct pack *p);                    /* may kernels have control codes? */
uint64_t pack_bytes(const struct pack *p);                    /* of the stream */

struct pack_kernel {
	uint64_t text, insts, blocks,
		stored; /* bytes, warp instructions, thread blocks, bytes kept as text */
	char *name;     /* "-kernel name", "" where there is none */
	uint32_t grid[3], block[3];
	uint64_t stream; /* of CUDA */
	uint32_t codes;  /* instructions of its function whose control codes are stored */
	bool slice;
};

/* What is known of a kernel without unpacking it. Free name. 0 or -1. */
int pack_kernel(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct fault *f);

/*
 * Is there a directory, by which pack_tally() unpacks nothing? In a stream from a pipe it comes last, and is
 * not used.
 */
bool pack_has_directory(const struct pack *p);
/*
 * The same and counts, by the directory: 1: *k and *t are told, of *k not text, stored and slice, free name;
 * 0: the stream does not tell of this kernel; -1 and *f: the directory is damaged.
 */
int pack_tally(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct tally *t, struct fault *f);

/*
 * Add the function of the kernel, machine code of which only the control codes and what cubin.h decodes with
 * them is kept, to `to`, unless that has one of the name. 1, 0: the kernel has none, -1.
 */
int pack_codes(struct pack *p, uint32_t kernel, struct cubins *to, struct fault *f);

/*
 * Write the kernel's text, or of its thread blocks only numbers first to last (in file order, from 0), with
 * a mark in the header when some are left out. write returns false to stop. 0 or -1.
 */
int pack_text(struct pack *p, uint32_t kernel, uint64_t first, uint64_t last,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f);
/* Check every byte of the stream. 0, or -1 and *f naming the place. */
int pack_verify(struct pack *p, struct fault *f);

/*
 * The list as klist_read gives it, kernel paths being the stream's name and the kernel's. Not yet set:
 * k->pack, by which klist_open finds the kernels.
 */
int pack_klist(struct pack *p, struct klist *k, struct fault *f);
/*
 * The stream that *in, at its first byte, is: a file that can be gone back in is opened by its path, of any
 * other *in is taken over (and NULL then) and read in order.
 */
struct pack *pack_input(struct input **in, const char *path, struct fault *f);
/* Number of the kernel of that name (as the list has it); -1: none. */
int64_t pack_find(const struct pack *p, const char *name);
struct trace *pack_trace(struct pack *p, uint32_t kernel, const struct trace_options *o, struct fault *f);

#endif
