/* SPDX-License-Identifier: BSD-2-Clause */
/* Hints about managed memory that a program can query (advice.c). */
#ifndef ADVICE_H
#define ADVICE_H

#include "cudart/cudart.h"

/* Location of memory. Before release 13 the functions have the number of the device, or CPU, as `type`. */
struct location {
	int type, id;
};
enum { NOWHERE_SET, ON_DEVICE, ON_HOST, ON_NODE, ON_OWN_NODE };

enum hint_kind {
	HINT_READ_MOSTLY,
	HINT_PREFERRED,
	HINT_USED_BY_DEVICE,
	HINT_USED_BY_HOST,
	HINT_PREFETCHED,
	N_HINT_KINDS
};

/* Stores the value of a hint for the pages of n bytes. A hint of two values is set if its type is not 0. */
void advice_note(const void *base, size_t n, enum hint_kind kind, struct location value);
/* Forgets all hints about the pages of memory that is being freed. */
void advice_forget(uint64_t addr, uint64_t n);
/* Checks that n bytes are in one allocation of managed memory. Returns 0 or a status. */
int advice_check_range(const void *base, size_t n);

#endif
