/* SPDX-License-Identifier: BSD-2-Clause */
/* printf of kernels: formats and strings are in the kernel's memory. */
#ifndef PRINT_H
#define PRINT_H

#include "exec/exec.h"

/*
 * Executes one lane's printf. `format` and `args` (the block of arguments) are generic addresses. Returns the
 * number of arguments, or -1 if `format` is 0 or the launch has failed.
 */
int print_lane(struct warp *w, const struct op *o, unsigned lane, uint64_t format, uint64_t args);
/* Returns the host address of n bytes at a generic address of a lane, or NULL if they are not all in memory. */
uint8_t *print_find_bytes(const struct warp *w, unsigned lane, uint64_t a, uint64_t n);
/* Copies the string at a generic address, truncated to cap bytes including the NUL. */
void print_string(const struct warp *w, unsigned lane, uint64_t addr, char *out, size_t cap);

#endif
