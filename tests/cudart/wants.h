/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IS: a line for each call that returns another error, or each value that is another, and `bad' for the exit
 * status.
 */
#ifndef TEST_WANTS_H
#define TEST_WANTS_H

#include "cuda.h"

static int bad;

static void wants(int got, int wanted, const char *what)
{
	if (got == wanted)
		return;
	bad = 1;
	printf("%s: found %d (%s), wanted %d (%s)\n", what, got, cudaGetErrorName(got), wanted,
		cudaGetErrorName(wanted));
}
#define IS(wanted, call) wants(call, wanted, #call)

#endif
