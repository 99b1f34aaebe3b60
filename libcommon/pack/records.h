/* SPDX-License-Identifier: BSD-2-Clause */
/* Thread blocks given as records, as a parsed part: see records.c. Internal to libcommon. */
#ifndef PACK_RECORDS_H
#define PACK_RECORDS_H

#include <xxhash.h>
#include "format.h"
#include "pack.h"

#define LISTS 8u /* cached lists of all lanes of a warp */

/* Static instructions of a kernel, and which of them the part that is being filled has. */
struct records {
	const struct pack_inst *inst;
	uint32_t n_inst;
	/*
	 * By number in runs: bytes of one line of each earlier instruction, without addresses and text, with
	 * the newlines; the next number, this one included, whose lines have addresses or text; number of
	 * instructions from this one on that the part being filled has at least.
	 */
	uint32_t *fixed, *next_more, *known;
	uint64_t insts; /* instructions of the block that records_length() measured last */
	/* Lists of all lanes of a warp by their position: positions and lengths; steps of the lists before. */
	uint32_t at[LISTS];
	uint64_t length[LISTS];
	struct list_length {
		uint64_t rise[32], length;
	} list[LISTS];
};

void records_begin(struct records *r, const struct pack_inst *inst, uint32_t n_inst);
void records_free(struct records *r);
/* Returns the bytes of all lines of the block. */
uint64_t records_length(
	struct records *r, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/* Begins a part. */
void records_part(struct records *r, struct parsed *p);
void records_block(struct records *r, struct parsed *p, const uint32_t id[3], const struct pack_warp *warp,
	uint32_t n_warps);
/* Adds a thread block to the hash of the records. */
void records_hash(XXH3_state_t *h, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/* Returns whether a part may hold the block that records_length() measured last. */
bool records_fit(const struct records *r, uint32_t n_warps);
/* Appends the lines of p's only block; first: the block begins the kernel. */
void records_text(struct buf *out, const struct records *r, struct parsed *p, bool first);

#endif
