/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that repeat an earlier one, which need not be executed. */
#ifndef REPEAT_H
#define REPEAT_H

#include <xxhash.h>
#include "cudart/cudart.h"

/* State of a launch before it is executed. */
struct repeat {
	XXH128_hash_t key;   /* hash of the kernel, its configuration and its parameters */
	XXH128_hash_t id;    /* hash of the key and the memory, if examined */
	bool possible;       /* a later launch may repeat this launch */
	bool examined;       /* the effect of the launch on the memory is examined */
	bool has_threads;    /* the program has several threads, if examined */
	bool may_have_unset; /* memory.may_have_unset, if examined */
	bool paused;
};

/*
 * Returns true if the launch repeats an earlier one. Then its effect is stored in memory, and it is counted as
 * executed. Sets *x for cudart_note_effect().
 */
bool cudart_skip_repeat(struct repeat *x, const struct grid *g);
/* Keeps the effect of a launch, which was executed, on the memory. good: it ended without an error. */
void cudart_note_effect(const struct repeat *x, const struct grid *g, bool good);

#endif
