/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inlining decisions for functions in loops that run for each cycle or request, where the compiler cannot
 * know how often each branch is taken.
 *
 * Always true: these attributes change no result; a measured count of instructions justifies each use.
 */
#ifndef INLINING_H
#define INLINING_H

/*
 * Keeps the function out of line. Its callers then need not save registers for it; used for rarely called functions.
 */
#define NOINLINE __attribute__((noinline))
/* Inlines the function into every caller. */
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Inlines every function that the function calls, except NOINLINE functions. */
#define FLATTEN __attribute__((flatten))

#endif
