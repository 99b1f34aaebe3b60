/* SPDX-License-Identifier: BSD-2-Clause */
/* CHECK reports a false condition, CALL a status other than 0. verdict prints the last line, returns the exit status. */
#ifndef TEST_CHECK_CUH
#define TEST_CHECK_CUH

#include <cstdio>

static int bad;

#define CHECK(so) \
	do { \
		if (!(so)) \
			printf("%s:%d: found no %s\n", __FILE__, __LINE__, #so), bad++; \
	} while (0)
#define CALL(call) \
	do { \
		cudaError_t error = (call); \
		if (error) \
			printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)), bad++; \
	} while (0)

static inline int verdict()
{
	printf("%d wrong\n", bad);
	return bad != 0;
}

#endif
