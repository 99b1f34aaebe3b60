/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of thread blocks that are given as records to a parsed part; see records.c. Internal to libcommon. */
#ifndef PACK_RECORDS_H
#define PACK_RECORDS_H

#include <xxhash.h>
#include "follow.h"
#include "format.h"
#include "pack.h"

#define LISTS   8u   /* number of cached lists */
#define STEPS   256u /* number of kept lengths of accesses by lanes with holes between them */
#define GAPS    16u  /* number of steps whose lengths are kept by the number of lanes between two addresses */
#define LEADERS 64u  /* number of possible leaders */

/* Static instructions of a kernel, and those of them that the current part has. */
struct records {
	const struct pack_inst *inst;
	uint32_t n_inst;
	const char *text; /* constant texts of inst[], as in struct pack_code */
	size_t n_text;    /* number of bytes of the whole constant texts */
	bool as_text;     /* parts store static instructions as whole texts, not in columns */
	/*
	 * The next three fields are tables indexed by the numbers in runs. The first one has the total size of one
	 * line of each earlier instruction, with newlines but without addresses and text.
	 */
	uint32_t *fixed_bytes_before;
	uint32_t *next_payload; /* first number, not below this one, whose lines have addresses or text */
	/* lower bound of the number of consecutive instructions, beginning with this one, that the current part has */
	uint32_t *min_present;
	uint64_t insts; /* number of instructions in the thread block of the last records_length() */
	uint32_t list_offset[LISTS]; /* offset of each cached list of all lanes in the words of the current warp */
	uint64_t length[LISTS];      /* length of each cached list as text */
	struct list_length {
		uint64_t list[32]; /* addresses of all lanes */
		uint64_t length;   /* length as text of their differences; 0: the entry is empty */
		uint32_t misses; /* number of lists since the last one that was equal except for a constant */
	} list[LISTS];           /* lengths of lists in earlier warps */
	struct step_length {
		uint32_t mask;   /* lanes of an access; 0: the entry is empty */
		uint32_t length; /* length as text of the differences of their addresses */
		uint64_t step;   /* distance of the addresses of neighbouring lanes */
	} step[STEPS];           /* entries, indexed by a hash of mask and step */
	struct gap_lengths {     /* lengths for any mask */
		uint64_t step;   /* distance of the addresses of neighbouring lanes */
		uint8_t length[32]; /* length as text of the difference between lanes l and l + i; 0: not known */
	} gap[GAPS];                /* entries, indexed by a hash of the step */
	struct record_leader {      /* a warp that later warps of the part may follow */
		uint32_t warp;      /* number of the warp in the part, plus 1; 0: the entry is empty */
		uint32_t insts;     /* number of its instructions */
		uint64_t length; /* length of its lines and of `insts` as text, without the digits of first addresses */
		struct follow_words words;
	} leader[LEADERS]; /* entries, indexed by a hash of the warp's runs */
	struct record_follower {
		uint32_t leader; /* same as pwarp.leader */
		bool near;       /* same as follow.near */
	} * follower;            /* warps of the thread block of the last records_length() */
	uint32_t n_followers, cap_followers;
	uint64_t digits; /* sum of the digits of first addresses in the lines of the warp */
};

void records_begin(struct records *r, const struct pack_code *code);
void records_free(struct records *r);
/* Returns true if the payloads of a warp belong to its runs and are within its words and text: pack_warp_good(). */
bool records_are_good(const struct records *r, const struct pack_warp *w);
/*
 * Returns the number of bytes of all lines of the thread block, and finds the leaders of its warps in the part p. If
 * the block is not added to p, the part must end.
 */
uint64_t records_length(struct records *r, const struct parsed *p, const uint32_t id[3], const char *lines,
	const struct pack_warp *warp, uint32_t n_warps);
/* Begins a part. */
void records_begin_part(struct records *r, struct parsed *p);
/* Adds a thread block. Warps have leaders if the last records_length() was for the same block and part. */
void records_add_block(struct records *r, struct parsed *p, const uint32_t id[3], const char *lines,
	const struct pack_warp *warp, uint32_t n_warps);
/* Adds the thread blocks of a part that has only records to the hash. */
void records_digest(XXH3_state_t *h, const struct parsed *p);
/* Returns true if a part has space for the thread block of the last records_length(). */
bool records_fit(const struct records *r, uint32_t n_warps);
/* Appends the lines of the only thread block of p. first: it is the first one of the kernel. */
void records_append_text(struct buf *out, const struct records *r, struct parsed *p, bool first);

#endif
