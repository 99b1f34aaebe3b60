/* SPDX-License-Identifier: BSD-2-Clause */
/* Between reading a network file (icnt.c) and judging it (icnt_validate.c, icnt_virtual.c). */
#ifndef ICNT_INT_H
#define ICNT_INT_H

#include "icnt.h"

enum icnt_kind { KIND_NUMBER, KIND_REAL, KIND_WORD, KIND_NUMBERS, KIND_REALS, KIND_IDLE };

struct icnt_entry {
	const char *name;
	enum icnt_kind kind;
	const char *def;
	int64_t least, most;
};

extern const struct icnt_entry icnt_entries[N_ICNT];

/* Judges what was read: 0, or -1 and *f. */
int icnt_validate(struct icnt *c, struct fault *f);
/* The part about virtual channels and buffers. */
int icnt_validate_virtual(struct icnt *c, struct fault *f);
/* The part about allocators; topology known. */
int icnt_validate_alloc(struct icnt *c, struct fault *f);
/* Ports of the router with fewest and with most. */
void icnt_ports(const struct icnt *c, uint32_t *least, uint32_t *most);

/* The text of an entry, BookSim's when it is not there. */
const char *icnt_text(const struct icnt *c, enum icnt_id id);
/*
 * Whole numbers of a list "{1,2}" or of one number: at most cap of them, each from least to most. Returns how
 * many, or -1 and *f.
 */
int icnt_list(const struct icnt *c, enum icnt_id id, int64_t *out, int cap, struct fault *f);
/* Refuse entry id: "found NAME = TEXT, wanted ..." */
int icnt_reject(const struct icnt *c, enum icnt_id id, struct fault *f, const char *wanted, ...)
	PRINTF_LIKE(4, 5);

#endif
