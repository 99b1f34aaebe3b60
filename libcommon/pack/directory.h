/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of a packed stream: name, grid and counts of each kernel. With it a program can choose among ten
 * thousand kernels without unpacking any. Internal to libcommon.
 *
 * census.c counts a piece while its text is parsed. directory.c converts the rows to bytes and back.
 */
#ifndef PACK_DIRECTORY_H
#define PACK_DIRECTORY_H

#include "format.h"
#include "table.h"
#include "tally.h"

struct isa;

/* Counts of a piece of a kernel. Text outside regular thread blocks is not counted. */
struct census {
	bool has_counts; /* whether the piece has counts */
	uint64_t blocks; /* number of thread blocks */
	uint64_t insts;  /* number of warp instructions */
	struct tally tally;
};

/* Counts a part that encode_part() has processed. binary is the "-binary version" of its kernel. */
void census_add_part(struct census *c, const struct parsed *p, const struct isa *isa, int binary);

struct directory_row {
	uint32_t name_number; /* number of the name in the directory, plus 1; 0: the directory lacks it */
	uint32_t grid[3], block[3];
	uint64_t stream, blocks, insts;
	struct tally tally;
};

struct directory {
	struct directory_row *row; /* row of each kernel */
	uint32_t n, cap;
	char **name; /* distinct names of kernels */
	uint32_t n_names, cap_names;
	struct table names; /* numbers of the names by text */
};

/* Begins a kernel with the values of its header. directory_add() then adds its pieces. */
void directory_begin(struct directory *d, const char *header, size_t n);
void directory_add(struct directory *d, uint32_t kernel, const struct census *c);
/*
 * Appends the directory to out as two msgpack values if a stream of this size should have one. Returns false without
 * a directory if counting again is fast, or if the stream would grow by more than 0.3 percent.
 */
bool directory_pack(struct buf *out, const struct directory *d, uint64_t stream);
/* Unpacks the n bytes of a frame. Returns false if it is damaged. The caller frees d in both cases. */
bool directory_unpack(
	struct directory *d, uint32_t kernels, const uint8_t *frame, size_t n_frame, uint64_t n);
void directory_free(struct directory *d);

#endif
