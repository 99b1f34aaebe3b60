/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread blocks whose records are at hand, as a parsed part: see records.c. Internal to libcommon.
 */
#ifndef PACK_RECORDS_H
#define PACK_RECORDS_H

#include "format.h"
#include "pack.h"

/* A kernel's static instructions, and which of them the part that is being filled has. */
struct records {
	const struct pack_inst *inst;
	uint32_t n_inst;
	uint8_t *fixed; /* by instruction: bytes of its lines without addresses and text, with the newline */
	uint32_t *id;   /* by instruction, with addresses and as text: number in the part + 1; 0: not met */
	struct list_length {
		const uint64_t *a; /* an instruction's list of addresses in the block that was the now-th */
		uint64_t now, length;
		unsigned n;
	} * last;
	uint64_t now;
};

void records_begin(struct records *r, const struct pack_inst *inst, uint32_t n_inst);
void records_free(struct records *r);
/* Bytes that the block's lines take, all of them. */
uint64_t records_length(
	struct records *r, const uint32_t id[3], const struct pack_warp *warp, uint32_t n_warps);
/* A new part is begun. */
void records_part(struct records *r);
void records_block(struct records *r, struct parsed *p, const uint32_t id[3], const struct pack_warp *warp,
	uint32_t n_warps);
/* May a part hold such a block? */
bool records_fit(const struct records *r, const struct pack_warp *warp, uint32_t n_warps);
/* The lines of p's only block; first: of a kernel. */
void records_text(struct buf *out, const struct parsed *p, bool first);

#endif
