/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface between the reader of network files (icnt.c) and their validation (icnt_validate.c,
 * icnt_virtual.c).
 */
#ifndef ICNT_INT_H
#define ICNT_INT_H

#include "icnt.h"

enum icnt_kind { KIND_NUMBER, KIND_REAL, KIND_WORD, KIND_NUMBERS, KIND_REALS, KIND_IDLE };

struct icnt_entry {
	const char *name;
	enum icnt_kind kind;
	const char *def; /* default value as text */
	int64_t least;   /* smallest value of a number */
	int64_t most;    /* largest value of a number */
};

extern const struct icnt_entry icnt_entries[N_ICNT];

/* Validates the values of a file after they were read. Returns 0, or -1 and sets *f. */
int icnt_validate(struct icnt *c, struct fault *f);
/* Validates virtual channels and buffers. */
int icnt_validate_virtual(struct icnt *c, struct fault *f);
/* Validates allocators. Requires the topology. */
int icnt_validate_alloc(struct icnt *c, struct fault *f);
/* Sets *least and *most to the smallest and largest number of ports of a router. */
void icnt_ports(const struct icnt *c, uint32_t *least, uint32_t *most);

/* Returns the text of an entry, which may be BookSim's default. */
const char *icnt_text(const struct icnt *c, enum icnt_id id);
/*
 * Reads a list of whole numbers "{1,2}", or a single number. There may be fewer than cap numbers, each within the
 * bounds of the entry. Returns their count, or -1 and sets *f.
 */
int icnt_list(const struct icnt *c, enum icnt_id id, int64_t *out, int cap, struct fault *f);
/* Sets a fault "invalid 'NAME = TEXT' (expected WANTED)" at the entry. Returns -1. */
int icnt_reject(const struct icnt *c, enum icnt_id id, struct fault *f, const char *wanted, ...)
	PRINTF_LIKE(4, 5);
/* Sets a fault "'NAME = TEXT' REASON" at the entry. Returns -1. */
int icnt_conflict(const struct icnt *c, enum icnt_id id, struct fault *f, const char *reason, ...)
	PRINTF_LIKE(4, 5);

#endif
