/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of archives of Accel-Sim 2.0 (.tracez); see tracez.c. */
#ifndef TRACEZ_H
#define TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "diag.h"

struct tracez_writer;

/*
 * Begins the archive of a kernel on `out`. `name` is the name of the text's file, for faults. It is not
 * copied.
 */
struct tracez_writer *tracez_writer_new(FILE *out, const char *name);
/*
 * Passes grouped text, in pieces of any size, to the writer (struct tracez_writer *). Returns false after a
 * fault.
 */
bool tracez_writer_text(void *writer, const void *text, size_t n);
/*
 * Completes the archive and frees the writer. Returns 0, or -1 and sets *f. The fault "write" means that a
 * write to `out` has failed.
 */
int tracez_writer_end(struct tracez_writer *w, struct fault *f);

#endif
