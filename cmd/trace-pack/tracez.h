/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of archives of Accel-Sim 2.0 (.tracez); see tracez.c. */
#ifndef TRACEZ_H
#define TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "diag.h"

struct tracez_writer;

/* Begins the archive of a kernel on out. name: file of the text, for faults; not copied. */
struct tracez_writer *tracez_writer_new(FILE *out, const char *name);
/* Adds grouped text, in pieces of any size, to the writer (struct tracez_writer *). Returns false after a fault. */
bool tracez_writer_text(void *writer, const void *text, size_t n);
/* Completes the archive and frees the writer. Returns 0, or -1 and *f; the fault "write" is a failed write to out. */
int tracez_writer_end(struct tracez_writer *w, struct fault *f);

#endif
