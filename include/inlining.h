/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler is told of functions in loops that run for each cycle or request, where it cannot know how
 * often each way is taken.
 *
 * Always true: none of these words changes what a program does; each stands where a measured count of
 * instructions asked for it.
 */
#ifndef INLINING_H
#define INLINING_H

/* Seldom called: on its own, so that its callers save no registers for it. */
#define APART __attribute__((noinline))
/* Part of whoever calls it. */
#define INLINED inline __attribute__((always_inline))
/* All that it calls, but for what is APART, is part of it. */
#define WHOLE __attribute__((flatten))

#endif
