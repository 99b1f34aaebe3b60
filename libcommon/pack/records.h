/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of thread blocks that are given as records to a parsed part; see records.c. Internal to libcommon. */
#ifndef PACK_RECORDS_H
#define PACK_RECORDS_H

#include <xxhash.h>
#include "format.h"
#include "pack.h"

#define LISTS 8u /* number of cached lists */

/* Static instructions of a kernel, and those of them that the current part has. */
struct records {
	const struct pack_inst *inst;
	uint32_t n_inst;
	const char *text; /* constant texts of inst[] */
	size_t n_text;
	/*
	 * Tables indexed by the numbers in runs. fixed is the number of bytes of one line of each earlier
	 * instruction, with newlines but without addresses and text. next_more is this or the next number whose lines
	 * have addresses or text. known is a lower bound of the number of instructions from this one on that the
	 * current part has.
	 */
	uint32_t *fixed, *next_more, *known;
	uint64_t insts; /* number of instructions in the thread block of the last records_length() */
	/* Cached lists of all lanes of a warp: their positions and lengths, and the steps of earlier lists. */
	uint32_t at[LISTS];
	uint64_t length[LISTS];
	struct list_length {
		uint64_t rise[32], length; /* steps between the lanes, and length as text */
	} list[LISTS];
};

void records_begin(struct records *r, const struct pack_code *code);
void records_free(struct records *r);
/* Returns the number of bytes of all lines of the thread block. */
uint64_t records_length(
	struct records *r, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/* Begins a part. */
void records_begin_part(struct records *r, struct parsed *p);
void records_add_block(struct records *r, struct parsed *p, const uint32_t id[3],
	const struct pack_warp *warp, uint32_t n_warps);
/* Adds the thread blocks of a part that has only records to the hash. */
void records_digest(XXH3_state_t *h, const struct parsed *p);
/* Reports whether a part has room for the thread block of the last records_length(). */
bool records_fit(const struct records *r, uint32_t n_warps);
/* Appends the lines of the only thread block of p. first: it is the first one of the kernel. */
void records_append_text(struct buf *out, const struct records *r, struct parsed *p, bool first);

#endif
