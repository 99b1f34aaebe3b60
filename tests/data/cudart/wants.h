/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IS(expected, call) prints a line and sets `bad', the exit status, if the error or value of a call differs
 * from the expected one.
 */
#ifndef TEST_WANTS_H
#define TEST_WANTS_H

#include "cuda.h"

static int bad;

static void expect_value(int got, int expected, const char *call)
{
	if (got == expected)
		return;
	bad = 1;
	printf("%s: %d (%s), expected %d (%s)\n", call, got, cudaGetErrorName(got), expected,
		cudaGetErrorName(expected));
}
#define IS(expected, call) expect_value(call, expected, #call)

#endif
