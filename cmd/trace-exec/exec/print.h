/* SPDX-License-Identifier: BSD-2-Clause */
/* printf of kernels: formats and texts lie in the kernel's memory. */
#ifndef PRINT_H
#define PRINT_H

#include "exec/exec.h"

/*
 * One lane's printf: format and the block of its arguments by their generic addresses. The count of
 * arguments; -1: there is no format, or the launch has failed.
 */
int print_lane(struct warp *w, const struct op *o, unsigned lane, uint64_t format, uint64_t args);
/* The text at a generic address, cut to cap bytes with its end. */
void print_text(const struct warp *w, unsigned lane, uint64_t addr, char *out, size_t cap);

#endif
