/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IS(expected, call) prints a line and sets `bad', the exit status, if the value of a call differs from the
 * expected value.
 */
#ifndef TEST_VALUES_H
#define TEST_VALUES_H

#include <stdio.h>

static int bad;

static void expect_value(long got, long expected, int line, const char *call)
{
	if (got == expected)
		return;
	bad = 1;
	printf("%d: %s: %ld, expected %ld\n", line, call, got, expected);
}
#define IS(expected, call) expect_value((long)(call), (long)(expected), __LINE__, #call)

#endif
