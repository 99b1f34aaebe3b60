/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vector loops of address recipes. Plain C that the compiler makes vectors of; on x86-64 the widest version
 * that the machine has is chosen when the program starts. All give the same lanes.
 */
#include "pack_addr.h"

/* Choosing happens before a sanitizer is ready. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define VECTOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default"), optimize("O3")))
#else
#define VECTOR
#endif

VECTOR void lanes_shift(struct lanes *to, const struct lanes *from, int shift, uint64_t c)
{
	struct lanes t;
	if (shift >= 0)
		for (unsigned l = 0; l < 32; l++)
			t.a[l] = (from->a[l] << shift) + c;
	else
		for (unsigned l = 0; l < 32; l++)
			t.a[l] = (from->a[l] >> -shift) + c;
	*to = t;
}

VECTOR void lanes_xor(struct lanes *to, const struct lanes *from, uint64_t c)
{
	struct lanes t;
	for (unsigned l = 0; l < 32; l++)
		t.a[l] = from->a[l] ^ c;
	*to = t;
}

VECTOR void lanes_pattern(struct lanes *to, const int64_t *pattern, uint64_t base)
{
	for (unsigned l = 0; l < 32; l++)
		to->a[l] = (uint64_t)pattern[l] + base;
}
